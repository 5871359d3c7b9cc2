/* SPDX-License-Identifier: MIT */
/*
 * Finds out whether a stream is a terminal, and what the terminal can do.
 */
#ifndef TW_OUTPUT_TERMINAL_H
#define TW_OUTPUT_TERMINAL_H

#include <stdio.h>

/* Return the number of columns; 0: this is no terminal, or its width is not
 * known. */
int tw_terminal_columns(FILE *file);

/* Can the output have colours? NO_COLOR and a TERM of "dumb" forbid them. */
int tw_terminal_has_colours(FILE *file);

/* Codes of ECMA-48. */
#define TW_RED		"\033[31m"
#define TW_GREEN	"\033[32m"
#define TW_YELLOW	"\033[33m"
#define TW_NO_COLOUR	"\033[0m"

#endif
