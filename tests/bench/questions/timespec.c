/* SPDX-License-Identifier: MIT */
/*
 * What does it cost to keep times as a struct timespec? This is the fifth question
 * that WTMLIB's author left open; timespec.sh has the cost for a whole run of fio.
 *
 * Times code that reads the counter and stores the time: as ticks, as nanoseconds in
 * 64 bits, and as a timespec, by a division or without one. Some rows do fio's
 * work, without and with our patches. Other rows have no reading, or subtract
 * two stored times. A division by a constant is compiled at -O2 (a multiplication)
 * and at -Os (an instruction that divides).
 *
 * Each is timed in a loop, and as one call between two ordered reads of the counter,
 * after the CPU has waited 4 us. An empty loop, and two reads with nothing between,
 * are subtracted. All take turns.
 */
#include "questions.h"

static const char usage[] =
	"usage: timespec [ROUNDS]\n\n"
	"Prints what storing and subtracting times costs in each form, measured\n"
	"ROUNDS (default: 4000) times.\n";

#define CALLS		256

#if defined(__clang__)
#define FOR_SIZE	__attribute__((minsize, noinline))
#else
#define FOR_SIZE	__attribute__((optimize("Os"), noinline))
#endif

enum source { SOURCE_DAY, SOURCE_SYSTEM, SOURCE_COUNTER };

struct bench {
	struct tw_clock clock;
	struct tw_wide wide;
	uint64_t start;			/* ticks, of fio's forms */
	uint64_t wrapped;		/* set before start, never read */
	enum source source;
	const struct timespec *stand_in;
	struct tw_second second;
	struct timespec now, before;
	uint64_t now_ns, before_ns;
	uint64_t at;			/* ticks to convert */
};

static void none(struct bench *bench)
{
	KEEP(bench);
}

static void ticks(struct bench *bench)
{
	bench->now_ns = tw_ticks();
}

static void ns_64(struct bench *bench)
{
	bench->now_ns = tw_clock_ns(&bench->clock);
}

static inline __attribute__((always_inline)) void divide(struct timespec *to,
							 uint64_t ns)
{
	to->tv_sec = (time_t)(ns / TW_NS_PER_SECOND);
	to->tv_nsec = (long)(ns % TW_NS_PER_SECOND);
}

static void divided(struct bench *bench)
{
	divide(&bench->now, tw_clock_ns(&bench->clock));
}

static FOR_SIZE void divide_small(struct timespec *to, uint64_t ns)
{
	divide(to, ns);
}

static void divided_small(struct bench *bench)
{
	divide_small(&bench->now, tw_clock_ns(&bench->clock));
}

static void ours(struct bench *bench)
{
	tw_clock_timespec(&bench->clock, &bench->second, &bench->now);
}

/* What fio does: a call that asks whether another thread keeps the time, and which
 * clock is read. The counter is checked for a wrap, converted and divided. */
static __attribute__((noinline)) void fio_call(struct bench *bench)
{
	uint64_t now, ns = 0;

	if (bench->stand_in) {
		bench->now = *bench->stand_in;
		return;
	}
	switch (bench->source) {
	case SOURCE_DAY:
		clock_gettime(CLOCK_REALTIME, &bench->now);
		return;
	case SOURCE_SYSTEM:
		clock_gettime(CLOCK_MONOTONIC, &bench->now);
		return;
	case SOURCE_COUNTER:
		now = tw_ticks();
		if (now < bench->start)
			bench->wrapped = now;
		ns = tw__scale_modulus(&bench->clock.scale, now - bench->start);
		break;
	}
	divide(&bench->now, ns);
}

static void as_fio(struct bench *bench)
{
	fio_call(bench);
}

/* What fio does with our patches: inline, and a 128-bit product to nearest. */
static void as_patched(struct bench *bench)
{
	if (bench->source == SOURCE_COUNTER)
		bench->now_ns = wide_nearest_ns(&bench->wide,
						tw_ticks() - bench->start);
	else
		fio_call(bench);
}

/* The same for counters whose ticks are shorter than 1 ns: there the shift before
 * the product is by 0. */
static void as_patched_no_shift(struct bench *bench)
{
	if (bench->source == SOURCE_COUNTER)
		bench->now_ns = (uint64_t)(((u128)(tw_ticks() - bench->start) *
					    bench->wide.mult + (1ULL << 63)) >>
					   64);
	else
		fio_call(bench);
}

static void system_clock(struct bench *bench)
{
	clock_gettime(CLOCK_MONOTONIC, &bench->now);
}

/* The same from a number that is there: no reading hides the conversion. */
static void convert_ns(struct bench *bench)
{
	bench->now_ns = tw_clock_ns_at(&bench->clock, bench->at += 1021);
}

