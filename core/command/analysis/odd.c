/* SPDX-License-Identifier: MIT */
/*
 * Finds the odd one of several devices, jobs, hosts or files: the slow one.
 *
 * The I/Os of one of them are correlated: one stall makes thousands of them slow. So no
 * interval that assumes independent I/Os tells whether a difference is more than chance. But
 * of two equal ones, each is the slower one in a part of the run with probability 1 / 2. So
 * this is a sign test over 16 equal parts: one that is slower than each other one in nearly
 * all of them was slower throughout. One stall, or the beginning of the run, affects one or
 * two parts only. A slow one must also stand out: it takes FACTOR times as long as each other
 * one, or, of four and more, the next one is nearer to the median of the others than to it.
 * The same test works for several slow ones.
 *
 * The test compares means of lat: each part has its sum, and a tail that is slow throughout
 * makes the mean larger. Each is described by the median of its parts' means. At a given
 * number of I/Os in flight, IOPS are as few as lat is long, so lat finds slow jobs, too.
 * Files have no parts: they are compared by p50 of their I/Os alone.
 *
 * In 4000 simulated runs (tests/unit/command/analysis/analysis_odd.c: windows with noise of
 * 20 % and with stalls), by the correlation of neighbouring windows of 128:
 *
 *			0, 0.5	0.9	0.97
 *	of 3 equal	0	0	1.3 %	have an odd one
 *	of 8 equal	0	0	0.5 %
 *	1 of 3		99.9 %	99.5 %	95 %	at half speed is named
 *	1 of 8		100 %	99.6 %	94 %
 */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/analysis/analysis.h"
#include "command/output/page.h"
#include "latency/histogram.h"
#include "latency/histogram_json.h"

#define FEWEST		4
#define FACTOR		1.4	/* of the typical lat: a large difference */
#define LARGE_PARTS	12	/* of a run, for a large difference */
#define SLOW_PARTS	14	/* for a smaller one */
#define FACTOR_OF_FILES	2
#define FEWEST_IOS	100	/* of a file */

/* ---- the parts of a run, and the order ------------------------------------- */

/* Divide the windows into equal parts. A window is in the part that has its middle. Without
 * windows all parts are alike. If no I/O ended in a part, but one that ended later was in flight
 * throughout it, I/Os took about as long as the part. */
static void find_parts(struct tw_odd_one *one, int direction)
{
	const struct tw_windows *windows = one->windows;
	const double part_ns = (double)windows->width_ns * windows->count / TW_ODD_PARTS;
	double sum_ns[TW_ODD_PARTS] = { 0 }, count[TW_ODD_PARTS] = { 0 };
	double max_ns[TW_ODD_PARTS] = { 0 }, earlier_ns = 0;

	one->parts = 0;
	one->has_windows = windows->count != 0;
	for (uint32_t i = 0; i < windows->count; i++) {
		const struct tw_histogram *lat = &tw_windows_get(windows, i)->lat[direction];
		uint32_t part = (2 * i + 1) * TW_ODD_PARTS / (2 * windows->count);

		sum_ns[part] += (double)lat->sum_ns;
		count[part] += (double)lat->count;
		max_ns[part] = fmax(max_ns[part], (double)lat->max_ns);
	}
	/* From the last on: I/Os were in flight for up to @earlier_ns before the part after it. */
	for (size_t part = TW_ODD_PARTS; part-- > 0;) {
		one->mean_ns[part] = count[part] > 0 ? sum_ns[part] / count[part] :
			!one->has_windows ?
			(double)tw_histogram_percentile(&one->lat[direction], 50) :
			windows->count >= TW_ODD_PARTS && earlier_ns >= part_ns ? part_ns : 0;
		one->parts += one->mean_ns[part] > 0;
		earlier_ns = fmax(earlier_ns - part_ns, max_ns[part]);
	}
}

