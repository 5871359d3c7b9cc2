/* SPDX-License-Identifier: MIT */
/*
 * Pages as text, HTML and CSV. Text has no line wider than 79 columns, further lines are
 * indented by their kind, facts stand in one column, and no byte moves the cursor. In HTML
 * each kind of block is its own element, neighbours of a kind share a list, and no
 * character acts as markup. CSV has all digits, quotes where it must, and no formula. Numbers for
 * people have four significant digits and a fitting unit. Blocks and columns for another
 * medium are left out. Fails if one of these is not so.
 */
#include <math.h>

#include "output.h"

#define TEN	"123456789 "
#define SEVENTY	TEN TEN TEN TEN TEN TEN TEN
#define SIXTY_9	TEN TEN TEN TEN TEN TEN "123456789"
#define EUR	"\xe2\x82\xac"
#define BAD	"<b a='\"'>&\x1b"
#define SAFE	"&#60;b a=&#39;&#34;&#39;&#62;&#38;?"
#define PLAIN	"<b a='\"'>&?"
#define ALEF	"\xd7\x90"

static struct tw_page *new(void)
{
	return tw_page_new("title");
}

/* ---- blocks ---- */

static struct tw_page *kinds(void)
{
	struct tw_page *page = new();

	tw_page_contents(page);
	tw_page_warning(page, "%s", BAD);
	tw_page_heading(page, 2, "%s %d", BAD, 2);
	tw_page_paragraph(page, "%s", BAD);
	tw_page_remark(page, "%s", BAD);
	tw_page_gap(page);
	tw_page_gap(page);
	tw_page_note(page, "%s", BAD);
	tw_page_heading(page, 3, "lower");
	tw_page_item(page, "%s", BAD);
	tw_page_item(page, "two");
	tw_page_gap(page);
	tw_page_heading(page, 2, "second");
	tw_page_gap(page);
	return page;
}

static struct tw_page *media(void)
{
	struct tw_page *page = new();

	tw_page_gap(page);
	tw_page_fact(page, BAD, "%s", BAD);
	tw_page_fact(page, "", "more");
	tw_page_fact(page, "only HTML", "1");
	tw_page_only(page, TW_IN_HTML);
	tw_page_fact(page, "\xc2\xb5", SEVENTY "next");
	tw_page_only(page, TW_IN_TEXT);
	tw_page_details(page, "%s", BAD);
	tw_page_fact(page, "name that is not shown in text", "folded");
	tw_page_end_details(page);
	tw_page_note(page, "in text");
	tw_page_indent(page, 3, 5);
	tw_page_only(page, TW_IN_TEXT);
	tw_page_item(page, "last");
	tw_page_begin_only(page, TW_IN_HTML);
	tw_page_item(page, "nowhere");
	tw_page_only(page, TW_IN_TEXT);
	tw_page_begin_only(page, TW_IN_TEXT);
	tw_page_item(page, "text");
	tw_page_only(page, TW_IN_ALL);
	tw_page_begin_only(page, TW_IN_ALL);
	tw_page_item(page, "all");
	tw_page_warning(page, "once");
	tw_page_only(page, TW_IN_HTML);
	tw_page_warning(page, "once");
	tw_page_only(page, TW_IN_TEXT);
	return page;
}

static void blocks(void)
{
	text_is(kinds(), "WARNING: " PLAIN "\n\n" PLAIN " 2\n" PLAIN "\n  " PLAIN "\n\n" PLAIN
		"\n\nlower\n  - " PLAIN "\n  - two\n\nsecond\n", "text: each kind of block");
	html_is(kinds(),
		"<ul class=\"contents\">\n<li><a href=\"#part1\">" SAFE " 2</a></li>\n"
		"<li><a href=\"#part2\">second</a></li>\n</ul>\n"
		"<p class=\"warn\">Warning: " SAFE "</p>\n"
		"<h2 id=\"part1\">" SAFE " 2</h2>\n<p>" SAFE "</p>\n<p>" SAFE "</p>\n"
		"<p class=\"dim\">" SAFE "</p>\n<h3>lower</h3>\n"
		"<ul>\n<li>" SAFE "</li>\n<li>two</li>\n</ul>\n"
		"<h2 id=\"part2\">second</h2>\n", "HTML: the same");
	text_is(media(), PLAIN "  " PLAIN "\n             more\n"
		"\xc2\xb5            " TEN TEN TEN TEN TEN "123456789\n               123456789 "
		"next\n   in text\n  - last\n  - text\n  - all\nWARNING: once\n",
		"text: facts in one column, what HTML alone has");
	html_is(media(),
		"<dl>\n<dt>" SAFE "</dt><dd>" SAFE "</dd>\n<dd>more</dd>\n"
		"<dt>only HTML</dt><dd>1</dd>\n</dl>\n"
		"<details><summary>" SAFE "</summary>\n<dl>\n"
		"<dt>name that is not shown in text</dt><dd>folded</dd>\n</dl>\n"
		"</details>\n<ul>\n<li>last</li>\n<li>all</li>\n</ul>\n"
		"<p class=\"warn\">Warning: once</p>\n",
		"HTML: lists and what is folded");
}

