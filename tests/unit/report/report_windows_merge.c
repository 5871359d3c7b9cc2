/* SPDX-License-Identifier: MIT */
/*
 * Series over time merge to the same bytes in any order and grouping, also when they are
 * written and read in between. The sum has the narrowest windows that the rule allows, and
 * each I/O in the window of its time. Fails if the width depends on the order, or if a
 * window is lost or shifted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/windows.h"
#include "tap.h"

#define NOW	1789000000000000000ULL
#define SETS	100
#define MEMBERS	7
#define VALUES	200

static uint64_t state;

static uint64_t random_below(uint64_t limit)
{
	return tap_random(&state) % limit;
}

/* All I/Os of a set. */
static struct { uint64_t at_ns, lat_ns; enum tw_direction direction; } all[MEMBERS * VALUES];
static uint32_t count;
static uint64_t widest_ns;

static void fill(struct tw_windows *windows)
{
	const uint32_t values = random_below(4) ? 1 + (uint32_t)random_below(VALUES) : 0;
	const uint64_t gap_ns = 1 + random_below(TW_WINDOWS_NS << random_below(8));
	uint64_t at_ns = NOW + random_below(TW_WINDOWS_NS << random_below(16));

	tw_windows_init(windows, 2U << random_below(7));
	for (uint32_t i = 0; i < values; i++) {
		at_ns += random_below(gap_ns);
		all[count].at_ns = at_ns;
		all[count].lat_ns = random_below(1ULL << random_below(40));
		all[count].direction = (enum tw_direction)random_below(TW_DIRECTIONS);
		tw_windows_add(windows, at_ns, all[count].direction, all[count].lat_ns);
		count++;
	}
	tw_windows_close(windows);
	if (windows->width_ns > widest_ns)
		widest_ns = windows->width_ns;
}

static char *text_of(const struct tw_windows *windows)
{
	json_t *json = tw_windows_to_json(windows);
	char *text = json_dumps(json, JSON_COMPACT);

	json_decref(json);
	return text;
}

/* Write a series and read it back. */
static int reread(struct tw_windows *windows)
{
	json_t *json = tw_windows_to_json(windows);
	const char *problem = "";
	struct tw_windows read = { 0 };
	char *one = text_of(windows), *two;
	int same = !tw_windows_from_json(&read, json, &problem);

	two = text_of(&read);
	same = same && !strcmp(one, two);
	if (!same)
		tap_note("%s: %s, %s", problem, one, two);
	free(one);
	free(two);
	json_decref(json);
	tw_windows_free(windows);
	*windows = read;
	return same;
}

/* Merge two random series at a time, until one is left. */
static int merge_all(const struct tw_windows *from, struct tw_windows *into)
{
	struct tw_windows left[MEMBERS] = { { 0 } };
	int right = 1;

	for (uint32_t i = 0; i < MEMBERS; i++)
		right &= !tw_windows_merge(&left[i], &from[i]);
	for (uint32_t n = MEMBERS; n > 1; n--) {
		const uint32_t b = 1 + (uint32_t)random_below(n - 1);
		const uint32_t a = (uint32_t)random_below(b);
		const uint32_t turned = random_below(2) ? a ^ b : 0;
		struct tw_windows sum = { 0 };

		if (random_below(4) == 0)
			right &= reread(&left[b]);
		right &= !tw_windows_merge(&sum, &left[a ^ turned]);
		right &= !tw_windows_merge(&sum, &left[b ^ turned]);
		tw_windows_free(&left[a]);
		tw_windows_free(&left[b]);
		left[a] = sum;
		if (b != n - 1)
			left[b] = left[n - 1];
	}
	*into = left[0];
	return right;
}

/* Return the narrowest width that the rule allows. */
static uint64_t width_by_rule(void)
{
	uint64_t first_ns = UINT64_MAX, last_ns = 0, width_ns = widest_ns;

	for (uint32_t i = 0; i < count; i++) {
		first_ns = all[i].at_ns < first_ns ? all[i].at_ns : first_ns;
		last_ns = all[i].at_ns > last_ns ? all[i].at_ns : last_ns;
	}
	while (count && last_ns / width_ns - first_ns / width_ns >= TW_WINDOWS_MOST)
		width_ns *= 2;
	return width_ns;
}

static int is_sum(const struct tw_windows *windows, uint32_t at, unsigned direction)
{
	const uint64_t from_ns = tw_windows_from_ns(windows, at);
	const struct tw_histogram *is = &tw_windows_get(windows, at)->lat[direction];
	struct tw_histogram lat;
	int right;

	tw_histogram_init(&lat, TW_WINDOWS_DIGITS);
	for (uint32_t i = 0; i < count; i++)
		if (all[i].direction == direction && all[i].at_ns >= from_ns &&
		    all[i].at_ns < from_ns + windows->width_ns)
			tw_histogram_add(&lat, all[i].lat_ns);
	right = is->count == lat.count && is->sum_ns == lat.sum_ns &&
		is->min_ns == lat.min_ns && is->max_ns == lat.max_ns &&
		!memcmp(is->squares_ns2, lat.squares_ns2, 16) &&
		!memcmp(is->bins, lat.bins, lat.bin_count * sizeof(*lat.bins));
	tw_histogram_free(&lat);
	return right;
}

static int is_right(const struct tw_windows *windows)
{
	uint64_t ios = 0;
	int right = windows->width_ns == width_by_rule() &&
		    windows->count <= TW_WINDOWS_MOST;

	for (uint32_t i = 0; i < windows->count; i++)
		for (unsigned j = 0; j < TW_DIRECTIONS; j++) {
			right &= is_sum(windows, i, j);
			ios += tw_windows_get(windows, i)->lat[j].count;
		}
	return right && ios == count;
}

/* Merge a set in three orders. */
static void check_set(int *merged, int *right, int *same)
{
	struct tw_windows from[MEMBERS], sum;
	char *first = NULL;

	count = 0;
	widest_ns = 0;
	for (uint32_t i = 0; i < MEMBERS; i++)
		fill(&from[i]);
	for (unsigned i = 0; i < 3; i++) {
		char *text;

		*merged &= merge_all(from, &sum);
		*right &= is_right(&sum);
		text = text_of(&sum);
		*same &= !first || !strcmp(first, text);
		if (first)
			free(text);
		else
			first = text;
		tw_windows_free(&sum);
	}
	free(first);
	for (uint32_t i = 0; i < MEMBERS; i++)
		tw_windows_free(&from[i]);
}

/* Merge two I/Os that are @windows narrowest windows apart. Return the width. */
static uint64_t width_of_two(uint64_t windows)
{
	struct tw_windows one, sum = { 0 };
	uint64_t width_ns;

	tw_windows_init(&one, 2);
	for (uint64_t i = 0; i < 2; i++) {
		tw_windows_add(&one, NOW + i * windows * TW_WINDOWS_NS, TW_READ, 1);
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

int main(void)
{
	int merged = 1, right = 1, same = 1;

	state = tap_seed();
	for (unsigned i = 0; i < SETS; i++)
		check_set(&merged, &right, &same);
	tap_ok(merged, "%d sets of %d series can be merged, written and read", SETS, MEMBERS);
	tap_ok(right, "each I/O is in the window of its time, as narrow as the rule allows");
	tap_ok(same, "each order and grouping gives the same bytes");
	tap_ok(width_of_two(TW_WINDOWS_MOST - 1) == TW_WINDOWS_NS &&
	       width_of_two(TW_WINDOWS_MOST) == 2 * TW_WINDOWS_NS,
	       "as many windows as allowed, and one more");
	check_overflow();
	return tap_done();
}
