/* SPDX-License-Identifier: MIT */
/*
 * The rows of a report as tables: see rows.h.
 */
#include "report/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const tw_direction_names[TW_DIRECTIONS] = {
	"read", "write", "trim", "sync",
};

const struct tw_count_row tw_count_rows[TW_COUNTS] = {
#define TW_COUNT_AS_ROW(member, ...)	{ __VA_ARGS__ },
	TW_EACH_COUNT(TW_COUNT_AS_ROW)
#undef TW_COUNT_AS_ROW
};

const struct tw_scalar_row tw_scalar_rows[TW_SCALARS] = {
#define TW_SCALAR_AS_ROW(member, ...)	{ __VA_ARGS__ },
	TW_EACH_SCALAR(TW_SCALAR_AS_ROW)
#undef TW_SCALAR_AS_ROW
};

const struct tw_time_row tw_time_rows[TW_TIMES] = {
#define TW_STAGE_AS_ROW(constant, name, words) \
	{ #name, "stages." #name, TW_ALL, TW_LAT, TW_ROW_ios, TW_OPTIONAL, words },
	TW_EACH_STAGE(TW_STAGE_AS_ROW)
#undef TW_STAGE_AS_ROW
#define TW_TIME_AS_ROW(constant, ...)	{ __VA_ARGS__ },
	TW_EACH_TIME(TW_TIME_AS_ROW)
#undef TW_TIME_AS_ROW
};

const char *tw_row_path(unsigned row)
{
	if (row < TW_COUNTS)
		return tw_count_rows[row].path;
	if (row < TW_ROW_TIMES)
		return tw_scalar_rows[row - TW_COUNTS].path;
	if (row < TW_ROW_BY_LAT)
		return tw_time_rows[row - TW_ROW_TIMES].path;
	return row == TW_ROW_BY_LAT ? "stages_by_lat" :
	       row == TW_ROW_OVER_TIME ? "over_time" : "slowest";
}

int tw_row_find(const char *path)
{
	for (unsigned row = 0; row < TW_ROWS; row++)
		if (strcmp(tw_row_path(row), path) == 0)
			return (int)row;
	return -1;
}

int tw_row_is_container(const char *path)
{
	const size_t length = strlen(path);

	for (unsigned row = 0; row < TW_ROWS; row++)
		if (strncmp(tw_row_path(row), path, length) == 0 &&
		    tw_row_path(row)[length] == '.')
			return 1;
	return 0;
}

int tw_row_is_required(unsigned row)
{
	return row < TW_COUNTS ? tw_count_rows[row].needed == TW_REQUIRED :
	       row >= TW_ROW_TIMES && row < TW_ROW_BY_LAT &&
	       tw_time_rows[row - TW_ROW_TIMES].needed == TW_REQUIRED;
}

const char *tw_row_key(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

const char *tw_row_words(char text[TW_ROW_TEXT], const char *words, uint64_t count)
{
	int in_brackets = 0;
	size_t length = 0;

	for (; *words && length < TW_ROW_TEXT - 1; words++)
		if (*words == '[' || *words == ']')
			in_brackets = *words == '[';
		else if (!in_brackets || count != 1)
			text[length++] = *words;
	text[length] = '\0';
	return text;
}

const char *tw_row_count(char text[TW_ROW_TEXT], const char *words, uint64_t count)
{
	char of_count[TW_ROW_TEXT];

	snprintf(text, TW_ROW_TEXT, "%" PRIu64 " %.130s", count,
		 tw_row_words(of_count, words, count));
	return text;
}
