/* SPDX-License-Identifier: MIT */
/*
 * Ctrl-C in mid-measurement: what was measured by then is worth printing.
 */
#include <signal.h>
#include <stddef.h>

#include "command/command.h"

static volatile sig_atomic_t interrupted;

static void remember(int signal)
{
	(void)signal;
	interrupted = 1;
}

static void catch_one(int signal)
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action) || action.sa_handler == SIG_IGN)
		return;
	/* The second one is the default's: a size may be measured for a
	 * minute. */
	action = (struct sigaction) { .sa_handler = remember,
				      .sa_flags = (int)(SA_RESETHAND |
							SA_RESTART) };
	sigemptyset(&action.sa_mask);
	sigaction(signal, &action, NULL);
}

void tw_command_catch_interrupts(void)
{
	catch_one(SIGINT);
	catch_one(SIGTERM);
}

int tw_command_is_interrupted(void)
{
	return interrupted;
}

int tw_command_has_enough(void)
{
	return interrupted ? TW_ENOUGH : 0;
}

int tw_command_interrupted(const char *name, int has_result)
{
	return tw_command_fail(name, TW_EXIT_UNDECIDED, "interrupted: %s", has_result ?
			       "this is what was measured until then" :
			       "nothing was measured");
}
