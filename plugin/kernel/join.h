/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stamps of the kernel are of CLOCK_MONOTONIC, those of the engine of the counter.
 * Both clocks are read together now and then; between two such readings the one is a
 * straight line over the other. Arithmetic only: tests/unit/kernel_join.c passes any
 * readings and stamps.
 */
#ifndef TW_PLUGIN_KERNEL_JOIN_H
#define TW_PLUGIN_KERNEL_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "latency/stages.h"
#include "machine/steering.h"
#include "slot.h"

/* CLOCK_MONOTONIC was monotonic_ns at some time within error_ns of own_ns, which is
 * the time of the counter (or of the clock that takes its place). */
struct tw_reading {
	int64_t own_ns;
	int64_t monotonic_ns;
	int64_t error_ns;
};

/*
 * Two straight lines: from the reading before the last to the last, and from the first
 * to the one before the last. An I/O that was in flight during that one has stamps on
 * both. No stamp lies outside, where a slope's error would count.
 */
struct tw_join {
	struct tw_reading first, before, last;
	double rate;			/* own time by CLOCK_MONOTONIC, */
	double older_rate;		/* and before the one before the last */
	int64_t error_ns;		/* on the newer line; 0: no reading yet */
	int64_t max_error_ns;		/* the largest so far */
};

/* What of a kernel stage is known. */
enum tw_inside {
	TW_INSIDE_SPLIT,
	TW_INSIDE_NO_REQUEST,	/* no block request was found to be its own */
	TW_INSIDE_MISSING,	/* all but the stages around a missing stamp */
	TW_INSIDE_SYNC_WRITE,	/* all but device and complete: see TW_SLOT_SYNC_WRITE */
	TW_INSIDE_NO_STAMPS,	/* none: the slot is another I/O's */
	TW_INSIDES,
};

struct tw_inside_negative {
	uint64_t within;	/* the error: the stage is 0 */
	uint64_t beyond;	/* it: a defect; also 0 */
};

/* Two rates of CLOCK_MONOTONIC differ by no more, as NTP set its frequency. */
#define TW_JOIN_RATES_APART	(2 * TW_NTP_FREQUENCY_PPM / 1e6)

static inline double tw_join_rate(const struct tw_reading *from,
				  const struct tw_reading *to)
{
	const int64_t own_ns = to->own_ns - from->own_ns;
	const int64_t monotonic_ns = to->monotonic_ns - from->monotonic_ns;

	/* None of them goes back, unless the counter is unreliable. */
	return own_ns > 0 && monotonic_ns > 0 ?
		(double)own_ns / (double)monotonic_ns : 1;
}

/* The next reading; the first makes the join. */
static inline void tw_join_read(struct tw_join *join, struct tw_reading reading)
{
	if (!join->error_ns)
		join->first = join->last = reading;
	join->before = join->last;
	join->last = reading;
	join->rate = tw_join_rate(&join->before, &join->last);
	join->older_rate = tw_join_rate(&join->first, &join->before);
	/* Between two readings the error is not above the larger of both; and the
	 * conversion rounds. */
	join->error_ns = (join->before.error_ns > reading.error_ns ?
			  join->before.error_ns : reading.error_ns) + 1;
	if (join->error_ns > join->max_error_ns)
		join->max_error_ns = join->error_ns;
}

static inline int64_t tw_join_own_ns(const struct tw_join *join,
				     uint64_t monotonic_ns)
{
	const int64_t at_ns = (int64_t)monotonic_ns;
	const bool older = at_ns < join->before.monotonic_ns;
	const struct tw_reading *to = older ? &join->before : &join->last;
	const double rate = older ? join->older_rate : join->rate;

	return to->own_ns +
	       (int64_t)((double)(at_ns - to->monotonic_ns) * rate);
}

/* By how much that can be off. The older line is long; CLOCK_MONOTONIC may have been
 * steered otherwise near its end than over all of it. */
static inline int64_t tw_join_error_ns(const struct tw_join *join,
				       uint64_t monotonic_ns)
{
	const int64_t older_ns = join->before.monotonic_ns -
				 (int64_t)monotonic_ns;

	if (older_ns <= 0)
		return join->error_ns;
	return join->max_error_ns +
	       (int64_t)((double)older_ns * TW_JOIN_RATES_APART);
}

