/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: errors are in the windows of their ends, also in a job that began in the
 * middle of one, and the ramp time is in none. Defect: windows that begin with the job, so
 * that those of two jobs can't be added; an error in the window of the next I/O.
 * engine_stages.c checks in which window each I/O is.
 *
 * In a job with a rate, backlog is how late each I/O was prepared by fio's schedule. An I/O that
 * fio submits again keeps its due time, and syncs are in no schedule. An I/O whose stamps
 * contradict each other has no backlog. Defect: another I/O's due time, a negative time taken for
 * one of centuries.
 *
 * At 1 GHz a tick is a nanosecond: all is right to the tick.
 */
#include "engine_world.h"

#define MS		1000000ULL
#define UNSEEN_NS	50000		/* from the end of the call to getevents() */
#define BEGAN_NS	(7 * MS / 2)	/* the job begins in the middle of a window */

/* Return one I/O at this time. It was seen before, in the window before if need be. */
static void one_at(uint64_t ns, int32_t result)
{
	engine_now_ticks = ns - world.enter_ticks - UNSEEN_NS;
	world.results[0] = result;
	world_queue(0, DDIR_READ);
	world_pass(UNSEEN_NS);
	world_reap(1);
}

static void begin(void)
{
	world_forget();
	engine_now_ticks = BEGAN_NS;
	world_start();
}

/* The I/O that ends the ramp time is returned 6.4 ms after the start. */
static void after_ramp(void)
{
	begin();
	world_ramps();
	for (unsigned i = 1; i < 7; i++)
		one_at(BEGAN_NS + i * MS, 0);
	world.ramp_is_over = true;
	for (unsigned i = 0; i < 3; i++)
		one_at(BEGAN_NS + 6 * MS + 400000 + i * MS, 0);
	world_end();
	tap_ok(json_array_size(world_at(world.report, "over_time.windows")) == 3 &&
	       world_number("over_time.width_ns") == MS &&
	       world_number("over_time.windows.0.start") == world_monotonic_ns(9 * MS) &&
	       world_number("over_time.windows.0.read.count") == 1,
	       "windows begin after the ramp time");
}

/* In the third window two reads fail, and in the fifth one. */
static void errors(void)
{
	static const unsigned right[] = { 0, 2, 1, 0 };
	unsigned wrong = 0;

	begin();
	one_at(5 * MS + 1, 0);
	one_at(6 * MS + 1, -EIO);
	one_at(7 * MS - 1, -EIO);
	one_at(8 * MS + 1, -EIO);
	one_at(9 * MS + 1, 0);
	world_end();
	for (unsigned i = 0; i < FIO_ARRAY_SIZE(right); i++)
		wrong += world_number("over_time.windows.%u.errors.read", i) != right[i];
	tap_ok(!wrong && json_array_size(world_at(world.report, "over_time.windows")) == 4 &&
	       world_number("over_time.windows.2.start") == world_monotonic_ns(8 * MS) &&
	       world_number("errors.read") == 3, "errors are in the windows of their ends");
}

/* I/Os are put into windows 64 at a time. The last of the second 64 is returned at the end
 * of the window that the first 64 have opened. */
static void at_an_edge(void)
{
	begin();
	for (unsigned i = 0; i < 128; i++) {
		engine_now_ticks = 5 * MS - (127 - i) * 5000 - world.enter_ticks;
		world_queue(0, DDIR_READ);
		world_reap(1);
	}
	world_end();
	tap_ok(world_number("over_time.windows.0.read.count") == 127 &&
	       world_number("over_time.windows.1.read.count") == 1,
	       "an I/O at the end of a window is in the next one");
}

/* ---- jobs with a rate --------------------------------------------------- */

#define BATCH		4
#define EPOCH_NS	1000000000ULL
#define BETWEEN_NS	3000U		/* between preparing an I/O and the next */
#define TAKES_NS	20000U
#define LATE_US		5U

