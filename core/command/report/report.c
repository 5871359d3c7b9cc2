/* SPDX-License-Identifier: MIT */
/*
 * tickwise report: the engine's reports, merged, as a page or as JSON, and if
 * wanted as files of percentiles, as HTML and as a trace.
 * Either all files are good and shown, or none is shown.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/command.h"
#include "command/report/report.h"

#define NAME	"report"

/* Above all characters, so that getopt's optopt tells them apart. */
enum { OPTION_JSON = 256, OPTION_HOSTS, OPTION_HTML, OPTION_PERCENTILES, OPTION_TRACE,
       OPTION_HELP };

struct wanted {
	int as_json;
	int of_hosts;			/* merge those of several */
	const char *html;		/* a path; NULL: none */
	const char *percentiles;	/* a prefix; NULL: none */
	const char *trace;		/* a path; NULL: none */
};

static const char usage[] =
	"usage: tickwise report [--json] [--merge-hosts] [--html=PAGE]\n"
	"                       [--percentiles=PREFIX] [--trace=TRACE] FILE..."
	"\n"
	"\n"
	"Read the reports that the fio engine wrote (its option tw_report), "
	"put jobs of\n"
	"the same name and group of one fio run together, and print how long "
	"each stage of\n"
	"their I/Os took and how far off each clock was.\n"
	"\n"
	"  --json                one JSON object instead: schema "
	"tickwise-report-merged\n"
	"  --merge-hosts         put together what ran on several hosts at the "
	"same time\n"
	"  --html=PAGE           also write plots and tables to the file PAGE\n"
	"  --percentiles=PREFIX  also write a file for HdrHistogram's plotter, "
	"for each\n"
	"                        direction and stage: "
	"PREFIXjob.read.lat.hgrm\n"
	"  --trace=TRACE         also write the slowest I/Os, and the kernel's events "
	"that\n"
	"                        tw_trigger kept, to the file TRACE, for "
	"ui.perfetto.dev\n"
	"                        or chrome://tracing\n"
	"  --help                this page\n"
	"\n"
	"Exit codes: 0 good; 64 wrong command line; 65 a file is not a report;"
	" 66 a file\n"
	"can't be opened; 70 out of memory; 74 the output could not be "
	"written.\n";

static int print_groups(const struct tw_report_group *groups, size_t count,
			int as_json)
{
	json_t *json;
	int error;

	if (!as_json) {
		tw_report_print_page(groups, count);
		return TW_EXIT_GOOD;
	}
	json = tw_report_groups_to_json(groups, count);
	if (!json)
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE,
				       "out of memory");
	error = json_dumpf(json, stdout, 0);
	json_decref(json);
	putchar('\n');
	/* What could not be written is said by tw_command_finish(). */
	if (error && !ferror(stdout))
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE,
				       "out of memory");
	return TW_EXIT_GOOD;
}

/* The reports are not freed: a thousand of them take a quarter of the time that
 * they took to read, and the end of the process does it in no time. */
static struct tw_report *reports;

static int write_files(const struct tw_report_group *groups, size_t count,
		       const struct wanted *wanted)
{
	struct tw_report_problem problem = { "" };
	int code = TW_EXIT_GOOD;

	if (wanted->percentiles)
		code = tw_report_write_percentiles(groups, count,
						   wanted->percentiles,
						   &problem);
	if (wanted->html && code == TW_EXIT_GOOD)
		code = tw_report_write_html(groups, count, wanted->html,
					    &problem);
	if (wanted->trace && code == TW_EXIT_GOOD)
		code = tw_report_write_trace(groups, count, wanted->trace,
					     &problem);
	return code == TW_EXIT_GOOD ? code :
		tw_command_fail(NAME, code, "%s", problem.text);
}

static int merge_and_print(size_t count, const struct wanted *wanted)
{
	struct tw_report_problem problem = { "" };
	struct tw_report_group *groups;
	size_t used;
	int code = tw_report_merge(reports, count, wanted->of_hosts, &groups, &used, &problem);

	if (code != TW_EXIT_GOOD)
		return tw_command_fail(NAME, code, "%s", problem.text);
	code = write_files(groups, used, wanted);
	if (code == TW_EXIT_GOOD)
		code = print_groups(groups, used, wanted->as_json);
	tw_report_groups_free(groups, used);
	return code == TW_EXIT_GOOD ? tw_command_finish(NAME, code) : code;
}

static int report_files(char **paths, size_t count,
			const struct wanted *wanted)
{
	struct tw_report_problem problem = { "" };
	int code;

	reports = calloc(count, sizeof(*reports));
	if (!reports)
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE,
				       "out of memory");
	code = tw_report_read_all(reports, paths, count, &problem);
	if (code != TW_EXIT_GOOD)
		return tw_command_fail(NAME, code, "%s", problem.text);
	return merge_and_print(count, wanted);
}

/* What getopt_long() stumbled over: within a cluster of short options it has
 * not moved on yet. */
static int wrong_option(char **argv)
{
	if (optopt == OPTION_HTML || optopt == OPTION_PERCENTILES ||
	    optopt == OPTION_TRACE)
		return tw_command_fail(NAME, TW_EXIT_USAGE, "%s needs a value",
				       argv[optind - 1]);
	if (optopt > 0 && optopt < OPTION_JSON)
		return tw_command_fail(NAME, TW_EXIT_USAGE, "unknown option "
				       "'-%c' (see --help)", optopt);
	return tw_command_fail(NAME, TW_EXIT_USAGE, "unknown option '%s' "
			       "(see --help)", argv[optind - 1]);
}

int tw_command_report(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, OPTION_JSON },
		{ "merge-hosts", no_argument, NULL, OPTION_HOSTS },
		{ "html", required_argument, NULL, OPTION_HTML },
		{ "percentiles", required_argument, NULL, OPTION_PERCENTILES },
		{ "trace", required_argument, NULL, OPTION_TRACE },
		{ "help", no_argument, NULL, OPTION_HELP },
		{ NULL, 0, NULL, 0 },
	};
	struct wanted wanted = { 0 };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case OPTION_JSON:
			wanted.as_json = 1;
			break;
		case OPTION_HOSTS:
			wanted.of_hosts = 1;
			break;
		case OPTION_HTML:
			wanted.html = optarg;
			break;
		case OPTION_PERCENTILES:
			wanted.percentiles = optarg;
			break;
		case OPTION_TRACE:
			wanted.trace = optarg;
			break;
		case OPTION_HELP:
			fputs(usage, stdout);
			return tw_command_finish(NAME, TW_EXIT_GOOD);
		default:
			return wrong_option(argv);
		}
	}
	if (optind == argc)
		return tw_command_fail(NAME, TW_EXIT_USAGE,
				       "no file given (see --help)");
	return report_files(argv + optind, (size_t)(argc - optind), &wanted);
}
