/* SPDX-License-Identifier: MIT */
/*
 * What else a device had in flight when it got an I/O (tw_causes), in words.
 */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/analysis/analysis.h"
#include "command/output/page.h"
#include "report/waits.h"

const char *const tw_others_text[TW_REPORT_OTHERS_KINDS - 1] = {
	"reads", "writes", "flushes", "discards", "commands",
};

/* As a count of requests has them. */
static const char *const words[] = {
	"read[s]", "write[s]", "flush[es]", "discard[s]", "other command[s]",
};

/* Return the kind that the I/O was behind; TW_REPORT_OTHERS_KINDS - 1: it was alone; -1: that is
 * not known. */
static int kind_of(const json_t *slow)
{
	const json_t *others = json_object_get(slow, "in_flight_of_others");
	const char *behind = tw_report_string(others, "kind");

	for (int i = 0; others && behind && tw_others_kinds[i]; i++)
		if (!strcmp(tw_others_kinds[i], behind))
			return i;
	return others && !behind ? TW_REPORT_OTHERS_KINDS - 1 : -1;
}

const char *tw_report_say_others(const json_t *slow, int is_single)
{
	const json_t *others = json_object_get(slow, "in_flight_of_others");
	const json_t *who = json_object_get(others, "who");
	const uint64_t requests = tw_report_u64(others, "requests");
	const uint64_t theirs = who ? tw_report_u64(who, "requests") : requests;
	const uint64_t bytes = tw_report_u64(others, "bytes");
	const int kind = kind_of(slow);
	const char *name = "others";

	if (kind < 0)
		return NULL;
	/* Of several I/Os nobody is named who has less than half. */
	if (who && (is_single || (bytes ? 2 * tw_report_u64(who, "bytes") >= bytes :
				  2 * theirs >= requests)))
		name = tw_report_say_holder(who, is_single);
	if (kind == TW_REPORT_OTHERS_KINDS - 1)
		return "no I/O of others in flight";
	if (!is_single)
		return tw_format("behind %s of %s", tw_others_text[kind], name);
	return tw_format("behind %s%s of %s%s", TW_SAY_COUNT(requests, words[kind]),
			 bytes ? tw_format(" (%s)", TW_SAY_BYTES(bytes)) : "",
			 theirs < requests ? tw_format("others, %llu of them of ",
						       (unsigned long long)theirs) : "", name);
}

/* ---- sums by name ---------------------------------------------------------------- */

#define MOST_NAMES	4
#define LEAST_SHARE	0.005	/* 1 %, rounded */

struct sum {
	const char *name;
	double ns;		/* or a number of I/Os */
};

static int longer_first(const void *a, const void *b)
{
	const struct sum *left = a, *right = b;

	return tw_compare_real(right->ns, left->ns);
}

/* @by_name: an object of numbers. */
static void add(json_t *by_name, const char *name, double ns)
{
	ns += json_real_value(json_object_get(by_name, name));
	tw_must(json_object_set_new_nocheck(by_name, name, json_real(ns)) ? -ENOMEM : 0);
}

/* Return the longest with their shares, and free them. NULL: there is none. */
static const char *say_sums(json_t *by_name, double all_ns)
{
	struct sum *sums = tw_zalloc(json_object_size(by_name) + 1, sizeof(*sums));
	struct tw_growing_text text = { .length = 0 };
	const char *name;
	size_t count = 0;
	json_t *sum;

	json_object_foreach(by_name, name, sum)
		sums[count++] = (struct sum) { name, json_real_value(sum) };
	qsort(sums, count, sizeof(*sums), longer_first);
	for (size_t i = 0; i < count && i < MOST_NAMES && all_ns > 0 &&
	     sums[i].ns >= LEAST_SHARE * all_ns; i++)
		tw_append_format(&text, "%s%s %.0f %%", i ? ", " : "", sums[i].name,
				 100 * sums[i].ns / all_ns);
	free(sums);
	json_decref(by_name);
	return text.bytes;
}

/* Is @who the process of the job that measured it? The file system sends these requests,
 * and not the ring of the job. */
static int is_own(const struct tw_report *report, const json_t *of, const json_t *who)
{
	const uint64_t job = tw_report_u64(of, "job");

	return !strcmp(tw_report_string(who, "kind"), "process") && job < report->job_count &&
	       tw_report_u64(who, "id") == tw_report_u64(report->jobs[job].json, "pid");
}

/* The same name in two jobs is one. */
const char *tw_report_say_others_sums(const struct tw_report *report, int direction, double all_ns)
{
	json_t *sums = json_object();

	for (size_t i = 0; i < json_array_size(report->others); i++) {
		const json_t *of = json_array_get(report->others, i);
		const json_t *by = json_object_get(of, "who");
		const char *kind = tw_report_string(of, "kind");
		int k = 0;

		if (strcmp(tw_report_string(of, "ddir"), tw_direction_names[direction]))
			continue;
		while (tw_others_kinds[k] && strcmp(tw_others_kinds[k], kind))
			k++;
		add(sums, tw_format("%s of %s", tw_others_kinds[k] ? tw_others_text[k] : kind,
				    is_own(report, of, by) ? "the job itself" :
				    tw_report_say_holder(by, 1)),
		    (double)tw_report_u64(of, "device_ns"));
	}
	return say_sums(sums, all_ns);
}

const char *tw_report_say_others_of_waits(const struct tw_waits *waits, uint64_t *counted)
{
	json_t *sums = json_object();
	double all_ns = 0, behind_ns = 0;

	*counted = 0;
	for (size_t i = 0; i < waits->count; i++) {
		const char *owner;
		json_t *of;

		json_object_foreach(waits->rows[i]->others, owner, of) {
			const char *kind = tw_report_string(of, "kind");
			const json_t *who = json_object_get(of, "who");
			const double ns = (double)tw_report_u64(of, "device_ns");

			add(sums, !kind ? "without I/O of others" : tw_format("behind %s of %s", kind,
			    who ? tw_report_say_holder(who, 0) : "others"), ns);
			*counted += tw_report_u64(of, "waits");
			all_ns += ns;
			behind_ns += kind ? ns : 0;
		}
	}
	return say_sums(sums, behind_ns >= LEAST_SHARE * all_ns ? all_ns : 0);
}

/* ---- commits of a journal -------------------------------------------------------- */

const char *tw_report_say_commit(const json_t *slow, int is_single)
{
	const json_t *commit = json_object_get(slow, "commit");
	const json_t *who = json_object_get(commit, "who");
	const uint64_t others = tw_report_u64(commit, "others");

	if (!who)
		return NULL;
	return tw_format("for a commit with handles of %s%s", tw_report_say_holder(who, is_single),
			 is_single && others > 1 ? tw_format(" and %s", TW_SAY_COUNT(others - 1,
				"other process[es]")) : "");
}

const char *tw_report_say_commits(const struct tw_report *report, uint64_t syncs)
{
	json_t *sums = json_object();

	for (size_t i = 0; i < json_array_size(report->commits); i++) {
		const json_t *of = json_array_get(report->commits, i);

		add(sums, tw_report_say_holder(json_object_get(of, "who"), 1),
		    (double)tw_report_u64(of, "ios"));
	}
	return say_sums(sums, (double)syncs);
}
