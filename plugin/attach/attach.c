// SPDX-License-Identifier: GPL-2.0
/*
 * tickwise attach: what any program waits for at its files, and the stages of its io_uring I/O.
 * `tickwise` executes this program for it. This file has the options, the course of a
 * run, and the report, which `tickwise report` prints.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/attach.h"
#include "base/allocate.h"
#include "base/write_file.h"
#include "collect/choose.h"
#include "command/child.h"
#include "command/command.h"
#include "command/output/page.h"
#include "command/own_files.h"
#include "kernel/program.h"
#include "timespec.h"

/* The longest time between two reads of the ring buffer, which holds 80,000 records. */
#define READ_EVERY_MS	20

#define SLOWEST		20

/* What attach costs for a chosen I/O, in the kernel and here (tests/bench/results.md), and
 * what it may cost, of one CPU's time. So up to 20,000 I/Os a second are all chosen. What CPU
 * time the followed processes take is not known here. */
#define CHOSEN_NS		1000
#define CHOSEN_PERCENT		2
#define CHOOSE_EVERY_NS		TW_NS_PER_SECOND

/* Standard input, also where /dev/stdin does not exist. */
#define INPUT	"/proc/self/fd/0"

struct run {
	struct tw_attach_values options;
	struct tw_attach_target target;
	struct tw_attach_program *program;
	struct tw_attach_tally tally;
	struct tw_attach_table table;
	struct tw_attach_lines lines;	/* of --slow */
	const char *no_causes;
	struct {
		uint64_t at_ns, ios;	/* when the chance was set, and I/Os by then */
	} chosen;
	struct tw_output file;
	uint64_t start_ns;
	uint64_t end_ns;
};

static volatile sig_atomic_t stopped;

