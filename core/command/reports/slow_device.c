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
 * So with fewer than four devices none is named.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/output/format.h"
#include "command/reports/devices.h"
#include "latency/histogram.h"

#define FEWEST_DEVICES	4

/* Number of I/Os beyond a percentile that it takes to sort by it. `tickwise
 * diff` uses the same number. */
#define FEWEST_BEYOND	10

/* ---- the order ----------------------------------------------------------- */

static const double percents[] = { 99.9, 99, 50 };

static const struct tw_histogram *lat_of(const struct tw_report_ranking *ranking,
					 size_t i)
{
	return &ranking->list[i]->lat[ranking->direction];
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
			have += (size_t)can_rank(lat_of(ranking, j), percents[i]);
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
	if (!can_rank(lat, percent))
		return -1;
	return (double)tw_histogram_percentile(lat, percent);
}

static int by_rank(const void *left, const void *right, void *argument)
{
	const struct tw_report_ranking *ranking = argument;
	const struct tw_report_device *a = *(struct tw_report_device *const *)left;
	const struct tw_report_device *b = *(struct tw_report_device *const *)right;
	const struct tw_histogram *of_a = &a->lat[ranking->direction];
	const struct tw_histogram *of_b = &b->lat[ranking->direction];
	double by = rank_of(of_b, ranking->percent) - rank_of(of_a, ranking->percent);

	if (!(by > 0) && !(by < 0))
		by = tw_histogram_mean_ns(of_b) - tw_histogram_mean_ns(of_a);
	return by > 0 ? 1 : by < 0 ? -1 : strcmp(a->name, b->name);
}

/* ---- the slow ones ------------------------------------------------------- */

/* Does each device have I/Os in each part? */
static int has_parts(const struct tw_report_ranking *ranking)
{
	for (size_t i = 0; i < ranking->count; i++)
		for (size_t part = 0; part < TW_REPORT_DEVICE_PARTS; part++)
			if (!ranking->list[i]->parts[part][ranking->direction].count)
				return 0;
	return 1;
}

static double part_mean(const struct tw_report_device *device, size_t part,
			int direction)
{
	const struct tw_report_device_part *at = &device->parts[part][direction];

	return at->count ? (double)at->sum_ns / (double)at->count : 0;
}

static int by_value(const void *left, const void *right)
{
	double by = *(const double *)left - *(const double *)right;

	return by > 0 ? 1 : by < 0 ? -1 : 0;
}

/* Return the median of the parts' means. */
static double typical_ns(const struct tw_report_device *device, int direction)
{
	double means[TW_REPORT_DEVICE_PARTS];

	for (size_t part = 0; part < TW_REPORT_DEVICE_PARTS; part++)
		means[part] = part_mean(device, part, direction);
	qsort(means, TW_REPORT_DEVICE_PARTS, sizeof(*means), by_value);
	return (means[TW_REPORT_DEVICE_PARTS / 2 - 1] +
		means[TW_REPORT_DEVICE_PARTS / 2]) / 2;
}

static int by_parts(const void *left, const void *right, void *argument)
{
	const struct tw_report_device *a = *(struct tw_report_device *const *)left;
	const struct tw_report_device *b = *(struct tw_report_device *const *)right;
	double by = typical_ns(b, *(int *)argument) - typical_ns(a, *(int *)argument);

	return by > 0 ? 1 : by < 0 ? -1 : 0;
}

static int is_slower(const struct tw_report_device *a, const struct tw_report_device *b,
		     int direction)
{
	int parts = 0;

	for (size_t part = 0; part < TW_REPORT_DEVICE_PARTS; part++)
		parts += part_mean(a, part, direction) > part_mean(b, part, direction);
	return parts >= TW_REPORT_DEVICE_SLOW_PARTS;
}

/* Is each of the first @slow devices slower than each of the others? */
static int slow_throughout(const struct tw_report_device *const *list, size_t count,
			   size_t slow, int direction)
{
	for (size_t i = 0; i < slow; i++)
		for (size_t j = slow; j < count; j++)
			if (!is_slower(list[i], list[j], direction))
				return 0;
	return 1;
}

static int stands_out(const struct tw_report_device *const *list, size_t count,
		      size_t slow, int direction)
{
	double next_ns = typical_ns(list[slow], direction);
	size_t others = count - slow;
	double median_ns = (typical_ns(list[slow + (others - 1) / 2], direction) +
			    typical_ns(list[slow + others / 2], direction)) / 2;

	return typical_ns(list[slow - 1], direction) - next_ns > next_ns - median_ns;
}

