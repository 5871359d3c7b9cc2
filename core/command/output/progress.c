/* SPDX-License-Identifier: MIT */
/*
 * Tells what a terminal can do. Prints in a line on stderr how far a long measurement is,
 * and how long it will take. On a terminal the line is overwritten by the next one.
 */
#include "command/output/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "timespec.h"

/* On a terminal: erase the line from the cursor on. */
#define CLEAR_LINE	"\033[K"

#define MS		UINT64_C(1000000)
/* An estimate of the whole time takes FIRST_NS. Measurements below MIN_WHOLE_NS
 * get no line. */
#define FIRST_NS	(500 * MS)
#define MIN_WHOLE_NS	(2000 * MS)
#define EVERY_NS	(200 * MS)
#define LOG_NS		(10000 * MS)	/* where each line stays */

#define LINE		512
#define BAR		20
#define MIN_COLUMNS	70		/* for a line with a bar */

int tw_terminal_columns(FILE *file)
{
	struct winsize size = { .ws_col = 0 };
	int fd = fileno(file);

	if (fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

/* By no-color.org, any value but an empty one means no colours. */
int tw_terminal_has_colours(FILE *file)
{
	const char *unwanted = getenv("NO_COLOR"), *kind = getenv("TERM");
	int fd = fileno(file);

	return fd >= 0 && isatty(fd) && !(unwanted && *unwanted) && kind && *kind &&
	       strcmp(kind, "dumb") != 0;
}

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

struct tw_progress tw_progress_begin_long(const char *command)
{
	return (struct tw_progress) {
		.command = command, .is_wanted = !is_forbidden,
		.is_log = !isatty(STDERR_FILENO), .begin_ns = now_ns(),
	};
}

struct tw_progress tw_progress_begin(const char *command)
{
	struct tw_progress progress = tw_progress_begin_long(command);

	progress.is_wanted &= !progress.is_log;
	return progress;
}

/* Write "[##--]  50 %, 12 s left, "; without a time while too little is done for an
 * estimate. */
static size_t put_done(char *line, uint64_t elapsed_ns, double done, int has_bar)
{
	static const char full[] = "####################", none[] = "--------------------";
	int filled = has_bar ? (int)(done * BAR) : 0;
	double left_s = done > 0 ? (double)elapsed_ns / 1e9 * (1 - done) / done : -1;
	int used = has_bar ? sprintf(line, "[%.*s%.*s] ", filled, full, BAR - filled, none) : 0;

	used += sprintf(line + used, "%3.0f %%, ", done * 100);
	if (left_s >= 0)
		used += sprintf(line + used, "%.0f %s left, ",
				left_s < 120 ? left_s : left_s / 60,
				left_s < 120 ? "s" : "min");
	return (size_t)used;
}

void tw_progress_show(struct tw_progress *progress, double done, const char *format, ...)
{
	const int columns = progress->is_wanted ? tw_terminal_columns(stderr) : 0;
	const uint64_t now = progress->is_wanted ? now_ns() : 0;
	const uint64_t elapsed_ns = now - progress->begin_ns;
	char line[LINE];
	size_t used;
	va_list args;

	done = done < 0 ? 0 : done > 1 ? 1 : done;
	if (!progress->is_wanted ||
	    (progress->is_shown ? now - progress->shown_ns < (progress->is_log ? LOG_NS : EVERY_NS) :
	     elapsed_ns < (progress->is_log ? LOG_NS : FIRST_NS) ||
	     (double)elapsed_ns < done * MIN_WHOLE_NS))
		return;
	used = (size_t)snprintf(line, 64, "tickwise %s: ", progress->command);
	used += put_done(line + used, elapsed_ns, done,
			 !progress->is_log && (!columns || columns >= MIN_COLUMNS));
	va_start(args, format);
	vsnprintf(line + used, sizeof(line) - used, format, args);
	va_end(args);
	/* A line longer than the terminal can't be overwritten. */
	if (columns > 1 && strlen(line) >= (size_t)columns)
		line[columns - 1] = '\0';
	fprintf(stderr, progress->is_log ? "%s\n" : "\r%s" CLEAR_LINE, line);
	fflush(stderr);
	progress->is_shown = 1;
	progress->shown_ns = now;
}

void tw_progress_end(struct tw_progress *progress)
{
	if (progress->is_shown && !progress->is_log)
		fputs("\r" CLEAR_LINE, stderr);
	progress->is_shown = 0;
}
