/* SPDX-License-Identifier: MIT */
/*
 * Programs that this one runs as its children: the one place that runs a program and
 * waits for it. Elsewhere there is a reason to fork or exec:
 *
 *	separate.c		the program becomes another one, and waits for nothing
 *	core/preload/look.c	it is within a foreign program, and runs no program
 *	core/probe/preload/	it is within fio, and runs no program
 *	plugin/kernel/helper.c	has a process for each fio, all at the same time
 *	plugin/kernel/tracefs.c	its process lives longer than fio, to clean up
 */
#ifndef TW_CHILD_H
#define TW_CHILD_H

#include <sys/types.h>

/**
 * tw_child_start - run a program
 * @argv: as for execvp(), which looks for it in PATH; NULL: no program, the child
 *	ends when @prepare returns
 * @end_signal: sent to it when this program ends, however that ends; 0: none
 * @prepare: called with @context in the child, before the program; or NULL
 *
 * Its other signals and descriptors are this program's, but for SIGPIPE, which is the
 * default there, also where this program was begun with it ignored.
 *
 * Return: its process, to be waited for; -errno: it could not be run, and there
 * is nothing to wait for.
 */
pid_t tw_child_start(char *const *argv, int end_signal,
		     void (*prepare)(void *context), void *context);

/**
 * tw_child_start_piped - run a program that writes to a pipe
 * @prepare: gives it @fd, the end to be written to, where it looks for that; without
 *	this it is closed when the program begins
 * @from: the end to be read from; set on success
 *
 * All else is as in tw_child_start().
 */
pid_t tw_child_start_piped(char *const *argv, int end_signal,
			   void (*prepare)(void *context, int fd), void *context,
			   int *from);

/*
 * The same in two steps, for a @prepare that has to wait for this program:
 * tw_child_begin() does not wait for the program to begin, tw_child_has_begun() does.
 * Each returns 0 or -errno as above.
 */
struct tw_child {
	pid_t pid;
	int told;		/* a pipe: why the program could not be run */
};

int tw_child_begin(struct tw_child *child, char *const *argv, int end_signal,
		   void (*prepare)(void *context), void *context);
int tw_child_has_begun(struct tw_child *child);

/* Wait for its end: the status that waitpid() gives; -errno. */
int tw_child_wait(pid_t pid);

#endif
