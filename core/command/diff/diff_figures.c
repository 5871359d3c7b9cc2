/* SPDX-License-Identifier: MIT */
/*
 * Finds the figures of runs: I/Os per second, the mean and percentiles of lat,
 * and what each stage adds to the mean. Each group of jobs and direction has its
 * own figures, if all runs have this group and direction.
 */
#include <math.h>
#include <string.h>

#include "command/command.h"
#include "command/diff/diff.h"
#include "base/allocate.h"
#include "latency/histogram.h"

static const struct percentile {
	double percent;
	const char *name;
} percentiles[] = {
	{ 50, "p50" }, { 90, "p90" }, { 99, "p99" }, { 99.5, "p99.5" },
	{ 99.9, "p99.9" },
};

/* Of a group and direction, at most. */
#define FIGURES		(4 + TW_LENGTH(percentiles) + TW_STAGES)
/* The stages inside the kernel are compared as they are if their share of the I/Os differs by at
 * most this between two runs. */
#define SPLIT_ALIKE	0.01
/* Else they are estimated from the I/Os that were split, if these have at least this part of the
 * time in the kernel in each run, and compared as one if not. */
#define SPLIT_ENOUGH	0.5

enum stages_as { AS_THEY_ARE, AS_ESTIMATES, AS_ONE };

/* ---- one run ------------------------------------------------------------- */

static double clamp(double value, double low, double high)
{
	return fmin(fmax(value, low), high);
}

double tw_diff_percentile_ns(const struct tw_histogram *histogram, double percent)
{
	double rank = clamp(percent / 100, 0, 1) * (double)histogram->count, low;
	uint32_t bin, last;

	if (!histogram->count)
		return 0;
	bin = tw__histogram_bin(histogram, histogram->min_ns);
	last = tw__histogram_bin(histogram, histogram->max_ns);
	while (bin < last && rank > (double)histogram->bins[bin])
		rank -= (double)histogram->bins[bin++];
	low = (double)tw_histogram_bin_low(histogram, bin);
	if (histogram->bins[bin])
		low += clamp(rank / (double)histogram->bins[bin], 0, 1) *
		       ((double)tw_histogram_bin_high(histogram, bin) + 1 - low);
	return clamp(low, (double)histogram->min_ns, (double)histogram->max_ns);
}

static const struct tw_histogram *time_of(const struct tw_report_group *group, int time,
					  int direction)
{
	return &group->all.tally.times[time][direction];
}

static const struct tw_histogram *lat_of(const struct tw_report_group *group,
					 int direction)
{
	return time_of(group, TW_LAT, direction);
}

static double iops_of(const struct tw_report_group *group, int direction)
{
	uint64_t ios = group->all.tally.counts[direction].ios;

	return group->run_ns ? (double)ios * 1e9 / (double)group->run_ns : 0;
}

/* Return what a time adds to the mean of lat. */
static double part_ns(const struct tw_report_group *group, int time, int direction)
{
	return (double)tw_tally_stage_ns(&group->all.tally, (unsigned)time, direction) /
	       (double)lat_of(group, direction)->count;
}

static double kernel_ns(const struct tw_report_group *group, int direction)
{
	double ns = 0;

	for (int i = 0; i < TW_STAGES; i++)
		if (tw_stage_is_inside(i) || i == TW_KERNEL)
			ns += part_ns(group, i, direction);
	return ns;
}

/* Return the part of the time in the kernel that is divided into stages. */
static double split_part(const struct tw_report_group *group, int direction)
{
	const double ns = kernel_ns(group, direction);

	return ns > 0 ? 1 - part_ns(group, TW_KERNEL, direction) / ns : 0;
}

static int has_beyond(double ios, double percent)
{
	return ios * (1 - percent / 100) * (1 + 1e-9) >= TW_DIFF_FEWEST_BEYOND;
}

/* ---- groups and directions ----------------------------------------------- */

static int is_same(const struct tw_report_group *a, const struct tw_report_group *b)
{
	return a->all.jobs[0].groupid == b->all.jobs[0].groupid &&
	       strcmp(a->all.jobs[0].name, b->all.jobs[0].name) == 0;
}

/* Return how many of a run's groups before this one have the same name. A job
 * file can have two jobs of one name. */
static size_t place_of(const struct tw_diff_run *run, const struct tw_report_group *group)
{
	size_t place = 0;

	for (size_t i = 0; run->groups[i] != group; i++)
		place += (size_t)is_same(run->groups[i], group);
	return place;
}

/* Return NULL: this run has no such group. */
static const struct tw_report_group *find(const struct tw_diff_run *run,
					  const struct tw_report_group *group,
					  size_t place)
{
	for (size_t i = 0; i < run->count; i++)
		if (is_same(run->groups[i], group) && place-- == 0)
			return run->groups[i];
	return NULL;
}

const struct tw_histogram *tw_diff_lat(const struct tw_diff *diff, size_t run,
				       const struct tw_diff_figure *figure)
{
	return lat_of(find(&diff->runs[run], figure->group,
			   place_of(&diff->runs[0], figure->group)), figure->direction);
}

