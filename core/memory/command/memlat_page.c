/* SPDX-License-Identifier: MIT */
/*
 * Makes a page of the results of tickwise memlat: first levels, then NUMA
 * nodes, translations and the curves. Terminals get the curves at every
 * doubling of the size. HTML has plots and all points, CSV only the points.
 */
#include "memory/command/memlat.h"

#include <stdio.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "machine/processor.h"

/* Number of line styles that are easy to tell apart. */
#define COLORS		8

/* Up to this number of sizes, a terminal gets all of them. */
#define FEW_SIZES	24

/* Widths of text columns: the size, and a curve's minimum and median. */
#define MEMORY_WIDTH	6
#define CURVE_WIDTH	(7 + 1 + 9)

const struct tw_cache *tw_memlat_cache(const struct tw_memlat *memlat, unsigned i)
{
	const struct tw_cache *last = &memlat->caches[memlat->cache_count - 1];

	if (i >= memlat->cache_count || (i + 1 == memlat->level_count && i &&
					 memlat->levels[i].flat_bytes / 2 > last->bytes))
		return NULL;
	return &memlat->caches[i];
}

const char *tw_memlat_level_name(const struct tw_memlat *memlat, unsigned i)
{
	static const char *const names[TW_LEVELS] = {
		"L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8",
	};

	/* The last level, which has no end in the curve and is past all caches of sysfs. */
	if (i + 1 == memlat->level_count && i && !tw_memlat_cache(memlat, i))
		return "memory";
	return names[i];
}

const char *tw_memlat_size(char *text, size_t bytes)
{
	static const char units[] = "BKMGT";
	double value = (double)bytes;
	unsigned unit = 0;

	for (; value >= 1024 && unit < 4; unit++)
		value /= 1024;
	/* Three digits, without zeros at the end of a fraction; but 1000 to 1023 have four. */
	snprintf(text, TW_FORMAT_SIZE, value < 999.5 ? "%.3g%c" : "%.0f%c", value, units[unit]);
	return text;
}

static void add_interval(struct tw_table *table, double low_ns, double high_ns)
{
	tw_cell_printf(table, "%.2f - %.2f", low_ns, high_ns);
}

/* Add a heading for HTML. Text has a sentence in its place. */
static void add_part(struct tw_page *page, const char *name)
{
	tw_page_heading(page, 2, "%s", name);
	tw_page_only(page, TW_IN_HTML);
	tw_page_gap(page);
}

/* ---- head ---------------------------------------------------------------- */

static void add_head(struct tw_page *page, const struct tw_memlat *memlat)
{
	const char *guest = tw_hypervisor_name(memlat->machine.hypervisor);
	const struct tw_curve *curve = memlat->levels_of;
	const char *core = "core clock not known here";
	unsigned first = 0;

	while (curve && first < curve->count && !curve->points[first].batches)
		first++;
	if (curve && first < curve->count && curve->points[first].cycle_ns > 0)
		core = tw_format("core %.2f GHz at the first size",
				 1 / curve->points[first].cycle_ns);
	tw_page_paragraph(page, "CPU %u, %s, counter %.3f MHz, %s; %s to %s in %.0f s%s%s%s",
			  memlat->cpu, memlat->machine.processor[0] ?
			  memlat->machine.processor : "unknown processor",
			  memlat->rate.hz / 1e6, core,
			  TW_SAY_SIZE(memlat->min_bytes), TW_SAY_SIZE(memlat->max_bytes),
			  (double)memlat->took_ns / 1e9, *guest ? "; a guest (" : "", guest,
			  *guest ? "): pages and caches are the host's, too" : "");
}

/* ---- levels -------------------------------------------------------------- */

static void add_level(struct tw_table *table, const struct tw_memlat *memlat, unsigned i)
{
	const struct tw_level *level = &memlat->levels[i];
	const struct tw_cache *cache = tw_memlat_cache(memlat, i);

	tw_table_row(table);
	tw_cell_text(table, tw_memlat_level_name(memlat, i));
	tw_cell_fixed(table, level->latency_ns, 2);
	tw_cell_fixed(table, level->error_ns, 2);
	add_interval(table, level->low_ns, level->high_ns);
	tw_cell_known(table, level->cycles, 2);
	if (level->size_bytes)
		tw_cell_printf(table, "%s - %s", TW_SAY_SIZE(level->size_bytes),
			       level->next_bytes ? TW_SAY_SIZE(level->next_bytes) : "");
	else
		tw_cell_text(table, "-");
	tw_cell_text(table, cache ? TW_SAY_SIZE(cache->bytes) : "-");
	if (!cache || !level->size_bytes)
		return;
	if (tw_level_compare(level, cache) == TW_LEVEL_AGREES)
		tw_cell_text(table, "agrees");
	else
		tw_cell_strong(table, "DIFFERS");
}

