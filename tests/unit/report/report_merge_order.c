/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/latency
 *
 * Merging reports gives the same bytes in any order and grouping, also if merged reports
 * are written and read in between. A job is in a merged report once. Hundreds of jobs take
 * little more than one.
 *
 * Fails if a part of a report merges by the order in which it comes: the first fact is
 * kept, a list is not sorted, a cut list loses its length, a device keeps only some I/Os.
 */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "report_made.h"

#define SETS		30
#define MOST		8
#define ORDERS		4		/* of each set */
#define MANY		200

static uint64_t state;

static uint64_t below(uint64_t limit)
{
	return tap_random(&state) % limit;
}

static int read_report(struct tw_report *report, const json_t *json)
{
	struct tw_report_problem problem = { "" };
	int error = tw_report_from_json(report, json, "", &problem);

	if (problem.text[0])
		tap_note("refused: %s", problem.text);
	return error || problem.text[0];
}

/* Return the report as it is written; to be freed. */
static char *text_of(const struct tw_report *report)
{
	json_t *json = tw_report_to_json(report);
	char *text = json_dumps(json, 0);

	json_decref(json);
	return text;
}

/* Replace a report by what is read from its text. */
static int through_file(struct tw_report *report)
{
	char *text = text_of(report);
	json_t *json = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
	int failed;

	tw_report_free(report);
	failed = !json || read_report(report, json);
	json_decref(json);
	free(text);
	return failed;
}

/* Merge @count reports in a random grouping into @into. */
static int merge_groups(struct tw_report *into, const struct tw_report *const *reports,
			size_t count)
{
	int error = 0;

	*into = (struct tw_report) { .jobs = NULL };
	while (count && !error) {
		const size_t part = 1 + below(count);
		struct tw_report merged = { .jobs = NULL };

		if (part == 1 || (!into->job_count && part == count)) {
			error = tw_report_add(into, *reports++);
			count--;
			continue;
		}
		error = merge_groups(&merged, reports, part);
		if (!error && !below(3))
			error = through_file(&merged);
		if (!error)
			error = tw_report_add(into, &merged);
		tw_report_free(&merged);
		reports += part;
		count -= part;
	}
	return error;
}

static void shuffle(const struct tw_report **reports, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		const size_t j = below(i);
		const struct tw_report *report = reports[i - 1];

		reports[i - 1] = reports[j];
		reports[j] = report;
	}
}

/* Print the first difference of two texts. */
static void note_difference(const char *is, const char *other)
{
	size_t at = 0;

	while (is[at] && is[at] == other[at])
		at++;
	at = at < 100 ? 0 : at - 100;
	tap_note("%.160s", is + at);
	tap_note("%.160s", other + at);
}

/* ---- random sets ----------------------------------------------------------------- */

/* Return 1 if the slowest I/Os are as many as the shortest list that was cut. */
static int slowest_are_kept(const struct tw_report *merged, const struct tw_report *reports,
			    size_t count)
{
	size_t all = 0, most = SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		uint64_t ios = 0;

		if (tw_tally_is_empty(&reports[i].tally))
			continue;
		for (unsigned j = 0; j < TW_DIRECTIONS; j++)
			ios += reports[i].tally.counts[j].ios;
		if (!tw_has(&reports[i].tally, TW_ROW_SLOWEST))
			return merged->slow_count == 0;
		all += reports[i].slow_count;
		if (reports[i].slow_count < ios && reports[i].slow_count < most)
			most = reports[i].slow_count;
	}
	return merged->slow_count == (all < most ? all : most);
}

/* Return 1 if the devices have the I/Os of all reports whose devices are known. */
static int devices_have_all(struct tw_report *merged, const struct tw_report *reports,
			    size_t count)
{
	uint64_t should = 0, is = 0;

	if (tw_report_fill_devices(merged))
		return 0;
	for (size_t i = 0; i < merged->device_count; i++)
		for (unsigned j = 0; j < TW_DIRECTIONS; j++)
			is += merged->devices[i].ios[j];
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < reports[i].device_count; k++)
			for (unsigned j = 0; j < TW_DIRECTIONS; j++)
				should += reports[i].devices[k].has_all ?
					  reports[i].tally.counts[j].ios :
					  reports[i].devices[k].ios[j];
	return is == should;
}

