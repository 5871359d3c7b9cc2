/* SPDX-License-Identifier: MIT */
/*
 * A call finds its place in the tree in few steps, whatever the calls are: one
 * function deep inside of itself, one that calls thousands by turns, thousands that
 * call the same, or a tree of all of these. Fails if a hash puts nodes that follow
 * each other, or functions 16 bytes apart, into the same places. The cost of a call
 * would then depend on the program, and be in no constant. Fails also if a node is
 * lost or doubled when the table grows.
 */
#include "profile/tree.h"
#include "tap.h"

/* A table of 32768 takes this many before it doubles: then it is at its fullest. */
#define NODES		16384
/*
 * In a table that is filled at random to a part a, a node is found in (1 + 1 / (1 -
 * a)) / 2 steps on average (Knuth, linear probing): 1.5 when half full. The mean of
 * 16384 is right to some hundredths of a step. A hash that spreads evenly what lies
 * evenly stays below; a quarter more is no chance.
 */
#define MAX_CHANCE	1.25

static struct tw_tree tree;
static struct tw_node *nodes[NODES];

static const void *function(uint64_t number)
{
	return (const void *)(uintptr_t)(0x555555555000 + 16 * number);
}

static double mean_steps(uint64_t count)
{
	uint64_t steps = 0;

	for (uint64_t i = 0; i < count; i++) {
		const struct tw_node *node = nodes[i];
		uint32_t slot = tw_tree_slot(&tree, node->parent,
					     node->function);

		for (steps++; tree.table[slot] != node; steps++)
			slot = (slot + 1) & (tree.table_size - 1);
	}
	return (double)steps / (double)count;
}

static double steps_of_chance(void)
{
	double filled = (double)tree.nodes / tree.table_size;

	return (1 + 1 / (1 - filled)) / 2;
}

static void check(const char *what)
{
	double most = 1 + MAX_CHANCE * (steps_of_chance() - 1);
	uint64_t found = 0;
	double steps;

	for (uint64_t i = 0; i < NODES; i++)
		found += tw_tree_find(&tree, nodes[i]->parent,
				      nodes[i]->function) == nodes[i];
	tap_is_u64(found, NODES, what);
	tap_is_u64(tree.nodes, NODES, "each once");
	steps = mean_steps(NODES);
	tap_ok(steps < most, "%u in %u places found in %.3f steps, by chance %.3f",
	       tree.nodes, tree.table_size, steps, steps_of_chance());
	tap_ok(!tw_tree_find(&tree, tree.root, function(NODES)),
	       "none that is not there");
	tw_tree_free(&tree);
}

static struct tw_node *child(struct tw_node *parent, uint64_t number)
{
	return tw_tree_child(&tree, parent, function(number));
}

int main(void)
{
	static const char *const what[] = { "deep recursion", "one calls many", "many call one",
					    "all of these" };
	uint64_t state = tap_seed();

	for (int kind = 0; kind < 4; kind++) {
		tw_tree_init(&tree, NULL, 0);
		for (uint64_t i = 0; i < NODES; i++)
			do {
				struct tw_node *before = i ? nodes[i - 1] : tree.root;
				struct tw_node *any = i ? nodes[i - 1 - tap_random(&state) %
								(i < 50 ? i : 50)] : tree.root;

				nodes[i] = kind == 0 ? child(before, 0) :
					   kind == 1 ? child(tree.root, i) :
					   kind == 2 && i % 2 ? child(before, NODES + 1) :
					   kind == 2 ? child(tree.root, i) :
					   child(any, tap_random(&state) % 500);
			} while (tree.nodes == i);
		check(what[kind]);
	}
	return tap_done();
}
