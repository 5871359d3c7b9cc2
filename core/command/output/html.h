/* SPDX-License-Identifier: MIT */
/*
 * A page (page.h) as one file of HTML that needs nothing else: no script, no other
 * file, no network; its policy forbids them all. It is well-formed XML, too.
 */
#ifndef TW_HTML_H
#define TW_HTML_H

#include <stdio.h>

struct tw_page;

/* 0; -ENOMEM, and nothing is written. Errors of writing are the file's. */
int tw_output_html(const struct tw_page *page, FILE *file);

#endif
