/* SPDX-License-Identifier: MIT */
/*
 * Our clock for peers.sh. Its variants are the window of its calibration in ms, and
 * "20-samples": 20 ms, without the search for the kernel's own rate.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tickwise.h"

static struct tw_clock ours;

static void peer_start(const char *variant)
{
	struct tw_clock_options options = TW_SIZED(struct tw_clock_options);
	int ret;

	options.window_ns = strtoull(variant, NULL, 10) * 1000000;
	options.longest_ns = options.window_ns < 160000000 ? 160000000 : 0;
	options.kernel_rate = strchr(variant, '-') ? TW_OFF : TW_DEFAULT;
	ret = tw_clock_init(&ours, &options);
	if (ret || ours.system) {
		fprintf(stderr, "tickwise: no clock (%d)\n",
			ret ? ret : ours.system_errno);
		exit(1);
	}
}

static inline uint64_t peer_ns(void)
{
	return tw_clock_ns(&ours);
}

static void peer_each_second(void)
{
}

/* The hard bound of the rate. */
static double peer_stated_ns(void)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	return tw_clock_rate(&ours, &rate) ? -1 : rate.bound_ppb * 60;
}

#include "starts.h"
