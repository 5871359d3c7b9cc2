/* SPDX-License-Identifier: MIT */
/*
 * The plots in a report's HTML. All coordinates are in units of a view that is
 * WIDTH wide; the page scales it, and sets larger letters where it is narrow:
 * margins have room for those.
 */
#include <math.h>
#include <stdio.h>

#include "command/output/format.h"
#include "command/report/plot.h"
#include "command/output/svg.h"
#include "latency/histogram.h"

#define WIDTH		640
#define HEIGHT		360
#define RIGHT		46
#define TOP		34
#define BOTTOM		58
#define LEFT		86
#define LEFT_OF_NAMES	130
#define ROW		42

/* The page draws that line wider than the others. */
#define COLOR_OF_LAT	5

#define COLORS		11

_Static_assert(TW_REPORT_ROWS <= COLORS, "each row has a colour of its own");

int tw_plot_color(int time)
{
	int other = time < TW_REPORT_LAT ? time : time - 1;

	if (time == TW_REPORT_LAT)
		return COLOR_OF_LAT;
	return other < COLOR_OF_LAT ? other : other + 1;
}

/* Whole decades of nanoseconds around both. */
static struct tw_svg_axis decades(uint64_t min_ns, uint64_t max_ns, double from,
			   double to)
{
	struct tw_svg_axis axis = { .from = from, .to = to, .is_log = 1 };

	axis.low = floor(log10(min_ns ? (double)min_ns : 1));
	axis.high = ceil(log10(max_ns ? (double)max_ns : 1));
	if (axis.high <= axis.low)
		axis.high = axis.low + 1;
	return axis;
}

static void begin(FILE *file, int height, const char *what,
		  const char *direction)
{
	fprintf(file, "<svg viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"%s, %s\">\n", WIDTH, height, what, direction);
}

/* "10 us": a power of ten has no digits to show. */
static void decade_name(char *name, double decade)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	int power = (int)decade;
	int unit = power / 3 > 3 ? 3 : power / 3;

	snprintf(name, TW_FORMAT_SIZE, "%.0f %s", pow(10, power - 3 * unit),
		 units[unit]);
}

static void latency_lines(FILE *file, const struct tw_svg_axis *y, double left)
{
	for (double decade = y->low; decade <= y->high; decade++) {
		double at = tw_svg_place(y, pow(10, decade));
		char name[TW_FORMAT_SIZE];

		decade_name(name, decade);
		tw_svg_grid(file, left, at, WIDTH - RIGHT, at);
		tw_svg_text(file, left - 8, at + 5, "end", name);
	}
}

/* Of many decades beside each other every other one has a name. */
static int is_named(int decade, const struct tw_svg_axis *x)
{
	return x->high - x->low <= 5 || decade % 2 == 0;
}

/* ---- latency by percentile ------------------------------------------------ */

static const double marked[] = { 50, 90, 99, 99.9, 99.99, 99.999 };

/* A part of the I/Os that is at or below something, as 1 / (1 - part): at
 * most all but one of them. */
static double tail(uint64_t below, uint64_t count)
{
	return (double)count / (double)(below < count ? count - below : 1);
}

static void percentile_line(FILE *file, const struct tw_histogram *histogram,
			    int time, const struct tw_svg_axis *x,
			    const struct tw_svg_axis *y)
{
	uint32_t bin = tw__histogram_bin(histogram, histogram->min_ns);
	uint32_t last = tw__histogram_bin(histogram, histogram->max_ns);
	struct tw_svg_line line = tw_svg_begin_line(file, tw_plot_color(time));
	uint64_t below = 0;

	for (; bin <= last; bin++) {
		double ns = (double)tw_histogram_bin_high(histogram, bin);

		if (histogram->bins[bin] == 0)
			continue;
		if (bin == last)
			ns = (double)histogram->max_ns;
		tw_svg_line_to(&line, tw_svg_place(x, tail(below, histogram->count)),
			tw_svg_place(y, ns));
		below += histogram->bins[bin];
		tw_svg_line_to(&line, tw_svg_place(x, tail(below, histogram->count)),
			tw_svg_place(y, ns));
	}
	tw_svg_end_line(&line);
}

