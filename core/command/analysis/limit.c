/* SPDX-License-Identifier: MIT */
/*
 * Does a limit above the device hold up the I/Os? A token bucket (io.max of a cgroup, a
 * hypervisor, a cloud volume) lets I/Os pass at the speed of the device until its tokens are used
 * up, and then holds them. This has a shape, which is seen without stages of the kernel:
 *
 * - lat has two groups with a gap between. A queue that is only full has no gap.
 * - The number of I/Os that have ended lies on a line over time. A bucket makes up for each
 *   delay, so the distance from the line is about that of a hold, however long the run is. In a
 *   device delays add up. Simulated stalls at random times are more than 2.5 holds away in most
 *   runs with 40 holds.
 * - If only the begin was fast, a burst was allowed, and each later I/O is held. Such holds are in
 *   few steps of lat, and can be much shorter than what the bucket makes up for.
 *
 * Regular stalls of a drive that take a tenth of the time have this shape, too. So have a fast
 * and a slow device together, so several devices or hosts are not judged.
 */
#include <math.h>

#include "base/allocate.h"
#include "command/analysis/analysis.h"
#include "command/output/page.h"
#include "latency/histogram.h"

#define LEAST_WINDOWS	16U
#define LEAST_IOS	10	/* of each group */
#define LEAST_HOLD_NS	1e6
#define LEAST_HOLDS	40
#define LEAST_GAP	(1U << TW_LAT_SLICE_BITS)	/* slices of lat: an octave */
#define STRAY_PART	0.2	/* I/Os in the gap, of those of the smaller group */
#define HELD_PART	0.1	/* of lat: the job offers 1.1 times the limit */
#define JOB_PART	0.4	/* of lat: a limit of CPU time has this shape, too */
#define LEAST_RANGE	0.3	/* between the farthest above and below the line, in holds */
#define MOST_RANGE	2.5	/* other delays add some */
#define FLAT_PART	0.04	/* the same, of the time */
#define PACED_PART	0.005	/* the same, where each I/O waits for a token */
#define ALIKE		1.4	/* ratio of parts of directions that share a limit */
#define STEPS		4U	/* slices of lat */
#define STEPS_PART	0.75	/* of the holds are in them */
#define FIRST_PART	0.95	/* of the I/Os that were not held are in the burst */

/* I/Os of a direction that were held, and those that were not. */
struct gap {
	unsigned slice;			/* the first slice of lat with holds; 0: there is no gap */
	double fast;			/* I/Os that were not held */
	double hold_ns;			/* the mean of lat of those that were */
	double part;			/* of lat of all */
	int has_steps;
};

/* The line through the number of I/Os that have ended at the end of each window. */
struct line {
	uint32_t from, to;		/* the windows */
	double ios;			/* in a window */
	double range;			/* I/Os between the farthest above it and below it */
};

static void find_gap(struct gap *gap, const struct tw_histogram *lat)
{
	const double all = (double)lat->count, all_ns = (double)lat->sum_ns;
	double ios[TW_LAT_SLICES], below[TW_LAT_SLICES + 1] = { 0 }, below_ns = 0, steps = 0;
	uint32_t bin = 0;

	*gap = (struct gap) { 0 };
	for (unsigned i = 0; i < TW_LAT_SLICES; i++) {
		ios[i] = (double)tw_lat_slice_ios(lat, i, &bin);
		below[i + 1] = below[i] + ios[i];
	}
	for (unsigned i = 0; i < TW_LAT_SLICES && below[i] <= all - LEAST_IOS; i++) {
		const double held = all - below[i], held_ns = all_ns - below_ns;
		unsigned from = i;

		while (from && below[i] - below[from - 1] <=
			       STRAY_PART * fmin(held, below[from - 1]))
			from--;
		if (i - from >= LEAST_GAP && below[i] >= LEAST_IOS &&
		    held_ns >= fmax(HELD_PART * all_ns, LEAST_HOLD_NS * held))
			*gap = (struct gap) { i, below[i], held_ns / held, held_ns / all_ns, 0 };
		below_ns += ios[i] * ((double)tw_lat_slice_low(i) +
				      (double)tw_lat_slice_high(i)) / 2;
	}
	for (unsigned n = 0, most = gap->slice; n < STEPS; n++, most = gap->slice) {
		for (unsigned i = most; i < TW_LAT_SLICES; i++)
			most = ios[i] > ios[most] ? i : most;
		steps += ios[most];
		ios[most] = 0;
	}
	gap->has_steps = steps >= STEPS_PART * (all - gap->fast);
}

/* Fit the line to windows of the directions in the set @directions. */
static void fit_line(struct line *line, const struct tw_windows *windows, uint32_t from,
		     uint32_t to, unsigned directions)
{
	double ended[TW_WINDOWS_MOST + 1] = { 0 }, mean = 0, sum = 0, squares = 0;
	double low = INFINITY, high = -INFINITY;
	const double half = (to - from) / 2.0;

	for (uint32_t i = 1; i <= to - from; i++) {
		ended[i] = ended[i - 1];
		for (int j = 0; j < TW_DIRECTIONS; j++)
			if (directions >> j & 1)
				ended[i] += (double)tw_windows_get(windows,
								   from + i - 1)->lat[j].count;
		mean += ended[i] / (to - from + 1);
	}
	for (uint32_t i = 0; i <= to - from; i++) {
		sum += (i - half) * (ended[i] - mean);
		squares += (i - half) * (i - half);
	}
	for (uint32_t i = 0; i <= to - from; i++) {
		const double over = ended[i] - mean - sum / squares * (i - half);

		low = fmin(low, over);
		high = fmax(high, over);
	}
	*line = (struct line) { from, to, sum / squares, high - low };
}

