/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile --against`: prints both profiles next to each other, as a
 * page and as JSON.
 */
#include <inttypes.h>

#include "report/json_text.h"
#include "command/output/page.h"
#include "profile/command/against.h"

static void add_head(struct tw_page *page, const struct profile_against *against)
{
	tw_page_paragraph(page, "%s: %" PRIu64 " samples of %s; %" PRIu64 " of functions "
			  "in the profile, %" PRIu64 " of others and %" PRIu64 " of the "
			  "kernel, which are left out.%s%s", against->path,
			  against->samples, against->event, against->in_functions,
			  against->in_others, against->in_kernel,
			  against->has_chains ? "" : " They have no call chains (perf "
			  "record -g): time in the C library and the kernel is its "
			  "callers' in the profile, and is missing in the samples.",
			  against->other_events ? " The file has other events, "
			  "which are not used." : "");
	tw_page_indent(page, 0, 0);
	tw_page_gap(page);
	tw_page_note(page, "In %% of all selves:");
}

static void add_row(struct tw_table *table, const struct against_row *row)
{
	tw_table_row(table);
	tw_cell_fixed(table, 100 * row->profiled, 3);
	tw_cell_fixed(table, 100 * row->profiled_uncertainty, 3);
	tw_cell_fixed(table, 100 * row->sampled.share, 3);
	tw_cell_fixed(table, 100 * row->sampled.error, 3);
	tw_cell_printf(table, "%+.3f", 100 * (row->sampled.share - row->profiled));
	tw_cell_printf(table, "%c%c", row->beyond ? '!' : ' ',
		       row->sampled.correlated ? '~' : ' ');
	tw_cell_u64(table, row->sampled.samples);
	tw_cell_text(table, row->name);
}

void tw_profile_print_against(const struct profile_against *against, unsigned top)
{
	static const struct tw_column columns[] = {
		{ .heading = "profile", .width = 7 },
		{ .heading = "+-", .width = 6 },
		{ .heading = "sampled", .width = 7 },
		{ .heading = "+-", .width = 6 },
		{ .heading = "off", .width = 8 },
		{ .heading = "", .width = 2 },
		{ .heading = "samples", .width = 7 },
		{ .heading = "function",
		  .flags = TW_COLUMN_LEFT },
	};
	struct tw_page *page = tw_page_new("Profile and samples");
	struct tw_table *table;
	size_t beyond = 0, correlated = 0;

	add_head(page, against);
	table = tw_page_table(page, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < against->row_count; i++) {
		beyond += (size_t)against->rows[i].beyond;
		correlated += (size_t)against->rows[i].sampled.correlated;
		if (!top || i < top)
			add_row(table, &against->rows[i]);
	}
	if (top && against->row_count > top)
		tw_table_span(table, "... %zu more (--top=0 shows all)",
			      against->row_count - top);
	tw_page_gap(page);
	tw_page_paragraph(page, "! %zu of %zu functions differ by more than the "
			  "profile's +- and 3 errors of sampling", beyond,
			  against->row_count);
	tw_page_paragraph(page, "~ the samples of %zu are correlated: the error is "
			  "from %d parts of the run, not from their number. It is "
			  "too large if the program does different things in "
			  "sequence",
			  correlated, TW_SHARE_BLOCKS);
	tw_output_print(page);
}

static json_t *row_object(const struct against_row *row)
{
	return json_pack("{s:s, s:f, s:f, s:f, s:f, s:I, s:b, s:b}",
			 "name", row->name, "share", row->profiled,
			 "uncertainty", row->profiled_uncertainty,
			 "sampled_share", row->sampled.share,
			 "sampling_error", row->sampled.error,
			 "samples", (json_int_t)row->sampled.samples,
			 "correlated", row->sampled.correlated,
			 "beyond", row->beyond);
}

json_t *tw_profile_against_json(const struct profile_against *against)
{
	json_t *functions = json_array();

	for (size_t i = 0; i < against->row_count; i++)
		json_array_append_new(functions, row_object(&against->rows[i]));
	return json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:b, s:o}",
			 "file", tw_json_text(against->path), "event", against->event,
			 "samples", (json_int_t)against->samples,
			 "in_functions", (json_int_t)against->in_functions,
			 "in_others", (json_int_t)against->in_others,
			 "in_kernel", (json_int_t)against->in_kernel,
			 "call_chains", against->has_chains,
			 "functions", functions);
}
