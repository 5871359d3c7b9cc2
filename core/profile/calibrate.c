/* SPDX-License-Identifier: MIT */
/*
 * What the hooks take, as constants: `inside` is counted to the call that they
 * are of, `outside` to its caller.
 *
 * Small functions are called in blocks, with hooks and without, by turns. From
 * them: what a call took more in all is inside + outside; what its node counted
 * more than the same call takes without hooks is inside. Blocks that were
 * disturbed, or went on while another program had half of the core, are above
 * the others: of each kind the lowest tenth ends where it is looked at. What half
 * of them took more than that goes into the spread, as it happens to the program,
 * too.
 *
 * With fences, inside is the same to a fraction of a tick for functions that do
 * anything from two dependent multiplications on: that of WORK is taken. What a
 * caller is charged with depends a little on what it does between its calls, as
 * a processor overlaps that with what is left of the hooks: the constant is
 * halfway between a caller that does nothing (WORK) and one that does (TREE). An
 * empty function and four of them nested differ by some ticks, too. The largest
 * difference of any way is the spread, a systematic one, which does not get
 * smaller with the number of calls.
 *
 * In all these ways a call waits for the one before, and the tree is small. A
 * program's calls are often independent of each other: without hooks a processor
 * is at several of them at once, with hooks at one. And a large tree is not in the
 * nearest cache. Neither can be known of a call, so neither is taken out: both
 * together, seen with short functions that are independent (APART) and on 585
 * paths by turns (WIDE), are taken for what a call can have cost beyond the
 * constants; calls that each wait for memory can lose more. Where it was 18 ns,
 * SQLite, Lua and bzip2 had lost 4 to 17 ns a call.
 */
#include <math.h>
#include <stdlib.h>

#include "calibrate_calls.h"
#include "profile.h"

#define BLOCKS		81
#define CALLS		100
/* Of WIDE, whose blocks are long: calibration makes every program wait. */
#define FEWER_BLOCKS	27

/* Those up to ALIKE are what the constants and their spread come from. */
enum way { EMPTY, WORK, NEST, TREE, ALIKE, APART = ALIKE, WIDE, WAYS };

/* What is called in each way, how many calls that is, how often a block calls it,
 * and of how many blocks. */
struct called {
	uint64_t (*const *hooked)(uint64_t), (*const *plain)(uint64_t);
	int calls, times, blocks;
	int is_apart;			/* none waits for the one before */
};

static const struct called called[WAYS] = {
	[EMPTY] = { &tw_profile_hooked_empty, &tw_profile_plain_empty,
		    1, CALLS, BLOCKS, 0 },
	[WORK] = { &tw_profile_hooked_work, &tw_profile_plain_work,
		   1, CALLS, BLOCKS, 0 },
	[NEST] = { &tw_profile_hooked_nest, &tw_profile_plain_nest,
		   TW_PROFILE_NEST_CALLS, CALLS, BLOCKS, 0 },
	[TREE] = { &tw_profile_hooked_tree, &tw_profile_plain_tree,
		   TW_PROFILE_TREE_CALLS, CALLS, BLOCKS, 0 },
	[APART] = { &tw_profile_hooked_brief, &tw_profile_plain_brief,
		    1, CALLS, BLOCKS, 1 },
	[WIDE] = { &tw_profile_hooked_wide, &tw_profile_plain_wide,
		   TW_PROFILE_WIDE_CALLS, 1, FEWER_BLOCKS, 0 },
};

/* Ticks a call, over @times of them that depend on each other. */
static TW_NO_HOOKS __attribute__((noinline)) double
time_calls(uint64_t (*function)(uint64_t), int times)
{
	uint64_t x = 3, begin_ticks = tw_ticks_begin();

	for (int i = 0; i < times; i++)
		x = function(x);
	__asm__ __volatile__("" : : "r"(x));
	return (double)(tw_ticks_end() - begin_ticks) / times;
}

/* The same, none of which depends on another. */
static TW_NO_HOOKS __attribute__((noinline)) double
time_apart(uint64_t (*function)(uint64_t), int times)
{
	uint64_t begin_ticks = tw_ticks_begin();

	for (int i = 0; i < times; i++)
		__asm__ __volatile__("" : : "r"(function(3)));
	return (double)(tw_ticks_end() - begin_ticks) / times;
}

static TW_NO_HOOKS double time_way(enum way way,
				   uint64_t (*function)(uint64_t))
{
	return called[way].is_apart ?
	       time_apart(function, called[way].times) :
	       time_calls(function, called[way].times);
}

