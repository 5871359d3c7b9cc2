/* SPDX-License-Identifier: MIT */
/*
 * Merges reports. The result does not depend on the order or the grouping of the merges:
 * each part is a sum, an extreme, or a set in an order of its own. tally.c merges the
 * metrics, merge_devices.c the devices.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "report/facts.h"
#include "report/waits.h"
#include "report/report_json.h"

/* Order values that nothing else does. */
static int compare_texts(const json_t *a, const json_t *b)
{
	const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY;
	char *text = a == b ? NULL : json_dumps(a, flags);
	char *other = text ? json_dumps(b, flags) : NULL;
	int by = other ? strcmp(text, other) : 0;

	free(text);
	free(other);
	return by;
}

/* ---- jobs ------------------------------------------------------------------------ */

int tw_report_compare_jobs(const struct tw_report_job *a, const struct tw_report_job *b)
{
	return tw_compare(a->start_ns, b->start_ns) ?: strcmp(a->host, b->host) ?:
	       strcmp(a->run, b->run) ?: tw_compare(a->pid, b->pid) ?:
	       tw_compare(a->thread_number, b->thread_number);
}

/* The new index of each job, by the old one. */
struct indices {
	size_t *into, *from;
};

/* Put the jobs of both in order. Return: 0; -EEXIST; -ENOMEM. */
static int add_jobs(struct tw_report *into, const struct tw_report *from,
		    const struct indices *indices)
{
	const size_t count = into->job_count + from->job_count;
	struct tw_report_job *jobs = calloc(count + 1, sizeof(*jobs));
	size_t i = 0, j = 0;

	if (!jobs)
		return -ENOMEM;
	while (i + j < count) {
		int by = i == into->job_count ? 1 : j == from->job_count ? -1 :
			 tw_report_compare_jobs(&into->jobs[i], &from->jobs[j]);

		if (by == 0) {
			free(jobs);
			return -EEXIST;
		}
		if (by < 0) {
			indices->into[i] = i + j;
			jobs[i + j] = into->jobs[i];
			i++;
		} else {
			indices->from[j] = i + j;
			jobs[i + j] = from->jobs[j];
			json_incref(from->jobs[j].common);
			json_incref(from->jobs[j++].json);
		}
	}
	free(into->jobs);
	into->jobs = jobs;
	into->job_count = count;
	return 0;
}

/* ---- machines, files ---------------------------------------------------------------- */

static int compare_strings(const json_t *a, const json_t *b, const char *key)
{
	return strcmp(tw_report_string(a, key) ?: "", tw_report_string(b, key) ?: "");
}

/* Put a machine or a file into a set, in the order of host, path and text. */
static void put_fact(json_t *set, json_t *fact)
{
	size_t low = 0, high = json_array_size(set);

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const json_t *other = json_array_get(set, middle);
		const int by = compare_strings(other, fact, "host") ?:
			       compare_strings(other, fact, "path") ?:
			       compare_texts(other, fact);

		if (by == 0)
			return;
		if (by < 0)
			low = middle + 1;
		else
			high = middle;
	}
	json_array_insert(set, low, fact);
}

void tw_report_add_set(json_t **into, const json_t *from)
{
	if (!*into)
		*into = json_array();
	for (size_t i = 0; i < json_array_size(from); i++)
		put_fact(*into, json_array_get(from, i));
}

/* ---- clocks ---------------------------------------------------------------------------- */

/* Return the clock that was farther off. If both errors are equal, as if nothing was seen,
 * it is the less certain one. */
static json_t *worse_clock(json_t *a, json_t *b)
{
	const double a_ppb = fabs(json_number_value(json_object_get(a, "error_ppb")));
	const double b_ppb = fabs(json_number_value(json_object_get(b, "error_ppb")));
	double by;

	if (!a || !b)
		return a ? a : b;
	by = a_ppb - b_ppb;
	if (!(by < 0) && !(by > 0))
		by = json_number_value(json_object_get(a, "uncertainty_ppb")) -
		     json_number_value(json_object_get(b, "uncertainty_ppb"));
	if (!(by < 0) && !(by > 0))
		by = compare_texts(a, b);
	return by < 0 ? b : a;
}