static void add_levels(struct tw_page *page, const struct tw_memlat *memlat)
{
	static const struct tw_column columns[] = {
		{ "level", .width = 7, .flags = TW_COLUMN_LEFT },
		{ "ns/load", .width = 7 },
		{ "+-", .width = 5 },
		{ "over its sizes", .width = 17 },
		{ "cycles", .width = 7 },
		{ "ends in", .width = 13 },
		{ "sysfs", .width = 6 },
		{ "", .flags = TW_COLUMN_LEFT },
	};
	const struct tw_curve *curve = memlat->levels_of;
	const char *visits = "";
	struct tw_table *table;

	add_part(page, "Levels");
	if (!curve || !memlat->level_count) {
		tw_page_paragraph(page, curve ?
				  "No levels: too few sizes." :
				  "No levels: they are looked for in the window or "
				  "the random curve.");
		return;
	}
	if (memlat->visits)
		visits = tw_format("; up to %s in the fastest of %u visits, random and each in "
				   "other memory", TW_SAY_SIZE(memlat->visited_up_to_bytes),
				   memlat->visits);
	tw_page_paragraph(page, "Levels, in the %s curve on %s pages%s:",
			  tw_cycle_names[curve->shape.kind], tw_pages_names[curve->pages], visits);
	tw_page_indent(page, 0, 0);
	tw_page_gap(page);
	table = tw_page_table(page, columns, TW_LENGTH(columns));
	for (unsigned i = 0; i < memlat->level_count; i++)
		add_level(table, memlat, i);
	tw_page_gap(page);
	tw_page_note(page, "ns/load: median of its sizes' medians; +-: of each of "
		     "them, at most (95 %%, of this run). cycles: of the core at its "
		     "fastest, in the fastest visits.");
	for (unsigned i = 0; i < memlat->cache_count; i++) {
		const char *text = tw_level_agreement_texts[tw_level_compare(
			i < memlat->level_count ? &memlat->levels[i] : NULL, &memlat->caches[i])];

		if (*text)
			tw_page_paragraph(page, "L%u: %s.", memlat->caches[i].level, text);
	}
}

/* ---- nodes --------------------------------------------------------------- */

static void add_nodes(struct tw_page *page, const struct tw_memlat *memlat)
{
	static const struct tw_column columns[] = {
		{ .heading = "node" }, { "ns/load", .width = 8 }, { "95 %", .width = 17 },
	};
	struct tw_table *table;

	if (!memlat->node_count)
		return;
	add_part(page, "NUMA nodes");
	tw_page_paragraph(page, "Memory of each NUMA node, from CPU %u, with 95 %% "
			  "intervals of this run:", memlat->cpu);
	tw_page_gap(page);
	table = tw_page_table(page, columns, TW_LENGTH(columns));
	for (unsigned i = 0; i < memlat->node_count; i++) {
		const struct tw_memory_point *point = &memlat->nodes[i].point;

		tw_table_row(table);
		tw_cell_u64(table, memlat->nodes[i].node);
		tw_cell_fixed(table, point->median_ns, 2);
		add_interval(table, point->low_ns, point->high_ns);
	}
}

/* ---- translations -------------------------------------------------------- */

static void add_range(struct tw_table *table, const struct tw_tlb_range *range)
{
	tw_cell_printf(table, "%+.1f (%+.1f %+.1f)", range->ns, range->low_ns,
		       range->high_ns);
}

static void add_translations(struct tw_page *page, const struct tw_memlat *memlat)
{
	static const struct tw_column columns[] = {
		{ "memory", .width = MEMORY_WIDTH }, { "small pages", .width = 20 },
		{ "huge pages", .width = 20 }, { "translation", .width = 20 },
		{ "share", .width = 6 },
	};
	unsigned places = TW_TLB_PLACES;
	struct tw_table *table;

	if (!memlat->cost_count && !memlat->no_costs)
		return;
	add_part(page, "Address translation");
	if (!memlat->cost_count) {
		tw_page_paragraph(page, "What misses of address translations cost is "
				  "not known: %s.", memlat->no_costs);
		return;
	}
	for (unsigned i = 0; i < memlat->cost_count; i++)
		if (memlat->costs[i].places < places)
			places = memlat->costs[i].places;
	tw_page_paragraph(page, "What misses of address translations cost a random "
			  "load, in ns. On small and on huge pages: random order less "
			  "window order. Translation: small less huge pages. Medians "
			  "of %u places%s, with 95 %% intervals over places:", places,
			  places < TW_TLB_PLACES ? " or more" : "");
	tw_page_indent(page, 0, 0);
	tw_page_gap(page);
	table = tw_page_table(page, columns, TW_LENGTH(columns));
	for (unsigned i = 0; i < memlat->cost_count; i++) {
		const struct tw_tlb_cost *cost = &memlat->costs[i];

		tw_table_row(table);
		tw_cell_text(table, TW_SAY_SIZE(cost->bytes));
		add_range(table, &cost->small);
		add_range(table, &cost->huge);
		add_range(table, &cost->translation);
		if (tw_tlb_share(cost) > 0)
			tw_cell_percent(table, tw_tlb_share(cost) * 100, 0);
		else
			tw_cell_text(table, "place");
	}
	tw_page_gap(page);
	tw_page_note(page, "share: of a random load on small pages. place: no share, since "
		     "in two places or more small pages cost no more than huge "
		     "ones. Which pages a process gets explains more there.%s",
		     memlat->machine.hypervisor[0] ? " In a guest huge pages may miss, "
		     "too: translation costs at least this." : "");
}

