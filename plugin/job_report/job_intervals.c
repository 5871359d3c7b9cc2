/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of a job's intervals and the thread that writes it. Each
 * job has a thread of its own, whether jobs are threads or processes.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/write_file.h"
#include "fio/message.h"
#include "fio_run.h"
#include "job_report.h"
#include "latency/histogram_json.h"
#include "record/job_record.h"
#include "report/report_json.h"
#include "timespec.h"

/* How often the thread asks at first if the job has switched. */
#define FIRST_PAUSE_NS	50000

/* Settles in an interval, if there are as many I/Os. */
#define SETTLES_AT_LEAST	8

struct tw_intervals {
	struct tw_job *job;
	struct tw_filled sum;		/* of all lines so far */
	struct tw_report_line line;	/* the newest */
	int error;			/* a line could not be added to the sum */
	const char *job_name;
	char *path;
	struct tw_output file;
	int fd;				/* of @file; -1: no further line is written */
	uint64_t every_ns;
	struct tw_cpu_list cpus;	/* of the thread; not known: the job's CPUs */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t ends_now;
	bool ends;
};

/* ---- the file ----------------------------------------------------------- */

/* A file that is not in its place is removed. */
static void close_file(struct tw_intervals *intervals)
{
	if (intervals->file.stream)
		tw_output_close(&intervals->file, -ECANCELED);
	intervals->fd = -1;
}

/* Append JSON as a line in one call, so that a job that is killed leaves complete lines. If
 * the disk has room for a part only, remove the part again. Return 0 or -errno. */
static int append_json(int fd, const json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
	size_t length = text ? strlen(text) : 0;
	off_t done = 0;
	ssize_t ret;

	if (!text || tw_json_lacked_memory()) {
		free(text);
		return -ENOMEM;
	}
	/* The newline takes the place of the terminating 0. */
	text[length++] = '\n';
	ret = write(fd, text, length);
	while (ret > 0 && (size_t) (done += ret) < length)
		ret = write(fd, &text[done], length - (size_t) done);
	if (ret <= 0) {
		ret = ret ? -errno : -EIO;
		if (done && ftruncate(fd, lseek(fd, 0, SEEK_CUR) - done))
			tw_message("tickwise: the last line of the file is "
				   "incomplete\n");
	}
	free(text);
	return ret < 0 ? (int) ret : 0;
}

/* Write the first line, which describes the job. Return 0 or -errno. */
static int write_header(struct thread_data *td, const struct tw_intervals *intervals)
{
	const struct tw_job *job = intervals->job;
	const struct tw_offset offset = job->collected.start.monotonic;
	const struct tw_options *o = td->eo;
	struct tw_report report = {
		.interval_ns = intervals->every_ns,
		.digits = o->digits,
	};
	json_t *header = NULL;
	int ret;

	tw_json_forget_lack();
	/* This converts the counter's ticks to CLOCK_MONOTONIC. */
	report.clock = json_pack("{so, so, sf}",
		"ticks", tw_json_digits(job->collected.start.ticks),
		"monotonic_ns", tw_json_digits((uint64_t) (offset.low_ns +
			(offset.high_ns - offset.low_ns) / 2)),
		"hz", tw_job_ticks_per_ns(job) * TW_NS_PER_SECOND);
	ret = tw_report_begin(td, job, &intervals->sum, NULL, &report);
	if (!ret) {
		header = tw_report_header_to_json(&report);
		ret = append_json(intervals->fd, header);
	}
	json_decref(header);
	tw_report_free(&report);
	return ret;
}

/* ---- lines -------------------------------------------------------------- */

/* Add an interval to the sum, or begin a new sum. */
static void add(struct tw_intervals *intervals, struct tw_filled *filled)
{
	struct tw_filled *sum = &intervals->sum;

	if (filled->restarts) {
		tw_fill_uncount(filled->tally.counts, sum->tally.counts);
		tw_tally_free(&sum->tally);
		sum->first_ticks = sum->last_ticks = 0;
	}
	if (!intervals->error)
		intervals->error = tw_tally_merge(&sum->tally, &filled->tally);
	if (!sum->first_ticks)
		sum->first_ticks = filled->first_ticks;
	if (filled->last_ticks)
		sum->last_ticks = filled->last_ticks;
}

/* Set what a line has next to its tally. */
static void set_line(struct tw_intervals *intervals, const struct tw_filled *filled,
		     bool is_end)
{
	const struct tw_job *job = intervals->job;
	const int64_t to_ns = tw_job_ns(job, job->collected.start.ticks, filled->end_ticks);
	struct tw_report_line *line = &intervals->line;

	line->number++;
	line->from_ns = line->to_ns;
	line->realtime_ns = job->collected.start_realtime_ns + line->from_ns;
	/* The counter of this thread's CPU may be behind. */
	if (to_ns > (int64_t) line->to_ns)
		line->to_ns = (uint64_t) to_ns;
	line->has_run = tw_report_run(job, &intervals->sum, &line->first_ns,
				      &line->run_ns);
	line->is_end = is_end;
	line->restarts = filled->restarts;
}

