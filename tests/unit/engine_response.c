/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: in a job with a rate that submits several I/Os at a time, slip is
 * how late each was queued by fio's schedule, and the response time goes from
 * when it was due until its completion was seen: the time that it waited in the
 * ring for the others of its batch is part of it.
 * Defect: a response time that is counted from entering the kernel on.
 *
 * At 1 GHz a tick is a nanosecond: all is right to the tick.
 */
#include "engine_world.h"

#define SIZE		4096
#define BATCH		4
#define EPOCH_NS	1000000000ULL
#define BETWEEN_NS	3000U		/* one I/O and the next are queued */
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

/* Each is queued so much after it was due, and the last one of a batch submits
 * them all. */
static void batch(struct sums *right)
{
	uint64_t queued_ns[BATCH], slip_ns[BATCH];
	enum fio_q_status status;
	unsigned i;

	for (i = 0; i < BATCH; i++) {
		struct io_u *io_u = world_transfer(i, DDIR_READ, i * SIZE,
						   SIZE);
		uint64_t due_us;

		world_pass(BETWEEN_NS);
		due_us = (engine_now_ticks - EPOCH_NS) / 1000 - LATE_US - i;
		world.td.rate_next_io_time[DDIR_READ] = due_us;
		world.takes_ticks[i] = TAKES_NS;
		queued_ns[i] = engine_now_ticks;
		slip_ns[i] = engine_now_ticks - EPOCH_NS - due_us * 1000;
		world_queue(io_u, &status);
	}
	tw_getevents(&world.td, BATCH, BATCH, NULL);
	/* Seen when the wait was over, which is now. */
	for (i = 0; i < BATCH; i++) {
		uint64_t total_ns = slip_ns[i] + engine_now_ticks - queued_ns[i];

		right->slip_ns += slip_ns[i];
		right->total_ns += total_ns;
		if (total_ns > right->longest_ns)
			right->longest_ns = total_ns;
	}
	for (i = 0; i < BATCH; i++)
		tw_event(&world.td, (int)i);
}

int main(void)
{
	struct sums right = { 0 };
	unsigned i;

	if (begin()) {
		for (i = 0; i < 3; i++)
			batch(&right);
		world_end();
		tap_ok(number("slip", "count") == 3 * BATCH &&
		       sum_of("slip") == right.slip_ns,
		       "slip: from due to queued");
		tap_ok(number("total", "count") == 3 * BATCH &&
		       sum_of("total") == right.total_ns,
		       "response: from due to seen, %llu ns of %llu",
		       (unsigned long long)sum_of("total"),
		       (unsigned long long)right.total_ns);
		tap_ok(number("total", "max_ns") == (int64_t)right.longest_ns,
		       "the longest is that of the first of a batch");
	}
	world_forget();
	return tap_done();
}
