/* SPDX-License-Identifier: MIT */
/*
 * How late a plain loop is that does nothing when it should: what this machine adds to any
 * schedule. Prints a line.
 *
 *	lateness RATE SECONDS [US]
 *
 * It sleeps until US microseconds before each time, and then reads the clock until it is there;
 * without US it only reads the clock.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "timespec.h"

static int order(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	const uint64_t rate = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	const size_t count = argc > 2 ? (size_t)(rate * strtoull(argv[2], NULL, 10)) : 0;
	const uint64_t before_ns = argc > 3 ? 1000 * strtoull(argv[3], NULL, 10) : 0;
	const uint64_t begin_ns = tw_clock_id_ns(CLOCK_MONOTONIC) + 1000000;
	uint64_t *late_ns = calloc(count + !count, sizeof(*late_ns)), now_ns;

	if (!count || !late_ns)
		return 1;
	for (size_t i = 0; i < count; i++) {
		const uint64_t due_ns = begin_ns + i * 1000000000 / rate;
		const struct timespec until = tw_timespec_of(due_ns - before_ns);

		if (before_ns && tw_clock_id_ns(CLOCK_MONOTONIC) + before_ns < due_ns)
			while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
				;
		while ((now_ns = tw_clock_id_ns(CLOCK_MONOTONIC)) < due_ns)
			;
		late_ns[i] = now_ns - due_ns;
	}
	qsort(late_ns, count, sizeof(*late_ns), order);
	printf("p50 %llu p99 %llu ns\n", (unsigned long long)late_ns[count / 2],
	       (unsigned long long)late_ns[count * 99 / 100]);
	free(late_ns);
	return 0;
}
