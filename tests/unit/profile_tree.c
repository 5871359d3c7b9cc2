/* SPDX-License-Identifier: MIT */
/*
 * A call finds its place in the tree in few steps, whatever calls whom: one
 * function deep inside of itself, one that calls thousands by turns, thousands
 * that call the same, a tree of all of these. Fails if a hash puts nodes that lie
 * one after another, or functions 16 bytes apart, into the same places: what a
 * call costs would depend on the program, and be in no constant. Also if a node is
 * lost or doubled when the table grows.
 */
#include "profile/tree.h"
#include "tap.h"

#define NODES		20000
/* In a table half full that is filled at random a node is found in 1.5 steps on
 * average (Knuth, linear probing: (1 + 1 / (1 - 1/2)) / 2); with 20000 nodes that
 * is right to a hundredth. Twice that many is no longer chance. */
#define MOST_STEPS	3.0

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

static void check(const char *what)
{
	uint64_t found = 0;
	double steps;

	for (uint64_t i = 0; i < NODES; i++)
		found += tw_tree_find(&tree, nodes[i]->parent,
				      nodes[i]->function) == nodes[i];
	tap_is_u64(found, NODES, what);
	tap_is_u64(tree.nodes, NODES, "each once");
	steps = mean_steps(NODES);
	tap_ok(steps < MOST_STEPS, "found in %.3f steps", steps);
	tap_ok(!tw_tree_find(&tree, tree.root, function(NODES)),
	       "none that is not there");
	tw_tree_free(&tree);
}

static struct tw_node *child(struct tw_node *parent, uint64_t number)
{
	int is_new;

	return tw_tree_child(&tree, parent, function(number), &is_new);
}

int main(void)
{
	uint64_t state = tap_seed();

	if (!tap_ok(!tw_tree_init(&tree, NULL, 0), "a tree"))
		return tap_done();
	for (uint64_t i = 0; i < NODES; i++)
		nodes[i] = child(i ? nodes[i - 1] : tree.root, 0);
	check("deep recursion");

	tw_tree_init(&tree, NULL, 0);
	for (uint64_t i = 0; i < NODES; i++)
		nodes[i] = child(tree.root, i);
	check("one calls many");

	tw_tree_init(&tree, NULL, 0);
	for (uint64_t i = 0; i < NODES; i++)
		nodes[i] = i % 2 ? child(nodes[i - 1], NODES + 1) :
				   child(tree.root, i);
	check("many call one");

	tw_tree_init(&tree, NULL, 0);
	for (uint64_t i = 0; i < NODES; i++)
		do {
			struct tw_node *parent = tree.root;

			if (i)
				parent = nodes[i - 1 - tap_random(&state) %
					       (i < 50 ? i : 50)];
			nodes[i] = child(parent, tap_random(&state) % 500);
		} while (tree.nodes == i);
	check("all of these");
	return tap_done();
}
