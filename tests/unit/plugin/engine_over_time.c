/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the windows of a run lie on whole milliseconds of CLOCK_REALTIME, or on 2, 4,
 * 8 ms. Each I/O is in the window that it was returned in, also after the windows have
 * become wider, and each error in that of its completion. Windows without I/Os are left
 * out, and so is the ramp time. Defect: windows that begin with the job, so that those of
 * two jobs can't be added; an I/O in the window in which it was submitted or seen; an
 * error in the window of the next I/O.
 *
 * At 1 GHz a tick is a nanosecond: all is right to the tick.
 */
#include "engine_world.h"

#define MS		1000000ULL
#define MAX_IOS		4096
#define UNSEEN_NS	50000		/* from the end of the call to getevents() */
#define BEGAN_NS	(7 * MS / 2)	/* the job begins in the middle of a window */

static uint64_t returned_at[MAX_IOS];
static unsigned ios;

/* Return one I/O at this time. It was seen before, in the window before if need be. */
static void one_at(uint64_t ns, int32_t result)
{
	engine_now_ticks = ns - world.enter_ticks - UNSEEN_NS;
	world.results[0] = result;
	world_queue(0, DDIR_READ);
	world_pass(UNSEEN_NS);
	tw_getevents(&world.td, 1, 1, NULL);
	if (!result)
		returned_at[ios++] = world_monotonic_ns(engine_now_ticks);
	tw_event(&world.td, 0);
}

static void begin(void)
{
	world_forget();
	engine_now_ticks = BEGAN_NS;
	ios = 0;
	tap_ok(world_begin(), "a job begins");
}

/* Return how many of ours were returned from @from_ns on, before @to_ns. */
static unsigned returned_between(uint64_t from_ns, uint64_t to_ns)
{
	unsigned count = 0, i;

	for (i = 0; i < ios; i++)
		count += returned_at[i] >= from_ns && returned_at[i] < to_ns;
	return count;
}

static void ends(uint64_t width_ns, size_t wanted, const char *words)
{
	const json_t *windows;
	uint64_t found = 0, next_ns = 0;
	unsigned bad = 0;
	size_t i;

	world_end();
	windows = world_at(world.report, "over_time.windows");
	for (i = 0; i < json_array_size(windows); i++) {
		const json_t *window = json_array_get(windows, i);
		uint64_t start_ns = world_value(world_at(window, "start"));
		uint64_t in_it = world_value(world_at(window, "read.count"));

		bad += start_ns % width_ns || start_ns < next_ns ||
		       in_it != returned_between(start_ns, start_ns + width_ns);
		found += in_it;
		next_ns = start_ns + width_ns;
	}
	tap_ok(i == wanted && !bad && found == ios &&
	       world_number("over_time.width_ns") == width_ns,
	       "%s: %zu windows of %llu ms, %u of them wrong", words, i,
	       (unsigned long long)(width_ns / MS), bad);
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

int main(void)
{
	unsigned i;

	begin();
	one_at(4 * MS - 1, 0);
	ends(MS, 1, "within the first one");
	begin();
	one_at(4 * MS - 1, 0);
	one_at(4 * MS, 0);
	one_at(6 * MS + MS / 7, 0);
	ends(MS, 3, "at the edge of the second, and none in the third");
	/* There are 128 windows at most: they are merged in pairs twice, 4 ms each. */
	begin();
	for (i = 1; i < 300; i++)
		one_at(BEGAN_NS + i * MS + i, 0);
	one_at(BEGAN_NS + 301 * MS + 12345, 0);
	ends(4 * MS, 76, "301 ms");
	/* The I/O that ends the ramp time is returned 6.4 ms after the start. */
	begin();
	world_ramps();
	for (i = 1; i < 7; i++)
		one_at(BEGAN_NS + i * MS, 0);
	ios = 0;
	world.ramp_is_over = true;
	for (i = 0; i < 3; i++)
		one_at(BEGAN_NS + 6 * MS + 400000 + i * MS, 0);
	ends(MS, 3, "after a ramp time");
	errors();
	world_forget();
	return tap_done();
}
