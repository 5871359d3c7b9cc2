/* SPDX-License-Identifier: MIT */
/*
 * What one thread records: its shadow stack and its call tree, and what an
 * entry and an exit do to them. Reads no counter: stamps are given, so tests
 * inject them. The hooks (core/profile/hooks.c) inline this.
 *
 * Entries and exits do not pair by themselves: longjmp and exceptions leave
 * frames without an exit. So each frame has the address of the stack where its
 * hook was called. Stacks grow down: a frame whose address lies below that of
 * a later entry is gone. (Equal ones are not: an inlined function is entered
 * on its host's frame.) An exit can lie above its own entry, by the size of the
 * function's frame, because compilers jump to the exit hook as the last thing
 * they do.
 */
#ifndef TW_PROFILE_RECORDER_H
#define TW_PROFILE_RECORDER_H

#include <stdint.h>

#include "tree.h"

/* In place of a frame's first stamp: called, but not to be timed. */
#define TW_NOT_TIMED	UINT64_MAX

#define TW_NEVER	UINT64_MAX

struct tw_frame {
	struct tw_node *node;		/* not timed: that of its caller */
	const void *function;
	uint64_t start_ticks;
	uintptr_t stack;
	uint64_t calls;			/* the recorder's, when it began */
};

/* A signal's own stack, where the thread is on it; all 0 where not. */
struct tw_other_stack {
	uintptr_t low, high;
};

/* One call, for those who want a picture of them. */
struct tw_event {
	const void *function;
	uint64_t start_ticks;
	uint64_t ticks;
	uint64_t depth;
};

struct tw_recorder_drops {
	uint64_t too_deep;		/* calls beyond the last frame */
	uint64_t no_memory;		/* calls there was no node for */
	uint64_t in_hook;		/* events of signal handlers */
	uint64_t unmatched;		/* exits of what was never entered */
	uint64_t backwards;		/* calls that ended before they began */
	uint64_t events;		/* not kept: the list was full */
};

/* What the hooks took of a call, in 1/256 ticks, rounded to nearest. */
struct tw_hook_cost {
	uint64_t inside_256;		/* of the call itself */
	uint64_t both_256;		/* of each call made in it */
};

struct tw_recorder {
	struct tw_frame *top;
	struct tw_frame *frames, *end;	/* frames[0] is nobody's */
	uint64_t excluded_ticks;	/* spent here, and in no function */
	uint64_t calls;			/* that were timed */
	struct tw_hook_cost cost;
	uint64_t throttle_calls;	/* looked at after so many; TW_NEVER */
	uint64_t throttle_ticks;	/* and no longer timed below that mean */
	uint64_t deeper;		/* calls above the last frame now */
	uintptr_t deeper_stack;		/* of the first of them */
	struct tw_event *events;
	uint64_t event_count, event_limit;
	uint64_t event_min_ticks;
	int ignores_filters;		/* everything is timed */
	struct tw_recorder_drops drops;
	struct tw_tree tree;
};

/* 0; -ENOMEM. @frames, @depth + 1 of them, are the caller's. */
int tw_recorder_init(struct tw_recorder *recorder, struct tw_frame *frames,
		     uint64_t depth, int64_t *budget_bytes,
		     unsigned histogram_digits);

/* The rare half of what follows. */
void tw_recorder_unwind(struct tw_recorder *recorder, uintptr_t stack,
			const struct tw_other_stack *other, uint64_t now_ticks);
struct tw_frame *tw_recorder_enter_untimed(struct tw_recorder *recorder,
					   const void *function,
					   uintptr_t stack,
					   struct tw_node *node);
int tw_recorder_enter_deeper(struct tw_recorder *recorder, uintptr_t stack);
void tw_recorder_exit_rest(struct tw_recorder *recorder, const void *function,
			   uintptr_t stack, uint64_t now_ticks);
