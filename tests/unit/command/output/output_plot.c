/* SPDX-License-Identifier: MIT */
/*
 * A plot in HTML: axes reach as far as the data, their marks have round names, and
 * the data are drawn in their places and escaped. Fails if a point is outside of
 * the axes, if a coordinate is no number for some data, or if a name is missing.
 */
#include <float.h>
#include <math.h>

#include "command/output/page.h"
#include "tickwise.h"
#include "output.h"

static char *drawn(struct tw_page *page)
{
	char *is = NULL;
	size_t size;
	FILE *file = open_memstream(&is, &size);

	tw_output_html(page, file);
	tw_page_free(page);
	fclose(file);
	return is;
}

static void has(const char *html, const char *text, const char *what)
{
	if (!tap_ok(strstr(html, text) != NULL, "%s", what))
		tap_note("no %s", text);
}

static void lines(void)
{
	struct tw_page *page = tw_page_new("title");
	struct tw_plot *plot = tw_page_plot(page, "<lat>");
	struct tw_series *series;
	char *html;

	tw_plot_x(plot, TW_PLOT_TIME, "time");
	tw_plot_y(plot, TW_PLOT_NS, "lat");
	tw_plot_caption(plot, "a & b");
	tw_plot_border(plot, 5, "<L1>");
	series = tw_plot_line(plot, "<mean>", 3);
	tw_plot_point(series, 0, 100);
	tw_plot_point(series, 9.5, 1e6);
	tw_plot_dot(series, 5, 1e4, "p%g <", 50.0);
	series = tw_plot_line(plot, NULL, 4);
	tw_plot_point(series, 0, 0);
	tw_plot_point(series, 10, 1e6);
	html = drawn(page);
	has(html, "<div class=\"plots\">\n<figure><h4>&#60;lat&#62;</h4>", "its title");
	has(html, "aria-label=\"&#60;mean&#62; from 100 ns to 1.000 ms. lat from 0 ns to "
	    "1.000 ms. \"", "what is on it, for those who can't see it");
	has(html, ">100 ns</text>", "the smallest mark of time");
	has(html, ">1 ms</text>", "the largest one");
	has(html, "text-anchor=\"middle\">10 s</text>", "the end of the other axis");
	has(html, ">time</text>", "the label of x");
	has(html, ">lat</text>", "the label of y");
	/* 86 and 594 are the ends of x, 302 and 34 those of y. */
	has(html, "<path class=\"s4\" d=\"M86.0 302.0L594.0 34.0\"/>\n"
	    "<path class=\"s3\" d=\"M86.0 302.0L568.6 34.0\"/>",
	    "both lines, the first one over the other");
	has(html, "<circle class=\"f3\" cx=\"340.0\" cy=\"168.0\" r=\"3.5\"><title>"
	    "p50 &#60;</title></circle>", "a dot and what it tells");
	has(html, "<path class=\"s7\" d=\"M340.0 34L340.0 302\"/>", "a border");
	has(html, ">&#60;L1&#62;</text>", "and its name");
	has(html, "<p class=\"legend\"><span><svg class=\"key\" viewBox=\"0 0 28 10\" "
	    "aria-hidden=\"true\">"
	    "<path class=\"s3\" d=\"M0 5H28\"/></svg>&#60;mean&#62;</span>\n</p>",
	    "the legend has the line with a name");
	has(html, "<figcaption>a &#38; b</figcaption></figure>\n</div>", "the caption");
	free(html);
}

