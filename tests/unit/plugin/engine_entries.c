/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the entry that the kernel takes has what fio wants of the I/O, with
 * the job's options, and nothing of what was in the entry before. It does not
 * change while the I/O is in flight. Defect: a file's descriptor for its registered
 * number, a buffer's number where buffers are not registered, flags of a sync in a
 * read. Also priorities where fio has none, an entry that is filled again while a
 * thread of the kernel may read it, an I/O with the name of another one.
 *
 * Each expected entry is written down whole, as io_uring_enter(2) describes it: all
 * 64 bytes are compared.
 */
#include "engine_world.h"

#define INDEX		2U	/* of the io_u, and so of its entry */
#define FD		7	/* of the file */
#define FILE_NUMBER	5	/* and its number among the registered */
#define OFFSET		0x123000
#define SIZE		0x4000
#define DIRTY_FROM	0x8000
#define DIRTY_TO	0x1a000
#define JOB_PRIORITY	0x2001
#define RANGE_FLAGS	6
#define ENTRIES		4

static struct io_uring_sqe expected;
static unsigned compared, wrong;
static uint64_t random_state;

static void note_bytes(const char *what, const struct io_uring_sqe *sqe)
{
	const unsigned char *bytes = (const unsigned char *)sqe;
	char text[3 * sizeof(*sqe) + 1];

	for (size_t i = 0; i < sizeof(*sqe); i++)
		snprintf(text + 3 * i, 4, " %02x", bytes[i]);
	tap_note("%s%s", what, text);
}

static bool is_expected(const struct io_uring_sqe *sqe, const struct io_u *io_u)
{
	compared++;
	/* The upper half of its name is any: see names(). */
	expected.user_data = (sqe->user_data >> 32 << 32) + INDEX;
	if (memcmp(sqe, &expected, sizeof(expected)) == 0)
		return true;
	wrong++;
	note_bytes("is    ", sqe);
	note_bytes("should", &expected);
	return false;
}

static void forget(void)
{
	world_forget();
	compared = wrong = 0;
	world.td.o.iodepth = ENTRIES;
	world.td.o.sync_file_range = RANGE_FLAGS;
	world.file.fd = FD;
	world.file.engine_pos = FILE_NUMBER;
	world.file.first_write = DIRTY_FROM;
	world.file.last_write = DIRTY_TO;
	world.is_right = is_expected;
	/* The former content must not be part of the new entry. */
	memset(world.sqes, 0xa5, sizeof(world.sqes));
}

static struct tw_job *begin(const char *what)
{
	if (!tap_ok(world_begin(), "%s", what))
		return NULL;
	return world.td.io_ops_data;
}

static void one_of(unsigned i, enum fio_ddir ddir)
{
	world_queue(world_transfer(i, ddir, OFFSET, SIZE));
	if (tw_getevents(&world.td, 1, 1, NULL) == 1)
		tw_event(&world.td, 0);
}

/* Check that the entry of this one is as expected, and that no other was taken. */
static void check(enum fio_ddir ddir, const char *what)
{
	const unsigned before = compared;

	one_of(INDEX, ddir);
	tap_ok(compared == before + 1 && !wrong && !world.bad_entries, "%s",
	       what);
	wrong = world.bad_entries = 0;
}

static uint64_t buffer(void)
{
	return (uintptr_t)world.io_us[INDEX].xfer_buf;
}

/* The buffer is known once an I/O has been made. */
static void expect(struct io_uring_sqe sqe)
{
	expected = sqe;
}

static void know_buffer(void)
{
	world_transfer(INDEX, DDIR_READ, OFFSET, SIZE);
}

