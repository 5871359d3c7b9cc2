/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program of causes.bpf.c for `tickwise attach --causes`: it follows the threads that
 * attach.bpf.c puts into the map that both share.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_CAUSES_H
#define TW_PLUGIN_KERNEL_ATTACH_CAUSES_H

#include "kernel/turn.h"

struct tw_attach_causes;

/* Load the program, before attach.bpf.c is loaded. Return 0 or -errno. */
int tw_attach_causes_load(struct tw_attach_causes **causes);

/* Return the descriptor of the map that attach.bpf.c has to share. */
int tw_attach_causes_threads(const struct tw_attach_causes *causes);

/* Return the turns of all TW_ATTACH_THREADS threads. */
const struct tw_turns *tw_attach_causes_turns(const struct tw_attach_causes *causes);

/* Unload the program. @causes may be NULL. */
void tw_attach_causes_unload(struct tw_attach_causes *causes);

#endif
