/* SPDX-License-Identifier: MIT */
/*
 * What the parts of `tickwise memlat` share: how memory is visited, the progress, and a size
 * as text.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "memory/command/memlat.h"

struct tw_cycle_shape tw_memlat_shape(const struct tw_memlat *memlat, enum tw_cycle_kind kind)
{
	const struct tw_memlat_arguments *arguments = memlat->arguments;
	size_t line = memlat->cache_count && memlat->caches[0].line_bytes ?
		      memlat->caches[0].line_bytes : 64;

	return (struct tw_cycle_shape) {
		.kind = kind,
		.stride_bytes = kind == TW_CYCLE_PAGE ? line : arguments->stride_bytes,
		.page_bytes = (size_t)sysconf(_SC_PAGESIZE),
		.window_bytes = arguments->window_bytes,
		.passes = arguments->passes,
		.line_bytes = line,
		.seed = arguments->seed,
	};
}

int tw_memlat_show_progress(struct tw_memlat *memlat, double done, const char *what)
{
	tw_progress_show(&memlat->progress, done, "%s", what);
	return tw_command_is_interrupted();
}

const char *tw_memlat_size(char *text, size_t bytes)
{
	static const char units[] = "BKMGT";
	double value = (double)bytes;
	unsigned unit = 0;
	size_t length;

	for (; value >= 1024 && unit < 4; unit++)
		value /= 1024;
	/* Three digits, without zeros at the end of a fraction. */
	snprintf(text, TW_FORMAT_SIZE, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
	length = strlen(text);
	if (strchr(text, '.')) {
		while (text[length - 1] == '0')
			length--;
		length -= text[length - 1] == '.';
	}
	text[length] = units[unit];
	text[length + 1] = '\0';
	return text;
}
