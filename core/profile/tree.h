/* SPDX-License-Identifier: MIT */
/*
 * The call tree: a node for each path of calls, with what was counted there.
 *
 * A node holds sums of whole calls only. What a function took by itself, and
 * what the hooks took of it, follow from the tree when it is read
 * (core/profile/correct.h): the hooks have less to do.
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
	struct tw_node *recent;		/* child called last; never NULL */
	uint64_t calls;			/* entries */
	uint64_t ticks;			/* of the calls that were timed */
	uint64_t least_ticks, most_ticks;	/* one call, corrected */
	struct tw_histogram *histogram;	/* of the function in this tree */
	uint32_t flags;
	uint32_t open;			/* had not returned at the end */
	uint64_t abandoned;		/* left by longjmp or exception */
	uint64_t not_timed;		/* of the calls */
	struct tw_node *parent, *child, *sibling;
	uint32_t index;			/* for whoever writes the tree */
	uint32_t reserved;
};

struct tw_tree {
	struct tw_node *root;		/* of no function */
	struct tw_node *functions;	/* its children hold the histograms */
	struct tw_arena arena;
	struct tw_node **table;		/* by parent and function */
	uint32_t table_size;		/* a power of two */
	uint32_t nodes;			/* but the root */
	unsigned histogram_digits;	/* 0: none */
};

/* 0; -ENOMEM. @budget_bytes as in struct tw_arena. */
int tw_tree_init(struct tw_tree *tree, int64_t *budget_bytes,
		 unsigned histogram_digits);
void tw_tree_free(struct tw_tree *tree);

/* The child of @parent for @function, made if it is not there; NULL: no memory.
 * It becomes the recent one. @is_new is set when it was made. */
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
