/* SPDX-License-Identifier: MIT */
/*
 * The bins of a report's histograms, read ahead of the JSON library.
 *
 * Nearly all of a report is bins, and jansson makes allocations of each and
 * hashes its key: a thousand reports would take it seconds. So they are read
 * here, and jansson reads a copy of the text without them. Where anything is
 * not plainly {"1": 2, "3": 4}, its keys ascending, under a plainly written
 * "bins" there is no such copy: then jansson reads all of the text, judges it,
 * and finds the words for what is wrong. So this can make reading faster, not
 * more lenient; but whoever uses the table sees to it that no number is left
 * under a "bins" that is no histogram's.
 */
#ifndef TW_BINS_JSON_H
#define TW_BINS_JSON_H

#include <stddef.h>
#include <stdint.h>

struct tw_bins_table {
	char *text;			/* without the objects; NULL: no copy */
	size_t length;
	uint64_t (*bins)[2];		/* [high_ns, count] of all */
	size_t *first;			/* bins[first[i]] begins object i */
	size_t objects;			/* first[objects] is one past the end */
};

/**
 * tw_bins_cut - read the objects of bins, and copy the text without them
 * @text: a JSON text, a 0 byte at @length
 * @table: released with tw_bins_free(). In its text each object is replaced by
 *         its number in the table.
 *
 * Return: 0, also when nothing was cut; -ENOMEM.
 */
int tw_bins_cut(const char *text, size_t length, struct tw_bins_table *table);
void tw_bins_free(struct tw_bins_table *table);

#endif