static void bars(void)
{
	struct tw_page *page = tw_page_new("title");
	struct tw_plot *plot = tw_page_plot(page, "stages");
	char *html;

	tw_plot_x(plot, TW_PLOT_NS, "latency");
	tw_plot_bar(plot, "<queue>", 1, &(struct tw_plot_bar) {
		.low = 10, .from = 100, .mean = 200, .to = 1000, .high = 10000 },
		"max %d <", 10000);
	tw_plot_bar(plot, "next", 2, &(struct tw_plot_bar) {
		.low = 10, .from = 10, .mean = 10, .to = 10, .high = 10 }, "none");
	html = drawn(page);
	has(html, "viewBox=\"0 0 640 164\"", "as high as its rows");
	has(html, "<rect class=\"f2\" x=\"130.0\" y=\"71.5\" width=\"1.0\" "
	    "height=\"3.0\"/>", "the next one is below, and is seen");
	has(html, "<g><title>max 10000 &#60;</title>", "what a bar tells");
	has(html, ">&#60;queue&#62;</text>", "its name");
	has(html, "<rect class=\"f1\" x=\"130.0\" y=\"29.5\" width=\"464.0\" "
	    "height=\"3.0\"/>", "the thin part, over the whole axis");
	has(html, "<rect class=\"f1\" x=\"284.7\" y=\"22.0\" width=\"154.7\" "
	    "height=\"18.0\"/>", "the thick part, a third of it");
	has(html, "<circle class=\"mean\" cx=\"331.2\" cy=\"31.0\" r=\"5\"/></g>",
	    "and the mean");
	tap_ok(strstr(html, "class=\"legend\"") == NULL, "no legend");
	free(html);
}

static void tags(void)
{
	struct tw_page *page = tw_page_new("title");
	struct tw_plot *plot = tw_page_plot(page, "plot");
	struct tw_series *series = tw_plot_line(plot, "line", 1);
	char *html;

	tw_plot_x(plot, TW_PLOT_TIME, "");
	tw_plot_y(plot, TW_PLOT_NS, "");
	tw_plot_point(series, 0, 100);
	tw_plot_point(series, 10, 1e6);
	tw_plot_tag(series, 5, 1e4, "<1>", "the first");
	tw_plot_tag(series, 5, 1e4, "other", "the same place");
	for (int i = 0; i < 12; i++)
		tw_plot_tag(series, 5, 1e4, "more", "no place is left");
	html = drawn(page);
	has(html, "<text class=\"tag\" x=\"336.0\" y=\"160.0\" text-anchor=\"end\">"
	    "&#60;1&#62;</text>", "a tag is above its dot, to the left");
	has(html, "<text class=\"tag\" x=\"336.0\" y=\"138.0\" text-anchor=\"end\">"
	    "other</text>", "another one of the same place is above that");
	has(html, "<title>no place is left</title>", "each has its dot");
	free(html);
}

static void bands(void)
{
	struct tw_page *page = tw_page_new("title");
	struct tw_plot *plot = tw_page_plot(page, "plot");
	struct tw_series *band;
	char *html;

	tw_plot_x(plot, TW_PLOT_TIME, "");
	tw_plot_y(plot, TW_PLOT_CHANGE, "");
	band = tw_plot_band(plot, "interval", 3);
	tw_plot_band_point(band, 0, -10, 10);
	tw_plot_band_point(band, 10, 0, 20);
	html = drawn(page);
	/* 86 and 594 are the ends of x, 302 and 34 those of y, from -10 to 20 %. */
	has(html, "<path class=\"f3 band\" d=\"M86.0 302.0L594.0 212.7L594.0 34.0"
	    "L86.0 123.3\"/>", "a band goes along its lower end and back along the upper");
	has(html, "<path class=\"band f3\" d=\"M0 0H28V10H0z\"/></svg>interval", "its legend");
	has(html, ">-10</text>", "the least change");
	has(html, ">0</text>", "no change");
	has(html, ">+20</text>", "the largest");
	free(html);
}

static void same_scale(void)
{
	struct tw_page *page = tw_page_new("title");
	struct tw_plot *plot = tw_page_plot(page, "plot");
	char *html;

	tw_plot_same_scale(plot);
	tw_plot_part(tw_plot_stack(plot, "A"), "device", 3, 100);
	tw_plot_part(tw_plot_stack(plot, "B"), "device", 3, 400);
	html = drawn(page);
	has(html, "x=\"0.0\" y=\"34.0\" width=\"160.0\"", "a bar is as wide as its whole");
	has(html, "x=\"0.0\" y=\"106.0\" width=\"640.0\"", "the largest as the plot");
	has(html, ">device 100 %</text>", "shares are of the bar's own whole");
	free(html);
}

