/* SPDX-License-Identifier: MIT */
/*
 * The call tree: a node for each path of calls, with what was counted there.
 *
 * A node holds sums of whole calls only, so that the hooks have less to do.
 * What a function took by itself, and what the hooks took of it, is computed
 * from the tree when it is read (core/profile/command/profiles.h).
 */
#ifndef TW_PROFILE_TREE_H
#define TW_PROFILE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "tickwise.h"

/*
 * Memory that a hook may take. It is mapped, and never from malloc(): the program may be in
 * the middle of malloc(), or may have instrumented it. All arenas share one budget. Memory is
 * given back all at once.
 */
struct tw_arena {
	char *next, *end;		/* what is left of the last chunk */
	struct tw_arena_chunk *chunks;
	int64_t *budget_bytes;		/* shared; NULL: no limit */
};

/* Take zeroed memory, aligned to 16. NULL if the budget or the machine has none. This takes a
 * few instructions, and a mapping every some hundred kilobytes. */
void *tw_arena_take(struct tw_arena *arena, size_t size);

/* Give back everything that was taken, to the budget, too. */
void tw_arena_free(struct tw_arena *arena);

enum tw_node_flags {
	TW_NODE_FILTERED	= 1 << 0,	/* by option: counted, not timed */
	TW_NODE_THROTTLED	= 1 << 1,	/* the same after some calls */
};

#define TW_NODE_NOT_TIMED	(TW_NODE_FILTERED | TW_NODE_THROTTLED)

struct tw_node {
	/* A call reads and writes only the first cache line. */
	const void *function;
	struct tw_node *parent;
	uint64_t calls;			/* entries */
	uint64_t ticks;			/* of the calls that were timed */
	uint64_t min_ticks, max_ticks;	/* one call, corrected */
	struct tw_histogram *histogram;	/* of the function in this tree */
	uint32_t flags;
	uint32_t open;			/* had not returned at the end */
	uint64_t abandoned;		/* left by longjmp or exception */
	uint64_t not_timed;		/* calls that were not timed */
	struct tw_node *child, *sibling;
	uint32_t index;			/* used while the tree is written */
};

struct tw_tree {
	struct tw_node *root;		/* belongs to no function */
	struct tw_node *functions;	/* its children hold the histograms */
	struct tw_arena arena;
	struct tw_node **table;		/* by parent and function */
	uint32_t table_size;		/* a power of two */
	uint32_t table_shift;		/* 64 less its logarithm */
	uint32_t nodes;			/* without the root */
	unsigned histogram_digits;	/* 0: none */
};

/* Set up a tree. Return 0; -ENOMEM. @budget_bytes as in struct tw_arena. */
int tw_tree_init(struct tw_tree *tree, int64_t *budget_bytes,
		 unsigned histogram_digits);
void tw_tree_free(struct tw_tree *tree);

/*
 * Return the slot where a search begins. Nodes are one after another in memory,
 * and so are functions, so their addresses are similar. The high half of a
 * product with a large factor separates them. The parent's factor times 112,
 * the distance of two nodes, is 2^64 times the golden section plus some whole
 * multiples of 2^64, as exactly as an odd factor can be. With that, nodes one
 * after another are spread most evenly.
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

/* Return the child of @parent for @function; NULL if there is none. */
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

/* Return the same child, and make it if there is none; NULL: no memory. */
struct tw_node *tw_tree_child(struct tw_tree *tree, struct tw_node *parent,
			      const void *function);

/* Return the node after @node if parents come first; NULL after the last one. */
struct tw_node *tw_tree_next(const struct tw_tree *tree,
			     const struct tw_node *node);

/* Add the numbers of @from. Return 0; -ENOMEM: the rest of @from is missing. */
int tw_tree_merge(struct tw_tree *into, const struct tw_tree *from);

/* Set all numbers to 0, and keep the nodes. */
void tw_tree_reset(struct tw_tree *tree);

#endif
