/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports as files. A full disk or a signal leaves either a complete report or the file
 * that was there before (base/write_file.h).
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plain_text.h"
#include "base/write_file.h"
#include "collect/sys_facts.h"
#include "fio/message.h"
#include "fio_run.h"
#include "latency/histogram_json.h"
#include "report/report_json.h"

json_t *tw_report_job(struct thread_data *td, const struct tw_timing *timing,
		      uint64_t start_realtime_ns)
{
	/* All jobs of one fio run share the process that started them, and when its clock
	 * was set up. No other run has both. */
	const pid_t parent = td->o.use_thread ? getpid() : getppid();
	json_t *run = json_sprintf("%d-%llu", (int) parent,
				   (unsigned long long) timing->clock.anchor_ticks);

	return json_pack("{so, so, si, si, si, si, so, so, ss, ss}",
			 "run", run,
			 "name", tw_json_text(td->o.name),
			 "groupid", (int) td->groupid,
			 "thread_number", (int) td->thread_number,
			 "subjob_number", (int) td->subjob_number,
			 "pid", (int) td->pid,
			 "host", tw_host_to_json(),
			 "start", tw_json_digits(start_realtime_ns),
			 "fio_version", fio_version_string,
			 "engine", td->io_ops->name);
}

bool tw_report_is_wanted(const char *option)
{
	return !option || strcmp(option, "none") != 0;
}

#define MAX_NAME	100	/* 255 is the limit, and 143 in encrypted folders */

/*
 * Write a job's name as it suits a file's name. A long one is cut at a character: the
 * numbers behind it tell jobs apart. A name of a hidden file, or one like an option, and
 * characters that can't be shown make a file hard to use.
 */
static void plain_name(char plain[MAX_NAME + 1], const char *name)
{
	size_t used = 0, length;

	for (; name && *name; name += length) {
		bool odd = !tw_plain_length(name) || *name == '/' ||
			   (!used && (*name == '.' || *name == '-'));

		length = odd ? 1 : tw_plain_length(name);
		if (used + length > MAX_NAME)
			break;
		memcpy(&plain[used], odd ? "_" : name, length);
		used += length;
	}
	plain[used] = '\0';
}

/*
 * Return where a file goes: to the @place 0 that the user wants or, if that fails, to the
 * current folder, then to the folder of temporary files.
 * @option: FILE of tw_report=FILE, to which @more is added; NULL or "": the default name.
 * If the run has several jobs, it is FILE.N, because all jobs may have the option from
 * [global].
 * @end: of the default name, which no other job has
 */
static char *path_at(struct thread_data *td, const char *option, const char *more,
		     const char *end, unsigned place)
{
	const char *temporary = getenv("TMPDIR");
	const char *folders[TW_REPORT_PLACES] = {
		aux_path, NULL, temporary && *temporary ? temporary : "/tmp",
	};
	const char *folder = folders[place];
	char *path = NULL, name[MAX_NAME + 1];
	int ret;

	plain_name(name, td->o.name);
	if (place || !option || !*option)
		ret = asprintf(&path, "%s%s%s.%u.%d.%s", folder ? folder : "",
			       folder ? "/" : "", name, td->thread_number,
			       (int) td->pid, end);
	else if (thread_number == 1)
		ret = asprintf(&path, "%s%s", option, more);
	else
		ret = asprintf(&path, "%s.%u%s", option, td->thread_number, more);
	return ret < 0 ? NULL : path;
}

/* If the report goes to a device, a pipe or another file that must be written to, not
 * replaced, such as /dev/stdout, the intervals get the default name. A link is followed. */
char *tw_intervals_path(struct thread_data *td, const char *option, unsigned place)
{
	struct stat status;

	if (option && (tw_descriptor_of(option) >= 0 ||
		       (!stat(option, &status) && !S_ISREG(status.st_mode))))
		option = NULL;
	return path_at(td, option, ".intervals.jsonl", "tickwise.intervals.jsonl",
		       place);
}

static int dump(FILE *file, const void *report)
{
	errno = 0;
	/* 17 digits keep the exact value of every double. */
	if (!json_dumpf(report, file, JSON_REAL_PRECISION(17)) &&
	    fputc('\n', file) != EOF)
		return 0;
	if (tw_json_lacked_memory())
		return -ENOMEM;
	return errno ? -errno : -EIO;
}

static sigset_t signals_of_writing(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigaddset(&set, SIGPIPE);
	return set;
}

void tw_signals_hold(sigset_t *before)
{
	const sigset_t set = signals_of_writing();

	pthread_sigmask(SIG_BLOCK, &set, before);
}

void tw_signals_release(const sigset_t *before)
{
	const sigset_t set = signals_of_writing();
	const struct timespec none = { 0 };

	while (sigtimedwait(&set, NULL, &none) > 0)
		;
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

int tw_report_replace(const char *path, const json_t *report)
{
	sigset_t before;
	int ret;

	if (tw_json_lacked_memory())
		return -ENOMEM;
	tw_signals_hold(&before);
	ret = tw_output_file(path, dump, report);
	tw_signals_release(&before);
	return ret;
}

/* A run may have taken hours. Return the path at which the report is now, to be freed;
 * NULL if it can't be written anywhere. */
static char *store_elsewhere(struct thread_data *td, const char *end,
			     const json_t *report)
{
	unsigned place;

	for (place = 1; place < TW_REPORT_PLACES; place++) {
		char *path = path_at(td, NULL, "", end, place);

		if (path && !tw_report_replace(path, report))
			return path;
		free(path);
	}
	return NULL;
}

int tw_report_store(struct thread_data *td, const char *option,
		    const char *suffix, const json_t *report, char **file)
{
	struct stat status;
	char end[32], *path;
	int ret;

	snprintf(end, sizeof(end), "%s.json", suffix);
	path = path_at(td, option, "", end, 0);
	ret = path && report ? tw_report_replace(path, report) : -ENOMEM;
	if (ret) {
		/* Without memory no other place helps. */
		char *other = ret == -ENOMEM ? NULL :
			store_elsewhere(td, end, report);

		tw_message("tickwise: %s: the latency report was not written%s: "
			   "%s%s%s\n", path ? path : td->o.name,
			   other ? " here" : "", tw_file_error(-ret), other ? "; it is in " : "",
			   other ? other : "");
		free(path);
		path = other;
	}
	*file = !path || stat(path, &status) || !S_ISREG(status.st_mode) ? NULL :
		realpath(path, NULL);
	free(path);
	return ret;
}
