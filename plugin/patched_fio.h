/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The differences of a fio with the patches of patches/ (patches/README.md):
 *
 *	- Its times are 64-bit nanoseconds with other names.
 *	- An engine may tell when each I/O completed.
 *	- FIO_IOOPS_VERSION has another value, which does not tell the release.
 *
 * fio-features.sh finds TW_FIO_NSEC and TW_FIO_COMPLETE_TIME.
 */
#ifndef TW_PLUGIN_PATCHED_FIO_H
#define TW_PLUGIN_PATCHED_FIO_H

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

static inline tw_fio_time tw_fio_now(void)
{
	return fio_gettime_ns();
}

#define tw_issue_time		issue_nsec
#define tw_last_issue		last_issue_nsec

#else

typedef struct timespec tw_fio_time;

static inline tw_fio_time tw_fio_now(void)
{
	struct timespec now;

	fio_gettime(&now, NULL);
	return now;
}

#define tw_issue_time		issue_time
#define tw_last_issue		last_issue

#endif

#ifdef TW_FIO_COMPLETE_TIME
#define TW_COMPLETE_TIME_FLAG	FIO_SETS_COMPLETE_TIME
#else
#define TW_COMPLETE_TIME_FLAG	0
#endif

#endif
