/* SPDX-License-Identifier: MIT */
/*
 * A thread's record under injected entries and exits: to which call a time is
 * counted. Fails if an exit ends another call than its own (recursion, longjmp,
 * exits above their entry, frames that several functions share). Fails if a
 * signal's own stack is taken for frames that are gone. Fails also if a call longer
 * than 2^32 ticks or across such a boundary loses any, or if a limit loses calls
 * without counting them.
 */
#include <string.h>

#include "profile/recorder.h"
#include "tap.h"

#define DEPTH	100

static struct tw_frame frames[DEPTH + 1];
static struct tw_recorder recorder;
static uint64_t now_ticks;
static int64_t budget_bytes;

/* Addresses of functions, and of the stack, which grows down. */
static const char f[4];
#define F	(&f[0])
#define G	(&f[1])
#define H	(&f[2])

static void begin(uint64_t depth)
{
	budget_bytes = 64 << 20;
	now_ticks = 1000;
	tw_recorder_init(&recorder, frames, depth, &budget_bytes, 0);
}

static void end(void)
{
	tw_tree_free(&recorder.tree);
}

static void enter(const void *function, uintptr_t stack, uint64_t at_ticks)
{
	const struct tw_other_stack none = { 0 };
	struct tw_node *node;
	struct tw_frame *frame;

	if (recorder.top->stack < stack)
		tw_recorder_unwind(&recorder, stack, &none, at_ticks);
	node = tw_tree_find(&recorder.tree, recorder.top->node, function);
	if (!node && !recorder.deeper)
		node = tw_tree_child(&recorder.tree, recorder.top->node,
				     function);
	frame = tw_recorder_enter(&recorder, node, function, stack);
	if (frame)
		frame->start_ticks = at_ticks - recorder.excluded_ticks;
}

static void leave(const void *function, uintptr_t stack, uint64_t at_ticks)
{
	tw_recorder_exit(&recorder, function, stack, at_ticks);
}

/* Return the node at the end of a path of functions, or NULL. */
static const struct tw_node *at(const void *first, const void *second,
				const void *third)
{
	const void *path[] = { first, second, third };
	const struct tw_node *node = recorder.tree.root;

	for (int i = 0; i < 3 && path[i]; i++) {
		const struct tw_node *child = node->child;

		while (child && child->function != path[i])
			child = child->sibling;
		node = child;
		if (!node)
			return NULL;
	}
	return node;
}

static void is_node(const struct tw_node *node, uint64_t calls, uint64_t ticks,
		    const char *what)
{
	if (!tap_ok(node != NULL, "%s: is there", what))
		return;
	tap_is_u64(node->calls, calls, "its calls");
	tap_is_u64(node->ticks, ticks, "its ticks");
}

static void check_nested(void)
{
	begin(DEPTH);
	enter(F, 900, 100);
	enter(G, 800, 110);
	leave(G, 800, 130);
	enter(G, 800, 140);
	leave(G, 800, 145);
	leave(F, 900, 200);
	is_node(at(F, NULL, NULL), 1, 100, "the caller");
	is_node(at(F, G, NULL), 2, 25, "the callee");
	tap_is_u64(at(F, G, NULL)->min_ticks, 5, "shortest call");
	tap_is_u64(at(F, G, NULL)->max_ticks, 20, "longest call");
	tap_ok(recorder.top == frames, "nothing is left open");
	end();
}

static void check_recursion(void)
{
	begin(DEPTH);
	enter(F, 900, 0);
	enter(F, 800, 10);
	enter(F, 700, 20);
	leave(F, 700, 30);
	leave(F, 800, 50);
	leave(F, 900, 100);
	is_node(at(F, NULL, NULL), 1, 100, "recursion, outermost");
	is_node(at(F, F, NULL), 1, 40, "in between");
	is_node(at(F, F, F), 1, 10, "innermost");
	end();
	/* The same on one frame: f is inlined into itself. */
	begin(DEPTH);
	enter(F, 900, 0);
	enter(F, 900, 10);
	leave(F, 900, 40);
	leave(F, 900, 100);
	is_node(at(F, NULL, NULL), 1, 100, "inlined recursion, host");
	is_node(at(F, F, NULL), 1, 30, "inlined recursion, inner");
	end();
}

