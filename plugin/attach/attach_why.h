/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why an I/O of an attached program was slow: what happened to the submitting thread in
 * the longest stage of the I/O. Arithmetic only: tests/unit/plugin/attach/attach_why.c passes any turns.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_WHY_H
#define TW_PLUGIN_KERNEL_ATTACH_WHY_H

#include <stdbool.h>

#include "attach/attach_record.h"
#include "kernel/explain.h"

struct tw_attach_why {
	unsigned stage;			/* enum tw_stage: the longest */
	bool followed;			/* the thread takes part in the stage */
	uint64_t from_ns;		/* its beginning, of CLOCK_MONOTONIC */
	uint64_t ns;			/* its length */
	struct tw_explained explained;	/* stall: since from_ns */
};

/* Find why @io was slow. @turns: of all TW_ATTACH_THREADS threads. Call this soon after
 * the I/O is over. */
void tw_attach_why_find(const struct tw_turns *turns, const struct tw_attach_io *io,
			struct tw_attach_why *why);

#endif