/* Write a line of what the job has filled, add it to the sum, and make it empty. */
static void write_line(struct tw_intervals *intervals, struct tw_filled *filled,
		       bool is_end)
{
	struct tw_tally *tally = &filled->tally;
	json_t *json;
	int ret;

	tw_windows_close(&tally->over_time);
	add(intervals, filled);
	set_line(intervals, filled, is_end);
	if (intervals->fd >= 0) {
		tw_json_forget_lack();
		json = tw_report_line_to_json(&intervals->line, tally);
		ret = append_json(intervals->fd, json);
		json_decref(json);
		if (ret) {
			tw_message("tickwise: %s: %s: no further interval is written: "
				   "%s\n", intervals->job_name, intervals->path,
				   strerror(-ret));
			intervals->fd = -1;
		}
	}
	tw_tally_reset(tally);
	filled->first_ticks = filled->last_ticks = 0;
	filled->restarts = false;
}

/* ---- the thread --------------------------------------------------------- */

static uint64_t monotonic_now_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return tw_timespec_ns(&now);
}

/* Wait until @at_ns. True: the job is over. */
static bool wait_until(struct tw_intervals *intervals, uint64_t at_ns)
{
	const struct timespec at = tw_timespec_of(at_ns);
	bool ends;

	pthread_mutex_lock(&intervals->lock);
	while (!intervals->ends &&
	       pthread_cond_timedwait(&intervals->ends_now, &intervals->lock,
				      &at) != ETIMEDOUT)
		;
	ends = intervals->ends;
	pthread_mutex_unlock(&intervals->lock);
	return ends;
}

/* Return what the job has filled. The job may be in the middle of a flush. */
static struct tw_filled *take(struct tw_intervals *intervals, unsigned asked)
{
	struct tw_double_buffer *filling = &intervals->job->collected.filling;
	const struct timespec pause = { .tv_nsec = FIRST_PAUSE_NS };

	while (!tw_fill_is_taken(filling)) {
		if (tw_fill_take(filling, asked))
			filling->filled[asked].end_ticks =
				tw_job_stamp(intervals->job);
		else
			nanosleep(&pause, NULL);
	}
	return &filling->filled[asked];
}

/* Ask the job for what it has filled. If it does not flush for a quarter of the interval,
 * it sleeps or waits: then take it. */
static struct tw_filled *ask(struct tw_intervals *intervals)
{
	const uint64_t asked_ns = monotonic_now_ns();
	const unsigned asked = tw_fill_ask(&intervals->job->collected.filling);
	uint64_t pause_ns;

	for (pause_ns = FIRST_PAUSE_NS; pause_ns < intervals->every_ns / 4; pause_ns *= 2)
		if (tw_fill_is_taken(&intervals->job->collected.filling) ||
		    wait_until(intervals, asked_ns + pause_ns))
			break;
	return take(intervals, asked);
}

static void *run(void *argument)
{
	struct tw_intervals *intervals = argument;
	struct tw_job *job = intervals->job;
	const uint64_t began_ns = monotonic_now_ns(), every_ns = intervals->every_ns;
	struct tw_filled *last;

	pthread_setname_np(pthread_self(), "tw_interval");
	if (intervals->cpus.known)
		tw_cpu_list_allow(&intervals->cpus);
	/* Intervals end at multiples of every_ns. If this thread did not run at the end of
	 * one, its line is left out, and the next line covers both intervals. */
	for (;;) {
		const uint64_t now_ns = monotonic_now_ns();

		if (wait_until(intervals, now_ns + every_ns - (now_ns - began_ns) % every_ns))
			break;
		if (intervals->fd >= 0)
			write_line(intervals, ask(intervals), false);
	}
	last = tw_fill_now(&job->collected.filling);
	last->end_ticks = tw_job_stamp(job);
	write_line(intervals, last, true);
	return NULL;
}

/*
 * Choose the CPUs of the thread. If fio keeps the job on some CPUs (cpus_allowed), the
 * thread gets the other CPUs that fio may use. If there are none, the thread shares the
 * job's CPUs.
 */
static void choose_cpus(const struct thread_data *td, const struct tw_job *job,
			struct tw_cpu_list *cpus)
{
	const pid_t fio = td->o.use_thread ? getpid() : getppid();
	struct tw_cpu_list all;

	if (tw_cpu_list_allowed(&all, fio))
		return;
	tw_cpu_list_without(cpus, &all, &job->collected.cpus);
	if (!tw_cpu_list_count(cpus))
		cpus->known = 0;
}

