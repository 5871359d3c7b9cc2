/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow as a file is read.
 */
#ifndef TW_ARRAY_H
#define TW_ARRAY_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Room for another element of @size bytes, zeroed, behind the @count that @base
 * has: where it begins now, or NULL, and then it is as it was.
 */
static inline void *tw_room_for_one(void *base, size_t count, size_t size)
{
	if ((count & (count - 1)) == 0) {
		base = reallocarray(base, count ? 2 * count : 1, size);
		if (!base)
			return NULL;
	}
	memset((char *)base + count * size, 0, size);
	return base;
}

/**
 * tw_one_more - one more element, zeroed
 * @array: of type T **: where the pointer to the first element is; NULL there while
 *         there is none
 * @count: where the number of elements is; becomes one more
 *
 * Grows by doubling: the count alone says how much room there is, so nothing else
 * may allocate the array.
 *
 * Return: the element, of type T *; NULL: no memory, and all is as it was.
 */
#define tw_one_more(array, count) __extension__ ({			\
	__typeof__(array) array_ = (array);				\
	size_t *count_ = (count);					\
	__typeof__(*array_) base_ =					\
		tw_room_for_one(*array_, *count_, sizeof(**array_));	\
									\
	if (base_)							\
		*array_ = base_;					\
	base_ ? *array_ + (*count_)++ : NULL;				\
})

#endif
