/* SPDX-License-Identifier: MIT */
/*
 * For tests of the output layer: compares what a writer makes of a page with the
 * expected text.
 */
#ifndef TW_TESTS_OUTPUT_H
#define TW_TESTS_OUTPUT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/output/page.h"
#include "tap.h"

/* How HTML begins a table, and the heading of a column. */
#define WIDE	"<div class=\"wide\" role=\"group\" aria-label=\"table\" tabindex=\"0\">"
#define TH	"<th scope=\"col\">"
#define TH_TEXT	"<th scope=\"col\" class=\"text\">"

static void ends_as(FILE *file, char **is, const char *should, const char *what)
{
	fclose(file);
	if (!tap_ok(!strcmp(*is, should), "%s", what))
		for (char *line = strtok(*is, "\n"); line; line = strtok(NULL, "\n"))
			tap_note("is '%s'", line);
	free(*is);
}

/* Compare the page as text, and free it. */
__attribute__((unused))
static void text_is(struct tw_page *page, const char *should, const char *what)
{
	char *is = NULL;
	size_t size;
	FILE *file = open_memstream(&is, &size);

	tw_output_text(page, file);
	tw_page_free(page);
	ends_as(file, &is, should, what);
}

/* Compare what is between the head and the end of the page as HTML, and free it. */
__attribute__((unused))
static void html_is(struct tw_page *page, const char *should, const char *what)
{
	static const char begin[] = "by tickwise " TW_VERSION "</p>\n";
	static const char end[] = "</body>\n</html>\n";
	char *is = NULL, *body, *last;
	size_t size;
	FILE *file = open_memstream(&is, &size);

	tw_output_html(page, file);
	tw_page_free(page);
	fflush(file);
	body = strstr(is, begin);
	last = strstr(is, end);
	if (body && last) {
		*last = '\0';
		body += strlen(begin);
	}
	if (!tap_ok(body && !strcmp(body, should), "%s", what))
		tap_note("is %s", body ? body : is);
	fclose(file);
	free(is);
}

__attribute__((unused))
static void csv_is(const struct tw_table *table, const char *should, const char *what)
{
	char *is = NULL;
	size_t size;
	FILE *file = open_memstream(&is, &size);

	tw_output_csv(table, file);
	ends_as(file, &is, should, what);
}

#endif
