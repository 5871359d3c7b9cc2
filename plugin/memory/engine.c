/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tickwise-memory: an external fio engine whose I/Os are loads from memory. It measures
 * the latencies of memory and storage in the same run, with fio's percentiles and logs.
 *
 *	ioengine=external:/path/to/tickwise-memory.so
 *
 * size= is the size of the memory, which each job has for itself. An I/O is bs/64 loads;
 * each load reads the address of the next. There is no file, so file names and file
 * operations have no effect. The loads and their orders are those of `tickwise memlat`.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../run_end.h"
#include "job.h"
#include "timespec.h"

/*
 * Check the options, and calibrate once for all jobs. fio asks for sizes in the parent,
 * before it starts the jobs.
 */
static int get_file_size(struct thread_data *td, struct fio_file *f)
{
	if (!tw_has_our_layout(td))
		return 0;
	if (f == td->files[0]) {
		if (tw_memory_check(td))
			return 1;
		tw_run_take_hangup();
		tw_timing_of_process();
	}
	f->real_file_size = td->o.size / td->o.nr_files;
	return 0;
}

/* Ignore a file, whose name comes from [global] and is for other jobs. */
static int leave_file(struct thread_data *td, struct fio_file *f)
{
	return 0;
}

static int init(struct thread_data *td)
{
	struct tw_memory_job *job;

	/* fio does not ask for sizes if it replays a log, so that is checked here. */
	if (tw_check_layout(td) || tw_memory_check_replay(td))
		return 1;
	job = calloc(1, sizeof(*job));
	td->io_ops_data = job;
	if (!job)
		return tw_memory_refuse(td, ENOMEM, "not enough memory");
	tw_run_job_begins(td);
	job->timing = tw_timing_of_process();
	tw_cpus_note(&job->cpus);
	if (tw_memory_set_up(td, job))
		return 1;
	job->start_realtime_ns = tw_clock_id_ns(CLOCK_REALTIME);
	return 0;
}

static void cleanup(struct thread_data *td)
{
	struct tw_memory_job *job = td->io_ops_data;
	int ret;

	/* fio cleans up after a refusal, too. Then the layout of td is another one. */
	if (!tw_has_our_layout(td))
		return;
	if (!job) {
		tw_run_job_ended(td);
		return;
	}
	if (job->start_realtime_ns) {
		tw_memory_record(job);
		ret = tw_memory_report(td, job);
		if (ret && !td->error)
			td_verror(td, -ret, TW_MEMORY_NAME " report");
	}
	tw_memory_tear_down(job);
	tw_run_job_ended(td);
	free(job);
	td->io_ops_data = NULL;
}

struct ioengine_ops tw_engine = {
	.name			= TW_MEMORY_NAME,
	.version		= FIO_IOOPS_VERSION,
	.flags			= FIO_SYNCIO | FIO_DISKLESSIO | FIO_FAKEIO |
					FIO_NODISKUTIL | FIO_NOEXTEND |
					FIO_NO_OFFLOAD,
	.init			= init,
	.prep			= tw_memory_prep,
	.queue			= tw_memory_queue,
	.cleanup		= cleanup,
	.open_file		= leave_file,
	.close_file		= leave_file,
	.unlink_file		= leave_file,
	.get_file_size		= get_file_size,
	.options		= tw_memory_options,
	.option_struct_size	= sizeof(struct tw_memory_options),
};