static const struct tw_report_job *same_job(const struct tw_report *merged,
					    const struct tw_report_job *job)
{
	for (size_t i = 0; i < merged->job_count; i++)
		if (!tw_report_compare_jobs(&merged->jobs[i], job))
			return &merged->jobs[i];
	return NULL;
}

static int has_reasons(const struct tw_report *merged, const struct tw_report *report)
{
	const json_t *all = json_object_get(merged->counter, "reasons");
	const json_t *own = json_object_get(report->counter, "reasons");

	for (size_t i = 0; i < json_array_size(own); i++) {
		const json_t *code = json_object_get(json_array_get(own, i), "code");
		size_t j = 0;

		while (j < json_array_size(all) &&
		       !json_equal(code, json_object_get(json_array_get(all, j), "code")))
			j++;
		if (j == json_array_size(all))
			return 0;
	}
	return 1;
}

/* Return 1 if none of the report's clocks is worse than that of the merged report. */
static int has_worst_clocks(const struct tw_report *merged, const struct tw_report *report)
{
	const char *name;
	json_t *clock;
	int right = 1;

	json_object_foreach(report->clocks, name, clock) {
		const json_t *worst = json_object_get(merged->clocks, name);

		right &= worst && fabs(json_real_value(json_object_get(worst, "error_ppb"))) >=
			 fabs(json_real_value(json_object_get(clock, "error_ppb")));
	}
	return right;
}

/* Return 1 if a merged report has what a report of one job has. */
static int has_report(const struct tw_report *merged, const struct tw_report *report)
{
	const struct tw_report_job *job = same_job(merged, report->jobs);

	return job && (!report->jobs->options || json_equal(job->options,
							    report->jobs->options)) &&
	       merged->verdict >= report->verdict && has_reasons(merged, report) &&
	       has_worst_clocks(merged, report);
}

static int has_all_reports(const struct tw_report *merged, const struct tw_report *reports,
			   size_t count)
{
	uint64_t ios[TW_DIRECTIONS] = { 0 };
	size_t triggers = 0;
	int right = merged->job_count == count;

	for (size_t i = 0; i < count; i++) {
		right &= has_report(merged, &reports[i]);
		triggers += json_array_size(reports[i].triggers);
		for (unsigned j = 0; j < TW_DIRECTIONS; j++)
			ios[j] += reports[i].tally.counts[j].ios;
	}
	for (unsigned j = 0; j < TW_DIRECTIONS; j++)
		right &= merged->tally.counts[j].ios == ios[j];
	return right && json_array_size(merged->triggers) == triggers;
}

static int set_is_right(const struct tw_report *reports, size_t count)
{
	const struct tw_report *order[MOST];
	struct tw_report merged = { .jobs = NULL };
	char *should = NULL;
	int right = 1;

	for (size_t i = 0; i < count; i++) {
		order[i] = &reports[i];
		right &= !tw_report_add(&merged, &reports[i]);
	}
	should = right ? text_of(&merged) : NULL;
	right = should && has_all_reports(&merged, reports, count) &&
		slowest_are_kept(&merged, reports, count) &&
		devices_have_all(&merged, reports, count);
	tw_report_free(&merged);
	for (int i = 0; i < ORDERS && right; i++) {
		char *text = NULL;

		shuffle(order, count);
		if (!merge_groups(&merged, order, count))
			text = text_of(&merged);
		right = text && strcmp(text, should) == 0;
		if (text && !right)
			note_difference(text, should);
		free(text);
		tw_report_free(&merged);
	}
	free(should);
	return right;
}

/* Return 1 if a report is read as one whose only device has all I/Os, or is not. */
static int has_all_is_right(const struct tw_report *report, const json_t *json)
{
	const json_t *devices = json_object_get(json, "devices");

	return report->device_count != 1 || report->devices->has_all ==
	       !json_object_get(json_array_get(devices, 0), "jobs");
}

