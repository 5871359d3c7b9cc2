/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes a report, as `tickwise report` reads it, and everything made of it:
 * merged, as a page, as JSON, as HTML and as a trace. Any bytes end in an answer or
 * in a line that tells what is wrong.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command.h"
#include "command/output/page.h"
#include "command/answers/json.h"
#include "command/answers/load.h"
#include "command/answers/merge.h"
#include "command/report/page.h"
#include "command/report/trace.h"

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

static void use(struct tw_report *reports, size_t report_count)
{
	struct tw_report_problem problem = { "" };
	struct tw_report_group *groups = NULL;
	size_t count = 0;

	if (tw_report_merge(reports, report_count, 0, &groups, &count, &problem))
		return;
	show(tw_report_page(groups, count,
			    TW_REPORT_WITH_HTML | TW_REPORT_WITH_CLOCKS));
	json_decref(tw_report_groups_to_json(groups, count));
	tw_report_write_trace(groups, count, "/dev/null", &problem);
	tw_report_groups_free(groups, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_report_problem problem = { "" };
	struct tw_report *reports = NULL;
	size_t count = 0;
	char path[32];
	char *const paths[] = { path };
	int fd = memfd_create("report", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (tw_report_load(&reports, &count, paths, 1, &problem) == TW_EXIT_GOOD)
		use(reports, count);
	else if (!problem.text[0])
		abort();
	tw_reports_free(reports, count);
	close(fd);
	return 0;
}
