/* SPDX-License-Identifier: MIT */
/*
 * Finds how far the counters of the allowed CPUs are apart: collects (probe.h) until the
 * statistics suffice, and then judges (judge.c). If the bounds are still wider than wanted,
 * it collects twice as much, until the time is over. trust.c decides whether that is good
 * enough.
 */
#include "probe.h"

#include <errno.h>
#include <stdlib.h>

#include "diagnostics.h"
#include "machine/cpus.h"
#include "timespec.h"

/* How often the caller's progress function is called. */
#define PROGRESS_NS		250000000ULL
/* How many brackets to try, since an interrupt can cut one. */
#define CLOCK_TRIES		5

struct measurement {
	struct tw_reliability_options options;
	unsigned *allowed;
	unsigned allowed_count;
	struct tw_probe_run *run;
	struct tw_cpu_samples *samples;
	struct tw_judge_work work;
	struct tw_clock_mark begin;
	struct tw_reliability result;
};

static int allocate(struct measurement *m, const struct tw_probe_system *system)
{
	size_t count;
	int error = tw_allowed_cpus(&m->allowed, &m->allowed_count);

	if (error)
		return error;
	count = m->allowed_count;
	if (count > TW_RELIABILITY_MAX_CPUS)
		count = TW_RELIABILITY_MAX_CPUS;
	m->samples = calloc(count + 1, sizeof(*m->samples));
	m->result.offsets = calloc(count * (count - 1) / 2 + 1, sizeof(*m->result.offsets));
	if (tw_judge_work_init(&m->work, count) || !m->samples || !m->result.offsets)
		return -ENOMEM;
	return tw_probe_new(&m->run, m->options.method, m->allowed,
			    (unsigned)count, m->options.time_limit_ns, system);
}

/* Measure the rate over the time of the collecting, so that no extra time is
 * needed. It is good to some ppm, and converts a tolerance to ticks. Return 0
 * if the counter does not move forward. */
static double look_at_rate(const struct tw_clock_mark *begin)
{
	struct tw_clock_mark end = TW_SIZED(struct tw_clock_mark);
	int64_t ticks;
	uint64_t ns;

	if (tw_clock_mark(TW_AGAINST_RAW, CLOCK_TRIES, &end))
		return 0;
	ticks = (int64_t)(end.ticks_before - begin->ticks_before);
	ns = end.system_ns - begin->system_ns;
	if (ticks <= 0 || ns == 0)
		return 0;
	return (double)ticks * 1e9 / (double)ns;
}

static void judge(struct measurement *m)
{
	struct tw_reliability *result = &m->result;
	struct tw_judge_limits limits = {
		.least_switches = m->options.least_switches,
		.pace_limit_ppb = m->options.pace_limit_ppb,
	};
	double tolerance_ticks;
	unsigned count;

	result->hz = m->options.hz;
	if (result->hz == 0)
		result->hz = look_at_rate(&m->begin);
	tolerance_ticks = (double)m->options.tolerance_ns * result->hz / 1e9;
	limits.tolerance_ticks = tolerance_ticks < 9e18 ?
				 (int64_t)tolerance_ticks : INT64_MAX - 1;
	count = tw_probe_samples(m->run, m->samples);
	limits.step_ticks = tw_step_of_samples(m->samples, count);
	tw_judge(result, m->samples, count, &limits, &m->work);
	result->cpus_skipped = m->allowed_count - count;
	if (!result->cpus_skipped)
		return;
	/* One judged CPU is not the only one allowed. */
	result->reasons |= TW_REASON_CPUS_SKIPPED;
	result->reasons &= ~(unsigned)TW_REASON_ONE_CPU;
}

/* Call the caller's function. Return 0 to go on; TW_ENOUGH or another number to
 * end. */
static int tell_progress(const struct measurement *m, uint64_t begin_ns)
{
	struct tw_reliability_progress progress = {
		.size = sizeof(progress),
		.elapsed_ns = tw_clock_id_ns(CLOCK_MONOTONIC) - begin_ns,
		.time_limit_ns = m->options.time_limit_ns,
	};

	if (!m->options.progress)
		return 0;
	progress.probes = tw_probe_count(m->run, &progress.cpus);
	return m->options.progress(m->options.context, &progress);
}

