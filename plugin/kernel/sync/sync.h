/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program of sync_stages.bpf.c and the engine share: the stamps of each sync (fsync,
 * fdatasync, a write with O_DSYNC) in flight, in memory that both map. From them come the parts
 * of a sync's time (tw_sync_parts()), by arithmetic alone.
 *
 * A sync first writes out the file's dirty pages and waits for them. Then it has "moved on":
 * it waits for a commit of the journal, for the device to flush its cache, or both.
 */
#ifndef TW_PLUGIN_KERNEL_SYNC_SYNC_H
#define TW_PLUGIN_KERNEL_SYNC_SYNC_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#include "kernel/stages/in_flight_of_others.h"

/* Times are in ns of CLOCK_MONOTONIC; 0: the point was not passed, or not seen. */
struct tw_sync {
	__u64 key;		/* user_data of the I/O that has these stamps */
	__u64 queued_ns;	/* io_uring gave it to a worker */
	__u64 begun_ns;		/* the worker began with it */
	__u64 moved_on_ns;	/* its data is written out, and it waits for more */
	__u64 ended_ns;		/* its last wait was over */
	__u64 flush_ns;		/* from moved_on to ended: the disk flushed its cache */
	__u64 written_bytes;	/* data that its task sent to the disk */
	__u64 disk;		/* the kernel's gendisk of the file; 0: none */
	__u64 slept_ns;		/* it began to wait; 0: it does not wait */
	__u64 woken_ns;		/* it was woken from this wait; 0: not yet */
	__u32 flags;
	__u32 commits;		/* of a journal that it waited for, as far as they are seen */
	__u32 others;		/* other processes with handles in a commit, `who` among them */
	__u32 unused;
	struct tw_who who;	/* the one of these with most handles, which are its requests */
};

/* Flags: the file is a block device, which has no journal; the disk had more flushes meanwhile
 * than it keeps. */
#define TW_SYNC_OF_DEVICE	1
#define TW_SYNC_CUT		2
/* A flag: the sync has returned, and its worker now waits for something else. */
#define TW_SYNC_OVER		16

/* A ring whose syncs are followed: its indexes in the table are [base, base + mask]. */
struct tw_sync_ring {
	__u32 base;
	__u32 mask;
};

#define TW_SYNC_RINGS	4096

#ifndef __bpf__
#include <stdbool.h>

#include "kernel/stages/clock_map.h"

/* In the order of enum tw_time from TW_SYNC_WORKER and from TW_COMPLETE_WORKER on. */
enum tw_sync_part {
	TW_IN_WORKER,
	TW_IN_DATA,
	TW_IN_JOURNAL,
	TW_IN_FLUSH,
	TW_IN_WAKE,
	TW_SYNC_PARTS,
};
_Static_assert((int)TW_SYNC_WAKE - (int)TW_SYNC_WORKER == (int)TW_IN_WAKE &&
	       (int)TW_COMPLETE_WAKE - (int)TW_COMPLETE_WORKER == (int)TW_IN_WAKE,
	       "metrics of enum tw_sync_part");

struct tw_sync_parts {
	bool known;
	uint64_t ns[TW_SYNC_PARTS];	/* add up to the stage */
	uint64_t written_bytes;
};

static inline bool tw_sync_is_known(const struct tw_sync *sync)
{
	return sync->begun_ns && sync->ended_ns && sync->disk && !(sync->flags & TW_SYNC_CUT);
}

/* Return how long after @from_ns (own time) a stamp is, between @least_ns and @most_ns. */
static inline uint64_t tw_sync_since(const struct tw_clock_map *map, uint64_t stamp_ns,
				     int64_t from_ns, uint64_t least_ns, uint64_t most_ns)
{
	const int64_t ns = tw_clock_map_own_ns(map, stamp_ns) - from_ns;

	return ns < (int64_t)least_ns ? least_ns : ns > (int64_t)most_ns ? most_ns :
	       (uint64_t)ns;
}

/*
 * Return the parts of the stage that has the sync: kernel, or complete of a direct write. It
 * began at @from_ns (own time) and is @stage_ns long. A flush of the disk by anybody counts
 * from when the sync has moved on. What is neither flush nor data is the journal's. A block
 * device has none.
 */
static inline struct tw_sync_parts tw_sync_parts(const struct tw_clock_map *map,
						 const struct tw_sync *sync,
						 int64_t from_ns, uint64_t stage_ns)
{
	struct tw_sync_parts parts = { .known = tw_sync_is_known(sync) };
	uint64_t begun_ns, moved_ns, ended_ns, rest_ns;

	if (!parts.known)
		return parts;
	begun_ns = tw_sync_since(map, sync->begun_ns, from_ns, 0, stage_ns);
	ended_ns = tw_sync_since(map, sync->ended_ns, from_ns, begun_ns, stage_ns);
	moved_ns = sync->moved_on_ns ? tw_sync_since(map, sync->moved_on_ns, from_ns, begun_ns,
						     ended_ns) : ended_ns;
	rest_ns = ended_ns - moved_ns;
	parts.ns[TW_IN_FLUSH] = (uint64_t)((double)sync->flush_ns * map->rate);
	if (parts.ns[TW_IN_FLUSH] > rest_ns)
		parts.ns[TW_IN_FLUSH] = rest_ns;
	rest_ns -= parts.ns[TW_IN_FLUSH];
	parts.ns[TW_IN_WORKER] = begun_ns;
	parts.ns[TW_IN_DATA] = moved_ns - begun_ns;
	parts.ns[sync->flags & TW_SYNC_OF_DEVICE ? TW_IN_DATA : TW_IN_JOURNAL] += rest_ns;
	parts.ns[TW_IN_WAKE] = stage_ns - ended_ns;
	parts.written_bytes = sync->written_bytes;
	return parts;
}

/* Put the parts of a sync among an I/O's times, if they are known. @first: the time that is the
 * first part of the stage. */
static inline void tw_put_sync_parts(struct tw_io_times *times, unsigned first,
				     const struct tw_sync_parts *parts)
{
	unsigned part;

	for (part = 0; part < TW_SYNC_PARTS && parts->known; part++)
		tw_put_time(times, first + part, parts->ns[part]);
}

/* Return for how many commits a sync waited, and who else was in them; NULL: it waited for
 * none. */
json_t *tw_commit_to_json(const struct tw_sync *sync);
#endif

#endif
