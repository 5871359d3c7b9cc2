/* SPDX-License-Identifier: MIT */
/*
 * tickwise memlat --seed-table: shows typical mistakes in measuring the latency
 * of caches, and their corrections. The figures of this machine stand next to
 * those of an article (a Skylake server of 2.6 GHz; see tickwise-memlat(1)).
 * Every mistake is really made: other strides, another order, and loops that
 * the compiler translates in another way.
 */
#include <string.h>

#include "command/command.h"
#include "command/output/page.h"
#include "memory/command/memlat.h"

#define SIZES		7
#define STAGES		7
#define POINT_NS	20000000

static const size_t sizes[SIZES] = {
	16 << 10, 32 << 10, 64 << 10, 512 << 10, 1 << 20, 2 << 20, 16 << 20,
};

/* article_ns is 0 where the article gives no figure. */
static const struct stage {
	const char *name;
	size_t stride_bytes;
	enum tw_cycle_kind kind;
	tw_chase_function *chase;
	double article_ns[SIZES];
	const char *mistake;
} stages[STAGES] = {
	{ "stride 8", 8, TW_CYCLE_SEQUENTIAL, tw_chase_spilled,
	  { 3.75, 3.78, 3.86, 3.86, 3.92, 3.94, 4.07 },
	  "eight elements share a line: seven of eight loads find it in the "
	  "first cache. Put right by one element a line" },
	{ "stride 64", 64, TW_CYCLE_SEQUENTIAL, tw_chase_spilled,
	  { 3.75, 3.92, 7.08, 7.09, 7.30, 7.32, 7.79 },
	  "the next line is known before it is asked for: prefetched" },
	{ "stride 128", 128, TW_CYCLE_SEQUENTIAL, tw_chase_spilled,
	  { 0, 0, 0, 7.25, 8.74, 9.55, 11.47 },
	  "as before: past the pair of lines, not past the prefetcher" },
	{ "stride 256", 256, TW_CYCLE_SEQUENTIAL, tw_chase_spilled,
	  { 3.75, 3.75, 7.19, 7.34, 12.07, 24.04, 26.17 },
	  "enough for the article's processor; prefetchers of today follow. "
	  "It also uses a quarter of the lines. Put right by a random order" },
	{ "stride 64, random", 64, TW_CYCLE_RANDOM, tw_chase_spilled,
	  { 3.75, 4.08, 7.12, 8.91, 14.53, 26.29, 33.26 },
	  "the pointer is written to the stack and read back after every "
	  "load, which adds to each where the processor does not recognise it "
	  "(some do, since about 2019). Put right by a register" },
	{ "register, unused", 64, TW_CYCLE_RANDOM, tw_chase_unused,
	  { 0.03, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03 },
	  "nobody uses where the chase ended: the compiler leaves it out. Put "
	  "right by using it" },
	{ "register, used", 64, TW_CYCLE_RANDOM, tw_chase,
	  { 1.61, 1.70, 5.62, 7.49, 14.24, 25.72, 31.78 },
	  "right, but for translations: see the curves without --seed-table" },
};

struct table {
	struct tw_rate rate;
	struct tw_curve curves[STAGES];
};

static int measure(struct table *table, const struct tw_memlat_arguments *arguments)
{
	const struct tw_memory_effort effort = { 100000, POINT_NS, 100000000 };
	struct tw_memory memory;
	int ret = tw_memlat_calibrate(&table->rate);

	if (!ret)
		ret = tw_memory_map(&memory, sizes[SIZES - 1], TW_PAGES_SMALL, arguments->node);
	if (ret)
		return ret;
	for (int stage = 0; !ret && stage < STAGES; stage++) {
		table->curves[stage].shape = (struct tw_cycle_shape) {
			.kind = stages[stage].kind, .seed = arguments->seed,
			.stride_bytes = stages[stage].stride_bytes };
		ret = tw_curve_measure(&table->curves[stage], &memory, sizes, SIZES, &effort,
				       stages[stage].chase, table->rate.hz, NULL, NULL);
	}
	tw_memory_unmap(&memory);
	return ret;
}

static struct tw_page *make_page(const struct table *table, struct tw_table **rows)
{
	struct tw_page *page = tw_page_new("Memory latency: mistakes");
	struct tw_column columns[SIZES + 2] = {
		[0] = { "", .width = 19, .flags = TW_COLUMN_LEFT },
		[SIZES + 1] = { "mistake", .width = 2, .flags = TW_COLUMN_BELOW },
	};
	char names[SIZES][TW_FORMAT_SIZE];

	for (int i = 0; i < SIZES; i++)
		columns[i + 1] = (struct tw_column) {
			tw_memlat_size(names[i], sizes[i]), .width = 7 };
	tw_page_note(page, "Median ns a load, by memory; under it the article's "
		     "figures, of another processor.");
	tw_page_gap(page);
	*rows = tw_page_table(page, columns, SIZES + 2);
	/* Two rows for each stage: the measured figures, and the article's. */
	for (int stage = 0; stage < STAGES; stage++) {
		const struct tw_memory_point *points = table->curves[stage].points;
		const double *article_ns = stages[stage].article_ns;

		tw_table_row(*rows);
		tw_cell_text(*rows, stages[stage].name);
		for (int i = 0; i < SIZES; i++)
			tw_cell_known(*rows, points[i].median_ns, 2);
		tw_table_row(*rows);
		tw_cell_text(*rows, "  the article");
		for (int i = 0; i < SIZES; i++)
			tw_cell_known(*rows, article_ns[i], 2);
		tw_cell_printf(*rows, "%s.", stages[stage].mistake);
	}
	return page;
}

int tw_memlat_seed_table(const struct tw_memlat_arguments *arguments)
{
	static struct table table;
	struct tw_table *rows;
	struct tw_page *page;
	unsigned cpu;
	int code = tw_memlat_take_place(&cpu, arguments), ret;

	if (code != TW_EXIT_GOOD)
		return code;
	ret = measure(&table, arguments);
	if (ret)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "%s", strerror(-ret));
	page = make_page(&table, &rows);
	return tw_command_show(TW_MEMLAT, &arguments->wanted, page, rows, NULL);
}
