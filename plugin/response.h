/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Response time: of jobs with a rate, from the time at which fio's schedule
 * wanted an I/O until its completion was seen. fio starts its own latencies
 * only when it has got round to the I/O, so one that had to wait for those
 * before it looks as fast as if nobody had waited.
 *
 * The schedule is what fio itself sleeps by: rate_next_io_time, microseconds
 * since td->epoch, worked out when the I/O before it in that direction was
 * submitted. It is read in ->prep(). Jobs without a rate pay one branch.
 *
 * How late an I/O is, is told by fio's clock, whose schedule it is: on ours a
 * wrong rate of fio's would add up over the run.
 */
#ifndef TW_PLUGIN_RESPONSE_H
#define TW_PLUGIN_RESPONSE_H

#include "engine.h"

#define TW_SCHEDULE_NS		1000	/* fio counts microseconds */

/* What the schedule wanted of one io_u. */
struct tw_due {
	uint64_t due_ns;	/* by fio's clock; 0: not by schedule */
	uint64_t slip_ns;	/* lat began this much later; early: 0 */
	bool again;		/* fio brings the same I/O, or its rest */
};

struct tw_response {
	struct tw_due *due;	/* by io_u->index */
	struct timespec epoch;	/* of the schedule as last seen */
	bool begun[DDIR_RWDIR_CNT];	/* an I/O since that epoch */
	struct tw_histogram slip[DDIR_RWDIR_CNT];
	struct tw_histogram total[DDIR_RWDIR_CNT];
	uint64_t last_slip_ns[DDIR_RWDIR_CNT];
};

/*
 * For a job with a rate; @response stays NULL without one, and where fio sends
 * I/Os without looking at its schedule: replayed logs, experimental_verify.
 * 0; -ENOMEM.
 */
int tw_response_init(struct thread_data *td, unsigned entries,
		     unsigned digits, struct tw_response **response);
void tw_response_free(struct tw_response *response);

/* prep() is over, and lat begins. */
void tw_response_prepared(struct thread_data *td, struct tw_response *response,
			const struct io_u *io_u);

/* fio will bring it again, as it is or what is left of it: the same due time. */
void tw_response_again(struct tw_response *response, const struct io_u *io_u);

/* Its lat is known and counts. */
void tw_response_record(struct tw_response *response, const struct io_u *io_u,
			uint64_t lat_ns);

/* The report's "response"; NULL without memory. */
struct json_t;
struct json_t *tw_response_to_json(const struct tw_response *response);

#endif
