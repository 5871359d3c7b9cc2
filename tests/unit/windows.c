/* SPDX-License-Identifier: MIT */
/*
 * Windows over time hold every value once, in the window of its time, however often
 * they were merged. There are never more than allowed, and half of that at least.
 * Fails if a pair is lost or merged twice, or if a slot is given away while it is
 * in use or is not empty when it is used again. Fails also if an edge is off by
 * one, or if memory that was asked for is missing, or more than that exists.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/windows.h"
#include "tap.h"

#define LANES	2
#define WIDTH	1000
#define START	77000000ULL
#define UNITS	2		/* to a nanosecond */

#define VALUES	20000

static uint64_t state;

static uint64_t random_below(uint64_t limit)
{
	return tap_random(&state) % limit;
}

static struct { uint64_t ns, value; unsigned lane; } all[VALUES];

/* Check what a window of [from, to) holds of @lane. */
static int is_right(const struct tw_histogram *got, uint32_t count,
		    uint64_t from_ns, uint64_t to_ns, unsigned lane)
{
	uint64_t n = 0, sum = 0, low = UINT64_MAX, high = 0, bins = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (all[i].ns < from_ns || all[i].ns >= to_ns ||
		    all[i].lane != lane)
			continue;
		n++;
		sum += all[i].value;
		low = all[i].value < low ? all[i].value : low;
		high = all[i].value > high ? all[i].value : high;
	}
	for (uint32_t i = 0; i < got->bin_count; i++)
		bins += got->bins[i];
	return got->count == n && bins == n && got->sum_ns == sum &&
	       got->min_ns == low && got->max_ns == high;
}

static int all_right(struct tw_windows *windows, uint32_t count)
{
	uint64_t width = windows->width_ns;

	tw_windows_close(windows);
	for (uint32_t i = 0; i < windows->count; i++)
		for (unsigned lane = 0; lane < LANES; lane++)
			if (!is_right(&tw_windows_get(windows, i)[lane], count,
				      i * width, (i + 1) * width, lane)) {
				printf("# window %u of %u, lane %u, width %llu\n",
				       i, windows->count, lane,
				       (unsigned long long)width);
				return 0;
			}
	return 1;
}

/* Add values until @end_ns, at random times; then check the windows. */
static void run(uint32_t most, uint32_t count, uint64_t end_ns)
{
	struct tw_windows windows;
	uint64_t ns = 0;
	int enough = 1;

	tw_windows_init(&windows, most, LANES, WIDTH, START, UNITS);
	for (uint32_t i = 0; i < count; i++) {
		ns += end_ns * random_below(2000) / 1000 / count;
		all[i].ns = ns;
		all[i].value = random_below(100000);
		all[i].lane = (unsigned)random_below(LANES);
		tw_windows_add(&windows, START + ns * UNITS, all[i].lane,
			       all[i].value);
		enough &= windows.count <= most &&
			  (windows.width_ns == WIDTH ||
			   windows.count > most / 2) &&
			  windows.width_ns * windows.count > ns &&
			  windows.width_ns * (windows.count - 1) <= ns;
	}
	tap_ok(enough, "at most %u windows until %llu ns, the last is open",
	       most, (unsigned long long)end_ns);
	tap_ok(all_right(&windows, count), "%u values are where they belong",
	       count);
	tw_windows_free(&windows);
}

static void check_edges(void)
{
	struct tw_windows windows;
	const uint64_t ns[] = { 0, WIDTH - 1, WIDTH, 2 * WIDTH - 1 };

	tw_windows_init(&windows, 4, LANES, WIDTH, START, UNITS);
	memset(all, 0, sizeof(all));
	for (uint32_t i = 0; i < 4; i++) {
		all[i].ns = ns[i];
		tw_windows_add(&windows, START + ns[i] * UNITS, 0, 0);
	}
	tap_ok(windows.count == 2 && all_right(&windows, 4),
	       "an edge belongs to the window that it begins");
	/* Another CPU's counter may be a little behind. */
	tw_windows_add(&windows, START + WIDTH * UNITS - 1, 0, 0);
	tap_ok(windows.count == 2 &&
	       tw_windows_get(&windows, 1)->count == 3,
	       "what is late goes into the open window");
	tw_windows_advance(&windows, START + 3600000000000ULL * UNITS);
	tw_windows_close(&windows);
	tap_ok(windows.count <= 4 && tw_windows_get(&windows, 0)->count == 5,
	       "an hour without a value");
	tw_windows_free(&windows);
}

static void check_refused(void)
{
	struct tw_windows w;

	tap_ok(tw_windows_init(&w, 3, 1, 1, 0, 1) == -EINVAL &&
	       tw_windows_init(&w, 0, 1, 1, 0, 1) == -EINVAL &&
	       tw_windows_init(&w, 65536, 1, 1, 0, 1) == -EINVAL &&
	       tw_windows_init(&w, 2, 0, 1, 0, 1) == -EINVAL &&
	       tw_windows_init(&w, 2, 1, 0, 0, 1) == -EINVAL &&
	       tw_windows_init(&w, 2, 1, 1, 0, 0) == -EINVAL,
	       "what makes no sense is refused");
}

/* Newer than some headers (Linux 5.14). */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

/* An emulator accepts any advice. */
static int kernel_can_populate(size_t page)
{
	void *own = mmap(NULL, page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char there = 0;
	int can = own != MAP_FAILED &&
		  !madvise(own, page, MADV_POPULATE_WRITE) &&
		  !mincore(own, page, &there) && there & 1;

	munmap(own, page);
	return can;
}

/* Return the pages of a lane's bins that are in memory; -1: unknown. */
static long pages_of(const struct tw_windows *windows, uint32_t lane,
		     size_t pages, size_t page)
{
	static unsigned char there[1024];
	uintptr_t begin = (uintptr_t)windows->slots[lane].bins & ~(page - 1);
	long count = 0;

	if (pages > sizeof(there) ||
	    mincore((void *)begin, pages * page, there))
		return -1;
	for (size_t i = 0; i < pages; i++)
		count += there[i] & 1;
	return count;
}

static void check_touched(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct tw_windows windows;
	size_t pages;
	long one, other;

	tw_windows_init(&windows, 128, LANES, WIDTH, START, UNITS);
	pages = 128 * windows.slots[0].bin_count * sizeof(uint64_t) / page;
	one = pages_of(&windows, 0, pages, page);
	if (one < 0 || !kernel_can_populate(page)) {
		tap_skip("no mincore(), or none of Linux 5.14's early pages");
		tw_windows_free(&windows);
		return;
	}
	tap_ok(one == 0, "of %zu pages of a lane none is there at first", pages);
	tw_windows_touch(&windows, 0);
	one = pages_of(&windows, 0, pages, page);
	other = pages_of(&windows, 1, pages, page);
	/* The two may share one page. */
	tap_ok(one == (long)pages && other <= 1,
	       "%ld of them when asked for, of the other lane's %ld", one,
	       other);
	tw_windows_free(&windows);
}

int main(void)
{
	state = tap_seed();
	run(2, 500, 100 * WIDTH);
	run(8, 3000, 8 * WIDTH);
	run(8, 3000, 9 * WIDTH);
	for (unsigned i = 0; i < 20; i++)
		run(16, 2000, (1 + random_below(1000)) * WIDTH);
	run(128, VALUES, 5000 * WIDTH);
	check_edges();
	check_touched();
	check_refused();
	return tap_done();
}
