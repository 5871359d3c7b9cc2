/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's stamps are of CLOCK_MONOTONIC, those of the engine are of the
 * counter. Both clocks are read together from time to time. Between two such
 * readings one clock is a straight line over the other. Arithmetic only:
 * tests/unit/plugin/kernel/stages/kernel_clock_map.c passes any readings and stamps.
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_CLOCK_MAP_H
#define TW_PLUGIN_KERNEL_STAGES_CLOCK_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/steering.h"
#include "report/metrics.h"
#include "kernel/kernel_stamps.h"

/* CLOCK_MONOTONIC was monotonic_ns at some time within error_ns of own_ns.
 * own_ns is the time of the counter, or of the clock that replaces it. */
struct tw_reading {
	int64_t own_ns;
	int64_t monotonic_ns;
	int64_t error_ns;
};

/*
 * Two straight lines. The newer one goes from the reading before the last to
 * the last. The older one goes from the first reading to the one before the
 * last. An I/O that was in flight during that one has stamps on both lines. No
 * stamp is outside, where the slope's error would count.
 */
struct tw_clock_map {
	struct tw_reading first, before, last;
	double rate;			/* own time by CLOCK_MONOTONIC, newer line */
	double older_rate;		/* the same on the older line */
	int64_t error_ns;		/* on the newer line; 0: no reading yet */
	int64_t max_error_ns;		/* the largest so far */
};

/* How much is known of the stages inside the kernel. */
enum tw_split_status {
	TW_SPLIT_ALL,	/* all stages */
	TW_SPLIT_NO_REQUEST,	/* no block request of the I/O was found */
	TW_SPLIT_MISSING,	/* all stages except those around a missing stamp */
	TW_SPLIT_SYNC_WRITE,	/* except device and complete: tw_hides_sync() */
	TW_SPLIT_NO_STAMPS,	/* no stage: the stamps belong to another I/O */
	TW_SPLIT_NOT_CHOSEN,	/* no stage: TW_KEY_CHOSEN is not in its key */
	TW_SPLIT_STATUSES,
};

/* Numbers of stages that are negative by the stamps, and counted as 0. */
struct tw_negative_stages {
	uint64_t within;	/* by no more than the error: the stage is 0 */
	uint64_t beyond;	/* by more: a defect; the stage is 0, too */
};

/* Two rates of CLOCK_MONOTONIC differ by no more than this, since NTP sets its
 * frequency. */
#define TW_CLOCK_MAP_RATES_APART	(2 * TW_NTP_FREQUENCY_PPM / 1e6)

static inline double tw_clock_map_rate(const struct tw_reading *from,
				  const struct tw_reading *to)
{
	const int64_t own_ns = to->own_ns - from->own_ns;
	const int64_t monotonic_ns = to->monotonic_ns - from->monotonic_ns;

	/* Neither clock goes back, unless the counter is unreliable. */
	return own_ns > 0 && monotonic_ns > 0 ?
		(double)own_ns / (double)monotonic_ns : 1;
}

/* Add the next reading. The first one begins the map. */
static inline void tw_clock_map_read(struct tw_clock_map *map, struct tw_reading reading)
{
	if (!map->error_ns)
		map->first = map->last = reading;
	map->before = map->last;
	map->last = reading;
	map->rate = tw_clock_map_rate(&map->before, &map->last);
	map->older_rate = tw_clock_map_rate(&map->first, &map->before);
	/* Between two readings the error is at most the larger of both. The
	 * conversion rounds. */
	map->error_ns = (map->before.error_ns > reading.error_ns ?
			  map->before.error_ns : reading.error_ns) + 1;
	if (map->error_ns > map->max_error_ns)
		map->max_error_ns = map->error_ns;
}

static inline int64_t tw_clock_map_own_ns(const struct tw_clock_map *map,
				     uint64_t monotonic_ns)
{
	const int64_t at_ns = (int64_t)monotonic_ns;
	const bool older = at_ns < map->before.monotonic_ns;
	const struct tw_reading *to = older ? &map->before : &map->last;
	const double rate = older ? map->older_rate : map->rate;

	return to->own_ns +
	       (int64_t)((double)(at_ns - to->monotonic_ns) * rate);
}

/* Return by how much the converted time can be off. The older line is long, and
 * CLOCK_MONOTONIC may have been steered in another way near its end than over
 * all of it. */
static inline int64_t tw_clock_map_error_ns(const struct tw_clock_map *map,
				       uint64_t monotonic_ns)
{
	const int64_t older_ns = map->before.monotonic_ns -
				 (int64_t)monotonic_ns;

	if (older_ns <= 0)
		return map->error_ns;
	return map->max_error_ns +
	       (int64_t)((double)older_ns * TW_CLOCK_MAP_RATES_APART);
}

