/* SPDX-License-Identifier: MIT */
/*
 * Each NUMA node's memory is measured. A missing node is left out, and an interruption ends
 * the measurement with what was measured until then. Fails if a missing node has a latency,
 * or if Ctrl-C waits for all nodes. So is the search for levels: a visit that is interrupted
 * has points, and does not count.
 *
 * Wraps: tw_command_is_interrupted tw_memory_map tw_memory_nodes tw_caches_read
 * Wraps: tw_rate_measure
 */
#include <errno.h>

#include "command/command.h"
#include "memory/command/memlat.h"
#include "tap.h"

int __wrap_tw_command_is_interrupted(void);
int __wrap_tw_memory_map(struct tw_memory *memory, size_t bytes, enum tw_pages pages, int node);
int __real_tw_memory_map(struct tw_memory *memory, size_t bytes, enum tw_pages pages, int node);

int __wrap_tw_rate_measure(struct tw_rate *rate, const struct tw_rate_options *options);
unsigned __wrap_tw_caches_read(struct tw_cache *caches, const char *base, unsigned cpu);
void __wrap_tw_memory_nodes(struct tw_cpu_list *nodes, const char *path);

static int asked, interrupted_after, has_nodes;

int __wrap_tw_command_is_interrupted(void)
{
	return asked++ >= interrupted_after;
}

int __wrap_tw_rate_measure(struct tw_rate *rate, const struct tw_rate_options *options)
{
	(void)options;
	*rate = (struct tw_rate) { .size = sizeof(*rate), .hz = 1e9 };
	return 0;
}

unsigned __wrap_tw_caches_read(struct tw_cache *caches, const char *base, unsigned cpu)
{
	(void)caches;
	(void)base;
	(void)cpu;
	return 0;
}

void __wrap_tw_memory_nodes(struct tw_cpu_list *nodes, const char *path)
{
	(void)path;
	*nodes = (struct tw_cpu_list) { 0 };
	for (unsigned i = 0; i < 4; i++)
		if (i == 0 || (has_nodes && i != 2))
			tw_cpu_list_add(nodes, i);
}

/* Nodes 0 and 3 are there, which are this machine's nearest memory. */
int __wrap_tw_memory_map(struct tw_memory *memory, size_t bytes, enum tw_pages pages, int node)
{
	return node > 0 && node % 3 ? -EINVAL :
	       __real_tw_memory_map(memory, bytes, pages, TW_ANY_NODE);
}

int main(void)
{
	/* The flag is read before each size; before a node, too. */
	static const struct {
		int visits, interrupted_after, asked;
		unsigned most;		/* visits; nodes, of which one may be too disturbed */
		const char *what;
	} cases[] = {
		{ 0, 99, 5, 2, "two of three nodes are there" },
		{ 0, 4, 5, 1, "interrupted while the last was made ready" },
		{ 0, 0, 1, 0, "before the first" },
		{ 0, 1, 2, 0, "and while it was made ready" },
		/* Six sizes of the curve, and of each visit. */
		{ 1, 99, 42, 6, "six visits" },
		{ 1, 20, 21, 2, "interrupted in the third visit" },
		{ 1, 3, 4, 0, "interrupted in the curve" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		/* As short as it can be: twenty batches of 10 us. */
		const struct tw_memlat_arguments arguments = {
			.effort = { 10000, 100000, 1000000 }, .stride_bytes = 64,
			.window_bytes = 4096, .passes = 4, .per_octave = 1, .cpu = -1,
			.node = TW_ANY_NODE, .min_bytes = 4096, .max_bytes = 128 << 10,
			.pages = { 1 }, .kinds[TW_CYCLE_RANDOM] = cases[i].visits,
		};
		struct tw_memlat memlat;
		unsigned is;
		int good;

		asked = 0;
		interrupted_after = cases[i].interrupted_after;
		has_nodes = !cases[i].visits;
		good = tw_memlat_measure(&memlat, &arguments) == TW_EXIT_GOOD;
		is = cases[i].visits ? memlat.visits : memlat.node_count;
		for (unsigned j = 0; good && j < memlat.node_count; j++)
			good &= memlat.nodes[j].node % 3 == 0 &&
				memlat.nodes[j].point.bytes == 128 << 10 &&
				memlat.nodes[j].point.median_ns > 0;
		tap_ok(good && memlat.was_interrupted == (cases[i].interrupted_after < 99) &&
		       asked == cases[i].asked && is <= cases[i].most &&
		       (is == cases[i].most || !cases[i].visits), "%s: %u, asked %d times",
		       cases[i].what, is, asked);
		tw_memlat_free(&memlat);
	}
	return tap_done();
}
