/* SPDX-License-Identifier: MIT */
/*
 * The record of one thread: its shadow stack and its call tree, and how an
 * entry and an exit change them. Reads no counter: stamps are passed in, so
 * tests can choose them. The hooks (core/profile/hooks.c) inline this.
 *
 * Entries and exits do not always pair, because longjmp and exceptions leave
 * frames without an exit. So each frame has the address of the stack where its
 * hook was called. Stacks grow down: a frame is gone if its address is below
 * that of a later entry. It is not gone if the two are equal, since an inlined
 * function is entered on its caller's frame. An exit can be above its own entry
 * by the size of the function's frame, because compilers jump to the exit hook
 * at the very end: then it is where its caller was entered.
 */
#ifndef TW_PROFILE_RECORDER_H
#define TW_PROFILE_RECORDER_H

#include "tree.h"

/* Instead of a frame's first stamp: the call is counted and not timed. */
#define TW_NOT_TIMED	UINT64_MAX

#define TW_NEVER	UINT64_MAX

struct tw_frame {
	struct tw_node *node;		/* not timed: the caller's node */
	const void *function;
	uint64_t start_ticks;
	uintptr_t stack;
	uint64_t calls;			/* recorder's number when it began */
};

/* A signal's own stack, if the thread is on it; otherwise all 0. */
struct tw_other_stack {
	uintptr_t low, high;
};

/* One call, to draw a picture of the calls. */
struct tw_event {
	const void *function;
	uint64_t start_ticks;
	uint64_t ticks;
	uint64_t depth;
};

struct tw_recorder_drops {
	uint64_t too_deep;		/* calls beyond the last frame */
	uint64_t no_memory;		/* calls that got no node */
	uint64_t in_hook;		/* events of signal handlers */
	uint64_t unmatched;		/* exits without an entry */
	uint64_t backwards;		/* calls that ended before they began */
	uint64_t events;		/* not kept: the list was full */
};

/* What the hooks take of a call, in 1/256 ticks, rounded to nearest. */
struct tw_hook_cost {
	uint64_t inside_256;		/* of the call itself */
	uint64_t both_256;		/* of each call made in it */
};

struct tw_recorder {
	struct tw_frame *top;
	struct tw_frame *frames, *end;	/* frames[0] is no call's */
	uint64_t excluded_ticks;	/* passed here, and in no function */
	uint64_t calls;			/* calls that were timed */
	struct tw_hook_cost cost;
	uint64_t throttle_calls;	/* judge a node after this; TW_NEVER */
	uint64_t throttle_ticks;	/* stop timing it below this mean */
	uint64_t deeper;		/* calls above the last frame now */
	uintptr_t deeper_stack;		/* stack of the first of these */
	struct tw_event *events;
	uint64_t event_count, event_limit;
	uint64_t event_min_ticks;
	int ignores_filters;		/* everything is timed */
	struct tw_recorder_drops drops;
	struct tw_tree tree;
};

/* Set up a record. Return 0; -ENOMEM. The caller owns the @depth + 1 @frames. */
int tw_recorder_init(struct tw_recorder *recorder, struct tw_frame *frames,
		     uint64_t depth, int64_t *budget_bytes,
		     unsigned histogram_digits);

/* The rare cases of the functions below. */
void tw_recorder_unwind(struct tw_recorder *recorder, uintptr_t stack,
			const struct tw_other_stack *other, uint64_t now_ticks);
struct tw_frame *tw_recorder_enter_untimed(struct tw_recorder *recorder,
					   const void *function,
					   uintptr_t stack,
					   struct tw_node *node);
void tw_recorder_exit_rest(struct tw_recorder *recorder, const void *function,
			   uintptr_t stack, uint64_t now_ticks);
void tw_recorder_keep_event(struct tw_recorder *recorder,
			    const struct tw_frame *frame, uint64_t ticks);
void tw_recorder_throttle(const struct tw_recorder *recorder,
			  struct tw_node *node);

/* Return the frame of a call at @node (NULL: there was no memory for a node).
 * The caller sets its first stamp: the counter less excluded_ticks. NULL: no
 * stamp is needed. */
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

/* Count the call in @frame, which has ended. The caller removes the frame. */
static inline void tw_recorder_end_call(struct tw_recorder *recorder,
					const struct tw_frame *frame,
					uint64_t now_ticks)
{
	struct tw_node *node = frame->node;
	uint64_t now = now_ticks - recorder->excluded_ticks;
	uint64_t ticks = now - frame->start_ticks;
	uint64_t inner = recorder->calls - frame->calls - 1;
	/* What the hooks took of it. */
	uint64_t took = (recorder->cost.inside_256 + inner * recorder->cost.both_256 + 128) >> 8;
	uint64_t corrected;

	if (tw__unlikely(ticks > INT64_MAX)) {
		/* The call ended on another CPU, whose counter is behind. */
		recorder->drops.backwards++;
		ticks = 0;
	}
	node->ticks += ticks;
	corrected = ticks > took ? ticks - took : 0;
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

/* End a call of @function. @now_ticks is the counter itself. */
static inline void tw_recorder_exit(struct tw_recorder *recorder,
				    const void *function, uintptr_t stack,
				    uint64_t now_ticks)
{
	struct tw_frame *frame = recorder->top;

	if (tw__unlikely(frame->function != function) ||
	    tw__unlikely(frame->start_ticks == TW_NOT_TIMED) ||
	    tw__unlikely(recorder->deeper != 0) ||
	    tw__unlikely(frame->stack < stack && frame[-1].stack < stack)) {
		tw_recorder_exit_rest(recorder, function, stack, now_ticks);
		return;
	}
	tw_recorder_end_call(recorder, frame, now_ticks);
	recorder->top = frame - 1;
}

#endif