/* Start the thread, with the default scheduling policy instead of the job's, and with
 * all signals blocked, since they are for fio. Return 0 or -errno. */
static int start_thread(struct tw_intervals *intervals)
{
	const struct sched_param no_priority = { 0 };
	pthread_condattr_t monotonic;
	pthread_attr_t other;
	sigset_t all, before;
	int error;

	pthread_mutex_init(&intervals->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&intervals->ends_now, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_attr_init(&other);
	pthread_attr_setinheritsched(&other, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&other, SCHED_OTHER);
	pthread_attr_setschedparam(&other, &no_priority);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&intervals->thread, &other, run, intervals);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&other);
	return -error;
}

/* ---- a job's life ------------------------------------------------------- */

static void free_intervals(struct tw_intervals *intervals)
{
	close_file(intervals);
	tw_tally_free(&intervals->sum.tally);
	free(intervals->path);
	free(intervals);
}

/* Open the file at one of its places and write the first line. The file of an earlier run
 * stays until then. Return 0 or -errno. */
static int try_place(struct thread_data *td, struct tw_intervals *intervals,
		     unsigned place)
{
	const struct tw_options *o = td->eo;
	int ret;

	free(intervals->path);
	intervals->path = tw_intervals_path(td, o->report, place);
	if (!intervals->path)
		return -ENOMEM;
	ret = tw_output_open(&intervals->file, intervals->path);
	if (ret)
		return ret;
	intervals->fd = fileno(intervals->file.stream);
	ret = write_header(td, intervals);
	if (!ret)
		ret = tw_output_publish(&intervals->file);
	if (ret)
		close_file(intervals);
	return ret;
}

/* Make the file where the user wants it or, if this fails, elsewhere. Return 0 or
 * -errno. */
static int make_file(struct thread_data *td, struct tw_intervals *intervals)
{
	const struct tw_options *o = td->eo;
	int ret, wanted;
	sigset_t before;
	unsigned place;

	tw_signals_hold(&before);
	ret = wanted = try_place(td, intervals, 0);
	for (place = 1; ret && ret != -ENOMEM && place < TW_REPORT_PLACES; place++)
		ret = try_place(td, intervals, place);
	tw_signals_release(&before);
	if (ret) {
		free(intervals->path);
		intervals->path = tw_intervals_path(td, o->report, 0);
		return wanted;
	}
	if (wanted)
		tw_message("tickwise: %s: the intervals can't be written to "
			   "their place: %s; they are in %s\n", td->o.name,
			   tw_file_error(-wanted), intervals->path);
	return 0;
}

void tw_intervals_begin(struct thread_data *td, struct tw_job *job)
{
	const struct tw_options *o = td->eo;
	struct tw_intervals *intervals;
	int ret = -ENOMEM;

	if (!o->interval_us || !tw_report_is_wanted(o->report))
		return;
	intervals = calloc(1, sizeof(*intervals));
	if (intervals) {
		intervals->fd = -1;
		intervals->job = job;
		intervals->job_name = td->o.name;
		intervals->every_ns = o->interval_us * 1000;
		ret = tw_record_init(td, job, &job->collected.filling.filled[1].tally);
	}
	if (!ret)
		ret = make_file(td, intervals);
	if (!ret) {
		choose_cpus(td, job, &intervals->cpus);
		ret = start_thread(intervals);
	}
	if (!ret) {
		job->collected.intervals = intervals;
		/* A job with few I/Os does not fill its list of them for many intervals. */
		job->hot.flush_after_ticks = (uint64_t) (tw_job_ticks_per_ns(job) *
			(double) (intervals->every_ns / SETTLES_AT_LEAST));
		return;
	}
	tw_message("tickwise: %s: %s: no intervals are written: %s\n",
		   td->o.name, intervals && intervals->path ?
		   intervals->path : "tw_interval", tw_file_error(-ret));
	if (intervals)
		free_intervals(intervals);
}

int tw_intervals_end(struct tw_job *job)
{
	struct tw_intervals *intervals = job->collected.intervals;
	struct tw_filled *last;
	int error;

	pthread_mutex_lock(&intervals->lock);
	intervals->ends = true;
	pthread_cond_signal(&intervals->ends_now);
	pthread_mutex_unlock(&intervals->lock);
	pthread_join(intervals->thread, NULL);
	pthread_cond_destroy(&intervals->ends_now);
	pthread_mutex_destroy(&intervals->lock);
	error = intervals->error;
	last = tw_fill_now(&job->collected.filling);
	tw_tally_free(&last->tally);
	*last = intervals->sum;
	memset(&intervals->sum, 0, sizeof(intervals->sum));
	free_intervals(intervals);
	job->collected.intervals = NULL;
	return error;
}
