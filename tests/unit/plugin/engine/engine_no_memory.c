/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: whichever allocation of a job's set-up fails, the job ends with fio's
 * ENOMEM, writes no report, and gives back everything that it got. Without memory
 * for its intervals it has no intervals, and goes on. Without memory for its report it
 * has no report, rather than one that lacks a part. Defect: a clean-up that uses
 * what was not set up yet (a crash), a failure that is not passed on, lost memory.
 *
 * The linker replaces the functions that allocate by those below (--wrap).
 *
 * Wraps: malloc calloc realloc strdup aligned_alloc mmap mmap64 free munmap
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "engine_world.h"

#define MANY	1000

static struct {
	bool on;
	unsigned left;		/* the one after these fails */
	unsigned failed;
	long blocks;		/* allocated now */
} memory;

static bool fails(void)
{
	if (!memory.on || memory.left-- != 0)
		return false;
	memory.failed++;
	errno = ENOMEM;
	return true;
}

static void *got(void *block)
{
	memory.blocks += memory.on && block && block != MAP_FAILED;
	return block;
}

/* Make @name fail when it is its turn, by returning @failed. */
#define FAILING(name, type, failed, parameters, ...) \
	type __real_##name parameters; \
	type __wrap_##name parameters; \
	type __wrap_##name parameters \
	{ \
		return fails() ? failed : got(__real_##name(__VA_ARGS__)); \
	}
FAILING(malloc, void *, NULL, (size_t size), size)
FAILING(calloc, void *, NULL, (size_t count, size_t size), count, size)
FAILING(strdup, char *, NULL, (const char *text), text)
FAILING(aligned_alloc, void *, NULL, (size_t alignment, size_t size), alignment, size)
#define OF_MMAP	(void *at, size_t size, int protection, int flags, int file, off_t offset)
FAILING(mmap, void *, MAP_FAILED, OF_MMAP, at, size, protection, flags, file, offset)
/* The engine's own files call mmap() so, as they are built for large files. */
FAILING(mmap64, void *, MAP_FAILED, OF_MMAP, at, size, protection, flags, file, offset)

void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
int __real_munmap(void *at, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
int __wrap_munmap(void *at, size_t size);

void *__wrap_realloc(void *block, size_t size)
{
	void *next = fails() ? NULL : __real_realloc(block, size);

	return block ? next : got(next);
}

void __wrap_free(void *block)
{
	memory.blocks -= memory.on && block;
	__real_free(block);
}

int __wrap_munmap(void *at, size_t size)
{
	memory.blocks -= memory.on;
	return __real_munmap(at, size);
}

/* From now on the allocation after @left others fails. */
static void begin_failing(unsigned left)
{
	memory.on = true;
	memory.left = left;
	memory.failed = 0;
	memory.blocks = 0;
}

/* True if the job began, since it needs fewer. */
static bool begins_without(unsigned one)
{
	bool began;

	world_forget();
	/* What scandir() gets is not seen here. */
	world.td.files_index = 0;
	world.td.rate_bps[DDIR_READ] = 1 << 20;
	begin_failing(one);
	began = world_begin();
	if (!began)
		world_end();
	memory.on = false;
	if (began) {
		world_end();
		return memory.failed == 0;
	}
	if (memory.failed != 1 || memory.blocks || world.report ||
	    world.td.error != ENOMEM) {
		tap_ok(false, "allocation %u: failed %u, %ld blocks left, "
		       "error %d, report %p", one + 1, memory.failed,
		       memory.blocks, world.td.error, (void *) world.report);
		return true;
	}
	return false;
}

/*
 * What tw_interval needs more than the job is no reason to end it. True if nothing
 * failed, since it needs fewer.
 */
static bool goes_on_without(unsigned one, unsigned *without)
{
	const struct tw_job *job;
	bool began;

	world_forget();
	world.td.files_index = 0;
	world.options.report = (char *)"/dev/null";
	world.options.interval_us = 3600000000ULL;
	begin_failing(one);
	began = world_begin();
	memory.on = false;
	job = world.td.io_ops_data;
	if (began && memory.failed) {
		(*without)++;
		if (job->collected.intervals || world.messages != 1)
			tap_ok(false, "allocation %u: %u messages", one + 1,
			       world.messages);
	}
	world_end();
	return !memory.failed;
}

/* Run a job with reads and writes. Its report lacks the allocation after @one others, and
 * none for MANY_MORE. */
#define MANY_MORE	100000
static void run_without(unsigned one)
{
	world_forget();
	world.options.slowest = 5;
	world.options.event_time = 1;
	world_begin();
	for (unsigned i = 0; i < 4; i++)
		world_one(i % 2 ? DDIR_WRITE : DDIR_READ, 1000 << i);
	begin_failing(one);
	world_end();
	memory.on = false;
}

/*
 * The report is complete, or there is none. Defect: a key that got no memory is left
 * out, and the report is written.
 */
static void reports_all_or_nothing(void)
{
	unsigned one, wrong = 0;
	json_t *whole;

	run_without(MANY_MORE);
	whole = json_incref(world.report);
	for (one = 0; one < MANY_MORE; one++) {
		run_without(one);
		if (!memory.failed)
			break;
		if (world.report && !json_equal(world.report, whole) && !wrong++)
			tap_note("without allocation %u: another report", one + 1);
	}
	tap_ok(json_object_size(whole) > 20 && one > 1000 && one < MANY_MORE && !wrong,
	       "each of %u for the report fails: %u reports are not complete", one,
	       wrong);
	json_decref(whole);
}

int main(void)
{
	char folder[] = "/tmp/tw_no_memory.XXXXXX";
	unsigned one = 0, without = 0;

	/* For the intervals. */
	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	while (one < MANY && !begins_without(one))
		one++;
	/*
	 * Histograms of each stage, of lat and of the call, for each direction, and
	 * what an I/O needs.
	 */
	tap_ok(one > (TW_STAGES + 2) * TW_DIRECTIONS && one < MANY,
	       "each of %u allocations fails, and the job with it", one);
	for (one = 0; one < MANY && !goes_on_without(one, &without); one++)
		;
	tap_ok(without > (TW_STAGES + 2) * TW_DIRECTIONS && one < MANY,
	       "each of %u more for tw_interval fails, and the job goes on",
	       without);
	reports_all_or_nothing();
	world_forget();
	unlink("job.0.0.tickwise.intervals.jsonl");
	rmdir(folder);
	return tap_done();
}
