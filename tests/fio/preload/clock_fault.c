/* SPDX-License-Identifier: MIT */
/*
 * Spoils a system clock in the middle of a job (LD_PRELOAD), as seen by a program
 * that asks through the C library. It begins when a process that fio has forked
 * sleeps for the first time, as a job does for its thinktime=. So the moment does
 * not depend on how long anything takes.
 *
 *	CLOCK_FAULT=boottime	the machine seems to have slept for five seconds
 *	CLOCK_FAULT=raw		CLOCK_MONOTONIC_RAW jumps ahead by 100 ms
 *
 * One fault is at the start of fio, during the engine's calibration:
 *
 *	CLOCK_FAULT=away	of CLOCK_MONOTONIC_RAW, after each 0.5 ms of readings,
 *				one takes 20 ms, as if others had the CPU
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RAW_JUMP_NS	100000000
#define AWAY_AFTER_NS	500000
#define AWAY_FOR_NS	20000000

static int is_child, is_spoilt;
static struct timespec last_away;

static void forked(void)
{
	is_child = 1;
}

static __attribute__((constructor)) void start(void)
{
	pthread_atfork(NULL, NULL, forked);
}

static int real_nanosleep(const struct timespec *wanted, struct timespec *left)
{
	int (*real)(const struct timespec *, struct timespec *) =
		(int (*)(const struct timespec *, struct timespec *))
			dlsym(RTLD_NEXT, "nanosleep");

	return real(wanted, left);
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	is_spoilt |= is_child;
	return real_nanosleep(wanted, left);
}

static long since(const struct timespec *now, const struct timespec *then)
{
	return (now->tv_sec - then->tv_sec) * 1000000000 + now->tv_nsec - then->tv_nsec;
}

/* Return whether the reader was away before the reading that came at @now. Pauses of the
 * machine itself change nothing: a time without being away is never longer than 0.5 ms. */
static int was_away(const struct timespec *now)
{
	const struct timespec wait = { 0, AWAY_FOR_NS };

	if (is_child || (last_away.tv_sec && since(now, &last_away) < AWAY_AFTER_NS))
		return 0;
	real_nanosleep(&wait, NULL);
	return 1;
}

int clock_gettime(clockid_t clock_id, struct timespec *now)
{
	static int (*real)(clockid_t, struct timespec *);
	const char *fault = getenv("CLOCK_FAULT");
	int ret;

	if (!real)
		real = (int (*)(clockid_t, struct timespec *))
			dlsym(RTLD_NEXT, "clock_gettime");
	ret = real(clock_id, now);
	if (!ret && fault && !strcmp(fault, "away") &&
	    clock_id == CLOCK_MONOTONIC_RAW && was_away(now)) {
		ret = real(clock_id, now);
		last_away = *now;
		return ret;
	}
	if (ret || !fault || !is_spoilt)
		return ret;
	if (!strcmp(fault, "boottime") && clock_id == CLOCK_BOOTTIME)
		now->tv_sec += 5;
	if (!strcmp(fault, "raw") && clock_id == CLOCK_MONOTONIC_RAW) {
		now->tv_nsec += RAW_JUMP_NS;
		if (now->tv_nsec >= 1000000000) {
			now->tv_nsec -= 1000000000;
			now->tv_sec++;
		}
	}
	return 0;
}
