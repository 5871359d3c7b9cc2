/* SPDX-License-Identifier: MIT */
/*
 * Files that are written in addition to stdout.
 */
#ifndef TW_OUTPUT_FILE_H
#define TW_OUTPUT_FILE_H

#include <stdio.h>

struct tw_page;

/* Close @file: 0; -errno if not all of it has arrived. */
int tw_output_close(FILE *file);

/* A page as a new or emptied file of HTML: 0; -errno. */
int tw_output_html_file(const struct tw_page *page, const char *path);

#endif
