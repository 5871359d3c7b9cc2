/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The errors of the clocks in a run. The rate of the counter's clock is frozen when
 * the job begins. At the job's start and end, each clock is compared with the counter
 * in some hundred brackets. That compares the clocks with each other, too: how far two
 * of them moved apart during the job is known up to a hard bound.
 */
#include <math.h>

#include "clocks.h"
#include "latency/histogram_json.h"

static const char *fio_clocksource_name(void)
{
	switch (fio_clock_source) {
	case CS_GTOD:
		return "gettimeofday";
	case CS_CGETTIME:
		return "clock_gettime";
	case CS_CPUCLOCK:
		return "cpu";
	default:
		return "unknown";
	}
}

static double half_ns(struct tw_offset offset)
{
	return ((double) offset.high_ns - (double) offset.low_ns) / 2;
}

/* A clock's offsets against the counter's time, at the job's start and end. */
struct run {
	struct tw_offset from;
	struct tw_offset to;
};

static double moved_ns(struct run run)
{
	return tw_offset_middle_ns(run.to) - tw_offset_middle_ns(run.from);
}

/*
 * Return how far @clock drifted against @reference, positive = @clock runs fast. The
 * counter's own clock has offsets of 0 by definition. The uncertainty is the sum of
 * the four hard bounds.
 */
static json_t *drift_to_json(double over_ns, struct run clock,
			     struct run reference, enum tw_against against)
{
	double error_ns = moved_ns(clock) - moved_ns(reference);
	double uncertainty_ns = half_ns(clock.to) + half_ns(clock.from) +
				half_ns(reference.to) + half_ns(reference.from);

	return json_pack("{ss, sf, sf, sf, sf, so}",
			 "against", tw_name(TW_ENUM_AGAINST, against),
			 "error_ns", error_ns,
			 "error_ppb", error_ns / over_ns * 1e9,
			 "uncertainty_ns", uncertainty_ns,
			 "uncertainty_ppb", uncertainty_ns / over_ns * 1e9,
			 "over_ns", tw_json_of_u64((uint64_t) over_ns));
}

/*
 * Return the counter's rate over the whole job, from the moments at its start and end.
 * bound_ppb is a hard bound. uncertainty_ppb assumes that each offset lies anywhere
 * within its bounds with the same probability. frozen_error_ppb agrees with error_ppb
 * of the clock, except for the rounding to nanoseconds.
 */
static json_t *refit_to_json(const struct tw_job *job,
			     const struct tw_moment *end, double over_ns,
			     struct run raw)
{
	double raw_ns = over_ns + moved_ns(raw);
	double from_ns = half_ns(raw.from), to_ns = half_ns(raw.to);
	double hz = (double) (end->ticks - job->start.ticks) / raw_ns * 1e9;

	return json_pack("{ss, sf, sf, sf, sf, so}",
			 "against", tw_name(TW_ENUM_AGAINST, TW_AGAINST_RAW),
			 "hz", hz,
			 "uncertainty_ppb", sqrt((from_ns * from_ns +
				to_ns * to_ns) / 3) / raw_ns * 1e9,
			 "bound_ppb", (from_ns + to_ns) / raw_ns * 1e9,
			 "frozen_error_ppb",
				(hz / job->timing->clock.scale.hz - 1) * 1e9,
			 "over_ns", tw_json_of_u64((uint64_t) over_ns));
}

static void add_rate(json_t *tickwise, const struct tw_rate *rate)
{
	json_object_set_new(tickwise, "hz", json_real(rate->hz));
	json_object_set_new(tickwise, "rate_uncertainty_ppb",
			    json_real(rate->uncertainty_ppb));
	json_object_set_new(tickwise, "rate_bound_ppb",
			    json_real(rate->bound_ppb));
	json_object_set_new(tickwise, "rate_window_ns",
			    tw_json_of_u64(rate->window_ns));
}

json_t *tw_clocks_to_json(const struct tw_job *job, const struct tw_moment *end)
{
	const struct tw_moment *start = &job->start;
	double over_ns = (double) tw_job_ns(job, start->ticks, end->ticks);
	const struct run none = { { 0, 0 }, { 0, 0 } };
	const struct run raw = { start->raw, end->raw };
	const struct run monotonic = { start->monotonic, end->monotonic };
	const struct run fio_run = { start->fio, end->fio };
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	json_t *tickwise, *fio;

	/* A job that ended at once is too short for a comparison. */
	if (over_ns < 1 || over_ns + moved_ns(raw) < 1)
		return json_object();
	tw_clock_rate(&job->timing->clock, &rate);
	tickwise = drift_to_json(over_ns, none, raw, TW_AGAINST_RAW);
	json_object_set_new(tickwise, "off_monotonic", drift_to_json(over_ns,
			    none, monotonic, TW_AGAINST_MONOTONIC));
	json_object_set_new(tickwise, "source",
			    json_string(job->system ? "system" :
				tw_name(TW_ENUM_RATE_SOURCE, rate.source)));
	if (!job->system) {
		add_rate(tickwise, &rate);
		json_object_set_new(tickwise, "refit",
				    refit_to_json(job, end, over_ns, raw));
	}
	fio = drift_to_json(over_ns, fio_run, raw, TW_AGAINST_RAW);
	json_object_set_new(fio, "off_monotonic", drift_to_json(over_ns,
			    fio_run, monotonic, TW_AGAINST_MONOTONIC));
	json_object_set_new(fio, "clocksource",
			    json_string(fio_clocksource_name()));
	return json_pack("{so, so, so}", "tickwise", tickwise, "fio", fio,
			 "monotonic", drift_to_json(over_ns, monotonic, raw,
						    TW_AGAINST_RAW));
}
