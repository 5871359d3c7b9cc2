/* SPDX-License-Identifier: MIT */
/*
 * A histogram written as JSON and read back is the same, through text and up to 64 bits. One
 * that no counting can give is refused with a reason, and the output stays untouched.
 *
 * Fails if an edge or a sum passes through a double, if a bin gets lost, or if another order
 * of the bins, as other programs write them, is refused. Fails if any one check of the reader
 * is missing: each case breaks a good object in one place and must be refused for that.
 */
#include <errno.h>
#include <string.h>

#include "latency/histogram.h"
#include "latency/histogram_json.h"
#include "tap.h"

/* 100, 100, 3001: with 3 digits [3000, 3001] is one bin. */
static const char good[] =
	"{'digits': 3, 'count': 3, 'min_ns': 100, 'max_ns': 3001,"
	" 'stddev_ns': 1674.8931309191044, 'sum_ns': '3201',"
	" 'sum_squares_ns2': '9026001', 'percentiles': {'50.000000': 100},"
	" 'bins': {'100': 2, '3001': 1}}";

/* The same bins as a text of HdrHistogram. The end differs if values differ. */
#define BINS		"'bins': {'100': 2, '3001': 1}"
#define HDR(end)	"'hdr': 'HISTFAAAADl4AQEuANH/HISTEwAAAAYAAAAAAAAAAwAAAAAAAAABAAAAAAAAC7" \
			end "'"
#define HDR_GOOD	HDR("k/8AAAAAAAAMcBBO0lAl04BSQ=")

static const struct {
	const char *from, *to, *reason;
} breaks[] = {
	{ "'digits': 3", "'digits': 0", "digits is not" },
	{ "'digits': 3", "'digits': 6", "digits is not" },
	{ "'digits': 3", "'digits': 2", "these digits" },
	{ "'digits': 3", "'digits': -3", "digits is not" },
	{ "'digits': 3", "'digits': 3.0", "digits is not" },
	{ "'digits': 3", "'digits': '+3'", "digits is not" },
	{ "'digits': 3", "'digits': 4294967299", "digits is not" },
	{ "'digits': 3, ", "", "digits is not" },
	{ "'count': 3", "'count': 4", "add up" },
	{ "'count': 3", "'count': 3, 'weight': 4", "add up" },
	{ "'count': 3", "'count': 3, 'weight': 3", "weight is not" },
	{ "'count': 3", "'count': 0, 'weight': 3", "weight is not" },
	{ "'count': 3", "'count': 2, 'weight': '3.0'", "weight is not" },
	{ "'count': 3", "'count': 1, 'weight': 3", "one value, but" },
	{ "'count': 3", "'count': -3", "count is not" },
	{ "'count': 3", "'count': null", "count is not" },
	{ "'count': 3", "'count': [3]", "count is not" },
	{ "'count': 3, ", "", "count is not" },
	{ "'min_ns': 100", "'min_ns': 99", "first bin" },
	{ "'min_ns': 100", "'min_ns': 3002", "above max_ns" },
	{ "'min_ns': 100", "'min_ns': -100", "min_ns is not a" },
	{ "'min_ns': 100,", "", "min_ns is not a" },
	{ "'max_ns': 3001", "'max_ns': 3002", "last bin" },
	{ "'max_ns': 3001", "'max_ns': 99", "above max_ns" },
	{ "'max_ns': 3001", "'max_ns': 1e3", "max_ns is not a" },
	{ "'max_ns': 3001,", "", "max_ns is not a" },
	{ "'stddev_ns': 1674.8931309191044", "'stddev_ns': true", "stddev_ns is" },
	{ "'sum_ns': '3201'", "'sum_ns': '3199'", "bins allow" },
	{ "'sum_ns': '3201'", "'sum_ns': '3202'", "bins allow" },
	{ "'sum_ns': '3201'", "'sum_ns': '18446744073709551616'",
	  "sum_ns is not" },
	{ "'sum_ns': '3201'", "'sum_ns': '03201'", "sum_ns is not" },
	{ "'sum_ns': '3201'", "'sum_ns': ' 3201'", "sum_ns is not" },
	{ "'sum_ns': '3201'", "'sum_ns': '3201x'", "sum_ns is not" },
	{ "'sum_ns': '3201'", "'sum_ns': ''", "sum_ns is not" },
	{ "'sum_ns': '3201',", "", "sum_ns is not" },
	{ "'sum_squares_ns2': '9026001',", "", "sum_squares_ns2 is not" },
	{ "'9026001'", "'9026002'", "sum_squares_ns2 is none" },
	{ "'9026001'", "'9019999'", "sum_squares_ns2 is none" },
	{ "'9026001'", "'0'", "is 0" },
	{ "'9026001'", "9026001", "sum_squares_ns2 is not" },
	{ "'9026001'", "'09026001'", "sum_squares_ns2 is not" },
	{ "'9026001'", "'9026001 '", "sum_squares_ns2 is not" },
	{ "'9026001'", "'-9026001'", "sum_squares_ns2 is not" },
	{ "'9026001'", "''", "sum_squares_ns2 is not" },
	{ "'9026001'", "'340282366920938463463374607440794237457'",
	  "sum_squares_ns2 is not" },
	{ "{'50.000000': 100}", "{'50.000000': 100.5}", "a percentile" },
	{ "{'50.000000': 100}", "[100]", "percentiles is" },
	{ "'100': 2", "'100': -2", "whole number under" },
	{ "'100': 2", "'100': 2.0", "whole number under" },
	{ "'100': 2", "'100': null", "whole number under" },
	{ "'100': 2", "'100': [2]", "whole number under" },
	{ "'100': 2", "'100': {'100': 2}", "whole number under" },
	{ "'100': 2", "'-100': 2", "whole number under" },
	{ "'100': 2", "'100.0': 2", "whole number under" },
	{ "'100': 2", "'0100': 2", "whole number under" },
	{ "'100': 2", "' 100': 2", "whole number under" },
	{ "'100': 2", "'': 2", "whole number under" },
	{ "'100': 2", "'18446744073709551616': 2", "whole number under" },
	{ "'100': 2", "'100': '18446744073709551615'", "64 bits" },
	{ "'100': 2", "'100': 2, '300': 0", "is empty" },
	{ "'100': 2", "'100': 2, '99': 1", "add up" },
	{ "'3001': 1", "'3002': 1", "these digits" },
	{ "'3001': 1", "'3000': 1", "these digits" },
	{ "{'100': 2, '3001': 1}", "{}", "add up" },
	{ "{'100': 2, '3001': 1}", "[]", "bins is not" },
	{ "{'100': 2, '3001': 1}", "[[100, 100, 2], [3000, 3001, 1]]",
	  "bins is not" },
	{ "{'100': 2, '3001': 1}", "0", "bins is not" },
	{ ", 'bins': {'100': 2, '3001': 1}", "", "bins is not" },
	{ BINS, BINS ", " HDR_GOOD, "both there" },
	{ BINS, "'hdr': 3", "hdr is not a text" },
	{ BINS, "'hdr': null", "hdr is not a text" },
	{ BINS, "'hdr': ''", "base64" },
	/* 100 only once; 3003 instead of 3001; 101 instead of 100. */
	{ BINS, HDR("k/8AAAAAAAAMcBAu0lAl0wBSI="), "add up" },
	{ BINS, HDR("s/8AAAAAAAAMcBBO8lAl1cBSg="), "last bin" },
	{ BINS, HDR("k/8AAAAAAAAMkBBOslAl0+BSQ="), "first bin" },
	{ "'sum_ns': '3201', 'sum_squares_ns2': '9026001', 'percentiles': "
	  "{'50.000000': 100}, " BINS,
	  "'sum_ns': '3202', 'sum_squares_ns2': '9026001', 'percentiles': "
	  "{'50.000000': 100}, " HDR_GOOD, "bins allow" },
};

