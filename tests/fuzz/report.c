/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes a report, or a file of intervals, as `tickwise report` reads it, and everything made
 * of it: merged, as a page, as JSON, as HTML with plots and as a trace; of intervals a part of
 * the run, too. Any bytes end in an answer or in a line that tells what is wrong.
 */
#include "command.h"
#include "base/allocate.h"
#include "command/analysis/interval_files.h"
#include "command/analysis/analysis.h"
#include "command/report/report_parts.h"
#include "fuzz.h"

/* @span: a part of the run, for intervals only. */
static void use(struct tw_report *reports, size_t count, const struct tw_report_span *span)
{
	struct tw_report_problem problem = { "" };
	struct tw_report_group *groups = NULL;
	size_t group_count = 0;

	if (tw_report_merge(reports, count, 0, span, &groups, &group_count, &problem)) {
		if (!problem.text[0])
			abort();
		return;
	}
	fuzz_show(tw_report_page(groups, group_count,
				 TW_REPORT_WITH_HTML | TW_REPORT_WITH_ALL));
	json_decref(tw_report_groups_to_json(groups, group_count));
	tw_report_write_trace(groups, group_count, "/dev/null", &problem);
	tw_report_groups_free(groups, group_count);
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
	int fd = fuzz_file(data, size, path);

	if (tw_report_load(&reports, &count, paths, 1, &problem) != TW_EXIT_GOOD) {
		if (!problem.text[0])
			abort();
	} else if (tw_intervals_are_in(path)) {
		use(reports, count, &spans[0]);
		use(reports, count, &spans[1]);
	} else {
		use(reports, count, NULL);
	}
	tw_reports_free(reports, count);
	tw_release_texts();
	close(fd);
	return 0;
}
