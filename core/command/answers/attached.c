/* SPDX-License-Identifier: MIT */
/*
 * Describes reports of `tickwise attach` for the page. The tables are in
 * attached_table.c.
 */
#include "command/output/page.h"
#include "command/answers/attached.h"
#include "report/want.h"

int tw_report_is_attached(const struct tw_report_group *group)
{
	return group->all.attached != NULL;
}

const char *tw_report_time_is(const struct tw_report_group *groups, size_t count,
			      int time)
{
	for (size_t i = 0; i < count; i++)
		if (!tw_report_is_attached(&groups[i]))
			return tw_time_rows[time].words;
	if (time == TW_LAT)
		return "from acceptance until the completion is in the ring: not what the "
		       "program does before and after";
	if (time == TW_KERNEL)
		return "not split: blockq to complete, or the stages around a missing stamp";
	return tw_time_rows[time].words;
}

uint64_t tw_report_attached_rings(const struct tw_report_group *group)
{
	const struct tw_scalars *scalars = &group->all.tally.scalars;

	return json_array_size(json_object_get(group->all.attached, "rings")) +
	       scalars->more_rings + scalars->lost_rings;
}

void tw_report_add_attached_head(struct tw_page *page,
				 const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->all.jobs[0];
	const uint64_t rings = tw_report_attached_rings(group);
	char run[TW_FORMAT_SIZE];

	tw_page_more(page, "%s on host %s, seen from inside the kernel: process %llu and "
		     "those it started, %llu ring%s",
		     tw_format_ns(run, (double)group->run_ns), job->host,
		     (unsigned long long)job->pid, (unsigned long long)rings,
		     tw_format_plural(rings));
}

void tw_report_add_others(struct tw_page *page, const struct tw_report_group *group)
{
	json_t *others = json_object_get(group->all.attached, "others");
	const char *key, *before = "not followed (no I/O on files or block devices): ";
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

static void add_lost(struct tw_page *page, uint64_t value, const char *words, int *any)
{
	char text[TW_ROW_TEXT];

	if (!value)
		return;
	if (!*any)
		tw_page_remark(page, "not in these tables: ");
	tw_page_more(page, "%s%llu %s", *any ? ", " : "", (unsigned long long)value,
		     tw_row_words(text, words, value));
	*any = 1;
}

void tw_report_add_lost(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_scalars *scalars = &group->all.tally.scalars;
	int any = 0;

	for (unsigned i = TW_ROW_lost_records; i <= TW_ROW_more_cqes; i++)
		add_lost(page, tw_scalar_of(scalars, i - TW_COUNTS),
			 tw_scalar_rows[i - TW_COUNTS].words, &any);
	add_lost(page, scalars->missed_runs,
		 "event[s] for which the kernel skipped the program", &any);
}
