/* SPDX-License-Identifier: MIT */
/*
 * Begins and ends the recording: the environment, calibration, fork, and when the file is
 * written: at the end of the program, and when it calls tw_profile_write().
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "counter/state.h"
#include "object.h"
#include "profile.h"
#include "tickwise-profile.h"
#include "trust.h"

/* The rate is measured in this time, and at the end again over the whole run. */
#define RATE_WINDOW_NS	10000000
#define LONGEST_RATE_WINDOW_NS	640000000
/* How long a thread may take to leave its hook, since it may have lost its CPU. */
#define HOOK_WAIT_NS	1000000000ULL

static int is_started;
static pid_t first_pid;

/* ---- the beginning ---- */

/* Return what was used since @before. */
static struct tw_profile_usage used_since(const struct tw_profile_usage *before)
{
	struct rusage now;

	getrusage(RUSAGE_SELF, &now);
	return (struct tw_profile_usage) {
		.cpu_ns = (uint64_t)(now.ru_utime.tv_sec + now.ru_stime.tv_sec) * 1000000000 +
			  (uint64_t)(now.ru_utime.tv_usec + now.ru_stime.tv_usec) * 1000 -
			  before->cpu_ns,
		.preemptions = (uint64_t)now.ru_nivcsw - before->preemptions,
	};
}

static void in_child(void)
{
	tw_profile_unlock();
	tw_profile.pid = getpid();
	tw_profile.begin_ticks = tw_ticks();
	tw_profile.excluded_ticks = 0;
	tw_profile.usage = (struct tw_profile_usage) { 0 };
	tw_profile_threads_child();
}

/* Set up the clock. Return nonzero if the counter can be read and its rate is known. On a
 * busy machine a short window has too few undisturbed samples, and then a longer one is
 * used. */
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
	struct tw_profile_options *options = &tw_profile.options;
	const char *wrong;

	if (tw_profile_options_parse(options, getenv("TICKWISE_PROFILE"), &wrong))
		tw_profile_say("TICKWISE_PROFILE: '%.*s' is not understood, and left out",
			       (int)strcspn(wrong, ","), wrong);
	if (options->off || !read_clock())
		return 0;
	tw_profile.pid = first_pid = getpid();
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	tw_profile.budget_bytes = (int64_t)options->memory_bytes;
	tw_profile.ended_arena.budget_bytes = &tw_profile.budget_bytes;
	if (tw_tree_init(&tw_profile.ended, &tw_profile.budget_bytes,
			 (unsigned)options->histogram_digits) ||
	    tw_profile_threads_init() ||
	    pthread_atfork(tw_profile_lock, tw_profile_unlock, in_child)) {
		tw_profile_say("nothing is recorded: no memory");
		return 0;
	}
	if (options->filter[0])
		tw_profile_filter_read(options->filter);
	/* From here on hooks run in threads that have a record. */
	__atomic_store_n(&tw_profile_mode, (int)options->fence, __ATOMIC_RELEASE);
	tw_profile_calibrate(&tw_profile.cost);
	tw_profile.usage = used_since(&(struct tw_profile_usage) { 0 });
	tw_profile.begin_ticks = tw_ticks();
	return 1;
}

void __attribute__((constructor(101))) tw_profile_start(void)
{
	if (__atomic_exchange_n(&is_started, 1, __ATOMIC_ACQ_REL))
		return;
	/* Functions that are called from here may have hooks. */
	tw_profile_self = &tw_profile_nobody;
	if (!set_up())
		__atomic_store_n(&tw_profile_mode, TW_PROFILE_STOPPED, __ATOMIC_RELEASE);
	tw_profile_self = NULL;
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
	/* A static program has neither function, and loads nothing. The program itself is not
	 * found by its name, and stays mapped anyway. */
	if (dladdr && dlopen && dladdr(address, &info) && info.dli_fname)
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	tw_profile_self = self;
}

/* ---- writing ---- */

/* Exclude the time that writing took from the run, and from the functions of each thread that
 * was in one call all the time: this thread, and those that wait. The others count themselves
 * how long they were held. */
