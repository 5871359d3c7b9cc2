/* SPDX-License-Identifier: MIT */
/*
 * Every order is one cycle through every line of the memory, whatever the shape and however
 * often it was grown, and every such cycle is equally likely. Fails if a chase stays in a part
 * of the memory: its latency would be that of a smaller one. Fails also if a round through
 * windows uses a few sets of a cache, which leaves the page tables in the others, for a biased
 * shuffle, and for a cycle whose growth prefers some places.
 */
#include <math.h>
#include <string.h>

#include "memory/cycle.h"
#include "tap.h"

#define MAX_BYTES	((size_t)3 << 20)

static char memory[2][MAX_BYTES] __attribute__((aligned(4096)));

/* Follow the cycle back to the first element. Return how many elements it has; 0: one is
 * visited twice, or is not below @bytes. */
static size_t length_of(const struct tw_cycle *cycle, size_t bytes)
{
	static unsigned char seen[MAX_BYTES / 8];
	void *first = tw_cycle_first(cycle), *at = first;
	size_t length = 0;

	memset(seen, 0, sizeof(seen));
	do {
		size_t offset = (size_t)((char *)at - cycle->memory);

		if (offset >= bytes || seen[offset / 8]++)
			return 0;
		length++;
		at = *(void **)at;
	} while (at != first);
	return length;
}

static void check(struct tw_cycle_shape shape, uint64_t *random)
{
	size_t unit = shape.kind == TW_CYCLE_PAGE ? shape.page_bytes : shape.stride_bytes;
	struct tw_cycle cycle;
	size_t bytes = unit;
	int good = tw_cycle_init(&cycle, &shape, memory[0]) == 0;

	for (; good && bytes <= MAX_BYTES; bytes += unit + tap_random(random) % (bytes + 1))
		good = tw_cycle_grow(&cycle, bytes) == 0 && cycle.count == bytes / unit &&
		       length_of(&cycle, bytes) == tw_cycle_elements(&shape, bytes);
	tap_ok(good, "%s, stride %zu, window %zu, %u passes: one cycle through all of it",
	       tw_cycle_names[shape.kind], shape.stride_bytes, shape.window_bytes, shape.passes);
}

/* Count on which of 64 or 16 places of their pages 256 elements are that follow each other. */
static void check_places(struct tw_cycle_shape shape, unsigned places, unsigned least,
			 unsigned most, const char *what)
{
	unsigned at_place[64] = { 0 }, fewest = 256, highest = 0;
	struct tw_cycle cycle;
	void *at;

	tw_cycle_init(&cycle, &shape, memory[0]);
	tw_cycle_grow(&cycle, 256 * 4096);
	at = tw_cycle_first(&cycle);
	for (int i = 0; i < 256; i++, at = *(void **)at)
		at_place[(size_t)((char *)at - memory[0]) % 4096 / (4096 / places)]++;
	for (unsigned i = 0; i < places; i++) {
		fewest = at_place[i] < fewest ? at_place[i] : fewest;
		highest = at_place[i] > highest ? at_place[i] : highest;
	}
	tap_ok(fewest >= least && highest <= most, "%s: %u to %u", what, fewest, highest);
}

static void check_refused(void)
{
	static const struct {
		struct tw_cycle_shape shape;
		const char *what;
	} bad[] = {
#define WINDOW(stride, window, rounds) { .kind = TW_CYCLE_WINDOW, .stride_bytes = stride, \
					 .window_bytes = window, .passes = rounds }
		{ WINDOW(0, 4096, 4), "no stride" },
		{ WINDOW(12, 4092, 4), "a stride of half an address" },
		{ WINDOW(64, 32, 4), "a window of less than an element" },
		{ WINDOW(64, 4096 + 32, 4), "a window that is no multiple" },
		{ WINDOW(64, 4096, 0), "no pass" }, { WINDOW(64, 4096, 65), "65 passes" },
		{ { .kind = TW_CYCLE_PAGE, .stride_bytes = 8, .page_bytes = 3000 },
		  "pages of no power of two" },
		{ { .kind = TW_CYCLE_PAGE, .stride_bytes = 64, .page_bytes = 32 }, "small pages" },
		{ { .kind = TW_CYCLE_KINDS, .stride_bytes = 64 }, "an unknown kind" },
	};
	struct tw_cycle_shape good = WINDOW(64, 4096, 4);
	struct tw_cycle cycle;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		tap_ok(tw_cycle_init(&cycle, &bad[i].shape, memory[0]) == -22, "refuses %s",
		       bad[i].what);
	tw_cycle_init(&cycle, &good, memory[0]);
	tap_ok(tw_cycle_grow(&cycle, 63) == -22 && tw_cycle_grow(&cycle, 8192) == 0 &&
	       tw_cycle_grow(&cycle, 4096) == -22, "refuses less than one, and to shrink");
	tap_ok(tw_cycle_footprint(&good, 6400) == 6400 &&
	       tw_cycle_footprint(&(struct tw_cycle_shape) WINDOW(8, 64, 1), 6400) == 6400 &&
	       tw_cycle_footprint(&(struct tw_cycle_shape) WINDOW(256, 256, 1), 6400) == 1600 &&
	       tw_cycle_footprint(&(struct tw_cycle_shape) {
			.kind = TW_CYCLE_PAGE, .stride_bytes = 8, .page_bytes = 4096 }, 12288) == 192,
	       "bytes of the lines that are used");
}

/* ---- equally likely ---- */

/* Five elements have (5 - 1)! = 24 different cycles. */
#define ELEMENTS	5
#define CYCLES		24
#define TRIES		48000

/* Return the order as a number: which of the elements not yet visited comes next, digit by
 * digit. Each of the 24 cycles has its own. */
