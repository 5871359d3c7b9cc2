/* SPDX-License-Identifier: MIT */
/*
 * Files are read to their end, or until the buffer is full. Fails if one read() is
 * taken for all of it, or if a file that ends where a buffer does loses or gains a
 * byte. Fails also if an error passes for a short file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"
#include "text_file.h"

#define MAX_BYTES	16384

/*
 * A read() of a pipe of packets returns only one write(), cut to the room in the
 * buffer.
 */
#define MAX_PACKET	64

static char bytes[MAX_BYTES];

/*
 * Return the read end of a pipe that @parts writes of @size filled, and that has
 * ended.
 */
static int piped(size_t size, unsigned parts)
{
	int ends[2];

	if (pipe2(ends, size <= MAX_PACKET ? O_DIRECT : 0))
		exit(1);
	for (unsigned i = 0; i < parts; i++)
		if (write(ends[1], bytes, size) != (ssize_t)size)
			exit(1);
	close(ends[1]);
	return ends[0];
}

static void all_of(size_t size, unsigned parts)
{
	int fd = piped(size, parts);
	size_t length = 0;
	char *text = tw_text_all(fd, TW_TEXT_MAX, &length);

	tap_ok(text && length == size * parts && !text[length] &&
	       !memcmp(text, bytes, size), "%u times %zu bytes", parts, size);
	free(text);
	close(fd);
}

static void into(size_t size, unsigned parts, size_t room, size_t should)
{
	int fd = piped(size, parts);
	char text[64];
	ssize_t length;

	memset(text, '#', sizeof(text));
	length = tw_text_fill(fd, text, room);
	tap_ok(length == (ssize_t)should && !text[should] &&
	       text[should + 1] == '#',
	       "%u times %zu bytes into %zu", parts, size, room);
	close(fd);
}

static void errors(void)
{
	char text[8] = "before";

	tap_ok(tw_text_file_begin("/nowhere", text, sizeof(text)) == -ENOENT &&
	       !text[0], "a file that is not there");
	strcpy(text, "before");
	tap_ok(tw_text_file_begin("/", text, sizeof(text)) == -EISDIR && !text[0],
	       "a folder");
	errno = 0;
	tap_ok(!tw_text_file("/nowhere") && errno == ENOENT, "all of no file");
	errno = 0;
	tap_ok(!tw_text_file("/") && errno == EISDIR, "all of a folder");
}

/* A pipe may have no end. */
static void limits(void)
{
	for (size_t size = 8190; size <= 8191; size++) {
		int fd = piped(size, 1);
		char *text;

		errno = 0;
		text = tw_text_all(fd, 8192, NULL);
		tap_ok(!text == (size == 8191) && (text || errno == EFBIG),
		       "%zu bytes, of which 8190 are allowed", size);
		free(text);
		close(fd);
	}
}

int main(void)
{
	char text[8];
	char *all = tw_text_file("/proc/self/stat");

	memset(bytes, 'x', sizeof(bytes));
	bytes[1] = '\0';
	all_of(0, 1);
	all_of(7, 3);
	all_of(4095, 1);
	all_of(4096, 1);
	all_of(4097, 1);
	all_of(8191, 1);
	all_of(5000, 3);
	into(3, 2, 16, 6);
	into(8, 2, 16, 15);
	into(15, 1, 16, 15);
	into(3, 1, 1, 0);
	tap_ok(all && atoi(all) == getpid(), "a file of /proc has no size");
	free(all);
	tap_ok(tw_text_file_begin("/proc/self/stat", text, sizeof(text)) == 7 &&
	       atoi(text), "its beginning");
	errors();
	limits();
	return tap_done();
}
