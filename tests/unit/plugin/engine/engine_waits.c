/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/record/schedstat.c
 *
 * Behaviour: without privileges each of the slowest I/Os has an upper bound for the time
 * that the job's thread waited for a CPU in its longest stage. The bound is at most what it
 * waited since a millisecond before that stage, and at least what it waited in the stage. The
 * kernel's sum is read at most once in a millisecond, and once for a slow I/O, but not before
 * fio has read its clock. Defect: a bound that is too small, one with the waits of an I/O
 * long before, a reading per I/O, one that is in fio's lat and in no stage, none where
 * the file has descriptor 0.
 */
#include <fcntl.h>
#include <unistd.h>

#include "engine_world.h"
#include "record/schedstat.h"

#define IOS	4000
#define SLOWEST	100

static uint64_t waited_ns, readings;
static uint64_t until_appeared;
static uint64_t too_early;	/* readings from then on, until fio's */
static uint64_t waits_ns;	/* in this call, at its end */

/* The kernel's file. */
ssize_t pread(int fd, void *text, size_t size, off_t offset)
{
	readings++;
	return snprintf(text, size, "123 %" PRIu64 " 4\n", waited_ns);
}

/* The thread is off its CPU before the call returns. */
static void appeared(unsigned i)
{
	until_appeared = readings;
	engine_now_ticks += waits_ns;
	waited_ns += waits_ns;
	waits_ns = 0;
}

/* fio reads its clock between the two calls of the engine. */
static void one(uint64_t takes_ticks)
{
	world.takes_ticks[0] = takes_ticks;
	world_pass(100);
	if (world_queue(0, DDIR_READ) != FIO_Q_QUEUED)
		exit(1);
	if (tw_getevents(&world.td, 1, 1, NULL) != 1)
		exit(1);
	too_early += readings - until_appeared;
	tw_event(&world.td, 0);
}

static void run(bool waits)
{
	world_forget();
	world.options.slowest = SLOWEST;
	readings = 0;
	world_start();
	world.appeared = appeared;
	for (unsigned i = 0; i < IOS; i++) {
		const uint64_t begin = engine_now_ticks;

		/* One in 50 is slow: half of them as their device is. */
		waits_ns = waits && i % 100 == 99 ? 2000000 + i * 100 : 0;
		one(i % 100 == 49 ? 3000000 + i * 100 : 20000 + world_below(5000));
		if (begin > engine_now_ticks)
			exit(1);
	}
	world_end();
}

/* Run, and count the slowest I/Os with a bound, and those with a wrong one. */
static void count_bounds(unsigned *with, unsigned *wrong)
{
	const json_t *slowest;

	run(true);
	*with = *wrong = 0;
	slowest = world_at(world.report, "slowest");
	for (size_t i = 0; i < json_array_size(slowest); i++) {
		const json_t *slow = json_array_get(slowest, i);
		const uint64_t kernel_ns = world_value(world_at(slow, "stages.kernel"));
		const uint64_t bound_ns = world_value(json_object_get(slow, "waited_at_most_ns"));
		/* By its length: no other I/O is so long. */
		const bool waited = kernel_ns >= 2000000 && kernel_ns < 3000000;

		*with += bound_ns != 0;
		*wrong += waited ? bound_ns + 26000 < kernel_ns || bound_ns > kernel_ns :
				   bound_ns != 0;
	}
}

/* The stage begins during the second of three readings. */
static void during(void)
{
	struct tw_cpu_waits *waits;
	uint64_t ns = 0;

	world_forget();
	world.options.slowest = SLOWEST;
	world_start();
	waits = &world_state()->hot.waits;
	for (unsigned i = 0; i < 3; i++)
		waits->newest[i] = (struct tw_waits_reading) {
			.begin_ticks = 100 + 200 * i, .end_ticks = 200 + 200 * i,
			.waited_ns = 10 + 40 * i,
		};
	waits->count = 3;
	tap_ok(tw_waits_bound(world_state(), 350, 450, &ns) && ns == 80,
	       "a reading during which a stage begins is not one before it");
	world_end();
}

int main(void)
{
	const json_t *slowest;
	unsigned with, wrong;

	world_random = tap_seed();
	count_bounds(&with, &wrong);
	tap_ok(!wrong && with == IOS / 100, "%u of the slowest waited, and have a bound of that "
	       "size; the device's have none (%u are wrong)", with, wrong);
	/* Each slow one in the list may take one, and each millisecond one. */
	tap_ok(readings < IOS * 25 / 1000 + IOS / 100 * 5 + 2 * IOS / 50 + SLOWEST,
	       "the sum was read %" PRIu64 " times for %u I/Os", readings, IOS);
	tap_ok(!too_early, "%" PRIu64 " of them before fio read its clock", too_early);
	/* The file gets the lowest descriptor that is free. */
	close(STDIN_FILENO);
	count_bounds(&with, &wrong);
	tap_ok(with >= IOS / 100 && fcntl(STDIN_FILENO, F_GETFD) < 0,
	       "%u have a bound without a standard input, too", with);
	during();
	run(false);
	slowest = world_at(world.report, "slowest");
	wrong = 0;
	for (size_t i = 0; i < json_array_size(slowest); i++)
		wrong += json_object_get(json_array_get(slowest, i), "waited_at_most_ns") != NULL;
	tap_ok(!wrong && json_array_size(slowest) == SLOWEST, "no wait: no bound");
	return tap_done();
}