static void percentile_marks(FILE *file, const struct tw_histogram *histogram,
			     int time, const struct tw_svg_axis *x,
			     const struct tw_svg_axis *y)
{
	for (size_t i = 0; i < sizeof(marked) / sizeof(*marked); i++) {
		double ns = (double)tw_histogram_percentile(histogram,
							    marked[i]);
		double left = 1 - marked[i] / 100;
		char number[TW_FORMAT_SIZE];

		if ((double)histogram->count * left < 1)
			break;
		fprintf(file, "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" "
			"r=\"3.5\"><title>%s: p%g = %s, of %llu I/Os</title>"
			"</circle>\n", tw_plot_color(time), tw_svg_place(x, 1 / left), tw_svg_place(y, ns),
			tw_report_times[time].name, marked[i],
			tw_format_ns(number, ns),
			(unsigned long long)histogram->count);
	}
}

static void percentile_ticks(FILE *file, const struct tw_svg_axis *x, double bottom)
{
	for (int nines = 0; nines <= (int)x->high; nines++) {
		double at = tw_svg_place(x, pow(10, nines));
		char name[TW_FORMAT_SIZE];

		snprintf(name, sizeof(name), "%.*f",
			 nines > 2 ? nines - 2 : 0, 100 - pow(10, 2 - nines));
		tw_svg_grid(file, at, TOP, at, bottom);
		if (is_named(nines, x))
			tw_svg_text(file, at, bottom + 21, "middle", name);
	}
}

/* What all rows of a direction have between them. */
struct range {
	uint64_t min_ns, max_ns, count;
	int rows;
};

static struct range range_of(const struct tw_report_tally *tally, int direction)
{
	struct range range = { .min_ns = UINT64_MAX };

	for (int i = 0; i < TW_REPORT_ROWS; i++) {
		const struct tw_histogram *one = &tally->times[i][direction];

		if (one->count == 0)
			continue;
		range.rows++;
		if (one->min_ns < range.min_ns)
			range.min_ns = one->min_ns;
		if (one->max_ns > range.max_ns)
			range.max_ns = one->max_ns;
		if (one->count > range.count)
			range.count = one->count;
	}
	return range;
}

void tw_plot_percentiles(FILE *file, const struct tw_report_tally *tally,
			 int direction)
{
	const double bottom = HEIGHT - BOTTOM;
	struct range range = range_of(tally, direction);
	struct tw_svg_axis y = decades(range.min_ns, range.max_ns, bottom, TOP);
	struct tw_svg_axis x = { .from = LEFT, .to = WIDTH - RIGHT, .is_log = 1 };

	x.high = log10((double)range.count);
	if (x.high < 1)
		x.high = 1;
	begin(file, HEIGHT, "latency by percentile",
	      tw_report_directions[direction]);
	latency_lines(file, &y, LEFT);
	percentile_ticks(file, &x, bottom);
	tw_svg_text(file, LEFT, TOP - 14, "start", "latency");
	tw_svg_text(file, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle",
	     "percentile of I/Os, %");
	/* The stages over lat, which is the wider line: where nothing but one
	 * stage takes time, both are seen. */
	for (int i = TW_REPORT_ROWS - 1; i >= 0; i--)
		if (tally->times[i][direction].count)
			percentile_line(file, &tally->times[i][direction], i,
					&x, &y);
	for (int i = 0; i < TW_REPORT_ROWS; i++)
		if (tally->times[i][direction].count)
			percentile_marks(file, &tally->times[i][direction], i,
					 &x, &y);
	tw_svg_end(file);
}

/* ---- stages compared ------------------------------------------------------ */

static void bar(FILE *file, const char *class, double from, double to,
		double middle, double height)
{
	fprintf(file, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
		"width=\"%.1f\" height=\"%.1f\"/>\n", class, from,
		middle - height / 2, to - from < 1 ? 1 : to - from, height);
}

static void time_row(FILE *file, const struct tw_histogram *histogram,
		     int time, const struct tw_svg_axis *x, double middle)
{
	double median = (double)tw_histogram_percentile(histogram, 50);
	double p99 = (double)tw_histogram_percentile(histogram, 99);
	double mean = tw_histogram_mean_ns(histogram);
	char class[8], numbers[5][TW_FORMAT_SIZE];

	snprintf(class, sizeof(class), "f%d", tw_plot_color(time));
	fprintf(file, "<g><title>%s: min %s, p50 %s, mean %s, p99 %s, max %s, "
		"of %llu I/Os</title>\n", tw_report_times[time].name,
		tw_format_ns(numbers[0], (double)histogram->min_ns),
		tw_format_ns(numbers[1], median),
		tw_format_ns(numbers[2], mean), tw_format_ns(numbers[3], p99),
		tw_format_ns(numbers[4], (double)histogram->max_ns),
		(unsigned long long)histogram->count);
	tw_svg_text(file, LEFT_OF_NAMES - 8, middle + 5, "end",
	     tw_report_times[time].name);
	bar(file, class, tw_svg_place(x, (double)histogram->min_ns),
	    tw_svg_place(x, (double)histogram->max_ns), middle, 3);
	bar(file, class, tw_svg_place(x, median), tw_svg_place(x, p99), middle, 18);
	fprintf(file, "<circle class=\"mean\" cx=\"%.1f\" cy=\"%.1f\" "
		"r=\"5\"/></g>\n", tw_svg_place(x, mean), middle);
}

