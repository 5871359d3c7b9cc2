/* SPDX-License-Identifier: MIT */
/*
 * Runs fio as a child that gets this program's streams, its directory and its signals.
 * It reads copies of the changed job files, which are in memory: no other user can change
 * them. Relative paths in a job file stay valid.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/plain_text.h"
#include "command/child.h"
#include "command/command.h"
#include "command/output/page.h"
#include "command/run/run_parts.h"
#include "timespec.h"

#define KILLED_BY	128	/* plus the signal's number, as in a shell */

/* Signals that would end this program. */
static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* ---- the copies ---- */

/* Copy changed jobs into memory. fio inherits the descriptor, and opens it by its path. Return: it;
 * -errno. */
static int copy(const struct tw_run_jobs *jobs)
{
	int fd = memfd_create("job", MFD_CLOEXEC), copy_fd;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file)
		return -errno;
	errno = 0;
	tw_run_print(jobs, file);
	if (fflush(file) || ferror(file))
		return errno ? -errno : -EIO;
	copy_fd = fcntl(fd, F_DUPFD, TW_RUN_FIRST_FD);
	if (copy_fd < 0)
		return -errno;
	fclose(file);
	return copy_fd;
}

static int can_not_copy(const struct tw_run_jobs *jobs, int error)
{
	return tw_run_fail(TW_EXIT_IO, "can't copy %s: %s", jobs->path, strerror(-error));
}

/* Each host gets copies of its own, with its token. */
static int copy_for_host(struct tw_run_arguments *arguments, struct tw_run_host *host)
{
	strcpy(strchr(arguments->hosts.option, '=') + 1, host->token);
	for (size_t i = 0; i < host->file_count; i++) {
		const struct tw_run_jobs *jobs = &arguments->files[host->first_file + i];
		int fd = copy(jobs);

		if (fd < 0)
			return can_not_copy(jobs, fd);
		*tw_grow_by_one(host->copies, host->copy_count) = fd;
	}
	return TW_EXIT_GOOD;
}

static int copy_all(struct tw_run_arguments *arguments)
{
	const struct tw_run_hosts *hosts = &arguments->hosts;
	int code = TW_EXIT_GOOD;

	for (size_t i = 0; i < hosts->count && code == TW_EXIT_GOOD; i++)
		code = copy_for_host(arguments, &hosts->list[i]);
	for (size_t i = 0; i < arguments->file_count && !hosts->count; i++) {
		struct tw_run_jobs *jobs = &arguments->files[i];
		int fd = jobs->is_changed ? copy(jobs) : 0;

		if (fd < 0)
			return can_not_copy(jobs, fd);
		jobs->copy = fd;
	}
	return code;
}

static void close_copies(struct tw_run_arguments *arguments)
{
	for (size_t i = 0; i < arguments->file_count; i++)
		if (arguments->files[i].copy)
			close(arguments->files[i].copy);
	for (size_t i = 0; i < arguments->hosts.count; i++)
		while (arguments->hosts.list[i].copy_count)
			close(arguments->hosts.list[i].copies[
				--arguments->hosts.list[i].copy_count]);
}

/* ---- fio ---- */

struct start {
	sigset_t mask;
	struct tw_run_arguments *arguments;
};

static void prepare_to_run(void *context, int fd)
{
	const struct start *start = context;
	int out = fd >= 0 ? fd : start->arguments->kept ? start->arguments->kept :
		  start->arguments->is_quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

	if (out >= 0)
		dup2(out, start->arguments->hosts.out_fd ? start->arguments->hosts.out_fd :
		     STDOUT_FILENO);
	sigprocmask(SIG_SETMASK, &start->mask, NULL);
}

/*
 * Wait for the end of fio. All signals that matter are blocked and taken here
 * one after another. So no signal can end this program before fio has ended. Signals
 * from the terminal have reached fio already; others are sent on. @from: what fio prints;
 * -1: it prints by itself.
 */
