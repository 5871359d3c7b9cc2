/* SPDX-License-Identifier: MIT */
/*
 * The command line of tickwise memlat.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/memlat/memlat.h"

#define LEAST_BYTES	4096
#define MOST_BYTES	((size_t)1 << 46)
#define DEFAULT_WINDOW	((size_t)2 << 20)
#define DEFAULT_STRIDE	64
#define DEFAULT_PASSES	4
#define BATCH_US	100
#define POINT_MS	60
#define WARM_MS		100

const char tw_memlat_usage[] =
"usage: tickwise memlat [options]\n"
"\n"
"How long does a load take, over the size of the memory it goes through? Levels\n"
"of the hierarchy are found in the data and compared with what sysfs says; what\n"
"misses of address translations cost is told apart from what caches cost.\n"
"\n"
"  --min=SIZE, --max=SIZE  of memory: 4K and more (4K, and a few times the last\n"
"                          cache, at most 1G and a half of what is available)\n"
"  --steps=N               sizes for every doubling, 1 to 16 (4)\n"
"  --curves=LIST           sequential, random, window, page (all)\n"
"  --pages=LIST            small, transparent, reserved: all curves on each of\n"
"                          them (all on small, only random on transparent)\n"
"  --window=SIZE           of the window curve: within it, order is random (2M)\n"
"  --stride=BYTES          from one element to the next (64)\n"
"  --passes=N              rounds in which a window's elements are visited (4)\n"
"  --cpu=N                 run there (where it happens to run)\n"
"  --node=N                take memory from that NUMA node (the nearest)\n"
"  --seed=N                of the random orders (1)\n"
"  --point=MS              measure each size for so long, 1 to 60000 (60)\n"
"  --batch=US              loads timed together take so long, 10 to 10000000\n"
"                          (100)\n"
"  --json, --csv           print that instead of a page\n"
"  --html=FILE             write a page with plots, too\n"
"  --seed-table            show instead what goes wrong when one measures the\n"
"                          latency of caches, mistake by mistake\n"
"  --help                  print this\n"
"\n"
"SIZE: bytes, or with K, M, G.\n"
"Exit code: 0 measured, 2 too disturbed or interrupted, 64 wrong usage, 70 could\n"
"not run, 74 the output could not be written.\n";

/* 0 with the number; else it is none, or out of range. */
static int parse_size(const char *text, size_t least, size_t most,
		      size_t *bytes)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	double number = strtod(text, &end);

	if (end == text || !(number > 0))
		return -EINVAL;
	if (*end) {
		unit = strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end);
		if (!unit || end[1])
			return -EINVAL;
		number *= exp2(10.0 * (double)(unit - units + 1));
	}
	if (number != floor(number) || number < (double)least ||
	    number > (double)most)
		return -EINVAL;
	*bytes = (size_t)number;
	return 0;
}

static int take_size(const char *option, const char *text, size_t least,
		     size_t *bytes)
{
	if (!parse_size(text, least, MOST_BYTES, bytes))
		return TW_EXIT_GOOD;
	return tw_command_fail(TW_MEMLAT, TW_EXIT_USAGE, "--%s takes a size of "
			       "at least %zu bytes, like 16K, 1M, not '%s'",
			       option, least, text);
}

static int parse_number(const char *text, double least, double most,
			double *number)
{
	char *end;

	*number = strtod(text, &end);
	return end == text || *end || !(*number >= least && *number <= most);
}

static int take_number(const char *option, const char *text, double least,
		       double most, double *number)
{
	if (!parse_number(text, least, most, number))
		return TW_EXIT_GOOD;
	return tw_command_fail(TW_MEMLAT, TW_EXIT_USAGE, "--%s takes %.0f to "
			       "%.0f, not '%s'", option, least, most, text);
}

static int take_whole(const char *option, const char *text, double least,
		      double most, double *number)
{
	if (!parse_number(text, least, most, number) &&
	    *number == floor(*number))
		return TW_EXIT_GOOD;
	return tw_command_fail(TW_MEMLAT, TW_EXIT_USAGE, "--%s takes a whole "
			       "number, %.0f to %.0f, not '%s'", option, least,
			       most, text);
}

/* A comma-separated list of names. */
static int take_names(const char *option, const char *text,
		      const char *const *names, int count, int *wanted)
{
	size_t length;
	int i;

	memset(wanted, 0, (size_t)count * sizeof(*wanted));
	for (;; text += length + 1) {
		length = strcspn(text, ",");
		for (i = 0; i < count; i++)
			if (strlen(names[i]) == length &&
			    strncmp(names[i], text, length) == 0)
				break;
		if (i == count)
			return tw_command_fail(TW_MEMLAT, TW_EXIT_USAGE,
				"--%s knows no '%.*s' (see --help)", option,
				(int)length, text);
		wanted[i] = 1;
		if (!text[length])
			return TW_EXIT_GOOD;
	}
}

static int take_time(const char *option, const char *text, double least,
		     double most, double unit_ns, uint64_t *ns)
{
	double number;
	int code = take_number(option, text, least, most, &number);

	if (code == TW_EXIT_GOOD)
		*ns = (uint64_t)llround(number * unit_ns);
	return code;
}

