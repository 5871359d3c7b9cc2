/* SPDX-License-Identifier: MIT */
/*
 * Sets up a clock from a rate, a scale and an anchor. tw_clock_init() is in
 * trust_measure.c, because it also decides.
 */
#include <errno.h>

#include "counter/state.h"
#include "clock.h"

/* The base is this long before the anchor: room for a counter that is behind. */
#define BASE_BEFORE_NS	TW_NS_PER_SECOND
#define ANCHOR_TRIES	100

static int set_anchor(struct tw_clock *clock, enum tw_against anchor)
{
	struct tw_clock_mark mark = TW_SIZED(struct tw_clock_mark);
	uint64_t width_ticks, back_ticks;
	int ret;

	ret = tw_clock_mark(anchor, ANCHOR_TRIES, &mark);
	if (ret)
		return ret;
	width_ticks = mark.ticks_after - mark.ticks_before;
	clock->anchor_ticks = mark.ticks_before + width_ticks / 2;
	clock->anchor_ns = mark.system_ns;
	/* The reading was rounded down to a whole nanosecond: add one more. */
	clock->anchor_error_ns =
		tw_ticks_to_ns(&clock->scale, (width_ticks + 1) / 2) + 1;

	/* Neither the ticks nor the time may go below zero. */
	back_ticks = (uint64_t)(clock->scale.hz *
				((double)BASE_BEFORE_NS / 1e9));
	if (back_ticks > clock->anchor_ticks)
		back_ticks = clock->anchor_ticks;
	if (tw_ticks_to_ns(&clock->scale, back_ticks) > clock->anchor_ns)
		back_ticks = 0;
	clock->base_ticks = clock->anchor_ticks - back_ticks;
	clock->base_ns = clock->anchor_ns -
			 tw_ticks_to_ns(&clock->scale, back_ticks);
	return 0;
}

/* Take the scale away. Without a scale every reader takes its slow path before it
 * reads the counter. */
void tw_clock_use_system(struct tw_clock *clock, int why)
{
	clock->system = tw_counter_permission() == TW_COUNTER_OK ? 1 : 2;
	clock->system_errno = why;
	clock->scale = (struct tw_scale) { 0 };
	clock->base_ticks = 0;
	clock->base_ns = 0;
}

int tw_clock_set_up(struct tw_clock *clock,
		    const struct tw_clock_options *options)
{
	const struct tw_rate_options rate_options = {
		.size = sizeof(rate_options),
		.window_ns = options->window_ns,
		.kernel_rate = options->kernel_rate,
		.longest_ns = options->longest_ns,
	};
	struct tw_clock_state *state = clock->state;
	int ret;

	if (tw_counter_permission() != TW_COUNTER_OK)
		return -ENOTSUP;
	tw_health_see_machine(&state->start);
	if (options->rate) {
		state->rate = *options->rate;
	} else {
		ret = tw_rate_measure(&state->rate, &rate_options);
		if (ret)
			return ret;
	}
	ret = tw_scale_init(&clock->scale, &state->rate, 0);
	if (ret)
		return ret;
	ret = set_anchor(clock, options->anchor);
	if (ret)
		return ret;
	return tw_baseline_read(&state->start.baseline, NULL);
}

