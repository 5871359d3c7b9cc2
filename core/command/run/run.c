/* SPDX-License-Identifier: MIT */
/*
 * tickwise run: runs an fio job of io_uring on the tickwise engine; with
 * --convert also a job of another engine. fio uses the engine that a job file
 * names, whatever its command line contains. So fio gets a copy of the job file
 * with this line changed, and the reports that the engine wrote prove that it
 * ran.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/diff/diff.h"
#include "command/own_files.h"
#include "command/run/run_parts.h"
#include "timespec.h"

#define NAME		"run"

const char *tw_run_name = NAME;

#define PATH_SECONDS	5	/* at each depth, without --for */
#define PAIRS		6	/* of --ab, without --runs and --until */

struct wanted {
	const char *engine;	/* NULL: to be found */
	const char *fio;	/* NULL: to be found */
	int convert;
	int dry_run;
	int report, no_report;
	struct tw_texts ab;	/* with no text or two */
	int runs;		/* 0: not given */
	double until_percent;	/* 0: not given */
	int most;
	uint64_t each_ns;	/* 0: not given */
	int causes;
	const char *trigger, *interval, *kernel, *kernel_every;	/* NULL: not given */
};

#define AT(member)	TW_OPTION_AT(struct wanted, member)

static const struct tw_option option_table[] = {
	{ .name = "convert",
	  .help = "Convert jobs of libaio, posixaio, sync, psync, vsync, pvsync, pvsync2 "
		  "and jobs without an ioengine, too",
	  .more = "Without it, only jobs of io_uring and io_uring_cmd run on the engine.",
	  AT(convert) },
	{ .name = "engine", .kind = TW_OPTION_FILE, .value = "FILE",
	  .otherwise = "the one that `tickwise engine` prints",
	  .help = "Take the engine from FILE", AT(engine) },
	{ .name = "fio", .kind = TW_OPTION_PROGRAM, .value = "PROGRAM",
	  .otherwise = "FIO of the environment, else fio",
	  .help = "Run this fio",
	  .more = "Only the version that the engine was built for can load it.",
	  AT(fio) },
	{ .name = "dry-run",
	  .help = "Print the changed job files and run nothing", AT(dry_run) },
	{ .name = "report",
	  .help = "Print the page of `tickwise report` also where fio prints no text, but "
		  "JSON or terse lines",
	  .more = "Where fio prints text, the page follows it, on standard output.",
	  AT(report) },
	{ .name = "no-report", .help = "Print no page", AT(no_report) },
	{ .name = "ab", .kind = TW_OPTION_TEXTS, .value = "OPTIONS",
	  .help = "Run the jobs with two sets of fio's options in turn, and "
		  "compare the runs as `tickwise diff` does; give this option "
		  "twice, for A and for B",
	  .more = "OPTIONS are as in a job file, with blanks between, and replace what a "
		  "job has: `--ab=iodepth=1 --ab='iodepth=8 hipri=1'`. They may be empty. "
		  "fio's own output is not shown. After each run the scheduler and other "
		  "settings of the devices are put back that it changed. Standard error "
		  "has each run and the time left. The exit code is that of "
		  "`tickwise diff`.", AT(ab) },
	{ .name = "runs", .kind = TW_OPTION_WHOLE, .value = "N",
	  .min = 1, .max = 32, .otherwise = "6",
	  .help = "With --ab, run each side N times",
	  .more = "With six or more, neighbours are tested as pairs. A verdict takes five.",
	  AT(runs) },
	{ .name = "until", .kind = TW_OPTION_PERCENT, .value = "PERCENT",
	  .min = 0.1, .max = 100,
	  .help = "With --ab, run until a side is surely faster, or the change of IOPS and of "
		  "the mean is known to +-PERCENT",
	  .more = "The runs are compared after 8, 12, 18 and 32 pairs, and standard error has "
		  "about how many are missing. Each time the chance of a false alarm is a "
		  "quarter of 5 % (Bonferroni), so all four have one in at most 5 % of cases.",
	  AT(until_percent) },
	{ .name = "most", .kind = TW_OPTION_WHOLE, .value = "N",
	  .min = 8, .max = 32, .preset = "32",
	  .help = "With --until, make at most N pairs", AT(most) },
	{ .name = "for", .kind = TW_OPTION_TIME, .value = "SECONDS",
	  .min = 0.1, .max = 86400, .otherwise = "5",
	  .help = "With PATH, read it this long at each depth", AT(each_ns) },
	{ .name = "causes",
	  .help = "Follow the jobs' threads, to say why the slowest I/Os were slow; "
		  "`tw_causes=1` of all jobs on the engine",
	  .more = "This and the next options are options of the engine, which thus need "
		  "not be in the job file. They hold for all jobs on the engine, whatever "
		  "these have themselves. fio reads the values, as in a job file; their "
		  "meaning is in fio-tickwise(7).",
	  AT(causes) },
	{ .name = "trigger", .kind = TW_OPTION_TEXT, .value = "TIME",
	  .help = "Keep the kernel's trace events around the first I/O that is slower than "
		  "TIME, such as 5ms; `tw_trigger`",
	  .more = "fio has an option of this name, too, which is `-H` here.", AT(trigger) },
	{ .name = "interval", .kind = TW_OPTION_TEXT, .value = "TIME",
	  .help = "Write what was recorded in each interval of TIME, such as 1s, to a file; "
		  "`tw_interval`", AT(interval) },
	{ .name = "kernel", .kind = TW_OPTION_TEXT, .value = "HOW",
	  .help = "Split the time inside the kernel into stages: auto, off, require; "
		  "`tw_kernel`", AT(kernel) },
	{ .name = "kernel-every", .kind = TW_OPTION_TEXT, .value = "COUNT",
	  .help = "Split one in COUNT I/Os, a power of two, inside the kernel; or auto; "
		  "`tw_kernel_every`", AT(kernel_every) },
	{ .name = NULL },
};

