/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel stages in a job's life: see kernel_job.h.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "guards.h"
#include "kernel_job.h"
#include "kernel/shifted_clock.h"
#include "message.h"

#define TW_KERNEL_UNKNOWN	((enum tw_kernel_mode)-1)

/* Return the option tw_kernel or, if it is not given, the environment variable
 * TICKWISE_KERNEL. An empty variable counts as not set. */
static enum tw_kernel_mode mode_of(const struct tw_options *o)
{
	const char *text = getenv("TICKWISE_KERNEL");

	if (o->kernel != TW_KERNEL_DEFAULT || !text || !*text)
		return o->kernel;
	if (strcmp(text, "off") == 0)
		return TW_KERNEL_OFF;
	if (strcmp(text, "require") == 0)
		return TW_KERNEL_REQUIRE;
	return strcmp(text, "auto") == 0 ? TW_KERNEL_AUTO : TW_KERNEL_UNKNOWN;
}

/* True if a job wants kernel stages and can have them. Without stages (tw_stages=0) there
 * is nothing to split, and the operations of tw_test_nop=1 have no kernel stages. */
static bool is_wanted(const struct tw_options *o)
{
	const enum tw_kernel_mode mode = mode_of(o);

	return mode != TW_KERNEL_OFF && mode != TW_KERNEL_UNKNOWN && o->stages &&
	       !o->test_nop;
}

bool tw_kernel_is_for(const struct thread_data *td)
{
	return tw_has_our_layout(td) && td->eo && is_wanted(td->eo);
}

/* Return the number of jobs that want kernel stages, and the @slots that all of them
 * need. */
static unsigned count_jobs(uint32_t *slots)
{
	unsigned jobs = 0, i;

	*slots = 0;
	for (i = 0; i < thread_number; i++) {
		const struct thread_data *td = tnumber_to_td(i);

		if (!tw_kernel_is_for(td))
			continue;
		jobs++;
		*slots += tw_power_of_two_from(td->o.iodepth);
	}
	return jobs;
}

/* True once the program was loaded for all jobs. Jobs that are processes inherit it. */
static bool asked;

void tw_kernel_load_for_jobs(void)
{
	uint32_t slots;

	asked = true;
	if (count_jobs(&slots) && !tw_has_shifted_clock())
		tw_kernel_load(slots);
}

/* True if several jobs are processes and the parent has loaded no program for them. Each
 * would load its own program, and the kernel runs each program for every I/O of the
 * machine. */
static bool is_one_of_several(const struct thread_data *td)
{
	uint32_t slots;

	return !asked && !td->o.use_thread && count_jobs(&slots) > 1;
}

void tw_kernel_ring_begins(struct thread_data *td, struct tw_job *job)
{
	if (!is_wanted(td->eo))
		return;
	if (tw_has_shifted_clock()) {
		job->kernel.why = TW_SHIFTED_CLOCK;
		return;
	}
	if (is_one_of_several(td)) {
		job->kernel.why = "with create_serialize=0 several jobs need "
				  "thread=1 for it";
		return;
	}
	/* The program is loaded already, except for a single job with
	 * create_serialize=0. */
	job->kernel.why = tw_kernel_load(job->entries);
	if (!job->kernel.why)
		tw_kernel_expect(&job->kernel, job->entries);
}

static int refuse_environment(struct thread_data *td)
{
	tw_message("tickwise: %s: TICKWISE_KERNEL is '%.40s': auto, off or require\n",
		   td->o.name, getenv("TICKWISE_KERNEL"));
	td_verror(td, EINVAL, "TICKWISE_KERNEL");
	return -EINVAL;
}

int tw_kernel_ring_made(struct thread_data *td, struct tw_job *job)
{
	const enum tw_kernel_mode mode = mode_of(td->eo);

	if (mode == TW_KERNEL_UNKNOWN)
		return refuse_environment(td);
	tw_kernel_made(&job->kernel);
	if (job->kernel.slots || mode != TW_KERNEL_REQUIRE)
		return 0;
	tw_message("tickwise: %s: tw_kernel=require, but the stages inside the "
		   "kernel can't be had: %s\n", td->o.name,
		   job->kernel.why ? job->kernel.why : "tw_stages=0 or tw_test_nop=1");
	td_verror(td, EPERM, "tw_kernel");
	return -EPERM;
}

json_t *tw_kernel_to_json(const struct tw_job *job)
{
	if (job->kernel.slots)
		return json_pack("{ss, so*}", "state", "on", "by_helper",
				 job->kernel.by_helper ? json_true() : NULL);
	return json_pack("{ss, ss}", "state", "off", "why",
			 job->kernel.why ? job->kernel.why : "not asked for");
}
