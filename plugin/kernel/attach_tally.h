/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of the records of attach.bpf.c: by ring, file and operation; by direction; over
 * time; and the slowest I/Os with their causes. Arithmetic only:
 * tests/unit/attach_tally.c passes any records.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_TALLY_H
#define TW_PLUGIN_KERNEL_ATTACH_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/attach_names.h"
#include "kernel/attach_record.h"
#include "kernel/attach_why.h"
#include "collect/slowest.h"
#include "collect/windows.h"
#include "tickwise.h"

/* The times of an I/O. lat is the sum of the other times that the I/O has. */
enum tw_attach_time {
	TW_ATTACH_BLOCKQ,
	TW_ATTACH_DEVICE,
	TW_ATTACH_COMPLETE,
	TW_ATTACH_KERNEL,	/* all three, or those around a missing stamp; blockq with
				 * the wait for other I/Os */
	TW_ATTACH_LAT,
	TW_ATTACH_TIMES,
};

extern const char *const tw_attach_times[TW_ATTACH_TIMES];

struct tw_attach_counts {
	uint64_t ios;		/* successful I/Os with a lat */
	/* of these: */
	uint64_t split;
	uint64_t no_request;
	uint64_t missing_stamp;
	uint64_t sync_write;	/* device and complete are one */
	uint64_t waited;	/* linked or drained: blockq is not known */
	/* of all of them: */
	uint64_t linked;	/* lat contains the wait for the I/O before it */
	uint64_t drained;	/* lat contains the wait for all I/Os before it */
	uint64_t empty;		/* moved no bytes */
	/* not among these: */
	uint64_t errors;
	uint64_t cancelled;
	uint64_t no_cqe;	/* ended without a CQE, or it was not seen */
	uint64_t unseen;	/* its acceptance was not seen */
	/* of the split ones: */
	uint64_t requests;
	uint64_t retries;
	uint64_t negative;	/* a stamp before the one before it: not split */
};

/* The I/Os since the last tw_attach_tally_tick(). */
struct tw_attach_recent {
	struct tw_histogram lat;
	uint64_t failed;	/* errors and cancelled */
	uint64_t split;
	uint64_t sum_ns[TW_ATTACH_KERNEL];
};

struct tw_attach_row {
	uint32_t ring;		/* number of the ring, from 1 */
	uint8_t opcode;
	bool rest;		/* the row of all I/Os without a row of their own */
	struct tw_attach_inode inode;
	struct tw_attach_counts counts;
	struct tw_histogram times[TW_ATTACH_TIMES];
	struct tw_attach_recent recent;
};

struct tw_attach_slow {
	struct tw_slow lat_ns;
	struct tw_attach_io io;
	struct tw_attach_why why;	/* if threads are followed */
};

struct tw_attach_direction_tally {
	struct tw_attach_counts counts;
	struct tw_histogram times[TW_ATTACH_TIMES];
};

#define TW_ATTACH_MAX_ROWS	1000	/* without the row for the rest */
#define TW_ATTACH_PLACES	4096	/* a power of two, far above that */
#define TW_ATTACH_MAX_RINGS	16384	/* that are described */

struct tw_attach_tally {
	struct tw_attach_ring *rings;
	uint32_t ring_count;
	uint64_t more_rings;		/* beyond these */
	struct tw_attach_row *rows;
	uint32_t row_count;
	uint16_t row_at[TW_ATTACH_PLACES];	/* by hash, from 1; 0: none */
	struct tw_attach_direction_tally of[TW_ATTACH_DIRECTIONS];
	struct tw_slowest slowest;
	const struct tw_turns *turns;	/* of all threads; NULL: not followed */
	struct tw_windows over_time;
	uint64_t start_ns;
	uint64_t last_ns;		/* of the last completion */
};

/* Begin a tally. @start_ns: of CLOCK_MONOTONIC; @slowest: number of I/Os that are listed.
 * Return 0, -ENOMEM or -EINVAL. Free the tally afterwards in any case. */
int tw_attach_tally_init(struct tw_attach_tally *tally, uint64_t start_ns,
			 uint32_t slowest);
void tw_attach_tally_free(struct tw_attach_tally *tally);

/* Add a record. Return 0 or -ENOMEM. */
int tw_attach_add_ring(struct tw_attach_tally *tally,
		       const struct tw_attach_ring *ring);
int tw_attach_add_io(struct tw_attach_tally *tally, const struct tw_attach_io *io);

/* Begin an interval of the live table. */
void tw_attach_tally_tick(struct tw_attach_tally *tally);

/* Compute the times of an I/O that has a lat. Return which times it has, as bits
 * TW_ATTACH_HAS(). */
#define TW_ATTACH_HAS(time)	(1U << (time))
#define TW_ATTACH_SPLIT \
	(TW_ATTACH_HAS(TW_ATTACH_BLOCKQ) | TW_ATTACH_HAS(TW_ATTACH_DEVICE) | \
	 TW_ATTACH_HAS(TW_ATTACH_COMPLETE) | TW_ATTACH_HAS(TW_ATTACH_LAT))

unsigned tw_attach_split(const struct tw_attach_io *io, uint64_t ns[TW_ATTACH_TIMES]);

#endif
