/* SPDX-License-Identifier: MIT */
/*
 * Our clock for peers.sh. A variant begins with the window of its calibration in ms:
 *	20			as the engine's; the kernel's own rate is looked for
 *	20-samples		without that
 *	20-samples-refined	and tw_clock_refine() each second
 * With -DPEER_ORDERED readings are ordered with the instructions around them.
 */
#include "starts.h"

static struct tw_clock ours;

static struct tw_rate rate_now(void)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	if (tw_clock_rate(&ours, &rate)) {
		fprintf(stderr, "Tickwise: no rate\n");
		exit(1);
	}
	return rate;
}

/* Return 1 if there is a new rate: often there is nothing to gain. */
static int refine(void)
{
	double before_hz = rate_now().hz;
	int ret = tw_clock_refine(&ours);

	if (ret && ret != -EAGAIN) {
		fprintf(stderr, "Tickwise: no better rate (%d)\n", ret);
		exit(1);
	}
	return rate_now().hz != before_hz;
}

static void peer_start(const char *variant)
{
	struct tw_clock_options options = TW_SIZED(struct tw_clock_options);
	struct tw_rate rate;
	int ret;

	options.window_ns = strtoull(variant, NULL, 10) * 1000000;
	options.longest_ns = options.window_ns < 160000000 ? 160000000 : 0;
	options.kernel_rate = strstr(variant, "samples") ? TW_OFF : TW_DEFAULT;
	ret = tw_clock_init(&ours, &options);
	if (ret || ours.system) {
		fprintf(stderr, "Tickwise: no clock (%d)\n",
			ret ? ret : ours.system_errno);
		exit(1);
	}
	/* The bound of the first rate. What is known of it later is not in it. */
	rate = rate_now();
	peer_bound_ppb = rate.bound_ppb;
	peer_has_kernel_rate = rate.source != TW_RATE_REGRESSION;
	if (strstr(variant, "refined"))
		peer_each_second = refine;
}

static inline uint64_t peer_ns(void)
{
#ifdef PEER_ORDERED
	return tw_clock_ns_at(&ours, tw_ticks_begin());
#else
	return tw_clock_ns(&ours);
#endif
}