static void latency_ticks(FILE *file, const struct tw_svg_axis *x, double bottom)
{
	for (double decade = x->low; decade <= x->high; decade++) {
		double at = tw_svg_place(x, pow(10, decade));
		char name[TW_FORMAT_SIZE];

		decade_name(name, decade);
		tw_svg_grid(file, at, 10, at, bottom);
		if (is_named((int)(decade - x->low), x))
			tw_svg_text(file, at, bottom + 21, "middle", name);
	}
}

void tw_plot_stages(FILE *file, const struct tw_report_tally *tally,
		    int direction)
{
	struct range range = range_of(tally, direction);
	int height = range.rows * ROW + 10 + BOTTOM;
	double bottom = height - BOTTOM;
	struct tw_svg_axis x = decades(range.min_ns, range.max_ns, LEFT_OF_NAMES,
				WIDTH - RIGHT);
	double middle = 10 + ROW / 2.0;

	begin(file, height, "stages compared", tw_report_directions[direction]);
	latency_ticks(file, &x, bottom);
	tw_svg_text(file, (LEFT_OF_NAMES + WIDTH - RIGHT) / 2.0, height - 10,
	     "middle", "latency");
	for (int i = 0; i < TW_REPORT_ROWS; i++) {
		if (tally->times[i][direction].count == 0)
			continue;
		time_row(file, &tally->times[i][direction], i, &x, middle);
		middle += ROW;
	}
	tw_svg_end(file);
}

/* ---- over time ------------------------------------------------------------ */

static double end_ns(const struct tw_report_over_time *over_time)
{
	const struct tw_report_interval *last =
		&over_time->intervals[over_time->count - 1];

	return (double)last->from_ns + (double)last->over_ns;
}

/* 1, 2 or 5 times a power of ten: a handful of them make @range. */
static double step_of(double range)
{
	double step = pow(10, floor(log10(range / 4)));

	if (range / step > 10)
		step *= range / step > 20 ? 5 : 2;
	return step;
}

static void time_ticks(FILE *file, const struct tw_svg_axis *x, double bottom)
{
	double step = step_of(x->high);

	for (double s = 0; s <= x->high * 1.0001; s += step) {
		double at = tw_svg_place(x, s);
		char name[TW_FORMAT_SIZE];

		snprintf(name, sizeof(name), "%.10g", s);
		tw_svg_grid(file, at, TOP, at, bottom);
		tw_svg_text(file, at, bottom + 21, "middle", name);
	}
	tw_svg_text(file, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle",
	     "time since the start of the job, s");
}

static struct tw_svg_axis time_axis(const struct tw_report_over_time *over_time)
{
	return (struct tw_svg_axis) { .high = end_ns(over_time) / 1e9, .from = LEFT,
			       .to = WIDTH - RIGHT };
}

enum over_time_line { OVER_TIME_MEAN, OVER_TIME_P99, OVER_TIME_MAX };

static double value_of(const struct tw_report_interval *interval,
		       int direction, enum over_time_line which)
{
	const __typeof__(interval->of[0]) *of = &interval->of[direction];

	if (of->count == 0)
		return 0;
	if (which == OVER_TIME_MEAN)
		return (double)of->sum_ns / (double)of->count;
	return (double)(which == OVER_TIME_P99 ? of->p99_ns : of->max_ns);
}

/* The middle of an interval, in seconds. */
static double middle_of(const struct tw_report_interval *interval)
{
	return ((double)interval->from_ns + (double)interval->over_ns / 2) /
	       1e9;
}

