/* SPDX-License-Identifier: MIT */
/*
 * A page (page.h) as text for a terminal, 79 columns wide; only a table may be wider.
 */
#ifndef TW_OUTPUT_TEXT_H
#define TW_OUTPUT_TEXT_H

#include <stdio.h>

struct tw_page;

/* 0; -ENOMEM, and nothing is written: there was no memory for all of the page. Errors of
 * writing are the file's. */
int tw_output_text(const struct tw_page *page, FILE *file);

/* The same on stdout, and free the page. */
int tw_output_print(struct tw_page *page);

#endif
