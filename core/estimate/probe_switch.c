/* SPDX-License-Identifier: MIT */
/*
 * Reads the counters of several CPUs by one thread that moves between them, just before
 * each move and right after it: its own course is the total order. A move takes some
 * microseconds there and back, and a smaller offset can't be seen. But there is no
 * atomic access, and no other CPU needs to work at the same time.
 *
 * Between any two other CPUs the thread goes back to the base, so that any two CPUs are
 * only two moves apart. The processor gives the CPU's number with each reading, so if a
 * CPU is taken away in the middle of the tour, a reading on another is never taken for
 * one of it.
 */
#include "probe.h"

/* In a shorter burst idle CPUs have just woken up, and moves to them take longer. In a
 * longer one, among busy threads, this thread uses up the share of the CPU that it has
 * saved. */
#define TOUR_NS		4000000ULL

struct tour {
	struct tw_probe_run *run;
	struct tw_probe_worker *at;	/* NULL: on none of these CPUs */
	unsigned last;			/* last CPU visited, by its place in the list */
};

/* Return where to move next; NULL: no CPU is left. */
static struct tw_probe_worker *next_stop(struct tour *tour)
{
	struct tw_probe_worker *base = NULL;

	for (unsigned i = 0; i < tour->run->count && !base; i++)
		if (!tour->run->workers[i].failed)
			base = &tour->run->workers[i];
	if (tour->at != base || !base)
		return base;
	for (unsigned tries = 0; tries < tour->run->count; tries++) {
		struct tw_probe_worker *next;

		tour->last = (tour->last + 1) % tour->run->count;
		next = &tour->run->workers[tour->last];
		if (!next->failed && next != base)
			return next;
	}
	return base;
}

static void give_up(struct tour *tour, struct tw_probe_worker *worker)
{
	tw_probe_fail(worker);
	tw_probe_leave(worker);
	if (tour->at == worker)
		tour->at = NULL;
}

/* A thread is not on its CPU. Either this CPU was taken away, or somebody else has set
 * an affinity and that move is still under way, which can happen to any CPU: the last
 * one is tried again. */
static void lose(struct tour *tour, struct tw_probe_worker *worker)
{
	if (!tw_probe_is_alone(tour->run))
		give_up(tour, worker);
	tour->at = NULL;
}

static void move(struct tour *tour, struct tw_probe_worker *to)
{
	unsigned left_cpu, cpu = 0;
	uint64_t left_ticks = tw_ticks_cpu(&left_cpu);
	int failed = tour->run->system->pin(to->cpu);
	uint64_t ticks = failed ? 0 : tw_ticks_cpu(&cpu);

	/* Recorded after the move, so that nothing slow is between the two readings. */
	if (tour->at && tour->at->cpu == left_cpu)
		tw_probe_record(tour->at, tour->run->tour_sequence++, left_ticks);
	else if (tour->at)
		lose(tour, tour->at);
	if (failed) {
		give_up(tour, to);
	} else if (cpu != to->cpu) {
		lose(tour, to);
	} else {
		tour->at = to;
		tw_probe_record(to, tour->run->tour_sequence++, ticks);
	}
}

static void burst(struct tour *tour, uint64_t now)
{
	uint64_t until_ns = now + TOUR_NS;

	for (unsigned moves = 0; moves < TW_PROBE_MOVES && now < until_ns &&
	     !tw_probe_finished(tour->run, now); moves++) {
		struct tw_probe_worker *to = next_stop(tour), *at;

		if (!to || to->count + TW_PROBE_TOUR_SAMPLES > to->run->capacity)
			return;
		move(tour, to);
		now = tw_probe_now_ns();
		at = tour->at;
		if (at)
			tw_probe_look_at_goal(at, now, tw_probe_is_alone(tour->run) ?
					      at->probes : at->switches);
	}
}

void *tw_probe_tour(void *argument)
{
	struct tw_probe_run *run = argument;
	struct tour tour = { .run = run };
	uint64_t now = tw_probe_now_ns();
	unsigned number;

	tw_probe_ask_for_turns();
	while (!tw_probe_finished(run, now)) {
		now = tw_probe_sleep(run, &number);
		burst(&tour, now);
	}
	return NULL;
}
