/* SPDX-License-Identifier: MIT */
/*
 * The program's memory. If there is none left, the program ends here, with one message
 * and TW_EXIT_SOFTWARE: none of these functions returns NULL. The library and
 * core/report return -ENOMEM instead, as the engines need; see tw_must().
 */
#ifndef TW_COMMAND_MEMORY_H
#define TW_COMMAND_MEMORY_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "array.h"

/* End the program, without the output that is not complete. */
_Noreturn void tw_no_memory(void);

/* Return @error; -ENOMEM ends the program. */
static inline int tw_must(int error)
{
	if (error == -ENOMEM)
		tw_no_memory();
	return error;
}

/* To be freed by free(). The main function gives tw_malloc() to the JSON library. */
void *tw_malloc(size_t size);
void *tw_zalloc(size_t count, size_t size);

/* Return a stream that writes to memory, and end it: the text is to be freed. */
FILE *tw_text_open(char **text, size_t *size);
void tw_text_close(FILE *stream);

/* Append an element, zeroed, to an array that is to be freed: see array.h. */
#define tw_another(array, count) __extension__ ({			\
	__typeof__(*(array)) element_ = tw_one_more(array, count);	\
									\
	if (!element_)							\
		tw_no_memory();						\
	element_;							\
})

/* ---- memory that is freed all at once ---- */

struct tw_piece;
/* Return zeroed memory that lives until the release of @pieces, NULL at the beginning. */
void *tw_take_piece(struct tw_piece **pieces, size_t size);
char *tw_format_piece(struct tw_piece **pieces, const char *format, va_list args);
void tw_release_pieces(struct tw_piece **pieces);

/* ---- texts, which live until tw_release_texts() ---- */

char *tw_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *tw_copy_text(const char *text);

/* A text that grows, with a 0 byte at its end once something was appended. */
struct tw_growing_text {
	char *bytes;
	size_t length;
};

void tw_append(struct tw_growing_text *text, const char *more, size_t count);
void tw_append_format(struct tw_growing_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return @array with room for one more after its @count elements; NULL: it is empty. */
void *tw_grow(void *array, size_t count, size_t size);

/* Append an element, zeroed, to such an array. Return its address. */
#define tw_grow_by_one(array, count) __extension__ ({			\
	(array) = tw_grow(array, count, sizeof(*(array)));		\
	&(array)[(count)++];						\
})

/* Texts in the order in which they came. Behind the last one is NULL; without any, @list is. */
struct tw_texts {
	char **list;
	size_t count;
};

void tw_push(struct tw_texts *into, char *text);

/* Free all memory of this part. */
void tw_release_texts(void);

#endif
