/* SPDX-License-Identifier: MIT */
/*
 * The I/Os of a report of `tickwise attach` by ring, file and operation: the same table
 * for the page and the HTML.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/output/format.h"
#include "command/output/html.h"
#include "command/report/attached.h"
#include "command/report/want.h"

#define MOST_ON_A_PAGE	20
#define MOST_IN_HTML	500

static const char *const stages[] = { "blockq", "device", "complete" };

#define STAGES	(sizeof(stages) / sizeof(*stages))

/* ---- which ------------------------------------------------------------------- */

static int by_ios(const void *left, const void *right)
{
	const json_t *a = *(const json_t *const *)left;
	const json_t *b = *(const json_t *const *)right;

	if (tw_report_u64(a, "ios") != tw_report_u64(b, "ios"))
		return tw_report_u64(a, "ios") > tw_report_u64(b, "ios") ? -1 : 1;
	if (tw_report_u64(a, "ring") != tw_report_u64(b, "ring"))
		return tw_report_u64(a, "ring") < tw_report_u64(b, "ring") ? -1 : 1;
	return strcmp(tw_report_string(a, "operation"), tw_report_string(b, "operation"));
}

/* The busiest first, to be freed; NULL: none, or no memory. */
static const json_t **sorted(const struct tw_report_group *group, size_t *count)
{
	const json_t *all = json_object_get(group->members[0]->attached,
					    "operations");
	const json_t **rows;

	*count = json_array_size(all);
	rows = *count ? malloc(*count * sizeof(*rows)) : NULL;
	if (!rows)
		return NULL;
	for (size_t i = 0; i < *count; i++)
		rows[i] = json_array_get(all, i);
	qsort(rows, *count, sizeof(*rows), by_ios);
	return rows;
}

/* ---- of one of them -------------------------------------------------------------- */

struct cells {
	char text[3 + STAGES][TW_FORMAT_SIZE];
};

static void format(char *text, double ns)
{
	char *space;

	tw_format_ns(text, ns);
	space = strchr(text, ' ');
	if (space)
		memmove(space, space + 1, strlen(space));
}

/* Mean, p99 and maximum of lat, then the means of the stages. */
static void fill(struct cells *cells, const json_t *row)
{
	const json_t *of = json_object_get(row, "stages");
	struct tw_histogram histogram;
	const char *wrong;

	for (size_t i = 0; i < 3 + STAGES; i++)
		strcpy(cells->text[i], "-");
	if (tw_histogram_from_json(&histogram, json_object_get(of, "lat"), &wrong))
		return;
	format(cells->text[0], tw_histogram_mean_ns(&histogram));
	if (histogram.count >= 100)
		format(cells->text[1],
		       (double)tw_histogram_percentile(&histogram, 99));
	format(cells->text[2], (double)histogram.max_ns);
	tw_histogram_free(&histogram);
	for (size_t i = 0; i < STAGES; i++) {
		const json_t *stage = json_object_get(of, stages[i]);

		if (stage)
			format(cells->text[3 + i], json_number_value(
				json_object_get(stage, "mean_ns")));
	}
}

/* What is not in the row's numbers, or not in all of them. */
static int say_apart(char *text, size_t size, const json_t *row)
{
	static const struct {
		const char *key, *words;
	} all[] = {
		{ "missing_stamp", "lacked a stamp" },
		{ "linked", "waited for the one before them" },
		{ "empty", "moved nothing" },
		{ "errors", "failed" },
		{ "cancelled", "were cancelled" },
		{ "multishot", "were multishot" },
		{ "no_cqe", "ended without a completion that was seen" },
		{ "unseen", "were accepted before" },
	};
	FILE *file = fmemopen(text, size, "w");
	uint64_t split = tw_report_u64(row, "split"), none = tw_report_u64(row, "no_request");
	int any = 0;

	if (!file)
		return 0;
	if (split && none)
		fprintf(file, "%llu had no block request", (unsigned long long)none);
	any = split && none;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (tw_report_u64(row, all[i].key))
			fprintf(file, "%s%llu %s", any++ ? ", " : "",
				(unsigned long long)tw_report_u64(row, all[i].key),
				all[i].words);
	fclose(file);
	return any;
}

/* ---- the page ---------------------------------------------------------------- */

static void print_line(const char *text)
{
	struct tw_paragraph line = { .column = 7, .indent = 9 };

	printf("       ");
	tw_paragraph_add(&line, text);
	tw_paragraph_end(&line);
}

