/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the engine share: a job's state, the stamps of its I/Os,
 * and the clock that all jobs of one fio process have in common.
 */
#ifndef TW_PLUGIN_ENGINE_H
#define TW_PLUGIN_ENGINE_H

#include <liburing.h>

#include "fio.h"
#ifdef TW_FIO_VERIFY_FSYNCED
#include "verify.h"
#endif
#include "options.h"
#include "patched_fio.h"
#include "slowest.h"
#include "stage_times.h"
#include "tally.h"
#include "tickwise.h"
#include "timing.h"
#include "windows.h"

#define tw_likely(x)	__builtin_expect(!!(x), 1)

/*
 * What is recorded. An I/O that is submitted by the very call that queued it
 * has no queue stage, and its inflight is its total; if it is there when that
 * call is over, so is the time in the call: one histogram instead of three or
 * four. Those that waited for others in the ring are kept apart and added when
 * the report is written.
 */
enum tw_record {
	TW_RECORD_INSIDE,	/* queued = entered, to seen = the call is over */
	TW_RECORD_AT_ONCE,	/* queued = entered, to seen in the ring */
	TW_RECORD_QUEUE,	/* waited: queued to entering the kernel */
	TW_RECORD_INFLIGHT,	/* waited: entering the kernel to seen */
	TW_RECORD_TOTAL,	/* the same, or without stages: queued to seen */
	TW_RECORD_ENTER,	/* inside the system call that submitted it */
	TW_RECORD_RETURN,	/* seen to given to fio, where that is not at once */
	TW_RECORDS,
};

enum tw_direction {
	TW_READ,
	TW_WRITE,
	TW_TRIM,
	TW_SYNC,
	TW_DIRECTIONS,
};

/* What is kept of a slow one. */
struct tw_slow_io {
	struct tw_slow slow;	/* total_ns */
	struct tw_io io;
	uint64_t seen_ticks;
	uint64_t returned_ticks;
	uint64_t offset;
	uint64_t size;
	uint64_t direction;
};

/* A completion that is handed to fio. */
struct tw_done {
	struct io_u *io_u;
	uint64_t seen_ticks;
	int32_t result;
	bool returns_late;	/* not as soon as it was seen */
};

#define TW_BATCH	128
#define TW_CACHE_LINE	64

/* What is left of I/Os of one direction until they are recorded: record.h. A
 * line more for each list, as ones that lie a multiple of 4096 bytes apart get
 * into each other's way in the cache. */
struct tw_batch {
	uint64_t *ends[TW_RECORDS];	/* of the lists */
	uint64_t ticks[TW_RECORDS][TW_BATCH + TW_CACHE_LINE / 8];
} __attribute__((aligned(TW_CACHE_LINE)));

struct tw_counts {
	uint64_t recorded;
	uint64_t errors;
	uint64_t shorts;	/* less than asked for, not at the file's end */
	uint64_t empty;		/* recorded, but they moved nothing */
	uint64_t requeues;	/* refused by ->queue(): fio comes again */
	uint64_t unaccounted;	/* fio did not count it: ramp time */
	uint64_t backwards;	/* the later stamp was no later: not recorded */
};

/*
 * One moment on three clocks. Each is known as an offset from the counter's
 * own time that lies between low and high: the intersection of what some
 * hundred brackets allow.
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

/* fio's clock where it was last read, and how long that is good for. */
struct tw_issue {
	uint64_t from_ticks;
	uint64_t follow_ticks;	/* 0: not at all */
	uint64_t ns_per_tick;	/* times 2^32 */
	tw_fio_time from;
};

/* So many submissions look for completions after the first one that should have
 * (see submit.c), twice as many after each other, and at most so many. */
#define TW_LOOKS_FIRST	256
#define TW_LOOKS_MOST	(1U << 20)

struct tw_job;
struct tw_response;

/* Makes a command of the I/O in an entry of double size; 0 or -errno. */
typedef int tw_fill(struct thread_data *td, struct tw_job *job,
		    struct io_u *io_u, struct io_uring_sqe *sqe);

/* Flushes and waits for it; as fio's do_io_u_sync(). */
typedef int tw_sync(const struct thread_data *td, struct io_u *io_u);

