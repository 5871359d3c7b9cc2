/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the memory engine share: the options and the state of a job. */
#ifndef TW_PLUGIN_MEMORY_ENGINE_MEMORY_JOB_H
#define TW_PLUGIN_MEMORY_ENGINE_MEMORY_JOB_H

#include "fio/fio_layout.h"
#include "job_clock/timing.h"
#include "memory/pages.h"
#include "memory/point.h"

/* The beginning of all messages. */
#define TW_MEMORY_NAME	"tickwise-memory"

/* Bytes of an element of the cycle, which fio counts for a load. */
#define TW_MEMORY_LINE_BYTES	64

/* Of the histogram of times. A bin is one tick wide up to 2^14, and at most 1/16384 of its
 * value above. */
#define TW_MEMORY_DIGITS	4

/* tw_pattern: the order of rw=; other values are 1 + the kind of cycle. */
#define TW_PATTERN_OF_RW	0

struct tw_memory_options {
	void *pad;			/* for fio, offset 0 means "no option" */
	char *report;
	unsigned pages;			/* enum tw_pages */
	unsigned pattern;
	unsigned long long window_bytes;
	unsigned long long seed;
	unsigned repeat;
	int node;
};

struct tw_memory_job {
	const struct tw_timing *timing;
	double ns_per_tick;
	struct tw_memory memory;
	struct tw_cycle cycle;
	void *position;			/* address of the next load */
	uint64_t loads;			/* of one I/O */
	double warm_passes;
	uint64_t set_up_ns;		/* time for memory, cycle and first pass */
	uint64_t stamp_ticks;		/* time of the two stamps themselves */
	double cycle_ns;		/* of the core, when the job began */
	uint64_t start_realtime_ns;
	struct tw_cpu_list cpus;	/* where the job might run when it began */

	/* The I/O before this one, until it is recorded. */
	bool is_unrecorded;
	bool is_accounted;
	uint64_t took_ticks;
	uint64_t interruptions;		/* of the thread, before that I/O */

	struct tw_histogram ticks;	/* of I/Os that nothing interrupted */
	uint64_t interrupted;		/* number of I/Os, like the next two */
	uint64_t backwards;		/* ended before they began */
	uint64_t unaccounted;		/* fio does not count them, or no longer */
	struct timespec epoch;		/* of fio's statistics: tw_was_reset() */
};

/* memory_options.c: the checks log what is wrong before any job begins, and return 0 or 1 */
extern struct fio_option tw_memory_options[];
int tw_memory_check(struct thread_data *td);
enum tw_cycle_kind tw_memory_kind(struct thread_data *td);

/* memory_report.c: write the report; return 0 or -errno, which is logged */
int tw_memory_report(struct thread_data *td, struct tw_memory_job *job);

#endif
