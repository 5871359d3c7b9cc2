/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/collect
 *
 * Behaviour: `tickwise attach` adds up what the kernel tells of I/Os by ring, file
 * and operation. The stages of an I/O add up to its lat; around a missing stamp
 * they are one. A wait for other I/Os of the program is not in blockq, and what
 * follows a synchronous write's data is not in complete. Errors, cancelled and unseen
 * requests have no lat and are counted. More rows than there is room for are one, and
 * more rings are counted. The rows add up to the tally of all I/Os, which also has them
 * over time. Defect: an I/O in two rows or in none; stages of an I/O that lacks a stamp,
 * or under a wrong name; an error among the latencies; a time of another clock.
 */
#include "attach/attach_tally.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

enum { NOP = 0, READV = 1, FSYNC = 3, ACCEPT = 13, READ = 22, WRITE = 23, COMMAND = 46 };

#define START_NS	1000000000000ULL
#define REALTIME_NS	1700000000000000000ULL

static struct tw_attach_tally tally;

static void begin(void)
{
	if (tw_attach_tally_init(&tally, START_NS, REALTIME_NS, 4))
		abort();
}

static struct tw_attach_io io_of(__u32 ring, __u64 inode, __u8 opcode)
{
	return (struct tw_attach_io) {
		.kind = TW_ATTACH_IO, .ring = ring, .opcode = opcode,
		.inode = { .number = inode, .device = 8, .mode = 0100644 },
		.accepted_ns = START_NS + 1000, .dispatched_ns = START_NS + 1100,
		.finished_ns = START_NS + 1700, .posted_ns = START_NS + 2000,
		.result = 4096, .requests = 2, .retries = 1,
		.due_bytes = 4096, .finished_bytes = 4096,
		.offset = 4711,
	};
}

static void add(const struct tw_attach_io *io)
{
	if (tw_attach_add_io(&tally, io))
		abort();
}

static bool has(const struct tw_attach_io *io, unsigned bits, uint64_t blockq,
		uint64_t device, uint64_t complete, uint64_t kernel, uint64_t lat)
{
	const uint64_t wanted[TW_ATTACH_TIMES] = {
		[TW_BLOCKQ] = blockq, [TW_DEVICE] = device, [TW_COMPLETE] = complete,
		[TW_KERNEL] = kernel, [TW_LAT] = lat,
	};
	uint64_t ns[TW_ATTACH_TIMES];

	return tw_attach_split(io, ns) == bits &&
	       memcmp(ns, wanted, sizeof(ns)) == 0;
}

#define LAT		TW_ATTACH_HAS(TW_LAT)
#define KERNEL		TW_ATTACH_HAS(TW_KERNEL)

