/* SPDX-License-Identifier: MIT */
/*
 * Counter readings of several CPUs by one thread that is moved between them.
 *
 * It reads the counter last thing before it asks to be moved and first thing
 * after it was: what a thread does later is later, on whichever CPU, so its own
 * course is the total order. A move takes the scheduler of both CPUs, and no
 * offset smaller than the shortest move can be seen; there and back, some
 * microseconds. What it needs is one thread, nothing atomic, and no other CPU
 * doing anything at the same time.
 *
 * Between any two other CPUs it goes back to the base, so that any two CPUs are
 * two moves apart and no more: a ring would sum up as many as there are CPUs.
 *
 * The processor names the CPU of each reading along with it: a thread that the
 * kernel puts elsewhere in mid-tour, because its CPU is taken away, never gives
 * one CPU's counter out for another's.
 */
#include "probe_worker.h"

/*
 * How long a burst lasts. In a shorter one idle CPUs have just woken up, and
 * moves to them take longer; in a longer one a thread among busy ones uses up
 * the share of the CPU that it has saved by sleeping.
 */
#define TOUR_NS		4000000ULL

struct tour {
	struct tw_probe_run *run;
	struct tw_probe_worker *at;	/* NULL: on no CPU of ours */
	unsigned last;			/* CPU of the list visited from the base */
	uint64_t sequence;
};

static struct tw_probe_worker *base_of(const struct tour *tour)
{
	unsigned i;

	for (i = 0; i < tour->run->count; i++)
		if (!tour->run->workers[i].failed)
			return &tour->run->workers[i];
	return NULL;
}

/* Where to now; NULL: no CPU is left. */
static struct tw_probe_worker *next_stop(struct tour *tour)
{
	struct tw_probe_worker *base = base_of(tour);
	unsigned tries;

	if (tour->at != base || !base)
		return base;
	for (tries = 0; tries < tour->run->count; tries++) {
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

/*
 * The thread is not where it was pinned to. That is a CPU taken away, or a mask
 * set by somebody else whose migration is still under way, which can hit any
 * CPU: the last one is tried again, and in vain only until the deadline.
 */
static void lose(struct tour *tour, struct tw_probe_worker *worker)
{
	if (!tw_probe_is_alone(tour->run))
		give_up(tour, worker);
	tour->at = NULL;
}

/* Recorded after the move: nothing that could be slow comes between. */
static void note_departure(struct tour *tour, uint64_t ticks, unsigned cpu)
{
	if (!tour->at)
		return;
	if (tour->at->cpu == cpu)
		tw_probe_record(tour->at, tour->sequence++, ticks);
	else
		lose(tour, tour->at);
}

static void move(struct tour *tour, struct tw_probe_worker *to)
{
	unsigned left_cpu, cpu = 0;
	uint64_t left_ticks = tw_ticks_cpu(&left_cpu);
	int failed = tour->run->system->pin(to->cpu);
	uint64_t ticks = failed ? 0 : tw_ticks_cpu(&cpu);

	note_departure(tour, left_ticks, left_cpu);
	if (failed) {
		give_up(tour, to);
	} else if (cpu != to->cpu) {
		lose(tour, to);
	} else {
		tour->at = to;
		tw_probe_record(to, tour->sequence++, ticks);
	}
}

static void look_at_goal(struct tour *tour, uint64_t now)
{
	const struct tw_probe_goal *goal = &tour->run->goal;
	struct tw_probe_worker *at = tour->at;
	uint64_t had;

	if (!at)
		return;
	if (!at->first_ns)
		at->first_ns = now;
	had = tw_probe_is_alone(tour->run) ? at->probes : at->switches;
	if (now - at->first_ns >= goal->min_span_ns &&
	    had >= goal->least_switches)
		tw_probe_leave(at);
}

static void burst(struct tour *tour, uint64_t now)
{
	uint64_t until_ns = now + TOUR_NS;
	unsigned moves;

	for (moves = 0; moves < TW_PROBE_MOVES && now < until_ns &&
	     !tw_probe_finished(tour->run, now); moves++) {
		struct tw_probe_worker *to = next_stop(tour);

		if (!to || to->count + TW_PROBE_TOUR_SAMPLES > to->run->capacity)
			return;
		move(tour, to);
		now = tw_probe_now_ns();
		look_at_goal(tour, now);
	}
}

void *tw_probe_tour(void *argument)
{
	struct tw_probe_run *run = argument;
	struct tour tour = {
		.run = run,
		.sequence = run->tour_sequence,
	};
	uint64_t now = tw_probe_now_ns();
	unsigned number;

	tw_probe_ask_for_turns();
	while (!tw_probe_finished(run, now)) {
		now = tw_probe_sleep(run, &number);
		burst(&tour, now);
	}
	run->tour_sequence = tour.sequence;
	return NULL;
}