static void plain(void)
{
	forget();
	if (!begin("a job without options"))
		return;
	know_buffer();
	expect((struct io_uring_sqe) { .opcode = IORING_OP_READ, .fd = FD,
		.off = OFFSET, .addr = buffer(), .len = SIZE });
	check(DDIR_READ, "a read");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_WRITE, .fd = FD,
		.off = OFFSET, .addr = buffer(), .len = SIZE });
	check(DDIR_WRITE, "a write");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_FSYNC, .fd = FD });
	check(DDIR_SYNC, "fsync");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_FSYNC, .fd = FD,
		.fsync_flags = IORING_FSYNC_DATASYNC });
	check(DDIR_DATASYNC, "fdatasync");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_FSYNC, .fd = FD });
	check(DDIR_SYNC, "fsync after fdatasync");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_SYNC_FILE_RANGE,
		.fd = FD, .off = DIRTY_FROM, .len = DIRTY_TO - DIRTY_FROM,
		.sync_range_flags = RANGE_FLAGS });
	check(DDIR_SYNC_FILE_RANGE, "sync_file_range");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_READ, .fd = FD,
		.off = OFFSET, .addr = buffer(), .len = SIZE });
	check(DDIR_READ, "a read after all of them");
	world_end();
}

static void of_options(void)
{
	struct tw_job *job;

	forget();
	job = begin("a job with flags and a priority");
	if (!job)
		return;
	know_buffer();
	job->ioprio = JOB_PRIORITY;
	job->rw_flags[DDIR_READ] = RWF_NOWAIT;
	job->rw_flags[DDIR_WRITE] = RWF_NOWAIT | RWF_DSYNC;
	expect((struct io_uring_sqe) { .opcode = IORING_OP_READ, .fd = FD,
		.ioprio = JOB_PRIORITY, .off = OFFSET, .addr = buffer(),
		.len = SIZE, .rw_flags = RWF_NOWAIT });
	check(DDIR_READ, "a read has both");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_WRITE, .fd = FD,
		.ioprio = JOB_PRIORITY, .off = OFFSET, .addr = buffer(),
		.len = SIZE, .rw_flags = RWF_NOWAIT | RWF_DSYNC });
	check(DDIR_WRITE, "a write has both");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_FSYNC, .fd = FD });
	check(DDIR_SYNC, "a sync has neither");
	world_end();
}

static void registered(void)
{
	struct tw_job *job;

	forget();
	world.fixed_buffers = world.fixed_files = true;
	job = begin("a job with fixedbufs=1 and registerfiles=1");
	if (!job)
		return;
	know_buffer();
	job->opcode[DDIR_READ] = IORING_OP_READ_FIXED;
	job->opcode[DDIR_WRITE] = IORING_OP_WRITE_FIXED;
	expect((struct io_uring_sqe) { .opcode = IORING_OP_READ_FIXED,
		.flags = IOSQE_FIXED_FILE, .fd = FILE_NUMBER, .off = OFFSET,
		.addr = buffer(), .len = SIZE, .buf_index = INDEX });
	check(DDIR_READ, "a read of the file's and the buffer's number");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_WRITE_FIXED,
		.flags = IOSQE_FIXED_FILE, .fd = FILE_NUMBER, .off = OFFSET,
		.addr = buffer(), .len = SIZE, .buf_index = INDEX });
	check(DDIR_WRITE, "a write of both");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_FSYNC,
		.flags = IOSQE_FIXED_FILE, .fd = FILE_NUMBER });
	check(DDIR_SYNC, "a sync of the file's");
	world_end();
}

static void vectored(void)
{
	struct tw_job *job;

	forget();
	world.iovecs = true;
	job = begin("a job with nonvectored=0");
	if (!job)
		return;
	know_buffer();
	job->opcode[DDIR_READ] = IORING_OP_READV;
	job->opcode[DDIR_WRITE] = IORING_OP_WRITEV;
	expect((struct io_uring_sqe) { .opcode = IORING_OP_READV, .fd = FD,
		.off = OFFSET, .addr = (uintptr_t)&job->iovecs[INDEX],
		.len = 1 });
	check(DDIR_READ, "a read of one vector");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_WRITEV, .fd = FD,
		.off = OFFSET, .addr = (uintptr_t)&job->iovecs[INDEX],
		.len = 1 });
	check(DDIR_WRITE, "a write of one vector");
	tap_ok(job->iovecs[INDEX].iov_base == world.io_us[INDEX].xfer_buf &&
	       job->iovecs[INDEX].iov_len == SIZE, "which is the buffer");
	world_end();
}

