/* SPDX-License-Identifier: MIT */
/*
 * Should the parameters of a conversion be in registers? This is the first question
 * that WTMLIB's author left open.
 *
 * In a loop: conversions whose parameters are in registers, in one cache line, and
 * in one of many copies that fill a cache or memory. The same loop without
 * the conversion is subtracted.
 *
 * As one cold call: a conversion between two ordered reads of the counter, after
 * other work has displaced its parameters. That work is random reads of a buffer, a
 * flush of the parameters or of the code, a read() of 4 KiB, or a sleep. The same
 * two reads without a conversion are subtracted; both take turns. This counts the
 * whole wait for the parameters. A program that does not need the result at once
 * waits less.
 */
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "questions.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static const char usage[] =
	"usage: parameters [SAMPLES]\n\n"
	"Prints what a conversion costs with its parameters in registers, caches\n"
	"and memory: SAMPLES (default: 3001) cold calls of each kind, ns.\n";

#define LINE		64
#define CALLS		256
#define BLOCKS		801
#define KIB		1024
#define MIB		(1024 * KIB)
#define LARGEST		((size_t)128 * MIB)
#define FILE_BYTES	((size_t)64 * MIB)
#define BLOCK_BYTES	4096

struct params {
	struct tw_scale scale;
} __attribute__((aligned(LINE)));

struct bench {
	struct params *copies;		/* LARGEST bytes of them */
	volatile char *buffer;		/* LARGEST bytes, to walk over */
	double tick_ns;
	int file;			/* of FILE_BYTES, in memory */
	uint64_t random;
};

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* ---- in a loop ---- */

enum place { NOWHERE, REGISTERS, COPIES };

/* Time conversions; parameters are in one of @copies copies, chosen at random, each
 * choice known long before it is needed. @place is a constant for the compiler. */
static inline __attribute__((always_inline)) double
block_ticks(enum place place, struct bench *bench, uint64_t copies)
{
	struct tw_scale own = bench->copies->scale;
	uint64_t state = next_random(&bench->random), ticks = tw_ticks() >> 8;
	uint64_t begin;

	FORGET(own.mask);
	FORGET(own.mult);
	FORGET(own.whole);
	FORGET(own.max_ticks);
	begin = tw_ticks_begin();
	for (unsigned i = 0; i < CALLS; i++) {
		uint64_t ns = ticks += 1021;
		const struct params *at = bench->copies +
			((state * (uint32_t)copies) >> 31);

		state = (state * 1103515245 + 12345) & 0x7fffffff;
		FORGET(at);
		FORGET(ticks);
		if (place == REGISTERS)
			ns = tw_ticks_to_ns(&own, ticks);
		else if (place == COPIES)
			ns = tw_ticks_to_ns(&at->scale, ticks);
		KEEP(ns);
	}
	return (double)(tw_ticks_end() - begin) / CALLS;
}

static void print_loop_row(const char *name, enum place place,
			   struct bench *bench, size_t bytes)
{
	static double empty[BLOCKS], own[BLOCKS];
	const uint64_t copies = bytes / sizeof(struct params);
	struct spread none, some;

	/* A first walk brings the copies to where they fit. */
	for (uint64_t i = 0; i < copies; i++)
		KEEP(bench->copies[i].scale.mult);
	for (unsigned i = 0; i < BLOCKS; i++) {
		empty[i] = block_ticks(NOWHERE, bench, copies);
		own[i] = place == REGISTERS ?
			block_ticks(REGISTERS, bench, copies) :
			block_ticks(COPIES, bench, copies);
	}
	none = spread_of(empty, BLOCKS);
	some = spread_of(own, BLOCKS);
	printf("%-34s %8.2f (%7.2f - %7.2f)\n", name,
	       (some.median - none.median) * bench->tick_ns,
	       (some.p10 - none.median) * bench->tick_ns,
	       (some.p90 - none.median) * bench->tick_ns);
}

static void print_loop(struct bench *bench)
{
	printf("In a loop: ns above the same loop without a conversion, median "
	       "(p10 - p90)\n\n");
	print_loop_row("registers", REGISTERS, bench, LINE);
	print_loop_row("one cache line (L1)", COPIES, bench, LINE);
	print_loop_row("copies in 16 KiB (L1)", COPIES, bench, 16 * KIB);
	print_loop_row("copies in 256 KiB (L2)", COPIES, bench, 256 * KIB);
	print_loop_row("copies in 4 MiB (L3)", COPIES, bench, 4 * MIB);
	print_loop_row("copies in 128 MiB (memory)", COPIES, bench, LARGEST);
	printf("\n");
}

