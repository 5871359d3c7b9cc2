/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile -- PROGRAM`: runs the program with the options of the
 * recording in its environment.
 */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/child.h"
#include "command/command.h"
#include "base/allocate.h"
#include "base/write_file.h"
#include "profile/command/profiles.h"

struct filter {
	const struct profile_want *want;
	const char *program;
	struct tw_output output;
	size_t found;
};

/* Write a line for a function that is not to be timed: see core/profile/maps.c. */
static void filter_symbol(void *context, const char *name, uint64_t offset)
{
	struct filter *filter = context;
	const struct tw_texts *exclude = &filter->want->exclude;
	char *text = tw_profile_demangle(name);

	for (size_t i = 0; i < exclude->count; i++)
		if (fnmatch(exclude->list[i], name, 0) == 0 ||
		    fnmatch(exclude->list[i], text, 0) == 0) {
			fprintf(filter->output.stream, "%lx %s\n", offset, filter->program);
			filter->found++;
			break;
		}
	free(text);
}

static int write_filter(const struct profile_want *want, const char *program, const char *path)
{
	char found[PATH_MAX], *place = tw_child_find(found, program) ? realpath(found, NULL) : NULL;
	struct filter filter = { .want = want, .program = place };
	int failed = place ? tw_output_open(&filter.output, path) : -ENOENT;

	if (!failed)
		failed = tw_output_close(&filter.output, tw_profile_each_symbol(place, &filter,
										filter_symbol));
	if (!failed && !filter.found)
		tw_command_fail(TW_PROFILE_NAME, 0, "--exclude: %s has no function of that name",
				program);
	free(place);
	return failed;
}

/*
 * Signals that ask this program to end while another program runs. The other
 * program gets them, too; when it has ended, its profile is printed. A signal
 * from a terminal reaches both programs; one that a process sends to this one
 * is passed on. A signal that arrives while no program runs ends this one after
 * its files are removed.
 */
static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static struct sigaction before[TW_LENGTH(ends)];
static volatile sig_atomic_t running, kept;	/* a process; a signal */

static void pass_on(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (!running)
		kept = number;
	else if (info->si_code <= 0)
		kill(running, number);
}

void tw_profile_signals_take(void)
{
	struct sigaction action = { .sa_sigaction = pass_on,
				    .sa_flags = SA_SIGINFO | SA_RESTART };

	for (size_t i = 0; i < TW_LENGTH(ends); i++) {
		sigaction(ends[i], NULL, &before[i]);
		/* Ignored by nohup, and in background jobs. */
		if (before[i].sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
	}
}

void tw_profile_signals_give_back(void)
{
	for (size_t i = 0; i < TW_LENGTH(ends); i++)
		sigaction(ends[i], &before[i], NULL);
	if (kept)
		raise(kept);
}

/* Restore signals in the child, which must not have these handlers. */
static void unblock(void *context, int fd)
{
	(void)fd;
	for (size_t i = 0; i < TW_LENGTH(ends); i++)
		sigaction(ends[i], &before[i], NULL);
	sigprocmask(SIG_SETMASK, context, NULL);
}

/* Start the program. It continues if this program is killed. Return: 0;
 * -errno. */
static int start(char **argv)
{
	sigset_t asked, mask;
	pid_t child;

	sigemptyset(&asked);
	for (size_t i = 0; i < TW_LENGTH(ends); i++)
		sigaddset(&asked, ends[i]);
	sigprocmask(SIG_BLOCK, &asked, &mask);
	child = tw_child_start(argv, 0, unblock, &mask, NULL);
	if (child > 0) {
		running = child;
		if (kept)
			kill(child, kept);
		kept = 0;
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return child < 0 ? child : 0;
}

static int wait_for(const char *name)
{
	siginfo_t ended;
	pid_t child = running;

	/* Until the last waitid() its process number is not given to another
	 * process, so no other process can get a signal. */
	while (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT) &&
	       errno == EINTR)
		;
	running = 0;
	if (waitid(P_PID, (id_t)child, &ended, WEXITED))
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_SOFTWARE,
				       "can't wait: %s", strerror(errno));
	if (ended.si_code != CLD_EXITED)
		tw_command_fail(TW_PROFILE_NAME, 0, "%s was ended by signal %d",
				name, ended.si_status);
	else if (ended.si_status)
		tw_command_fail(TW_PROFILE_NAME, 0, "%s ended with exit code "
				"%d", name, ended.si_status);
	return TW_EXIT_GOOD;
}

int tw_profile_run(char **argv, const char *path, const char *filter,
		   const struct profile_want *want)
{
	const char *had = getenv("TICKWISE_PROFILE");
	int has_filter = want->exclude.count > 0;
	const char *options = tw_format("%s,%s,file=%s%s%s", had ? had : "", want->options, path,
					has_filter ? ",filter=" : "", has_filter ? filter : "");
	int failed = has_filter ? write_filter(want, argv[0], filter) : 0;

	if (failed)
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_NO_INPUT,
				       "can't read the symbols of %s: %s", argv[0],
				       tw_file_error(-failed));
	if (setenv("TICKWISE_PROFILE", options, 1))
		tw_no_memory();
	failed = start(argv);
	return failed ? tw_command_fail(TW_PROFILE_NAME, TW_EXIT_SOFTWARE, "can't start %s: %s",
					argv[0], strerror(-failed)) : wait_for(argv[0]);
}
