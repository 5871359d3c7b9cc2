/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why an I/O was slow: see kernel_why.h.
 */
#include <jansson.h>

#include "engine.h"
#include "guards.h"
#include "kernel/explained_json.h"
#include "kernel_job.h"
#include "kernel_why.h"
#include "report_file.h"

static const char not_split[] =
	"I/Os are not split inside the kernel (kernel.why says why)";

void tw_why_load_for_jobs(void)
{
	uint32_t jobs = 0;
	unsigned i;

	for (i = 0; i < thread_number; i++) {
		const struct thread_data *td = tnumber_to_td(i);

		if (tw_kernel_is_for(td))
			jobs += ((const struct tw_options *) td->eo)->causes;
	}
	if (jobs && tw_kernel_is_own())
		tw_follow_load(jobs);
}

void tw_why_ring_begins(struct thread_data *td, struct tw_job *job)
{
	const struct tw_options *o = td->eo;

	if (!o->causes)
		return;
	if (!job->kernel.slots)
		job->follow.why = not_split;
	else if (job->kernel.by_helper)
		job->follow.why = "the kernel helper does not follow threads: run "
				  "as root or with CAP_BPF, CAP_PERFMON and "
				  "CAP_SYSLOG";
	else	/* Already loaded, except for a single job with create_serialize=0. */
		job->follow.why = tw_follow_load(1);
	if (!job->follow.why)
		tw_follow_expect(&job->follow);
}

void tw_why_ring_made(struct tw_job *job)
{
	tw_follow_made(&job->follow);
	if (!job->follow.turns || job->kernel.slots)
		return;
	job->follow.turns = NULL;
	job->follow.why = not_split;
}

/* ---- an I/O -------------------------------------------------------------- */

/* The part of the job's thread in a stage. */
enum part_of {
	NO_PART,
	IN_CALL,	/* it works until the submitting call ends */
	TAKES_PART,
	ENDS_IT,	/* it works, and is woken at the end of the stage */
};

/* Return the part of the job's thread in @stage. With SQPOLL a thread of the kernel
 * submits and fills the ring. That thread is not followed, nor are io_uring's workers. */
static enum part_of part_of(const struct tw_job *job, enum tw_stage stage,
			    const struct tw_io *io)
{
	switch (stage) {
	case TW_QUEUE:
	case TW_DELIVER:
		return TAKES_PART;
	case TW_SUBMIT:
		return job->polled_submission ? NO_PART : TAKES_PART;
	case TW_BLOCKQ:
		return io->kernel.retries ? NO_PART : IN_CALL;
	case TW_COMPLETE:
		return job->polled_submission ? NO_PART : ENDS_IT;
	case TW_REAP:
		return ENDS_IT;
	case TW_KERNEL:
		return IN_CALL;
	case TW_DEVICE:
	case TW_STAGES:
		break;
	}
	return NO_PART;
}

static unsigned longest_stage(const struct tw_io_times *times)
{
	unsigned longest = TW_QUEUE, stage;

	for (stage = 0; stage < TW_STAGES; stage++)
		if (times->stages & TW_STAGE_BIT(stage) &&
		    times->stage_ns[stage] > times->stage_ns[longest])
			longest = stage;
	return longest;
}

/* Return when the stage @of begins, in ns since the I/O was prepared. The stage kernel
 * stands for the stages from submit to reap that the I/O lacks. */
static int64_t begin_of(const struct tw_io_times *times, unsigned of)
{
	bool had_kernel = false;
	int64_t since_ns = 0;
	unsigned stage;

	for (stage = 0; stage < TW_STAGES && stage != of; stage++) {
		if (stage == TW_KERNEL || times->stages & TW_STAGE_BIT(stage)) {
			since_ns += stage == TW_KERNEL ? 0 :
				    (int64_t) times->stage_ns[stage];
		} else if (!had_kernel) {
			if (of == TW_KERNEL)
				break;
			since_ns += (int64_t) times->stage_ns[TW_KERNEL];
			had_kernel = true;
		}
	}
	return since_ns;
}

static int64_t own_ns(const struct tw_clocks *clocks, uint64_t ticks)
{
	return tw_span_ns(clocks->scale, clocks->system, clocks->zero_ticks,
			  ticks);
}

void tw_why_find(const struct tw_job *job, const struct tw_clocks *clocks,
		 const struct tw_io *io, const struct tw_io_times *times,
		 struct tw_why *why)
{
	const int64_t begin_ns = own_ns(clocks, io->prepared_ticks);
	const unsigned longest = longest_stage(times);
	const enum part_of is = part_of(job, longest, io);
	struct tw_part part = { .ends_by_wakeup = is == ENDS_IT };
	struct tw_explained *explained = &why->explained;

	*why = (struct tw_why) {
		.stage = longest,
		.from_ns = begin_of(times, longest),
	};
	part.from_ns = begin_ns + why->from_ns;
	part.to_ns = part.from_ns + (int64_t) times->stage_ns[longest];
	if (is == IN_CALL)
		part.to_ns = io->entered_ticks ?
			tw_min_ns(part.to_ns, own_ns(clocks, io->entered_ticks)) :
			part.from_ns;
	if (is == NO_PART || part.to_ns <= part.from_ns)
		return;
	why->followed = true;
	why->followed_ns = (uint64_t) (part.to_ns - part.from_ns);
	tw_explain(job->follow.turns, clocks->join, &part, explained);
	explained->stall_from_ns -= part.from_ns;
	explained->stall_to_ns -= part.from_ns;
}

/* ---- the report ---------------------------------------------------------- */

json_t *tw_why_to_json(const struct tw_why *why,
		       const struct tw_io_times *times, uint64_t begin_ns)
{
	return tw_explained_to_json(tw_time_rows[why->stage].name,
				    begin_ns + (uint64_t) why->from_ns,
				    times->stage_ns[why->stage],
				    why->followed ? &why->explained : NULL);
}

json_t *tw_why_state_to_json(const struct tw_job *job)
{
	if (job->follow.turns)
		return json_pack("{ss}", "state", "on");
	return json_pack("{ss, ss}", "state", "off", "why", job->follow.why);
}
