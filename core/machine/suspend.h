/* SPDX-License-Identifier: MIT */
/*
 * The time that a machine spent suspended. Internal.
 */
#ifndef TW_MACHINE_SUSPEND_H
#define TW_MACHINE_SUSPEND_H

#include <stdint.h>

/* Return how long this machine has been suspended since it booted, to some us. */
int64_t tw_suspended_ns(void);
#define TW_SUSPEND_SEEN_NS	1000000

#endif
