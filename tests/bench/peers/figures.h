/* SPDX-License-Identifier: MIT */
/*
 * What the programs of peers.sh measure with: the clock that all are compared with,
 * and the median.
 */
#ifndef TW_TEST_PEERS_FIGURES_H
#define TW_TEST_PEERS_FIGURES_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)

static inline int64_t raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static inline int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Return the median of an odd number of values, and sort them. */
static inline double median(double *value, int count)
{
	qsort(value, (size_t)count, sizeof(*value), ascending);
	return value[count / 2];
}

#endif
