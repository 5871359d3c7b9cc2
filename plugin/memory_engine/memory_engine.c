/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tickwise-memory: an external fio engine whose I/Os are loads from memory. It measures the
 * latencies of memory and storage in the same run, with fio's percentiles and logs.
 *
 *	ioengine=external:/path/to/tickwise-memory.so
 *
 * size= is the size of the memory, which each job has for itself. An I/O is bs/64 loads; each
 * load reads the address of the next, and the first one begins where the I/O before ended.
 * There is no file, so file names and file operations have no effect. The loads and their
 * orders are those of `tickwise memlat`.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "job_report/fio_run.h"
#include "fio/fio_versions.h"
#include "fio/message.h"
#include "latency/histogram.h"
#include "memory_job.h"
#include "timespec.h"

/* The defaults of `tickwise memlat`. */
#define PASSES		4
#define WARM_NS		100000000
/* Steps between two checks if fio is about to end. */
#define STEPS		64
#define WARM_TURNS	32
#define STAMPS		64
/* The kernel is not asked about the interruptions of shorter I/Os. An I/O whose thread was
 * taken off the CPU takes longer than this. */
#define ASK_NS		10000

/* Take a stamp: ticks of the counter, or ns if the system's clock is used. */
static inline uint64_t begin_stamp(const struct tw_memory_job *job)
{
	return job->timing->clock.system ? tw_clock_ns(&job->timing->clock) : tw_ticks_begin();
}

static inline uint64_t end_stamp(const struct tw_memory_job *job)
{
	return job->timing->clock.system ? tw_clock_ns(&job->timing->clock) : tw_ticks_end();
}

/* ---- before the first I/O ------------------------------------------------- */

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

/* Lay the cycle in steps, because a gigabyte takes seconds. Windows are linked in one
 * step. */
static int lay_cycle(struct thread_data *td, struct tw_memory_job *job)
{
	const struct tw_memory_options *o = td->eo;
	const struct tw_cycle_shape shape = {
		.kind = tw_memory_kind(td),
		.stride_bytes = TW_MEMORY_LINE_BYTES,
		.page_bytes = (size_t) sysconf(_SC_PAGESIZE),
		.window_bytes = (size_t) o->window_bytes,
		.passes = PASSES,
		.line_bytes = TW_MEMORY_LINE_BYTES,
		.seed = o->seed,
	};
	size_t all = (size_t) td->o.size, bytes = all;
	int ret = tw_cycle_init(&job->cycle, &shape, job->memory.start);

	if (shape.kind != TW_CYCLE_WINDOW && tw_cycle_elements(&shape, all / STEPS))
		bytes = all / STEPS;
	while (!ret && !td->terminate) {
		ret = tw_cycle_grow(&job->cycle, bytes);
		if (bytes == all)
			break;
		bytes = all - bytes > all / STEPS ? bytes + all / STEPS : all;
	}
	if (ret)
		return tw_refuse_job(td, -ret, "no %s cycle through %llu bytes: %s",
				     tw_cycle_names[shape.kind], td->o.size, strerror(-ret));
	return td->terminate ? 1 : 0;
}

/*
 * Take and touch the memory, lay the cycle through it, and walk the cycle once, or as much of it
 * as WARM_NS allows. This is done in the job's own thread and on its own CPUs, since fio has set
 * affinity and NUMA policy by then.
 */
static int set_up(struct thread_data *td, struct tw_memory_job *job)
{
	const struct tw_memory_options *o = td->eo;
	struct tw_memory *memory = &job->memory;
	uint64_t begin = begin_stamp(job), warm_begin;
	size_t walked = 0;
	int ret;

	job->loads = td->o.min_bs[DDIR_READ] / TW_MEMORY_LINE_BYTES * o->repeat;
	if (tw_histogram_init(&job->ticks, TW_MEMORY_DIGITS))
		return tw_refuse_job(td, ENOMEM, "not enough memory");
	ret = tw_memory_map(memory, td->o.size, o->pages, o->node);
	if (ret)
		return tw_refuse_job(td, -ret, "%llu bytes on %s pages: %s", td->o.size,
				     tw_pages_names[o->pages],
				     tw_pages_why_not(ret, o->pages));
	if (memory->pages == TW_PAGES_TRANSPARENT && memory->huge_bytes < memory->bytes)
		tw_message(TW_MEMORY_NAME ": %s: only %.0f %% of the memory is on huge pages\n",
			td->o.name, 100.0 * (double) memory->huge_bytes / (double) memory->bytes);
	if (lay_cycle(td, job))
		return 1;
	job->stamp_ticks = UINT64_MAX;
	for (int i = 0; i < STAMPS; i++) {
		uint64_t before = begin_stamp(job), took = end_stamp(job) - before;

		if (took < job->stamp_ticks)
			job->stamp_ticks = took;
	}
	job->cycle_ns = tw_core_ticks_per_cycle() * 1e9 / job->timing->clock.scale.hz;
	warm_begin = begin_stamp(job);
	job->position = tw_cycle_first(&job->cycle);
	do {
		job->position = tw_chase(job->position, WARM_TURNS);
		walked += WARM_TURNS * TW_CHASE_UNROLL;
	} while (walked < job->cycle.count && !td->terminate &&
		 (double) (end_stamp(job) - warm_begin) * job->ns_per_tick < WARM_NS);
	job->warm_passes = (double) walked / (double) job->cycle.count;
	job->set_up_ns = (uint64_t) ((double) (end_stamp(job) - begin) * job->ns_per_tick);
	return 0;
}

