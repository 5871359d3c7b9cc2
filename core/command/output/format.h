/* SPDX-License-Identifier: MIT */
/*
 * Numbers and text of a page for people.
 */
#ifndef TW_FORMAT_H
#define TW_FORMAT_H

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

/* Text on stdout, broken between words. */
struct tw_paragraph {
	int indent;			/* of all lines but the first */
	int column;			/* already printed of this line */
	int words;			/* 0: none yet, nothing to part from */
};

/* Add words. What can't be shown becomes question marks (plain_text.h): names come
 * out of files, and no file shall move the cursor. */
void tw_paragraph_add(struct tw_paragraph *paragraph, const char *text);
void tw_paragraph_printf(struct tw_paragraph *paragraph,
			 const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void tw_paragraph_end(struct tw_paragraph *paragraph);

#endif