struct tw_job {
	/*
	 * What every I/O comes by that is done inside of its call, together and
	 * about in its order: between two of them the kernel and fio fill the
	 * caches with what is theirs. Of the ring, what does not change is here
	 * a second time.
	 */
	struct io_uring_sqe *sqes;
	struct tw_io *io;	/* by io_u->index */
	unsigned *sq_tail;
	unsigned *cq_tail;
	unsigned sq_mask;
	unsigned pending_head;	/* queued: places in the submission ring, */
	unsigned pending_tail;	/* whose entries know their io_u */
	/* How io_uring_enter() is told of the ring, and always. */
	unsigned enter_fd;
	unsigned enter_flags;
	unsigned wait_flags;	/* of a call that waits or looks */
	bool usual;		/* nothing of what only some jobs want: then the
				 * tests for it are left out of every path */
	bool stages;		/* else only total */
	bool submits_next;	/* fio commits right after this ->queue() */
	bool shares_counter;	/* fio's clock is the counter, too */
	__u8 opcode[2];		/* of the models */
	bool one_at_a_time;	/* iodepth=1 */
	bool special;		/* options that the model alone can't hold */

	uint64_t queued_ticks;	/* of the newest one pending */
	uint64_t *seen;		/* stamps, by place in the completion ring */
	uint64_t seen_ticks;	/* the newest of them */
	unsigned *cq_head;
	struct io_uring_cqe *cqes;
	unsigned cq_mask;
	unsigned seen_tail;	/* completions up to here have a stamp */
	unsigned asked_for;	/* place of the one that fio was asking for when
				 * it was seen; seen_tail: there was none */
	unsigned events_at;	/* place of the last getevents()'s first */
	unsigned taken;		/* by the last getevents() */
	unsigned looks;		/* the next so many submissions look for
				 * completions */

	struct tw_issue issue;
	uint64_t enters;
	uint64_t tails;
	uint64_t largest_tail;
	uint64_t least_total_ticks;	/* 1 ns: no I/O takes no time; 0: with a
					 * coarse clock some do */
	uint64_t odd_ticks;	/* a total so far above the least one is looked
				 * at: one of the slowest, below the least, or
				 * the first */
	uint64_t last_ticks;	/* stamp of the last recorded */
	struct tw_windows over_time;	/* total, by tw_direction */

	unsigned entries;	/* iodepth, or the next power of two */
	unsigned settled_head;	/* pending_head when it last settled to wait */
	struct tw_response *response;	/* response.h; NULL: no rate */
	const struct tw_timing *timing;
	uint64_t first_ticks;	/* stamp of the first recorded */
	bool always_looks;	/* every submission looks for completions */
	bool polled_submission;	/* a kernel thread looks at the tail */
	bool event_time;	/* fio's numbers get each event's own time */
	bool event_wait;	/* one completion at a time */
	bool system;		/* stamps are ns of the system clock */
	/* What is the same in every read and in every write. */
	struct io_uring_sqe model[2] __attribute__((aligned(TW_CACHE_LINE)));
	struct tw_batch batch[TW_DIRECTIONS];

	struct io_uring ring;
	int ring_ready;
	unsigned slots;		/* asked for in the submission ring */
	unsigned entry_shift;	/* 1 where entries have the double size */
	unsigned looks_next;	/* looks, when they have to again */
	tw_fill *fill;		/* passthrough, NULL: reads and writes */
	struct tw_range *ranges;	/* of trims as commands, by index */
	bool fixed_files;
	bool fixed_buffers;
	bool async_trim;
	unsigned force_async;	/* every Nth, 0: none */
	unsigned prepared;	/* since the last of those */
	struct iovec *iovecs;	/* by io_u->index; NULL: not vectored */
	struct cmdprio cmdprio;
	int *files;		/* registered, by fio_file's engine_pos */
	unsigned files_open;
	struct io_u **by_index;
	bool test_nop;		/* transfers that move nothing */
	uint64_t taken_ticks;	/* with event_time: when it returned */
	uint64_t taken_fio_ns;	/* the same by the clock of a patched fio */
	unsigned io_us;		/* initialised so far */

	struct tw_histogram record[TW_RECORDS][TW_DIRECTIONS];
	struct tw_tally tally[TW_RECORDS][TW_DIRECTIONS];	/* of those */
	struct tw_slowest slowest;	/* of struct tw_slow_io */
	struct tw_histogram residual;	/* event_time: see event_time.h */
	struct tw_counts counts[TW_DIRECTIONS];
	uint64_t negative_stages;	/* of I/Os that were recorded */
	uint64_t start_realtime_ns;
	struct tw_moment start;
	int started;		/* start is set: the job has begun */
	struct tw_cpu_list cpus;	/* that it may run on, when it began */
};

_Static_assert(offsetof(struct tw_job, over_time.edge) <
	       4 * TW_CACHE_LINE, "what every I/O comes by, in four lines");

/* One stamp. Inlined into every path; the branch is always taken alike. */
static inline uint64_t tw_job_stamp(const struct tw_job *job)
{
	if (tw_unlikely(job->system))
		return tw_clock_ns(&job->timing->clock);
	return tw_ticks();
}