static int init(struct thread_data *td)
{
	struct tw_memory_job *job;

	/* fio does not ask for sizes if it replays a log, so that is checked here. */
	if (tw_check_layout(td))
		return 1;
	if (td->o.read_iolog_file)
		return tw_refuse_job(td, EINVAL, "read_iolog: there is nothing to replay on "
				     "memory");
	job = calloc(1, sizeof(*job));
	td->io_ops_data = job;
	if (!job)
		return tw_refuse_job(td, ENOMEM, "not enough memory");
	tw_run_job_begins(td);
	job->timing = tw_timing_of_process();
	job->ns_per_tick = job->timing->clock.system ? 1 : 1e9 / job->timing->clock.scale.hz;
	tw_cpus_note(&job->cpus);
	if (set_up(td, job))
		return 1;
	job->start_realtime_ns = tw_clock_id_ns(CLOCK_REALTIME);
	return 0;
}

/* ---- an I/O --------------------------------------------------------------- */

/*
 * Record the I/O before, whose time queue() took. queue() does only the loads and takes two
 * stamps. All else is done when fio prepares the next I/O, which is in none of fio's
 * latencies.
 */
static void record(struct tw_memory_job *job)
{
	uint64_t took = job->took_ticks, before = job->interruptions;
	/* The counters of two CPUs disagree. */
	bool is_backwards = (int64_t) took < 0, was_interrupted = is_backwards;
	struct rusage usage;

	if (!job->is_unrecorded)
		return;
	job->is_unrecorded = false;
	/* Voluntary switches don't count, since a thread that only loads does not sleep by
	 * itself. */
	if ((double) took * job->ns_per_tick >= ASK_NS && !getrusage(RUSAGE_THREAD, &usage)) {
		job->interruptions = (uint64_t) (usage.ru_nivcsw + usage.ru_minflt +
						 usage.ru_majflt);
		was_interrupted |= job->interruptions != before;
	}
	job->backwards += is_backwards;
	if (!job->is_accounted)
		job->unaccounted++;
	else if (was_interrupted)
		job->interrupted++;
	else
		tw_histogram_add(&job->ticks, took);
}

/* Record the last I/O, and forget all if fio has reset its statistics after it. */
static void flush(const struct thread_data *td, struct tw_memory_job *job)
{
	record(job);
	if (!tw_was_reset(td, &job->epoch))
		return;
	job->unaccounted += job->ticks.count + job->interrupted;
	job->interrupted = 0;
	tw_histogram_clear_used(&job->ticks);
}

static int prep(struct thread_data *td, struct io_u *io_u)
{
	flush(td, td->io_ops_data);
	return 0;
}

static enum fio_q_status queue(struct thread_data *td, struct io_u *io_u)
{
	const struct tw_memory_options *o = td->eo;
	struct tw_memory_job *job = td->io_ops_data;
	void *position = job->position;
	uint64_t begin;

	/* tw_memory_check() has refused jobs with other I/Os. */
	if (io_u->ddir != DDIR_READ ||
	    io_u->xfer_buflen / TW_MEMORY_LINE_BYTES * o->repeat != job->loads) {
		io_u->error = EINVAL;
		return FIO_Q_COMPLETED;
	}
	begin = begin_stamp(job);
	/* Whole turns, and then the rest, one by one. */
	position = tw_chase(position, job->loads / TW_CHASE_UNROLL);
	for (uint64_t rest = job->loads % TW_CHASE_UNROLL; rest; rest--)
		position = *(void *volatile *) position;
	job->took_ticks = end_stamp(job) - begin;
	job->position = position;
	job->is_accounted = !tw_is_ramping(td) && tw_is_running(td);
	job->is_unrecorded = true;
	return FIO_Q_COMPLETED;
}

/* ---- the end -------------------------------------------------------------- */

static void cleanup(struct thread_data *td)
{
	struct tw_memory_job *job = td->io_ops_data;
	int ret;

	/* fio cleans up after a refusal, too. Then the layout of td is another one. */
	if (!tw_has_our_layout(td))
		return;
	if (job && job->start_realtime_ns) {
		flush(td, job);
		ret = tw_memory_report(td, job);
		if (ret && !td->error)
			td_verror(td, -ret, TW_MEMORY_NAME " report");
	}
	if (job) {
		tw_memory_unmap(&job->memory);
		tw_histogram_free(&job->ticks);
	}
	tw_run_job_ended(td);
	free(job);
	td->io_ops_data = NULL;
}

/* Ignore a file, whose name comes from [global] and is for other jobs. */
static int leave_file(struct thread_data *td, struct fio_file *f)
{
	return 0;
}

struct ioengine_ops tw_engine = {
	.name			= TW_MEMORY_NAME,
	.version		= FIO_IOOPS_VERSION,
	.flags			= FIO_SYNCIO | FIO_DISKLESSIO | FIO_FAKEIO |
					FIO_NODISKUTIL | FIO_NOEXTEND |
					FIO_NO_OFFLOAD,
	.init			= init,
	.prep			= prep,
	.queue			= queue,
	.cleanup		= cleanup,
	.open_file		= leave_file,
	.close_file		= leave_file,
	.unlink_file		= leave_file,
	.get_file_size		= get_file_size,
	.options		= tw_memory_options,
	.option_struct_size	= sizeof(struct tw_memory_options),
};