static void widths(void)
{
	struct tw_page *page = new();

	tw_page_paragraph(page, SEVENTY "123456789 next");
	tw_page_paragraph(page, SEVENTY "1234567890 next");
	tw_page_remark(page, SEVENTY "1234567 next");
	tw_page_remark(page, SEVENTY "12345678 next");
	tw_page_note(page, SEVENTY EUR EUR EUR EUR EUR EUR EUR EUR EUR "  next");
	tw_page_warning(page, SEVENTY "next");
	tw_page_item(page, SEVENTY "12345 next");
	tw_page_paragraph(page, "a%89d", 1);
	tw_page_paragraph(page, "%0100d", 1);
	tw_page_paragraph(page, SEVENTY "1234567 91 %%, of 7 x");
	text_is(page,
		SEVENTY "123456789\n  next\n" SIXTY_9 "\n  1234567890 next\n"
		"  " SEVENTY "1234567\n    next\n  " SIXTY_9 "\n    12345678 next\n"
		SEVENTY EUR EUR EUR EUR EUR EUR EUR EUR EUR "\nnext\n"
		"WARNING: " SIXTY_9 "\n    next\n  - " SEVENTY "12345\n    next\na 1\n"
		"0000000000000000000000000000000000000000000000000000000000000000000000"
		"000000000000000000000000000001\n" SIXTY_9 " 1234567\n  91 %, of 7 x\n",
		"79 columns and no more, blanks are one, a number stays with its unit");
	page = new();
	tw_page_remark(page, "from");
	for (int i = 0; i < 24; i++)
		tw_page_more(page, " %d\n,", i);
	tw_page_note(page, "next");
	text_is(page, "  from 0?, 1?, 2?, 3?, 4?, 5?, 6?, 7?, 8?, 9?, 10?, 11?, 12?, 13?, "
		"14?, 15?,\n    16?, 17?, 18?, 19?, 20?, 21?, 22?, 23?,\nnext\n",
		"what is added to a text");
}

static void contents(void)
{
	struct tw_page *page = new();

	tw_page_contents(page);
	tw_page_heading(page, 2, "%s, group 2 of %s", ALEF, ALEF);
	html_is(page,
		"<ul class=\"contents\">\n<li><a href=\"#part1\">" ALEF ", group 2 of " ALEF
		"</a></li>\n</ul>\n"
		"<h2 id=\"part1\">" ALEF ", group 2 of " ALEF "</h2>\n",
		"links to the headings");
}

/* ---- tables ---- */

static const struct tw_column columns[] = {
	{ .heading = "name", .flags = TW_COLUMN_LEFT | TW_COLUMN_QUOTED, .width = 6 },
	{ .heading = "I/Os", .key = "i,os" },
	{ .heading = "hidden", .media = TW_IN_HTML },
	{ .heading = "ns", .group = BAD " off", .width = 7 },
	{ .heading = "ppb", .group = BAD " off", .flags = TW_COLUMN_NARROW },
	{ .heading = "", .flags = TW_COLUMN_LEFT },
	{ .heading = "file", .flags = TW_COLUMN_BELOW, .width = 3 },
};

static struct tw_table *fill(struct tw_page *page)
{
	struct tw_table *table = tw_page_table(page, columns, 7);

