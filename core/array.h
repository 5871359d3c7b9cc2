/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow as a file is read, the length of the others, and the order of
 * numbers in one.
 */
#ifndef TW_ARRAY_H
#define TW_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The number of elements of an array, not of a pointer to its first. */
#define TW_LENGTH(array)	(sizeof(array) / sizeof(*(array)))

/* Return the order of two numbers, as strcmp() does of texts. */
static inline int tw_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static inline int tw_compare_real(double a, double b)
{
	return (a > b) - (a < b);
}

/* For qsort() of uint64_t, and of structures that begin with one. */
static inline int tw_ascending(const void *a, const void *b)
{
	return tw_compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

static inline int tw_descending(const void *a, const void *b)
{
	return tw_ascending(b, a);
}

/* For qsort() of double. */
static inline int tw_ascending_real(const void *a, const void *b)
{
	return tw_compare_real(*(const double *)a, *(const double *)b);
}

/* Sort the values, one or more, and return their median. */
static inline double tw_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), tw_ascending_real);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/*
 * Make room for another element of @size bytes behind the @count elements of
 * @base, and zero it. Return the array, which may have moved; NULL: no memory,
 * and @base is unchanged.
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
 * tw_one_more - append one element, zeroed
 * @array: T **, the place of the pointer to the first element; NULL is there while
 *         there is none
 * @count: the place of the number of elements, which grows by one
 *
 * The array grows by doubling. Its count alone tells how much room it has, so
 * nothing else may allocate it.
 *
 * Return: the element, of type T *; NULL: no memory, and nothing is changed.
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
