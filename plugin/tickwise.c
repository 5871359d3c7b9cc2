/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tickwise: an external fio engine on io_uring that stamps every I/O with the
 * CPU's counter and writes its own latency report beside fio's output.
 *
 *	ioengine=external:/path/to/tickwise.so
 *
 * Stamps: queued (the last thing in ->queue()), enter (the last read before the
 * system call that submits), seen (one read for each completion ring tail that
 * is observed). Where fio submits each I/O as it is queued, its queued stamp is
 * that last read, and two reads are all that an I/O costs.
 * fio's own statistics stay what they are with its io_uring engine: the issue
 * time is fio's clock after the submitting call, slat is counted there.
 *
 * Built against the headers of exactly the fio that loads it. fio's structures
 * differ between versions that carry the same FIO_IOOPS_VERSION, so two guards
 * stand before everything: get_ioengine() compares the version strings before
 * fio sees a structure of ours, ->init() compares a pointer that only the
 * right layout can find.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"

/* ---- options ---- */

static struct fio_option options[] = {
	{
		.name	= "tw_report",
		.lname	= "Latency report",
		.type	= FIO_OPT_STR_STORE,
		.off1	= offsetof(struct tw_options, report),
		.help	= "File of this job's latency report (default: "
			  "JOB.N.PID.tickwise.json; none: no report)",
		.category = FIO_OPT_C_ENGINE,
		.group	= FIO_OPT_G_INVALID,
	},
	{
		.name	= "tw_digits",
		.lname	= "Precision of the report",
		.type	= FIO_OPT_INT,
		.off1	= offsetof(struct tw_options, digits),
		.minval	= 1,
		.maxval	= 5,
		.def	= "3",
		.help	= "Significant digits of the latency histograms",
		.category = FIO_OPT_C_ENGINE,
		.group	= FIO_OPT_G_INVALID,
	},
	{
		.name	= NULL,
	},
};

/* ---- one I/O, from prep to event ---- */

static enum tw_direction direction_of(enum fio_ddir ddir)
{
	switch (ddir) {
	case DDIR_READ:
		return TW_READ;
	case DDIR_WRITE:
		return TW_WRITE;
	case DDIR_TRIM:
		return TW_TRIM;
	default:
		return TW_SYNC;
	}
}

static void prepare_sync(struct thread_data *td, const struct io_u *io_u,
			 struct io_uring_sqe *sqe)
{
	const struct fio_file *f = io_u->file;

	switch (io_u->ddir) {
	case DDIR_SYNC_FILE_RANGE:
		io_uring_prep_rw(IORING_OP_SYNC_FILE_RANGE, sqe, f->fd, NULL,
				 (unsigned) (f->last_write - f->first_write),
				 f->first_write);
		sqe->sync_range_flags = td->o.sync_file_range;
		break;
	case DDIR_DATASYNC:
		io_uring_prep_fsync(sqe, f->fd, IORING_FSYNC_DATASYNC);
		break;
	default:
		io_uring_prep_fsync(sqe, f->fd, 0);
		break;
	}
}

static void prepare(struct thread_data *td, struct io_u *io_u,
		    struct io_uring_sqe *sqe)
{
	int fd = io_u->file->fd;

	if (io_u->ddir == DDIR_READ)
		io_uring_prep_read(sqe, fd, io_u->xfer_buf,
				   (unsigned) io_u->xfer_buflen, io_u->offset);
	else if (io_u->ddir == DDIR_WRITE)
		io_uring_prep_write(sqe, fd, io_u->xfer_buf,
				    (unsigned) io_u->xfer_buflen, io_u->offset);
	else
		prepare_sync(td, io_u, sqe);
	/* A ring may submit from another context than the job's own thread, so
	 * the job's default priority is given with every transfer. */
	if (ddir_rw(io_u->ddir))
		sqe->ioprio = td->ioprio;
	io_uring_sqe_set_data(sqe, io_u);
}

/* Renamed in fio 3.42, which can also end it by size. */
static bool is_ramping(struct thread_data *td)
{
#ifdef TW_FIO_RAMP_PERIOD
	return ramp_period_enabled && !ramp_period_over(td);
#else
	return td->o.ramp_time && !ramp_time_over(td);
#endif
}