/* Other objects that no counting can give. 33 twice has larger squares than 2 times 1088.5. */
static const struct {
	const char *text, *reason, *what;
} others[] = {
	{ "{'digits': 3, 'count': 1, 'min_ns': 3000, 'max_ns': 3001,"
	  " 'mean_ns': 3000, 'stddev_ns': 0, 'sum_ns': 3000, 'sum_squares_ns2': '9000000',"
	  " 'percentiles': {}, 'bins': {'3001': 1}}", "one value", "one value between two extremes" },
	{ "{'digits': 3, 'count': 0, 'min_ns': 0, 'max_ns': 1, 'mean_ns': 0,"
	  " 'stddev_ns': 0, 'sum_ns': 0, 'sum_squares_ns2': '0', 'bins': {}}", "count is 0",
	  "nothing counted, but a maximum" },
	{ "{'digits': 1, 'count': 2, 'min_ns': 32, 'max_ns': 33, 'mean_ns': 33,"
	  " 'stddev_ns': 0, 'sum_ns': '66', 'sum_squares_ns2': '2177',"
	  " 'percentiles': {}, 'bins': {'33': 2}}", "sum_squares_ns2 is none",
	  "squares that are too few for the sum" },
	{ "[]", "not an object", "an array" },
	{ "3", "not an object", "a number" },
};

/* Parse a text that has ' for quotes. */
static json_t *json_of(const char *text)
{
	char copy[1024], *quote;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((quote = strchr(copy, '\'')) != NULL)
		*quote = '"';
	return json_loads(copy, JSON_DECODE_ANY, NULL);
}

/* Return NULL if @from does not occur in the good object: the test is wrong then. */
static char *broken(const char *from, const char *to, char *copy, size_t size)
{
	const char *at = strstr(good, from);

	if (!at)
		return NULL;
	snprintf(copy, size, "%.*s%s%s", (int)(at - good), good, to,
		 at + strlen(from));
	return copy;
}