/* Find the longest part of the run, at least half of it, in which a direction was limited: a
 * limit may let a run begin faster, and something else may hold up a job for a while. Return 0:
 * there is none. */
static int find_part(struct line *line, const struct tw_windows *windows, const struct gap *gap,
		     int direction, uint32_t first, uint32_t last)
{
	const double hold = gap->hold_ns / (double)windows->width_ns;
	const uint32_t all = last - first;
	uint32_t begin = 0, bin;
	int is_burst;

	for (double fast = 0; begin < last && fast < FIRST_PART * gap->fast; begin++) {
		bin = 0;
		for (unsigned slice = 0; slice < gap->slice; slice++)
			fast += (double)tw_lat_slice_ios(
				&tw_windows_get(windows, begin)->lat[direction], slice, &bin);
	}
	is_burst = begin <= first + all / 2;
	if (is_burst ? !gap->has_steps : gap->part * all < LEAST_HOLDS * hold)
		return 0;
	if (!is_burst || begin < first)
		begin = first;
	for (uint32_t count = all; count >= all / 2; count--)
		for (uint32_t from = begin; from + count <= last; from++) {
			double range;

			fit_line(line, windows, from, from + count, 1U << direction);
			range = line->range / line->ios;
			if (range <= FLAT_PART * count &&
			    (range <= MOST_RANGE * hold ? is_burst || range >= LEAST_RANGE * hold :
			     is_burst && range <= PACED_PART * count))
				return 1;
		}
	return 0;
}

/* Does the job hold its I/Os: in the engine, for a CPU, or by a rate of its own? One that falls
 * behind its rate offers more than it gets. */
static int is_held_by_job(const struct tw_report_group *group, int direction)
{
	const struct tw_tally *tally = &group->all.tally;
	const double all_ns = (double)tally->times[TW_LAT][direction].sum_ns -
			      (double)tally->times[TW_BACKLOG][direction].sum_ns;
	double other_ns = 0;

	for (unsigned i = 0; i < TW_STAGES; i++)
		if (i != TW_BLOCKQ && i != TW_DEVICE && i != TW_KERNEL && i != TW_BACKLOG)
			other_ns += (double)tw_tally_stage_ns(tally, i, direction);
	return other_ns > JOB_PART * all_ns ||
	       (tw_has(tally, TW_METRIC_backlog_at_end_ns) &&
		(double)tally->counts[direction].backlog_at_end_ns <
			HELD_PART * (double)group->run_ns);
}

json_t *tw_report_limit_to_json(const struct tw_report_group *group)
{
	const struct tw_tally *tally = &group->all.tally;
	double least = 1, most = 0, part_ns = 0, hold_ns = 0, ios = 0, bytes = 0, iops;
	struct line line, best = { 0 };
	unsigned found = 0, chosen = 0;
	const char *who = "", *held = "";
	uint32_t first, last;

	if (group->all.device_count > 1 || tw_report_other_hosts(group))
		return NULL;
	tw_report_whole_windows(group, &first, &last);
	for (int i = 0; i < TW_SYNC && last >= first + LEAST_WINDOWS; i++) {
		const struct tw_histogram *lat = &tally->times[TW_LAT][i];
		struct gap gap;

		find_gap(&gap, lat);
		if (!gap.slice || is_held_by_job(group, i) ||
		    !find_part(&line, &tally->over_time, &gap, i, first, last))
			continue;
		found |= 1U << i;
		least = fmin(least, 1 - gap.fast / (double)lat->count);
		most = fmax(most, 1 - gap.fast / (double)lat->count);
		/* The others may only wait for the direction that is limited. */
		if (gap.part * (double)lat->sum_ns <= part_ns)
			continue;
		part_ns = gap.part * (double)lat->sum_ns;
		hold_ns = gap.hold_ns;
		chosen = 1U << i;
		best = line;
	}
	if (!found)
		return NULL;
	/* One limit for all holds the same part of each. */
	if (most < ALIKE * least) {
		chosen = found;
		fit_line(&best, &tally->over_time, best.from, best.to, found);
	}
	for (int i = 0; i < TW_SYNC; i++)
		if (chosen >> i & 1) {
			who = tw_format("%s%s%s", who, *who ? " and " : "", tw_direction_names[i]);
			held = tw_format("%s%s%ss", held, *held ? " and " : "",
					 tw_direction_names[i]);
			ios += (double)tally->counts[i].ios;
			bytes += (double)tally->counts[i].bytes;
		}
	iops = best.ios * 1e9 / (double)tally->over_time.width_ns;
	bytes *= iops / ios;
	return json_pack("{s:s, s:f, s:o*, s:f, s:s}", "directions", who, "iops", iops,
		"bytes_per_second", bytes > 0 ? json_real(bytes) : NULL, "hold_ns", hold_ns,
		"text", tw_format("a limit of %s IOPS%s seems to hold %s for %s at a time; "
				  "the drive is not slow", TW_SAY_NUMBER(iops), bytes > 0 ?
				  tw_format(" (or of %s/s)", TW_SAY_BYTES(bytes)) : "",
				  held, TW_SAY_ROUND(hold_ns)));
}
