// SPDX-License-Identifier: GPL-2.0
/*
 * tickwise attach: the stages inside the kernel of any program that uses io_uring. What
 * `tickwise` becomes for it. Options, the life of a run, and the report, which
 * `tickwise report` prints.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "kernel/attach_files.h"
#include "kernel/attach_json.h"
#include "kernel/attach_program.h"
#include "kernel/attach_report.h"
#include "kernel/attach_table.h"
#include "kernel/attach_tally.h"
#include "kernel/attach_target.h"

/* The longest time between two reads of the ring buffer, which holds 80,000 records. */
#define READ_EVERY_MS	20

#define SLOWEST		20

static const char usage[] =
	"usage: tickwise attach [options] PID\n"
	"       tickwise attach [options] -- PROGRAM [ARGUMENT...]\n"
	"\n"
	"Show where the I/Os of a program that uses io_uring spend their time inside "
	"the\n"
	"kernel, by ring, file and operation: from the acceptance of an I/O until its\n"
	"completion is in the ring. Of a process that runs, or of a program and the\n"
	"processes it starts. Ctrl-C ends it with a report, and so does the program's "
	"end;\n"
	"a second Ctrl-C ends it at once. Needs root, or CAP_BPF, CAP_PERFMON and\n"
	"CAP_SYSLOG; for processes of other users CAP_SYS_PTRACE, too.\n"
	"\n"
	"  --interval=SECONDS  print a table at this interval; 0: none (default: 1)\n"
	"  --duration=SECONDS  end after this time (default: with the program)\n"
	"  --causes            say for the slowest I/Os what kept the program's thread "
	"from\n"
	"                      running: costs time at each switch of the machine's CPUs\n"
	"  --json=FILE         write the report to FILE, too: `tickwise report` reads it\n"
	"  --html=FILE         write plots and tables to FILE, too\n"
	"  --output=FILE       print to FILE (default: stdout; stderr for a PROGRAM)\n"
	"  --help              this page\n"
	"\n"
	"Exit codes: 0 good, or that of PROGRAM; 64 wrong command line; 66 no such\n"
	"process; 70 could not run; 74 the output could not be written.\n";

struct options {
	const char *json;
	const char *html;
	const char *output;
	double interval;	/* seconds */
	double duration;	/* 0: until the end */
	bool causes;
};

struct run {
	struct options options;
	struct tw_attach_target target;
	struct tw_attach_program *program;
	struct tw_attach_tally tally;
	struct tw_attach_files files;
	struct tw_attach_table table;
	const char *no_causes;
	FILE *out;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t start_realtime_ns;
};

static volatile sig_atomic_t stopped;