static void async(unsigned every)
{
	forget();
	world.force_async = every;
	if (!begin("a job with force_async"))
		return;
	know_buffer();
	for (unsigned i = 1; i <= 3 * every; i++) {
		expect((struct io_uring_sqe) { .opcode = IORING_OP_READ,
			.flags = i % every ? 0 : IOSQE_ASYNC, .fd = FD,
			.off = OFFSET, .addr = buffer(), .len = SIZE });
		one_of(INDEX, DDIR_READ);
	}
	tap_ok(compared == 3 * every && !wrong, "one in %u is forced", every);
	world_end();
}

static void async_of_registered(void)
{
	forget();
	world.force_async = 1;
	world.fixed_files = true;
	if (!begin("a job with force_async=1 and registerfiles=1"))
		return;
	expect((struct io_uring_sqe) { .opcode = IORING_OP_FSYNC,
		.flags = IOSQE_FIXED_FILE | IOSQE_ASYNC, .fd = FILE_NUMBER });
	check(DDIR_SYNC, "both flags, of a sync as well");
	world_end();
}

static void trim(void)
{
	forget();
	world.async_trim = true;
	world.td.o.td_ddir = TD_DDIR_TRIM;
	world.file.filetype = FIO_TYPE_BLOCK;
	if (!begin("a job that trims a block device"))
		return;
	/* BLOCK_URING_CMD_DISCARD of linux/blkdev.h, Linux 6.12: _IO(0x12, 0). */
	expect((struct io_uring_sqe) { .opcode = IORING_OP_URING_CMD, .fd = FD,
		.cmd_op = 0x1200, .addr = OFFSET, .addr3 = SIZE });
	check(DDIR_TRIM, "a trim");
	world_end();
}

/* cmdprio_percentage and others: fio has them for reads and writes only. */
static void priorities(void)
{
	forget();
	world.prioritises = true;
	if (!begin("a job with cmdprio_percentage=100"))
		return;
	know_buffer();
	expect((struct io_uring_sqe) { .opcode = IORING_OP_READ, .fd = FD,
		.ioprio = WORLD_PRIORITY, .off = OFFSET, .addr = buffer(),
		.len = SIZE });
	check(DDIR_READ, "a read has the other priority");
	expect((struct io_uring_sqe) { .opcode = IORING_OP_FSYNC, .fd = FD });
	check(DDIR_SYNC, "a sync has none");
	tap_ok(!world.bad_priorities, "and fio is not asked for one");
	world_end();
}

/* Entries for commands: twice as large. */
static void big(void)
{
	struct io_uring_sqe others[2 * WORLD_DEPTH];

	forget();
	world.big_entries = true;
	if (!begin("a job with entries of the double size"))
		return;
	know_buffer();
	memcpy(others, world.sqes, sizeof(others));
	expect((struct io_uring_sqe) { .opcode = IORING_OP_READ, .fd = FD,
		.off = OFFSET, .addr = buffer(), .len = SIZE });
	check(DDIR_READ, "a read");
	others[2 * INDEX] = expected;
	tap_ok(memcmp(others, world.sqes, sizeof(others)) == 0,
	       "is the only entry that was written to");
	world_end();
}

static bool is_any(const struct io_uring_sqe *sqe, const struct io_u *io_u)
{
	return true;
}

/*
 * When an I/O is done, the world compares its entry, and what that points to, with
 * what they were at its submission. The order is not that of the places.
 */
static void in_flight(unsigned batch, bool polled)
{
	unsigned left = 200, depth = 0;
	bool is_out[ENTRIES] = { false };

	forget();
	world.is_right = is_any;
	world.iovecs = true;
	world.polled = polled;
	world.td.o.iodepth_batch = batch;
	if (!begin("a job with I/Os of several lengths"))
		return;
	while (left || depth) {
		unsigned i = (unsigned)(tap_random(&random_state) % ENTRIES);

		if (left && !is_out[i]) {
			world.takes_ticks[i] = tap_random(&random_state) % 5000;
			world_queue(world_transfer(i, DDIR_WRITE,
				left * 0x1000, left * 0x200));
			is_out[i] = true;
			left--;
			depth++;
			continue;
		}
		world_commit();
		world_pass(5000);
		world_show_done();
		if (tw_getevents(&world.td, 1, 1, NULL) != 1)
			break;
		is_out[world_index(tw_event(&world.td, 0))] = false;
		depth--;
	}
	world_end();
	tap_ok(!left && !depth && !world.bad_entries,
	       "%u at a time%s: none changes while it is in flight", batch,
	       polled ? " to a thread" : "");
}