static void stacks(void)
{
	struct tw_page *page = tw_page_new("title");
	struct tw_plot *plot = tw_page_plot(page, "stages");
	struct tw_series *stack = tw_plot_stack(plot, "mean: %d <", 400);
	char *html;

	tw_plot_part(stack, "<queue>", 0, 100);
	tw_plot_part(stack, "none", 1, 0);
	tw_plot_part(stack, "device", 3, 299);
	tw_plot_part(stack, "reap", 4, 1);
	stack = tw_plot_stack(plot, "p99");
	tw_plot_part(stack, "device", 3, 5);
	tw_plot_part(stack, "unknown", 5, NAN);
	html = drawn(page);
	has(html, "viewBox=\"0 0 640 144\"", "as high as its bars");
	has(html, ">mean: 400 &#60;</text>", "the name of a bar");
	has(html, "<title>&#60;queue&#62;: 25 %</title><rect class=\"f0 part\" x=\"0.0\" "
	    "y=\"34.0\" width=\"160.0\" height=\"30\"/>", "a part is as wide as its share");
	has(html, "<rect class=\"f3 part\" x=\"160.0\" y=\"34.0\" width=\"478.4\"",
	    "the next one follows");
	has(html, "<rect class=\"f4 part\" x=\"638.4\" y=\"34.0\" width=\"1.6\"",
	    "a small one is there");
	has(html, "<rect class=\"f3 part\" x=\"0.0\" y=\"106.0\" width=\"640.0\"",
	    "each bar is as wide as the plot");
	has(html, ">device 74.8 %</text>", "a wide part tells its share");
	tap_ok(!strstr(html, ">reap 0 %</text>"), "a narrow one has no room");
	tap_ok(!strstr(html, "none: ") && !strstr(html, "unknown: "),
	       "a part of nothing is not there");
	tap_ok(!strstr(strstr(strstr(html, "class=\"key\"") , "device</span>") + 1,
		       "device</span>"), "the legend has each part once");
	free(html);
}

static void heat(void)
{
	static const double x[] = { 0, 5, 10, 20 }, y[] = { 100, 1000, 10000 };
	static const uint64_t counts[] = { 1, 0, 1, 0, 0, 1000 };
	struct tw_page *page = tw_page_new("title");
	struct tw_plot *plot = tw_page_plot(page, "heat");
	char *html;

	tw_plot_x(plot, TW_PLOT_TIME, "time");
	tw_plot_y(plot, TW_PLOT_NS, "lat");
	tw_plot_heat(plot, &(struct tw_plot_heat) { 3, 2, x, y, counts });
	html = drawn(page);
	/* 86 and 594 are the ends of x, 302 and 34 those of y. */
	has(html, "<path class=\"h0\" d=\"M86.0 302.0H340.0V168.0H86.0z\"/>",
	    "cells of one colour that stand in a row are one piece");
	has(html, "<path class=\"h7\" d=\"M340.0 168.0H594.0V34.0H340.0z\"/>",
	    "the largest count has the last colour");
	has(html, "from 1</span>", "the legend begins with the smallest count");
	has(html, "d=\"M0 0H28V10H0z\"/></svg>1000</span>", "and ends with the largest");
	free(html);
}

/* Check the marks of an axis from @low to @high; @not is none of them. */
static void marks(enum tw_plot_unit unit, double low, double high, const char *first,
		  const char *last, const char *not)
{
	struct tw_page *page = tw_page_new("title");
	struct tw_plot *plot = tw_page_plot(page, "plot");
	struct tw_series *series = tw_plot_line(plot, NULL, 0);
	char text[64], *html;

	tw_plot_x(plot, unit, "");
	tw_plot_point(series, low, 1);
	tw_plot_point(series, high, 1);
	html = drawn(page);
	snprintf(text, sizeof(text), "x=\"86.0\" y=\"334.0\" text-anchor=\"middle\">%s<",
		 first);
	has(html, text, first);
	snprintf(text, sizeof(text), "x=\"594.0\" y=\"334.0\" text-anchor=\"middle\">%s<",
		 last);
	has(html, text, last);
	snprintf(text, sizeof(text), "text-anchor=\"middle\">%s<", not);
	tap_ok(strstr(html, text) == NULL, "but not %s", not);
	free(html);
}

