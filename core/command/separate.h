/* SPDX-License-Identifier: MIT */
/*
 * The options of the separate programs (plugin/kernel/). These programs use
 * them, and `tickwise` completes them and prints their manuals.
 */
#ifndef TW_COMMAND_SEPARATE_H
#define TW_COMMAND_SEPARATE_H

#include <stdint.h>

#include "command/options.h"

struct tw_attach_values {
	const char *json, *html, *output;	/* files; NULL: none, "-": stdout */
	uint64_t interval_ns;			/* 0: print no tables */
	uint64_t duration_ns;			/* 0: until the end of the programs */
	int causes;
};

/* The default of the socket where the helper listens and the engine
 * connects. */
#define TW_KERNEL_HELPER_SOCKET	"/run/tickwise/kernel.sock"

struct tw_kernel_helper_values {
	const char *user, *group;		/* name or number; NULL: not given */
	const char *socket;
	int only_checks;
};

extern const struct tw_options tw_attach_options;
extern const struct tw_options tw_kernel_helper_options;

#endif
