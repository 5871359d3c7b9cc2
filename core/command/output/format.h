/* SPDX-License-Identifier: MIT */
/*
 * Numbers on a page for people.
 */
#ifndef TW_FORMAT_H
#define TW_FORMAT_H

#include <stdint.h>

/* Lines are broken before this column. */
#define TW_PAGE_COLUMNS	79

/* Room for any formatted number. */
#define TW_FORMAT_SIZE	32

/* The unit that serves a time, and the decimals that make four significant
 * digits of it. */
struct tw_format_unit {
	double ns;
	const char *name;
	int decimals;
};

struct tw_format_unit tw_format_unit(double ns);

/**
 * tw_format_ns - nanoseconds with four significant digits: "1.235 us"
 * @text: TW_FORMAT_SIZE bytes; returned
 *
 * Whole nanoseconds stay whole below 1000. Above seconds: hours, years.
 */
const char *tw_format_ns(char *text, double ns);

/**
 * tw_format_number - four significant digits: "37195", "12.35", "0.012"
 * @text: TW_FORMAT_SIZE bytes; returned
 */
const char *tw_format_number(char *text, double value);

/* The same with its sign, also when that is plus. */
const char *tw_format_signed(char *text, double value);

/* What a noun ends in behind @count: "" of one, else "s". */
const char *tw_format_plural(uint64_t count);

#endif