/* Put the slow ones first, then each kind of work, then the longest lat. */
static int by_order(const void *left, const void *right)
{
	const struct tw_odd_one *a = left, *b = right;

	return b->is_slow - a->is_slow ?: tw_compare(a->work, b->work) ?:
	       tw_compare_real(b->lat_ns, a->lat_ns) ?: strcmp(a->name, b->name);
}

/* ---- the slow ones ------------------------------------------------------- */

/* Is each of the first @slow slower than each of the others, in at least @least parts? */
static int slow_throughout(const struct tw_odd_one *list, size_t count, size_t slow, int least)
{
	for (size_t pair = 0; pair < slow * (count - slow); pair++) {
		const double *a_ns = list[pair % slow].mean_ns;
		const double *b_ns = list[slow + pair / slow].mean_ns;
		int parts = 0;

		for (size_t part = 0; part < TW_ODD_PARTS; part++)
			parts += a_ns[part] > b_ns[part];
		if (parts < least)
			return 0;
	}
	return 1;
}

/* Return the median of the others. */
static double median_ns(const struct tw_odd_one *list, size_t count, size_t slow)
{
	const size_t others = count - slow;

	return (list[slow + (others - 1) / 2].lat_ns +
		list[slow + others / 2].lat_ns) / 2;
}

size_t tw_odd_judge(struct tw_odd_one *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double sorted[TW_ODD_PARTS];

		memcpy(sorted, list[i].mean_ns, sizeof(sorted));
		list[i].lat_ns = tw_median(sorted, TW_ODD_PARTS);
	}
	qsort(list, count, sizeof(*list), by_order);
	for (size_t slow = 1; slow == 1 || slow <= count / 4; slow++) {
		const double last_ns = list[slow - 1].lat_ns;
		const double next_ns = list[slow].lat_ns;
		const double factor = list->has_windows ? FACTOR : FACTOR_OF_FILES;

		if ((last_ns >= factor * next_ns &&
		     slow_throughout(list, count, slow, LARGE_PARTS)) ||
		    (list->has_windows && count >= FEWEST &&
		     last_ns - next_ns > next_ns - median_ns(list, count, slow) &&
		     slow_throughout(list, count, slow, SLOW_PARTS)))
			return slow;
	}
	return 0;
}

/* ---- are they comparable? ------------------------------------------------ */

/* Is this an option that differs between jobs which do the same on different
 * devices? */
static int is_of_place(const char *option)
{
	static const char *const patterns[] = {
		"name", "filename*", "directory", "description", "cpus_allowed", "numa_*",
		"stonewall", "new_group", "tw_report", "tw_interval", "tw_digits", "tw_slowest",
		"write_*_log", "log_*", "per_job_logs", "create_*", "startdelay", "size",
		"filesize", "unique_filename", "ioengine", "randseed", "*randrepeat",
	};

	for (size_t i = 0; i < TW_LENGTH(patterns); i++)
		if (!fnmatch(patterns[i], option, 0))
			return 1;
	return 0;
}

/* Return what differs between two jobs; NULL: no difference that matters is known. */
static const char *job_difference(const struct tw_report_job *a, const struct tw_report_job *b)
{
	const json_t *const options[] = { a->common, a->options, b->common, b->options };
	const char *key;
	json_t *value;

	if (strcmp(a->engine, b->engine))
		return "ioengine";
	if (a->iodepth != b->iodepth)
		return "iodepth";
	for (size_t i = 0; i < TW_LENGTH(options); i++)
		json_object_foreach((json_t *)options[i], key, value)
			if (!is_of_place(key) && !json_equal(tw_job_option(a, key),
							     tw_job_option(b, key)))
				return key;
	return NULL;
}

/* Return the size of I/Os in bits; 0: few I/Os, or it is not known. */
static unsigned size_bits(const struct tw_odd_one *one, int direction)
{
	const uint64_t ios = one->device->ios[direction];
	const uint64_t size = ios >= FEWEST_IOS ? one->bytes[direction] / ios : 0;

	return size ? 64 - (unsigned)__builtin_clzll(size) : 0;
}

