/* SPDX-License-Identifier: MIT */
/*
 * Estimates how long the rest of tickwise compare takes: see steps.h.
 */
#include "command/compare/steps.h"

#include "command/compare/compare.h"

/* Measured on a machine of two CPUs with fio 3.33. A start under load takes
 * this many times as long as one without, since there are two busy loops for
 * each CPU. */
#define START_S		0.4
#define UNDER_LOAD	2
#define NULL_S		1.3		/* for one second of I/O */

void tw_compare_steps_plan(struct tw_compare_steps *steps, unsigned starts,
			   const int *loads, double window_s, unsigned runs,
			   uint64_t now_ns)
{
	const unsigned idle = loads[TW_COMPARE_IDLE] ? starts : 0;
	const unsigned busy = loads[TW_COMPARE_BUSY] ? starts : 0;

	*steps = (struct tw_compare_steps) {
		.of = {
			[TW_COMPARE_START_IDLE] = { .planned = idle, .guess_s = START_S },
			[TW_COMPARE_START_BUSY] = { .planned = busy,
						    .guess_s = START_S * UNDER_LOAD },
			[TW_COMPARE_WINDOW] = { .planned = (idle ? 1U : 0) + (busy ? 1U : 0),
						.guess_s = window_s },
			[TW_COMPARE_NULL] = { .planned = runs, .guess_s = NULL_S },
		},
		.begin_ns = now_ns,
	};
}

/* Return the mean of the steps that are done. The guess counts as one of them: clocks
 * differ, and the first step can take five times as long as the second. */
static double each_s(const struct tw_compare_step *step)
{
	return (step->guess_s + step->took_s) / (step->done + 1);
}

/* Estimate the times under load by a factor, which is known better than these
 * times. */
static void guess_under_load(struct tw_compare_steps *steps)
{
	const struct tw_compare_step *idle = &steps->of[TW_COMPARE_START_IDLE];

	if (idle->done)
		steps->of[TW_COMPARE_START_BUSY].guess_s = each_s(idle) * UNDER_LOAD;
}

static double seconds(uint64_t begin_ns, uint64_t end_ns)
{
	return (double)(end_ns - begin_ns) / 1e9;
}

void tw_compare_steps_begin(struct tw_compare_steps *steps, enum tw_compare_kind kind,
			    uint64_t now_ns)
{
	struct tw_compare_step *last = &steps->of[steps->now];

	if (steps->is_begun) {
		last->done++;
		last->took_s += seconds(steps->since_ns, now_ns);
		guess_under_load(steps);
	}
	steps->is_begun = 1;
	steps->now = kind;
	steps->since_ns = now_ns;
}

static double left_s(const struct tw_compare_steps *steps, uint64_t now_ns)
{
	double left = 0;

	for (int i = 0; i < TW_COMPARE_KINDS; i++) {
		const struct tw_compare_step *step = &steps->of[i];
		double since = steps->is_begun && steps->now == (enum tw_compare_kind)i ?
			       seconds(steps->since_ns, now_ns) : 0;

		if (step->done >= step->planned)
			continue;
		left += (step->planned - step->done) * each_s(step) -
			(since < each_s(step) ? since : each_s(step));
	}
	return left;
}

double tw_compare_steps_part(const struct tw_compare_steps *steps, uint64_t now_ns)
{
	const double over = seconds(steps->begin_ns, now_ns);
	const double all = over + left_s(steps, now_ns);

	return all > 0 ? over / all : 1;
}
