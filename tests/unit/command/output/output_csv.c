/* SPDX-License-Identifier: MIT */
/*
 * A table as CSV: values have all their digits and no units, text is quoted where
 * it must be, and an unknown value is empty. Fails if a program would read another
 * value than the table has, or another number of fields in a line.
 */
#include "tickwise.h"
#include "output.h"

/* A text that a program would take for a number stays a text. */
static void quoted(void)
{
	static const struct tw_column columns[] = {
		{ .heading = "name", .flags = TW_COLUMN_QUOTED }, { .heading = "n" },
	};
	struct tw_page *page = tw_page_new("title");
	struct tw_table *table = tw_page_table(page, columns, 2);

	tw_table_row(table);
	tw_cell_text(table, "0x10");
	tw_cell_u64(table, 1);
	tw_table_row(table);
	tw_cell_text(table, "a\"b");
	csv_is(table, "name,n\n\"0x10\",1\n\"a\"\"b\",\n", "a column of names");
	tw_page_free(page);
}

int main(void)
{
	static const struct tw_column columns[] = {
		{ .heading = "what is it", .key = "what" },
		{ .heading = "in text", .media = TW_IN_TEXT },
		{ .heading = "a,b" }, { .heading = "c" }, { .heading = "d" },
		{ .heading = "e" }, { .heading = "f" },
	};
	struct tw_page *page = tw_page_new("title");
	struct tw_table *table = tw_page_table(page, columns, 7);

	csv_is(table, "what,\"a,b\",c,d,e,f\n", "names of columns");
	tw_table_row(table);
	tw_cell_text(table, "a \"b\", c\nd");
	tw_cell_text(table, "not here");
	tw_cell_ns(table, 1235.125);
	tw_cell_number(table, 1.0 / 3);
	tw_cell_signed(table, 1e9 + 1);
	tw_cell_percent(table, 37.5, 1);
	tw_cell_u64(table, UINT64_MAX);
	tw_table_span(table, "of people's interest");
	tw_table_row(table);
	tw_cell_strong(table, "b");
	tw_cell_none(table);
	tw_cell_none(table);
	tw_cell_i64(table, INT64_MIN);
	tw_cell_fixed(table, 2.5, 4);
	csv_is(table, "what,\"a,b\",c,d,e,f\n"
	       "\"a \"\"b\"\", c?d\",1235.125,0.333333333333333,1000000001,37.5,"
	       "18446744073709551615\n"
	       "b,,-9223372036854775808,2.5000,,\n", "values");
	for (int i = 0; i < 20; i++)
		tw_cell_u64(table, 1);
	csv_is(table, "what,\"a,b\",c,d,e,f\n"
	       "\"a \"\"b\"\", c?d\",1235.125,0.333333333333333,1000000001,37.5,"
	       "18446744073709551615\n"
	       "b,,-9223372036854775808,2.5000,1,1\n",
	       "cells without a column are dropped");
	tw_page_free(page);
	quoted();
	return tap_done();
}
