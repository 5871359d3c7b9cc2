/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports as files. A report is written under another name in the same folder and then
 * renamed, so that a full disk or a signal leaves either a complete report or none.
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
 * Return the identifier that all jobs of one fio run share, and no other run has: the
 * process that started them, and when its clock was set up.
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

/* Return the path of tw_report=FILE: FILE and @end. If the run has several jobs, it is
 * FILE.N and @end, because all jobs may have the option from [global]. */
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

/* Return a path that no other job has, in the folder of fio's own files. */
static char *default_path(struct thread_data *td, const char *suffix,
			  const char *end)
{
	char *path = NULL, *name, *c;
	int ret;

	name = strdup(td->o.name);
	if (!name)
		return NULL;
	/* A job's name may contain slashes. */
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
	/* 17 digits keep the exact value of every double. */
	if (json_dumpf(report, file, JSON_REAL_PRECISION(17)) ||
	    fputc('\n', file) == EOF || fflush(file))
		ret = errno ? -errno : -EIO;
	if (fclose(file) && !ret)
		ret = -errno;
	return ret;
}

/* True for a device, a pipe or another file that must be written to, not replaced. A
 * link is followed. */
static bool is_special(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISREG(status.st_mode);
}

#define INTERVALS	".intervals.jsonl"

/* If the report goes to a device or a pipe, such as /dev/stdout, the intervals get the
 * default name. */
char *tw_intervals_path(struct thread_data *td, const char *option)
{
	if (option && *option && !is_special(option))
		return path_of_option(td, option, INTERVALS);
	return default_path(td, "tickwise", INTERVALS);
}

static int dump_and_rename(const json_t *report, const char *path)
{
	char *temporary = NULL;
	int ret;

	if (asprintf(&temporary, "%s.%d.part", path, (int) getpid()) < 0)
		return -ENOMEM;
	ret = dump(report, temporary);
	if (!ret && rename(temporary, path))
		ret = -errno;
	if (ret)
		unlink(temporary);
	free(temporary);
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
		/* The target of a link, so that the file is replaced and not the
		 * link. NULL if there is no file yet. */
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
