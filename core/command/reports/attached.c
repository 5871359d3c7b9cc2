/* SPDX-License-Identifier: MIT */
/*
 * Reads reports of `tickwise attach`, and describes them for the page. The
 * tables are in attached_table.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command/output/format.h"
#include "command/reports/attached.h"
#include "report/want.h"

#define OPERATION	"attached.operations[]."

/* ---- reading ----------------------------------------------------------------- */

static int check_stages(const json_t *operation, struct tw_report_problem *problem)
{
	json_t *stages = tw_want_object(operation, OPERATION, "stages", problem);
	const char *key, *wrong = "";
	json_t *value;

	json_object_foreach(stages, key, value) {
		struct tw_histogram histogram;
		int error = tw_histogram_from_json(&histogram, value, &wrong);

		if (error == -ENOMEM)
			return error;
		if (error)
			tw_report_refuse(problem, OPERATION "stages.%s: %s", key,
					 wrong);
		else
			tw_histogram_free(&histogram);
	}
	return 0;
}

static int check_operation(const json_t *operation, struct tw_report_problem *problem)
{
	static const char *const counts[] = {
		"ios", "split", "no_request", "missing_stamp", "sync_write", "waited",
		"linked", "drained", "empty", "errors", "cancelled", "no_cqe", "unseen",
	};

	tw_want_u64(operation, OPERATION, "ring", problem);
	tw_want_string(operation, OPERATION, "operation", problem);
	tw_want_string(operation, OPERATION, "file", problem);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		tw_want_u64(operation, OPERATION, counts[i], problem);
	return check_stages(operation, problem);
}

static void check_ring(const json_t *ring, struct tw_report_problem *problem)
{
	tw_want_u64(ring, "attached.rings[].", "ring", problem);
	tw_want_u64(ring, "attached.rings[].", "pid", problem);
	tw_want_real(ring, "attached.rings[].", "fd", problem);
	tw_want_u64(ring, "attached.rings[].", "sq_entries", problem);
	tw_want_u64(ring, "attached.rings[].", "cq_entries", problem);
	tw_want_string(ring, "attached.rings[].", "program", problem);
}

static void check_others(const json_t *json, struct tw_report_problem *problem)
{
	json_t *others = tw_want_object(json, "attached.", "others", problem);
	const char *key;
	json_t *value;

	json_object_foreach(others, key, value)
		tw_want_u64(others, "attached.others.", key, problem);
}

int tw_report_read_attached(struct tw_report *report,
			    struct tw_report_problem *problem)
{
	static const char *const counts[] = {
		"more_rings", "in_flight", "more_cqes", "lost_records", "lost_ios",
		"lost_rings", "lost_names", "lost_processes",
	};
	const json_t *json, *operations, *rings;
	int error = 0;

	if (!json_object_get(report->root, "attached"))
		return 0;
	json = tw_want_object(report->root, "", "attached", problem);
	operations = tw_want_array(json, "attached.", "operations", problem);
	rings = tw_want_array(json, "attached.", "rings", problem);
	report->attached = json;
	check_others(json, problem);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		tw_want_u64(json, "attached.", counts[i], problem);
	if (json_object_get(json, "missed_runs"))
		tw_want_u64(json, "attached.", "missed_runs", problem);
	for (size_t i = 0; i < json_array_size(rings); i++)
		check_ring(json_array_get(rings, i), problem);
	for (size_t i = 0; i < json_array_size(operations) && !error; i++)
		error = check_operation(json_array_get(operations, i), problem);
	return error;
}

/* ---- in words ---------------------------------------------------------------- */

int tw_report_is_attached(const struct tw_report_group *group)
{
	return group->members[0]->attached != NULL;
}

const char *tw_report_time_is(const struct tw_report_group *groups, size_t count,
			      int time)
{
	for (size_t i = 0; i < count; i++)
		if (!tw_report_is_attached(&groups[i]))
			return tw_report_times[time].is;
	if (time == TW_REPORT_LAT)
		return "from acceptance until the completion is in the ring: not what the "
		       "program does before and after";
	if (time == TW_KERNEL)
		return "not split: blockq to complete, or the stages around a missing stamp";
	return tw_report_times[time].is;
}

uint64_t tw_report_attached_rings(const json_t *attached)
{
	return json_array_size(json_object_get(attached, "rings")) +
	       tw_report_u64(attached, "more_rings") +
	       tw_report_u64(attached, "lost_rings");
}

void tw_report_add_attached_head(struct tw_page *page,
				 const struct tw_report_group *group)
{
	const struct tw_report *report = group->members[0];
	const uint64_t rings = tw_report_attached_rings(report->attached);
	char run[TW_FORMAT_SIZE];

	tw_page_more(page, "%s on host %s, seen from inside the kernel: process %llu and "
		     "those it started, %llu ring%s",
		     tw_format_ns(run, (double)group->run_ns), report->job.host,
		     (unsigned long long)report->job.pid, (unsigned long long)rings,
		     tw_format_plural(rings));
}

void tw_report_add_others(struct tw_page *page, const struct tw_report_group *group)
{
	json_t *others = json_object_get(group->members[0]->attached, "others");
	const char *key, *before = "not followed, as no I/O on files or block devices: ";
	json_t *value;

	if (!json_object_size(others))
		return;
	tw_page_remark(page, "%s", "");
	json_object_foreach(others, key, value) {
		tw_page_more(page, "%s%llu %s", before,
			     (unsigned long long)tw_report_u64(others, key), key);
		before = ", ";
	}
}

void tw_report_add_lost(struct tw_page *page, const struct tw_report_group *group)
{
	static const struct {
		const char *key, *words;
	} all[] = {
		{ "lost_records", "records lost, whose contents are not known" },
		{ "lost_ios", "I/Os too many in flight at once" },
		{ "lost_rings", "rings too many, whose I/Os are not known" },
		{ "lost_processes", "processes too many" },
		{ "in_flight", "I/Os in flight at the end" },
		{ "more_cqes", "completions before a request's last (multishot)" },
		{ "lost_names", "I/Os on files whose names are not known: too many files" },
		{ "missed_runs", "events for which the kernel skipped the program" },
	};
	const json_t *json = group->members[0]->attached;
	int any = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!tw_report_u64(json, all[i].key))
			continue;
		if (!any)
			tw_page_remark(page, "not in these tables: ");
		tw_page_more(page, "%s%llu %s", any++ ? ", " : "", (unsigned long long)
			     tw_report_u64(json, all[i].key), all[i].words);
	}
}
