/* SPDX-License-Identifier: MIT */
/*
 * Finds offsets between CPUs that moved from one check of a watch to another;
 * see sequel.h.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "command/check/sequel.h"
#include "base/allocate.h"

static void print_ticks(FILE *out, int64_t ticks, double hz)
{
	if (ticks == INT64_MAX || ticks == -INT64_MAX)
		fprintf(out, "?");
	else if (hz > 0)
		fprintf(out, "%+.1f ns", (double)ticks / hz * 1e9);
	else
		fprintf(out, "%+" PRId64 " ticks", ticks);
}

static void print_interval(FILE *out, const struct tw_cpu_offset *offset,
			   double hz)
{
	print_ticks(out, offset->low_ticks, hz);
	fprintf(out, " to ");
	print_ticks(out, offset->high_ticks, hz);
}

/* Find a pair; NULL: not there. Pairs come in the same order in every check, so
 * the search begins where the last one ended. */
static const struct tw_cpu_offset *find(const struct tw_check_offsets *seen,
					const struct tw_cpu_offset *pair,
					unsigned *next)
{
	unsigned i;

	for (i = 0; i < seen->pairs; i++) {
		unsigned at = (*next + i) % seen->pairs;

		if (seen->within[at].base_cpu == pair->base_cpu &&
		    seen->within[at].cpu == pair->cpu) {
			*next = at + 1;
			return &seen->within[at];
		}
	}
	return NULL;
}

static void take_in(FILE *out, const struct tw_cpu_offset *before,
		    struct tw_cpu_offset *now, double hz)
{
	if (now->low_ticks > before->high_ticks ||
	    now->high_ticks < before->low_ticks) {
		fprintf(out, "CPU %u moved against CPU %u: ahead by ",
			now->cpu, now->base_cpu);
		print_interval(out, now, hz);
		fprintf(out, ", was ");
		print_interval(out, before, hz);
		fprintf(out, "\n");
		return;
	}
	if (now->low_ticks < before->low_ticks)
		now->low_ticks = before->low_ticks;
	if (now->high_ticks > before->high_ticks)
		now->high_ticks = before->high_ticks;
}

void tw_check_compare_offsets(FILE *out, struct tw_check_offsets *seen,
			      const struct tw_reliability *result)
{
	struct tw_cpu_offset *within = tw_zalloc(result->pairs, sizeof(*within));
	unsigned next = 0;
	unsigned i;

	for (i = 0; i < result->pairs; i++) {
		const struct tw_cpu_offset *before =
			find(seen, &result->offsets[i], &next);

		within[i] = result->offsets[i];
		if (before)
			take_in(out, before, &within[i], result->hz);
	}
	free(seen->within);
	seen->within = within;
	seen->pairs = result->pairs;
}

void tw_check_forget_offsets(struct tw_check_offsets *seen)
{
	free(seen->within);
	seen->within = NULL;
	seen->pairs = 0;
}