/* ---- one cold call ---- */

static __attribute__((noinline, aligned(LINE))) uint64_t
convert(const struct tw_scale *scale, uint64_t ticks)
{
	return tw_ticks_to_ns(scale, ticks);
}

/* The same call without a conversion. */
static __attribute__((noinline, aligned(LINE))) uint64_t
convert_nothing(const struct tw_scale *scale, uint64_t ticks)
{
	FORGET(scale);
	return ticks;
}

/* The same code for both functions, so that it is equally cold for both. */
static __attribute__((noinline)) uint64_t
time_call(uint64_t (*call)(const struct tw_scale *, uint64_t),
	  const struct tw_scale *scale, uint64_t ticks)
{
	uint64_t begin;

	FORGET(call);
	begin = tw_ticks_begin();
	KEEP(call(scale, ticks));
	return tw_ticks_end() - begin;
}

/* The parameters are loaded into registers before the time begins. */
static uint64_t time_registers(const struct tw_scale *scale, uint64_t ticks)
{
	struct tw_scale own = *scale;
	uint64_t begin;

	FORGET(own.mask);
	FORGET(own.mult);
	FORGET(own.whole);
	FORGET(own.max_ticks);
	begin = tw_ticks_begin();
	KEEP(tw_ticks_to_ns(&own, ticks));
	return tw_ticks_end() - begin;
}

static uint64_t time_nothing(const struct tw_scale *scale, uint64_t ticks)
{
	const uint64_t begin = tw_ticks_begin();

	FORGET(scale);
	KEEP(ticks);
	return tw_ticks_end() - begin;
}

/* Read as many lines as @bytes have, in random order: caches recognise a walk in
 * order, and keep what else they have. */
static void walk(struct bench *bench, size_t bytes)
{
	const uint64_t lines = bytes / LINE;

	for (uint64_t i = 0; i < lines; i++)
		(void)bench->buffer[next_random(&bench->random) % lines * LINE];
}

static void flush(const void *at, size_t bytes)
{
#if defined(__x86_64__)
	for (size_t i = 0; i < bytes; i += LINE)
		_mm_clflush((const char *)at + i);
	_mm_mfence();
#else
	(void)at;
	(void)bytes;
#endif
}

static void do_nothing(struct bench *bench)
{
	(void)bench;
}

static void walk_l1(struct bench *bench)
{
	walk(bench, 256 * KIB);
}

static void walk_l2(struct bench *bench)
{
	walk(bench, 8 * MIB);
}

static void walk_all(struct bench *bench)
{
	walk(bench, LARGEST);
}

static void flush_parameters(struct bench *bench)
{
	flush(bench->copies, sizeof(*bench->copies));
}

static void flush_code(struct bench *bench)
{
	(void)bench;
	flush((const void *)(uintptr_t)convert, LINE);
	flush((const void *)(uintptr_t)convert_nothing, LINE);
}

static void flush_both(struct bench *bench)
{
	flush_parameters(bench);
	flush_code(bench);
}

static void read_block(struct bench *bench)
{
	const uint64_t block = next_random(&bench->random) %
			       (FILE_BYTES / BLOCK_BYTES);
	static char into[BLOCK_BYTES];

	if (pread(bench->file, into, sizeof(into),
		  (off_t)(block * BLOCK_BYTES)) != sizeof(into))
		exit(1);
}

static void sleep_a_little(struct bench *bench)
{
	(void)bench;
	nanosleep(&(struct timespec) { .tv_nsec = 100000 }, NULL);
}

