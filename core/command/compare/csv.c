/* SPDX-License-Identifier: MIT */
/*
 * Makes the table of --csv: a line for each clock and load. Its columns have the names
 * of the JSON keys where there are such keys.
 */
#include "command/compare/output.h"
#include "command/output/page.h"

static const struct tw_column columns[] = {
	{ .heading = "name" }, { .heading = "load" }, { .heading = "starts" },
	{ .heading = "failed" }, { .heading = "raw_median_ppb" },
	{ .heading = "raw_worst_ppb" }, { .heading = "raw_uncertainty_ppb" },
	{ .heading = "monotonic_median_ppb" }, { .heading = "monotonic_worst_ppb" },
	{ .heading = "monotonic_uncertainty_ppb" }, { .heading = "startup_ns" },
	{ .heading = "read_ns" }, { .heading = "reads_per_io" },
	{ .heading = "null_iops" },
};

/* Add a value that is measured only if it is above 0. */
static void add_known(struct tw_table *table, double value)
{
	if (value > 0)
		tw_cell_number(table, value);
	else
		tw_cell_none(table);
}

static void add_errors(struct tw_table *table, const struct tw_compare_sum *sum)
{
	const double ppb[] = {
		sum->raw_median_ppb, sum->raw_worst_ppb, sum->raw_error_ppb,
		sum->monotonic_median_ppb, sum->monotonic_worst_ppb,
		sum->monotonic_error_ppb,
	};

	for (size_t i = 0; i < sizeof(ppb) / sizeof(*ppb); i++)
		if (sum->starts)
			tw_cell_number(table, ppb[i]);
		else
			tw_cell_none(table);
}

static void add_line(struct tw_table *table, const struct tw_compare_result *result,
		     unsigned which, int load)
{
	const struct tw_compare_sum *sum = &result->sum[which][load];

	tw_table_row(table);
	tw_cell_text(table, result->clock[which].name);
	tw_cell_text(table, load == TW_COMPARE_BUSY ? "busy" : "idle");
	tw_cell_u64(table, sum->starts);
	tw_cell_u64(table, sum->failed);
	add_errors(table, sum);
	add_known(table, sum->startup_ns);
	add_known(table, sum->read_ns);
	add_known(table, result->reads_per_io[which]);
	add_known(table, result->null_iops[which]);
}

struct tw_table *tw_compare_csv(struct tw_page *page,
				const struct tw_compare_result *result)
{
	struct tw_table *table = tw_page_table(page, columns,
					       sizeof(columns) / sizeof(*columns));

	tw_page_only(page, TW_IN_CSV);
	for (unsigned i = 0; i < result->clocks; i++)
		for (int load = 0; load < TW_COMPARE_LOADS; load++)
			if (result->sum[i][load].starts || result->sum[i][load].failed)
				add_line(table, result, i, load);
	return table;
}