/*
 * Note in the flags of @stamps, of an I/O that moved @moved_bytes, whether all of its
 * requests were seen. 0: its result tells no bytes, as that of a command or a sync.
 *
 * The bytes that it moved have to be dispatched and to finish. A request that was
 * requeued is dispatched twice, and one may reach beyond the end of the file, so more
 * may be. In a read of a file fewer may be: a part without blocks (a hole) has no
 * request. There it counts what was dispatched or has finished (@has_holes).
 *
 * A mirrored write moves its bytes to each disk. How many disks there are is not known, but
 * what is dispatched has to finish: of two copies or more, or of the only one.
 */
static inline void tw_mark_unseen(struct tw_kernel_stamps *stamps, uint64_t moved_bytes,
				  bool has_holes)
{
	const uint64_t seen_bytes = stamps->due_bytes > stamps->finished_bytes ?
				    stamps->due_bytes : stamps->finished_bytes;
	const uint64_t bytes = !moved_bytes || (has_holes && seen_bytes < moved_bytes) ?
			       seen_bytes : moved_bytes;

	if (stamps->due_bytes < bytes)
		stamps->flags |= TW_STAMPS_NOT_FIRST;
	if (stamps->finished_bytes < bytes)
		stamps->flags |= TW_STAMPS_NOT_LAST;
	if (!(stamps->flags & TW_STAMPS_MIRRORED))
		return;
	if (stamps->due_bytes < stamps->finished_bytes)
		stamps->flags |= TW_STAMPS_NOT_FIRST;
	if (stamps->finished_bytes < stamps->due_bytes && stamps->finished_bytes < 2 * bytes)
		stamps->flags |= TW_STAMPS_NOT_LAST;
}

/* Return the stamp of the first dispatch; 0: not known. */
static inline uint64_t tw_dispatched_ns(const struct tw_kernel_stamps *stamps)
{
	return stamps->flags & TW_STAMPS_NOT_FIRST ? 0 : stamps->dispatched_ns;
}

/* True if a sync followed the write, and nothing is known of this sync. Then the last completion
 * of the data is not the last completion of the I/O. */
static inline bool tw_hides_sync(const struct tw_kernel_stamps *stamps)
{
	return stamps->flags & TW_STAMPS_SYNC_WRITE && !(stamps->flags & TW_STAMPS_SYNC_SEEN);
}

/* Return the stamp of the last completion; 0: not known. */
static inline uint64_t tw_finished_ns(const struct tw_kernel_stamps *stamps)
{
	return stamps->flags & TW_STAMPS_NOT_LAST || tw_hides_sync(stamps) ?
	       0 : stamps->finished_ns;
}

/* True for an I/O that was not chosen, but was so slow that it got the stamps finished and
 * posted. */
static inline bool tw_is_late(const struct tw_kernel_stamps *stamps)
{
	return !(stamps->key & TW_KEY_CHOSEN) && stamps->finished_ns;
}

static inline enum tw_split_status tw_split_status_of(const struct tw_kernel_stamps *stamps)
{
	if (!(stamps->key & TW_KEY_CHOSEN))
		return TW_SPLIT_NOT_CHOSEN;
	if (!stamps->accepted_ns)
		return TW_SPLIT_NO_STAMPS;
	if (!stamps->dispatched_ns && !stamps->finished_ns)
		return TW_SPLIT_NO_REQUEST;
	if (!tw_dispatched_ns(stamps) || !stamps->posted_ns)
		return TW_SPLIT_MISSING;
	if (tw_hides_sync(stamps))
		return TW_SPLIT_SYNC_WRITE;
	if (!tw_finished_ns(stamps))
		return TW_SPLIT_MISSING;
	return TW_SPLIT_ALL;
}

/*
 * Set the stages between @enter_ns and @seen_ns (own time). They add up to that
 * span. A stamp before @enter_ns counts as equal to @enter_ns, one before an
 * earlier stamp as equal to that stamp, and one after @seen_ns as equal to
 * @seen_ns. If @seen_ns is
 * before @enter_ns, all stages are 0; the caller counts such I/Os.
 *
 * If stamps are missing, the stages from the first to the last of these are
 * one, @joined_ns, and each of them is 0. Return the bits of these stages.
 */