const struct tw_options tw_run_options = {
	.command = NAME,
	.arguments = "JOB.fio... [fio's arguments]\nPATH",
	.arguments_kind = TW_OPTION_FILE,
	.about =
	"Run fio with a job as it is, but on tickwise's engine. fio reads a copy of the "
	"job file in which ioengine=io_uring and io_uring_cmd name that engine. Jobs on "
	"other engines are left as they are. Each change is reported on stderr. The page "
	"of `tickwise report` follows fio's text; fio's JSON gets the reports: a key "
	"tickwise in each job. Jobs can be given by fio's options, too.\n"
	"\n"
	"A folder, another file or a block device as PATH is read at random places, with one "
	"I/O in flight and with 32, and never written to. The result is a few lines.\n"
	"\n"
	"With fio's --client=HOST or --client=FILE, jobs run on other hosts, where `fio --server` "
	"listens. Their reports become files here, and the page has a row for each host.\n"
	"\n"
	"The options below may stand anywhere before a --. All other arguments are fio's.",
	.codes =
	"Exit codes: fio's own; 128 and the signal that fio died of. If fio could not "
	"run, or its jobs ran on another engine: 64 wrong command line, 65 a job file "
	"can't be used, 66 a file can't be opened, 70 and above all else.",
	.table = option_table,
	.common = TW_HAS_QUIET,
	.passes_on = 1,
};

/* ---- before fio ---- */

/* Return the options of the engine that were given, with NULL at the end; NULL: none. */
static char **options_of_engine(const struct wanted *wanted)
{
	const struct {
		const char *name, *value;
	} given[] = {
		{ "tw_causes", wanted->causes ? "1" : NULL },
		{ "tw_trigger", wanted->trigger },
		{ "tw_interval", wanted->interval },
		{ "tw_kernel", wanted->kernel },
		{ "tw_kernel_every", wanted->kernel_every },
	};
	struct tw_texts options = { .count = 0 };

	for (size_t i = 0; i < TW_LENGTH(given); i++)
		if (given[i].value)
			tw_push(&options, tw_format("%s=%s", given[i].name, given[i].value));
	return options.list;
}