/* Return how many devices of the list are slow. The list is sorted. */
static size_t find_slow(const struct tw_report_device *const *list, size_t count,
			int direction)
{
	for (size_t slow = 1; slow <= count / 4; slow++)
		if (stands_out(list, count, slow, direction) &&
		    slow_throughout(list, count, slow, direction))
			return slow;
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

/* Return the first option of @a that @b lacks or has with another value; or
 * NULL. */
static const char *other_option(const struct tw_report *a, const struct tw_report *b)
{
	const json_t *of_b = json_object_get(b->root, "options");
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(a->root, "options"), key, value)
		if (!is_of_place(key) && !json_equal(value, json_object_get(of_b, key)))
			return key;
	return NULL;
}

/* Return what differs between the jobs of the groups; NULL: no difference that
 * matters is known. */
static const char *difference(const struct tw_report_group *groups, size_t count)
{
	const struct tw_report *first = groups[0].members[0];

	for (size_t i = 1; i < count; i++) {
		const struct tw_report *other = groups[i].members[0];
		const char *option = other_option(first, other);

		if (!option)
			option = other_option(other, first);
		if (first->job.iodepth != other->job.iodepth)
			option = "iodepth";
		if (strcmp(first->job.engine, other->job.engine))
			option = "ioengine";
		if (option)
			return option;
	}
	return NULL;
}

static int has_equal_jobs(const struct tw_report_ranking *ranking)
{
	for (size_t i = 1; i < ranking->count; i++)
		if (ranking->list[i]->jobs != ranking->list[0]->jobs)
			return 0;
	return 1;
}

/* ---- together ------------------------------------------------------------ */

/* Return the device with I/Os in the fewest intervals. */
static const struct tw_report_device *shortest(const struct tw_report_ranking *ranking)
{
	const struct tw_report_device *found = ranking->list[0];

	for (size_t i = 1; i < ranking->count; i++)
		if (ranking->list[i]->intervals[ranking->direction] <
		    found->intervals[ranking->direction])
			found = ranking->list[i];
	return found;
}

/* Write why there can be no verdict; an empty text: there can be one. */
static void say_obstacle(char *text, size_t size, const struct tw_report_ranking *ranking,
			 const struct tw_report_group *groups, size_t count)
{
	const char *option = difference(groups, count);
	const struct tw_report_device *least;

	if (ranking->count < FEWEST_DEVICES) {
		snprintf(text, size, "of fewer than %d devices chance would name one "
			 "too often", FEWEST_DEVICES);
	} else if (option) {
		snprintf(text, size, "the jobs on them differ in %.60s", option);
	} else if (!has_equal_jobs(ranking)) {
		snprintf(text, size, "they had different numbers of jobs");
	} else if (!has_parts(ranking)) {
		least = shortest(ranking);
		if (least->intervals[ranking->direction] < TW_REPORT_DEVICE_PARTS)
			snprintf(text, size, "%.60s had I/Os in %zu intervals of the run, "
				 "and %d are needed", least->name,
				 least->intervals[ranking->direction],
				 TW_REPORT_DEVICE_PARTS);
		else
			snprintf(text, size, "not each of them had I/Os in each part "
				 "of the run");
	}
}

static void judge(struct tw_report_ranking *ranking,
		  const struct tw_report_group *groups, size_t count)
{
	say_obstacle(ranking->unjudged, sizeof(ranking->unjudged), ranking, groups,
		     count);
	if (!ranking->unjudged[0])
		ranking->slow = find_slow(ranking->by_parts, ranking->count,
					  ranking->direction);
}

static int is_slow(const struct tw_report_ranking *ranking,
		   const struct tw_report_device *device)
{
	for (size_t i = 0; i < ranking->slow; i++)
		if (ranking->by_parts[i] == device)
			return 1;
	return 0;
}

/* Move the slow devices to the front of the list, and keep the order
 * otherwise. */
static void move_slow(struct tw_report_ranking *ranking)
{
	size_t front = 0;

	for (size_t i = 0; i < ranking->count; i++) {
		const struct tw_report_device *device = ranking->list[i];

		if (!is_slow(ranking, device))
			continue;
		memmove(&ranking->list[front + 1], &ranking->list[front],
			(i - front) * sizeof(*ranking->list));
		ranking->list[front++] = device;
	}
}