/* Return what differs between the work of two; NULL: they can be compared. */
static const char *difference(const struct tw_odd *odd, const struct tw_odd_one *a,
			      const struct tw_odd_one *b)
{
	if (odd->difference)
		return odd->difference;
	if (odd->kind == TW_ODD_FILES) {
		const unsigned bits = size_bits(a, odd->direction);

		return !bits || bits != size_bits(b, odd->direction) ?
		       "the size or number of I/Os" : NULL;
	}
	if (odd->kind == TW_ODD_DEVICES)
		return a->device->jobs != b->device->jobs ? "the number of jobs" : NULL;
	if (a->report->job_count != b->report->job_count)
		return "the number of jobs";
	return job_difference(a->report->jobs, b->report->jobs);
}

/* Number the kinds of work. Return what differs first; NULL: nothing. */
static const char *find_work(struct tw_odd *odd)
{
	const char *first = NULL;

	for (size_t i = 0; i < odd->count; i++) {
		odd->list[i].work = i;
		/* Compare with the first of each kind. */
		for (size_t j = 0; j < i && odd->list[i].work == i; j++) {
			const char *differs = odd->list[j].work != j ? "" :
				difference(odd, &odd->list[j], &odd->list[i]);

			if (!differs)
				odd->list[i].work = j;
			else if (*differs && !first)
				first = differs;
		}
	}
	return first;
}

/* ---- in words ------------------------------------------------------------ */

const char *const tw_odd_kinds[TW_ODD_KINDS] = { "device", "job", "host", "file" };

/* Describe whether the device itself takes longer, or the parts around it. */
static const char *where(const struct tw_odd_one *last, const struct tw_odd_one *next, int i)
{
	const double lat_ns = tw_histogram_mean_ns(&last->lat[i]) -
			      tw_histogram_mean_ns(&next->lat[i]);
	const double in_device_ns = tw_histogram_mean_ns(&last->in_device[i]) -
				    tw_histogram_mean_ns(&next->in_device[i]);

	/* Is the stage device known for most I/Os? */
	if (last->in_device[i].count <= last->lat[i].count / 2 ||
	    next->in_device[i].count <= next->lat[i].count / 2 || !(lat_ns > 0))
		return "";
	return in_device_ns > lat_ns / 2 ? "; most of the difference is in the stage device" :
					   "; most of the difference is not in the stage device";
}

const char *tw_odd_name(const struct tw_odd *odd, const struct tw_odd_one *one)
{
	return odd->has_hosts ? tw_format("%s:%s", one->host, one->name) : one->name;
}

static void say_slow(struct tw_growing_text *text, const struct tw_odd *odd,
		     const struct tw_odd_one *list, size_t count, size_t slow)
{
	const double last_ns = list[slow - 1].lat_ns, others_ns = median_ns(list, count, slow);

	tw_append_format(text, "odd: %s%s ", tw_odd_kinds[odd->kind], slow > 1 ? "s" : "");
	for (size_t i = 0; i < slow; i++)
		tw_append_format(text, "%s%s", i == 0 ? "" : i + 1 < slow ? ", " : " and ",
				 tw_odd_name(odd, &list[i]));
	tw_append_format(text, ": %s%.2f times the lat of the other%s (%s, %s)%s",
			 slow > 1 ? "at least " : "", last_ns / others_ns,
			 count - slow > 1 ? "s" : "", TW_SAY_NS(last_ns), TW_SAY_NS(others_ns),
			 list->has_windows ? ", throughout" :
			 "; by p50 only, so it may be for a part of the run");
	if (count < FEWEST)
		tw_append_format(text, "; of %zu: by a factor only", count);
	tw_append_format(text, "%s", where(&list[slow - 1], &list[slow], odd->direction));
}

/* ---- the rows ------------------------------------------------------------ */