static inline unsigned tw_split(const struct tw_clock_map *map,
				       const struct tw_kernel_stamps *stamps,
				       int64_t enter_ns, int64_t seen_ns,
				       uint64_t stage_ns[TW_INSIDE_STAGES],
				       uint64_t *joined_ns,
				       struct tw_negative_stages *negative)
{
	const uint64_t stamps_ns[] = {
		stamps->accepted_ns, tw_dispatched_ns(stamps),
		tw_finished_ns(stamps), stamps->posted_ns,
	};
	int64_t from_ns = enter_ns;
	unsigned joined = 0, i;

	_Static_assert(sizeof(stamps_ns) == (TW_INSIDE_STAGES - 1) * sizeof(*stamps_ns),
		       "each stage inside the kernel but reap ends at a stamp of its own");
	if (seen_ns < enter_ns)
		seen_ns = enter_ns;
	/* Stamp i is the end of stage i. */
	for (i = 0; i < TW_INSIDE_STAGES - 1; i++)
		if (!stamps_ns[i])
			joined |= 3U << i;
	*joined_ns = 0;
	for (i = 0; i < TW_INSIDE_STAGES - 1; i++) {
		int64_t end_ns, off_ns;

		stage_ns[i] = 0;
		if ((joined >> i & 3) == 3)
			continue;
		end_ns = tw_clock_map_own_ns(map, stamps_ns[i]);
		off_ns = end_ns < from_ns ? from_ns - end_ns :
			 end_ns > seen_ns ? end_ns - seen_ns : 0;
		if (off_ns) {
			if (off_ns <= tw_clock_map_error_ns(map, stamps_ns[i]))
				negative->within++;
			else
				negative->beyond++;
			end_ns = end_ns < from_ns ? from_ns : seen_ns;
		}
		*(joined >> i & 1 ? joined_ns : &stage_ns[i]) += (uint64_t)(end_ns - from_ns);
		from_ns = end_ns;
	}
	stage_ns[i] = 0;
	*(joined >> i & 1 ? joined_ns : &stage_ns[i]) += (uint64_t)(seen_ns - from_ns);
	return joined;
}

/* Return the own time from a stamp to the dispatch, between @least_ns and @most_ns. */
static inline uint64_t tw_until_dispatch(const struct tw_clock_map *map,
					 const struct tw_kernel_stamps *stamps, uint64_t from_ns,
					 uint64_t least_ns, uint64_t most_ns)
{
	const double ns = from_ns < stamps->dispatched_ns ?
			  (double)(stamps->dispatched_ns - from_ns) * map->rate : 0;

	return ns <= (double)least_ns ? least_ns :
	       ns >= (double)most_ns ? most_ns : (uint64_t)ns;
}

/* True if a worker may have had the I/O before it was first seen there. Then the wait for a
 * worker is an upper bound. */
static inline bool tw_worker_is_bound(const struct tw_kernel_stamps *stamps)
{
	return stamps->queued_ns && stamps->handed_ns && stamps->begun_ns &&
	       !(stamps->flags & TW_STAMPS_BEGUN);
}

/* Set the parts of the stage blockq, which @times has. They add up to it. If the time at which
 * the first bio was queued is not known, only `scheduler` is set, to an upper bound. */
static inline void tw_split_blockq(const struct tw_clock_map *map,
				   const struct tw_kernel_stamps *stamps,
				   struct tw_io_times *times)
{
	const uint64_t blockq_ns = times->ns[TW_BLOCKQ], queued_ns = stamps->queued_ns;
	const uint64_t got_ns = stamps->got_ns ? stamps->got_ns : queued_ns;
	uint64_t scheduler_ns, queued_for_ns, begun_for_ns, worker_ns = 0;

	if (!got_ns)
		return;
	scheduler_ns = tw_until_dispatch(map, stamps, got_ns, 0, blockq_ns);
	tw_put_time(times, TW_SCHEDULER, scheduler_ns);
	if (!queued_ns)
		return;
	queued_for_ns = tw_until_dispatch(map, stamps, queued_ns, scheduler_ns, blockq_ns);
	if (stamps->handed_ns && stamps->begun_ns) {
		begun_for_ns = tw_until_dispatch(map, stamps, stamps->begun_ns, queued_for_ns,
						 blockq_ns);
		worker_ns = tw_until_dispatch(map, stamps, stamps->handed_ns, begun_for_ns,
					      blockq_ns) - begun_for_ns;
	}
	tw_put_time(times, TW_WORKER, worker_ns);
	tw_put_time(times, TW_BEFORE, blockq_ns - queued_for_ns - worker_ns);
	tw_put_time(times, TW_ADMISSION, queued_for_ns - scheduler_ns);
}

#endif
