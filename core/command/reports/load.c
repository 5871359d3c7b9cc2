/* SPDX-License-Identifier: MIT */
/*
 * Many reports, read on all CPUs: each thread takes the next file that nobody
 * has taken. The first thread is the caller.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/reports/intervals.h"
#include "command/reports/load.h"
#include "command/reports/merge_intervals.h"
#include "command/reports/read.h"
#include "command/reports/want.h"

/* A thread costs some 50 us, a report 1 ms and less. */
#define REPORTS_A_THREAD	8
#define MAX_THREADS		16

struct work {
	struct tw_report *reports;
	char *const *paths;
	size_t count;
	_Atomic size_t next;
	pthread_mutex_t lock;		/* of what follows */
	size_t failed;			/* the first with a fault; count: none */
	int code;
	struct tw_report_problem *problem;
};

static void keep_first_fault(struct work *work, size_t i, int code,
			     const struct tw_report_problem *problem)
{
	pthread_mutex_lock(&work->lock);
	if (i < work->failed) {
		work->failed = i;
		work->code = code;
		work->problem->text[0] = '\0';
		tw_report_refuse(work->problem, "%s: %s", work->paths[i],
				 problem->text);
	}
	pthread_mutex_unlock(&work->lock);
}

static int read_file(struct tw_report *report, const char *path,
		     struct tw_report_problem *problem)
{
	if (tw_intervals_are_in(path))
		return tw_report_read_header(report, path, problem);
	return tw_report_read(report, path, problem);
}

/*
 * After a fault, no file is begun any more. Files are begun in their order, so
 * all before the faulty one have been, and will be finished: the first fault
 * is the same however many threads there are.
 */
static void *read_files(void *argument)
{
	struct work *work = argument;
	size_t i;

	while ((i = atomic_fetch_add(&work->next, 1)) < work->count) {
		struct tw_report_problem problem = { "" };
		int code = read_file(&work->reports[i], work->paths[i], &problem);

		if (code == TW_EXIT_GOOD)
			continue;
		atomic_store(&work->next, work->count);
		keep_first_fault(work, i, code, &problem);
	}
	return NULL;
}

static size_t threads_for(size_t reports)
{
	size_t threads = reports / REPORTS_A_THREAD;
	cpu_set_t allowed;

	/* Fails where there are more CPUs than the set has bits: enough. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0 &&
	    threads > (size_t)CPU_COUNT(&allowed))
		threads = (size_t)CPU_COUNT(&allowed);
	return threads > MAX_THREADS ? MAX_THREADS : threads;
}

int tw_report_read_all(struct tw_report *reports, char *const *paths,
		       size_t count, struct tw_report_problem *problem)
{
	struct work work = {
		.reports = reports, .paths = paths, .count = count,
		.lock = PTHREAD_MUTEX_INITIALIZER, .failed = count,
		.code = TW_EXIT_GOOD, .problem = problem,
	};
	pthread_t threads[MAX_THREADS];
	size_t wanted = threads_for(count), made = 0;

	/* Its hash tables' seed is made at first use; not by two at once. */
	json_object_seed(0);
	/* Without the others, this one reads all. */
	while (made + 1 < wanted &&
	       pthread_create(&threads[made], NULL, read_files, &work) == 0)
		made++;
	read_files(&work);
	while (made)
		pthread_join(threads[--made], NULL);
	return work.code;
}