static int wait_for_end(pid_t pid, const sigset_t *signals, struct tw_run_arguments *arguments,
			int from)
{
	struct tw_progress own = tw_progress_begin(tw_run_name);
	struct tw_progress *line = arguments->progress ? arguments->progress : &own;
	const int is_shown = line->is_wanted && arguments->whole_ns;
	struct pollfd ready[] = {
		{ .fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK), .events = POLLIN },
		{ .fd = from, .events = POLLIN },
	};
	struct signalfd_siginfo got;
	int status, sent;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (is_shown)
			tw_progress_show(line, (double)(tw_clock_id_ns(CLOCK_MONOTONIC) -
					 line->begin_ns) / (double)arguments->whole_ns, "reads");
		poll(ready, 2, is_shown || ready[0].fd < 0 ? 200 : -1);
		if (ready[1].revents && !tw_run_receive(arguments, from))
			ready[1].fd = -1;
		if (read(ready[0].fd, &got, sizeof(got)) != (ssize_t)sizeof(got) ||
		    got.ssi_signo == SIGCHLD)
			continue;
		sent = (int)got.ssi_signo;
		/* fio's client waits for its hosts, and one of them may hang. */
		if (arguments->hosts.count && sent == SIGINT) {
			if (arguments->was_interrupted)
				sent = SIGKILL;
			else
				tw_run_say("fio waits for its hosts; a second SIGINT ends it");
		}
		arguments->was_interrupted = 1;
		if (sent == SIGKILL || got.ssi_code != SI_KERNEL)
			kill(pid, sent);
	}
	/* All of fio's bytes are there. What fio started may keep the pipe open. */
	if (ready[1].fd >= 0)
		fcntl(from, F_SETFL, O_NONBLOCK);
	while (ready[1].fd >= 0 && tw_run_receive(arguments, from))
		;
	if (ready[0].fd >= 0)
		close(ready[0].fd);
	tw_progress_end(line);
	return status;
}

int tw_run_fio(struct tw_run_arguments *arguments, const char *fio,
	       struct tw_run_reports *reports, int *code)
{
	struct start start = { .arguments = arguments };
	const time_t since = time(NULL);
	char **argv;
	sigset_t signals;
	pid_t pid = -1;
	int ret, ended, status, from = -1, has_hosts = arguments->hosts.count != 0;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	for (size_t i = 0; i < TW_LENGTH(forwarded); i++)
		sigaddset(&signals, forwarded[i]);
	sigprocmask(SIG_BLOCK, &signals, &start.mask);
	ret = copy_all(arguments);
	if (ret == TW_EXIT_GOOD && has_hosts)
		ret = tw_run_begin_to_receive(arguments);
	if (ret == TW_EXIT_GOOD) {
		argv = tw_run_fio_arguments(arguments, fio);
		/* If this program is killed, fio gets SIGTERM. */
		pid = tw_child_start(argv, SIGTERM, prepare_to_run, &start,
				     has_hosts ? &from : NULL);
		if (pid > 0) {
			status = wait_for_end(pid, &signals, arguments, from);
			*code = WIFEXITED(status) ? WEXITSTATUS(status) :
						    KILLED_BY + WTERMSIG(status);
			/* While no signal can end this program. */
			if (arguments->settings)
				tw_run_put_back(arguments->settings);
			if (!WIFEXITED(status))
				tw_run_say("fio was killed by signal %d", WTERMSIG(status));
		} else {
			ret = tw_run_fail(TW_EXIT_SOFTWARE, "can't run %s: %s", fio,
					  strerror(-pid));
		}
	}
	/* Also after a failure. */
	close_copies(arguments);
	if (from >= 0) {
		close(from);
		/* What came is shown also if fio's text could not be written. */
		ended = tw_run_end_receiving(arguments);
		*code = *code ? *code : ended;
	}
	sigprocmask(SIG_SETMASK, &start.mask, NULL);
	if (ret == TW_EXIT_GOOD && !has_hosts && !arguments->runs_nothing)
		tw_run_find_reports(reports, arguments, pid, since);
	return ret;
}

/* ---- its command line ---- */

/* Print @text quoted for a shell, without characters that move a cursor. */
static void print_quoted(const char *text, FILE *stream)
{
	size_t length;

	if (*text && !text[strspn(text, TW_RUN_PLAIN "/+,:@%=-")]) {
		fprintf(stream, " %s", text);
		return;
	}
	fputs(" '", stream);
	for (; *text; text += length ? length : 1) {
		length = tw_plain_length(text);
		if (!length)
			fputc('?', stream);
		else if (*text == '\'')
			fputs("'\\''", stream);
		else
			fwrite(text, length, 1, stream);
	}
	fputs("'", stream);
}

void tw_run_print_command(const char *program, char *const *argv, FILE *file)
{
	fputs(program, file);
	while (*argv)
		print_quoted(*argv++, file);
	fputc('\n', file);
}
