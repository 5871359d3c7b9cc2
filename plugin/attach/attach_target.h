/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process that is measured: a running process, or a program that is started when
 * everything is ready.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_TARGET_H
#define TW_PLUGIN_KERNEL_ATTACH_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "command/child.h"

struct tw_attach_target {
	pid_t pid;
	int pidfd;		/* since another process may get the number later */
	bool own;		/* a program that was started here */
	struct tw_child child;	/* the program, like the next three */
	char **argv;
	int go;			/* a pipe in which the child waits for a byte */
	int error;		/* why the program could not be run: -errno */
	char program[16];	/* the kernel's name of the process */
};

/* Choose a running process, or prepare a program. Return NULL, or the reason why not: one
 * line in @why. */
const char *tw_attach_to(struct tw_attach_target *target, const char *pid,
			 char *why, size_t size);
const char *tw_attach_start(struct tw_attach_target *target, char **argv,
			    char *why, size_t size);

/* Let the program begin, if it was prepared. Return 0 or -errno: it can't be run, and a line
 * on stderr has the reason. */
int tw_attach_go(struct tw_attach_target *target);

bool tw_attach_has_ended(const struct tw_attach_target *target);

/* Wait for the program. Return its exit code, as a shell would. */
int tw_attach_exit_code(struct tw_attach_target *target);

#endif