static void exclude(uint64_t ticks)
{
	tw_profile.excluded_ticks += ticks;
	for (struct tw_profile_thread *thread = tw_profile.threads; thread; thread = thread->next)
		if (!__atomic_load_n(&thread->is_held, __ATOMIC_ACQUIRE) &&
		    thread->recorder.top == thread->top_then &&
		    thread->recorder.calls == thread->calls_then)
			thread->recorder.excluded_ticks += ticks;
}

/* Let no hook go on, and wait until none is at work. With the barrier each thread sees the mode, or
 * this thread sees that the other is in a hook. */
static void hold(int mode)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	uint64_t waited_ns = 0;

	__atomic_store_n(&tw_profile_mode, mode, __ATOMIC_SEQ_CST);
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	for (struct tw_profile_thread *thread = tw_profile.threads; thread; thread = thread->next)
		for (; __atomic_load_n(&thread->busy, __ATOMIC_ACQUIRE) &&
		     waited_ns < HOOK_WAIT_NS; waited_ns += (uint64_t)pause.tv_nsec)
			nanosleep(&pause, NULL);
}

static int write_now(int mode_afterwards)
{
	struct tw_profile_thread *self = tw_profile_self;
	const char *given = tw_profile.options.file;
	uint64_t begin_ticks = tw_ticks_end(), now_ticks;
	struct tw_profile_usage of_run;
	struct tw_profile_cost cost;
	char path[PATH_MAX + 32];
	int failed, mode;

	tw_profile_self = &tw_profile_nobody;
	tw_profile_lock();
	mode = __atomic_load_n(&tw_profile_mode, __ATOMIC_ACQUIRE);
	of_run = used_since(&tw_profile.usage);
	hold(TW_PROFILE_HELD);
	for (struct tw_profile_thread *thread = tw_profile.threads; thread; thread = thread->next) {
		thread->top_then = thread->recorder.top;
		thread->calls_then = thread->recorder.calls;
	}
	__atomic_store_n(&tw_profile_mode, mode, __ATOMIC_SEQ_CST);
	/* Measure the hooks again. The processor may run faster or slower than at the start,
	 * while ticks stay the same. */
	tw_profile_calibrate(&cost);
	tw_profile_cost_join(&tw_profile.cost, &cost);
	hold(mode_afterwards == TW_PROFILE_STOPPED ? TW_PROFILE_STOPPED : TW_PROFILE_HELD);
	now_ticks = tw_ticks_end();
	exclude(now_ticks - begin_ticks);
	tw_profile.usage = of_run;
	/* A child after fork never overwrites its parent's file. */
	if (!given[0])
		snprintf(path, sizeof(path), "%.100s.%d.tickwise-profile",
			 program_invocation_short_name, (int)tw_profile.pid);
	else if (tw_profile.pid == first_pid)
		snprintf(path, sizeof(path), "%s", given);
	else
		snprintf(path, sizeof(path), "%s.%d", given, (int)tw_profile.pid);
	failed = tw_profile_write_file(path, now_ticks);
	/* What was used before the run, and by writing. */
	tw_profile.usage = used_since(&of_run);
	exclude(tw_ticks_end() - now_ticks);
	__atomic_store_n(&tw_profile_mode, mode_afterwards, __ATOMIC_SEQ_CST);
	tw_profile_unlock();
	tw_profile_self = self;
	if (failed)
		tw_profile_say("can't write %s: %s", path, strerror(-failed));
	return failed;
}

static int is_recording(void)
{
	return __atomic_load_n(&tw_profile_mode, __ATOMIC_ACQUIRE) != TW_PROFILE_STOPPED &&
	       getpid() == tw_profile.pid;
}

int tw_profile_write(void)
{
	tw_profile_start();
	return is_recording() ? write_now((int)tw_profile.options.fence) : -EPERM;
}

/* Write the file, after everything that the program registered for its end. Nothing is
 * recorded from then on. */
static void __attribute__((destructor(101))) at_end(void)
{
	if (is_recording())
		write_now(TW_PROFILE_STOPPED);
}
