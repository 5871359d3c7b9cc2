/* SPDX-License-Identifier: MIT */
/*
 * Examines the counter before main(). core/trust.c decides whether the preload clock may use
 * it: only if the kernel keeps time by it. Then the vDSO computes CLOCK_MONOTONIC from the
 * same reads, and a suspend or a move to another host changes both in the same way. The
 * kernel assumes that the CPUs' counters agree; here that is measured.
 */
#include "preload_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "counter/state.h"
#include "machine/machine.h"
#include "steer.h"
#include "trust.h"

#define CHECK_WAIT_MS	1000
/* Over this time RAW's rate is good to 8 ppm. Slew is refused from 500 on. */
#define BASELINE_NS	10000000
#define MARK_TRIES	20

static const struct tw_trust_compared undecided = { .verdict = TW_UNDECIDED };

/* Compare in a child, and get its result through a pipe. A program may ignore SIGCHLD, and then
 * there is no child to wait for. */
static struct tw_trust_compared compare_cpus(void)
{
	struct tw_trust_compared found;
	struct pollfd readable = { .events = POLLIN };
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return undecided;
	child = fork();
	if (child == 0) {
		if (tw_trust_compare(TW_TRUST_PRELOAD, 0, &found))
			found = undecided;
		_exit(write(ends[1], &found, sizeof(found)) != sizeof(found));
	}
	close(ends[1]);
	readable.fd = ends[0];
	if (child < 0 || poll(&readable, 1, CHECK_WAIT_MS) != 1 ||
	    read(ends[0], &found, sizeof(found)) != sizeof(found)) {
		found = undecided;
		if (child > 0)
			kill(child, SIGKILL);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	close(ends[0]);
	return found;
}

/* Measure the slope. The rest of the baseline is spent asleep. */
static int slope_since(const struct tw_clock_mark *begin, double *ns_per_tick)
{
	struct tw_clock_mark end = TW_SIZED(struct tw_clock_mark);
	uint64_t passed_ns;
	int ret;

	ret = tw_clock_mark(TW_AGAINST_RAW, MARK_TRIES, &end);
	passed_ns = end.system_ns - begin->system_ns;
	if (!ret && passed_ns < BASELINE_NS) {
		struct timespec rest = { .tv_nsec =
			BASELINE_NS - (long)passed_ns };

		while (nanosleep(&rest, &rest) && errno == EINTR)
			;
		ret = tw_clock_mark(TW_AGAINST_RAW, MARK_TRIES, &end);
	}
	if (ret)
		return ret;
	if (end.system_ns == begin->system_ns)
		return -EIO;
	*ns_per_tick = (double)(end.system_ns - begin->system_ns) /
		       ((double)(end.ticks_before - begin->ticks_before) +
			(double)(end.ticks_after - end.ticks_before) / 2 -
			(double)(begin->ticks_after - begin->ticks_before) / 2);
	return 0;
}

/*
 * With wider brackets no anchor would ever be used. An anchor is made of
 * several brackets, and is a little narrower than these.
 */
static const struct tw_trust_needs needs = {
	.is_clocksource = 1, .max_bracket_ns = 1.5 * TW_STEER_BRACKET_NS,
};

/* Stop as soon as something speaks against the counter. */
int tw_preload_trust(int measure, double *ns_per_tick, struct tw_trust *trust)
{
	struct tw_trust_seen seen = {
		.state = tw_counter_permission(),
		.is_emulated = tw_counter_is_emulated(),
	};
	struct tw_clock_mark begin = TW_SIZED(struct tw_clock_mark);

	tw_read_clocksource(seen.clocksource, sizeof(seen.clocksource));
	if (!tw_trust(&needs, &seen, trust))
		return 0;
	seen.rate_error = tw_clock_mark(TW_AGAINST_RAW, MARK_TRIES, &begin);
	if (!seen.rate_error && measure) {
		struct tw_trust_compared cpus = compare_cpus();

		seen.verdict = cpus.verdict;
		seen.reasons = cpus.reasons;
	}
	if (!tw_trust(&needs, &seen, trust))
		return 0;
	seen.rate_error = slope_since(&begin, ns_per_tick);
	if (!seen.rate_error) {
		seen.ns_per_tick = *ns_per_tick;
		seen.bracket_ns = *ns_per_tick *
				  (double)(begin.ticks_after - begin.ticks_before);
	}
	return tw_trust(&needs, &seen, trust);
}
