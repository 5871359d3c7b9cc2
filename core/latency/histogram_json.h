/* SPDX-License-Identifier: MIT */
/*
 * A histogram as JSON and back. The engine writes it into its report, and
 * `tickwise report` reads it. Relies on jansson; not part of libtickwise.
 */
#ifndef TW_HISTOGRAM_JSON_H
#define TW_HISTOGRAM_JSON_H

#include <jansson.h>

#include "tickwise.h"

/**
 * tw_json_of_u64 - write 64 unsigned bits as JSON
 *
 * The result is a number if the double of any reader holds it (2^53), else a
 * string of its digits. Return: a new reference; NULL without memory.
 */
json_t *tw_json_of_u64(uint64_t value);

/* Write a number as a string of its digits: for absolute times and ticks, which
 * a double does not hold. Return: a new reference; NULL without memory. */
json_t *tw_json_digits(uint64_t value);

/**
 * tw_json_to_u64 - read a number of 0 or more, or a string of its digits
 *
 * Return: 0; -EINVAL for anything else, NULL and more than 64 bits included.
 */
int tw_json_to_u64(const json_t *json, uint64_t *value);

/**
 * tw_histogram_to_json - write {"digits", "count", ..., "percentiles", "bins"}
 *
 * Bins are an object of counts, as in fio's output. It has only bins that are
 * not empty, ascending. The key is the bin's last nanosecond. Percentiles have
 * fio's keys. An empty histogram has a minimum of 0.
 *
 * Return: a new reference; NULL without memory.
 */
json_t *tw_histogram_to_json(const struct tw_histogram *histogram);

/* Write the same without what follows from the rest: mean_ns, stddev_ns, percentiles. In
 * place of the bins is "hdr", the text of histogram_hdr.h, if the histogram has one. */
json_t *tw_histogram_to_lean_json(const struct tw_histogram *histogram);

/**
 * tw_histogram_from_json - read a histogram back, and check all of it
 * @histogram: the result; release with tw_histogram_free()
 * @json: any JSON value
 * @problem: on -EINVAL what is wrong, a constant string
 *
 * It has either bins or hdr. Bins, count, minimum, maximum and sum must fit each other.
 * What is derived from these is checked for plausibility, and then not used.
 *
 * Return: 0; -EINVAL with @problem set; -ENOMEM.
 */
int tw_histogram_from_json(struct tw_histogram *histogram, const json_t *json,
			   const char **problem);

/* Read into a histogram that is empty and has the digits of the one in @json. This maps
 * no memory. Return: 0; -EINVAL with @problem set, and then @empty is empty. */
int tw_histogram_fill_from_json(struct tw_histogram *empty, const json_t *json,
				const char **problem);

#endif
