/* SPDX-License-Identifier: MIT */
/*
 * Handles an entry and an exit, as the hooks pass them on: with this thread's
 * record, the counter, and all that keeps a hook from disturbing itself.
 *
 * A signal can come while a hook is at work. Then the calls of its handler are
 * dropped and counted, because the record can't take them at that moment. If
 * the handler jumps out of the hook by siglongjmp(), the next hook sees by the
 * stack that the hook before it is gone.
 *
 * Reading the stamp is the last thing that the entry does, and the first that
 * the exit does. So the call contains as little of the hooks as possible. At
 * the other ends of the hooks there is a fence, so that the caller's work does
 * not overlap theirs. calibrate.c measures what the hooks take inside the call
 * and outside. Some work of a hook is rare and slow, such as making room for a
 * new path of calls. This work is timed, and left out of all calls.
 */
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "object.h"
#include "profile.h"

/* ---- the hooks' reads of the counter, more or less ordered ----
 *
 * A processor that executes out of order begins what follows an unordered read before that
 * read, and has not finished what precedes it. Of a chain of dependent multiplications that
 * takes 217 ticks, an unordered pair of reads saw 36; the caller was charged with the rest.
 * rdtscp waits until everything before it has executed, but holds back nothing after it.
 */

static inline TW_NO_HOOKS uint64_t stamp(int mode)
{
	if (mode == TW_PROFILE_FENCE_FULL)
		return tw_ticks_end();
	if (mode == TW_PROFILE_FENCE_RDTSCP) {
#if defined(__x86_64__)
		uint32_t low, high;

		__asm__ __volatile__("rdtscp" : "=a"(low), "=d"(high) : : "ecx", "memory");
		return (uint64_t)high << 32 | low;
#else
		return tw_ticks_end();
#endif
	}
	return tw_ticks();
}

/* Let nothing after this begin before everything before it is done. With this at both ends of
 * the hooks, what they take does not depend on the code around them. It costs a fifth more,
 * and removes most of the difference between callers. */
static inline TW_NO_HOOKS void fence(int mode)
{
	if (mode == TW_PROFILE_FENCE_FULL)
#if defined(__x86_64__)
		__asm__ __volatile__("lfence" : : : "memory");
#else
		tw_ticks_end();
#endif
}

/* ---- the rare cases ---- */

static TW_NO_HOOKS struct tw_other_stack other_stack(void)
{
	struct tw_other_stack other = { 0 };
	stack_t stack;

	if (sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK) {
		other.low = (uintptr_t)stack.ss_sp;
		other.high = other.low + stack.ss_size;
	}
	return other;
}

/* @thread has a hook at work already. Return whether this hook may go on. */
static TW_NO_HOOKS int may_take_over(struct tw_profile_thread *thread,
				     uintptr_t stack)
{
	struct tw_other_stack other;

	if (thread == &tw_profile_nobody)
		return 0;
	other = other_stack();
	if (stack > thread->busy &&
	    !(stack >= other.low && stack < other.high))
		return 1;
	thread->recorder.drops.in_hook++;
	return 0;
}

/* Wait while the file is written. The time is not counted to any function. */
static TW_NO_HOOKS int wait_while_held(struct tw_profile_thread *thread)
{
	const struct timespec pause = { .tv_nsec = 50000 };
	uint64_t begin_ticks = tw_ticks();
	int mode;

	__atomic_store_n(&thread->is_held, 1, __ATOMIC_RELEASE);
	for (;;) {
		__atomic_store_n(&thread->busy, 0, __ATOMIC_RELEASE);
		mode = __atomic_load_n(&tw_profile_mode, __ATOMIC_ACQUIRE);
		if (mode == TW_PROFILE_STOPPED)
			return 0;
		if (mode == TW_PROFILE_HELD) {
			nanosleep(&pause, NULL);
			continue;
		}
		__atomic_store_n(&thread->busy,
				 (uintptr_t)__builtin_frame_address(0),
				 __ATOMIC_SEQ_CST);
		mode = __atomic_load_n(&tw_profile_mode, __ATOMIC_SEQ_CST);
		if (mode > TW_PROFILE_HELD)
			break;
	}
	__atomic_store_n(&thread->is_held, 0, __ATOMIC_RELEASE);
	thread->recorder.excluded_ticks += tw_ticks() - begin_ticks;
	return mode;
}

static TW_NO_HOOKS __attribute__((noinline)) struct tw_node *
new_path(struct tw_recorder *recorder, const void *function)
{
	struct tw_tree *tree = &recorder->tree;
	uint64_t begin_ticks = tw_ticks_begin();
	struct tw_node *node = tw_tree_child(tree, recorder->top->node, function);

	if (node && !recorder->ignores_filters &&
	    tw_profile_is_filtered(function))
		node->flags |= TW_NODE_FILTERED;
	recorder->excluded_ticks += tw_ticks_end() - begin_ticks;
	return node;
}

static TW_NO_HOOKS __attribute__((noinline)) void
unwind(struct tw_recorder *recorder, uintptr_t stack)
{
	uint64_t now_ticks = tw_ticks_end();
	struct tw_other_stack other = other_stack();

	tw_recorder_unwind(recorder, stack, &other, now_ticks);
	recorder->excluded_ticks += tw_ticks_end() - now_ticks;
}

/* Begin a hook: set @thread's busy. Return the mode; 0: this event is dropped. */
static inline TW_NO_HOOKS int begin_hook(struct tw_profile_thread *thread,
					 uintptr_t stack)
{
	int mode;

	if (tw__unlikely(thread->busy != 0) && !may_take_over(thread, stack))
		return 0;
	__atomic_store_n(&thread->busy, stack, __ATOMIC_RELAXED);
	atomic_signal_fence(memory_order_seq_cst);
	/* A thread that changes the mode makes a barrier happen here
	 * (membarrier). */
	mode = __atomic_load_n(&tw_profile_mode, __ATOMIC_ACQUIRE);
	if (tw__unlikely(mode <= TW_PROFILE_HELD))
		mode = wait_while_held(thread);
	return mode;
}

void tw_profile_enter(const void *function, const void *call_site)
{
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
	struct tw_profile_thread *thread = tw_profile_self;
	struct tw_recorder *recorder;
	struct tw_frame *frame;
	struct tw_node *node;
	int mode;

	(void)call_site;
	fence(tw_profile_mode);
	if (tw__unlikely(!thread)) {
		tw_profile_start();
		thread = tw_profile_thread_begin();
		if (!thread)
			return;
	}
	mode = begin_hook(thread, stack);
	if (!mode)
		return;
	recorder = &thread->recorder;
	/* A frame below this one is gone. */
	if (tw__unlikely(recorder->top->stack < stack))
		unwind(recorder, stack);
	node = tw_tree_find(&recorder->tree, recorder->top->node, function);
	if (tw__unlikely(!node) && !recorder->deeper)
		node = new_path(recorder, function);
	frame = tw_recorder_enter(recorder, node, function, stack);
	if (frame)
		frame->start_ticks = stamp(mode) - recorder->excluded_ticks;
	__atomic_store_n(&thread->busy, 0, __ATOMIC_RELEASE);
}

void tw_profile_exit(const void *function, const void *call_site)
{
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
	uint64_t now_ticks = stamp(tw_profile_mode);
	struct tw_profile_thread *thread = tw_profile_self;

	(void)call_site;
	if (tw__unlikely(!thread) || !begin_hook(thread, stack))
		return;
	tw_recorder_exit(&thread->recorder, function, stack, now_ticks);
	__atomic_store_n(&thread->busy, 0, __ATOMIC_RELEASE);
	fence(tw_profile_mode);
}