/*
 * Would fio count this one? It asks the same right after ->event(), which may
 * end the ramp time and reset its statistics; asking here first gives both the
 * same answer for the same I/O.
 */
static bool is_accounted(struct thread_data *td)
{
	if (is_ramping(td))
		return false;
	return td->runstate == TD_RUNNING || td->runstate == TD_VERIFYING;
}

/* A CPU whose counter is behind can make a stage negative: then it is 0. */
static uint64_t stage_ns(const struct tw_job *job, uint64_t from, uint64_t to)
{
	int64_t ns = tw_job_ns(job, from, to);

	return ns < 0 ? 0 : (uint64_t) ns;
}

static void record_waited(struct tw_job *job, enum tw_direction direction,
			  const struct tw_io *io, uint64_t seen_ticks,
			  uint64_t total_ns)
{
	tw_histogram_add(&job->record[TW_RECORD_QUEUE][direction],
			 stage_ns(job, io->queued_ticks, io->enter_ticks));
	tw_histogram_add(&job->record[TW_RECORD_INFLIGHT][direction],
			 stage_ns(job, io->enter_ticks, seen_ticks));
	/* Not the sum of the two: that would add their roundings. */
	tw_histogram_add(&job->record[TW_RECORD_TOTAL][direction], total_ns);
}

static void record(struct thread_data *td, struct tw_job *job,
		   enum tw_direction direction, const struct tw_io *io,
		   uint64_t seen_ticks)
{
	struct tw_counts *counts = &job->counts[direction];
	int64_t total_ns;

	if (!is_accounted(td)) {
		counts->unaccounted++;
		return;
	}
	total_ns = tw_job_ns(job, io->queued_ticks, seen_ticks);
	if (tw_unlikely(total_ns < 0)) {
		counts->backwards++;
		return;
	}
	if (tw_unlikely(!job->first_ticks))
		job->first_ticks = io->queued_ticks;
	job->last_ticks = seen_ticks;
	counts->recorded++;
	if (io->queued_ticks == io->enter_ticks)
		tw_histogram_add(&job->record[TW_RECORD_AT_ONCE][direction],
				 (uint64_t) total_ns);
	else
		record_waited(job, direction, io, seen_ticks,
			      (uint64_t) total_ns);
}

static struct io_u *tickwise_event(struct thread_data *td, int event)
{
	struct tw_job *job = td->io_ops_data;
	const struct tw_done *done = &job->done[event];
	struct io_u *io_u = done->io_u;
	enum tw_direction direction = direction_of(io_u->ddir);
	uint64_t wanted = ddir_sync(io_u->ddir) ? 0 : io_u->xfer_buflen;

	io_u->error = 0;
	if (done->result < 0) {
		io_u->error = (unsigned) -done->result;
		job->counts[direction].errors++;
		return io_u;
	}
	if ((uint64_t) done->result < wanted) {
		io_u->resid = wanted - (uint64_t) done->result;
		/* fio sends the rest again and counts only that; nothing at
		 * all it counts as it is. */
		if (done->result > 0 && io_u->offset + (uint64_t) done->result <
		    io_u->file->real_file_size) {
			job->counts[direction].shorts++;
			return io_u;
		}
	}
	record(td, job, direction, &job->io[io_u->index], done->seen_ticks);
	return io_u;
}

/*
 * Move what the ring shows to job->done, up to @room. A stamp is taken once
 * for every tail observed; entries left over from a tail seen earlier keep
 * its stamp.
 */
static unsigned reap(struct tw_job *job, struct tw_done *done, unsigned room)
{
	struct io_uring_cq *cq = &job->ring.cq;
	unsigned head = *cq->khead;
	unsigned reaped = 0;

	while (reaped < room) {
		const struct io_uring_cqe *cqe;

		if (head == job->seen_tail) {
			unsigned tail = io_uring_smp_load_acquire(cq->ktail);

			if (tail == head)
				break;
			job->seen_ticks = tw_job_stamp(job);
			job->seen_tail = tail;
			job->tails++;
			if (tail - head > job->largest_tail)
				job->largest_tail = tail - head;
		}
		cqe = &cq->cqes[head & cq->ring_mask];
		done[reaped++] = (struct tw_done) {
			.io_u = io_uring_cqe_get_data(cqe),
			.seen_ticks = job->seen_ticks,
			.result = cqe->res,
		};
		head++;
	}
	if (reaped)
		io_uring_smp_store_release(cq->khead, head);
	return reaped;
}

