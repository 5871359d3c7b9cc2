/* SPDX-License-Identifier: MIT */
/*
 * What the collector's threads do in the same way, whatever orders their readings: they
 * sleep until the next burst, record, and leave. Bursts are at fixed times, one millisecond
 * apart at first, and farther later.
 */
#include "probe.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The shortest slice that the kernel grants. It suffices for a dozen moves or a
 * burst of swaps. With eight busy threads on each CPU, a thread with the usual
 * slice of 3 ms waits some 20 ms each time when its share is used up. */
#define TURN_NS		100000ULL

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

void tw_probe_look_at_goal(struct tw_probe_worker *worker, uint64_t now, uint64_t had)
{
	const struct tw_probe_goal *goal = &worker->run->goal;

	if (!worker->first_ns)
		worker->first_ns = now;
	if (now - worker->first_ns >= goal->min_span_ns && had >= goal->least_switches)
		tw_probe_leave(worker);
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
