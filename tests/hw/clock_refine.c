/* SPDX-License-Identifier: MIT */
/*
 * Eight threads read a clock while it is refined over and over: no reading is
 * behind any other that happened before it. "Before" is by a shared maximum: a
 * thread takes it, reads the clock, and must not be behind.
 * Fails if a segment can be used by some readers and not by others.
 *
 * The rates are 500 ppm apart in turns, so that a segment that some saw a
 * millisecond late shows as half a microsecond. Counters of two CPUs may differ
 * by less than a value takes from one to the other; machines where they differ
 * by more are not for this test, and `tickwise check` says so first.
 *
 * TW_SECONDS: how long, 2 by default.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock/segment.h"
#include "tap.h"

#define READERS		8

struct shared {
	struct tw_clock tested;
	uint64_t latest_ns;
	int stop;
};

struct reader {
	pthread_t thread;
	struct shared *shared;
	uint64_t readings;
	uint64_t behind;
	uint64_t most_behind_ns;
};

static void is_not_behind(struct reader *reader, uint64_t *latest, uint64_t ns,
			  uint64_t seen_ns)
{
	if (ns < seen_ns) {
		reader->behind++;
		if (seen_ns - ns > reader->most_behind_ns)
			reader->most_behind_ns = seen_ns - ns;
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
		ns = tw_clock_ns_at(&shared->tested, tw_ticks_begin());
		is_not_behind(reader, &shared->latest_ns, ns, seen);
	}
	return NULL;
}

/* All segments that a clock has, as fast as they can begin. */
static unsigned refine_on(struct shared *shared)
{
	unsigned i = 0, late = 0;
	double hz = shared->tested.rate.hz;

	while (i < TW_CLOCK_SEGMENTS) {
		struct tw_rate rate = {
			.hz = hz * (i % 2 ? 1 + 2.5e-4 : 1 - 2.5e-4),
		};

		if (tw_segment_append(&shared->tested, &rate, NULL) == 0)
			i++;
		else if (++late == 1000)
			break;
		/* Some while the one before is still to begin. */
		usleep(i % 4 * 10000);
	}
	/* Until the last has begun, 20 ms after it was made. */
	usleep(30000);
	return late;
}

struct total {
	uint64_t readings, behind, most_behind_ns, segments, late;
};

static int one_clock(struct shared *shared, const struct tw_clock *clean,
		     struct total *total)
{
	struct reader readers[READERS] = { 0 };
	unsigned i, started;

	*shared = (struct shared) { .tested = *clean };
	for (started = 0; started < READERS; started++) {
		readers[started].shared = shared;
		if (pthread_create(&readers[started].thread, NULL, read_on,
				   &readers[started]))
			break;
	}
	total->late += refine_on(shared);
	total->segments += shared->tested.segments;
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < started; i++) {
		pthread_join(readers[i].thread, NULL);
		total->readings += readers[i].readings;
		total->behind += readers[i].behind;
		if (readers[i].most_behind_ns > total->most_behind_ns)
			total->most_behind_ns = readers[i].most_behind_ns;
	}
	return started == READERS;
}

int main(void)
{
	const struct tw_clock_options options = { .window_ns = 20000000 };
	const char *seconds = getenv("TW_SECONDS");
	uint64_t for_ns = (seconds ? strtoull(seconds, NULL, 10) : 2) *
			  TW_NS_PER_SECOND;
	static struct tw_clock clean;
	static struct shared shared;
	struct total total = { 0 };
	uint64_t end_ns;

	if (tw_clock_init(&clean, &options) || clean.system) {
		tap_skip("the counter can't be used here: %s",
			 strerror(-clean.system_errno));
		return tap_done();
	}
	end_ns = tw_clock_ns(&clean) + for_ns;
	while (tw_clock_ns(&clean) < end_ns)
		if (!one_clock(&shared, &clean, &total)) {
			tap_skip("no %d threads can be had", READERS);
			return tap_done();
		}
	tap_note("%" PRIu64 " readings by %d threads over %" PRIu64
		 " segments, %" PRIu64 " came too late", total.readings,
		 READERS, total.segments, total.late);
	if (!total.segments) {
		tap_skip("this machine is too busy: every segment came too "
			 "late");
		return tap_done();
	}
	tap_is_u64(total.behind, 0, "no reading is behind one before it");
	tap_is_u64(total.most_behind_ns, 0, "by any nanosecond");
	return tap_done();
}
