/* SPDX-License-Identifier: MIT */
/*
 * Compares HdrHistogram_c with our histogram, for peers.sh: the same values, three
 * significant digits for both. Prints a row for each figure: what, theirs, ours, and
 * the ratio of ours to theirs. Costs are medians of short rounds that take turns.
 *
 * The values are latencies, log-normal around 80 us, with a tail that is twenty
 * times as long in one of a hundred.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <hdr/hdr_histogram.h>

#include "tickwise.h"

enum {
	VALUES = 1 << 18,
	ROUND = 1 << 12,	/* values of a round: some 20 us */
	ROUNDS = 2001,		/* odd: the median is one of them */
	MERGES = 201,
	MANY = 32,
	DIGITS = 3,
};

#define LONGEST_NS INT64_C(3600000000000)	/* that HdrHistogram has to hold */

static int64_t value_ns[VALUES];
static struct hdr_histogram *theirs[MANY];
static struct tw_histogram ours[MANY];

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int ascending_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double median(double *value, int count)
{
	qsort(value, (size_t)count, sizeof(*value), ascending);
	return value[count / 2];
}

/* Return a number above 0 and up to 1: a linear congruential generator. */
static double random_share(void)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)((state >> 11) + 1) / 0x1p53;
}

/* Box and Muller's way from two uniform numbers to a normal one. */
static void make_values(void)
{
	int i;

	for (i = 0; i < VALUES; i++) {
		double normal = sqrt(-2 * log(random_share())) *
				cos(2 * M_PI * random_share());
		double ns = 80e3 * exp(0.3 * normal);

		value_ns[i] = (int64_t)(random_share() < 0.01 ? 20 * ns : ns);
	}
}

static void set_up(void)
{
	int i;

	for (i = 0; i < MANY; i++)
		if (hdr_init(1, LONGEST_NS, DIGITS, &theirs[i]) ||
		    tw_histogram_init(&ours[i], DIGITS))
			exit(1);
}

/* Record a round's values, value by value into one of MANY histograms. */
static double theirs_round(const int64_t *value, unsigned many)
{
	double begin_ns = now_ns();
	unsigned i;

	for (i = 0; i < ROUND; i++)
		hdr_record_value(theirs[i & (many - 1)], value[i]);
	return (now_ns() - begin_ns) / ROUND;
}

static double ours_round(const int64_t *value, unsigned many)
{
	double begin_ns = now_ns();
	unsigned i;

	for (i = 0; i < ROUND; i++)
		tw_histogram_add(&ours[i & (many - 1)], (uint64_t)value[i]);
	return (now_ns() - begin_ns) / ROUND;
}

static void print_ratio(const char *what, const char *unit, double their, double our)
{
	printf("%-36s %12.2f %12.2f %-4s", what, their, our, unit);
	if (their > 0)
		printf(" %6.2f", our / their);
	putchar('\n');
}

