/* SPDX-License-Identifier: MIT */
/*
 * The preload clock over a simulated counter and system clock whose slew NTP changes, for one
 * thread, and for several that hand each other what they read while the one that renews is held
 * up. Every answer is within |slew| x 1 ms + 50 ns of the system's clock, and none is below one
 * that any thread had before. Each thread may have an offset, as counters of unlike CPUs have: a
 * reading may then be lower by the difference of two offsets, and no more.
 *
 * Fails if a segment begins with a step, is used before or after its time, or lives longer than
 * half a millisecond. Fails also if an interrupted reading is believed, if a slew that is too
 * steep is followed, if a proposal is accepted late or never, or if the second thread's first
 * reading does not end unordered ones.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "preload/preload_clock.h"
#include "tap.h"

#define MAX_PIECES	3000

__extension__ typedef unsigned __int128 u128;

/* The counter, which each reading advances. */
static uint64_t counter_ticks = 1000000000000;

enum slew { RANDOM, FLIPPING, STEEP };

/* Readings that went backwards, by how much at most, and how far any was beyond the readings of
 * the system's clock before and after it. */
struct seen {
	uint64_t backwards, largest_ns;
	double worst_ns;
};

/* A clock and the system's clock, which is a pure function of the counter: pieces of equal
 * length, each with its own slew. That of the first one is 0. */
static struct run {
	struct tw_preload_clock clock;
	double ns_per_tick;
	uint64_t start_ticks, piece_ticks, pieces;
	struct {
		u128 base;		/* 2^-32 ns */
		uint64_t mult;		/* 2^-32 ns in a tick */
	} piece[MAX_PIECES];
	double interrupted;		/* the share of readings that are */
	int64_t moved_ticks;		/* the counter, by a suspend */
	int stalls;			/* 1: threads are held up in mid-renewal */
	uint64_t top_ns;		/* the largest time that a thread handed on */
	struct seen seen;
} run;

struct thread {
	struct tw_preload_source source;
	pthread_t id;
	uint64_t me, random;
	int64_t offset_ticks;
	struct seen seen;
	const uint64_t *go;		/* of the second thread: it waits for this */
};

static double uniform(uint64_t *random)
{
	return (double)(tap_random(random) >> 11) * 0x1p-53;
}

static uint64_t advance(double ns)
{
	return __atomic_add_fetch(&counter_ticks, (uint64_t)(ns / run.ns_per_tick) + 1,
				  __ATOMIC_SEQ_CST);
}

/* The value read is true at one moment of the time that the reading takes. */
static uint64_t half_read(struct thread *thread, double ns)
{
	ns *= 0.8 + 0.4 * uniform(&thread->random);
	if (run.interrupted > 0 && uniform(&thread->random) < run.interrupted)
		ns += 500 + 4500 * uniform(&thread->random);
	return advance(ns);
}

static uint64_t read_ticks(void *context)
{
	struct thread *thread = context;
	uint64_t ticks = half_read(thread, 12) + (uint64_t)thread->offset_ticks;

	half_read(thread, 12);
	return ticks + (uint64_t)run.moved_ticks;
}

/* Read for the slow paths. Now and then a thread is held up here, as if another one took its CPU
 * at this point. The counter advances even if all threads are held up. */
static uint64_t read_ticks_slowly(void *context)
{
	struct thread *thread = context;
	uint64_t ticks = read_ticks(context), end;

	if (run.stalls && tap_random(&thread->random) % 128 == 0) {
		/* For as long as a few segments at most, mostly for a part of one. */
		end = advance(0) + (UINT64_C(1) << tap_random(&thread->random) % 22);
		/* Yield seldom: each call may give the CPU to a busy loop for some milliseconds. */
		for (unsigned polls = 1; advance(30) < end; polls++)
			if (polls % 4096 == 0)
				sched_yield();
	}
	return ticks;
}