static int tickwise_getevents(struct thread_data *td, unsigned int min,
			      unsigned int max, const struct timespec *t)
{
	struct tw_job *job = td->io_ops_data;
	unsigned wait = td->o.iodepth_batch_complete_min == 0 ? 0 : min;
	unsigned events = 0;

	if (max > job->entries)
		max = job->entries;
	for (;;) {
		unsigned got = reap(job, job->done + events, max - events);
		int ret;

		events += got;
		if (events >= min || events == max)
			return (int) events;
		if (got) {
			wait = wait > got ? wait - got : 0;
			continue;
		}
		ret = io_uring_enter((unsigned) job->ring.ring_fd, 0, wait,
				     IORING_ENTER_GETEVENTS, NULL);
		if (ret < 0 && ret != -EINTR && ret != -EAGAIN) {
			td_verror(td, -ret, "io_uring_enter");
			return ret;
		}
	}
}

static struct io_u **pending_at(struct tw_job *job, unsigned place)
{
	return &job->pending[place & (job->entries - 1)];
}

static enum fio_q_status trim(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	struct tw_io io;

	/* fio's engines trim synchronously, and only with nothing queued. */
	if (job->pending_tail != job->pending_head)
		return FIO_Q_BUSY;
	io.queued_ticks = io.enter_ticks = tw_job_stamp(job);
	do_io_u_trim(td, io_u);
	if (io_u->error)
		job->counts[TW_TRIM].errors++;
	else
		record(td, job, TW_TRIM, &io, tw_job_stamp(job));
	io_u_mark_submit(td, 1);
	io_u_mark_complete(td, 1);
	return FIO_Q_COMPLETED;
}

static enum fio_q_status tickwise_queue(struct thread_data *td,
					struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	struct io_uring_sq *sq = &job->ring.sq;
	uint64_t queued_ticks;

	fio_ro_check(td, io_u);

	if (io_u->ddir == DDIR_TRIM)
		return trim(td, io_u);
	if (job->pending_tail - job->pending_head == job->entries)
		return FIO_Q_BUSY;
	/* Pending entries and the ring's are the same, one for one. */
	prepare(td, io_u, &sq->sqes[job->pending_tail & sq->ring_mask]);
	*pending_at(job, job->pending_tail++) = io_u;
	job->submits_next = td->io_u_queued + 1 >= td->o.iodepth_batch;
	queued_ticks = tw_job_stamp(job);
	job->queued_ticks = queued_ticks;
	job->io[io_u->index].queued_ticks = queued_ticks;
	return FIO_Q_QUEUED;
}

/* fio's clock for what the kernel has just taken, and its slat. */
static void issued(struct thread_data *td, struct tw_job *job, unsigned count)
{
	struct timespec now;
	unsigned i;

	if (fio_fill_issue_time(td)) {
		fio_gettime(&now, NULL);
		for (i = 0; i < count; i++) {
			struct io_u *io_u =
				*pending_at(job, job->pending_head + i);

			io_u->issue_time = now;
			io_u_queued(td, io_u);
		}
		/* Only a replayed log looks at it. */
		if (td->o.read_iolog_file)
			td->last_issue = now;
	}
	job->pending_head += count;
}

/* Everything pending enters the kernel at the same moment. */
static void stamp_enter(struct tw_job *job, uint64_t enter_ticks)
{
	unsigned place;

	for (place = job->pending_head; place != job->pending_tail; place++)
		job->io[(*pending_at(job, place))->index].enter_ticks =
			enter_ticks;
}

static int tickwise_commit(struct thread_data *td)
{
	struct tw_job *job = td->io_ops_data;

	while (job->pending_head != job->pending_tail) {
		unsigned count = job->pending_tail - job->pending_head;
		int ret;

		stamp_enter(job, job->submits_next ? job->queued_ticks :
						     tw_job_stamp(job));
		job->submits_next = 0;
		job->enters++;
		io_uring_smp_store_release(job->ring.sq.ktail,
					   job->pending_tail);
		ret = io_uring_enter((unsigned) job->ring.ring_fd, count, 0,
				     IORING_ENTER_GETEVENTS, NULL);
		if (ret >= 0) {
			issued(td, job, (unsigned) ret);
			io_u_mark_submit(td, (unsigned) ret);
		} else if (ret == -EAGAIN || ret == -EBUSY) {
			usleep(1);
		} else if (ret != -EINTR) {
			td_verror(td, -ret, "io_uring_enter submit");
			return ret;
		}
	}
	return 0;
}

