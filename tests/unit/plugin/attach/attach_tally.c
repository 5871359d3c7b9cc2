/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/collect
 *
 * Behaviour: `tickwise attach` adds up what the kernel tells of I/Os by ring, file
 * and operation. The stages of an I/O add up to its lat; around a missing stamp
 * they are one. A wait for other I/Os of the program is not in blockq, and what
 * follows a synchronous write's data is not in complete. Errors, cancelled and unseen
 * requests have no lat and are counted. More rows than there is room for are one, and
 * more rings are counted. Files that had one name are in one row. The rows add up to the tally of all I/Os, which also has them
 * over time. The names that the kernel sends are put together to a path. A slow I/O has its
 * longest stage, and what the thread that submitted the I/O did in it; a stage that another
 * thread ends, or the device, is not explained by this thread. The parts of a call of fsync(2)
 * add up to its lat. What ends after the run does not count, and a wait counts until then.
 * Defect: an I/O in two rows or in none; stages of an I/O that lacks a stamp, or under a wrong
 * name; an error among the latencies; a time of another clock; folders in the wrong order;
 * one file's path for another; causes of another thread or another time.
 */
#include "attach/attach_tally.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

enum { NOP = 0, READV = 1, FSYNC = 3, ACCEPT = 13, READ = 22, WRITE = 23, COMMAND = 46 };

#define START_NS	1000000000000ULL
#define REALTIME_NS	1700000000000000000ULL
#define FILES		16384

static struct tw_attach_tally tally;

static void begin(void)
{
	tw_attach_tally_free(&tally);
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

#define B		TW_TIME_BIT(TW_BLOCKQ)
#define D		TW_TIME_BIT(TW_DEVICE)
#define C		TW_TIME_BIT(TW_COMPLETE)
#define K		TW_TIME_BIT(TW_KERNEL)

static void test_split(void)
{
	/* What is not like io_of(), and the times of the I/O, of which lat is 1000. */
	static const struct {
		const char *what;
		__u8 opcode, flags;
		__s32 dispatched, finished;	/* since START_NS; -1: not seen */
		__u32 due, finished_bytes, mode;
		uint64_t has;
		uint64_t ns[TW_LAT];
	} cases[] = {
#define FULL	4096, 4096, 0100644
#define TIMES(b, d, c, k) \
	{ [TW_BLOCKQ] = b, [TW_DEVICE] = d, [TW_COMPLETE] = c, [TW_KERNEL] = k }
		{ "all stamps: split", READ, 0, 1100, 1700, FULL,
		  B | D | C, TIMES(100, 600, 300, 0) },
		{ "not seen dispatched: blockq and device are one", READ, 0, -1, 1700, FULL,
		  C | K, TIMES(0, 0, 300, 700) },
		{ "not seen finished: device and complete are one", READ, 0, 1100, -1, FULL,
		  B | K, TIMES(100, 0, 0, 900) },
		{ "no request: whole", READ, 0, -1, -1, FULL, K, TIMES(0, 0, 0, 1000) },
		{ "not all bytes seen finished: likewise", READ, 0, 1100, 1700,
		  4096, 3584, 0100644, B | K, TIMES(100, 0, 0, 900) },
		{ "dispatched twice: split", READ, 0, 1100, 1700, 8192, 4096, 0100644,
		  B | D | C, TIMES(100, 600, 300, 0) },
		{ "half of a read of a file, the rest may be a hole: split", READ, 0,
		  1100, 1700, 2048, 2048, 0100644, B | D | C, TIMES(100, 600, 300, 0) },
		{ "half of a read of a block device: neither point is known", READ, 0,
		  1100, 1700, 2048, 2048, 0060660, K, TIMES(0, 0, 0, 1000) },
		{ "half of a write dispatched: the first dispatch is not known", WRITE, 0,
		  1100, 1700, 2048, 4096, 0100644, C | K, TIMES(0, 0, 300, 700) },
		{ "a stamp before the one before it: whole", READ, 0, 999, 1700, FULL,
		  K, TIMES(0, 0, 0, 1000) },
		{ "or after the one after it", READ, 0, 1100, 2001, FULL,
		  K, TIMES(0, 0, 0, 1000) },
		{ "at the same time as both: split", READ, 0, 1000, 2000, FULL,
		  B | D | C, TIMES(0, 1000, 0, 0) },
		{ "O_SYNC: a flush may come after the data, so this is not complete", WRITE,
		  TW_STAMPS_SYNC_WRITE, 1100, 1700, FULL, B | K, TIMES(100, 0, 0, 900) },
		{ "linked: the wait for another I/O is not in blockq", WRITE,
		  TW_ATTACH_LINKED, 1100, 1700, FULL, D | C | K, TIMES(0, 600, 300, 100) },
		{ "nor is that for all I/Os before it", WRITE,
		  TW_ATTACH_DRAINED, 1100, 1700, FULL, D | C | K, TIMES(0, 600, 300, 100) },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_io_times times;
		struct tw_attach_io io = io_of(1, 1, cases[i].opcode);
		const __s32 dispatched = cases[i].dispatched, finished = cases[i].finished;

		io.flags = cases[i].flags;
		io.dispatched_ns = dispatched < 0 ? 0 : START_NS + (__u64)dispatched;
		io.finished_ns = finished < 0 ? 0 : START_NS + (__u64)finished;
		io.due_bytes = cases[i].due;
		io.finished_bytes = cases[i].finished_bytes;
		io.inode.mode = cases[i].mode;
		tw_attach_split(&io, &times);
		tap_ok(times.has == (cases[i].has | TW_TIME_BIT(TW_LAT)) &&
		       times.ns[TW_LAT] == 1000 && memcmp(times.ns, cases[i].ns, sizeof(cases[i].ns)) == 0,
		       "%s", cases[i].what);
	}
}

static void test_rows(void)
{
	static const struct {
		__u32 ring, inode;
		__u8 opcode;
	} of[] = {
		{ 1, 1, READ }, { 1, 1, READ }, { 1, 1, WRITE }, { 1, 2, READ },
		{ 2, 1, READ }, { 3, 1, READ },
	};
	struct tw_attach_io io;

	begin();
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		io = io_of(of[i].ring, of[i].inode, of[i].opcode);
		add(&io);
	}
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
}

