/* SPDX-License-Identifier: MIT */
/*
 * Threads. Each gets its record at its first hook. When it ends, its tree is added to that of
 * all threads that have ended, so a program may have any number of threads one after another.
 * A thread may call functions after that, in destructors of others: these begin a new record.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profile.h"

struct tw_profile tw_profile;
int tw_profile_mode;
__thread struct tw_profile_thread *tw_profile_self __attribute__((tls_model("initial-exec")));
struct tw_profile_thread tw_profile_nobody = { .busy = UINTPTR_MAX };
const char *const tw_profile_fences[] = {
	[TW_PROFILE_FENCE_NONE] = "none",
	[TW_PROFILE_FENCE_RDTSCP] = "rdtscp",
	[TW_PROFILE_FENCE_FULL] = "full",
};

static pthread_key_t ending;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void tw_profile_lock(void)
{
	pthread_mutex_lock(&lock);
}

void tw_profile_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void tw_profile_say(const char *format, ...)
{
	char message[PATH_MAX + 256];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	dprintf(STDERR_FILENO, "tickwise-profile: %s\n", message);
}

struct tw_profile_thread *tw_profile_thread_new(int64_t *budget_bytes,
						const struct tw_profile_options *options)
{
	struct tw_arena arena = { .budget_bytes = NULL };
	/* Only the part of frames and events that is used is ever touched. */
	struct tw_profile_thread *thread = tw_arena_take(&arena, sizeof(*thread));
	struct tw_frame *frames = tw_arena_take(&arena, (options->depth + 1) * sizeof(*frames));
	struct tw_recorder *recorder;

	if (!thread || !frames ||
	    tw_recorder_init(&thread->recorder, frames, options->depth, budget_bytes,
			     (unsigned)options->histogram_digits)) {
		tw_arena_free(&arena);
		return NULL;
	}
	recorder = &thread->recorder;
	if (options->events)
		recorder->events = tw_arena_take(&arena, options->events *
						 sizeof(*recorder->events));
	recorder->event_limit = recorder->events ? options->events : 0;
	thread->arena = arena;
	thread->line.tid = (pid_t)syscall(SYS_gettid);
	prctl(PR_GET_NAME, thread->line.name);
	return thread;
}

void tw_profile_thread_free(struct tw_profile_thread *thread)
{
	struct tw_arena arena = thread->arena;

	tw_tree_free(&thread->recorder.tree);
	/* The arena contains the structure itself. */
	tw_arena_free(&arena);
}

struct tw_profile_thread *tw_profile_thread_begin(void)
{
	const struct tw_profile_options *options = &tw_profile.options;
	const struct tw_profile_cost *cost = &tw_profile.cost;
	double ticks_per_ns = tw_profile.clock.scale.hz / 1e9;
	struct tw_profile_thread *thread;
	struct tw_recorder *recorder;

	if (tw_profile_self ||
	    __atomic_load_n(&tw_profile_mode, __ATOMIC_ACQUIRE) == TW_PROFILE_STOPPED)
		return NULL;
	/* Functions that are called from here may have hooks. */
	tw_profile_self = &tw_profile_nobody;
	thread = tw_profile_thread_new(&tw_profile.budget_bytes, options);
	if (!thread) {
		/* This thread is not in the profile, and the file tells so. */
		__atomic_add_fetch(&tw_profile.lost, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	recorder = &thread->recorder;
	recorder->cost.inside_256 = (uint64_t)(cost->inside * 256 + .5);
	recorder->cost.both_256 = (uint64_t)((cost->inside + cost->outside) * 256 + .5);
	recorder->event_min_ticks = (uint64_t)((double)options->event_min_ns * ticks_per_ns);
	if (options->throttle_calls) {
		recorder->throttle_calls = options->throttle_calls;
		recorder->throttle_ticks =
			(uint64_t)((double)options->throttle_ns * ticks_per_ns);
	}
	tw_profile_lock();
	thread->next = tw_profile.threads;
	tw_profile.threads = thread;
	tw_profile_unlock();
	pthread_setspecific(ending, thread);
	tw_profile_self = thread;
	return thread;
}

void tw_profile_drops_add(struct tw_recorder_drops *to, const struct tw_recorder_drops *from)
{
	to->too_deep += from->too_deep;
	to->no_memory += from->no_memory;
	to->in_hook += from->in_hook;
	to->unmatched += from->unmatched;
	to->backwards += from->backwards;
	to->events += from->events;
}

/* Keep what a thread recorded. If its tree finds no room, it stays where it is, and the thread
 * stays in the list as if it was running. */
static void end_thread(void *context)
{
	struct tw_profile_thread *thread = context;
	struct tw_recorder *recorder = &thread->recorder;
	struct tw_profile_thread **link = &tw_profile.threads;
	struct tw_profile_line *line;
	size_t size = recorder->event_count * sizeof(*recorder->events);

	tw_profile_self = &tw_profile_nobody;
	tw_profile_lock();
	/* pthread_exit() has left these frames. */
	tw_recorder_unwind(recorder, UINTPTR_MAX, &(struct tw_other_stack) { 0 }, tw_ticks());
	if (tw_tree_merge(&tw_profile.ended, &recorder->tree)) {
		tw_profile.lost++;
		goto unlock;
	}
	tw_profile_drops_add(&tw_profile.ended_drops, &recorder->drops);
	line = tw_arena_take(&tw_profile.ended_arena, sizeof(*line));
	if (line) {
		*line = thread->line;
		prctl(PR_GET_NAME, line->name);
		line->events = size ? tw_arena_take(&tw_profile.ended_arena, size) : NULL;
		line->event_count = line->events ? recorder->event_count : 0;
		if (line->events)
			memcpy(line->events, recorder->events, size);
		line->next = tw_profile.lines;
		tw_profile.lines = line;
	}
	if (!line || !line->event_count)
		tw_profile.ended_drops.events += recorder->event_count;
	while (*link != thread)
		link = &(*link)->next;
	*link = thread->next;
	tw_profile_thread_free(thread);
unlock:
	tw_profile_unlock();
	tw_profile_self = NULL;
}

int tw_profile_threads_init(void)
{
	return -pthread_key_create(&ending, end_thread);
}

void tw_profile_threads_child(void)
{
	struct tw_profile_thread *thread = tw_profile_self;
	struct tw_recorder *recorder;

	/* Other threads do not exist here. What they had can be in any state. */
	tw_profile.threads = NULL;
	tw_profile.lines = NULL;
	tw_profile.ended_drops = (struct tw_recorder_drops) { 0 };
	tw_profile.lost = 0;
	tw_tree_reset(&tw_profile.ended);
	if (!thread || thread == &tw_profile_nobody)
		return;
	tw_profile.threads = thread;
	recorder = &thread->recorder;
	thread->next = NULL;
	thread->line.tid = (pid_t)syscall(SYS_gettid);
	tw_tree_reset(&recorder->tree);
	recorder->excluded_ticks = 0;
	recorder->event_count = 0;
	recorder->drops = (struct tw_recorder_drops) { 0 };
	/* Of calls that began in the parent, their time in this process counts, but the call
	 * does not. */
	for (struct tw_frame *frame = recorder->top; frame > recorder->frames; frame--)
		if (frame->start_ticks != TW_NOT_TIMED)
			frame->start_ticks = tw_profile.begin_ticks;
}
