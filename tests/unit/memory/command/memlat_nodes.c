/* SPDX-License-Identifier: MIT */
/*
 * Each NUMA node's memory is measured. A missing node is left out, and an
 * interruption ends the measurement with what was measured until then. Fails if a
 * missing node has a latency, or if Ctrl-C waits for all nodes.
 *
 * Most machines have one node: it is measured twice here.
 */
#include <errno.h>

#include "command/command.h"
#include "memory/command/memlat.h"
#include "tap.h"

static int asked, interrupted_after = -1;

int tw_command_is_interrupted(void)
{
	return interrupted_after >= 0 && asked++ >= interrupted_after;
}

struct tw_cycle_shape tw_memlat_shape(const struct tw_memlat_arguments *arguments,
				      const struct tw_memlat *memlat,
				      enum tw_cycle_kind kind)
{
	(void)arguments;
	(void)memlat;
	return (struct tw_cycle_shape) {
		.kind = kind, .stride_bytes = 64, .window_bytes = 4096,
		.passes = 4, .line_bytes = 64, .seed = 1,
	};
}

static struct tw_memlat measured(const unsigned *nodes, unsigned count,
				 int *ret)
{
	/* As short as it can be: twenty batches of 10 us. */
	const struct tw_memlat_arguments arguments = {
		.effort = { 10000, 100000, 1000000 },
	};
	struct tw_memlat memlat = { .max_bytes = 64 << 10,
				    .rate = { .hz = 1e9 } };

	*ret = tw_memlat_measure_nodes(&memlat, &arguments, nodes, count);
	return memlat;
}

int main(void)
{
	static const unsigned nodes[] = { 0, 1022, 0 };
	struct tw_memory memory;
	struct tw_memlat memlat;
	int ret, can_bind = tw_memory_map(&memory, 4096, TW_PAGES_SMALL, 0);

	if (can_bind) {
		tap_skip("no memory on node 0 for this process");
		return tap_done();
	}
	tw_memory_unmap(&memory);
	memlat = measured(nodes, 3, &ret);
	/* If others have the CPU all the time a node may be too disturbed. */
	tap_ok(ret == 0 && memlat.node_count <= 2, "two of three nodes are there");
	for (unsigned i = 0; i < memlat.node_count; i++)
		tap_ok(memlat.nodes[i].node == 0 &&
		       memlat.nodes[i].point.bytes == 64 << 10 &&
		       memlat.nodes[i].point.median_ns > 0,
		       "node 0, with its latency");
	/*
	 * The flag is read before a node and before its size: interrupt the second
	 * node.
	 */
	interrupted_after = 2;
	memlat = measured(nodes, 3, &ret);
	tap_ok(ret == -EINTR && memlat.node_count <= 1,
	       "interrupted before the second: no more are measured");
	asked = 0;
	interrupted_after = 0;
	memlat = measured(nodes, 3, &ret);
	tap_ok(ret == -EINTR && memlat.node_count == 0 && asked == 1,
	       "interrupted before the first: none");
	asked = 0;
	interrupted_after = 1;
	memlat = measured(nodes, 3, &ret);
	tap_ok(ret == -EINTR && memlat.node_count == 0 && asked == 2,
	       "and while it was made ready: none");
	return tap_done();
}
