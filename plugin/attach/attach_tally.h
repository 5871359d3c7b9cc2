/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of the records of attach.bpf.c: of all I/Os; by ring, file and operation; and
 * the slowest I/Os with their causes. Arithmetic only: any records can be passed.
 */
#ifndef TW_PLUGIN_ATTACH_ATTACH_TALLY_H
#define TW_PLUGIN_ATTACH_ATTACH_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/attach_record.h"
#include "attach/attach_waits.h"
#include "collect/slowest.h"
#include "kernel/causes/find_causes.h"
#include "report/tally.h"

/* After the directions of a report. A command of a device has no known direction, but is
 * followed, too. Others are only counted. */
enum {
	TW_ATTACH_COMMAND = TW_DIRECTIONS,
	TW_ATTACH_OTHER,
};

/* Return the name, such as "readv"; "opcode 99" for an unknown operation. The latter text
 * is valid until the thread's next call. */
const char *tw_attach_operation(uint8_t opcode);

/* Return an enum tw_direction, or one of the two. */
unsigned tw_attach_direction(uint8_t opcode);

/*
 * The times of an I/O: blockq, device, complete, kernel and lat, which is the sum of the
 * other times that the I/O has. kernel is all three, or those around a missing stamp;
 * also blockq with the wait for other I/Os.
 */
#define TW_ATTACH_SPLIT \
	(TW_TIME_BIT(TW_BLOCKQ) | TW_TIME_BIT(TW_DEVICE) | TW_TIME_BIT(TW_COMPLETE) | \
	 TW_TIME_BIT(TW_LAT))

/* Times are those of chosen I/Os. One that was chosen with a chance of 1 in N counts N times in
 * them. */
struct tw_attach_row {
	uint32_t ring;		/* number of the ring, from 1 */
	uint8_t opcode;
	bool rest;		/* the row of all I/Os without a row of their own */
	struct tw_attach_inode inode;
	struct tw_counts counts;
	struct tw_attach_counted only_counted;
	struct tw_histogram times[TW_TIMES];	/* those that are counted here */
};

struct tw_attach_why {
	unsigned stage;			/* enum tw_stage: the longest */
	bool followed;			/* the thread takes part in the stage */
	uint64_t from_ns;		/* its beginning, of CLOCK_MONOTONIC */
	uint64_t ns;			/* its length */
	struct tw_wait_causes causes;	/* stall: since from_ns */
};

struct tw_attach_slow {
	struct tw_slow lat_ns;
	struct tw_attach_io io;
	struct tw_io_times times;
	struct tw_sync synced;		/* the stamps of a call; zeroes: none */
	struct tw_attach_why why;	/* if threads are followed */
};

#define TW_ATTACH_MAX_ROWS	1000	/* without the row for the rest */
#define TW_ATTACH_PLACES	4096	/* a power of two, far above that */
#define TW_ATTACH_MAX_RINGS	16384	/* that are described */

struct tw_attach_tally {
	struct tw_tally all;		/* of all I/Os with a direction */
	/* Of the I/Os without a record, which were not chosen. */
	struct tw_attach_counted only_counted[TW_DIRECTIONS];
	uint64_t about_ios;		/* I/Os so far, estimated from the records */
	struct tw_attach_ring *rings;	/* room for TW_ATTACH_MAX_RINGS */
	uint32_t ring_count;
	struct tw_attach_row *rows;
	uint32_t row_count;
	void *files, *names;		/* their paths: by inode, by name */
	uint16_t row_at[TW_ATTACH_PLACES];	/* by hash, from 1; 0: none */
	struct tw_slowest slowest;
	const struct tw_offcpu *offcpu;	/* of all threads; NULL: not followed */
	struct tw_others_sums commits;	/* that calls of fsync(2) waited for */
	struct tw_attach_waits waits;
	uint64_t start_ns;		/* CLOCK_MONOTONIC */
	uint64_t start_realtime_ns;	/* the same moment of CLOCK_REALTIME */
	/* From then on nothing counts: the kernel's programs end later, one by one. 0: it runs. */
	uint64_t end_ns;
};

/* Begin a tally. @start_ns: of CLOCK_MONOTONIC; @start_realtime_ns: the same moment of
 * CLOCK_REALTIME; @slowest: number of I/Os that are listed, and of waits. Return
 * 0, -ENOMEM or -EINVAL. Free the tally afterwards in any case. */
int tw_attach_tally_init(struct tw_attach_tally *tally, uint64_t start_ns,
			 uint64_t start_realtime_ns, uint32_t slowest);
void tw_attach_tally_free(struct tw_attach_tally *tally);

/* Add a record. Return 0 or -ENOMEM. @size: of the record. */
void tw_attach_add_ring(struct tw_attach_tally *tally,
			const struct tw_attach_ring *ring);
int tw_attach_add_file(struct tw_attach_tally *tally,
		       const struct tw_attach_file *file, size_t size);
int tw_attach_add_io(struct tw_attach_tally *tally, const struct tw_attach_io *io);
int tw_attach_add_call(struct tw_attach_tally *tally, const struct tw_attach_call *call);
int tw_attach_add_wait(struct tw_attach_tally *tally, const struct tw_attach_wait *wait,
		       size_t size);

/* Set the counts of the I/Os without a record: forget the last ones, then add those of each
 * key. Return 0 or -ENOMEM. At the end of a run, put them into the other counts. */
void tw_attach_forget_counted(struct tw_attach_tally *tally);
int tw_attach_add_counted(struct tw_attach_tally *tally, const struct tw_attach_key *key,
			  const struct tw_attach_counted *counted);
void tw_attach_put_counted(struct tw_attach_tally *tally);

/* Return the path of a file; "-" for an I/O without a file, "?" for an unknown file.
 * attach.bpf.c finds paths in the kernel: nothing here can wait for a file system, and a
 * file has its path also after it was closed. */
const char *tw_attach_file_name(const struct tw_attach_tally *tally,
				const struct tw_attach_inode *inode);

/* Find why @io was slow. @offcpu: of all TW_ATTACH_THREADS threads; NULL: not followed. Call this
 * soon after the I/O is over. */
void tw_attach_why_find(const struct tw_offcpu *offcpu, const struct tw_attach_io *io,
			const struct tw_io_times *times, struct tw_attach_why *why);

/* Set the times of an I/O that has a lat. */
void tw_attach_split(const struct tw_attach_io *io, struct tw_io_times *times);

#endif
