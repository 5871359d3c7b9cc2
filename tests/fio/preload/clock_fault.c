/* SPDX-License-Identifier: MIT */
/*
 * Spoils a system clock after some time (LD_PRELOAD), as seen from a program
 * that asks through the C library.
 *
 *	CLOCK_FAULT=boottime	the machine seems to have slept for five seconds
 *	CLOCK_FAULT=raw		CLOCK_MONOTONIC_RAW jumps by a millisecond
 *	CLOCK_FAULT_AFTER=MS	so long after the first time somebody asks
 */
#include <dlfcn.h>
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

static int is_time(void)
{
	static long long first_ms;
	const char *after = getenv("CLOCK_FAULT_AFTER");

	/* Children of the first who asked have it from him. */
	if (!first_ms)
		first_ms = now_ms();
	return now_ms() - first_ms >= (after ? atoll(after) : 0);
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
