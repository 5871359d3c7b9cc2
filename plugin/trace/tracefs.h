/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of the kernel's own trace events: an instance of tracefs that belongs
 * to one fio. It is made before the jobs begin. They inherit its open files, so
 * a job may drop its privileges. Any job can stop the ring with one write. The
 * instance is removed when fio ends, however it ends.
 */
#ifndef TW_PLUGIN_TRACE_TRACEFS_H
#define TW_PLUGIN_TRACE_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace_events.h"

/* Make the instance, unless there is one. Return NULL, or a line that says why
 * not. */
const char *tw_tracefs_make(void);

/* Stop recording events for @job, a number other than 0. Return false if nobody
 * can stop the ring, or if it is stopped for another job: @other is set then.
 * If that job was killed, events are recorded again from now on. */
bool tw_tracefs_stop(uint32_t job, uint32_t *other);

/* Read what is in the ring into @window. Only the job that has stopped the ring
 * calls this. */
void tw_tracefs_read(struct tw_trace_window *window);

/* Record events again. Only the job that has stopped the ring calls this. */
void tw_tracefs_go_on(void);

#endif