static int change_all(struct tw_run_arguments *arguments,
		      struct tw_run_engines *engines)
{
	struct tw_run_outcome outcome = { 0 };
	int code = tw_run_change(&arguments->jobs, engines, &outcome);

	for (size_t i = 0; i < arguments->file_count && code == TW_EXIT_GOOD; i++)
		code = tw_run_change(&arguments->files[i], engines, &outcome);
	if (code != TW_EXIT_GOOD)
		return code;
	tw_run_report_left(&outcome);
	return outcome.on_tickwise ? TW_EXIT_GOOD :
		tw_run_fail(TW_EXIT_DATA, "no job here would run on tickwise's engine");
}

/* Add a line at the end of a section, where it overrides earlier ones. */
static void add_option(struct tw_run_jobs *jobs, size_t section, const char *option)
{
	struct tw_run_line line = {
		.section = section, .text = tw_format("%s", option),
	};
	size_t at;

	tw_run_split(&line, tw_format("%s", option));
	tw_run_add_line(jobs);
	for (at = jobs->line_count - 1; jobs->lines[at - 1].section > section; at--)
		jobs->lines[at] = jobs->lines[at - 1];
	jobs->lines[at] = line;
	jobs->is_changed = 1;
}

static int check_sides(const struct tw_run_arguments *arguments)
{
	if (!arguments->file_count || arguments->jobs.section_count > 1)
		return tw_run_fail(TW_EXIT_USAGE, "--ab changes job files: the jobs can't be "
				   "given by options");
	for (size_t i = 0; i < arguments->file_count; i++)
		if (!strcmp(arguments->files[i].path, "-"))
			return tw_run_fail(TW_EXIT_USAGE, "--ab reads each job file twice: "
					   "standard input can't be one");
	if (arguments->runs_nothing)
		return tw_run_fail(TW_EXIT_USAGE, "--ab: these options make fio run nothing");
	if (arguments->hosts.count)
		return tw_run_fail(TW_EXIT_USAGE, "--ab: not with --client");
	return TW_EXIT_GOOD;
}

static void add_options(struct tw_run_arguments *arguments, const char *options)
{
	char *list = tw_format("%s", options);

	for (char *option = strtok(list, " "); option; option = strtok(NULL, " "))
		for (size_t i = 0; i < arguments->file_count; i++) {
			struct tw_run_jobs *jobs = &arguments->files[i];

			for (size_t j = 0; j < jobs->section_count; j++)
				if (!jobs->sections[j].is_global)
					add_option(jobs, j, option + strspn(option, "-"));
		}
}

int tw_run_prepare(struct tw_run_arguments *arguments, struct tw_run_engines *engines,
		   const char *options, char **argv)
{
	int code = tw_run_read_arguments(arguments, argv, engines);

	if (code == TW_EXIT_GOOD && options)
		code = check_sides(arguments);
	if (code == TW_EXIT_GOOD && arguments->hosts.count)
		code = tw_run_prepare_hosts(arguments, engines);
	/* fio forgets --section and options before the first --name after the first file. */
	if (arguments->file_count)
		arguments->files[0].before = &arguments->jobs;
	for (size_t i = 0; i < arguments->file_count && code == TW_EXIT_GOOD; i++)
		code = tw_run_read(&arguments->files[i], arguments->files[i].path,
				   arguments->only, i ? 0 : arguments->only_count);
	if (code == TW_EXIT_GOOD && options)
		add_options(arguments, options);
	return code == TW_EXIT_GOOD ? change_all(arguments, engines) : code;
}

/* Print the job files as fio would read them, then the command line as a
 * comment. */
static int print_changed(const struct tw_run_arguments *arguments,
			 const char *fio)
{
	char **list = tw_run_fio_arguments(arguments, fio);

	for (size_t i = 0; i < arguments->file_count; i++)
		tw_run_print(&arguments->files[i], stdout);
	fputs(arguments->file_count ? "# run as: " : "", stdout);
	tw_run_print_command(list[0], list + 1, stdout);
	return tw_command_finish(tw_run_name, TW_EXIT_GOOD);
}

/* ---- after fio ---- */

