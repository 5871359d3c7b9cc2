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

#define SIZE		4096
#define MS		1000000ULL
#define MAX_IOS	4096
#define UNSEEN_NS	50000		/* from the end of the call to getevents() */
#define BEGAN_NS	(7 * MS / 2)	/* the job begins in the middle of a window */

static uint64_t returned_at[MAX_IOS];
static unsigned ios;

static bool begin(void)
{
	world_forget();
	world.enter_ticks = 500;
	engine_now_ticks = BEGAN_NS;
	ios = 0;
	return tap_ok(world_begin(), "a job begins");
}

/*
 * Return one I/O at this time. It was seen before, in the window before if need be.
 */
static void one_at(uint64_t ns)
{
	engine_now_ticks = ns - world.enter_ticks - UNSEEN_NS;
	world_queue(world_transfer(0, DDIR_READ, 0, SIZE));
	world_pass(UNSEEN_NS);
	tw_getevents(&world.td, 1, 1, NULL);
	returned_at[ios++] = world_monotonic_ns(engine_now_ticks);
	tw_event(&world.td, 0);
}

static uint64_t number(const json_t *object, const char *key)
{
	uint64_t value = 0;

	tw_json_to_u64(json_object_get(object, key), &value);
	return value;
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
	uint64_t found = 0, next_ns = 0;
	const json_t *windows;
	unsigned bad = 0;
	size_t i, count;

	world_end();
	windows = world_windows(world.report);
	count = json_array_size(windows);
	for (i = 0; i < count; i++) {
		const json_t *window = json_array_get(windows, i);
		uint64_t start_ns = number(window, "start");
		uint64_t in_it = number(json_object_get(window, "read"), "count");

		bad += start_ns % width_ns || start_ns < next_ns ||
		       in_it != returned_between(start_ns, start_ns + width_ns);
		found += in_it;
		next_ns = start_ns + width_ns;
	}
	tap_ok(count == wanted && !bad && found == ios,
	       "%s: %zu windows, %u of them wrong", words, count, bad);
	tap_ok(number(json_object_get(world.report, "over_time"), "width_ns") ==
	       width_ns, "%s: windows of %llu ms", words,
	       (unsigned long long)(width_ns / MS));
}

/* The I/O that ends the ramp time is returned 6.4 ms after the start. */
static void after_ramp(void)
{
	unsigned i;

	if (!begin())
		return;
	world_ramps();
	for (i = 1; i < 7; i++)
		one_at(BEGAN_NS + i * MS);
	ios = 0;
	world.ramp_is_over = true;
	for (i = 0; i < 3; i++)
		one_at(BEGAN_NS + 6 * MS + 400000 + i * MS);
	ends(MS, 3, "after a ramp time");
}

static uint64_t errors_in(size_t window, const char *direction)
{
	return number(json_object_get(json_array_get(world_windows(world.report),
		window), "errors"), direction);
}

/* In the third window two reads fail, and in the fifth one. */
static void errors(void)
{
	if (!begin())
		return;
	one_at(5 * MS + 1);
	world.results[0] = -EIO;
	one_at(6 * MS + 1);
	one_at(7 * MS - 1);
	one_at(8 * MS + 1);
	world.results[0] = 0;
	one_at(9 * MS + 1);
	world_end();
	tap_ok(json_array_size(world_windows(world.report)) == 4 &&
	       errors_in(1, "read") == 2 && errors_in(2, "read") == 1 &&
	       number(json_array_get(world_windows(world.report), 2), "start") ==
	       world_monotonic_ns(8 * MS), "errors are in the windows of their ends");
	tap_ok(!errors_in(0, "read") && !errors_in(3, "read") &&
	       world_count("errors", "read") == 3, "and in no other");
}

int main(void)
{
	unsigned i;

	if (begin()) {
		one_at(4 * MS - 1);
		ends(MS, 1, "within the first one");
	}
	if (begin()) {
		one_at(4 * MS - 1);
		one_at(4 * MS);
		one_at(6 * MS + MS / 7);
		ends(MS, 3, "at the edge of the second, and none in the third");
	}
	/* There are 128 windows at most: they are merged in pairs twice, 4 ms each. */
	if (begin()) {
		for (i = 1; i < 300; i++)
			one_at(BEGAN_NS + i * MS + i);
		one_at(BEGAN_NS + 301 * MS + 12345);
		ends(4 * MS, 76, "301 ms");
	}
	after_ramp();
	errors();
	world_forget();
	return tap_done();
}
