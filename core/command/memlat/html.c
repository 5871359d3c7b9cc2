/* SPDX-License-Identifier: MIT */
/*
 * What tickwise memlat found, as a page with plots: the curves, and what of a
 * random load is translation.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/output/format.h"
#include "command/output/html.h"
#include "command/memlat/memlat.h"
#include "command/report/report.h"
#include "command/output/svg.h"

#define WIDTH		720
#define HEIGHT		400
#define LEFT		70
#define RIGHT		20
#define TOP		34
#define BOTTOM		58
/* Lines have this many styles. */
#define COLORS		8

static const double bottom = HEIGHT - BOTTOM;

/* ---- axes ------------------------------------------------------------------ */

static struct tw_svg_axis size_axis(const struct tw_memlat *memlat)
{
	return (struct tw_svg_axis) {
		.low = log10((double)memlat->min_bytes),
		.high = log10((double)memlat->max_bytes),
		.from = LEFT, .to = WIDTH - RIGHT, .is_log = 1,
	};
}

static void size_ticks(FILE *file, const struct tw_svg_axis *x)
{
	double octaves = (x->high - x->low) / log10(2);
	unsigned step = octaves > 10 ? 2 : 1;

	for (double power = ceil(x->low / log10(2) - 1e-9);
	     power * log10(2) <= x->high + 1e-9; power += step) {
		double at = tw_svg_place(x, exp2(power));
		char name[TW_FORMAT_SIZE];

		tw_svg_grid(file, at, TOP, at, bottom);
		tw_svg_text(file, at, bottom + 21, "middle",
			    tw_memlat_size(name, (size_t)exp2(power)));
	}
	tw_svg_text(file, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle",
		    "memory");
}

/* 1, 2 and 5 times powers of ten. */
static void latency_ticks(FILE *file, const struct tw_svg_axis *y)
{
	static const double of_decade[] = { 1, 2, 5 };

	for (double decade = floor(y->low); decade <= y->high; decade++)
		for (int i = 0; i < 3; i++) {
			double ns = of_decade[i] * pow(10, decade);
			char name[TW_FORMAT_SIZE];

			if (log10(ns) < y->low - 1e-9 ||
			    log10(ns) > y->high + 1e-9)
				continue;
			snprintf(name, sizeof(name), "%g", ns);
			tw_svg_grid(file, LEFT, tw_svg_place(y, ns),
				    WIDTH - RIGHT, tw_svg_place(y, ns));
			tw_svg_text(file, LEFT - 8, tw_svg_place(y, ns) + 5,
				    "end", name);
		}
}

/* Around all medians; infinite without one. */
static struct tw_svg_axis latency_axis(const struct tw_memlat *memlat)
{
	double low = INFINITY, high = -INFINITY;

	for (unsigned i = 0; i < memlat->curve_count; i++)
		for (unsigned j = 0; j < memlat->curves[i].count; j++) {
			const struct tw_memory_point *point =
				&memlat->curves[i].points[j];

			if (!point->batches)
				continue;
			low = fmin(low, log10(point->median_ns));
			high = fmax(high, log10(point->median_ns));
		}
	return (struct tw_svg_axis) { .low = low - 0.05, .high = high + 0.05,
				      .from = bottom, .to = TOP, .is_log = 1 };
}

/* ---- plots ------------------------------------------------------------------- */

/* Where the levels end, by measurement. */
static void mark_levels(FILE *file, const struct tw_memlat *memlat,
			const struct tw_svg_axis *x)
{
	for (unsigned i = 0; i < memlat->level_count; i++) {
		double at;

		if (!memlat->levels[i].size_bytes)
			continue;
		at = tw_svg_place(x, (double)memlat->levels[i].size_bytes);
		fprintf(file, "<path class=\"s7\" d=\"M%.1f %dL%.1f %.1f\"/>\n",
			at, TOP, at, bottom);
		tw_svg_text(file, at, TOP - 6, "middle",
			    tw_memlat_level_name(memlat, i));
	}
}

static void plot_curve(FILE *file, const struct tw_curve *curve, int color,
		       const struct tw_svg_axis *x,
		       const struct tw_svg_axis *y)
{
	struct tw_svg_line line = tw_svg_begin_line(file, color);

	for (unsigned i = 0; i < curve->count; i++)
		if (curve->points[i].batches)
			tw_svg_line_to(&line, tw_svg_place(x,
				       (double)curve->points[i].bytes),
				       tw_svg_place(y,
						curve->points[i].median_ns));
	tw_svg_end_line(&line);
}

static void put_key(FILE *file, int color, const char *name, const char *pages)
{
	fprintf(file, "<span><svg class=\"key\" viewBox=\"0 0 28 10\">"
		"<path class=\"s%d\" d=\"M0 5H28\"/></svg>%s%s%s%s</span>\n",
		color, name, *pages ? ", " : "", pages, *pages ? " pages" : "");
}

