/* SPDX-License-Identifier: MIT */
/*
 * Reads reports on all CPUs. Each thread takes the next file that no thread has
 * taken. The caller is the first thread.
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
#include "report/want.h"

/* A thread costs some 50 us, a report 1 ms or less. */
#define REPORTS_A_THREAD	8
#define MAX_THREADS		16

struct work {
	struct tw_report *reports;
	char *const *paths;
	size_t count;
	_Atomic size_t next;
	pthread_mutex_t lock;		/* for the members below */
	size_t failed;			/* number of the first file with a
					 * fault; count: none */
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
 * Read files until there are none. After a fault no further file is begun.
 * Files are begun in their order, so all files before the faulty one have been
 * begun, and will be finished. So the first fault is the same for any number of
 * threads.
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

	/* This fails if there are more CPUs than bits in the set. Then
	 * MAX_THREADS limits. */
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

	/* The library makes the seed of its hash tables at first use, which two
	 * threads must not do at once. */
	json_object_seed(0);
	/* If no other thread can be created, this one reads all files. */
	while (made + 1 < wanted &&
	       pthread_create(&threads[made], NULL, read_files, &work) == 0)
		made++;
	read_files(&work);
	while (made)
		pthread_join(threads[--made], NULL);
	return work.code;
}