static uint64_t names_seen[ENTRIES * 100];
static unsigned names_count;

static bool note_name(const struct io_uring_sqe *sqe, const struct io_u *io_u)
{
	names_seen[names_count++] = sqe->user_data;
	return (uint32_t)sqe->user_data == io_u->index;
}

static int by_upper_half(const void *a, const void *b)
{
	const uint64_t first = *(const uint64_t *)a >> 32;
	const uint64_t second = *(const uint64_t *)b >> 32;

	return first < second ? -1 : first > second;
}

/*
 * An I/O's name shows that the kernel's stamps are its own. So no other I/O has the
 * same name, also if an I/O is submitted again because it moved too little, and no
 * empty slot has it. A completion has the whole name.
 */
static void names(void)
{
	unsigned i, taken = 0, same = 0;

	forget();
	world.is_right = note_name;
	names_count = 0;
	if (!begin("a job whose I/Os are all short"))
		return;
	while (names_count + ENTRIES <= ENTRIES * 100) {
		for (i = 0; i < ENTRIES; i++) {
			/* Backwards, for completions in another order. */
			world.takes_ticks[i] = 10000 * (ENTRIES - i);
			world.results[i] = SIZE / 2;
			world_queue(world_transfer(i, DDIR_READ, OFFSET, SIZE));
		}
		if (tw_getevents(&world.td, ENTRIES, ENTRIES, NULL) != ENTRIES)
			break;
		for (i = 0; i < ENTRIES; i++)
			taken += tw_event(&world.td, (int)i) ==
				 &world.io_us[ENTRIES - 1 - i];
	}
	world_end();
	tap_ok(taken == names_count && taken == ENTRIES * 100 &&
	       !world.bad_entries, "%u completions, each its io_u's by the "
	       "lower half of its name", taken);
	qsort(names_seen, names_count, sizeof(names_seen[0]), by_upper_half);
	for (i = 1; i < names_count; i++)
		same += names_seen[i] >> 32 == names_seen[i - 1] >> 32;
	tap_ok(!same && names_seen[0] >> 32, "the upper half is another one "
	       "for each, and never 0");
}

/* Use an entry again, for the same or for something else. */
static void again(unsigned batch)
{
	static const enum fio_ddir order[] = {
		DDIR_READ, DDIR_READ, DDIR_SYNC, DDIR_READ, DDIR_DATASYNC,
		DDIR_WRITE, DDIR_WRITE, DDIR_READ, DDIR_DATASYNC, DDIR_SYNC,
		DDIR_WRITE, DDIR_SYNC, DDIR_SYNC,
	};
	const unsigned kinds = sizeof(order) / sizeof(order[0]);
	unsigned i, depth = 0;

	forget();
	world.is_right = NULL;
	world.td.o.iodepth_batch = batch;
	if (!begin("a job with I/Os of all kinds"))
		return;
	for (i = 0; i < ENTRIES * kinds; i++) {
		world_queue(world_transfer(depth++, order[i % kinds],
					   i * SIZE, SIZE));
		if (depth < ENTRIES && i + 1 < ENTRIES * kinds)
			continue;
		world_commit();
		tw_getevents(&world.td, depth, depth, NULL);
		while (depth)
			tw_event(&world.td, (int)--depth);
	}
	world_end();
	tap_ok(!world.bad_entries && world_count("ios", "read") == 4 * ENTRIES &&
	       world_count("ios", "write") == 3 * ENTRIES &&
	       world_count("ios", "sync") == 6 * ENTRIES,
	       "%u at a time: each says what it is for and nothing of what was "
	       "there before", batch);
}

int main(void)
{
	random_state = tap_seed();
	plain();
	of_options();
	registered();
	vectored();
	async(1);
	async(2);
	async(7);
	async_of_registered();
	trim();
	priorities();
	big();
	in_flight(1, false);
	in_flight(3, false);
	in_flight(3, true);
	again(1);
	again(2);
	again(4);
	names();
	world_forget();
	return tap_done();
}
