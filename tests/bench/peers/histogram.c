/* SPDX-License-Identifier: MIT */
/*
 * Compares HdrHistogram_c with our histogram, for peers.sh: the same values, three
 * significant digits for both. Prints a row for each figure: what, theirs, ours, and
 * the ratio of ours to theirs. Costs are medians of short rounds that take turns: see
 * whose_turn().
 *
 * The values are latencies, log-normal around 80 us, with a tail that is twenty
 * times as long in one of a hundred.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hdr/hdr_histogram.h>

#include "figures.h"
#include "tickwise.h"

enum {
	VALUES = 1 << 18,
	ROUND = 1 << 12,	/* values of a round: some 20 us */
	ROUNDS = 2001,		/* odd: the median is one of them */
	CALLS = 201,		/* of functions that take microseconds */
	MANY = 32,
	DIGITS = 3,
};

#define LONGEST_NS INT64_C(3600000000000)	/* that HdrHistogram has to hold */

static int64_t value_ns[VALUES];
static struct hdr_histogram *theirs[MANY];
static struct tw_histogram ours[MANY];
static struct tw_histogram ours_called[MANY];	/* cold when ours are warm */

static int ascending_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Return a number above 0 and up to 1: a linear congruential generator. */
static double random_share(void)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)((state >> 11) + 1) / 0x1p53;
}

/* Box and Muller's way from two uniform numbers to a normal one. */
static double random_normal(void)
{
	double radius = sqrt(-2 * log(random_share()));
	double turns = random_share();

	return radius * cos(2 * M_PI * turns);
}

static void make_values(void)
{
	int i;

	for (i = 0; i < VALUES; i++) {
		double ns = 80e3 * exp(0.3 * random_normal());

		value_ns[i] = (int64_t)(random_share() < 0.01 ? 20 * ns : ns);
	}
}

static void set_up(void)
{
	int i;

	for (i = 0; i < MANY; i++)
		if (hdr_init(1, LONGEST_NS, DIGITS, &theirs[i]) ||
		    tw_histogram_init(&ours[i], DIGITS) ||
		    tw_histogram_init(&ours_called[i], DIGITS))
			exit(1);
}

/* Record a round's values, value by value into one of @many histograms. */
static void record_theirs(const int64_t *value, unsigned many)
{
	unsigned i;

	for (i = 0; i < ROUND; i++)
		hdr_record_value(theirs[i & (many - 1)], value[i]);
}

static void record_ours(const int64_t *value, unsigned many)
{
	unsigned i;

	for (i = 0; i < ROUND; i++)
		tw_histogram_add(&ours[i & (many - 1)], (uint64_t)value[i]);
}

/* Ours is inline and theirs is a function: this makes ours one, too. */
static __attribute__((noinline)) void add_by_call(struct tw_histogram *histogram,
						  uint64_t value)
{
	tw_histogram_add(histogram, value);
}

static void record_ours_by_call(const int64_t *value, unsigned many)
{
	unsigned i;

	for (i = 0; i < ROUND; i++)
		add_by_call(&ours_called[i & (many - 1)], (uint64_t)value[i]);
}

/*
 * Return who has a turn. Each is as often in each place of a round as the others. Every
 * second round is the one before it in reverse, so that each follows each other one.
 */
static int whose_turn(int round, int place, int count)
{
	if (round & 1)
		place = count - 1 - place;
	return (round / 2 + place) % count;
}

static void print_ratio(const char *what, const char *unit, double their, double our)
{
	printf("%-36s %12.2f %12.2f %-4s", what, their, our, unit);
	if (their > 0)
		printf(" %6.2f", our / their);
	putchar('\n');
}

static void compare_recording(unsigned many)
{
	static void (*const record[3])(const int64_t *, unsigned) = {
		record_theirs, record_ours, record_ours_by_call,
	};
	static double ns[3][ROUNDS];
	double their_ns;
	char what[64];
	int i, j;

	for (i = 0; i < ROUNDS; i++)
		for (j = 0; j < 3; j++) {
			int who = whose_turn(i, j, 3);
			int64_t begin_ns = raw_ns();

			record[who](value_ns + i * ROUND % VALUES, many);
			ns[who][i] = (double)(raw_ns() - begin_ns) / ROUND;
		}
	their_ns = median(ns[0], ROUNDS);
	snprintf(what, sizeof(what), "recording a value, %u histogram%s", many,
		 many > 1 ? "s" : "");
	print_ratio(what, "ns", their_ns, median(ns[1], ROUNDS));
	print_ratio("  ours by a call, as theirs", "ns", their_ns,
		    median(ns[2], ROUNDS));
}

/* Return KiB of memory in use among @bytes from @start. */
static double resident_kib(const void *start, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)start & ~(page - 1);
	size_t pages = ((uintptr_t)start + bytes - first + page - 1) / page;
	unsigned char *in_core = malloc(pages);
	size_t i, count = 0;

	if (!in_core || mincore((void *)first, pages * page, in_core))
		exit(1);
	for (i = 0; i < pages; i++)
		count += in_core[i] & 1;
	free(in_core);
	return (double)(count * page) / 1024;
}