int tw_report_rank_devices(struct tw_report_ranking *ranking,
			   const struct tw_report_devices *devices, int direction,
			   const struct tw_report_group *groups, size_t count)
{
	*ranking = (struct tw_report_ranking) {
		.list = calloc(devices->count + 1, sizeof(*ranking->list)),
		.by_parts = calloc(devices->count + 1, sizeof(*ranking->list)),
		.direction = direction,
	};
	if (!ranking->list || !ranking->by_parts) {
		tw_report_ranking_free(ranking);
		return -ENOMEM;
	}
	for (size_t i = 0; i < devices->count; i++)
		if (devices->list[i].lat[direction].count)
			ranking->list[ranking->count++] = &devices->list[i];
	ranking->percent = percent_for(ranking);
	qsort_r(ranking->list, ranking->count, sizeof(*ranking->list), by_rank, ranking);
	memcpy(ranking->by_parts, ranking->list,
	       ranking->count * sizeof(*ranking->list));
	qsort_r(ranking->by_parts, ranking->count, sizeof(*ranking->list), by_parts,
		&direction);
	judge(ranking, groups, count);
	move_slow(ranking);
	return 0;
}

void tw_report_ranking_free(struct tw_report_ranking *ranking)
{
	free(ranking->list);
	free(ranking->by_parts);
}

/* ---- in words ------------------------------------------------------------ */

static double in_device_ns(const struct tw_report_device *device, int direction)
{
	return tw_histogram_mean_ns(&device->in_device[direction]);
}

/* Is the stage device known for most I/Os? */
static int has_stage(const struct tw_report_device *device, int direction)
{
	return 2 * device->in_device[direction].count > device->lat[direction].count;
}

static double mean_of(const struct tw_report_device *device, int direction)
{
	return tw_histogram_mean_ns(&device->lat[direction]);
}

/* Describe whether the device itself takes longer, or the parts around it. */
static const char *where(const struct tw_report_device *last,
			 const struct tw_report_device *next, int direction)
{
	double by_ns = mean_of(last, direction) - mean_of(next, direction);

	if (!has_stage(last, direction) || !has_stage(next, direction) || !(by_ns > 0))
		return "";
	if (in_device_ns(last, direction) - in_device_ns(next, direction) > by_ns / 2)
		return "; most of the difference is in the stage device";
	return "; most of the difference is not in the stage device";
}

static void say_names(char *text, size_t size, const struct tw_report_device *const *list,
		      size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 i == 0 ? "" : i + 1 < count ? ", " : " and ",
					 list[i]->name);
}

static void say_slow(char *text, size_t size, const struct tw_report_ranking *ranking)
{
	const size_t slow = ranking->slow, others = ranking->count - slow;
	const struct tw_report_device *last = ranking->by_parts[slow - 1];
	const struct tw_report_device *next = ranking->by_parts[slow];
	const double last_ns = typical_ns(last, ranking->direction);
	const double next_ns = typical_ns(next, ranking->direction);
	char names[TW_REPORT_SENTENCE / 2], mean[TW_FORMAT_SIZE],
	     of_next[TW_FORMAT_SIZE], more[TW_FORMAT_SIZE];

	say_names(names, sizeof(names), ranking->by_parts, slow);
	snprintf(text, size, "%s %s slower than %s%zu other%s in %d or more of %d equal "
		 "parts of the run: median of the parts' means %s%s, the next one's (%s) "
		 "%s, %s %% less%s", names, slow > 1 ? "are" : "is",
		 others > 1 ? "each of the " : "the ", others, others > 1 ? "s" : "",
		 TW_REPORT_DEVICE_SLOW_PARTS, TW_REPORT_DEVICE_PARTS,
		 slow > 1 ? "at least " : "", tw_format_ns(mean, last_ns), next->name,
		 tw_format_ns(of_next, next_ns),
		 tw_format_number(more, 100 * (last_ns - next_ns) / last_ns),
		 where(last, next, ranking->direction));
}

void tw_report_say_slow_devices(char *text, size_t size,
				const struct tw_report_ranking *ranking)
{
	if (ranking->slow)
		say_slow(text, size, ranking);
	else if (ranking->unjudged[0])
		snprintf(text, size, "whether one of them is slower is not judged: %s",
			 ranking->unjudged);
	else
		snprintf(text, size, "none stands out (the rule is in tickwise-report(1))");
}
