/* SPDX-License-Identifier: MIT */
/*
 * The progress line of a measurement: on a terminal it is overwritten and removed
 * at the end, elsewhere each has its own line. Nothing is written unasked, for a
 * short measurement, or right after the last line. Fails if the end of a longer
 * line stays, if a file gets what only a terminal obeys, or if the time left is
 * wrong.
 *
 * Wraps: clock_gettime
 */
#include "command/output/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tap.h"
#include "tickwise.h"

#define NOW_S	5000

/* The linker replaces clock_gettime() by this. */
__typeof__(clock_gettime) __wrap_clock_gettime;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec) { .tv_sec = NOW_S };
	return 0;
}

static struct tw_progress begun(int is_wanted, int is_terminal, double s_ago)
{
	return (struct tw_progress) {
		.command = "test", .is_wanted = is_wanted, .is_terminal = is_terminal,
		.begin_ns = (uint64_t)((NOW_S - s_ago) * 1e9),
	};
}

/*
 * Check what is written in @count steps, each a part more. @long_ago: seconds have
 * passed between them.
 */
static void writes(struct tw_progress progress, int count, int long_ago,
		   const char *should, const char *what)
{
	FILE *own = stderr;
	char *is = NULL;
	size_t size;

	stderr = open_memstream(&is, &size);
	for (int i = 1; i <= count; i++) {
		tw_progress_show(&progress, 0.25 * i, "%d of 4", i);
		if (long_ago)
			progress.shown_ns -= 5 * TW_NS_PER_SECOND;
	}
	tw_progress_end(&progress);
	fclose(stderr);
	stderr = own;
	if (!tap_ok(!strcmp(is, should), "%s", what))
		tap_note("is '%s'", is);
	free(is);
}

static void test_begin(void)
{
	struct tw_progress progress = tw_progress_begin("test", 0);

	tap_ok(!progress.is_wanted && !progress.is_terminal, "a file: not wanted by itself");
	progress = tw_progress_begin("test", 1);
	tap_ok(progress.is_wanted && !progress.is_terminal, "but forced");
	tw_progress_forbid();
	tap_ok(!tw_progress_begin("test", 1).is_wanted, "forbidden: not even then");
}

int main(void)
{
	if (!freopen("/dev/null", "w", stderr))
		tap_note("stderr stays what it is");
	writes(begun(0, 0, 30), 2, 1, "", "a file: nothing is written");
	writes(begun(1, 0, 30), 2, 1, "tickwise test:  25 %, 90 s left, 1 of 4\n"
	       "tickwise test:  50 %, 30 s left, 2 of 4\n", "forced: a line each");
	writes(begun(1, 0, 30), 2, 0, "tickwise test:  25 %, 90 s left, 1 of 4\n",
	       "not two at a time");
	writes(begun(1, 1, 30), 2, 1,
	       "\rtickwise test: [#####---------------]  25 %, 90 s left, 1 of 4\033[K"
	       "\rtickwise test: [##########----------]  50 %, 30 s left, 2 of 4\033[K"
	       "\r\033[K", "a terminal: one line, which is removed");
	writes(begun(1, 1, 30), 0, 1, "", "nothing to remove");
	writes(begun(1, 1, 0.4), 1, 1, "", "not in the first moment");
	writes(begun(1, 1, 0.7), 2, 1, "\rtickwise test: [#####---------------]  25 %, "
	       "2 s left, 1 of 4\033[K\rtickwise test: [##########----------]  50 %, "
	       "1 s left, 2 of 4\033[K\r\033[K", "then, if the whole takes over two seconds");
	writes(begun(1, 0, 1200), 1, 1, "tickwise test:  25 %, 60 min left, 1 of 4\n",
	       "minutes");
	test_begin();
	return tap_done();
}
