/* SPDX-License-Identifier: MIT */
/*
 * Eight threads read a clock while it is refined over and over: no reading is
 * behind any other that happened before it. "Before" is by a shared maximum: a
 * thread takes the maximum, reads the clock, and must not be behind. Fails if some
 * readers can use a segment and others not.
 *
 * The rates alternate, 500 ppm apart, so that a segment that some saw a millisecond
 * late shows as half a microsecond. The counter is one number in memory that each
 * reading advances: no machine's counters, and no time that passes, decide anything
 * here. The writer is held up until the segment's start has passed. If it has not
 * published the segment by then, it must not. If it has, the segment must hold for
 * all.
 *
 * TW_CLOCKS: how many clocks are refined one after the other, 3 by default.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock_by_hand.h"

#define READERS		8
#define HZ		2.5e9
/*
 * From any reading to the next, of whichever thread: 40 ns. A segment that begins
 * 20 milliseconds ahead is 500000 readings away.
 */
#define STEP_TICKS	100

static uint64_t counter_ticks = 1000000000000;

static uint64_t read_ticks(void *context)
{
	(void)context;
	return __atomic_add_fetch(&counter_ticks, STEP_TICKS, __ATOMIC_SEQ_CST);
}

/*
 * The writer's readings: one for the present, one before it publishes, and one
 * after. It is held up before one of these, until the start is past.
 */
#define HELD_UP_TICKS	(25000000 / 1e9 * HZ)

struct readings {
	unsigned made;
	unsigned held_up_before;
};

static uint64_t read_held_up(void *context)
{
	struct readings *readings = context;
	uint64_t ticks = read_ticks(NULL);

	if (++readings->made != readings->held_up_before)
		return ticks;
	while (__atomic_load_n(&counter_ticks, __ATOMIC_SEQ_CST) <
	       ticks + (uint64_t)HELD_UP_TICKS)
		sched_yield();
	return read_ticks(NULL);
}

struct shared {
	struct tw_clock tested;
	struct tw_clock_state state;
	uint64_t latest_ns;
	int stop;
};

struct reader {
	pthread_t thread;
	struct shared *shared;
	uint64_t readings;
	uint64_t behind;
	uint64_t max_behind_ns;
};

static void is_not_behind(struct reader *reader, uint64_t *latest, uint64_t ns,
			  uint64_t seen_ns)
{
	if (ns < seen_ns) {
		reader->behind++;
		if (seen_ns - ns > reader->max_behind_ns)
			reader->max_behind_ns = seen_ns - ns;
	}
	while (seen_ns < ns &&
	       !__atomic_compare_exchange_n(latest, &seen_ns, ns, 1,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	reader->readings++;
}

static void *read_on(void *argument)
{
	struct reader *reader = argument;
	struct shared *shared = reader->shared;

	while (!__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE)) {
		uint64_t seen, ns;

		seen = __atomic_load_n(&shared->latest_ns, __ATOMIC_ACQUIRE);
		ns = tw_clock_ns_at(&shared->tested, read_ticks(NULL));
		is_not_behind(reader, &shared->latest_ns, ns, seen);
	}
	return NULL;
}

/* Begin all segments that a clock has, as fast as they can begin. */
static unsigned refine_on(struct shared *shared)
{
	unsigned i = 0, late = 0, tries = 0;
	struct readings readings;
	const struct tw_time_source source = {
		.size = sizeof(source),
		.read_ticks = read_held_up, .context = &readings,
	};

	while (i < TW_CLOCK_SEGMENTS) {
		struct tw_rate rate = {
			.size = sizeof(rate),
			.hz = HZ * (i % 2 ? 1 + 2.5e-4 : 1 - 2.5e-4),
		};

		/* By turns: not at all, before it publishes, not at all, after. */
		readings = (struct readings) { .held_up_before = tries % 2 ?
					 2 + tries / 2 % 2 : 0 };
		tries++;
		if (tw_segment_append(&shared->tested, &rate, &source) == 0)
			i++;
		else if (++late == 1000)
			break;
		/* Some begin while the one before is still to begin. */
		usleep(i % 4 * 10000);
	}
	/* Wait until the last has begun, 20 ms after it was made. */
	usleep(30000);
	return late;
}

struct total {
	uint64_t readings, behind, max_behind_ns, segments, late;
};

static int one_clock(struct shared *shared, struct total *total)
{
	const struct tw_rate rate = { .hz = HZ };
	struct reader readers[READERS] = { 0 };
	unsigned started;

	*shared = (struct shared) { .stop = 0 };
	by_hand(&shared->tested, &shared->state, rate, read_ticks(NULL), 5000);
	for (started = 0; started < READERS; started++) {
		readers[started].shared = shared;
		if (pthread_create(&readers[started].thread, NULL, read_on,
				   &readers[started]))
			break;
	}
	total->late += refine_on(shared);
	total->segments += shared->state.segments;
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < started; i++) {
		pthread_join(readers[i].thread, NULL);
		total->readings += readers[i].readings;
		total->behind += readers[i].behind;
		if (readers[i].max_behind_ns > total->max_behind_ns)
			total->max_behind_ns = readers[i].max_behind_ns;
	}
	return started == READERS;
}

int main(void)
{
	const char *text = getenv("TW_CLOCKS");
	unsigned clocks = text ? (unsigned)strtoul(text, NULL, 10) : 3;
	static struct shared shared;
	struct total total = { 0 };

	for (unsigned i = 0; i < clocks; i++) {
		if (!tap_ok(one_clock(&shared, &total),
			    "clock %u: %d threads", i + 1, READERS))
			return tap_done();
	}
	tap_note("%" PRIu64 " readings by %d threads over %" PRIu64
		 " segments, %" PRIu64 " came too late", total.readings,
		 READERS, total.segments, total.late);
	tap_ok(total.segments > 0, "segments began");
	tap_ok(total.late > 0, "and some came too late");
	tap_is_u64(total.behind, 0, "no reading is behind one before it");
	tap_is_u64(total.max_behind_ns, 0, "by any nanosecond");
	return tap_done();
}
