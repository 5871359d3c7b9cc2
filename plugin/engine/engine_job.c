/* SPDX-License-Identifier: GPL-2.0 */
/* The life of a job on io_uring, from init to cleanup; the same in both engines. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "fio/fio_layout.h"
#include "fio/message.h"
#include "job_report/fio_run.h"
#include "job_report/job_report.h"
#include "record/clock_offsets.h"
#include "record/job_waits.h"
#include "record/kernel_job.h"
#include "timespec.h"

#define PAGE_BYTES	4096

static void *zeroed_pages(size_t bytes)
{
	const size_t whole = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	void *memory = aligned_alloc(PAGE_BYTES, whole);

	return memory ? memset(memory, 0, whole) : NULL;
}

/* Allocate what each I/O touches, on as few pages as possible. */
static int allocate_hot(struct tw_job_hot *hot, size_t entries)
{
	const size_t bytes = TW_FINISHED_MAX * sizeof(*hot->finished) +
		entries * (sizeof(*hot->io) + sizeof(*hot->by_index)) +
		tw_completions_of((unsigned) entries) * sizeof(*hot->seen_ticks);

	hot->finished = zeroed_pages(bytes);
	if (!hot->finished)
		return -ENOMEM;
	hot->io = (void *) (hot->finished + TW_FINISHED_MAX);
	hot->by_index = (void *) (hot->io + entries);
	hot->seen_ticks = (void *) (hot->by_index + entries);
	return 0;
}

static int allocate(struct thread_data *td, struct tw_job *job)
{
	const struct tw_options *o = td->eo;
	struct tw_job_hot *hot = &job->hot;

	job->ring.entries = tw_entries_of(td->o.iodepth);
	if (allocate_hot(hot, job->ring.entries) ||
	    tw_slowest_init(&job->collected.slowest, o->slowest,
			    sizeof(struct tw_slow_io)) ||
	    tw_response_init(td, job->ring.entries, &hot->response) ||
	    tw_protection_init(td, job))
		return -ENOMEM;
	hot->stages = o->stages;
	hot->test_nop = o->test_nop;
	hot->event_time = o->event_time;
	hot->event_wait = o->event_wait;
	return 0;
}

int tw_init(struct thread_data *td)
{
	/* Stamps of the system clock are nanoseconds, and stay the same. */
	static const struct tw_rate of_ns = { .size = sizeof(of_ns), .hz = TW_NS_PER_SECOND };
	struct tw_options *o;
	struct tw_job *job;

	if (tw_check_layout(td))
		return 1;
	o = td->eo;
	if (tw_options_check(td))
		return 1;
	job = zeroed_pages(sizeof(*job));
	td->io_ops_data = job;
	if (!job || allocate(td, job))
		return tw_refuse_job(td, ENOMEM, "not enough memory for iodepth=%u",
				     td->o.iodepth);
	/* This function logs its errors itself. */
	if (fio_cmdprio_init(td, &job->ring.cmdprio, &o->cmdprio_options)) {
		td_verror(td, EINVAL, "cmdprio");
		return 1;
	}
	tw_run_job_begins(td);
	job->hot.timing = tw_timing_of_process();
	job->hot.system = job->hot.timing->clock.system;
	job->hot.scale = job->hot.timing->clock.scale;
	if (job->hot.system)
		tw_scale_init(&job->hot.scale, &of_ns, 0);
	tw_cpus_note(&job->collected.cpus);
	return 0;
}

static void load(void)
{
	tw_kernel_load_for_jobs();
	tw_trigger_make_for_jobs();
}

/* Load the kernel's programs and the trace for all jobs: once, as a later job may find that
 * another one has ended, whose options are freed. Jobs that are threads call this at the same
 * time, and wait. Jobs that are processes must not wait, because a thread of the parent may
 * have been in it when fio forked. */
static void load_for_jobs(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
}

int tw_post_init(struct thread_data *td)
{
	struct tw_job *job = td->io_ops_data;
	struct tw_job_collected *collected = &job->collected;

	/* With create_serialize=0 fio has not called tw_set_up_once() yet. */
	if (td->o.use_thread)
		load_for_jobs();
	if (tw_ring_set_up(td, job) || tw_ring_register(td, job))
		return 1;
	if (tw_is_open_loop(job))
		tw_arrivals_begin(td, job);
	/* This takes a while with many files, so it comes before the run begins. */
	collected->facts = tw_facts_take(td, &collected->cpus);
	if (collected->facts)
		tw_samples_begin(td, job);
	collected->start_storage_bytes = tw_read_from_storage();
	collected->start_realtime_ns = tw_clock_id_ns(CLOCK_REALTIME);
	tw_clock_offsets_read(job, &collected->start);
	tw_trigger_begin(td, job);
	if (!collected->facts ||
	    tw_devices_start(td, collected->facts->where, &job->hot.devices) ||
	    tw_record_start(td, job))
		return tw_refuse_job(td, ENOMEM, "not enough memory");
	collected->started = true;
	tw_intervals_begin(td, job);
	return 0;
}

