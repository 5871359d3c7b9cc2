/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file of a job's intervals and the thread that writes it: see interval.h. Each
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

#include "command/output/file.h"
#include "facts.h"
#include "histogram_json.h"
#include "interval.h"
#include "interval_line.h"
#include "kernel_job.h"
#include "message.h"
#include "report_file.h"
#include "timespec.h"
#include "report/json_memory.h"

struct tw_intervals {
	struct tw_interval_lines lines;
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

static void give_up(struct tw_intervals *intervals, int error)
{
	tw_message("tickwise: %s: %s: no further interval is written: %s\n",
		   intervals->job_name, intervals->path, strerror(error));
	intervals->fd = -1;
}

/* A file that is not in its place is removed. */
static void close_file(struct tw_intervals *intervals)
{
	if (intervals->file.stream)
		tw_output_close(&intervals->file, -ECANCELED);
	intervals->fd = -1;
}

/* Append a line in one call, so that a job that is killed leaves complete lines. If the
 * disk has room for a part only, remove the part again. Return 0 or -errno. */
static int append(int fd, const char *line, size_t length)
{
	ssize_t ret = write(fd, line, length);
	off_t done = 0;

	while (ret > 0 && (size_t) (done += ret) < length)
		ret = write(fd, &line[done], length - (size_t) done);
	if (ret > 0)
		return 0;
	ret = ret ? -errno : -EIO;
	if (done && ftruncate(fd, lseek(fd, 0, SEEK_CUR) - done))
		tw_message("tickwise: the last line of the file is "
			   "incomplete\n");
	return (int) ret;
}

static void write_line(struct tw_intervals *intervals, bool is_end)
{
	struct tw_interval_lines *lines = &intervals->lines;
	int ret;

	if (intervals->fd < 0)
		return;
	ret = tw_interval_line(lines, is_end);
	if (!ret)
		ret = append(intervals->fd, lines->text, lines->length);
	if (ret)
		give_up(intervals, -ret);
}

void tw_intervals_write(struct tw_intervals *intervals)
{
	write_line(intervals, false);
}

/* Return what converts the counter's ticks to CLOCK_MONOTONIC. */
static json_t *clock_to_json(const struct tw_job *job)
{
	const struct tw_offset offset = job->start.monotonic;
	const int64_t monotonic_ns = offset.low_ns +
				     (offset.high_ns - offset.low_ns) / 2;

	return json_pack("{so, so, sf}",
			 "ticks", tw_json_digits(job->start.ticks),
			 "monotonic_ns", tw_json_digits((uint64_t) monotonic_ns),
			 "hz", tw_job_ticks_per_ns(job) * TW_NS_PER_SECOND);
}

/* Return the report's "kernel_stages" without the counts, which the lines have. */
static json_t *kernel_to_json(const struct tw_job *job)
{
	if (!job->kernel.slots)
		return tw_kernel_to_json(job);
	return json_pack("{ss, so*}", "state", "on", "by_helper",
			 job->kernel.by_helper ? json_true() : NULL);
}

static json_t *header_to_json(struct thread_data *td, const struct tw_job *job,
			      uint64_t every_ns)
{
	return json_pack("{ss, si, ss, ss, so, so, so, si, s{sb}, s{sb}, so}",
			 "schema", TW_REPORT_SCHEMA,
			 "version", TW_REPORT_VERSION,
			 "kind", "intervals",
			 "tickwise_version", TW_VERSION,
			 "job", tw_job_to_json(td, job),
			 "clock", clock_to_json(job),
			 "interval_ns", tw_json_of_u64(every_ns),
			 "digits", (int) job->lat[TW_READ].digits,
			 "counter", "fallback", job->system,
			 "fio_times", "event_time", job->event_time,
			 "kernel_stages", kernel_to_json(job));
}

/* Write the first line, which describes the job. Return 0 or -errno. */
static int write_header(struct thread_data *td, const struct tw_job *job,
			struct tw_intervals *intervals)
{
	json_t *header;
	char *text;
	int ret;

	tw_json_forget_lack();
	header = header_to_json(td, job, intervals->every_ns);
	ret = header ? tw_facts_add(job->facts, header) : -ENOMEM;
	text = ret ? NULL : json_dumps(header, JSON_COMPACT |
				       JSON_REAL_PRECISION(17));
	ret = -ENOMEM;
	if (text && !tw_json_lacked_memory()) {
		/* The newline takes the place of the terminating 0. */
		const size_t length = strlen(text);

		text[length] = '\n';
		ret = append(intervals->fd, text, length + 1);
	}
	free(text);
	json_decref(header);
	return ret;
}

/* ---- the thread --------------------------------------------------------- */

static uint64_t monotonic_now_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return tw_timespec_ns(&now);
}

