/* SPDX-License-Identifier: MIT */
/*
 * The listener, and nothing else, is told what the library decides, with the
 * listener's own context. Fails if a refusal or a fallback is silent, if a listener
 * is called with another's context or after it was replaced, or if a call changes
 * errno.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "diagnostics.h"
#include "estimate/probe.h"
#include "tap.h"
#include "trust.h"

struct heard {
	unsigned count;
	int level;
	char last[TW_SAY_SIZE];
};

static void listen(void *context, int level, const char *message)
{
	struct heard *heard = context;

	heard->count++;
	heard->level = level;
	snprintf(heard->last, sizeof(heard->last), "%s", message);
	errno = ERANGE;
}

/* A clean pair of clocks, 2 ticks a nanosecond. */
struct machine {
	uint64_t ticks;
};

static uint64_t read_ticks(void *context)
{
	struct machine *machine = context;

	return machine->ticks += 40;
}

static uint64_t read_ns(void *context)
{
	struct machine *machine = context;

	return machine->ticks / 2;
}

static int measure(enum tw_switch kernel_rate, enum tw_against against)
{
	struct machine machine = { .ticks = 1000000 };
	const struct tw_time_source source = {
		.size = sizeof(source),
		.read_ticks = read_ticks, .read_ns = read_ns,
		.context = &machine, .granularity_ns = 1,
	};
	const struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = 5000000, .kernel_rate = kernel_rate,
		.against = against, .source = &source,
	};
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	return tw_rate_measure(&rate, &options);
}

static void try_rate(void)
{
	static struct heard heard;

	tw_set_diagnostics(listen, &heard);
	tap_ok(!measure(TW_DEFAULT, TW_AGAINST_RAW) && heard.count == 1 &&
	       strstr(heard.last,
		      tw_text(TW_ENUM_RATE_REFUSAL, TW_REFUSED_CLOCKSOURCE)),
	       "the kernel's rate refused: told why: %s", heard.last);
	tap_ok(heard.level == TW_SAY_NOTE, "as a note");
	tap_ok(!measure(TW_DEFAULT, TW_AGAINST_MONOTONIC) && heard.count == 2 &&
	       strstr(heard.last, tw_text(TW_ENUM_RATE_REFUSAL,
					  TW_REFUSED_AGAINST)),
	       "the steered clock: told why");
	tap_ok(!measure(TW_OFF, TW_AGAINST_RAW) && heard.count == 2,
	       "what the caller forbade is not told");
	tw_set_diagnostics(NULL, &heard);
	tap_ok(!measure(TW_DEFAULT, TW_AGAINST_RAW) && heard.count == 2,
	       "nobody listens: nothing is told");
}

static void try_clock(void)
{
	static struct heard heard;
	const struct tw_rate slow = { .size = sizeof(slow), .hz = 1 };
	struct tw_clock clock;

	tw_set_diagnostics(listen, &heard);
	tap_ok(!tw_clock_init(&clock, &(struct tw_clock_options) {
		.size = sizeof(struct tw_clock_options),
			.rate = &slow }) && clock.system && heard.count == 1,
	       "a clock that falls back to the system's: told: %s", heard.last);
	tap_ok(heard.level == TW_SAY_WARNING, "as a warning");
	tw_clock_free(&clock);
	tap_ok(!tw_clock_init(&clock, &(struct tw_clock_options) {
		.size = sizeof(struct tw_clock_options),
			.system = TW_ON }) && heard.count == 1,
	       "one that was asked to: not told");
	tw_clock_free(&clock);
	tw_set_diagnostics(NULL, NULL);
}

static unsigned calls;

static int first_thread_only(pthread_t *thread, const pthread_attr_t *attributes,
			     void *(*start)(void *), void *argument)
{
	return calls++ ? EAGAIN : pthread_create(thread, attributes, start, argument);
}

