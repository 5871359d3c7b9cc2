/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile --folded`: a line for each path of calls, functions with
 * semicolons between them and the nanoseconds of the last one's self, as flame
 * graph programs read it.
 */
#include <errno.h>
#include <stdlib.h>

#include "command/profile/profile.h"

/* A semicolon in a name would make two of it. */
static void print_name(const char *name)
{
	for (; *name; name++)
		putchar(*name == ';' ? ':' : *name);
}

int tw_profile_print_folded(const struct profile_file *file,
			    const struct profile_result *result)
{
	uint32_t *path = calloc(file->node_count + 1, sizeof(*path));

	if (!path)
		return -ENOMEM;
	for (size_t i = 1; i < file->node_count; i++) {
		double ns = profile_ns(file, result->times[i].self.ticks);
		size_t length = 0;

		/* Below nothing there is nothing to draw. */
		if (ns < 0.5)
			continue;
		for (uint32_t at = (uint32_t)i; at; at = file->nodes[at].parent)
			path[length++] = at;
		while (length--) {
			print_name(result->functions[file->nodes[
				   path[length]].function].name);
			putchar(length ? ';' : ' ');
		}
		printf("%.0f\n", ns);
	}
	free(path);
	return 0;
}