/* ---- curves -------------------------------------------------------------- */

static void plot_curves(struct tw_page *page, const struct tw_memlat *memlat)
{
	struct tw_plot *plot;

	if (!memlat->curve_count || memlat->max_bytes == memlat->min_bytes)
		return;
	plot = tw_page_plot(page, .title = "Latency over memory",
			    .x = { TW_PLOT_BYTES, "memory" }, .y = { TW_PLOT_NS, "a load" });
	for (unsigned i = 0; i < memlat->curve_count; i++) {
		const struct tw_curve *curve = &memlat->curves[i];
		struct tw_series *series;

		series = tw_plot_line(plot, tw_format("%s, %s pages",
						      tw_cycle_names[curve->shape.kind],
						      tw_pages_names[curve->pages]),
				      (int)(i % COLORS));
		for (unsigned j = 0; j < curve->count; j++)
			if (curve->points[j].batches)
				tw_plot_point(series, (double)curve->points[j].bytes,
					      curve->points[j].median_ns);
	}
	for (unsigned i = 0; i < memlat->level_count; i++)
		if (memlat->levels[i].size_bytes)
			tw_plot_border(plot, (double)memlat->levels[i].size_bytes,
				       tw_memlat_level_name(memlat, i));
	tw_plot_caption(plot, "Median of batches of loads. Vertical lines: where a level ends, "
			"by these data.");
}

/* Add a row: one size, and its points on the curves from @first up to @end. */
static void add_size(struct tw_table *table, const struct tw_memlat *memlat,
		     unsigned first, unsigned end, size_t bytes)
{
	tw_table_row(table);
	tw_cell_text(table, TW_SAY_SIZE(bytes));
	for (; first < end; first++) {
		const struct tw_curve *curve = &memlat->curves[first];
		unsigned i = 0;

		while (i < curve->count && curve->points[i].bytes != bytes)
			i++;
		if (i < curve->count && curve->points[i].batches) {
			tw_cell_fixed(table, curve->points[i].min_ns, 2);
			tw_cell_fixed(table, curve->points[i].median_ns, 2);
		} else {
			tw_cell_none(table);
			tw_cell_text(table, i < curve->count ? "disturbed" : "-");
		}
	}
}

/* Add a table with as many curves from @first on as a line has room for.
 * Return: the next curve. */
static unsigned add_sizes_from(struct tw_page *page, const struct tw_memlat *memlat,
			       unsigned first)
{
	const struct tw_curve *longest = &memlat->curves[0];
	struct tw_column columns[1 + 2 * TW_MEMLAT_CURVES] = {
		{ "memory", .width = MEMORY_WIDTH },
	};
	char groups[TW_MEMLAT_CURVES][64];
	int width = MEMORY_WIDTH;
	struct tw_table *table;
	unsigned end;

	for (end = first; end < memlat->curve_count; end++) {
		const struct tw_curve *curve = &memlat->curves[end];
		int own = snprintf(groups[end], sizeof(groups[end]), "%s, %s",
				   tw_cycle_names[curve->shape.kind],
				   tw_pages_names[curve->pages]);

		if (own < CURVE_WIDTH)
			own = CURVE_WIDTH;
		width += 1 + own;
		if (end > first && width > TW_PAGE_COLUMNS)
			break;
		columns[1 + 2 * (end - first)] = (struct tw_column) {
			"min", .group = groups[end], .width = 7 };
		columns[2 + 2 * (end - first)] = (struct tw_column) {
			"median", .group = groups[end], .width = 9 };
	}
	table = tw_page_table(page, columns, 1 + 2 * (end - first));
	tw_page_only(page, TW_IN_TEXT);
	for (unsigned i = 0; i < longest->count; i++) {
		size_t bytes = longest->points[i].bytes;

		/* Of many sizes a terminal gets the powers of two. */
		if (longest->count <= FEW_SIZES || !(bytes & (bytes - 1)))
			add_size(table, memlat, first, end, bytes);
	}
	return end;
}