static void on_stop(int number)
{
	(void)number;
	stopped = 1;
	/* The next signal ends the program at once. SIGHUP may come twice: from the terminal
	 * and from the shell. */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

static void handle_signals(void)
{
	const struct sigaction stop = { .sa_handler = on_stop };
	struct sigaction old;

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	/* nohup(1) */
	if (sigaction(SIGHUP, NULL, &old) || old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &stop, NULL);
}

#define fail(code, ...)	tw_command_fail(tw_attach_options.command, code, __VA_ARGS__)

/* ---- the run --------------------------------------------------------------- */

static int take(void *context, void *record, size_t size)
{
	struct run *run = context;

	switch (*(const __u32 *)record) {
	case TW_ATTACH_RING:
		tw_attach_add_ring(&run->tally, record);
		return 0;
	case TW_ATTACH_FILE:
		return tw_attach_add_file(&run->tally, record, size);
	case TW_ATTACH_CALL:
		return tw_attach_add_call(&run->tally, record);
	case TW_ATTACH_WAIT:
		return tw_attach_add_wait(&run->tally, record, size);
	default:
		return tw_attach_add_io(&run->tally, record);
	}
}

static int read_records(struct run *run, int wait_ms)
{
	int error = tw_attach_read(run->program, wait_ms);

	*run->program->slow_ns = run->tally.slowest.least;
	*run->program->slow_wait_ns = run->tally.waits.lines ? run->options.slow_ns :
				      run->tally.waits.slowest.least;
	return error;
}

/* Set the chance anew by the I/Os since it was set. The shift falls by two steps or not at all,
 * so that noise does not move it to and fro. */
static void choose(struct run *run, uint64_t now)
{
	const uint64_t ios = run->tally.about_ios + run->program->lost->records;
	const __u32 old = *run->program->shift;
	const __u32 shift = tw_choose_shift(CHOSEN_NS, CHOSEN_PERCENT,
					    now - run->chosen.at_ns, ios - run->chosen.ios,
					    TW_CHOOSE_SHIFT_MAX);

	if (shift > old || shift + 2 <= old)
		*run->program->shift = shift;
	run->chosen.at_ns = now;
	run->chosen.ios = ios;
}

static int put_table(struct run *run, uint64_t now, uint64_t last_ns)
{
	const int error = tw_attach_read_counted(run->program, &run->tally);

	if (error)
		return error;
	tw_attach_table_put(&run->table, &run->tally, now - run->start_ns, now - last_ns,
			    run->program->lost->records);
	return 0;
}

/* Read records until a signal stops the run, its time is over, or the process has
 * ended. */
static int watch(struct run *run)
{
	const uint64_t interval_ns = run->options.interval_ns;
	const uint64_t duration_ns = run->options.duration_ns;
	uint64_t last_ns = run->start_ns, now;
	bool over = false;
	int error = 0;

	while (!over && !error) {
		over = stopped || tw_attach_has_ended(&run->target) ||
		       (duration_ns && tw_clock_id_ns(CLOCK_MONOTONIC) - run->start_ns >=
				       duration_ns);
		/* Records from before the end are read after it. */
		error = read_records(run, over ? 0 : READ_EVERY_MS);
		now = tw_clock_id_ns(CLOCK_MONOTONIC);
		if (interval_ns && now - last_ns >= interval_ns && !over && !error) {
			error = put_table(run, now, last_ns);
			last_ns = now;
		}
		if (!run->options.every && now - run->chosen.at_ns >= CHOOSE_EVERY_NS)
			choose(run, now);
	}
	run->end_ns = run->tally.end_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	if (!error)
		error = tw_attach_read_counted(run->program, &run->tally);
	tw_attach_stop(run->program);
	if (!error)
		error = read_records(run, 0);
	if (!error)
		error = tw_attach_take_rest(run->program, &run->tally);
	tw_attach_put_counted(&run->tally);
	return error;
}

/* ---- the report ------------------------------------------------------------ */

static int write_json(FILE *file, const void *json)
{
	tw_output_json(json_incref((json_t *)json), file, 0);
	return 0;
}

/* Write the report to a file, or to @out if the file is "-". */
static int put_json(json_t *json, const char *path, FILE *out)
{
	int error;

	if (strcmp(path, "-") != 0) {
		error = tw_must(tw_output_file(path, write_json, json));
		return error ? fail(TW_EXIT_IO, "%s: %s", path, tw_file_error(-error)) :
			       TW_EXIT_GOOD;
	}
	tw_output_json(json_incref(json), out, JSON_INDENT(2));
	fflush(out);
	return ferror(out) ? fail(TW_EXIT_IO, "can't write the output: %s", strerror(EIO)) :
			     TW_EXIT_GOOD;
}

/* Write @json to a file in memory, and seek to its beginning. Return its descriptor or
 * -errno. */
static int make_input(const json_t *json)
{
	int error, input = memfd_create("tickwise-attach", MFD_CLOEXEC);

	if (input < 0)
		return -errno;
	errno = 0;
	if (json_dumpfd(json, input, 0) == 0 && lseek(input, 0, SEEK_SET) == 0)
		return input;
	error = errno ? -errno : -EIO;
	close(input);
	return error;
}

struct streams {
	int input, output;
};

static void prepare(void *context, int fd)
{
	const struct streams *streams = context;

	(void)fd;
	if (dup2(streams->input, 0) < 0 || dup2(streams->output, 1) < 0)
		_exit(TW_EXIT_SOFTWARE);
}

/* Run `tickwise report`: the `tickwise` that was built or installed with this program, else
 * the one in PATH. @out: for the page; NULL: the page is not wanted. */
static int run_report(int input, const char *html_path, FILE *out)
{
	struct streams streams = {
		.input = input,
		.output = out ? fileno(out) : open("/dev/null", O_WRONLY | O_CLOEXEC),
	};
	char *html = html_path ? tw_format("--html=%s", html_path) : INPUT;
	char shells[] = "tickwise", *own = tw_own_file(shells, X_OK);
	char *argv[] = { own ? own : shells, "report", html, html_path ? INPUT : NULL, NULL };
	int status;
	pid_t pid;

	if (out)
		fflush(out);
	pid = tw_child_start(argv, SIGTERM, prepare, &streams, NULL);
	free(own);
	if (!out)
		close(streams.output);
	if (pid < 0)
		return fail(TW_EXIT_SOFTWARE, "can't run tickwise report: %s",
			    strerror(-pid));
	status = tw_child_wait(pid);
	if (status < 0)
		return fail(TW_EXIT_IO, "report: %s", strerror(-status));
	/* As of other programs: who reads the pipe has enough, such as head(1). */
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
		return TW_EXIT_IO;
	return WIFEXITED(status) ? WEXITSTATUS(status) :
		fail(TW_EXIT_SOFTWARE, "tickwise report was killed by signal %d (%s)",
		     WTERMSIG(status), strsignal(WTERMSIG(status)));
}

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* Write the report where it is wanted, as JSON and as a page. Return an enum tw_exit. */
static int print_report(json_t *json, const struct tw_attach_values *options, FILE *out)
{
	int input, page, code = TW_EXIT_GOOD;

	if (options->json)
		code = put_json(json, options->json, out);
	if (is_stdout(options->json))
		out = NULL;
	if (!out && !options->html)
		return code;
	input = make_input(json);
	if (input < 0)
		return fail(TW_EXIT_IO, "report: %s", strerror(-input));
	/* Also if the JSON can't be written: the result is not lost. */
	page = run_report(input, options->html, out);
	close(input);
	return code == TW_EXIT_GOOD ? page : code;
}

static int report(struct run *run)
{
	struct tw_attach_result result = {
		.tally = &run->tally, .target = &run->target, .program = run->program,
		.no_causes = run->no_causes, .run_ns = run->end_ns - run->start_ns,
		.cost = tw_follow_cost_of(&run->program->causes),
	};
	json_t *json;
	int code;

	tw_attach_table_end(&run->table);
	if (run->tally.waits.lines)
		tw_attach_lines_end(&run->lines);
	json = tw_attach_to_json(&result);
	code = print_report(json, &run->options, run->table.out);
	json_decref(json);
	if (code == TW_EXIT_GOOD && !run->options.json)
		tw_command_remark(tw_attach_options.command, "--json=FILE keeps the report");
	return code;
}

static int open_output(struct run *run)
{
	FILE *out = run->target.own ? stderr : stdout;
	int error;

	if (is_stdout(run->options.output)) {
		out = stdout;
	} else if (run->options.output) {
		/* In its place at once, where it can be read while it grows. */
		error = tw_output_open(&run->file, run->options.output);
		if (!error)
			error = tw_output_publish(&run->file);
		if (error)
			return fail(TW_EXIT_IO, "can't write %s: %s",
				    run->options.output, tw_file_error(-error));
		out = run->file.stream;
	}
	run->lines.out = out;
	tw_attach_table_begin(&run->table, out);
	/* What the program has printed below a table would be erased with it. */
	if (run->target.own && !run->file.stream)
		run->table.up = NULL;
	return TW_GO_ON;
}

/* Follow the processes. Return 0 or -errno, and set @pid to the one that can't be followed. */
static int follow(struct run *run, pid_t *pid)
{
	struct tw_attach_target *target = &run->target;
	size_t kept = 0;
	int error = 0;

	for (size_t i = 0; i < target->count; i++) {
		error = tw_attach_follow(run->program, target->all[i].fd);
		/* It may have begun a set-user-ID program until its programs are followed. */
		if (!error && !target->own)
			error = tw_attach_may_see(&target->all[i]);
		*pid = target->all[i].pid;
		/* Of several, some may end meanwhile. */
		if (!error)
			target->all[kept++] = target->all[i];
		else if (error != -ESRCH)
			return error;
	}
	if (target->count && !kept)
		return -ESRCH;
	target->count = kept;
	return tw_attach_follow_descendants(run->program);
}

/* All that are slow are listed, as far as there is room, and printed. */
static void list_slow(struct run *run)
{
	run->tally.slowest.least = run->options.slow_ns;
	run->tally.waits.slowest.least = run->options.slow_ns;
	run->lines.realtime_ns = run->tally.start_realtime_ns - run->tally.start_ns;
	run->tally.waits.slow_ns = run->options.slow_ns;
	run->tally.waits.lines = is_stdout(run->options.json) ? NULL : &run->lines;
}

/* Find the rings that exist. Return TW_GO_ON, or an enum tw_exit after a message. */
static int begin(struct run *run)
{
	pid_t pid = 0;
	int error = follow(run, &pid);

	if (error)
		return fail(error == -ESRCH ? TW_EXIT_NO_INPUT : TW_EXIT_SOFTWARE,
			    "can't follow process %d: %s", (int)pid,
			    error == -ESRCH ? "it has ended" : strerror(-error));
	run->start_ns = run->chosen.at_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	error = tw_attach_tally_init(&run->tally, run->start_ns, tw_clock_id_ns(CLOCK_REALTIME),
				     run->options.slow_ns ? TW_SLOWEST_MAX : SLOWEST);
	if (run->options.slow_ns)
		list_slow(run);
	run->tally.offcpu = run->program->causes.periods;
	if (!error)
		error = read_records(run, 0);
	if (error)
		return fail(TW_EXIT_SOFTWARE, "%s", strerror(-error));
	return TW_GO_ON;
}

/* Follow the target until the end of the run, and print the report. The program is
 * loaded into the kernel. */
static int attached(struct run *run)
{
	int error, code = begin(run);

	if (code != TW_GO_ON)
		return code;
	if (tw_attach_go(&run->target))
		return TW_EXIT_GOOD;
	/* Only now: what was in the file stays where there is nothing to print. */
	code = open_output(run);
	if (code != TW_GO_ON)
		return code;
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

/* Do a run. After an error at its beginning, the end of the process closes what was
 * opened. */
static int run_it(struct run *run)
{
	const char *why;
	int exit_code, code;

	if (tw_has_shifted_clock())
		return fail(TW_EXIT_SOFTWARE, TW_SHIFTED_CLOCK);
	run->program = tw_attach_load(run->target.cgroup, run->options.causes, take, run, &why,
				      &run->no_causes);
	if (!run->program) {
		fail(TW_EXIT_SOFTWARE, "%s", why);
		tw_attach_tell_less(&run->target);
		return TW_EXIT_SOFTWARE;
	}
	if (run->options.every)
		*run->program->shift = (__u32)run->options.every - 1;
	if (run->no_causes)
		fail(TW_EXIT_GOOD, "no causes: %s", run->no_causes);
	handle_signals();
	code = attached(run);
	tw_attach_unload(run->program);
	tw_attach_tally_free(&run->tally);
	/* Wait for a program that was started here, also after an error. */
	exit_code = run->target.own ? tw_attach_exit_code(&run->target) : 0;
	if (code == TW_EXIT_GOOD)
		code = exit_code;
	return code;
}

/* ---- the command line -------------------------------------------------------- */

int main(int argc, char **argv)
{
	struct run run = { .end_ns = 0 };
	struct tw_arguments given;
	const char *why;
	int code;

	(void)argc;
	json_set_alloc_funcs(tw_malloc, free);
	code = tw_command_options(&tw_attach_options, &run.options, argv, &given);
	if (code != TW_GO_ON)
		return code;
	/* Lines and a table would hide each other. */
	if (given.common.is_quiet || is_stdout(run.options.json) || run.options.slow_ns)
		run.options.interval_ns = 0;
	if (!!given.count + !!run.options.name + !!run.options.cgroup != 1)
		return fail(TW_EXIT_USAGE,
			    "either PIDs, --name, --cgroup or -- PROGRAM (see --help)");
	if (run.options.cgroup)
		why = tw_attach_to_cgroup(&run.target, run.options.cgroup);
	else if (run.options.name)
		why = tw_attach_to_name(&run.target, run.options.name);
	else if (given.after_dashes == given.list)
		why = tw_attach_start(&run.target, given.list);
	else if (given.after_dashes)
		return fail(TW_EXIT_USAGE, "either PIDs or -- PROGRAM (see --help)");
	else
		why = tw_attach_to(&run.target, given.list, (size_t)given.count);
	if (why)
		return fail(TW_EXIT_NO_INPUT, "%s", why);
	return run_it(&run);
}
