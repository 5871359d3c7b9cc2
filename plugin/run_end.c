/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of a run: see run_end.h.
 *
 * There is no lock, because a killed job would keep it. A job adds its report to the
 * list, and then reads if the counters have been compared. The last job first publishes
 * that it has compared them, and then reads the list. So at least one of the two jobs
 * finds the report.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/write_file.h"
#include "message.h"
#include "report_file.h"
#include "run_end.h"
#include "report/json_memory.h"

/* The reports of more jobs, and those with longer paths, stay undecided. */
#define MAX_REPORTS	2048U
#define MAX_PATH	1024
/* fio's REAL_MAX_JOBS. */
#define MAX_JOBS	4096
/* How long to wait while another job compares: 20 s, far longer than a comparison takes
 * on a busy machine. */
#define START_STEPS	20000U
#define START_STEP_NS	1000000L

enum compared {
	NOT_COMPARED,
	COMPARING,
	COMPARED,
};

/* A report that waits for the end of the run. */
struct waiting {
	_Atomic(bool) is_set;
	_Atomic(bool) is_taken;
	struct tw_job_end end;
	char path[MAX_PATH];
	int thread_number;
	int pid;
};

struct run {
	_Atomic(unsigned) started;	/* enum compared: before the first job */
	struct tw_run_start start;
	_Atomic(unsigned) compared;	/* enum compared: after the last job */
	struct tw_run_end found;
	/* Jobs on Tickwise's engines, a bit for each of fio's thread numbers. */
	_Atomic(uint64_t) begun[MAX_JOBS / 64];
	_Atomic(uint64_t) ended[MAX_JOBS / 64];
	/* The CPUs of all jobs that have a report. */
	_Atomic(uint64_t) cpus[TW_CPU_LIST_MAX / 64];
	_Atomic(unsigned) reports;
	struct waiting waiting[MAX_REPORTS];
};

static struct run *run;

/*
 * The environment variable by which several engines in one fio share memory. Each engine
 * is a library of its own; those that are loaded later find the memory of the first. The
 * variable contains the pid, so programs that a job starts ignore it.
 */
#define VARIABLE	"TICKWISE_RUN"

static struct run *find_run(void)
{
	const char *text = getenv(VARIABLE);
	char version[32];
	void *found;
	int pid;

	if (!text || sscanf(text, "%31s %d %p", version, &pid, &found) != 3 ||
	    strcmp(version, TW_VERSION) != 0 || pid != getpid())
		return NULL;
	return found;
}

void tw_run_begin(void)
{
	char text[96];
	void *made;

	if (run)
		return;
	run = find_run();
	if (run)
		return;
	made = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (made == MAP_FAILED)
		return;
	run = made;
	snprintf(text, sizeof(text), "%s %d %p", TW_VERSION, (int) getpid(),
		 made);
	setenv(VARIABLE, text, 1);
}

bool tw_run_is_started(struct tw_run_start *start)
{
	const struct timespec while_ns = { .tv_nsec = START_STEP_NS };
	unsigned not_compared = NOT_COMPARED;
	unsigned i;

	if (!run || atomic_compare_exchange_strong(&run->started, &not_compared,
						   COMPARING))
		return false;
	for (i = 0; i < START_STEPS; i++) {
		if (atomic_load(&run->started) == COMPARED) {
			*start = run->start;
			return true;
		}
		nanosleep(&while_ns, NULL);
	}
	return true;
}

void tw_run_started(const struct tw_run_start *start)
{
	if (!run)
		return;
	run->start = *start;
	atomic_store(&run->started, COMPARED);
}

static void mark(_Atomic(uint64_t) *jobs, const struct thread_data *td)
{
	unsigned job = td->thread_number % MAX_JOBS;

	atomic_fetch_or(&jobs[job / 64], UINT64_C(1) << job % 64);
}

