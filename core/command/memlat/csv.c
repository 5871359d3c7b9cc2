/* SPDX-License-Identifier: MIT */
/*
 * Every point that tickwise memlat measured, a line each.
 */
#include <stdio.h>

#include "command/memlat/memlat.h"

static void print_point(const struct tw_curve *curve,
			const struct tw_memory_point *point)
{
	printf("%s,%s,%d,%zu,%zu,%zu,%llu,%u,%u,%.3f",
	       tw_cycle_names[curve->shape.kind],
	       tw_pages_names[curve->pages], curve->node, point->bytes,
	       point->footprint_bytes, point->elements,
	       (unsigned long long)point->loads, point->batches,
	       point->disturbed, point->warm_passes);
	if (!point->batches) {
		puts(",,,,,,");
		return;
	}
	printf(",%.4f,%.4f,%.4f,%.4f,%.4f", point->min_ns, point->median_ns,
	       point->p90_ns, point->low_ns, point->high_ns);
	if (point->cycle_ns > 0)
		printf(",%.3f\n", point->min_ns / point->cycle_ns);
	else
		puts(",");
}

void tw_memlat_print_csv(const struct tw_memlat *memlat)
{
	puts("kind,pages,node,size_bytes,footprint_bytes,elements,"
	     "loads_per_batch,batches,disturbed,warm_passes,min_ns,median_ns,"
	     "p90_ns,median_low_ns,median_high_ns,min_cycles");
	for (unsigned i = 0; i < memlat->curve_count; i++)
		for (unsigned j = 0; j < memlat->curves[i].count; j++)
			print_point(&memlat->curves[i],
				    &memlat->curves[i].points[j]);
}