/* That of a function that was called from the root. */
static TW_NO_HOOKS struct tw_node *node_of(const struct tw_recorder *recorder,
					   uint64_t (*function)(uint64_t))
{
	return tw_tree_find(&recorder->tree, recorder->tree.root,
			    (const void *)(uintptr_t)function);
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The tenth: what disturbs a block makes it longer. */
static double undisturbed(double *values, int blocks)
{
	qsort(values, (size_t)blocks, sizeof(*values), compare);
	return values[blocks / 10];
}

/* How much more half of them took than that; after undisturbed(). */
static double disturbance(const double *values, int blocks)
{
	return values[blocks / 2] - values[blocks / 10];
}

/* Ticks a call of each block. */
struct seen {
	double with[BLOCKS], without[BLOCKS];
	double counted[BLOCKS];		/* by its node */
};

/* One block with hooks and one without. */
static TW_NO_HOOKS void see(enum way way, struct tw_recorder *recorder,
			    struct seen *seen, int block)
{
	const struct tw_node *node;
	uint64_t before_ticks;

	/* So that its node is there. */
	(*called[way].hooked)(3);
	node = node_of(recorder, *called[way].hooked);
	before_ticks = node->ticks;
	seen->with[block] = time_way(way, *called[way].hooked);
	seen->counted[block] = (double)(node->ticks - before_ticks) /
			       called[way].times;
	seen->without[block] = time_way(way, *called[way].plain);
}

static TW_NO_HOOKS double untimed(struct tw_recorder *recorder)
{
	double with[BLOCKS], without[BLOCKS];
	struct tw_node *node;

	tw_profile_hooked_empty(3);
	node = node_of(recorder, tw_profile_hooked_empty);
	node->flags |= TW_NODE_FILTERED;
	for (int block = 0; block < BLOCKS; block++) {
		with[block] = time_way(EMPTY, tw_profile_hooked_empty);
		without[block] = time_way(EMPTY, tw_profile_plain_empty);
	}
	return undisturbed(with, BLOCKS) - undisturbed(without, BLOCKS);
}

/* How far any of the ways that should be alike is from @constant. */
static double farthest(const double *values, double constant)
{
	double far = 0;

	for (enum way way = EMPTY; way < ALIKE; way++)
		far = fmax(far, fabs(values[way] - constant));
	return far;
}

static TW_NO_HOOKS void measure(struct tw_recorder *recorder,
				struct tw_profile_cost *cost)
{
	double both[WAYS], inside[WAYS], between, without;
	double disturbed = 0, disturbed_inside = 0;
	struct seen seen;

	for (enum way way = EMPTY; way < WAYS; way++) {
		int blocks = called[way].blocks;

		for (int block = 0; block < blocks; block++)
			see(way, recorder, &seen, block);
		/* What calling it takes without hooks is its own, as in any
		 * profile. */
		without = undisturbed(seen.without, blocks);
		both[way] = (undisturbed(seen.with, blocks) - without) /
			    called[way].calls;
		/* The outermost has inside once, and both of all in it. */
		inside[way] = undisturbed(seen.counted, blocks) - without -
			      (called[way].calls - 1) * both[way];
		cost->samples += (uint32_t)blocks;
		if (way < ALIKE)
			disturbed = fmax(disturbed,
					 disturbance(seen.with, blocks) /
					 called[way].calls);
		if (way == WORK)
			disturbed_inside = disturbance(seen.counted, blocks);
	}
	between = (both[WORK] + both[TREE]) / 2;
	cost->inside = inside[WORK];
	cost->inside_spread = farthest(inside, cost->inside) +
			      disturbed_inside;
	cost->outside = between - cost->inside;
	cost->both_spread = farthest(both, between) + disturbed;
	cost->outside_spread = cost->both_spread + cost->inside_spread;
	cost->beyond = fmax(both[APART] - between, 0) +
		       fmax(both[WIDE] - between, 0);
	cost->untimed = untimed(recorder);
	cost->untimed_spread = cost->both_spread;
}

void tw_profile_calibrate(struct tw_profile_cost *cost,
			  struct tw_hook_cost *hooks)
{
	/* Laid out in memory as any thread's is, which alone is worth some
	 * ticks; and a histogram and events take time. */
	const struct tw_profile_options as_any = {
		.depth = tw_profile.options.depth,
		.histogram_digits = tw_profile.options.histogram_digits,
		.events = tw_profile.options.events,
	};
	struct tw_profile_thread *before = tw_profile_self, *thread;

	*cost = (struct tw_profile_cost) { 0 };
	*hooks = (struct tw_hook_cost) { 0 };
	thread = tw_profile_thread_new(NULL, &as_any);
	if (!thread)
		return;
	/* What is called here is short. */
	if (tw_profile.options.event_least_ns)
		thread->recorder.event_least_ticks = UINT64_MAX;
	tw_profile_self = thread;
	measure(&thread->recorder, cost);
	tw_profile_self = before;
	tw_profile_thread_free(thread);
	if (cost->inside < 0)
		cost->inside = 0;
	if (cost->outside < 0)
		cost->outside = 0;
	hooks->inside_256 = (uint64_t)(cost->inside * 256 + .5);
	hooks->both_256 = (uint64_t)((cost->inside + cost->outside) * 256 + .5);
}
