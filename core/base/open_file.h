/* SPDX-License-Identifier: MIT */
/*
 * Opens files where other users may change names. A file is looked at first, by a descriptor
 * that neither waits nor acts on a device. Then this same file is opened, whatever its name
 * leads to by then. Allocates no memory.
 */
#ifndef TW_OPEN_FILE_H
#define TW_OPEN_FILE_H

#include <limits.h>
#include <sys/stat.h>

/* Room for a path of tw_new_path(). */
#define TW_NEW_PATH	(PATH_MAX + 64)

/* What an input may be, next to a regular file. */
enum {
	/* A pipe of this user or of root, or one that is a descriptor of this process.
	 * To open it waits for a writer. */
	TW_INPUT_PIPE	= 1,
	TW_INPUT_DEVICE	= 2,
	TW_INPUT_FOLDER	= 4,
	/* Only a file of this user or of root, and no link of another user. */
	TW_INPUT_OWN	= 8,
};

/* Open a file to read it. @takes: the sum of what it may be. Return: a descriptor; -errno,
 * for tw_file_error(). */
int tw_input_open(const char *path, int takes);

/* Look at a file. @flags: O_NOFOLLOW, or 0. Return: a descriptor of O_PATH; -errno. */
int tw_look_at(const char *path, int flags, struct stat *status);

/* Open with @flags the file that @at is, of tw_look_at(). Return: a descriptor; -errno. */
int tw_open_seen(int at, const char *path, int flags, const struct stat *seen);

/* Write the path of a new file in the folder of @place. Its name is not that of the file, which
 * may be as long as names can be. Others can't know it, so they can't be there first. */
void tw_new_path(char path[TW_NEW_PATH], const char *place);

/* Make this file. Return: a descriptor for writing; -errno. */
int tw_new_file(const char *path, mode_t mode);

/* Return the length of the folder's name with its last slash; 0 for a name alone. */
int tw_folder_length(const char *path);

/* Return the number of a descriptor that @path names, such as /dev/stdout; -1: none. */
int tw_descriptor_of(const char *path);

/* Return 1 for a file that is neither this user's nor root's. */
int tw_is_anothers(const struct stat *status);

/* The same for a file in the folder of @path. Some file systems give all files one owner. */
int tw_is_anothers_in(const struct stat *status, const char *path);

#endif
