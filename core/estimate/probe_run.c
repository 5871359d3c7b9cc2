/* SPDX-License-Identifier: MIT */
/*
 * The collector's threads and memory: starts one thread on each CPU, or one for all CPUs,
 * waits for them, and hands out what they recorded. Threads work in bursts at fixed times,
 * one millisecond apart at first, and farther later.
 */
#include "probe.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/cpus.h"

/* The shortest slice that the kernel grants. It suffices for a dozen moves or a
 * burst of swaps. With eight busy threads on each CPU, a thread with the usual
 * slice of 3 ms waits some 20 ms each time when its share is used up. */
#define TURN_NS		100000ULL

const struct tw_probe_system tw_probe_system_real = {
	.create = pthread_create,
	.pin = tw_pin_to_cpu,
};

bool tw_probe_finished(struct tw_probe_run *run, uint64_t now_ns)
{
	return now_ns >= run->goal.deadline_ns ||
	       atomic_load_explicit(&run->unsatisfied,
				    memory_order_relaxed) == 0;
}

bool tw_probe_is_alone(struct tw_probe_run *run)
{
	return atomic_load_explicit(&run->present, memory_order_relaxed) == 1;
}

void tw_probe_leave(struct tw_probe_worker *worker)
{
	if (worker->satisfied)
		return;
	worker->satisfied = true;
	atomic_fetch_sub_explicit(&worker->run->unsatisfied, 1,
				  memory_order_relaxed);
}

void tw_probe_fail(struct tw_probe_worker *worker)
{
	if (worker->failed)
		return;
	worker->failed = true;
	atomic_fetch_sub_explicit(&worker->run->present, 1,
				  memory_order_relaxed);
}

void tw_probe_ask_for_turns(void)
{
	/* As in the kernel's header, since some C libraries define it
	 * differently. */
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} turns = { .size = 0 };
	long thread = 0;	/* the calling one */

	if (syscall(SYS_sched_getattr, thread, &turns, sizeof(turns), 0) ||
	    turns.policy != SCHED_OTHER)
		return;
	turns.runtime = TURN_NS;
	syscall(SYS_sched_setattr, thread, &turns, 0);
}

uint64_t tw_probe_sleep(struct tw_probe_run *run, unsigned *number)
{
	uint64_t now = tw_probe_now_ns();
	uint64_t at_ns = run->origin_ns;
	struct timespec at;

	*number = 0;
	while (at_ns <= now)
		at_ns += tw_probe_period_ns((*number)++);
	if (at_ns > run->goal.deadline_ns)
		at_ns = run->goal.deadline_ns;
	at = tw_timespec_of(at_ns);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) ==
	       EINTR)
		;
	return tw_probe_now_ns();
}

void tw_probe_record(struct tw_probe_worker *worker, uint64_t sequence,
		     uint64_t ticks)
{
	struct tw_sample *end = worker->samples + worker->count;
	bool same_turn = sequence == worker->next_sequence;

	worker->probes++;
	worker->next_sequence = sequence + 1;
	if (!same_turn) {
		worker->switches++;
		worker->run_length = 0;
	}
	if (worker->run_length == 2 && ticks >= end[-1].ticks) {
		end--;
	} else {
		worker->count++;
		if (worker->run_length < 2)
			worker->run_length++;
	}
	*end = (struct tw_sample){ .sequence = sequence, .ticks = ticks };
}

static bool takes_part(const struct tw_probe_worker *worker)
{
	return !worker->failed && !worker->stopped;
}

/* Note that no thread can be started for this CPU. Samples of earlier threads
 * on this CPU stay valid. */
static void stop(struct tw_probe_worker *worker)
{
	if (worker->count == 0) {
		tw_probe_fail(worker);
	} else {
		worker->stopped = true;
		atomic_fetch_sub_explicit(&worker->run->present, 1,
					  memory_order_relaxed);
	}
	tw_probe_leave(worker);
}

/* Start the threads with all signals blocked: none of the caller's handlers runs in them,
 * and no sleep is cut short. With switching there is one thread, which the first worker
 * keeps: without it no CPU takes part. */