static void test_split(void)
{
	struct tw_attach_io io = io_of(1, 1, READ);

	tap_ok(has(&io, TW_ATTACH_SPLIT, 100, 600, 300, 0, 1000), "all stamps: split");
	io.dispatched_ns = 0;
	tap_ok(has(&io, LAT | KERNEL | TW_ATTACH_HAS(TW_COMPLETE), 0, 0, 300, 700,
	       1000), "not seen dispatched: blockq and device are one");
	io = io_of(1, 1, READ);
	io.finished_ns = 0;
	tap_ok(has(&io, LAT | KERNEL | TW_ATTACH_HAS(TW_BLOCKQ), 100, 0, 0, 900,
	       1000), "not seen finished: device and complete are one");
	io.dispatched_ns = 0;
	tap_ok(has(&io, LAT | KERNEL, 0, 0, 0, 1000, 1000), "no request: whole");
	io = io_of(1, 1, READ);
	io.finished_bytes -= 512;
	tap_ok(has(&io, LAT | KERNEL | TW_ATTACH_HAS(TW_BLOCKQ), 100, 0, 0, 900,
	       1000), "not all bytes seen finished: likewise");
	io = io_of(1, 1, READ);
	io.due_bytes *= 2;
	tap_ok(has(&io, TW_ATTACH_SPLIT, 100, 600, 300, 0, 1000), "dispatched twice: split");
	io.due_bytes = io.finished_bytes = 2048;
	tap_ok(has(&io, TW_ATTACH_SPLIT, 100, 600, 300, 0, 1000),
	       "half of a read of a file, the rest may be a hole: split");
	io.inode.mode = 0060660;
	tap_ok(has(&io, LAT | KERNEL, 0, 0, 0, 1000, 1000),
	       "half of a read of a block device: neither point is known");
	io = io_of(1, 1, WRITE);
	io.due_bytes = 2048;
	tap_ok(has(&io, LAT | KERNEL | TW_ATTACH_HAS(TW_COMPLETE), 0, 0, 300, 700,
	       1000), "half of a write dispatched: the first dispatch is not known");
	io = io_of(1, 1, READ);
	io.dispatched_ns = io.accepted_ns - 1;
	tap_ok(has(&io, LAT | KERNEL, 0, 0, 0, 1000, 1000),
	       "a stamp before the one before it: whole");
	io = io_of(1, 1, READ);
	io.finished_ns = io.posted_ns + 1;
	tap_ok(has(&io, LAT | KERNEL, 0, 0, 0, 1000, 1000), "or after the one after it");
	io = io_of(1, 1, WRITE);
	io.flags = TW_ATTACH_SYNC_WRITE;
	tap_ok(has(&io, LAT | KERNEL | TW_ATTACH_HAS(TW_BLOCKQ), 100, 0, 0, 900,
	       1000), "O_SYNC: a flush may come after the data, so this is not complete");
	io.flags = TW_ATTACH_LINKED;
	tap_ok(has(&io, LAT | KERNEL | TW_ATTACH_HAS(TW_DEVICE) |
	       TW_ATTACH_HAS(TW_COMPLETE), 0, 600, 300, 100, 1000),
	       "linked: the wait for another I/O is not in blockq");
	io.flags = TW_ATTACH_DRAINED;
	tap_ok(has(&io, LAT | KERNEL | TW_ATTACH_HAS(TW_DEVICE) |
	       TW_ATTACH_HAS(TW_COMPLETE), 0, 600, 300, 100, 1000),
	       "nor is that for all I/Os before it");
}

static void test_rows(void)
{
	struct tw_attach_io io = io_of(1, 1, READ);

	begin();
	add(&io);
	add(&io);
	io = io_of(1, 1, WRITE);
	add(&io);
	io = io_of(1, 2, READ);
	add(&io);
	io = io_of(2, 1, READ);
	add(&io);
	io = io_of(3, 1, READ);
	add(&io);
	tap_ok(tally.row_count == 5, "a row by ring, file and operation");
	tap_ok(tally.rows[0].counts.ios == 2 && tally.rows[0].ring == 1 &&
	       tally.rows[0].times[TW_DEVICE].sum_ns == 1200,
	       "the first has two I/Os of ring 1");
	tap_ok(tally.rows[3].ring == 2 && tally.rows[4].ring == 3,
	       "others are of other rings");
	tap_ok(tally.all.counts[TW_READ].ios == 5 &&
	       tally.all.counts[TW_WRITE].ios == 1, "and all in their direction");
	tap_ok(tally.all.scalars.requests == 12 && tally.all.scalars.retries == 6,
	       "with their requests");
	tw_attach_tally_free(&tally);
}

static void test_rings(void)
{
	begin();
	for (__u32 i = 1; i <= TW_ATTACH_MAX_RINGS + 3; i++) {
		const struct tw_attach_ring is = { .kind = TW_ATTACH_RING, .ring = i };

		if (tw_attach_add_ring(&tally, &is))
			abort();
	}
	tap_ok(tally.ring_count == TW_ATTACH_MAX_RINGS && tally.all.scalars.more_rings == 3 &&
	       tally.rings[TW_ATTACH_MAX_RINGS - 1].ring == TW_ATTACH_MAX_RINGS,
	       "no more rings are described than there is room for, and all are counted");
	tw_attach_tally_free(&tally);
}

static uint64_t slow_offset(void)
{
	const struct tw_slow *slow = tw_slowest_get(&tally.slowest, 0);

	return ((const struct tw_attach_slow *)slow)->io.offset;
}

