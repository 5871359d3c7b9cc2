/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an I/O leaves: the ticks of its stages in short lists, one for each
 * histogram, and from there, many at a time, the histograms, the windows over
 * time and the counts. (The histograms' bins are kept small: see tally.h.)
 *
 * Recording I/O by I/O costs more than the arithmetic: each time its code and
 * its histograms have to be brought back into the caches from behind fio's and
 * the kernel's. So lists are settled when they are full, and whenever the job
 * is about to wait for a device anyway.
 */
#ifndef TW_PLUGIN_RECORD_H
#define TW_PLUGIN_RECORD_H

#include "engine.h"

/* Before the first one; the job's clock is known. @slowest: some are kept. */
void tw_record_start(struct tw_job *job, bool slowest);

/* Settle the lists; the bins of job->record wait for tw_record_end(). */
void tw_record_settle(struct tw_job *job);

/* Nothing more will come: all of job->record is right. */
void tw_record_end(struct tw_job *job);

/*
 * An I/O did what it was asked to. @with_return: it was seen with others, and
 * now is its turn. What fio does not count we don't either.
 */
void tw_record(struct thread_data *td, struct tw_job *job,
	       const struct io_u *io_u, const struct tw_io *io,
	       uint64_t seen_ticks, bool with_return);

#endif
