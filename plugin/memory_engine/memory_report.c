/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report of one job, in JSON: the time of a load, and the pages of the memory. Keys
 * with the same meaning are those of `tickwise memlat --json`.
 */
#include <stdlib.h>

#include "job_report/fio_run.h"
#include "fio/message.h"
#include "latency/histogram_json.h"
#include "memory_job.h"
#include "report/report_json.h"
#include "text_file.h"

static json_t *memory_to_json(struct thread_data *td, const struct tw_memory_job *job,
			      size_t end)
{
	const struct tw_memory_options *o = td->eo;
	const struct tw_memory *memory = &job->memory;

	return json_pack("{ss, ss, sI, sI, so*, so*, sI, sI, si, sI, sf, sI}",
		"kind", tw_cycle_names[job->cycle.shape.kind],
		"pages", tw_pages_names[memory->pages],
		"page_bytes", (json_int_t) memory->page_bytes,
		"huge_bytes", (json_int_t) memory->huge_bytes,
		"huge_bytes_at_end", end == SIZE_MAX ? NULL : tw_json_of_u64(end),
		"node", o->node == TW_ANY_NODE ? NULL : json_integer(o->node),
		"stride_bytes", (json_int_t) job->cycle.shape.stride_bytes,
		"window_bytes", (json_int_t) job->cycle.shape.window_bytes,
		"passes", (int) job->cycle.shape.passes,
		"seed", (json_int_t) job->cycle.shape.seed,
		"warm_passes", job->warm_passes,
		"set_up_ns", (json_int_t) job->set_up_ns);
}

/* Return a number; NULL, which leaves the key out, if it is unknown. */
static json_t *known(double value, bool is_known)
{
	return is_known ? json_real(value) : NULL;
}

static json_t *load_to_json(struct thread_data *td, const struct tw_memory_job *job)
{
	struct tw_memory_point point = { .loads = job->loads };
	bool has = !tw_memory_evaluate_bins(&point, &job->ticks, job->interrupted,
					    job->ns_per_tick);
	double end_ns = tw_core_ticks_per_cycle() * 1e9 / job->timing->clock.scale.hz;
	double cycle_ns = end_ns < job->cycle_ns ? end_ns : job->cycle_ns;

	return json_pack("{sI, sI, sI, sI, si, si, sf, so*, so*, so*, so*, so*, so*, so*}",
		"size_bytes", (json_int_t) td->o.size,
		"footprint_bytes", (json_int_t)
			tw_cycle_footprint(&job->cycle.shape, td->o.size),
		"elements", (json_int_t) job->cycle.count,
		"loads_per_batch", (json_int_t) point.loads,
		"batches", (int) point.batches,
		"disturbed", (int) point.disturbed,
		"stamps_ns", (double) job->stamp_ticks * job->ns_per_tick,
		"min_ns", known(point.min_ns, has),
		"median_ns", known(point.median_ns, has),
		"p90_ns", known(point.p90_ns, has),
		"median_low_ns", known(point.low_ns, has),
		"median_high_ns", known(point.high_ns, has),
		"min_cycles", known(point.min_ns / cycle_ns, has && cycle_ns > 0),
		"core_hz", known(1e9 / cycle_ns, has && cycle_ns > 0));
}

int tw_memory_report(struct thread_data *td, struct tw_memory_job *job)
{
	const struct tw_memory_options *o = td->eo;
	struct tw_job_end end = {
		.cpus = job->cpus,
		.backwards = job->backwards,
	};
	const struct tw_memory *memory = &job->memory;
	char *text = tw_text_file("/proc/self/smaps");
	size_t huge = SIZE_MAX, page;	/* bytes on huge pages now; SIZE_MAX: unknown */
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	json_t *report;

	if (text && tw_smaps_huge_bytes(text, (uintptr_t) memory->start, &huge, &page))
		huge = SIZE_MAX;
	free(text);
	if (huge != SIZE_MAX && huge != memory->huge_bytes)
		tw_message(TW_MEMORY_NAME ": %s: %zu bytes were on huge pages when the job "
			"began, %zu when it ended: the latencies are a mix of both\n",
			td->o.name, memory->huge_bytes, huge);
	if (!tw_report_is_wanted(o->report))
		return 0;
	tw_json_forget_lack();
	tw_clock_rate(&job->timing->clock, &rate);
	report = json_pack("{ss, si, ss, so, so, so, sI, s{sb, sf, sf, sf}}",
		"schema", "tickwise-memory",
		"version", 1,
		"tickwise_version", TW_VERSION,
		"job", tw_report_job(td, job->timing, job->start_realtime_ns),
		"memory", memory_to_json(td, job, huge),
		"load", load_to_json(td, job),
		"unaccounted", (json_int_t) job->unaccounted,
		"clock",
		"system", job->timing->clock.system,
		"hz", rate.hz,
		"rate_uncertainty_ppb", rate.uncertainty_ppb,
		"rate_bound_ppb", rate.bound_ppb);
	tw_job_look(td->o.name, job->timing, &end);
	return tw_run_report(td, o->report, "memory", report, NULL, job->timing, &end);
}
