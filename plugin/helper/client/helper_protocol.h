/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The messages of an engine without privileges and `tickwise kernel-helper`, over a
 * SOCK_SEQPACKET socket: a question, then its answer. Loading takes a while, so a first
 * answer tells that it has begun. No message contains a pointer or an address of the
 * kernel.
 */
#ifndef TW_PLUGIN_HELPER_CLIENT_HELPER_PROTOCOL_H
#define TW_PLUGIN_HELPER_CLIENT_HELPER_PROTOCOL_H

#include <stdint.h>

#include "kernel/kernel_stamps.h"

/* The version covers the layout of the stamps, too. */
#define TW_HELPER_VERSION	(0x54570500u + (uint32_t)sizeof(struct tw_padded_stamps))
#define TW_HELPER_MAX_ENTRIES	65536u		/* of a connection */

enum tw_helper_what {
	TW_HELPER_LOAD = 1,	/* for @entries I/Os; the answer has their descriptor */
	TW_HELPER_EXPECT,	/* @thread will make a ring of @entries I/Os */
	TW_HELPER_MADE,		/* @thread has made its ring */
};

struct tw_helper_question {
	uint32_t version;
	uint32_t what;
	uint32_t number;	/* repeated in the answer */
	uint32_t thread;	/* as gettid() of the job returns it */
	uint32_t entries;
	uint32_t unused[3];
};

struct tw_helper_answer {
	uint32_t version;
	uint32_t number;
	uint32_t base;		/* of EXPECT: the ring's first index */
	uint32_t ring;		/* of EXPECT: its index in the program's table */
	uint32_t is_loading;	/* the answer to LOAD is still to come */
	char why[172];		/* reason of a refusal, one line; empty: done */
};

/* ---- the engine's side: helper_client.c, which needs no libbpf ---- */

#define TW_KERNEL_WHY	224		/* bytes of a reason */

/*
 * Ask the helper for room for @entries I/Os. Call this in the process that starts the
 * jobs, which share the connection. Return a descriptor of the stamps' memory;
 * -ENOENT: there is no helper; another -errno, with @why: the helper's reason,
 * or why it can't be asked.
 */
int tw_remote_load(uint32_t entries, char why[TW_KERNEL_WHY]);

/* Announce the ring that @thread makes next (TW_HELPER_EXPECT), as tw_loader_expect(), but
 * the helper chooses its indexes; or ask whether the ring is made (TW_HELPER_MADE). Return 0;
 * -errno with @why. A helper that does not answer in time is not asked again. */
int tw_remote_ask(enum tw_helper_what what, uint32_t thread, uint32_t entries,
		  struct tw_helper_answer *answer, char why[TW_KERNEL_WHY]);

#endif