static void put_curves(FILE *file, const struct tw_memlat *memlat)
{
	struct tw_svg_axis x = size_axis(memlat), y = latency_axis(memlat);

	fputs("<h2>Latency over memory</h2>\n<p class=\"legend\">", file);
	for (unsigned i = 0; i < memlat->curve_count; i++)
		put_key(file, (int)(i % COLORS),
			tw_cycle_names[memlat->curves[i].shape.kind],
			tw_pages_names[memlat->curves[i].pages]);
	fputs("</p>\n<figure>\n", file);
	tw_svg_begin(file, WIDTH, HEIGHT, "latency over memory");
	size_ticks(file, &x);
	latency_ticks(file, &y);
	tw_svg_text(file, LEFT - 8, TOP - 14, "end", "ns");
	mark_levels(file, memlat, &x);
	for (unsigned i = 0; i < memlat->curve_count; i++)
		plot_curve(file, &memlat->curves[i], (int)(i % COLORS), &x,
			   &y);
	tw_svg_end(file);
	fputs("<figcaption>Median of batches of loads. Vertical lines: where "
	      "a level ends, by these data.</figcaption></figure>\n", file);
}

static double most_cost(const struct tw_tlb_cost *costs, unsigned count)
{
	double most = 0;

	for (unsigned i = 0; i < count; i++)
		most = fmax(most, costs[i].high_ns);
	return most;
}

static void plot_cost(FILE *file, const struct tw_tlb_cost *costs,
		      unsigned count, int color, const struct tw_svg_axis *x,
		      const struct tw_svg_axis *y)
{
	struct tw_svg_line line = tw_svg_begin_line(file, color);

	for (unsigned i = 0; i < count; i++)
		tw_svg_line_to(&line, tw_svg_place(x, (double)costs[i].bytes),
			       tw_svg_place(y, costs[i].ns));
	tw_svg_end_line(&line);
}

static void cost_ticks(FILE *file, const struct tw_svg_axis *y)
{
	double step = pow(10, floor(log10(y->high / 3)));

	if (y->high / step > 10)
		step *= y->high / step > 20 ? 5 : 2;
	for (double ns = 0; ns <= y->high * 1.0001; ns += step) {
		char name[TW_FORMAT_SIZE];

		snprintf(name, sizeof(name), "%g", ns);
		tw_svg_grid(file, LEFT, tw_svg_place(y, ns), WIDTH - RIGHT,
			    tw_svg_place(y, ns));
		tw_svg_text(file, LEFT - 8, tw_svg_place(y, ns) + 5, "end",
			    name);
	}
}

static void put_costs(FILE *file, const struct tw_memlat *memlat)
{
	struct tw_svg_axis x = size_axis(memlat);
	struct tw_svg_axis y = { .from = bottom, .to = TOP };

	y.high = fmax(most_cost(memlat->memory_costs,
				memlat->memory_cost_count),
		      most_cost(memlat->page_costs, memlat->page_cost_count));
	if (!(y.high > 0))
		return;
	fputs("<h2>What misses of address translations cost</h2>\n"
	      "<p class=\"legend\">", file);
	put_key(file, 0, "of a random load (random less window)", "");
	put_key(file, 2, "one line a page, less as many lines side by side",
		"");
	fputs("</p>\n<figure>\n", file);
	tw_svg_begin(file, WIDTH, HEIGHT, "cost of translations over memory");
	size_ticks(file, &x);
	cost_ticks(file, &y);
	tw_svg_text(file, LEFT - 8, TOP - 14, "end", "ns");
	plot_cost(file, memlat->memory_costs, memlat->memory_cost_count, 0, &x,
		  &y);
	plot_cost(file, memlat->page_costs, memlat->page_cost_count, 2, &x,
		  &y);
	tw_svg_end(file);
	fputs("<figcaption>Differences of medians. Below 0, drawn as 0: no cost "
	      "can be told there.</figcaption></figure>\n", file);
}

/* ---- tables -------------------------------------------------------------------- */

/* Three digits: a table shall fit a narrow screen. */
static void put_figure(FILE *file, const char *before, double value)
{
	fprintf(file, "%s%.*f", before, value < 9.995 ? 2 :
		value < 99.95 ? 1 : 0, value);
}

