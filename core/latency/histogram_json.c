/* SPDX-License-Identifier: MIT */
/*
 * Writes a histogram as JSON, and reads it back. The reader does not trust its
 * input: what it accepts could have been made by adding values one by one.
 */
#include <errno.h>
#include <string.h>

#include "histogram_json.h"
#include "histogram.h"
#include "histogram_hdr.h"

/* A double holds every whole number up to here. */
#define EXACT_IN_DOUBLE	(1ULL << 53)

static const double percents[] = {
	1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99,
	99.5, 99.9, 99.95, 99.99, 99.999,
};

#define PERCENTS	(sizeof(percents) / sizeof(*percents))

json_t *tw_json_digits(uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	return json_string(digits);
}

json_t *tw_json_of_u64(uint64_t value)
{
	return value <= EXACT_IN_DOUBLE ? json_integer((json_int_t)value) :
					  tw_json_digits(value);
}

/* Parse a whole number from a string. */
static int digits_to_u128(const char *text, size_t length, u128 *value)
{
	u128 sum = 0;

	if (length == 0 || (text[0] == '0' && length > 1))
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, (u128)(text[i] - '0'), &sum))
			return -EINVAL;
	}
	*value = sum;
	return 0;
}

static int digits_to_u64(const char *text, size_t length, uint64_t *value)
{
	u128 digits;

	if (digits_to_u128(text, length, &digits) || digits > UINT64_MAX)
		return -EINVAL;
	*value = (uint64_t)digits;
	return 0;
}

int tw_json_to_u64(const json_t *json, uint64_t *value)
{
	if (json_is_string(json))
		return digits_to_u64(json_string_value(json),
				     json_string_length(json), value);
	if (!json_is_integer(json) || json_integer_value(json) < 0)
		return -EINVAL;
	*value = (uint64_t)json_integer_value(json);
	return 0;
}

/* ---- writing ------------------------------------------------------------ */

/* A lack of memory is noted: see tw_json_lacked_memory(). */

static json_t *percentiles_to_json(const struct tw_histogram *histogram)
{
	uint64_t values_ns[PERCENTS];
	json_t *object = json_object();

	tw_histogram_percentiles(histogram, percents, values_ns, PERCENTS);
	for (size_t i = 0; i < PERCENTS; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%f", percents[i]);
		json_object_set_new(object, key, tw_json_of_u64(values_ns[i]));
	}
	return object;
}

static json_t *bins_to_json(const struct tw_histogram *histogram)
{
	json_t *bins = json_object();
	uint32_t bin, last;

	if (histogram->count == 0)
		return bins;
	bin = tw__histogram_bin(histogram, histogram->min_ns);
	last = tw__histogram_bin(histogram, histogram->max_ns);
	for (; bin <= last; bin++) {
		uint64_t high_ns = tw_histogram_bin_high(histogram, bin);
		uint64_t count = histogram->bins[bin];
		char key[24];

		if (count == 0)
			continue;
		snprintf(key, sizeof(key), "%llu", (unsigned long long)high_ns);
		json_object_set_new(bins, key, tw_json_of_u64(count));
	}
	return bins;
}

/* Return NULL without memory. jansson's own allocator is told of it. */
static json_t *hdr_to_json(const struct tw_histogram *histogram)
{
	json_malloc_t allocate;
	json_free_t release;
	json_t *json = NULL;
	char *room;

	json_get_alloc_funcs(&allocate, &release);
	room = allocate(tw_hdr_room(histogram));
	if (room)
		json = json_stringn_nocheck(room, tw_hdr_encode(histogram, room));
	release(room);
	return json;
}

/* Write the sum of the squares, all 128 bits. */
static json_t *squares_to_json(const struct tw_histogram *histogram)
{
	u128 left = tw_histogram_squares(histogram);
	char digits[40], *first = &digits[sizeof(digits) - 1];

	*first = '\0';
	do
		*--first = (char)('0' + (int)(left % 10));
	while (left /= 10);
	return json_string(first);
}

