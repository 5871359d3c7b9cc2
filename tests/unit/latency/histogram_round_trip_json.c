/* SPDX-License-Identifier: MIT */
/*
 * A histogram written as JSON and read back is the same, through text and up to 64
 * bits. Fails if an edge or a sum passes through a double, or if an empty histogram
 * can't be read. Fails also if a bin gets lost, or if another order of the bins, as
 * other programs write them, is refused.
 */
#include <string.h>

#include "latency/histogram.h"
#include "latency/histogram_json.h"
#include "tap.h"

static int same(const struct tw_histogram *a, const struct tw_histogram *b)
{
	return a->digits == b->digits && a->bits == b->bits &&
	       a->count == b->count && a->sum_ns == b->sum_ns &&
	       a->squares_ns2[0] == b->squares_ns2[0] &&
	       a->squares_ns2[1] == b->squares_ns2[1] &&
	       a->min_ns == b->min_ns && a->max_ns == b->max_ns &&
	       memcmp(a->bins, b->bins, a->bin_count * sizeof(*a->bins)) == 0;
}

static void check_text(const struct tw_histogram *histogram, const char *text,
		       const char *what)
{
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	struct tw_histogram back = { 0 };
	const char *problem = "none";
	int error = tw_histogram_from_json(&back, json, &problem);

	if (!tap_ok(error == 0 && same(histogram, &back), "%s", what))
		tap_note("error %d, problem: %s", error, problem);
	tw_histogram_free(&back);
	json_decref(json);
}

/* Check a histogram from JSON to text, to JSON, and back. */
static void check_json(const struct tw_histogram *histogram, json_t *json, const char *what)
{
	char *text = json_dumps(json, 0);
	char *sorted = json_dumps(json, JSON_SORT_KEYS);

	if (tap_ok(text && sorted, "%s: as text", what)) {
		check_text(histogram, text, what);
		check_text(histogram, sorted, "keys sorted as text");
	}
	json_decref(json);
	free(sorted);
	free(text);
}

static void check(const struct tw_histogram *histogram, const char *what)
{
	json_t *lean = tw_histogram_to_lean_json(histogram);

	tap_ok(!json_object_get(lean, "mean_ns") && !json_object_get(lean, "percentiles"),
	       "a lean one has nothing derived");
	check_json(histogram, lean, what);
	check_json(histogram, tw_histogram_to_json(histogram), what);
}

static void check_digits(unsigned digits, uint64_t *state)
{
	struct tw_histogram histogram;

	if (!tap_ok(!tw_histogram_init(&histogram, digits), "%u digits",
		    digits))
		return;
	check(&histogram, "empty");
	tw_histogram_add(&histogram, 0);
	check(&histogram, "one zero");
	for (int i = 0; i < 5000; i++) {
		uint64_t random = tap_random(state);

		tw_histogram_add(&histogram, random >> (14 + random % 40));
	}
	check(&histogram, "5000 values");
	tw_histogram_reset(&histogram);
	/* As text, 10 comes before 9. */
	tw_histogram_add(&histogram, 9);
	tw_histogram_add(&histogram, 10);
	check(&histogram, "9 and 10");
	tw_histogram_reset(&histogram);
	tw_histogram_add(&histogram, UINT64_MAX);
	check(&histogram, "2^64 - 1");
	tw_histogram_free(&histogram);
}

/* A double holds every whole number up to 2^53. */
static void check_exact(void)
{
	json_t *last = tw_json_of_u64(1ULL << 53);
	json_t *next = tw_json_of_u64((1ULL << 53) + 1);

	tap_ok(json_is_integer(last), "2^53 is a number");
	tap_ok(json_is_string(next), "2^53 + 1 is a string");
	json_decref(last);
	json_decref(next);
}

static void check_keys(void)
{
	struct tw_histogram histogram;
	json_t *json, *percentiles;
	uint64_t ns = 0;

	if (!tap_ok(!tw_histogram_init(&histogram, 3), "the values 1 to 1000"))
		return;
	for (uint64_t value = 1; value <= 1000; value++)
		tw_histogram_add(&histogram, value);
	json = tw_histogram_to_json(&histogram);
	percentiles = json_object_get(json, "percentiles");
	tw_json_to_u64(json_object_get(percentiles, "99.900000"), &ns);
	tap_is_u64(ns, 999, "percentile under fio's key 99.900000");
	tap_ok(json_is_string(json_object_get(json, "sum_ns")),
	       "sum_ns is a string");
	json_decref(json);
	tw_histogram_free(&histogram);
}

int main(void)
{
	uint64_t state = tap_seed();

	for (unsigned digits = 1; digits <= 5; digits += 2)
		check_digits(digits, &state);
	check_keys();
	check_exact();
	return tap_done();
}
