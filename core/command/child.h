/* SPDX-License-Identifier: MIT */
/*
 * Runs programs as children of this one. All code uses these functions to run a
 * program and wait for it, with these exceptions:
 *
 *	own_files.c		the program becomes another one, and waits for nothing
 *	core/preload/look.c	it is within a foreign program, and runs no program
 *	core/probe/preload/	it is within fio, and runs no program
 *	plugin/helper/helper.c	has a process for each fio, all at the same time
 *	plugin/trace/tracefs.c	its process lives longer than fio, to clean up
 */
#ifndef TW_CHILD_H
#define TW_CHILD_H

#include <sys/types.h>

/**
 * tw_child_start - run a program
 * @argv: as for execvp(), which searches PATH; NULL: no program, the child ends
 *	when @prepare returns
 * @end_signal: sent to the child when this program ends, however it ends; 0:
 *	none
 * @prepare: called with @context in the child, before the program; or NULL. Puts @fd, the
 *	end of a pipe for writing, where the program expects it; else @fd is closed when the
 *	program begins
 * @from: set to the pipe's end for reading, on success; NULL: there is no pipe, @fd is -1
 *
 * The child's other signals and descriptors are this program's. SIGPIPE has its
 * default, even if this program was started with SIGPIPE ignored.
 *
 * Return: the child's process number, to be waited for; -errno: the program
 * could not be run, and there is nothing to wait for.
 */
pid_t tw_child_start(char *const *argv, int end_signal,
		     void (*prepare)(void *context, int fd), void *context, int *from);

/*
 * The same in two steps, for a @prepare that has to wait for this program.
 * tw_child_begin() does not wait until the program runs; tw_child_has_begun()
 * does. Each returns 0 or -errno as above.
 */
struct tw_child {
	pid_t pid;
	int told;		/* a pipe: why the program could not be run */
};

int tw_child_begin(struct tw_child *child, char *const *argv, int end_signal,
		   void (*prepare)(void *context, int fd), void *context, int fd);
int tw_child_has_begun(struct tw_child *child);

/* Wait for the end of a child. Return: the status of waitpid(); -errno. */
int tw_child_wait(pid_t pid);

/* May this user run @path? A folder is no program. */
int tw_child_is_program(const char *path);

/* Find a program by PATH, as execvp() does: an empty element of PATH is the current directory.
 * @path has PATH_MAX bytes. Return 1; 0, and @path is @name: there is none. */
int tw_child_find(char *path, const char *name);

/* Run a program without input. Return all that it prints on stdout and stderr, to be
 * freed, and set its exit code, -1 after a signal; NULL with errno: it can't be run. */
char *tw_child_output(char *const *argv, int *code);

#endif