/* Print the page if it is wanted, then how to print it again. */
static int show_reports(const struct tw_run_reports *reports, int is_wanted)
{
	int code = TW_EXIT_GOOD;

	if (is_wanted) {
		putchar('\n');
		code = tw_command_report(tw_run_report_arguments(reports, 0));
	}
	tw_run_say_reports(reports, is_wanted);
	return code;
}

static int run_fio(struct tw_run_arguments *arguments, const struct wanted *wanted)
{
	const int is_wanted = !wanted->no_report && (wanted->report || !arguments->is_no_text);
	struct tw_run_reports reports = { 0 };
	int ret, code, checked;

	tw_run_keep_output(arguments);
	ret = tw_run_fio(arguments, wanted->fio, &reports, &code);
	if (ret != TW_EXIT_GOOD)
		return ret;
	if (arguments->runs_nothing)
		return code;
	if (arguments->hosts.count) {
		tw_run_say_lacks(arguments, is_wanted);
		ret = arguments->hosts.reports.count ?
		      show_reports(&arguments->hosts.reports, is_wanted) : TW_EXIT_GOOD;
		tw_run_say_numbers(arguments, is_wanted);
		/* fio knows what became of each host. */
		return tw_command_finish(tw_run_name, code ? code : ret);
	}
	ret = tw_run_add_to_json(arguments, &reports);
	/* If fio failed, it has printed why reports are missing. */
	checked = code ? code : tw_run_check_reports(&reports, arguments);
	checked = checked ? checked : ret;
	/* A job that can't open its file leaves an empty report; fio has printed why. */
	if (code ? reports.has_io : reports.count > 0)
		code = show_reports(&reports, is_wanted);
	return checked ? checked : code;
}

/* ---- in turn: --ab ---- */

/* Add the reports of a run to those of its side. */
static int keep(struct tw_run_reports sides[2], struct tw_run_reports *side,
		const struct tw_run_reports *reports)
{
	if (!reports->count)
		return tw_run_fail(TW_EXIT_DATA, "--ab: this run left no report to compare");
	for (size_t i = 0; i < reports->count; i++) {
		const char *path = reports->list[i].path;
		int is_known = 0;

		for (int of = 0; of < 2; of++)
			for (size_t j = 0; j < sides[of].count; j++)
				is_known |= strcmp(path, sides[of].list[j].path) == 0;
		if (is_known)
			return tw_run_fail(TW_EXIT_DATA, "--ab: %s: each run would write the "
					   "same report; leave out tw_report", path);
		*tw_grow_by_one(side->list, side->count) = reports->list[i];
	}
	return TW_EXIT_GOOD;
}

static int run_once(struct tw_run_arguments *arguments, const char *fio,
		    struct tw_run_reports *reports)
{
	int ret, code = TW_EXIT_GOOD;

	arguments->is_quiet = 1;
	ret = tw_run_fio(arguments, fio, reports, &code);
	if (ret || code)
		return ret ? ret : code;
	return tw_run_check_reports(reports, arguments);
}

/* Compare the runs on a page. @level: the chance of a false alarm, other than that of diff
 * itself; or NULL. */
static int compare(const struct tw_run_reports sides[2], const char *level)
{
	struct tw_texts argv = { .count = 0 };

	tw_push(&argv, tw_format("diff"));
	if (level)
		tw_push(&argv, tw_format("--level=%s", level));
	for (int side = 0; side < 2; side++) {
		if (side)
			tw_push(&argv, tw_format("--"));
		for (size_t i = 0; i < sides[side].count; i++) {
			char *path = sides[side].list[i].path;

			tw_push(&argv, *path == '-' ? tw_format("./%s", path) : path);
		}
	}
	if (!tw_command_is_quiet()) {
		tw_run_say("to compare them again:");
		tw_run_print_command("  tickwise", argv.list, stderr);
	}
	return tw_command_diff(argv.list);
}

/* The numbers of pairs after which the runs are compared. */
static const int compared_after[] = { 8, 12, 18, 32 };

#define COMPARISONS		((int)TW_LENGTH(compared_after))
#define LEVEL_OF_EACH	"1.25%"		/* TW_DIFF_LEVEL by the number of comparisons */