static double counts_kib(const struct hdr_histogram *histogram)
{
	return (double)histogram->counts_len * sizeof(int64_t) / 1024;
}

/* Ours holds all values of 64 bits. Theirs is told the largest. */
static void compare_memory(void)
{
	size_t our = ours[0].bin_count * sizeof(uint64_t);
	struct hdr_histogram *full;

	if (hdr_init(1, INT64_MAX, DIGITS, &full))
		exit(1);
	print_ratio("address space, theirs up to an hour", "KiB",
		    counts_kib(theirs[0]), (double)our / 1024);
	print_ratio("address space, full range", "KiB", counts_kib(full),
		    (double)our / 1024);
	hdr_close(full);
	print_ratio("memory in use after these values", "KiB",
		    resident_kib(theirs[0]->counts,
				 theirs[0]->counts_len * sizeof(int64_t)),
		    resident_kib(ours[0].bins, our));
}

static void merge_theirs(void)
{
	hdr_add(theirs[1], theirs[0]);
}

static void merge_ours(void)
{
	if (tw_histogram_merge(&ours[1], &ours[0]))
		exit(1);
}

static volatile int64_t sink;

static void look_up_theirs(void)
{
	sink = hdr_value_at_percentile(theirs[0], 99);
}

static void look_up_ours(void)
{
	sink = (int64_t)tw_histogram_percentile(&ours[0], 99);
}

static void compare_calls(const char *what, void (*their)(void), void (*our)(void))
{
	void (*const call[2])(void) = { their, our };
	static double us[2][CALLS];
	int i, j;

	for (i = 0; i < CALLS; i++)
		for (j = 0; j < 2; j++) {
			int who = whose_turn(i, j, 2);
			int64_t begin_ns = raw_ns();

			call[who]();
			us[who][i] = (double)(raw_ns() - begin_ns) / 1e3;
		}
	print_ratio(what, "us", median(us[0], CALLS), median(us[1], CALLS));
}

/* Count each value once more, in empty histograms. */
static void count_values(void)
{
	int i;

	hdr_reset(theirs[0]);
	tw_histogram_free(&ours[0]);
	if (tw_histogram_init(&ours[0], DIGITS))
		exit(1);
	for (i = 0; i < VALUES; i++) {
		hdr_record_value(theirs[0], value_ns[i]);
		tw_histogram_add(&ours[0], (uint64_t)value_ns[i]);
	}
}

static double exact_mean_ns(void)
{
	double sum_ns = 0;
	int i;

	for (i = 0; i < VALUES; i++)
		sum_ns += (double)value_ns[i];
	return sum_ns / VALUES;
}

static double exact_deviation_ns(void)
{
	double mean_ns = exact_mean_ns(), squares = 0;
	int i;

	for (i = 0; i < VALUES; i++)
		squares += ((double)value_ns[i] - mean_ns) *
			   ((double)value_ns[i] - mean_ns);
	return sqrt(squares / VALUES);
}

static double error_ppm(double value, double exact)
{
	return fabs(value / exact - 1) * 1e6;
}

static void print_errors(const char *what, double their, double our, double exact)
{
	print_ratio(what, "ppm", error_ppm(their, exact), error_ppm(our, exact));
}

/* The values are sorted. */
static void compare_percentiles(void)
{
	static const double percent[] = { 1, 10, 50, 90, 99, 99.9, 99.99 };
	double their_ppm = 0, our_ppm = 0;
	size_t i;

	for (i = 0; i < sizeof(percent) / sizeof(*percent); i++) {
		size_t rank = (size_t)ceil(percent[i] / 100 * VALUES) - 1;
		double exact = (double)value_ns[rank];
		double their = (double)hdr_value_at_percentile(theirs[0], percent[i]);
		double our = (double)tw_histogram_percentile(&ours[0], percent[i]);

		their_ppm = fmax(their_ppm, error_ppm(their, exact));
		our_ppm = fmax(our_ppm, error_ppm(our, exact));
	}
	print_ratio("largest error of a percentile", "ppm", their_ppm, our_ppm);
}

static void compare_errors(void)
{
	/* Our deviation is the sample's, over n - 1; theirs is over n. */
	double over_n = sqrt((VALUES - 1.0) / VALUES);

	count_values();
	qsort(value_ns, VALUES, sizeof(*value_ns), ascending_ns);
	compare_percentiles();
	print_errors("error of the mean", hdr_mean(theirs[0]),
		     tw_histogram_mean_ns(&ours[0]), exact_mean_ns());
	print_errors("error of the standard deviation", hdr_stddev(theirs[0]),
		     tw_histogram_stddev_ns(&ours[0]) * over_n,
		     exact_deviation_ns());
	print_errors("error of the largest value", (double)hdr_max(theirs[0]),
		     (double)ours[0].max_ns, (double)value_ns[VALUES - 1]);
}

int main(void)
{
	make_values();
	set_up();
	printf("%-36s %12s %12s %11s\n", "", "HdrHistogram", "ours", "ratio");
	compare_recording(1);
	compare_memory();
	compare_recording(MANY);
	compare_calls("merging two", merge_theirs, merge_ours);
	compare_calls("finding p99", look_up_theirs, look_up_ours);
	compare_errors();
	return 0;
}