static struct tw_odd_one *add_row(struct tw_odd *odd, const char *name, const char *host)
{
	struct tw_odd_one *one = &odd->list[odd->all++];

	*one = (struct tw_odd_one) { .name = name, .host = host };
	odd->has_hosts |= strcmp(host, odd->list->host) != 0;
	return one;
}

static void add_device(struct tw_odd *odd, const struct tw_report_device *device,
		       const char *name, const char *host)
{
	struct tw_odd_one *one = add_row(odd, name, host);

	one->device = device;
	one->lat = device->lat;
	one->in_device = device->in_device;
	one->windows = &device->over_time;
}

static void find_devices(struct tw_odd *odd, const struct tw_report_group *groups, size_t count)
{
	const struct tw_report *report;

	odd->own = tw_zalloc(1, sizeof(*odd->own));
	odd->own_count = 1;
	for (size_t i = 0; i < count && count > 1; i++) {
		if (tw_must(tw_report_collect_devices(odd->own, &groups[i].all)))
			return;		/* their sums don't fit */
		if (!odd->difference)
			odd->difference = job_difference(groups->all.jobs, groups[i].all.jobs);
	}
	report = count > 1 ? odd->own : &groups->all;
	odd->list = tw_zalloc(report->device_count + 1, sizeof(*odd->list));
	for (size_t i = 0; i < report->device_count && report->device_count > 1; i++)
		add_device(odd, &report->devices[i], report->devices[i].name,
			   report->devices[i].host);
}

/* Return the direction of an operation that attach names, such as "readv"; TW_DIRECTIONS: it is
 * of another kind. */
static int direction_of(const char *operation)
{
	int i = 0;

	while (i < TW_DIRECTIONS && !strstr(operation, tw_direction_names[i]))
		i++;
	return i;
}

/* Add what attach saw of a file to its row: all rings and operations of a direction. */
static void add_operation(struct tw_odd *odd, const char *file, const json_t *operation)
{
	const int direction = direction_of(tw_report_string(operation, "operation"));
	struct tw_histogram lat = { .count = 0 };
	struct tw_report_device *device;
	const char *wrong;
	size_t i = 0;

	if (direction == TW_DIRECTIONS || strcmp(file, "-") == 0 ||
	    tw_must(tw_histogram_from_json(&lat, json_object_get(json_object_get(
		operation, "stages"), tw_time_metrics[TW_LAT].name), &wrong)))
		return;
	while (i < odd->all && strcmp(odd->list[i].name, file))
		i++;
	device = &odd->own->devices[i];
	if (i == odd->all)
		add_device(odd, device, file, "");
	odd->own->device_count = odd->all;
	if (!tw_must(tw_histogram_merge_into_empty(&device->lat[direction], &lat))) {
		device->ios[direction] += lat.count;
		odd->list[i].bytes[direction] += tw_report_u64(operation, "bytes");
	}
	tw_histogram_free(&lat);
}

static void find_files(struct tw_odd *odd, const struct tw_report *report)
{
	const json_t *operations = json_object_get(report->attached, "operations");
	const size_t count = json_array_size(operations);

	odd->list = tw_zalloc(count + 1, sizeof(*odd->list));
	odd->own = tw_zalloc(1, sizeof(*odd->own));
	odd->own->devices = tw_zalloc(count + 1, sizeof(*odd->own->devices));
	odd->own_count = 1;
	for (size_t i = 0; i < count; i++)
		add_operation(odd, tw_report_string(json_array_get(operations, i), "file"),
			      json_array_get(operations, i));
}

static void add_report(struct tw_odd *odd, const struct tw_report *report, uint64_t run_ns)
{
	struct tw_odd_one *one = add_row(odd, report->jobs->name, report->jobs->host);

	one->report = report;
	one->lat = report->tally.times[TW_LAT];
	one->in_device = report->tally.times[TW_DEVICE];
	one->windows = &report->tally.over_time;
	one->run_ns = run_ns;
	for (size_t i = 0; i < report->job_count; i++)
		if (report->jobs[i].run_ns > one->run_ns)
			one->run_ns = report->jobs[i].run_ns;
}

