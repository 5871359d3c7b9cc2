/* SPDX-License-Identifier: MIT */
/*
 * A series over time holds every I/O once, in the window of its time on the clock, however
 * often windows were merged in pairs. There are never more windows than allowed, and more
 * than half of that at least. So do merged series. Fails if a pair is lost or merged twice,
 * if a slot is given away while it is in use or is not empty, or if an edge is off by one.
 * Fails also if memory that was asked for is missing, or more than that exists.
 * report_merge_order.c merges in any order. What is refused is in tests/unit/command/report/.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "latency/histogram.h"
#include "report/report_json.h"
#include "report/windows.h"
#include "tap.h"

#define MS		TW_WINDOWS_NS
#define NOW		1789000000000000000ULL
#define SETS		100
#define MEMBERS		7
#define VALUES		200		/* of a member */

static uint64_t state;

static uint64_t random_below(uint64_t limit)
{
	return tap_random(&state) % limit;
}

/* All I/Os of a test; with errors instead of a lat if that is not 0. */
static struct {
	uint64_t at_ns, lat_ns, errors;
	enum tw_direction direction;
} all[MEMBERS * VALUES];
static uint32_t count;

/* Add a random I/O. */
static void add(struct tw_windows *windows, uint64_t at_ns)
{
	all[count].at_ns = at_ns;
	all[count].lat_ns = random_below(1ULL << random_below(40));
	all[count].direction = (enum tw_direction)random_below(TW_DIRECTIONS);
	all[count].errors = random_below(20) ? 0 : 1 + random_below(9);
	if (all[count].errors)
		tw_windows_add_errors(windows, at_ns, all[count].direction,
				      all[count].errors);
	else
		tw_windows_add(windows, at_ns, all[count].direction, all[count].lat_ns);
	count++;
}

/* Is window @at the sum of the I/Os that have its time? @ios: counts them. */
static int is_sum(const struct tw_windows *windows, uint32_t at, uint32_t *ios)
{
	const uint64_t from_ns = tw_windows_from_ns(windows, at);
	const struct tw_window *got = tw_windows_get(windows, at);
	struct tw_histogram lat;
	int right = 1;

	tw_histogram_init(&lat, TW_WINDOWS_DIGITS);
	for (unsigned direction = 0; direction < TW_DIRECTIONS; direction++) {
		const struct tw_histogram *is = &got->lat[direction];
		uint64_t errors = 0;

		tw_histogram_clear_all(&lat);
		for (uint32_t i = 0; i < count; i++) {
			if (all[i].direction != direction || all[i].at_ns < from_ns ||
			    all[i].at_ns >= from_ns + windows->width_ns)
				continue;
			++*ios;
			errors += all[i].errors;
			if (!all[i].errors)
				tw_histogram_add(&lat, all[i].lat_ns);
		}
		right &= is->count == lat.count && is->sum_ns == lat.sum_ns &&
			 is->min_ns == lat.min_ns && is->max_ns == lat.max_ns &&
			 !memcmp(is->squares_ns2, lat.squares_ns2, 16) &&
			 !memcmp(is->bins, lat.bins, lat.bin_count * sizeof(*lat.bins)) &&
			 got->errors[direction] == errors;
	}
	tw_histogram_free(&lat);
	return right;
}

static int all_right(const struct tw_windows *windows)
{
	uint32_t ios = 0;
	int right = 1;

	for (uint32_t i = 0; i < windows->count; i++)
		right &= is_sum(windows, i, &ios);
	return right && ios == count;
}

/* ---- filling ---- */

/* Is the open window that of the last I/O, and are enough windows in use? */
static int is_open_right(const struct tw_windows *windows, uint64_t at_ns)
{
	return windows->count <= windows->most && windows->count > 0 &&
	       (windows->width_ns == MS || windows->count > windows->most / 2) &&
	       windows->first == all[0].at_ns / windows->width_ns &&
	       windows->first + windows->count - 1 == at_ns / windows->width_ns &&
	       windows->edge_ns == tw_windows_from_ns(windows, windows->count);
}

/* Add I/Os with random gaps, some of them long. */
static int fill(struct tw_windows *windows, uint32_t values, uint64_t gap_ns)
{
	uint64_t at_ns = NOW + random_below(1000 * MS);
	int right = 1;

	for (count = 0; count < values;) {
		at_ns += random_below(gap_ns) * (random_below(100) ? 1 : 1000);
		add(windows, at_ns);
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
		open &= fill(&windows, 1 + (uint32_t)random_below(600),
			     1 + random_below(MS << random_below(10)));
		tw_windows_close(&windows);
		right &= windows.first == all[0].at_ns / windows.width_ns &&
			 all_right(&windows);
		tw_windows_reset(&windows);
	}
	tap_ok(open, "of %u windows the last is that of the last I/O", most);
	tap_ok(right, "and each I/O is in the window of its time");
	tw_windows_free(&windows);
}

