/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What throttled an I/O without a thread that sleeps: its bio was kept, and a worker of the
 * kernel submitted the bio again later. There is one struct tw_throttled for each io_u, by its
 * index, in memory that the engine maps, too, and only if a job has tw_causes=1.
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_THROTTLED_H
#define TW_PLUGIN_KERNEL_STAGES_THROTTLED_H

#include "kernel/limit.h"

enum tw_throttled_by {
	TW_THROTTLED_BY_LIMIT,		/* io.max of a cgroup */
	TW_THROTTLED_BY_MAPPER,		/* a suspended device of the device mapper */
	TW_THROTTLED_BYS,
};

/* Times are in ns of CLOCK_MONOTONIC. */
struct tw_throttle_time {
	__u64 from_ns;		/* 0: since the I/O was submitted */
	__u64 to_ns;		/* 0: the I/O was not throttled */
};

struct tw_throttled {
	__u64 key;		/* user_data of the I/O; another key: it was not throttled */
	struct tw_throttle_time by[TW_THROTTLED_BYS];
	/* Of TW_THROTTLED_BY_LIMIT: the one that made the I/O wait for the longest time. */
	struct tw_io_limit limit;
};

#endif
