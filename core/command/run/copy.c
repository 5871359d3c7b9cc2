/* SPDX-License-Identifier: MIT */
/*
 * Writes the copies of job files that fio reads instead. They are in a
 * directory of their own, which nobody else can write to. fio runs in the
 * directory where it was called, so relative paths in a job file stay valid.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/run/run.h"

void tw_run_print(const struct tw_run_jobs *jobs, FILE *file)
{
	if (jobs->front)
		fprintf(file, "%s\n", jobs->front);
	for (size_t i = 0; i < jobs->line_count; i++) {
		const struct tw_run_line *line = &jobs->lines[i];

		if (line->text)
			fprintf(file, "%s\n", line->text);
		if (line->is_header && jobs->sections[line->section].first)
			fprintf(file, "%s\n",
				jobs->sections[line->section].first);
	}
}

static int copy(struct tw_run_jobs *jobs, char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	int failed;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return -errno;
	}
	jobs->copy = path;
	errno = 0;
	tw_run_print(jobs, file);
	failed = ferror(file);
	if (fclose(file) || failed)
		return errno ? -errno : -EIO;
	return 0;
}

int tw_run_copy(struct tw_run_arguments *arguments, char **directory)
{
	const char *parent = getenv("TMPDIR");

	*directory = tw_format("%s/tickwise-run.XXXXXX",
			       parent && *parent ? parent : "/tmp");
	if (!mkdtemp(*directory))
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_IO, "%s: %s",
				       *directory, strerror(errno));
	for (size_t i = 0; i < arguments->file_count; i++) {
		struct tw_run_jobs *jobs = &arguments->files[i];
		const char *slash = strrchr(jobs->path, '/');
		/* Two job files may have the same name, and names are limited. */
		char *path = tw_format("%s/%zu-%.200s", *directory, i + 1,
				       slash ? slash + 1 : jobs->path);
		int error = jobs->is_changed ? copy(jobs, path) : 0;

		if (error)
			return tw_command_fail(TW_RUN_NAME, TW_EXIT_IO,
					       "%s: %s", path,
					       strerror(-error));
	}
	return TW_EXIT_GOOD;
}

void tw_run_remove_copies(const struct tw_run_arguments *arguments,
			  const char *directory)
{
	for (size_t i = 0; i < arguments->file_count; i++)
		if (arguments->files[i].copy)
			unlink(arguments->files[i].copy);
	rmdir(directory);
}
