/* SPDX-License-Identifier: MIT */
/*
 * How long tickwise compare still takes, by its own estimate: as long as the steps
 * of each kind took until then, the guess among them. Fails if a guess counts for
 * more than one step, if a step is counted twice, or if more than all is done.
 */
#include <math.h>

#include "command/compare/compare.h"
#include "command/compare/steps.h"
#include "tap.h"

#define S	UINT64_C(1000000000)

static struct tw_compare_steps steps;

/* Check what is left at @at_s, by the part that is over. */
static void left(double at_s, double should_s, const char *what)
{
	double part = tw_compare_steps_part(&steps, S + (uint64_t)(at_s * 1e9));
	double is_s = part > 0 ? at_s / part - at_s : -1;

	if (!tap_ok(fabs(is_s - should_s) < 1e-6, "%s", what))
		tap_note("%g s left, should be %g", is_s, should_s);
}

static void begin(enum tw_compare_kind kind, double at_s)
{
	tw_compare_steps_begin(&steps, kind, S + (uint64_t)(at_s * 1e9));
}

/* Four starts, a window of 3 s, two runs of fio. */
static void plan(int idle, int busy)
{
	const int loads[TW_COMPARE_LOADS] = { idle, busy };

	tw_compare_steps_plan(&steps, 4, loads, 3, 2, S);
}

static void idle(void)
{
	plan(1, 0);
	tap_ok(tw_compare_steps_part(&steps, S) == 0, "nothing is over");
	steps.of[TW_COMPARE_START_IDLE].guess_s = 2;
	steps.of[TW_COMPARE_NULL].guess_s = 5;
	left(1, 4 * 2 + 3 + 2 * 5, "by guesses");
	begin(TW_COMPARE_START_IDLE, 1);
	left(2, 4 * 2 - 1 + 3 + 10, "in a step");
	left(4, 3 * 2 + 3 + 10, "in one that takes longer");
	begin(TW_COMPARE_START_IDLE, 5);
	left(5, 3 * 3 + 3 + 10, "by the guess and the first that is done");
	begin(TW_COMPARE_START_IDLE, 8);
	left(8, 2 * 3 + 3 + 10, "by the mean with the second");
	steps.of[TW_COMPARE_START_IDLE].guess_s = 5;
	left(8, 2 * 4 + 3 + 10, "in which the guess is one of three");
	begin(TW_COMPARE_START_IDLE, 10);
	begin(TW_COMPARE_WINDOW, 13);
	left(13, 3 + 10, "the window");
	begin(TW_COMPARE_NULL, 16);
	begin(TW_COMPARE_NULL, 18);
	left(18, 3.5, "the last run of fio");
	left(30, 0, "which takes longer");
	tap_ok(tw_compare_steps_part(&steps, 31 * S) == 1, "never more than all");
}

static void busy(void)
{
	plan(1, 1);
	steps.of[TW_COMPARE_NULL].guess_s = 0;
	steps.of[TW_COMPARE_START_IDLE].guess_s = 1;
	for (int i = 0; i < 4; i++)
		begin(TW_COMPARE_START_IDLE, 1 + i);
	begin(TW_COMPARE_WINDOW, 5);
	left(5, 3 + 4 * 2 * 1 + 3, "twice as long under load, until that is known");
	begin(TW_COMPARE_START_BUSY, 8);
	begin(TW_COMPARE_START_BUSY, 8.5);
	left(8.5, 3 * (2 + 0.5) / 2 + 3, "and then what it was");
	plan(0, 1);
	tap_ok(steps.of[TW_COMPARE_START_IDLE].planned == 0 &&
	       steps.of[TW_COMPARE_WINDOW].planned == 1, "under load alone");
}

int main(void)
{
	idle();
	busy();
	return tap_done();
}