/* f calls g calls f, which jumps back into the first f: the second f ends. */
static void check_longjmp(void)
{
	begin(DEPTH);
	enter(F, 900, 0);
	enter(G, 800, 10);
	enter(F, 700, 20);
	leave(F, 900, 100);
	is_node(at(F, NULL, NULL), 1, 100, "longjmp to an outer call of itself");
	is_node(at(F, G, NULL), 1, 90, "what was jumped over");
	tap_is_u64(at(F, G, NULL)->abandoned, 1, "is counted as left");
	tap_is_u64(at(F, G, F)->abandoned, 1, "so is the one that jumped");
	tap_ok(recorder.top == frames, "nothing is left open");
	end();
	/* After the jump f calls h: g is gone by then. */
	begin(DEPTH);
	enter(F, 900, 0);
	enter(G, 700, 10);
	enter(H, 800, 50);
	leave(H, 800, 60);
	leave(F, 900, 100);
	is_node(at(F, H, NULL), 1, 10, "a call after the jump is f's");
	is_node(at(F, G, NULL), 1, 40, "what was left ends where it was seen");
	end();
}

static void check_exit_above_entry(void)
{
	begin(DEPTH);
	enter(F, 900, 0);
	enter(F, 800, 10);
	/*
	 * The frame is gone when the function jumps to the hook: 850 is still below
	 * its caller's.
	 */
	leave(F, 850, 30);
	leave(F, 990, 100);
	is_node(at(F, NULL, NULL), 1, 100, "exit by a jump, outer");
	is_node(at(F, F, NULL), 1, 20, "exit by a jump, inner");
	tap_is_u64(at(F, F, NULL)->abandoned, 0, "nothing was left");
	end();
	/* With alloca the call ends below its entry. */
	begin(DEPTH);
	enter(F, 900, 0);
	leave(F, 500, 70);
	is_node(at(F, NULL, NULL), 1, 70, "exit below the entry");
	tap_is_u64(recorder.drops.unmatched, 0, "is matched");
	end();
}

static void check_tail_call(void)
{
	begin(DEPTH);
	enter(F, 900, 0);
	leave(F, 950, 10);
	enter(G, 900, 12);
	leave(G, 950, 30);
	is_node(at(F, NULL, NULL), 1, 10, "the one that called last");
	is_node(at(G, NULL, NULL), 1, 18, "the one that was called is next to it");
	end();
}

static void check_signal_stack(void)
{
	const struct tw_other_stack other = { 5000, 6000 };

	begin(DEPTH);
	enter(F, 900, 0);
	enter(G, 800, 10);
	/* The handler's stack is above: what is below is not gone. */
	tw_recorder_unwind(&recorder, 5900, &other, 15);
	tap_ok(recorder.top->function == G, "a signal's stack above ends nothing");
	end();
}

static void check_wraps(void)
{
	const uint64_t wrap = 1ULL << 32;

	begin(DEPTH);
	enter(F, 900, wrap - 10);
	enter(G, 800, 7 * wrap - 3);
	leave(G, 800, 7 * wrap + 4);
	leave(F, 900, 20 * wrap);
	is_node(at(F, NULL, NULL), 1, 19 * wrap + 10, "longer than 2^32 ticks");
	is_node(at(F, G, NULL), 1, 7, "across a multiple of 2^32");
	end();
}

static void check_backwards(void)
{
	begin(DEPTH);
	enter(F, 900, 100);
	leave(F, 900, 90);
	is_node(at(F, NULL, NULL), 1, 0, "a counter that runs backwards");
	tap_is_u64(recorder.drops.backwards, 1, "is counted");
	end();
}

static void check_depth(void)
{
	begin(3);
	for (uintptr_t i = 0; i < 10; i++)
		enter(F, 900 - 10 * i, 10 * i);
	tap_is_u64(recorder.drops.too_deep, 7, "calls too deep are counted");
	for (uintptr_t i = 10; i-- > 0;)
		leave(F, 900 - 10 * i, 200 - 10 * i);
	tap_ok(recorder.top == frames && !recorder.deeper, "and end as others");
	is_node(at(F, NULL, NULL), 1, 200, "the outermost");
	is_node(at(F, F, F), 1, 160, "the last that was recorded");
	/* Calls that a jump left do not hide later ones. */
	for (uintptr_t i = 0; i < 10; i++)
		enter(F, 900 - 10 * i, 1000);
	leave(F, 900, 1500);
	tap_ok(recorder.top == frames && !recorder.deeper,
	       "a jump out of too deep a call");
	is_node(at(F, NULL, NULL), 2, 700, "ends where it lands");
	end();
}

