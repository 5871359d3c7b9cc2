/* SPDX-License-Identifier: MIT */
/*
 * libtickwise-preload.so: clock_gettime(CLOCK_MONOTONIC) from the counter, for
 * a program that can't be rebuilt.
 *
 *	LD_PRELOAD=libtickwise-preload.so fio --clocksource=clock_gettime ...
 *
 * Other clocks, gettimeofday() and time() stay with libc: CLOCK_REALTIME may be
 * set, so nothing could be promised of it. The real clock_gettime() is called
 * until this library is set up, and wherever the counter is not reliable.
 *
 * TICKWISE_PRELOAD in the environment: words with commas between them.
 *	verbose		print what is done, and at the end what was seen
 *	nocheck		don't compare the CPUs' counters first
 *	off		call the real clock_gettime()
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "preload_clock.h"
#include "counter/state.h"
#include "timespec.h"
#include "trust.h"

#define MESSAGE_SIZE	256

/* This becomes libc's function when the library is set up. */
static int (*real_clock_gettime)(clockid_t, struct timespec *) = tw_system_clock_call;

static struct tw_preload_clock tw_clock = TW_PRELOAD_CLOCK_INIT;
static int is_verbose;

/* Return the thread's number: the address of its own memory. */
static inline uint64_t me(void)
{
	uint64_t pointer;
#if defined(__x86_64__)
	__asm__("mov %%fs:0, %0" : "=r"(pointer));
#else
	pointer = (uint64_t)__builtin_thread_pointer() & ~3ULL;
#endif
	return pointer;
}

static uint64_t read_system_ns(void *context)
{
	struct timespec now = { 0 };

	(void)context;
	real_clock_gettime(CLOCK_MONOTONIC, &now);
	return tw_timespec_ns(&now);
}

static const struct tw_preload_source source = {
	.read_ticks = tw_preload_ticks_ordered,
	.read_ns = read_system_ns,
};

static inline int answer(struct timespec *now, uint64_t seconds, uint64_t ns)
{
	if (tw__unlikely(ns >= TW_NS_PER_SECOND)) {
		ns -= TW_NS_PER_SECOND;
		seconds++;
	}
	now->tv_sec = (time_t)seconds;
	now->tv_nsec = (long)ns;
	return 0;
}

/* Handle all cases but the one that is worth inlining. */
static __attribute__((noinline)) int other_gettime(clockid_t id,
						   struct timespec *now)
{
	uint64_t seconds, ns;

	if (id != CLOCK_MONOTONIC ||
	    !__atomic_load_n(&tw_clock.enabled, __ATOMIC_RELAXED))
		return real_clock_gettime(id, now);
	if (tw_preload_among(&tw_clock, tw_preload_ticks_ordered, NULL,
			     &seconds, &ns))
		return answer(now, seconds, ns);
	ns = tw_preload_ns(&tw_clock, &source, me());
	return answer(now, ns / TW_NS_PER_SECOND, ns % TW_NS_PER_SECOND);
}

__attribute__((visibility("default"), aligned(64)))
int clock_gettime(clockid_t id, struct timespec *now)
{
	uint64_t seconds, ns;

	if (tw__unlikely(id != CLOCK_MONOTONIC) ||
	    tw__unlikely(!tw_preload_alone(&tw_clock, me(), tw_preload_ticks,
					  NULL, &seconds, &ns)))
		return other_gettime(id, now);
	return answer(now, seconds, ns);
}

/* ---- before and after main() ---- */

/* Print a line in one write, so that lines of several processes do not mix. */
__attribute__((format(printf, 1, 2)))
static void say(const char *format, ...)
{
	char line[MESSAGE_SIZE + 1];
	int length, saved_errno = errno;
	ssize_t written;
	va_list args;

	length = snprintf(line, MESSAGE_SIZE, "tickwise-preload[%d]: ",
			  (int)getpid());
	va_start(args, format);
	length += vsnprintf(line + length, MESSAGE_SIZE - (size_t)length,
			    format, args);
	va_end(args);
	if (length >= MESSAGE_SIZE)
		length = MESSAGE_SIZE - 1;
	line[length++] = '\n';
	written = write(STDERR_FILENO, line, (size_t)length);
	(void)written;
	errno = saved_errno;
}

static void read_options(int *is_off, int *is_unchecked)
{
	const char *word = getenv("TICKWISE_PRELOAD");

	while (word && *word) {
		size_t length = strcspn(word, ",");

		if (length == 3 && !strncmp(word, "off", length))
			*is_off = 1;
		else if (length == 7 && !strncmp(word, "nocheck", length))
			*is_unchecked = 1;
		else if (length == 7 && !strncmp(word, "verbose", length))
			is_verbose = 1;
		else if (length)
			say("TICKWISE_PRELOAD knows no '%.*s' (verbose, "
			    "nocheck, off)", (int)length, word);
		word += length + (word[length] == ',');
	}
}

static void forked(void)
{
	tw_preload_forked(&tw_clock, me());
}

__attribute__((constructor))
static void set_up(void)
{
	int is_off = 0, is_unchecked = 0, is_good;
	struct tw_trust trust = { "TICKWISE_PRELOAD=off" };
	int saved_errno = errno;
	double ns_per_tick;
	void *found;

	found = dlsym(RTLD_NEXT, "clock_gettime");
	/* Where the counter is disabled, the vDSO's would kill this process. */
	if (found && tw_counter_permission() == TW_COUNTER_OK)
		memcpy(&real_clock_gettime, &found, sizeof(found));
	read_options(&is_off, &is_unchecked);
	is_good = !is_off && tw_preload_trust(!is_unchecked, &ns_per_tick, &trust);
	if (is_good && pthread_atfork(NULL, NULL, forked)) {
		is_good = 0;
		strcpy(trust.why_not, "no memory");
	}
	if (!is_good && is_verbose)
		say("the real clock is read: %s", trust.why_not);
	if (is_good) {
		tw_preload_enable(&tw_clock, ns_per_tick);
		if (is_verbose)
			say("CLOCK_MONOTONIC is read from the counter, at most |slew| x 1 ms "
			    "+ %d ns off: up to %d ns, as the real clock is read while "
			    "|slew| is over %d ppm", TW_STEER_BOUND_NS,
			    TW_STEER_BOUND_NS + TW_STEER_SLEW_PPM, TW_STEER_SLEW_PPM);
	}
	errno = saved_errno;
}

__attribute__((destructor))
static void say_what_was_seen(void)
{
	const struct tw_preload_counts *counts = &tw_clock.counts;

	if (!is_verbose || !tw_clock.enabled)
		return;
	say("renewed %llu times, at worst %.0f ns (+- %d) off when compared; "
	    "entered %llu times; slew now %+.1f ppm, too steep %llu times; "
	    "%llu comparisons disturbed, %llu late",
	    (unsigned long long)counts->renewed, counts->worst_ns,
	    TW_STEER_BRACKET_NS / 2, (unsigned long long)counts->entered,
	    tw_steer_slew_ppm(&tw_clock.steer),
	    (unsigned long long)(counts->slewed + counts->jumped),
	    (unsigned long long)counts->wide, (unsigned long long)counts->late);
}