static void add_sizes(struct tw_page *page, const struct tw_memlat *memlat)
{
	unsigned next = 0;

	tw_page_gap(page);
	tw_page_paragraph(page, "Minimum and median of ns a load, by memory, order "
			  "and pages:");
	tw_page_only(page, TW_IN_TEXT);
	while (next < memlat->curve_count) {
		tw_page_gap(page);
		next = add_sizes_from(page, memlat, next);
	}
	tw_page_gap(page);
	if (memlat->curves[0].count <= FEW_SIZES)
		return;
	tw_page_note(page, "Not all sizes are shown: --csv, --json, --html have them.");
	tw_page_only(page, TW_IN_TEXT);
}

static void add_remarks(struct tw_page *page, const struct tw_memlat *memlat)
{
	unsigned disturbed = 0, batches = 0;
	double huge_share = 1;

	for (unsigned i = 0; i < memlat->curve_count; i++) {
		const struct tw_curve *curve = &memlat->curves[i];

		for (unsigned j = 0; j < curve->count; j++) {
			disturbed += curve->points[j].disturbed;
			batches += curve->points[j].batches;
		}
		if (curve->pages == TW_PAGES_TRANSPARENT)
			huge_share = curve->huge_share;
	}
	if (memlat->curve_count)
		tw_page_note(page, "%u of %u batches of loads were disturbed and left out.",
			     disturbed, disturbed + batches);
	if (huge_share < 0.995)
		tw_page_note(page, "Only %.0f %% of the transparent pages' memory is on huge "
			     "pages.", huge_share * 100);
	if (memlat->is_cut)
		tw_page_note(page, "The sizes end at %s, as no more memory is available: the "
			     "last level may be a cache.", TW_SAY_SIZE(memlat->max_bytes));
	for (int i = 0; i < TW_PAGES_KINDS; i++)
		if (memlat->skipped[i])
			tw_page_note(page, "No %s pages: %s.", tw_pages_names[i],
				     memlat->skipped[i]);
}

/* ---- all points ---------------------------------------------------------- */

static struct tw_table *add_points(struct tw_page *page,
				   const struct tw_memlat *memlat)
{
	static const struct tw_column columns[] = {
		{ "order", .key = "kind", .flags = TW_COLUMN_LEFT },
		{ "pages", .flags = TW_COLUMN_LEFT },
		{ .heading = "node" },
		{ "bytes", .key = "size_bytes" },
		{ "bytes used", .key = "footprint_bytes" },
		{ .heading = "elements" },
		{ "loads a batch", .key = "loads_per_batch" },
		{ .heading = "batches" },
		{ .heading = "disturbed" },
		{ "warm passes", .key = "warm_passes" },
		{ "min, ns", .key = "min_ns" },
		{ "median", .key = "median_ns" },
		{ "p90", .key = "p90_ns" },
		{ "median from", .key = "median_low_ns" },
		{ "median to", .key = "median_high_ns" },
		{ "min, cycles", .key = "min_cycles" },
	};
	struct tw_table *table;

	tw_page_details(page, "All points");
	table = tw_page_table(page, columns, TW_LENGTH(columns));
	for (unsigned i = 0; i < memlat->curve_count; i++)
		for (unsigned j = 0; j < memlat->curves[i].count; j++) {
			const struct tw_curve *curve = &memlat->curves[i];
			const struct tw_memory_point *point = &curve->points[j];
			const uint64_t counts[] = {
				point->bytes, point->footprint_bytes, point->elements,
				point->loads, point->batches, point->disturbed };
			const double times_ns[] = { point->min_ns, point->median_ns, point->p90_ns,
						    point->low_ns, point->high_ns };

			tw_table_row(table);
			tw_cell_text(table, tw_cycle_names[curve->shape.kind]);
			tw_cell_text(table, tw_pages_names[curve->pages]);
			tw_cell_i64(table, curve->node);
			for (size_t k = 0; k < TW_LENGTH(counts); k++)
				tw_cell_u64(table, counts[k]);
			tw_cell_fixed(table, point->warm_passes, 3);
			for (size_t k = 0; k < TW_LENGTH(times_ns); k++)
				tw_cell_known(table, times_ns[k], 4);
			tw_cell_known(table, point->cycle_ns > 0 ?
				      point->min_ns / point->cycle_ns : 0, 3);
		}
	tw_page_end_details(page);
	return table;
}

struct tw_page *tw_memlat_page(const struct tw_memlat *memlat,
			       struct tw_table **points)
{
	struct tw_page *page = tw_page_new("Memory latency");

	add_head(page, memlat);
	add_levels(page, memlat);
	plot_curves(page, memlat);
	add_nodes(page, memlat);
	add_translations(page, memlat);
	if (memlat->curve_count)
		add_sizes(page, memlat);
	add_remarks(page, memlat);
	*points = add_points(page, memlat);
	return page;
}
