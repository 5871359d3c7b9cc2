/* SPDX-License-Identifier: MIT */
/*
 * A page as text: no line is wider than 79 columns, further lines are indented by
 * their kind, facts stand in one column, and blocks for another medium are left
 * out. Fails if a line is broken one column early or late, or if a character of
 * several bytes counts as several columns. Fails also if a byte that moves the
 * cursor gets through.
 */
#include "tickwise.h"
#include "output.h"

#define TEN	"123456789 "
#define SEVENTY	TEN TEN TEN TEN TEN TEN TEN

static struct tw_page *new(void)
{
	return tw_page_new("title");
}

static void kinds(void)
{
	struct tw_page *page = new();

	tw_page_warning(page, "%d", 1);
	tw_page_heading(page, 2, "heading %d", 2);
	tw_page_paragraph(page, "paragraph");
	tw_page_remark(page, "remark");
	tw_page_note(page, "note");
	tw_page_item(page, "item");
	text_is(page, "WARNING: 1\n\nheading 2\nparagraph\n  remark\nnote\n  - item\n",
		"each kind of text");
}

static void widths(void)
{
	struct tw_page *page = new();

	tw_page_paragraph(page, SEVENTY "123456789 next");
	tw_page_paragraph(page, SEVENTY "1234567890 next");
	tw_page_remark(page, SEVENTY "1234567 next");
	tw_page_remark(page, SEVENTY "12345678 next");
	tw_page_note(page, SEVENTY "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
		     "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac  next");
	tw_page_warning(page, SEVENTY "next");
	tw_page_item(page, SEVENTY "12345 next");
	text_is(page,
		SEVENTY "123456789\n  next\n"
		TEN TEN TEN TEN TEN TEN "123456789\n  1234567890 next\n"
		"  " SEVENTY "1234567\n    next\n"
		"  " TEN TEN TEN TEN TEN TEN "123456789\n    12345678 next\n"
		SEVENTY "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
		"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\nnext\n"
		"WARNING: " TEN TEN TEN TEN TEN TEN "123456789\n    next\n"
		"  - " SEVENTY "12345\n    next\n",
		"79 columns, and no more");
	page = new();
	tw_page_remark(page, "from");
	for (int i = 0; i < 40; i++)
		tw_page_more(page, " %d\n,", i);
	tw_page_note(page, "next");
	text_is(page, "  from 0?, 1?, 2?, 3?, 4?, 5?, 6?, 7?, 8?, 9?, 10?, 11?, 12?, 13?, "
		"14?, 15?,\n    16?, 17?, 18?, 19?, 20?, 21?, 22?, 23?, 24?, 25?, 26?, "
		"27?, 28?, 29?, 30?,\n    31?, 32?, 33?, 34?, 35?, 36?, 37?, 38?, 39?,\n"
		"next\n", "what is added to a text");
	page = new();
	tw_page_paragraph(page, "a%89d", 1);
	tw_page_paragraph(page, "%0100d", 1);
	text_is(page, "a 1\n"
		"0000000000000000000000000000000000000000000000000000000000000000000000"
		"000000000000000000000000000001\n",
		"blanks are one, and a word that is too long stays whole");
	page = new();
	tw_page_paragraph(page, SEVENTY "1234567 91 %%, of 7 x");
	text_is(page, TEN TEN TEN TEN TEN TEN "123456789 1234567\n  91 %, of 7 x\n",
		"a number stays with its unit");
}

static void facts(void)
{
	struct tw_page *page = new();

	tw_page_fact(page, "nearly", "one");
	tw_page_fact(page, "", "two");
	tw_page_gap(page);
	tw_page_fact(page, "longest", SEVENTY "next");
	text_is(page, "nearly   one\n         two\n\nlongest  "
		TEN TEN TEN TEN TEN TEN "123456789\n           next\n",
		"facts have their text in one column");
	page = new();
	tw_page_fact(page, "\xc2\xb5", "one");
	tw_page_details(page, "folded");
	tw_page_fact(page, "name that is not shown", "two");
	tw_page_end_details(page);
	tw_page_fact(page, "b", "three");
	text_is(page, "\xc2\xb5  one\nb  three\n",
		"whose place is that of the facts in sight");
}

static void gaps(void)
{
	struct tw_page *page = new();

	tw_page_gap(page);
	tw_page_note(page, "one");
	tw_page_gap(page);
	tw_page_gap(page);
	tw_page_heading(page, 3, "two");
	tw_page_note(page, "three");
	tw_page_gap(page);
	text_is(page, "one\n\ntwo\nthree\n",
		"blank lines are single, and neither first nor last");
}

