/* SPDX-License-Identifier: MIT */
/*
 * Finds which devices are slow.
 *
 * The I/Os of a device are correlated: one stall makes thousands of them slow.
 * So no interval that assumes independent I/Os tells whether a difference is
 * more than chance. But of two equal devices, each is the slower one in a part
 * of the run with probability 1 / 2. So this is a sign test over 16 equal
 * parts: a device that is slower than each other one in at least 14 of them was
 * slower throughout. One stall, or the beginning of the run, affects one or two
 * parts only. A slow device must also stand out: the next one must be nearer to
 * the median of the others than to it. The same test works for several slow
 * devices.
 *
 * The test compares means of lat: each part has its sum, and a tail that is
 * slow throughout makes the mean larger. A device is described by the median of
 * its parts' means.
 *
 * How often equal devices were told apart in simulated runs (10000; 300 with 24
 * devices), by the correlation of neighbouring parts' means:
 *
 *	devices		0	0.3	0.6	normal noise; in brackets Pareto, 1.5
 *	      2		0.3 %	1.9 %	8.9 %	(0.4, 4.8, 16.8)
 *	      3		0	0.3 %	3.1 %	(0, 0.8, 6.2)
 *	      4		0	0	1.1 %	(0, 0.3, 3.4)
 *	     24		0	0	0	(0, 0, 0.3)
 *
 * So with fewer than four devices one is named only if it also takes at least twice as long as
 * each other one. Equal devices do not do that: their noise would have to last.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/analysis/analysis.h"
#include "command/output/page.h"
#include "latency/histogram.h"

#define FEWEST_DEVICES	4
#define FACTOR_OF_FEW	2	/* of the typical lat, with fewer devices */

/* Number of I/Os beyond a percentile that it takes to sort by it. `tickwise
 * diff` uses the same number. */
#define FEWEST_BEYOND	10

/* ---- the parts of a run ---------------------------------------------------- */

static int by_value(const void *left, const void *right)
{
	double by = *(const double *)left - *(const double *)right;

	return by > 0 ? 1 : by < 0 ? -1 : 0;
}

/* Divide the device's windows into equal parts. A window is in the part that has its
 * middle. */
static void find_parts(struct tw_report_ranked *ranked, int direction)
{
	const struct tw_windows *windows = &ranked->device->over_time;
	double sum_ns[TW_REPORT_DEVICE_PARTS] = { 0 }, sorted[TW_REPORT_DEVICE_PARTS];
	double count[TW_REPORT_DEVICE_PARTS] = { 0 };

	for (uint32_t i = 0; i < windows->count; i++) {
		const struct tw_histogram *lat = &tw_windows_get(windows, i)->lat[direction];
		uint32_t part = (2 * i + 1) * TW_REPORT_DEVICE_PARTS / (2 * windows->count);

		sum_ns[part] += (double)lat->sum_ns;
		count[part] += (double)lat->count;
		ranked->windows += lat->count != 0;
	}
	for (size_t part = 0; part < TW_REPORT_DEVICE_PARTS; part++) {
		if (!(count[part] > 0))
			continue;
		ranked->mean_ns[part] = sum_ns[part] / count[part];
		ranked->parts++;
	}
	memcpy(sorted, ranked->mean_ns, sizeof(sorted));
	qsort(sorted, TW_REPORT_DEVICE_PARTS, sizeof(*sorted), by_value);
	ranked->typical_ns = (sorted[TW_REPORT_DEVICE_PARTS / 2 - 1] +
			      sorted[TW_REPORT_DEVICE_PARTS / 2]) / 2;
}

/* ---- the order ----------------------------------------------------------- */

static const double percents[] = { 99.9, 99, 50 };

static const struct tw_histogram *lat_of(const struct tw_report_ranking *ranking,
					 const struct tw_report_ranked *ranked)
{
	return &ranked->device->lat[ranking->direction];
}

/* Are enough I/Os beyond a percentile? With few, it is the lat of one of these
 * I/Os. */
