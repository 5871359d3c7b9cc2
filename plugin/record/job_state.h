/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a job, which all files of the engine share. It has three parts: the ring,
 * what each I/O touches, and what is collected for the report. This file declares no
 * function of another file.
 */
#ifndef TW_PLUGIN_RECORD_JOB_STATE_H
#define TW_PLUGIN_RECORD_JOB_STATE_H

#include <liburing.h>

#include "fio.h"
#include "collect/choose.h"
#include "double_buffer.h"
#include "fio/fio_versions.h"
#include "io_times.h"
#include "kernel/causes/causes.h"
#include "kernel/causes/find_causes.h"
#include "kernel/stages/kernel_stages.h"
#include "kernel/sync/syncs.h"
#include "fio/engine_options.h"
#include "collect/slowest.h"
#include "schedstat.h"
#include "tickwise.h"
#include "job_clock/timing.h"

/* In place of a time: there is none. */
#define TW_NO_TIME	UINT64_MAX

/*
 * The bounds of a clock's offset from the counter's own time at one moment. They are
 * the intersection of what some hundred brackets allow.
 */
struct tw_offset {
	int64_t low_ns;
	int64_t high_ns;
};

struct tw_clock_offsets {
	uint64_t ticks;
	struct tw_offset raw;
	struct tw_offset monotonic;
	struct tw_offset fio;
};

/* The kernel's trace of a slow I/O: kernel_job.h. */
struct tw_trigger {
	int64_t above_ticks;		/* the limit of lat; INT64_MAX: none */
	uint64_t above_ns;		/* the same limit; 0: not asked for */
	const char *why;		/* why there are no events, or NULL */
	uint64_t slower;		/* number of I/Os above the limit */
	bool alone;			/* one I/O at a time */
	uint32_t job;			/* the job's number */
	uint32_t stopped_for;		/* job for which the ring was stopped, or 0 */
	bool fired;			/* the ring is stopped for this job's I/O */
	/* That I/O: */
	uint64_t prepared_ticks;	/* 0: none */
	uint64_t key;			/* its user_data */
	uint32_t thread;		/* that submitted it */
	uint64_t lat_ns;		/* set when it is recorded */
	uint64_t offset;
	uint64_t size;
	unsigned direction;
};

/* Why an I/O was slow: kernel_job.h. */
struct tw_why {
	unsigned stage;			/* the longest stage */
	bool followed;			/* the thread takes part in the stage */
	uint64_t waited_at_most_ns;	/* for a CPU; without tw_causes */
	int64_t from_ns;		/* since the I/O was prepared */
	struct tw_wait_causes causes;	/* stall: since the stage began */
};

/* One of the slowest I/Os. */
struct tw_slow_io {
	struct tw_slow slow;		/* lat_ns */
	struct tw_io_times times;
	struct tw_io io;
	struct tw_kernel_stamps stamps;		/* of the kernel; zeroes: none */
	struct tw_why why;
	struct tw_others others;	/* with another I/O's key: not known */
	struct tw_sync synced;		/* stamps of the sync; zeroes: none */
	uint64_t offset;
	uint64_t size;
	enum tw_direction direction;
};

/* A finished I/O that is not yet in the histograms. */
struct tw_finished {
	struct tw_io io;
	uint64_t returned_ticks;
	uint64_t offset;
	uint64_t size;
	/* Bytes that were not moved. It is below 4 GB, since a ring moves less. */
	uint32_t missing;
	enum tw_direction direction : 8;
	unsigned device : 7;	/* index, if the job has several devices */
	unsigned chosen : 6;	/* 1 + n: it was, with a chance of 1 in 2^n; 0: it was not */
	unsigned has_stamps : 1;	/* of the kernel: see tw_job_hot.stamps */
	unsigned failed : 1;	/* an error: it has no times */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct tw_finished) == 64, "a finished I/O is one cache line");

/* What only a job with a rate, with tw_event_time=1 or with tw_causes=1 has of a finished I/O.
 * A time may be TW_NO_TIME. */
struct tw_extra {
	uint64_t backlog_ns;
	uint64_t residual_ns;
	struct tw_others others;	/* with another I/O's key: not known */
	struct tw_throttled throttled;		/* zeroes: it was not throttled */
};