static void print_row(const json_t *row)
{
	char text[TW_REPORT_SENTENCE];
	struct cells cells;

	fill(&cells, row);
	printf("%6llu %-14.14s %8llu", (unsigned long long)tw_report_u64(row, "ring"),
	       tw_report_string(row, "operation"),
	       (unsigned long long)tw_report_u64(row, "ios"));
	for (size_t i = 0; i < 3 + STAGES; i++)
		printf(" %7s", cells.text[i]);
	putchar('\n');
	if (strcmp(tw_report_string(row, "file"), "-") != 0)
		print_line(tw_report_string(row, "file"));
	if (say_apart(text, sizeof(text), row))
		print_line(text);
}

static void print_rings(const struct tw_report_group *group)
{
	const json_t *rings = json_object_get(group->members[0]->attached, "rings");
	struct tw_paragraph line = { .column = 2, .indent = 4 };
	size_t count = json_array_size(rings), i;

	if (count == 0)
		return;
	printf("  ");
	for (i = 0; i < count && i < MOST_ON_A_PAGE; i++) {
		const json_t *ring = json_array_get(rings, i);

		tw_paragraph_printf(&line, "ring %llu: %s %llu, %llu entries%s",
			(unsigned long long)tw_report_u64(ring, "ring"),
			tw_report_string(ring, "program"),
			(unsigned long long)tw_report_u64(ring, "pid"),
			(unsigned long long)tw_report_u64(ring, "sq_entries"),
			i + 1 < count ? ";" : "");
	}
	if (i < count)
		tw_paragraph_printf(&line, "and %zu more", count - i);
	tw_paragraph_end(&line);
}

void tw_report_print_attached(const struct tw_report_group *group)
{
	char text[TW_REPORT_SENTENCE];
	const json_t **rows;
	size_t count;

	if (!tw_report_is_attached(group))
		return;
	rows = sorted(group, &count);
	puts("\nby ring, file and operation");
	if (!rows)
		puts("  no I/O was seen");
	else
		printf("%6s %-14s %8s %7s %7s %7s %7s %7s %s\n", "ring", "operation",
		       "I/Os", "mean", "p99", "max", "blockq", "device", "complete");
	for (size_t i = 0; rows && i < count && i < MOST_ON_A_PAGE; i++)
		print_row(rows[i]);
	if (count > MOST_ON_A_PAGE)
		printf("       and %zu more (--json, --html)\n",
		       count - MOST_ON_A_PAGE);
	print_rings(group);
	if (tw_report_say_lost(text, sizeof(text), group)) {
		struct tw_paragraph line = { .column = 2, .indent = 4 };

		printf("  ");
		tw_paragraph_add(&line, text);
		tw_paragraph_end(&line);
	}
	free(rows);
}

/* ---- HTML -------------------------------------------------------------------- */

static void put_text(FILE *file, const char *text)
{
	fputs("<td class=\"text\"><bdi>", file);
	tw_html_text(file, text);
	fputs("</bdi></td>", file);
}

static void put_row(FILE *file, const json_t *row)
{
	char text[TW_REPORT_SENTENCE] = "";
	struct cells cells;

	fill(&cells, row);
	fprintf(file, "<tr><td>%llu</td>", (unsigned long long)tw_report_u64(row, "ring"));
	put_text(file, tw_report_string(row, "operation"));
	fprintf(file, "<td>%llu</td>", (unsigned long long)tw_report_u64(row, "ios"));
	for (size_t i = 0; i < 3 + STAGES; i++)
		fprintf(file, "<td>%s</td>", cells.text[i]);
	put_text(file, tw_report_string(row, "file"));
	if (!say_apart(text, sizeof(text), row))
		text[0] = '\0';
	put_text(file, text);
	fputs("</tr>\n", file);
}

void tw_report_put_attached(FILE *file, const struct tw_report_group *group)
{
	char text[TW_REPORT_SENTENCE];
	const json_t **rows;
	size_t count;

	if (!tw_report_is_attached(group))
		return;
	rows = sorted(group, &count);
	fputs("<h3>By ring, file and operation</h3>\n<div class=\"wide\"><table><tr>"
	      "<th>ring</th><th>operation</th><th>I/Os</th><th>mean</th><th>p99</th>"
	      "<th>max</th><th>blockq</th><th>device</th><th>complete</th>"
	      "<th>file</th><th>apart</th></tr>\n", file);
	for (size_t i = 0; rows && i < count && i < MOST_IN_HTML; i++)
		put_row(file, rows[i]);
	fputs("</table></div>\n", file);
	if (tw_report_say_lost(text, sizeof(text), group))
		fprintf(file, "<p>%s</p>\n", text);
	free(rows);
}