static int can_rank(const struct tw_histogram *histogram, double percent)
{
	return (double)histogram->count * (100 - percent) >=
	       100 * FEWEST_BEYOND - 1e-6;
}

/* Return the largest percentile that most devices have; 0: the mean. */
static double percent_for(const struct tw_report_ranking *ranking)
{
	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
		size_t have = 0;

		for (size_t j = 0; j < ranking->count; j++)
			have += (size_t)can_rank(lat_of(ranking, &ranking->list[j]),
						 percents[i]);
		if (2 * have > ranking->count)
			return percents[i];
	}
	return 0;
}

/* Return what to sort by. Devices without the percentile come last. */
static double rank_of(const struct tw_histogram *lat, double percent)
{
	if (!(percent > 0))
		return tw_histogram_mean_ns(lat);
	return can_rank(lat, percent) ? (double)tw_histogram_percentile(lat, percent) : -1;
}

/* Compare by a number, the larger one first, then by name. */
static int compare(double by, const struct tw_report_ranked *a,
		   const struct tw_report_ranked *b)
{
	return by > 0 ? 1 : by < 0 ? -1 : strcmp(a->device->name, b->device->name);
}

static int by_rank(const void *left, const void *right, void *argument)
{
	const struct tw_report_ranking *ranking = argument;
	const struct tw_report_ranked *a = left, *b = right;
	const struct tw_histogram *of_a = lat_of(ranking, a), *of_b = lat_of(ranking, b);
	double by = rank_of(of_b, ranking->percent) - rank_of(of_a, ranking->percent);

	if (a->is_slow != b->is_slow)
		return b->is_slow - a->is_slow;
	if (!(by > 0) && !(by < 0))
		by = tw_histogram_mean_ns(of_b) - tw_histogram_mean_ns(of_a);
	return compare(by, a, b);
}

static int by_typical(const void *left, const void *right)
{
	const struct tw_report_ranked *a = left, *b = right;

	return compare(b->typical_ns - a->typical_ns, a, b);
}

/* ---- the slow ones ------------------------------------------------------- */

/* Is each of the first @slow devices slower than each of the others? */
static int slow_throughout(const struct tw_report_ranked *list, size_t count, size_t slow)
{
	for (size_t pair = 0; pair < slow * (count - slow); pair++) {
		const double *a_ns = list[pair % slow].mean_ns;
		const double *b_ns = list[slow + pair / slow].mean_ns;
		int parts = 0;

		for (size_t part = 0; part < TW_REPORT_DEVICE_PARTS; part++)
			parts += a_ns[part] > b_ns[part];
		if (parts < TW_REPORT_DEVICE_SLOW_PARTS)
			return 0;
	}
	return 1;
}

/* Return how many devices are slow: throughout, and so that they stand out. They are sorted
 * by their typical lat. */
static size_t find_slow(const struct tw_report_ranking *ranking)
{
	const struct tw_report_ranked *list = ranking->list;

	if (ranking->count < FEWEST_DEVICES)
		return ranking->count > 1 && slow_throughout(list, ranking->count, 1) &&
		       list[0].typical_ns >= FACTOR_OF_FEW * list[1].typical_ns;
	for (size_t slow = 1; slow <= ranking->count / 4; slow++) {
		const double next_ns = list[slow].typical_ns;
		const size_t others = ranking->count - slow;
		const double median_ns = (list[slow + (others - 1) / 2].typical_ns +
					  list[slow + others / 2].typical_ns) / 2;

		if (list[slow - 1].typical_ns - next_ns > next_ns - median_ns &&
		    slow_throughout(list, ranking->count, slow))
			return slow;
	}
	return 0;
}

/* ---- are they comparable? ------------------------------------------------ */

/* Is this an option that differs between jobs which do the same on different
 * devices? */
