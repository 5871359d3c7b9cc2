/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports as files. Written beside the final name and renamed, so that a full
 * disk or a signal leaves either a whole report or none.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/output/json_text.h"
#include "guards.h"
#include "histogram_json.h"
#include "message.h"
#include "report_file.h"

/*
 * The same for all jobs of one fio run, and for no other: the process they
 * come from, and when its clock was anchored.
 */
static json_t *run_id(struct thread_data *td, const struct tw_timing *timing)
{
	pid_t pid = td->o.use_thread ? getpid() : getppid();
	char text[64];

	snprintf(text, sizeof(text), "%d-%llu", (int) pid,
		 (unsigned long long) timing->clock.anchor_ticks);
	return json_string(text);
}

json_t *tw_report_job(struct thread_data *td, const struct tw_timing *timing,
		      uint64_t start_realtime_ns)
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	return json_pack("{so, so, si, si, si, si, so, so, ss, ss}",
			 "run", run_id(td, timing),
			 "name", tw_json_text(td->o.name),
			 "groupid", (int) td->groupid,
			 "thread_number", (int) td->thread_number,
			 "subjob_number", (int) td->subjob_number,
			 "pid", (int) td->pid,
			 "host", tw_json_text(host),
			 "start", tw_json_digits(start_realtime_ns),
			 "fio_version", fio_version_string,
			 "engine", tw_engine.name);
}

bool tw_report_is_wanted(const char *option)
{
	return !option || strcmp(option, "none") != 0;
}

/* tw_report=FILE as it is; with several jobs in the run, which may all have got it
 * from [global], FILE.N. Then @end. */
static char *path_of_option(struct thread_data *td, const char *option,
			    const char *end)
{
	char *path = NULL;
	int ret;

	if (thread_number == 1)
		ret = asprintf(&path, "%s%s", option, end);
	else
		ret = asprintf(&path, "%s.%u%s", option, td->thread_number, end);
	return ret < 0 ? NULL : path;
}

/* A name no other job has, where fio puts its own files. */
static char *default_path(struct thread_data *td, const char *suffix,
			  const char *end)
{
	char *path = NULL, *name, *c;
	int ret;

	name = strdup(td->o.name);
	if (!name)
		return NULL;
	/* A job's name is no path. */
	for (c = name; *c; c++)
		if (*c == '/')
			*c = '_';
	ret = asprintf(&path, "%s%s%s.%u.%d.%s%s",
		       aux_path ? aux_path : "", aux_path ? "/" : "", name,
		       td->thread_number, (int) td->pid, suffix, end);
	free(name);
	return ret < 0 ? NULL : path;
}

static int dump(const json_t *report, const char *path)
{
	FILE *file = fopen(path, "we");
	int ret = 0;

	if (!file)
		return -errno;
	errno = 0;
	/* 17 digits give every double back. */
	if (json_dumpf(report, file, JSON_REAL_PRECISION(17)) ||
	    fputc('\n', file) == EOF || fflush(file))
		ret = errno ? -errno : -EIO;
	if (fclose(file) && !ret)
		ret = -errno;
	return ret;
}

/* A device or a pipe is written to, not replaced; a link is followed. */
static bool is_special(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISREG(status.st_mode);
}

#define INTERVALS	".intervals.jsonl"

/* Beside a report that is no file, such as /dev/stdout, there is no place for it. */
char *tw_intervals_path(struct thread_data *td, const char *option)
{
	if (option && *option && !is_special(option))
		return path_of_option(td, option, INTERVALS);
	return default_path(td, "tickwise", INTERVALS);
}

static int dump_and_rename(const json_t *report, const char *path)
{
	char *beside = NULL;
	int ret;

	if (asprintf(&beside, "%s.%d.part", path, (int) getpid()) < 0)
		return -ENOMEM;
	ret = dump(report, beside);
	if (!ret && rename(beside, path))
		ret = -errno;
	if (ret)
		unlink(beside);
	free(beside);
	return ret;
}

int tw_report_replace(const char *path, const json_t *report)
{
	return dump_and_rename(report, path);
}

int tw_report_store(struct thread_data *td, const char *option,
		    const char *suffix, const json_t *report, char **file)
{
	char *path = option && *option ? path_of_option(td, option, "") :
					 default_path(td, suffix, ".json");
	int ret = -ENOMEM;

	*file = NULL;
	if (path && report) {
		/* Where a link leads, so that the file and not the link is
		 * replaced; NULL where nothing is yet. */
		char *resolved = realpath(path, NULL);
		bool special = is_special(path);

		ret = special ? dump(report, path) :
			dump_and_rename(report, resolved ? resolved : path);
		free(resolved);
		if (!ret && !special)
			*file = realpath(path, NULL);
	}
	if (ret)
		tw_message("tickwise: %s: the latency report was not "
			"written: %s\n", path ? path : td->o.name,
			strerror(-ret));
	free(path);
	return ret;
}
