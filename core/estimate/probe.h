/* SPDX-License-Identifier: MIT */
/*
 * The collector of counter readings. With threads on all CPUs, compare-and-swap orders the
 * readings (probe_cas.c). With one thread that moves from CPU to CPU, its own course orders
 * them (probe_switch.c). Both record the same samples, in bursts at the same times
 * (probe_thread.c). probe_run.c starts the threads. Internal.
 */
#ifndef TW_ESTIMATE_PROBE_H
#define TW_ESTIMATE_PROBE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "judge.h"
#include "timespec.h"

/* The functions of the system that can fail; tests pass their own. */
struct tw_probe_system {
	int (*create)(pthread_t *thread, const pthread_attr_t *attributes,
		      void *(*start)(void *), void *argument);
	int (*pin)(unsigned cpu);	/* the calling thread; 0 or -errno */
};

extern const struct tw_probe_system tw_probe_system_real;

struct tw_probe_run;

/* Allocate memory for the probes of @cpus, with rising numbers. @time_limit_ns: of all
 * calls of tw_probe_collect() together. @system: NULL for the real one. Return: 0;
 * -ENOMEM. */
int tw_probe_new(struct tw_probe_run **run, enum tw_reliability_method method,
		 const unsigned *cpus, unsigned count, uint64_t time_limit_ns,
		 const struct tw_probe_system *system);
void tw_probe_free(struct tw_probe_run *run);

/* Return the number of readings so far. Set @cpus to how many CPUs take part. */
uint64_t tw_probe_count(const struct tw_probe_run *run, unsigned *cpus);

/* When to stop: at the deadline, or when each CPU has reached the other two. */
struct tw_probe_goal {
	uint64_t deadline_ns;		/* of CLOCK_MONOTONIC */
	uint64_t least_switches;
	uint64_t min_span_ns;
};

/* Let the CPUs take turns until the goal or the deadline; samples are added to those of
 * earlier calls. CPUs on which no thread could be started or kept are left out from
 * then on. Return: 1 when the goal was reached; 0 at the deadline; -EAGAIN when no CPU
 * took part. */
int tw_probe_collect(struct tw_probe_run *run,
		     const struct tw_probe_goal *goal);

/* Hand out what was recorded, by rising CPU number; @samples has room for all CPUs.
 * Return how many CPUs took part to the end. @run still owns the samples. */
unsigned tw_probe_samples(const struct tw_probe_run *run,
			  struct tw_cpu_samples *samples);

/* ---- the threads: probe_cas.c and probe_switch.c contain what one thread does ---- */

/* The first distance of the bursts, and after how many of them it doubles. So
 * memory grows with the logarithm of the time limit. */
#define TW_PROBE_PERIOD_NS		1000000ULL
#define TW_PROBE_BURSTS_PER_PERIOD	128

/* Turns that are taken as fast as possible, and then turns at equal distances over the
 * rest of the burst, with which a late CPU still meets all others. */
#define TW_PROBE_FAST_TURNS		32
#define TW_PROBE_SLOW_TURNS		16

/* Attempts between two readings of the clock: these take some microseconds. */
#define TW_PROBE_ATTEMPTS		32

/* Two samples for every turn, and those of a turn that was too long. */
#define TW_PROBE_BURST_SAMPLES		(2 * (TW_PROBE_FAST_TURNS + \
					      TW_PROBE_SLOW_TURNS) + \
					 TW_PROBE_ATTEMPTS)

/* Moves in one burst of the single thread, and the most samples that they leave
 * on one CPU: two for every stay. Every other stay is on the base. */
#define TW_PROBE_MOVES			256
#define TW_PROBE_TOUR_SAMPLES		(TW_PROBE_MOVES + 4)

/*
 * What the threads swap: the number that the next reading gets. How fast a cache line
 * goes from CPU to CPU also depends on its address, and the fastest swaps give the
 * bounds, so each burst has its own word, of two cache lines: processors fetch a line
 * with its neighbour. Numbers begin at the word's own place << TW_PROBE_WORD_SHIFT. A
 * word with the top bit set is sealed, and the numbers go on in the next word.
 */
