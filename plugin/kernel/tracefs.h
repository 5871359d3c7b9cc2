/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of the kernel's own trace events: an instance of tracefs that belongs to one
 * fio. It is made before the jobs begin, which inherit its open files, so a job may
 * lay down its privileges. Any job can stop it with one write. However fio ends, the
 * instance is removed then.
 */
#ifndef TW_PLUGIN_KERNEL_TRACEFS_H
#define TW_PLUGIN_KERNEL_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/trace_text.h"

#define TW_TRACEFS_CPU_KB	1024	/* of the ring, for each CPU */

/* Make the instance, unless there is one. NULL, or why not: one line. */
const char *tw_tracefs_make(void);

/* No event is recorded any more, for @job, a number other than 0. False: nobody can stop
 * it, or it is stopped for the job @other, which is set then. If that one was killed,
 * events are recorded again from now on. */
bool tw_tracefs_stop(uint32_t job, uint32_t *other);

/* What is in the ring becomes what is in @window. By who has stopped it. */
void tw_tracefs_read(struct tw_trace_window *window);

/* Events are recorded again. By who has stopped it. */
void tw_tracefs_go_on(void);

#endif
