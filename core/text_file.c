/* SPDX-License-Identifier: MIT */
/*
 * Files of /proc and /sys are made while they are read: read to the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "text_file.h"

static char *read_all(int fd)
{
	size_t size = 4096, length = 0;
	char *text = malloc(size);

	while (text) {
		ssize_t got = read(fd, text + length, size - 1 - length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(text);
			return NULL;
		}
		length += (size_t)got;
		text[length] = '\0';
		if (got == 0)
			return text;
		if (length + 1 == size) {
			char *more = realloc(text, size *= 2);

			if (!more)
				free(text);
			text = more;
		}
	}
	errno = ENOMEM;
	return NULL;
}

char *tw_text_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error;
	char *text;

	if (fd < 0)
		return NULL;
	text = read_all(fd);
	error = errno;
	close(fd);
	errno = error;
	return text;
}
