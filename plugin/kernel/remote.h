/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine's side of `tickwise kernel-helper`: asks it for what the engine itself may
 * not do. Needs no libbpf.
 */
#ifndef TW_PLUGIN_KERNEL_REMOTE_H
#define TW_PLUGIN_KERNEL_REMOTE_H

#include <stdint.h>

#include "stages.h"

/*
 * @why is the helper's reason, or ours, why it does not help.
 *
 * Asks for @slots places. In the process that starts the jobs, which share the
 * connection. A descriptor of their memory; -ENOENT: there is no helper; another
 * -errno, with @why.
 */
int tw_remote_load(uint32_t slots, char why[TW_KERNEL_WHY]);

/* As tw_loader_expect(), but the helper chooses @base. 0; -errno with @why. One that does
 * not answer in time is not asked again. */
int tw_remote_expect(uint32_t thread, uint32_t entries, uint32_t *base,
		     char why[TW_KERNEL_WHY]);

/* Has @thread made its ring? 0; -errno with @why. */
int tw_remote_made(uint32_t thread, char why[TW_KERNEL_WHY]);

#endif
