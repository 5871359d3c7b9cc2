/* SPDX-License-Identifier: MIT */
/*
 * Reads what steers CLOCK_MONOTONIC, and computes the rate that follows.
 */
#include "steering.h"

#include <errno.h>
#include <sys/timex.h>
#include <unistd.h>

int tw_steering_read(struct tw_steering *steering)
{
	struct timex timex = { .modes = 0 };
	struct timespec tick;

	if (adjtimex(&timex) < 0)
		return -errno;
	*steering = (struct tw_steering) {
		.freq = timex.freq,
		.tick_us = timex.tick,
		.status = timex.status,
		.user_hz = (unsigned)sysconf(_SC_CLK_TCK),
	};
	/* The resolution of the coarse clocks is one tick of the kernel. */
	if (!clock_getres(CLOCK_MONOTONIC_COARSE, &tick) && !tick.tv_sec && tick.tv_nsec > 0)
		steering->kernel_hz =
			(unsigned)((1000000000 + tick.tv_nsec / 2) / tick.tv_nsec);
	return 0;
}

/*
 * The kernel counts in its own ticks, of a whole number of nanoseconds. RAW's
 * multiplier makes that number from a tick of the counter, while steering makes an
 * exact fraction of a second. At 300 Hz the third of a nanosecond makes 100 ppb, which
 * adjtimex does not show (tk_setup_internals: xtime_remainder).
 */
double tw_steering_ppb(const struct tw_steering *steering)
{
	double off_ns = ((double)steering->tick_us * steering->user_hz - 1e6) *
			1e3 +
			(double)steering->freq / TW_STEERING_PER_PPM * 1e3;
	unsigned whole_ns;

	if (steering->kernel_hz == 0)
		return off_ns;
	whole_ns = (unsigned)TW_NS_PER_SECOND / steering->kernel_hz;
	off_ns += (double)(TW_NS_PER_SECOND -
			   (uint64_t)whole_ns * steering->kernel_hz);
	return off_ns / ((double)whole_ns * steering->kernel_hz) * 1e9;
}
