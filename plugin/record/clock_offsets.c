/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moments and the errors of the clocks in a run. The rate of the counter's clock is frozen
 * when the job begins. At the job's start and end, each clock is compared with the
 * counter in some hundred brackets. That compares the clocks with each other, too: how far
 * two of them moved apart during the job is known up to a hard bound.
 */
#include "clock_offsets.h"
#include "latency/histogram_json.h"
#include "timespec.h"

#define MOMENT_BRACKETS	256

/* ---- moments ------------------------------------------------------------ */

/* In place of a clock's number: fio's clock. */
#define FIO_CLOCK	((clockid_t)-1)

/*
 * Return the bounds of the clock's offset from the counter's time, from brackets. A
 * reading v of the clock means v to v + granularity. It was true at some moment between
 * the two reads of the counter around it.
 */
static struct tw_offset offset_of(const struct tw_job *job, uint64_t ticks0, clockid_t clock)
{
	const bool is_coarse = clock == FIO_CLOCK && fio_clock_source == CS_GTOD;
	const int64_t granularity_ns = is_coarse ? 1000 : 1;
	struct tw_offset offset = { INT64_MIN, INT64_MAX };
	unsigned i;

	for (i = 0; i < MOMENT_BRACKETS; i++) {
		int64_t now_ns, low_ns, high_ns;
		uint64_t before, after;
		struct timespec now;

		before = job->hot.system ? tw_job_stamp(job) : tw_ticks_begin();
		if (clock == FIO_CLOCK)
			fio_gettime(&now, NULL);
		now_ns = (int64_t) (clock == FIO_CLOCK ? tw_timespec_ns(&now) :
							 tw_clock_id_ns(clock));
		after = job->hot.system ? tw_job_stamp(job) : tw_ticks_end();
		/* 1 ns more on both sides, because the conversion rounds. */
		low_ns = now_ns - tw_job_ns(job, ticks0, after) - 1;
		high_ns = now_ns + granularity_ns - tw_job_ns(job, ticks0, before) + 1;
		offset.low_ns = max(offset.low_ns, low_ns);
		offset.high_ns = min(offset.high_ns, high_ns);
	}
	/* The brackets contradict each other if the clock stood still (fio's gtod_cpu
	 * thread) or stepped, or if the thread moved between CPUs. Then the offset lies
	 * somewhere between the two bounds, in reverse order. */
	if (offset.low_ns > offset.high_ns)
		offset = (struct tw_offset) { offset.high_ns, offset.low_ns };
	return offset;
}

void tw_clock_offsets_read(const struct tw_job *job, struct tw_clock_offsets *moment)
{
	const uint64_t ticks = tw_job_stamp(job);
	const uint64_t ticks0 = job->collected.started ? job->collected.start.ticks : ticks;

	*moment = (struct tw_clock_offsets) {
		.ticks = ticks,
		.raw = offset_of(job, ticks0, CLOCK_MONOTONIC_RAW),
		.monotonic = offset_of(job, ticks0, CLOCK_MONOTONIC),
		.fio = offset_of(job, ticks0, FIO_CLOCK),
	};
}

static double middle_ns(struct tw_offset offset)
{
	return ((double) offset.low_ns + (double) offset.high_ns) / 2;
}

uint64_t tw_clock_offsets_clock_ns(const struct tw_job *job, const struct tw_clock_offsets *end,
			    uint64_t ticks, struct tw_offset from, struct tw_offset to)
{
	const uint64_t start_ticks = job->collected.start.ticks;
	const int64_t since_ns = tw_job_ns(job, start_ticks, ticks);
	const int64_t all_ns = tw_job_ns(job, start_ticks, end->ticks);
	const double part = all_ns > 0 ? (double) since_ns / (double) all_ns : 0;

	/* The offset is some 1e18 ns, which a double does not hold exactly. */
	return (uint64_t) (from.low_ns + (from.high_ns - from.low_ns) / 2 + since_ns +
			   (int64_t) ((middle_ns(to) - middle_ns(from)) * part));
}

uint64_t tw_clock_offsets_monotonic_ns(const struct tw_job *job, const struct tw_clock_offsets *end,
				uint64_t ticks)
{
	return tw_clock_offsets_clock_ns(job, end, ticks, job->collected.start.monotonic,
				  end->monotonic);
}

/* ---- errors ------------------------------------------------------------- */

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
	return middle_ns(run.to) - middle_ns(run.from);
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

/* Return the same of @clock against both clocks of the system. */
static json_t *drifts_to_json(double over_ns, struct run clock, struct run raw,
			      struct run monotonic)
{
	json_t *json = drift_to_json(over_ns, clock, raw, TW_AGAINST_RAW);

	json_object_set_new(json, "off_monotonic", drift_to_json(over_ns, clock, monotonic,
								 TW_AGAINST_MONOTONIC));
	return json;
}

json_t *tw_clocks_to_json(const struct tw_job *job, const struct tw_clock_offsets *end)
{
	static const char *const fio_clocks[] = {
		[CS_GTOD] = "gettimeofday",
		[CS_CGETTIME] = "clock_gettime",
		[CS_CPUCLOCK] = "cpu",
	};
	const struct tw_clock_offsets *start = &job->collected.start;
	const double over_ns = (double) tw_job_ns(job, start->ticks, end->ticks);
	const struct run none = { { 0, 0 }, { 0, 0 } };
	const struct run raw = { start->raw, end->raw };
	const struct run monotonic = { start->monotonic, end->monotonic };
	const struct run fio_run = { start->fio, end->fio };
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	json_t *tickwise, *fio;

	/* A job that ended at once is too short for a comparison. */
	if (over_ns < 1 || over_ns + moved_ns(raw) < 1)
		return json_object();
	tickwise = drifts_to_json(over_ns, none, raw, monotonic);
	if (job->hot.system) {
		json_object_set_new(tickwise, "source", json_string("system"));
	} else {
		tw_clock_rate(&job->hot.timing->clock, &rate);
		json_object_update_new(tickwise, json_pack("{ss, sf, sf, sf, so}",
			"source", tw_name(TW_ENUM_RATE_SOURCE, rate.source),
			"hz", rate.hz,
			"rate_uncertainty_ppb", rate.uncertainty_ppb,
			"rate_bound_ppb", rate.bound_ppb,
			"rate_window_ns", tw_json_of_u64(rate.window_ns)));
	}
	fio = drifts_to_json(over_ns, fio_run, raw, monotonic);
	json_object_set_new(fio, "clocksource",
			    json_string(fio_clocks[fio_clock_source]));
	return json_pack("{so, so, so}", "tickwise", tickwise, "fio", fio,
			 "monotonic", drift_to_json(over_ns, monotonic, raw,
						    TW_AGAINST_RAW));
}
