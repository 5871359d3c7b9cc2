/* SPDX-License-Identifier: MIT */
/*
 * Each prctl() takes 20 ms (LD_PRELOAD). So a test can see a state that a process has only
 * between two system calls.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int prctl(int what, ...)
{
	unsigned long argument[4];
	va_list args;
	int i;

	va_start(args, what);
	for (i = 0; i < 4; i++)
		argument[i] = va_arg(args, unsigned long);
	va_end(args);
	usleep(20000);
	return (int)syscall(SYS_prctl, what, argument[0], argument[1], argument[2],
			    argument[3]);
}
