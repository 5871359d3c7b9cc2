/* SPDX-License-Identifier: MIT */
/*
 * Can the counter be trusted on the allowed CPUs? Ties together the collector
 * (probe.h), the judge (judge.c) and what machine.c knows.
 *
 * Collects until the statistics suffice and judges; where the bounds are then
 * still wider than wanted, collects twice as much, for as long as there is
 * time. Nothing collected is thrown away.
 */
#include "reliability.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counter/state.h"
#include "diagnostics.h"
#include "judge.h"
#include "machine/affinity.h"
#include "machine/machine.h"
#include "machine/processor.h"
#include "step.h"
#include "timespec.h"

#define DEFAULT_TIME_LIMIT_NS	500000000ULL
#define MOST_TIME_LIMIT_NS	(3600 * TW_NS_PER_SECOND)
#define DEFAULT_LEAST_SWITCHES	100
#define DEFAULT_TOLERANCE_NS	500
/* A move from CPU to CPU and back takes some ten microseconds on idle CPUs, and
 * several times that in a virtual machine. */
#define DEFAULT_SWITCH_TOLERANCE_NS	100000
#define DEFAULT_PACE_LIMIT_PPB	1000.0
/* Seven bursts apart: an offset of 150 ns at both ends is a pace of 40 ppm. */
#define LEAST_SPAN_NS		7000000ULL
/* One move in a hundred or so finds the other CPU awake and takes half the
 * time: enough moves, then, for some of these each way. */
#define LEAST_SWITCH_SPAN_NS	40000000ULL
/* How often whoever waits is told. */
#define PROGRESS_NS		250000000ULL
/* The narrowest of so many brackets: one can be cut by an interrupt. */
#define CLOCK_TRIES		5

struct measurement {
	struct tw_reliability_options options;	/* defaults filled in */
	unsigned *allowed;
	unsigned allowed_count;
	struct tw_probe_run *run;
	struct tw_cpu_samples *samples;
	struct tw_judge_work work;
	struct tw_clock_mark begin;
	struct tw_reliability result;
};

static uint64_t least_span_ns(enum tw_reliability_method method)
{
	return method == TW_METHOD_SWITCH ? LEAST_SWITCH_SPAN_NS :
					    LEAST_SPAN_NS;
}

static int check_options(struct tw_reliability_options *options)
{
	if ((options->method != TW_METHOD_CAS &&
	     options->method != TW_METHOD_SWITCH) ||
	    options->time_limit_ns > MOST_TIME_LIMIT_NS ||
	    options->least_time_ns > MOST_TIME_LIMIT_NS ||
	    !isfinite(options->hz) || options->hz < 0 ||
	    !isfinite(options->pace_limit_ppb) || options->pace_limit_ppb < 0)
		return -EINVAL;
	if (!options->time_limit_ns)
		options->time_limit_ns = DEFAULT_TIME_LIMIT_NS +
					 options->least_time_ns;
	if (options->least_time_ns < least_span_ns(options->method))
		options->least_time_ns = least_span_ns(options->method);
	if (!options->least_switches)
		options->least_switches = DEFAULT_LEAST_SWITCHES;
	if (!options->tolerance_ns)
		options->tolerance_ns = options->method == TW_METHOD_SWITCH ?
					DEFAULT_SWITCH_TOLERANCE_NS :
					DEFAULT_TOLERANCE_NS;
	if (options->pace_limit_ppb == 0)
		options->pace_limit_ppb = DEFAULT_PACE_LIMIT_PPB;
	return 0;
}

static int has_all(const struct tw_judge_work *work)
{
	return work->whole_ticks && work->narrowed && work->slots &&
	       work->cpus && work->latest && work->heap;
}