/* ---- a job, from init to cleanup ---- */

static struct ioengine_ops tickwise;

/* Only the headers of this very fio find our structure at this place in td. */
static bool has_our_layout(const struct thread_data *td)
{
	return td->io_ops == &tickwise;
}

static unsigned power_of_two_from(unsigned depth)
{
	unsigned power = 1;

	while (power < depth && power < 1U << 31)
		power <<= 1;
	return power;
}

static int tickwise_init(struct thread_data *td)
{
	const struct tw_options *o;
	struct tw_job *job;
	unsigned kind, direction;

	if (!has_our_layout(td)) {
		fprintf(stderr, "tickwise: built for the structures of %s, "
			"which are not those of this %s: build it again "
			"with FIO_SRC= naming this fio's own source\n",
			TW_FIO_VERSION, fio_version_string);
		return 1;
	}
	o = td->eo;
	job = calloc(1, sizeof(*job));
	if (!job)
		goto no_memory;
	td->io_ops_data = job;
	job->entries = power_of_two_from(td->o.iodepth);
	job->io = calloc(job->entries, sizeof(*job->io));
	job->pending = calloc(job->entries, sizeof(*job->pending));
	job->done = calloc(job->entries, sizeof(*job->done));
	if (!job->io || !job->pending || !job->done)
		goto no_memory;
	for (kind = 0; kind < TW_RECORDS; kind++)
		for (direction = 0; direction < TW_DIRECTIONS; direction++)
			if (tw_histogram_init(&job->record[kind][direction],
					      o->digits))
				goto no_memory;
	job->timing = tw_timing_of_process();
	job->system = job->timing->clock.system;
	return 0;
no_memory:
	fprintf(stderr, "tickwise: not enough memory for iodepth=%u\n",
		td->o.iodepth);
	td_verror(td, ENOMEM, "tickwise init");
	return 1;
}

/* The flags of fio's own engine, given up one by one on older kernels. */
static int set_up_ring(struct tw_job *job)
{
	static const unsigned attempts[] = {
		IORING_SETUP_CQSIZE | IORING_SETUP_COOP_TASKRUN |
			IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_CQSIZE | IORING_SETUP_COOP_TASKRUN,
		IORING_SETUP_CQSIZE,
		0,
	};
	int ret = -EINVAL;
	unsigned i;

	for (i = 0; i < FIO_ARRAY_SIZE(attempts) && ret == -EINVAL; i++) {
		struct io_uring_params params = {
			.flags = attempts[i],
			.cq_entries = job->entries,
		};

		ret = io_uring_queue_init_params(job->entries, &job->ring,
						 &params);
	}
	return ret;
}

static const char *ring_failure(int error)
{
	switch (error) {
	case ENOSYS:
		return "this kernel has no io_uring, or a filter hides it";
	case EPERM:
	case EACCES:
		return "io_uring is forbidden here (sysctl "
		       "kernel.io_uring_disabled, or a container's filter)";
	case EOPNOTSUPP:
		return "this kernel's io_uring has no plain read and write "
		       "(Linux 5.6 has)";
	case ENOMEM:
		return "not enough memory for the ring (ulimit -l, on "
		       "older kernels)";
	case EINVAL:
		return "the kernel refuses the ring (iodepth too large?)";
	case EMFILE:
	case ENFILE:
		return "no file descriptor left for the ring";
	default:
		return strerror(error);
	}
}

/* A ring of one entry, thrown away: can this process have one at all? */
static int try_ring(void)
{
	struct io_uring_probe *probe;
	struct io_uring ring;
	int ret;

	ret = io_uring_queue_init(1, &ring, 0);
	if (ret)
		return ret;
	probe = io_uring_get_probe_ring(&ring);
	if (!probe || !io_uring_opcode_supported(probe, IORING_OP_READ) ||
	    !io_uring_opcode_supported(probe, IORING_OP_WRITE))
		ret = -EOPNOTSUPP;
	io_uring_free_probe(probe);
	io_uring_queue_exit(&ring);
	return ret;
}