/* The ring, and how the job's I/Os go through it. */
struct tw_job_ring {
	struct io_uring uring;
	bool is_made;
	unsigned entry_shift;		/* 1: entries have the double size */
	unsigned enter_flags;		/* of each io_uring_enter() */
	unsigned getevents_flags;	/* of the calls that find completions */
	unsigned entries;		/* of the submission ring */
	unsigned sq_tail;		/* of the submission ring */
	unsigned queued;		/* before the tail, not yet submitted */
	unsigned seen_tail;		/* completions before it have a stamp */
	unsigned events_at;		/* first completion of the last getevents() */
	bool direct;			/* not through the page cache */
	bool polled_submission;		/* a thread of the kernel submits */
	bool slat_differs;		/* there is none then, or it has the backlog */
	bool async_trim;
	bool fixed_files;
	bool fixed_buffers;
	__u8 opcode[2];			/* of reads and writes */
	__u16 ioprio;
	__u32 rw_flags[2];
	unsigned force_async;		/* every Nth I/O; 0: none */
	unsigned since_async;		/* I/Os prepared since the last such I/O */
	struct cmdprio cmdprio;
	struct iovec *iovecs;		/* by io_u->index; NULL: not vectored */
	struct tw_commands *commands;	/* NULL: the engine has none */
	struct tw_protection *protection;	/* NULL: no metadata */
	int *files;			/* registered, by fio_file's engine_pos */
	unsigned files_open;
};

/*
 * Which I/Os are split (job_sampling.c). Time is cut into spans. In a plain one the chance
 * stays as it is. A pair of two short ones tells the cost: in one of them, the first or the
 * second by chance, no I/O is chosen.
 */
struct tw_sampling {
	struct tw_chooser chooser;
	uint64_t every;			/* the most I/Os of which one is chosen; or 0 */
	/* The span: when it began, how long it is (UINT64_MAX: to the end), and its place:
	 * 0: a plain one, 1 and 2: of a pair. */
	uint64_t from_ticks;
	uint64_t after_ticks;
	unsigned place;
	unsigned chance;		/* I/Os have a chance of 1 in 2^chance to be chosen */
	bool is_late_off;		/* they have none: it would cost too much */
	bool is_auto;			/* the chance is set anew from time to time */
	bool is_off;			/* no I/O is chosen */
	uint64_t pair_ticks;		/* length of a span of a pair */
	/* What the job had when the span began. */
	uint64_t cpu_ns;		/* of its thread */
	uint32_t ios;
	/* Of I/Os that began in the span and are recorded. */
	uint64_t lats;
	uint64_t lat_ns;
	/* A pair's spans, first off, then on, in ps an I/O; and the sums over all pairs. */
	uint64_t cpu_ps[2], latency_ps[2];
	struct tw_pairs cpu, latency;
	uint64_t pairs;
};

/* What prep() to event() use of a job, next to its ring. */
struct tw_job_hot {
	/* What each I/O touches. The arrays are one piece of memory: each page more that an I/O
	 * touches after a system call may cost 5 ns. */
	struct tw_finished *finished;	/* I/Os until the next flush (job_record.h) */
	struct tw_io *io;		/* by io_u->index, like the next one */
	struct io_u **by_index;
	uint64_t *seen_ticks;		/* by place in the completion ring */
	unsigned finished_count;
	uint32_t generation;		/* of the newest key: tw_next_key() */
	uint64_t key;			/* what keys of I/Os that are not chosen share */
	uint64_t returned_ticks;	/* when the last getevents() returned */
	int64_t slow_ticks;		/* from this lat on an I/O is looked at */
	uint64_t flushed_ticks;		/* the last I/O of the last flush was returned */
	uint64_t flush_after_ticks;	/* flush if so much time passed since then */
	struct tw_response *response;	/* response.h; NULL: no rate */
	uint64_t enters;		/* counted until the next flush, as the next two are */
	uint64_t batches;		/* of completions that share a stamp */
	uint32_t largest_batch;
	bool system;			/* stamps are ns of the system clock */
	bool stages;			/* false: only lat */
	bool event_time;		/* fio gets the end of each I/O; so in an open loop */
	bool event_wait;		/* one completion at a time */
	bool test_nop;			/* transfers that move nothing */
	bool has_more;			/* tw_record_take() */
	bool may_reset;			/* fio may reset its statistics: tw_may_reset() */
	bool was_reset;			/* the next flush forgets all before it */

