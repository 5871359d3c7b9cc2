/* SPDX-License-Identifier: MIT */
/*
 * Writes a page (page.h) as one file of HTML that needs no script, no other
 * file and no network; its policy forbids them all. The file is well-formed
 * XML, too.
 */
#ifndef TW_HTML_H
#define TW_HTML_H

#include <stdio.h>

struct tw_page;

/* Write the page. Check the file for write errors. */
void tw_output_html(const struct tw_page *page, FILE *file);

#endif