static void latency_line(FILE *file,
			 const struct tw_report_over_time *over_time,
			 int direction, enum over_time_line which,
			 const struct tw_svg_axis *x, const struct tw_svg_axis *y)
{
	struct tw_svg_line line = tw_svg_begin_line(file, TW_PLOT_OVER_TIME +
						     (int)which);

	for (size_t i = 0; i < over_time->count; i++) {
		const struct tw_report_interval *at = &over_time->intervals[i];
		double ns = value_of(at, direction, which);

		if (ns > 0)
			tw_svg_line_to(&line, tw_svg_place(x, middle_of(at)), tw_svg_place(y, ns));
	}
	tw_svg_end_line(&line);
}

void tw_plot_latency_over_time(FILE *file,
			       const struct tw_report_over_time *over_time,
			       int direction)
{
	const double bottom = HEIGHT - BOTTOM;
	struct tw_svg_axis x = time_axis(over_time), y;
	uint64_t min_ns = UINT64_MAX, max_ns = 0;

	for (size_t i = 0; i < over_time->count; i++) {
		const struct tw_report_interval *at = &over_time->intervals[i];

		if (at->of[direction].count == 0)
			continue;
		/* Of means, as minima are not drawn. */
		if (value_of(at, direction, OVER_TIME_MEAN) < (double)min_ns)
			min_ns = (uint64_t)value_of(at, direction,
						    OVER_TIME_MEAN);
		if (at->of[direction].max_ns > max_ns)
			max_ns = at->of[direction].max_ns;
	}
	y = decades(min_ns, max_ns, bottom, TOP);
	begin(file, HEIGHT, "latency over time",
	      tw_report_directions[direction]);
	latency_lines(file, &y, LEFT);
	time_ticks(file, &x, bottom);
	tw_svg_text(file, LEFT, TOP - 14, "start", "lat");
	for (int i = OVER_TIME_MEAN; i <= OVER_TIME_MAX; i++)
		latency_line(file, over_time, direction,
			     (enum over_time_line)i, &x, &y);
	tw_svg_end(file);
}

static double rate_of(const struct tw_report_interval *interval, int direction)
{
	return (double)interval->of[direction].count * 1e9 /
	       (double)interval->over_ns;
}

static void rate_lines(FILE *file, const struct tw_svg_axis *y)
{
	double step = step_of(y->high);

	for (double rate = 0; rate <= y->high * 1.0001; rate += step) {
		char name[TW_FORMAT_SIZE];

		if (rate >= 1e6)
			snprintf(name, sizeof(name), "%.10g M", rate / 1e6);
		else if (rate >= 1e3)
			snprintf(name, sizeof(name), "%.10g k", rate / 1e3);
		else
			snprintf(name, sizeof(name), "%.10g", rate);
		tw_svg_grid(file, LEFT, tw_svg_place(y, rate), WIDTH - RIGHT, tw_svg_place(y, rate));
		tw_svg_text(file, LEFT - 8, tw_svg_place(y, rate) + 5, "end", name);
	}
}

/* The end of a run may cut the last interval so short that a handful of I/Os
 * make any rate: it is in the tables' sums, not in this plot. */
static size_t rates_of(const struct tw_report_over_time *over_time)
{
	const struct tw_report_interval *last =
		&over_time->intervals[over_time->count - 1];

	if (over_time->count > 1 && last->over_ns < last[-1].over_ns / 2)
		return over_time->count - 1;
	return over_time->count;
}

void tw_plot_rate_over_time(FILE *file,
			    const struct tw_report_over_time *over_time,
			    int direction)
{
	const double bottom = HEIGHT - BOTTOM;
	struct tw_svg_axis x = time_axis(over_time);
	struct tw_svg_axis y = { .from = bottom, .to = TOP };
	size_t count = rates_of(over_time);
	struct tw_svg_line line;

	for (size_t i = 0; i < count; i++)
		y.high = fmax(y.high, rate_of(&over_time->intervals[i],
					      direction));
	if (y.high <= 0)
		y.high = 1;
	begin(file, HEIGHT, "I/Os over time", tw_report_directions[direction]);
	rate_lines(file, &y);
	time_ticks(file, &x, bottom);
	tw_svg_text(file, LEFT, TOP - 14, "start", "I/Os completed per second");
	line = tw_svg_begin_line(file, TW_PLOT_OVER_TIME);
	for (size_t i = 0; i < count; i++) {
		const struct tw_report_interval *at = &over_time->intervals[i];

		tw_svg_line_to(&line, tw_svg_place(&x, middle_of(at)),
			tw_svg_place(&y, rate_of(at, direction)));
	}
	tw_svg_end_line(&line);
	tw_svg_end(file);
}
