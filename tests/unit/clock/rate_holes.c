/* SPDX-License-Identifier: MIT */
/*
 * What a hole in the window does to a fit: in the middle nothing; at an end, the
 * drift that the reading's place allows turns the line farther. Fails if the
 * asymmetry is that of the whole window while the samples reach over half of it.
 */
#include <math.h>

#include "clock/kernel_rate.h"
#include "tap.h"

#define COUNT	1600

/* 1 GHz, 20 ms; brackets of @from up to @to are too wide to be kept. */
static int fit(struct tw_fit *fit, unsigned from, unsigned to)
{
	static struct tw_bracket bracket[COUNT];
	const struct tw_brackets brackets = {
		.bracket = bracket, .count = COUNT,
		.tolerance_ticks = 12, .granularity_ns = 1,
	};
	unsigned i;

	for (i = 0; i < COUNT; i++) {
		uint64_t at = 1000000 + i * 12500ULL;
		uint64_t wider = i >= from && i < to ? 200 : i % 5;

		bracket[i] = (struct tw_bracket) {
			.before_ticks = at - 40 - wider / 2,
			.after_ticks = at + 40 + wider - wider / 2,
			.reference_ns = at,
		};
	}
	return tw_fit_brackets(&brackets, fit);
}

int main(void)
{
	struct tw_fit all, middle, end;

	tap_ok(fit(&all, 0, 0) == 0 && all.blocks == TW_FIT_BLOCKS,
	       "no hole: every block has samples");
	tap_ok(fit(&middle, COUNT / 4, COUNT * 3 / 4) == 0 &&
	       middle.blocks == TW_FIT_BLOCKS / 2,
	       "half of the window is one hole in the middle");
	/* The widths are the same, so is their spread, to 1 in COUNT. */
	tap_ok(fabs(middle.asymmetry_ppb / all.asymmetry_ppb - 1) < 1e-3,
	       "its drift is as for the whole window");
	tap_ok(fit(&end, COUNT / 2, COUNT - 1) == 0,
	       "half of the window is a hole up to the last sample");
	/* Half the reach; the one last sample adds 1.7 % to it. */
	tap_ok(end.asymmetry_ppb / all.asymmetry_ppb > 1.9 &&
	       end.asymmetry_ppb / all.asymmetry_ppb < 2.01,
	       "its drift is twice that");
	return tap_done();
}
