// SPDX-License-Identifier: GPL-2.0
/*
 * Add up records: see attach_tally.h.
 */
#include "kernel/attach_tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/join.h"
#include "latency/histogram.h"

#define DIGITS		3	/* of a direction's histograms; the engine has the same */
#define ROW_DIGITS	2

#define MAX_WINDOWS	128
#define WINDOW_NS	1000000

const char *const tw_attach_times[TW_ATTACH_TIMES] = {
	"blockq", "device", "complete", "kernel", "lat",
};

static int make_histograms(struct tw_histogram *of, unsigned digits)
{
	int error = 0;

	for (int i = 0; i < TW_ATTACH_TIMES && !error; i++)
		error = tw_histogram_init(&of[i], digits);
	return error;
}

static void free_histograms(struct tw_histogram *of)
{
	for (int i = 0; i < TW_ATTACH_TIMES; i++)
		tw_histogram_free(&of[i]);
}

int tw_attach_tally_init(struct tw_attach_tally *tally, uint64_t start_ns,
			 uint32_t slowest)
{
	int error = 0;

	*tally = (struct tw_attach_tally) {
		.start_ns = start_ns, .last_ns = start_ns,
	};
	tally->rows = calloc(TW_ATTACH_MAX_ROWS + 1, sizeof(*tally->rows));
	if (!tally->rows)
		return -ENOMEM;
	for (int i = 0; i < TW_ATTACH_DIRECTIONS && !error; i++)
		error = make_histograms(tally->of[i].times, DIGITS);
	if (!error)
		error = tw_slowest_init(&tally->slowest, slowest,
					sizeof(struct tw_attach_slow));
	if (!error)
		error = tw_windows_init(&tally->over_time, MAX_WINDOWS,
					TW_ATTACH_DIRECTIONS, WINDOW_NS, start_ns, 1);
	return error;
}

void tw_attach_tally_free(struct tw_attach_tally *tally)
{
	for (uint32_t i = 0; i < tally->row_count; i++) {
		free_histograms(tally->rows[i].times);
		tw_histogram_free(&tally->rows[i].recent.lat);
	}
	for (int i = 0; i < TW_ATTACH_DIRECTIONS; i++)
		free_histograms(tally->of[i].times);
	tw_slowest_free(&tally->slowest);
	tw_windows_free(&tally->over_time);
	free(tally->rows);
	free(tally->rings);
}

/* ---- rings ----------------------------------------------------------------- */

int tw_attach_add_ring(struct tw_attach_tally *tally,
		       const struct tw_attach_ring *ring)
{
	struct tw_attach_ring *rings;

	if (tally->ring_count >= TW_ATTACH_MAX_RINGS) {
		tally->more_rings++;
		return 0;
	}
	/* The array grows at each power of two. */
	if ((tally->ring_count & (tally->ring_count - 1)) == 0) {
		size_t room = tally->ring_count ? 2 * (size_t)tally->ring_count : 1;

		rings = realloc(tally->rings, room * sizeof(*rings));
		if (!rings)
			return -ENOMEM;
		tally->rings = rings;
	}
	tally->rings[tally->ring_count++] = *ring;
	tally->rings[tally->ring_count - 1].program[sizeof(ring->program) - 1] = '\0';
	return 0;
}

/* ---- rows ------------------------------------------------------------------ */

static uint32_t mixed(uint64_t value)
{
	return (uint32_t)((value * 0x9e3779b97f4a7c15ULL) >> 32);
}

static bool is_same(const struct tw_attach_row *row, const struct tw_attach_io *io)
{
	return row->ring == io->ring && row->opcode == io->opcode && !row->rest &&
	       row->inode.number == io->inode.number &&
	       row->inode.device == io->inode.device &&
	       row->inode.mode == io->inode.mode;
}

static struct tw_attach_row *new_row(struct tw_attach_tally *tally)
{
	struct tw_attach_row *row = &tally->rows[tally->row_count];

	if (make_histograms(row->times, ROW_DIGITS) ||
	    tw_histogram_init(&row->recent.lat, ROW_DIGITS)) {
		free_histograms(row->times);
		return NULL;
	}
	tally->row_count++;
	return row;
}

static struct tw_attach_row *rest(struct tw_attach_tally *tally)
{
	struct tw_attach_row *row = &tally->rows[TW_ATTACH_MAX_ROWS];

	if (row->rest)
		return row;
	row = new_row(tally);
	if (row)
		row->rest = true;
	return row;
}