static void add_clocks(struct tw_report *into, const struct tw_report *from)
{
	json_t *clocks = json_object();

	for (unsigned i = 0; i < TW_REPORT_CLOCKS; i++) {
		const char *name = tw_report_clock_names[i];
		json_t *clock = worse_clock(json_object_get(into->clocks, name),
					    json_object_get(from->clocks, name));

		if (clock)
			json_object_set(clocks, name, clock);
	}
	json_decref(into->clocks);
	into->clocks = clocks;
}

/* Put a reason into an array in the order of the codes. Of equal codes the smallest text
 * is kept, and of too many codes the first ones: both depend on no order of merges. */
static void put_reason(json_t *reasons, const json_t *reason)
{
	json_t *own = json_object();
	size_t i = 0;
	int by = 1;

	json_object_set(own, "code", json_object_get(reason, "code"));
	json_object_set(own, "text", json_object_get(reason, "text"));
	while (i < json_array_size(reasons) &&
	       (by = compare_strings(json_array_get(reasons, i), own, "code")) < 0)
		i++;
	if (i == json_array_size(reasons) || by > 0)
		json_array_insert(reasons, i, own);
	else if (compare_strings(json_array_get(reasons, i), own, "text") > 0)
		json_array_set(reasons, i, own);
	json_array_remove(reasons, TW_REPORT_REASONS);
	json_decref(own);
}

static void add_counter(struct tw_report *into, const struct tw_report *from)
{
	const json_t *const both[] = { into->counter, from->counter };
	json_t *reasons = json_array(), *counter;

	for (int i = 0; i < 2; i++) {
		const json_t *all = json_object_get(both[i], "reasons");

		for (size_t j = 0; j < json_array_size(all); j++)
			put_reason(reasons, json_array_get(all, j));
	}
	if (from->verdict > into->verdict)
		into->verdict = from->verdict;
	counter = json_pack("{ss, so}", "verdict", tw_report_verdicts[into->verdict],
			    "reasons", reasons);
	json_decref(into->counter);
	into->counter = counter;
}

/* ---- the slowest I/Os ----------------------------------------------------------------- */

static int compare_slow(const void *left, const void *right, void *context)
{
	const struct tw_report_slow *a = left, *b = right;
	const struct tw_report *report = context;
	const struct tw_report_job *of_a = &report->jobs[a->job], *of_b = &report->jobs[b->job];

	return tw_compare(b->lat_ns, a->lat_ns) ?: strcmp(of_a->host, of_b->host) ?:
	       strcmp(of_a->run, of_b->run) ?:
	       tw_compare(of_a->thread_number, of_b->thread_number) ?:
	       tw_compare(tw_report_u64(a->json, "monotonic_ns"),
			  tw_report_u64(b->json, "monotonic_ns")) ?:
	       tw_compare(a->job, b->job) ?: compare_texts(a->json, b->json);
}

void tw_report_sort_slowest(struct tw_report *report)
{
	if (report->slow_count)
		qsort_r(report->slowest, report->slow_count, sizeof(*report->slowest),
			compare_slow, report);
}

/* Return the length of a list from which I/Os were cut; SIZE_MAX: none were. */
static size_t cut_at(const struct tw_report *report)
{
	uint64_t left = report->slow_count;

	for (unsigned i = 0; i < TW_DIRECTIONS; i++) {
		if (report->tally.counts[i].ios > left)
			return report->slow_count;
		left -= report->tally.counts[i].ios;
	}
	return SIZE_MAX;
}

/* Add the slowest I/Os of @from. Of the later ones of all, a list that was cut may lack
 * some. So the shortest of these gives the length @most. Return: 0; -ENOMEM. */