/* @derived: 1: with what follows from the rest. */
static json_t *to_json(const struct tw_histogram *histogram, int derived, double mean_ns)
{
	uint64_t min_ns = histogram->count ? histogram->min_ns : 0;
	int has_bins = derived || !tw_hdr_can(histogram);

	/* o*: without a value there is no key. */
	return json_pack("{s:i, s:o, s:o*, s:o, s:o, s:o*, s:o*, s:o, s:o, s:o*, s:o}",
		"digits", (int)histogram->digits,
		"count", tw_json_of_u64(tw_histogram_values(histogram)),
		"weight", histogram->repeats ? tw_json_of_u64(histogram->count) : NULL,
		"min_ns", tw_json_of_u64(min_ns),
		"max_ns", tw_json_of_u64(histogram->max_ns),
		"mean_ns", mean_ns < 0 ? NULL : json_real(mean_ns),
		"stddev_ns", derived ? json_real(tw_histogram_stddev_ns(histogram)) : NULL,
		"sum_ns", tw_json_digits(histogram->sum_ns),
		"sum_squares_ns2", squares_to_json(histogram),
		"percentiles", derived ? percentiles_to_json(histogram) : NULL,
		has_bins ? "bins" : "hdr",
		has_bins ? bins_to_json(histogram) : hdr_to_json(histogram));
}

json_t *tw_histogram_to_json(const struct tw_histogram *histogram, double mean_ns)
{
	return to_json(histogram, 1, mean_ns);
}

json_t *tw_histogram_to_lean_json(const struct tw_histogram *histogram)
{
	return to_json(histogram, 0, -1);
}

/* ---- reading ------------------------------------------------------------ */

/* What the object states, before its bins are read. */
struct stated {
	uint64_t digits, values, count, min_ns, max_ns, sum_ns;
	u128 squares_ns2;
};

/* Read these numbers, and check what they alone show. */
static int read_stated(const json_t *json, struct stated *stated, const char **problem)
{
	const struct {
		const char *key;
		uint64_t *value;
		const char *problem;
	} numbers[] = {
		{ "digits", &stated->digits, "digits is not a whole number, 1 to 5" },
		{ "count", &stated->values, "count is not a whole number" },
		{ "min_ns", &stated->min_ns, "min_ns is not a whole number" },
		{ "max_ns", &stated->max_ns, "max_ns is not a whole number" },
		{ "sum_ns", &stated->sum_ns, "sum_ns is not a whole number" },
	};
	const json_t *squares = json_object_get(json, "sum_squares_ns2");
	const json_t *weight = json_object_get(json, "weight");

	if (!json_is_object(json))
		return tw_refuse(problem, "not an object");
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (tw_json_to_u64(json_object_get(json, numbers[i].key), numbers[i].value))
			return tw_refuse(problem, numbers[i].problem);
	if (stated->digits < 1 || stated->digits > 5)
		return tw_refuse(problem, numbers[0].problem);
	stated->count = stated->values;
	if (weight && (tw_json_to_u64(weight, &stated->count) ||
		       stated->count <= stated->values || !stated->values))
		return tw_refuse(problem, "weight is not a whole number above count");
	if (!squares || digits_to_u128(json_string_value(squares),
				       json_string_length(squares), &stated->squares_ns2))
		return tw_refuse(problem, "sum_squares_ns2 is not a whole number");
	if (!stated->squares_ns2 != !stated->sum_ns)
		return tw_refuse(problem, "one of sum_ns and sum_squares_ns2 is 0");
	if (stated->min_ns > stated->max_ns)
		return tw_refuse(problem, "min_ns is above max_ns");
	if (stated->count == 0 && (stated->max_ns || stated->sum_ns))
		return tw_refuse(problem, "count is 0, but not max_ns and sum_ns");
	if (stated->values == 1 && stated->min_ns != stated->max_ns)
		return tw_refuse(problem, "one value, but min_ns is not max_ns");
	return 0;
}