/* Wait for the end of an interval. True: the job is over. Intervals end at multiples of
 * every_ns since @began_ns. If this thread did not run at the end of one, its line is
 * left out, and the next line covers both intervals. */
static bool wait_for_next(struct tw_intervals *intervals, uint64_t began_ns)
{
	const uint64_t passed_ns = monotonic_now_ns() - began_ns;
	const uint64_t next_ns = began_ns + intervals->every_ns *
				 (passed_ns / intervals->every_ns + 1);
	const struct timespec next = {
		.tv_sec = (time_t) (next_ns / TW_NS_PER_SECOND),
		.tv_nsec = (long) (next_ns % TW_NS_PER_SECOND),
	};
	bool ends;

	pthread_mutex_lock(&intervals->lock);
	while (!intervals->ends &&
	       pthread_cond_timedwait(&intervals->ends_now, &intervals->lock,
				      &next) != ETIMEDOUT)
		;
	ends = intervals->ends;
	pthread_mutex_unlock(&intervals->lock);
	return ends;
}

static void *run(void *argument)
{
	struct tw_intervals *intervals = argument;
	const uint64_t began_ns = monotonic_now_ns();

	pthread_setname_np(pthread_self(), "tw_interval");
	if (intervals->cpus.known)
		tw_cpus_set(&intervals->cpus);
	while (!wait_for_next(intervals, began_ns))
		write_line(intervals, false);
	write_line(intervals, true);
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
	struct tw_cpu_list all = { .known = 1 };

	if (sched_getaffinity(fio, sizeof(all.bits),
			      (cpu_set_t *) (void *) all.bits))
		return;
	tw_cpu_list_without(cpus, &all, &job->cpus);
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
	tw_interval_lines_free(&intervals->lines);
	free(intervals->path);
	free(intervals);
}

/* Open the file at one of its places and write the first line. The file of an earlier run
 * stays until then. Return 0 or -errno. */
static int try_place(struct thread_data *td, const struct tw_job *job,
		     struct tw_intervals *intervals, unsigned place)
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
	ret = write_header(td, job, intervals);
	if (!ret)
		ret = tw_output_publish(&intervals->file);
	if (ret)
		close_file(intervals);
	return ret;
}

/* Make the file where the user wants it or, if this fails, elsewhere. Return 0 or
 * -errno. */
static int make_file(struct thread_data *td, const struct tw_job *job,
		     struct tw_intervals *intervals)
{
	const struct tw_options *o = td->eo;
	int ret, wanted;
	sigset_t before;
	unsigned place;

	tw_signals_hold(&before);
	ret = wanted = try_place(td, job, intervals, 0);
	for (place = 1; ret && ret != -ENOMEM && place < TW_REPORT_PLACES; place++)
		ret = try_place(td, job, intervals, place);
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

/* Make the file, its first line and the thread. Return 0 or -errno. */
static int set_up(struct thread_data *td, const struct tw_job *job,
		  struct tw_intervals *intervals)
{
	int ret;

	ret = tw_interval_lines_init(&intervals->lines, job);
	if (!ret)
		ret = make_file(td, job, intervals);
	if (ret)
		return ret;
	choose_cpus(td, job, &intervals->cpus);
	return start_thread(intervals);
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
		intervals->job_name = td->o.name;
		intervals->every_ns = o->interval_us * 1000;
		ret = set_up(td, job, intervals);
	}
	if (!ret) {
		job->intervals = intervals;
		return;
	}
	tw_message("tickwise: %s: %s: no intervals are written: %s\n",
		   td->o.name, intervals && intervals->path ?
		   intervals->path : "tw_interval", tw_file_error(-ret));
	if (intervals)
		free_intervals(intervals);
}

void tw_intervals_end(struct tw_job *job)
{
	struct tw_intervals *intervals = job->intervals;

	if (!intervals)
		return;
	pthread_mutex_lock(&intervals->lock);
	intervals->ends = true;
	pthread_cond_signal(&intervals->ends_now);
	pthread_mutex_unlock(&intervals->lock);
	pthread_join(intervals->thread, NULL);
	pthread_cond_destroy(&intervals->ends_now);
	pthread_mutex_destroy(&intervals->lock);
	free_intervals(intervals);
	job->intervals = NULL;
}
