/* SPDX-License-Identifier: MIT */
/*
 * Every reading smaller than the one before is counted, once, whether the CPU
 * changed or not, and a single one is enough for "unreliable". Equal readings are
 * not backwards.
 *
 * Fails if only changes of CPU are checked, or only one CPU's own readings, or if a
 * smaller number is taken for a wrap.
 */
#include "estimate_generate.h"

static void fill(struct made *made, uint64_t *random)
{
	made_init(made, 2, 4000);
	made_probe(made, 2000, random);
}

/* Return the sample with that place in the order. */
static struct tw_sample *at(struct made *made, uint64_t sequence)
{
	unsigned cpu;
	size_t i;

	for (cpu = 0; cpu < made->count; cpu++)
		for (i = 0; i < made->cpus[cpu].count; i++)
			if (made->samples[cpu][i].sequence == sequence)
				return &made->samples[cpu][i];
	exit(1);
}

static void judge_and_free(struct made *made, uint64_t should, const char *what)
{
	made_judge(made, 1000);
	tap_is_u64(made->result.backwards, should, what);
	tap_ok(made->result.monotonic == !should, "monotonic says so");
	tap_ok((made->result.verdict == TW_UNRELIABLE) == (should != 0) &&
	       !(made->result.reasons & TW_REASON_BACKWARDS) == !should,
	       "the verdict follows");
	made_free(made);
}

int main(void)
{
	uint64_t random = tap_seed();
	struct made made;
	uint64_t i;

	fill(&made, &random);
	judge_and_free(&made, 0, "none");

	fill(&made, &random);
	at(&made, 1000)->ticks = at(&made, 999)->ticks;
	judge_and_free(&made, 0, "two equal ones");

	fill(&made, &random);
	at(&made, 1000)->ticks = at(&made, 999)->ticks - 1;
	judge_and_free(&made, 1, "one, by one tick");

	/* Each is followed by a larger one, which is not counted. */
	fill(&made, &random);
	for (i = 100; i < 2000; i += 100)
		at(&made, i)->ticks = at(&made, i - 1)->ticks - 1000;
	judge_and_free(&made, 19, "nineteen, far back");
	return tap_done();
}
