/* SPDX-License-Identifier: MIT */
/*
 * Measures what the hooks take. Small functions are called in blocks, with
 * hooks and without in turn. cost.c computes the cost from the blocks' times.
 */
#include <math.h>

#include "profile.h"

#define BLOCKS		TW_PROFILE_MAX_BLOCKS
#define CALLS		100
/* For WIDE, whose blocks are long: every program waits for the calibration. */
#define FEWER_BLOCKS	27

/* How many calls the function of each way makes, how often a block calls it, and how many
 * blocks there are. */
static const struct called {
	int calls, times, blocks;
} called[TW_PROFILE_WAYS] = {
	[TW_PROFILE_EMPTY] = { 1, CALLS, BLOCKS },
	[TW_PROFILE_WORK] = { 1, CALLS, BLOCKS },
	[TW_PROFILE_NEST] = { TW_PROFILE_NEST_CALLS, CALLS, BLOCKS },
	[TW_PROFILE_TREE] = { TW_PROFILE_TREE_CALLS, CALLS, BLOCKS },
	[TW_PROFILE_APART] = { 1, CALLS, BLOCKS },
	[TW_PROFILE_WIDE] = { TW_PROFILE_WIDE_CALLS, 1, FEWER_BLOCKS },
};

/* Return the ticks of a call, over @times calls that depend on each other. */
static TW_NO_HOOKS __attribute__((noinline)) double
time_calls(uint64_t (*function)(uint64_t), int times)
{
	uint64_t x = 3, begin_ticks = tw_ticks_begin();

	for (int i = 0; i < times; i++)
		x = function(x);
	__asm__ __volatile__("" : : "r"(x));
	return (double)(tw_ticks_end() - begin_ticks) / times;
}

/* Return the ticks of a call, over @times calls that do not depend on each
 * other. */
static TW_NO_HOOKS __attribute__((noinline)) double
time_apart(uint64_t (*function)(uint64_t), int times)
{
	uint64_t begin_ticks = tw_ticks_begin();

	for (int i = 0; i < times; i++)
		__asm__ __volatile__("" : : "r"(function(3)));
	return (double)(tw_ticks_end() - begin_ticks) / times;
}

static TW_NO_HOOKS double time_way(enum tw_profile_way way,
				   uint64_t (*function)(uint64_t))
{
	return way == TW_PROFILE_APART ? time_apart(function, called[way].times) :
					 time_calls(function, called[way].times);
}

/* Return the node of a way's function, which was called from the root. */
static TW_NO_HOOKS struct tw_node *node_of(const struct tw_recorder *recorder,
					   enum tw_profile_way way)
{
	return tw_tree_find(&recorder->tree, recorder->tree.root,
			    (const void *)(uintptr_t)tw_profile_hooked[way]);
}

/* Time calls that are counted and not timed. EMPTY must have been called before. */
static TW_NO_HOOKS double untimed(struct tw_recorder *recorder)
{
	double with[BLOCKS], without[BLOCKS];

	node_of(recorder, TW_PROFILE_EMPTY)->flags |= TW_NODE_FILTERED;
	for (int block = 0; block < BLOCKS; block++) {
		with[block] = time_way(TW_PROFILE_EMPTY, tw_profile_hooked[TW_PROFILE_EMPTY]);
		without[block] = time_way(TW_PROFILE_EMPTY, tw_profile_plain[TW_PROFILE_EMPTY]);
	}
	return tw_profile_undisturbed(with, BLOCKS) - tw_profile_undisturbed(without, BLOCKS);
}

void tw_profile_calibrate(struct tw_profile_cost *cost)
{
	/* The record's layout in memory is that of any thread: this alone
	 * changes the cost by some ticks. A histogram and events take time,
	 * too. */
	const struct tw_profile_options as_any = {
		.depth = tw_profile.options.depth,
		.histogram_digits = tw_profile.options.histogram_digits,
		.events = tw_profile.options.events,
	};
	struct tw_profile_thread *before = tw_profile_self, *thread;
	struct tw_profile_shown ways[TW_PROFILE_WAYS];
	struct tw_profile_blocks seen = { 0 };
	const struct tw_node *node;
	struct tw_recorder *recorder;
	int failed = 0;

	*cost = (struct tw_profile_cost) { 0 };
	thread = tw_profile_thread_new(NULL, &as_any);
	if (!thread)
		return;
	recorder = &thread->recorder;
	/* All calls here are short: none is to be kept as an event. */
	if (tw_profile.options.event_min_ns)
		recorder->event_min_ticks = UINT64_MAX;
	/* In a static program these functions are among the program's symbols. */
	recorder->ignores_filters = 1;
	tw_profile_self = thread;
	for (enum tw_profile_way way = 0; !failed && way < TW_PROFILE_WAYS; way++) {
		seen.blocks = called[way].blocks;
		seen.calls = called[way].calls;
		for (int block = 0; block < seen.blocks; block++) {
			uint64_t before_ticks;

			/* The first call makes the function's node. */
			tw_profile_hooked[way](3);
			node = node_of(recorder, way);
			failed = !node;
			if (failed)
				break;
			before_ticks = node->ticks;
			seen.with[block] = time_way(way, tw_profile_hooked[way]);
			seen.counted[block] = (double)(node->ticks - before_ticks) /
					      called[way].times;
			seen.without[block] = time_way(way, tw_profile_plain[way]);
		}
		tw_profile_show(&ways[way], &seen);
	}
	/* A call without a node takes another time, so these blocks are not valid. */
	if (!failed && !recorder->drops.no_memory) {
		tw_profile_work_out(cost, ways);
		cost->untimed = untimed(recorder);
		cost->untimed_spread = cost->both_spread;
		cost->inside = fmax(cost->inside, 0);
		cost->outside = fmax(cost->outside, 0);
	}
	tw_profile_self = before;
	tw_profile_thread_free(thread);
}