	tw_table_row(table);
	tw_cell_text(table, "0x10");
	tw_cell_u64(table, UINT64_MAX);
	tw_cell_text(table, ALEF "<b>");
	tw_cell_signed(table, 1.5);
	tw_cell_ns(table, 1234.5625);
	tw_cell_strong(table, "within");
	tw_cell_text(table, "/a \"file\", b\nc");
	tw_table_row(table);
	tw_cell_strong(table, "longer than 6");
	tw_cell_none(table);
	tw_cell_none(table);
	tw_cell_number(table, 1.0 / 3);
	tw_table_span(table, "over all %s", BAD);
	tw_table_row(table);
	tw_cell_text(table, "");
	tw_cell_i64(table, INT64_MIN);
	tw_cell_strong(table, "");
	tw_cell_fixed(table, 2.5, 4);
	tw_cell_percent(table, 37.5, 1);
	for (int i = 0; i < 20; i++)
		tw_cell_u64(table, 1);
	return table;
}

/* Names that a spreadsheet would take for a formula, and numbers. */
static void formulas(void)
{
	static const struct tw_column two[] = {
		{ .heading = "a" }, { .heading = "b", .flags = TW_COLUMN_QUOTED },
	};
	static const char *const texts[] = {
		"=HYPERLINK(\"x\")", "+1+cmd", "-2+3", "@sum", "a=b", "-0.5", "+1e3", "",
	};
	struct tw_page *page = new();
	struct tw_table *table = tw_page_table(page, two, 2);

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		tw_table_row(table);
		tw_cell_text(table, texts[i]);
		tw_cell_text(table, texts[i]);
	}
	tw_table_row(table);
	tw_cell_i64(table, -7);
	tw_cell_fixed(table, -2.5, 1);
	csv_is(table, "a,b\n"
	       "\"'=HYPERLINK(\"\"x\"\")\",\"'=HYPERLINK(\"\"x\"\")\"\n"
	       "'+1+cmd,\"'+1+cmd\"\n'-2+3,\"'-2+3\"\n'@sum,\"'@sum\"\na=b,\"a=b\"\n"
	       "-0.5,\"-0.5\"\n+1e3,\"+1e3\"\n,\"\"\n-7,\"-2.5\"\n",
	       "CSV: a quote in front of what is no formula here");
	tw_page_free(page);
}

static void tables(void)
{
	struct tw_page *page = new();

	csv_is(fill(page), "name,\"i,os\",ns,ppb,,file\n"
	       "\"0x10\",18446744073709551615,1.5,1234.5625,within,"
	       "\"/a \"\"file\"\", b?c\"\n"
	       "\"longer than 6\",,0.333333333333333,,,\n"
	       "\"\",-9223372036854775808,2.5000,37.5,1,1\n", "CSV: a table");
	text_is(page,
		"                                   <b a='\"'>&? off\n"
		"name                          I/Os      ns     ppb\n"
		"0x10          18446744073709551615  +1.500 1.235us  within\n"
		"   /a \"file\", b?c\n"
		"longer than 6                    -   0.333\n"
		"over all <b a='\"'>&?\n"
		"              -9223372036854775808  2.5000  37.5 %  1\n   1\n",
		"text: the same table, as wide as its cells");
	page = new();
	fill(page);
	html_is(page,
		WIDE "<table>\n<tr><td></td><td></td><td></td>"
		"<th scope=\"colgroup\" class=\"group\" colspan=\"2\">" SAFE " off</th>"
		"<td></td><td></td></tr>\n"
		"<tr>" TH_TEXT "name</th>" TH "I/Os</th>" TH "hidden</th>" TH "ns</th>"
		TH "ppb</th><td></td>" TH_TEXT "file</th></tr>\n"
		"<tr><th scope=\"row\" class=\"text\">0x10</th>"
		"<td>18446744073709551615</td><td>" ALEF "&#60;b&#62;</td>"
		"<td>+1.500</td><td>1.235 us</td><td class=\"text\"><b>within</b></td>"
		"<td class=\"words\">/a &#34;file&#34;, b?c</td></tr>\n"
		"<tr><th scope=\"row\" class=\"text\"><b>longer than 6</b></th><td>-</td>"
		"<td>-</td><td>0.333</td><td></td><td class=\"text\"></td>"
		"<td class=\"words\"></td></tr>\n"
		"<tr><td class=\"span\" colspan=\"7\">over all " SAFE "</td></tr>\n"
		"<tr><td class=\"text\"></td><td>-9223372036854775808</td><td></td>"
		"<td>2.5000</td><td>37.5 %</td><td class=\"text\">1</td>"
		"<td class=\"words\">1</td></tr>\n"
		"</table></div>\n", "HTML: the same table");
}