#define TW_PROBE_WORD_SHIFT		40
#define TW_PROBE_SEALED			(1ULL << 63)

struct tw_probe_word {
	_Alignas(128) _Atomic uint64_t sequence;
	char padding[128 - sizeof(uint64_t)];
};

/* One CPU and its samples. With compare-and-swap each CPU has a thread. With
 * switching there is only one thread, which the first worker keeps. */
struct tw_probe_worker {
	_Alignas(128) struct tw_probe_run *run;
	struct tw_sample *samples;
	size_t count;
	uint64_t probes;
	uint64_t switches;		/* readings after another CPU's */
	uint64_t switches_before;	/* those before this burst */
	uint64_t next_sequence;		/* the number right after our last probe */
	uint64_t first_ns;		/* of the first meeting; 0: none yet */
	unsigned run_length;		/* samples of this turn, 0 to 2 */
	unsigned cpu;
	unsigned word;			/* all words before it are sealed */
	bool satisfied;
	bool failed;			/* its samples can't be used */
	bool stopped;			/* it has no thread; its samples are good */
	bool started;
	pthread_t thread;
};

struct tw_probe_run {
	_Alignas(128) _Atomic unsigned unsatisfied;	/* workers that need more */
	_Atomic unsigned present;	/* workers that have not failed */
	enum tw_reliability_method method;
	const struct tw_probe_system *system;
	struct tw_probe_goal goal;
	uint64_t origin_ns;		/* when the wait for burst 0 began; 0: not yet */
	size_t capacity;		/* samples per worker */
	struct tw_probe_word *words;
	unsigned word_count;
	uint64_t tour_sequence;		/* the number that is used without words */
	unsigned count;
	struct tw_probe_worker *workers;
};

/* Return the distance of burst @number from the next one. */
static inline uint64_t tw_probe_period_ns(unsigned number)
{
	return TW_PROBE_PERIOD_NS << number / TW_PROBE_BURSTS_PER_PERIOD;
}

static inline uint64_t tw_probe_now_ns(void)
{
	return tw_clock_id_ns(CLOCK_MONOTONIC);
}

/* Run as a thread: with compare-and-swap for a struct tw_probe_worker, with
 * switching for the struct tw_probe_run. */
void *tw_probe_work(void *worker);
void *tw_probe_tour(void *run);

/* Note that this worker needs no more samples, or that it will not take part
 * any more. */
void tw_probe_leave(struct tw_probe_worker *worker);
void tw_probe_fail(struct tw_probe_worker *worker);

/* Tell the others when this CPU has all it needs: @had switches. It goes on for the others. */
void tw_probe_look_at_goal(struct tw_probe_worker *worker, uint64_t now, uint64_t had);

/* True if no worker needs more samples, or the time is over. */
bool tw_probe_finished(struct tw_probe_run *run, uint64_t now_ns);

/* True if no other CPU takes part. */
bool tw_probe_is_alone(struct tw_probe_run *run);

/* Ask the kernel (Linux 6.12 and later) to run the calling thread soon rather than for
 * long when other threads are always busy. */
void tw_probe_ask_for_turns(void);

/* Sleep until the next burst, whose number is set, or the deadline. Return the time
 * then. */
uint64_t tw_probe_sleep(struct tw_probe_run *run, unsigned *number);

/*
 * Record a reading. Of a turn the first and the last stay, as only these can bound an
 * offset: the first came soonest after the other CPUs, the last was the latest before
 * them. A reading that is smaller than the one before proves a fault, and stays.
 */
void tw_probe_record(struct tw_probe_worker *worker, uint64_t sequence,
		     uint64_t ticks);

/* ---- collecting and judging: reliability.c; users of the library have
 * tw_reliability_measure() ---- */

/* Find how far the counters are apart, and the reasons that follow. All of @result but
 * the verdict is set; release it with tw_reliability_free(). @options: complete, see
 * tw_trust_options(). @system: NULL: the real one. The counter must be readable.
 * Return: as tw_reliability_measure(). */
int tw_estimate(struct tw_reliability *result,
		const struct tw_reliability_options *options,
		const struct tw_probe_system *system);

#endif
