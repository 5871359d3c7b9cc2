/* SPDX-License-Identifier: MIT */
/*
 * Files as text, from beginning to end. Those of /proc and /sys have no size to ask
 * for, and are made while they are read. Internal; lines of a stream are getline()'s.
 */
#ifndef TW_TEXT_FILE_H
#define TW_TEXT_FILE_H

#include <sys/types.h>

/**
 * tw_text_fill - read into a buffer until that is full or the file ends
 * @text: @size bytes; a 0 byte ends what was read
 *
 * Return: bytes without that; -errno, and @text is "".
 */
ssize_t tw_text_fill(int fd, char *text, size_t size);

/* The same from the beginning of the file of that name. */
ssize_t tw_text_file_begin(const char *path, char *text, size_t size);

/**
 * tw_text_all - read until the file ends
 * @length: bytes without the 0 byte behind them; NULL: not asked for
 *
 * Return: the text, to be freed; NULL: errno says why.
 */
char *tw_text_all(int fd, size_t *length);

/* The same of the file of that name. */
char *tw_text_file(const char *path);

#endif
