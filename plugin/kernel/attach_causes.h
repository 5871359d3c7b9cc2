/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program of causes.bpf.c for `tickwise attach --causes`: it follows the threads that
 * attach.bpf.c puts into the map that both share.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_CAUSES_H
#define TW_PLUGIN_KERNEL_ATTACH_CAUSES_H

#include "kernel/turn.h"

struct tw_attach_causes;

/* Before attach.bpf.c is loaded. 0 or -errno. */
int tw_attach_causes_load(struct tw_attach_causes **causes);

/* The map that attach.bpf.c is to take. */
int tw_attach_causes_threads(const struct tw_attach_causes *causes);

/* TW_ATTACH_THREADS of them. */
const struct tw_turns *tw_attach_causes_turns(const struct tw_attach_causes *causes);

/* NULL does no harm. */
void tw_attach_causes_unload(struct tw_attach_causes *causes);

#endif
