/* SPDX-License-Identifier: MIT */
/*
 * HdrHistogram's V2 compressed encoding: see histogram_hdr.h. All numbers of its two
 * headers have their highest byte first:
 *
 *	0	4 bytes		COMPRESSED
 *	4	4 bytes		length of the rest
 *	8			the rest: a zlib stream of
 *		0	4 bytes		ENCODED
 *		4	4 bytes		length of the counts
 *		8	4 bytes		0: offset of the bins, for other kinds of histograms
 *		12	4 bytes		digits
 *		16	8 bytes		1: width of the narrowest bin
 *		24	8 bytes		a value that is not below any counted one
 *		32	8 bytes		1.0: the double by which values are multiplied
 *		40			the counts
 *
 * The counts are those of the bins from 0 on. A negative number is a number of empty
 * bins. A number n is written as 2n, or as -2n - 1 if n is negative (ZigZag), with 7 bits a
 * byte, the lowest first. The highest bit of a byte tells that another byte follows
 * (LEB128); a ninth byte has 8 bits.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/base64.h"
#include "latency/histogram.h"
#include "latency/histogram_hdr.h"

#define COMPRESSED	0x1c849314U
#define ENCODED		0x1c849313U
#define OUTER_BYTES	8U
#define INNER_BYTES	40U
#define ONE_AS_DOUBLE	0x3ff0000000000000ULL
#define COUNT_BYTES	9U		/* of a number, at most */
#define BLOCK_BYTES	65535U		/* at most, of a zlib stream's block */

static void put_u32(unsigned char *bytes, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		bytes[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void put_u64(unsigned char *bytes, uint64_t value)
{
	put_u32(bytes, (uint32_t)(value >> 32));
	put_u32(&bytes[4], (uint32_t)value);
}

static uint32_t get_u32(const unsigned char *bytes)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++)
		value = value << 8 | bytes[i];
	return value;
}

static uint64_t get_u64(const unsigned char *bytes)
{
	return (uint64_t)get_u32(bytes) << 32 | get_u32(&bytes[4]);
}

/* ---- writing --------------------------------------------------------------- */

static unsigned char *put_number(unsigned char *at, int64_t number)
{
	uint64_t left = (uint64_t)number << 1 ^ (uint64_t)(number >> 63);

	for (unsigned i = 1; i < COUNT_BYTES && left >= 0x80; i++, left >>= 7)
		*at++ = (unsigned char)(left | 0x80);
	*at++ = (unsigned char)left;
	return at;
}

/* Write the counts of all bins up to the last that is not empty. Return where they end. */
static unsigned char *put_counts(unsigned char *at, const struct tw_histogram *histogram)
{
	const uint32_t last = tw__histogram_bin(histogram, histogram->max_ns);
	uint32_t empty = 0, bin = 0;

	if (histogram->count)
		empty = bin = tw__histogram_bin(histogram, histogram->min_ns);
	for (; bin <= last; bin++) {
		const uint64_t count = histogram->bins[bin];

		if (count == 0) {
			empty++;
			continue;
		}
		if (empty)
			at = put_number(at, -(int64_t)empty);
		at = put_number(at, (int64_t)count);
		empty = 0;
	}
	return at;
}

/* Return the length of the inner part. */
static size_t put_inner(unsigned char *bytes, const struct tw_histogram *histogram)
{
	const unsigned char *end = put_counts(&bytes[INNER_BYTES], histogram);

	put_u32(bytes, ENCODED);
	put_u32(&bytes[4], (uint32_t)(end - &bytes[INNER_BYTES]));
	put_u32(&bytes[8], 0);
	put_u32(&bytes[12], histogram->digits);
	put_u64(&bytes[16], 1);
	/* HdrHistogram takes no value below 2. */
	put_u64(&bytes[24], histogram->max_ns > 2 ? histogram->max_ns : 2);
	put_u64(&bytes[32], ONE_AS_DOUBLE);
	return (size_t)(end - bytes);
}

/* Write a zlib stream of blocks that are not compressed. Return its length. */
static size_t put_stream(unsigned char *stream, const unsigned char *bytes, size_t size)
{
	const uint32_t sum = (uint32_t)adler32_z(adler32_z(0, NULL, 0), bytes, size);
	unsigned char *at = stream;

	*at++ = 0x78;
	*at++ = 0x01;
	for (size_t left = size; left;) {
		const unsigned block = left < BLOCK_BYTES ? (unsigned)left : BLOCK_BYTES;

		*at++ = block == left;
		/* The length and its complement have the lowest byte first. */
		*at++ = (unsigned char)block;
		*at++ = (unsigned char)(block >> 8);
		*at++ = (unsigned char)~block;
		*at++ = (unsigned char)(~block >> 8);
		memcpy(at, &bytes[size - left], block);
		at += block;
		left -= block;
	}
	put_u32(at, sum);
	return (size_t)(at - stream) + 4;
}

/* Return the length of that stream. */
static size_t stream_bytes(size_t size)
{
	return 2 + (size + BLOCK_BYTES - 1) / BLOCK_BYTES * 5 + size + 4;
}

