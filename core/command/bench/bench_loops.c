/* SPDX-License-Identifier: MIT */
/*
 * What tickwise bench measures: a loop for each way to read the time. A loop
 * runs in blocks of a few microseconds, and the loops take turns in rounds.
 *
 * In every pass of a loop the compiler is made to forget what it knows about
 * the clock (RELOAD). So the clock's fields are loaded again, as they are in a
 * program that does other things between two readings. Each result must exist
 * in a register, or in memory where the function returns it there (KEEP).
 * Neither RELOAD nor KEEP costs an instruction.
 *
 * A block is timed from outside with ordered reads, which add about 20 ns to a
 * few microseconds. This moves a ratio towards 1 by at most a hundredth of its
 * distance from 1.
 */
#include <stdlib.h>

#include "base/allocate.h"
#include "command/bench/bench.h"
#include "command/command.h"
#include "command/output/page.h"

#define CALLS		256		/* in a block: 2 us of bare rdtsc */
#define WARM_UP		16		/* rounds that are not recorded */
#define MIN_ROUND_NS	10000		/* less than all loops take on a very
					 * fast machine */

struct bench {
	struct tw_clock clock;
	struct tw_second second;
	struct timespec now;
};

#define RELOAD(pointer)		__asm__ __volatile__("" : "+r"(pointer))
#define KEEP(value)		__asm__ __volatile__("" : : "r"(value))
#define KEEP_MEMORY(pointer)	__asm__ __volatile__("" : : "r"(pointer) : "memory")

/* Define a loop that does @pass CALLS times. */
#define LOOP(name, pass)						\
	static void loop_##name(struct bench *bench)			\
	{								\
		for (unsigned i = 0; i < CALLS; i++) {			\
			RELOAD(bench);					\
			pass;						\
		}							\
	}

LOOP(rdtsc, KEEP(tw_ticks()))
LOOP(to_ns, KEEP(tw_ticks_to_ns(&bench->clock.scale, tw_ticks())))
LOOP(now, KEEP(tw_clock_ns(&bench->clock)))
LOOP(timespec, tw_clock_timespec(&bench->clock, &bench->second, &bench->now);
     KEEP_MEMORY(&bench->now))
LOOP(system, clock_gettime(CLOCK_MONOTONIC, &bench->now); KEEP_MEMORY(&bench->now))

typedef void loop_function(struct bench *bench);

static loop_function *const loops[TW_LOOPS] = {
	[TW_LOOP_RDTSC] = loop_rdtsc, [TW_LOOP_TO_NS] = loop_to_ns,
	[TW_LOOP_NOW] = loop_now, [TW_LOOP_TIMESPEC] = loop_timespec,
	[TW_LOOP_SYSTEM] = loop_system,
};

#define TEXT_OF(value)	#value
#define TEXT(value)	TEXT_OF(value)

const char *tw_bench_compiler(void)
{
#if defined(__clang__)
	return "clang " TEXT(__clang_major__) "." TEXT(__clang_minor__) "."
	       TEXT(__clang_patchlevel__);
#else
	return "gcc " __VERSION__;
#endif
}

int tw_bench_is_optimized(void)
{
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__)
	return 1;
#else
	return 0;
#endif
}

void tw_bench_costs_init(struct tw_bench_costs *costs, uint64_t window_ns)
{
	*costs = (struct tw_bench_costs) {
		.most = (uint32_t)(window_ns / MIN_ROUND_NS) + 1, .calls = CALLS,
	};
	for (unsigned i = 0; i < TW_LOOPS; i++)
		costs->ticks[i] = tw_zalloc(costs->most, sizeof(*costs->ticks[i]));
}

void tw_bench_costs_free(struct tw_bench_costs *costs)
{
	for (unsigned i = 0; i < TW_LOOPS; i++)
		free(costs->ticks[i]);
}

/* Run one block of each loop, forward and backward in turn, so that a drift
 * during the round cancels. */
static void run_round(struct bench *bench, struct tw_bench_costs *costs,
		      uint32_t round)
{
	for (unsigned i = 0; i < TW_LOOPS; i++) {
		unsigned which = round % 2 ? TW_LOOPS - 1 - i : i;
		loop_function *loop = loops[which];
		uint64_t ticks = tw_ticks_begin();

		loop(bench);
		ticks = tw_ticks_end() - ticks;
		costs->ticks[which][round] = ticks > UINT32_MAX ? UINT32_MAX :
								  (uint32_t)ticks;
	}
}

void tw_bench_measure(struct tw_bench_costs *costs, const struct tw_clock *clock,
		      uint64_t window_ns)
{
	struct tw_progress line = tw_progress_begin("bench");
	struct bench *bench;
	uint64_t begin_ns;
	uint32_t i;

	bench = aligned_alloc(_Alignof(struct bench), sizeof(*bench));
	if (!bench)
		tw_no_memory();
	*bench = (struct bench) { .clock = *clock };
	for (i = 0; i < WARM_UP; i++)
		run_round(bench, costs, 0);
	begin_ns = tw_clock_ns(clock);
	for (i = 0; i < costs->most && tw_clock_ns(clock) - begin_ns < window_ns &&
	     !tw_command_is_interrupted(); i++) {
		run_round(bench, costs, i);
		tw_progress_show(&line, (double)(tw_clock_ns(clock) - begin_ns) /
				 (double)window_ns, "%u rounds", i + 1);
	}
	tw_progress_end(&line);
	costs->rounds = i;
	free(bench);
}
