/* SPDX-License-Identifier: MIT */
/*
 * Writes a tree of JSON to a stream. Subcommands make the tree with jansson.
 */
#ifndef TW_OUTPUT_JSON_H
#define TW_OUTPUT_JSON_H

#include <jansson.h>
#include <stdio.h>

/* Write and release @root, and end the line. @flags are jansson's:
 * JSON_INDENT(2). Check the file for write errors. */
void tw_output_json(json_t *root, FILE *file, size_t flags);

#endif
