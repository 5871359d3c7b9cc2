/* SPDX-License-Identifier: MIT */
/*
 * The listener, and nothing else, is told what the library decides, with the
 * listener's own context. Fails if a fallback is silent, if a listener is called with
 * another's context or after it was replaced, or if a call changes errno.
 * clock/rate_injected.c and estimate/estimate_system.c have what is told of a rate and of
 * CPUs.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "diagnostics.h"
#include "tap.h"
#include "tickwise.h"

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
	try_clock();
	try_message();
	try_waiting();
	try_threads();
	return tap_done();
}
