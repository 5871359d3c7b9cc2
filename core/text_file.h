/* SPDX-License-Identifier: MIT */
/*
 * A file of the kernel as text. Internal.
 */
#ifndef TW_TEXT_FILE_H
#define TW_TEXT_FILE_H

/* The whole of a file that has no size to ask for; free() it. NULL: errno says
 * why. */
char *tw_text_file(const char *path);

#endif
