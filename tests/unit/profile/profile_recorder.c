/* SPDX-License-Identifier: MIT */
/*
 * A thread's record under injected entries and exits: to which call a time is counted. Fails if
 * an exit ends another call than its own (recursion, longjmp, exits above their entry, frames
 * that several functions share). Fails if a signal's own stack is taken for frames that are
 * gone. Fails also if a call longer than 2^32 ticks or across such a boundary loses any, or if a
 * limit loses calls without counting them.
 */
#include <string.h>

#include "profile/recorder.h"
#include "tap.h"

#define DEPTH	100
#define WRAP	(1ULL << 32)

static struct tw_frame frames[DEPTH + 1];
static struct tw_recorder recorder;
static int64_t budget_bytes;

/* Functions f, g and h, and no others. */
static const char functions['h' + 1];

static void begin(uint64_t depth)
{
	budget_bytes = 64 << 20;
	tw_recorder_init(&recorder, frames, depth, &budget_bytes, 0);
}

static void enter(const void *function, uintptr_t stack, uint64_t at_ticks)
{
	struct tw_node *node;
	struct tw_frame *frame;

	if (recorder.top->stack < stack)
		tw_recorder_unwind(&recorder, stack, &(struct tw_other_stack) { 0 }, at_ticks);
	node = tw_tree_find(&recorder.tree, recorder.top->node, function);
	if (!node && !recorder.deeper)
		node = tw_tree_child(&recorder.tree, recorder.top->node, function);
	frame = tw_recorder_enter(&recorder, node, function, stack);
	if (frame)
		frame->start_ticks = at_ticks - recorder.excluded_ticks;
}

static void leave(const void *function, uintptr_t stack, uint64_t at_ticks)
{
	tw_recorder_exit(&recorder, function, stack, at_ticks);
}

#define F	(&functions['f'])
#define G	(&functions['g'])

/* Return the node at the end of a path such as "fgf"; NULL: there is none. */
static struct tw_node *at(const char *path)
{
	struct tw_node *node = recorder.tree.root;

	for (; node && *path; path++)
		node = tw_tree_find(&recorder.tree, node, &functions[(int)*path]);
	return node;
}

/* An entry (F, G, H) or an exit (f, g, h), by the stack where it is; stacks grow down. */
struct step {
	char what;
	uintptr_t stack;
	uint64_t at_ticks;
};

/* A path, its calls, their ticks, and how many of them were left. */
struct node {
	const char *path;
	uint64_t calls, ticks, abandoned;
};

static const struct {
	const char *what;
	struct step steps[8];
	struct node nodes[4];
	uint64_t unmatched, backwards;
} cases[] = {
	{ "nested", { { 'F', 900, 100 }, { 'G', 800, 110 }, { 'g', 800, 130 }, { 'G', 800, 140 },
		      { 'g', 800, 145 }, { 'f', 900, 200 } },
	  { { "f", 1, 100, 0 }, { "fg", 2, 25, 0 } }, 0, 0 },
	{ "recursion", { { 'F', 900, 0 }, { 'F', 800, 10 }, { 'F', 700, 20 }, { 'f', 700, 30 },
			 { 'f', 800, 50 }, { 'f', 900, 100 } },
	  { { "f", 1, 100, 0 }, { "ff", 1, 40, 0 }, { "fff", 1, 10, 0 } }, 0, 0 },
	{ "inlined into itself, on one frame", { { 'F', 900, 0 }, { 'F', 900, 10 },
						 { 'f', 900, 40 }, { 'f', 900, 100 } },
	  { { "f", 1, 100, 0 }, { "ff", 1, 30, 0 } }, 0, 0 },
	{ "f calls g calls f, which jumps back into the first f", { { 'F', 900, 0 },
		{ 'G', 800, 10 }, { 'F', 700, 20 }, { 'f', 900, 100 } },
	  { { "f", 1, 100, 0 }, { "fg", 1, 90, 1 }, { "fgf", 1, 80, 1 } }, 0, 0 },
	{ "after a jump f calls h: g is gone by then", { { 'F', 900, 0 }, { 'G', 700, 10 },
		{ 'H', 800, 50 }, { 'h', 800, 60 }, { 'f', 900, 100 } },
	  { { "f", 1, 100, 0 }, { "fh", 1, 10, 0 }, { "fg", 1, 40, 1 } }, 0, 0 },
	/* The frame is gone when the function jumps to the hook: 850 is still below its
	 * caller's. */
	{ "exits above their entry", { { 'F', 900, 0 }, { 'F', 800, 10 }, { 'f', 850, 30 },
				       { 'f', 990, 100 } },
	  { { "f", 1, 100, 0 }, { "ff", 1, 20, 0 } }, 0, 0 },
	/* As gcc and clang do with -O2: f calls itself, and each call jumps to the hook. */
	{ "exits where their caller was entered", { { 'F', 900, 0 }, { 'F', 800, 10 },
		{ 'f', 900, 30 }, { 'F', 800, 40 }, { 'f', 900, 50 }, { 'f', 990, 100 } },
	  { { "f", 1, 100, 0 }, { "ff", 2, 30, 0 } }, 0, 0 },
	{ "an exit below its entry, with alloca", { { 'F', 900, 0 }, { 'f', 500, 70 } },
	  { { "f", 1, 70, 0 } }, 0, 0 },
	{ "a tail call is next to its caller", { { 'F', 900, 0 }, { 'f', 950, 10 },
						 { 'G', 900, 12 }, { 'g', 950, 30 } },
	  { { "f", 1, 10, 0 }, { "g", 1, 18, 0 } }, 0, 0 },
	{ "longer than 2^32 ticks, and across a multiple", { { 'F', 900, WRAP - 10 },
		{ 'G', 800, 7 * WRAP - 3 }, { 'g', 800, 7 * WRAP + 4 }, { 'f', 900, 20 * WRAP } },
	  { { "f", 1, 19 * WRAP + 10, 0 }, { "fg", 1, 7, 0 } }, 0, 0 },
	{ "a counter that runs backwards is counted", { { 'F', 900, 100 }, { 'f', 900, 90 } },
	  { { "f", 1, 0, 0 } }, 0, 1 },
	{ "exits of nothing are counted, and change nothing", { { 'f', 900, 10 },
		{ 'G', 900, 20 }, { 'f', 800, 30 }, { 'g', 900, 40 } },
	  { { "g", 1, 20, 0 } }, 2, 0 },
};

