/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between versions of fio. fio-features.sh finds the features TW_FIO_...
 *
 * A fio with the patches of patches/ has 64-bit nanoseconds with other names in place of
 * its times (TW_FIO_NSEC), and an engine may tell it when each I/O completed
 * (TW_FIO_COMPLETE_TIME).
 */
#ifndef TW_PLUGIN_FIO_FIO_VERSIONS_H
#define TW_PLUGIN_FIO_FIO_VERSIONS_H

#include "fio.h"

/* The version of the release. The patches add 101 to the version of a release that
 * already had a successor. */
#if FIO_IOOPS_VERSION > 101
#define TW_IOOPS_VERSION	(FIO_IOOPS_VERSION - 101)
#else
#define TW_IOOPS_VERSION	FIO_IOOPS_VERSION
#endif

#ifdef TW_FIO_NSEC
typedef uint64_t tw_fio_time;
#define tw_issue_time		issue_nsec
#define tw_last_issue		last_issue_nsec
#else
typedef struct timespec tw_fio_time;
#define tw_issue_time		issue_time
#define tw_last_issue		last_issue
#endif

static inline tw_fio_time tw_fio_now(void)
{
#ifdef TW_FIO_NSEC
	return fio_gettime_ns();
#else
	struct timespec now;

	fio_gettime(&now, NULL);
	return now;
#endif
}

/* Flags of an engine */
#ifdef TW_FIO_COMPLETE_TIME
#define TW_COMPLETE_TIME_FLAG	FIO_SETS_COMPLETE_TIME
#else
#define TW_COMPLETE_TIME_FLAG	0
#endif
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

/* True during the ramp time. fio 3.42 renamed its function, and can also end the ramp
 * by size. */
static inline bool tw_is_ramping(struct thread_data *td)
{
#ifdef TW_FIO_RAMP_PERIOD
	return ramp_period_enabled && !ramp_period_over(td);
#else
	return td->o.ramp_time && !ramp_time_over(td);
#endif
}

/* True if fio may reset its statistics while the job runs: at the end of the ramp time, and
 * before the last window of latency_target. A job without both need not ask again. */
static inline bool tw_may_reset(const struct thread_data *td)
{
#ifdef TW_FIO_RAMP_PERIOD
	return ramp_period_enabled || td->o.latency_target;
#else
	return td->o.ramp_time || td->o.latency_target;
#endif
}

/* True if fio has reset its statistics since this was asked before: a reset sets a new
 * epoch. @epoch: zeroed, before the first time. */
static inline bool tw_was_reset(const struct thread_data *td, struct timespec *epoch)
{
	const struct timespec before = *epoch;

	*epoch = td->epoch;
	return (before.tv_sec || before.tv_nsec) && (before.tv_sec != epoch->tv_sec ||
						     before.tv_nsec != epoch->tv_nsec);
}

/*
 * True if fio will count this I/O, unless the job ramps. fio asks both after ->event(), or,
 * if the I/O has no ->event(), after ->queue(). To ask for the ramp may end the ramp time
 * and reset fio's statistics. The engine asks first, right before fio, so both get the same
 * answer for the same I/O.
 */
static inline bool tw_is_running(const struct thread_data *td)
{
	return td->runstate == TD_RUNNING || td->runstate == TD_VERIFYING;
}

#endif