static int parse_option(void *context, int option)
{
	struct tw_memlat_arguments *arguments = context;
	double number;
	int code;

	switch (option) {
	case 'm':
		return take_size("min", optarg, LEAST_BYTES,
				 &arguments->min_bytes);
	case 'M':
		return take_size("max", optarg, LEAST_BYTES,
				 &arguments->max_bytes);
	case 'w':
		return take_size("window", optarg, LEAST_BYTES,
				 &arguments->window_bytes);
	case 't':
		return take_size("stride", optarg, sizeof(void *),
				 &arguments->stride_bytes);
	case 'C':
		return take_names("curves", optarg, tw_cycle_names,
				  TW_CYCLE_KINDS, arguments->kinds);
	case 'P':
		arguments->chose_pages = 1;
		return take_names("pages", optarg, tw_pages_names,
				  TW_PAGES_KINDS, arguments->pages);
	case 'e':
		return take_time("point", optarg, 1, 60000, 1e6,
				 &arguments->effort.point_ns);
	case 'b':
		return take_time("batch", optarg, 10, 1e7, 1e3,
				 &arguments->effort.batch_ns);
	case 's':
		code = take_whole("steps", optarg, 1, 16, &number);
		arguments->per_octave = (unsigned)number;
		return code;
	case 'p':
		code = take_whole("passes", optarg, 1, 64, &number);
		arguments->passes = (unsigned)number;
		return code;
	case 'c':
		code = take_whole("cpu", optarg, 0, 65535, &number);
		arguments->cpu = (int)number;
		return code;
	case 'n':
		code = take_whole("node", optarg, 0, 1023, &number);
		arguments->node = (int)number;
		return code;
	case 'S':
		code = take_whole("seed", optarg, 0, 9007199254740992.0,
				  &number);
		arguments->seed = (uint64_t)number;
		return code;
	case 'j':
		arguments->output = TW_MEMLAT_JSON;
		return TW_EXIT_GOOD;
	case 'v':
		arguments->output = TW_MEMLAT_CSV;
		return TW_EXIT_GOOD;
	case 'H':
		arguments->html = optarg;
		return TW_EXIT_GOOD;
	case 'T':
		arguments->seed_table = 1;
		return TW_EXIT_GOOD;
	case 'h':
		arguments->help = 1;
		return TW_EXIT_GOOD;
	}
	return TW_EXIT_GOOD;
}

static int check_together(const struct tw_memlat_arguments *arguments)
{
	if (arguments->min_bytes && arguments->max_bytes &&
	    arguments->min_bytes > arguments->max_bytes)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_USAGE,
				       "--min is more than --max");
	if (arguments->stride_bytes % sizeof(void *))
		return tw_command_fail(TW_MEMLAT, TW_EXIT_USAGE, "--stride "
			"takes a multiple of %zu bytes: an element holds an "
			"address", sizeof(void *));
	if (arguments->window_bytes % arguments->stride_bytes)
		return tw_command_fail(TW_MEMLAT, TW_EXIT_USAGE, "--window "
			"takes a multiple of the stride, %zu bytes",
			arguments->stride_bytes);
	return TW_EXIT_GOOD;
}

int tw_memlat_parse(struct tw_memlat_arguments *arguments, int argc,
		    char **argv)
{
	static const struct option known[] = {
		{ "min", required_argument, NULL, 'm' },
		{ "max", required_argument, NULL, 'M' },
		{ "steps", required_argument, NULL, 's' },
		{ "curves", required_argument, NULL, 'C' },
		{ "pages", required_argument, NULL, 'P' },
		{ "window", required_argument, NULL, 'w' },
		{ "stride", required_argument, NULL, 't' },
		{ "passes", required_argument, NULL, 'p' },
		{ "cpu", required_argument, NULL, 'c' },
		{ "node", required_argument, NULL, 'n' },
		{ "seed", required_argument, NULL, 'S' },
		{ "point", required_argument, NULL, 'e' },
		{ "batch", required_argument, NULL, 'b' },
		{ "json", no_argument, NULL, 'j' },
		{ "csv", no_argument, NULL, 'v' },
		{ "html", required_argument, NULL, 'H' },
		{ "seed-table", no_argument, NULL, 'T' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int code;

	*arguments = (struct tw_memlat_arguments) {
		.per_octave = 4, .kinds = { 1, 1, 1, 1 }, .pages = { 1, 1, 0 },
		.cpu = -1, .node = TW_ANY_NODE,
		.window_bytes = DEFAULT_WINDOW, .stride_bytes = DEFAULT_STRIDE,
		.passes = DEFAULT_PASSES, .seed = 1,
		.effort = { BATCH_US * 1000, POINT_MS * 1000000,
			    WARM_MS * 1000000 },
	};
	code = tw_command_options_old(TW_MEMLAT, argc, argv, known, parse_option,
				  arguments);
	return code == TW_EXIT_GOOD ? check_together(arguments) : code;
}