static void check_cases(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int good = 1;

		begin(DEPTH);
		for (const struct step *step = cases[i].steps; step->what; step++)
			(step->what < 'a' ? enter : leave)(&functions[step->what | 0x20],
							   step->stack, step->at_ticks);
		for (const struct node *wanted = cases[i].nodes; wanted->path; wanted++) {
			const struct tw_node *is = at(wanted->path);

			if (is && is->calls == wanted->calls && is->ticks == wanted->ticks &&
			    is->abandoned == wanted->abandoned)
				continue;
			good = 0;
			if (is)
				tap_note("%s: %" PRIu64 " calls, %" PRIu64 " ticks, %" PRIu64
					 " left", wanted->path, is->calls, is->ticks,
					 is->abandoned);
		}
		tap_ok(good && recorder.top == frames &&
		       recorder.drops.unmatched == cases[i].unmatched &&
		       recorder.drops.backwards == cases[i].backwards, "%s", cases[i].what);
		tw_tree_free(&recorder.tree);
	}
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
	tw_tree_free(&recorder.tree);
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
	tap_ok(at("f")->ticks == 200 && at("fff")->ticks == 160,
	       "the outermost, and the last that was recorded");
	/* Calls that a jump left do not hide later ones. */
	for (uintptr_t i = 0; i < 10; i++)
		enter(F, 900 - 10 * i, 1000);
	leave(F, 900, 1500);
	tap_ok(recorder.top == frames && !recorder.deeper && at("f")->calls == 2 &&
	       at("f")->ticks == 700, "a jump out of too deep a call ends where it lands");
	tw_tree_free(&recorder.tree);
}

static void check_untimed(void)
{
	begin(DEPTH);
	enter(F, 900, 0);
	enter(G, 800, 10);
	leave(G, 800, 20);
	at("fg")->flags = TW_NODE_FILTERED;
	enter(G, 800, 30);
	enter(&functions['h'], 700, 35);
	leave(&functions['h'], 700, 38);
	leave(G, 800, 40);
	leave(F, 900, 100);
	tap_ok(at("fg")->calls == 2 && at("fg")->ticks == 10 && at("fg")->not_timed == 1,
	       "not timed from the second call on, and counted as that");
	tap_ok(at("fh")->ticks == 3 && at("f")->ticks == 100,
	       "its callee is its caller's, which is not touched");
	tw_tree_free(&recorder.tree);
}

static void check_memory(void)
{
	begin(DEPTH);
	budget_bytes = 0;
	for (uintptr_t i = 0; i < 100000; i++) {
		enter((const void *)(i + 1), 900, i);
		leave((const void *)(i + 1), 900, i + 1);
	}
	tap_ok(recorder.drops.no_memory > 0 &&
	       recorder.drops.no_memory + recorder.tree.nodes == 100000,
	       "memory ran out, and each call is counted or in the tree");
	tap_ok(budget_bytes == 0, "nothing was taken beyond the budget");
	tw_tree_free(&recorder.tree);
	tap_ok(budget_bytes > 0, "all of it is given back");
}

/* The time of hooks is subtracted from a call, by the calls inside of it. */
static void check_cost(void)
{
	begin(DEPTH);
	recorder.cost = (struct tw_hook_cost) { 10 * 256, 30 * 256 };
	enter(F, 900, 0);
	for (uint64_t i = 0; i < 3; i++) {
		enter(G, 800, 100);
		leave(G, 800, 115 + i);
	}
	leave(F, 900, 200);
	tap_ok(at("f")->min_ticks == 200 - 10 - 3 * 30 && at("fg")->min_ticks == 15 - 10 &&
	       at("fg")->max_ticks == 17 - 10, "the shortest and the longest call");
	tw_tree_free(&recorder.tree);
}

/* Events are kept that are as long as the limit, in the order of their ends, up to the maximum.
 * Further ones are counted. */
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
	enter(G, 900, 1400);
	leave(G, 900, 1500);
	tap_ok(recorder.event_count == 2 && recorder.drops.events == 1,
	       "events up to the limit, and the one beyond it is counted");
	tap_ok(events[0].function == G && events[0].start_ticks == 1100 &&
	       events[0].ticks == 10 && events[0].depth == 2 && events[1].function == F &&
	       events[1].start_ticks == 1000 && events[1].ticks == 300 && events[1].depth == 1,
	       "as long as the least, not a shorter one");
	tw_tree_free(&recorder.tree);
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
		tap_is_u64(at("f")->not_timed, limit - 10, limit == 10 ? "a mean of the limit" :
			   "a mean below the limit: the third call");
		tw_tree_free(&recorder.tree);
	}
}

int main(void)
{
	check_cases();
	check_signal_stack();
	check_depth();
	check_untimed();
	check_memory();
	check_cost();
	check_events();
	check_throttle();
	return tap_done();
}
