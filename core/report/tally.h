/* SPDX-License-Identifier: MIT */
/*
 * A tally is what is counted of some I/Os: the metrics of metrics.h, the sums of stages by lat,
 * and lat over time. A job fills one; an interval is one; a job's tally is the merge of
 * those of its intervals, and a group's is that of its jobs. Merging is associative: the
 * order and the grouping change nothing.
 */
#ifndef TW_REPORT_TALLY_H
#define TW_REPORT_TALLY_H

#include <jansson.h>

#include "latency/slices.h"
#include "report/metrics.h"
#include "report/windows.h"
#include "tickwise.h"

/* A row has two cache lines. Only I/Os with a backlog touch the second. */
#define TW_BY_LAT_ROW	(2 * TW_BACKLOG)

/* For each slice of lat (latency/slices.h) the sum of each stage over its I/Os. The
 * number of these I/Os is in the histogram of lat. */
struct tw_by_lat {
	uint64_t (*sum_ns)[TW_BY_LAT_ROW];	/* [TW_LAT_SLICES]; NULL: no values */
};

/* Get zeroed memory, which is touched, unless it is there. Return: 0; -ENOMEM. */
int tw_by_lat_init(struct tw_by_lat *by_lat);

/* Add an I/O @times times. @stage_ns: 0 for a stage that the I/O does not have. This costs
 * the addition of one cache line to another. */
static inline void tw_by_lat_add(struct tw_by_lat *by_lat, uint64_t lat_ns,
				 const uint64_t stage_ns[TW_STAGES], uint64_t times)
{
	uint64_t *sum_ns = by_lat->sum_ns[tw_lat_slice(lat_ns)];

	for (unsigned stage = 0; stage < TW_BACKLOG; stage++)
		sum_ns[stage] += stage_ns[stage] * times;
	if (tw__unlikely(stage_ns[TW_BACKLOG]))
		sum_ns[TW_BACKLOG] += stage_ns[TW_BACKLOG] * times;
}

/* The same for an I/O that is not split. */
static inline void tw_by_lat_add_whole(struct tw_by_lat *by_lat, uint64_t lat_ns,
				       uint64_t queue_ns, uint64_t kernel_ns,
				       uint64_t deliver_ns)
{
	uint64_t *sum_ns = by_lat->sum_ns[tw_lat_slice(lat_ns)];

	sum_ns[TW_QUEUE] += queue_ns;
	sum_ns[TW_KERNEL] += kernel_ns;
	sum_ns[TW_DELIVER] += deliver_ns;
}

#define TW_METRIC_WORDS	((TW_METRICS + 63) / 64)

/* A set of metrics. */
struct tw_metric_set {
	uint64_t bits[TW_METRIC_WORDS];
};

struct tw_tally {
	struct tw_metric_set has;		/* metrics that are there: absent is not 0 */
	struct tw_metric_set lacks;	/* metrics that only some of the merged tallies had */
	struct tw_counts counts[TW_DIRECTIONS];
	struct tw_scalars scalars;
	/* bins NULL: no value. All have the same digits. */
	struct tw_histogram times[TW_TIMES][TW_DIRECTIONS];
	struct tw_by_lat by_lat[TW_DIRECTIONS];
	struct tw_windows over_time;
};

static inline int tw_metric_is_in(const struct tw_metric_set *set, unsigned metric)
{
	return (int)(set->bits[metric / 64] >> metric % 64 & 1);
}

static inline void tw_metric_put(struct tw_metric_set *set, unsigned metric)
{
	set->bits[metric / 64] |= 1ULL << metric % 64;
}

static inline int tw_has(const struct tw_tally *tally, unsigned metric)
{
	return tw_metric_is_in(&tally->has, metric);
}

static inline int tw_has_time(const struct tw_tally *tally, enum tw_time time)
{
	return tw_has(tally, TW_METRIC_TIMES + (unsigned)time);
}

/**
 * tw_tally_init - get ready to count
 * @tally: release it with tw_tally_free(), also after a failure
 * @has: the metrics that will be counted
 * @digits: of the histograms, 1 to 5
 * @windows: number of windows of over_time, even, 2 to TW_WINDOWS_MOST
 *
 * All histograms of the metrics get bins, the sums by lat memory that is touched. Memory of
 * bins is not touched before it is used. Return: 0; -EINVAL; -ENOMEM.
 */
int tw_tally_init(struct tw_tally *tally, const struct tw_metric_set *has, unsigned digits,
		  uint32_t windows);
void tw_tally_free(struct tw_tally *tally);

/* Forget all values. The metrics and the memory stay. */
void tw_tally_reset(struct tw_tally *tally);

/**
 * tw_tally_merge - add a tally
 * @into: zeroed, or a tally to which tallies were added
 * @from: its over_time is closed
 *
 * A metric that one of both lacks is not in the result, but in @lacks.
 *
 * Return: 0; -EOVERFLOW: a sum needs more than 64 bits; -EINVAL: other digits; -ENOMEM.
 */
int tw_tally_merge(struct tw_tally *into, const struct tw_tally *from);

