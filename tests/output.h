/* SPDX-License-Identifier: MIT */
/*
 * For tests of the output layer: compares what a writer makes of a page with the
 * expected text.
 */
#ifndef TW_TESTS_OUTPUT_H
#define TW_TESTS_OUTPUT_H

#include <stdlib.h>
#include <string.h>

#include "command/output/page.h"
#include "tap.h"
#include "tickwise.h"

/* How HTML begins a table, and the heading of a column. */
#define WIDE	"<div class=\"wide\" role=\"group\" aria-label=\"table\" tabindex=\"0\">"
#define TH	"<th scope=\"col\">"
#define TH_TEXT	"<th scope=\"col\" class=\"text\">"

/* Return the page as HTML, to be freed, and free the page. */
__attribute__((unused, noinline))
static char *html_of(struct tw_page *page)
{
	char *is = NULL;
	size_t size;
	FILE *file = open_memstream(&is, &size);

	tw_output_html(page, file);
	tw_page_free(page);
	fclose(file);
	return is;
}

/* @is: is freed. */
static inline void output_is(char *is, const char *should, const char *what)
{
	if (!tap_ok(!strcmp(is, should), "%s", what))
		for (char *line = strtok(is, "\n"); line; line = strtok(NULL, "\n"))
			tap_note("is '%s'", line);
	free(is);
}

/* Compare the page as text, and free it. */
static inline void text_is(struct tw_page *page, const char *should, const char *what)
{
	char *is = NULL;
	size_t size;
	FILE *file = open_memstream(&is, &size);

	tw_output_text(page, file);
	tw_page_free(page);
	fclose(file);
	output_is(is, should, what);
}

/* Compare what is between the head and the end of the page as HTML, and free it. */
static inline void html_is(struct tw_page *page, const char *should, const char *what)
{
	static const char begin[] = "by tickwise " TW_VERSION "</p>\n";
	char *is = html_of(page), *body = strstr(is, begin), *end = strstr(is, "</body>\n");

	if (body && end) {
		*end = '\0';
		memmove(is, body + strlen(begin), strlen(body + strlen(begin)) + 1);
	}
	output_is(is, should, what);
}

static inline void csv_is(const struct tw_table *table, const char *should, const char *what)
{
	char *is = NULL;
	size_t size;
	FILE *file = open_memstream(&is, &size);

	tw_output_csv(table, file);
	fclose(file);
	output_is(is, should, what);
}

#endif
