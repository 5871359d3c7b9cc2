/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock that the jobs of one fio process share.
 *
 * The first caller sets it up. Normally that is fio's parent process, since fio asks for
 * file sizes before it forks its jobs; the children inherit the clock. The setup takes
 * 20 ms of calibration against CLOCK_MONOTONIC_RAW, up to 160 ms on a busy machine. Some
 * ms more check that the CPUs' counters agree.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "counter/state.h"
#include "fio/message.h"
#include "machine/machine.h"
#include "timespec.h"
#include "timing.h"
#include "trust.h"

static struct tw_timing timing;
static pthread_once_t timing_once = PTHREAD_ONCE_INIT;

/*
 * Use the system clock instead of the counter, and log why. The system clock may be no
 * better: the kernel may compute it from the same counter, or it may move in coarse
 * steps. Then the message contains that, too.
 */
static void use_system_clock(const struct tw_trust *trust)
{
	const struct tw_clock_options options = {
		.size = sizeof(options), .system = TW_ON,
	};
	int same_counter = tw_counter_is_clocksource(NULL);
	struct timespec step = { 0, 0 };
	struct tw_clock clock;
	char coarse[96] = "";

	if (!tw_clock_init(&clock, &options)) {
		tw_clock_free(&timing.clock);
		timing.clock = clock;
	}
	clock_getres(CLOCK_MONOTONIC_RAW, &step);
	timing.step_ns = tw_timespec_ns(&step);
	if (timing.step_ns > 1)
		snprintf(coarse, sizeof(coarse), ", which moves in steps of "
			 "%llu ns: latencies have this resolution",
			 (unsigned long long) timing.step_ns);
	tw_message("tickwise: %s; latencies are taken from "
		"CLOCK_MONOTONIC_RAW instead%s%s\n", trust->why_not,
		same_counter ? ", which the kernel computes from the same "
			       "counter: latencies are not reliable either" : "",
		coarse);
}

void tw_cpus_note(struct tw_cpu_list *cpus)
{
	struct tw_cpu_list now;
	size_t i;

	if (tw_cpu_list_allowed(&now, 0))
		return;
	cpus->known = 1;
	for (i = 0; i < sizeof(now.bits) / sizeof(*now.bits); i++)
		cpus->bits[i] |= now.bits[i];
}

/* Compare the CPUs' counters before the jobs begin, once for all of them. The others wait
 * for the first that asks. */
static void compare_cpus(void)
{
	struct tw_run *run = tw_run_lock();
	struct tw_run_start *start = &timing.start;

	if (run && run->is_started) {
		*start = run->start;
		tw_run_unlock(run);
		return;
	}
	tw_cpus_note(&start->cpus);
	start->checked = !tw_trust_compare(TW_TRUST_RUN_START, timing.clock.scale.hz,
					   &start->found);
	if (run) {
		run->start = *start;
		run->is_started = true;
	}
	tw_run_unlock(run);
}

static void set_up(void)
{
	const struct tw_clock_options options = {
		.size = sizeof(options),
		.window_ns = TW_TRUST_ENGINE_WINDOW_NS,
		.longest_ns = TW_TRUST_ENGINE_LONGEST_NS,
	};
	struct tw_trust_seen seen = { .state = tw_counter_permission() };
	struct tw_trust trust;
	int ret;

	ret = tw_clock_init(&timing.clock, &options);
	seen.rate_error = ret ? ret : timing.clock.system_errno;
	if (!seen.rate_error) {
		compare_cpus();
		seen.verdict = timing.start.found.verdict;
		seen.reasons = timing.start.found.reasons;
	}
	if (!tw_trust(NULL, &seen, &trust))
		use_system_clock(&trust);
}

const struct tw_timing *tw_timing_of_process(void)
{
	pthread_once(&timing_once, set_up);
	return &timing;
}