/* What is found out about the bins while they are read. */
struct found {
	uint32_t first, next;		/* bins; next: one past the last */
	u128 min_ns, max_ns;		/* limits of their sum */
	u128 min_ns2, max_ns2;	/* limits of the sum of their squares */
	int overflow;			/* these need more than 128 bits */
};

static int add_squares_of(u128 *sum_ns2, uint64_t count, uint64_t value_ns)
{
	u128 squares_ns2;

	return __builtin_mul_overflow((u128)value_ns * value_ns, (u128)count,
				      &squares_ns2) ||
	       __builtin_add_overflow(*sum_ns2, squares_ns2, sum_ns2);
}

static int read_bin(struct tw_histogram *histogram, uint32_t bin, uint64_t count,
		    const struct stated *stated, struct found *found,
		    const char **problem)
{
	uint64_t low_ns = tw_histogram_bin_low(histogram, bin);
	uint64_t high_ns = tw_histogram_bin_high(histogram, bin);

	if (low_ns < stated->min_ns)
		low_ns = stated->min_ns;
	if (high_ns > stated->max_ns)
		high_ns = stated->max_ns;
	if (tw_histogram_add_bin(histogram, bin, count))
		return tw_refuse(problem, "bins hold more than 64 bits can count");
	if (found->next == 0 || bin < found->first)
		found->first = bin;
	if (bin >= found->next)
		found->next = bin + 1;
	found->min_ns += (u128)count * low_ns;
	found->max_ns += (u128)count * high_ns;
	found->overflow |=
		add_squares_of(&found->min_ns2, count, low_ns) |
		add_squares_of(&found->max_ns2, count, high_ns);
	return 0;
}

/* Read the bins in any order: other programs may write them in another order. */
static int read_object(struct tw_histogram *histogram, const json_t *bins,
		       const struct stated *stated, struct found *found,
		       const char **problem)
{
	const char *key;
	json_t *value;

	if (!json_is_object(bins))
		return tw_refuse(problem, "bins is not an object");
	json_object_foreach((json_t *)bins, key, value) {
		uint64_t high_ns, count;
		uint32_t bin;

		if (digits_to_u64(key, strlen(key), &high_ns) ||
		    tw_json_to_u64(value, &count))
			return tw_refuse(problem, "a bin is not a whole number "
					 "under a whole number");
		bin = tw__histogram_bin(histogram, high_ns);
		if (tw_histogram_bin_high(histogram, bin) != high_ns)
			return tw_refuse(problem, "a bin's key is not the end of a bin with "
					 "these digits");
		if (count == 0)
			return tw_refuse(problem, "a bin is empty");
		if (read_bin(histogram, bin, count, stated, found, problem))
			return -EINVAL;
	}
	return 0;
}

static int read_hdr(struct tw_histogram *histogram, const json_t *text,
		    const struct stated *stated, struct found *found,
		    const char **problem)
{
	struct tw_hdr hdr;
	uint64_t count;
	uint32_t bin;
	int ret;

	if (!json_is_string(text))
		return tw_refuse(problem, "hdr is not a text");
	ret = tw_hdr_open(&hdr, json_string_value(text), json_string_length(text),
			  histogram, problem);
	if (ret)
		return ret;
	while ((ret = tw_hdr_next(&hdr, &bin, &count, problem)) > 0) {
		ret = read_bin(histogram, bin, count, stated, found, problem);
		if (ret)
			break;
	}
	tw_hdr_close(&hdr);
	return ret;
}

/* True if the squares are too small: the square of a sum is at most n times the
 * sum of the squares. */