/* Allowed CPUs that could not be judged are told, once for a measurement. */
static void try_skipped(void)
{
	const struct tw_probe_system system = { first_thread_only, tw_probe_system_real.pin };
	struct tw_reliability result = TW_SIZED(struct tw_reliability);
	static struct heard heard;

	tw_set_diagnostics(listen, &heard);
	tap_ok(!tw_reliability_measure_on(&result, NULL, &system), "judged on one CPU");
	tw_set_diagnostics(NULL, NULL);
	if (result.cpus_skipped)
		tap_ok(heard.count == 1 && heard.level == TW_SAY_WARNING &&
		       strstr(heard.last, "not judged"), "told: %s", heard.last);
	else
		tap_skip("only one CPU is allowed: none can be missing");
	tw_reliability_free(&result);
}

static void try_message(void)
{
	static struct heard heard;
	char longer[2 * TW_SAY_SIZE];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	tw_set_diagnostics(listen, &heard);
	errno = ENOENT;
	tw_say(TW_SAY_NOTE, "%s", longer);
	tap_ok(errno == ENOENT, "errno stays");
	tap_ok(strlen(heard.last) == TW_SAY_SIZE - 1, "a long line is cut");
	tw_set_diagnostics(NULL, NULL);
}

/*
 * Replacing a listener waits for a call to it. A replacement that does not wait is
 * noticed unless this thread itself is held up for 20 ms.
 */
static _Atomic int inside, replacing;

static void listen_slowly(void *context, int level, const char *message)
{
	(void)context, (void)level, (void)message;
	atomic_store(&inside, 1);
	while (!atomic_load(&replacing))
		sched_yield();
	nanosleep(&(struct timespec) { .tv_nsec = 20000000 }, NULL);
	atomic_store(&inside, 0);
}

static void *speak_once(void *unused)
{
	(void)unused;
	tw_say(TW_SAY_NOTE, "word");
	return NULL;
}

static void try_waiting(void)
{
	pthread_t thread;

	tw_set_diagnostics(listen_slowly, NULL);
	pthread_create(&thread, NULL, speak_once, NULL);
	while (!atomic_load(&inside))
		sched_yield();
	atomic_store(&replacing, 1);
	tw_set_diagnostics(NULL, NULL);
	tap_ok(!atomic_load(&inside), "replaced: the old one has returned");
	pthread_join(thread, NULL);
}

/* One listener per context, each replaced over and over by the other. */
struct part {
	_Atomic int active;
	_Atomic unsigned called;
	_Atomic unsigned wrong;
};

static struct part parts[2];
static _Atomic int stop;

static void check_pair(struct part *part, void *context)
{
	if (context != part || !atomic_load(&part->active))
		atomic_fetch_add(&part->wrong, 1);
	atomic_fetch_add(&part->called, 1);
}

static void listen_first(void *context, int level, const char *message)
{
	(void)level, (void)message;
	check_pair(&parts[0], context);
}

static void listen_second(void *context, int level, const char *message)
{
	(void)level, (void)message;
	check_pair(&parts[1], context);
}

static void *speak(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop))
		tw_say(TW_SAY_NOTE, "word");
	return NULL;
}

static void try_threads(void)
{
	pthread_t threads[2];

	for (unsigned i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, speak, NULL);
	for (unsigned i = 0; i < 20000 || !atomic_load(&parts[0].called) ||
	     !atomic_load(&parts[1].called); i++) {
		unsigned now = i % 2;

		atomic_store(&parts[now].active, 1);
		tw_set_diagnostics(now ? listen_second : listen_first,
				   &parts[now]);
		/* No call to the listener is under way any more. */
		atomic_store(&parts[1 - now].active, 0);
	}
	tw_set_diagnostics(NULL, NULL);
	atomic_store(&parts[0].active, 0);
	atomic_store(&parts[1].active, 0);
	atomic_store(&stop, 1);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	tap_ok(parts[0].called && parts[1].called &&
	       !parts[0].wrong && !parts[1].wrong,
	       "replaced over and over: never called with another's context");
}

int main(void)
{
	try_rate();
	try_clock();
	try_skipped();
	try_message();
	try_waiting();
	try_threads();
	return tap_done();
}
