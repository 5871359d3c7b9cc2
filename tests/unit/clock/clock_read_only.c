/* SPDX-License-Identifier: MIT */
/*
 * Reading a clock writes nothing. A clock in read-only memory is read before it is
 * refined, after it, and at every moment in which the refinement reads the counter.
 * These are before and after the new rate begins. Fails, with SIGSEGV, if a reader
 * writes into the clock. Fails also if a reading made in between gives another time
 * later.
 */
#include <string.h>
#include <sys/mman.h>

#include "clock/clock.h"
#include "tap.h"

#define HZ	2500000000ULL
#define BASE	(5 * HZ)
#define NOW	(BASE + 100 * HZ)
#define STAMPS	5

/* A clock, and the memory after it. */
static struct {
	struct tw_clock clock;
	struct tw_clock_state state;
} *memory;
static struct tw_clock *tested;

/* The counter, and what was read while the clock was refined. */
static struct {
	unsigned readings;
	uint64_t ns[STAMPS];
} seen;

static void allow(int protection)
{
	if (mprotect(memory, sizeof(*memory), protection)) {
		printf("Bail out! mprotect\n");
		exit(1);
	}
}

/* Read the clock in all ways, for times from long before the new rate to long after. */
static void read_all(uint64_t ns[STAMPS])
{
	static const uint64_t after[STAMPS] = { 0, HZ / 100, HZ / 50, HZ, 9 * HZ };
	struct tw_second second = { 0 };
	struct tw_interval interval = TW_SIZED(struct tw_interval);
	struct tw_stamp from, to;
	struct timespec now;
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	unsigned i;

	allow(PROT_READ);
	for (i = 0; i < STAMPS; i++)
		ns[i] = tw_clock_ns_at(tested, NOW + after[i]);
	from = (struct tw_stamp) { NOW, 0 };
	to = (struct tw_stamp) { NOW + HZ, 0 };
	tw_interval(tested, &from, &to, &interval);
	tw_clock_timespec(tested, &second, &now);
	tw_clock_rate(tested, &rate);
	allow(PROT_READ | PROT_WRITE);
}

static uint64_t read_counter(void *context)
{
	(void)context;
	seen.readings++;
	read_all(seen.ns);
	return NOW + seen.readings;
}

static void make_clock(void)
{
	const struct tw_rate rate = { .size = sizeof(rate), .hz = HZ };

	memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		printf("Bail out! mmap\n");
		exit(1);
	}
	tested = &memory->clock;
	*tested = (struct tw_clock) {
		.base_ticks = BASE, .base_ns = 1000000000,
		.state = &memory->state,
	};
	memory->state = (struct tw_clock_state) {
		.rate = rate, .refined_rate = { rate },
	};
	tw_scale_init(&tested->scale, &rate, 0);
	tested->limit_ticks = tested->scale.max_ticks;
}

int main(void)
{
	const struct tw_time_source source = {
		.size = sizeof(source), .read_ticks = read_counter,
	};
	const struct tw_rate faster = {
		.size = sizeof(faster), .hz = HZ * (1 + 100e-6),
	};
	uint64_t before[STAMPS], after[STAMPS];

	make_clock();
	read_all(before);
	/* 100 s and the base's second; then 9 s more. */
	tap_is_u64(before[0], 101000000000, "read before it is refined");
	tap_is_u64(before[4], 110000000000, "and for later");
	tap_ok(tw_segment_append(tested, &faster, &source) == 0 &&
	       seen.readings == 3, "refined, and read meanwhile");
	read_all(after);
	tap_ok(!memcmp(after, seen.ns, sizeof(after)),
	       "as it was read from the moment on when it was published");
	tap_ok(after[0] == before[0] && after[1] == before[1],
	       "until the new rate begins it is as it was");
	/* The new rate begins 20 ms from now: 100 ppm less of 8.98 s are 898 us. */
	tap_ok(before[4] - after[4] >= 897900 && before[4] - after[4] <= 898000,
	       "then it is slower: %" PRIu64 " ns", before[4] - after[4]);
	return tap_done();
}
