/* SPDX-License-Identifier: MIT */
/*
 * What the parts of libtickwise-profile share: options, state, threads.
 */
#ifndef TW_PROFILE_PROFILE_H
#define TW_PROFILE_PROFILE_H

#include <limits.h>
#include <pthread.h>
#include <sys/types.h>

#include "cost.h"
#include "recorder.h"
#include "stamp.h"

/* The hooks' own functions must never have hooks, with any CFLAGS. */
#define TW_NO_HOOKS	__attribute__((no_instrument_function))

struct tw_profile_options {
	enum tw_profile_mode fence;
	int off;
	uint64_t depth;
	int64_t memory_bytes;
	uint64_t events;		/* how many to keep for each thread */
	uint64_t event_min_ns;
	unsigned histogram_digits;
	uint64_t throttle_calls;
	uint64_t throttle_ns;
	char file[PATH_MAX];		/* empty: PROGRAM.PID.tickwise-profile */
	char filter[PATH_MAX];		/* file of what not to time; or empty */
};

struct tw_profile_thread {
	uintptr_t busy;			/* stack of the hook at work; 0: none */
	struct tw_recorder recorder;
	struct tw_profile_thread *next;
	struct tw_arena arena;		/* this structure and its frames */
	uint64_t begin_ticks;
	pid_t tid;
	char name[16];
};

/* The line of a thread, which may have ended. */
struct tw_profile_thread_line {
	struct tw_profile_thread_line *next;
	pid_t tid;
	char name[16];
	uint64_t calls, nodes, begin_ticks, end_ticks, excluded_ticks;
};

struct tw_profile {
	struct tw_profile_options options;
	struct tw_clock clock;
	struct tw_profile_cost cost;
	pid_t pid;
	uint64_t begin_ticks;
	int64_t budget_bytes;
	/* of threads that have ended; under the lock */
	struct tw_tree ended;
	struct tw_arena ended_arena;	/* their lines and events */
	struct tw_profile_thread_line *lines;
	struct tw_profile_events *ended_events;
	struct tw_recorder_drops ended_drops;
	uint64_t lost_at_end;		/* threads whose tree had no room */
	struct tw_profile_thread *threads;
};

struct tw_profile_events {
	struct tw_profile_events *next;
	pid_t tid;
	uint64_t count;
	struct tw_event *events;
};

extern struct tw_profile tw_profile;
/* An enum tw_profile_mode, which every hook reads. */
extern int tw_profile_mode;
extern __thread struct tw_profile_thread *tw_profile_self
	__attribute__((tls_model("initial-exec")));
/* The record of a thread on which no hook may do anything. */
extern struct tw_profile_thread tw_profile_nobody;

/* Begin the recording, once. Hooks that run before the constructor call this,
 * too. */
void tw_profile_start(void);

/* Return this thread's record; NULL: not now. */
struct tw_profile_thread *tw_profile_thread_begin(void);
struct tw_profile_thread *tw_profile_thread_new(int64_t *budget_bytes,
						const struct tw_profile_options *options);
void tw_profile_thread_free(struct tw_profile_thread *thread);
int tw_profile_threads_init(void);
void tw_profile_lock(void);
void tw_profile_unlock(void);
/* Start anew in a child after fork: what was recorded belongs to the parent. */
void tw_profile_threads_child(void);

/* Fill in @options from the text of TICKWISE_PROFILE. Return 0; -EINVAL, with
 * @wrong at the word that is not understood. Pure. */
int tw_profile_options_parse(struct tw_profile_options *options,
			     const char *text, const char **wrong);

/* Measure the cost on this thread. Without memory all of @cost is 0. */
void tw_profile_calibrate(struct tw_profile_cost *cost);

/* Write the file, and record nothing from then on. */
void tw_profile_end(void);
/* Prepare writing. Called once, in the first process and not in its children. */
void tw_profile_write_init(void);
void tw_profile_drops_add(struct tw_recorder_drops *to,
			  const struct tw_recorder_drops *from);

/* True if the function at @address must not be timed. Never allocates. */
int tw_profile_is_filtered(const void *address);
void tw_profile_filter_read(const char *path);
/* Find the functions again, after objects were loaded. */
void tw_profile_filter_resolve(void);

/* Print "tickwise-profile: ..." on stderr. */
void tw_profile_say(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
