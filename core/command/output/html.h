/* SPDX-License-Identifier: MIT */
/*
 * The beginning and the end of a page that is one file of HTML: no script, no
 * other file, no network; its policy forbids them all.
 */
#ifndef TW_HTML_H
#define TW_HTML_H

#include <stdio.h>

/* @title in plain letters: it is not escaped. */
void tw_html_begin(FILE *file, const char *title, const char *heading);
void tw_html_end(FILE *file);

/* The characters of HTML as what they stand for, what can't be shown as question
 * marks (plain_text.h). */
void tw_html_text(FILE *file, const char *text);

#endif
