/* SPDX-License-Identifier: MIT */
/*
 * Programs that this one runs as its children.
 */
#ifndef TW_CHILD_H
#define TW_CHILD_H

#include <sys/types.h>

/**
 * tw_child_start - run a program
 * @argv: as for execvp(), which looks for it in PATH
 * @end_signal: sent to it when this program ends, however that ends; 0: none
 * @prepare: called with @context in the child, before the program; or NULL
 *
 * Its other signals and descriptors are this program's, but for SIGPIPE, which
 * main() ignores: that is the default again.
 *
 * Return: its process, to be waited for; -errno: it could not be run, and there
 * is nothing to wait for.
 */
pid_t tw_child_start(char *const *argv, int end_signal,
		     void (*prepare)(void *context), void *context);

/* In a child of fork(): end when @parent ends. */
void tw_child_end_with(pid_t parent, int end_signal);

#endif
