/* SPDX-License-Identifier: MIT */
/*
 * May the preload clock use the counter? Only where the kernel keeps time by it:
 * then the vDSO computes CLOCK_MONOTONIC from the very same reads, and what a
 * suspend or a move to another host does to the counter, it does to both. What
 * the kernel takes for granted, that the CPUs' counters agree, is measured.
 */
#include "look.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "counter/state.h"
#include "machine/machine.h"
#include "steer.h"
#include "tickwise.h"

#define CHECK_NS	20000000
#define CHECK_WAIT_MS	1000
/* RAW's rate over this is good for 8 ppm; slew is refused from 500 on. */
#define BASELINE_NS	10000000
#define MARK_TRIES	20

struct verdict {
	enum tw_verdict verdict;
	unsigned reasons;
};

static void measure_and_exit(int fd)
{
	const struct tw_reliability_options options = {
		.time_limit_ns = CHECK_NS,
	};
	struct tw_reliability found;
	struct verdict verdict = { TW_UNDECIDED, 0 };
	ssize_t written;

	if (!tw_reliability_measure(&found, &options))
		verdict = (struct verdict) { found.verdict, found.reasons };
	written = write(fd, &verdict, sizeof(verdict));
	(void)written;
	_exit(0);
}

/* By way of the pipe: a program may ignore SIGCHLD, and then nothing is left
 * to wait for. */
static struct verdict listen_to(pid_t child, int fd)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	struct verdict verdict = { TW_UNDECIDED, 0 };

	if (poll(&readable, 1, CHECK_WAIT_MS) != 1 ||
	    read(fd, &verdict, sizeof(verdict)) != sizeof(verdict)) {
		verdict = (struct verdict) { TW_UNDECIDED, 0 };
		kill(child, SIGKILL);
	}
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return verdict;
}

static struct verdict measure_cpus(void)
{
	struct verdict verdict = { TW_UNDECIDED, 0 };
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return verdict;
	child = fork();
	if (child == 0)
		measure_and_exit(ends[1]);
	close(ends[1]);
	if (child > 0)
		verdict = listen_to(child, ends[0]);
	close(ends[0]);
	return verdict;
}

static int mark(struct tw_clock_mark *mark)
{
	return tw_clock_mark(TW_AGAINST_RAW, MARK_TRIES, mark);
}

static double middle_ticks(const struct tw_clock_mark *mark)
{
	return (double)(mark->ticks_after - mark->ticks_before) / 2;
}

/* The rest of the baseline passes asleep. */
static int slope_since(const struct tw_clock_mark *begin, double *ns_per_tick)
{
	struct tw_clock_mark end;
	uint64_t passed_ns;
	int ret;

	ret = mark(&end);
	passed_ns = end.system_ns - begin->system_ns;
	if (!ret && passed_ns < BASELINE_NS) {
		struct timespec rest = { .tv_nsec =
			BASELINE_NS - (long)passed_ns };

		while (nanosleep(&rest, &rest) && errno == EINTR)
			;
		ret = mark(&end);
	}
	if (ret)
		return ret;
	*ns_per_tick = (double)(end.system_ns - begin->system_ns) /
		       ((double)(end.ticks_before - begin->ticks_before) +
			middle_ticks(&end) - middle_ticks(begin));
	return 0;
}

/* Else it is an anchor that would never be taken. Anchors are made of several
 * brackets, and a little narrower. */
static int is_narrow(const struct tw_clock_mark *mark, double ns_per_tick)
{
	return (double)(mark->ticks_after - mark->ticks_before) * ns_per_tick <=
	       1.5 * TW_STEER_BRACKET_NS;
}

int tw_preload_trust(int measure, double *ns_per_tick, char *why_not,
		     size_t size)
{
	enum tw_counter_state state = tw_counter_permission();
	struct verdict verdict = { TW_RELIABLE, 0 };
	struct tw_clock_mark begin = { 0 };
	char clocksource[32] = "";

	if (state != TW_COUNTER_OK) {
		snprintf(why_not, size, "%s",
			 tw_text(TW_ENUM_COUNTER_STATE, state));
		return 0;
	}
	tw_read_clocksource(clocksource, sizeof(clocksource));
	if (strcmp(clocksource, TW_COUNTER_CLOCKSOURCE) ||
	    tw_counter_is_emulated()) {
		snprintf(why_not, size, "the kernel keeps time by %s, not %s",
			 clocksource[0] ? clocksource : "something unknown",
			 TW_COUNTER_CLOCKSOURCE);
		return 0;
	}
	if (mark(&begin)) {
		snprintf(why_not, size, "no system clock can be read");
		return 0;
	}
	if (measure)
		verdict = measure_cpus();
	if (verdict.verdict == TW_UNRELIABLE) {
		snprintf(why_not, size, "the CPUs' counters disagree: %s",
			 tw_text(TW_ENUM_REASON, verdict.reasons &
						    -verdict.reasons));
		return 0;
	}
	if (slope_since(&begin, ns_per_tick) || !(*ns_per_tick >= 0.1) ||
	    !(*ns_per_tick <= 100)) {
		snprintf(why_not, size, "the counter does not run at 10 MHz "
			 "to 10 GHz");
		return 0;
	}
	if (!is_narrow(&begin, *ns_per_tick)) {
		snprintf(why_not, size, "reading the system's clock takes "
			 "more than %d ns", TW_STEER_BRACKET_NS * 3 / 2);
		return 0;
	}
	return 1;
}