int tw_io_u_init(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;

	if (!tw_has_our_io_u(io_u, job->collected.io_us++) ||
	    io_u->index >= job->ring.entries) {
		tw_message("tickwise: built with another layout of io_u than "
			"that of this %s: type `tickwise build-engine` to "
			"build an engine for this fio\n", fio_version_string);
		return 1;
	}
	job->hot.by_index[io_u->index] = io_u;
	tw_protection_give(td, job, io_u);
	return 0;
}

void tw_cleanup(struct thread_data *td)
{
	struct tw_job *job = td->io_ops_data;
	int ret = 0;

	/* fio cleans up after a refusal, too. Then the layout of td is another one. */
	if (!tw_has_our_layout(td))
		return;
	if (!job) {
		tw_run_job_ended(td);
		return;
	}
	if (job->collected.started) {
		tw_record_follow_resets(td, job);
		tw_record_flush(job);
		if (job->collected.intervals)
			ret = tw_intervals_end(job);
		else
			tw_windows_close(&tw_fill_now(&job->collected.filling)->tally.over_time);
		ret = tw_report_write(td, job, ret);
		if (ret && !td->error)
			td_verror(td, -ret, "tickwise report");
		tw_samples_end();
		tw_trigger_end(job);
		tw_waits_end(job);
	}
	if (!(td->flags & TD_F_CHILD))
		tw_ring_tear_down(job);
	tw_run_job_ended(td);
	fio_cmdprio_cleanup(&job->ring.cmdprio);
	tw_tally_free(&job->collected.filling.filled[0].tally);
	tw_tally_free(&job->collected.filling.filled[1].tally);
	tw_slowest_free(&job->collected.slowest);
	tw_job_waits_free(job->collected.waits);
	free(job->collected.others_sums);
	free(job->collected.commits);
	tw_response_free(job->hot.response);
	tw_devices_free(job->hot.devices);
	tw_facts_free(job->collected.facts);
	free(job->hot.extra);
	free(job->hot.synced);
	free(job->hot.stamps);
	free(job->hot.finished);
	free(job);
	td->io_ops_data = NULL;
}

/*
 * Check that a job can have a ring, and calibrate once for all jobs. fio calls this in
 * the parent, as it asks for file sizes. At that time it has neither laid out a file nor
 * started a job, so a refusal leaves nothing behind.
 */
int tw_set_up_once(struct thread_data *td)
{
	static _Atomic(bool) tried;
	struct io_uring ring;
	int ret;

	if (!tw_has_our_layout(td) || tried)
		return 0;
	ret = io_uring_queue_init(1, &ring, 0);
	if (ret)
		return tw_refuse_job(td, -ret, "%s", tw_ring_failure(-ret));
	io_uring_queue_exit(&ring);
	tw_run_take_hangup();
	tw_timing_of_process();
	/* If a job calls this (create_serialize=0), it is too late to load, and its threads end with it. */
	if (!td->io_ops_data) {
		load_for_jobs();
		tw_samples_start();
	}
	tried = true;
	return 0;
}

/* Return the job whose files are registered; NULL: they are not, or there is no job. */
static const struct tw_job *with_files(const struct thread_data *td)
{
	const struct tw_job *job = td->io_ops_data;

	return tw_has_our_layout(td) && job && job->ring.fixed_files ? job : NULL;
}

/* Open a file. A registered file is already open, and fio gets its descriptor. */
int tw_open_file(struct thread_data *td, struct fio_file *f)
{
	const struct tw_job *job = with_files(td);

	if (!job)
		return generic_open_file(td, f);
	f->fd = job->ring.files[f->engine_pos];
	return 0;
}

int tw_close_file(struct thread_data *td, struct fio_file *f)
{
	if (tw_has_our_layout(td)) {
		free(FILE_ENG_DATA(f));
		FILE_SET_ENG_DATA(f, NULL);
	}
	if (!with_files(td))
		return generic_close_file(td, f);
	f->fd = -1;
	return 0;
}
