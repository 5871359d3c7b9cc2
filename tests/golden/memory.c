/* SPDX-License-Identifier: MIT */
/*
 * The recorded machine's memory. A formula gives the time of a load, and no memory
 * is allocated. See recorded.h.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cpus.h"
#include "memory/command/memlat.h"
#include "recorded.h"

#define KIB	((size_t)1 << 10)
#define MIB	((size_t)1 << 20)

/* Each kind of pages begins in its own page. */
static char starts[TW_PAGES_KINDS][4096] __attribute__((aligned(4096)));
static int mapped_node;			/* of the last mapping */

REPLACE(sched_getcpu);
int __wrap_sched_getcpu(void)
{
	return 2;
}

REPLACE(tw_caches_read);
unsigned __wrap_tw_caches_read(struct tw_cache *caches, const char *base,
			       unsigned cpu)
{
	(void)base;
	(void)cpu;
	memcpy(caches, recorded()->caches, sizeof(recorded()->caches));
	return recorded()->cache_count;
}

REPLACE(tw_memory_nodes);
void __wrap_tw_memory_nodes(struct tw_cpu_list *nodes, const char *path)
{
	(void)path;
	*nodes = (struct tw_cpu_list) { 0 };
	for (unsigned i = 0; i < recorded()->nodes; i++)
		tw_cpu_list_add(nodes, i);
}

/* TW_AVAILABLE: bytes that are available, instead of the machine's. */
REPLACE(tw_memory_available);
uint64_t __wrap_tw_memory_available(void)
{
	const char *asked = getenv("TW_AVAILABLE");
	uint64_t bytes = asked ? strtoull(asked, NULL, 10) : recorded()->available_bytes;

	return bytes ? bytes : UINT64_MAX;
}

static uint64_t mapped_bytes;

/* There are no reserved pages. Of transparent pages 15 of 16 are huge. Who maps more than is
 * available is killed. */
REPLACE(tw_memory_map);
int __wrap_tw_memory_map(struct tw_memory *memory, size_t bytes,
			 enum tw_pages pages, int node)
{
	if (pages == TW_PAGES_RESERVED)
		return -ENOMEM;
	bytes = tw_pages_rounded(bytes, pages);
	mapped_bytes += bytes;
	if (mapped_bytes > tw_memory_available())
		raise(SIGKILL);
	*memory = (struct tw_memory) {
		.start = starts[pages], .bytes = bytes, .pages = pages,
		.page_bytes = 4096,
		.huge_bytes = pages == TW_PAGES_SMALL ? 0 : bytes / 16 * 15,
	};
	mapped_node = node;
	return 0;
}

REPLACE(tw_memory_unmap);
void __wrap_tw_memory_unmap(struct tw_memory *memory)
{
	mapped_bytes -= memory->bytes;
	*memory = (struct tw_memory) { 0 };
}

REPLACE(tw_cycle_grow);
int __wrap_tw_cycle_grow(struct tw_cycle *cycle, size_t bytes)
{
	cycle->count = tw_cycle_elements(&cycle->shape, bytes);
	return 0;
}

static enum tw_pages pages_of(const struct tw_cycle *cycle)
{
	return (enum tw_pages)((size_t)(cycle->memory - starts[0]) /
			       sizeof(starts[0]));
}

/* Return the median time of a load. The caches have 48 KiB, 2 MiB and 32 MiB. */
static double load_ns(const struct tw_cycle *cycle, size_t bytes)
{
	double ns = bytes <= 48 * KIB ? 1.6 : bytes <= 2 * MIB ? 4.8 :
		    bytes <= 32 * MIB ? 20 : 92;

	switch (cycle->shape.kind) {
	case TW_CYCLE_SEQUENTIAL:
		return ns < 2.5 ? ns : 2.5;
	case TW_CYCLE_PAGE:
		return bytes <= 256 * KIB ? 1.6 : bytes <= 8 * MIB ? 4.1 : 25;
	case TW_CYCLE_RANDOM:
		if (bytes > 8 * MIB)
			ns += pages_of(cycle) == TW_PAGES_SMALL ? 11.5 : 0.5;
		break;
	default:
		break;
	}
	return mapped_node > 0 ? ns * 1.6 : ns;
}

/* Add the mistakes of --seed-table. */
static double seed_ns(const struct tw_cycle *cycle, size_t bytes, tw_chase_function *chase)
{
	double ns = cycle->shape.stride_bytes == 8 ? 1.7 : load_ns(cycle, bytes);

	return chase == tw_chase_unused ? 0.04 : chase == tw_chase_spilled ? ns + 2.25 : ns;
}

/* With TW_WAITS: a size that takes until the program is ended. Each line says that it
 * waits for a signal; before that line none comes. */
static void wait_for_signals(void)
{
	sigset_t all, before;

	if (!getenv("TW_WAITS"))
		return;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	for (;;) {
		fputs("waiting\n", stderr);
		sigsuspend(&before);
	}
}

/* In random order on transparent pages, 3 MiB are too disturbed. */
REPLACE(tw_memory_measure);
int __wrap_tw_memory_measure(struct tw_memory_point *point,
			     const struct tw_cycle *cycle, size_t bytes,
			     const struct tw_memory_effort *effort,
			     tw_chase_function *chase, double hz)
{
	double ns = seed_ns(cycle, bytes, chase);

	(void)hz;
	wait_for_signals();
	*point = (struct tw_memory_point) {
		.bytes = bytes,
		.footprint_bytes = tw_cycle_footprint(&cycle->shape, bytes),
		.elements = cycle->count,
		.loads = (uint64_t)((double)effort->batch_ns / ns) / 64 * 64,
		.batches = (unsigned)(effort->point_ns / effort->batch_ns) - 3,
		.disturbed = 3,
		.warm_passes = 2,
		.min_ns = ns * 0.96875,
		.median_ns = ns,
		.p90_ns = ns * 1.0625,
		.low_ns = ns * 0.9921875,
		.high_ns = ns * 1.015625,
		.cycle_ns = 0.3125,
	};
	return cycle->shape.kind == TW_CYCLE_RANDOM && bytes == 3 * MIB &&
	       pages_of(cycle) == TW_PAGES_TRANSPARENT ? -EAGAIN : 0;
}

/* Places differ by up to 2.5 ns in random order, by the order that is first, and by 3 ns where
 * small pages are measured before huge ones. */
REPLACE(tw_memory_compare);
int __wrap_tw_memory_compare(double ns[2], const struct tw_cycle cycles[2], unsigned first,
			     const struct tw_memory_effort *effort, double hz)
{
	static unsigned place;

	(void)effort;
	(void)hz;
	for (int i = 0; i < 2; i++)
		ns[i] = load_ns(&cycles[i], cycles[i].count * cycles[i].shape.stride_bytes);
	ns[0] += (place * 7 % 11 + first) / 4.0;
	ns[0] += place++ % 2 == 0 && pages_of(cycles) == TW_PAGES_SMALL ? 3 : 0;
	return 0;
}
