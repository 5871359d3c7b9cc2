/* SPDX-License-Identifier: MIT */
/*
 * tickwise diff: tells whether figures changed from one set of runs to another.
 */
#include "command/command.h"
#include "command/diff/diff.h"

#define NAME	"diff"

struct wanted {
	struct tw_wanted as;
	double threshold_percent, level_percent;
	int all;
};

#define AT(member)	TW_OPTION_AT(struct wanted, member)

static const struct tw_option table[] = {
	{ .name = "threshold", .kind = TW_OPTION_PERCENT, .value = "PERCENT",
	  .min = 0, .max = 1000, .preset = "0%",
	  .help = "Count a change only if its whole interval is beyond this",
	  .more = "5% is a latency of 1.05 times and more, and I/Os per second of 1/1.05 "
		  "times and less. The verdict `same` excludes a change above it.",
	  AT(threshold_percent) },
	{ .name = "level", .kind = TW_OPTION_PERCENT, .value = "PERCENT",
	  .min = 0.01, .max = 5, .preset = "5%",
	  .help = "Let the chance of a false alarm be at most this",
	  .more = "Compare more than once while the runs go on, and each time needs a smaller "
		  "chance: 5 % divided by the number of times.", AT(level_percent) },
	{ .name = "all",
	  .help = "Print each figure and stage, not only what changed and the most important",
	  .more = "Of more than four options of fio that differ, it has the values, too.",
	  AT(all) },
	{ .name = "json", .sets = TW_FORM_JSON,
	  .help = "Print one JSON object, of schema tickwise-diff, instead of a page",
	  .more = "Its keys are below.", AT(as.form) },
	TW_OPTION_CSV(struct wanted, as, "figure"),
	{ .name = "html", .kind = TW_OPTION_FILE, .value = "FILE", .is_written = 1,
	  .help = "Write the page as HTML, with plots of both sides, to FILE, too", AT(as.html) },
	{ .name = NULL },
};

const struct tw_options tw_diff_options = {
	.command = NAME,
	.arguments = "A... -- B...",
	.arguments_kind = TW_OPTION_FILE,
	.about =
	"Compare two sets of runs by the reports that the fio engine or `attach --json` "
	"wrote: I/Os per second, mean and percentiles of the latency, each stage, and waits.\n"
	"Reports of one run of fio are merged. With 5 and more runs of each side, which "
	"take turns, there is a verdict: slower, faster, mixed, no change, or too noisy "
	"to exclude one. With less, only whether these runs differ.",
	.codes =
	"Exit codes: 0 faster or no change, 1 slower or mixed, 2 too noisy or too few runs "
	"for a verdict, or they did not take turns, 64 wrong command line, 65 a file is not "
	"a report, or the runs have nothing in common, 66 a file can't be opened, 70 out of "
	"memory, 74 the output could not be written.",
	.table = table,
	.common = TW_HAS_OUTPUT,
};

int tw_diff_compare(struct tw_diff *diff, char **a, size_t a_count, char **b, size_t b_count,
		    struct tw_report_problem *problem)
{
	int code = tw_diff_read(diff, TW_DIFF_A, a, a_count, problem);

	if (code == TW_EXIT_GOOD)
		code = tw_diff_read(diff, TW_DIFF_B, b, b_count, problem);
	if (code == TW_EXIT_GOOD)
		code = tw_diff_find_runs(diff, problem);
	if (code == TW_EXIT_GOOD)
		code = tw_diff_find_figures(diff, problem);
	if (code != TW_EXIT_GOOD)
		return code;
	tw_diff_find_facts(diff);
	tw_diff_judge(diff);
	return TW_EXIT_GOOD;
}

int tw_command_diff(char **argv)
{
	struct wanted wanted = { 0 };
	struct tw_diff diff = { .options = { NULL, 0 } };
	struct tw_report_problem problem = { "" };
	struct tw_arguments files;
	struct tw_page *page;
	int code = tw_command_options(&tw_diff_options, &wanted, argv, &files);
	char **b;

	if (code != TW_GO_ON)
		return code;
	b = files.after_dashes;
	/* Two files need no -- between them. */
	if (!b && files.count == 2)
		b = files.list + 1;
	if (!b || b == files.list || b == files.list + files.count)
		return tw_command_fail(NAME, TW_EXIT_USAGE, "reports of two sides are "
				       "needed: A... -- B... (see --help)");
	diff.threshold = 1 + wanted.threshold_percent / 100;
	diff.level = wanted.level_percent / 100;
	code = tw_diff_compare(&diff, files.list, (size_t)(b - files.list), b,
			       (size_t)(files.list + files.count - b), &problem);
	if (code == TW_EXIT_GOOD) {
		page = tw_diff_page(&diff, (wanted.as.html ? TW_DIFF_WITH_PLOTS : 0) |
				    (wanted.all ? TW_DIFF_WITH_ALL : 0));
		code = tw_command_show(NAME, &wanted.as, page, tw_diff_csv(page, &diff),
				       tw_diff_to_json(&diff));
		if (code == TW_EXIT_GOOD)
			code = tw_diff_verdicts[diff.verdict].exit;
	} else {
		tw_command_fail(NAME, code, "%s", problem.text);
	}
	tw_diff_free(&diff);
	return code;
}
