/* SPDX-License-Identifier: MIT */
/*
 * Every order is one cycle through every line of the memory, whatever the shape and
 * however often it was grown. Fails if a chase stays in a part of the memory: its
 * latency would be that of a smaller one. Fails also if a round through windows
 * uses a few sets of a cache, which leaves the page tables in the others.
 */
#include <stdlib.h>
#include <string.h>

#include "memory/cycle.h"
#include "tap.h"

#define MAX_BYTES	((size_t)3 << 20)

/*
 * Follow the cycle back to the first element. Return how many elements it has, each
 * at a place of its own.
 */
static size_t length_of(const struct tw_cycle *cycle, char *memory,
			unsigned char *seen, size_t *inside)
{
	void *first = tw_cycle_first(cycle), *at = first;
	size_t length = 0;

	memset(seen, 0, MAX_BYTES / 8);
	*inside = 0;
	do {
		size_t offset = (size_t)((char *)at - memory);

		if (offset >= MAX_BYTES || seen[offset / 8]++)
			return 0;
		if (offset > *inside)
			*inside = offset;
		length++;
		at = *(void **)at;
	} while (at != first);
	return length;
}

static void check(struct tw_cycle_shape shape, char *memory,
		  unsigned char *seen, uint64_t *random)
{
	size_t unit = shape.kind == TW_CYCLE_PAGE ? shape.page_bytes :
						    shape.stride_bytes;
	struct tw_cycle cycle;
	size_t bytes = unit, last;
	int good = tw_cycle_init(&cycle, &shape, memory) == 0;

	while (good && bytes <= MAX_BYTES) {
		good = tw_cycle_grow(&cycle, bytes) == 0 &&
		       length_of(&cycle, memory, seen, &last) ==
				tw_cycle_elements(&shape, bytes) &&
		       cycle.count == bytes / unit && last < bytes;
		if (!good)
			tap_note("at %zu bytes", bytes);
		bytes += unit + tap_random(random) % (bytes + 1);
	}
	tap_ok(good, "%s, stride %zu, window %zu, %u passes: one cycle "
	       "through all of it", tw_cycle_names[shape.kind],
	       shape.stride_bytes, shape.window_bytes, shape.passes);
}

static void check_lines_of_pages(char *memory)
{
	struct tw_cycle_shape shape = { .kind = TW_CYCLE_PAGE,
		.stride_bytes = 64, .page_bytes = 4096, .seed = 1 };
	unsigned on_line[64] = { 0 }, most = 0;
	struct tw_cycle cycle;
	void *at;

	tw_cycle_init(&cycle, &shape, memory);
	tw_cycle_grow(&cycle, 256 * 4096);
	at = tw_cycle_first(&cycle);
	for (int i = 0; i < 256; i++, at = *(void **)at) {
		size_t offset = (size_t)((char *)at - memory);
		unsigned line = (unsigned)(offset % 4096 / 64);

		if (++on_line[line] > most)
			most = on_line[line];
	}
	/*
	 * 256 pages over 64 lines: 4 each. By the golden ratio the counts of
	 * neighbours differ by one or two at most.
	 */
	tap_ok(most <= 6, "pages' elements are spread over the lines: at most "
	       "%u of 256 on one of 64", most);
}

/* A page is a window with 16 elements: each round has one of each page. */
static void check_places_of_a_round(char *memory)
{
	struct tw_cycle_shape shape = { .kind = TW_CYCLE_WINDOW,
		.stride_bytes = 256, .window_bytes = 4096, .passes = 16,
		.seed = 1 };
	unsigned at_place[16] = { 0 }, least = 256, most = 0;
	struct tw_cycle cycle;
	void *at;

	tw_cycle_init(&cycle, &shape, memory);
	tw_cycle_grow(&cycle, 256 * 4096);
	at = tw_cycle_first(&cycle);
	for (int i = 0; i < 256; i++, at = *(void **)at)
		at_place[(size_t)((char *)at - memory) % 4096 / 256]++;
	for (int i = 0; i < 16; i++) {
		least = at_place[i] < least ? at_place[i] : least;
		most = at_place[i] > most ? at_place[i] : most;
	}
	/*
	 * The end of one round and the beginning of the next, 16 each if both were
	 * whole; parts of rounds are as even as a random part is.
	 */
	tap_ok(least >= 4 && most <= 32, "256 loads in a row are at every "
	       "place of a page: %u to %u at each of 16", least, most);
}

static void check_refused(char *memory)
{
	struct tw_cycle_shape good = { .kind = TW_CYCLE_WINDOW,
		.stride_bytes = 64, .window_bytes = 4096, .passes = 4 };
	struct tw_cycle_shape bad;
	struct tw_cycle cycle;

#define REFUSES(change, what) \
	bad = good; change; \
	tap_ok(tw_cycle_init(&cycle, &bad, memory) == -22, "refuses " what)
	REFUSES(bad.stride_bytes = 0, "no stride");
	REFUSES(bad.stride_bytes = 12, "a stride of half an address");
	REFUSES(bad.window_bytes = 32, "a window of less than an element");
	REFUSES(bad.window_bytes = 4096 + 32, "a window that is no multiple");
	REFUSES(bad.passes = 0, "no pass");
	REFUSES(bad.passes = 65, "65 passes");
	REFUSES((bad.kind = TW_CYCLE_PAGE, bad.page_bytes = 3000),
		"pages of no power of two");
	REFUSES(bad.kind = TW_CYCLE_KINDS, "an unknown kind");
	tw_cycle_init(&cycle, &good, memory);
	tap_ok(tw_cycle_grow(&cycle, 63) == -22, "refuses less than one");
	tap_ok(tw_cycle_grow(&cycle, 8192) == 0 &&
	       tw_cycle_grow(&cycle, 4096) == -22, "refuses to shrink");
}

int main(void)
{
	uint64_t random = tap_seed();
	char *memory = aligned_alloc(4096, MAX_BYTES);
	unsigned char *seen = malloc(MAX_BYTES / 8);

	if (!memory || !seen)
		return 1;
	check((struct tw_cycle_shape) { .kind = TW_CYCLE_SEQUENTIAL,
		.stride_bytes = 64 }, memory, seen, &random);
	check((struct tw_cycle_shape) { .kind = TW_CYCLE_RANDOM,
		.stride_bytes = 64, .seed = random }, memory, seen, &random);
	check((struct tw_cycle_shape) { .kind = TW_CYCLE_RANDOM,
		.stride_bytes = 8, .seed = random }, memory, seen, &random);
	check((struct tw_cycle_shape) { .kind = TW_CYCLE_PAGE,
		.stride_bytes = 64, .page_bytes = 4096, .seed = random },
		memory, seen, &random);
	for (unsigned passes = 1; passes <= 64; passes *= 4) {
		check((struct tw_cycle_shape) { .kind = TW_CYCLE_WINDOW,
			.stride_bytes = 64, .window_bytes = 4096,
			.passes = passes, .seed = random }, memory, seen,
			&random);
		check((struct tw_cycle_shape) { .kind = TW_CYCLE_WINDOW,
			.stride_bytes = 64, .window_bytes = 448 << 10,
			.passes = passes, .seed = random }, memory, seen,
			&random);
	}
	check_lines_of_pages(memory);
	check_places_of_a_round(memory);
	check_refused(memory);
	free(memory);
	free(seen);
	return tap_done();
}