static unsigned number_of(const struct tw_cycle *cycle)
{
	int used[ELEMENTS] = { 1 };
	void *at = tw_cycle_first(cycle);
	unsigned number = 0;

	for (unsigned left = ELEMENTS - 1; left > 0; left--) {
		unsigned digit = 0, next;

		at = *(void **)at;
		next = (unsigned)(((char *)at - cycle->memory) / 64);
		for (unsigned i = 0; i < next; i++)
			digit += !used[i];
		used[next] = 1;
		number = number * left + digit;
	}
	return number;
}

/*
 * Chi-square with 23 degrees of freedom has mean 23 and variance 46. By the Wilson-Hilferty form
 * (chi2 / 23)^(1/3) is normal with mean 1 - 2 / (9 * 23) and variance 2 / (9 * 23). Five of its
 * sigmas: once in 3.5 million tests.
 */
static void check_uniform(uint64_t seed, enum tw_cycle_kind kind, size_t first_bytes)
{
	unsigned counts[CYCLES] = { 0 };
	double chi2 = 0, expected = (double)TRIES / CYCLES, v = 2.0 / (9 * (CYCLES - 1));
	double limit = (CYCLES - 1) * pow(1 - v + 5 * sqrt(v), 3);

	for (unsigned i = 0; i < TRIES; i++) {
		struct tw_cycle_shape shape = {
			.kind = kind, .stride_bytes = 64, .window_bytes = 64 * ELEMENTS,
			.passes = 1, .seed = seed + i,
		};
		struct tw_cycle cycle;

		tw_cycle_init(&cycle, &shape, memory[0]);
		if (first_bytes)
			tw_cycle_grow(&cycle, first_bytes);
		tw_cycle_grow(&cycle, ELEMENTS * 64);
		counts[number_of(&cycle)]++;
	}
	for (int i = 0; i < CYCLES; i++)
		chi2 += (counts[i] - expected) * (counts[i] - expected) / expected;
	tap_ok(chi2 < limit, "%s%s: chi-square %.1f, below %.1f", tw_cycle_names[kind],
	       first_bytes ? ", grown" : "", chi2, limit);
}

/* The first elements of seed 1, so that a seed stays the same order. */
static const size_t known[TW_CYCLE_KINDS][4] = {
	{ 0, 64, 128, 192 }, { 0, 26624, 31616, 52544 }, { 0, 3328, 3584, 2816 },
	{ 0, 43968, 63808, 31872 },
};

static void check_same(void)
{
	for (int kind = 0; kind < TW_CYCLE_KINDS; kind++) {
		struct tw_cycle_shape shape = {
			.kind = (enum tw_cycle_kind)kind, .stride_bytes = 64,
			.window_bytes = 4096, .passes = 4, .page_bytes = 1024, .seed = 1,
		};
		struct tw_cycle cycles[2];
		char *at[2];
		int same = 1, is_known = 1;

		for (int i = 0; i < 2; i++) {
			tw_cycle_init(&cycles[i], &shape, memory[i]);
			if (i)
				tw_cycle_grow(&cycles[i], 1 << 15);
			tw_cycle_grow(&cycles[i], 1 << 16);
			at[i] = tw_cycle_first(&cycles[i]);
		}
		for (size_t i = 0; i < cycles[0].count; i++) {
			size_t offset = (size_t)(at[0] - memory[0]);

			same &= offset == (size_t)(at[1] - memory[1]);
			if (i < 4 && offset != known[kind][i]) {
				tap_note("%zu: at %zu", i, offset);
				is_known = 0;
			}
			at[0] = *(char **)at[0];
			at[1] = *(char **)at[1];
		}
		tap_ok(same && is_known, "%s: the same seed, the same cycle, in one step or two",
		       tw_cycle_names[kind]);
	}
}

int main(void)
{
	uint64_t random = tap_seed(), seed = random;

	check((struct tw_cycle_shape) { .kind = TW_CYCLE_SEQUENTIAL, .stride_bytes = 64 },
	      &random);
	for (size_t stride = 8; stride <= 64; stride *= 8)
		check((struct tw_cycle_shape) { .kind = TW_CYCLE_RANDOM, .stride_bytes = stride,
			.seed = seed }, &random);
	check((struct tw_cycle_shape) { .kind = TW_CYCLE_PAGE, .stride_bytes = 64,
		.page_bytes = 4096, .seed = seed }, &random);
	for (unsigned passes = 1; passes <= 64; passes *= 4)
		for (size_t window = 4096; window <= 448 << 10; window *= 112)
			check((struct tw_cycle_shape) { .kind = TW_CYCLE_WINDOW,
				.stride_bytes = 64, .window_bytes = window, .passes = passes,
				.seed = seed }, &random);
	/* 256 pages over 64 lines: 4 each. By the golden ratio the counts of neighbours differ
	 * by one or two at most. */
	check_places((struct tw_cycle_shape) { .kind = TW_CYCLE_PAGE, .stride_bytes = 64,
		     .page_bytes = 4096, .seed = 1 }, 64, 0, 6, "pages' elements, over lines");
	/* A page is a window with 16 elements: each round has one of each page. The end of one
	 * round and the beginning of the next, 16 each if both were whole; parts of rounds are
	 * as even as a random part is. */
	check_places((struct tw_cycle_shape) { .kind = TW_CYCLE_WINDOW, .stride_bytes = 256,
		     .window_bytes = 4096, .passes = 16, .seed = 1 }, 16, 4, 32,
		     "loads in a row, over places of a page");
	check_refused();
	check_uniform(seed, TW_CYCLE_RANDOM, 0);
	check_uniform(seed, TW_CYCLE_RANDOM, 3 * 64);
	check_uniform(seed, TW_CYCLE_WINDOW, 0);
	check_same();
	return tap_done();
}
