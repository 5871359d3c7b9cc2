/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Explain a part of an I/O's time by the turns of the job's thread (turn.h). Arithmetic
 * only: tests/unit/plugin/kernel/kernel_explain.c passes any turns.
 *
 * The part is divided into times in which the thread ran, was ready to run while
 * something else had its CPU, or was asleep. Time without a record stays unexplained, so
 * the pieces never add up to more than the part.
 */
#ifndef TW_PLUGIN_KERNEL_EXPLAIN_H
#define TW_PLUGIN_KERNEL_EXPLAIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "join.h"
#include "turn.h"

#define TW_HAD_CPU	4	/* holders of the CPU that are named */

/* A holder of the CPU, and how long it had the CPU. */
struct tw_had_cpu {
	uint64_t ns;		/* 0: the list ends here */
	uint32_t id;
	uint32_t kind;		/* enum tw_holder_kind */
	char name[TW_NAME_SIZE];
};

/* The part of an I/O's time, in own time (join.h). */
struct tw_part {
	int64_t from_ns;
	int64_t to_ns;
	/* The part ends when the thread runs. So time asleep counts as woken late. */
	bool ends_by_wakeup;
};

struct tw_explained {
	bool lost;			/* older turns were overwritten */
	uint64_t ran_ns;
	uint64_t waited_ns;		/* ready to run */
	uint64_t interrupts_ns;		/* had the CPU while it was ready to run */
	uint64_t woken_late_ns;		/* asleep until it was woken, and then until it
					 * was ready to run */
	uint64_t interrupt_ns;		/* part of woken_late_ns: since the interrupt
					 * began that woke it */
	uint64_t asleep_ns;		/* asleep, not counted as woken late */
	uint64_t stolen_ns;		/* at most, by the hypervisor, of all of these */
	struct tw_had_cpu had_cpu[TW_HAD_CPU];	/* the longest first */
	/* The longest time in which the thread could not run. */
	int64_t stall_from_ns;
	int64_t stall_to_ns;		/* equal to stall_from_ns: none */
};

/* Copy turn @number. False: the turn was overwritten, or does not exist. */
static inline bool tw_turn_read(const struct tw_turns *turns, uint64_t number,
				struct tw_turn *turn)
{
	const struct tw_turn *place = &turns->turns[(number - 1) % TW_TURNS];

	if (!number ||
	    __atomic_load_n(&place->number, __ATOMIC_ACQUIRE) != number)
		return false;
	memcpy(turn, place, sizeof(*turn));
	atomic_thread_fence(memory_order_acquire);
	return __atomic_load_n(&place->number, __ATOMIC_RELAXED) == number;
}

/* The state of the explanation, which goes backwards from the end of @part. Only the time
 * before @at_ns is still unexplained. */
struct tw_explaining {
	const struct tw_join *join;
	struct tw_part part;
	int64_t at_ns;
};

