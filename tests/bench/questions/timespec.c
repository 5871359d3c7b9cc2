/* SPDX-License-Identifier: MIT */
/*
 * What does it cost to keep times as a struct timespec? This is the fifth question
 * that WTMLIB's author left open; timespec.sh has the cost for a whole run of fio.
 *
 * Times loops that read the counter and store the time: as ticks, as nanoseconds in
 * 64 bits, and as a timespec, by a division or without one. Other loops have no
 * reading and subtract two stored times. A division by a constant is compiled at
 * -O2 (a multiplication) and at -Os (an instruction that divides).
 */
#include "questions.h"

static const char usage[] =
	"usage: timespec [ROUNDS]\n\n"
	"Prints what storing and subtracting times costs in each form, measured\n"
	"ROUNDS (default: 2000) times.\n";

#define CALLS		256

#if defined(__clang__)
#define FOR_SIZE	__attribute__((minsize, noinline))
#else
#define FOR_SIZE	__attribute__((optimize("Os"), noinline))
#endif

struct bench {
	struct tw_clock clock;
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

struct loop {
	const char *name;
	double (*time)(struct bench *bench);
	unsigned above;		/* the loop that it is compared with; 0: none */
};

/* Time a loop around one of the functions above, which become part of it. */
#define LOOP(body) \
	static double time_##body(struct bench *bench) \
	{ \
		const uint64_t begin = tw_ticks_begin(); \
		for (unsigned i = 0; i < CALLS; i++) { \
			FORGET(bench); \
			body(bench); \
			KEEP_MEMORY(bench); \
		} \
		return (double)(tw_ticks_end() - begin) / CALLS; \
	}

LOOP(none)
LOOP(ticks)
LOOP(ns_64)
LOOP(divided)
LOOP(divided_small)
LOOP(ours)
LOOP(system_clock)
LOOP(convert_ns)
LOOP(convert_divided)
LOOP(convert_divided_small)
LOOP(convert_ours)
LOOP(subtract_ns)
LOOP(subtract_timespec)

static const struct loop loops[] = {
	{ "an empty loop", time_none, 0 },
	{ "read and store: ticks", time_ticks, 0 },
	{ "  64-bit ns", time_ns_64, 1 },
	{ "  timespec, divided at -O2", time_divided, 1 },
	{ "  timespec, divided at -Os, called", time_divided_small, 1 },
	{ "  timespec, ours (second kept)", time_ours, 1 },
	{ "  timespec, clock_gettime()", time_system_clock, 1 },
	{ "convert and store: 64-bit ns", time_convert_ns, 0 },
	{ "  timespec, divided at -O2", time_convert_divided, 7 },
	{ "  timespec, divided at -Os, called", time_convert_divided_small, 7 },
	{ "  timespec, ours (second kept)", time_convert_ours, 7 },
	{ "subtract: 64-bit ns", time_subtract_ns, 0 },
	{ "  two timespecs to ns", time_subtract_timespec, 11 },
};

#define LOOPS	(sizeof(loops) / sizeof(*loops))

static void print_all(const struct bench *bench, double *samples[LOOPS],
		      size_t rounds)
{
	const double tick_ns = 1e9 / bench->clock.scale.hz;
	struct spread all[LOOPS];

	for (size_t i = 0; i < LOOPS; i++)
		all[i] = spread_of(samples[i], rounds);
	printf("One call in a loop, ns: median (p10 - p90), and the difference "
	       "to the first row of its kind\n\n");
	for (size_t i = 0; i < LOOPS; i++) {
		printf("%-34s %7.2f (%6.2f - %6.2f)", loops[i].name,
		       all[i].median * tick_ns, all[i].p10 * tick_ns,
		       all[i].p90 * tick_ns);
		if (loops[i].above)
			printf("   %+6.2f", (all[i].median -
					     all[loops[i].above].median) *
			       tick_ns);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	double *samples[LOOPS];
	struct bench *bench;
	size_t rounds;

	help(argc, argv, 1, usage);
	rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
	bench = aligned_alloc(_Alignof(struct bench), sizeof(*bench));
	if (!bench || !rounds)
		return 1;
	memset(bench, 0, sizeof(*bench));
	if (clock_here(&bench->clock))
		return 2;
	bench->at = tw_ticks();
	for (size_t i = 0; i < LOOPS; i++) {
		samples[i] = calloc(rounds, sizeof(*samples[i]));
		if (!samples[i])
			return 1;
	}
	/* Loops take turns, so that a disturbance meets all of them. */
	for (size_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < LOOPS; i++)
			samples[i][round] = loops[i].time(bench);
	print_machine();
	print_all(bench, samples, rounds);
	tw_clock_free(&bench->clock);
	free(bench);
	return 0;
}
