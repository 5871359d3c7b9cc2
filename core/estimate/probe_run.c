/* SPDX-License-Identifier: MIT */
/*
 * The collector's threads and memory: starts one thread on each CPU, waits for
 * all, and hands out what they recorded. What they do is in probe_cas.c.
 */
#include "probe_worker.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int pin_to_cpu(unsigned cpu)
{
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	int error = 0;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	if (sched_setaffinity(0, size, set))
		error = -errno;
	CPU_FREE(set);
	return error;
}

const struct tw_probe_system tw_probe_system_real = {
	.create = pthread_create,
	.pin = pin_to_cpu,
};

/* All signals blocked in the workers: none of the caller's handlers runs
 * there, and no sleep is cut short. */
static void start_workers(struct tw_probe_run *run)
{
	sigset_t all, before;
	unsigned i;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (i = 0; i < run->count; i++) {
		struct tw_probe_worker *worker = &run->workers[i];

		if (worker->failed)
			continue;
		worker->satisfied = false;
		worker->started = !run->system->create(&worker->thread, NULL,
						       tw_probe_work, worker);
		if (!worker->started) {
			tw_probe_fail(worker);
			tw_probe_leave(worker);
		}
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static unsigned taking_part(const struct tw_probe_run *run)
{
	unsigned count = 0;
	unsigned i;

	for (i = 0; i < run->count; i++)
		count += !run->workers[i].failed;
	return count;
}

/* The number of the burst that follows @elapsed_ns of bursts from @number. */
static unsigned bursts_after(unsigned number, uint64_t elapsed_ns)
{
	uint64_t at_ns = 0;

	while (at_ns < elapsed_ns)
		at_ns += tw_probe_period_ns(number++);
	return number;
}

int tw_probe_collect(struct tw_probe_run *run,
		     const struct tw_probe_goal *goal)
{
	unsigned i;

	run->goal = *goal;
	run->origin_ns = tw_probe_now_ns();
	atomic_store(&run->unsatisfied, taking_part(run));
	atomic_store(&run->present, taking_part(run));
	start_workers(run);
	for (i = 0; i < run->count; i++) {
		if (run->workers[i].started)
			pthread_join(run->workers[i].thread, NULL);
		run->workers[i].started = false;
	}
	run->first_burst = bursts_after(run->first_burst,
					tw_probe_now_ns() - run->origin_ns);
	return taking_part(run) ? 0 : -EAGAIN;
}

static int add_workers(struct tw_probe_run *run, const unsigned *cpus)
{
	unsigned i;

	run->workers = aligned_alloc(_Alignof(struct tw_probe_worker),
				     run->count * sizeof(struct tw_probe_worker));
	if (!run->workers)
		return -ENOMEM;
	memset(run->workers, 0, run->count * sizeof(struct tw_probe_worker));
	for (i = 0; i < run->count; i++) {
		run->workers[i].run = run;
		run->workers[i].cpu = cpus[i];
		run->workers[i].samples = malloc(run->capacity *
						 sizeof(struct tw_sample));
		if (!run->workers[i].samples)
			return -ENOMEM;
	}
	return 0;
}

int tw_probe_new(struct tw_probe_run **result, const unsigned *cpus,
		 unsigned count, uint64_t time_limit_ns,
		 const struct tw_probe_system *system)
{
	struct tw_probe_run *run = aligned_alloc(_Alignof(struct tw_probe_run),
						 sizeof(*run));

	if (!run)
		return -ENOMEM;
	memset(run, 0, sizeof(*run));
	run->count = count;
	run->system = system ? system : &tw_probe_system_real;
	/* Two more for the bursts cut by the ends. */
	run->capacity = (bursts_after(0, time_limit_ns) + 2) * TW_PROBE_BURST_SAMPLES;
	if (add_workers(run, cpus)) {
		tw_probe_free(run);
		return -ENOMEM;
	}
	*result = run;
	return 0;
}

void tw_probe_free(struct tw_probe_run *run)
{
	unsigned i;

	for (i = 0; run->workers && i < run->count; i++)
		free(run->workers[i].samples);
	free(run->workers);
	free(run);
}

unsigned tw_probe_samples(const struct tw_probe_run *run,
			  struct tw_cpu_samples *samples)
{
	unsigned count = 0;
	unsigned i;

	for (i = 0; i < run->count; i++) {
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
