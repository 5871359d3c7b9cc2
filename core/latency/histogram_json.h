/* SPDX-License-Identifier: MIT */
/*
 * A histogram as JSON and back. The engine writes it into its report, and
 * `tickwise report` reads it. Relies on jansson; not part of libtickwise.
 */
#ifndef TW_HISTOGRAM_JSON_H
#define TW_HISTOGRAM_JSON_H

#include <jansson.h>

#include "tickwise.h"

/* Write 64 unsigned bits as JSON: a number if the double of any reader holds it (2^53),
 * else a string of its digits. Return: a new reference; NULL without memory. */
json_t *tw_json_of_u64(uint64_t value);

/* Write a number as a string of its digits: for absolute times and ticks, which
 * a double does not hold. Return: a new reference; NULL without memory. */
json_t *tw_json_digits(uint64_t value);

/* Read a number of 0 or more, or a string of its digits. Return: 0; -EINVAL for
 * anything else. */
int tw_json_to_u64(const json_t *json, uint64_t *value);

/* Write {"digits", "count", ..., "percentiles", "bins"}. Bins are an object of counts,
 * as in fio's output, of those that are not empty, ascending; the key is the bin's last
 * nanosecond. Percentiles have fio's keys. An empty histogram has a minimum of 0. If values
 * count several times, "count" is the number of values, and the bins add up to "weight".
 * @mean_ns: of what the values are a sample; below 0: there is none. Return: a new reference;
 * NULL without memory. */
json_t *tw_histogram_to_json(const struct tw_histogram *histogram, double mean_ns);

/* Write the same without what follows from the rest: mean_ns, stddev_ns, percentiles. In
 * place of the bins is "hdr", the text of histogram_hdr.h, if the histogram has one. */
json_t *tw_histogram_to_lean_json(const struct tw_histogram *histogram);

/*
 * Read a histogram back, and check all of it: either bins or hdr, count, minimum,
 * maximum and sum must fit each other. What is derived from these is checked for
 * plausibility, and then not used; mean_ns is for the caller to check. Release it with tw_histogram_free(). Return: 0;
 * -EINVAL with @problem set, a constant string; -ENOMEM.
 */
int tw_histogram_from_json(struct tw_histogram *histogram, const json_t *json,
			   const char **problem);

/* Read into a histogram that is empty and has the digits of the one in @json. This maps
 * no memory. Return: 0; -EINVAL with @problem set; -ENOMEM. After a failure @empty can only be
 * freed. */
int tw_histogram_fill_from_json(struct tw_histogram *empty, const json_t *json,
				const char **problem);

#endif