/* Merge the rows of each host into one. Their sums fit, as those of all do. */
static void merge_hosts(struct tw_odd *odd)
{
	odd->own = tw_zalloc(odd->all, sizeof(*odd->own));
	for (size_t i = 0, j; i < odd->all; i++) {
		for (j = 0; j < odd->own_count; j++)
			if (!strcmp(odd->own[j].jobs->host, odd->list[i].host))
				break;
		odd->own_count += j == odd->own_count;
		tw_must(tw_report_add(&odd->own[j], odd->list[i].report));
	}
	odd->all = 0;
	for (size_t i = 0; i < odd->own_count; i++)
		add_report(odd, &odd->own[i], 0);
}

/* Of several groups each is a row; of one, each report that it was made of. Hosts are compared
 * if each has one row, or if all do the same. Jobs of one name are named by their files; several
 * in one file, as their own files would be. */
static void find_reports(struct tw_odd *odd, const struct tw_report_group *groups, size_t count)
{
	const size_t most = count > 1 ? count : groups->span.is_wanted ? 0 : groups->member_count;
	int same_names = 0, same_hosts = 0, same_files = 0;

	odd->list = tw_zalloc(most + 1, sizeof(*odd->list));
	for (size_t i = 0; i < most; i++)
		if (count == 1)
			add_report(odd, groups->members[i], 0);
		else if (!groups[i].is_empty)
			add_report(odd, &groups[i].all, groups[i].run_ns);
	if (odd->has_hosts && count == 1)
		merge_hosts(odd);
	for (size_t i = 1; i < odd->all; i++)
		for (size_t j = 0; j < i; j++) {
			same_names |= !strcmp(odd->list[i].name, odd->list[j].name);
			same_hosts |= !strcmp(odd->list[i].host, odd->list[j].host);
			same_files |= !strcmp(odd->list[i].report->jobs->path,
					      odd->list[j].report->jobs->path);
		}
	if (odd->all > 1 && !same_hosts)
		odd->kind = TW_ODD_HOSTS;
	odd->has_hosts &= same_hosts;
	for (size_t i = 0; i < odd->all; i++) {
		const struct tw_report_job *job = odd->list[i].report->jobs;
		const char *slash = strrchr(job->path, '/');

		if (odd->kind == TW_ODD_HOSTS)
			odd->list[i].name = odd->list[i].host;
		else if (same_names && same_files)
			odd->list[i].name = tw_format("%s.%llu.%llu", job->name,
				(unsigned long long)tw_report_u64(job->json, "thread_number"),
				(unsigned long long)tw_report_u64(job->json, "pid"));
		else if (same_names)
			odd->list[i].name = slash ? slash + 1 : job->path;
	}
}

/* ---- together ------------------------------------------------------------ */

void tw_odd_find(struct tw_odd *odd, enum tw_odd_kind kind,
		 const struct tw_report_group *groups, size_t count)
{
	*odd = (struct tw_odd) { .kind = kind };
	if (kind == TW_ODD_DEVICES)
		find_devices(odd, groups, count);
	else if (kind == TW_ODD_FILES)
		find_files(odd, &groups->all);
	else
		find_reports(odd, groups, count);
}

void tw_odd_free(struct tw_odd *odd)
{
	for (size_t i = 0; i < odd->own_count; i++)
		tw_report_free(&odd->own[i]);
	free(odd->own);
	free(odd->list);
}

