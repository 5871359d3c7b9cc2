/* SPDX-License-Identifier: MIT */
/*
 * Text of any origin in a page of HTML or a drawing.
 */
#ifndef TW_HTML_TEXT_H
#define TW_HTML_TEXT_H

#include <stdio.h>

/* The characters of HTML as what they stand for, what can't be shown as question
 * marks (plain_text.h). */
void tw_html_text(FILE *file, const char *text);

/* The same up to @end. */
void tw_html_text_part(FILE *file, const char *text, const char *end);

#endif
