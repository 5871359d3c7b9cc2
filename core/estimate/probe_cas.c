/* SPDX-License-Identifier: MIT */
/*
 * Counter readings of several CPUs in one total order.
 *
 * One thread on each CPU loads a number from memory, reads the counter, and
 * swaps the number for the next one. The swap succeeds only if nobody else's
 * did in between, so a reading that got number n was taken after the one that
 * got n - 1 and before the one that got n + 1, on whichever CPUs. What that
 * says about the counters is the judge's business; here is only recorded.
 *
 * Threads meet in bursts: all sleep until the same moment of the system clock,
 * then probe for a fraction of a millisecond. This is what makes it work under
 * load. A thread that spins uses up its share of the CPU and is then away just
 * when the others are there; one that has slept is let in front of the busy
 * ones, at the same time everywhere. It also spreads few samples over a long
 * time, which is what a difference in pace needs. And nobody waits for
 * anybody: a thread that never comes can't hang the others.
 */
#include "probe_worker.h"

#include <sched.h>
#include <string.h>

/* How long a thread waits for others. Wake-up comes late by the 50 us of the
 * kernel's timer slack and by what the scheduler takes under load. */
#define BURST_NS	250000ULL

static _Atomic uint64_t *word_of(const struct tw_probe_worker *worker)
{
	return &worker->run->words[worker->word].sequence;
}

/*
 * To the word of burst @number. No swap succeeds on a word that is sealed, and
 * who takes the next one has seen, or put, the seals on all before it: so the
 * numbers of two words are in the order of the readings as those of one are.
 */
static void go_to_word(struct tw_probe_worker *worker, unsigned number)
{
	unsigned last = worker->run->word_count - 1;

	for (; worker->word < number && worker->word < last; worker->word++)
		atomic_fetch_or(word_of(worker), TW_PROBE_SEALED);
}

/* The counter must be read after the load and before the swap; the fences on
 * both sides of the reading see to it. A failed swap voids the reading. */
static bool attempt(struct tw_probe_worker *worker)
{
	_Atomic uint64_t *word = word_of(worker);
	uint64_t sequence, ticks;

	sequence = atomic_load_explicit(word, memory_order_acquire);
	if (sequence & TW_PROBE_SEALED) {
		worker->word++;
		return false;
	}
	ticks = tw_ticks_begin();
	if (!atomic_compare_exchange_strong(word, &sequence, sequence + 1))
		return false;
	tw_probe_record(worker, sequence, ticks);
	return true;
}

/* The first switch of a burst can be after somebody who has left long ago; at
 * the second, two CPUs have met. Only then is anything learned. */
static bool has_met(const struct tw_probe_worker *worker)
{
	return worker->switches - worker->switches_before >= 2;
}

/* Tell the others once this CPU has all it needs; it goes on for them. */
static void look_at_goal(struct tw_probe_worker *worker, uint64_t now)
{
	const struct tw_probe_goal *goal = &worker->run->goal;
	bool alone = tw_probe_is_alone(worker->run);

	if (!alone && !has_met(worker))
		return;
	if (!worker->first_ns)
		worker->first_ns = now;
	if (now - worker->first_ns >= goal->min_span_ns &&
	    (alone || worker->switches >= goal->least_switches))
		tw_probe_leave(worker);
}

static void fast_turns(struct tw_probe_worker *worker, uint64_t until_ns,
		       size_t end)
{
	uint64_t enough = worker->switches + TW_PROBE_FAST_TURNS;
	uint64_t now = 0;
	unsigned attempts;

	while (now < until_ns && worker->switches < enough &&
	       worker->count + TW_PROBE_ATTEMPTS <= end) {
		for (attempts = 0; attempts < TW_PROBE_ATTEMPTS; attempts++)
			attempt(worker);
		now = tw_probe_now_ns();
		look_at_goal(worker, now);
		if (tw_probe_finished(worker->run, now))
			return;
	}
}

static void slow_turns(struct tw_probe_worker *worker, uint64_t until_ns,
		       size_t end)
{
	uint64_t now = tw_probe_now_ns();
	uint64_t next_ns = now;

	while (now < until_ns && worker->count < end &&
	       !tw_probe_finished(worker->run, now)) {
		if (now >= next_ns && attempt(worker)) {
			look_at_goal(worker, now);
			next_ns = now + BURST_NS / TW_PROBE_SLOW_TURNS;
		}
		now = tw_probe_now_ns();
	}
}

static void burst(struct tw_probe_worker *worker, uint64_t now)
{
	size_t begin = worker->count;
	size_t end = begin + TW_PROBE_BURST_SAMPLES;
	uint64_t until_ns = now + BURST_NS;

	if (end > worker->run->capacity) {
		tw_probe_leave(worker);
		return;
	}
	/* No page fault between a reading and its swap. */
	memset(worker->samples + begin, 0, TW_PROBE_BURST_SAMPLES *
	       sizeof(*worker->samples));
	worker->run_length = 0;
	worker->switches_before = worker->switches;
	fast_turns(worker, until_ns, end);
	slow_turns(worker, until_ns, end);
	/* The kernel moves threads off a CPU that is taken away. */
	if (sched_getcpu() != (int)worker->cpu)
		tw_probe_fail(worker);
}

void *tw_probe_work(void *argument)
{
	struct tw_probe_worker *worker = argument;
	struct tw_probe_run *run = worker->run;
	uint64_t now = tw_probe_now_ns();
	unsigned number;

	tw_probe_ask_for_turns();
	if (run->system->pin(worker->cpu))
		tw_probe_fail(worker);
	while (!worker->failed && !tw_probe_finished(run, now)) {
		now = tw_probe_sleep(run, &number);
		if (tw_probe_finished(run, now))
			break;
		go_to_word(worker, number);
		burst(worker, now);
		now = tw_probe_now_ns();
	}
	if (worker->failed)
		tw_probe_leave(worker);
	return NULL;
}
