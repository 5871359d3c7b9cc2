/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report of one job, in JSON: the time of a load, and the pages of the memory. Keys
 * with the same meaning are those of `tickwise memlat --json`.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../report_file.h"
#include "../run_end.h"
#include "figures.h"
#include "latency/histogram_json.h"
#include "job.h"
#include "../message.h"
#include "memory/chase.h"
#include "text_file.h"
#include "report/json_memory.h"

/* Return how many bytes are on huge pages now, at the job's end. */
static size_t huge_bytes_now(const struct tw_memory_job *job)
{
	char *text = tw_text_file("/proc/self/smaps");
	size_t huge = SIZE_MAX, page;

	if (text && tw_smaps_huge_bytes(text, (uintptr_t) job->memory.start,
					&huge, &page))
		huge = SIZE_MAX;
	free(text);
	return huge;
}

static void tell_pages(const struct thread_data *td,
		       const struct tw_memory_job *job)
{
	if (job->huge_bytes != SIZE_MAX &&
	    job->huge_bytes != job->memory.huge_bytes)
		tw_message(TW_MEMORY_NAME ": %s: %zu bytes were on huge "
			"pages when the job began, %zu when it ended: the "
			"latencies are a mix of both\n", td->o.name,
			job->memory.huge_bytes, job->huge_bytes);
}

/* Return a number; NULL, which leaves the key out, if it is unknown. */
static json_t *known_number(double value)
{
	return value > 0 ? json_real(value) : NULL;
}

static json_t *memory_to_json(struct thread_data *td,
			      const struct tw_memory_job *job)
{
	const struct tw_memory_options *o = td->eo;
	const struct tw_memory *memory = &job->memory;
	size_t end = job->huge_bytes;

	return json_pack("{ss, ss, sI, sI, so*, so*, sI, sI, si, sI, sf, sI}",
		"kind", tw_cycle_names[job->cycle.shape.kind],
		"pages", tw_pages_names[memory->pages],
		"page_bytes", (json_int_t) memory->page_bytes,
		"huge_bytes", (json_int_t) memory->huge_bytes,
		"huge_bytes_at_end", end == SIZE_MAX ? NULL :
						       tw_json_of_u64(end),
		"node", o->node == TW_ANY_NODE ? NULL : json_integer(o->node),
		"stride_bytes", (json_int_t) job->cycle.shape.stride_bytes,
		"window_bytes", (json_int_t) job->cycle.shape.window_bytes,
		"passes", (int) job->cycle.shape.passes,
		"seed", (json_int_t) job->cycle.shape.seed,
		"warm_passes", job->warm_passes,
		"set_up_ns", (json_int_t) job->set_up_ns);
}

static void add_figures(json_t *load, const struct tw_memory_point *point)
{
	double cycle_ns = point->cycle_ns;

	json_object_set_new(load, "min_ns", json_real(point->min_ns));
	json_object_set_new(load, "median_ns", json_real(point->median_ns));
	json_object_set_new(load, "p90_ns", json_real(point->p90_ns));
	json_object_set_new(load, "median_low_ns", json_real(point->low_ns));
	json_object_set_new(load, "median_high_ns", json_real(point->high_ns));
	/* A value of NULL sets nothing. */
	json_object_set_new(load, "min_cycles", known_number(
			    cycle_ns > 0 ? point->min_ns / cycle_ns : 0));
	json_object_set_new(load, "core_hz", known_number(
			    cycle_ns > 0 ? 1e9 / cycle_ns : 0));
}

static json_t *load_to_json(struct thread_data *td,
			    const struct tw_memory_job *job)
{
	double ns_per_tick = tw_memory_ns_per_tick(job);
	struct tw_memory_point point = { .loads = job->loads };
	int ret = tw_memory_figures(&point, &job->ticks, job->interrupted,
				    ns_per_tick);
	double end_ns = tw_core_ticks_per_cycle() * 1e9 /
			job->timing->clock.scale.hz;
	json_t *load;

	point.cycle_ns = end_ns < job->cycle_ns ? end_ns : job->cycle_ns;
	load = json_pack("{sI, sI, sI, sI, si, si, sf}",
		"size_bytes", (json_int_t) td->o.size,
		"footprint_bytes", (json_int_t)
			tw_cycle_footprint(&job->cycle.shape, td->o.size),
		"elements", (json_int_t) job->cycle.count,
		"loads_per_batch", (json_int_t) point.loads,
		"batches", (int) point.batches,
		"disturbed", (int) point.disturbed,
		"stamps_ns", (double) job->stamp_ticks * ns_per_tick);
	if (load && !ret)
		add_figures(load, &point);
	return load;
}

static json_t *clock_to_json(const struct tw_memory_job *job)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	tw_clock_rate(&job->timing->clock, &rate);
	return json_pack("{sb, sf, sf, sf}",
			 "system", job->timing->clock.system,
			 "hz", rate.hz,
			 "rate_uncertainty_ppb", rate.uncertainty_ppb,
			 "rate_bound_ppb", rate.bound_ppb);
}

int tw_memory_report(struct thread_data *td, struct tw_memory_job *job)
{
	const struct tw_memory_options *o = td->eo;
	struct tw_job_end end = {
		.cpus = job->cpus,
		.backwards = job->backwards,
	};
	json_t *report;

	job->huge_bytes = huge_bytes_now(job);
	tell_pages(td, job);
	if (!tw_report_is_wanted(o->report))
		return 0;
	tw_json_forget_lack();
	report = json_pack("{ss, si, ss, so, so, so, sI, so}",
		"schema", "tickwise-memory",
		"version", 1,
		"tickwise_version", TW_VERSION,
		"job", tw_report_job(td, job->timing, job->start_realtime_ns),
		"memory", memory_to_json(td, job),
		"load", load_to_json(td, job),
		"unaccounted", (json_int_t) job->unaccounted,
		"clock", clock_to_json(job));
	tw_job_look(td->o.name, job->timing, &end);
	return tw_run_report(td, o->report, "memory", report, job->timing,
			     &end);
}
