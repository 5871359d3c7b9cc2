/* SPDX-License-Identifier: MIT */
/*
 * What the files of tickwise memlat share: the place where it runs, names, progress.
 */
#include "memory/command/memlat.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/output/page.h"
#include "machine/cpus.h"

#define CALIBRATION_NS	20000000
#define LONGEST_CALIBRATION_NS	640000000

int tw_memlat_take_place(unsigned *cpu, const struct tw_memlat_arguments *arguments)
{
	int wanted = arguments->cpu >= 0 ? arguments->cpu : sched_getcpu();
	int ret = wanted < 0 ? -errno : tw_pin_to_cpu((unsigned)wanted);
	struct tw_cpu_list nodes;

	if (ret)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "can't run on CPU %d: %s",
				       wanted, ret == -EINVAL ? "it is not there, or not allowed" :
				       strerror(-ret));
	*cpu = (unsigned)wanted;
	tw_memory_nodes(&nodes, TW_MEMORY_NODES_FILE);
	if (arguments->node != TW_ANY_NODE &&
	    !tw_cpu_list_has(&nodes, (unsigned)arguments->node))
		return tw_command_fail(TW_MEMLAT, TW_EXIT_SOFTWARE, "there is no memory on a "
				       "NUMA node %d", arguments->node);
	return TW_EXIT_GOOD;
}

int tw_memlat_calibrate(struct tw_rate *rate)
{
	const struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = CALIBRATION_NS,
		.longest_ns = LONGEST_CALIBRATION_NS,
	};

	*rate = TW_SIZED(struct tw_rate);
	return tw_rate_measure(rate, &options);
}

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

const char *tw_memlat_level_name(const struct tw_memlat *memlat, unsigned i)
{
	static const char *const names[TW_LEVELS] = {
		"L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8",
	};

	/* The last level, which has no end in the curve and is past all caches of sysfs. */
	if (i + 1 == memlat->level_count && i && i >= memlat->cache_count)
		return "memory";
	return names[i];
}

const struct tw_cache *tw_memlat_level_cache(const struct tw_memlat *memlat, unsigned i)
{
	return i < memlat->cache_count ? &memlat->caches[i] : NULL;
}

void tw_memlat_cell(struct tw_table *table, double value, int decimals, int is_known)
{
	if (is_known)
		tw_cell_fixed(table, value, decimals);
	else
		tw_cell_none(table);
}
