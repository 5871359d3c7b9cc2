/* SPDX-License-Identifier: MIT */
/*
 * Should the parameters of a conversion be in registers? This is the first question
 * that WTMLIB's author left open.
 *
 * In a loop: conversions whose parameters are in registers, in one cache line, and
 * in one of many lines that fill a cache or memory. The lines are chosen before the
 * time begins. The same loop without the conversion is subtracted.
 *
 * As one call: the conversion is called once, so that parameters and code are in the
 * nearest cache. Then other work displaces them: random reads of a buffer, a
 * flush, reads of a file, a sleep. Then one call is timed, between two ordered
 * reads of the counter. The same call of an empty function, whose code is not
 * flushed, is subtracted. The second read waits for the result, so a row includes
 * the whole wait. A program that does not need the result at once waits less.
 *
 * All rows take turns, so that a disturbance meets all of them.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "questions.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static const char usage[] =
	"usage: parameters [SAMPLES]\n\n"
	"Prints what a conversion costs with its parameters in registers, caches\n"
	"and memory: SAMPLES (default: 4000) calls of each kind, ns.\n";

#define LINE		64
#define CALLS		256
#define BLOCKS		801
#define KIB		1024
#define MIB		(1024 * KIB)
#define LARGEST		((size_t)128 * MIB)
#define FILE_BYTES	((size_t)64 * MIB)
#define BLOCK_BYTES	4096
#define CODE_BYTES	128

/* What a conversion reads, alone in a cache line. */
struct params {
	uint64_t mask, mult, whole;
	unsigned modulus_log2, shift;
} __attribute__((aligned(LINE)));

struct bench {
	struct params *copies;		/* LARGEST bytes of them */
	struct params own;		/* to fill registers from */
	volatile char *buffer;		/* LARGEST bytes, to walk over */
	char *block;			/* of BLOCK_BYTES, aligned to them */
	struct counter counter;
	int in_memory, on_disk;		/* files of FILE_BYTES; -1: none */
	uint64_t random;
	const void *code;		/* of the call that is timed next */
};

static inline __attribute__((always_inline)) uint64_t
convert_with(const struct params *params, uint64_t ticks)
{
	const struct tw_scale scale = {
		.mask = params->mask, .mult = params->mult,
		.whole = params->whole, .shift = (uint8_t)params->shift,
		.modulus_log2 = (uint8_t)params->modulus_log2,
	};

	return tw__scale_modulus(&scale, ticks);
}

static void forget(struct params *params)
{
	FORGET(params->mask);
	FORGET(params->mult);
	FORGET(params->whole);
	FORGET(params->modulus_log2);
	FORGET(params->shift);
}

/* ---- in a loop ---- */

enum place { NOWHERE, REGISTERS, COPIES };

/* Time conversions; the parameters are in one of @copies copies. @place is a
 * constant for the compiler. */
static inline __attribute__((always_inline)) double
block_ticks(enum place place, struct bench *bench, uint64_t copies)
{
	struct params own = bench->own;
	uint64_t ticks = tw_ticks() >> 8, begin;
	uint32_t chosen[CALLS];

	for (unsigned i = 0; i < CALLS; i++)
		chosen[i] = (uint32_t)(next_random(&bench->random) % copies);
	KEEP_MEMORY(chosen);
	forget(&own);
	begin = tw_ticks_begin();
	for (unsigned i = 0; i < CALLS; i++) {
		const struct params *at = bench->copies + chosen[i];
		uint64_t ns = ticks += 1021;

		FORGET(at);
		FORGET(ticks);
		if (place == REGISTERS)
			ns = convert_with(&own, ticks);
		else if (place == COPIES)
			ns = convert_with(at, ticks);
		KEEP(ns);
	}
	return (double)(tw_ticks_end() - begin) / CALLS;
}

static const struct place_row {
	const char *name;
	enum place place;
	size_t bytes;
} place_rows[] = {
	{ "registers", REGISTERS, LINE },
	{ "one cache line (L1)", COPIES, LINE },
	{ "lines in 16 KiB (L1)", COPIES, 16 * KIB },
	{ "lines in 256 KiB (L2)", COPIES, 256 * KIB },
	{ "lines in 4 MiB (L3)", COPIES, 4 * MIB },
	{ "lines in 128 MiB (memory)", COPIES, LARGEST },
};

