/* SPDX-License-Identifier: MIT */
/*
 * A table of a page (table.h) as CSV: RFC 4180, with lines that end as Unix's do.
 */
#ifndef TW_OUTPUT_CSV_H
#define TW_OUTPUT_CSV_H

#include <stdio.h>

struct tw_table;

/* 0; -ENOMEM, and nothing is written. */
int tw_output_csv(const struct tw_table *table, FILE *file);

#endif
