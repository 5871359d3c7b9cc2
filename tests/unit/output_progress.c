/* SPDX-License-Identifier: MIT */
/*
 * The line on how far a measurement is: on a terminal it is written over and removed at
 * the end, elsewhere each has its own line, and nothing is written that nobody wanted.
 * Fails if the end of a longer line stays, or if a file gets what only a terminal obeys.
 */
#include "command/output/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static void writes(struct tw_progress progress, int lines, const char *should,
		   const char *what)
{
	FILE *own = stderr;
	char *is = NULL;
	size_t size;

	stderr = open_memstream(&is, &size);
	for (int i = 0; i < lines; i++)
		tw_progress_show(&progress, "%d of %d", i, lines);
	tw_progress_end(&progress);
	fclose(stderr);
	stderr = own;
	if (!tap_ok(!strcmp(is, should), "%s", what))
		tap_note("is '%s'", is);
	free(is);
}

int main(void)
{
	const struct tw_progress terminal = { .is_wanted = 1, .is_terminal = 1 };
	struct tw_progress begun;

	if (!freopen("/dev/null", "w", stderr))
		tap_note("stderr stays what it is");
	begun = tw_progress_begin(0);
	tap_ok(!begun.is_wanted && !begun.is_terminal, "a file: not wanted by itself");
	writes(begun, 2, "", "and nothing is written");
	writes(tw_progress_begin(1), 2, "0 of 2\n1 of 2\n", "forced: a line each");
	writes(terminal, 2, "\r0 of 2\033[K\r1 of 2\033[K\r\033[K",
	       "a terminal: one line, which is removed");
	writes(terminal, 0, "", "nothing to remove");
	return tap_done();
}