/* One block of a row, and one without conversions. Two reads of all lines bring
 * them to where they fit; memory needs none. */
static void time_blocks(const struct place_row *row, struct bench *bench,
			double *own, double *empty)
{
	const uint64_t copies = row->bytes / sizeof(struct params);

	for (uint64_t i = 0; row->bytes < LARGEST && i < 2 * copies; i++)
		KEEP(bench->copies[i % copies].mult);
	*empty = block_ticks(NOWHERE, bench, copies);
	*own = row->place == REGISTERS ? block_ticks(REGISTERS, bench, copies) :
					 block_ticks(COPIES, bench, copies);
}

static void print_loop(struct bench *bench)
{
	static double empty[COUNT(place_rows)][BLOCKS];
	static double own[COUNT(place_rows)][BLOCKS];

	for (unsigned i = 0; i < BLOCKS; i++)
		for (unsigned row = 0; row < COUNT(place_rows); row++)
			time_blocks(&place_rows[row], bench, &own[row][i],
				    &empty[row][i]);
	printf("In a loop: ns above the same loop without a conversion, median "
	       "(p10 - p90)\n\n");
	for (unsigned row = 0; row < COUNT(place_rows); row++) {
		const double tick_ns = bench->counter.tick_ns;
		const struct spread none = spread_of(empty[row], BLOCKS);
		const struct spread some = spread_of(own[row], BLOCKS);

		printf("%-38s %8.2f (%7.2f - %7.2f)\n", place_rows[row].name,
		       (some.median - none.median) * tick_ns,
		       (some.p10 - none.median) * tick_ns,
		       (some.p90 - none.median) * tick_ns);
	}
	printf("\n");
}

/* ---- one call ---- */

/* All functions get both a line and the parameters themselves, which the
 * calling convention passes in registers. So their callers are the same code. */
typedef uint64_t called(const struct params *at, uint64_t ticks, uint64_t mask,
			uint64_t mult, uint64_t whole, unsigned shifts);

#define ALONE	__attribute__((noinline, aligned(CODE_BYTES)))

static ALONE uint64_t from_line(const struct params *at, uint64_t ticks,
				uint64_t mask, uint64_t mult, uint64_t whole,
				unsigned shifts)
{
	(void)mask;
	(void)mult;
	(void)whole;
	(void)shifts;
	return convert_with(at, ticks);
}

static ALONE uint64_t from_registers(const struct params *at, uint64_t ticks,
				     uint64_t mask, uint64_t mult,
				     uint64_t whole, unsigned shifts)
{
	const struct params params = {
		mask, mult, whole, shifts & 255, shifts >> 8,
	};

	(void)at;
	return convert_with(&params, ticks);
}

static ALONE uint64_t from_nothing(const struct params *at, uint64_t ticks,
				   uint64_t mask, uint64_t mult, uint64_t whole,
				   unsigned shifts)
{
	(void)at;
	(void)mask;
	(void)mult;
	(void)whole;
	(void)shifts;
	return ticks;
}

/* A processor that predicts which function is called fetches its code before the
 * time begins. So flushed code is one of many copies, chosen at random. The number
 * keeps the compiler from making them one. */
#define COPY(number) \
	static ALONE uint64_t copy_##number(const struct params *at, \
			uint64_t ticks, uint64_t mask, uint64_t mult, \
			uint64_t whole, unsigned shifts) \
	{ \
		(void)mask; \
		(void)mult; \
		(void)whole; \
		(void)shifts; \
		__asm__ __volatile__("" : : "i"(number)); \
		return convert_with(at, ticks); \
	}
COPY(0) COPY(1) COPY(2) COPY(3) COPY(4) COPY(5) COPY(6) COPY(7)
COPY(8) COPY(9) COPY(10) COPY(11) COPY(12) COPY(13) COPY(14) COPY(15)

static called *const code_copies[] = {
	copy_0, copy_1, copy_2, copy_3, copy_4, copy_5, copy_6, copy_7,
	copy_8, copy_9, copy_10, copy_11, copy_12, copy_13, copy_14, copy_15,
};

