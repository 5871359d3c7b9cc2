/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the windows of a run follow each other without a gap and have the same
 * width, but the last, which ends with the last I/O, to the nanosecond. Each I/O is
 * in the window that it was returned in, also after the windows have become wider.
 * After a ramp time the first one begins with the first I/O that fio counts.
 * Defect: the last window left out, or as wide as the others although the job ended
 * in the middle of it; one more window of nothing; the ramp time in the first one, so
 * that its I/Os seem to be few.
 *
 * At 1 GHz a tick is a nanosecond: all is right to the tick.
 */
#include "engine_world.h"

#define SIZE		4096
#define MS		1000000ULL
#define MAX_IOS		4096
#define UNSEEN_NS	50000		/* from the end of the call to getevents() */

static uint64_t began, returned_at[MAX_IOS];
static unsigned ios;

static bool begin(void)
{
	world_forget();
	world.enter_ticks = 500;
	ios = 0;
	if (!tap_ok(world_begin(), "a job begins"))
		return false;
	began = engine_now_ticks;
	return true;
}

/*
 * Return one I/O this long after the job's start. It was seen before, in the window
 * before if need be.
 */
static void one_at(uint64_t ns)
{
	engine_now_ticks = began + ns - world.enter_ticks - UNSEEN_NS;
	world_queue(world_transfer(0, DDIR_READ, 0, SIZE));
	world_pass(UNSEEN_NS);
	tw_getevents(&world.td, 1, 1, NULL);
	returned_at[ios++] = engine_now_ticks - began;
	tw_event(&world.td, 0);
}

static uint64_t number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* Return how many of ours were returned from @from_ns on, before @to_ns. */
static unsigned returned_between(uint64_t from_ns, uint64_t to_ns)
{
	unsigned count = 0, i;

	for (i = 0; i < ios; i++)
		count += returned_at[i] >= from_ns && returned_at[i] < to_ns;
	return count;
}

static void ends(uint64_t width_ns, const char *words)
{
	const json_t *windows;
	uint64_t next_ns = 0;
	unsigned bad = 0;
	size_t i, count;

	world_end();
	windows = json_object_get(world.report, "over_time");
	count = json_array_size(windows);
	for (i = 0; i < count; i++) {
		const json_t *window = json_array_get(windows, i);
		uint64_t from_ns = number(window, "from_ns");
		uint64_t over_ns = number(window, "over_ns");
		bool is_last = i + 1 == count;

		bad += from_ns != next_ns || (!is_last && over_ns != width_ns) ||
		       number(json_object_get(window, "read"), "count") !=
		       returned_between(from_ns, from_ns + width_ns);
		next_ns = from_ns + over_ns;
	}
	tap_ok(count && !bad, "%s: %zu windows, %u of them wrong", words, count,
	       bad);
	tap_ok(next_ns == returned_at[ios - 1], "they end with the last I/O, after "
	       "%llu ns: %llu", (unsigned long long)returned_at[ios - 1],
	       (unsigned long long)next_ns);
}

/* The I/O that ends the ramp time was prepared 6.3 ms after the start. */
static void after_ramp(void)
{
	const json_t *windows, *first;
	unsigned i;

	if (!begin())
		return;
	world_ramps();
	for (i = 1; i < 7; i++)
		one_at(i * MS);
	world.ramp_is_over = true;
	for (i = 0; i < 3; i++)
		one_at(6 * MS + 400000 + i * MS);
	world_end();
	windows = json_object_get(world.report, "over_time");
	first = json_array_get(windows, 0);
	tap_ok(json_array_size(windows) == 3 &&
	       number(first, "from_ns") + number(first, "over_ns") == 7 * MS &&
	       number(json_array_get(windows, 1), "from_ns") == 7 * MS,
	       "after a ramp time, the others are where they were");
	tap_ok(number(first, "from_ns") > 6 * MS + 300000 &&
	       number(first, "from_ns") < 6 * MS + 400000,
	       "the first begins with its first I/O: %llu ns",
	       (unsigned long long)number(first, "from_ns"));
}

int main(void)
{
	unsigned i;

	if (begin()) {
		one_at(MS / 3);
		ends(MS, "within the first one");
	}
	if (begin()) {
		one_at(MS / 3);
		one_at(MS / 2);
		one_at(2 * MS + MS / 7);
		ends(MS, "in the middle of the third");
	}
	if (begin()) {
		one_at(MS / 3);
		one_at(2 * MS - 1);
		ends(MS, "a nanosecond before the third");
	}
	/* There are 128 windows at most: they are merged in pairs twice, 4 ms each. */
	if (begin()) {
		for (i = 1; i < 300; i++)
			one_at(i * MS + i);
		one_at(301 * MS + 12345);
		ends(4 * MS, "301 ms");
	}
	after_ramp();
	world_forget();
	return tap_done();
}