static void put_level(FILE *file, const struct tw_memlat *memlat, unsigned i)
{
	const struct tw_level *level = &memlat->levels[i];
	const struct tw_cache *cache = tw_memlat_level_cache(memlat, i);
	char end[TW_MEMLAT_END], said[TW_FORMAT_SIZE];

	fprintf(file, "<tr><td>%s</td>", tw_memlat_level_name(memlat, i));
	put_figure(file, "<td>", level->latency_ns);
	put_figure(file, " &#177; ", level->error_ns);
	put_figure(file, "</td><td>", level->low_ns);
	put_figure(file, " - ", level->high_ns);
	if (level->cycles > 0)
		put_figure(file, "</td><td>", level->cycles);
	else
		fputs("</td><td>-", file);
	fprintf(file, "</td><td>%s</td><td>%s</td></tr>\n",
		tw_memlat_end(end, level),
		cache ? tw_memlat_size(said, cache->bytes) : "-");
}

static void put_levels(FILE *file, const struct tw_memlat *memlat)
{
	fputs("<h2>Levels</h2>\n<div class=\"wide\"><table><tr><th>level</th>"
	      "<th>ns a load</th><th>its sizes, ns</th><th>cycles</th>"
	      "<th>ends in</th><th>sysfs</th></tr>\n", file);
	for (unsigned i = 0; i < memlat->level_count; i++)
		put_level(file, memlat, i);
	fputs("</table></div>\n", file);
	fputs("<p class=\"dim\">ns a load: the median of its sizes' medians, "
	      "&#177; how far the widest 95 % interval of one of these reaches "
	      "(of this run; another one may find other medians). Cycles: of "
	      "the core at its fastest, in the fastest looks. Ends in: between "
	      "these two sizes.</p>\n", file);
	for (unsigned i = 0; i < memlat->cache_count; i++) {
		const char *why = tw_level_agreement_text(tw_level_compare(
			i < memlat->level_count ? &memlat->levels[i] : NULL,
			&memlat->caches[i]));

		if (*why)
			fprintf(file, "<p class=\"dim\">L%u: %s.</p>\n",
				memlat->caches[i].level, why);
	}
}

static void put_row(FILE *file, const struct tw_curve *curve,
		    const struct tw_memory_point *point)
{
	char size[TW_FORMAT_SIZE];

	fprintf(file, "<tr><td>%s</td><td class=\"text\">%s</td><td>%s</td>",
		tw_cycle_names[curve->shape.kind],
		tw_pages_names[curve->pages],
		tw_memlat_size(size, point->bytes));
	if (point->batches)
		fprintf(file, "<td>%.2f</td><td>%.2f</td><td>%.2f - %.2f</td>"
			"<td>%.2f</td>", point->min_ns, point->median_ns,
			point->low_ns, point->high_ns, point->p90_ns);
	else
		fputs("<td>-</td><td>-</td><td>-</td><td>-</td>", file);
	fprintf(file, "<td>%u</td><td>%u</td></tr>\n", point->batches,
		point->disturbed);
}

static void put_points(FILE *file, const struct tw_memlat *memlat)
{
	fputs("<details><summary>All points</summary><div class=\"wide\">"
	      "<table><tr><th>order</th><th class=\"text\">pages</th>"
	      "<th>memory</th><th>min, ns</th><th>median</th><th>95 %</th>"
	      "<th>p90</th><th>batches</th><th>disturbed</th></tr>\n", file);
	for (unsigned i = 0; i < memlat->curve_count; i++)
		for (unsigned j = 0; j < memlat->curves[i].count; j++)
			put_row(file, &memlat->curves[i],
				&memlat->curves[i].points[j]);
	fputs("</table></div></details>\n", file);
}

int tw_memlat_try_html(const char *path)
{
	int was_there = access(path, F_OK) == 0;
	/* To append nothing: what is in it stays. */
	FILE *file = fopen(path, "ae");

	if (!file)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_IO, "%s: %s", path,
				       strerror(errno));
	fclose(file);
	if (!was_there)
		unlink(path);
	return TW_EXIT_GOOD;
}

int tw_memlat_write_html(const struct tw_memlat *memlat, const char *path)
{
	struct tw_report_problem problem = { "" };
	FILE *file = tw_report_open_file(path, &problem);
	int code;

	if (!file)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_IO, "%s",
				       problem.text);
	tw_html_begin(file, "memory latency", "Memory latency");
	fprintf(file, "<p>CPU %u, ", memlat->cpu);
	tw_html_text(file, memlat->machine.processor);
	fprintf(file, ", counter %.3f MHz</p>\n", memlat->rate.hz / 1e6);
	if (memlat->was_interrupted)
		fputs("<p class=\"warn\">Interrupted: sizes are missing.</p>\n",
		      file);
	put_levels(file, memlat);
	if (memlat->max_bytes > memlat->min_bytes) {
		put_curves(file, memlat);
		put_costs(file, memlat);
	}
	put_points(file, memlat);
	tw_html_end(file);
	code = tw_report_close_file(file, path, &problem);
	return code == TW_EXIT_GOOD ? code :
	       tw_command_fail(TW_MEMLAT, code, "%s", problem.text);
}
