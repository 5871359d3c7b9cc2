/* SPDX-License-Identifier: MIT */
/*
 * A caller that waits for a long measurement is told its progress, by its own
 * thread, and can end it.
 *
 * Fails if a measurement is silent until its end, if what was collected before a
 * judgement is lost after it, or if it can't be ended.
 */
#include <errno.h>
#include <pthread.h>

#include "tap.h"
#include "tickwise.h"

struct told {
	pthread_t thread;
	unsigned times;
	unsigned end_at;
	int answer;
	uint64_t probes;
	uint64_t elapsed_ns;
	int forwards;
};

static int tell(void *context, const struct tw_reliability_progress *progress)
{
	struct told *told = context;

	told->times++;
	told->forwards &= pthread_equal(told->thread, pthread_self()) &&
			  progress->probes >= told->probes &&
			  progress->elapsed_ns > told->elapsed_ns &&
			  progress->cpus > 0;
	told->probes = progress->probes;
	told->elapsed_ns = progress->elapsed_ns;
	return told->times == told->end_at ? told->answer : 0;
}

static void try_method(enum tw_reliability_method method, const char *what)
{
	struct told told;
	struct tw_reliability_options options = {
		.size = sizeof(options),
		.method = method,
		.least_time_ns = 1200000000,
		.time_limit_ns = 600 * TW_NS_PER_SECOND,
		.progress = tell,
		.context = &told,
	};
	struct tw_reliability result = { .size = sizeof(result), .cpus = 4711 };

	/*
	 * The caller is told between two slices of 250 ms. They last longer where
	 * others have the CPUs: then it measures for four times as long.
	 */
	for (;;) {
		told = (struct told){ .thread = pthread_self(), .forwards = 1 };
		if (!tap_ok(!tw_reliability_measure(&result, &options),
			    "%s: measured", what))
			return;
		if (told.times >= 3 ||
		    options.least_time_ns > 60 * TW_NS_PER_SECOND)
			break;
		tw_reliability_free(&result);
		options.least_time_ns *= 4;
	}
	tap_ok(told.times >= 3 && told.forwards,
	       "told %u times, never less than before", told.times);
	tap_ok(result.probes >= told.probes, "and all of that was judged");
	tap_ok(result.elapsed_ns >= options.least_time_ns,
	       "for as long as asked");
	tw_reliability_free(&result);
	told = (struct told){
		.thread = pthread_self(), .end_at = 2, .answer = TW_ENOUGH,
	};
	tap_ok(!tw_reliability_measure(&result, &options) && told.times == 2 &&
	       result.probes >= told.probes && result.cpus,
	       "what was measured was enough: judged");
	tw_reliability_free(&result);
	told = (struct told){ .thread = pthread_self(), .end_at = 2, .answer = 1 };
	result.cpus = 4711;
	tap_ok(tw_reliability_measure(&result, &options) == -ECANCELED &&
	       result.cpus == 4711 && told.times == 2, "ended when asked to");
}

int main(void)
{
	try_method(TW_METHOD_CAS, "threads on all CPUs");
	try_method(TW_METHOD_SWITCH, "one thread moved");
	return tap_done();
}
