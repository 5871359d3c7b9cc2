// SPDX-License-Identifier: MIT
/*
 * Kills a process that renames a file, before it is done.
 */
#include <signal.h>
#include <stdio.h>

int rename(const char *from, const char *to)
{
	(void)from;
	(void)to;
	raise(SIGKILL);
	return -1;
}
