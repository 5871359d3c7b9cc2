/* SPDX-License-Identifier: GPL-2.0 */
/* A run of fio, from its first job to its end: see fio_run.h. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/write_file.h"
#include "fio/message.h"
#include "fio_run.h"
#include "report/report_json.h"

/* ---- the end ------------------------------------------------------------
 *
 * A job holds the lock while it compares the counters, which others have to wait for
 * anyway, but not while it writes its own report: that may go to a pipe.
 */

void tw_run_take_hangup(void)
{
	struct sigaction end, hangup;

	if (!sigaction(SIGTERM, NULL, &end) && !sigaction(SIGHUP, NULL, &hangup) &&
	    hangup.sa_handler == SIG_DFL && end.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &end, NULL);
}

void tw_run_job_begins(const struct thread_data *td)
{
	struct tw_run *run = tw_run_lock();

	if (run)
		run->begun[td->thread_number % TW_RUN_JOBS] = true;
	tw_run_unlock(run);
	tw_run_take_hangup();
}

/*
 * True if the job does no I/O any more.
 *
 *	- A job on one of Tickwise's engines is over when it cleans up, which is after its
 *	  exec_postrun, or when it was killed.
 *	- A job on another engine does no I/O from TD_FINISHING on.
 *	- A job that has not been created is still to come (stonewall, startdelay), unless
 *	  fio ends the run.
 */
static bool is_over(const struct tw_run *run, const struct thread_data *td)
{
	const unsigned job = td->thread_number % TW_RUN_JOBS;

	if (run->begun[job])
		return run->over[job] || td->runstate >= TD_EXITED;
	return td->runstate >= TD_FINISHING ||
	       (td->runstate == TD_NOT_CREATED && td->terminate);
}

/* Note that the job @me is over. The last job compares the counters. */
static void end_job(struct tw_run *run, const struct thread_data *me,
		    const struct tw_timing *timing)
{
	unsigned i;

	run->over[me->thread_number % TW_RUN_JOBS] = true;
	if (timing->clock.system || run->is_ended)
		return;
	for (i = 0; i < thread_number; i++)
		if (tnumber_to_td(i) != me && !is_over(run, tnumber_to_td(i)))
			return;
	tw_run_compare(timing, &run->cpus, &run->end);
	run->is_ended = true;
}

/* Read the report of a job again. NULL if another file is in its place, such as another
 * user's in a folder of that user. */
static json_t *read_back(const struct tw_waiting *waiting)
{
	const int fd = tw_input_open(waiting->path, 0);
	int pid = 0, thread_number = 0;
	json_t *report = NULL;
	struct stat status;

	if (fd >= 0 && !fstat(fd, &status) &&
	    (status.st_uid == waiting->user || !tw_is_anothers_in(&status, waiting->path)))
		report = json_loadfd(fd, 0, NULL);
	if (fd >= 0)
		close(fd);
	/* The memory engine's report has one job, without a list. */
	if ((!json_unpack(report, "{s{si, si}}", "job", "pid", &pid,
			  "thread_number", &thread_number) ||
	     !json_unpack(report, "{s[{si, si}]}", "jobs", "pid", &pid,
			  "thread_number", &thread_number)) &&
	    pid == waiting->pid && thread_number == waiting->thread_number)
		return report;
	json_decref(report);
	return NULL;
}

static void complete(const struct tw_waiting *waiting, const struct tw_run_end *end)
{
	json_t *report;
	int ret;

	tw_json_forget_lack();
	report = read_back(waiting);
	if (!report)
		return;
	ret = json_object_set_new(report, "counter", tw_counter_to_json(&waiting->end, end)) ?
	      -ENOMEM : tw_report_replace(waiting->path, report);
	if (ret)
		tw_message("tickwise: %s: the end of the run could not be "
			"added to the latency report: %s\n", waiting->path,
			tw_file_error(-ret));
	json_decref(report);
}

void tw_run_job_ended(struct thread_data *td)
{
	struct tw_run *run = tw_run_lock();

	if (!run)
		return;
	run->over[td->thread_number % TW_RUN_JOBS] = true;
	if (run->completed < run->reports)
		end_job(run, td, tw_timing_of_process());
	while (run->is_ended && run->completed < run->reports)
		complete(&run->waiting[run->completed++], &run->end);
	tw_run_unlock(run);
}

static void wait_for_last(const struct thread_data *td, const char *path,
			  const struct tw_job_end *end)
{
	struct tw_run *run = tw_run_lock();
	struct tw_waiting *waiting;

	if (run && run->reports < TW_RUN_REPORTS && strlen(path) < TW_RUN_PATH) {
		waiting = &run->waiting[run->reports];
		waiting->end = *end;
		waiting->thread_number = (int) td->thread_number;
		waiting->pid = (int) td->pid;
		waiting->user = geteuid();
		strcpy(waiting->path, path);
		run->reports++;
	}
	tw_run_unlock(run);
}

/* Return @report with "counter"; NULL without memory, which tw_report_store() logs. */
static json_t *with_counter(json_t *report, json_t *counter)
{
	if (!json_object_set(report, "counter", counter) && !tw_json_lacked_memory())
		return report;
	json_decref(report);
	return NULL;
}

int tw_run_report(struct thread_data *td, const char *option, const char *suffix,
		  json_t *report, const struct tw_to_client *to_client,
		  const struct tw_timing *timing, const struct tw_job_end *end)
{
	struct tw_run_end run_end = { .error = ENOMEM };
	struct tw_run *run = tw_run_lock();
	bool is_ended = !run;
	json_t *counter, *lean;
	char *path = NULL;
	unsigned i;
	int ret = 0;

	if (run) {
		for (i = 0; i < FIO_ARRAY_SIZE(run->cpus.bits); i++)
			run->cpus.bits[i] |= end->cpus.bits[i];
		run->cpus.known = 1;
		end_job(run, td, timing);
		is_ended = run->is_ended;
		run_end = run->end;
	}
	tw_run_unlock(run);
	counter = tw_counter_to_json(end, is_ended ? &run_end : NULL);
	report = with_counter(report, counter);
	if (tw_report_is_wanted(option))
		ret = tw_report_store(td, option, suffix, report, &path);
	if (!ret && path && !is_ended && !timing->clock.system)
		wait_for_last(td, path, end);
	if (to_client) {
		lean = with_counter(to_client->report, counter);
		tw_send_report(to_client->token, lean, path);
		json_decref(lean);
	}
	free(path);
	json_decref(counter);
	json_decref(report);
	return ret;
}