/* A group and direction, in each of the runs. */
struct part {
	struct tw_diff *diff;
	const struct tw_report_group *groups[TW_DIFF_MAX_RUNS];
	int direction;
};

static const char not_in_all[] = "not in every run";

/* Add a sentence that begins with the job, and with the direction if it has one. */
static void leave_out(struct part *part, int has_direction, const char *what,
		      const char *why)
{
	json_array_append_new(part->diff->left_out, json_sprintf(
		"%s%s%s%s: %s", part->groups[0]->all.jobs[0].name,
		has_direction ? " " : "",
		has_direction ? tw_direction_names[part->direction] : "", what, why));
}

static double *values_of(const struct part *part)
{
	return &part->diff->values[part->diff->figure_count * part->diff->count];
}

/* Add a figure whose values are in place. It is left out if a value is 0, which
 * has no logarithm. */
static void add(struct part *part, struct tw_diff_figure figure)
{
	struct tw_diff *diff = part->diff;
	double *values = values_of(part);

	figure.group = part->groups[0];
	figure.direction = part->direction;
	for (size_t i = 0; i < diff->count && figure.is_log; i++) {
		if (!(values[i] > 0)) {
			leave_out(part, 1, tw_format(" %s", figure.name), "it is 0");
			return;
		}
		values[i] = log(values[i]);
	}
	diff->figures[diff->figure_count++] = figure;
}

/* Return 0: a run has too few I/Os beyond it. */
static int add_percentile(struct part *part, const struct percentile *is)
{
	struct tw_diff_figure figure = {
		.kind = TW_DIFF_PERCENTILE, .name = is->name,
		.is_log = 1,
	};
	int enough = 1;

	for (size_t i = 0; i < part->diff->count; i++) {
		const struct tw_histogram *lat = lat_of(part->groups[i],
							part->direction);

		values_of(part)[i] = tw_diff_percentile_ns(lat, is->percent);
		figure.resolution = fmax(figure.resolution, ldexp(1, -lat->bits));
		enough &= has_beyond((double)tw_histogram_values(lat), is->percent);
	}
	if (enough)
		add(part, figure);
	return enough;
}

/* Choose by the share of I/Os that are split inside the kernel, of those that were chosen for
 * it. */
static enum stages_as compare_stages_as(const struct part *part)
{
	double least = 1, most = 0, least_part = 1;

	for (size_t i = 0; i < part->diff->count; i++) {
		const struct tw_tally *tally = &part->groups[i]->all.tally;
		const struct tw_counts *counts = &tally->counts[part->direction];
		const double chosen = (double)tw_tally_chosen(tally, part->direction);
		const double of = !(chosen > 0) ? 0 : tw_has(tally, TW_METRIC_split) ?
			(double)counts->split / chosen :
			(double)tally->times[TW_DEVICE][part->direction].count /
			(double)tally->times[TW_LAT][part->direction].count;

		least = fmin(least, of);
		most = fmax(most, of);
		least_part = fmin(least_part, split_part(part->groups[i], part->direction));
	}
	return most - least <= SPLIT_ALIKE ? AS_THEY_ARE :
	       least_part >= SPLIT_ENOUGH ? AS_ESTIMATES : AS_ONE;
}

static double time_ns(const struct tw_report_group *group, int time, int direction,
		      enum stages_as as)
{
	const double ns = part_ns(group, time, direction);

	if (as == AS_ESTIMATES && tw_stage_is_inside(time))
		return ns / split_part(group, direction);
	return as == AS_ONE && time == TW_KERNEL ? kernel_ns(group, direction) : ns;
}

static void add_time(struct part *part, enum tw_diff_kind kind, int time, enum stages_as as)
{
	double *values = values_of(part), error_ns = 0;
	int any = 0;

	for (size_t i = 0; i < part->diff->count; i++) {
		const struct tw_tally *tally = &part->groups[i]->all.tally;
		const double ns = (double)tw_tally_stage_ns(tally, (unsigned)time, part->direction);

		values[i] = time_ns(part->groups[i], time, part->direction, as);
		any |= values[i] > 0;
		/* That of several runs is in how much they differ. */
		if (part->diff->count == TW_DIFF_SIDES && as != AS_ONE && ns > 0)
			error_ns = hypot(error_ns, values[i] / ns * tw_tally_stage_error_ns(
				tally, (unsigned)time, part->direction));
	}
	if (any)
		add(part, (struct tw_diff_figure) { .kind = kind, .error_ns = error_ns,
			.name = kind == TW_DIFF_CALL ? "submitting call" :
				tw_time_metrics[time].name });
}

