/* SPDX-License-Identifier: MIT */
/*
 * Formats numbers for pages.
 */
#ifndef TW_FORMAT_H
#define TW_FORMAT_H

#include <stdint.h>

/* Lines are broken before this column. */
#define TW_PAGE_COLUMNS	79

/* Room for any formatted number. */
#define TW_FORMAT_SIZE	32

/* The unit that suits a time, and the decimals that give it four significant
 * digits. */
struct tw_format_unit {
	double ns;
	const char *name;
	int decimals;
};

struct tw_format_unit tw_format_unit(double ns);

/**
 * tw_format_ns - write nanoseconds with four significant digits: "1.235 us"
 * @text: TW_FORMAT_SIZE bytes; is returned
 *
 * Whole nanoseconds below 1000 have no decimals. Units above seconds are hours
 * and years.
 */
const char *tw_format_ns(char *text, double ns);

/**
 * tw_format_number - write four significant digits: "37195", "12.35", "0.012"
 * @text: TW_FORMAT_SIZE bytes; is returned
 */
const char *tw_format_number(char *text, double value);

/* Write the same with a sign, also for positive values. */
const char *tw_format_signed(char *text, double value);

/* Return the ending of a noun after @count: "" for one, else "s". */
const char *tw_format_plural(uint64_t count);

#endif
