/* SPDX-License-Identifier: MIT */
/*
 * A series over time holds every I/O once, in the window of its time on the clock, however
 * often windows were merged in pairs. There are never more windows than allowed, and more
 * than half of that at least. Fails if a pair is lost or merged twice, if a slot is given
 * away while it is in use or is not empty, or if an edge is off by one. Fails also if
 * memory that was asked for is missing, or more than that exists.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "latency/histogram.h"
#include "report/windows.h"
#include "tap.h"

#define MS		1000000ULL
#define NOW		1789000000000000000ULL
#define VALUES		5000

static uint64_t state;

static uint64_t random_below(uint64_t limit)
{
	return tap_random(&state) % limit;
}

/* I/Os in the order of their times; with errors instead of a lat if that is not 0. */
static struct { uint64_t at_ns, lat_ns, errors; enum tw_direction direction; } all[VALUES];

static void add(struct tw_windows *windows, uint32_t i)
{
	if (all[i].errors)
		tw_windows_add_errors(windows, all[i].at_ns, all[i].direction,
				      all[i].errors);
	else
		tw_windows_add(windows, all[i].at_ns, all[i].direction, all[i].lat_ns);
}

/* Is @got what was added from @first to before @last? */
static int is_sum(const struct tw_window *got, uint32_t first, uint32_t last)
{
	struct tw_histogram lat;
	int right = 1;

	tw_histogram_init(&lat, TW_WINDOWS_DIGITS);
	for (unsigned direction = 0; direction < TW_DIRECTIONS; direction++) {
		const struct tw_histogram *is = &got->lat[direction];
		uint64_t errors = 0;

		tw_histogram_reset(&lat);
		for (uint32_t i = first; i < last; i++)
			if (all[i].direction == direction && all[i].errors)
				errors += all[i].errors;
			else if (all[i].direction == direction)
				tw_histogram_add(&lat, all[i].lat_ns);
		right &= is->count == lat.count && is->sum_ns == lat.sum_ns &&
			 is->min_ns == lat.min_ns && is->max_ns == lat.max_ns &&
			 !memcmp(is->squares_ns2, lat.squares_ns2, 16) &&
			 !memcmp(is->bins, lat.bins, lat.bin_count * sizeof(*lat.bins)) &&
			 got->errors[direction] == errors;
	}
	tw_histogram_free(&lat);
	return right;
}

/* Close, and compare each window with what has its time. */
static int all_right(struct tw_windows *windows, uint32_t count)
{
	uint32_t next = 0;

	tw_windows_close(windows);
	if (windows->first != all[0].at_ns / windows->width_ns)
		return 0;
	for (uint32_t i = 0; i < windows->count; i++) {
		const uint64_t end_ns = tw_windows_from_ns(windows, i + 1);
		const uint32_t first = next;

		while (next < count && all[next].at_ns < end_ns)
			next++;
		if (!is_sum(tw_windows_get(windows, i), first, next)) {
			tap_note("window %u of %u, width %" PRIu64, i, windows->count,
				 windows->width_ns);
			return 0;
		}
	}
	return next == count;
}

/* Is the open window that of the last I/O, and are enough windows in use? */
static int is_open_right(const struct tw_windows *windows, uint64_t at_ns)
{
	return windows->count <= windows->most && windows->count > 0 &&
	       (windows->width_ns == MS || windows->count > windows->most / 2) &&
	       windows->first == all[0].at_ns / windows->width_ns &&
	       windows->first + windows->count - 1 == at_ns / windows->width_ns &&
	       windows->edge_ns == tw_windows_from_ns(windows, windows->count);
}

/* Add I/Os with random gaps, some of them long; then check the windows. */
static int fill(struct tw_windows *windows, uint32_t count, uint64_t gap_ns)
{
	uint64_t at_ns = NOW + random_below(1000 * MS);
	int right = 1;

	for (uint32_t i = 0; i < count; i++) {
		at_ns += random_below(gap_ns) * (random_below(100) ? 1 : 1000);
		all[i].at_ns = at_ns;
		all[i].lat_ns = random_below(1ULL << random_below(40));
		all[i].direction = (enum tw_direction)random_below(TW_DIRECTIONS);
		all[i].errors = random_below(20) ? 0 : 1 + random_below(9);
		add(windows, i);
		right &= is_open_right(windows, at_ns);
	}
	return right;
}