static struct tw_attach_row *row_of(struct tw_attach_tally *tally,
				    const struct tw_attach_io *io)
{
	uint32_t place = mixed(io->inode.number ^ (uint64_t)io->inode.device << 40 ^
			       (uint64_t)io->ring << 20 ^ (uint64_t)io->opcode << 56);
	struct tw_attach_row *row;

	for (;; place++) {
		uint16_t at = tally->row_at[place % TW_ATTACH_PLACES];

		if (!at)
			break;
		if (is_same(&tally->rows[at - 1], io))
			return &tally->rows[at - 1];
	}
	if (tally->row_count >= TW_ATTACH_MAX_ROWS)
		return rest(tally);
	row = new_row(tally);
	if (!row)
		return NULL;
	row->ring = io->ring;
	row->opcode = io->opcode;
	row->inode = io->inode;
	tally->row_at[place % TW_ATTACH_PLACES] = (uint16_t)tally->row_count;
	return row;
}

/* ---- I/Os ------------------------------------------------------------------ */

/* True if each stamp is at or after the one before it. */
static bool is_ordered(const struct tw_attach_io *io)
{
	uint64_t last_ns = io->accepted_ns;

	if (io->dispatched_ns) {
		if (io->dispatched_ns < last_ns)
			return false;
		last_ns = io->dispatched_ns;
	}
	if (io->finished_ns) {
		if (io->finished_ns < last_ns)
			return false;
		last_ns = io->finished_ns;
	}
	return last_ns <= io->posted_ns;
}

/* True if the I/O had to wait for I/Os of its program, which is not the block layer's
 * queue. */
static bool has_waited(const struct tw_attach_io *io)
{
	return io->flags & (TW_ATTACH_LINKED | TW_ATTACH_DRAINED);
}

/* Return the stamps, and what join.h knows of them. */
static struct tw_slot settled(const struct tw_attach_io *io)
{
	const enum tw_attach_direction direction = tw_attach_direction(io->opcode);
	struct tw_slot stamps = {
		.dispatched_ns = io->dispatched_ns,
		.finished_ns = io->finished_ns,
		.due_bytes = io->due_bytes,
		.finished_bytes = io->finished_bytes,
		.flags = io->flags & TW_ATTACH_SYNC_WRITE ? TW_SLOT_SYNC_WRITE : 0,
	};

	tw_slot_settle(&stamps, direction < TW_ATTACH_SYNC && io->result > 0 ?
		       (uint64_t)io->result : 0,
		       direction == TW_ATTACH_READ && S_ISREG(io->inode.mode));
	return stamps;
}

unsigned tw_attach_split(const struct tw_attach_io *io, uint64_t ns[TW_ATTACH_TIMES])
{
	bool ordered = is_ordered(io);
	const struct tw_slot stamps = settled(io);
	bool dispatched = ordered && tw_dispatched_ns(&stamps);
	bool finished = ordered && tw_finished_ns(&stamps);
	unsigned has = TW_ATTACH_HAS(TW_ATTACH_LAT);

	memset(ns, 0, TW_ATTACH_TIMES * sizeof(*ns));
	ns[TW_ATTACH_LAT] = io->posted_ns > io->accepted_ns ?
			    io->posted_ns - io->accepted_ns : 0;
	ns[TW_ATTACH_KERNEL] = ns[TW_ATTACH_LAT];
	if (dispatched && !has_waited(io)) {
		has |= TW_ATTACH_HAS(TW_ATTACH_BLOCKQ);
		ns[TW_ATTACH_BLOCKQ] = io->dispatched_ns - io->accepted_ns;
		ns[TW_ATTACH_KERNEL] -= ns[TW_ATTACH_BLOCKQ];
	}
	if (finished) {
		has |= TW_ATTACH_HAS(TW_ATTACH_COMPLETE);
		ns[TW_ATTACH_COMPLETE] = io->posted_ns - io->finished_ns;
		ns[TW_ATTACH_KERNEL] -= ns[TW_ATTACH_COMPLETE];
	}
	if (dispatched && finished) {
		has |= TW_ATTACH_HAS(TW_ATTACH_DEVICE);
		ns[TW_ATTACH_DEVICE] = io->finished_ns - io->dispatched_ns;
		ns[TW_ATTACH_KERNEL] -= ns[TW_ATTACH_DEVICE];
	}
	return has == TW_ATTACH_SPLIT ? has : has | TW_ATTACH_HAS(TW_ATTACH_KERNEL);
}