static void convert_divided(struct bench *bench)
{
	divide(&bench->now, tw_clock_ns_at(&bench->clock, bench->at += 1021));
}

static void convert_divided_small(struct bench *bench)
{
	divide_small(&bench->now,
		     tw_clock_ns_at(&bench->clock, bench->at += 1021));
}

static void convert_ours(struct bench *bench)
{
	uint64_t ns = tw_clock_ns_at(&bench->clock, bench->at += 1021);

	if (tw__unlikely(ns - bench->second.start_ns >= TW_NS_PER_SECOND)) {
		tw__clock_timespec_slow(ns, &bench->second.start_ns,
					&bench->now);
		bench->second.seconds = bench->now.tv_sec;
		return;
	}
	bench->now.tv_sec = bench->second.seconds;
	bench->now.tv_nsec = (long)(ns - bench->second.start_ns);
}

static void subtract_ns(struct bench *bench)
{
	KEEP(bench->now_ns - bench->before_ns);
}

/* As fio does: subtract the parts, borrow, and multiply back. */
static void subtract_timespec(struct bench *bench)
{
	int64_t s = bench->now.tv_sec - bench->before.tv_sec;
	int64_t ns = bench->now.tv_nsec - bench->before.tv_nsec;

	if (s > 0 && ns < 0) {
		s--;
		ns += (int64_t)TW_NS_PER_SECOND;
	}
	KEEP(s * (int64_t)TW_NS_PER_SECOND + ns);
}

struct row {
	const char *name;
	double (*in_loop)(struct bench *bench);
	double (*one)(struct bench *bench);
	unsigned above;		/* the row that it is compared with */
};

/* Time a loop around one of the functions above, which becomes part of it; and one
 * execution. */
#define TIMED(body) \
	static double loop_##body(struct bench *bench) \
	{ \
		const uint64_t begin = tw_ticks_begin(); \
		for (unsigned i = 0; i < CALLS; i++) { \
			FORGET(bench); \
			body(bench); \
			KEEP_MEMORY(bench); \
		} \
		return (double)(tw_ticks_end() - begin) / CALLS; \
	} \
	static __attribute__((noinline, aligned(64))) double \
	one_##body(struct bench *bench) \
	{ \
		const uint64_t begin = tw_ticks_begin(); \
		FORGET(bench); \
		body(bench); \
		KEEP_MEMORY(bench); \
		return (double)(tw_ticks_end() - begin); \
	}

TIMED(none)
TIMED(ticks)
TIMED(ns_64)
TIMED(divided)
TIMED(divided_small)
TIMED(ours)
TIMED(as_fio)
TIMED(as_patched)
TIMED(as_patched_no_shift)
TIMED(system_clock)
TIMED(convert_ns)
TIMED(convert_divided)
TIMED(convert_divided_small)
TIMED(convert_ours)
TIMED(subtract_ns)
TIMED(subtract_timespec)

/* Rows come after the one that they are compared with. */
enum {
	ROW_NONE, ROW_TICKS, ROW_NS, ROW_PATCHED, ROW_NO_SHIFT, ROW_DIVIDED,
	ROW_SMALL, ROW_OURS, ROW_FIO, ROW_SYSTEM, ROW_CONVERT,
	ROW_CONVERT_DIVIDED, ROW_CONVERT_SMALL, ROW_CONVERT_OURS, ROW_SUBTRACT,
	ROW_SUBTRACT_TIMESPEC, ROWS
};

#define ROW(name, body, above)	{ name, loop_##body, one_##body, above }

static const struct row rows[ROWS] = {
	[ROW_NONE] = ROW("nothing", none, ROW_NONE),
	[ROW_TICKS] = ROW("read and store: ticks", ticks, ROW_NONE),
	[ROW_NS] = ROW("  64-bit ns", ns_64, ROW_TICKS),
	[ROW_PATCHED] = ROW("  64-bit ns, as fio's patch", as_patched, ROW_TICKS),
	[ROW_NO_SHIFT] = ROW("  the same without its shift", as_patched_no_shift,
			     ROW_TICKS),
	[ROW_DIVIDED] = ROW("  timespec, divided at -O2", divided, ROW_TICKS),
	[ROW_SMALL] = ROW("  timespec, divided at -Os, called", divided_small,
			  ROW_TICKS),
	[ROW_OURS] = ROW("  timespec, ours (second kept)", ours, ROW_TICKS),
	[ROW_FIO] = ROW("  timespec, as fio", as_fio, ROW_TICKS),
	[ROW_SYSTEM] = ROW("  timespec, clock_gettime()", system_clock, ROW_TICKS),
	[ROW_CONVERT] = ROW("convert and store: 64-bit ns", convert_ns, ROW_NONE),
	[ROW_CONVERT_DIVIDED] = ROW("  timespec, divided at -O2",
				    convert_divided, ROW_CONVERT),
	[ROW_CONVERT_SMALL] = ROW("  timespec, divided at -Os, called",
				  convert_divided_small, ROW_CONVERT),
	[ROW_CONVERT_OURS] = ROW("  timespec, ours (second kept)", convert_ours,
				 ROW_CONVERT),
	[ROW_SUBTRACT] = ROW("subtract: 64-bit ns", subtract_ns, ROW_NONE),
	[ROW_SUBTRACT_TIMESPEC] = ROW("  two timespecs to ns", subtract_timespec,
				      ROW_SUBTRACT),
};

