/* SPDX-License-Identifier: MIT */
/*
 * A histogram's counts as the text that HdrHistogram's tools read: its V2 compressed
 * encoding in base64. HdrHistogram with as many digits has the same bins.
 */
#ifndef TW_HISTOGRAM_HDR_H
#define TW_HISTOGRAM_HDR_H

#include <stddef.h>
#include <stdint.h>

#include "tickwise.h"

/* True if the histogram has such a text. HdrHistogram's values and counts have a sign,
 * so they end at 2^63 - 1. */
static inline int tw_hdr_can(const struct tw_histogram *histogram)
{
	return histogram->max_ns <= INT64_MAX && histogram->count <= INT64_MAX;
}

/* Return how many bytes tw_hdr_encode() needs. */
size_t tw_hdr_room(const struct tw_histogram *histogram);

/* Write the text at the beginning of @room. tw_hdr_can() is true. The zlib stream is not
 * compressed: compressing it would nearly double the CPU time of a line of intervals.
 * Return the length of the text, which has no 0 at its end. */
size_t tw_hdr_encode(const struct tw_histogram *histogram, char *room);

/* What is left of a text to read. */
struct tw_hdr {
	unsigned char *bytes;		/* the decoded text */
	const unsigned char *at, *end;	/* of the counts */
	uint32_t bin;			/* of the next count */
	uint32_t bin_count;
};

/**
 * tw_hdr_open - decode a text
 * @hdr: release it with tw_hdr_close() after success
 * @shape: any histogram with the digits that the text must have
 * @problem: on -EINVAL what is wrong, a constant string
 *
 * The text is foreign. The memory that this needs is bounded by the bins of @shape.
 * Return: 0; -EINVAL; -ENOMEM.
 */
int tw_hdr_open(struct tw_hdr *hdr, const char *text, size_t length,
		const struct tw_histogram *shape, const char **problem);
void tw_hdr_close(struct tw_hdr *hdr);

/* Read the next bin that is not empty. They ascend. @count is below 2^63. Return: 1;
 * 0: there is none; -EINVAL with @problem set. */
int tw_hdr_next(struct tw_hdr *hdr, uint32_t *bin, uint64_t *count,
		const char **problem);

#endif