void tw_recorder_keep_event(struct tw_recorder *recorder,
			    const struct tw_frame *frame, uint64_t ticks);
void tw_recorder_throttle(const struct tw_recorder *recorder,
			  struct tw_node *node);

/* Is there a frame that an entry at @stack shows to be gone? */
static inline int tw_recorder_left(const struct tw_recorder *recorder,
				   uintptr_t stack)
{
	return recorder->top->stack < stack;
}

/* The node of a call that begins, if this path of calls was taken before. NULL:
 * tw_tree_child() makes it. Frames that are gone have been dealt with. */
static inline struct tw_node *
tw_recorder_known(const struct tw_recorder *recorder, const void *function)
{
	return tw_tree_find(&recorder->tree, recorder->top->node, function);
}

/* The frame of a call at @node (NULL: there was no memory for one). The caller
 * sets its first stamp, which is the counter's less excluded_ticks. NULL:
 * nothing is to be stamped. */
static inline struct tw_frame *tw_recorder_enter(struct tw_recorder *recorder,
						 struct tw_node *node,
						 const void *function,
						 uintptr_t stack)
{
	struct tw_frame *frame = recorder->top + 1;

	if (tw__unlikely(frame >= recorder->end) || tw__unlikely(!node) ||
	    tw__unlikely(node->flags & TW_NODE_NOT_TIMED))
		return tw_recorder_enter_untimed(recorder, function, stack,
						 node);
	node->calls++;
	frame->node = node;
	frame->function = function;
	frame->stack = stack;
	frame->calls = recorder->calls++;
	recorder->top = frame;
	return frame;
}

/* Ticks of a call less what the hooks took of it. */
static inline uint64_t tw_recorder_corrected(const struct tw_recorder *recorder,
					     uint64_t ticks, uint64_t inner)
{
	uint64_t took = recorder->cost.inside_256 +
			inner * recorder->cost.both_256;

	took = (took + 128) >> 8;
	return ticks > took ? ticks - took : 0;
}

/* The call in @frame ended; who calls this takes the frame away. */
static inline void tw_recorder_end_call(struct tw_recorder *recorder,
					const struct tw_frame *frame,
					uint64_t now_ticks)
{
	struct tw_node *node = frame->node;
	uint64_t now = now_ticks - recorder->excluded_ticks;
	uint64_t ticks = now - frame->start_ticks;
	uint64_t corrected;

	if (tw__unlikely(ticks > INT64_MAX)) {
		/* Another CPU, whose counter is behind. */
		recorder->drops.backwards++;
		ticks = 0;
	}
	node->ticks += ticks;
	corrected = tw_recorder_corrected(recorder, ticks,
					  recorder->calls - frame->calls - 1);
	if (corrected < node->min_ticks)
		node->min_ticks = corrected;
	if (corrected > node->max_ticks)
		node->max_ticks = corrected;
	if (tw__unlikely(node->histogram != NULL))
		tw_histogram_add(node->histogram, corrected);
	if (tw__unlikely(recorder->events != NULL))
		tw_recorder_keep_event(recorder, frame, ticks);
	if (tw__unlikely(node->calls == recorder->throttle_calls))
		tw_recorder_throttle(recorder, node);
}

/* A call of @function ended at @now_ticks, the counter's. */
static inline void tw_recorder_exit(struct tw_recorder *recorder,
				    const void *function, uintptr_t stack,
				    uint64_t now_ticks)
{
	struct tw_frame *frame = recorder->top;

	if (tw__unlikely(frame->function != function) ||
	    tw__unlikely(frame->start_ticks == TW_NOT_TIMED) ||
	    tw__unlikely(recorder->deeper != 0) ||
	    tw__unlikely(frame->stack < stack && frame[-1].stack <= stack)) {
		tw_recorder_exit_rest(recorder, function, stack, now_ticks);
		return;
	}
	tw_recorder_end_call(recorder, frame, now_ticks);
	recorder->top = frame - 1;
}

#endif
