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

/* The hooks' own functions are never to be hooked, whatever CFLAGS say. */
#define TW_NO_HOOKS	__attribute__((no_instrument_function))

struct tw_profile_options {
	enum tw_profile_mode fence;
	int off;
	uint64_t depth;
	int64_t memory_bytes;
	uint64_t events;		/* to keep, a thread */
	uint64_t event_min_ns;
	unsigned histogram_digits;
	uint64_t throttle_calls;
	uint64_t throttle_ns;
	char file[PATH_MAX];		/* empty: PROGRAM.PID.tickwise-profile */
	char filter[PATH_MAX];		/* file of what not to time; empty */
};

struct tw_profile_thread {
	uintptr_t busy;			/* stack of the hook at work; 0 */
	struct tw_recorder recorder;
	struct tw_profile_thread *next;
	struct tw_arena arena;		/* this structure and its frames */
	uint64_t begin_ticks;
	pid_t tid;
	char name[16];
};

/* One line for each thread, also of those that are gone. */
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
	/* of threads that are gone; under the lock */
	struct tw_tree ended;
	struct tw_arena ended_arena;	/* their lines and events */
	struct tw_profile_thread_line *lines;
	struct tw_profile_events *ended_events;
	struct tw_recorder_drops ended_drops;
	uint64_t lost_at_end;		/* threads whose tree found no room */
	struct tw_profile_thread *threads;
};

struct tw_profile_events {
	struct tw_profile_events *next;
	pid_t tid;
	uint64_t count;
	struct tw_event *events;
};

extern struct tw_profile tw_profile;
/* An enum tw_profile_mode; read by every hook. */
extern int tw_profile_mode;
extern __thread struct tw_profile_thread *tw_profile_self
	__attribute__((tls_model("initial-exec")));
/* For a thread on which no hook shall do anything. */
extern struct tw_profile_thread tw_profile_nobody;

/* Begins the recording, once. Hooks call it that come before the constructor. */
void tw_profile_start(void);

/* This thread's record; NULL: not now. */
struct tw_profile_thread *tw_profile_thread_begin(void);
struct tw_profile_thread *tw_profile_thread_new(int64_t *budget_bytes,
						const struct tw_profile_options *options);
void tw_profile_thread_free(struct tw_profile_thread *thread);
int tw_profile_threads_init(void);
void tw_profile_lock(void);
void tw_profile_unlock(void);
/* After fork, in the child: what there was is the parent's. */
void tw_profile_threads_child(void);

/* Fills in @options from the text of TICKWISE_PROFILE. 0; -EINVAL, with
 * @wrong at the word that is not understood. Pure. */
int tw_profile_options_parse(struct tw_profile_options *options,
			     const char *text, const char **wrong);

/* Calls functions of its own on this thread. Without memory all of @cost is 0. */
void tw_profile_calibrate(struct tw_profile_cost *cost);

/* Writes the file, and records nothing from then on. */
void tw_profile_end(void);
/* Once, at the start of the process that is not a child of a recorded one. */
void tw_profile_write_init(void);
void tw_profile_drops_add(struct tw_recorder_drops *to,
			  const struct tw_recorder_drops *from);

/* Is the function at @address one that is not to be timed? Never allocates. */
int tw_profile_is_filtered(const void *address);
void tw_profile_filter_read(const char *path);
/* Objects have come since. */
void tw_profile_filter_resolve(void);

/* "tickwise-profile: ..." on stderr. */
void tw_profile_say(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
