/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The backlog of jobs with a rate: from the time at which an I/O was due until fio has prepared
 * it, for which it waited for earlier ones. Jobs without a rate pay one branch.
 *
 * A job has one of two schedules:
 *
 *	tw_rate_iops	the engine's own, in ticks (collect/schedule.h). fio gives I/Os as fast
 *			as it can, and the engine holds each until it is due (engine/arrivals.c).
 *			No I/O moves another one: an open loop. lat begins when the I/O is due,
 *			in fio, too: the backlog is its first stage.
 *	rate, rate_iops	that by which fio itself sleeps: rate_next_io_time, microseconds since
 *			td->epoch. fio computes it when it submits the I/O before, of the same
 *			direction. fio's lat begins when it has prepared the I/O, and leaves the
 *			backlog out. So does that of the report. fio's clock tells how late an I/O
 *			is. With the engine's clock, an error of the rate of fio's clock would add
 *			up over the run.
 */
#ifndef TW_PLUGIN_RECORD_RESPONSE_H
#define TW_PLUGIN_RECORD_RESPONSE_H

#include "collect/schedule.h"
#include "job_state.h"

#define TW_SCHEDULE_NS		1000	/* fio counts microseconds */

/* The schedule of one io_u. */
struct tw_due {
	uint64_t due;		/* ns by fio's clock, or ticks; 0: not scheduled */
	uint64_t backlog_ns;	/* it was prepared so much later; 0: early; TW_NO_TIME */
	uint64_t own_ns;	/* an open loop: what of that the job itself caused */
	uint64_t start_ns;	/* an open loop: fio's start_time is so much after it */
	bool was_full;		/* it was due while iodepth I/Os were in flight */
	bool again;		/* fio submits the same I/O, or its rest, again */
};

/* An open loop. */
struct tw_arrivals {
	bool is_on;
	struct tw_schedule schedule;
	/* What the job itself makes late: see own_part(). */
	uint64_t due_ticks;		/* of the last I/O */
	uint64_t from_ticks;		/* it was prepared, or due if that was later */
	uint64_t own_ticks;		/* so late it would be on a device that takes no time */
	uint64_t waited_ticks;		/* since then, for completions */
	uint64_t full_until_ticks;	/* the end of the last wait for one */
	uint64_t depth_reached, generator_ns;	/* of the I/Os since the last flush */
	/* How the engine waits. */
	bool polls;			/* the kernel can't wait until a time */
	double us_ticks;		/* ticks of a microsecond */
	double margin_ticks, most_margin_ticks;	/* wake up so long before an I/O is due */
};

struct tw_response {
	struct tw_due *due;	/* by io_u->index */
	struct timespec epoch;	/* of fio's schedule, as last read */
	bool begun[DDIR_RWDIR_CNT];	/* an I/O came since that epoch */
	uint64_t last_backlog_ns[TW_DIRECTIONS];	/* of the I/Os recorded so far */
	struct tw_arrivals arrivals;
};

/*
 * Begin to record backlogs. @response stays NULL for a job without a rate, and for
 * jobs where fio ignores its schedule: replayed logs, experimental_verify. Return 0 or
 * -ENOMEM.
 */
int tw_response_init(struct thread_data *td, unsigned entries,
		     struct tw_response **response);
void tw_response_free(struct tw_response *response);

/* Note how late the I/O is by fio's schedule. prep() is over, and lat begins. */
void tw_response_prepared(struct thread_data *td, struct tw_response *response,
			const struct io_u *io_u);

/* Note how late the I/O of an open loop is, and where its lat begins. Return true if it is not yet
 * due. */
bool tw_response_arrived(struct thread_data *td, struct tw_job *job, const struct io_u *io_u);

/* Take what was counted of an open loop since the last flush. */
void tw_response_count(struct tw_response *response, struct tw_scalars *scalars);

/* Keep the due time, because fio will submit the I/O, or the rest of it, again. */
static inline void tw_response_again(struct tw_response *response, const struct io_u *io_u)
{
	response->due[io_u->index].again = true;
}

/* Count what made an I/O of an open loop late. It has ended. */
static inline void tw_response_ended(struct tw_response *response, const struct io_u *io_u)
{
	response->arrivals.generator_ns += response->due[io_u->index].own_ns;
	response->arrivals.depth_reached += response->due[io_u->index].was_full;
}

/* True if the engine decides when I/Os arrive. */
static inline bool tw_is_open_loop(const struct tw_job *job)
{
	return job->hot.response && job->hot.response->arrivals.is_on;
}

#endif