static ALONE uint64_t time_call(called *call, const struct bench *bench)
{
	const struct params *at = bench->copies;
	uint64_t ticks = tw_ticks() >> 8, begin;
	struct params own = bench->own;
	unsigned shifts = own.modulus_log2 | own.shift << 8;

	FORGET(call);
	FORGET(at);
	FORGET(shifts);
	forget(&own);
	begin = tw_ticks_begin();
	KEEP(call(at, ticks, own.mask, own.mult, own.whole, shifts));
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

#if defined(__x86_64__)
static void flush(const void *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE)
		_mm_clflush((const char *)at + i);
	_mm_mfence();
}

static void flush_parameters(struct bench *bench)
{
	flush(bench->copies, sizeof(*bench->copies));
}

static void flush_code(struct bench *bench)
{
	flush(bench->code, CODE_BYTES);
}

static void flush_both(struct bench *bench)
{
	flush_parameters(bench);
	flush_code(bench);
}
#endif

static void read_block(struct bench *bench, int file)
{
	const uint64_t block = next_random(&bench->random) %
			       (FILE_BYTES / BLOCK_BYTES);

	if (pread(file, bench->block, BLOCK_BYTES,
		  (off_t)(block * BLOCK_BYTES)) != BLOCK_BYTES) {
		perror("parameters: a file that it wrote before");
		exit(1);
	}
}

static void read_memory(struct bench *bench)
{
	read_block(bench, bench->in_memory);
}

static void read_disk(struct bench *bench)
{
	read_block(bench, bench->on_disk);
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
	called *call;			/* NULL: one of the copies */
} betweens[] = {
	{ "nothing; parameters in registers", do_nothing, 1, from_registers },
	{ "nothing; in L1", do_nothing, 1, from_line },
	{ "nothing; in L1, call not predicted", do_nothing, 1, NULL },
	{ "256 KiB of random reads", walk_l1, 1, from_line },
	{ "8 MiB of random reads", walk_l2, 4, from_line },
	{ "128 MiB of random reads", walk_all, 40, from_line },
#if defined(__x86_64__)
	{ "parameters flushed", flush_parameters, 1, from_line },
	{ "code flushed, parameters in L1", flush_code, 1, NULL },
	{ "code and parameters flushed", flush_both, 1, NULL },
#endif
	{ "pread() from a memfd (page cache)", read_memory, 1, from_line },
	{ "the same; in registers", read_memory, 1, from_registers },
	{ "pread() from the disk, O_DIRECT", read_disk, 1, from_line },
	{ "the same; in registers", read_disk, 1, from_registers },
	{ "sleep of 100 us", sleep_a_little, 1, from_line },
	{ "the same; in registers", sleep_a_little, 1, from_registers },
};

static double sample(const struct between *between, struct bench *bench,
		     int is_empty)
{
	const uint64_t random = next_random(&bench->random);
	called *call = between->call;

	if (!call)
		call = code_copies[random % COUNT(code_copies)];
	bench->code = (const void *)(uintptr_t)call;
	(void)time_call(call, bench);
	(void)time_call(from_nothing, bench);
	between->work(bench);
	settle(&bench->random, bench->counter.tick_ns);
	return (double)time_call(is_empty ? from_nothing : call, bench);
}

static void print_call_row(const struct between *between,
			   const struct counter *counter, double *own,
			   double *empty, size_t count)
{
	const double tick_ns = counter->tick_ns;
	const struct spread spread = spread_of(own, count);
	struct mean some, none;

	(void)spread_of(empty, count);
	some = mean_of(own, count, counter->step_ticks);
	none = mean_of(empty, count, counter->step_ticks);
	printf("%-38s %7.1f +- %4.1f (%7.1f - %7.1f) %5.1f %% %7.1f %7zu\n",
	       between->name, (some.mean - none.mean) * tick_ns,
	       hypot(some.error, none.error) * tick_ns,
	       (spread.p10 - none.mean) * tick_ns,
	       (spread.p90 - none.mean) * tick_ns, 100 * some.left_out,
	       none.mean * tick_ns, count);
}

