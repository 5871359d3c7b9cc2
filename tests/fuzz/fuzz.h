/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzers share: an input as a text, as arguments or as a file, and a page that
 * is written.
 */
#ifndef TW_FUZZ_H
#define TW_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command/output/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Return the input with a zero byte at its end, to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* Split @text into at most @most arguments, each of which ends with a zero byte or a line
 * end. Return how many there are. */
static inline int fuzz_arguments(char *text, size_t size, char **argv, int most)
{
	int count = 0;

	for (size_t i = 0; i < size; i++)
		if (text[i] == '\n')
			text[i] = '\0';
	for (char *at = text; at < text + size && count < most; at += strlen(at) + 1)
		argv[count++] = at;
	return count;
}

/* Make a file of the input, and write its path. Return a descriptor, to be closed. */
static inline int fuzz_file(const uint8_t *data, size_t size, char path[32])
{
	int fd = memfd_create("input", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* Write a page, and free it. */
static inline void fuzz_show(struct tw_page *page)
{
	FILE *file = fopen("/dev/null", "w");

	if (!file)
		abort();
	tw_output_text(page, file);
	tw_output_html(page, file);
	fclose(file);
	tw_page_free(page);
}

#endif
