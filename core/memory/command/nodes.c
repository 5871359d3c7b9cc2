/* SPDX-License-Identifier: MIT */
/*
 * Measures the memory of each NUMA node, from the CPU that all curves are
 * measured on.
 */
#include <errno.h>
#include <stdlib.h>

#include "command/command.h"
#include "memory/command/memlat.h"
#include "base/allocate.h"

static int stop_if_interrupted(void *context, unsigned point)
{
	(void)context;
	(void)point;
	return tw_command_is_interrupted();
}

static int measure_node(struct tw_memlat *memlat,
			const struct tw_memlat_arguments *arguments,
			unsigned node, struct tw_curve *curve)
{
	struct tw_memory memory;
	int ret;

	if (tw_command_is_interrupted())
		return -EINTR;
	if (tw_memory_map(&memory, memlat->max_bytes, TW_PAGES_SMALL,
			  (int)node))
		return 0;
	*curve = (struct tw_curve) { .node = (int)node };
	curve->shape = tw_memlat_shape(arguments, memlat, TW_CYCLE_WINDOW);
	ret = tw_curve_measure(curve, &memory, &memlat->max_bytes, 1,
			       &arguments->effort, memlat->rate.hz,
			       stop_if_interrupted, NULL);
	tw_memory_unmap(&memory);
	if (!ret && curve->count && curve->points[0].batches)
		memlat->nodes[memlat->node_count++] = (struct tw_memlat_node) {
			node, curve->points[0] };
	return ret;
}

int tw_memlat_measure_nodes(struct tw_memlat *memlat,
			    const struct tw_memlat_arguments *arguments,
			    const unsigned *nodes, unsigned count)
{
	struct tw_curve *curve = tw_malloc(sizeof(*curve));
	int ret = 0;

	for (unsigned i = 0; !ret && i < count && i < TW_MEMLAT_NODES; i++)
		ret = measure_node(memlat, arguments, nodes[i], curve);
	free(curve);
	return ret;
}
