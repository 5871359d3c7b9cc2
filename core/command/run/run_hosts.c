/* SPDX-License-Identifier: MIT */
/*
 * Jobs on other hosts: fio's --client. The engine there sends its reports in what fio prints,
 * with the token of its job. No other host knows the token, so it alone tells who sent a report:
 * many hosts may have one name, and what a host says of itself can be anything. So can all else
 * that it sends. A good report becomes a file of this machine, and its host is what was typed.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/plain_text.h"
#include "command/command.h"
#include "command/output/page.h"
#include "command/analysis/interval_files.h"
#include "command/run/run_parts.h"
#include "report/report.h"

/* What a host may send. fio has at most 4096 jobs, with some 400 KB each. */
#define MOST_REPORTS	4096
#define MOST_BYTES	(1UL << 30)
#define TOO_MUCH	"it is more than one host may send"

#define NAME_BYTES	64	/* in a file's name: of a host, and of a job */
#define READ_BYTES	65536

/* ---- before fio ---------------------------------------------------------- */

static void put_random(char text[TW_RUN_TOKEN])
{
	unsigned char bytes[TW_RUN_TOKEN / 2] = { 0 };

	/* So few bytes come whole, and without an error. */
	(void)!getrandom(bytes, sizeof(bytes), 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		sprintf(&text[2 * i], "%02x", bytes[i]);
}

static int add_host(struct tw_run_hosts *hosts, const char *name, int is_listed)
{
	struct tw_run_host *host;

	for (size_t i = 0; i < hosts->count; i++)
		if (!strcmp(hosts->list[i].name, name)) {
			tw_run_say("--client=%s is given twice: one --client takes all job files "
				   "of a host", name);
			return 0;
		}
	host = tw_grow_by_one(hosts->list, hosts->count);
	host->name = tw_copy_text(name);
	host->is_listed = is_listed;
	put_random(host->token);
	return 1;
}

int tw_run_add_hosts(struct tw_run_hosts *hosts, const char *value)
{
	const size_t before = hosts->count;
	int is_good = 1;
	char *name;
	FILE *file;

	if (access(value, R_OK))
		return add_host(hosts, value, 0);
	file = tw_input_stream(value, TW_INPUT_PIPE);
	while (file && is_good && fscanf(file, "%ms", &name) == 1) {
		/* fio, which gets its name, would take it for a list. */
		is_good = access(name, R_OK) && add_host(hosts, name, 1);
		free(name);
	}
	if (file)
		fclose(file);
	if (!is_good || hosts->count == before)
		tw_run_say("--client=%s: this file is no list of hosts", value);
	return is_good && hosts->count > before;
}

/* As in fio, a host has the files right behind it; else the first one of all others. A host
 * that has none of both has those of the next host. */
static int find_files(struct tw_run_arguments *arguments)
{
	struct tw_run_hosts *hosts = &arguments->hosts;
	struct tw_run_host *host = NULL, *next = NULL;
	ptrdiff_t other = -1;
	int is_wanted = 0;

	for (size_t i = 0; i < arguments->count; i++) {
		const struct tw_run_argument *is = &arguments->list[i];

		if (is->file < 0) {
			host = is->host_count ? &hosts->list[is->host] : NULL;
			host = host && !host->is_listed ? host : NULL;
		} else if (host) {
			host->first_file = (size_t)is->file - host->file_count++;
		} else if (other < 0) {
			other = is->file;
		} else {
			return tw_run_fail(TW_EXIT_USAGE, "%s: fio runs one job file on hosts "
					   "that have none right behind their --client",
					   arguments->files[is->file].path);
		}
	}
	for (size_t i = hosts->count; i-- > 0; next = host) {
		host = &hosts->list[i];
		is_wanted |= !host->file_count;
		if (!host->file_count && other >= 0) {
			host->first_file = (size_t)other;
			host->file_count = 1;
		} else if (!host->file_count && next) {
			host->first_file = next->first_file;
			host->file_count = next->file_count;
		} else if (!host->file_count) {
			return tw_run_fail(TW_EXIT_USAGE, "--client=%s: no job file is given",
					   host->name);
		}
	}
	return is_wanted || other < 0 ? TW_EXIT_GOOD :
		tw_run_fail(TW_EXIT_USAGE, "%s: no host runs this job file: each has one right "
			    "behind its --client", arguments->files[other].path);
}

int tw_run_prepare_hosts(struct tw_run_arguments *arguments, struct tw_run_engines *engines)
{
	struct tw_run_hosts *hosts = &arguments->hosts;
	struct tw_texts added = { .count = 0 };
	int code;

	if (arguments->jobs.line_count)
		return tw_run_fail(TW_EXIT_USAGE, "%s: with --client, jobs and their options are "
				   "in job files", arguments->jobs.lines->text);
	code = find_files(arguments);
	hosts->option = tw_format("tw_send=%*s", (int)sizeof(hosts->list->token), "");
	strcpy(strchr(hosts->option, '=') + 1, "TOKEN");
	tw_push(&added, tw_format("tw_report=none"));
	for (char **option = engines->added; option && *option; option++) {
		if (!strncmp(*option, "tw_interval=", 12))
			return tw_run_fail(TW_EXIT_USAGE, "--interval: not with --client: its "
					   "files would stay on the hosts");
		tw_push(&added, *option);
	}
	if (!engines->is_given)
		tw_run_name_engines(engines);
	engines->for_hosts = 1;
	tw_push(&added, hosts->option);
	engines->added = added.list;
	return code;
}

/* ---- a report ------------------------------------------------------------ */

/* Give every part of a report this host. */
static void set_host(json_t *json, const char *host)
{
	const char *key;
	json_t *value;
	size_t i;

	json_array_foreach(json, i, value)
		set_host(value, host);
	json_object_foreach(json, key, value) {
		if (!strcmp(key, "host") && json_is_string(value))
			json_string_set(value, host);
		set_host(value, host);
	}
}

/* Return a text as a part of a file's name: no slash, no dot or dash at the beginning. */
static char *for_name(const char *text)
{
	char *name = tw_format("%.*s", NAME_BYTES, text);

	for (char *at = name; *at; at++)
		if (!strchr(TW_RUN_PLAIN "-", *at) || (at == name && (*at == '.' || *at == '-')))
			*at = '_';
	return name;
}

/* Write a file that was not there. Return what prevents it; NULL: it is there. */
static const char *write_file(const struct tw_run_arguments *arguments, const char *host,
			      struct tw_run_report *report, const char *text)
{
	FILE *file;
	int fd = -EEXIST, failed;

	for (int i = 1; fd == -EEXIST && i <= MOST_REPORTS; i++) {
		report->path = tw_format("%s%s%s.%s.%lld.%d%s.tickwise.json",
			arguments->aux_path ? arguments->aux_path : "",
			arguments->aux_path ? "/" : "", for_name(host), for_name(report->job),
			report->thread_number, (int)getpid(), i == 1 ? "" : tw_format("-%d", i));
		fd = tw_new_file(report->path, 0666);
	}
	errno = fd < 0 ? -fd : 0;
	file = fd < 0 ? NULL : fdopen(fd, "w");
	failed = !file || fputs(text, file) == EOF;
	failed |= file && fclose(file);
	if (failed && file)
		unlink(report->path);
	return failed ? tw_format("can't write %s: %s", report->path, strerror(errno)) : NULL;
}

static const char *check(const struct tw_run_hosts *hosts, const struct tw_run_report *is,
			 const struct tw_report *report, const char *text)
{
	/* Each host may have its part of what can be counted: no host can keep others out. */
	if (hosts->list[is->host].largest > UINT64_MAX / hosts->count)
		return "its numbers are too large to be added to those of others";
	/* Else the file would be read as one of sent reports, or of intervals. */
	if (strncmp(text, "{\"schema\"", 9) != 0 || tw_intervals_are_text(text, strlen(text)))
		return "it is no report as an engine writes it";
	if (report->job_count != 1 || report->attached || report->interval_ns)
		return "it is no report of a job";
	for (size_t i = 0; i < hosts->reports.count; i++)
		if (hosts->reports.list[i].host == is->host &&
		    hosts->reports.list[i].thread_number == is->thread_number)
			return "it was sent twice";
	return NULL;
}

/* Keep what a host sent. Return what is wrong; NULL: its file is there. */
static const char *keep(struct tw_run_arguments *arguments, size_t host, const char *text,
			size_t length)
{
	struct tw_run_hosts *hosts = &arguments->hosts;
	struct tw_run_host *of = &hosts->list[host];
	struct tw_run_report is = { .host = host };
	struct tw_report_problem problem = { "" };
	struct tw_report report = { .jobs = NULL };
	const char *wrong;
	char *written = NULL;
	json_t *json;

	if (of->sent > MOST_REPORTS)
		return TOO_MUCH;
	json = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	set_host(json, of->name);
	/* All hosts share this run, which has a name that no other one has. */
	json_object_set_new(json_array_get(json_object_get(json, "jobs"), 0), "run",
			    json_string(hosts->run));
	tw_must(tw_report_from_json(&report, json, "", &problem));
	if (*problem.text) {
		wrong = tw_copy_text(problem.text);
	} else {
		is.job = tw_copy_text(report.jobs->name);
		is.thread_number = (long long)report.jobs->thread_number;
		/* As the engine writes it. */
		written = json_dumps(json, JSON_REAL_PRECISION(17));
		if (__builtin_add_overflow(of->largest, tw_report_largest(json), &of->largest))
			of->largest = UINT64_MAX;
		/* A number may be longer in a file than it came. */
		of->bytes += written ? strlen(written) : 0;
		wrong = !written ? "out of memory" : of->bytes > MOST_BYTES ? TOO_MUCH :
			check(hosts, &is, &report, written);
	}
	if (!wrong)
		wrong = write_file(arguments, of->name, &is, written);
	if (!wrong)
		*tw_grow_by_one(hosts->reports.list, hosts->reports.count) = is;
	tw_report_free(&report);
	free(written);
	json_decref(json);
	return wrong;
}

/* ---- what fio prints ------------------------------------------------------- */

static void pass(void *context, const char *bytes, size_t count)
{
	struct tw_run_hosts *hosts = &((struct tw_run_arguments *)context)->hosts;

	if ((fwrite(bytes, count, 1, hosts->out) != 1 || fflush(hosts->out)) && !hosts->out_error)
		hosts->out_error = -errno;
}

/* Return the host with this token; their number: there is none. */
static size_t find_host(const struct tw_run_hosts *hosts, const char *token)
{
	size_t i = 0;

	while (i < hosts->count && strcmp(hosts->list[i].token, token))
		i++;
	return i;
}

static int is_wanted(void *context, const char *token)
{
	const struct tw_run_arguments *arguments = context;

	return find_host(&arguments->hosts, token) < arguments->hosts.count;
}

static void take(void *context, const char *token, const char *json, size_t length,
		 const char *problem)
{
	struct tw_run_arguments *arguments = context;
	const size_t i = find_host(&arguments->hosts, token);
	struct tw_run_host *host = &arguments->hosts.list[i];

	host->sent++;
	if (json)
		problem = keep(arguments, i, json, length);
	if (problem)
		host->problem = problem;
	else
		host->received++;
}

static int output_code(const struct tw_run_arguments *arguments, const char *what, int error)
{
	return !error ? TW_EXIT_GOOD : tw_run_fail(TW_EXIT_IO, "--output=%s: %s%s",
						   arguments->output, what, tw_file_error(-error));
}

int tw_run_begin_to_receive(struct tw_run_arguments *arguments)
{
	struct tw_run_hosts *hosts = &arguments->hosts;
	int error;

	hosts->sink = (struct tw_sent_sink) { pass, is_wanted, take, arguments };
	hosts->stream = (struct tw_sent_stream) { .sink = &hosts->sink };
	hosts->reports = (struct tw_run_reports) { .are_of_hosts = 1 };
	put_random(hosts->run);
	hosts->out = stdout;
	if (!arguments->output)
		return TW_EXIT_GOOD;
	error = tw_output_open(&hosts->output, arguments->output);
	if (!error) {
		/* As fio's own file, it is there before the first byte. */
		error = tw_output_publish(&hosts->output);
		hosts->out = hosts->output.stream;
		/* fio gets this number for the end of the pipe. */
		hosts->out_fd = fcntl(STDERR_FILENO, F_DUPFD, TW_RUN_FIRST_FD);
	}
	return output_code(arguments, "", error);
}

int tw_run_receive(struct tw_run_arguments *arguments, int from)
{
	static char bytes[READ_BYTES];
	ssize_t got = read(from, bytes, sizeof(bytes));

	if (got < 0 && errno == EINTR)
		return 1;
	if (got <= 0)
		return 0;
	tw_must(tw_sent_feed(&arguments->hosts.stream, bytes, (size_t)got));
	return 1;
}

int tw_run_end_receiving(struct tw_run_arguments *arguments)
{
	struct tw_run_hosts *hosts = &arguments->hosts;

	tw_must(tw_sent_end(&hosts->stream));
	if (!arguments->output)
		return TW_EXIT_GOOD;
	close(hosts->out_fd);
	return output_code(arguments, "it is not whole: ",
			   tw_output_close(&hosts->output, hosts->out_error));
}

/* ---- after fio ------------------------------------------------------------- */

static void say(int is_shown, const char *text)
{
	if (is_shown)
		printf("%s\n", tw_plain_text(tw_format("%s", text)));
	else
		tw_run_say("%s", text);
}

/* Return what a host lacks: "1 of 2 reports did not come"; NULL: nothing. */
static const char *lack_of(const struct tw_run_arguments *arguments, const struct tw_run_host *host)
{
	const char *broken = host->problem ? tw_format("; %zu of %zu report%s broken, the last one: "
		"%s", host->sent - host->received, host->sent, tw_format_plural(host->sent),
		host->problem) : "";
	size_t owed = 0;

	for (size_t i = 0; i < host->file_count; i++)
		owed += tw_run_owed(&arguments->files[host->first_file + i]);
	if (host->sent >= owed)
		return *broken ? broken + 2 : NULL;
	if (!host->sent)
		return "no report came: fio's lines may tell why, or it lacks the engine";
	return tw_format("%zu of %zu reports did not come%s", owed - host->sent, owed, broken);
}

void tw_run_say_lacks(const struct tw_run_arguments *arguments, int is_shown)
{
	const struct tw_run_hosts *hosts = &arguments->hosts;
	const char *before = "\n";

	for (size_t i = 0; i < hosts->count; i++) {
		const char *lack = lack_of(arguments, &hosts->list[i]);

		if (lack && is_shown)
			fputs(before, stdout);
		if (lack)
			say(is_shown, tw_format("%s: %s", hosts->list[i].name, lack));
		before = lack ? "" : before;
	}
}

void tw_run_say_numbers(const struct tw_run_arguments *arguments, int is_shown)
{
	const struct tw_run_hosts *hosts = &arguments->hosts;
	size_t sent = 0, received = 0;

	for (size_t i = 0; i < hosts->count; i++) {
		sent += hosts->list[i].sent;
		received += hosts->list[i].received;
	}
	say(is_shown, tw_format("%zu host%s: %zu report%s sent, %zu received, %zu broken",
				hosts->count, tw_format_plural(hosts->count), sent,
				tw_format_plural(sent), received, sent - received));
	fflush(stdout);
}