static void test_rings(void)
{
	begin();
	for (__u32 i = 1; i <= TW_ATTACH_MAX_RINGS + 3; i++)
		tw_attach_add_ring(&tally, &(struct tw_attach_ring) { .ring = i });
	tap_ok(tally.ring_count == TW_ATTACH_MAX_RINGS && tally.all.scalars.more_rings == 3 &&
	       tally.rings[TW_ATTACH_MAX_RINGS - 1].ring == TW_ATTACH_MAX_RINGS,
	       "no more rings are described than there is room for, and all are counted");
}

static const struct tw_attach_slow *slowest(void)
{
	return (const void *)tw_slowest_get(&tally.slowest, 0);
}

static void test_counts(void)
{
	static const struct {
		__s32 result;
		__u8 flags, kind, is_unseen;
	} kinds[] = {
		{ -EIO, 0, TW_ATTACH_IO, 0 }, { -ECANCELED, 0, TW_ATTACH_IO, 0 },
		{ 0, 0, TW_ATTACH_IO, 0 }, { 0, 0, TW_ATTACH_IO, 1 },
		{ 4096, TW_ATTACH_LINKED, TW_ATTACH_IO, 0 },
		{ 4096, TW_ATTACH_DRAINED, TW_ATTACH_IO, 0 },
		{ 4096, TW_STAMPS_SYNC_WRITE, TW_ATTACH_IO, 0 },
		{ 4096, 0, TW_ATTACH_NO_CQE, 0 },
	};
	const struct tw_counts *of;
	struct tw_attach_io io;

	begin();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		io = io_of(7, 1, READ);
		io.result = kinds[i].result;
		io.flags = kinds[i].flags;
		io.kind = kinds[i].kind;
		if (kinds[i].is_unseen)
			io.accepted_ns = 0;
		add(&io);
	}
	of = &tally.rows[0].counts;
	tap_ok(of->ios == 4 && of->errors == 1 && of->cancelled == 1 &&
	       of->unseen == 1 && of->no_cqe == 1, "each is counted once");
	tap_ok(of->split == 1 && of->waited == 2 && of->sync_write == 1,
	       "those with a lat are split, or have a reason why not");
	tap_ok(of->zero_byte == 1 && of->linked == 1 && of->drained == 1,
	       "and some are counted twice");
	tap_ok(tally.rows[0].times[TW_LAT].count == 4 &&
	       tally.all.times[TW_LAT][TW_READ].count == 4,
	       "the others have none");
	tap_ok(memcmp(of, &tally.all.counts[TW_READ], sizeof(*of)) == 0,
	       "the direction's counts are the same");

	begin();
	io = io_of(7, 1, FSYNC);
	io.result = 0;
	add(&io);
	io = io_of(7, 2, COMMAND);
	add(&io);
	tap_ok(tally.all.counts[TW_SYNC].ios == 1 &&
	       tally.all.counts[TW_SYNC].zero_byte == 0, "a sync moves nothing anyway");
	tap_ok(tally.row_count == 2 && tally.slowest.count == 1, "a command has no direction");
	tap_ok(slowest()->io.offset == UINT64_MAX, "nor does a sync begin somewhere");
	begin();
	io = io_of(7, 1, WRITE);
	io.offset = 8192;
	add(&io);
	tap_ok(slowest()->io.offset == 8192, "as a write does");
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
		0, TW_ATTACH_LINKED, TW_ATTACH_DRAINED, TW_STAMPS_SYNC_WRITE,
		TW_ATTACH_NOT_CHOSEN,
	};
	struct tw_attach_io io = io_of(1 + any_of(3), any_of(5), opcodes[any_of(4)]);

	io.result = results[any_of(5)];
	io.flags = flags[any_of(5)];
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
	uint64_t sum_ns[TW_TIMES] = { 0 };
	bool same = true;

	for (uint32_t i = 0; i < tally.row_count; i++) {
		const struct tw_attach_row *row = &tally.rows[i];

		if (tw_attach_direction(row->opcode) != direction)
			continue;
		for (size_t j = 0; j < TW_COUNTS; j++)
			counts.at[j] += row->counts.at[j];
		for (unsigned j = 0; j < TW_TIMES; j++)
			sum_ns[j] += row->times[j].sum_ns;
	}
	for (unsigned j = 0; j < TW_TIMES; j++)
		same = same && sum_ns[j] == tally.all.times[j][direction].sum_ns;
	return same && memcmp(&counts, &tally.all.counts[direction], sizeof(counts)) == 0;
}

