/* SPDX-License-Identifier: MIT */
/*
 * The bins of a report's histograms, read ahead of the JSON library.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bins_json.h"
#include "plain_json.h"

/* Numbers of five digits are shorter than the shortest object, {"1":2}. */
#define MOST_OBJECTS	100000

struct cutter {
	struct tw_bins_table table;
	const char *copied;		/* so far the text is in table.text */
	size_t bins;			/* in table.bins */
	size_t firsts;			/* in table.first */
};

/* "1": 2, from its quote to behind the count. */
static const char *read_bin(const char *at, uint64_t *bin)
{
	if (*at != '"')
		return NULL;
	at = tw_plain_number(at + 1, &bin[0]);
	if (!at || *at != '"')
		return NULL;
	at = tw_plain_skip_blanks(at + 1);
	if (*at != ':')
		return NULL;
	return tw_plain_number(tw_plain_skip_blanks(at + 1), &bin[1]);
}

/* Behind the object at @at in @end. -EINVAL: not a plain one; one whose keys
 * ascend has none twice. */
static int read_object(struct cutter *cutter, const char *at, const char **end)
{
	uint64_t next_ns = 0;

	do {
		uint64_t (*bin)[2] = tw_one_more(&cutter->table.bins,
						 &cutter->bins);

		if (!bin)
			return -ENOMEM;
		at = read_bin(tw_plain_skip_blanks(at + 1), *bin);
		if (!at || (*bin)[0] < next_ns)
			return -EINVAL;
		next_ns = (*bin)[0] + 1;
		at = tw_plain_skip_blanks(at);
	} while (*at == ',');
	if (*at != '}')
		return -EINVAL;
	*end = at + 1;
	/* A digit there would become a part of the number in its place. */
	at = tw_plain_skip_blanks(at + 1);
	return *at == ',' || *at == '}' ? 0 : -EINVAL;
}

static void copy_up_to(struct cutter *cutter, const char *end)
{
	struct tw_bins_table *table = &cutter->table;
	size_t length = (size_t)(end - cutter->copied);

	memcpy(table->text + table->length, cutter->copied, length);
	table->length += length;
	cutter->copied = end;
}

/* The next object begins with the bin @first, or the last one ends there. */
static int put_first(struct cutter *cutter, size_t first)
{
	size_t *place = tw_one_more(&cutter->table.first, &cutter->firsts);

	if (!place)
		return -ENOMEM;
	*place = first;
	return 0;
}

/* Bins from the @first on are those of the object from @begin to @end. Its
 * number is shorter than it. */
static int replace(struct cutter *cutter, const char *begin, const char *end,
		   size_t first)
{
	struct tw_bins_table *table = &cutter->table;

	if (table->objects == MOST_OBJECTS)
		return -EINVAL;
	if (put_first(cutter, first))
		return -ENOMEM;
	copy_up_to(cutter, begin);
	cutter->copied = end;
	table->length += (size_t)sprintf(table->text + table->length, "%zu",
					 table->objects++);
	return 0;
}

/* @at is behind the colon of "bins"; becomes the end of what was read. */
static int read_value(struct cutter *cutter, const char **at)
{
	const char *begin = tw_plain_skip_blanks(*at);
	size_t first = cutter->bins;
	int error;

	*at = begin;
	if (*begin != '{')
		return -EINVAL;
	/* Nothing in it, nothing to gain. */
	if (*tw_plain_skip_blanks(begin + 1) == '}')
		return 0;
	error = read_object(cutter, begin, at);
	return error ? error : replace(cutter, begin, *at, first);
}

/* All objects under "bins". Keys with escapes might be that word, too. */
static int read_all(struct cutter *cutter, const char *at)
{
	while ((at = strchr(at, '"')) != NULL) {
		const char *key = at + 1;
		int escaped, error;

		at = tw_plain_skip_string(key, &escaped);
		if (!at)
			return -EINVAL;
		if (*tw_plain_skip_blanks(at) != ':')
			continue;
		if (escaped)
			return -EINVAL;
		if (strncmp(key, "bins\"", 5) != 0)
			continue;
		at = tw_plain_skip_blanks(at) + 1;
		error = read_value(cutter, &at);
		if (error)
			return error;
	}
	return 0;
}

int tw_bins_cut(const char *text, size_t length, struct tw_bins_table *table)
{
	struct cutter cutter = { .copied = text };
	int error;

	*table = cutter.table;
	if (strlen(text) != length)
		return 0;
	cutter.table.text = malloc(length + 1);
	error = cutter.table.text ? read_all(&cutter, text) : -ENOMEM;
	if (!error)
		error = put_first(&cutter, cutter.bins);
	/* All or none: where none is cut, a number under "bins" is the file's
	 * own and is refused. */
	if (error || cutter.table.objects == 0) {
		tw_bins_free(&cutter.table);
		return error == -ENOMEM ? error : 0;
	}
	copy_up_to(&cutter, text + length);
	cutter.table.text[cutter.table.length] = '\0';
	*table = cutter.table;
	return 0;
}

void tw_bins_free(struct tw_bins_table *table)
{
	free(table->text);
	free(table->bins);
	free(table->first);
	*table = (struct tw_bins_table) { .text = NULL };
}
