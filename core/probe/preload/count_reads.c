/* SPDX-License-Identifier: MIT */
/*
 * `tickwise compare` preloads this into fio. It counts the readings of
 * CLOCK_MONOTONIC: with --clocksource=clock_gettime these are all readings of
 * fio's clock. At the end it prints the largest count of any thread but the
 * first. The first thread calibrates, while a job's thread does its I/Os.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS	64

static int (*real_gettime)(clockid_t, struct timespec *);
static unsigned long long reads[THREADS] __attribute__((aligned(64)));
static unsigned threads;
static __thread unsigned self __attribute__((tls_model("initial-exec")));

__attribute__((constructor))
static void find_real(void)
{
	real_gettime = (int (*)(clockid_t, struct timespec *))
		dlsym(RTLD_NEXT, "clock_gettime");
}

__attribute__((visibility("default")))
int clock_gettime(clockid_t id, struct timespec *now)
{
	if (!self)
		self = 1 + __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
	if (id == CLOCK_MONOTONIC && self <= THREADS)
		reads[self - 1]++;
	if (!real_gettime)
		return (int)syscall(SYS_clock_gettime, id, now);
	return real_gettime(id, now);
}

__attribute__((destructor))
static void say(void)
{
	unsigned long long most = 0;

	for (unsigned i = 1; i < THREADS; i++)
		if (reads[i] > most)
			most = reads[i];
	printf("\ntickwise-reads %llu\n", most);
}