/* Make and read a set. Count those that are not the same after writing and reading. */
static int make_set(struct tw_report *reports, size_t count)
{
	const unsigned digits = 1 + (unsigned)below(3);
	int changed = 0;

	for (size_t i = 0; i < count; i++) {
		json_t *json = made_report(&state, digits, i);
		char *text, *again = NULL;

		changed |= read_report(&reports[i], json);
		changed |= !has_all_is_right(&reports[i], json);
		json_decref(json);
		text = text_of(&reports[i]);
		if (!through_file(&reports[i]))
			again = text_of(&reports[i]);
		changed |= !text || !again || strcmp(text, again);
		if (text && again && strcmp(text, again))
			note_difference(again, text);
		free(text);
		free(again);
	}
	return changed;
}

static void check_sets(void)
{
	int wrong = 0, changed = 0, twice = 0;

	for (int i = 0; i < SETS; i++) {
		struct tw_report reports[MOST], merged = { .jobs = NULL };
		const size_t count = 3 + below(MOST - 2);

		changed += make_set(reports, count);
		wrong += !set_is_right(reports, count);
		for (size_t j = 0; j < count; j++)
			wrong += tw_report_add(&merged, &reports[j]) != 0;
		twice += tw_report_add(&merged, &reports[below(count)]) == -EEXIST;
		tw_report_free(&merged);
		for (size_t j = 0; j < count; j++)
			tw_report_free(&reports[j]);
	}
	tap_ok(changed == 0, "a report that was written and read is written as before");
	tap_is_u64((uint64_t)wrong, 0, "sets whose merge depends on the order or grouping");
	tap_is_u64((uint64_t)twice, SETS, "a job that is there already is refused");
}

/* ---- hundreds of jobs ----------------------------------------------------------------- */

/* Return the report of a job with the options that a job file often has. */
static json_t *one_of_many(uint64_t number)
{
	static const char *const options[] = {
		"rw", "bs", "size", "direct", "ioengine", "iodepth", "iodepth_batch", "runtime",
		"time_based", "ramp_time", "numjobs", "group_reporting", "norandommap",
		"randrepeat", "tw_report", "tw_interval", "tw_slowest", "tw_stages",
		"tw_kernel", "registerfiles", "fixedbufs", "thread", "loops", "verify",
	};
	json_t *json, *all = json_object();

	state = 5;
	json = made_report(&state, 2, number);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		json_object_set_new(all, options[i], json_string("a value of an option"));
	json_object_set_new(all, "filename", made_text("/mnt/data/randread.", number));
	json_object_set_new(all, "offset", made_text("", number << 30));
	json_object_set_new(json, "options", all);
	json_object_set_new(json_array_get(json_object_get(json, "jobs"), 0), "options",
			    json_object());
	return json;
}

static size_t bytes_of(const json_t *json, const char *key)
{
	char *text = json_dumps(json_object_get(json, key), JSON_COMPACT);
	const size_t bytes = text ? strlen(text) : SIZE_MAX / 8;

	free(text);
	return bytes;
}

static void check_many(void)
{
	struct tw_report merged = { .jobs = NULL };
	json_t *json;
	size_t bytes;
	int error = 0;

	for (uint64_t i = 0; i < MANY && !error; i++) {
		struct tw_report report;

		json = one_of_many(i);
		error = read_report(&report, json);
		json_decref(json);
		if (!error)
			error = tw_report_add(&merged, &report);
		tw_report_free(&report);
	}
	json = tw_report_to_json(&merged);
	bytes = (bytes_of(json, "jobs") + bytes_of(json, "options") +
		 bytes_of(json, "machines")) / MANY;
	tap_note("%zu bytes a job", bytes);
	tap_ok(!error && merged.job_count == MANY, "%d jobs are merged", MANY);
	tap_ok(bytes < 2048, "a job takes less than 2 KB");
	tap_is_u64(json_array_size(json_object_get(json, "machines")), 1, "machines");
	json_decref(json);
	tw_report_free(&merged);
}

int main(void)
{
	alarm(300);
	state = tap_seed();
	check_sets();
	check_many();
	return tap_done();
}
