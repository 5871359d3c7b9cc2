/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine's side of `tickwise kernel-helper`: asks the helper for what the
 * engine itself may not do. Needs no libbpf.
 */
#ifndef TW_PLUGIN_KERNEL_REMOTE_H
#define TW_PLUGIN_KERNEL_REMOTE_H

#include <stdint.h>

#include "stages.h"

/*
 * Ask the helper for @slots places. Call this in the process that starts the
 * jobs, which share the connection. Return a descriptor of the places' memory;
 * -ENOENT: there is no helper; another -errno, with @why: the helper's reason,
 * or why it can't be asked.
 */
int tw_remote_load(uint32_t slots, char why[TW_KERNEL_WHY]);

/* Announce a ring, as tw_loader_expect(), but the helper chooses @base. Return
 * 0; -errno with @why. A helper that does not answer in time is not asked
 * again. */
int tw_remote_expect(uint32_t thread, uint32_t entries, uint32_t *base,
		     char why[TW_KERNEL_WHY]);

/* Ask whether @thread has made its ring. Return 0 if it has; -errno with @why. */
int tw_remote_made(uint32_t thread, char why[TW_KERNEL_WHY]);

#endif
