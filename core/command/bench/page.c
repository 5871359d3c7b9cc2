/* SPDX-License-Identifier: MIT */
/*
 * Makes a page of the results of tickwise bench.
 */
#include "command/bench/output.h"
#include "command/output/page.h"

static void add_row(struct tw_table *table, const struct tw_bench_result *result)
{
	tw_table_row(table);
	tw_cell_text(table, result->name);
	tw_cell_fixed(table, result->value, 2);
	tw_cell_fixed(table, result->p10, 2);
	tw_cell_fixed(table, result->p90, 2);
	if (result->aim > 0)
		tw_cell_printf(table, "%s %.2f", result->aim_is_least ? ">=" : "<=",
			       result->aim);
	else
		tw_cell_text(table, "");
	tw_cell_text(table, result->of);
}

/* Add the table of the figures. A figure that is no ratio has its unit in its
 * name. */
static struct tw_table *add_results(struct tw_page *page,
				    const struct tw_bench_result *results)
{
	static const struct tw_column columns[] = {
		{ .heading = "figure", .flags = TW_COLUMN_LEFT },
		{ .heading = "median" },
		{ .heading = "p10", .width = 5 },
		{ .heading = "p90", .width = 5 },
		{ .heading = "aim", .flags = TW_COLUMN_LEFT },
		{ .heading = "what over what", .width = 2, .flags = TW_COLUMN_BELOW },
	};
	struct tw_table *table = tw_page_table(page, columns,
					       sizeof(columns) / sizeof(columns[0]));

	for (unsigned i = 0; i < TW_BENCH_RESULTS; i++)
		add_row(table, &results[i]);
	return table;
}

static uint32_t most_disturbed(const struct tw_bench_result *results)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < TW_BENCH_RESULTS; i++)
		if (results[i].disturbed > most)
			most = results[i].disturbed;
	return most;
}

struct tw_page *tw_bench_page(const struct tw_bench_result *results,
			      const struct tw_bench_costs *costs, int is_evidence,
			      struct tw_table **table)
{
	struct tw_page *page = tw_page_new("What reading the time costs");

	if (!is_evidence)
		tw_page_warning(page, "too few rounds were undisturbed, so the figures "
				"below are no evidence. Try again when the machine is "
				"idle, or with a longer --seconds.");
	if (!tw_bench_is_optimized())
		tw_page_warning(page, "this program was not built for speed, so a "
				"usual build has other figures.");
	tw_page_gap(page);
	*table = add_results(page, results);
	tw_page_gap(page);
	tw_page_note(page, "Built with %s.", tw_bench_compiler());
	tw_page_note(page, "%u rounds of one block each. At most %u rounds of a "
		     "figure were disturbed and left out.",
		     costs->rounds, most_disturbed(results));
	tw_page_note(page, "Calls follow each other without a pause, and load the "
		     "clock's fields again each time.");
	return page;
}