static int refuse(struct thread_data *td, int error)
{
	fprintf(stderr, "tickwise: %s: %s\n", td->o.name, ring_failure(error));
	td_verror(td, error, "io_uring_setup");
	return 1;
}

static int tickwise_post_init(struct thread_data *td)
{
	struct tw_job *job = td->io_ops_data;
	struct timespec now;
	unsigned i;
	int ret;

	ret = set_up_ring(job);
	if (ret)
		return refuse(td, -ret);
	job->ring_ready = 1;
	/* The submission ring points at entries; ours stay in their order.
	 * Newer libraries set the ring up without these pointers. */
	for (i = 0; job->ring.sq.array && i < job->entries; i++)
		job->ring.sq.array[i] = i;
	clock_gettime(CLOCK_REALTIME, &now);
	job->start_realtime_ns = (uint64_t) now.tv_sec * TW_NS_PER_SECOND +
				 (uint64_t) now.tv_nsec;
	tw_moment_take(job, &job->start);
	job->started = 1;
	return 0;
}

static int tickwise_io_u_init(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;

	/* fio numbers them; another layout of io_u would show here. */
	if (io_u->index != job->io_us++) {
		fprintf(stderr, "tickwise: %s lays out its io_u unlike the "
			"source this was built from\n", fio_version_string);
		return 1;
	}
	return 0;
}

static void tickwise_cleanup(struct thread_data *td)
{
	struct tw_job *job = td->io_ops_data;
	unsigned kind, direction;
	int ret;

	/* fio cleans up after a refusal too; then td is not what we think. */
	if (!has_our_layout(td) || !job)
		return;
	if (job->started) {
		ret = tw_report_write(td, job);
		if (ret && !td->error)
			td_verror(td, -ret, "tickwise report");
	}
	if (job->ring_ready && !(td->flags & TD_F_CHILD))
		io_uring_queue_exit(&job->ring);
	for (kind = 0; kind < TW_RECORDS; kind++)
		for (direction = 0; direction < TW_DIRECTIONS; direction++)
			tw_histogram_free(&job->record[kind][direction]);
	free(job->done);
	free(job->pending);
	free(job->io);
	free(job);
	td->io_ops_data = NULL;
}

/*
 * fio asks for sizes in the parent, before it lays files out and starts its
 * jobs: the place to refuse what can't work while nothing has been written,
 * and to calibrate once for all jobs.
 */
static int tickwise_get_file_size(struct thread_data *td, struct fio_file *f)
{
	int ret;

	if (has_our_layout(td)) {
		ret = try_ring();
		if (ret)
			return refuse(td, -ret);
		tw_timing_of_process();
	}
	return generic_get_file_size(td, f);
}

static struct ioengine_ops tickwise = {
	.name			= "tickwise",
	.version		= FIO_IOOPS_VERSION,
	.flags			= FIO_ASYNCIO_SYNC_TRIM | FIO_NO_OFFLOAD |
					FIO_ASYNCIO_SETS_ISSUE_TIME,
	.init			= tickwise_init,
	.post_init		= tickwise_post_init,
	.io_u_init		= tickwise_io_u_init,
	.queue			= tickwise_queue,
	.commit			= tickwise_commit,
	.getevents		= tickwise_getevents,
	.event			= tickwise_event,
	.cleanup		= tickwise_cleanup,
	.open_file		= generic_open_file,
	.close_file		= generic_close_file,
	.get_file_size		= tickwise_get_file_size,
	.options		= options,
	.option_struct_size	= sizeof(struct tw_options),
};

/*
 * What fio calls when a library has no symbol `ioengine`. The detour is the
 * point: here the version can be compared while fio holds nothing of ours, and
 * a refusal is an engine that is not there.
 */
__attribute__((visibility("default")))
void get_ioengine(struct ioengine_ops **ops);

void get_ioengine(struct ioengine_ops **ops)
{
	if (strcmp(fio_version_string, TW_FIO_VERSION) != 0) {
		fprintf(stderr, "tickwise: built for %s, loaded into %s: "
			"refused. Build it for this one with make FIO=... or "
			"FIO_SRC=...\n", TW_FIO_VERSION, fio_version_string);
		*ops = NULL;
		return;
	}
	*ops = &tickwise;
}
