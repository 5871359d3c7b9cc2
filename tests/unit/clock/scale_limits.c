/* SPDX-License-Identifier: MIT */
/*
 * What the scale refuses and how it treats signs. Rates outside 10 MHz to 10 GHz
 * and moduli that do not fit are -ERANGE and leave the output alone. A negative
 * difference converts to its mirror image. Fails if an output is written on error,
 * or if a begin that was read slightly ahead becomes 584 years.
 *
 * Also on other processors.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "tap.h"
#include "tickwise.h"

static int refuses(double hz, uint64_t modulus_ns)
{
	struct tw_scale scale, untouched;
	struct tw_rate rate = { .size = sizeof(rate), .hz = hz };

	memset(&scale, 0x5a, sizeof(scale));
	memset(&untouched, 0x5a, sizeof(untouched));
	return tw_scale_init(&scale, &rate, modulus_ns) == -ERANGE &&
	       memcmp(&scale, &untouched, sizeof(scale)) == 0;
}

/*
 * Count for how many of a thousand rates twice the modulus keeps error_ns within 1,
 * too. It is then the better one: errors in ppb fall with its length.
 */
static unsigned longest(void)
{
	unsigned i, longer = 0;

	for (i = 0; i < 1000; i++) {
		struct tw_rate rate = {
			.size = sizeof(rate), .hz = 1e7 * pow(1000, i / 1000.0),
		};
		struct tw_scale chosen, twice;

		tw_scale_init(&chosen, &rate, 0);
		longer += chosen.modulus_log2 < 39 &&
			  !tw_scale_init(&twice, &rate,
					 2 * chosen.modulus_ns) &&
			  twice.modulus_log2 == chosen.modulus_log2 + 1 &&
			  twice.error_ns <= 1;
	}
	return longer;
}

int main(void)
{
	struct tw_rate rate = { .size = sizeof(rate), .hz = 2.6e9 };
	struct tw_scale scale;

	tap_ok(refuses(9.99e6, 0), "9.99 MHz refused");
	tap_ok(refuses(1.001e10, 0), "10.01 GHz refused");
	tap_ok(refuses(0, 0), "0 Hz refused");
	tap_ok(refuses(-2.6e9, 0), "negative rate refused");
	tap_ok(refuses((double)NAN, 0), "NaN refused");
	tap_ok(refuses((double)INFINITY, 0), "infinity refused");
	tap_ok(refuses(2.6e9, UINT64_MAX), "a modulus of 584 years refused");

	/* 100 ns * 2^(50 + 7) is 1.44e19: one such modulus fits, two do not. */
	tap_ok(refuses(1e7, 100ULL << 50), "one that fits only once refused");
	tap_ok(refuses(1e9, 1), "a modulus of one tick refused");
	rate.hz = 2e9;
	tap_ok(tw_scale_init(&scale, &rate, 1) == 0 && scale.mask == 1,
	       "one of two ticks taken");
	rate.hz = 2.6e9;
	tap_is_u64(longest(), 0, "without a wish the longest that is good enough");
	tap_ok(tw_scale_init(&scale, &rate, 10 * TW_NS_PER_SECOND) == 0,
	       "a modulus of ten seconds taken");
	/* The nearest power of two is within a factor of sqrt 2. */
	tap_ok(scale.modulus_ns >= 7071067811 &&
	       scale.modulus_ns <= 14142135624,
	       "as the nearest power of two, and kept");

	tap_ok(tw_scale_init(&scale, &rate, 0) == 0, "2.6 GHz");
	tap_ok(tw_ticks_delta_to_ns(&scale, 2600) == 1000, "2600 ticks");
	tap_ok(tw_ticks_delta_to_ns(&scale, -2600) == -1000, "-2600 ticks");
	tap_ok(tw_ticks_delta_to_ns(&scale, 0) == 0, "0 ticks");
	tap_ok(tw_ticks_delta_to_ns(&scale, INT64_MIN) ==
	       -(int64_t)scale.max_ns, "the most negative saturates");
	return tap_done();
}