static int is_of_place(const char *option)
{
	static const char *const names[] = {
		"name", "filename", "directory", "description", "cpus_allowed",
		"numa_cpu_nodes", "numa_mem_policy", "stonewall", "new_group",
		"tw_report", "tw_interval", "tw_digits", "tw_slowest", "write_bw_log",
		"write_lat_log", "write_iops_log", "write_hist_log", "per_job_logs",
		"startdelay", "size", "filesize", "filename_format",
		"unique_filename", "ioengine", "randseed", "randrepeat",
		"allrandrepeat",
	};
	static const char *const prefixes[] = { "log_", "create_" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(option, names[i]))
			return 1;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(option, prefixes[i], strlen(prefixes[i])))
			return 1;
	return 0;
}

/* Return the first option of @a that @b lacks or has otherwise; or NULL. */
static const char *other_option(const struct tw_report_job *a, const struct tw_report_job *b)
{
	const char *key;
	json_t *value;

	for (int own = 0; own < 2; own++)
		json_object_foreach(own ? (json_t *)a->options : a->common, key, value)
			if (!is_of_place(key) && !json_equal(tw_job_option(a, key),
							     tw_job_option(b, key)))
				return key;
	return NULL;
}

/* Return what differs between the jobs of the groups; NULL: no difference that
 * matters is known. */
static const char *difference(const struct tw_report_group *groups, size_t count)
{
	const struct tw_report_job *first = groups->all.jobs;

	for (size_t i = 1; i < count; i++) {
		const struct tw_report_job *other = groups[i].all.jobs;
		const char *option = other_option(first, other);

		if (!option)
			option = other_option(other, first);
		if (first->iodepth != other->iodepth)
			option = "iodepth";
		if (strcmp(first->engine, other->engine))
			option = "ioengine";
		if (option)
			return option;
	}
	return NULL;
}

/* Write why there can be no verdict. Return: 1: there can be one. */
static int can_judge(struct tw_report_ranking *ranking,
		     const struct tw_report_group *groups, size_t count)
{
	/* With I/Os in the fewest windows, of those that lack some part of the run. */
	const struct tw_report_ranked *least = NULL;
	const char *option = difference(groups, count);
	char why[160] = "";
	int same_jobs = 1;

	for (size_t i = 0; i < ranking->count; i++) {
		const struct tw_report_ranked *ranked = &ranking->list[i];

		same_jobs &= ranked->device->jobs == ranking->list->device->jobs;
		if (ranked->parts < TW_REPORT_DEVICE_PARTS &&
		    (!least || ranked->windows < least->windows))
			least = ranked;
	}

	if (option)
		snprintf(why, sizeof(why), "the jobs on them differ in %.60s", option);
	else if (!same_jobs)
		snprintf(why, sizeof(why), "they had different numbers of jobs");
	else if (least && least->windows < TW_REPORT_DEVICE_PARTS)
		snprintf(why, sizeof(why), "%.60s had I/Os in %zu intervals of the run, "
			 "and %d are needed", least->device->name, least->windows,
			 TW_REPORT_DEVICE_PARTS);
	else if (least)
		snprintf(why, sizeof(why), "not each of them had I/Os in each part of the "
			 "run");
	snprintf(ranking->text, sizeof(ranking->text),
		 "whether one of them is slower is not judged: %s", why);
	return !why[0];
}

/* ---- in words ------------------------------------------------------------ */

/* Describe whether the device itself takes longer, or the parts around it. */
static const char *where(const struct tw_report_device *last,
			 const struct tw_report_device *next, int direction)
{
	const struct tw_histogram *lat = &last->lat[direction];
	const struct tw_histogram *in_device = &last->in_device[direction];
	const struct tw_histogram *next_lat = &next->lat[direction];
	const struct tw_histogram *next_in_device = &next->in_device[direction];
	double by_ns = tw_histogram_mean_ns(lat) - tw_histogram_mean_ns(next_lat);

	/* Is the stage device known for most I/Os? */
	if (in_device->count <= lat->count / 2 ||
	    next_in_device->count <= next_lat->count / 2 || !(by_ns > 0))
		return "";
	if (tw_histogram_mean_ns(in_device) - tw_histogram_mean_ns(next_in_device) >
	    by_ns / 2)
		return "; most of the difference is in the stage device";
	return "; most of the difference is not in the stage device";
}

