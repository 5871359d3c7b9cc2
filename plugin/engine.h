/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the engine share: the state of a job, the stamps of its I/Os, and
 * the clock that all jobs of one fio process share.
 */
#ifndef TW_PLUGIN_ENGINE_H
#define TW_PLUGIN_ENGINE_H

#include <liburing.h>

#include "fio.h"
#include "filling.h"
#include "io_times.h"
#include "kernel/causes.h"
#include "kernel/stages.h"
#include "kernel_why.h"
#include "options.h"
#include "patched_fio.h"
#include "collect/slowest.h"
#include "tickwise.h"
#include "timing.h"
#include "trigger.h"

/* One of the slowest I/Os. */
struct tw_slow_io {
	struct tw_slow slow;	/* lat_ns */
	struct tw_io_times times;
	struct tw_io io;
	struct tw_why why;		/* with tw_causes=1 */
	uint64_t offset;
	uint64_t size;
	enum tw_direction direction;
};

/*
 * The bounds of a clock's offset from the counter's own time at one moment. They are
 * the intersection of what some hundred brackets allow.
 */
struct tw_offset {
	int64_t low_ns;
	int64_t high_ns;
};

struct tw_moment {
	uint64_t ticks;
	struct tw_offset raw;
	struct tw_offset monotonic;
	struct tw_offset fio;
};

/* A system call in place of an operation of the ring. */
typedef int tw_call(struct thread_data *td, struct io_u *io_u);

/* In place of a time: there is none. */
#define TW_NO_TIME	UINT64_MAX

struct tw_response;
struct tw_finished;
struct tw_extra;
struct tw_intervals;
struct tw_report;
struct tw_devices;
struct tw_facts;

struct tw_job {
	/* The path of an I/O. */
	struct tw_io *io;		/* by io_u->index, like the next two */
	struct io_u **by_index;
	struct iovec *iovecs;		/* NULL: not vectored */
	struct io_uring ring;
	unsigned entry_shift;		/* 1: entries have the double size */
	unsigned enter_flags;		/* of each io_uring_enter() */
	unsigned getevents_flags;	/* of the calls that find completions */
	unsigned entries;		/* of the submission ring */
	unsigned sq_tail;		/* of the submission ring */
	unsigned queued;		/* before the tail, not yet submitted */
	unsigned seen_tail;		/* completions before it have a stamp */
	unsigned events_at;		/* first completion of the last getevents() */
	uint64_t returned_ticks;	/* when the last getevents() returned */
	uint32_t generation;		/* of the newest key: see tw_prep_entry() */
	struct tw_kernel kernel;	/* stamps of the kernel */
	struct tw_trigger trigger;	/* the kernel's trace of a slow I/O */
	struct tw_follow follow;	/* events of this thread: tw_causes=1 */

	/* What the job asks for. */
	const struct tw_timing *timing;
	bool system;			/* stamps are ns of the system clock */
	bool stages;			/* false: only lat */
	bool event_time;		/* fio gets the end of each I/O */
	bool event_wait;		/* one completion at a time */
	bool test_nop;			/* transfers that move nothing */
	bool direct;			/* not through the page cache */
	bool polled_submission;		/* a thread of the kernel submits */
	bool async_trim;
	bool fixed_files;
	bool fixed_buffers;
	__u8 opcode[2];			/* of reads and writes */
	__u16 ioprio;
	__u32 rw_flags[2];
	unsigned force_async;		/* every Nth I/O; 0: none */
	unsigned since_async;		/* I/Os prepared since the last such I/O */
	struct cmdprio cmdprio;
	struct tw_response *response;	/* response.h; NULL: no rate */
	uint64_t returned_fio_ns;	/* event_time, with a patched fio */
	uint64_t residual_ns;		/* event_time.h, for the next I/O; or TW_NO_TIME */

	/* What is counted until the next settle (record.h). */
	struct tw_finished *finished;
	struct tw_extra *extra;		/* by place in @finished; NULL: none */
	unsigned finished_count;
	bool has_pending;		/* some of @pending is not 0 */
	struct tw_counts pending[TW_DIRECTIONS];
	uint64_t enters;
	uint64_t batches;		/* of completions that share a stamp */
	uint64_t largest_batch;

	/* What is recorded. Only a settle changes it. */
	struct tw_filling filling;
	int64_t settle_ticks;		/* record at once from this lat on */
	uint64_t settled_ticks;		/* the last I/O of the last settle was returned */
	uint64_t settle_after_ticks;	/* settle if so much time passed since then */
	uint64_t min_lat_ns;		/* 1; 0 if the clock is coarse */
	struct tw_slowest slowest;	/* of struct tw_slow_io */
	struct tw_devices *devices;	/* devices.h; NULL: one device */
	struct tw_join join;		/* CLOCK_MONOTONIC and the engine's stamps */

	/* From the job's beginning to its end. */
	bool ring_ready;
	bool started;			/* start is set: the job has begun */
	struct tw_moment start;
	uint64_t start_realtime_ns;
	struct tw_cpu_list cpus;	/* where the job might run when it began */
	struct tw_range *ranges;	/* of trims as commands, by index */
	int *files;			/* registered, by fio_file's engine_pos */
	unsigned files_open;
	unsigned io_us;			/* initialised so far */
	struct tw_intervals *intervals;	/* interval.h; NULL: none */
	struct tw_files *where;		/* files.h */
	struct tw_facts *facts;		/* facts.h; NULL: no memory */
};

