/* SPDX-License-Identifier: MIT */
/*
 * Writes files in addition to stdout.
 */
#ifndef TW_OUTPUT_FILE_H
#define TW_OUTPUT_FILE_H

#include <stdio.h>

struct tw_page;

/* Close @file. Return: 0; -errno if not all data could be written. */
int tw_output_close(FILE *file);

/* Write a page as HTML to a new or emptied file. Return: 0; -errno. */
int tw_output_html_file(const struct tw_page *page, const char *path);

#endif