static void say_slow(struct tw_report_ranking *ranking, int is_sampled)
{
	const size_t slow = ranking->slow, others = ranking->count - slow;
	const struct tw_report_ranked *last = &ranking->list[slow - 1];
	const struct tw_report_ranked *next = &ranking->list[slow];
	char names[TW_REPORT_SENTENCE / 2];
	size_t used = 0;

	for (size_t i = 0; i < slow && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 i == 0 ? "" : i + 1 < slow ? ", " : " and ",
					 ranking->list[i].device->name);
	snprintf(ranking->text, sizeof(ranking->text),
		 "%s %s slower than %s in %d or more of %d equal "
		 "parts of the run: median of the parts' means %s%s, the next one's (%s) "
		 "%s, %s %% less%s", names, slow > 1 ? "are" : "is",
		 others > 1 ? tw_format("each of the %zu others", others) : "the other one",
		 TW_REPORT_DEVICE_SLOW_PARTS, TW_REPORT_DEVICE_PARTS,
		 slow > 1 ? "at least " : "", TW_SAY_NS(last->typical_ns),
		 next->device->name, TW_SAY_NS(next->typical_ns),
		 TW_SAY_NUMBER(100 * (last->typical_ns - next->typical_ns) /
			       last->typical_ns),
		 is_sampled ? "" : where(last->device, next->device, ranking->direction));
}

/* ---- together ------------------------------------------------------------ */

void tw_report_rank_devices(struct tw_report_ranking *ranking, const struct tw_report *all,
			    int direction, const struct tw_report_group *groups,
			    size_t count)
{
	*ranking = (struct tw_report_ranking) {
		.list = tw_zalloc(all->device_count + 1, sizeof(*ranking->list)),
		.direction = direction,
	};
	for (size_t i = 0; i < all->device_count; i++) {
		if (!all->devices[i].lat[direction].count)
			continue;
		ranking->list[ranking->count].device = &all->devices[i];
		find_parts(&ranking->list[ranking->count++], direction);
	}
	qsort(ranking->list, ranking->count, sizeof(*ranking->list), by_typical);
	ranking->is_judged = can_judge(ranking, groups, count);
	if (ranking->is_judged)
		ranking->slow = find_slow(ranking);
	for (size_t i = 0; i < ranking->slow; i++)
		ranking->list[i].is_slow = 1;
	if (ranking->slow)
		say_slow(ranking, tw_tally_is_sampled(&all->tally, direction));
	else if (ranking->is_judged && ranking->count < FEWEST_DEVICES)
		snprintf(ranking->text, sizeof(ranking->text),
			 "none takes %d times as long as each other one throughout; of fewer "
			 "than %d, a smaller difference is not judged", FACTOR_OF_FEW, FEWEST_DEVICES);
	else if (ranking->is_judged)
		snprintf(ranking->text, sizeof(ranking->text),
			 "none stands out (the rule is in tickwise-report(1))");
	ranking->percent = percent_for(ranking);
	qsort_r(ranking->list, ranking->count, sizeof(*ranking->list), by_rank, ranking);
}

/* ---- JSON ---------------------------------------------------------------- */

/* Return the numbers and hosts of the first devices of a ranking. */
static json_t *names_of(const struct tw_report_ranking *ranking, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_pack("{s:s, s:s}",
			"device", ranking->list[i].device->number,
			"host", ranking->list[i].device->host));
	return array;
}

json_t *tw_report_slow_devices_to_json(const struct tw_report_group *group)
{
	struct tw_report_ranking ranking;
	json_t *object;

	if (group->all.device_count < 2)
		return NULL;
	object = json_object();
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		tw_report_rank_devices(&ranking, &group->all, i, group, 1);
		if (ranking.count > 1)
			json_object_set_new(object, tw_direction_names[i], json_pack(
				"{s:f, s:o, s:o, s:s}", "percent", ranking.percent,
				"order", names_of(&ranking, ranking.count),
				"slow", ranking.is_judged ? names_of(&ranking, ranking.slow) :
							    json_null(),
				"text", ranking.text));
		free(ranking.list);
	}
	return object;
}
