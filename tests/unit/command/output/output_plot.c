/* SPDX-License-Identifier: MIT */
/*
 * A plot in HTML: axes reach as far as the data, and their marks have round names. Fails
 * if a point is outside of the axes, or if a coordinate is no number for some data. What the
 * pages of tests/golden show is compared there: lines, bars, bands, tags, legends.
 */
#include <float.h>
#include <math.h>

#include "output.h"

/* In the plot, 86 and 594 are the ends of x, 302 and 34 those of y. */
static const char *const drawn[][2] = {
	{ "<path class=\"s7\" d=\"M340.0 34L340.0 302\"/>", "a border" },
	{ ">&#60;L1&#62;</text>", "and its name" },
	{ "<p class=\"row\">mean</p>", "a bar has its name" },
	{ "<title>stage &#60;queue&#62;: 20 %</title><rect class=\"f0 part\" x=\"0.00%\" "
	  "width=\"12.35%\" height=\"40\"/>", "a part is as wide as its share" },
	{ "class=\"on\" x=\"36.98%\" y=\"25\" text-anchor=\"middle\">stage device: 80 %</text>",
	  "a label in one row" },
	{ "class=\"on\" x=\"90.74%\" y=\"25\" text-anchor=\"middle\">stage kernel: 19 %</text>",
	  "of a smaller part, too" },
	{ "class=\"on\" x=\"6.17%\" y=\"17\" text-anchor=\"middle\">&#60;queue&#62;</text>",
	  "a label in two rows" },
};

static void plots(void)
{
	struct tw_page *page = tw_page_new("title");
	struct tw_plot *plot = tw_page_plot(page, .title = "lines",
		.x.unit = TW_PLOT_TIME);
	struct tw_series *series = tw_plot_line(plot, NULL, 3);
	char *html;

	tw_plot_border(plot, 5, "<L1>");
	tw_plot_point(series, 0, 100);
	tw_plot_point(series, 10, 1e6);
	plot = tw_page_plot(page, .title = "parts", .has_same_scale = 1);
	series = tw_plot_stack(plot, "mean");
	tw_plot_part(series, "<queue>", 0, 100);
	tw_plot_part(series, "none", 1, 0);
	tw_plot_part(series, "device", 3, 399);
	tw_plot_part(series, "reap", 4, 1);
	series = tw_plot_stack(plot, "p99");
	tw_plot_part(series, "device", 3, 660);
	tw_plot_part(series, "kernel", 5, 150);
	tw_plot_part(series, "unknown", 5, NAN);
	series = tw_plot_stack(plot, "short");
	tw_plot_part(series, "long name", 6, 8);
	html = html_of(page);
	for (size_t i = 0; i < sizeof(drawn) / sizeof(*drawn); i++)
		if (!tap_ok(strstr(html, drawn[i][0]) != NULL, "%s", drawn[i][1]))
			tap_note("no %s", drawn[i][0]);
	tap_ok(!strstr(html, ">reap</text>") && !strstr(html, "reap: 0 %</text>"),
	       "a narrow part has no room");
	tap_ok(!strstr(html, "none: ") && !strstr(html, "unknown: "),
	       "a part of nothing is not there");
	free(html);
}

