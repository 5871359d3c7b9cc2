/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of cost.h.
 *
 * What a call took more in all, with hooks than without, is inside + outside; what
 * its node counted more than the same call takes without hooks is inside. Blocks
 * that were disturbed, or went on while another program had half of the core, are
 * above the others: of each kind the lowest tenth ends where it is looked at. What
 * half of them took more than that goes into the spread, as it happens to the
 * program, too.
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
 * constants; calls that each wait for memory can lose more. That it is these two,
 * and their sum, was chosen by looking at the very programs that it covers: where
 * it was 18 ns, SQLite, Lua and bzip2 had lost 4 to 17 ns a call. For others it is
 * no bound, but what there is to go by.
 */
#include <math.h>
#include <stdlib.h>

#include "cost.h"

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

double tw_profile_undisturbed(double *values, int blocks)
{
	qsort(values, (size_t)blocks, sizeof(*values), compare);
	return values[blocks / 10];
}

/* How much more half of them took than that; after tw_profile_undisturbed(). */
static double disturbance(const double *values, int blocks)
{
	return values[blocks / 2] - values[blocks / 10];
}

void tw_profile_show(struct tw_profile_shown *shown,
		     struct tw_profile_blocks *from)
{
	int blocks = from->blocks, calls = from->calls;
	/* What calling it takes without hooks is its own, as in any profile. */
	double without = tw_profile_undisturbed(from->without, blocks);

	shown->blocks = blocks;
	shown->both = (tw_profile_undisturbed(from->with, blocks) - without) /
		      calls;
	/* The outermost has inside once, and both of all in it. */
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
