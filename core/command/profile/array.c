/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow as a file is read: see array.h.
 */
#include <stdlib.h>
#include <string.h>

#include "command/profile/array.h"

void *profile_one_more(void *array, size_t *count, size_t size)
{
	void **base = array;
	size_t have = *count;

	if ((have & (have - 1)) == 0) {
		void *more = reallocarray(*base, have ? 2 * have : 1, size);

		if (!more)
			return NULL;
		*base = more;
	}
	*count = have + 1;
	return memset((char *)*base + have * size, 0, size);
}
