/* SPDX-License-Identifier: MIT */
/*
 * Writes a page (page.h) as text for a terminal, 79 columns wide. Only tables
 * can be wider.
 */
#ifndef TW_OUTPUT_TEXT_H
#define TW_OUTPUT_TEXT_H

#include <stdio.h>

struct tw_page;

/* Write the page. Check the file for write errors. */
void tw_output_text(const struct tw_page *page, FILE *file);

/* Write the page to stdout, and free it. */
void tw_output_print(struct tw_page *page);

#endif
