/* SPDX-License-Identifier: MIT */
/*
 * What the parts of libtickwise-profile share: options, state, threads. Each part may use
 * those below it:
 *
 *	hooks.c			in each object with hooks
 *	events.c		an entry, an exit
 *	start.c			begins and ends the recording
 *	calibrate.c, write.c	what the hooks take; the file
 *	thread.c		a thread's record
 *	recorder.c, tree.c, cost.c, maps.c, options.c
 */
#ifndef TW_PROFILE_PROFILE_H
#define TW_PROFILE_PROFILE_H

#include <limits.h>
#include <pthread.h>
#include <sys/types.h>

#include "cost.h"
#include "recorder.h"

/* The hooks' own functions must never have hooks, with any CFLAGS. */
#define TW_NO_HOOKS	__attribute__((no_instrument_function))

/* What the hooks do now; with 0 nothing. */
enum tw_profile_mode {
	TW_PROFILE_STOPPED,
	TW_PROFILE_HELD,		/* wait while the file is written */
	TW_PROFILE_FENCE_NONE,
	TW_PROFILE_FENCE_RDTSCP,
	TW_PROFILE_FENCE_FULL,
};

/* "none", "rdtscp" and "full", by mode. */
extern const char *const tw_profile_fences[];

struct tw_profile_options {
	enum tw_profile_mode fence;
	uint64_t off;
	uint64_t depth;
	uint64_t memory_bytes;
	uint64_t events;		/* how many to keep for each thread */
	uint64_t event_min_ns;
	uint64_t histogram_digits;
	uint64_t throttle_calls;
	uint64_t throttle_ns;
	char file[PATH_MAX];		/* empty: PROGRAM.PID.tickwise-profile */
	char filter[PATH_MAX];		/* file of what not to time; or empty */
};

/* Fill in @options from the text of TICKWISE_PROFILE. Return 0; -EINVAL, with @wrong at the
 * word that is not understood. Pure. */
int tw_profile_options_parse(struct tw_profile_options *options, const char *text,
			     const char **wrong);

/* What the file tells of a thread, which may have ended. */
struct tw_profile_line {
	struct tw_profile_line *next;
	pid_t tid;
	char name[16];
	uint64_t event_count;
	struct tw_event *events;
};

struct tw_profile_thread {
	uintptr_t busy;			/* stack of the hook at work; 0: none */
	struct tw_recorder recorder;
	struct tw_profile_thread *next;
	struct tw_arena arena;		/* this structure and its frames */
	struct tw_profile_line line;	/* without events while it runs */
	int is_held;			/* in a hook, until the file is written */
	struct tw_frame *top_then;	/* the record's when writing began */
	uint64_t calls_then;
};

/* What the kernel counted of all threads of this process. */
struct tw_profile_usage {
	uint64_t cpu_ns;
	uint64_t preemptions;		/* another task took the CPU */
};

struct tw_profile {
	struct tw_profile_options options;
	struct tw_clock clock;
	struct tw_profile_cost cost;
	pid_t pid;
	uint64_t begin_ticks;
	struct tw_profile_usage usage;		/* of the run; while it is recorded: before it */
	int64_t budget_bytes;
	struct tw_profile_thread *threads;	/* this and what follows: under the lock */
	uint64_t excluded_ticks;		/* writing took this much of the run */
	/* of threads that have ended */
	struct tw_tree ended;
	struct tw_arena ended_arena;	/* their lines and events */
	struct tw_profile_line *lines;
	struct tw_recorder_drops ended_drops;
	uint64_t lost;			/* threads whose record or tree had no room */
};

extern struct tw_profile tw_profile;
/* An enum tw_profile_mode, which every hook reads. */
extern int tw_profile_mode;
extern __thread struct tw_profile_thread *tw_profile_self
	__attribute__((tls_model("initial-exec")));
/* The record of a thread on which no hook may do anything. */
extern struct tw_profile_thread tw_profile_nobody;

/* ---- thread.c ---- */

void tw_profile_lock(void);
void tw_profile_unlock(void);
int tw_profile_threads_init(void);
struct tw_profile_thread *tw_profile_thread_new(int64_t *budget_bytes,
						const struct tw_profile_options *options);
void tw_profile_thread_free(struct tw_profile_thread *thread);
/* Make this thread's record, after tw_profile_start(). Return NULL: not now. */
struct tw_profile_thread *tw_profile_thread_begin(void);
/* Start anew in a child after fork: what was recorded belongs to the parent. */
void tw_profile_threads_child(void);
void tw_profile_drops_add(struct tw_recorder_drops *to, const struct tw_recorder_drops *from);

/* Print "tickwise-profile: ..." on stderr. */
void tw_profile_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- maps.c ---- */

struct tw_map {
	uint64_t begin, end, offset;
	const char *path;		/* to the end of the line; may be "" */
};

/* Call @take for each executable mapping. Allocates nothing. */
void tw_maps_each(void (*take)(void *context, const struct tw_map *map), void *context);

/* True if the function at @address must not be timed. Never allocates. */
int tw_profile_is_filtered(const void *address);
void tw_profile_filter_read(const char *path);
/* Find the functions again, after objects were loaded. */
void tw_profile_filter_resolve(void);

/* ---- calibrate.c, write.c, start.c ---- */

/* Measure the cost on this thread. Without memory all of @cost is 0. */
void tw_profile_calibrate(struct tw_profile_cost *cost);

/* Write everything up to now to the file @path. The hooks must do nothing meanwhile. Return
 * 0; -errno. */
int tw_profile_write_file(const char *path, uint64_t now_ticks);

/* Begin the recording, once. Hooks that run before the constructor call this, too. */
void tw_profile_start(void);

#endif
