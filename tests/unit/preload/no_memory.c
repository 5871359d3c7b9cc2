/* SPDX-License-Identifier: MIT */
/*
 * Lets one allocation of a program fail (LD_PRELOAD): that after NO_MEMORY others.
 * At its end the program writes to descriptor 9 whether it got so far.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

__attribute__((destructor)) static void tell(void)
{
	const char *text = __atomic_load_n(&left, __ATOMIC_RELAXED) < 0 ? "failed\n" :
									   "none\n";
	ssize_t written = write(9, text, strlen(text));

	(void)written;
}

static int fails(void)
{
	if (__atomic_load_n(&left, __ATOMIC_RELAXED) < 0 ||
	    __atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED) != 0)
		return 0;
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
