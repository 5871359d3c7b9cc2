/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the entry that the kernel takes has what fio wants of the I/O, with
 * the job's options, and nothing of what was in the entry before. It does not
 * change while the I/O is in flight, and no two I/Os have one name. Defect: a file's
 * descriptor for its registered number, a buffer's number where buffers are not
 * registered, flags of a sync in a read, an option that does not reach the entry. Also
 * priorities where fio has none, an entry that is filled again while a thread of the
 * kernel may read it.
 *
 * world_entry_is_right() writes down each entry whole: all 64 bytes are compared.
 */
#include "engine_world.h"

#define FILES	3
#define ENTRIES	4

struct shape {
	const char *name;
	struct tw_options options;
	unsigned batch;
	bool direct, atomic, prioritises, trims;
	unsigned short ioprio;
};

static struct fio_file files[FILES];

/* Begin a job with several files, of which each I/O takes another one. */
static void begin(const struct shape *shape)
{
	world_forget();
	world.options = shape->options;
	world.options.digits = 3;
	world.options.stages = 1;
	world.options.kernel = TW_KERNEL_OFF;
	world.prioritises = shape->prioritises;
	world.td.ioprio = shape->ioprio;
	world.td.o.iodepth = ENTRIES;
	world.td.o.iodepth_batch = shape->batch;
	world.td.o.odirect = shape->direct;
	world.td.o.oatomic = shape->atomic;
	world.td.o.sync_file_range = 6;
	world.td.o.td_ddir = shape->trims ? TD_DDIR_TRIM : TD_DDIR_RW;
	world.td.files_index = world.td.o.nr_files = world.td.o.open_files = FILES;
	for (int i = 0; i < FILES; i++) {
		files[i] = world.file;
		files[i].fd = 207 + i;
		files[i].engine_pos = 7;
		files[i].filetype = FIO_TYPE_BLOCK;
		files[i].first_write = 0x8000;
		files[i].last_write = 0x1a000;
		world.list[i] = &files[i];
	}
	world_start();
}

static struct io_u *transfer(unsigned i, enum fio_ddir ddir, unsigned number)
{
	struct io_u *io_u = world_transfer(i, ddir, number * 0x1000, number * 0x200 + 512);

	io_u->file = &files[number % FILES];
	tw_open_file(&world.td, io_u->file);
	return io_u;
}

/* Use each entry again and again, for the same or for something else. */
static void all_kinds(const struct shape *shape)
{
	static const enum fio_ddir order[] = {
		DDIR_READ, DDIR_READ, DDIR_SYNC, DDIR_READ, DDIR_DATASYNC,
		DDIR_WRITE, DDIR_WRITE, DDIR_READ, DDIR_DATASYNC, DDIR_SYNC,
		DDIR_SYNC_FILE_RANGE, DDIR_WRITE, DDIR_SYNC, DDIR_SYNC,
	};
	const unsigned ios = ENTRIES * FIO_ARRAY_SIZE(order);
	unsigned i, depth = 0;

	begin(shape);
	for (i = 0; i < ios; i++) {
		struct io_u *io_u = transfer(depth++, shape->trims ? DDIR_TRIM :
					     order[i % FIO_ARRAY_SIZE(order)], i);

		world_prep(io_u);
		world_queue_prepared(io_u);
		if (depth < ENTRIES && i + 1 < ios)
			continue;
		world_commit();
		world_show_done();
		world_reap(depth);
		depth = 0;
	}
	world_end();
	tap_ok(world.entries == ios && !world.bad_entries && !world.bad_priorities,
	       "%s: each entry has what it is for, and nothing of what was there before "
	       "(%u of %u are wrong)", shape->name, world.bad_entries, ios);
}

static uint64_t names_seen[ENTRIES * 100];
static unsigned names_count;

static void note_name(unsigned i)
{
	names_seen[names_count++] = world.ios[i].sqe.user_data;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t first = *(const uint64_t *)a >> TW_KEY_NUMBER_SHIFT;
	const uint64_t second = *(const uint64_t *)b >> TW_KEY_NUMBER_SHIFT;

	return first < second ? -1 : first > second;
}

