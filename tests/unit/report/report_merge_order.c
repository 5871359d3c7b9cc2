/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/latency
 *
 * Merging reports gives the same bytes in any order and grouping, also if merged reports
 * are written and read in between. A job is in a merged report once.
 *
 * Fails if a part of a report merges by the order in which it comes: the first fact is
 * kept, a list is not sorted, a cut list loses its length, a device keeps only some I/Os.
 */
#include <errno.h>
#include <unistd.h>

#include "report_made.h"

#define SETS		30
#define MOST		8
#define ORDERS		4		/* of each set */

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
		if (!tw_has(&reports[i].tally, TW_METRIC_SLOWEST))
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

static int has_all_reports(const struct tw_report *merged, const struct tw_report *reports,
			   size_t count)
{
	uint64_t ios[TW_DIRECTIONS] = { 0 };
	size_t triggers = 0, behind = 0, commits = 0;
	int right = merged->job_count == count;

	for (size_t i = 0; i < count; i++) {
		triggers += json_array_size(reports[i].triggers);
		behind += json_array_size(reports[i].others);
		commits += json_array_size(reports[i].commits);
		for (unsigned j = 0; j < TW_DIRECTIONS; j++)
			ios[j] += reports[i].tally.counts[j].ios;
	}
	for (unsigned j = 0; j < TW_DIRECTIONS; j++)
		right &= merged->tally.counts[j].ios == ios[j];
	return right && json_array_size(merged->triggers) == triggers &&
	       json_array_size(merged->others) == behind &&
	       json_array_size(merged->commits) == commits;
}

/* @twice: becomes 1 more if a report is refused that is there already. */
static int set_is_right(const struct tw_report *reports, size_t count, int *twice)
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
	*twice += tw_report_add(&merged, &reports[below(count)]) == -EEXIST;
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
	/* Most merges are of small histograms: those of 3 digits take five times as long. */
	const unsigned digits = 1 + (unsigned)(below(6) ? below(2) : 2);
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
		struct tw_report reports[MOST];
		const size_t count = 3 + below(MOST - 2);

		changed += make_set(reports, count);
		wrong += !set_is_right(reports, count, &twice);
		for (size_t j = 0; j < count; j++)
			tw_report_free(&reports[j]);
	}
	tap_ok(changed == 0, "a report that was written and read is written as before");
	tap_is_u64((uint64_t)wrong, 0, "sets whose merge depends on the order or grouping");
	tap_is_u64((uint64_t)twice, SETS, "a job that is there already is refused");
}

int main(void)
{
	alarm(300);
	state = tap_seed();
	check_sets();
	return tap_done();
}