static void count_split(struct tw_attach_counts *counts,
			const struct tw_attach_io *io, unsigned has)
{
	if (has == TW_ATTACH_SPLIT) {
		counts->split++;
		counts->requests += io->requests;
		counts->retries += io->retries;
	} else if (!io->dispatched_ns && !io->finished_ns) {
		counts->no_request++;
	} else if (is_ordered(io) && io->dispatched_ns && has_waited(io)) {
		counts->waited++;
	} else if (is_ordered(io) && io->dispatched_ns &&
		   io->flags & TW_ATTACH_SYNC_WRITE) {
		counts->sync_write++;
	} else {
		counts->missing_stamp++;
		counts->negative += !is_ordered(io);
	}
}

/* Count an I/O. True if it has a lat. */
static bool count(struct tw_attach_counts *counts, const struct tw_attach_io *io)
{
	if (io->kind == TW_ATTACH_NO_CQE)
		counts->no_cqe++;
	else if (io->result == -ECANCELED)
		counts->cancelled++;
	else if (io->result < 0)
		counts->errors++;	/* also I/Os that the kernel did not accept */
	else if (!io->accepted_ns)
		counts->unseen++;
	else
		return true;
	return false;
}

static void add_times(struct tw_histogram *times, const uint64_t *ns, unsigned has)
{
	for (int i = 0; i < TW_ATTACH_TIMES; i++)
		if (has & TW_ATTACH_HAS(i))
			tw_histogram_add(&times[i], ns[i]);
}

static void add_good(struct tw_attach_counts *counts, struct tw_histogram *times,
		     const struct tw_attach_io *io, const uint64_t *ns, unsigned has)
{
	counts->ios++;
	counts->linked += (io->flags & TW_ATTACH_LINKED) != 0;
	counts->drained += (io->flags & TW_ATTACH_DRAINED) != 0;
	counts->empty += io->result == 0 &&
			 tw_attach_direction(io->opcode) < TW_ATTACH_SYNC;
	count_split(counts, io, has);
	add_times(times, ns, has);
}

static void add_recent(struct tw_attach_recent *recent, const uint64_t *ns,
		       unsigned has)
{
	const bool split = has == TW_ATTACH_SPLIT;

	tw_histogram_add(&recent->lat, ns[TW_ATTACH_LAT]);
	recent->split += split;
	for (int i = 0; split && i < TW_ATTACH_KERNEL; i++)
		recent->sum_ns[i] += ns[i];
}

static void add_slow(struct tw_attach_tally *tally, const struct tw_attach_io *io,
		     uint64_t lat_ns)
{
	struct tw_attach_slow slow = { .lat_ns.value = lat_ns, .io = *io };

	/* For other operations the kernel has another value at that place. */
	if (tw_attach_direction(io->opcode) >= TW_ATTACH_SYNC)
		slow.io.offset = UINT64_MAX;
	if (!tw_slowest_wants(&tally->slowest, lat_ns))
		return;
	if (tally->turns)
		tw_attach_why_find(tally->turns, io, &slow.why);
	tw_slowest_add(&tally->slowest, &slow.lat_ns);
}

static void add_direction(struct tw_attach_tally *tally, const struct tw_attach_io *io,
			  const uint64_t *ns, unsigned has)
{
	enum tw_attach_direction direction = tw_attach_direction(io->opcode);
	struct tw_attach_direction_tally *of = &tally->of[direction];

	if (direction >= TW_ATTACH_DIRECTIONS || !count(&of->counts, io))
		return;
	add_good(&of->counts, of->times, io, ns, has);
	add_slow(tally, io, ns[TW_ATTACH_LAT]);
	tw_windows_add(&tally->over_time, io->posted_ns, direction,
		       ns[TW_ATTACH_LAT]);
}

int tw_attach_add_io(struct tw_attach_tally *tally, const struct tw_attach_io *io)
{
	struct tw_attach_row *row = row_of(tally, io);
	uint64_t ns[TW_ATTACH_TIMES];
	unsigned has = tw_attach_split(io, ns);

	if (!row)
		return -ENOMEM;
	if (count(&row->counts, io)) {
		add_good(&row->counts, row->times, io, ns, has);
		add_recent(&row->recent, ns, has);
	} else {
		row->recent.failed += io->kind == TW_ATTACH_IO && io->result < 0;
	}
	add_direction(tally, io, ns, has);
	if (io->posted_ns > tally->last_ns)
		tally->last_ns = io->posted_ns;
	return 0;
}

void tw_attach_tally_tick(struct tw_attach_tally *tally)
{
	for (uint32_t i = 0; i < tally->row_count; i++) {
		struct tw_attach_recent *recent = &tally->rows[i].recent;

		if (recent->lat.count)
			tw_histogram_reset(&recent->lat);
		recent->failed = 0;
		recent->split = 0;
		memset(recent->sum_ns, 0, sizeof(recent->sum_ns));
	}
}
