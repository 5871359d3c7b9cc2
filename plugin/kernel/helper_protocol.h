/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an engine without privileges and `tickwise kernel-helper` send each other over
 * a SOCK_SEQPACKET socket: a question, then its answer. Loading takes a while; an answer
 * that says so comes before. Neither has a pointer or an address of the kernel in it.
 */
#ifndef TW_PLUGIN_KERNEL_HELPER_PROTOCOL_H
#define TW_PLUGIN_KERNEL_HELPER_PROTOCOL_H

#include <stdint.h>

#include "slot.h"

/* The slots have this layout, too. */
#define TW_HELPER_VERSION	(0x54570200u + (uint32_t)sizeof(struct tw_slot))
#define TW_HELPER_MAX_SLOTS	65536u		/* of a connection */

enum tw_helper_what {
	TW_HELPER_LOAD = 1,	/* @entries slots; the answer brings their descriptor */
	TW_HELPER_EXPECT,	/* a ring of @entries I/Os, made by @thread */
	TW_HELPER_MADE,		/* @thread has made it */
};

struct tw_helper_question {
	uint32_t version;
	uint32_t what;
	uint32_t number;	/* comes back in the answer */
	uint32_t thread;	/* as gettid() has it there */
	uint32_t entries;
	uint32_t unused[3];
};

struct tw_helper_answer {
	uint32_t version;
	uint32_t number;
	uint32_t base;		/* of EXPECT: the ring's first slot */
	uint32_t is_loading;	/* the answer to LOAD is still to come */
	char why[176];		/* why not, in one line; empty: done */
};

#endif