static int add_slowest(struct tw_report *into, const struct tw_report *from,
		       const struct indices *indices, size_t most)
{
	const size_t count = into->slow_count + from->slow_count;
	struct tw_report_slow *slowest = reallocarray(into->slowest, count + 1,
						      sizeof(*slowest));

	if (!slowest)
		return -ENOMEM;
	into->slowest = slowest;
	for (size_t i = 0; i < into->slow_count; i++)
		slowest[i].job = indices->into[slowest[i].job];
	for (size_t i = 0; i < from->slow_count; i++) {
		struct tw_report_slow *slow = &slowest[into->slow_count++];

		*slow = from->slowest[i];
		slow->job = indices->from[slow->job];
		json_incref(slow->json);
	}
	tw_report_sort_slowest(into);
	if (!tw_has(&into->tally, TW_METRIC_SLOWEST))
		most = 0;
	while (into->slow_count > most)
		json_decref(slowest[--into->slow_count].json);
	return 0;
}

/* ---- lists by job -------------------------------------------------------------------------- */

/* Put the elements of a list into an array in the order of jobs. */
static void put_by_job(json_t *array, const json_t *from, const size_t *indices)
{
	size_t at = 0;

	for (size_t i = 0; i < json_array_size(from); i++) {
		json_t *of = json_array_get(from, i);
		const uint64_t old = tw_report_u64(of, "job");
		const size_t job = indices[old];

		while (at < json_array_size(array) &&
		       tw_report_u64(json_array_get(array, at), "job") < job)
			at++;
		/* Others may share it. */
		of = job == old ? json_incref(of) : json_copy(of);
		if (job != old)
			json_object_set_new(of, "job", json_integer((json_int_t)job));
		json_array_insert_new(array, at++, of);
	}
}

static void add_by_job(json_t **into, const json_t *from, const struct indices *indices)
{
	json_t *array;

	if (!*into && !from)
		return;
	array = json_array();
	put_by_job(array, *into, indices->into);
	put_by_job(array, from, indices->from);
	json_decref(*into);
	*into = array;
}

/* ---- all ------------------------------------------------------------------------------------ */

unsigned tw_report_digits(const struct tw_report *report)
{
	return report->digits ? report->digits : tw_tally_digits(&report->tally);
}

/* Take what only the report of one job has, or merge it. */
static void add_facts(struct tw_report *into, const struct tw_report *from)
{
	const int is_first = !into->job_count;

	tw_report_add_set(&into->machines, from->machines);
	tw_report_add_set(&into->files, from->files);
	add_clocks(into, from);
	if (is_first) {
		into->counter = json_incref(from->counter);
		into->verdict = from->verdict;
		into->attached = json_incref(from->attached);
		into->clock = json_incref(from->clock);
	} else {
		add_counter(into, from);
	}
	if (!into->interval_ns || (from->interval_ns && from->interval_ns < into->interval_ns))
		into->interval_ns = from->interval_ns;
	if (!into->digits)
		into->digits = from->digits;
}

static int add_all(struct tw_report *into, const struct tw_report *from,
		   const struct indices *indices)
{
	const size_t a = into->job_count ? cut_at(into) : SIZE_MAX, b = cut_at(from);
	int error = tw_report_merge_devices(into, from);

	/* A file of intervals without lines has no numbers, which does not mean that its
	 * job lacks them. */
	if (!error && !tw_tally_is_empty(&from->tally))
		error = tw_tally_merge(&into->tally, &from->tally);
	if (error)
		return error;
	add_facts(into, from);
	error = add_jobs(into, from, indices);
	if (!error)
		error = add_slowest(into, from, indices, a < b ? a : b);
	if (error)
		return error;
	add_by_job(&into->triggers, from->triggers, indices);
	add_by_job(&into->others, from->others, indices);
	add_by_job(&into->commits, from->commits, indices);
	return tw_waits_merge(&into->waits, from->waits);
}

int tw_report_add(struct tw_report *into, const struct tw_report *from)
{
	const unsigned digits = tw_report_digits(into), others = tw_report_digits(from);
	struct indices indices;
	int error = -ENOMEM;

	if (into->job_count && (into->attached || from->attached ||
				(digits && others && digits != others)))
		return -EINVAL;
	indices.into = calloc(into->job_count + from->job_count + 1, sizeof(*indices.into));
	indices.from = indices.into ? indices.into + into->job_count : NULL;
	if (indices.into)
		error = add_all(into, from, &indices);
	free(indices.into);
	return !error && tw_json_lacked_memory() ? -ENOMEM : error;
}
