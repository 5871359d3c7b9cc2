/* SPDX-License-Identifier: MIT */
/*
 * Copies between structures of the caller's version and this library's.
 */
#include "sized.h"

#include <errno.h>
#include <string.h>

/* Return the size that the structure begins with. */
static size_t size_of(const void *structure)
{
	size_t size;

	memcpy(&size, structure, sizeof(size));
	return size;
}

int tw_sized_check(size_t size, enum tw_first_size first)
{
	if (size < (size_t)first)
		return -EINVAL;
	return size > TW_MAX_SIZE ? -E2BIG : 0;
}

int tw_sized_take(void *to, size_t size, const void *from,
		  enum tw_first_size first)
{
	size_t given = size_of(from), i;
	int ret = tw_sized_check(given, first);

	if (ret)
		return ret;
	for (i = size; i < given; i++)
		if (((const char *)from)[i])
			return -E2BIG;
	memset(to, 0, size);
	memcpy(to, from, given < size ? given : size);
	return 0;
}

void tw_sized_give(void *to, const void *from, size_t size)
{
	size_t wanted = size_of(to);

	if (wanted > size)
		memset((char *)to + size, 0, wanted - size);
	memcpy((char *)to + sizeof(wanted), (const char *)from + sizeof(wanted),
	       (wanted < size ? wanted : size) - sizeof(wanted));
}