static int allocate(struct measurement *m, const struct tw_probe_system *system)
{
	size_t count;
	int error = tw_allowed_cpus(&m->allowed, &m->allowed_count);

	if (error)
		return error;
	count = m->allowed_count;
	if (count > TW_RELIABILITY_MAX_CPUS)
		count = TW_RELIABILITY_MAX_CPUS;
	/* One more of each: none is empty, whatever the count. */
	m->samples = calloc(count + 1, sizeof(*m->samples));
	m->work.whole_ticks = calloc(count * count + 1,
				     sizeof(*m->work.whole_ticks));
	m->work.narrowed = calloc(count * count + 1,
				  sizeof(*m->work.narrowed));
	m->work.slots = calloc(TW_JUDGE_SLOTS * count * count + 1,
			       sizeof(*m->work.slots));
	m->work.cpus = calloc(count + 1, sizeof(*m->work.cpus));
	m->work.latest = calloc(count + 1, sizeof(*m->work.latest));
	m->work.heap = calloc(count + 1, sizeof(*m->work.heap));
	m->result.offsets = calloc(count * (count - 1) / 2 + 1,
				   sizeof(*m->result.offsets));
	if (!m->samples || !has_all(&m->work) || !m->result.offsets)
		return -ENOMEM;
	return tw_probe_new(&m->run, m->options.method, m->allowed,
			    (unsigned)count, m->options.time_limit_ns, system);
}

static void release(struct measurement *m)
{
	if (m->run)
		tw_probe_free(m->run);
	free(m->result.offsets);
	free(m->work.heap);
	free(m->work.latest);
	free(m->work.cpus);
	free(m->work.slots);
	free(m->work.narrowed);
	free(m->work.whole_ticks);
	free(m->samples);
	free(m->allowed);
}

/* Over the time of the collecting, so a look costs nothing by itself. Good to
 * some ppm, and needed to turn a tolerance into ticks. 0 if the counter does
 * not move forward. */
