/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: in a job with a rate that submits several I/Os at a time, slip is how
 * late each was prepared by fio's schedule. The response time goes from the due
 * time until the I/O is returned: the wait in the ring for the others of its batch
 * is part of it. An I/O that fio submits again keeps its due time, syncs are in no
 * schedule, and stamps that contradict each other are no response time. Defect: a
 * response time that counts from entering the kernel, a due time of another I/O, a
 * negative time taken for one of centuries.
 *
 * At 1 GHz a tick is a nanosecond: all is right to the tick.
 */
#include "engine_world.h"

#define BATCH		4
#define EPOCH_NS	1000000000ULL
#define BETWEEN_NS	3000U		/* between preparing an I/O and the next */
#define TAKES_NS	20000U
#define LATE_US		5U

static void begin(unsigned batch)
{
	world_forget();
	engine_now_ticks = 2 * EPOCH_NS;
	world.td.o.iodepth = BATCH;
	world.td.o.iodepth_batch = batch;
	world.td.o.iodepth_batch_complete_min = batch;
	world.td.rate_bps[DDIR_READ] = 1 << 20;
	world.td.o.td_ddir |= TD_DDIR_TRIM;
	world.td.epoch.tv_sec = EPOCH_NS / 1000000000;
	tap_ok(world_begin(), "a job with a rate begins");
}

static uint64_t slip(const char *key)
{
	return world_number("response.slip.read.%s", key);
}

static uint64_t total(const char *key)
{
	return world_number("response.total.read.%s", key);
}

/* Each is prepared this long after it was due. The last one of a batch submits them
 * all, and all are seen at the end of the call. */
static void batches(void)
{
	uint64_t prepared_ns[BATCH], slip_ns[BATCH], slips = 0, totals = 0, longest = 0;
	unsigned i;

	begin(BATCH);
	for (unsigned batch = 0; batch < 3; batch++) {
		for (i = 0; i < BATCH; i++) {
			uint64_t due_us;

			world_pass(BETWEEN_NS);
			due_us = (engine_now_ticks - EPOCH_NS) / 1000 - LATE_US - i;
			world.td.rate_next_io_time[DDIR_READ] = due_us;
			world.takes_ticks[i] = TAKES_NS;
			prepared_ns[i] = engine_now_ticks;
			slip_ns[i] = engine_now_ticks - EPOCH_NS - due_us * 1000;
			world_queue(i, DDIR_READ);
		}
		world_reap(BATCH);
		for (i = 0; i < BATCH; i++) {
			uint64_t ns = slip_ns[i] + engine_now_ticks - prepared_ns[i];

			slips += slip_ns[i];
			totals += ns;
			longest = max(longest, ns);
		}
	}
	world_end();
	tap_ok(slip("count") == 3 * BATCH && slip("sum_ns") == slips,
	       "slip: from due to prepared");
	tap_ok(total("count") == 3 * BATCH && total("sum_ns") == totals &&
	       total("max_ns") == longest, "response: from due to returned");
	tap_ok(world_number("response.slip_at_end_ns.read") == slip_ns[BATCH - 1],
	       "the last slip stands apart");
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
	begin(1);
	world.results[0] = WORLD_SIZE / 2;
	due_read(0);
	world.results[0] = 0;
	world.td.rate_next_io_time[DDIR_READ] = 0;
	world_queue(0, DDIR_READ);
	world_reap(1);
	world_end();
	tap_ok(slip("count") == 1 && slip("max_ns") == 500 && total("max_ns") == 1000,
	       "the rest of a short read: late by what the first part took");
}

/* A trim that has to be submitted again leaves nothing for the read after it, and a sync
 * is in no schedule. */
static void busy_trim(void)
{
	begin(1);
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
	tap_ok(slip("count") == 2 && slip("max_ns") < 1000 && world_number("ios.sync") == 1 &&
	       !world_at(world.report, "response.slip.sync"),
	       "the read after it is in the schedule, trim and sync are not");
}

/* Another CPU's counter is behind. */
static void backwards(void)
{
	begin(1);
	due_read(0);
	world_pass(10000);
	world.enter_ticks = (uint64_t)-100;
	world.takes_ticks[0] = (uint64_t)-200;
	due_read(0);
	world_end();
	tap_ok(total("count") == 1 && total("max_ns") == 500,
	       "returned before it was prepared: no response time");
}

/* After a pause, fio's formula for the bytes so far tells when a read is due. */
static void after_pause(void)
{
	begin(1);
	world.td.o.rate_ign_think = 1;
	world.td.rate_io_issue_bytes[DDIR_READ] = 3 << 19;
	engine_now_ticks = EPOCH_NS + 1500000000 + 7000;
	world.td.rate_next_io_time[DDIR_READ] = 100;
	world_queue(0, DDIR_READ);
	world_reap(1);
	world_end();
	tap_ok(slip("count") == 1 && slip("max_ns") == 7000,
	       "rate_ignore_thinktime: due after 1.5 s of bytes at the rate");
}

int main(void)
{
	batches();
	short_read();
	busy_trim();
	backwards();
	after_pause();
	world_forget();
	return tap_done();
}