/* Return the most bytes that the inner part takes. */
static size_t inner_room(const struct tw_histogram *histogram)
{
	const uint32_t bins = tw__histogram_bin(histogram, histogram->max_ns) + 1;

	/* Each bin is a number, or has a number before it. */
	return INNER_BYTES + COUNT_BYTES * (histogram->count < bins / 2 ?
					    2 * histogram->count + 1 : bins);
}

size_t tw_hdr_room(const struct tw_histogram *histogram)
{
	const size_t inner = inner_room(histogram);
	const size_t outer = OUTER_BYTES + stream_bytes(inner);

	return TW_BASE64_LENGTH(outer) + outer + inner;
}

size_t tw_hdr_encode(const struct tw_histogram *histogram, char *room)
{
	const size_t most = inner_room(histogram);
	unsigned char *inner = (unsigned char *)&room[tw_hdr_room(histogram) - most];
	unsigned char *outer = inner - OUTER_BYTES - stream_bytes(most);
	const size_t size = put_inner(inner, histogram);
	const size_t stream = put_stream(&outer[OUTER_BYTES], inner, size);

	put_u32(outer, COMPRESSED);
	put_u32(&outer[4], (uint32_t)stream);
	return tw_base64_put(room, outer, OUTER_BYTES + stream);
}

/* ---- reading --------------------------------------------------------------- */

/* Set @hdr to the counts of the inner part. */
static int check_inner(struct tw_hdr *hdr, const unsigned char *inner, size_t size,
		       const struct tw_histogram *shape, const char **problem)
{
	uint64_t highest;

	if (size < INNER_BYTES || get_u32(inner) != ENCODED ||
	    get_u32(&inner[4]) != size - INNER_BYTES)
		return tw_refuse(problem, "hdr does not hold HdrHistogram's version 2, or "
				 "has another length");
	highest = get_u64(&inner[24]);
	if (get_u32(&inner[8]) != 0 || get_u32(&inner[12]) != shape->digits ||
	    get_u64(&inner[16]) != 1 || highest > INT64_MAX ||
	    get_u64(&inner[32]) != ONE_AS_DOUBLE)
		return tw_refuse(problem, "hdr has other bins than those with these digits");
	hdr->at = &inner[INNER_BYTES];
	hdr->end = &inner[size];
	hdr->bin_count = tw__histogram_bin(shape, highest) + 1;
	return 0;
}

/* Inflate the outer part, which is in hdr->bytes, and put the inner part there. */
static int inflate_inner(struct tw_hdr *hdr, size_t size,
			 const struct tw_histogram *shape, const char **problem)
{
	uLong used = size - OUTER_BYTES;
	uLongf made = INNER_BYTES + (uLongf)COUNT_BYTES * shape->bin_count;
	unsigned char *inner = malloc(made);
	int ret;

	if (!inner)
		return -ENOMEM;
	ret = uncompress2(inner, &made, &hdr->bytes[OUTER_BYTES], &used);
	free(hdr->bytes);
	hdr->bytes = inner;
	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	if (ret != Z_OK || used != size - OUTER_BYTES)
		return tw_refuse(problem, "hdr has no zlib stream, or more than that");
	return check_inner(hdr, inner, made, shape, problem);
}

int tw_hdr_open(struct tw_hdr *hdr, const char *text, size_t length,
		const struct tw_histogram *shape, const char **problem)
{
	size_t size;
	int error;

	*hdr = (struct tw_hdr) { .bytes = malloc(length / 4 * 3 + 1) };
	if (!hdr->bytes)
		return -ENOMEM;
	size = tw_base64_get(hdr->bytes, text, length);
	if (size < OUTER_BYTES || get_u32(hdr->bytes) != COMPRESSED ||
	    get_u32(&hdr->bytes[4]) != size - OUTER_BYTES)
		error = tw_refuse(problem, "hdr is not the base64 of HdrHistogram's version "
				  "2, compressed, or has another length");
	else
		error = inflate_inner(hdr, size, shape, problem);
	if (error)
		tw_hdr_close(hdr);
	return error;
}

void tw_hdr_close(struct tw_hdr *hdr)
{
	free(hdr->bytes);
	hdr->bytes = NULL;
}

/* Read a number. Return 0: it has no end. */
static int get_number(struct tw_hdr *hdr, int64_t *number)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < COUNT_BYTES && hdr->at < hdr->end; i++) {
		const uint64_t byte = *hdr->at++;
		const int is_last = byte < 0x80 || i == COUNT_BYTES - 1;

		value |= (i == COUNT_BYTES - 1 ? byte : byte & 0x7f) << 7 * i;
		if (is_last) {
			*number = (int64_t)(value >> 1 ^ -(value & 1));
			return 1;
		}
	}
	return 0;
}

int tw_hdr_next(struct tw_hdr *hdr, uint32_t *bin, uint64_t *count,
		const char **problem)
{
	int64_t number;

	while (hdr->at < hdr->end) {
		const uint32_t left = hdr->bin_count - hdr->bin;

		if (!get_number(hdr, &number))
			return tw_refuse(problem, "hdr ends within a number");
		if (left == 0 || number < -(int64_t)left)
			return tw_refuse(problem, "hdr has more bins than its highest value");
		*bin = hdr->bin;
		*count = (uint64_t)number;
		hdr->bin += number < 0 ? (uint32_t)-number : 1;
		if (number > 0)
			return 1;
	}
	return 0;
}
