/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of cost.h.
 *
 * inside + outside is how much longer a call takes with hooks than without.
 * inside is how much more the call's node counts than the same call takes
 * without hooks. Blocks that were disturbed, or that ran while another program
 * had half of the core, took longer. So the value used is the end of the lowest
 * tenth of each kind of block. The median's distance from it becomes part of
 * the spread, because the program is disturbed in the same way.
 *
 * With fences, inside is the same to a fraction of a tick for all functions
 * that do at least two dependent multiplications. That of WORK is used. What a
 * caller is charged with depends a little on what it does between its calls: a
 * processor overlaps this with the end of the hooks. So the constant is halfway
 * between a caller that does nothing (WORK) and one that works (TREE). An empty
 * function, and four functions nested, differ by some ticks, too. The spread is
 * the largest difference of any way. It is systematic, and does not get smaller
 * with the number of calls.
 *
 * In all these ways a call waits for the one before, and the tree is small. A
 * program's calls are often independent of each other. Without hooks a
 * processor works on several of them at once, with hooks on one. And a large
 * tree is not in the nearest cache. Neither can be known of a call, so neither
 * is taken out. Instead both are measured: short independent functions (APART),
 * and 585 paths in turn (WIDE). Their sum is taken for what a call can have
 * cost beyond the constants. Calls that each wait for memory can lose more.
 *
 * These two, and their sum, were chosen by means of the programs that they must
 * cover. Where the sum was 18 ns, SQLite, Lua and bzip2 had lost 4 to 17 ns a
 * call. For other programs it is no bound, but the best estimate.
 */
#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "cost.h"

double tw_profile_undisturbed(double *values, int blocks)
{
	qsort(values, (size_t)blocks, sizeof(*values), tw_ascending_real);
	return values[blocks / 10];
}

/* Return how much longer the median took; call this after
 * tw_profile_undisturbed(). */
static double disturbance(const double *values, int blocks)
{
	return values[blocks / 2] - values[blocks / 10];
}

void tw_profile_show(struct tw_profile_shown *shown,
		     struct tw_profile_blocks *from)
{
	int blocks = from->blocks, calls = from->calls;
	/* The cost of calling without hooks is the function's own, as in any
	 * profile. */
	double without = tw_profile_undisturbed(from->without, blocks);

	shown->blocks = blocks;
	shown->both = (tw_profile_undisturbed(from->with, blocks) - without) /
		      calls;
	/* The outermost call has its own inside, and both of each call within
	 * it. */
	shown->inside = tw_profile_undisturbed(from->counted, blocks) -
			without - (calls - 1) * shown->both;
	shown->both_disturbed = disturbance(from->with, blocks) / calls;
	shown->inside_disturbed = disturbance(from->counted, blocks);
}

void tw_profile_work_out(struct tw_profile_cost *cost,
			 const struct tw_profile_shown *ways)
{
	const struct tw_profile_shown *work = &ways[TW_PROFILE_WORK];
	double between = (work->both + ways[TW_PROFILE_TREE].both) / 2;
	double far = 0, far_inside = 0, disturbed = 0;

	*cost = (struct tw_profile_cost) { .inside = work->inside };
	for (int way = 0; way < TW_PROFILE_ALIKE; way++) {
		far = fmax(far, fabs(ways[way].both - between));
		far_inside = fmax(far_inside,
				  fabs(ways[way].inside - work->inside));
		disturbed = fmax(disturbed, ways[way].both_disturbed);
		cost->samples += (uint32_t)ways[way].blocks;
	}
	cost->inside_spread = far_inside + work->inside_disturbed;
	cost->outside = between - cost->inside;
	cost->both_spread = far + disturbed;
	cost->outside_spread = cost->both_spread + cost->inside_spread;
	cost->beyond = fmax(ways[TW_PROFILE_APART].both - between, 0) +
		       fmax(ways[TW_PROFILE_WIDE].both - between, 0);
}

void tw_profile_cost_join(struct tw_profile_cost *first,
			  const struct tw_profile_cost *now)
{
	if (!now->samples)
		return;
	if (!first->samples) {
		*first = *now;
		return;
	}
	first->inside_spread += fabs(now->inside - first->inside) / 2;
	first->outside_spread += fabs(now->outside - first->outside) / 2;
	first->both_spread += fabs(now->inside + now->outside - first->inside -
				   first->outside) / 2;
	first->untimed_spread += fabs(now->untimed - first->untimed) / 2;
	first->inside = (first->inside + now->inside) / 2;
	first->outside = (first->outside + now->outside) / 2;
	first->untimed = (first->untimed + now->untimed) / 2;
	first->beyond = fmax(first->beyond, now->beyond);
	first->samples += now->samples;
}
