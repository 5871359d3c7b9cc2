/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of attach.bpf.c, added up: by ring, file and operation; by direction; the
 * slowest, and why they were; and over time. Arithmetic only: tests/unit/attach_tally.c passes any records.
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

/* lat is the sum of the others that an I/O has. */
enum tw_attach_time {
	TW_ATTACH_BLOCKQ,
	TW_ATTACH_DEVICE,
	TW_ATTACH_COMPLETE,
	TW_ATTACH_KERNEL,	/* all of them, or those around a missing stamp */
	TW_ATTACH_LAT,
	TW_ATTACH_TIMES,
};

extern const char *const tw_attach_times[TW_ATTACH_TIMES];

struct tw_attach_counts {
	uint64_t ios;		/* that ended well, and have a lat */
	/* of these: */
	uint64_t split;
	uint64_t no_request;
	uint64_t missing_stamp;
	uint64_t linked;	/* lat has the wait for the one before it */
	uint64_t empty;		/* moved nothing */
	/* not among these: */
	uint64_t errors;
	uint64_t cancelled;
	uint64_t multishot;
	uint64_t no_cqe;	/* ended without, or it was not seen */
	uint64_t unseen;	/* accepted before, or by itself */
	/* of the split ones: */
	uint64_t requests;
	uint64_t retries;
	uint64_t negative;	/* a stamp before the one before it: not split */
};

/* Since the last tw_attach_tally_tick(). */
struct tw_attach_recent {
	struct tw_histogram lat;
	uint64_t failed;	/* errors and cancelled */
	uint64_t split;
	uint64_t sum_ns[TW_ATTACH_KERNEL];
};

struct tw_attach_row {
	uint32_t ring;		/* its number, from 1; 0: not known */
	uint8_t opcode;
	bool rest;		/* of all that has no row of its own */
	struct tw_attach_inode inode;
	struct tw_attach_counts counts;
	struct tw_histogram times[TW_ATTACH_TIMES];
	struct tw_attach_recent recent;
};

struct tw_attach_slow {
	struct tw_slow lat_ns;
	uint32_t ring;
	struct tw_attach_io io;
	struct tw_attach_why why;	/* if threads are followed */
};

struct tw_attach_direction_tally {
	struct tw_attach_counts counts;
	struct tw_histogram times[TW_ATTACH_TIMES];
};

#define TW_ATTACH_MAX_ROWS	1000	/* and one for the rest */
#define TW_ATTACH_PLACES	4096	/* a power of two, well above */
#define TW_ATTACH_RING_PLACES	256

struct tw_attach_tally {
	struct tw_attach_ring *rings;
	uint32_t ring_count;
	uint32_t ring_at[TW_ATTACH_RING_PLACES];	/* the last found there */
	struct tw_attach_row *rows;
	uint32_t row_count;
	uint16_t row_at[TW_ATTACH_PLACES];	/* from 1; 0: none */
	struct tw_attach_direction_tally of[TW_ATTACH_DIRECTIONS];
	struct tw_slowest slowest;
	const struct tw_turns *turns;	/* of all threads; NULL: not followed */
	struct tw_windows over_time;
	uint64_t start_ns;
	uint64_t last_ns;		/* the last completion */
};

/* @start_ns: of CLOCK_MONOTONIC. 0, -ENOMEM, -EINVAL; freed in any case. */
int tw_attach_tally_init(struct tw_attach_tally *tally, uint64_t start_ns,
			 uint32_t slowest);
void tw_attach_tally_free(struct tw_attach_tally *tally);

/* 0; -ENOMEM. */
int tw_attach_add_ring(struct tw_attach_tally *tally,
		       const struct tw_attach_ring *ring);
int tw_attach_add_io(struct tw_attach_tally *tally, const struct tw_attach_io *io);

/* An interval begins. */
void tw_attach_tally_tick(struct tw_attach_tally *tally);

/* The times of an I/O that has a lat: bits (1 << an enum tw_attach_time) of those that
 * it has. */
#define TW_ATTACH_HAS(time)	(1U << (time))
#define TW_ATTACH_SPLIT \
	(TW_ATTACH_HAS(TW_ATTACH_BLOCKQ) | TW_ATTACH_HAS(TW_ATTACH_DEVICE) | \
	 TW_ATTACH_HAS(TW_ATTACH_COMPLETE) | TW_ATTACH_HAS(TW_ATTACH_LAT))

unsigned tw_attach_split(const struct tw_attach_io *io, uint64_t ns[TW_ATTACH_TIMES]);

#endif
