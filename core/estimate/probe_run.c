/* SPDX-License-Identifier: MIT */
/*
 * The collector's threads and memory: starts one thread on each CPU, or one for all CPUs,
 * waits for them, and hands out what they recorded.
 */
#include "probe.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cpus.h"

const struct tw_probe_system tw_probe_system_real = {
	.create = pthread_create,
	.pin = tw_pin_to_cpu,
};

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
