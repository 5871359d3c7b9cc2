/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile --folded`: prints a line for each path of calls, as flame
 * graph programs read it. The line has the functions, separated by semicolons,
 * and the self time of the last one in nanoseconds.
 */
#include <stdlib.h>

#include "base/allocate.h"
#include "profile/command/profile.h"

/* Print a name. A semicolon becomes a colon, since it would separate two
 * names. */
static void print_name(const char *name)
{
	for (; *name; name++)
		putchar(*name == ';' ? ':' : *name);
}

void tw_profile_print_folded(const struct profile_file *file,
			     const struct profile_result *result)
{
	uint32_t *path = tw_zalloc(file->node_count, sizeof(*path));

	for (size_t i = 1; i < file->node_count; i++) {
		double ns = profile_ns(file, result->times[i].self.ticks);
		size_t length = 0;

		/* Negative times and zero are not drawn. */
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
}
