/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which I/Os fio counts.
 */
#ifndef TW_PLUGIN_ACCOUNTING_H
#define TW_PLUGIN_ACCOUNTING_H

#include "fio.h"

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

/*
 * True if fio will count this I/O. fio asks the same after ->event(), or, if the I/O
 * has no ->event(), after ->queue(). The question may end the ramp time and reset
 * fio's statistics. The engine asks first, right before fio, so both get the same
 * answer for the same I/O.
 */
static inline bool tw_is_accounted(struct thread_data *td)
{
	if (tw_is_ramping(td))
		return false;
	return td->runstate == TD_RUNNING || td->runstate == TD_VERIFYING;
}

#endif