static void check_edges(void)
{
	struct tw_windows windows;

	tw_windows_init(&windows, 4);
	count = 0;
	add(&windows, NOW + MS - 1);
	add(&windows, NOW + MS);
	add(&windows, NOW + 2 * MS - 1);
	tap_ok(windows.count == 2, "an edge belongs to the window that it begins");
	tw_windows_close(&windows);
	tap_ok(all_right(&windows), "with its I/Os");
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
	long found = 0;

	if (pages > sizeof(there) ||
	    mincore((void *)begin, pages * page, there))
		return -1;
	for (size_t i = 0; i < pages; i++)
		found += there[i] & 1;
	return found;
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

/* ---- merging ---- */

static uint64_t widest_ns;

static void make_member(struct tw_windows *windows)
{
	const uint32_t values = random_below(4) ? 1 + (uint32_t)random_below(VALUES) : 0;
	const uint64_t gap_ns = 1 + random_below(MS << random_below(8));
	uint64_t at_ns = NOW + random_below(MS << random_below(16));

	tw_windows_init(windows, 2U << random_below(7));
	for (uint32_t i = 0; i < values; i++)
		add(windows, at_ns += random_below(gap_ns));
	tw_windows_close(windows);
	if (windows->width_ns > widest_ns)
		widest_ns = windows->width_ns;
}

/* Return the narrowest width that the rule allows for @most windows. */
static uint64_t width_by_rule(uint32_t most)
{
	uint64_t first_ns = UINT64_MAX, last_ns = 0, width_ns = widest_ns;

	for (uint32_t i = 0; i < count; i++) {
		first_ns = all[i].at_ns < first_ns ? all[i].at_ns : first_ns;
		last_ns = all[i].at_ns > last_ns ? all[i].at_ns : last_ns;
	}
	while (count && last_ns / width_ns - first_ns / width_ns >= most)
		width_ns *= 2;
	return width_ns;
}

/* Merge a set. Return 1 if each I/O is in the window of its time. */
static int is_set_right(void)
{
	const uint32_t most = 16U << random_below(4);
	struct tw_windows from, sum = { 0 };
	int right = 1;

	count = 0;
	widest_ns = 0;
	if (most < TW_WINDOWS_MOST)
		tw_windows_init(&sum, most);
	for (uint32_t i = 0; i < MEMBERS; i++) {
		make_member(&from);
		right &= !tw_windows_merge(&sum, &from);
		tw_windows_free(&from);
	}
	right &= sum.width_ns == width_by_rule(most) && sum.count <= most &&
		 all_right(&sum);
	tw_windows_free(&sum);
	return right;
}

/* Merge two I/Os that are @windows narrowest windows apart. Return the width. */
static uint64_t width_of_two(uint64_t windows)
{
	struct tw_windows one, sum = { 0 };
	uint64_t width_ns;

	tw_windows_init(&one, 2);
	for (uint64_t i = 0; i < 2; i++) {
		tw_windows_add(&one, NOW + i * windows * MS, TW_READ, 1);
		tw_windows_close(&one);
		tw_windows_merge(&sum, &one);
		tw_windows_reset(&one);
	}
	width_ns = sum.width_ns;
	tw_windows_free(&one);
	tw_windows_free(&sum);
	return width_ns;
}

static void check_overflow(void)
{
	struct tw_windows windows, sum = { 0 };

	tw_windows_init(&windows, 2);
	tw_windows_add_errors(&windows, NOW, TW_TRIM, UINT64_MAX);
	tw_windows_close(&windows);
	tap_ok(tw_windows_merge(&sum, &windows) == 0 &&
	       tw_windows_merge(&sum, &windows) == -EOVERFLOW,
	       "a sum of more than 64 bits is refused");
	tw_windows_free(&sum);
	tw_windows_free(&windows);
}

/* ---- reading ---- */

#define LAT	"{\"digits\":1,\"count\":1,\"min_ns\":5,\"max_ns\":5,\"sum_ns\":\"5\"," \
		"\"sum_squares_ns2\":\"25\",\"bins\":{\"5\":1}}"
#define AT(start)	"{\"start\":\"" start "\",\"read\":" LAT "}"
#define SERIES(width, windows)	"{\"width_ns\":" width ",\"windows\":[" windows "]}"

/* Is a series taken, with these values? */
static void taken(const char *text, uint32_t windows, uint64_t width_ns, uint64_t first,
		  const char *what)
{
	json_t *json = json_loads(text, 0, NULL);
	struct tw_windows is = { 0 };
	struct tw_report_problem problem = { "" };

	tap_ok(!tw_windows_from_json(&is, json, "it", &problem) && is.count == windows &&
	       is.width_ns == width_ns && is.first == first &&
	       (windows < 128 || tw_windows_get(&is, 127)->errors[TW_SYNC] == 3),
	       "%s %s", what, problem.text);
	json_decref(json);
	tw_windows_free(&is);
}

int main(void)
{
	static const uint32_t most[] = { 2, 4, 16, 128 };
	int right = 1;

	state = tap_seed();
	for (unsigned i = 0; i < 4; i++)
		check_filled(most[i]);
	check_edges();
	check_trimmed();
	check_touched();
	check_refused();
	for (unsigned i = 0; i < SETS; i++)
		right &= is_set_right();
	tap_ok(right, "of %d sets of %d series each I/O is in the window of its time, as narrow "
	       "as the rule allows", SETS, MEMBERS);
	tap_ok(width_of_two(TW_WINDOWS_MOST - 1) == MS &&
	       width_of_two(TW_WINDOWS_MOST) == 2 * MS,
	       "as many windows as allowed, and one more");
	check_overflow();
	taken(SERIES("2000000", AT("4000000") ",{\"start\":\"258000000\",\"errors\":"
		     "{\"sync\":3},\"new\":1}"), 128, 2 * MS, 2, "128 windows, one of errors");
	taken(SERIES("1000000", ""), 0, 0, 0, "no window");
	taken(SERIES("\"8796093022208000000\"", AT("8796093022208000000")), 1,
	      8796093022208000000, 1, "the widest and last window");
	return tap_done();
}
