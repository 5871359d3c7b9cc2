/* SPDX-License-Identifier: MIT */
/*
 * A line on how far a measurement is; see progress.h.
 */
#include "command/output/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* Of a terminal: remove what is right of the cursor. */
#define CLEAR_LINE	"\033[K"

static int is_forbidden;

void tw_progress_forbid(void)
{
	is_forbidden = 1;
}

struct tw_progress tw_progress_begin(int forced)
{
	const int is_terminal = isatty(STDERR_FILENO);

	return (struct tw_progress) {
		.is_wanted = (is_terminal || forced) && !is_forbidden,
		.is_terminal = is_terminal,
	};
}

void tw_progress_show(struct tw_progress *progress, const char *format, ...)
{
	va_list args;

	if (!progress->is_wanted)
		return;
	if (progress->is_terminal)
		putc('\r', stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs(progress->is_terminal ? CLEAR_LINE : "\n", stderr);
	fflush(stderr);
	progress->is_shown = 1;
}

void tw_progress_end(struct tw_progress *progress)
{
	if (progress->is_terminal && progress->is_shown)
		fputs("\r" CLEAR_LINE, stderr);
	progress->is_shown = 0;
}
