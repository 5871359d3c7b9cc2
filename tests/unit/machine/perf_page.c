/* SPDX-License-Identifier: MIT */
/*
 * The kHz of perf's multiplier come back exactly, for every possible rate. Fails if
 * the division is rounded down, or overflows.
 */
#include "machine/named_rates.h"
#include "tap.h"

/* Compute it like the kernel for sched_clock: 31 bits at most, as perf has it. */
static uint32_t mult_of(uint64_t khz, unsigned *shift)
{
	uint64_t mult;

	for (*shift = 32; *shift > 0; --*shift) {
		mult = ((1000000ULL << *shift) + khz / 2) / khz;
		if (mult >> 31 == 0)
			break;
	}
	return (uint32_t)mult;
}

int main(void)
{
	uint64_t khz, wrong = 0, random = tap_seed();
	unsigned shift;
	uint32_t mult;

	for (khz = 10000; khz <= 10000000; khz += 1 + tap_random(&random) % 7) {
		mult = mult_of(khz, &shift);
		wrong += tw_perf_page_khz(mult, shift) != khz;
	}
	tap_is_u64(wrong, 0, "10 MHz to 10 GHz come back");
	tap_is_u64(tw_perf_page_khz(0, 31), 0, "an empty page");
	tap_is_u64(tw_perf_page_khz(1, 43), 0, "a shift too far");
	tap_is_u64(tw_perf_page_khz(1, 65535), 0, "a shift much too far");
	return tap_done();
}
