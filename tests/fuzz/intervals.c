/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes a file of intervals, as `tickwise report` reads it: the whole run, a part
 * of it, and all that is made of it, which is a page, JSON, HTML and a heat map.
 * Any bytes end in an answer or in a line that tells what is wrong. All I/Os of the windows
 * over time are in the heat map.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command.h"
#include "command/output/page.h"
#include "command/report/page.h"
#include "command/answers/heat.h"
#include "command/answers/intervals.h"
#include "command/answers/json.h"
#include "command/answers/load.h"
#include "command/answers/merge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(struct tw_page *page)
{
	FILE *file = fopen("/dev/null", "w");

	if (!file)
		abort();
	tw_output_text(page, file);
	tw_output_html(page, file);
	fclose(file);
	tw_page_free(page);
}

static void draw(const struct tw_report_group *group)
{
	const struct tw_windows *windows = &group->all.tally.over_time;
	static struct tw_report_heat heat;
	uint64_t sum = 0;

	if (!tw_report_heat(&heat, group, TW_READ))
		return;
	for (size_t i = 0; i < heat.columns; i++)
		for (size_t j = 0; j < heat.rows; j++)
			sum += heat.counts[i][j];
	for (uint32_t i = 0; i < windows->count; i++)
		sum -= tw_windows_get(windows, i)->lat[TW_READ].count;
	if (sum)
		abort();
}

static void use(struct tw_report *report, const struct tw_report_span *span)
{
	struct tw_report_problem problem = { "" };
	struct tw_report_group *groups = NULL;
	size_t count = 0;

	if (tw_report_merge_span(report, 1, 0, span, &groups, &count, &problem)) {
		if (!problem.text[0])
			abort();
		return;
	}
	draw(groups);
	show(tw_report_page(groups, count, 1));
	json_decref(tw_report_groups_to_json(groups, count));
	tw_report_groups_free(groups, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct tw_report_span spans[] = {
		{ 0, 0, UINT64_MAX }, { 1, 1000000000, 3500000000 },
	};
	struct tw_report_problem problem = { "" };
	struct tw_report *reports = NULL;
	size_t count = 0;
	char path[32];
	char *const paths[] = { path };
	int fd = memfd_create("intervals", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (tw_report_load(&reports, &count, paths, 1, &problem) == TW_EXIT_GOOD)
		for (int i = 0; i < 2 && tw_intervals_are_in(path); i++)
			use(reports, &spans[i]);
	else if (!problem.text[0])
		abort();
	tw_reports_free(reports, count);
	close(fd);
	return 0;
}