/* Return what the system's clock shows at a tick. */
static uint64_t system_ns(uint64_t ticks)
{
	uint64_t since = ticks - run.start_ticks, i = since / run.piece_ticks;

	i = i < run.pieces ? i : run.pieces - 1;
	since -= i * run.piece_ticks;
	return (uint64_t)((run.piece[i].base + (u128)since * run.piece[i].mult) >> 32);
}

static uint64_t system_now(const struct thread *thread)
{
	return system_ns(__atomic_load_n(&counter_ticks, __ATOMIC_SEQ_CST) +
			 (uint64_t)thread->offset_ticks);
}

static uint64_t read_ns(void *context)
{
	struct thread *thread = context;
	uint64_t ticks = half_read(thread, 10) + (uint64_t)thread->offset_ticks;

	half_read(thread, 8);
	return system_ns(ticks);
}

/* Make a new clock with @pieces of slew from now on. */
static void begin(enum slew slew, double limit_ppm, double hz, double piece_ns, uint64_t pieces,
		  uint64_t seed)
{
	/* Start at an uptime of some hours. */
	u128 base = (u128)12345678901234ULL << 32;

	memset(&run, 0, sizeof(run));
	run.clock = (struct tw_preload_clock)TW_PRELOAD_CLOCK_INIT;
	run.ns_per_tick = 1e9 / hz;
	run.start_ticks = advance(0);
	run.piece_ticks = (uint64_t)(piece_ns * hz / 1e9);
	run.pieces = pieces;
	for (uint64_t i = 0; i < pieces; i++) {
		double ppm = i == 0 ? 0 :
			     slew == RANDOM ? limit_ppm * (2 * uniform(&seed) - 1) :
			     slew == FLIPPING ? i % 2 ? limit_ppm : -limit_ppm :
			     i > 40 && i < 80 ? limit_ppm : 100;

		run.piece[i].base = base;
		run.piece[i].mult = (uint64_t)(run.ns_per_tick * (1 + ppm * 1e-6) * 4294967296.0);
		base += (u128)run.piece_ticks * run.piece[i].mult;
	}
	/* The rate is known to some ppm only. */
	tw_preload_enable(&run.clock, run.ns_per_tick * (1 + 5e-6 * (2 * uniform(&seed) - 1)));
}

