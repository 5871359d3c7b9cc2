/* SPDX-License-Identifier: MIT */
/*
 * tickwise memlat: measures the latency of memory and caches, and the cost of address
 * translations. Its command line.
 */
#include "command/command.h"
#include "command/output/page.h"
#include "memory/command/memlat.h"

#define WARM_MS		100
#define MIN_BYTES	4096

#define AT(member)	TW_OPTION_AT(struct tw_memlat_arguments, member)

static const struct tw_option table[] = {
	{ .name = "min", .kind = TW_OPTION_SIZE, .value = "SIZE", .min = MIN_BYTES,
	  .otherwise = "4K",
	  .help = "Begin with this size of memory", AT(min_bytes) },
	{ .name = "max", .kind = TW_OPTION_SIZE, .value = "SIZE", .min = MIN_BYTES,
	  .otherwise = "a few times the last cache",
	  .help = "End with this size of memory",
	  .more = "The default is four times the last cache that sysfs names, 64M to 1G, "
		  "but at most half of what is available to the machine, its control groups "
		  "and RLIMIT_AS.", AT(max_bytes) },
	{ .name = "steps", .kind = TW_OPTION_WHOLE, .value = "N", .min = 1, .max = 16,
	  .preset = "4",
	  .help = "Measure N sizes for every doubling",
	  .more = "The sizes of caches are among them, too.", AT(per_octave) },
	{ .name = "curves", .kind = TW_OPTION_WORDS, .value = "LIST",
	  .words = tw_cycle_names, .otherwise = "all",
	  .help = "Measure these orders of visiting", AT(kinds) },
	{ .name = "pages", .kind = TW_OPTION_WORDS, .value = "LIST",
	  .words = tw_pages_names,
	  .otherwise = "all curves on small, random on transparent",
	  .help = "Measure all curves on these pages", AT(pages) },
	{ .name = "window", .kind = TW_OPTION_SIZE, .value = "SIZE", .min = MIN_BYTES,
	  .preset = "2M",
	  .help = "Visit memory in random order within windows of this size, in the "
		  "window curve", AT(window_bytes) },
	{ .name = "stride", .kind = TW_OPTION_SIZE, .value = "BYTES",
	  .min = sizeof(void *), .preset = "64",
	  .help = "Place elements at this distance, a multiple of 8",
	  AT(stride_bytes) },
	{ .name = "passes", .kind = TW_OPTION_WHOLE, .value = "N", .min = 1, .max = 64,
	  .preset = "4",
	  .help = "Visit the elements of a window in N rounds",
	  .more = "A window of one page and as many passes as it has elements is the "
		  "order of lmbench's `lat_mem_rd -t`.", AT(passes) },
	{ .name = "cpu", .kind = TW_OPTION_WHOLE, .value = "N", .max = 65535,
	  .otherwise = "where it happens to run",
	  .help = "Run on CPU N", AT(cpu) },
	{ .name = "node", .kind = TW_OPTION_WHOLE, .value = "N", .max = 1023,
	  .otherwise = "the nearest",
	  .help = "Take memory from NUMA node N", AT(node) },
	{ .name = "seed", .kind = TW_OPTION_WHOLE, .value = "N", .max = 0x1p53,
	  .preset = "1",
	  .help = "Make the random orders from this number", AT(seed) },
	{ .name = "point", .kind = TW_OPTION_TIME, .value = "MS", .min = 1, .max = 60000,
	  .preset = "60",
	  .help = "Measure each size for this time", AT(effort.point_ns) },
	{ .name = "batch", .kind = TW_OPTION_TIME, .value = "US", .min = 10, .max = 1e7,
	  .preset = "100",
	  .help = "Time loads together that take this time",
	  .more = "Long batches are disturbed more often.", AT(effort.batch_ns) },
	TW_OPTION_JSON(struct tw_memlat_arguments, wanted),
	TW_OPTION_CSV(struct tw_memlat_arguments, wanted, "size"),
	TW_OPTION_HTML(struct tw_memlat_arguments, wanted),
	{ .name = "seed-table",
	  .help = "Show what goes wrong when one measures the latency of caches, mistake "
		  "by mistake",
	  .more = "Seven stages of an article, each mistake made by its real cause: "
		  "elements that share a line, prefetchers, a pointer on the stack, a "
		  "loop that the compiler leaves out. The article's own figures of "
		  "another processor are shown in the next column.", AT(seed_table) },
	{ .name = NULL },
};

const struct tw_options tw_memlat_options = {
	.command = TW_MEMLAT,
	.about =
	"Measure how long a load takes, over the size of the memory it goes through. "
	"Levels of the hierarchy are found in the data and compared with what sysfs "
	"says. What misses of address translations cost a random load is told apart from "
	"caches and from the place of the pages.",
	.codes =
	"Exit codes: 0 measured, 2 too disturbed or interrupted, 64 wrong command line, "
	"70 could not run, 74 the output could not be written.",
	.table = table,
	.common = TW_HAS_OUTPUT | TW_HAS_QUIET | TW_HAS_VERBOSE,
};

static int run(const struct tw_memlat_arguments *arguments)
{
	struct tw_memlat memlat;
	struct tw_table *points;
	struct tw_page *page;
	int code, found = 0;

	tw_command_catch_interrupts();
	code = tw_memlat_measure(&memlat, arguments);
	if (code != TW_EXIT_GOOD)
		return code;
	if (memlat.was_interrupted && !memlat.curve_count) {
		code = tw_command_interrupted(TW_MEMLAT, 0);
	} else {
		page = tw_memlat_page(&memlat, &points);
		code = tw_command_show(TW_MEMLAT, &arguments->wanted, page, points,
				       tw_memlat_json(&memlat));
	}
	for (unsigned i = 0; i < memlat.curve_count; i++)
		for (unsigned j = 0; j < memlat.curves[i].count; j++)
			found |= memlat.curves[i].points[j].batches != 0;
	if (code == TW_EXIT_GOOD && !found)
		code = tw_command_fail(TW_MEMLAT, TW_EXIT_UNDECIDED,
				       "every size was too disturbed");
	tw_memlat_free(&memlat);
	return code;
}

int tw_command_memlat(char **argv)
{
	struct tw_memlat_arguments arguments = {
		.kinds = { 1, 1, 1, 1 }, .cpu = -1, .node = TW_ANY_NODE,
		.effort.warm_ns = WARM_MS * 1000000,
	};
	int code = tw_command_options(&tw_memlat_options, &arguments, argv, NULL);

	for (int i = 0; i < TW_PAGES_KINDS; i++)
		arguments.chose_pages |= arguments.pages[i];
	if (!arguments.chose_pages)
		arguments.pages[TW_PAGES_SMALL] = arguments.pages[TW_PAGES_TRANSPARENT] = 1;
	if (code != TW_GO_ON)
		return code;
	if (arguments.min_bytes && arguments.max_bytes && arguments.min_bytes > arguments.max_bytes)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_USAGE, "--min is more than --max");
	if (arguments.seed_table && arguments.wanted.form == TW_FORM_JSON)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_USAGE, "--seed-table is a table, "
				       "which has --csv and no --json");
	if (arguments.stride_bytes % sizeof(void *))
		return tw_command_fail(TW_MEMLAT, TW_EXIT_USAGE, "--stride takes a multiple of "
				       "%zu bytes: an element holds an address", sizeof(void *));
	if (arguments.window_bytes % arguments.stride_bytes)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_USAGE, "--window takes a multiple of "
				       "the stride, %zu bytes", arguments.stride_bytes);
	return arguments.seed_table ? tw_memlat_seed_table(&arguments) : run(&arguments);
}
