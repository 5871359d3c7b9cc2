/* SPDX-License-Identifier: MIT */
/*
 * Folders in which no other user can change names. A name that others can change is no
 * safe way to a file: between two uses they can put another file there.
 */
#ifndef TW_PRIVATE_FOLDER_H
#define TW_PRIVATE_FOLDER_H

#include <limits.h>

/* What EPERM of these functions means. */
#define TW_OTHERS_CAN_REPLACE	"others can replace files in it"

/* Find a folder, of those from @way up to the root or to the current folder, in which another
 * user can replace files. This changes @way. A sticky folder, such as /tmp, protects the files
 * of this user; it is no safe place for new files of others if @is_for_others. Return: its
 * path, with errno EPERM or why it can't be checked; NULL: there is none. */
const char *tw_unsafe_folder(char *way, int is_for_others);

/* Make a folder @name.XXXXXX of this user alone where temporary files are (TMPDIR). @at: set to
 * the folder in which it is made. Return: its path, to be freed; NULL with errno, EPERM if other
 * users could replace it. */
char *tw_private_folder(const char *name, char at[PATH_MAX]);

/* Remove it, with the files in it. */
void tw_private_folder_remove(char *path);

#endif
