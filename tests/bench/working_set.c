/* SPDX-License-Identifier: MIT */
/*
 * Does it matter where the parameters of a conversion are: in registers, in the
 * nearest cache, or displaced from it by other work between two readings? WTMLIB's
 * author left the question open.
 *
 * Times single readings, each after a walk over a working set of growing size, and
 * after flushing the parameters from all caches. A bare tw_ticks(), timed the same
 * way, is subtracted. There are three layouts: all in registers; tw_clock_ns(),
 * which needs one cache line; the same with the clock's base in a line of its own.
 * The timing uses ordered reads, which wait for the loads. A program that does not
 * need the nanoseconds at once waits less.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tickwise.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LINE		64
#define MAX_SAMPLES	2001
#define MIN_SAMPLES	21
#define LARGEST_SET	((size_t)64 << 20)
#define WALKED		((size_t)1 << 30)	/* bytes, for each size */

#define KEEP(value)	__asm__ __volatile__("" : : "r"(value))
#define IN_REGISTER(it)	__asm__ __volatile__("" : "+r"(it))

enum form { BARE, REGISTERS, ONE_LINE, TWO_LINES, FORMS };

struct clocks {
	struct tw_clock one_line;
	struct {
		struct tw_scale scale;
		char to_next_line[LINE - sizeof(struct tw_scale) % LINE];
		uint64_t base_ticks;
		uint64_t base_ns;
	} two_lines __attribute__((aligned(LINE)));
};

struct times {
	double median, p10, p90;	/* ticks */
};

static uint64_t time_registers(const struct tw_clock *clock)
{
	struct tw_scale scale = clock->scale;
	uint64_t base_ticks = clock->base_ticks, base_ns = clock->base_ns;
	uint64_t begin;

	IN_REGISTER(scale.mask);
	IN_REGISTER(scale.mult);
	IN_REGISTER(scale.whole);
	IN_REGISTER(scale.max_ticks);
	IN_REGISTER(base_ticks);
	IN_REGISTER(base_ns);
	begin = tw_ticks_begin();
	KEEP(base_ns + tw_ticks_to_ns(&scale, tw_ticks() - base_ticks));
	return tw_ticks_end() - begin;
}

static uint64_t time_one(enum form form, const struct clocks *clocks)
{
	uint64_t begin;

	if (form == REGISTERS)
		return time_registers(&clocks->one_line);
	begin = tw_ticks_begin();
	if (form == BARE)
		KEEP(tw_ticks());
	else if (form == ONE_LINE)
		KEEP(tw_clock_ns(&clocks->one_line));
	else
		KEEP(clocks->two_lines.base_ns +
		     tw_ticks_to_ns(&clocks->two_lines.scale, tw_ticks() -
				    clocks->two_lines.base_ticks));
	return tw_ticks_end() - begin;
}

static void walk(const volatile char *set, size_t size)
{
	for (size_t i = 0; i < size; i += LINE)
		(void)set[i];
}

static void flush(const struct clocks *clocks)
{
#if defined(__x86_64__)
	for (size_t i = 0; i < sizeof(*clocks); i += LINE)
		_mm_clflush((const char *)clocks + i);
	_mm_mfence();
#else
	(void)clocks;
#endif
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* @size 0: no walk between readings. @is_flushed: the parameters are in no cache. */
static struct times time_form(enum form form, const struct clocks *clocks,
			      const char *set, size_t size, int is_flushed)
{
	static uint64_t samples[MAX_SAMPLES];
	size_t many = size ? WALKED / size : MAX_SAMPLES, i;

	if (many > MAX_SAMPLES)
		many = MAX_SAMPLES;
	if (many < MIN_SAMPLES)
		many = MIN_SAMPLES;
	for (i = 0; i < many; i++) {
		walk(set, size);
		if (is_flushed)
			flush(clocks);
		samples[i] = time_one(form, clocks);
	}
	qsort(samples, many, sizeof(*samples), compare);
	return (struct times) {
		(double)samples[many / 2], (double)samples[many / 10],
		(double)samples[many * 9 / 10],
	};
}

static void print_row(const char *name, const struct clocks *clocks,
		      const char *set, size_t size, int is_flushed)
{
	const double tick_ns = 1e9 / clocks->one_line.scale.hz;
	struct times bare = time_form(BARE, clocks, set, size, is_flushed);

	printf("%-18s", name);
	for (enum form form = REGISTERS; form < FORMS; form++) {
		struct times times = time_form(form, clocks, set, size,
					       is_flushed);

		/* A walk cannot change registers. */
		if (form == REGISTERS && (size || is_flushed))
			printf("   %21s", "");
		else
			printf("   %6.1f (%5.1f - %5.1f)",
			       (times.median - bare.median) * tick_ns,
			       (times.p10 - bare.median) * tick_ns,
			       (times.p90 - bare.median) * tick_ns);
	}
	printf("\n");
}

int main(void)
{
	const struct tw_clock_options options = {
		.size = sizeof(options), .window_ns = 20000000,
	};
	static struct clocks clocks;
	char name[32], *set;

	if (tw_clock_init(&clocks.one_line, &options) ||
	    clocks.one_line.system) {
		printf("no counter to measure with\n");
		return 2;
	}
	clocks.two_lines.scale = clocks.one_line.scale;
	clocks.two_lines.base_ticks = clocks.one_line.base_ticks;
	clocks.two_lines.base_ns = clocks.one_line.base_ns;
	set = malloc(LARGEST_SET);
	if (!set)
		return 1;
	memset(set, 1, LARGEST_SET);
	printf("ns of one reading above a bare tw_ticks(): median "
	       "(p10 - p90)\n\n");
	printf("%-18s   %-21s   %-21s   %s\n", "in between", "in registers",
	       "in one cache line", "in two");
	print_row("nothing", &clocks, set, 0, 0);
	for (size_t size = 16 << 10; size <= LARGEST_SET; size *= 4) {
		snprintf(name, sizeof(name), "walk of %zu KiB", size >> 10);
		print_row(name, &clocks, set, size, 0);
	}
#if defined(__x86_64__)
	print_row("flushed", &clocks, set, 0, 1);
#endif
	printf("\nIf the first row's columns are alike, registers gain "
	       "nothing over the nearest cache.\nWhat costs is a reading after "
	       "so much else that the parameters come from memory, and\nthen "
	       "each cache line does. Where that is so, keep the ticks, and "
	       "convert many later.\n");
	free(set);
	return 0;
}
