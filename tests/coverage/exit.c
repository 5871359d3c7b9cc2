/* SPDX-License-Identifier: MIT */
/*
 * Preloaded by `make coverage`, and part of the libraries that tests preload. A
 * process that ends with _exit(), as each job of fio does, writes its counts here.
 * Without this the engine's coverage is lost.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_DUMPS	64

static void (*dumps[MAX_DUMPS])(void);

void tw_coverage_register(void (*dump)(void));
void tw_coverage_forget(void (*dump)(void));
void _Exit(int code);

static void replace(void (*before)(void), void (*now)(void))
{
	for (unsigned i = 0; i < MAX_DUMPS; i++)
		if (dumps[i] == before) {
			dumps[i] = now;
			return;
		}
}

void tw_coverage_register(void (*dump)(void))
{
	replace(NULL, dump);
}

void tw_coverage_forget(void (*dump)(void))
{
	replace(dump, NULL);
}

void _exit(int code)
{
	for (unsigned i = 0; i < MAX_DUMPS; i++)
		if (dumps[i])
			dumps[i]();
	for (;;)
		syscall(SYS_exit_group, code);
}

void _Exit(int code)
{
	_exit(code);
}