static void print_loops(double *samples[ROWS], size_t rounds,
			const struct counter *counter)
{
	const double tick_ns = counter->tick_ns;
	struct spread all[ROWS];

	printf("In a loop, ns above an empty one: median (p10 - p90), and the "
	       "difference to the\nfirst row of its kind. This counter moves in "
	       "steps of %.2f ns. So a loop resolves\n%.2f ns: that is a tie.\n\n",
	       counter->step_ticks * tick_ns,
	       counter->step_ticks * tick_ns / CALLS);
	for (size_t i = 0; i < ROWS; i++) {
		all[i] = spread_of(samples[i], rounds);
		printf("%-34s %7.2f (%6.2f - %6.2f)", rows[i].name,
		       (all[i].median - (i ? all[0].median : 0)) * tick_ns,
		       (all[i].p10 - (i ? all[0].median : 0)) * tick_ns,
		       (all[i].p90 - (i ? all[0].median : 0)) * tick_ns);
		if (rows[i].above != ROW_NONE)
			printf("   %+6.2f", (all[i].median -
					     all[rows[i].above].median) *
			       tick_ns);
		printf("\n");
	}
}

static void print_ones(double *samples[ROWS], size_t rounds,
		       const struct counter *counter)
{
	const double tick_ns = counter->tick_ns;
	struct mean all[ROWS];

	printf("\nOne call, ns above two reads with nothing between: mean and its "
	       "standard error, and\nthe difference. Samples far above the others "
	       "are left out.\n\n");
	for (size_t i = 0; i < ROWS; i++) {
		const struct mean *first = &all[rows[i].above];

		(void)spread_of(samples[i], rounds);
		all[i] = mean_of(samples[i], rounds, counter->step_ticks);
		printf("%-34s %7.2f +- %4.2f %5.1f %% out", rows[i].name,
		       (all[i].mean - (i ? all[0].mean : 0)) * tick_ns,
		       hypot(all[i].error, i ? all[0].error : 0) * tick_ns,
		       100 * all[i].left_out);
		if (rows[i].above != ROW_NONE)
			printf("   %+6.2f +- %4.2f",
			       (all[i].mean - first->mean) * tick_ns,
			       hypot(all[i].error, first->error) * tick_ns);
		printf("\n");
	}
}

static int measure(struct bench *bench, size_t rounds)
{
	const struct counter counter = counter_of(&bench->clock);
	double *in_loop[ROWS], *one[ROWS];
	uint64_t random = 1;

	for (size_t i = 0; i < ROWS; i++) {
		in_loop[i] = calloc(rounds, sizeof(double));
		one[i] = calloc(rounds, sizeof(double));
		if (!in_loop[i] || !one[i])
			return 1;
	}
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < ROWS; i++) {
			in_loop[i][round] = rows[i].in_loop(bench);
			/* Once before, so that its code is in the cache. */
			(void)rows[i].one(bench);
			settle(&random, counter.tick_ns);
			one[i][round] = rows[i].one(bench);
		}
	print_loops(in_loop, rounds, &counter);
	print_ones(one, rounds, &counter);
	for (size_t i = 0; i < ROWS; i++) {
		free(in_loop[i]);
		free(one[i]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct bench *bench;
	size_t rounds;
	int ret;

	help(argc, argv, 1, usage);
	rounds = count_of(argv[1], 4000, 1, MOST, usage);
	bench = aligned_alloc(_Alignof(struct bench), sizeof(*bench));
	if (!bench)
		return 1;
	memset(bench, 0, sizeof(*bench));
	if (clock_here(&bench->clock))
		return 2;
	bench->at = bench->start = tw_ticks();
	bench->source = SOURCE_COUNTER;
	bench->wide = tw_wide_of(&(struct tw_rate) {
		.hz = bench->clock.scale.hz,
	});
	print_machine();
	ret = measure(bench, rounds);
	tw_clock_free(&bench->clock);
	free(bench);
	return ret;
}