/*
 * Where the program did not see all completions of an I/O of several requests, the last
 * that it saw is not known to be the last. Parts of a file without blocks (a hole) have
 * no request, and a request that was requeued is due twice: so no more is due than was
 * given to the driver, and no more than the result. Of a write with O_SYNC it is not
 * the last either: what follows its data is not known.
 */
static inline uint64_t tw_finished_ns(const struct tw_slot *stamps)
{
	if (stamps->flags & TW_SLOT_SYNC_WRITE)
		return 0;
	return stamps->finished_bytes >= stamps->due_bytes ? stamps->finished_ns : 0;
}

static inline enum tw_inside tw_inside_of(const struct tw_slot *stamps)
{
	if (!stamps->accepted_ns)
		return TW_INSIDE_NO_STAMPS;
	if (!stamps->dispatched_ns && !stamps->finished_ns)
		return TW_INSIDE_NO_REQUEST;
	if (!stamps->dispatched_ns || !stamps->posted_ns)
		return TW_INSIDE_MISSING;
	if (stamps->flags & TW_SLOT_SYNC_WRITE)
		return TW_INSIDE_SYNC_WRITE;
	if (!tw_finished_ns(stamps))
		return TW_INSIDE_MISSING;
	return TW_INSIDE_SPLIT;
}

/*
 * The stages between @enter_ns and @seen_ns (own time). They add up to that span. A stamp
 * before @enter_ns counts as equal to @enter_ns, one before an earlier stamp as equal to
 * that, and one after @seen_ns as equal to @seen_ns. If @seen_ns is before @enter_ns, all
 * stages are 0; the caller counts such I/Os.
 *
 * Where stamps are missing, the stages from the first of them to the last are one,
 * @joined_ns, and 0 by themselves. Returns the bits of these stages.
 */
static inline unsigned tw_inside_split(const struct tw_join *join,
				       const struct tw_slot *stamps,
				       int64_t enter_ns, int64_t seen_ns,
				       uint64_t stage_ns[TW_INSIDE_STAGES],
				       uint64_t *joined_ns,
				       struct tw_inside_negative *negative)
{
	const uint64_t stamps_ns[] = {
		stamps->accepted_ns, stamps->dispatched_ns,
		tw_finished_ns(stamps), stamps->posted_ns,
	};
	int64_t from_ns = enter_ns;
	unsigned joined = 0, i;

	_Static_assert(sizeof(stamps_ns) == (TW_INSIDE_STAGES - 1) * sizeof(*stamps_ns),
		       "each stage inside the kernel but reap ends at a stamp of its own");
	if (seen_ns < enter_ns)
		seen_ns = enter_ns;
	/* A stamp ends the stage of its number. */
	for (i = 0; i < TW_INSIDE_STAGES - 1; i++)
		if (!stamps_ns[i])
			joined |= 3U << i;
	*joined_ns = 0;
	for (i = 0; i < TW_INSIDE_STAGES - 1; i++) {
		int64_t end_ns, off_ns;

		stage_ns[i] = 0;
		if ((joined >> i & 3) == 3)
			continue;
		end_ns = tw_join_own_ns(join, stamps_ns[i]);
		off_ns = end_ns < from_ns ? from_ns - end_ns :
			 end_ns > seen_ns ? end_ns - seen_ns : 0;
		if (off_ns) {
			if (off_ns <= tw_join_error_ns(join, stamps_ns[i]))
				negative->within++;
			else
				negative->beyond++;
			end_ns = end_ns < from_ns ? from_ns : seen_ns;
		}
		*(joined >> i & 1 ? joined_ns : &stage_ns[i]) =
			(uint64_t)(end_ns - from_ns);
		from_ns = end_ns;
	}
	stage_ns[i] = 0;
	*(joined >> i & 1 ? joined_ns : &stage_ns[i]) =
		(uint64_t)(seen_ns - from_ns);
	return joined;
}

#endif