/*
 * Where only some I/Os were split, the others have no stages from submit to kernel. An I/O
 * that was chosen with a chance of 1 in N counts N times in these histograms, and in the sums
 * by lat: they are stored and merged like this. But the time that I/Os spend in these stages
 * together is known of each I/O: it is lat without queue and deliver. tw_tally_stage_ns()
 * divides this time like that of the chosen I/Os. So the stages add up to lat, and the error
 * is that of the shares alone. Where no chosen I/O could be split, all of the time is `kernel`,
 * and this is no estimate. Where all I/Os were split, nothing is.
 *
 * A report of `tickwise attach` has no times of I/Os that were not chosen. So its lat is an
 * estimate, too, and its stages add up to this lat.
 */
static inline int tw_tally_is_sampled(const struct tw_tally *tally, int direction)
{
	return tally->counts[direction].not_chosen != 0;
}

/* Return 1 if the histogram of a time is of the chosen I/Os alone; if the sum of a time is such
 * an estimate. */
int tw_tally_is_of_chosen(const struct tw_tally *tally, unsigned time, int direction);
int tw_tally_is_estimate(const struct tw_tally *tally, unsigned time, int direction);

/* Return the sum of a time over all I/Os: of a stage, or a part of one, its share. */
uint64_t tw_tally_stage_ns(const struct tw_tally *tally, unsigned stage, int direction);

/* Return the mean of a time: if it is a part of lat, what it adds to lat's mean, over all
 * I/Os; else that of the I/Os that have it. */
double tw_tally_mean_ns(const struct tw_tally *tally, unsigned time, int direction);

/* Return the error of tw_tally_stage_ns(), or of lat's sum: the interval with this half width
 * has the sum with 95 % or more. */
double tw_tally_stage_error_ns(const struct tw_tally *tally, unsigned stage, int direction);

/* Set the bounds between which a percentile of a stage or lat lies with 95 % or more, if all I/Os
 * were split. Return 0: too few I/Os were chosen to tell. */
int tw_tally_stage_percentile(const struct tw_tally *tally, unsigned stage, int direction,
			      double percent, uint64_t bounds_ns[2]);

/* What splitting I/Os cost, an I/O: the mean over the pairs of spans, and its 95 % interval.
 * There are two pairs or more. */
struct tw_cost {
	double of_ns, low_ns, high_ns;
};

/* Return the cost in CPU time; @in_lat: in lat. */
struct tw_cost tw_tally_cost(const struct tw_scalars *scalars, int in_lat);

/* Return how many I/Os were chosen; how many a time's histogram has. */
uint64_t tw_tally_chosen(const struct tw_tally *tally, int direction);
uint64_t tw_tally_time_ios(const struct tw_tally *tally, unsigned time, int direction);

/* Return 1 if it has no metric and lacks none, as before the first merge. */
int tw_tally_is_empty(const struct tw_tally *tally);

/* Return the digits of its histograms; 0: there is no value. */
unsigned tw_tally_digits(const struct tw_tally *tally);

/* Return the I/Os of a slice of lat. @bin: the first bin that may belong to it; it is
 * set to the first bin after it. */
uint64_t tw_lat_slice_ios(const struct tw_histogram *lat, unsigned slice, uint32_t *bin);

/* Set in @io, one of the slowest, the stages of an I/O with lat, and the parts of each stage in
 * the object that the path of their metrics names: "blockq.worker". */
void tw_io_times_to_json(json_t *io, const struct tw_io_times *times);

/* Write all metrics of a tally but slowest, and "lacks", into @object. @derived: 1: with the
 * numbers that follow from a histogram's bins and sums. Ask tw_json_lacked_memory()
 * afterwards. */
void tw_tally_to_json(json_t *object, const struct tw_tally *tally, int derived);

/* Write the counts of metrics in @has of one direction, by the last parts of their paths. */
void tw_counts_to_json(json_t *object, const struct tw_metric_set *has,
		       const struct tw_counts *counts);

/* Write histograms by direction: {} if none has a value. @means_ns: their means, below 0 for
 * none; NULL: without the numbers that follow from bins and sums. */
json_t *tw_times_to_json(const struct tw_histogram by_direction[TW_DIRECTIONS],
			 const double *means_ns);

struct tw_report_problem;

/**
 * tw_tally_from_json - read the metrics of a tally from a report or a line, and check them
 * @tally: zeroed; released with tw_tally_free(), also after a failure
 *
 * Reads what tw_tally_to_json() writes, also of an empty tally. The metric slowest is there
 * if its key is; the reader of reports reads it. Sets @problem if a metric is wrong. Return: 0;
 * -ENOMEM.
 */
int tw_tally_from_json(struct tw_tally *tally, const json_t *object,
		       struct tw_report_problem *problem);

/* Read what tw_times_to_json() wrote. Return: 0; -ENOMEM. */
int tw_times_from_json(struct tw_histogram by_direction[TW_DIRECTIONS], const json_t *object,
		       const char *where, struct tw_report_problem *problem);

#endif
