/* SPDX-License-Identifier: MIT */
/*
 * The progress line of a measurement is overwritten by the next one, and removed at the end.
 * Nothing is written where there is no terminal, for a short measurement, or right after
 * the last line. What takes a minute has a line now and then elsewhere, too. Fails if the
 * end of a longer line stays, if a file gets what only a terminal obeys, or if the time left
 * is wrong.
 *
 * Wraps: clock_gettime
 */
#include "command/output/page.h"

#include <string.h>
#include <time.h>

#include "tap.h"
#include "tickwise.h"

#define NOW_S	5000

__typeof__(clock_gettime) __wrap_clock_gettime;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec) { .tv_sec = NOW_S };
	return 0;
}

#define BEGIN	"\rtickwise test: "
#define END	"\033[K"
#define GONE	"\r\033[K"

static const struct {
	double s_ago;
	int first, last;	/* steps, a quarter each */
	int pause_ms;		/* what passes between them; with seconds: no terminal */
	const char *should, *what;
} cases[] = {
	{ 30, 1, 2, 200, BEGIN "[#####---------------]  25 %, 90 s left, 1 of 4" END
	  BEGIN "[##########----------]  50 %, 30 s left, 2 of 4" END GONE, "two lines" },
	{ 30, 1, 2, 199, BEGIN "[#####---------------]  25 %, 90 s left, 1 of 4" END GONE,
	  "not two at a time" },
	{ 30, 1, 0, 200, "", "nothing to remove" },
	{ 0.4, 1, 1, 200, "", "not in the first moment" },
	{ 0.7, 1, 2, 200, BEGIN "[#####---------------]  25 %, 2 s left, 1 of 4" END
	  BEGIN "[##########----------]  50 %, 1 s left, 2 of 4" END GONE,
	  "then, if the whole takes over two seconds" },
	{ 0.9, 1, 4, 200, BEGIN "[#####---------------]  25 %, 3 s left, 1 of 4" END
	  BEGIN "[##########----------]  50 %, 1 s left, 2 of 4" END
	  BEGIN "[###############-----]  75 %, 0 s left, 3 of 4" END
	  BEGIN "[####################] 100 %, 0 s left, 4 of 4" END GONE, "up to the end" },
	{ 1200, 1, 1, 200, BEGIN "[#####---------------]  25 %, 60 min left, 1 of 4" END GONE,
	  "minutes" },
	{ 40, 1, 1, 200, BEGIN "[#####---------------]  25 %, 2 min left, 1 of 4" END GONE,
	  "from two of them on" },
	{ 30, 0, 0, 200, BEGIN "[--------------------]   0 %, 0 of 4" END GONE,
	  "no time left is known at the beginning" },
	{ 30, 1, 2, 10000, "tickwise test:  25 %, 90 s left, 1 of 4\n"
	  "tickwise test:  50 %, 30 s left, 2 of 4\n", "no terminal: lines that stay" },
	{ 30, 1, 2, 9999, "tickwise test:  25 %, 90 s left, 1 of 4\n", "one in ten seconds" },
	{ 9.9, 1, 1, 10000, "", "not before that" },
};

int main(void)
{
	FILE *own = stderr;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_progress progress = {
			.command = "test", .is_wanted = 1, .is_log = cases[i].pause_ms > 1000,
			.begin_ns = (uint64_t)((NOW_S - cases[i].s_ago) * 1e9),
		};
		char *is = NULL;
		size_t size;

		stderr = open_memstream(&is, &size);
		for (int step = cases[i].first; step <= cases[i].last; step++) {
			tw_progress_show(&progress, 0.25 * step, "%d of 4", step);
			progress.shown_ns -= (uint64_t)cases[i].pause_ms * 1000000;
		}
		tw_progress_end(&progress);
		fclose(stderr);
		stderr = own;
		if (!tap_ok(!strcmp(is, cases[i].should), "%s", cases[i].what))
			tap_note("is '%s'", is);
		free(is);
	}
	if (!freopen("/dev/null", "w", stderr))
		tap_note("stderr stays what it is");
	tap_ok(!tw_progress_begin("test").is_wanted, "no terminal: none");
	tap_ok(tw_progress_begin_long("test").is_wanted && tw_progress_begin_long("test").is_log,
	       "but of what takes a minute");
	return tap_done();
}
