/* SPDX-License-Identifier: MIT */
/*
 * Describes I/Os of a direction by the words of their rows: some that are among the
 * I/Os, and those that no stage has recorded. A failed I/O, the first
 * part of a short one, and I/Os that fio does not account are not in fio's lat either.
 * fio does not know the engine's stamps.
 */
#include "command/report/apart.h"

/* Add the counts that are shown there. Return: 0: there are none. */
static int add_kinds(struct tw_page *page, const struct tw_counts *counts,
		     enum tw_show show, const char *beginning)
{
	char words[TW_ROW_TEXT];
	int any = 0;

	for (size_t i = 0; i < TW_COUNTS; i++) {
		const struct tw_count_row *row = &tw_count_rows[i];
		const uint64_t count = tw_count_of(counts, i);

		if (row->show != show || !count)
			continue;
		tw_page_more(page, "%s%llu %s", any++ ? ", " : beginning,
			     (unsigned long long)count,
			     tw_row_words(words, row->words, count));
		if (show == TW_AMONG)
			tw_page_more(page, " (%s)", row->more);
	}
	return any;
}

static int has_any(const struct tw_counts *counts, enum tw_show show)
{
	for (size_t i = 0; i < TW_COUNTS; i++)
		if (tw_count_rows[i].show == show && tw_count_of(counts, i))
			return 1;
	return 0;
}

void tw_report_add_apart(struct tw_page *page, const struct tw_tally *tally,
			 int direction)
{
	const struct tw_counts *counts = &tally->counts[direction];
	int any;

	if (!has_any(counts, TW_APART) && !has_any(counts, TW_IN_FIO_LAT))
		return;
	tw_page_remark(page, "%s", "");
	any = add_kinds(page, counts, TW_APART,
			"not among these, nor in fio's lat: ");
	add_kinds(page, counts, TW_IN_FIO_LAT, any ?
		  "; not among these, but in fio's lat: " :
		  "not among these, but in fio's lat: ");
}

void tw_report_add_among(struct tw_page *page, const struct tw_tally *tally,
			 int direction)
{
	const struct tw_counts *counts = &tally->counts[direction];

	if (!has_any(counts, TW_AMONG))
		return;
	tw_page_remark(page, "%s", "");
	add_kinds(page, counts, TW_AMONG, "among these: ");
}
