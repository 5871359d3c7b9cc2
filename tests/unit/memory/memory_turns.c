/* SPDX-License-Identifier: MIT */
/*
 * Two orders of the same lines are compared in turns that no linear or quadratic drift favours,
 * and each goes on where its last turn ended. Fails if a turn begins anew, where the caches still
 * hold what the last one read, if the figures are swapped, or if both orders can't be linked into
 * the same lines.
 *
 * The linker replaces tw_chase() by __wrap_tw_chase(), which calls it.
 *
 * Wraps: tw_chase
 */
#include <errno.h>
#include <string.h>

#include "memory/point.h"
#include "tap.h"

/* A prime: a turn does not end where it began. */
#define LINES	251
/* The second order takes this many times as long. */
#define SLOWER	16

void *__real_tw_chase(void *position, size_t turns);
void *__wrap_tw_chase(void *position, size_t turns);

/* The second cycle is 8 bytes after the first in each line. */
static char memory[LINES * 64] __attribute__((aligned(64)));
static void *last[2];
static size_t calls[2], lost;
static char turns[64];			/* "0110...", a letter for each change */

void *__wrap_tw_chase(void *position, size_t count)
{
	int order = ((char *)position - memory) % 64 != 0;
	size_t length = strlen(turns);

	if (length + 1 < sizeof(turns) && (!length || turns[length - 1] != '0' + order))
		turns[length] = (char)('0' + order);
	lost += calls[order]++ && position != last[order];
	return last[order] = __real_tw_chase(position, order ? SLOWER * count : count);
}

int main(void)
{
	/* Both warm up, 0 and 1. Then the turns are 01101001 or 10010110, where two turns of one
	 * order follow each other without a change. */
	static const char *const wanted[] = { "01010101", "0101010" };
	const struct tw_memory_effort effort = { 10000, 1000000, 1000000 };
	struct tw_cycle_shape shapes[] = {
		{ .kind = TW_CYCLE_RANDOM, .stride_bytes = 64, .seed = 1 },
		{ .kind = TW_CYCLE_WINDOW, .stride_bytes = 64, .window_bytes = 4096,
		  .passes = 4, .seed = 1 },
	};

	for (unsigned first = 0; first < 2; first++) {
		struct tw_cycle cycles[2];
		double ns[2] = { -1, -1 };
		int ret;

		for (size_t i = 0; i < 4; i++) {
			if (i < 2)
				tw_cycle_init(&cycles[i], &shapes[i], memory + i * sizeof(void *));
			tw_cycle_grow(&cycles[i % 2], sizeof(memory) / (i < 2 ? 2 : 1));
		}
		memset(turns, 0, sizeof(turns));
		calls[0] = calls[1] = lost = 0;
		ret = tw_memory_compare(ns, cycles, first, &effort, 1e9);
		/* Others that use this CPU can disturb a turn, which ends it. */
		tap_ok(ret == 0 || ret == -EAGAIN, "compared, or too disturbed: %d", ret);
		tap_ok(!strncmp(turns, wanted[first], strlen(turns)) &&
		       (ret || !strcmp(turns, wanted[first])), "turns: %s", turns);
		tap_ok(lost == 0, "each goes on where it ended");
		tap_ok(ret ? ns[0] < 0 : ns[0] > 0 && ns[1] > ns[0], "the second takes longer");
	}
	return tap_done();
}
