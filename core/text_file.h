/* SPDX-License-Identifier: MIT */
/*
 * Reads files as text, from beginning to end. Files of /proc and /sys have no size
 * to ask for, because the kernel makes them while they are read. Internal. To read
 * lines of a stream, use getline().
 */
#ifndef TW_TEXT_FILE_H
#define TW_TEXT_FILE_H

#include <sys/types.h>

/* Read into a buffer of @size bytes until it is full or the file ends; a 0 byte ends
 * what was read. Return: the number of bytes without it; -errno, and @text is "". */
ssize_t tw_text_fill(int fd, char *text, size_t size);

/* Do the same from the beginning of the file @path. */
ssize_t tw_text_file_begin(const char *path, char *text, size_t size);

/* A pipe may have no end. A report has some 40 KB. One of ten million different latencies
 * with five digits has 250 MB. */
#define TW_TEXT_MAX	(1UL << 30)

/* Read until the file ends: fewer than @most - 1 bytes, where @most is a power of two, mostly
 * TW_TEXT_MAX. @length: set to the number of bytes without the 0 byte behind them; may be NULL.
 * Return: the text, which the caller frees; NULL: errno says why, EFBIG for a longer file. */
char *tw_text_all(int fd, size_t most, size_t *length);

/* Do the same for a file, whose path is formatted, with TW_TEXT_MAX. */
char *tw_text_file(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Return whether @word is one of the words that @words begins with. Each ends with one of
 * @ends or the text's end, and another one follows only after one of @apart. Pure. */
int tw_text_has_word(const char *words, const char *word, const char *ends,
		     const char *apart);

#endif
