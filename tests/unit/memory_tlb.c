/* SPDX-License-Identifier: MIT */
/*
 * The cost of translations is the difference of two medians, with an interval that
 * includes both of theirs, and with the core's clock at the time. Fails if sizes
 * are mixed up or an uncertainty is dropped.
 */
#include <math.h>

#include "memory/tlb.h"
#include "tap.h"

static struct tw_memory_point point(size_t bytes, size_t footprint, double ns,
				    double reach, double cycle_ns)
{
	return (struct tw_memory_point) {
		.bytes = bytes, .footprint_bytes = footprint, .batches = 10,
		.median_ns = ns, .low_ns = ns - reach, .high_ns = ns + reach,
		.cycle_ns = cycle_ns,
	};
}

static int is_near(double is, double should)
{
	return fabs(is - should) < 1e-9;
}

static void check_memory(void)
{
	static struct tw_curve random, window;
	struct tw_tlb_cost costs[TW_SWEEP_SIZES];

	random.points[0] = point(1 << 20, 1 << 20, 6, 0.5, 0);
	random.points[1] = point(2 << 20, 2 << 20, 20, 2, 0);
	random.points[2] = point(4 << 20, 4 << 20, 100, 3, 0.5);
	random.count = 3;
	window.points[0] = point(1 << 20, 1 << 20, 5, 0.25, 0);
	window.points[1] = point(4 << 20, 4 << 20, 80, 1, 0.25);
	window.count = 2;
	tap_ok(tw_tlb_of_memory(costs, &random, &window) == 2,
	       "a size that one curve lacks is left out");
	tap_ok(costs[0].bytes == 1 << 20 && is_near(costs[0].ns, 1) &&
	       is_near(costs[0].low_ns, 0.25) && is_near(costs[0].high_ns, 1.75),
	       "difference and both intervals");
	/*
	 * In cycles 200 and 320: 120 fewer. That is 45 ns fewer at the mean clock
	 * of 0.375 ns, where the times differ by 20 more.
	 */
	tap_ok(is_near(costs[1].ns, 20) &&
	       is_near(costs[1].low_ns, 20 - 4 - 65) &&
	       is_near(costs[1].high_ns, 24),
	       "another core clock widens it to what cycles say");
	window.points[1].batches = 0;
	tap_ok(tw_tlb_of_memory(costs, &random, &window) == 1,
	       "and so is one that was disturbed");
}

static void check_pages(void)
{
	static struct tw_curve random, page;
	struct tw_tlb_cost costs[TW_SWEEP_SIZES];

	random.points[0] = point(1 << 12, 1 << 12, 2, 0.5, 0);
	random.points[1] = point(1 << 14, 1 << 14, 8, 0.25, 0);
	random.count = 2;
	/* 128 pages have 128 lines, 8K: half-way between 4K and 16K. */
	page.points[0] = point(128 << 12, 128 * 64, 10, 1, 0);
	/* 512 pages: 32K, beyond the curve. */
	page.points[1] = point(512 << 12, 512 * 64, 10, 1, 0);
	page.count = 2;
	tap_ok(tw_tlb_of_pages(costs, &page, &random) == 1,
	       "nothing where the dense curve does not reach");
	tap_ok(costs[0].bytes == 128 << 12 && is_near(costs[0].ns, 10 - 4),
	       "less as many lines side by side: the geometric mean");
	tap_ok(is_near(costs[0].low_ns, 9 - 4 - 0.5) &&
	       is_near(costs[0].high_ns, 11 - 4 + 0.5),
	       "with the wider interval of its neighbours");
	tap_ok(is_near(tw_curve_at(&random, 1 << 13), 4) &&
	       is_near(tw_curve_at(&random, 1 << 12), 2) &&
	       is_near(tw_curve_at(&random, 1 << 11), 0) &&
	       is_near(tw_curve_at(&random, 1 << 15), 0),
	       "a curve between its points, and outside");
}

int main(void)
{
	check_memory();
	check_pages();
	return tap_done();
}