static void check_filled(uint32_t most)
{
	struct tw_windows windows;
	int open = 1, right = 1;

	tw_windows_init(&windows, most);
	for (unsigned i = 0; i < 60; i++) {
		const uint32_t count = 1 + (uint32_t)random_below(600);

		open &= fill(&windows, count, 1 + random_below(MS << random_below(10)));
		right &= all_right(&windows, count);
		tw_windows_reset(&windows);
	}
	tap_ok(open, "of %u windows the last is that of the last I/O", most);
	tap_ok(right, "and each I/O is in the window of its time");
	tw_windows_free(&windows);
}

static void check_edges(void)
{
	const uint64_t ns[] = { NOW + MS - 1, NOW + MS, NOW + 2 * MS - 1 };
	struct tw_windows windows;

	tw_windows_init(&windows, 4);
	memset(all, 0, sizeof(all));
	for (uint32_t i = 0; i < 3; i++) {
		all[i].at_ns = ns[i];
		add(&windows, i);
	}
	tap_ok(windows.count == 2 && all_right(&windows, 3),
	       "an edge belongs to the window that it begins");
	tw_windows_reset(&windows);
	tw_windows_add(&windows, NOW + MS, TW_READ, 0);
	tw_windows_add(&windows, NOW - 1, TW_READ, 0);
	tap_ok(windows.count == 1 && windows.open->lat[TW_READ].count == 2,
	       "what is late goes into the open window");
	tw_windows_advance(&windows, NOW + 31536000000 * MS);
	tap_ok(windows.count <= 4 && windows.edge_ns > NOW + 31536000000 * MS,
	       "a year without an I/O");
	tw_windows_add(&windows, UINT64_MAX, TW_READ, 0);
	tw_windows_close(&windows);
	tap_ok(windows.count > 1 &&
	       tw_windows_from_ns(&windows, windows.count - 1) <= TW_WINDOWS_END_NS,
	       "a time that is none, at the end of all times");
	tw_windows_free(&windows);
}

/* Windows without an I/O are left out at both ends. */
static void check_trimmed(void)
{
	struct tw_windows windows;

	tw_windows_init(&windows, 16);
	tw_windows_advance(&windows, NOW);
	tw_windows_add(&windows, NOW + 3 * MS, TW_SYNC, 7);
	tw_windows_add_errors(&windows, NOW + 5 * MS, TW_READ, 1);
	tw_windows_advance(&windows, NOW + 9 * MS);
	tw_windows_close(&windows);
	tap_ok(windows.count == 3 && tw_windows_from_ns(&windows, 0) == NOW + 3 * MS &&
	       tw_windows_get(&windows, 0)->lat[TW_SYNC].count == 1 &&
	       tw_windows_get(&windows, 2)->errors[TW_READ] == 1,
	       "empty windows at both ends are left out, those with errors are not");
	tw_windows_reset(&windows);
	tw_windows_advance(&windows, NOW);
	tw_windows_close(&windows);
	tap_ok(windows.count == 0 && windows.width_ns == 0, "nothing leaves no window");
	tw_windows_free(&windows);
}

static void check_refused(void)
{
	struct tw_windows w;

	tap_ok(tw_windows_init(&w, 3) == -EINVAL && tw_windows_init(&w, 0) == -EINVAL &&
	       tw_windows_init(&w, 130) == -EINVAL, "what makes no sense is refused");
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

/* Return the pages of a direction's bins that are in memory; -1: unknown. */
static long pages_of(const struct tw_windows *windows, enum tw_direction direction,
		     size_t pages, size_t page)
{
	static unsigned char there[1024];
	uintptr_t begin = (uintptr_t)windows->slots->lat[direction].bins & ~(page - 1);
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

	tw_windows_init(&windows, 128);
	pages = 128 * windows.slots->lat->bin_count * sizeof(uint64_t) / page;
	one = pages_of(&windows, TW_READ, pages, page);
	if (one < 0 || !kernel_can_populate(page)) {
		tap_skip("no mincore(), or none of Linux 5.14's early pages");
		tw_windows_free(&windows);
		return;
	}
	tap_ok(one == 0, "of %zu pages of reads none is there at first", pages);
	tw_windows_touch(&windows, TW_READ);
	tw_windows_add(&windows, NOW, TW_READ, 5);
	tw_windows_reset(&windows);
	one = pages_of(&windows, TW_READ, pages, page);
	other = pages_of(&windows, TW_WRITE, pages, page);
	/* The two may share one page. */
	tap_ok(one == (long)pages && other <= 1,
	       "%ld of them when asked for, of the writes' %ld", one, other);
	tw_windows_free(&windows);
}

int main(void)
{
	state = tap_seed();
	check_filled(2);
	check_filled(4);
	check_filled(16);
	check_filled(128);
	check_edges();
	check_trimmed();
	check_touched();
	check_refused();
	return tap_done();
}
