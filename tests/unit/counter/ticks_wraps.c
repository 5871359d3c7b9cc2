/* SPDX-License-Identifier: MIT */
/*
 * Read as one number of 64 bits, the counter never goes backwards where its low
 * half wraps. Fails if the two halves come from different moments: then a reading
 * just after a wrap is 2^32 ticks behind the one before. There is one wrap here;
 * tests/bench/counter_wraps (at d20ef3b3) read a billion times.
 */
#include <sched.h>
#include <unistd.h>

#include "tap.h"
#include "tickwise.h"

/*
 * There is a wrap every 4.3 s at 1 GHz; slower counters, and busy machines, have
 * none in that time.
 */
#define LONGEST_NS	20000000000ULL

static uint64_t system_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Use one CPU: a difference between two is another matter. */
static int stay_here(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

int main(void)
{
	uint64_t begin_ns = system_ns(), before, now, backwards = 0, reads = 0;
	struct tw_counter_facts facts = TW_SIZED(struct tw_counter_facts);
	unsigned wraps = 0;

	tw_counter_check(&facts);
	if (facts.state == TW_COUNTER_ABSENT ||
	    facts.state == TW_COUNTER_DISABLED) {
		tap_skip("the counter is %s",
			 tw_name(TW_ENUM_COUNTER_STATE, facts.state));
		return tap_done();
	}
	if (stay_here()) {
		tap_skip("can't stay on a CPU");
		return tap_done();
	}
	for (before = tw_ticks_begin(); !wraps; before = now) {
		now = tw_ticks_end();
		backwards += now < before;
		wraps += now >> 32 != before >> 32;
		if (++reads % 65536 == 0 && system_ns() - begin_ns > LONGEST_NS)
			break;
	}
	tap_ok(backwards == 0, "%" PRIu64 " readings, none backwards", reads);
	if (wraps)
		tap_ok(wraps == 1, "across a wrap of the low half");
	else
		tap_skip("no wrap in %.0f s", LONGEST_NS / 1e9);
	return tap_done();
}
