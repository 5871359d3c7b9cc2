/* SPDX-License-Identifier: MIT */
/*
 * A function that is not to be timed is counted and not timed, but never on the
 * record that calibration makes. In a static program the library's functions are
 * symbols like the program's own, and a filter of their name (work, tree) means
 * them, too. Fails if one is filtered there: the constants would be those of calls
 * that take no stamp. Here the filter means everything. Calibration itself must not
 * use the filter: the test checks who calls it, not which time results. Fails also if one of the
 * three times of a block is not measured.
 *
 * Wraps: tw_profile_show
 */
#include "profile/object.h"
#include "profile/profile.h"
#include "tap.h"

#define DEPTH	8

static unsigned asked, ways, missing;

void __real_tw_profile_show(struct tw_profile_shown *shown, struct tw_profile_blocks *from);
void __wrap_tw_profile_show(struct tw_profile_shown *shown, struct tw_profile_blocks *from);

/* Each block has three times. They are overwritten, so that those of the next way are its own. */
void __wrap_tw_profile_show(struct tw_profile_shown *shown, struct tw_profile_blocks *from)
{
	for (int i = 0; i < from->blocks; i++)
		missing += !(from->with[i] > 0) || !(from->without[i] > 0) ||
			   !(from->counted[i] > 0);
	__real_tw_profile_show(shown, from);
	for (int i = 0; i < TW_PROFILE_MAX_BLOCKS; i++)
		from->with[i] = from->without[i] = from->counted[i] = -1;
	ways++;
}

/* The functions that events.c, thread.c and hooks.c call elsewhere. */
int tw_profile_is_filtered(const void *address)
{
	(void)address;
	asked++;
	return 1;
}

void tw_profile_start(void)
{
}

void tw_profile_object(const void *address)
{
	(void)address;
}

static struct tw_profile_thread thread;
static struct tw_frame frames[DEPTH + 1];

static void check(int is_calibration)
{
	struct tw_recorder *recorder = &thread.recorder;
	const struct tw_node *node;
	const void *function = &frames;

	if (!tap_ok(!tw_recorder_init(recorder, frames, DEPTH, NULL, 0),
		    "a record%s", is_calibration ? " of calibration" : ""))
		return;
	recorder->ignores_filters = is_calibration;
	tw_profile_self = &thread;
	for (int i = 0; i < 3; i++) {
		tw_profile_enter(function, NULL);
		tw_profile_exit(function, NULL);
	}
	/* A signal's handler while a hook is at work below it: its calls are dropped. */
	thread.busy = UINTPTR_MAX;
	tw_profile_enter(function, NULL);
	tw_profile_exit(function, NULL);
	tap_is_u64(recorder->drops.in_hook, 2, "an entry and an exit within a hook are counted");
	thread.busy = 0;
	tw_profile_self = NULL;
	node = tw_tree_find(&recorder->tree, recorder->tree.root, function);
	if (tap_ok(node != NULL, "has the function")) {
		tap_is_u64(node->calls, 3, "with its calls");
		tap_is_u64(node->not_timed, is_calibration ? 0 : 3,
			   is_calibration ? "all timed" : "none timed");
		tap_is_u64(node->flags, is_calibration ? 0 : TW_NODE_FILTERED,
			   "and is marked so");
	}
	tw_tree_free(&recorder->tree);
}

static void check_calibration(void)
{
	struct tw_profile_cost cost;

	asked = 0;
	tw_profile.options.depth = 1000;
	tw_profile_calibrate(&cost);
	tap_ok(cost.samples > 0, "calibration: %u blocks", cost.samples);
	tap_is_u64(asked, 0, "and no filter is asked");
	tap_ok(ways == TW_PROFILE_WAYS && !missing, "%u ways, %u blocks without a time", ways,
	       missing);
	tap_ok(cost.beyond >= 0 && cost.inside >= 0 && cost.outside >= 0,
	       "nothing is less than no time");
}

int main(void)
{
	tw_profile_mode = TW_PROFILE_FENCE_NONE;
	check(0);
	check(1);
	check_calibration();
	return tap_done();
}