static void media(void)
{
	struct tw_page *page = new();

	tw_page_contents(page);
	tw_page_note(page, "everywhere");
	tw_page_note(page, "in HTML");
	tw_page_only(page, TW_IN_HTML);
	tw_page_note(page, "in text");
	tw_page_only(page, TW_IN_TEXT);
	tw_page_indent(page, 3, 5);
	tw_page_details(page, "summary");
	tw_page_note(page, "folded");
	tw_page_end_details(page);
	tw_page_plot(page, "plot");
	tw_page_note(page, "end");
	text_is(page, "everywhere\n   in text\nend\n", "what is for text alone, or not");
}

static void tiles(void)
{
	static const struct tw_column columns[] = {
		{ "", .flags = TW_COLUMN_LEFT }, { .heading = "IOPS" },
		{ .heading = "mean" },
	};
	struct tw_page *page = new();
	struct tw_table *table = tw_page_tiles(page, columns, 3);

	tw_table_row(table);
	tw_cell_text(table, "read");
	tw_cell_number(table, 41027);
	tw_cell_ns(table, 363800);
	text_is(page, "      IOPS     mean\nread 41027 363.8 us\n",
		"tiles are a table");
}

static void bytes(void)
{
	struct tw_page *page = new();
	char name[] = "\x1b[2J\xff";

	tw_page_heading(page, 2, "%s", name);
	tw_page_fact(page, name, "a\nb");
	text_is(page, "?[2J?\n?[2J?  a?b\n", "no byte that a terminal obeys");
}

static void tables(void)
{
	static const struct tw_column columns[] = {
		{ .heading = "name", .flags = TW_COLUMN_LEFT, .width = 6 },
		{ .heading = "I/Os" },
		{ .heading = "hidden", .media = TW_IN_HTML },
		{ .heading = "ns", .group = "off", .width = 7 },
		{ .heading = "ppb", .group = "off", .flags = TW_COLUMN_NARROW },
		{ .heading = "", .flags = TW_COLUMN_LEFT },
		{ .heading = "file", .flags = TW_COLUMN_BELOW, .width = 3 },
	};
	struct tw_page *page = new();
	struct tw_table *table = tw_page_table(page, columns, 7);

	tw_table_row(table);
	tw_cell_text(table, "a");
	tw_cell_u64(table, UINT64_MAX);
	tw_cell_text(table, "a long one that is not there");
	tw_cell_signed(table, 1.5);
	tw_cell_ns(table, 1234.5);
	tw_cell_text(table, "within");
	tw_cell_text(table, "/file");
	tw_table_row(table);
	tw_cell_text(table, "longer than 6");
	tw_cell_none(table);
	tw_cell_none(table);
	tw_cell_ns(table, 1234.5);
	tw_table_span(table, "over all");
	tw_table_row(table);
	text_is(page,
		"                                                off\n"
		"name                          I/Os       ns     ppb\n"
		"a             18446744073709551615   +1.500 1.234us  within\n"
		"   /file\n"
		"longer than 6                    - 1.234 us\n"
		"over all\n"
		"\n",
		"a table, as wide as its cells");
	page = new();
	table = tw_page_table(page, (struct tw_column[]) {
		{ .heading = "" }, { .heading = "", .group = "a wide heading" },
		{ .heading = "", .group = "a wide heading" },
	}, 3);
	tw_table_row(table);
	tw_cell_i64(table, -1);
	tw_cell_fixed(table, 2.345, 1);
	tw_cell_percent(table, 37.5, 1);
	text_is(page, "   a wide heading\n-1     2.3 37.5 %\n",
		"a heading over several columns, none over one");
	page = new();
	table = tw_page_table(page, columns, 1);
	tw_table_limit(table, 2, "in a file");
	for (int i = 0; i < 5; i++) {
		tw_table_row(table);
		tw_cell_i64(table, i);
	}
	text_is(page, "name\n0\n1\n  and 3 more (in a file)\n",
		"the first rows, and how many there are more");
	page = new();
	table = tw_page_table(page, columns, 1);
	tw_table_cut(table, 79);
	tw_table_limit(table, 1, "--json");
	tw_table_row(table);
	tw_cell_text(table, SEVENTY "12345678\xe2\x82\xac" "c");
	text_is(page, "name\n" SEVENTY "12345678\xe2\x82\xac\n",
		"lines that are cut off, but in no character");
}

int main(void)
{
	kinds();
	widths();
	facts();
	gaps();
	media();
	bytes();
	tables();
	tiles();
	return tap_done();
}
