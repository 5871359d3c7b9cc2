/* SPDX-License-Identifier: MIT */
/*
 * Reads the reports that standard input names, a line each, for report_schema.t. Prints
 * "FILE 0" for one that is taken and "FILE 65" for one that is refused: the exit codes of
 * `tickwise report`, without starting it for each.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

static int code_of(const char *path)
{
	struct tw_report report = { .jobs = NULL };
	struct tw_report_problem problem = { "" };
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	const int error = root ? tw_report_from_json(&report, root, path, &problem) : -1;

	json_decref(root);
	tw_report_free(&report);
	return error || problem.text[0] ? 65 : 0;
}

int main(void)
{
	char path[4096];

	while (fgets(path, sizeof(path), stdin)) {
		path[strcspn(path, "\n")] = '\0';
		printf("%s %d\n", path, code_of(path));
	}
	return 0;
}
