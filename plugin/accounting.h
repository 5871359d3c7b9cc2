/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which I/Os fio counts.
 */
#ifndef TW_PLUGIN_ACCOUNTING_H
#define TW_PLUGIN_ACCOUNTING_H

#include "fio.h"

/* Renamed in fio 3.42, which can also end it by size. */
static inline bool tw_is_ramping(struct thread_data *td)
{
#ifdef TW_FIO_RAMP_PERIOD
	return ramp_period_enabled && !ramp_period_over(td);
#else
	return td->o.ramp_time && !ramp_time_over(td);
#endif
}

/*
 * Would fio count this one? It asks the same right after ->event() or, where
 * there is none, after ->queue(), which may end the ramp time and reset its
 * statistics; asking there first gives both the same answer for the same I/O.
 */
static inline bool tw_is_accounted(struct thread_data *td)
{
	if (tw_is_ramping(td))
		return false;
	return td->runstate == TD_RUNNING || td->runstate == TD_VERIFYING;
}

#endif
