/* SPDX-License-Identifier: MIT */
/*
 * The rare cases of a thread's record: frames that are gone, calls that are not
 * timed, exits that match no entry. Pure arithmetic on the structures of
 * recorder.h.
 */
#include "recorder.h"

int tw_recorder_init(struct tw_recorder *recorder, struct tw_frame *frames,
		     uint64_t depth, int64_t *budget_bytes,
		     unsigned histogram_digits)
{
	int failed;

	*recorder = (struct tw_recorder) {
		.top = frames, .frames = frames, .end = frames + depth + 1,
		.throttle_calls = TW_NEVER,
	};
	failed = tw_tree_init(&recorder->tree, budget_bytes, histogram_digits);
	if (failed)
		return failed;
	/* The first frame is never gone, and never left. */
	frames[0] = (struct tw_frame) {
		.node = recorder->tree.root, .stack = UINTPTR_MAX,
	};
	return 0;
}

static int is_on(const struct tw_other_stack *other, uintptr_t stack)
{
	return stack >= other->low && stack < other->high;
}

/* Remove the last frame, and count its call. */
static void end_frame(struct tw_recorder *recorder, int is_abandoned, uint64_t now_ticks)
{
	struct tw_frame *frame = recorder->top;

	if (frame->start_ticks != TW_NOT_TIMED) {
		frame->node->abandoned += (uint64_t)is_abandoned;
		tw_recorder_end_call(recorder, frame, now_ticks);
	}
	recorder->top = frame - 1;
}

void tw_recorder_unwind(struct tw_recorder *recorder, uintptr_t stack,
			const struct tw_other_stack *other, uint64_t now_ticks)
{
	/*
	 * A signal handler on its own stack tells nothing about frames of the stack that it
	 * interrupted, wherever the two are. Once the thread is back on that stack, the
	 * handler's frames are gone. frames[0] never is.
	 */
	while (recorder->top->stack < stack &&
	       (!is_on(other, stack) || is_on(other, recorder->top->stack))) {
		end_frame(recorder, 1, now_ticks);
		recorder->deeper = 0;
	}
	if (recorder->deeper && recorder->deeper_stack < stack && !is_on(other, stack))
		recorder->deeper = 0;
}

struct tw_frame *tw_recorder_enter_untimed(struct tw_recorder *recorder,
					   const void *function,
					   uintptr_t stack,
					   struct tw_node *node)
{
	struct tw_frame *frame = recorder->top + 1;

	if (frame >= recorder->end) {
		recorder->drops.too_deep++;
		if (recorder->deeper++ == 0)
			recorder->deeper_stack = stack;
		return NULL;
	}
	if (node) {
		node->calls++;
		node->not_timed++;
	} else {
		recorder->drops.no_memory++;
	}
	/* The calls that this call makes are counted to its caller. */
	*frame = (struct tw_frame) {
		.node = recorder->top->node, .function = function,
		.start_ticks = TW_NOT_TIMED, .stack = stack,
	};
	recorder->top = frame;
	return NULL;
}

void tw_recorder_keep_event(struct tw_recorder *recorder,
			    const struct tw_frame *frame, uint64_t ticks)
{
	if (ticks < recorder->event_min_ticks)
		return;
	if (recorder->event_count == recorder->event_limit) {
		recorder->drops.events++;
		return;
	}
	recorder->events[recorder->event_count++] = (struct tw_event) {
		.function = frame->function, .ticks = ticks,
		.start_ticks = frame->start_ticks + recorder->excluded_ticks,
		.depth = (uint64_t)(frame - recorder->frames),
	};
}

void tw_recorder_throttle(const struct tw_recorder *recorder,
			  struct tw_node *node)
{
	if (node->ticks / node->calls < recorder->throttle_ticks)
		node->flags |= TW_NODE_THROTTLED;
}

/*
 * Return the frame that ends at @stack. Of the frames at or below it, this is
 * the oldest of @function; frames that were entered later are gone. But the
 * last frame, whose caller was entered at @stack, jumped to the hook. A function
 * that takes stack while it runs can end below its entry. Then the frame is the
 * last one entered.
 */
static struct tw_frame *frame_that_ends(const struct tw_recorder *recorder,
					const void *function, uintptr_t stack)
{
	struct tw_frame *found = NULL, *last = NULL;

	if (recorder->top->function == function &&
	    (recorder->top->stack >= stack || recorder->top[-1].stack == stack))
		return recorder->top;
	for (struct tw_frame *frame = recorder->top; frame > recorder->frames;
	     frame--) {
		if (frame->stack > stack && found)
			break;
		if (frame->function != function)
			continue;
		if (frame->stack <= stack)
			found = frame;
		else if (!last)
			last = frame;
		if (last)
			break;
	}
	return found ? found : last;
}

void tw_recorder_exit_rest(struct tw_recorder *recorder, const void *function,
			   uintptr_t stack, uint64_t now_ticks)
{
	struct tw_frame *frame;

	if (recorder->deeper &&
	    (recorder->top->stack > stack ||
	     (recorder->top->stack == stack &&
	      recorder->top->function != function))) {
		recorder->deeper--;
		return;
	}
	frame = frame_that_ends(recorder, function, stack);
	if (!frame) {
		recorder->drops.unmatched++;
		return;
	}
	recorder->deeper = 0;
	while (recorder->top > frame)
		end_frame(recorder, 1, now_ticks);
	end_frame(recorder, 0, now_ticks);
}
