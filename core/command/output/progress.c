/* SPDX-License-Identifier: MIT */
/*
 * Prints a line of progress for a measurement; see progress.h.
 */
#include "command/output/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command/output/terminal.h"
#include "timespec.h"

/* On a terminal: erase the line from the cursor on. */
#define CLEAR_LINE	"\033[K"

#define MS		UINT64_C(1000000)
/* An estimate of the whole time takes FIRST_NS. Measurements below MIN_WHOLE_NS
 * get no line. */
#define FIRST_NS	(500 * MS)
#define MIN_WHOLE_NS	(2000 * MS)
#define EVERY_NS	(200 * MS)	/* on a terminal */
#define EVERY_LINE_NS	(1000 * MS)	/* elsewhere */

#define LINE		256
#define BAR		20
#define MIN_COLUMNS	70		/* for a line with a bar */

static int is_forbidden;

void tw_progress_forbid(void)
{
	is_forbidden = 1;
}

/* Return the time. Does not read the counter, which this process may be
 * forbidden to do. */
static uint64_t now_ns(void)
{
	return tw_clock_id_ns(CLOCK_MONOTONIC_COARSE);
}

struct tw_progress tw_progress_begin(const char *command, int forced)
{
	const int is_terminal = isatty(STDERR_FILENO);

	return (struct tw_progress) {
		.command = command,
		.is_wanted = (is_terminal || forced) && !is_forbidden,
		.is_terminal = is_terminal,
		.begin_ns = now_ns(),
	};
}

static int is_due(const struct tw_progress *progress, uint64_t now, double done)
{
	const uint64_t elapsed_ns = now - progress->begin_ns;

	if (progress->is_shown)
		return now - progress->shown_ns >=
		       (progress->is_terminal ? EVERY_NS : EVERY_LINE_NS);
	return elapsed_ns >= FIRST_NS && (double)elapsed_ns >= done * MIN_WHOLE_NS;
}

/* Write "12 s left"; nothing while too little is done for an estimate. */
static void put_left(char *text, size_t size, uint64_t elapsed_ns, double done)
{
	double left_s = done > 0 ? (double)elapsed_ns / 1e9 * (1 - done) / done : -1;

	text[0] = '\0';
	if (left_s >= 0 && left_s < 120)
		snprintf(text, size, ", %.0f s left", left_s);
	else if (left_s >= 0)
		snprintf(text, size, ", %.0f min left", left_s / 60);
}

static void put_bar(char *text, double done)
{
	int filled = (int)(done * BAR);

	text[0] = '[';
	memset(text + 1, '#', (size_t)filled);
	memset(text + 1 + filled, '-', (size_t)(BAR - filled));
	strcpy(text + 1 + BAR, "] ");
}

/* Print a line. On a terminal it is cut, since a line longer than the terminal
 * can't be overwritten. */
static void print(const struct tw_progress *progress, char *line)
{
	int columns = tw_terminal_columns(stderr);

	if (!progress->is_terminal) {
		fprintf(stderr, "%s\n", line);
		return;
	}
	if (columns > 1 && strlen(line) >= (size_t)columns)
		line[columns - 1] = '\0';
	fprintf(stderr, "\r%s" CLEAR_LINE, line);
}

void tw_progress_show(struct tw_progress *progress, double done, const char *format, ...)
{
	char what[LINE], left[32], bar[BAR + 4] = "", line[2 * LINE];
	int columns = progress->is_wanted ? tw_terminal_columns(stderr) : 0;
	uint64_t now;
	va_list args;

	if (!progress->is_wanted)
		return;
	now = now_ns();
	done = done < 0 ? 0 : done > 1 ? 1 : done;
	if (!is_due(progress, now, done))
		return;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	put_left(left, sizeof(left), now - progress->begin_ns, done);
	if (progress->is_terminal && (!columns || columns >= MIN_COLUMNS))
		put_bar(bar, done);
	snprintf(line, sizeof(line), "tickwise %s: %s%3.0f %%%s, %s", progress->command,
		 bar, done * 100, left, what);
	print(progress, line);
	fflush(stderr);
	progress->is_shown = 1;
	progress->shown_ns = now;
}

void tw_progress_end(struct tw_progress *progress)
{
	if (progress->is_terminal && progress->is_shown)
		fputs("\r" CLEAR_LINE, stderr);
	progress->is_shown = 0;
}
