/* SPDX-License-Identifier: MIT */
/*
 * Each NUMA node's memory is measured. A missing node is left out, and an interruption ends
 * the measurement with what was measured until then. Fails if a missing node has a latency,
 * or if Ctrl-C waits for all nodes. So is the search for levels.
 *
 * Wraps: tw_command_is_interrupted tw_memory_map
 */
#include <errno.h>

#include "command/command.h"
#include "memory/command/memlat.h"
#include "tap.h"

int __wrap_tw_command_is_interrupted(void);
int __wrap_tw_memory_map(struct tw_memory *memory, size_t bytes, enum tw_pages pages, int node);
int __real_tw_memory_map(struct tw_memory *memory, size_t bytes, enum tw_pages pages, int node);

static int asked, interrupted_after;

int __wrap_tw_command_is_interrupted(void)
{
	return asked++ >= interrupted_after;
}

/* Nodes 0 and 3 are there, which are this machine's nearest memory. */
int __wrap_tw_memory_map(struct tw_memory *memory, size_t bytes, enum tw_pages pages, int node)
{
	return node % 3 ? -EINVAL : __real_tw_memory_map(memory, bytes, pages, TW_ANY_NODE);
}

/* A visit that is interrupted has points, and does not count. Six are made. */
static void check_visits(const struct tw_memlat_arguments *arguments)
{
	static const size_t sizes[] = { 4096, 8192 };

	for (int interrupted = 0; interrupted < 2; interrupted++) {
		struct tw_curve curve = { .count = 0 };
		struct tw_memlat memlat = { .arguments = arguments, .rate = { .hz = 1e9 },
					    .levels_of = &curve };
		struct tw_memlat_visits *visits = tw_memlat_visits_new(TW_PAGES_SMALL, sizes, 2);
		int ret;

		asked = 0;
		interrupted_after = interrupted ? 5 : 99;
		ret = tw_memlat_visit(visits, &memlat, 1, 1);
		tw_memlat_visits_conclude(visits, &memlat);
		tap_ok(ret == (interrupted ? -EINTR : 0) && memlat.visits == (interrupted ? 2 : 6),
		       "%u visits", memlat.visits);
		tw_memlat_visits_free(visits);
	}
}

int main(void)
{
	/* As short as it can be: twenty batches of 10 us. */
	static const struct tw_memlat_arguments arguments = {
		.effort = { 10000, 100000, 1000000 }, .stride_bytes = 64, .window_bytes = 4096,
		.passes = 4,
	};
	/* The flag is read before a node and before its size. */
	static const struct {
		int interrupted_after, ret, asked;
		unsigned most;		/* nodes; a node may be too disturbed */
		const char *what;
	} cases[] = {
		{ 99, 0, 5, 2, "two of three nodes are there" },
		{ 4, -EINTR, 5, 1, "interrupted while the last was made ready" },
		{ 0, -EINTR, 1, 0, "before the first" },
		{ 1, -EINTR, 2, 0, "and while it was made ready" },
	};
	struct tw_cpu_list nodes = { 0 };

	check_visits(&arguments);
	for (unsigned i = 0; i < 3; i++)
		tw_cpu_list_add(&nodes, (const unsigned[]) { 0, 1, 3 }[i]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_memlat memlat = { .arguments = &arguments, .max_bytes = 64 << 10,
					    .rate = { .hz = 1e9 } };
		int ret, good = 1;

		asked = 0;
		interrupted_after = cases[i].interrupted_after;
		ret = tw_memlat_measure_nodes(&memlat, &nodes);
		for (unsigned j = 0; j < memlat.node_count; j++)
			good &= memlat.nodes[j].node % 3 == 0 &&
				memlat.nodes[j].point.bytes == 64 << 10 &&
				memlat.nodes[j].point.median_ns > 0;
		tap_ok(good && ret == cases[i].ret && asked == cases[i].asked &&
		       memlat.node_count <= cases[i].most, "%s: %d, %u nodes, asked %d times",
		       cases[i].what, ret, memlat.node_count, asked);
	}
	return tap_done();
}