/* Collect in slices. Only the threads end between two slices. After TW_ENOUGH
 * the goal's deadline is over. */
static int collect(struct measurement *m, struct tw_probe_goal *goal,
		   uint64_t begin_ns)
{
	struct tw_probe_goal slice = *goal;
	int reached, answer;

	do {
		slice.deadline_ns = tw_clock_id_ns(CLOCK_MONOTONIC) + PROGRESS_NS;
		if (slice.deadline_ns > goal->deadline_ns)
			slice.deadline_ns = goal->deadline_ns;
		reached = tw_probe_collect(m->run, &slice);
		if (reached < 0)
			return reached;
		answer = reached ? 0 : tell_progress(m, begin_ns);
		if (answer == TW_ENOUGH)
			goal->deadline_ns = 0;
		else if (answer)
			return -ECANCELED;
	} while (!reached && slice.deadline_ns < goal->deadline_ns);
	return 0;
}

static int collect_and_judge(struct measurement *m, uint64_t begin_ns)
{
	struct tw_probe_goal goal = {
		.deadline_ns = begin_ns + m->options.time_limit_ns,
		.least_switches = m->options.least_switches,
		.min_span_ns = m->options.least_time_ns,
	};
	int error = tw_clock_mark(TW_AGAINST_RAW, CLOCK_TRIES, &m->begin);
	unsigned taking_part;

	if (error)
		return error;
	do {
		error = collect(m, &goal, begin_ns);
		if (error)
			return error;
		judge(m);
		if (goal.least_switches <= UINT64_MAX / 2)
			goal.least_switches *= 2;
		goal.min_span_ns *= 2;
		tw_probe_count(m->run, &taking_part);
		/* More samples can settle what is open. A proof needs no more. */
	} while (taking_part && !(m->result.reasons & TW_REASONS_PROOF) &&
		 (m->result.reasons & TW_REASONS_FEW) &&
		 tw_clock_id_ns(CLOCK_MONOTONIC) < goal.deadline_ns);
	return 0;
}

/* Return the cost of the fastest of some loops, since interrupts only add to it. */
static double read_cost_ns(double hz)
{
	enum { LOOPS = 16, READS = 256 };
	uint64_t min_ticks = UINT64_MAX;

	for (unsigned loop = 0; loop < LOOPS; loop++) {
		uint64_t begin = tw_ticks_begin();
		uint64_t ticks;

		for (unsigned i = 0; i < READS; i++)
			tw_ticks();
		ticks = tw_ticks_end() - begin;
		if (ticks < min_ticks)
			min_ticks = ticks;
	}
	return hz > 0 ? (double)min_ticks / (double)READS / hz * 1e9 : 0;
}

int tw_estimate(struct tw_reliability *result,
		const struct tw_reliability_options *options,
		const struct tw_probe_system *system)
{
	struct measurement m = {
		.options = *options, .begin = TW_SIZED(struct tw_clock_mark),
	};
	uint64_t begin_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	int error = allocate(&m, system);
	unsigned i = 0;

	if (!error)
		error = collect_and_judge(&m, begin_ns);
	if (!error) {
		/* Both lists rise. */
		while (i < m.result.cpus && m.samples[i].cpu == m.allowed[i])
			i++;
		if (m.result.cpus_skipped)
			tw_say(TW_SAY_WARNING, "reliability: %u of %u allowed CPUs are not "
			       "judged, CPU %u the first: no thread could be kept there",
			       m.result.cpus_skipped, m.allowed_count, m.allowed[i]);
		m.result.size = sizeof(m.result);
		m.result.method = options->method;
		m.result.read_cost_ns = read_cost_ns(m.result.hz);
		m.result.elapsed_ns = tw_clock_id_ns(CLOCK_MONOTONIC) - begin_ns;
		*result = m.result;
		m.result.offsets = NULL;
	}
	if (m.run)
		tw_probe_free(m.run);
	free(m.result.offsets);
	tw_judge_work_free(&m.work);
	free(m.samples);
	free(m.allowed);
	return error;
}

void tw_reliability_free(struct tw_reliability *result)
{
	free(result->offsets);
	result->offsets = NULL;
	result->pairs = 0;
}
