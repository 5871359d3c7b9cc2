/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread on a CPU of its own that looks at a ring all the time.
 *
 * As long as nothing changes its looks are served by its own cache: they cost
 * the other CPUs nothing. With nothing in flight nothing can change soon, and
 * it leaves its core's other hardware thread more of the core.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "tickwise.h"
#include "watcher.h"

/* IORING_SQ_TASKRUN, which older headers lack. */
#define SQ_TASKRUN		(1U << 2)
/* So many looks without a change before asking if anything is in flight. */
#define QUIET_LOOKS		256U
#define FIRST_LOOK_STEPS	1000U
#define FIRST_LOOK_STEP_NS	100000L

struct tw_watcher {
	struct tw_watcher_options options;
	pthread_t thread;
	_Atomic(bool) stop;
	_Atomic(bool) has_looked;
	_Atomic(uint64_t) away_ticks;
	struct tw_watch_notes notes;
};

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("isb" : : : "memory");
#endif
}

/* The order of the two loads is part of the proof. */
static inline void look_at(const struct tw_watcher_options *ring,
			   struct tw_watch_look *look)
{
	look->raised = ring->mode == TW_WATCH_TASKRUN &&
		__atomic_load_n(ring->sq_flags, __ATOMIC_ACQUIRE) & SQ_TASKRUN;
	look->tail = __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE);
	look->ticks = tw_ticks_end();
}

/* Every submission makes one completion. */
static bool has_none_in_flight(const struct tw_watcher_options *ring,
			       uint32_t tail)
{
	return __atomic_load_n(ring->sq_head, __ATOMIC_ACQUIRE) == tail;
}

/* Interrupted, or without its CPU: what it says of that time is little. */
static inline void count_away(struct tw_watcher *watcher,
			      const struct tw_watch_eye *eye,
			      const struct tw_watch_look *look)
{
	uint64_t ticks = look->ticks - eye->last.ticks;

	if (tw_unlikely(ticks > watcher->options.away_ticks) &&
	    watcher->options.away_ticks)
		atomic_fetch_add_explicit(&watcher->away_ticks, ticks,
					  memory_order_relaxed);
}

static void *watch(void *argument)
{
	struct tw_watcher *watcher = argument;
	const struct tw_watcher_options ring = watcher->options;
	struct tw_watch_notes *notes = &watcher->notes;
	struct tw_watch_look look;
	struct tw_watch_note note;
	struct tw_watch_eye eye;
	bool idle = false;
	unsigned quiet = 0;
	uint64_t before_ticks = tw_ticks_begin();

	look_at(&ring, &look);
	look.ticks = before_ticks;
	tw_watch_eye_init(&eye, ring.mode, &look);
	atomic_store_explicit(&watcher->has_looked, true,
			      memory_order_release);
	while (!atomic_load_explicit(&watcher->stop, memory_order_relaxed)) {
		look_at(&ring, &look);
		count_away(watcher, &eye, &look);
		switch (tw_watch_eye_look(&eye, &look, &note)) {
		case TW_WATCH_NOTED:
			tw_watch_notes_add(notes, &note);
			quiet = 0;
			idle = false;
			continue;
		case TW_WATCH_NOTE_FELL:
			tw_watch_notes_fell(notes);
			break;
		case TW_WATCH_NOTHING:
			break;
		}
		if (++quiet % QUIET_LOOKS == 0)
			idle = has_none_in_flight(&ring, look.tail);
		if (idle)
			relax();
	}
	return NULL;
}

/* Pinned from its first instruction on, and deaf to signals. */
static int start_thread(struct tw_watcher *watcher)
{
	size_t bytes = CPU_ALLOC_SIZE(watcher->options.cpu + 1);
	cpu_set_t *cpus = CPU_ALLOC(watcher->options.cpu + 1);
	pthread_attr_t attributes;
	sigset_t all, before;
	int ret;

	if (!cpus)
		return -ENOMEM;
	CPU_ZERO_S(bytes, cpus);
	CPU_SET_S(watcher->options.cpu, bytes, cpus);
	ret = pthread_attr_init(&attributes);
	if (!ret) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		ret = pthread_attr_setaffinity_np(&attributes, bytes, cpus);
		if (!ret)
			ret = pthread_create(&watcher->thread, &attributes,
					     watch, watcher);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		pthread_attr_destroy(&attributes);
	}
	CPU_FREE(cpus);
	return -ret;
}

static void await_first_look(struct tw_watcher *watcher)
{
	const struct timespec step = { .tv_nsec = FIRST_LOOK_STEP_NS };
	unsigned i;

	for (i = 0; i < FIRST_LOOK_STEPS; i++) {
		if (atomic_load_explicit(&watcher->has_looked,
					 memory_order_acquire))
			return;
		nanosleep(&step, NULL);
	}
}

int tw_watcher_start(struct tw_watcher **result,
		     const struct tw_watcher_options *options)
{
	struct tw_watcher *watcher;
	int ret;

	watcher = aligned_alloc(TW_WATCH_LINE, sizeof(*watcher));
	if (!watcher)
		return -ENOMEM;
	*watcher = (struct tw_watcher) { .options = *options };
	ret = tw_watch_notes_init(&watcher->notes, 2 * options->entries);
	if (!ret) {
		ret = start_thread(watcher);
		if (ret)
			tw_watch_notes_free(&watcher->notes);
	}
	if (ret) {
		free(watcher);
		return ret;
	}
	await_first_look(watcher);
	*result = watcher;
	return 0;
}

void tw_watcher_stop(struct tw_watcher *watcher)
{
	if (!watcher)
		return;
	atomic_store_explicit(&watcher->stop, true, memory_order_relaxed);
	pthread_join(watcher->thread, NULL);
	tw_watch_notes_free(&watcher->notes);
	free(watcher);
}

uint64_t tw_watcher_away_ticks(const struct tw_watcher *watcher)
{
	return atomic_load_explicit(&watcher->away_ticks,
				    memory_order_relaxed);
}

struct tw_watch_notes *tw_watcher_notes(struct tw_watcher *watcher)
{
	return &watcher->notes;
}
