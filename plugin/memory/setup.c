/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The setup before a job's first I/O: take and touch the memory, lay the cycle through
 * it, and walk the cycle once. It runs in the job's own thread and on its own CPUs, since
 * fio has set affinity and NUMA policy by then.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "figures.h"
#include "job.h"
#include "../message.h"
#include "memory/chase.h"

/* The defaults of `tickwise memlat`. */
#define PASSES		4
#define WARM_NS		100000000
/* Steps between two checks if fio is about to end. */
#define STEPS		64
#define WARM_TURNS	32
#define STAMPS		64

static int get_memory(struct thread_data *td, struct tw_memory_job *job)
{
	const struct tw_memory_options *o = td->eo;
	struct tw_memory *memory = &job->memory;
	int ret = tw_memory_map(memory, td->o.size, o->pages, o->node);

	if (ret)
		return tw_memory_refuse(td, -ret, "%llu bytes on %s pages: %s",
					td->o.size, tw_pages_names[o->pages],
					tw_pages_why_not(ret, o->pages));
	if (memory->pages == TW_PAGES_TRANSPARENT &&
	    memory->huge_bytes < memory->bytes)
		tw_message(TW_MEMORY_NAME ": %s: only %.0f %% of the "
			"memory is on huge pages\n", td->o.name, 100.0 *
			(double) memory->huge_bytes / (double) memory->bytes);
	return 0;
}

static struct tw_cycle_shape shape_of(struct thread_data *td)
{
	const struct tw_memory_options *o = td->eo;

	return (struct tw_cycle_shape) {
		.kind = tw_memory_kind(td),
		.stride_bytes = TW_MEMORY_LINE_BYTES,
		.page_bytes = (size_t) sysconf(_SC_PAGESIZE),
		.window_bytes = (size_t) o->window_bytes,
		.passes = PASSES,
		.line_bytes = TW_MEMORY_LINE_BYTES,
		.seed = o->seed,
	};
}

/* Lay the cycle in steps, because a gigabyte takes seconds. Windows are linked in one
 * step. */
static int lay_cycle(struct thread_data *td, struct tw_memory_job *job)
{
	const struct tw_cycle_shape shape = shape_of(td);
	size_t all = (size_t) td->o.size, bytes = all;
	int ret = tw_cycle_init(&job->cycle, &shape, job->memory.start);

	if (shape.kind != TW_CYCLE_WINDOW &&
	    tw_cycle_elements(&shape, all / STEPS))
		bytes = all / STEPS;
	while (!ret && !td->terminate) {
		ret = tw_cycle_grow(&job->cycle, bytes);
		if (bytes == all)
			break;
		bytes = all - bytes > all / STEPS ? bytes + all / STEPS : all;
	}
	if (ret)
		return tw_memory_refuse(td, -ret, "no %s cycle through %llu "
					"bytes: %s", tw_cycle_names[shape.kind],
					td->o.size, strerror(-ret));
	return td->terminate ? 1 : 0;
}

/* Walk the whole cycle once, or as much of it as WARM_NS allows. */
static void warm_up(struct thread_data *td, struct tw_memory_job *job)
{
	double ns_per_tick = tw_memory_ns_per_tick(job);
	uint64_t begin = tw_memory_begin(job);
	size_t elements = job->cycle.count, walked = 0;

	job->position = tw_cycle_first(&job->cycle);
	do {
		job->position = tw_chase(job->position, WARM_TURNS);
		walked += WARM_TURNS * TW_CHASE_UNROLL;
	} while (walked < elements && !td->terminate &&
		 (double) (tw_memory_end(job) - begin) * ns_per_tick < WARM_NS);
	job->warm_passes = (double) walked / (double) elements;
}

static void time_stamps(struct tw_memory_job *job)
{
	job->stamp_ticks = UINT64_MAX;
	for (int i = 0; i < STAMPS; i++) {
		uint64_t begin = tw_memory_begin(job);
		uint64_t took = tw_memory_end(job) - begin;

		if (took < job->stamp_ticks)
			job->stamp_ticks = took;
	}
}

int tw_memory_set_up(struct thread_data *td, struct tw_memory_job *job)
{
	const struct tw_memory_options *o = td->eo;
	uint64_t begin = tw_memory_begin(job);

	job->loads = td->o.min_bs[DDIR_READ] / TW_MEMORY_LINE_BYTES *
		     o->repeat;
	job->huge_bytes = SIZE_MAX;
	if (tw_histogram_init(&job->ticks, TW_MEMORY_DIGITS))
		return tw_memory_refuse(td, ENOMEM, "not enough memory");
	if (get_memory(td, job) || lay_cycle(td, job))
		return 1;
	time_stamps(job);
	job->cycle_ns = tw_core_ticks_per_cycle() * 1e9 /
			job->timing->clock.scale.hz;
	warm_up(td, job);
	job->set_up_ns = (uint64_t) ((double) (tw_memory_end(job) - begin) *
				     tw_memory_ns_per_tick(job));
	return 0;
}

void tw_memory_tear_down(struct tw_memory_job *job)
{
	tw_memory_unmap(&job->memory);
	tw_histogram_free(&job->ticks);
}