static void axes(void)
{
	marks(TW_PLOT_NS, 1.55, 103, "1 ns", "200 ns", "1 us");
	marks(TW_PLOT_NS, 0.5, 0.9, "0.5 ns", "1 ns", "2 ns");
	marks(TW_PLOT_NS, 1, 1e12, "1 ns", "1000 s", "10 ns");
	marks(TW_PLOT_NS, 20, 2e4, "10 ns", "100 us", "20 ns");
	marks(TW_PLOT_NUMBER, 0, 49000, "0", "50 k", "10000");
	marks(TW_PLOT_NUMBER, 1, 4.9e6, "0", "5 M", "5000 k");
	marks(TW_PLOT_NUMBER, 0, 5000, "0", "6000", "5 k");
	marks(TW_PLOT_TIME, 0, 6, "0 s", "6 s", "7 s");
	marks(TW_PLOT_TIME, 0, 0.2, "0 s", "0.2 s", "1 s");
	marks(TW_PLOT_TIME, 0, 21600, "0 h", "6 h", "6000 s");
	marks(TW_PLOT_TIME, 0, 600, "0 min", "10 min", "600 s");
	marks(TW_PLOT_NUMBER, 0, 1.7, "0", "1.8", "2");
	marks(TW_PLOT_BYTES, 4096, 1 << 26, "4K", "64M", "8K");
	marks(TW_PLOT_BYTES, 512, 4096, "512B", "4K", "8K");
	marks(TW_PLOT_BYTES, 0.01, 4, "1B", "4B", "8B");
	marks(TW_PLOT_CHANGE, -3, 5, "-3", "+5", "+6");
	marks(TW_PLOT_CHANGE, -31, 62, "-40", "+80", "+70");
	marks(TW_PLOT_CHANGE, 0, 28000, "-5000", "+30 k", "+30000");
	marks(TW_PLOT_CHANGE, 0.1, 0.2, "-1", "+1", "+0.1");
	marks(TW_PLOT_TAIL, 1, 1000, "0", "99.9", "99.99");
	marks(TW_PLOT_TAIL, 1, 1, "0", "90", "99");
	marks(TW_PLOT_TAIL, 1, 1e6, "0", "99.9999", "99.99999");
	marks(TW_PLOT_TAIL, 1, 1e7, "0", "99.99999", "99.9999");
	marks(TW_PLOT_TAIL, 1, 1e10, "0", "99.99999999", "99.99");
}

static void any_data(void)
{
	static const double values[] = {
		0, -1, 1, DBL_MAX, DBL_MIN, -DBL_MAX, INFINITY, -INFINITY, NAN, 1e300,
	};
	const size_t count = sizeof(values) / sizeof(*values);
	int wrong = 0;

	for (int unit = TW_PLOT_NUMBER; unit <= TW_PLOT_CHANGE; unit++) {
		struct tw_page *page = tw_page_new("title");

		for (size_t i = 0; i <= count; i++) {
			struct tw_plot *plot = tw_page_plot(page, "plot");
			struct tw_series *series = tw_plot_line(plot, "line", 1);

			tw_plot_x(plot, (enum tw_plot_unit)unit, "");
			tw_plot_y(plot, (enum tw_plot_unit)unit, "");
			for (size_t j = 0; j < i; j++) {
				tw_plot_point(series, values[i - 1], values[j]);
				tw_plot_dot(series, values[j], values[i - 1], "dot");
			}
		}
		char *html = drawn(page);

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
	lines();
	bars();
	tags();
	bands();
	stacks();
	same_scale();
	heat();
	axes();
	any_data();
	return tap_done();
}
