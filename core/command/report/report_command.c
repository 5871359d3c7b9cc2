/* SPDX-License-Identifier: MIT */
/*
 * tickwise report: merges the engine's reports, and prints a page or JSON.
 * Options add files of percentiles, HTML and a trace. Either all reports are
 * good and shown, or none is shown. Of reports that servers sent, those that came whole are
 * shown.
 */
#include "command/command.h"
#include "command/report/report_parts.h"

#define NAME	"report"

struct wanted {
	struct tw_wanted as;
	int of_hosts;			/* merge reports of several hosts */
	int all;			/* text shows what else only HTML does */
	const char *percentiles;	/* a prefix; NULL: no files */
	const char *trace;		/* a path; NULL: no file */
	uint64_t from_ns, to_ns;	/* part of the run */
};

static const struct tw_option table[] = {
	{ .name = "json", .sets = TW_FORM_JSON,
	  .help = "Print the merged report of each group as JSON instead of a page",
	  .more = "Each is on a line of its own, and can be read and merged again. Its "
		  "keys are in tickwise-report(5).",
	  TW_OPTION_AT(struct wanted, as.form) },
	TW_OPTION_CSV(struct wanted, as, "stage of a direction"),
	{ .name = "merge-hosts",
	  .help = "Merge jobs that ran on several hosts at the same time",
	  .more = "They must have the same name, group, depth, fio and engine. The time is "
		  "that of the hosts' own clocks.",
	  TW_OPTION_AT(struct wanted, of_hosts) },
	{ .name = "all",
	  .help = "Print the whole page, which does not fit a screen",
	  .more = "It also has machine, options and reports, each part of a stage, and the run "
		  "over time. It tells why each of the slowest I/Os was slow, how far off the "
		  "clocks were, and what the words mean.",
	  TW_OPTION_AT(struct wanted, all) },
	{ .name = "html", .kind = TW_OPTION_FILE, .value = "FILE", .is_written = 1,
	  .help = "Write the page as HTML, with plots, to FILE, too",
	  .more = "It shows into which stages the time of the mean I/O went, and of "
		  "those at p99 and p99.9. It has plots of latency by percentile and of "
		  "the run over time with its stalls, and the slowest I/Os. "
		  "The page needs no other file, no network and no script. It takes "
		  "about 40 KB for each direction of a group.",
	  TW_OPTION_AT(struct wanted, as.html) },
	{ .name = "from", .kind = TW_OPTION_TIME, .value = "SECONDS", .max = 1e8,
	  .otherwise = "the start of the run",
	  .help = "Show the run from this time on, as in `90`, `500ms`, `1h30min`",
	  .more = "It is counted from the start of a group's first job, by CLOCK_MONOTONIC. "
		  "If each job's file of intervals is among the files, the intervals that "
		  "are partly in the span are shown as a whole. Else the windows of "
		  "the run over time are, by CLOCK_REALTIME, which have I/Os, errors and "
		  "lat.",
	  TW_OPTION_AT(struct wanted, from_ns) },
	{ .name = "to", .kind = TW_OPTION_TIME, .value = "SECONDS", .max = 1e8,
	  .otherwise = "the end of the run",
	  .help = "Show the run up to this time",
	  TW_OPTION_AT(struct wanted, to_ns) },
	{ .name = "percentiles", .kind = TW_OPTION_FILE, .value = "PREFIX",
	  .help = "Write a file for HdrHistogram's plotter, too, for each group, direction "
		  "and stage: PREFIXjob.read.lat.hgrm",
	  .more = "If there are several groups, their number is behind the job: "
		  "PREFIXjob.2.read.lat.hgrm. Values are in microseconds. PREFIX may end "
		  "with the name of a directory and a slash.",
	  TW_OPTION_AT(struct wanted, percentiles) },
	{ .name = "trace", .kind = TW_OPTION_FILE, .value = "TRACE", .is_written = 1,
	  .help = "Write the slowest I/Os, and the kernel's events that tw_trigger kept, "
		  "to the file TRACE, for ui.perfetto.dev or chrome://tracing",
	  .more = "TRACE has I/Os and their stages in the Trace Event Format (JSON); see "
		  "`TRACES OF THE KERNEL`. Each job is a process in it. I/Os that overlap "
		  "lie on tracks of their own. An I/O without a time in its report is "
		  "left out. The kernel's events are a process of their own, with a track "
		  "for each CPU. The time inside the submitting call is an argument of "
		  "the I/O, as it overlaps stages.",
	  TW_OPTION_AT(struct wanted, trace) },
	{ .name = NULL },
};