static void test_counts(void)
{
	const struct tw_counts *of;
	struct tw_attach_io io = io_of(7, 1, READ);

	begin();
	io.result = -EIO;
	add(&io);
	io.result = -ECANCELED;
	add(&io);
	io.result = 0;
	add(&io);
	io.accepted_ns = 0;
	add(&io);
	io = io_of(7, 1, READ);
	io.flags = TW_ATTACH_LINKED;
	add(&io);
	io.flags = TW_ATTACH_DRAINED;
	add(&io);
	io.flags = TW_ATTACH_SYNC_WRITE;
	add(&io);
	io.flags = 0;
	io.kind = TW_ATTACH_NO_CQE;
	add(&io);
	of = &tally.rows[0].counts;
	tap_ok(of->ios == 4 && of->errors == 1 && of->cancelled == 1 &&
	       of->unseen == 1 && of->no_cqe == 1, "each is counted once");
	tap_ok(of->split == 1 && of->waited == 2 && of->sync_write == 1,
	       "those with a lat are split, or have a reason why not");
	tap_ok(of->empty == 1 && of->linked == 1 && of->drained == 1,
	       "and some are counted twice");
	tap_ok(tally.rows[0].times[TW_LAT].count == 4 &&
	       tally.all.times[TW_LAT][TW_READ].count == 4,
	       "the others have none");
	tap_ok(memcmp(of, &tally.all.counts[TW_READ], sizeof(*of)) == 0,
	       "the direction's counts are the same");
	tw_attach_tally_free(&tally);

	begin();
	io = io_of(7, 1, FSYNC);
	io.result = 0;
	add(&io);
	io = io_of(7, 2, COMMAND);
	add(&io);
	tap_ok(tally.all.counts[TW_SYNC].ios == 1 &&
	       tally.all.counts[TW_SYNC].empty == 0, "a sync moves nothing anyway");
	tap_ok(tally.row_count == 2 && tally.slowest.count == 1, "a command has no direction");
	tap_ok(slow_offset() == UINT64_MAX, "nor does a sync begin somewhere");
	tw_attach_tally_free(&tally);

	begin();
	io = io_of(7, 1, WRITE);
	io.offset = 8192;
	add(&io);
	tap_ok(slow_offset() == 8192, "as a write does");
	tw_attach_tally_free(&tally);
}

static void test_rest(void)
{
	struct tw_attach_io io;
	uint64_t ios = 0;

	begin();
	for (unsigned i = 0; i < TW_ATTACH_MAX_ROWS + 500; i++) {
		io = io_of(7, i, READV);
		add(&io);
		add(&io);
	}
	for (uint32_t i = 0; i < tally.row_count; i++)
		ios += tally.rows[i].counts.ios;
	tap_ok(tally.row_count == TW_ATTACH_MAX_ROWS + 1 &&
	       tally.rows[TW_ATTACH_MAX_ROWS].rest, "a row for the rest");
	tap_ok(tally.rows[TW_ATTACH_MAX_ROWS].counts.ios == 1000 &&
	       ios == 2 * (TW_ATTACH_MAX_ROWS + 500), "and no I/O is lost or twice there");
	tw_attach_tally_free(&tally);
}

/* Return the next number of a sequence that is always the same. */
static unsigned any_of(unsigned count)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(state >> 33) % count;
}

/* Return an I/O with stamps, flags, a result and an operation of any kind. */
static struct tw_attach_io any_io(void)
{
	static const __u8 opcodes[] = { READV, WRITE, FSYNC, COMMAND };
	static const __s32 results[] = { 4096, 4096, 0, -EIO, -ECANCELED };
	static const __u8 flags[] = {
		0, TW_ATTACH_LINKED, TW_ATTACH_DRAINED, TW_ATTACH_SYNC_WRITE,
	};
	struct tw_attach_io io = io_of(1 + any_of(3), any_of(5), opcodes[any_of(4)]);

	io.result = results[any_of(5)];
	io.flags = flags[any_of(4)];
	io.kind = any_of(9) ? TW_ATTACH_IO : TW_ATTACH_NO_CQE;
	if (!any_of(4))
		io.accepted_ns = 0;
	if (!any_of(4))
		io.dispatched_ns = 0;
	if (!any_of(4))
		io.finished_ns = any_of(2) ? 0 : io.posted_ns + 1;
	return io;
}

