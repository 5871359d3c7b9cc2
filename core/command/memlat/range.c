/* SPDX-License-Identifier: MIT */
/*
 * What the curves of a run lie within, for the plots of them.
 */
#include <math.h>

#include "command/memlat/memlat.h"

static void take_in(struct tw_memlat_range *range,
		    const struct tw_memory_point *point)
{
	double size = log2((double)point->bytes);
	double latency = log10(point->median_ns);

	range->from = fmin(range->from, size);
	range->to = fmax(range->to, size);
	range->low = fmin(range->low, latency);
	range->high = fmax(range->high, latency);
}

struct tw_memlat_range tw_memlat_range(const struct tw_memlat *memlat)
{
	struct tw_memlat_range range = { INFINITY, -INFINITY,
					 INFINITY, -INFINITY };

	for (unsigned i = 0; i < memlat->curve_count; i++)
		for (unsigned j = 0; j < memlat->curves[i].count; j++)
			if (memlat->curves[i].points[j].batches)
				take_in(&range, &memlat->curves[i].points[j]);
	return range;
}