const struct tw_options tw_report_options = {
	.command = NAME,
	.arguments = "FILE...",
	.arguments_kind = TW_OPTION_FILE,
	.about =
	"Read the reports that the fio engine wrote (its option tw_report). Merge jobs "
	"of the same name and group of one fio run. Print how fast they were, where the "
	"time of their I/Os went, and why the slow ones were slow.\n"
	"A file of intervals (the engine's option tw_interval) is shown like a report, as "
	"the sum of its intervals. With the job's report it serves --from and --to.\n"
	"In saved output of fio's client, the reports are found that servers sent (the "
	"engine's option tw_send).",
	.codes =
	"Exit codes: 0 good, 64 wrong command line, 65 a file is not a report, or a report in "
	"fio's output is broken, 66 a file can't be opened, 70 out of memory, 74 the output "
	"could not be written.",
	.table = table,
	.common = TW_HAS_OUTPUT,
};

/* Print first: the result is not lost if a file can't be written. */
static int show(const struct tw_report_group *groups, size_t count,
		const struct wanted *wanted)
{
	const unsigned with = (wanted->as.html ? TW_REPORT_WITH_HTML : 0) |
			      (wanted->all ? TW_REPORT_WITH_ALL : 0);
	/* A full page takes time. A table or JSON alone need none. */
	struct tw_page *page = wanted->as.form == TW_FORM_PAGE || wanted->as.html ?
		tw_report_page(groups, count, with) : tw_page_new("");
	struct tw_table *csv = wanted->as.form == TW_FORM_CSV ?
		tw_report_csv(page, groups, count) : NULL;
	json_t *json = wanted->as.form == TW_FORM_JSON ?
		tw_report_groups_to_json(groups, count) : NULL;
	int code = tw_command_show(NAME, &wanted->as, page, csv, json), files = TW_EXIT_GOOD;
	struct tw_report_problem problem = { "" };

	if (wanted->percentiles)
		files = tw_report_write_percentiles(groups, count, wanted->percentiles,
						    &problem);
	if (wanted->trace && files == TW_EXIT_GOOD)
		files = tw_report_write_trace(groups, count, wanted->trace, &problem);
	if (files != TW_EXIT_GOOD)
		tw_command_fail(NAME, files, "%s", problem.text);
	return code == TW_EXIT_GOOD ? files : code;
}

/* These are not freed. To free a thousand reports takes a quarter of the time that reading
 * took, while the end of the process takes no time. */
static struct tw_report *reports;
static struct tw_report_group *groups;

static int report_files(char **paths, size_t path_count, const struct wanted *wanted)
{
	const struct tw_report_span span = {
		.is_wanted = wanted->from_ns || wanted->to_ns != UINT64_MAX,
		.from_ns = wanted->from_ns,
		.to_ns = wanted->to_ns,
	};
	struct tw_report_problem problem = { "" };
	size_t count, used;
	int code = tw_report_load(&reports, &count, paths, path_count, &problem);

	if (code == TW_EXIT_GOOD)
		code = tw_report_merge(reports, count, wanted->of_hosts, &span,
				       &groups, &used, &problem);
	if (code != TW_EXIT_GOOD)
		return tw_command_fail(NAME, code, "%s", problem.text);
	code = show(groups, used, wanted);
	return code == TW_EXIT_GOOD && tw_report_load_broken() ? TW_EXIT_DATA : code;
}

int tw_command_report(char **argv)
{
	struct wanted wanted = { .to_ns = UINT64_MAX, .as.is_lines = 1 };
	struct tw_arguments files;
	int code = tw_command_options(&tw_report_options, &wanted, argv, &files);

	if (code != TW_GO_ON)
		return code;
	if (!files.count)
		return tw_command_fail(NAME, TW_EXIT_USAGE,
				       "no file given (see --help)");
	if (wanted.from_ns >= wanted.to_ns)
		return tw_command_fail(NAME, TW_EXIT_USAGE,
				       "--to must be later than --from");
	return report_files(files.list, (size_t)files.count, &wanted);
}