/* Return the number of pairs, @pairs or more, after which the next comparison is. */
static int next_comparison(double pairs, int most)
{
	for (int i = 0; i < COMPARISONS; i++)
		if (compared_after[i] >= pairs && compared_after[i] < most)
			return compared_after[i];
	return most;
}

/* Is a side surely faster, or the change of IOPS and of the mean known to @until? Tell the largest
 * interval. @wanted: set to about how many pairs make it as narrow as that. */
static int is_settled(const struct tw_run_reports sides[2], int pairs, double until,
		      double *wanted)
{
	struct tw_diff diff = { .threshold = 1, .level = TW_DIFF_LEVEL / COMPARISONS };
	const struct tw_diff_figure *widest = NULL;
	struct tw_report_problem problem = { "" };
	/* What can't be compared is told by the last comparison. */
	int is_sure = tw_diff_compare(&diff, tw_run_paths(&sides[0]), sides[0].count,
				      tw_run_paths(&sides[1]), sides[1].count,
				      &problem) != TW_EXIT_GOOD;
	double half = 0;
	int is_known;

	for (size_t i = 0; i < diff.figure_count; i++) {
		const struct tw_diff_figure *is = &diff.figures[i];

		if (is->kind != TW_DIFF_IOPS && is->kind != TW_DIFF_MEAN)
			continue;
		is_sure |= is->slower != 0;
		if (widest && is->change.high - is->change.low <= 2 * half)
			continue;
		widest = is;
		half = (is->change.high - is->change.low) / 2;
	}
	is_known = is_sure || (widest && half <= log1p(until));
	*wanted = widest ? tw_diff_runs_for(&diff, widest, 1 + until) : 0;
	if (widest)
		tw_run_remark("%d pairs: %s of B is %+.1f to %+.1f %%%s", pairs, widest->name,
			      100 * expm1(widest->change.low), 100 * expm1(widest->change.high),
			      is_known ? "" : tw_format("; about %.0f more pairs would do",
							fmax(*wanted - pairs, 1)));
	tw_diff_free(&diff);
	return is_known;
}

/* Tell which run is next, and how long all that are left take, as those before did.
 * @about: "about ", if their number is not known. */
