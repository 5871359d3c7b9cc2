/* SPDX-License-Identifier: MIT */
/*
 * Opens the files that a user names. A file that is written is complete, or as it was
 * before: the data go to a new file in the same folder, which is renamed at the end.
 *
 * Devices, pipes and /dev/stdout are written to. So is a file in a folder where no
 * file can be made, and one that may be written to, but not replaced. A link is
 * followed, and a named pipe written to, only if the user of this process or root made
 * it: others could make root write anywhere, or wait.
 */
#ifndef TW_OUTPUT_FILE_H
#define TW_OUTPUT_FILE_H

#include <stdio.h>

#include "base/open_file.h"

struct tw_output {
	FILE *stream;
	char *place;		/* the path of the file, links followed */
	char *aside;		/* the path of the new file; NULL: none, or renamed */
	int is_cut;		/* the end of a longer earlier output is cut off */
};

/* Begin a file. Its mode is that of the user's file in the same place, if there is
 * one. Return: 0; -errno, for tw_file_error(). */
int tw_output_open(struct tw_output *output, const char *path);

/* Write what is buffered, and put the file in its place if it is not there yet. The
 * stream can be written to afterwards. Return: 0; -errno. */
int tw_output_publish(struct tw_output *output);

/* Publish the file unless there was an @error, and close it. A file that is not in
 * its place is removed. Return: @error, or 0 or -errno. */
int tw_output_close(struct tw_output *output, int error);

/* Do all of this. @write returns 0 or -errno. */
int tw_output_file(const char *path, int (*write)(FILE *file, const void *context),
		   const void *context);

/* Return 1 if both files would be in the same place. Neither has to be there. */
int tw_output_are_one(const char *one_path, const char *other_path);

/* Remove the files of this process that are not in their places. For a handler of a
 * signal that ends the program. */
void tw_output_remove_all(void);

/* Open a regular file again, to read and to change it. Links are followed as above. Return: a
 * descriptor; -errno. */
int tw_output_reopen(const char *path);

/* Do what tw_input_open() does, as a stream; NULL with errno. */
FILE *tw_input_stream(const char *path, int takes);

/* Return what -@error of these functions means. */
const char *tw_file_error(int error);

#endif
