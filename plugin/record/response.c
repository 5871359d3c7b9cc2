/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How late fio's schedule was, and what its latencies leave out: see response.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "response.h"
#include "timespec.h"
#include "verify.h"

int tw_response_init(struct thread_data *td, unsigned entries,
		     struct tw_response **response)
{
	struct tw_response *made;

	if (td->o.read_iolog_file ||
	    (td->o.verify != VERIFY_NONE && td->o.experimental_verify) ||
	    (!td->rate_bps[DDIR_READ] && !td->rate_bps[DDIR_WRITE] &&
	     !td->rate_bps[DDIR_TRIM]))
		return 0;
	made = calloc(1, sizeof(*made));
	*response = made;
	if (!made)
		return -ENOMEM;
	/* The job's first I/Os are scheduled. */
	memset(made->begun, true, sizeof(made->begun));
	made->due = calloc(entries, sizeof(*made->due));
	return made->due ? 0 : -ENOMEM;
}

void tw_response_free(struct tw_response *response)
{
	if (!response)
		return;
	free(response->due);
	free(response);
}

/*
 * Return the due time of the I/O, in us since the epoch. With rate_ignore_thinktime a
 * pause moves the schedule, but fio had computed the due time of the I/O after it before
 * the pause. So it is computed again here, by fio's formula.
 */
static uint64_t due_us(const struct thread_data *td, const struct io_u *io_u)
{
	const enum fio_ddir ddir = io_u->ddir;
	const uint64_t us = td->rate_next_io_time[ddir];
	uint64_t bytes, rate, later_us;

	if (!td->o.rate_ign_think)
		return us;
	/* In these modes fio adds up the due times. Otherwise it computes them from the
	 * bytes that it has issued; it adds the bytes of this I/O only after ->prep(). */
	bytes = td->rate_io_issue_bytes[ddir];
	rate = td->rate_bps[ddir];
	if (td->o.rate_process == RATE_PROCESS_POISSON || td->o.bssplit_nr[ddir])
		later_us = (uint64_t) td->last_usec[ddir];
	else
		later_us = bytes / rate * 1000000 + bytes % rate * 1000000 / rate;
	return max(us, later_us);
}

/*
 * True for the first I/O of an epoch that is not the job's first. The end of the ramp
 * time sets a new epoch, mostly just before fio sleeps until an I/O is due by the old
 * epoch. That I/O belongs to neither schedule.
 */
static bool is_first_of_epoch(const struct thread_data *td,
			      struct tw_response *response, enum fio_ddir ddir)
{
	bool first;

	if (tw_was_reset(td, &response->epoch))
		memset(response->begun, 0, sizeof(response->begun));
	first = !response->begun[ddir];
	response->begun[ddir] = true;
	return first;
}

/* Return when the I/O was due, by fio's clock; 0 if it is not scheduled. */
static uint64_t due_ns(const struct thread_data *td,
		       struct tw_response *response, const struct io_u *io_u)
{
	/* Reads of VER_LIST and these trims come between the job's own I/Os
	 * (verify_backlog, trim_backlog). */
	if (io_u->ddir > DDIR_TRIM || (io_u->flags & IO_U_F_VER_LIST) ||
	    (io_u->ddir == DDIR_TRIM && !td_trim(td)) || !td->rate_bps[io_u->ddir] ||
	    is_first_of_epoch(td, response, io_u->ddir))
		return 0;
	return tw_timespec_ns(&td->epoch) + due_us(td, io_u) * 1000;
}

void tw_response_prepared(struct thread_data *td, struct tw_response *response,
			const struct io_u *io_u)
{
	struct tw_due *due = &response->due[io_u->index];
	struct timespec now;

	if (!due->again)
		due->due_ns = due_ns(td, response, io_u);
	due->again = false;
	due->backlog_ns = 0;
	if (!due->due_ns)
		return;
	fio_gettime(&now, NULL);
	if (tw_timespec_ns(&now) > due->due_ns)
		due->backlog_ns = tw_timespec_ns(&now) - due->due_ns;
}