static void check_untimed(void)
{
	begin(DEPTH);
	enter(F, 900, 0);
	enter(G, 800, 10);
	leave(G, 800, 20);
	((struct tw_node *)(uintptr_t)at(F, G, NULL))->flags =
		TW_NODE_FILTERED;
	enter(G, 800, 30);
	enter(H, 700, 35);
	leave(H, 700, 38);
	leave(G, 800, 40);
	leave(F, 900, 100);
	is_node(at(F, G, NULL), 2, 10, "not timed from the second call on");
	tap_is_u64(at(F, G, NULL)->not_timed, 1, "and counted as that");
	is_node(at(F, H, NULL), 1, 3, "its callee is its caller's");
	is_node(at(F, NULL, NULL), 1, 100, "its caller is not touched");
	end();
}

static void check_memory(void)
{
	begin(DEPTH);
	budget_bytes = 0;
	for (uintptr_t i = 0; i < 100000; i++) {
		enter((const void *)(i + 1), 900, i);
		leave((const void *)(i + 1), 900, i + 1);
	}
	tap_ok(recorder.drops.no_memory > 0, "memory ran out");
	tap_is_u64(recorder.drops.no_memory + recorder.tree.nodes, 100000,
		   "and no call is neither counted nor in the tree");
	tap_ok(budget_bytes == 0, "nothing was taken beyond the budget");
	end();
}

/* The time of hooks is subtracted from a call, by the calls inside of it. */
static void check_cost(void)
{
	begin(DEPTH);
	recorder.cost = (struct tw_hook_cost) { 10 * 256, 30 * 256 };
	enter(F, 900, 0);
	for (int i = 0; i < 3; i++) {
		enter(G, 800, 100);
		leave(G, 800, 115);
	}
	leave(F, 900, 200);
	tap_is_u64(at(F, NULL, NULL)->min_ticks, 100, "200 - 10 - 3 * 30");
	tap_is_u64(at(F, G, NULL)->min_ticks, 5, "15 - 10");
	end();
}

/*
 * Events are kept that are as long as the limit, in the order of their ends, up to
 * the maximum. Further ones are counted.
 */
static void check_events(void)
{
	static struct tw_event events[2];

	begin(DEPTH);
	recorder.events = events;
	recorder.event_limit = 2;
	recorder.event_min_ticks = 10;
	recorder.excluded_ticks = 100;
	enter(F, 900, 1000);
	enter(G, 800, 1100);
	leave(G, 800, 1110);
	enter(G, 800, 1200);
	leave(G, 800, 1209);
	leave(F, 900, 1300);
	enter(H, 900, 1400);
	leave(H, 900, 1500);
	tap_is_u64(recorder.event_count, 2, "events up to the limit");
	tap_is_u64(recorder.drops.events, 1, "the one beyond it is counted");
	tap_ok(events[0].function == G && events[0].start_ticks == 1100 &&
	       events[0].ticks == 10 && events[0].depth == 2,
	       "as long as the least");
	tap_ok(events[1].function == F && events[1].start_ticks == 1000 &&
	       events[1].ticks == 300 && events[1].depth == 1,
	       "not a shorter one");
	end();
}

/* After two calls of 10 ticks: a limit of 11 throttles, one of 10 does not. */
static void check_throttle(void)
{
	for (uint64_t limit = 10; limit <= 11; limit++) {
		begin(DEPTH);
		recorder.throttle_calls = 2;
		recorder.throttle_ticks = limit;
		for (uint64_t i = 0; i < 3; i++) {
			enter(F, 900, 100 * i);
			leave(F, 900, 100 * i + 10);
		}
		tap_is_u64(at(F, NULL, NULL)->not_timed, limit - 10,
			   limit == 10 ? "a mean of the limit" :
			   "a mean below the limit: the third call");
		end();
	}
}

static void check_unmatched(void)
{
	begin(DEPTH);
	leave(F, 900, 10);
	enter(G, 900, 20);
	leave(F, 800, 30);
	leave(G, 900, 40);
	tap_is_u64(recorder.drops.unmatched, 2, "exits of nothing are counted");
	is_node(at(G, NULL, NULL), 1, 20, "and change nothing");
	end();
}

int main(void)
{
	check_nested();
	check_recursion();
	check_longjmp();
	check_exit_above_entry();
	check_tail_call();
	check_signal_stack();
	check_wraps();
	check_backwards();
	check_depth();
	check_untimed();
	check_memory();
	check_cost();
	check_events();
	check_throttle();
	check_unmatched();
	return tap_done();
}
