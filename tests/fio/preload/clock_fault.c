/* SPDX-License-Identifier: MIT */
/*
 * Spoils a system clock after some time (LD_PRELOAD), as seen from a program
 * that asks through the C library.
 *
 *	CLOCK_FAULT=boottime	the machine seems to have slept for five seconds
 *	CLOCK_FAULT=raw		CLOCK_MONOTONIC_RAW jumps by a millisecond
 *	CLOCK_FAULT_AFTER=MS	so long after the first I/O of the engine's job
 *
 * From the first I/O on, because a busy machine may take any time until then, and
 * what is looked at before must still be good.
 */
#include <dlfcn.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int (*real_gettime)(clockid_t, struct timespec *);

static long long now_ms(void)
{
	struct timespec now;

	real_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static long long began_ms;	/* 0: no I/O yet */

static int is_time(void)
{
	const char *after = getenv("CLOCK_FAULT_AFTER");

	return began_ms && now_ms() - began_ms >= (after ? atoll(after) : 0);
}

int io_uring_enter(unsigned fd, unsigned to_submit, unsigned min_complete,
		   unsigned flags, sigset_t *sig)
{
	static int (*enter)(unsigned, unsigned, unsigned, unsigned, sigset_t *);

	if (!enter)
		enter = (int (*)(unsigned, unsigned, unsigned, unsigned,
				 sigset_t *))dlsym(RTLD_NEXT, "io_uring_enter");
	if (!began_ms && real_gettime)
		began_ms = now_ms();
	return enter(fd, to_submit, min_complete, flags, sig);
}

int clock_gettime(clockid_t clock_id, struct timespec *now)
{
	const char *fault = getenv("CLOCK_FAULT");
	int ret;

	if (!real_gettime)
		real_gettime = (int (*)(clockid_t, struct timespec *))
			dlsym(RTLD_NEXT, "clock_gettime");
	ret = real_gettime(clock_id, now);
	if (ret || !fault || !is_time())
		return ret;
	if (!strcmp(fault, "boottime") && clock_id == CLOCK_BOOTTIME)
		now->tv_sec += 5;
	if (!strcmp(fault, "raw") && clock_id == CLOCK_MONOTONIC_RAW) {
		now->tv_nsec += 1000000;
		if (now->tv_nsec >= 1000000000) {
			now->tv_nsec -= 1000000000;
			now->tv_sec++;
		}
	}
	return 0;
}
