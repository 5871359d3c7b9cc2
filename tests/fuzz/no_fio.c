/* SPDX-License-Identifier: MIT */
/*
 * Replaces command/child.c in the fuzzers: no program runs. What `tickwise run` asks a
 * fio for is answered here; the first letter of an option decides whether it takes a
 * value, so that all answers occur.
 */
#include <errno.h>
#include <string.h>

#include "command/child.h"

char *tw_child_output(char *const *argv, int *code)
{
	const char *equals = strchr(argv[1], '=');
	const char *option = strstr(argv[1], "--enghelp") ? strchr(argv[1], ',') : equals;

	*code = 0;
	if (!strcmp(argv[1], "--cmdhelp"))
		return strdup("name : x\nioengine : x\niodepth : x\n  outer : x\n");
	if (!option)
		return strdup(equals && strchr(equals, '/') ? "tw_report : File\nhipri : x\n" :
			      "userspace_reap : x\nhipri : x\n");
	return strdup(option[1] % 3 == 0 ? "No such command" :
		      option[1] % 3 == 1 ? "type: empty or boolean" : "type: integer");
}

#pragma GCC diagnostic ignored "-Wunused-parameter"

pid_t tw_child_start(char *const *argv, int end_signal,
		     void (*prepare)(void *context, int fd), void *context, int *from)
{
	return -ENOSYS;
}

int tw_child_begin(struct tw_child *child, char *const *argv, int end_signal,
		   void (*prepare)(void *context, int fd), void *context, int fd)
{
	return -ENOSYS;
}

int tw_child_has_begun(struct tw_child *child)
{
	return -ENOSYS;
}

int tw_child_wait(pid_t pid)
{
	return -ECHILD;
}
