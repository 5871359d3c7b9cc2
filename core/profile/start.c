/* SPDX-License-Identifier: MIT */
/*
 * Begins and ends the recording: the environment, calibration, fork, and
 * writing the file at the end of the program.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counter/state.h"
#include "object.h"
#include "profile.h"
#include "tickwise-profile.h"
#include "trust.h"

/* The rate is measured in this time, and at the end again over the whole run. */
#define RATE_WINDOW_NS	10000000
#define LONGEST_RATE_WINDOW_NS	640000000

struct tw_profile tw_profile;

enum { NOT_STARTED, STARTING, STARTED };
static int state;

void tw_profile_say(const char *format, ...)
{
	char message[PATH_MAX + 256];
	va_list args;
	int length = snprintf(message, sizeof(message), "tickwise-profile: ");

	va_start(args, format);
	vsnprintf(message + length, sizeof(message) - (size_t)length - 1,
		  format, args);
	va_end(args);
	strcat(message, "\n");
	if (write(STDERR_FILENO, message, strlen(message)) < 0)
		return;
}

static void before_fork(void)
{
	tw_profile_lock();
}

static void after_fork(void)
{
	tw_profile_unlock();
}

static void in_child(void)
{
	tw_profile_unlock();
	tw_profile.pid = getpid();
	tw_profile.begin_ticks = tw_ticks();
	tw_profile_threads_child();
}

static int read_options(void)
{
	const char *wrong = NULL;

	if (tw_profile_options_parse(&tw_profile.options,
				     getenv("TICKWISE_PROFILE"), &wrong))
		tw_profile_say("TICKWISE_PROFILE: '%.*s' is not understood, "
			       "and left out", (int)strcspn(wrong, ","), wrong);
	return !tw_profile.options.off;
}

/* Set up the clock. Return nonzero if the counter can be read and its rate is
 * known. On a busy machine a short window has too few undisturbed samples, and
 * then a longer one is used. */
static int read_clock(void)
{
	const struct tw_clock_options options = {
		.size = sizeof(options),
		.window_ns = RATE_WINDOW_NS,
		.longest_ns = LONGEST_RATE_WINDOW_NS,
	};
	struct tw_trust_seen seen = { .state = tw_counter_permission() };
	struct tw_trust trust;

	seen.rate_error = tw_clock_init(&tw_profile.clock, &options);
	if (!seen.rate_error)
		seen.rate_error = tw_profile.clock.system_errno;
	if (tw_trust(NULL, &seen, &trust))
		return 1;
	tw_profile_say("nothing is recorded: %s", trust.why_not);
	return 0;
}

static int set_up(void)
{
	if (!read_options() || !read_clock())
		return 0;
	tw_profile.pid = getpid();
	tw_profile_write_init();
	tw_profile.budget_bytes = tw_profile.options.memory_bytes;
	tw_profile.ended_arena.budget_bytes = &tw_profile.budget_bytes;
	if (tw_tree_init(&tw_profile.ended, &tw_profile.budget_bytes,
			 tw_profile.options.histogram_digits) ||
	    tw_profile_threads_init() ||
	    pthread_atfork(before_fork, after_fork, in_child)) {
		tw_profile_say("nothing is recorded: no memory");
		return 0;
	}
	if (tw_profile.options.filter[0])
		tw_profile_filter_read(tw_profile.options.filter);
	/* From here on hooks run in threads that have a record. */
	__atomic_store_n(&tw_profile_mode, (int)tw_profile.options.fence,
			 __ATOMIC_RELEASE);
	tw_profile_calibrate(&tw_profile.cost);
	tw_profile.begin_ticks = tw_ticks();
	return 1;
}

void tw_profile_start(void)
{
	int expected = NOT_STARTED;

	if (!__atomic_compare_exchange_n(&state, &expected, STARTING, 0,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	/* Functions that are called from here may have hooks. */
	tw_profile_self = &tw_profile_nobody;
	if (!set_up())
		__atomic_store_n(&tw_profile_mode, TW_PROFILE_STOPPED,
				 __ATOMIC_RELEASE);
	tw_profile_self = NULL;
	__atomic_store_n(&state, STARTED, __ATOMIC_RELEASE);
}

static void __attribute__((constructor(101))) at_start(void)
{
	tw_profile_start();
}

/* Write the file, after everything that the program registered for its end. */
static void __attribute__((destructor(101))) at_end(void)
{
	if (getpid() == tw_profile.pid)
		tw_profile_end();
}

extern __typeof__(dladdr) dladdr __attribute__((weak));
extern __typeof__(dlopen) dlopen __attribute__((weak));

void tw_profile_object(const void *address)
{
	struct tw_profile_thread *self = tw_profile_self;
	Dl_info info;

	tw_profile_start();
	if (tw_profile_self == NULL)
		tw_profile_self = &tw_profile_nobody;
	tw_profile_filter_resolve();
	/* A static program has neither function, and loads nothing. The program
	 * itself is not found by its name, and stays mapped anyway. */
	if (dladdr && dlopen && dladdr(address, &info) && info.dli_fname)
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	tw_profile_self = self;
}
