/* SPDX-License-Identifier: MIT */
/*
 * The call tree: a node for each path of calls, with what was counted there.
 *
 * A node holds sums of whole calls only. What a function took by itself, and
 * what the hooks took of it, follow from the tree when it is read
 * (core/command/profile/functions.h): the hooks have less to do.
 */
#ifndef TW_PROFILE_TREE_H
#define TW_PROFILE_TREE_H

#include <stdint.h>

#include "arena.h"
#include "tickwise.h"

enum tw_node_flags {
	TW_NODE_FILTERED	= 1 << 0,	/* by wish: counted, not timed */
	TW_NODE_THROTTLED	= 1 << 1,	/* the same, from some call on */
};

#define TW_NODE_NOT_TIMED	(TW_NODE_FILTERED | TW_NODE_THROTTLED)

struct tw_node {
	/* What a call reads and writes is the first cache line. */
	const void *function;
	struct tw_node *parent;
	uint64_t calls;			/* entries */
	uint64_t ticks;			/* of the calls that were timed */
	uint64_t min_ticks, max_ticks;	/* one call, corrected */
	struct tw_histogram *histogram;	/* of the function in this tree */
	uint32_t flags;
	uint32_t open;			/* had not returned at the end */
	uint64_t abandoned;		/* left by longjmp or exception */
	uint64_t not_timed;		/* of the calls */
	struct tw_node *child, *sibling;
	uint32_t index;			/* for whoever writes the tree */
};

struct tw_tree {
	struct tw_node *root;		/* of no function */
	struct tw_node *functions;	/* its children hold the histograms */
	struct tw_arena arena;
	struct tw_node **table;		/* by parent and function */
	uint32_t table_size;		/* a power of two */
	uint32_t table_shift;		/* 64 less its logarithm */
	uint32_t nodes;			/* but the root */
	unsigned histogram_digits;	/* 0: none */
};

/* 0; -ENOMEM. @budget_bytes as in struct tw_arena. */
int tw_tree_init(struct tw_tree *tree, int64_t *budget_bytes,
		 unsigned histogram_digits);
void tw_tree_free(struct tw_tree *tree);

/*
 * Where to look first. Nodes lie one after another, and functions, too: the high
 * half of a product of each tells them apart. The parent's factor times 112, from
 * one node to the next, is 2^64 times the golden section (and some whole
 * ones), as exactly as an odd one can be: so do nodes one after another spread most
 * evenly.
 */
_Static_assert(sizeof(struct tw_node) == 104,
	       "112 bytes in the arena: the factor below is made for this");

static inline uint32_t tw_tree_slot(const struct tw_tree *tree,
				    const struct tw_node *parent,
				    const void *function)
{
	uint64_t key = (uint64_t)(uintptr_t)parent * 0xb5fbec83f122f365ULL +
		       (uint64_t)(uintptr_t)function * 0xd6e8feb86659fd93ULL;

	return (uint32_t)(key >> tree->table_shift);
}

/* The child of @parent for @function; NULL: there is none. */
static inline struct tw_node *tw_tree_find(const struct tw_tree *tree,
					   const struct tw_node *parent,
					   const void *function)
{
	uint32_t slot = tw_tree_slot(tree, parent, function);
	struct tw_node *node;

	while ((node = tree->table[slot]) != NULL) {
		if (!tw__unlikely(node->function != function ||
				 node->parent != parent))
			break;
		slot = (slot + 1) & (tree->table_size - 1);
	}
	return node;
}

/* The same, made if it is not there; NULL: no memory. @is_new is set when it was
 * made. */
struct tw_node *tw_tree_child(struct tw_tree *tree, struct tw_node *parent,
			      const void *function, int *is_new);

/* The node after @node when parents come first; NULL after the last. */
struct tw_node *tw_tree_next(const struct tw_tree *tree,
			     const struct tw_node *node);

/* Adds @from's numbers. 0; -ENOMEM: the rest of @from is missing. */
int tw_tree_merge(struct tw_tree *into, const struct tw_tree *from);

/* Nodes stay, numbers go. */
void tw_tree_reset(struct tw_tree *tree);

#endif
