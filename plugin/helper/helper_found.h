/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which I/Os can be split on this kernel: the functions and types that bio.bpf.h needs and
 * that are in the kernel or in a loaded module. No privileges are necessary.
 */
#ifndef TW_PLUGIN_KERNEL_HELPER_FOUND_H
#define TW_PLUGIN_KERNEL_HELPER_FOUND_H

#include <stdio.h>

#include "kernel/above.h"

/* Print what was found and what was not, a line each. Print nothing if that is not known. */
void tw_helper_print_found(void);

/* Print the same to @out, of the names in @symbols (/proc/kallsyms). */
void tw_helper_print_found_in(FILE *symbols, const struct tw_above *above, FILE *out);

#endif