static bool is_marked(const _Atomic(uint64_t) *jobs,
		      const struct thread_data *td)
{
	unsigned job = td->thread_number % MAX_JOBS;

	return atomic_load(&jobs[job / 64]) >> job % 64 & 1;
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
static bool is_over(const struct thread_data *td)
{
	if (is_marked(run->begun, td))
		return is_marked(run->ended, td) || td->runstate >= TD_EXITED;
	return td->runstate >= TD_FINISHING ||
	       (td->runstate == TD_NOT_CREATED && td->terminate);
}

void tw_run_take_hangup(void)
{
	struct sigaction end, hangup;

	if (!sigaction(SIGTERM, NULL, &end) && !sigaction(SIGHUP, NULL, &hangup) &&
	    hangup.sa_handler == SIG_DFL && end.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &end, NULL);
}

void tw_run_job_begins(const struct thread_data *td)
{
	tw_run_take_hangup();
	if (run)
		mark(run->begun, td);
}

static bool is_last(const struct thread_data *me)
{
	unsigned i;

	for (i = 0; i < thread_number; i++) {
		const struct thread_data *td = tnumber_to_td(i);

		if (td != me && !is_over(td))
			return false;
	}
	return true;
}

static void add_cpus(const struct tw_cpu_list *cpus)
{
	unsigned i;

	for (i = 0; i < FIO_ARRAY_SIZE(cpus->bits); i++)
		if (cpus->bits[i])
			atomic_fetch_or(&run->cpus[i], cpus->bits[i]);
}

static void compare(const struct tw_timing *timing)
{
	struct tw_cpu_list cpus = { .known = 1 };
	unsigned i;

	for (i = 0; i < FIO_ARRAY_SIZE(cpus.bits); i++)
		cpus.bits[i] = atomic_load(&run->cpus[i]);
	tw_run_compare(timing, &cpus, &run->found);
}

/* Return what the comparison found; NULL if there was none yet. The last job compares
 * the counters here. */
static const struct tw_run_end *found(const struct thread_data *td,
				      const struct tw_timing *timing)
{
	unsigned not_compared = NOT_COMPARED;

	static const struct tw_run_end no_memory = { .error = ENOMEM };

	if (!run)
		return &no_memory;
	/* If two jobs end at the same time, at least one sees the other's mark. */
	mark(run->ended, td);
	if (timing->clock.system)
		return NULL;
	if (atomic_load(&run->compared) == NOT_COMPARED && is_last(td) &&
	    atomic_compare_exchange_strong(&run->compared, &not_compared,
					   COMPARING)) {
		compare(timing);
		atomic_store(&run->compared, COMPARED);
	}
	return atomic_load(&run->compared) == COMPARED ? &run->found : NULL;
}

static void wait_for_last(const struct thread_data *td, const char *path,
			  const struct tw_job_end *end)
{
	unsigned i = atomic_fetch_add(&run->reports, 1);
	struct waiting *waiting;

	if (i >= MAX_REPORTS || strlen(path) >= MAX_PATH)
		return;
	waiting = &run->waiting[i];
	waiting->end = *end;
	waiting->thread_number = (int) td->thread_number;
	waiting->pid = (int) td->pid;
	strcpy(waiting->path, path);
	atomic_store(&waiting->is_set, true);
}

static bool has_int(const json_t *object, const char *key, int value)
{
	const json_t *json = json_object_get(object, key);

	return json_is_integer(json) && json_integer_value(json) == value;
}

/* Read the report of a job again. NULL if another file is in its place: in a folder of
 * another user that can be a link or a pipe, too, which must not stop fio. */
static json_t *read_back(const struct waiting *waiting)
{
	const int fd = open(waiting->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
			    O_CLOEXEC);
	json_t *report = fd < 0 ? NULL : json_loadfd(fd, 0, NULL);
	const json_t *job = json_object_get(report, "job");

	if (fd >= 0)
		close(fd);
	if (!job)
		job = json_array_get(json_object_get(report, "jobs"), 0);
	if (has_int(job, "pid", waiting->pid) &&
	    has_int(job, "thread_number", waiting->thread_number))
		return report;
	json_decref(report);
	return NULL;
}

static void complete(const struct waiting *waiting)
{
	json_t *report;
	int ret;

	tw_json_forget_lack();
	report = read_back(waiting);
	if (!report)
		return;
	ret = json_object_set_new(report, "counter",
				  tw_counter_to_json(&waiting->end,
						     &run->found)) ?
	      -ENOMEM : tw_report_replace(waiting->path, report);
	if (ret)
		tw_message("tickwise: %s: the end of the run could not be "
			"added to the latency report: %s\n", waiting->path,
			tw_file_error(-ret));
	json_decref(report);
}

void tw_run_job_ended(struct thread_data *td)
{
	const struct tw_timing *timing;
	unsigned i, count;

	if (!run)
		return;
	mark(run->ended, td);
	count = atomic_load(&run->reports);
	if (!count)
		return;
	timing = tw_timing_of_process();
	if (!found(td, timing))
		return;
	/* Read it again: jobs may have added reports during the comparison. */
	count = min(atomic_load(&run->reports), MAX_REPORTS);
	for (i = 0; i < count; i++) {
		struct waiting *waiting = &run->waiting[i];

		if (atomic_load(&waiting->is_set) &&
		    !atomic_exchange(&waiting->is_taken, true))
			complete(waiting);
	}
}

int tw_run_report(struct thread_data *td, const char *option,
		  const char *suffix, json_t *report,
		  const struct tw_timing *timing, const struct tw_job_end *end)
{
	const struct tw_run_end *run_end;
	char *path = NULL;
	int ret;

	if (run)
		add_cpus(&end->cpus);
	run_end = found(td, timing);
	/* This fails if @report is NULL; tw_report_store() then logs the error. */
	if (json_object_set_new(report, "counter",
				tw_counter_to_json(end, run_end)) ||
	    tw_json_lacked_memory()) {
		json_decref(report);
		report = NULL;
	}
	ret = tw_report_store(td, option, suffix, report, &path);
	if (!ret && path && !run_end && !timing->clock.system)
		wait_for_last(td, path, end);
	free(path);
	json_decref(report);
	return ret;
}