	/* Each I/O touches the beginnings of these, too. */
	struct tw_sync *synced;		/* stamps of syncs, by place in @finished; or NULL */
	struct tw_sampling sampling;	/* of the I/Os that get such stamps */
	struct tw_cpu_waits waits;

	/* What some jobs have. */
	struct tw_kernel_stamps *stamps;	/* of the kernel, by place in @finished; or NULL */
	struct tw_extra *extra;		/* the same; NULL: none */
	struct tw_kernel kernel;	/* where these stamps come from */
	struct tw_syncs syncs;		/* the same of syncs */
	struct tw_trigger trigger;
	struct tw_devices *devices;	/* job_devices.h; NULL: one device */
	uint64_t returned_fio_ns;	/* event_time, with a patched fio */
	uint64_t residual_ns;		/* event_time, for the next I/O; or TW_NO_TIME */
	const struct tw_timing *timing;
	struct tw_scale scale;		/* of the stamps */

	/* Counted until the next flush. */
	struct tw_counts pending[TW_DIRECTIONS];
	bool has_pending;		/* some of them are not 0 */
	struct timespec epoch;		/* of fio's statistics, if it may reset them */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct tw_io) == 32, "two I/Os in flight share a cache line");
_Static_assert(offsetof(struct tw_job_hot, sampling.chooser.left) < 192,
	       "what each I/O of a plain job touches is three cache lines");

/* What the report is made of. Between the job's beginning and its end only a flush
 * changes it. */
struct tw_job_collected {
	struct tw_double_buffer filling;
	uint64_t min_lat_ns;		/* 1; 0 if the clock is coarse */
	struct tw_slowest slowest;	/* of struct tw_slow_io */
	struct tw_others_sums *others_sums;	/* if what others had in flight is counted */
	struct tw_others_sums *commits;	/* that syncs waited for, if these are stamped */
	struct tw_clock_map clock_map;		/* CLOCK_MONOTONIC and the engine's stamps */
	struct tw_follow follow;	/* events of this thread: tw_causes=1 */
	struct tw_job_waits *waits;	/* job_waits.h, the same; or NULL */
	bool started;			/* start is set: the job has begun */
	struct tw_clock_offsets start;
	uint64_t start_realtime_ns;
	uint64_t start_storage_bytes;	/* of tw_read_from_storage() */
	struct tw_cpu_list cpus;	/* where the job might run when it began */
	unsigned io_us;			/* initialised so far */
	struct tw_intervals *intervals;	/* job_report/job_report.h; NULL: none */
	struct tw_facts *facts;		/* job_report/job_report.h */
	int sampled_disk;		/* job_report/job_report.h: its place; or -1 */
};

struct tw_job {
	struct tw_job_ring ring;
	struct tw_job_hot hot;
	struct tw_job_collected collected;
};

static inline uint64_t tw_job_stamp(const struct tw_job *job)
{
	if (tw__unlikely(job->hot.system))
		return tw_clock_ns(&job->hot.timing->clock);
	return tw_ticks();
}

static inline double tw_job_ticks_per_ns(const struct tw_job *job)
{
	return job->hot.scale.hz / (double) TW_NS_PER_SECOND;
}

static inline int64_t tw_job_ns(const struct tw_job *job, uint64_t from, uint64_t to)
{
	return tw_span_ns(&job->hot.scale, from, to);
}

/* Return the I/O's SQE. Its user_data is the key of the I/O, up to its end. */
static inline struct io_uring_sqe *tw_entry_of(const struct tw_job *job, const struct io_u *io_u)
{
	return &job->ring.uring.sq.sqes[io_u->index << job->ring.entry_shift];
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

/* Return the counts of an I/O's direction that the next flush takes. */
static inline struct tw_counts *tw_pending(struct tw_job *job, const struct io_u *io_u)
{
	job->hot.has_pending = true;
	return &job->hot.pending[tw_direction_of(io_u->ddir)];
}

#define TW_MIN_CQ_ENTRIES	64U

/* Return the number of entries of the completion ring: room for twice the depth or more.
 * Longer runs of free places save 1 % of the time of a read from the page cache at depth 1. */
static inline unsigned tw_completions_of(unsigned entries)
{
	return max(2 * entries, TW_MIN_CQ_ENTRIES);
}

/* Return the number of entries of a ring for this depth. */
static inline unsigned tw_entries_of(unsigned depth)
{
	unsigned power = 1;

	while (power < depth && power < 1U << 31)
		power <<= 1;
	return power;
}

#endif