static void announce(int done, int runs, const char *about, char side, uint64_t begin_ns)
{
	double left_s = done ? (double)(tw_clock_id_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9 /
			       done * (runs - done) : 0;
	int in_s = left_s < 120;

	tw_run_remark("run %d of %s%d: %c%s", done + 1, about, runs, side, !done ? "" :
		      tw_format(", about %.0f %s left", in_s ? left_s : left_s / 60,
				in_s ? "s" : "min"));
}

/* Make @rounds pairs of runs. @until: less, if less will do; 0: all. */
static int run_in_turn(struct tw_run_arguments sides[2], const char *fio, int rounds,
		       double until)
{
	const char *level = until > 0 ? LEVEL_OF_EACH : NULL;
	const uint64_t begin_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	struct tw_run_reports reports[2] = { { 0 }, { 0 } };
	struct tw_run_settings settings = { .sys = "/sys" };
	int expected = until > 0 ? next_comparison(0, rounds) : rounds, code;
	double wanted;

	for (int side = 0; side < 2; side++) {
		sides[side].settings = &settings;
		tw_run_remember(&settings, &sides[side].jobs);
		for (size_t i = 0; i < sides[side].file_count; i++)
			tw_run_remember(&settings, &sides[side].files[i]);
	}
	/* The order is A B, B A, A B: a drift changes both sides alike. */
	for (int i = 0; i < 2 * rounds; i++) {
		int side = (i + i / 2) % 2;
		int has_both = reports[0].count && reports[1].count;
		struct tw_run_reports of_run = { 0 };

		announce(i, 2 * expected, until > 0 ? "about " : "", "AB"[side], begin_ns);
		code = run_once(&sides[side], fio, &of_run);
		/* Compare the runs that ended before Ctrl-C. */
		if (sides[side].was_interrupted) {
			code = has_both ? compare(reports, level) : TW_EXIT_UNDECIDED;
			tw_run_say("interrupted after %d of %d runs%s", i, 2 * expected,
				   has_both ? "" : ": nothing to compare");
			return code < TW_EXIT_USAGE ? TW_EXIT_UNDECIDED : code;
		}
		if (code == TW_EXIT_GOOD)
			code = keep(reports, &reports[side], &of_run);
		if (code != TW_EXIT_GOOD)
			return code;
		if (until > 0 && i + 1 == 2 * next_comparison(i / 2 + 1, rounds)) {
			if (is_settled(reports, i / 2 + 1, until, &wanted))
				break;
			expected = next_comparison(fmax(wanted, i / 2 + 2), rounds);
		}
	}
	return compare(reports, level);
}

/* ---- the command ---- */

/* Prepare one run, or both sides of --ab. fio is asked later which options the engines
 * have. */
static int run(const struct wanted *wanted, char **argv)
{
	struct tw_run_arguments sides[2] = { { 0 }, { 0 } };
	struct tw_run_engines engines = {
		.fio = wanted->fio, .convert = wanted->convert,
		.is_given = wanted->engine != NULL,
		.added = options_of_engine(wanted),
	};
	int is_path = *argv && tw_run_is_target(*argv);
	int count = wanted->ab.count ? 2 : 1, code;

	if (wanted->ab.count && wanted->ab.count != 2)
		return tw_run_fail(TW_EXIT_USAGE, "--ab is given twice: for A and for B");
	if (wanted->until_percent > 0 && (!wanted->ab.count || wanted->runs))
		return tw_run_fail(TW_EXIT_USAGE, "--until is for --ab, in place of --runs");
	if (!*argv)
		return tw_run_fail(TW_EXIT_USAGE, "no job given (see --help)");
	if (!is_path && wanted->each_ns && **argv != '-' && access(*argv, F_OK))
		return tw_run_fail(TW_EXIT_NO_INPUT, "%s: %s", *argv, strerror(errno));
	if (!is_path && wanted->each_ns)
		return tw_run_fail(TW_EXIT_USAGE, "--for is for a PATH; a job has its runtime");
	if (is_path && argv[1])
		return tw_run_fail(TW_EXIT_USAGE, "%s: no job file, so it is to be read, and "
				   "takes no arguments of fio", *argv);
	if (is_path && (wanted->ab.count || wanted->dry_run))
		return tw_run_fail(TW_EXIT_USAGE, "%s: --ab and --dry-run need a job file", *argv);
	code = tw_run_find_engines(&engines, wanted->engine);
	if (is_path && code == TW_EXIT_GOOD)
		return tw_run_path(*argv, &engines, wanted->each_ns ? wanted->each_ns :
				   PATH_SECONDS * TW_NS_PER_SECOND, wanted->no_report ?
				   TW_RUN_NO_PAGE : wanted->report ? TW_RUN_WHOLE_PAGE :
				   TW_RUN_ANSWERS);
	for (int i = 0; i < count && code == TW_EXIT_GOOD; i++)
		code = tw_run_prepare(&sides[i], &engines,
				      count == 2 ? wanted->ab.list[i] : NULL, argv);
	for (int i = 0; i < count && code == TW_EXIT_GOOD && wanted->dry_run; i++)
		code = print_changed(&sides[i], wanted->fio);
	if (code != TW_EXIT_GOOD || wanted->dry_run)
		return code;
	return count == 2 ? run_in_turn(sides, wanted->fio, wanted->until_percent > 0 ?
					wanted->most : wanted->runs ? wanted->runs : PAIRS,
					wanted->until_percent / 100) :
			    run_fio(&sides[0], wanted);
}

int tw_command_run(char **argv)
{
	struct wanted wanted = { 0 };
	struct tw_arguments of_fio;
	int code = tw_command_options(&tw_run_options, &wanted, argv, &of_fio);

	if (code != TW_GO_ON)
		return code;
	wanted.fio = tw_fio_program(wanted.fio);
	return run(&wanted, of_fio.list);
}