static void refuses(const char *text, const char *reason, const char *what)
{
	struct tw_histogram histogram, untouched;
	const char *problem = "taken";
	json_t *json = json_of(text);
	int error;

	memset(&histogram, 0x5a, sizeof(histogram));
	memset(&untouched, 0x5a, sizeof(untouched));
	error = tw_histogram_from_json(&histogram, json, &problem);
	tap_ok(error == -EINVAL && strstr(problem, reason) &&
	       memcmp(&histogram, &untouched, sizeof(histogram)) == 0,
	       "%s: %s", what, problem);
	json_decref(json);
}

static void takes_hdr(void)
{
	struct tw_histogram histogram = { 0 };
	const char *problem = "none";
	char copy[1024];
	json_t *json = json_of(broken(BINS, HDR_GOOD, copy, sizeof(copy)));

	tap_ok(!tw_histogram_from_json(&histogram, json, &problem) &&
	       histogram.count == 3 && histogram.min_ns == 100,
	       "HdrHistogram's text instead of the bins: %s", problem);
	tw_histogram_free(&histogram);
	json_decref(json);
}

/* ---- back and forth ---- */

static int same(const struct tw_histogram *a, const struct tw_histogram *b)
{
	return a->digits == b->digits && a->bits == b->bits &&
	       a->count == b->count && a->repeats == b->repeats && a->sum_ns == b->sum_ns &&
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
	check_json(histogram, tw_histogram_to_json(histogram, 1), what);
}

static void check_digits(unsigned digits, uint64_t *state)
{
	struct tw_histogram histogram;

	tap_note("%u digits", digits);
	if (tw_histogram_init(&histogram, digits))
		exit(1);
	check(&histogram, "empty");
	tw_histogram_add(&histogram, 0);
	check(&histogram, "one zero");
	for (int i = 0; i < 5000; i++) {
		uint64_t random = tap_random(state);

		tw_histogram_add(&histogram, random >> (14 + random % 40));
	}
	check(&histogram, "5000 values");
	tw__histogram_add_times(&histogram, 77, 16);
	check(&histogram, "and one that counts 16 times");
	tw_histogram_clear_all(&histogram);
	/* As text, 10 comes before 9. */
	tw_histogram_add(&histogram, 9);
	tw_histogram_add(&histogram, 10);
	check(&histogram, "9 and 10");
	tw_histogram_clear_all(&histogram);
	tw_histogram_add(&histogram, UINT64_MAX);
	check(&histogram, "2^64 - 1");
	tw_histogram_free(&histogram);
}

static void check_numbers(void)
{
	json_t *last = tw_json_of_u64(1ULL << 53), *next = tw_json_of_u64((1ULL << 53) + 1);
	struct tw_histogram histogram;
	json_t *json;
	uint64_t ns = 0;

	tap_ok(json_is_integer(last) && json_is_string(next),
	       "a double holds every whole number up to 2^53: that and the next");
	json_decref(last);
	json_decref(next);
	if (tw_histogram_init(&histogram, 3))
		exit(1);
	for (uint64_t value = 1; value <= 1000; value++)
		tw_histogram_add(&histogram, value);
	json = tw_histogram_to_json(&histogram, -1);
	tap_ok(!json_object_get(json, "mean_ns") && !json_object_get(json, "weight"),
	       "no mean where there is none, no weight where each value counts once");
	tw_json_to_u64(json_object_get(json_object_get(json, "percentiles"), "99.900000"), &ns);
	tap_is_u64(ns, 999, "percentile under fio's key 99.900000");
	tap_ok(json_is_string(json_object_get(json, "sum_ns")), "sum_ns is a string");
	json_decref(json);
	tw_histogram_free(&histogram);
}

int main(void)
{
	struct tw_histogram histogram;
	const char *problem = "none";
	json_t *json = json_of(good);
	uint64_t state = tap_seed();

	for (unsigned digits = 1; digits <= 5; digits += 2)
		check_digits(digits, &state);
	check_numbers();
	if (!tap_ok(!tw_histogram_from_json(&histogram, json, &problem),
		    "the good one is taken: %s", problem))
		return tap_done();
	tap_is_u64(histogram.sum_ns, 3201, "and what it says is known");
	tw_histogram_free(&histogram);
	json_decref(json);
	takes_hdr();
	for (size_t i = 0; i < sizeof(breaks) / sizeof(*breaks); i++) {
		char copy[1024];

		if (broken(breaks[i].from, breaks[i].to, copy, sizeof(copy)))
			refuses(copy, breaks[i].reason, breaks[i].to);
		else
			tap_ok(0, "%s is not in the good one", breaks[i].from);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		refuses(others[i].text, others[i].reason, others[i].what);
	tap_ok(tw_histogram_from_json(&histogram, NULL, &problem) == -EINVAL, "NULL");
	return tap_done();
}
