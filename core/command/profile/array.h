/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow as a file is read.
 */
#ifndef TW_COMMAND_PROFILE_ARRAY_H
#define TW_COMMAND_PROFILE_ARRAY_H

#include <stddef.h>

/*
 * One more element of the array that @array points to, zeroed; NULL: no memory.
 * Grows by doubling.
 */
void *profile_one_more(void *array, size_t *count, size_t size);

#endif