static void parts_of_tables(void)
{
	static const struct tw_column wide[] = {
		{ .heading = "" }, { .heading = "", .group = "a wide heading" },
		{ .heading = "", .group = "a wide heading" },
	};
	struct tw_page *page = new();
	struct tw_table *table = tw_page_table(page, wide, 3);

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
	tw_cell_text(table, SEVENTY "12345678" EUR "c");
	text_is(page, "name\n" SEVENTY "12345678" EUR "\n",
		"lines that are cut off, but in no character");
}

/* ---- numbers ---- */

static void numbers(void)
{
	static const struct {
		double value;
		const char *ns, *number, *with_sign;
	} cases[] = {
		{ 0, "0 ns", "0.000", "+0.000" }, { 7, "7 ns", "7.000", "+7.000" },
		{ 0.0625, "0.062 ns", "0.062", "+0.062" },
		{ 9.9996, "10.00 ns", "10.00", "+10.00" },
		{ 123.46, "123.5 ns", "123.5", "+123.5" },
		{ 999.96, "1.000 us", "1000", "+1000" }, { 1235, "1.235 us", "1235", "+1235" },
		{ 99996, "100.0 us", "99996", "+99996" },
		{ 999.96e3, "1.000 ms", "999960", "+999960" },
		{ 12.5e9, "12.50 s", "1.250e+10", "+1.250e+10" },
		{ 9999.6e9, "2.778 h", "1.000e+13", "+1.000e+13" },
		{ 3e18, "95.06 y", "3.000e+18", "+3.000e+18" },
		{ -7, "-7 ns", "-7.000", "-7.000" },
		{ -0.25, "-0.250 ns", "-0.250", "-0.250" },
		{ -123456, "-123.5 us", "-123456", "-123456" },
		{ -INFINITY, "-inf y", "-inf", "-inf" }, { INFINITY, "inf y", "inf", "+inf" },
	};
	char ns[TW_FORMAT_SIZE], number[TW_FORMAT_SIZE], with_sign[TW_FORMAT_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		tw_format_ns(ns, cases[i].value);
		tw_format_number(number, cases[i].value);
		tw_format_signed(with_sign, cases[i].value);
		if (!tap_ok(!strcmp(ns, cases[i].ns) && !strcmp(number, cases[i].number) &&
			    !strcmp(with_sign, cases[i].with_sign), "%g", cases[i].value))
			tap_note("is %s, %s, %s", ns, number, with_sign);
	}
	tap_ok(!strcmp(TW_SAY_PERCENT(0.0263), "0.026 %") && !strcmp(TW_SAY_PERCENT(12.3), "12 %") &&
	       !strcmp(TW_SAY_PERCENT(-99.6), "-100 %") && !strcmp(TW_SAY_PERCENT(250), "250 %") &&
	       !strcmp(TW_SAY_PERCENT(1e-5), "0 %"), "parts in percent");
	tap_ok(!strcmp(tw_format_round(ns, 4e9), "4 s") &&
	       !strcmp(tw_format_round(number, 1.5e6), "1.5 ms") &&
	       !strcmp(tw_format_round(with_sign, 123.456e3), "123.5 us") &&
	       !strcmp(TW_SAY_ROUND(0), "0 ns") && !strcmp(TW_SAY_ROUND(100e3), "100 us"),
	       "round times");
	tap_ok(!strcmp(tw_format_plural(0), "s") && !strcmp(tw_format_plural(1), "") &&
	       !strcmp(tw_format_plural(2), "s"), "0 calls, 1 call, 2 calls");
}

static void sizes(void)
{
	static const struct {
		double bytes;
		const char *is;
	} cases[] = {
		{ 0, "0 bytes" }, { 1023, "1023 bytes" }, { 1024, "1 KiB" }, { 1331, "1.3 KiB" },
		{ 524288.0 * 1024, "512 MiB" }, { 1023.5 * 1024 * 1024, "1024 MiB" },
		{ 0x1p62, "4096 PiB" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap_ok(!strcmp(TW_SAY_BYTES(cases[i].bytes), cases[i].is), "%g bytes: %s",
		       cases[i].bytes, TW_SAY_BYTES(cases[i].bytes));
}

int main(void)
{
	blocks();
	widths();
	contents();
	tables();
	formulas();
	parts_of_tables();
	sizes();
	numbers();
	return tap_done();
}