/* In a path that may know that it is the usual one, which has the counter. */
static inline uint64_t tw_path_stamp(const struct tw_job *job, bool usual)
{
	return usual ? tw_ticks() : tw_job_stamp(job);
}

static inline double tw_job_ticks_per_ns(const struct tw_job *job)
{
	return job->system ? 1 :
		job->timing->clock.rate.hz / (double) TW_NS_PER_SECOND;
}

static inline int64_t tw_job_ns(const struct tw_job *job, uint64_t from,
				uint64_t to)
{
	return tw_span_ns(&job->timing->clock.scale, job->system, from, to);
}

/* job->ring is set up. */
static inline void tw_job_has_ring(struct tw_job *job)
{
	job->sqes = job->ring.sq.sqes;
	job->sq_tail = job->ring.sq.ktail;
	job->sq_mask = job->ring.sq.ring_mask;
	job->cqes = job->ring.cq.cqes;
	job->cq_head = job->ring.cq.khead;
	job->cq_tail = job->ring.cq.ktail;
	job->cq_mask = job->ring.cq.ring_mask;
}

/*
 * Places in the completion ring. The kernel makes sure of those that are free up to
 * the ring's end, and does it anew when they are used up. Twice as many as can be
 * taken are always enough for a long stretch, but not where they are few: with two,
 * every second completion would cost it that, 1 % of a read from the page cache;
 * with 8 it is hard to see, and 64 are still only sixteen cache lines.
 */
#define TW_PLACES_LEAST	64U

static inline unsigned tw_job_places(const struct tw_job *job)
{
	return max(2 * job->entries, TW_PLACES_LEAST);
}

/* Completions up to @tail are in the ring, some of them without a stamp, as was
 * seen before @ticks. @late: fio is not asking for them. */
static inline void tw_job_saw(struct tw_job *job, unsigned tail,
			      uint64_t ticks, bool late)
{
	const unsigned count = tail - job->seen_tail;
	unsigned place = job->seen_tail;

	/* Whether it goes to fio as soon as that is only asked of one that is
	 * taken alone, and then it is the first that was found. */
	job->asked_for = late ? tail : place;
	do
		job->seen[place++ & job->cq_mask] = ticks;
	while (tw_unlikely(place != tail));
	job->seen_tail = tail;
	job->seen_ticks = ticks;
	job->tails++;
	if (count > job->largest_tail)
		job->largest_tail = count;
}

/* The first three are fio's own numbers, all of its syncs are one. */
static inline enum tw_direction tw_direction_of(enum fio_ddir ddir)
{
	compiletime_assert((int) TW_READ == DDIR_READ &&
			   (int) TW_WRITE == DDIR_WRITE &&
			   (int) TW_TRIM == DDIR_TRIM, "directions of fio");
	return ddir < DDIR_SYNC ? (enum tw_direction) ddir : TW_SYNC;
}

/* What not every fio has (see fio-features.sh). */
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

/* tickwise.c or command.c: which engine this library is (and guards.h) */
extern tw_fill *const tw_engine_fill;
extern tw_sync *const tw_engine_sync;

/* job.c: fio's hooks; tw_try() says on stderr why there can't be a ring. */
int tw_init(struct thread_data *td);
int tw_post_init(struct thread_data *td);
int tw_io_u_init(struct thread_data *td, struct io_u *io_u);
void tw_cleanup(struct thread_data *td);
int tw_open_file(struct thread_data *td, struct fio_file *f);
int tw_close_file(struct thread_data *td, struct fio_file *f);
int tw_try(struct thread_data *td);

/* submit.c */
enum fio_q_status tw_queue(struct thread_data *td, struct io_u *io_u);
enum fio_q_status tw_queue_command(struct thread_data *td, struct io_u *io_u);
int tw_commit(struct thread_data *td);

/* complete.c */
int tw_getevents(struct thread_data *td, unsigned min, unsigned max,
		 const struct timespec *t);
struct io_u *tw_event(struct thread_data *td, int event);
struct io_u *tw_event_command(struct thread_data *td, int event);

/* ring.c: 0 or -errno; the second and third with a line on stderr. */
int tw_ring_try(void);
int tw_ring_set_up(struct thread_data *td, struct tw_job *job);
int tw_ring_register(struct thread_data *td, struct tw_job *job);
void tw_ring_tear_down(struct tw_job *job);
const char *tw_ring_failure(int error);

/* moment.c */
void tw_moment_take(const struct tw_job *job, struct tw_moment *moment);

/* report.c: 0 or -errno, with a line on stderr. */
extern const char *const tw_direction_names[TW_DIRECTIONS];
int tw_report_write(struct thread_data *td, struct tw_job *job);

#endif
