/* SPDX-License-Identifier: MIT */
/*
 * A page as HTML: each kind of block is its own element, neighbours of a kind share
 * a list, and no character of a text acts as markup. Fails if an element is not
 * closed, or if a text is not escaped. Fails also if a name from right to left is
 * not isolated, or if a column is in a table that is for another medium.
 */
#include "tickwise.h"
#include "output.h"

#define BAD	"<b a='\"'>&\x1b"
#define SAFE	"&#60;b a=&#39;&#34;&#39;&#62;&#38;?"

static void kinds(void)
{
	struct tw_page *page = tw_page_new("title");

	tw_page_contents(page);
	tw_page_warning(page, "%s", BAD);
	tw_page_heading(page, 2, "%s", BAD);
	tw_page_paragraph(page, "%s", BAD);
	tw_page_remark(page, "%s", BAD);
	tw_page_gap(page);
	tw_page_note(page, "%s", BAD);
	tw_page_heading(page, 3, "lower");
	tw_page_heading(page, 2, "second");
	html_is(page,
		"<ul>\n<li><a href=\"#part1\">" SAFE "</a></li>\n"
		"<li><a href=\"#part2\">second</a></li>\n</ul>\n"
		"<p class=\"warn\">Warning: " SAFE "</p>\n"
		"<h2 id=\"part1\">" SAFE "</h2>\n<p>" SAFE "</p>\n<p>" SAFE "</p>\n"
		"<p class=\"dim\">" SAFE "</p>\n<h3>lower</h3>\n"
		"<h2 id=\"part2\">second</h2>\n", "each kind of text");
}

static void lists(void)
{
	struct tw_page *page = tw_page_new("title");

	tw_page_item(page, "%s", BAD);
	tw_page_item(page, "two");
	tw_page_fact(page, BAD, "%s", BAD);
	tw_page_fact(page, "", "more");
	tw_page_only(page, TW_IN_HTML);
	tw_page_fact(page, "not here", "at all");
	tw_page_only(page, TW_IN_TEXT);
	tw_page_details(page, "%s", BAD);
	tw_page_item(page, "folded");
	tw_page_end_details(page);
	tw_page_item(page, "last");
	html_is(page,
		"<ul>\n<li>" SAFE "</li>\n<li>two</li>\n</ul>\n"
		"<dl>\n<dt>" SAFE "</dt><dd>" SAFE "</dd>\n<dd>more</dd>\n</dl>\n"
		"<details><summary>" SAFE "</summary>\n<ul>\n<li>folded</li>\n</ul>\n"
		"</details>\n<ul>\n<li>last</li>\n</ul>\n", "lists and what is folded");
}

static void tables(void)
{
	static const struct tw_column columns[] = {
		{ .heading = BAD },
		{ .heading = "text", .media = TW_IN_TEXT | TW_IN_CSV },
		{ .heading = "ns", .group = BAD, .flags = TW_COLUMN_NARROW },
		{ .heading = "ppb", .group = BAD, .flags = TW_COLUMN_LEFT },
		{ .heading = "file", .flags = TW_COLUMN_BELOW },
	};
	struct tw_page *page = tw_page_new("title");
	struct tw_table *table = tw_page_table(page, columns, 5);

	tw_table_row(table);
	tw_cell_text(table, BAD);
	tw_cell_text(table, "not here");
	tw_cell_ns(table, 1234.5);
	tw_cell_strong(table, BAD);
	tw_cell_printf(table, "%s", BAD);
	tw_table_span(table, "%s", BAD);
	html_is(page,
		WIDE "<table>\n"
		"<tr><td></td>"
		"<th scope=\"colgroup\" class=\"group\" colspan=\"2\">" SAFE "</th>"
		"<td></td></tr>\n"
		"<tr>" TH "" SAFE "</th>" TH "ns</th>" TH_TEXT "ppb</th>"
		TH_TEXT "file</th></tr>\n"
		"<tr><th scope=\"row\">" SAFE "</th><td>1.234 us</td>"
		"<td class=\"text\"><b>" SAFE "</b></td>"
		"<td class=\"words\">" SAFE "</td></tr>\n"
		"<tr><td class=\"span\" colspan=\"4\">" SAFE "</td></tr>\n"
		"</table></div>\n", "a table");
}

#define ALEF	"\xd7\x90"

/* Isolate each name of another script, without the punctuation behind it. */
static void other_scripts(void)
{
	static const struct tw_column columns[] = {
		{ "name", .flags = TW_COLUMN_LEFT },
	};
	struct tw_page *page = tw_page_new("title");
	struct tw_table *table;

	tw_page_contents(page);
	tw_page_heading(page, 2, "%s, group 2 of %s", ALEF " " ALEF, ALEF);
	tw_page_paragraph(page, " from  %s.json and /%s and it:", ALEF, ALEF);
	table = tw_page_table(page, columns, 1);
	tw_table_row(table);
	tw_cell_text(table, ALEF "<b>");
	html_is(page,
		"<ul>\n<li><a href=\"#part1\"><bdi>" ALEF " " ALEF "</bdi>, group 2 of "
		"<bdi>" ALEF "</bdi></a></li>\n</ul>\n"
		"<h2 id=\"part1\"><bdi>" ALEF " " ALEF "</bdi>, group 2 of "
		"<bdi>" ALEF "</bdi></h2>\n"
		"<p> from  <bdi>" ALEF ".json</bdi> and <bdi>/" ALEF "</bdi> and it:</p>\n"
		WIDE "<table>\n<tr>" TH_TEXT "name</th></tr>\n"
		"<tr><th scope=\"row\" class=\"text\"><bdi>" ALEF "&#60;b&#62;</bdi></th>"
		"</tr>\n"
		"</table></div>\n", "names of scripts that run from right to left");
}

int main(void)
{
	kinds();
	other_scripts();
	lists();
	tables();
	return tap_done();
}