static int print_calls(struct bench *bench, unsigned samples)
{
	double *own[COUNT(betweens)], *empty[COUNT(betweens)];
	size_t count[COUNT(betweens)] = { 0 };

	for (unsigned row = 0; row < COUNT(betweens); row++) {
		own[row] = calloc(samples, sizeof(double));
		empty[row] = calloc(samples, sizeof(double));
		if (!own[row] || !empty[row])
			return 1;
	}
	for (unsigned i = 0; i < samples; i++)
		for (unsigned row = 0; row < COUNT(betweens); row++) {
			const struct between *between = &betweens[row];
			size_t *n = &count[row];

			if (i % between->fewer || (bench->on_disk < 0 &&
						   between->work == read_disk))
				continue;
			empty[row][*n] = sample(between, bench, 1);
			own[row][(*n)++] = sample(between, bench, 0);
		}
	printf("One call after other work: ns above a call of an empty "
	       "function,\nmean and its standard error (p10 - p90). Samples far "
	       "above the others are left out.\n\n%-38s %7s    %4s %19s %7s %7s "
	       "%7s\n", "work before the call", "mean", "", "", "out", "empty",
	       "samples");
	for (unsigned row = 0; row < COUNT(betweens); row++) {
		if (count[row])
			print_call_row(&betweens[row], &bench->counter,
				       own[row], empty[row], count[row]);
		free(own[row]);
		free(empty[row]);
	}
	printf("\n\"Empty\" is what the call of the empty function and two "
	       "ordered reads of the\ncounter take.\n");
	if (bench->on_disk < 0)
		printf("No file there can be read from a disk with O_DIRECT (TMPDIR).\n");
	return 0;
}

/* ---- set up ---- */

static int fill(int file, const char *block)
{
	for (size_t i = 0; i < FILE_BYTES; i += BLOCK_BYTES)
		if (pwrite(file, block, BLOCK_BYTES, (off_t)i) != BLOCK_BYTES)
			return 1;
	return fsync(file) != 0;
}

/* Return a file that is read from a device, or -1. Since Linux 6.6 a tmpfs accepts
 * O_DIRECT, too. */
static int open_on_disk(const char *folder, const char *block)
{
	const int file = open(folder, O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC,
			      0600);
	struct statfs system;

	if (file < 0)
		return -1;
	if (!fstatfs(file, &system) && system.f_type != TMPFS_MAGIC &&
	    !fill(file, block))
		return file;
	close(file);
	return -1;
}

static int set_up(struct bench *bench, const struct tw_clock *clock)
{
	const char *folder = getenv("TMPDIR");
	const struct tw_scale *scale = &clock->scale;

	bench->counter = counter_of(clock);
	bench->own = (struct params) {
		scale->mask, scale->mult, scale->whole, scale->modulus_log2,
		scale->shift,
	};
	bench->copies = aligned_alloc(LINE, LARGEST);
	bench->buffer = aligned_alloc(LINE, LARGEST);
	bench->block = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
	bench->in_memory = memfd_create("questions", MFD_CLOEXEC);
	if (!bench->copies || !bench->buffer || !bench->block ||
	    bench->in_memory < 0)
		return 1;
	for (size_t i = 0; i < LARGEST / sizeof(struct params); i++)
		bench->copies[i] = bench->own;
	memset((char *)bench->buffer, 1, LARGEST);
	memset(bench->block, 1, BLOCK_BYTES);
	if (fill(bench->in_memory, bench->block))
		return 1;
	bench->on_disk = open_on_disk(folder && *folder ? folder : "/var/tmp",
				      bench->block);
	return 0;
}

int main(int argc, char **argv)
{
	static struct bench bench = { .random = 1 };
	struct tw_clock clock;
	unsigned samples;
	int ret;

	help(argc, argv, 1, usage);
	samples = count_of(argv[1], 4000, 1, MOST, usage);
	ret = clock_here(&clock);
	if (ret)
		return ret;
	if (set_up(&bench, &clock)) {
		perror("parameters: memory of 320 MiB");
		return 1;
	}
	print_machine();
	print_loop(&bench);
	ret = print_calls(&bench, samples);
	tw_clock_free(&clock);
	return ret;
}
