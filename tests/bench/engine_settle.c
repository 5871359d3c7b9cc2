/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long does the engine take to put 64 finished I/Os into a job's tally? That is most
 * of what an I/O costs besides its stamps.
 *
 *	make build/tests/bench/engine_settle && build/tests/bench/engine_settle [ROUNDS]
 *
 * The engine runs in the world of its unit tests, so fio, the ring and the kernel take no
 * time. Prints the median and the best of ROUNDS settles for some kinds of jobs. Compare
 * two builds by alternating them.
 */
#include <time.h>

#include "unit/plugin/engine_world.h"

#define IOS	TW_FINISHED_MAX

struct shape {
	const char *name;
	bool no_stages, kernel;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Make I/Os of some 10 to 100 us, one after another. One in sixteen is far slower. */
static void fill(struct tw_job *job)
{
	for (unsigned i = 0; i < IOS; i++) {
		const uint64_t prepared = engine_now_ticks;
		const uint64_t enter = prepared + 30 + world_below(20);
		const uint64_t seen = enter + 10000 +
				      world_below(90000) * (world_below(16) ? 1 : 40);

		engine_now_ticks = seen + 20 + world_below(20);
		job->hot.finished[i] = (struct tw_finished) {
			.io.prepared_ticks = prepared,
			.io.enter_ticks = enter,
			.io.entered_ticks = enter + 500 + world_below(200),
			.io.seen_ticks = seen,
			.returned_ticks = engine_now_ticks,
			.offset = world_below(1U << 30),
			.size = 4096,
			.direction = world_below(4) ? TW_READ : TW_WRITE,
		};
	}
	job->hot.finished_count = IOS;
}

static int compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void measure(const struct shape *shape, unsigned rounds)
{
	static struct tw_slot slots[WORLD_DEPTH];
	uint64_t *took_ns = calloc(rounds, sizeof(*took_ns));
	struct tw_job *job;

	world_forget();
	world.options.stages = !shape->no_stages;
	world.options.slowest = 64;
	world.options.kernel = shape->kernel ? TW_KERNEL_AUTO : TW_KERNEL_OFF;
	world.kernel_slots = shape->kernel ? slots : NULL;
	if (!took_ns || !world_begin())
		exit(1);
	job = world.td.io_ops_data;
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t from_ns;

		fill(job);
		from_ns = now_ns();
		tw_record_settle(job);
		took_ns[i] = now_ns() - from_ns;
	}
	qsort(took_ns, rounds, sizeof(*took_ns), compare);
	world_end();
	if (world_number("ios.read") + world_number("ios.write") != rounds * IOS)
		exit(1);
	printf("%-20s a settle of %d I/Os: median %6llu ns, best %6llu ns\n", shape->name,
	       IOS, (unsigned long long)took_ns[rounds / 2],
	       (unsigned long long)took_ns[0]);
	free(took_ns);
}

int main(int argc, char **argv)
{
	static const struct shape shapes[] = {
		{ .name = "stages" },
		{ .name = "tw_stages=0", .no_stages = true },
		{ .name = "the kernel's stages", .kernel = true },
	};
	const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;

	world_random = 1;
	for (size_t i = 0; i < FIO_ARRAY_SIZE(shapes); i++)
		measure(&shapes[i], rounds);
	return 0;
}
