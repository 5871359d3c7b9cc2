/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process that is looked at: one that runs already, or a program that is started
 * when all is ready.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_TARGET_H
#define TW_PLUGIN_KERNEL_ATTACH_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "command/child.h"

struct tw_attach_target {
	pid_t pid;
	int pidfd;		/* its number may be another's later */
	bool own;		/* started by us */
	struct tw_child child;	/* of our own, */
	char **argv;
	int go;			/* which waits for a byte in this pipe, */
	int error;		/* and could not be run: -errno */
	char program[16];	/* as the kernel calls it */
};

/* NULL, or why not: one line in @why. */
const char *tw_attach_to(struct tw_attach_target *target, const char *pid,
			 char *why, size_t size);
const char *tw_attach_start(struct tw_attach_target *target, char **argv,
			    char *why, size_t size);

/* Let the program begin. If it can't, stderr has why. */
void tw_attach_go(struct tw_attach_target *target);

bool tw_attach_has_ended(const struct tw_attach_target *target);

/* Wait for the program; its exit code, as a shell has it. */
int tw_attach_exit_code(struct tw_attach_target *target);

#endif