static inline int64_t tw_min_ns(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t tw_max_ns(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Return how much unexplained time lies between @from_ns and @to_ns. It counts as
 * explained afterwards. */
static inline uint64_t tw_take(struct tw_explaining *now, int64_t from_ns,
			       int64_t to_ns)
{
	from_ns = tw_max_ns(from_ns, now->part.from_ns);
	to_ns = tw_min_ns(to_ns, now->at_ns);
	if (to_ns <= from_ns)
		return 0;
	now->at_ns = from_ns;
	return (uint64_t)(to_ns - from_ns);
}

static inline bool tw_same_holder(const struct tw_had_cpu *had,
				  const struct tw_holder *holder)
{
	return had->kind == holder->kind && had->id == holder->id &&
	       memcmp(had->name, holder->name, sizeof(had->name)) == 0;
}

/* Add @ns of a holder to @all, which stays sorted by time. A new holder is dropped if all
 * @most places are in use. */
static inline void tw_had(struct tw_had_cpu *all, unsigned most,
			  const struct tw_holder *holder, uint64_t ns)
{
	unsigned i = 0;

	if (!ns)
		return;
	while (i < most && all[i].ns && !tw_same_holder(&all[i], holder))
		i++;
	if (i == most)
		return;
	all[i].id = holder->id;
	all[i].kind = holder->kind;
	memcpy(all[i].name, holder->name, sizeof(all[i].name));
	all[i].ns += ns;
	for (; i && all[i].ns > all[i - 1].ns; i--) {
		struct tw_had_cpu other = all[i - 1];

		all[i - 1] = all[i];
		all[i] = other;
	}
}

/* Explain the time from @ready_ns to @on_ns, in which the thread was ready to run. The
 * holders of the CPU are sorted by time, the last one first. */
static inline void tw_explain_wait(struct tw_explaining *now,
				   struct tw_explained *is,
				   struct tw_had_cpu *all,
				   const struct tw_turn *turn, int64_t ready_ns,
				   int64_t on_ns)
{
	unsigned i;

	for (i = 0; i < TW_HOLDERS; i++) {
		const struct tw_holder *holder = &turn->holders[i];
		int64_t from_ns, to_ns;
		uint64_t ns;

		if (holder->kind == TW_NOBODY || holder->kind >= TW_HOLDER_KINDS)
			break;
		from_ns = tw_max_ns(ready_ns,
				  tw_join_own_ns(now->join, holder->from_ns));
		to_ns = tw_min_ns(on_ns,
				 tw_join_own_ns(now->join, holder->to_ns));
		/* It is unknown what had the CPU between two holders. */
		is->waited_ns += tw_take(now, to_ns, on_ns);
		ns = tw_take(now, from_ns, to_ns);
		if (holder->kind == TW_INTERRUPT || holder->kind == TW_SOFTIRQ)
			is->interrupts_ns += ns;
		else
			is->waited_ns += ns;
		tw_had(all, TW_HOLDERS + TW_HAD_CPU, holder, ns);
	}
	is->waited_ns += tw_take(now, ready_ns, on_ns);
}

static inline void tw_explain_turn(struct tw_explaining *now,
				   struct tw_explained *is,
				   struct tw_had_cpu *all,
				   const struct tw_turn *turn)
{
	const struct tw_join *join = now->join;
	const int64_t off_ns = tw_join_own_ns(join, turn->off_ns);
	const int64_t on_ns = tw_join_own_ns(join, turn->on_ns);
	const int64_t waking_ns = turn->waking_ns ?
		tw_join_own_ns(join, turn->waking_ns) : off_ns;
	const int64_t ready_ns = turn->woken_ns ?
		tw_join_own_ns(join, turn->woken_ns) : waking_ns;
	const int64_t end_ns = tw_min_ns(now->at_ns, on_ns);
	const int64_t interrupt_ns = turn->interrupt_ns ?
		tw_join_own_ns(join, turn->interrupt_ns) : waking_ns;
	struct tw_explaining since;
	uint64_t asleep_ns;

	tw_explain_wait(now, is, all, turn, ready_ns, on_ns);
	is->woken_late_ns += tw_take(now, waking_ns, ready_ns);
	since = *now;
	asleep_ns = tw_take(now, off_ns, waking_ns);
	if (now->part.ends_by_wakeup) {
		is->woken_late_ns += asleep_ns;
		is->interrupt_ns += tw_take(&since, tw_max_ns(off_ns, interrupt_ns),
					    waking_ns);
	} else {
		is->asleep_ns += asleep_ns;
	}
	if (now->at_ns < end_ns && turn->stolen_ns)
		is->stolen_ns += turn->stolen_ns;
	if (end_ns - now->at_ns > is->stall_to_ns - is->stall_from_ns) {
		/* A thread that is asleep does not want to run. */
		is->stall_from_ns = turn->waking_ns ?
			tw_max_ns(now->at_ns, off_ns) : off_ns;
		is->stall_to_ns = on_ns;
	}
	is->ran_ns += tw_take(now, tw_join_own_ns(join, turn->ran_ns), off_ns);
}

/* Explain @part by the turns so far. The caller is the followed thread, so the thread runs
 * now. */
static inline void tw_explain(const struct tw_turns *turns,
			      const struct tw_join *join,
			      const struct tw_part *part,
			      struct tw_explained *is)
{
	struct tw_explaining now = {
		.join = join, .part = *part, .at_ns = part->to_ns,
	};
	struct tw_had_cpu all[TW_HOLDERS + TW_HAD_CPU] = { { .ns = 0 } };
	uint64_t number = __atomic_load_n(&turns->newest, __ATOMIC_ACQUIRE);
	struct tw_turn turn;
	bool first = true;

	*is = (struct tw_explained) { .lost = false };
	for (; now.at_ns > part->from_ns && number; number--) {
		if (!tw_turn_read(turns, number, &turn)) {
			is->lost = true;
			break;
		}
		if (first)
			is->ran_ns += tw_take(&now,
				tw_join_own_ns(join, turn.on_ns), part->to_ns);
		first = false;
		tw_explain_turn(&now, is, all, &turn);
	}
	if (is->stolen_ns > (uint64_t)(part->to_ns - part->from_ns))
		is->stolen_ns = (uint64_t)(part->to_ns - part->from_ns);
	memcpy(is->had_cpu, all, sizeof(is->had_cpu));
}

#endif
