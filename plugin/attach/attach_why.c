// SPDX-License-Identifier: GPL-2.0
/*
 * Why an I/O was slow: see attach_why.h.
 */
#include "attach/attach_why.h"

#include "attach/attach_tally.h"

static unsigned longest_stage(const uint64_t *ns)
{
	unsigned longest = TW_BLOCKQ;

	for (unsigned i = 0; i < TW_LAT; i++)
		if (ns[i] > ns[longest])
			longest = i;
	return longest;
}

/* Return when a stage begins, in ns since the I/O was accepted. The stage kernel stands
 * for the stages that the I/O lacks. */
static uint64_t begin_of(const uint64_t *ns, unsigned stage)
{
	switch (stage) {
	case TW_BLOCKQ:
		return 0;
	case TW_COMPLETE:
		return ns[TW_LAT] - ns[TW_COMPLETE];
	case TW_DEVICE:
		return ns[TW_BLOCKQ] + ns[TW_KERNEL];
	default:
		return ns[TW_BLOCKQ];
	}
}

/* True if the stage begins and ends in the submitting thread. */
static bool takes_part(const struct tw_attach_io *io, unsigned stage, unsigned has)
{
	const bool dispatches = io->flags & TW_ATTACH_DISPATCHED_ITSELF;
	const bool posts = io->flags & TW_ATTACH_POSTED_ITSELF;

	if (!io->thread || io->thread > TW_ATTACH_THREADS)
		return false;
	switch (stage) {
	case TW_BLOCKQ:
		return dispatches && !io->retries;
	case TW_COMPLETE:
		return posts;
	case TW_KERNEL:
		return posts && !io->retries &&
		       !(has & TW_ATTACH_HAS(TW_COMPLETE));
	default:
		return false;
	}
}

void tw_attach_why_find(const struct tw_turns *turns, const struct tw_attach_io *io,
			struct tw_attach_why *why)
{
	uint64_t ns[TW_ATTACH_TIMES];
	const unsigned has = tw_attach_split(io, ns), longest = longest_stage(ns);
	const uint64_t from_ns = io->accepted_ns + begin_of(ns, longest);
	/* The zero of own time is the beginning of the stage. */
	const struct tw_reading begin = { .monotonic_ns = (int64_t)from_ns };
	const struct tw_join join = {
		.first = begin, .before = begin, .last = begin,
		.rate = 1, .older_rate = 1,
	};
	const struct tw_part part = {
		.to_ns = (int64_t)ns[longest],
		.ends_by_wakeup = longest == TW_COMPLETE,
	};

	*why = (struct tw_attach_why) {
		.stage = longest, .from_ns = from_ns, .ns = ns[longest],
		.followed = takes_part(io, longest, has) && ns[longest],
	};
	if (why->followed)
		tw_explain(&turns[io->thread - 1], &join, &part, &why->explained);
}