static double look_at_rate(const struct tw_clock_mark *begin)
{
	struct tw_clock_mark end;
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

/* One CPU that is judged is then not the only one that is allowed. */
static void leave_open(struct tw_reliability *result)
{
	result->verdict = TW_UNDECIDED;
	result->reasons |= TW_REASON_CPUS_SKIPPED;
	result->reasons &= ~(unsigned)TW_REASON_ONE_CPU;
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
	if (result->cpus_skipped && result->verdict != TW_UNRELIABLE)
		leave_open(result);
}

/* Return: nonzero when the caller wants no more. */
static int tell_progress(const struct measurement *m, uint64_t begin_ns)
{
	struct tw_reliability_progress progress = {
		.elapsed_ns = tw_clock_id_ns(CLOCK_MONOTONIC) - begin_ns,
		.time_limit_ns = m->options.time_limit_ns,
	};

	if (!m->options.progress)
		return 0;
	progress.probes = tw_probe_count(m->run, &progress.cpus);
	return m->options.progress(m->options.context, &progress);
}

/* In slices, between which nothing is lost but the threads. */
static int collect(struct measurement *m, const struct tw_probe_goal *goal,
		   uint64_t begin_ns)
{
	struct tw_probe_goal slice = *goal;
	int reached;

	do {
		slice.deadline_ns = tw_clock_id_ns(CLOCK_MONOTONIC) + PROGRESS_NS;
		if (slice.deadline_ns > goal->deadline_ns)
			slice.deadline_ns = goal->deadline_ns;
		reached = tw_probe_collect(m->run, &slice);
		if (reached < 0)
			return reached;
		if (!reached && tell_progress(m, begin_ns))
			return -ECANCELED;
	} while (!reached && slice.deadline_ns < goal->deadline_ns);
	return 0;
}

static int collect_and_judge(struct measurement *m, uint64_t begin_ns)
{
	struct tw_probe_goal goal = {
		.deadline_ns = begin_ns + m->options.time_limit_ns,
		.least_switches = m->options.least_switches,
		.least_span_ns = m->options.least_time_ns,
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
		goal.least_span_ns *= 2;
		tw_probe_count(m->run, &taking_part);
	} while (taking_part && m->result.verdict == TW_UNDECIDED &&
		 (m->result.reasons & (TW_REASON_TOLERANCE |
				       TW_REASON_STATISTICS)) &&
		 tw_clock_id_ns(CLOCK_MONOTONIC) < goal.deadline_ns);
	return 0;
}

/* The cheapest of some loops: what an interrupt adds is not the cost. */
static double read_cost_ns(double hz)
{
	enum { LOOPS = 16, READS = 256 };
	uint64_t least_ticks = UINT64_MAX;
	unsigned loop, i;

	for (loop = 0; loop < LOOPS; loop++) {
		uint64_t begin = tw_ticks_begin();
		uint64_t ticks;

		for (i = 0; i < READS; i++)
			tw_ticks();
		ticks = tw_ticks_end() - begin;
		if (ticks < least_ticks)
			least_ticks = ticks;
	}
	return hz > 0 ? (double)least_ticks / (double)READS / hz * 1e9 : 0;
}

/* What kernel and processor say changes no verdict, but must be known. */
static unsigned informational_reasons(void)
{
	struct tw_processor_facts facts;
	char clocksource[32];
	unsigned reasons = 0;

	tw_processor_read(&facts);
	if (facts.invariant != 1)
		reasons |= TW_REASON_NOT_INVARIANT;
	tw_read_clocksource(clocksource, sizeof(clocksource));
	if (clocksource[0] && strcmp(clocksource, TW_COUNTER_CLOCKSOURCE))
		reasons |= TW_REASON_CLOCKSOURCE;
	return reasons;
}

static int is_judged(const struct measurement *m, unsigned cpu)
{
	unsigned i;

	for (i = 0; i < m->result.cpus; i++)
		if (m->samples[i].cpu == cpu)
			return 1;
	return 0;
}

static void tell_skipped(const struct measurement *m)
{
	unsigned left = m->result.cpus_skipped;
	unsigned i;

	if (!left)
		return;
	for (i = 0; i < m->allowed_count && is_judged(m, m->allowed[i]); i++)
		;
	tw_say(TW_SAY_WARNING, "reliability: %u of %u allowed CPUs are not "
	       "judged, CPU %u the first: no thread could be kept there", left,
	       m->allowed_count, m->allowed[i]);
}

static int measure(struct measurement *m, const struct tw_probe_system *system)
{
	int error = check_options(&m->options);
	uint64_t begin_ns;

	if (error)
		return error;
	/* Before the first look at any clock. */
	if (tw_counter_permission() != TW_COUNTER_OK)
		return -ENOTSUP;
	begin_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	error = allocate(m, system);
	if (!error)
		error = collect_and_judge(m, begin_ns);
	if (error)
		return error;
	tell_skipped(m);
	m->result.method = m->options.method;
	m->result.read_cost_ns = read_cost_ns(m->result.hz);
	m->result.reasons |= informational_reasons();
	m->result.elapsed_ns = tw_clock_id_ns(CLOCK_MONOTONIC) - begin_ns;
	return 0;
}

int tw_reliability_measure_on(struct tw_reliability *result,
			      const struct tw_reliability_options *options,
			      const struct tw_probe_system *system)
{
	struct measurement m = { 0 };
	int saved_errno = errno;
	int error;

	if (options)
		m.options = *options;
	error = measure(&m, system);
	if (!error) {
		*result = m.result;
		m.result.offsets = NULL;
	}
	release(&m);
	errno = saved_errno;
	return error;
}

int tw_reliability_measure(struct tw_reliability *result,
			   const struct tw_reliability_options *options)
{
	return tw_reliability_measure_on(result, options, NULL);
}

void tw_reliability_free(struct tw_reliability *result)
{
	free(result->offsets);
	result->offsets = NULL;
	result->pairs = 0;
}
