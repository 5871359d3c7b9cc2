/* SPDX-License-Identifier: MIT */
/*
 * Reads the counters of several CPUs in one total order. One thread on each CPU loads a
 * number from memory, reads the counter, and swaps the number for the next one, which
 * succeeds only if no other thread's swap did in between. So the reading with number n
 * was taken after that with n - 1 and before that with n + 1, on any CPUs.
 *
 * Threads sleep until the same moment of the system clock, and then probe for a
 * fraction of a millisecond. A thread that spins uses up its share of the CPU, and is
 * away when the others are there; a thread that has slept runs before the busy ones.
 * Bursts also spread few samples over a long time, which a difference in pace needs. No
 * thread waits for another, so one that never comes can't block the others.
 */
#include "probe.h"

#include <sched.h>
#include <string.h>

/* How long a thread waits for others. It wakes up late by the 50 us of the
 * kernel's timer slack, and under load by what the scheduler takes. */
#define BURST_NS	250000ULL

static _Atomic uint64_t *word_of(const struct tw_probe_worker *worker)
{
	return &worker->run->words[worker->word].sequence;
}

/* Try to record a reading. The counter must be read after the load and before the swap: the
 * fences on both sides of the reading do that. */
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

static void look_at_goal(struct tw_probe_worker *worker, uint64_t now)
{
	bool alone = tw_probe_is_alone(worker->run);

	/* The first switch of a burst can follow a thread that has left long ago; only with
	 * the second one two CPUs have met. */
	if (alone || worker->switches - worker->switches_before >= 2)
		tw_probe_look_at_goal(worker, now, alone ? UINT64_MAX : worker->switches);
}

static void fast_turns(struct tw_probe_worker *worker, uint64_t until_ns,
		       size_t end)
{
	uint64_t enough = worker->switches + TW_PROBE_FAST_TURNS;
	uint64_t now = 0;

	while (now < until_ns && worker->switches < enough &&
	       worker->count + TW_PROBE_ATTEMPTS <= end) {
		for (unsigned attempts = 0; attempts < TW_PROBE_ATTEMPTS; attempts++)
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
	/* Touch the memory: no page fault may come between a reading and its
	 * swap. */
	memset(worker->samples + begin, 0, TW_PROBE_BURST_SAMPLES *
	       sizeof(*worker->samples));
	worker->run_length = 0;
	worker->switches_before = worker->switches;
	fast_turns(worker, until_ns, end);
	slow_turns(worker, until_ns, end);
	/* If a CPU is taken away, the kernel moves its threads to others. */
	if (sched_getcpu() != (int)worker->cpu)
		tw_probe_fail(worker);
}

void *tw_probe_work(void *argument)
{
	struct tw_probe_worker *worker = argument;
	struct tw_probe_run *run = worker->run;
	unsigned number, last = run->word_count - 1;
	uint64_t now = tw_probe_now_ns();

	tw_probe_ask_for_turns();
	if (run->system->pin(worker->cpu))
		tw_probe_fail(worker);
	while (!worker->failed && !tw_probe_finished(run, now)) {
		now = tw_probe_sleep(run, &number);
		if (tw_probe_finished(run, now))
			break;
		/* Go to the word of this burst. A thread that takes the next word has seen,
		 * or set, the seals on all words before it. So numbers of two words are in
		 * the order of their readings. */
		for (; worker->word < number && worker->word < last; worker->word++)
			atomic_fetch_or(word_of(worker), TW_PROBE_SEALED);
		burst(worker, now);
		now = tw_probe_now_ns();
	}
	if (worker->failed)
		tw_probe_leave(worker);
	return NULL;
}
