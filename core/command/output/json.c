/* SPDX-License-Identifier: MIT */
/*
 * Writes a tree of JSON.
 */
#include "command/output/page.h"

#include "base/allocate.h"

void tw_output_json(json_t *root, FILE *file, size_t flags)
{
	if (json_dumpf(root, file, flags) && !ferror(file))
		tw_no_memory();
	json_decref(root);
	putc('\n', file);
}
