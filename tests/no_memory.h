/* SPDX-License-Identifier: MIT */
/*
 * Lets one allocation of the code under test fail. Included by one C file of a test, which
 * the Makefile links so that these functions are called.
 */
#ifndef TW_TESTS_NO_MEMORY_H
#define TW_TESTS_NO_MEMORY_H

#include <stdlib.h>
#include <sys/mman.h>

/* The linker calls these in place of the functions without __wrap_. */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);

static long until_failure = -1;		/* allocations before it; -1: none fails */

static int fails(void)
{
	return until_failure >= 0 && until_failure-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return fails() ? MAP_FAILED : __real_mmap(at, size, protection, flags, fd, offset);
}

#endif
