/* SPDX-License-Identifier: MIT */
/*
 * tickwise memlat: measures the latency of memory and caches, and the cost of
 * address translations.
 */
#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "memory/command/output.h"
#include "command/output/page.h"

const char *tw_memlat_size(char *text, size_t bytes)
{
	static const char units[] = "BKMGT";
	double value = (double)bytes;
	unsigned unit = 0;

	while (value >= 1024 && unit < 4) {
		value /= 1024;
		unit++;
	}
	/* Three digits; zeros after the point are removed below. */
	snprintf(text, TW_FORMAT_SIZE, "%.*f%c",
		 value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[unit]);
	if (strchr(text, '.')) {
		size_t length = strlen(text) - 1;

		while (text[length - 1] == '0')
			length--;
		if (text[length - 1] == '.')
			length--;
		text[length] = units[unit];
		text[length + 1] = '\0';
	}
	return text;
}

const char *tw_memlat_end(char *text, const struct tw_level *level)
{
	char size[2][TW_FORMAT_SIZE];

	if (!level->size_bytes)
		return "-";
	snprintf(text, TW_MEMLAT_END, "%s - %s",
		 tw_memlat_size(size[0], level->size_bytes),
		 level->next_bytes ? tw_memlat_size(size[1],
						    level->next_bytes) : "");
	return text;
}

const char *tw_memlat_level_name(const struct tw_memlat *memlat, unsigned i)
{
	static const char *const names[TW_LEVELS] = {
		"L1", "L2", "L3", "L4", "L5", "L6", "L7", "L8",
	};

	/* The last level, which has no end in the curve and is past all caches
	 * of sysfs. */
	if (i + 1 == memlat->level_count && i && i >= memlat->cache_count)
		return "memory";
	return names[i];
}

const struct tw_cache *tw_memlat_level_cache(const struct tw_memlat *memlat,
					     unsigned i)
{
	return i < memlat->cache_count ? &memlat->caches[i] : NULL;
}

/* Return 1 if every size of every curve was too disturbed. */
static int found_nothing(const struct tw_memlat *memlat)
{
	for (unsigned i = 0; i < memlat->curve_count; i++)
		for (unsigned j = 0; j < memlat->curves[i].count; j++)
			if (memlat->curves[i].points[j].batches)
				return 0;
	return 1;
}

static int show(const struct tw_memlat *memlat,
		const struct tw_memlat_arguments *arguments)
{
	struct tw_table *points;
	struct tw_page *page = tw_memlat_page(memlat, &points);

	return tw_command_show(TW_MEMLAT, &arguments->wanted, page, points,
			       tw_memlat_json(memlat));
}

static int run(const struct tw_memlat_arguments *arguments)
{
	struct tw_memlat memlat;
	int code = tw_command_try_html(TW_MEMLAT, &arguments->wanted);

	if (code != TW_GO_ON)
		return code;
	tw_command_catch_interrupts();
	code = tw_memlat_measure(&memlat, arguments);
	if (code != TW_EXIT_GOOD)
		return code;
	if (memlat.was_interrupted && !memlat.curve_count)
		code = tw_command_interrupted(TW_MEMLAT, 0);
	else
		code = show(&memlat, arguments);
	if (code == TW_EXIT_GOOD && found_nothing(&memlat))
		code = tw_command_fail(TW_MEMLAT, TW_EXIT_UNDECIDED,
				       "every size was too disturbed");
	tw_memlat_free(&memlat);
	return code;
}

int tw_command_memlat(int argc, char **argv)
{
	struct tw_memlat_arguments arguments;
	int code = tw_memlat_parse(&arguments, argv);

	(void)argc;
	if (code != TW_GO_ON)
		return code;
	if (arguments.seed_table)
		code = tw_memlat_seed_table(&arguments);
	else
		code = run(&arguments);
	return tw_command_finish(TW_MEMLAT, code);
}