/* An axis from @low to @high has marks at its ends, of which @not is none. */
static const struct {
	enum tw_plot_unit unit;
	double low, high;
	const char *first, *last, *not;
} marks[] = {
	{ TW_PLOT_NS, 1.55, 103, "1 ns", "200 ns", "1 us" },
	{ TW_PLOT_NS, 0.5, 0.9, "0.5 ns", "1 ns", "2 ns" },
	{ TW_PLOT_NS, 1, 1e12, "1 ns", "1000 s", "10 ns" },
	{ TW_PLOT_NS, 20, 2e4, "10 ns", "100 us", "20 ns" },
	{ TW_PLOT_NUMBER, 0, 49000, "0", "50 k", "10000" },
	{ TW_PLOT_NUMBER, 1, 4.9e6, "0", "5 M", "5000 k" },
	{ TW_PLOT_NUMBER, 0, 5000, "0", "6000", "5 k" },
	{ TW_PLOT_TIME, 0, 5, "0 s", "5 s", "6 s" },
	{ TW_PLOT_TIME, 0, 0.2, "0 s", "0.2 s", "1 s" },
	{ TW_PLOT_TIME, 0, 21600, "0 h", "6 h", "6000 s" },
	{ TW_PLOT_TIME, 0, 600, "0 min", "10 min", "600 s" },
	{ TW_PLOT_NUMBER, 0, 1.7, "0", "1.8", "2" },
	{ TW_PLOT_BYTES, 4096, 1 << 26, "4K", "64M", "8K" },
	{ TW_PLOT_BYTES, 512, 4096, "512B", "4K", "8K" },
	{ TW_PLOT_BYTES, 0.01, 4, "1B", "4B", "8B" },
	{ TW_PLOT_TAIL, 1, 1000, "0", "99.9", "99.99" },
	{ TW_PLOT_TAIL, 1, 1, "0", "90", "99" },
	{ TW_PLOT_TAIL, 1, 1e6, "0", "99.9999", "99.99999" },
	{ TW_PLOT_TAIL, 1, 1e7, "0", "99.99999", "99.9999" },
	{ TW_PLOT_TAIL, 1, 1e10, "0", "99.99999999", "99.99" },
};

static void axes(void)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		struct tw_page *page = tw_page_new("title");
		struct tw_plot *plot = tw_page_plot(page, .title = "plot", .x.unit = marks[i].unit);
		struct tw_series *series = tw_plot_line(plot, NULL, 0);
		char first[64], last[64], not[64], *html;

		tw_plot_point(series, marks[i].low, 1);
		tw_plot_point(series, marks[i].high, 1);
		html = html_of(page);
		sprintf(first, "x=\"86.0\" y=\"334.0\" text-anchor=\"middle\">%s<", marks[i].first);
		sprintf(last, "x=\"594.0\" y=\"334.0\" text-anchor=\"middle\">%s<", marks[i].last);
		sprintf(not, "text-anchor=\"middle\">%s<", marks[i].not);
		tap_ok(strstr(html, first) && strstr(html, last) && !strstr(html, not),
		       "%g to %g: %s, %s, not %s", marks[i].low, marks[i].high, marks[i].first,
		       marks[i].last, marks[i].not);
		free(html);
	}
}

static void any_data(void)
{
	static const double values[] = {
		0, -1, 1, DBL_MAX, DBL_MIN, -DBL_MAX, INFINITY, -INFINITY, NAN, 1e300,
	};
	const size_t count = sizeof(values) / sizeof(*values);
	int wrong = 0;

	for (enum tw_plot_unit unit = TW_PLOT_NUMBER; unit <= TW_PLOT_TIME; unit++) {
		struct tw_page *page = tw_page_new("title");

		for (size_t i = 0; i <= count; i++) {
			struct tw_plot *plot = tw_page_plot(page, .title = "plot",
							    .x.unit = unit, .y.unit = unit);
			struct tw_series *series = tw_plot_line(plot, "line", 1);

			for (size_t j = 0; j < i; j++) {
				tw_plot_point(series, values[i - 1], values[j]);
				tw_plot_tag(series, values[j], values[i - 1], NULL, "dot");
			}
		}
		char *html = html_of(page);

		for (const char *at = html; (at = strpbrk(at, "\"LM ")); at++)
			wrong += !strncmp(at + 1, "nan", 3) ||
				 !strncmp(at + 1, "-nan", 4) ||
				 !strncmp(at + 1, "inf", 3) ||
				 !strncmp(at + 1, "-inf", 4);
		free(html);
	}
	tap_ok(wrong == 0, "every coordinate is a number, whatever the data are");
}

int main(void)
{
	plots();
	axes();
	any_data();
	return tap_done();
}