static const struct between {
	const char *name;
	void (*work)(struct bench *bench);
	unsigned fewer;			/* this many times fewer samples */
	int in_registers, is_call;
} betweens[] = {
	{ "nothing; in registers, inline", do_nothing, 1, 1, 0 },
	{ "nothing; called (L1)", do_nothing, 1, 0, 1 },
	{ "random reads of 256 KiB (L2)", walk_l1, 1, 0, 1 },
	{ "random reads of 8 MiB (L3)", walk_l2, 4, 0, 1 },
	{ "random reads of 128 MiB (memory)", walk_all, 40, 0, 1 },
	{ "parameters flushed (memory)", flush_parameters, 1, 0, 1 },
	{ "code flushed, parameters in L1", flush_code, 1, 0, 1 },
	{ "code and parameters flushed", flush_both, 1, 0, 1 },
	{ "pread() of 4 KiB from memory", read_block, 1, 0, 1 },
	{ "the same; in registers", read_block, 1, 1, 0 },
	{ "sleep of 100 us", sleep_a_little, 1, 0, 1 },
};

/* Wait until all loads of the work before have been answered. */
static void drain(void)
{
	const uint64_t begin = tw_ticks_begin();

	while (tw_ticks_end() - begin < 10000)
		;
}

static uint64_t sample(const struct between *between, struct bench *bench,
		       int is_conversion)
{
	const struct tw_scale *scale = &bench->copies->scale;
	const uint64_t ticks = tw_ticks() >> 8;

	between->work(bench);
	drain();
	if (between->in_registers && is_conversion)
		return time_registers(scale, ticks);
	if (!between->is_call)
		return time_nothing(scale, ticks);
	return time_call(is_conversion ? convert : convert_nothing, scale,
			 ticks);
}

static void print_cold_row(const struct between *between, struct bench *bench,
			   unsigned samples)
{
	const size_t count = samples / between->fewer + 8;
	double *empty = calloc(count, sizeof(*empty));
	double *own = calloc(count, sizeof(*own));
	struct spread none, some;

	if (!empty || !own)
		exit(1);
	for (size_t i = 0; i < count; i++) {
		empty[i] = (double)sample(between, bench, 0);
		own[i] = (double)sample(between, bench, 1);
	}
	none = spread_of(empty, count);
	some = spread_of(own, count);
	printf("%-34s %8.1f (%7.1f - %7.1f)   %8.1f\n", between->name,
	       (some.middle - none.middle) * bench->tick_ns,
	       (some.p10 - none.middle) * bench->tick_ns,
	       (some.p90 - none.middle) * bench->tick_ns,
	       none.middle * bench->tick_ns);
	free(empty);
	free(own);
}

static void print_cold(struct bench *bench, unsigned samples)
{
	printf("One call after other work: ns above the same without a "
	       "conversion\n\n%-34s %8s %19s   %8s\n", "work before it",
	       "middle", "(p10 - p90)", "without");
	for (size_t i = 0; i < sizeof(betweens) / sizeof(*betweens); i++)
		print_cold_row(&betweens[i], bench, samples);
	printf("\nMiddle is the mean of the middle half of the samples: the "
	       "counter may move in steps\nof 10 ns. \"Without\" is what "
	       "two ordered reads of the counter take.\n");
}

static int set_up(struct bench *bench, const struct tw_clock *clock)
{
	const size_t copies = LARGEST / sizeof(*bench->copies);

	bench->tick_ns = 1e9 / clock->scale.hz;
	bench->copies = aligned_alloc(LINE, LARGEST);
	bench->buffer = aligned_alloc(LINE, LARGEST);
	bench->file = memfd_create("questions", 0);
	if (!bench->copies || !bench->buffer || bench->file < 0 ||
	    ftruncate(bench->file, (off_t)FILE_BYTES))
		return 1;
	for (size_t i = 0; i < copies; i++)
		bench->copies[i].scale = clock->scale;
	for (size_t i = 0; i < LARGEST; i += LINE)
		bench->buffer[i] = 1;
	for (size_t i = 0; i < FILE_BYTES; i += BLOCK_BYTES)
		if (pwrite(bench->file, (const char *)bench->copies + i,
			   BLOCK_BYTES, (off_t)i) != BLOCK_BYTES)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	struct bench bench = { .random = 1 };
	struct tw_clock clock;
	unsigned samples;
	int ret;

	help(argc, argv, 1, usage);
	samples = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 3001;
	ret = clock_here(&clock);
	if (ret)
		return ret;
	if (set_up(&bench, &clock)) {
		fprintf(stderr, "too little memory\n");
		return 1;
	}
	print_machine();
	print_loop(&bench);
	print_cold(&bench, samples);
	tw_clock_free(&clock);
	return 0;
}
