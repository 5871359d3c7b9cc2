/* SPDX-License-Identifier: MIT */
/*
 * Ctrl-C during a measurement: the program remembers it, so that the result so
 * far can be printed.
 */
#include <signal.h>
#include <stddef.h>

#include "command/command.h"

static volatile sig_atomic_t interrupted;

static const int caught[] = { SIGINT, SIGTERM };

#define CAUGHT	(sizeof(caught) / sizeof(*caught))

static struct sigaction before[CAUGHT];

/* Leave a second signal to the action that was there before, which ends the
 * program: one size can be measured for a minute. */
static void remember(int signal)
{
	interrupted = 1;
	for (size_t i = 0; i < CAUGHT; i++)
		if (caught[i] == signal)
			sigaction(signal, &before[i], NULL);
}

void tw_command_catch_interrupts(void)
{
	struct sigaction action = { .sa_handler = remember,
				    .sa_flags = (int)SA_RESTART };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < CAUGHT; i++) {
		sigaction(caught[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(caught[i], &action, NULL);
	}
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