static void start_threads(struct tw_probe_run *run)
{
	bool is_tour = run->method == TW_METHOD_SWITCH, is_touring = false;
	struct tw_probe_worker *first = run->workers;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (is_tour)
		is_touring = !run->system->create(&first->thread, NULL, tw_probe_tour, run);
	first->started = is_touring;
	/* From now on that thread decides who takes part. */
	for (unsigned i = 0; !is_touring && i < run->count; i++) {
		struct tw_probe_worker *worker = &run->workers[i];

		if (!takes_part(worker))
			continue;
		if (!is_tour)
			worker->started = !run->system->create(&worker->thread, NULL,
							       tw_probe_work, worker);
		if (!worker->started)
			stop(worker);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static unsigned taking_part(const struct tw_probe_run *run)
{
	unsigned count = 0;

	for (unsigned i = 0; i < run->count; i++)
		count += takes_part(&run->workers[i]);
	return count;
}

int tw_probe_collect(struct tw_probe_run *run,
		     const struct tw_probe_goal *goal)
{
	run->goal = *goal;
	if (!run->origin_ns)
		run->origin_ns = tw_probe_now_ns();
	atomic_store(&run->unsatisfied, taking_part(run));
	atomic_store(&run->present, taking_part(run));
	for (unsigned i = 0; i < run->count; i++)
		run->workers[i].satisfied = !takes_part(&run->workers[i]);
	start_threads(run);
	for (unsigned i = 0; i < run->count; i++) {
		if (run->workers[i].started)
			pthread_join(run->workers[i].thread, NULL);
		run->workers[i].started = false;
	}
	if (taking_part(run))
		return atomic_load(&run->unsatisfied) == 0;
	for (unsigned i = 0; i < run->count; i++)
		/* It has samples: see stop(). */
		if (!run->workers[i].failed)
			return 1;
	return -EAGAIN;
}

int tw_probe_new(struct tw_probe_run **result,
		 enum tw_reliability_method method,
		 const unsigned *cpus, unsigned count, uint64_t time_limit_ns,
		 const struct tw_probe_system *system)
{
	struct tw_probe_run *run = aligned_alloc(_Alignof(struct tw_probe_run),
						 sizeof(*run));
	unsigned bursts = 0;

	if (!run)
		return -ENOMEM;
	for (uint64_t at_ns = 0; at_ns < time_limit_ns; bursts++)
		at_ns += tw_probe_period_ns(bursts);
	bursts += 2;	/* those that the ends cut */
	memset(run, 0, sizeof(*run));
	run->method = method;
	run->count = count;
	run->system = system ? system : &tw_probe_system_real;
	run->capacity = (size_t)bursts * (method == TW_METHOD_SWITCH ?
					  TW_PROBE_TOUR_SAMPLES : TW_PROBE_BURST_SAMPLES);
	run->words = aligned_alloc(_Alignof(struct tw_probe_word),
				   bursts * sizeof(struct tw_probe_word));
	run->workers = aligned_alloc(_Alignof(struct tw_probe_worker),
				     count * sizeof(struct tw_probe_worker));
	if (run->workers)
		memset(run->workers, 0, count * sizeof(struct tw_probe_worker));
	if (!run->words || !run->workers)
		goto no_memory;
	for (unsigned i = 0; i < count; i++) {
		struct tw_probe_worker *worker = &run->workers[i];

		worker->run = run;
		worker->cpu = cpus[i];
		worker->samples = malloc(run->capacity * sizeof(struct tw_sample));
		if (!worker->samples)
			goto no_memory;
	}
	run->word_count = bursts;
	for (unsigned i = 0; i < bursts; i++)
		atomic_init(&run->words[i].sequence, (uint64_t)i << TW_PROBE_WORD_SHIFT);
	*result = run;
	return 0;
no_memory:
	tw_probe_free(run);
	return -ENOMEM;
}

void tw_probe_free(struct tw_probe_run *run)
{
	for (unsigned i = 0; run->workers && i < run->count; i++)
		free(run->workers[i].samples);
	free(run->workers);
	free(run->words);
	free(run);
}

uint64_t tw_probe_count(const struct tw_probe_run *run, unsigned *cpus)
{
	uint64_t probes = 0;

	for (unsigned i = 0; i < run->count; i++)
		probes += run->workers[i].probes;
	*cpus = taking_part(run);
	return probes;
}

unsigned tw_probe_samples(const struct tw_probe_run *run,
			  struct tw_cpu_samples *samples)
{
	unsigned count = 0;

	for (unsigned i = 0; i < run->count; i++) {
		const struct tw_probe_worker *worker = &run->workers[i];

		if (worker->failed)
			continue;
		samples[count++] = (struct tw_cpu_samples){
			.cpu = worker->cpu,
			.samples = worker->samples,
			.count = worker->count,
			.probes = worker->probes,
		};
	}
	return count;
}