/* Take the time handed on, read the clock as the preload library does, and hand that on. */
static void step(struct thread *thread)
{
	uint64_t top_ns = __atomic_load_n(&run.top_ns, __ATOMIC_ACQUIRE), handed = top_ns;
	uint64_t low_ns = system_now(thread), high_ns, seconds, ns;
	struct seen *seen = &thread->seen;

	if (tw_preload_alone(&run.clock, thread->me, read_ticks, thread, &seconds, &ns) ||
	    tw_preload_among(&run.clock, read_ticks, thread, &seconds, &ns))
		ns += seconds * 1000000000;
	else
		ns = tw_preload_ns(&run.clock, &thread->source, thread->me);
	while (handed < ns && !__atomic_compare_exchange_n(&run.top_ns, &handed, ns, 1,
							   __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	high_ns = system_now(thread);
	if (ns < top_ns) {
		seen->backwards++;
		if (top_ns - ns > seen->largest_ns)
			seen->largest_ns = top_ns - ns;
	}
	seen->worst_ns = fmax(seen->worst_ns, fmax((double)(int64_t)(low_ns - ns),
						   (double)(int64_t)(ns - high_ns)));
}

static struct thread thread_of(uint64_t me, uint64_t random)
{
	return (struct thread) {
		.source = { read_ticks_slowly, read_ns, NULL }, .me = me, .random = random,
	};
}

/* ---- one thread ---- */

/* Read until @pieces end, with pauses of up to @pause_ns, mostly brief ones. */
static void read_alone(struct thread *thread, uint64_t pieces, double pause_ns)
{
	uint64_t end = run.start_ticks + run.piece_ticks * (pieces - 1);

	thread->source.context = thread;
	thread->seen = (struct seen) { 0 };
	while (advance(pause_ns * pow(uniform(&thread->random), 4)) < end)
		step(thread);
	run.seen = thread->seen;
}

static void check(const char *what, double slew_ppm)
{
	/* A bound in whole numbers is compared with floored values. */
	tap_ok(run.seen.worst_ns <= slew_ppm + TW_STEER_BOUND_NS && !run.seen.backwards,
	       "%s: never backwards, %.1f ns off at most", what, run.seen.worst_ns);
}

static void slews(uint64_t seed)
{
	static const double limits[] = { 0, 12, 100, 500 };
	static const double rates[] = { 1e9, 2.1e9, 4.7e9 };
	char what[64];

	for (unsigned i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		for (unsigned j = 0; j < 4; j++) {
			enum slew slew = j < 2 ? FLIPPING : RANDOM;
			struct thread thread = thread_of(64, seed + i * 4 + j);

			snprintf(what, sizeof(what), "slew up to %g ppm, %s, %g GHz", limits[i],
				 slew == RANDOM ? "random" : "flipping", rates[(i + j) % 3] / 1e9);
			begin(slew, limits[i], rates[(i + j) % 3], j % 2 ? 700000 : 3300000, 60,
			      seed + j);
			run.interrupted = 0.001;
			read_alone(&thread, 60, 5000);
			check(what, limits[i]);
			/* Otherwise the test tested the system's clock. */
			tap_ok(run.clock.counts.renewed > 50, "%s: from the counter", what);
		}
	}
}

/* Every reading is interrupted, or no thread reads for long. */
static void disturbed(uint64_t seed)
{
	struct thread thread = thread_of(64, seed);

	/* With 200 pieces, one seed in fifty left no reading disturbed from its beginning to
	 * its end. With five times as many, e^-20 will. */
	begin(RANDOM, 500, 2.6e9, 1e6, 1000, seed);
	run.interrupted = 0.2;
	read_alone(&thread, 1000, 4000);
	check("every fifth read interrupted", 500);
	tap_ok(run.clock.counts.wide > 0, "readings were refused");

	begin(RANDOM, 500, 2.6e9, 1e6, 3000, seed);
	run.interrupted = 0.001;
	read_alone(&thread, 3000, 3e6);
	check("pauses of up to 3 ms", 500);
	tap_ok(run.clock.counts.entered > 10, "segments expired");
}

static void too_steep(uint64_t seed, double steep_ppm)
{
	struct thread thread = thread_of(64, seed);
	uint64_t renewed;
	char what[64];

	snprintf(what, sizeof(what), "slew of %g ppm", steep_ppm);
	begin(STEEP, steep_ppm, 2.6e9, 1e6, 120, seed);
	read_alone(&thread, 70, 2000);
	check(what, fabs(steep_ppm));
	renewed = run.clock.counts.renewed;
	read_alone(&thread, 78, 2000);
	/* The ticks by which the rate is off are the system clock's own. */
	tap_ok(run.clock.counts.renewed == renewed && run.seen.worst_ns < 2,
	       "%s: the real clock", what);
	read_alone(&thread, 120, 2000);
	check(what, fabs(steep_ppm));
	tap_ok(run.clock.counts.renewed > renewed, "%s: the counter again, once it has ended",
	       what);
}

/* The counter goes on and the system's clock does not; or the counter starts anew. The kernel
 * takes longer than a millisecond of its clock to stop all programs and to let them run. */
static void suspended(uint64_t seed, double counter_s)
{
	struct thread thread = thread_of(64, seed);

	begin(FLIPPING, 0, 2.6e9, 1e6, 200, seed);
	read_alone(&thread, 100, 2000);
	check("before the suspend", 0);
	run.moved_ticks = (int64_t)(counter_s * 2.6e9);
	advance(1e6);
	read_alone(&thread, 200, 2000);
	check(counter_s > 0 ? "after it, the counter went on" :
	      "after it, the counter began anew", 0);
}

/* ---- several threads ---- */

static void *thread_main(void *context)
{
	uint64_t end = run.start_ticks + run.piece_ticks * run.pieces;

	while (advance(60) < end)
		step(context);
	return NULL;
}

/* Of all runs: a thread that is held up with the lock may keep it all the time. */
static uint64_t renewed_by_several;

static void readers(unsigned threads, uint64_t apart_ns, int stalls, uint64_t seed)
{
	/* One each for the rounding of the offset and of both readings, and the slew. */
	uint64_t allowed_ns = apart_ns ? apart_ns + 3 : 0;
	struct thread all[16];
	unsigned started;

	begin(RANDOM, 500, 2.1e9, 1e6, stalls ? 700 : 100, seed);
	run.stalls = stalls;
	for (started = 0; started < threads; started++) {
		struct thread *thread = &all[started];

		*thread = thread_of(64 * (started + 1), seed + started + 1);
		thread->source.context = thread;
		thread->offset_ticks = started % 2 ? (int64_t)((double)apart_ns * 2.1) : 0;
		if (pthread_create(&thread->id, NULL, thread_main, thread))
			break;
	}
	for (unsigned i = 0; i < started; i++) {
		pthread_join(all[i].id, NULL);
		run.seen.backwards += all[i].seen.backwards;
		if (all[i].seen.largest_ns > run.seen.largest_ns)
			run.seen.largest_ns = all[i].seen.largest_ns;
	}
	if (started < threads)
		tap_skip("no threads");
	else
		tap_ok(run.seen.largest_ns <= allowed_ns,
		       "%u threads, %s, counters %u ns apart: never backwards by more", threads,
		       stalls ? "held up" : "not held up", (unsigned)apart_ns);
	tap_note("%" PRIu64 " backwards by up to %" PRIu64 " ns; renewed %" PRIu64,
		 run.seen.backwards, run.seen.largest_ns, run.clock.counts.renewed);
	renewed_by_several += run.clock.counts.renewed;
}

static void *second_main(void *context)
{
	const struct thread *second = context;

	while (!__atomic_load_n(second->go, __ATOMIC_ACQUIRE))
		sched_yield();
	for (unsigned i = 0; i < 200; i++)
		step(context);
	return NULL;
}

/* One thread has the clock for itself, until another comes. */
static void turn(unsigned rounds, uint64_t seed)
{
	uint64_t backwards = 0, alone = 0;

	for (unsigned i = 0; i < rounds; i++) {
		struct thread first = thread_of(64, seed + i), second = thread_of(128, seed ^ i);
		uint64_t go = 0, reads = 10000 + tap_random(&first.random) % 10000;

		begin(RANDOM, 500, 2.1e9, 1e6, 20, seed + i);
		first.source.context = &first;
		second.source.context = &second;
		second.go = &go;
		if (pthread_create(&second.id, NULL, second_main, &second)) {
			tap_skip("no thread");
			return;
		}
		/* Read until the thread owns the clock, and has owned it for some time. */
		for (; reads; reads--, advance(300))
			step(&first);
		alone += run.clock.owner == 64 && run.clock.counts.entered;
		__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
		for (reads = 0; reads < 400; reads++)
			step(&first);
		pthread_join(second.id, NULL);
		backwards += first.seen.backwards + second.seen.backwards;
	}
	tap_ok(!backwards && alone == rounds, "%u times a second thread came: %" PRIu64
	       " backwards, alone before in %" PRIu64, rounds, backwards, alone);
}

int main(void)
{
	uint64_t seed = tap_seed();

	slews(seed);
	disturbed(seed);
	too_steep(seed, 700);
	too_steep(seed, -700);
	too_steep(seed, 20000);
	too_steep(seed, -20000);
	suspended(seed, 3.5);
	suspended(seed, -40);
	readers(2, 0, 0, seed);
	readers(16, 0, 0, seed);
	readers(16, 0, 1, seed);
	readers(4, 200, 0, seed);
	readers(4, 1000, 1, seed);
	tap_ok(renewed_by_several > 0, "while segments were renewed");
	turn(30, seed);
	return tap_done();
}
