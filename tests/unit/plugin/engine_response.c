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

#define SIZE		4096
#define BATCH		4
#define EPOCH_NS	1000000000ULL
#define BETWEEN_NS	3000U		/* between preparing an I/O and the next */
#define TAKES_NS	20000U
#define LATE_US		5U

struct sums {
	uint64_t slip_ns;
	uint64_t total_ns;
	uint64_t longest_ns;
};

static int64_t number(const char *what, const char *key)
{
	return json_integer_value(json_object_get(json_object_get(
		json_object_get(json_object_get(world.report, "response"),
				what), "read"), key));
}

static uint64_t sum_of(const char *what)
{
	const char *text = json_string_value(json_object_get(json_object_get(
		json_object_get(json_object_get(world.report, "response"),
				what), "read"), "sum_ns"));

	return text ? strtoull(text, NULL, 10) : 0;
}

static bool begin(void)
{
	world_forget();
	engine_now_ticks = 2 * EPOCH_NS;
	world.td.o.iodepth = BATCH;
	world.td.o.iodepth_batch = BATCH;
	world.td.o.iodepth_batch_complete_min = BATCH;
	world.td.rate_bps[DDIR_READ] = 1 << 20;
	world.td.epoch.tv_sec = EPOCH_NS / 1000000000;
	return tap_ok(world_begin(), "a job with a rate begins");
}

/*
 * Each is prepared this long after it was due. The last one of a batch submits them
 * all.
 */
static void batch(struct sums *right)
{
	uint64_t prepared_ns[BATCH], slip_ns[BATCH];
	unsigned i;

	for (i = 0; i < BATCH; i++) {
		struct io_u *io_u = world_transfer(i, DDIR_READ, i * SIZE,
						   SIZE);
		uint64_t due_us;

		world_pass(BETWEEN_NS);
		due_us = (engine_now_ticks - EPOCH_NS) / 1000 - LATE_US - i;
		world.td.rate_next_io_time[DDIR_READ] = due_us;
		world.takes_ticks[i] = TAKES_NS;
		prepared_ns[i] = engine_now_ticks;
		slip_ns[i] = engine_now_ticks - EPOCH_NS - due_us * 1000;
		world_queue(io_u);
	}
	/* All are seen at the end of the call, which is now. */
	tw_getevents(&world.td, BATCH, BATCH, NULL);
	for (i = 0; i < BATCH; i++) {
		uint64_t total_ns = slip_ns[i] + engine_now_ticks - prepared_ns[i];

		right->slip_ns += slip_ns[i];
		right->total_ns += total_ns;
		if (total_ns > right->longest_ns)
			right->longest_ns = total_ns;
	}
	for (i = 0; i < BATCH; i++)
		tw_event(&world.td, (int)i);
}

static void batches(void)
{
	struct sums right = { 0 };

	if (!begin())
		return;
	for (unsigned i = 0; i < 3; i++)
		batch(&right);
	world_end();
	tap_ok(number("slip", "count") == 3 * BATCH &&
	       sum_of("slip") == right.slip_ns, "slip: from due to prepared");
	tap_ok(number("total", "count") == 3 * BATCH &&
	       sum_of("total") == right.total_ns,
	       "response: from due to returned, %llu ns of %llu",
	       (unsigned long long)sum_of("total"),
	       (unsigned long long)right.total_ns);
	tap_ok(number("total", "max_ns") == (int64_t)right.longest_ns,
	       "the longest is that of the first of a batch");
}

static bool begin_singly(void)
{
	if (!begin())
		return false;
	world.td.o.iodepth_batch = 1;
	world.td.o.iodepth_batch_complete_min = 1;
	return true;
}

/* Due now. */
static void due(void)
{
	world.td.rate_next_io_time[DDIR_READ] =
		(engine_now_ticks - EPOCH_NS) / 1000;
}

static enum fio_q_status queue(unsigned i, enum fio_ddir ddir)
{
	return world_queue(world_transfer(i, ddir, i * SIZE, SIZE));
}

static void take(void)
{
	tap_ok(tw_getevents(&world.td, 1, 1, NULL) == 1, "it comes back");
	tw_event(&world.td, 0);
}

/* The second half of a read is due when all of it was due. */
static void short_read(void)
{
	if (!begin_singly())
		return;
	due();
	world.results[0] = SIZE / 2;
	queue(0, DDIR_READ);
	take();
	world.results[0] = 0;
	world.td.rate_next_io_time[DDIR_READ] = 0;
	queue(0, DDIR_READ);
	take();
	world_end();
	tap_ok(number("slip", "count") == 1 && number("slip", "max_ns") == 500 &&
	       number("total", "max_ns") == 1000,
	       "the rest of a short read: late by what the first part took");
}

/* A sync that has to be submitted again leaves nothing for the read after it. */
static void busy_sync(void)
{
	struct tw_job *job;

	if (!begin_singly())
		return;
	job = world.td.io_ops_data;
	due();
	queue(0, DDIR_READ);
	take();
	job->entries = 0;
	tap_ok(queue(1, DDIR_SYNC) == FIO_Q_BUSY, "a sync has to come again");
	job->entries = BATCH;
	queue(1, DDIR_SYNC);
	take();
	world_pass(10000);
	due();
	queue(1, DDIR_READ);
	take();
	world_end();
	tap_ok(number("slip", "count") == 2,
	       "the read after it is in the schedule, the sync is not");
}

/* Another CPU's counter is behind. */
static void backwards(void)
{
	if (!begin_singly())
		return;
	due();
	queue(0, DDIR_READ);
	take();
	world_pass(10000);
	due();
	world.enter_ticks = (uint64_t)-100;
	world.takes_ticks[0] = (uint64_t)-200;
	queue(0, DDIR_READ);
	take();
	world_end();
	tap_ok(number("total", "count") == 1 && number("total", "max_ns") == 500,
	       "returned before it was prepared: no response time");
}

int main(void)
{
	batches();
	short_read();
	busy_sync();
	backwards();
	world_forget();
	return tap_done();
}