static void on_stop(int number)
{
	(void)number;
	stopped = 1;
	/* The next one ends us at once. */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

static int fail(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int fail(int code, const char *format, ...)
{
	va_list args;

	fputs("tickwise attach: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	putc('\n', stderr);
	return code;
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * TW_NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* ---- the run --------------------------------------------------------------- */

static int take(void *context, const void *record, size_t size)
{
	struct run *run = context;
	__u32 kind;

	if (size < sizeof(kind))
		return 0;
	memcpy(&kind, record, sizeof(kind));
	switch (kind) {
	case TW_ATTACH_RING:
		return tw_attach_add_ring(&run->tally, record);
	case TW_ATTACH_FILE:
		return tw_attach_add_file(&run->files, record);
	default:
		return tw_attach_add_io(&run->tally, record);
	}
}

static int read_records(struct run *run, int wait_ms)
{
	int error = tw_attach_read(run->program, wait_ms, take, run);

	tw_attach_set_slow(run->program, run->tally.slowest.least);
	if (run->files.untried)
		tw_attach_find_paths(&run->files);
	return error;
}

static void put_table(struct run *run, uint64_t now, uint64_t over_ns)
{
	struct tw_attach_lost lost;

	tw_attach_lost(run->program, &lost);
	tw_attach_table_put(&run->table, &run->tally, &run->files,
			    now - run->start_ns, over_ns, lost.records);
	tw_attach_tally_tick(&run->tally);
}

/* Until it is stopped, the time is over, or the process has ended. */
static int watch(struct run *run)
{
	const uint64_t interval_ns = (uint64_t)(run->options.interval * 1e9);
	const uint64_t duration_ns = (uint64_t)(run->options.duration * 1e9);
	uint64_t last_ns = run->start_ns, now;
	bool over = false;
	int error = 0;

	while (!over && !error) {
		over = stopped || tw_attach_has_ended(&run->target) ||
		       (duration_ns && now_ns(CLOCK_MONOTONIC) - run->start_ns >=
				       duration_ns);
		/* What came before the end is read after it. */
		error = read_records(run, over ? 0 : READ_EVERY_MS);
		now = now_ns(CLOCK_MONOTONIC);
		if (interval_ns && now - last_ns >= interval_ns && !over && !error) {
			put_table(run, now, now - last_ns);
			last_ns = now;
		}
	}
	run->end_ns = now_ns(CLOCK_MONOTONIC);
	return error;
}

static int report(struct run *run)
{
	struct tw_attach_result result = {
		.tally = &run->tally, .files = &run->files, .target = &run->target,
		.in_flight = tw_attach_in_flight(run->program),
		.no_causes = run->no_causes,
		.start_realtime_ns = run->start_realtime_ns,
		.run_ns = run->end_ns - run->start_ns,
	};
	json_t *json;
	int code;

	tw_attach_table_end(&run->table);
	tw_attach_lost(run->program, &result.lost);
	json = tw_attach_to_json(&result);
	if (!json)
		return fail(TW_EXIT_SOFTWARE, "out of memory");
	code = tw_attach_print_report(json, run->options.json, run->options.html,
				      run->out);
	json_decref(json);
	return code;
}

static void start_clocks(struct run *run)
{
	run->start_ns = now_ns(CLOCK_MONOTONIC);
	run->start_realtime_ns = now_ns(CLOCK_REALTIME);
}

/* With the program in the kernel: look at the target until it is over. */
static int attached(struct run *run)
{
	int code, error = tw_attach_follow(run->program, run->target.pidfd);

	if (error)
		return fail(error == -ESRCH ? TW_EXIT_NO_INPUT : TW_EXIT_SOFTWARE,
			    "can't follow process %d: %s", (int)run->target.pid,
			    error == -ESRCH ? "it has ended" : strerror(-error));
	start_clocks(run);
	error = tw_attach_tally_init(&run->tally, run->start_ns, SLOWEST);
	run->tally.turns = tw_attach_turns(run->program);
	if (!error)
		error = read_records(run, 0);
	if (!error && !run->target.own && run->tally.ring_count == 0)
		fprintf(stderr, "tickwise attach: process %d (%s) has no ring yet: "
			"waiting for one\n", (int)run->target.pid,
			run->target.program);
	if (error)
		return fail(TW_EXIT_SOFTWARE, "%s", strerror(-error));
	tw_attach_go(&run->target);
	error = watch(run);
	if (error)
		fail(TW_EXIT_SOFTWARE, "the report ends after %.1f s: %s",
		     (double)(run->end_ns - run->start_ns) / 1e9,
		     strerror(-error));
	code = report(run);
	if (error && code == TW_EXIT_GOOD && !run->target.own)
		code = TW_EXIT_SOFTWARE;
	return code;
}

/* What was opened for a run that could not begin ends with us. */
static int run_it(struct run *run)
{
	const struct sigaction stop = { .sa_handler = on_stop };
	const char *why;
	int code, exit_code;

	run->out = run->target.own ? stderr : stdout;
	if (run->options.output) {
		run->out = fopen(run->options.output, "we");
		if (!run->out)
			return fail(TW_EXIT_IO, "%s: %s", run->options.output,
				    strerror(errno));
	}
	tw_attach_table_begin(&run->table, run->out);
	run->files.process = run->target.own ? 0 : run->target.pid;
	run->program = tw_attach_load(run->target.own, run->options.causes, &why,
				      &run->no_causes);
	if (!run->program)
		return fail(TW_EXIT_SOFTWARE, "%s", why);
	if (run->no_causes)
		fprintf(stderr, "tickwise attach: no causes: %s\n", run->no_causes);
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	code = attached(run);
	tw_attach_unload(run->program);
	tw_attach_tally_free(&run->tally);
	tw_attach_files_free(&run->files);
	/* No program is left alone, whatever happened to us. */
	exit_code = run->target.own ? tw_attach_exit_code(&run->target) : 0;
	return code == TW_EXIT_GOOD ? exit_code : code;
}

/* ---- the command line -------------------------------------------------------- */

static int seconds(const char *option, const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && !*end && *value >= 0 && *value <= 1e7)
		return TW_EXIT_GOOD;
	return fail(TW_EXIT_USAGE, "--%s takes seconds, not '%s'", option, text);
}

enum { JSON = 256, HTML, INTERVAL, DURATION, CAUSES, HELP };

static const struct option known[] = {
	{ "json", required_argument, NULL, JSON },
	{ "html", required_argument, NULL, HTML },
	{ "output", required_argument, NULL, 'o' },
	{ "interval", required_argument, NULL, INTERVAL },
	{ "duration", required_argument, NULL, DURATION },
	{ "causes", no_argument, NULL, CAUSES },
	{ "help", no_argument, NULL, HELP },
	{ NULL, 0, NULL, 0 },
};

static int take_option(struct options *options, int option)
{
	switch (option) {
	case JSON:
		options->json = optarg;
		return TW_EXIT_GOOD;
	case HTML:
		options->html = optarg;
		return TW_EXIT_GOOD;
	case 'o':
		options->output = optarg;
		return TW_EXIT_GOOD;
	case CAUSES:
		options->causes = true;
		return TW_EXIT_GOOD;
	case INTERVAL:
		return seconds("interval", optarg, &options->interval);
	default:
		return seconds("duration", optarg, &options->duration);
	}
}

/* TW_EXIT_GOOD and optind at what follows, or what to end with. */
static int read_options(struct options *options, int argc, char **argv)
{
	int option, code = TW_EXIT_GOOD;

	opterr = 0;
	while (code == TW_EXIT_GOOD &&
	       (option = getopt_long(argc, argv, "+:o:", known, NULL)) != -1) {
		const char *given = argv[optind - 1];

		if (option == HELP) {
			fputs(usage, stdout);
			exit(fflush(stdout) ? TW_EXIT_IO : TW_EXIT_GOOD);
		}
		if (option == ':')
			code = fail(TW_EXIT_USAGE, "%s needs a value", given);
		else if (option == '?')
			code = fail(TW_EXIT_USAGE, "unknown option %s (see --help)",
				    given);
		else
			code = take_option(options, option);
	}
	return code;
}

int main(int argc, char **argv)
{
	struct run run = { .options.interval = 1 };
	int code = read_options(&run.options, argc, argv);
	const char *why;
	char text[256];

	if (code != TW_EXIT_GOOD)
		return code;
	if (optind == argc)
		return fail(TW_EXIT_USAGE, "no PID and no -- PROGRAM (see --help)");
	if (strcmp(argv[optind - 1], "--") == 0) {
		why = tw_attach_start(&run.target, argv + optind, text, sizeof(text));
	} else if (optind + 1 < argc) {
		return fail(TW_EXIT_USAGE, "one PID at a time; a program comes after "
			    "-- (see --help)");
	} else {
		why = tw_attach_to(&run.target, argv[optind], text, sizeof(text));
	}
	if (why)
		return fail(TW_EXIT_NO_INPUT, "%s", why);
	return run_it(&run);
}
