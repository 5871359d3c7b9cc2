/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long the job's thread waited for a CPU, by the kernel's own sum, which needs no
 * privileges. The sum is read after a gap, at most once in a millisecond. So a stage of a
 * slow I/O lies between two readings, and their difference is an upper bound for it, to
 * some tens of us: the kernel lacks the wait of a thread that was woken and is the next to run.
 */
#ifndef TW_PLUGIN_RECORD_SCHEDSTAT_H
#define TW_PLUGIN_RECORD_SCHEDSTAT_H

#include <stdbool.h>
#include <stdint.h>

#define TW_WAITS	64	/* readings that are kept; a power of two */

struct tw_waits_reading {
	uint64_t begin_ticks;
	uint64_t end_ticks;
	uint64_t waited_ns;	/* so far */
};

struct tw_cpu_waits {
	int fd;			/* -1: there are no readings */
	uint32_t count;
	uint64_t gap_ticks;	/* read after so long; UINT64_MAX: never */
	uint64_t read_ticks;	/* end of the newest reading */
	struct tw_waits_reading newest[TW_WAITS];
};

struct tw_job;

/* Begin for the calling thread, the job's. It is no error if the kernel has no such sum. */
void tw_waits_begin(struct tw_job *job);
void tw_waits_end(struct tw_job *job);

/* Take a reading. */
void tw_waits_take(struct tw_job *job);

/* Set how long the thread waited for a CPU between two times of the counter, at most. Return
 * false if that is not known. */
bool tw_waits_bound(struct tw_job *job, uint64_t from_ticks, uint64_t to_ticks,
		    uint64_t *ns);

#endif
