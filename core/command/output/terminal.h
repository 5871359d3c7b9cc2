/* SPDX-License-Identifier: MIT */
/*
 * Is a stream a terminal, and what can be done there?
 */
#ifndef TW_OUTPUT_TERMINAL_H
#define TW_OUTPUT_TERMINAL_H

#include <stdio.h>

/* How wide it is; 0: it is no terminal, or its width is not known. */
int tw_terminal_columns(FILE *file);

/* May what is written there have colours? Not with NO_COLOR, nor where TERM is dumb. */
int tw_terminal_has_colours(FILE *file);

/* As ECMA-48 has them. */
#define TW_RED		"\033[31m"
#define TW_GREEN	"\033[32m"
#define TW_YELLOW	"\033[33m"
#define TW_NO_COLOUR	"\033[0m"

#endif
