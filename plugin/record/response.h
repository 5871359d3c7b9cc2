/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Response time of jobs with a rate: from the time at which an I/O was due by fio's
 * schedule until it was returned. fio's own latencies begin only when fio prepares the
 * I/O. So they leave out the time for which an I/O waited for earlier I/Os.
 *
 * The schedule is the one by which fio itself sleeps: rate_next_io_time, microseconds
 * since td->epoch. fio computes it when it submits the I/O before, of the same direction.
 * The engine reads it in ->prep(). Jobs without a rate pay one branch.
 *
 * fio's clock tells how late an I/O is, because the schedule is by fio's clock. With the
 * engine's clock, an error of the rate of fio's clock would add up over the run.
 */
#ifndef TW_PLUGIN_RECORD_RESPONSE_H
#define TW_PLUGIN_RECORD_RESPONSE_H

#include "job_state.h"

#define TW_SCHEDULE_NS		1000	/* fio counts microseconds */

/* The schedule of one io_u. */
struct tw_due {
	uint64_t due_ns;	/* by fio's clock; 0: not scheduled */
	uint64_t backlog_ns;	/* lat began this much later; 0 if it was early */
	bool again;		/* fio submits the same I/O, or its rest, again */
};

struct tw_response {
	struct tw_due *due;	/* by io_u->index */
	struct timespec epoch;	/* of the schedule, as last read */
	bool begun[DDIR_RWDIR_CNT];	/* an I/O came since that epoch */
	uint64_t last_backlog_ns[TW_DIRECTIONS];	/* of the I/Os recorded so far */
};

/*
 * Begin to record response times. @response stays NULL for a job without a rate, and for
 * jobs where fio ignores its schedule: replayed logs, experimental_verify. Return 0 or
 * -ENOMEM.
 */
int tw_response_init(struct thread_data *td, unsigned entries,
		     struct tw_response **response);
void tw_response_free(struct tw_response *response);

/* Note how late the I/O is. prep() is over, and lat begins. */
void tw_response_prepared(struct thread_data *td, struct tw_response *response,
			const struct io_u *io_u);

/* Keep the due time, because fio will submit the I/O, or the rest of it, again. */
static inline void tw_response_again(struct tw_response *response, const struct io_u *io_u)
{
	response->due[io_u->index].again = true;
}

/* Return how late the I/O is; TW_NO_TIME if it is not scheduled. */
static inline uint64_t tw_response_backlog_ns(const struct tw_response *response,
					   const struct io_u *io_u)
{
	const struct tw_due *due = &response->due[io_u->index];

	return due->due_ns ? due->backlog_ns : TW_NO_TIME;
}

#endif
