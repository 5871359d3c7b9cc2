/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program that stamps syncs (sync_stages.bpf.c). It is loaded once for all jobs of a fio, and
 * only if a job syncs. Each job reads its stamps from memory shared with the kernel.
 */
#ifndef TW_PLUGIN_KERNEL_SYNC_SYNCS_H
#define TW_PLUGIN_KERNEL_SYNC_SYNCS_H

#include <stdbool.h>
#include <stdint.h>

#include "sync.h"

/* The state of one job. */
struct tw_syncs {
	const volatile struct tw_sync *by_index;	/* of the io_u; NULL: not stamped */
	const char *why;		/* the reason; NULL: stamped, or the job has no syncs */
	bool of_writes;			/* the job's writes are synced */
	uint32_t thread;
};

/* Load the program for jobs with @places I/Os in flight together, unless it is loaded.
 * @with_writes: some of them write with O_DSYNC. Call this in the process that starts the jobs,
 * which inherit the program. Return NULL, or the reason in one line. */
const char *tw_syncs_load(uint32_t places, bool with_writes);

/* Find a function of the kernel: from its first byte to the next function. Return 0; -ENOENT: no
 * address is between the two. In the calls of the first one a sync writes out data (sync.bpf.h). */
#define TW_WRITES_DATA	"file_write_and_wait_range"
int tw_find_function(const char *function, __u64 *from, __u64 *to);

/* Announce that the calling thread makes a ring next, with @entries places, a power of two, after
 * the program is loaded. Sets @syncs. */
void tw_syncs_expect(struct tw_syncs *syncs, uint32_t entries);

/* Check that the ring was seen, after it was made or could not be made. */
void tw_syncs_made(struct tw_syncs *syncs);

/* Copy the stamps of the sync with @key. Return false, and an empty @sync, if there are none. */
static inline bool tw_syncs_read(const struct tw_syncs *syncs, unsigned index, uint64_t key,
				 struct tw_sync *sync)
{
	*sync = *(const struct tw_sync *)&syncs->by_index[index];
	if (sync->key == key)
		return true;
	*sync = (struct tw_sync) { .key = 0 };
	return false;
}

#endif
