/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile -- PROGRAM`: runs it with the recording's options in its
 * environment.
 */
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/command.h"
#include "command/profile/profile.h"
#include "command/profile/symbols.h"

static int is_excluded(const struct profile_want *want, const char *name)
{
	char *text = tw_profile_demangle(name);
	int found = 0;

	for (size_t i = 0; i < want->exclude_count && !found; i++)
		found = fnmatch(want->exclude[i], name, 0) == 0 ||
			(text && fnmatch(want->exclude[i], text, 0) == 0);
	free(text);
	return found;
}

/* The program on its way through PATH, as exec will find it; to be freed. An
 * empty element is the current directory. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	char place[4096], standard[256] = "";
	size_t length;

	if (strchr(name, '/'))
		return realpath(name, NULL);
	if (!path) {
		confstr(_CS_PATH, standard, sizeof(standard));
		path = standard;
	}
	for (;; path += length + 1) {
		length = strcspn(path, ":");
		snprintf(place, sizeof(place), "%.*s%s%s", (int)length, path,
			 length ? "/" : "", name);
		if (access(place, X_OK) == 0)
			return realpath(place, NULL);
		if (!path[length])
			return NULL;
	}
}

/* A line for each function that is not to be timed: core/profile/filter.c. */
static int write_filter(const struct profile_want *want, const char *program,
			const char *path)
{
	struct profile_symbols symbols;
	char *place = find_program(program);
	int failed = place ? tw_profile_symbols_read(&symbols, place) : -ENOENT;
	FILE *file = failed ? NULL : fopen(path, "we");

	for (size_t i = 0; file && i < symbols.count; i++)
		if (is_excluded(want, symbols.symbols[i].name))
			fprintf(file, "%lx %s\n",
				tw_profile_symbol_offset(&symbols,
							 &symbols.symbols[i]),
				place);
	if (!failed) {
		tw_profile_symbols_free(&symbols);
		failed = file ? 0 : -errno;
		if (file && fclose(file))
			failed = -errno;
	}
	free(place);
	return failed;
}

static int set_environment(const struct profile_want *want, const char *path,
			   const char *filter)
{
	const char *had = getenv("TICKWISE_PROFILE");
	char *text;
	int failed;

	if (asprintf(&text, "%s,%s,file=%s%s%s", had ? had : "", want->options,
		     path, filter ? ",filter=" : "", filter ? filter : "") < 0)
		return -ENOMEM;
	failed = setenv("TICKWISE_PROFILE", text, 1) ? -errno : 0;
	free(text);
	return failed;
}

static int wait_for(const char *name, pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return tw_command_fail(TW_PROFILE_NAME,
					       TW_EXIT_SOFTWARE,
					       "can't wait: %s",
					       strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_SOFTWARE,
				       "%s could not be run", name);
	if (WIFSIGNALED(status))
		tw_command_fail(TW_PROFILE_NAME, 0, "%s was ended by signal %d",
				name, WTERMSIG(status));
	else if (WEXITSTATUS(status))
		tw_command_fail(TW_PROFILE_NAME, 0, "%s ended with exit code "
				"%d", name, WEXITSTATUS(status));
	return TW_EXIT_GOOD;
}

int tw_profile_run(char **argv, const char *path,
		   const struct profile_want *want)
{
	char filter[4096];
	pid_t child;
	int failed, code;

	snprintf(filter, sizeof(filter), "%s.filter", path);
	if (want->exclude_count) {
		failed = write_filter(want, argv[0], filter);
		if (failed)
			return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_NO_INPUT,
					       "can't read the symbols of %s: "
					       "%s", argv[0],
					       strerror(-failed));
	}
	failed = set_environment(want, path, want->exclude_count ? filter :
				 NULL);
	if (failed)
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_SOFTWARE, "%s",
				       strerror(-failed));
	child = fork();
	if (child == 0) {
		signal(SIGPIPE, SIG_DFL);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (child < 0)
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_SOFTWARE,
				       "can't start %s: %s", argv[0],
				       strerror(errno));
	code = wait_for(argv[0], child);
	if (want->exclude_count)
		unlink(filter);
	return code;
}
