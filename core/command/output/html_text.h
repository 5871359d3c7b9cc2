/* SPDX-License-Identifier: MIT */
/*
 * Writes text of any origin in a page of HTML or a drawing.
 */
#ifndef TW_HTML_TEXT_H
#define TW_HTML_TEXT_H

#include <stdio.h>

/* Escape the characters of HTML, and write '?' for what can't be shown
 * (plain_text.h). */
void tw_html_text(FILE *file, const char *text);

/* Do the same up to @end. */
void tw_html_text_part(FILE *file, const char *text, const char *end);

#endif
