/* SPDX-License-Identifier: MIT */
/*
 * A process that may not read the counter survives: the library reports "disabled",
 * refuses to measure, and its clock reads the system's.
 *
 * Fails, by a child's SIGSEGV, if the counter is read before the kernel is asked.
 * Fails also if a clock that has fallen back still reads it, be it through the
 * vDSO's clock_gettime().
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock/clock.h"
#include "counter/state.h"
#include "tap.h"
#include "timespec.h"

static uint64_t call_ns(clockid_t clock_id)
{
	struct timespec now;

	tw_system_clock_call(clock_id, &now);
	return tw_timespec_ns(&now);
}

__attribute__((unused))
static int state_is_said(void)
{
	struct tw_counter_facts facts = TW_SIZED(struct tw_counter_facts);

	return tw_counter_check(&facts) == 0 &&
	       facts.state == TW_COUNTER_DISABLED && facts.read_cost_ns == 0 &&
	       facts.call_cost_ns > 0 && facts.clock_is_call == -1;
}

static int measuring_is_refused(void)
{
	struct tw_reliability result = TW_SIZED(struct tw_reliability);
	struct tw_clock_mark mark = TW_SIZED(struct tw_clock_mark);
	struct tw_rate rate = { .size = sizeof(rate), .hz = 1 };

	return tw_rate_measure(&rate, NULL) == -ENOTSUP && rate.hz == 1 &&
	       tw_clock_mark(TW_AGAINST_RAW, 1, &mark) == -ENOTSUP &&
	       tw_reliability_measure(&result, NULL) == -ENOTSUP;
}

static int is_between(uint64_t before_ns, uint64_t ns)
{
	return before_ns <= ns && ns <= call_ns(CLOCK_MONOTONIC);
}

static int clock_is_systems(const struct tw_clock_options *options, int why)
{
	struct tw_second second = { 0 };
	struct tw_clock clock;
	struct timespec ts;
	uint64_t before_ns;
	int is_between_both;

	if (tw_clock_init(&clock, options) || clock.system != 2 ||
	    clock.system_errno != why)
		return 0;
	before_ns = call_ns(CLOCK_MONOTONIC);
	tw_clock_timespec(&clock, &second, &ts);
	is_between_both = is_between(before_ns, tw_clock_ns(&clock)) &&
		is_between(before_ns, tw_timespec_ns(&ts));
	tw_clock_free(&clock);
	return is_between_both;
}

static const struct tw_rate a_rate = {
	.size = sizeof(a_rate), .hz = 2.5e9,
};

static int clock_falls_back(void)
{
	static const struct tw_clock_options cases[] = {
		{ .anchor = TW_AGAINST_MONOTONIC },
		{ .anchor = TW_AGAINST_MONOTONIC, .rate = &a_rate },
		{ .anchor = TW_AGAINST_MONOTONIC, .system = TW_ON },
	};
	int good = 0;

	for (unsigned i = 0; i < 3; i++) {
		struct tw_clock_options options = cases[i];

		options.size = sizeof(options);
		good += clock_is_systems(&options, options.system == TW_ON ? 0 : -ENOTSUP);
	}
	return good == 3;
}

static void try_in_child(int (*test)(void), const char *what)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
		_exit(!test());
	}
	waitpid(child, &status, 0);
	if (!tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", what))
		tap_note("status %#x", (unsigned)status);
}

int main(void)
{
	struct tw_clock clock;
	int allowed;

	/*
	 * AddressSanitizer reads the system's clock when memory of a size is
	 * allocated for the first time.
	 */
	if (!tw_clock_new(&clock))
		tw_clock_free(&clock);
	if (prctl(PR_GET_TSC, &allowed, 0, 0, 0)) {
		printf("1..0 # SKIP this kernel can't forbid the counter: %s\n",
		       strerror(errno));
		return 0;
	}
#if defined(__SANITIZE_THREAD__)
	tap_skip("ThreadSanitizer's own open() reads the counter");
#else
	try_in_child(state_is_said, "the state is \"disabled\", unread");
#endif
	try_in_child(measuring_is_refused, "what measures: -ENOTSUP, untouched");
	try_in_child(clock_falls_back, "tw_clock_init: the system's clock, also on demand and "
		     "with a rate from elsewhere");
	return tap_done();
}