/* True if the rows of a direction add up to its counts and times. */
static bool rows_are_all(enum tw_direction direction)
{
	struct tw_counts counts = { 0 };
	uint64_t sum_ns[TW_ATTACH_TIMES] = { 0 };
	bool same = true;

	for (uint32_t i = 0; i < tally.row_count; i++) {
		const struct tw_attach_row *row = &tally.rows[i];

		if (tw_attach_direction(row->opcode) != direction)
			continue;
		for (size_t j = 0; j < TW_COUNTS; j++)
			*tw_count_at(&counts, j) += tw_count_of(&row->counts, j);
		for (unsigned j = 0; j < TW_ATTACH_TIMES; j++)
			sum_ns[j] += row->times[j].sum_ns;
	}
	for (unsigned j = 0; j < TW_ATTACH_TIMES; j++)
		same = same && sum_ns[j] == tally.all.times[j][direction].sum_ns;
	return same && memcmp(&counts, &tally.all.counts[direction], sizeof(counts)) == 0;
}

/* True if each count that the report has was counted at least once, and no other. */
static bool counts_are_known(void)
{
	for (unsigned row = 0; row < TW_COUNTS; row++) {
		uint64_t all = 0;

		for (unsigned direction = 0; direction < TW_DIRECTIONS; direction++)
			all += tw_count_of(&tally.all.counts[direction], row);
		if ((all != 0) != tw_has(&tally.all, row)) {
			printf("# %s: %llu\n", tw_row_path(row),
			       (unsigned long long)all);
			return false;
		}
	}
	return true;
}

static void test_sums(void)
{
	begin();
	for (unsigned i = 0; i < 5000; i++) {
		const struct tw_attach_io io = any_io();

		add(&io);
	}
	tap_ok(rows_are_all(TW_READ) && rows_are_all(TW_WRITE) && rows_are_all(TW_SYNC) &&
	       rows_are_all(TW_TRIM), "the rows of a direction add up to its tally");
	tap_ok(counts_are_known(), "and the report has each count that there is");
	tap_ok(tally.all.scalars.negative_beyond > 0, "stamps in a wrong order, too");
	tw_attach_tally_free(&tally);
}

static void test_over_time(void)
{
	const struct tw_windows *windows = &tally.all.over_time;
	struct tw_attach_io io = io_of(7, 1, READ);

	begin();
	add(&io);
	io.posted_ns += 3 * TW_WINDOWS_NS;
	io.result = -EIO;
	add(&io);
	tw_windows_close(&tally.all.over_time);
	tap_ok(windows->count == 4 && tw_windows_from_ns(windows, 0) == REALTIME_NS &&
	       tw_windows_get(windows, 0)->lat[TW_READ].count == 1,
	       "over time: by the clock of the day");
	tap_ok(tw_windows_get(windows, 3)->errors[TW_READ] == 1, "with errors");
	tw_attach_tally_free(&tally);
}

static void test_recent(void)
{
	struct tw_attach_io io = io_of(7, 1, READ);

	begin();
	add(&io);
	tw_attach_tally_tick(&tally);
	io.result = -EIO;
	add(&io);
	io.result = 1;
	add(&io);
	add(&io);
	tap_ok(tally.rows[0].recent.lat.count == 2 && tally.rows[0].recent.failed == 1 &&
	       tally.rows[0].recent.split == 2 &&
	       tally.rows[0].recent.sum_ns[TW_DEVICE] == 1200,
	       "an interval has its own I/Os");
	tap_ok(tally.rows[0].counts.ios == 3, "and the run has all");
	tw_attach_tally_free(&tally);
}

static void test_names(void)
{
	tap_ok(tw_attach_direction(COMMAND) == TW_ATTACH_COMMAND &&
	       tw_attach_direction(ACCEPT) == TW_ATTACH_OTHER &&
	       tw_attach_direction(NOP) == TW_ATTACH_OTHER, "what is no I/O is no command");
	tap_ok(strcmp(tw_attach_operation(NOP), "nop") == 0 &&
	       strcmp(tw_attach_operation(READ), "read") == 0 &&
	       strcmp(tw_attach_operation(62), "pipe") == 0, "operations have names");
	tap_ok(strcmp(tw_attach_operation(200), "opcode 200") == 0,
	       "new ones have a number");
}

int main(void)
{
	test_split();
	test_rows();
	test_rings();
	test_counts();
	test_rest();
	test_sums();
	test_over_time();
	test_recent();
	test_names();
	return tap_done();
}
