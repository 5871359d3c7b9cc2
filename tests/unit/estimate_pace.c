/* SPDX-License-Identifier: MIT */
/*
 * The interval of pace holds the true difference of two counters' rates, and
 * decides; an offset that is merely constant is no difference of pace.
 *
 * Fails when the sign is turned round, when the distance in time is taken from
 * the wrong readings, when a fast counter passes as a mere offset, or when the
 * base is taken for right and its own pace never looked at.
 */
#include <math.h>

#include "estimate_generate.h"

/* 8 bursts 2 million ticks apart, as the collector's are. */
static void fill(struct made *made, double rate_ppb, double base_rate_ppb,
		 int64_t offset_ticks, uint64_t *random)
{
	unsigned burst;

	made_init(made, 2, 1600);
	made->rates_ppb[0] = base_rate_ppb;
	made->rates_ppb[1] = rate_ppb;
	made->offsets_ticks[1] = offset_ticks;
	for (burst = 0; burst < 8; burst++) {
		made->time_ticks += 2000000;
		made_probe(made, 200, random);
	}
	made_judge(made, 1000);
}

/*
 * The first and the last burst are 14 million ticks apart. In each, bounds are
 * at least 40 ticks off, so the interval is at least 2 * 80 / 14e6 = 11 ppm
 * wide; among some 50 switches each way the smallest gap is under 150 but in
 * one of (250/361)^-50 = 10^8 runs, which leaves 43 ppm.
 */
static void try_rate(double rate_ppb, int64_t offset_ticks, uint64_t *random)
{
	struct made made;
	const struct tw_cpu_offset *pair;
	int proven = fabs(rate_ppb) > 50e3;

	fill(&made, rate_ppb, 0, offset_ticks, random);
	pair = &made.result.offsets[0];
	tap_ok(pair->pace_low_ppb <= rate_ppb && pair->pace_high_ppb >= rate_ppb,
	       "%+.0f ppm lies in the interval", rate_ppb / 1e3);
	tap_ok(pair->pace_high_ppb - pair->pace_low_ppb < 43e3 &&
	       pair->pace_high_ppb - pair->pace_low_ppb > 11e3,
	       "which is %.1f ppm wide",
	       (pair->pace_high_ppb - pair->pace_low_ppb) / 1e3);
	tap_ok(!(made.result.reasons & TW_REASON_PACE) == !proven,
	       "a difference is %sproven", proven ? "" : "not ");
	tap_ok((made.result.verdict == TW_UNRELIABLE) ==
	       (proven || offset_ticks), "the verdict follows");
	made_free(&made);
}

/* Of the other against a base 0.1 % fast: 1 / 1.001 - 1. */
static void try_fast_base(uint64_t *random)
{
	double rate_ppb = (1 / 1.001 - 1) * 1e9;
	const struct tw_cpu_offset *pair;
	struct made made;

	fill(&made, 0, 1e6, 0, random);
	pair = &made.result.offsets[0];
	tap_ok(pair->pace_low_ppb <= rate_ppb && pair->pace_high_ppb >= rate_ppb,
	       "a base 0.1 %% fast: the other's pace lies in the interval");
	tap_ok((made.result.reasons & TW_REASON_PACE) &&
	       made.result.verdict == TW_UNRELIABLE, "and is found");
	made_free(&made);
}

int main(void)
{
	uint64_t random = tap_seed();

	try_rate(0, 0, &random);
	try_rate(0, 2000, &random);
	try_rate(0, -2000, &random);
	try_rate(100e3, 0, &random);
	try_rate(-100e3, 0, &random);
	try_rate(1e6, 0, &random);
	try_rate(-1e6, -5000, &random);
	try_fast_base(&random);
	return tap_done();
}
