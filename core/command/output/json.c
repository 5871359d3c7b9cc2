/* SPDX-License-Identifier: MIT */
/*
 * Writes a tree of JSON; see json.h.
 */
#include "command/output/json.h"

#include <errno.h>

#include "report/json_memory.h"

int tw_output_json(json_t *root, FILE *file, size_t flags)
{
	int failed;

	if (!root || tw_json_lacked_memory()) {
		json_decref(root);
		return -ENOMEM;
	}
	failed = json_dumpf(root, file, flags);
	json_decref(root);
	putc('\n', file);
	return failed && !ferror(file) ? -ENOMEM : 0;
}
