/* SPDX-License-Identifier: MIT */
/*
 * Lets one allocation of a program fail (LD_PRELOAD): that after NO_MEMORY others.
 * Then "failed" is written to descriptor 9.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* The C library's own functions, by other names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

static long left = -1;

/* What is allocated before main() is not counted. */
__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("NO_MEMORY");

	__atomic_store_n(&left, number ? atol(number) : -1, __ATOMIC_RELAXED);
}

static int fails(void)
{
	ssize_t written;

	if (__atomic_load_n(&left, __ATOMIC_RELAXED) < 0 ||
	    __atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED) != 0)
		return 0;
	written = write(9, "failed\n", 7);
	(void)written;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
	return fails() ? NULL : __libc_realloc(block, size);
}