/*
 * An I/O's name shows that the kernel's stamps are its own. So no other I/O has the
 * same name, also if an I/O is submitted again because it moved too little, and no
 * empty stamps has it. A completion has the whole name.
 */
static void names(void)
{
	unsigned i, taken = 0, same = 0;

	world_forget();
	world.td.o.iodepth = ENTRIES;
	world.accepted = note_name;
	world_start();
	while (names_count < ENTRIES * 100) {
		for (i = 0; i < ENTRIES; i++) {
			/* Backwards, for completions in another order. */
			world.takes_ticks[i] = 10000 * (ENTRIES - i);
			world.results[i] = WORLD_SIZE / 2;
			world_queue(i, DDIR_READ);
		}
		if (tw_getevents(&world.td, ENTRIES, ENTRIES, NULL) != ENTRIES)
			break;
		for (i = 0; i < ENTRIES; i++)
			taken += tw_event(&world.td, (int)i) ==
				 &world.io_us[ENTRIES - 1 - i];
	}
	world_end();
	qsort(names_seen, names_count, sizeof(names_seen[0]), by_number);
	for (i = 1; i < names_count; i++)
		same += !by_number(&names_seen[i], &names_seen[i - 1]);
	tap_ok(taken == ENTRIES * 100 && !world.bad_entries && !same &&
	       names_seen[0] >> TW_KEY_NUMBER_SHIFT,
	       "%u completions, each its io_u's; its name has a number, another one "
	       "for each, and never 0", taken);
}

int main(void)
{
	static const struct shape shapes[] = {
		{ "no options", { .nonvectored = 1 }, .batch = 1 },
		{ "in batches", { .nonvectored = 1 }, .batch = 2 },
		{ "in batches as deep as the ring", { .nonvectored = 1 }, .batch = ENTRIES },
		{ "an iovec", { .nonvectored = 0 }, .batch = 2 },
		{ "as the kernel can", { .nonvectored = -1U }, .batch = 2 },
		{ "registered buffers", { .fixedbufs = 1 }, .batch = 2 },
		{ "registered files", { .nonvectored = 1, .registerfiles = 1 }, .batch = 2 },
		{ "both", { .fixedbufs = 1, .registerfiles = 1 }, .batch = 2 },
		{ "a polling thread", { .nonvectored = 1, .sqthread_poll = 1 }, .batch = 2 },
		{ "nowait=1", { .nonvectored = 1, .nowait = 1 }, .batch = 1 },
		{ "uncached=1", { .nonvectored = 1, .uncached = 1 }, .batch = 1 },
		{ "uncached=1 direct=1", { .nonvectored = 1, .uncached = 1 }, 1,
		  .direct = true },
		{ "atomic=1", { .nonvectored = 1, .nowait = 1 }, 1, .atomic = true },
		{ "tw_test_nop=1, both", { .fixedbufs = 1, .registerfiles = 1, .test_nop = 1 },
		  .batch = 2 },
		{ "tw_test_nop=1", { .nonvectored = 1, .nowait = 1, .test_nop = 1 }, .batch = 1 },
		{ "force_async=1", { .nonvectored = 1, .force_async = 1 }, .batch = 1 },
		{ "force_async=2", { .nonvectored = 1, .force_async = 2 }, .batch = 1 },
		{ "force_async=7, registered files", { .nonvectored = 1, .force_async = 7,
		  .registerfiles = 1 }, .batch = 2 },
		{ "prio", { .nonvectored = 1 }, 2, .ioprio = 0x2001 },
		{ "cmdprio_percentage=100", { .nonvectored = 1 }, 2, .prioritises = true },
		{ "trims", { .nonvectored = 1 }, 2, .trims = true },
	};

	world_random = tap_seed();
	for (size_t i = 0; i < FIO_ARRAY_SIZE(shapes); i++)
		all_kinds(&shapes[i]);
	names();
	world_forget();
	return tap_done();
}
