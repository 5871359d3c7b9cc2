/* SPDX-License-Identifier: MIT */
/*
 * Moments with narrower brackets than the rest of the window, as when a busy
 * neighbour pauses. The rest is still measured, and the two kinds are not mixed.
 * Fails if only brackets like the narrowest are recorded or kept. Fails also if
 * every width is kept, as then the other place of their readings turns the line.
 */
#include <math.h>

#include "clock/kernel_rate.h"
#include "tap.h"

#define COUNT	1600

/*
 * 1 GHz, 20 ms. The first two of sixteen blocks have brackets of 80 ticks around
 * the reading. The others have 110, with the reading 70 ticks in.
 */
static int fit(struct tw_fit *fit)
{
	static struct tw_bracket bracket[COUNT];
	const struct tw_brackets brackets = {
		.bracket = bracket, .count = COUNT,
		.tolerance_ticks = 5, .granularity_ns = 1,
	};
	unsigned i;

	for (i = 0; i < COUNT; i++) {
		uint64_t at = 1000000 + i * 12500ULL;

		bracket[i] = (struct tw_bracket) {
			.before_ticks = at - (i < COUNT / 8 ? 40 : 70),
			.after_ticks = at + 40,
			.reference_ns = at,
		};
	}
	return tw_fit_brackets(&brackets, fit);
}

/* A counter of 1 GHz that takes 20 ticks a reading for 0.3 ms, then 40. */
static uint64_t read_either(void *context)
{
	uint64_t *now = context;

	*now += *now < 300000 ? 20 : 40;
	return *now;
}

int main(void)
{
	uint64_t now = 1;
	const struct tw_time_source source = {
		.size = sizeof(source),
		.read_ticks = read_either, .read_ns = read_either,
		.context = &now, .granularity_ns = 1,
	};
	const struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = 20000000, .source = &source,
	};
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct tw_fit found;

	tap_ok(fit(&found) == 0 && found.blocks == TW_FIT_BLOCKS * 7 / 8 &&
	       found.used == COUNT * 7 / 8, "the many are kept, the few not");
	/* Mixed, 15 ticks of another place in an eighth are some 400 ppb. */
	tap_ok(fabs(found.hz - 1e9) < 1e-3, "and the line is straight");
	tap_ok(found.bracket_ticks == 80, "the narrowest are still known");
	tap_ok(tw_rate_measure(&rate, &options) == 0 &&
	       rate.window_ns > 19000000,
	       "a narrow moment before the window spoils nothing");
	return tap_done();
}