static void begin_rated(unsigned batch)
{
	world_forget();
	engine_now_ticks = 2 * EPOCH_NS;
	world.td.o.iodepth = BATCH;
	world.td.o.iodepth_batch = batch;
	world.td.o.iodepth_batch_complete_min = batch;
	world.td.rate_bps[DDIR_READ] = 1 << 20;
	world.td.o.td_ddir |= TD_DDIR_TRIM;
	world.td.epoch.tv_sec = EPOCH_NS / 1000000000;
	world_start();
}

static uint64_t backlog(const char *key)
{
	return world_number("response.backlog.read.%s", key);
}

/* Each is prepared this long after it was due. The last one of a batch submits them
 * all, and all are seen at the end of the call. */
static void batches(void)
{
	uint64_t backlog_ns[BATCH], backlogs = 0;
	unsigned i;

	begin_rated(BATCH);
	for (unsigned batch = 0; batch < 3; batch++) {
		for (i = 0; i < BATCH; i++) {
			uint64_t due_us;

			world_pass(BETWEEN_NS);
			due_us = (engine_now_ticks - EPOCH_NS) / 1000 - LATE_US - i;
			world.td.rate_next_io_time[DDIR_READ] = due_us;
			world.takes_ticks[i] = TAKES_NS;
			backlog_ns[i] = engine_now_ticks - EPOCH_NS - due_us * 1000;
			world_queue(i, DDIR_READ);
		}
		world_reap(BATCH);
		for (i = 0; i < BATCH; i++)
			backlogs += backlog_ns[i];
	}
	world_end();
	tap_ok(backlog("count") == 3 * BATCH && backlog("sum_ns") == backlogs,
	       "backlog: from due to prepared");
	tap_ok(world_number("response.backlog_at_end_ns.read") == backlog_ns[BATCH - 1],
	       "the last backlog stands apart");
}

/* Do a read that is due now. */
static bool due_read(unsigned i)
{
	world.td.rate_next_io_time[DDIR_READ] = (engine_now_ticks - EPOCH_NS) / 1000;
	world_queue(i, DDIR_READ);
	return world_reap(1);
}

/* The second half of a read is due when all of it was due. */
static void short_read(void)
{
	begin_rated(1);
	world.results[0] = WORLD_SIZE / 2;
	due_read(0);
	world.results[0] = 0;
	world.td.rate_next_io_time[DDIR_READ] = 0;
	world_queue(0, DDIR_READ);
	world_reap(1);
	world_end();
	tap_ok(backlog("count") == 1 && backlog("max_ns") == 500,
	       "the rest of a short read: late by what the first part took");
}

/* A trim that has to be submitted again leaves nothing for the read after it, and a sync
 * is in no schedule. */
static void busy_trim(void)
{
	begin_rated(1);
	due_read(0);
	world.td.o.iodepth_batch = 2;
	world_queue(0, DDIR_SYNC);
	tap_ok(world_queue(1, DDIR_TRIM) == FIO_Q_BUSY, "a trim has to come again");
	world_commit();
	world_reap(1);
	world_queue(1, DDIR_TRIM);
	world.td.o.iodepth_batch = 1;
	world_pass(10000);
	due_read(1);
	world_end();
	tap_ok(backlog("count") == 2 && backlog("max_ns") < 1000 && world_number("ios.sync") == 1 &&
	       !world_at(world.report, "response.backlog.sync"),
	       "the read after it is in the schedule, trim and sync are not");
}

/* Another CPU's counter is behind. */
static void backwards(void)
{
	begin_rated(1);
	due_read(0);
	world_pass(10000);
	world.enter_ticks = (uint64_t)-100;
	world.takes_ticks[0] = (uint64_t)-200;
	due_read(0);
	world_end();
	tap_ok(backlog("count") == 1, "returned before it was prepared: no backlog");
}

int main(void)
{
	after_ramp();
	errors();
	at_an_edge();
	batches();
	short_read();
	busy_trim();
	backwards();
	world_forget();
	return tap_done();
}