static int squares_are_few(const struct stated *stated)
{
	u128 most;

	return !__builtin_mul_overflow(stated->squares_ns2,
				       (u128)stated->count, &most) &&
	       most < (u128)stated->sum_ns * stated->sum_ns;
}

static int check_bins(const struct tw_histogram *histogram,
		      const struct stated *stated, const struct found *found,
		      const char **problem)
{
	if (histogram->count != stated->count)
		return tw_refuse(problem, "the bins do not add up to count");
	if (histogram->count == 0)
		return 0;
	if (tw__histogram_bin(histogram, stated->min_ns) != found->first)
		return tw_refuse(problem, "min_ns is not in the first bin");
	if (tw__histogram_bin(histogram, stated->max_ns) != found->next - 1)
		return tw_refuse(problem, "max_ns is not in the last bin");
	if (stated->sum_ns < found->min_ns || stated->sum_ns > found->max_ns)
		return tw_refuse(problem, "sum_ns is none that these bins allow");
	if (!found->overflow &&
	    (stated->squares_ns2 < found->min_ns2 ||
	     stated->squares_ns2 > found->max_ns2 ||
	     squares_are_few(stated)))
		return tw_refuse(problem, "sum_squares_ns2 is none that these bins "
				 "allow");
	return 0;
}

/* Check the types of the numbers that follow from the others, if they are there. */
static int check_derived(const json_t *json, const char **problem)
{
	const json_t *mean = json_object_get(json, "mean_ns");
	const json_t *stddev = json_object_get(json, "stddev_ns");
	const json_t *percentiles = json_object_get(json, "percentiles");
	const char *key;
	json_t *value;
	uint64_t ns;

	if ((mean && !json_is_number(mean)) || (stddev && !json_is_number(stddev)))
		return tw_refuse(problem, "mean_ns or stddev_ns is not a number");
	if (percentiles && !json_is_object(percentiles))
		return tw_refuse(problem, "percentiles is not an object");
	json_object_foreach((json_t *)percentiles, key, value)
		if (tw_json_to_u64(value, &ns))
			return tw_refuse(problem, "a percentile is not a whole number");
	return 0;
}

/* Read what @stated does not hold, and check it. */
static int read_rest(struct tw_histogram *empty, const json_t *json,
		     const struct stated *stated, const char **problem)
{
	const json_t *bins = json_object_get(json, "bins");
	const json_t *hdr = json_object_get(json, "hdr");
	struct found found = { 0 };
	int error;

	if (bins && hdr)
		return tw_refuse(problem, "bins and hdr are both there");
	error = hdr ? read_hdr(empty, hdr, stated, &found, problem) :
		      read_object(empty, bins, stated, &found, problem);
	if (!error)
		error = check_bins(empty, stated, &found, problem);
	if (error)
		return error;
	empty->sum_ns = stated->sum_ns;
	empty->repeats = stated->count - stated->values;
	tw_histogram_set_squares(empty, stated->squares_ns2);
	if (empty->count) {
		empty->min_ns = stated->min_ns;
		empty->max_ns = stated->max_ns;
	}
	return check_derived(json, problem);
}

int tw_histogram_from_json(struct tw_histogram *histogram, const json_t *json,
			   const char **problem)
{
	struct tw_histogram made;
	struct stated stated;
	int error;

	if (read_stated(json, &stated, problem))
		return -EINVAL;
	error = tw_histogram_init(&made, (unsigned)stated.digits);
	if (error)
		return error;
	error = read_rest(&made, json, &stated, problem);
	if (error)
		tw_histogram_free(&made);
	else
		*histogram = made;
	return error;
}

int tw_histogram_fill_from_json(struct tw_histogram *empty, const json_t *json,
				const char **problem)
{
	struct stated stated;

	if (read_stated(json, &stated, problem))
		return -EINVAL;
	if (stated.digits != empty->digits)
		return tw_refuse(problem, "digits is not what all histograms here have");
	return read_rest(empty, json, &stated, problem);
}