static void compare_recording(const char *what, unsigned many)
{
	static double their[ROUNDS], our[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		const int64_t *value = value_ns + i * ROUND % VALUES;

		their[i] = theirs_round(value, many);
		our[i] = ours_round(value, many);
	}
	print_ratio(what, "ns", median(their, ROUNDS), median(our, ROUNDS));
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

static void compare_memory(void)
{
	size_t their = (size_t)theirs[0]->counts_len * sizeof(int64_t);
	size_t our = ours[0].bin_count * sizeof(uint64_t);

	print_ratio("address space", "KiB", (double)their / 1024,
		    (double)our / 1024);
	print_ratio("memory in use after these values", "KiB",
		    resident_kib(theirs[0]->counts, their),
		    resident_kib(ours[0].bins, our));
}

static void compare_merging(void)
{
	double their[MERGES], our[MERGES];
	int i;

	for (i = 0; i < MERGES; i++) {
		double begin_ns = now_ns(), middle_ns;

		hdr_add(theirs[1], theirs[0]);
		middle_ns = now_ns();
		if (tw_histogram_merge(&ours[1], &ours[0]))
			exit(1);
		their[i] = (middle_ns - begin_ns) / 1e3;
		our[i] = (now_ns() - middle_ns) / 1e3;
	}
	print_ratio("merging two", "us", median(their, MERGES),
		    median(our, MERGES));
}

static void compare_looking_up(void)
{
	static volatile int64_t sink;
	double their[MERGES], our[MERGES];
	int i;

	for (i = 0; i < MERGES; i++) {
		double begin_ns = now_ns(), middle_ns;

		sink = hdr_value_at_percentile(theirs[0], 99);
		middle_ns = now_ns();
		sink = (int64_t)tw_histogram_percentile(&ours[0], 99);
		their[i] = (middle_ns - begin_ns) / 1e3;
		our[i] = (now_ns() - middle_ns) / 1e3;
	}
	(void)sink;
	print_ratio("finding p99", "us", median(their, MERGES),
		    median(our, MERGES));
}

/* Count each value once more, in empty histograms, and compare with the values. */
static void compare_errors(void)
{
	static const double percent[] = { 1, 10, 50, 90, 99, 99.9, 99.99 };
	double sum_ns = 0, squares = 0, mean_ns, deviation_ns;
	double their = 0, our = 0;
	size_t i;

	hdr_reset(theirs[0]);
	tw_histogram_free(&ours[0]);
	if (tw_histogram_init(&ours[0], DIGITS))
		exit(1);
	for (i = 0; i < VALUES; i++) {
		hdr_record_value(theirs[0], value_ns[i]);
		tw_histogram_add(&ours[0], (uint64_t)value_ns[i]);
		sum_ns += (double)value_ns[i];
	}
	mean_ns = sum_ns / VALUES;
	for (i = 0; i < VALUES; i++)
		squares += ((double)value_ns[i] - mean_ns) *
			   ((double)value_ns[i] - mean_ns);
	deviation_ns = sqrt(squares / VALUES);
	qsort(value_ns, VALUES, sizeof(*value_ns), ascending_ns);
	for (i = 0; i < sizeof(percent) / sizeof(*percent); i++) {
		size_t rank = (size_t)ceil(percent[i] / 100 * VALUES) - 1;
		double exact = (double)value_ns[rank];

		their = fmax(their, fabs((double)hdr_value_at_percentile(
				theirs[0], percent[i]) / exact - 1));
		our = fmax(our, fabs((double)tw_histogram_percentile(
				&ours[0], percent[i]) / exact - 1));
	}
	print_ratio("largest error of a percentile", "ppm", their * 1e6, our * 1e6);
	print_ratio("error of the mean", "ppm",
		    fabs(hdr_mean(theirs[0]) / mean_ns - 1) * 1e6,
		    fabs(tw_histogram_mean_ns(&ours[0]) / mean_ns - 1) * 1e6);
	/* Ours is the sample's, over n - 1; theirs is over n. */
	print_ratio("error of the standard deviation", "ppm",
		    fabs(hdr_stddev(theirs[0]) / deviation_ns - 1) * 1e6,
		    fabs(tw_histogram_stddev_ns(&ours[0]) / deviation_ns *
			 sqrt((VALUES - 1.0) / VALUES) - 1) * 1e6);
	print_ratio("error of the largest value", "ppm",
		    fabs((double)hdr_max(theirs[0]) /
			 (double)value_ns[VALUES - 1] - 1) * 1e6,
		    fabs((double)ours[0].max_ns /
			 (double)value_ns[VALUES - 1] - 1) * 1e6);
}

int main(void)
{
	make_values();
	set_up();
	printf("%-36s %12s %12s %11s\n", "", "HdrHistogram", "Tickwise", "ratio");
	compare_recording("recording a value, one histogram", 1);
	compare_memory();
	compare_recording("recording a value, 32 in turns", MANY);
	compare_merging();
	compare_looking_up();
	compare_errors();
	return 0;
}
