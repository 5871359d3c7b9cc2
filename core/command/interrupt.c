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