static void add_stages(struct part *part)
{
	size_t have = 0;	/* runs with stages */
	const enum stages_as as = compare_stages_as(part);

	for (size_t i = 0; i < part->diff->count; i++) {
		int any = 0;

		for (int j = 0; j < TW_STAGES; j++)
			any |= time_of(part->groups[i], j, part->direction)->count != 0;
		have += (size_t)any;
	}
	if (have && have < part->diff->count)
		leave_out(part, 1, " stages", not_in_all);
	if (have < part->diff->count)
		return;
	if (as == AS_ESTIMATES)
		leave_out(part, 1, " I/Os not split inside the kernel",
			  "their share varies");
	if (as == AS_ONE)
		leave_out(part, 1, " stages inside the kernel",
			  "too few I/Os have them; compared as one, `kernel`");
	for (int i = 0; i < TW_STAGES; i++)
		if (as == AS_THEY_ARE || (as == AS_ONE ? !tw_stage_is_inside(i) : i != TW_KERNEL))
			add_time(part, TW_DIFF_STAGE, i, as);
	add_time(part, TW_DIFF_CALL, TW_CALL, AS_THEY_ARE);
}

/* Add fio's own IOPS if all runs have them, and those of a run are others. */
static void add_fio_rate(struct part *part)
{
	int are_others = 0;

	for (size_t i = 0; i < part->diff->count; i++) {
		const struct tw_report_group *group = part->groups[i];
		const struct tw_counts *counts = &group->all.tally.counts[part->direction];
		const double ns = tw_report_fio_run_ns(group, part->direction);

		if (!(ns > 0))
			return;
		are_others |= tw_report_has_fio_rate(group, part->direction);
		values_of(part)[i] = 1e9 * (double)(counts->ios + counts->errors) / ns;
	}
	if (are_others)
		add(part, (struct tw_diff_figure) { .kind = TW_DIFF_IOPS, .name = "fio's IOPS",
						    .is_log = 1 });
}

static void add_direction(struct part *part)
{
	size_t with = 0;

	for (size_t i = 0; i < part->diff->count; i++)
		with += lat_of(part->groups[i], part->direction)->count != 0;
	if (!with)
		return;
	if (with < part->diff->count) {
		leave_out(part, 1, "", not_in_all);
		return;
	}
	for (size_t i = 0; i < part->diff->count; i++)
		values_of(part)[i] = iops_of(part->groups[i], part->direction);
	add(part, (struct tw_diff_figure) { .kind = TW_DIFF_IOPS, .name = "IOPS",
					    .is_log = 1 });
	add_fio_rate(part);
	for (size_t i = 0; i < part->diff->count; i++)
		values_of(part)[i] = tw_histogram_mean_ns(lat_of(part->groups[i],
								 part->direction));
	add(part, (struct tw_diff_figure) { .kind = TW_DIFF_MEAN, .name = "lat mean",
					    .is_log = 1 });
	for (size_t i = 0; i < TW_LENGTH(percentiles); i++)
		if (!add_percentile(part, &percentiles[i])) {
			const int is_last = i + 1 == TW_LENGTH(percentiles);

			leave_out(part, 1, tw_format(" %s%s", percentiles[i].name,
						     is_last ? "" : " and above"),
				  tw_format("a run has fewer than %d I/Os beyond it",
					    TW_DIFF_FEWEST_BEYOND));
			break;
		}
	add_stages(part);
}

static void add_group(struct part *part, const struct tw_report_group *group)
{
	struct tw_diff *diff = part->diff;
	size_t place = place_of(&diff->runs[0], group);

	for (size_t i = 0; i < diff->count; i++) {
		part->groups[i] = find(&diff->runs[i], group, place);
		if (!part->groups[i]) {
			part->groups[0] = group;
			leave_out(part, 0, "", not_in_all);
			return;
		}
	}
	for (part->direction = 0; part->direction < TW_DIRECTIONS;
	     part->direction++)
		add_direction(part);
}

/* Name a group of another run that the first run does not have. */
static void name_other(struct part *part)
{
	for (size_t i = 1; i < part->diff->count; i++)
		for (size_t j = 0; j < part->diff->runs[i].count; j++) {
			const struct tw_diff_run *run = &part->diff->runs[i];

			part->groups[0] = run->groups[j];
			if (find(&part->diff->runs[0], run->groups[j],
				 place_of(run, run->groups[j])))
				continue;
			leave_out(part, 0, "", not_in_all);
			return;
		}
}

int tw_diff_find_figures(struct tw_diff *diff, struct tw_report_problem *problem)
{
	size_t most = diff->runs[0].count * TW_DIRECTIONS * FIGURES;
	struct part part = { .diff = diff };

	tw_diff_find_waits(diff);
	diff->left_out = json_array();
	diff->figures = tw_zalloc(most, sizeof(*diff->figures));
	diff->values = tw_zalloc(most * diff->count, sizeof(*diff->values));
	for (size_t i = 0; i < diff->runs[0].count; i++)
		add_group(&part, diff->runs[0].groups[i]);
	name_other(&part);
	if (!diff->figure_count && diff->wait_count < 2) {
		tw_report_refuse(problem, "%s: no job, by name and group, did I/O of the "
				 "same direction in all runs",
				 diff->runs[0].groups[0]->all.jobs[0].path);
		return TW_EXIT_DATA;
	}
	return TW_EXIT_GOOD;
}
