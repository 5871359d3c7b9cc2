/* SPDX-License-Identifier: MIT */
/*
 * Writes a table of a page (table.h) as CSV, by RFC 4180, but with a newline
 * alone at the end of a line.
 */
#ifndef TW_OUTPUT_CSV_H
#define TW_OUTPUT_CSV_H

#include <stdio.h>

struct tw_table;

void tw_output_csv(const struct tw_table *table, FILE *file);

#endif
