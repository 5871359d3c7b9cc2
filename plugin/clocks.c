/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far off the clocks were in a run. The rate of ours is frozen when the job
 * begins; fio's clock is what it is. At the job's start and end, all are held
 * against the counter in some hundred brackets, so each against each other: how
 * far they moved apart meanwhile is known up to a hard bound.
 */
#include <math.h>

#include "clocks.h"
#include "histogram_json.h"

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

/* A clock at the two looks, as offsets against the counter's time. */
struct run {
	struct tw_offset from;
	struct tw_offset to;
};

static double moved_ns(struct run run)
{
	return tw_offset_middle_ns(run.to) - tw_offset_middle_ns(run.from);
}

/*
 * How far a clock ran off another one, positive = fast. For the counter's own
 * clock, whose offset is none by definition, pass offsets of 0. Uncertainties
 * are hard bounds, added.
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
 * The rate once more, from the job's two looks, over all of its run. Its bound
 * is hard; the uncertainty is that of two looks each of which lies anywhere
 * within its own bounds. What it finds of the frozen rate is what error_ppb says
 * of the clock, but for the rounding to nanoseconds.
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

	/* A job that ended at once has nothing to compare over. */
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
