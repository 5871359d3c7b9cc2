/* SPDX-License-Identifier: MIT */
/*
 * Goes over all CPUs' samples in the order in which they were taken. At every change of CPU
 * the new reading bounds the offset against the latest reading of every other CPU, not only
 * of the previous one. Only the first reading after a change, with the latest one before it,
 * can give the smallest difference.
 */
#include "judge.h"

#include <errno.h>
#include <stdlib.h>

#include "counter/step.h"

/* Only readings of one CPU are compared, because those of two CPUs also differ by their
 * offset. If a reading is below the one before it, the difference wraps to a large
 * number, which is left out. */
double tw_step_of_samples(const struct tw_cpu_samples *cpus, unsigned count)
{
	struct tw_steps steps = { { 0 } };

	for (unsigned cpu = 0; cpu < count; cpu++)
		for (size_t i = 1; i < cpus[cpu].count; i++)
			tw_steps_add(&steps, cpus[cpu].samples[i].ticks -
					     cpus[cpu].samples[i - 1].ticks);
	return tw_steps_find(&steps);
}

int tw_judge_work_init(struct tw_judge_work *work, size_t count)
{
	/* Add one element to each, so that none is empty for any count. */
	*work = (struct tw_judge_work) {
		.whole_ticks = calloc(count * count + 1, sizeof(*work->whole_ticks)),
		.narrowed = calloc(count * count + 1, sizeof(*work->narrowed)),
		.slots = calloc(TW_JUDGE_SLOTS * count * count + 1, sizeof(*work->slots)),
		.cpus = calloc(count + 1, sizeof(*work->cpus)),
		.latest = calloc(count + 1, sizeof(*work->latest)),
	};
	return work->whole_ticks && work->narrowed && work->slots && work->cpus &&
	       work->latest ? 0 : -ENOMEM;
}

void tw_judge_work_free(struct tw_judge_work *work)
{
	free(work->latest);
	free(work->cpus);
	free(work->slots);
	free(work->narrowed);
	free(work->whole_ticks);
}

struct walk {
	const struct tw_cpu_samples *cpus;
	unsigned count;
	struct tw_judge_work *work;
	unsigned now, before;	/* this sample's CPU and the last one's; count: none */
	uint64_t ticks, before_ticks;
	uint64_t loop;		/* current round; 0: base not yet seen */
	unsigned seen_in_loop;
};

static void start(struct walk *walk)
{
	struct tw_judge_work *work = walk->work;
	const struct tw_judge_bound empty = { .ticks = TW_NO_BOUND_TICKS };
	size_t edges = (size_t)walk->count * walk->count;

	for (size_t edge = 0; edge < edges; edge++) {
		work->whole_ticks[edge] = TW_NO_BOUND_TICKS;
		work->narrowed[edge] = 0;
	}
	for (size_t edge = 0; edge < TW_JUDGE_SLOTS * edges; edge++)
		work->slots[edge] = empty;
	for (unsigned i = 0; i < walk->count; i++) {
		const struct tw_cpu_samples *cpu = &walk->cpus[i];

		work->cpus[i] = (struct tw_judge_cpu){ .sequence = UINT64_MAX };
		work->latest[i] = (struct tw_judge_latest){ 0 };
		if (!cpu->count)
			continue;
		work->cpus[i].sequence = cpu->samples[0].sequence;
		work->cpus[i].begin_ticks = cpu->samples[0].ticks;
		work->cpus[i].slot_ticks = 1 +
			(cpu->samples[cpu->count - 1].ticks -
			 cpu->samples[0].ticks) / TW_JUDGE_SLOTS;
	}
}

/* Go to the next of all samples. Return 0 if none is left, otherwise 1. A list of all CPUs
 * is searched each time: at a change of CPU all are bounded anyway. */
static int next(struct walk *walk)
{
	uint64_t sequence = UINT64_MAX;
	const struct tw_cpu_samples *from;
	struct tw_judge_cpu *cpu;

	walk->before = walk->now;
	walk->before_ticks = walk->ticks;
	for (unsigned i = 0; i < walk->count; i++) {
		if (walk->work->cpus[i].sequence < sequence) {
			sequence = walk->work->cpus[i].sequence;
			walk->now = i;
		}
	}
	if (sequence == UINT64_MAX)
		return 0;
	cpu = &walk->work->cpus[walk->now];
	from = &walk->cpus[walk->now];
	walk->ticks = from->samples[cpu->next++].ticks;
	cpu->sequence = cpu->next < from->count ? from->samples[cpu->next].sequence : UINT64_MAX;
	return 1;
}

static void bound_against_all(struct walk *walk)
{
	const struct tw_judge_work *work = walk->work;
	size_t edges = (size_t)walk->count * walk->count;
	size_t row = (size_t)walk->now * walk->count;

	for (unsigned i = 0; i < walk->count; i++) {
		const struct tw_judge_latest *earlier = &work->latest[i];
		struct tw_judge_bound *slot = &work->slots[earlier->slot * edges +
							  row + i];
		int64_t ticks = (int64_t)(walk->ticks - earlier->ticks);

		/* What does not narrow its slot does not narrow the whole. */
		if (ticks >= slot->ticks || !earlier->seen || i == walk->now)
			continue;
		slot->ticks = ticks;
		slot->at_ticks = earlier->ticks;
		if (ticks < work->whole_ticks[row + i]) {
			work->whole_ticks[row + i] = ticks;
			work->narrowed[row + i]++;
		}
	}
}

/* Return 1 if this sample closes a loop: the base, every other CPU, the base
 * again. */
static int closes_loop(struct walk *walk)
{
	struct tw_judge_cpu *cpu = &walk->work->cpus[walk->now];
	int closed = walk->now == 0 && walk->seen_in_loop == walk->count;

	if (closed || (walk->now == 0 && walk->loop == 0)) {
		walk->loop++;
		walk->seen_in_loop = 0;
	}
	if (walk->loop && cpu->loop != walk->loop) {
		cpu->loop = walk->loop;
		walk->seen_in_loop++;
	}
	return closed && walk->count > 1;
}

void tw_order_walk(struct tw_reliability *result, struct tw_judge_work *work,
		   const struct tw_cpu_samples *cpus, unsigned count)
{
	struct walk walk = {
		.cpus = cpus, .count = count, .work = work,
		.now = count, .before = count,
	};

	result->backwards = result->switches = result->full_loops = 0;
	start(&walk);
	while (next(&walk)) {
		const struct tw_judge_cpu *cpu = &work->cpus[walk.now];
		uint64_t slot = (walk.ticks - cpu->begin_ticks) / cpu->slot_ticks;

		if (walk.before < count &&
		    (int64_t)(walk.ticks - walk.before_ticks) < 0)
			result->backwards++;
		if (walk.before < count && walk.before != walk.now) {
			result->switches++;
			work->cpus[walk.now].switches++;
			bound_against_all(&walk);
		}
		result->full_loops += (uint64_t)closes_loop(&walk);
		/* The CPU's latest reading is the earlier end of later differences. It is
		 * beyond the last slot only if the counter ran backwards. */
		work->latest[walk.now] = (struct tw_judge_latest){
			.ticks = walk.ticks, .seen = 1,
			.slot = slot < TW_JUDGE_SLOTS ? (unsigned)slot : TW_JUDGE_SLOTS - 1,
		};
	}
}
