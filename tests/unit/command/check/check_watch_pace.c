/* SPDX-License-Identifier: MIT */
/*
 * The pace that a watch sums up over its checks holds every pace that the offset
 * intervals allow, whenever each bound was reached during its check. It is no wider
 * than that.
 *
 * Fails if distances are taken from one end of the checks to the same end of the
 * next: a check of 2 s every 3 s then promises three times too much. Fails also if
 * the bounds are taken the wrong way round, or if other CPUs than at first are
 * compared.
 */
#include <math.h>
#include <string.h>

#include "command/check/history.h"
#include "tap.h"

#define HZ		1e9	/* a tick is 1 ns */
#define SECOND		TW_NS_PER_SECOND
#define CLOCK_ERROR	1e-3	/* the error of the system clock's rate */

static struct tw_cpu_offset pair(int64_t low_ticks, int64_t high_ticks)
{
	return (struct tw_cpu_offset){
		.base_cpu = 0, .cpu = 1,
		.low_ticks = low_ticks, .high_ticks = high_ticks,
	};
}

static void remember(struct tw_check_history *history,
		     struct tw_cpu_offset *pairs, unsigned count,
		     uint64_t begin_ns, uint64_t end_ns)
{
	struct tw_check check = {
		.result = { .hz = HZ, .offsets = pairs, .pairs = count },
	};

	tw_check_remember(history, &check, begin_ns, end_ns);
}

/* True within the clock's error, outwards. */
static int is_about(double is_ppb, double exact_ppb, int outwards)
{
	double least = fabs(exact_ppb) * 0.999 * CLOCK_ERROR;
	double out_ppb = outwards * (is_ppb - exact_ppb);

	return out_ppb >= least && out_ppb <= 2.01 * least + 1e-9;
}

/*
 * The first check is from 10 s to 12 s, the second from 14 s to 15 s: a moment of
 * the one and a moment of the other are between 2 s and 5 s apart.
 */
static void try_two(struct tw_cpu_offset first, struct tw_cpu_offset second,
		    double low_ppb, double high_ppb)
{
	struct tw_check_history history = { 0 };

	remember(&history, &first, 1, 10 * SECOND, 12 * SECOND);
	tap_ok(isinf(history.pace_low_ppb) && isinf(history.pace_high_ppb),
	       "one check alone gives none");
	remember(&history, &second, 1, 14 * SECOND, 15 * SECOND);
	if (!tap_ok(is_about(history.pace_low_ppb, low_ppb, -1) &&
		    is_about(history.pace_high_ppb, high_ppb, 1),
		    "%+.1f to %+.1f ppb", low_ppb, high_ppb))
		tap_note("is %+.3f to %+.3f", history.pace_low_ppb,
			 history.pace_high_ppb);
	tw_check_forget(&history);
}

/* 2000 offsets at random moments, of a random pace, in intervals that just hold them. */
static void try_random(uint64_t *random)
{
	unsigned held = 0, i;

	for (i = 0; i < 2000; i++) {
		struct tw_check_history history = { 0 };
		double pace_ppb = (double)((int64_t)(tap_random(random) >> 11) %
					   20001 - 10000);
		unsigned check;

		for (check = 0; check < 4; check++) {
			uint64_t begin_ns = (5 + check) * SECOND;
			double at1 = (double)(tap_random(random) >> 40) / 0x1p24;
			double at2 = (double)(tap_random(random) >> 40) / 0x1p24;
			struct tw_cpu_offset now = pair(
				(int64_t)floor(pace_ppb * (5 + check + at1 * .9)),
				(int64_t)ceil(pace_ppb * (5 + check + at2 * .9)));

			remember(&history, &now, 1, begin_ns,
				 begin_ns + SECOND * 9 / 10);
		}
		held += history.pace_low_ppb <= pace_ppb &&
			history.pace_high_ppb >= pace_ppb;
		tw_check_forget(&history);
	}
	tap_is_u64(held, 2000, "paces that lie in the interval");
}

/* Other CPUs, or a missing bound, tell nothing. */
static void try_unlike(void)
{
	struct tw_check_history history = { 0 };
	struct tw_cpu_offset two[2] = { pair(-10, 10), pair(-10, 10) };
	struct tw_cpu_offset open = pair(-10, INT64_MAX);

	two[1].cpu = 2;
	remember(&history, two, 2, 0, SECOND);
	remember(&history, two, 1, 2 * SECOND, 3 * SECOND);
	tap_ok(isinf(history.pace_low_ppb), "CPUs that went away: begins anew");
	remember(&history, two, 1, 4 * SECOND, 5 * SECOND);
	tap_ok(is_about(history.pace_low_ppb, -20 / 1.0, -1),
	       "and goes on from there");
	remember(&history, &open, 1, 6 * SECOND, 7 * SECOND);
	tap_ok(isinf(history.pace_low_ppb) && isinf(history.pace_high_ppb),
	       "a bound that is missing: none");
	tw_check_forget(&history);
}

/*
 * The hull: of the pair that can have risen most and the one that can have fallen
 * most.
 */
static void try_pairs(void)
{
	struct tw_check_history history = { 0 };
	struct tw_cpu_offset first[2] = { pair(-10, 10), pair(-100, 100) };
	struct tw_cpu_offset second[2] = { pair(-20, 20), pair(-100, 100) };

	first[1].cpu = 2;
	second[1].cpu = 2;
	remember(&history, first, 2, 0, SECOND);
	remember(&history, second, 2, 3 * SECOND, 4 * SECOND);
	tap_ok(is_about(history.pace_low_ppb, -100, -1) &&
	       is_about(history.pace_high_ppb, 100, 1), "of two pairs the hull");
	tw_check_forget(&history);
}

int main(void)
{
	uint64_t random = tap_seed();

	/* 0 is possible: both ends over the shortest time. */
	try_two(pair(-100, 100), pair(-100, 100), -200 / 2.0, 200 / 2.0);
	/* The offset rose by 300 at least, over 5 s at most; by 700 over 2 s. */
	try_two(pair(-100, 100), pair(400, 600), 300 / 5.0, 700 / 2.0);
	try_two(pair(-100, 100), pair(-600, -400), -700 / 2.0, -300 / 5.0);
	try_two(pair(1000, 1100), pair(1050, 1200), -50 / 2.0, 200 / 2.0);
	try_random(&random);
	try_unlike();
	try_pairs();
	return tap_done();
}