static inline uint64_t tw_job_stamp(const struct tw_job *job)
{
	if (tw__unlikely(job->system))
		return tw_clock_ns(&job->timing->clock);
	return tw_ticks();
}

static inline double tw_job_ticks_per_ns(const struct tw_job *job)
{
	return job->system ? 1 :
		job->timing->clock.scale.hz / (double) TW_NS_PER_SECOND;
}

static inline int64_t tw_job_ns(const struct tw_job *job, uint64_t from,
				uint64_t to)
{
	return tw_span_ns(&job->timing->clock.scale, job->system, from, to);
}

/* Return the direction of @ddir. Reads, writes and trims have fio's own numbers; all
 * of fio's syncs are one direction. */
static inline enum tw_direction tw_direction_of(enum fio_ddir ddir)
{
	compiletime_assert((int) TW_READ == DDIR_READ &&
			   (int) TW_WRITE == DDIR_WRITE &&
			   (int) TW_TRIM == DDIR_TRIM, "directions of fio");
	return ddir < DDIR_SYNC ? (enum tw_direction) ddir : TW_SYNC;
}

/* Return the counts of an I/O's direction that the next settle takes. */
static inline struct tw_counts *tw_pending(struct tw_job *job,
					   const struct io_u *io_u)
{
	job->has_pending = true;
	return &job->pending[tw_direction_of(io_u->ddir)];
}

/* Flags that not every fio has (see fio-features.sh). */
#ifdef TW_FIO_SYNCFS
#define TW_SYNCFS_FLAG	FIO_ASYNCIO_SYNC_SYNCFS
#else
#define TW_SYNCFS_FLAG	0
#endif
#ifdef TW_FIO_ATOMIC
#define TW_ATOMIC_FLAG	FIO_ATOMICWRITES
#else
#define TW_ATOMIC_FLAG	0
#endif

/* tickwise.c or command.c: which engine this library is. */
extern const bool tw_engine_commands;

/* engine.c: fio's hooks, and the parts from which command.c makes its own hooks */
int tw_prep(struct thread_data *td, struct io_u *io_u);
enum fio_q_status tw_queue(struct thread_data *td, struct io_u *io_u);
int tw_commit(struct thread_data *td);
int tw_getevents(struct thread_data *td, unsigned min, unsigned max,
		 const struct timespec *t);
struct io_u *tw_event(struct thread_data *td, int event);
struct io_uring_sqe *tw_prep_entry(struct tw_job *job, const struct io_u *io_u);
void tw_prep_done(struct thread_data *td, struct tw_job *job,
		  const struct io_u *io_u);
enum fio_q_status tw_requeue(struct tw_job *job, const struct io_u *io_u);
enum fio_q_status tw_queue_call(struct thread_data *td, struct io_u *io_u,
				tw_call *call);
enum fio_q_status tw_queue_entry(struct thread_data *td, struct io_u *io_u);
struct io_u *tw_event_at(const struct tw_job *job, int event, int *result);
void tw_event_done(struct thread_data *td, struct tw_job *job,
		   struct io_u *io_u, int event);

/* job.c: fio's hooks. tw_try() logs why a ring can't be made. */
int tw_init(struct thread_data *td);
int tw_post_init(struct thread_data *td);
int tw_io_u_init(struct thread_data *td, struct io_u *io_u);
void tw_cleanup(struct thread_data *td);
int tw_open_file(struct thread_data *td, struct fio_file *f);
int tw_close_file(struct thread_data *td, struct fio_file *f);
int tw_try(struct thread_data *td);
unsigned tw_power_of_two_from(unsigned depth);

/* ring.c: return 0 or -errno. tw_ring_set_up() and tw_ring_register() log why. */
int tw_ring_try(void);
int tw_ring_set_up(struct thread_data *td, struct tw_job *job);
int tw_ring_register(struct thread_data *td, struct tw_job *job);
void tw_ring_tear_down(struct tw_job *job);
const char *tw_ring_failure(int error);

/* moment.c */
void tw_moment_take(const struct tw_job *job, struct tw_moment *moment);

/* report.c: return CLOCK_MONOTONIC at @ticks, by the moments of the job's start and
 * its @end. */
uint64_t tw_moment_monotonic_ns(const struct tw_job *job,
				const struct tw_moment *end, uint64_t ticks);

/* report.c: set the facts: the job itself, the machine, its files and devices. @of: what
 * the job has recorded. @devices: the same by device; NULL: nothing. The caller frees
 * @report, also after an error. Return 0 or -ENOMEM; ask tw_json_lacked_memory(), too. */
int tw_report_begin(struct thread_data *td, const struct tw_job *job,
		    const struct tw_filled *of, struct tw_devices *devices,
		    struct tw_report *report);

/* Set from when to when the job did the I/Os, in ns since its start and in ns. Return
 * false if there are none. */
bool tw_report_run(const struct tw_job *job, const struct tw_filled *of,
		   uint64_t *first_ns, uint64_t *run_ns);

/* Write the report of a job that is over. Its tally is complete, unless @error is an
 * errno below 0. Return 0 or -errno, which is logged. */
int tw_report_write(struct thread_data *td, struct tw_job *job, int error);

#endif
