/* SPDX-License-Identifier: MIT */
/*
 * Reads files as text; see text_file.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text_file.h"

ssize_t tw_text_fill(int fd, char *text, size_t size)
{
	size_t length = 0;
	ssize_t got;

	do {
		got = read(fd, text + length, size - 1 - length);
		if (got < 0 && errno != EINTR) {
			text[0] = '\0';
			return -errno;
		}
		length += got > 0 ? (size_t)got : 0;
	} while (got && length + 1 < size);
	text[length] = '\0';
	return (ssize_t)length;
}

ssize_t tw_text_file_begin(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	length = tw_text_fill(fd, text, size);
	close(fd);
	return length;
}

char *tw_text_all(int fd, size_t most, size_t *length)
{
	size_t size = 4096, used = 0;
	char *text = malloc(size);

	while (text) {
		ssize_t got = tw_text_fill(fd, text + used, size - used);
		char *more;

		if (got < 0) {
			free(text);
			errno = (int)-got;
			return NULL;
		}
		used += (size_t)got;
		/* The buffer is not full, so the file has ended. */
		if (used + 1 < size) {
			if (length)
				*length = used;
			return text;
		}
		size *= 2;
		if (size > most) {
			free(text);
			errno = EFBIG;
			return NULL;
		}
		more = realloc(text, size);
		if (!more)
			free(text);
		text = more;
	}
	errno = ENOMEM;
	return NULL;
}

char *tw_text_file(const char *format, ...)
{
	char path[PATH_MAX], *text;
	va_list arguments;
	int error, fd, length;

	va_start(arguments, format);
	length = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	if (length >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = tw_text_all(fd, TW_TEXT_MAX, NULL);
	error = errno;
	close(fd);
	errno = error;
	return text;
}

int tw_text_has_word(const char *words, const char *word, const char *ends,
		     const char *apart)
{
	size_t length = strlen(word), had;

	for (;; words += had + 1) {
		had = strcspn(words, ends);
		if (had == length && !memcmp(words, word, length))
			return 1;
		if (!words[had] || !strchr(apart, words[had]))
			return 0;
	}
}