/* Judge those of one kind of work, and write what was found. Return how many there are. */
static size_t judge(struct tw_odd *odd, struct tw_odd_one *list, struct tw_growing_text *text)
{
	const char *before = text->length ? "; " : "";
	size_t count = 1, slow;

	while (list + count < odd->list + odd->count && list[count].work == list->work)
		count++;
	if (count == 1)
		return 1;
	for (size_t i = 0; i < count; i++)
		if (list[i].parts < TW_ODD_PARTS || list[i].has_windows != list->has_windows) {
			tw_append_format(text, "%snot judged: %.60s lacks I/Os in some of %d "
					 "parts of the run", before, tw_odd_name(odd, &list[i]),
					 TW_ODD_PARTS);
			return count;
		}
	odd->judged += count;
	slow = tw_odd_judge(list, count);
	odd->slow += slow;
	for (size_t i = 0; i < slow; i++)
		list[i].is_slow = 1;
	if (slow) {
		tw_append_format(text, "%s", before);
		say_slow(text, odd, list, count, slow);
	}
	return count;
}

size_t tw_odd_rank(struct tw_odd *odd, int direction)
{
	struct tw_growing_text text = { .length = 0 };
	const char *differs;

	odd->direction = direction;
	odd->count = odd->slow = odd->judged = 0;
	/* Those without I/Os come last; then those of one kind of work come together. */
	for (size_t i = 0; i < odd->all; i++) {
		struct tw_odd_one one = odd->list[i];

		one.is_slow = 0;
		if (!one.lat[direction].count)
			continue;
		find_parts(&one, direction);
		odd->list[i] = odd->list[odd->count];
		odd->list[odd->count++] = one;
	}
	differs = find_work(odd);
	qsort(odd->list, odd->count, sizeof(*odd->list), by_order);
	for (size_t i = 0; i < odd->count;)
		i += judge(odd, &odd->list[i], &text);
	if (text.length)
		odd->text = text.bytes;
	else if (odd->judged)
		odd->text = tw_format("odd: none of %zu %ss%s", odd->judged,
				      tw_odd_kinds[odd->kind],
				      odd->list->has_windows && odd->judged >= FEWEST ? "" :
				      ", by a factor only");
	else
		odd->text = differs ? tw_format("not compared: they differ in %s", differs) : "";
	for (size_t i = 0; i < odd->count; i++) {
		odd->list[i].work = 0;
		odd->list[i].lat_ns = tw_histogram_mean_ns(&odd->list[i].lat[direction]);
	}
	qsort(odd->list, odd->count, sizeof(*odd->list), by_order);
	return odd->all > 1 ? odd->count : 0;
}

/* ---- JSON ---------------------------------------------------------------- */

/* Return the first ones of a list. */
static json_t *names_of(const struct tw_odd *odd, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_pack("{s:s, s:s*}", "name", odd->list[i].name,
			"host", *odd->list[i].host ? odd->list[i].host : NULL));
	return array;
}

/* Add {KIND: {DIRECTION: numbers}} to an object. */
static void add_json(json_t *object, enum tw_odd_kind kind, const struct tw_report_group *groups,
		     size_t count)
{
	struct tw_odd odd;

	tw_odd_find(&odd, kind, groups, count);
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		const char *key = tw_format("%ss", tw_odd_kinds[odd.kind]);

		if (!tw_odd_rank(&odd, i))
			continue;
		if (!json_object_get(object, key))
			json_object_set_new(object, key, json_object());
		json_object_set_new(json_object_get(object, key), tw_direction_names[i], json_pack(
			"{s:o, s:o, s:s}", "order", names_of(&odd, odd.count),
			"slow", odd.judged ? names_of(&odd, odd.slow) : json_null(),
			"text", odd.text));
	}
	tw_odd_free(&odd);
}

json_t *tw_odd_to_json(const struct tw_report_group *groups, size_t count, size_t i)
{
	json_t *object = json_object();

	add_json(object, TW_ODD_DEVICES, &groups[i], 1);
	add_json(object, TW_ODD_FILES, &groups[i], 1);
	if (i == 0 && count > 1)
		add_json(object, TW_ODD_JOBS, groups, count);
	if (json_object_size(object))
		return object;
	json_decref(object);
	return NULL;
}