/* True if each count that the report has was counted at least once, and no other. Calls alone have
 * bytes of syncs. */
static bool counts_are_known(void)
{
	for (unsigned row = 0; row < TW_COUNTS; row++) {
		uint64_t all = 0;

		for (unsigned direction = 0; direction < TW_DIRECTIONS; direction++)
			all += tally.all.counts[direction].at[row];
		if (row != TW_METRIC_sync_bytes && (all != 0) != tw_has(&tally.all, row)) {
			printf("# %s: %llu\n", tw_metric_path(row),
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

/* ---- paths ------------------------------------------------------------------- */

/* @names: with a 0 at the end of each. */
static void add_file(__u64 number, const char *names, size_t size, __u16 flags)
{
	static struct tw_attach_file record;

	record = (struct tw_attach_file) {
		.kind = TW_ATTACH_FILE, .flags = flags, .size = (__u16)size,
		.inode = { .number = number, .device = 8, .mode = 0100000 },
	};
	memcpy(record.names, names, size);
	if (tw_attach_add_file(&tally, &record,
			       offsetof(struct tw_attach_file, names) + size))
		abort();
}

static bool is_path(__u64 number, const char *path)
{
	const struct tw_attach_inode inode = { number, .device = 8, .mode = 0100000 };

	return strcmp(tw_attach_file_name(&tally, &inode), path) == 0;
}

static void test_paths(void)
{
	static const struct {
		const char *names;
		size_t size;
		__u16 flags;
		const char *path, *what;
	} cases[] = {
		{ "t.ibd\0mysql\0lib", 16, 0, "/lib/mysql/t.ibd", "a file in folders" },
		{ "a", 2, 0, "/a", "in the first folder" },
		{ "", 0, 0, "/", "that folder" },
		{ "a", 2, TW_ATTACH_DELETED, "/a (deleted)", "a file that was deleted" },
		{ "a\0b", 4, TW_ATTACH_CUT, ".../b/a", "a path that is too long" },
		{ "", 0, TW_ATTACH_CUT | TW_ATTACH_DELETED, "... (deleted)",
		  "of which nothing is known" },
	};
	char name[32];
	int wrong = 0;

	begin();
	tap_ok(is_path(0, "?"), "a file that is not known");
	tap_ok(strcmp(tw_attach_file_name(&tally, &(struct tw_attach_inode) { 0 }), "-") == 0,
	       "no file");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		add_file(i, cases[i].names, cases[i].size, cases[i].flags);
		tap_ok(is_path(i, cases[i].path), "%s", cases[i].what);
	}
	add_file(0, "other", 6, 0);
	tap_ok(is_path(0, cases[0].path), "the first name counts");
	begin();
	for (__u64 i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "%llu", (unsigned long long)i);
		add_file(i << 32, name, strlen(name) + 1, 0);
	}
	for (__u64 i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "/%llu", (unsigned long long)i);
		wrong += !is_path(i << 32, name);
	}
	tap_ok(!wrong && is_path(1, "?"), "as many as the kernel sends");
}

/* A database makes its journal again for each transaction: another inode of the same name. */
static void test_made_again(void)
{
	struct tw_attach_io io = io_of(1, 1, READ);

	begin();
	io.inode.mode = 0100000;
	for (__u64 i = 1; i <= 3; i++) {
		add_file(i, "journal", 8, 0);
		io.inode.number = i;
		add(&io);
		add(&io);
	}
	add_file(4, "other", 6, 0);
	io.inode.number = 4;
	add(&io);
	io.inode.device = 9;
	add(&io);
	tap_ok(tally.row_count == 3 && tally.rows[0].counts.ios == 6 &&
	       tally.rows[1].counts.ios == 1, "a file that is made again has one row");
}

/* ---- causes ------------------------------------------------------------------ */

#define ACCEPTED_NS	40000000000000001ULL	/* no double has this value */

static struct tw_offcpu offcpu[TW_ATTACH_THREADS];

/* Return an I/O whose points come after these times; 0: not passed. */
static struct tw_attach_io slow_io(unsigned dispatched_ns, unsigned finished_ns)
{
	return (struct tw_attach_io) {
		.kind = TW_ATTACH_IO, .opcode = READ, .result = 4096, .thread = 2,
		.flags = TW_ATTACH_DISPATCHED_ITSELF | TW_ATTACH_POSTED_ITSELF,
		.accepted_ns = ACCEPTED_NS,
		.dispatched_ns = dispatched_ns ? ACCEPTED_NS + dispatched_ns : 0,
		.finished_ns = finished_ns ? ACCEPTED_NS + finished_ns : 0,
		.posted_ns = ACCEPTED_NS + 1000,
		.due_bytes = dispatched_ns ? 4096 : 0,
		.finished_bytes = finished_ns ? 4096 : 0,
	};
}

/* The second thread runs, and then is off its CPU, ready to run. */
static void add_period(uint64_t ran_ns, uint64_t off_ns, uint64_t on_ns)
{
	struct tw_offcpu_period *period = &offcpu[1].periods[offcpu[1].newest % TW_OFFCPU_PERIODS];

	*period = (struct tw_offcpu_period) {
		.number = ++offcpu[1].newest, .ran_ns = ACCEPTED_NS + ran_ns,
		.off_ns = ACCEPTED_NS + off_ns, .on_ns = ACCEPTED_NS + on_ns,
		.holders[0] = {
			.from_ns = ACCEPTED_NS + off_ns, .to_ns = ACCEPTED_NS + on_ns,
			.id = 77, .kind = TW_PROCESS, .name = "loop",
		},
	};
}

/* ---- calls ----------------------------------------------------------------------- */

/* A call of 1000 ns: to 300 it wrote data, and its last wait ended at 900, with 400 of a flush. */
static struct tw_attach_call call_of(__u8 opcode)
{
	return (struct tw_attach_call) {
		.kind = TW_ATTACH_CALL, .opcode = opcode,
		.inode = io_of(0, 1, opcode).inode, .ran_ns = START_NS + 2000,
		.stamps = {
			.begun_ns = START_NS + 1000, .moved_on_ns = START_NS + 1300,
			.ended_ns = START_NS + 1900, .flush_ns = 400, .disk = 1,
			.commits = 2, .written_bytes = 4096,
		},
	};
}

static uint64_t sum_of(unsigned time)
{
	return tally.all.times[time][TW_SYNC].sum_ns;
}

static void test_calls(void)
{
	struct tw_attach_call whole = call_of(TW_ATTACH_FSYNC), unseen = whole;
	struct tw_attach_call calls[] = {
		call_of(TW_ATTACH_FSYNC), call_of(TW_ATTACH_FDATASYNC),
	};
	const struct tw_counts *counts = &tally.all.counts[TW_SYNC];
	const struct tw_attach_io ring = io_of(1, 1, FSYNC);
	struct tw_attach_io wrong = ring;
	const struct tw_attach_slow *slow;

	tw_attach_tally_free(&tally);
	if (tw_attach_tally_init(&tally, START_NS, REALTIME_NS, 4))
		abort();
	whole.stamps.disk = 0;
	wrong.result = -EBADF;
	unseen.stamps = (struct tw_sync) { .key = 0 };
	calls[1].stamps.commits = calls[1].stamps.others = 1;
	calls[1].stamps.who = (struct tw_who) {
		.kind = TW_WHO_PROCESS, .id = 77, .name = "dd", .requests = 9,
	};
	if (tw_attach_add_call(&tally, &calls[0]) || tw_attach_add_call(&tally, &calls[1]))
		abort();
	tap_ok(counts->ios == 2 && sum_of(TW_SYNC_DATA) == 600 && sum_of(TW_SYNC_FLUSH) == 800 &&
	       sum_of(TW_SYNC_JOURNAL) == 400 && sum_of(TW_SYNC_WAKE) == 200 &&
	       sum_of(TW_KERNEL) == 2000 && sum_of(TW_LAT) == 2000,
	       "the parts of calls add up to kernel and lat");
	tap_ok(counts->sync_bytes == 8192, "bytes are counted");
	tap_ok(!tally.all.times[TW_SYNC_WORKER][TW_SYNC].count, "none of them has a worker");
	tap_ok(tally.row_count == 2 && tally.rows[0].ring == 0 &&
	       strcmp(tw_attach_operation(tally.rows[0].opcode), "fsync") == 0 &&
	       strcmp(tw_attach_operation(tally.rows[1].opcode), "fdatasync") == 0,
	       "fsync(2) and fdatasync(2) have a row each, on no ring");
	tap_ok(tally.rows[0].times[TW_SYNC_DATA].sum_ns == 300 &&
	       tally.rows[1].times[TW_SYNC_FLUSH].sum_ns == 400, "each row has the parts of its calls");
	if (tw_attach_add_call(&tally, &whole) || tw_attach_add_io(&tally, &wrong) ||
	    tw_attach_add_call(&tally, &unseen) || tw_attach_add_io(&tally, &ring))
		abort();
	tap_ok(counts->ios == 4 && counts->unsplit_syncs == 2 && counts->errors == 1 &&
	       counts->unseen == 1 && tally.all.times[TW_SYNC_WAKE][TW_SYNC].count == 2,
	       "those without a disk, and those of io_uring, are counted as not split; a sync "
	       "that fails, or a call that began before, has no lat");
	slow = (const void *)tw_slowest_get(&tally.slowest, 1);
	tap_ok(tally.slowest.count == 4 && tw_io_has(&slow->times, TW_SYNC_WAKE) &&
	       slow->synced.who.id == 77, "a slow call has its parts, and who was in its commit");
	tap_ok(tally.commits.count == 1 && tally.commits.all[0].ios == 1 &&
	       tally.commits.all[0].ns == 200 && tally.commits.all[0].who.id == 77,
	       "its part journal counts for who was in its commit");
}

/* The kernel's programs see events until they are detached, after the end of the run. */
static void test_end(void)
{
	const struct tw_attach_io io = io_of(1, 1, READ), early = io_of(1, 2, READ);
	const struct tw_attach_call call = call_of(TW_ATTACH_FSYNC);
	struct tw_attach_io late = io;
	struct tw_attach_wait wait = {
		.kind = TW_ATTACH_WAIT, .call = 0, .flags = TW_ATTACH_FIRST,
		.slept_ns = START_NS + 1000, .on_ns = START_NS + 1400,
	};
	const struct tw_attach_waits *waits = &tally.waits;

	begin();
	tally.end_ns = START_NS + 1500;
	late.accepted_ns = START_NS + 1600;
	add(&io);
	add(&late);
	if (tw_attach_add_call(&tally, &call))
		abort();
	tap_ok(!tally.row_count && !tally.all.counts[TW_READ].ios && !tally.all.over_time.count &&
	       tally.all.scalars.in_flight == 1,
	       "what ends after the run is not counted, or was in flight at its end");
	tally.end_ns = START_NS + 2000;
	add(&early);
	tap_ok(tally.all.counts[TW_READ].ios == 1, "what ends with the run is");
	tally.end_ns = START_NS + 1500;
	for (unsigned i = 0; i < 3; i++) {
		if (tw_attach_add_wait(&tally, &wait, sizeof(wait)))
			abort();
		wait.on_ns = UINT64_MAX;
		wait.slept_ns += 300 * i;
	}
	wait.slept_ns = START_NS + 1501;
	if (tw_attach_add_wait(&tally, &wait, sizeof(wait)))
		abort();
	tap_ok(waits->waits == 3 && waits->ns == 400 + 500 + 200 && waits->calls == 1 &&
	       tally.all.scalars.not_over == 2,
	       "a wait counts until the end of the run, one that begins later does not");
}

static void test_why(void)
{
	static const struct {
		const char *what;
		unsigned dispatched_ns, finished_ns;
		__u8 not_itself, retries;
		__u8 thread;
		unsigned stage;
		uint64_t from_ns, ns;
		bool followed;
		uint64_t ran_ns, waited_ns;	/* the stall begins between them */
	} cases[] = {
		{ "complete: it had to wait for its CPU", 100, 300, 0, 0, 2,
		  TW_COMPLETE, 300, 700, true, 100, 600 },
		{ "another thread posts the completion", 100, 300,
		  TW_ATTACH_POSTED_ITSELF, 0, 2, TW_COMPLETE, 300, 700, false, 0, 0 },
		{ "the device", 100, 900, 0, 0, 2, TW_DEVICE, 100, 800, false, 0, 0 },
		{ "blockq: before it dispatches", 950, 960, 0, 0, 2,
		  TW_BLOCKQ, 0, 950, true, 400, 550 },
		{ "a worker's retry", 950, 960, 0, 1, 2, TW_BLOCKQ, 0, 950, false, 0, 0 },
		{ "another dispatches", 950, 960, TW_ATTACH_DISPATCHED_ITSELF, 0, 2,
		  TW_BLOCKQ, 0, 950, false, 0, 0 },
		{ "without stages: all of it", 0, 0, 0, 0, 2,
		  TW_KERNEL, 0, 1000, true, 400, 600 },
		{ "but for a worker's", 0, 0, 0, 1, 2, TW_KERNEL, 0, 1000, false, 0, 0 },
		{ "not seen finished: since it was dispatched", 100, 0, 0, 0, 2,
		  TW_KERNEL, 100, 900, true, 300, 600 },
		{ "not seen dispatched: it ends in the device", 0, 800, 0, 0, 2,
		  TW_KERNEL, 0, 800, false, 0, 0 },
		{ "no thread", 100, 300, 0, 0, 0, TW_COMPLETE, 300, 700, false, 0, 0 },
		{ "no such thread", 100, 300, 0, 0, TW_ATTACH_THREADS + 1,
		  TW_COMPLETE, 300, 700, false, 0, 0 },
		{ "another thread's offcpu are not taken", 100, 300, 0, 0, 1,
		  TW_COMPLETE, 300, 700, true, 0, 0 },
	};
	struct tw_io_times times;
	struct tw_attach_why why;
	struct tw_attach_io io;

	add_period(0, 400, 1000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct tw_wait_causes *is = &why.causes;

		io = slow_io(cases[i].dispatched_ns, cases[i].finished_ns);
		io.flags &= (__u8)~cases[i].not_itself;
		io.retries = cases[i].retries;
		io.thread = cases[i].thread;
		tw_attach_split(&io, &times);
		tw_attach_why_find(offcpu, &io, &times, &why);
		tap_ok(why.stage == cases[i].stage && why.ns == cases[i].ns &&
		       why.from_ns == ACCEPTED_NS + cases[i].from_ns &&
		       why.followed == cases[i].followed &&
		       is->waited_ns == cases[i].waited_ns && !is->lost &&
		       is->had_cpu[0].ns == cases[i].waited_ns &&
		       (!cases[i].waited_ns || (is->had_cpu[0].id == 77 &&
			is->ran_ns == cases[i].ran_ns &&
			is->stall_from_ns == (int64_t)cases[i].ran_ns)),
		       "%s", cases[i].what);
	}
	io = slow_io(100, 300);
	begin();
	tally.offcpu = offcpu;
	add(&io);
	tap_ok(slowest()->why.followed && slowest()->why.causes.waited_ns == 600,
	       "a slow I/O has its causes");
	for (unsigned i = 0; i < TW_OFFCPU_PERIODS; i++)
		add_period(2000 + 10 * i, 2005 + 10 * i, 2010 + 10 * i);
	tw_attach_split(&io, &times);
	tw_attach_why_find(offcpu, &io, &times, &why);
	tap_ok(why.followed && why.causes.lost && !why.causes.waited_ns,
	       "overwritten: lost");
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
	test_names();
	test_paths();
	test_made_again();
	test_calls();
	test_end();
	test_why();
	tw_attach_tally_free(&tally);
	return tap_done();
}
