/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the engine share: a job's state, the stamps of its I/Os,
 * and the clock that all jobs of one fio process have in common.
 */
#ifndef TW_PLUGIN_ENGINE_H
#define TW_PLUGIN_ENGINE_H

#include <liburing.h>

#include "fio.h"
#include "options.h"
#include "patched_fio.h"
#include "slowest.h"
#include "stage_times.h"
#include "tally.h"
#include "tickwise.h"
#include "timing.h"
#include "windows.h"

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
	TW_RECORD_INFLIGHT,	/* waited or watched: entered to done, or seen */
	TW_RECORD_TOTAL,	/* the same, or without stages: queued to seen */
	TW_RECORD_ENTER,	/* inside the system call that submitted it */
	TW_RECORD_REAP_DELAY,	/* watched: done to seen */
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
	uint64_t watched_ticks;	/* 0: nobody saw when it was done */
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
	bool returns_late;
};

/* When a completion was seen. */
struct tw_seen {
	uint64_t ticks;
	bool returns_late;	/* not handed to fio at once: there is one before
				 * it, or fio may submit more first */
};

#define TW_BATCH	128
#define TW_CACHE_LINE	64

/* What is left of I/Os of one direction until they are recorded: record.h. A
 * line more for each list, as ones that lie a multiple of 4096 bytes apart get
 * into each other's way in the cache. */
struct tw_batch {
	unsigned ios;		/* not settled yet */
	uint64_t *ends[TW_RECORDS];	/* of the lists */
	uint64_t ticks[TW_RECORDS][TW_BATCH + TW_CACHE_LINE / 8]
		__attribute__((aligned(TW_CACHE_LINE)));
};

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
	uint64_t bracket_ticks;	/* a read that took so long was disturbed */
	bool shares;		/* fio's clock is the counter, too */
};

/* So many submissions look for completions after the first one that should have
 * (see submit.c), twice as many after each other, and at most so many. */
#define TW_LOOKS_FIRST	256
#define TW_LOOKS_MOST	(1U << 20)

struct tw_job;
struct tw_response;
struct tw_watch;

/* Makes a command of the I/O in an entry of double size; 0 or -errno. */
typedef int tw_fill(struct thread_data *td, struct tw_job *job,
		    struct io_u *io_u, struct io_uring_sqe *sqe);

/* Flushes and waits for it; as fio's do_io_u_sync(). */
typedef int tw_sync(const struct thread_data *td, struct io_u *io_u);

struct tw_job {
	/* What every I/O comes by, about in its order, and together: between
	 * two of them the kernel and fio fill the caches with what is theirs. */
	struct io_uring ring;
	/* How io_uring_enter() is told of the ring, and always. */
	unsigned enter_fd;
	unsigned enter_flags;
	unsigned wait_flags;
	unsigned looks;		/* the next so many submissions look for
				 * completions, ... */
	unsigned slots;		/* of pending, and in the submission ring as many
				 * or more */
	unsigned pending_head;
	unsigned pending_tail;
	bool usual;		/* nothing of what only some jobs want: then the
				 * tests for it are left out of every path */
	bool always_looks;	/* ... or all of them do */
	bool special;		/* options that the model alone can't hold */
	bool polled_submission;	/* a kernel thread looks at the tail */
	bool stages;		/* else only total */
	bool event_time;	/* fio's numbers get each event's own time */
	bool submits_next;	/* fio commits right after this ->queue() */
	bool system;		/* stamps are ns of the system clock */
	struct io_u **pending;	/* queued, in ring order; a ring itself */
	struct tw_io *io;	/* by io_u->index */
	uint64_t queued_ticks;	/* of the newest one pending */
	struct tw_response *response;	/* response.h; NULL: no rate */
	struct tw_watch *watch;	/* tw_watch_cpu; NULL: nobody watches */
	struct tw_seen *seen;	/* by place in the completion ring */
	uint64_t seen_ticks;	/* the newest stamp of them */
	unsigned seen_tail;	/* completions up to here have one */
	unsigned events_at;	/* place of the last getevents()'s first */
	struct tw_issue issue;
	uint64_t enters;
	uint64_t tails;
	const struct tw_timing *timing;
	uint64_t least_total_ticks;	/* 1 ns: no I/O takes no time; 0: with a
					 * coarse clock some do */
	uint64_t odd_ticks;	/* a total so far above the least one is looked
				 * at: one of the slowest, below the least, or
				 * the first */
	uint64_t first_ticks;	/* stamps of the first and last recorded */
	uint64_t last_ticks;
	unsigned taken;		/* by the last getevents() */
	unsigned settled_head;	/* pending_head when it last settled to wait */
	unsigned cqe_shift;	/* 1 where entries have the double size */
	struct tw_windows over_time;	/* total, by tw_direction */
	/* What is the same in every read and in every write. */
	struct io_uring_sqe model[2] __attribute__((aligned(TW_CACHE_LINE)));
	struct tw_batch batch[TW_DIRECTIONS];

	int ring_ready;
	unsigned looks_next;	/* looks, when they have to again */
	unsigned entries;	/* iodepth, or the next power of two */
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
	bool event_wait;	/* one completion at a time */
	uint64_t taken_ticks;	/* with event_time: when it returned */
	uint64_t taken_fio_ns;	/* the same by the clock of a patched fio */
	unsigned io_us;		/* initialised so far */

	struct tw_histogram record[TW_RECORDS][TW_DIRECTIONS];
	struct tw_tally tally[TW_RECORDS][TW_DIRECTIONS];	/* of those */
	struct tw_slowest slowest;	/* of struct tw_slow_io */
	struct tw_histogram residual;	/* event_time: see event_time.h */
	struct tw_counts counts[TW_DIRECTIONS];
	uint64_t negative_stages;	/* of I/Os that were recorded */
	uint64_t largest_tail;
	uint64_t start_realtime_ns;
	struct tw_moment start;
	int started;		/* start is set: the job has begun */
};

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

/* Places in the completion ring: twice as many as can be there. Of the last free
 * one the kernel makes sure with every completion anew. */
static inline unsigned tw_job_places(const struct tw_job *job)
{
	return 2 * job->entries;
}

/* Completions up to @tail are in the ring, as was seen before @ticks. @late: fio
 * is not asking for them. */
static inline void tw_job_saw(struct tw_job *job, unsigned tail,
			      uint64_t ticks, bool late)
{
	const unsigned mask = job->ring.cq.ring_mask;
	const unsigned head = *job->ring.cq.khead;
	const unsigned count = tail - job->seen_tail;
	unsigned place;

	for (place = job->seen_tail; place != tail; place++)
		job->seen[place & mask] = (struct tw_seen) {
			.ticks = ticks,
			.returns_late = late || place != head,
		};
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
