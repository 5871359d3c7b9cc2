/* SPDX-License-Identifier: MIT */
/*
 * A command line becomes what its table describes: every kind of value, its limits,
 * its default, shortened names, values in the next argument, and what is left.
 * Fails if a value outside of the limits passes, if a good one is refused, or if an
 * error does not name the option.
 */
#include <stdint.h>
#include <math.h>
#include <string.h>

#include "command/options.h"
#include "tap.h"

#define MAX_ARGUMENTS	12

struct values {
	int verbose;
	int format;
	int method;
	int load;
	int curves[3];
	unsigned count;
	int cpu;
	uint64_t seed;
	uint64_t wait_ns;
	uint64_t watch_ns;
	size_t bytes;
	double part_percent;
	const char *file;
	struct tw_option_texts names;
};

static const struct tw_option table[] = {
	{ .name = "verbose", .help = "v", TW_OPTION_AT(struct values, verbose) },
	{ .name = "json", .sets = 7, .help = "j", TW_OPTION_AT(struct values, format) },
	{ .name = "method", .kind = TW_OPTION_WORD, .sets = 10,
	  .words = TW_OPTION_WORD_LIST("cas", "switch", "none"), .preset = "switch",
	  .help = "m", TW_OPTION_AT(struct values, method) },
	{ .name = "load", .kind = TW_OPTION_WORD, .sets = 20,
	  .words = TW_OPTION_WORD_LIST("idle", "busy", "both"),
	  .help = "l", TW_OPTION_AT(struct values, load) },
	{ .name = "curves", .kind = TW_OPTION_WORDS, .value = "LIST",
	  .words = TW_OPTION_WORD_LIST("a", "b", "ab"), .preset = "a,ab",
	  .help = "c", TW_OPTION_AT(struct values, curves) },
	{ .name = "count", .kind = TW_OPTION_WHOLE, .value = "N", .min = 1,
	  .max = 16, .preset = "4", .help = "c",
	  TW_OPTION_AT(struct values, count) },
	{ .name = "cpu", .kind = TW_OPTION_WHOLE, .value = "N", .max = 65535,
	  .help = "c", TW_OPTION_AT(struct values, cpu) },
	{ .name = "seed", .kind = TW_OPTION_WHOLE, .value = "N", .max = 0x1p53,
	  .help = "s", TW_OPTION_AT(struct values, seed) },
	{ .name = "wait", .kind = TW_OPTION_TIME, .value = "MS", .min = 0.5,
	  .max = 3600000, .help = "w", TW_OPTION_AT(struct values, wait_ns) },
	{ .name = "watch", .kind = TW_OPTION_TIME, .value = "SECONDS", .bare = "2",
	  .min = 1, .max = 9, .help = "w", TW_OPTION_AT(struct values, watch_ns) },
	{ .name = "bytes", .kind = TW_OPTION_SIZE, .value = "SIZE", .min = 4096,
	  .help = "b", TW_OPTION_AT(struct values, bytes) },
	{ .name = "part", .kind = TW_OPTION_PERCENT, .value = "PERCENT", .min = 0.5,
	  .max = 100, .help = "p", TW_OPTION_AT(struct values, part_percent) },
	{ .name = "output", .letter = 'o', .kind = TW_OPTION_FILE, .value = "FILE",
	  .help = "o", TW_OPTION_AT(struct values, file) },
	{ .name = "name", .kind = TW_OPTION_TEXTS, .value = "NAME", .help = "n",
	  TW_OPTION_AT(struct values, names) },
	{ .name = NULL },
};

static struct tw_options options = {
	.command = "test", .arguments = "FILE...", .table = table,
};

static struct values values;
static struct tw_arguments arguments;
static char problem[TW_OPTIONS_PROBLEM];

/* Read arguments with a blank between them. */
static int read_line(const char *line)
{
	static char text[1024];
	static char *argv[MAX_ARGUMENTS + 2];
	static const char *names[MAX_ARGUMENTS];
	static char command[] = "test";
	int count = 1;

	snprintf(text, sizeof(text), "%s", line);
	argv[0] = command;
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[count++] = word;
	argv[count] = NULL;
	values = (struct values) { .cpu = -1, .names.list = names };
	problem[0] = '\0';
	return tw_options_read(&options, &values, argv, &arguments, problem);
}

/* Check @condition after the line was read. */
#define GOOD(line, condition) do { \
	int code_ = read_line(line); \
	if (!tap_ok(code_ == 0 && (condition), "%s", line)) \
		tap_note("%d %s", code_, problem); \
} while (0)

static void refuses(const char *line, const char *should)
{
	int code = read_line(line);

	if (!tap_ok(code == -22 && !strcmp(problem, should), "refuses %s", line))
		tap_note("%d: %s", code, problem);
}

static void presets(void)
{
	GOOD("", values.method == 11 && values.count == 4 && values.curves[0] &&
	     !values.curves[1] && values.curves[2] && values.cpu == -1 &&
	     !values.file && !values.verbose && arguments.count == 0);
}

static void numbers(void)
{
	GOOD("--count=1", values.count == 1);
	GOOD("--count=16", values.count == 16);
	GOOD("--cpu=0 --cpu=65535", values.cpu == 65535);
	GOOD("--seed=9007199254740992", values.seed == 9007199254740992);
	refuses("--count=0", "--count takes a whole number, 1 to 16, not '0'");
	refuses("--count=17", "--count takes a whole number, 1 to 16, not '17'");
	refuses("--count=2.5", "--count takes a whole number, 1 to 16, not '2.5'");
	refuses("--count=", "--count takes a whole number, 1 to 16, not ''");
	refuses("--cpu=-1", "--cpu takes a whole number, 0 to 65535, not '-1'");
	refuses("--cpu=+1", "--cpu takes a whole number, 0 to 65535, not '+1'");
	refuses("--seed=9007199254740993", "--seed takes a whole number, 0 to "
		"9007199254740992, not '9007199254740993'");
	refuses("--seed=18446744073709551616", "--seed takes a whole number, 0 to "
		"9007199254740992, not '18446744073709551616'");
	refuses("--count=0x3", "--count takes a whole number, 1 to 16, not '0x3'");
	refuses("--count=1e1", "--count takes a whole number, 1 to 16, not '1e1'");
	refuses("--count=3.", "--count takes a whole number, 1 to 16, not '3.'");
	refuses("--cpu=1s", "--cpu takes a whole number, 0 to 65535, not '1s'");
	refuses("--cpu=.", "--cpu takes a whole number, 0 to 65535, not '.'");
	refuses("--cpu=nan", "--cpu takes a whole number, 0 to 65535, not 'nan'");
}

static void percentages(void)
{
	GOOD("--part=0.5", fabs(values.part_percent - 0.5) < 1e-12);
	GOOD("--part=2.5%", fabs(values.part_percent - 2.5) < 1e-12);
	GOOD("--part=100%", fabs(values.part_percent - 100) < 1e-12);
	refuses("--part=0.4%",
		"--part takes a percentage, 0.5 to 100, not '0.4%'");
	refuses("--part=101", "--part takes a percentage, 0.5 to 100, not '101'");
	refuses("--part=5%%", "--part takes a percentage, 0.5 to 100, not '5%%'");
	refuses("--part=%", "--part takes a percentage, 0.5 to 100, not '%'");
}

static void times(void)
{
	GOOD("--wait=3", values.wait_ns == 3000000);
	GOOD("--wait=.5", values.wait_ns == 500000);
	GOOD("--wait=600000ns", values.wait_ns == 600000);
	GOOD("--wait=1500us", values.wait_ns == 1500000);
	GOOD("--wait=2ms", values.wait_ns == 2000000);
	GOOD("--wait=1.5s", values.wait_ns == 1500000000);
	GOOD("--wait=2min", values.wait_ns == 120000000000);
	GOOD("--wait=1h", values.wait_ns == 3600000000000);
	GOOD("--wait=1min30s", values.wait_ns == 90000000000);
	GOOD("--wait=1.5min500ms250us", values.wait_ns == 90500250000);
	GOOD("--wait=1s20", values.wait_ns == 1020000000);
	GOOD("--watch", values.watch_ns == 2000000000);
	GOOD("--watch=9", values.watch_ns == 9000000000);
	GOOD("--watch=1500ms", values.watch_ns == 1500000000);
	GOOD("--watch 5", values.watch_ns == 2000000000 && arguments.count == 1);
	refuses("--wait=0.4",
		"--wait takes milliseconds, 0.5 to 3600000, not '0.4'");
	refuses("--wait=499us",
		"--wait takes milliseconds, 0.5 to 3600000, not '499us'");
	refuses("--wait=1min30x",
		"--wait takes milliseconds, 0.5 to 3600000, not '1min30x'");
	refuses("--wait=1..5s",
		"--wait takes milliseconds, 0.5 to 3600000, not '1..5s'");
	refuses("--wait=s", "--wait takes milliseconds, 0.5 to 3600000, not 's'");
	refuses("--wait=1sm", "--wait takes milliseconds, 0.5 to 3600000, not '1sm'");
	refuses("--wait=61min",
		"--wait takes milliseconds, 0.5 to 3600000, not '61min'");
	refuses("--wait=3m", "--wait takes milliseconds, 0.5 to 3600000, not '3m'");
	refuses("--wait=0x10",
		"--wait takes milliseconds, 0.5 to 3600000, not '0x10'");
	refuses("--wait=1e1", "--wait takes milliseconds, 0.5 to 3600000, not '1e1'");
	refuses("--wait=1.5.5",
		"--wait takes milliseconds, 0.5 to 3600000, not '1.5.5'");
	refuses("--wait=.", "--wait takes milliseconds, 0.5 to 3600000, not '.'");
	refuses("--watch=0", "--watch takes seconds, 1 to 9, not '0'");
	refuses("--watch=", "--watch takes seconds, 1 to 9, not ''");
}

static void sizes(void)
{
	GOOD("--bytes=4096", values.bytes == 4096);
	GOOD("--bytes=4k", values.bytes == 4096);
	GOOD("--bytes=1.5M", values.bytes == 3 << 19);
	GOOD("--bytes=1G", values.bytes == 1 << 30);
	GOOD("--bytes=64T", values.bytes == (size_t)1 << 46);
	refuses("--bytes=4095", "--bytes takes a size of at least 4096 bytes, "
		"like 16K, 1M, not '4095'");
	refuses("--bytes=65T", "--bytes takes a size of at least 4096 bytes, "
		"like 16K, 1M, not '65T'");
	refuses("--bytes=4.0001K", "--bytes takes a size of at least 4096 bytes, "
		"like 16K, 1M, not '4.0001K'");
	refuses("--bytes=1X", "--bytes takes a size of at least 4096 bytes, "
		"like 16K, 1M, not '1X'");
}

static void words(void)
{
	GOOD("--method=cas", values.method == 10);
	GOOD("--method none", values.method == 12);
	GOOD("--json", values.format == 7);
	GOOD("--verbose", values.verbose == 1);
	GOOD("--curves=b", !values.curves[0] && values.curves[1] &&
	     !values.curves[2]);
	GOOD("--curves=ab,a", values.curves[0] && !values.curves[1] &&
	     values.curves[2]);
	GOOD("--curves=a --curves=b", !values.curves[0] && values.curves[1]);
	GOOD("--load=busy", values.load == 21);
	refuses("--load=ful", "--load takes idle, busy or both, not 'ful'");
	refuses("--method=both", "--method takes cas, switch or none, not 'both'");
	refuses("--method=ca", "--method takes cas, switch or none, not 'ca'");
	refuses("--curves=a,c", "--curves takes a, b or ab, not 'c'");
	refuses("--curves=a,", "--curves takes a, b or ab, not ''");
	refuses("--curves=", "--curves takes a, b or ab, not ''");
}

static void texts(void)
{
	GOOD("--output=a", !strcmp(values.file, "a"));
	GOOD("--output --json", !strcmp(values.file, "--json"));
	GOOD("-o a", !strcmp(values.file, "a"));
	GOOD("-oab", !strcmp(values.file, "ab"));
	GOOD("--name=a --name b", values.names.count == 2 &&
	     !strcmp(values.names.list[0], "a") &&
	     !strcmp(values.names.list[1], "b"));
	refuses("--output", "--output needs a value: --output=FILE");
	refuses("--output=", "--output needs a value: --output=FILE");
	refuses("--method", "--method needs a value: cas, switch or none");
	refuses("-o", "--output needs a value: --output=FILE");
}

static void names(void)
{
	GOOD("--cou=3", values.count == 3);
	GOOD("--v", values.verbose);
	refuses("--c=3", "unknown option --c=3 (did you mean --curves?)");
	refuses("--jsn", "unknown option --jsn (did you mean --json?)");
	refuses("--jsn=1", "unknown option --jsn=1 (did you mean --json?)");
	refuses("--hepl", "unknown option --hepl (did you mean --help?)");
	refuses("--xx", "unknown option --xx (see --help)");
	refuses("--cqq", "unknown option --cqq (see --help)");
	refuses("--=", "unknown option --= (see --help)");
	refuses("-x", "unknown option -x (see --help)");
	refuses("-verbose", "unknown option -verbose (see --help)");
	refuses("--json=1", "--json takes no value");
	refuses("--help=1", "--help takes no value");
	tap_ok(read_line("--help --jsn") == TW_OPTIONS_HELP, "--help");
	tap_ok(read_line("-h") == TW_OPTIONS_HELP, "-h");
	tap_ok(read_line("--he") == TW_OPTIONS_HELP, "--he");
}

static int left(const char *should)
{
	char text[1024] = "";

	for (int i = 0; i < arguments.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 " %s", arguments.list[i]);
	return !strcmp(text, should) && !arguments.list[arguments.count];
}

static void rest(void)
{
	GOOD("a --count=2 - b", left(" a - b") && values.count == 2 &&
	     !arguments.after_dashes);
	GOOD("a -- --count=2 -- b", left(" a --count=2 -- b") &&
	     values.count == 4 &&
	     arguments.after_dashes == arguments.list + 1);
	GOOD("--", left("") && arguments.after_dashes == arguments.list);
	options.passes_on = 1;
	GOOD("--cou=2 a --count=3 -x --new=1 -- --count=5",
	     left(" --cou=2 a -x --new=1 --count=5") && values.count == 3);
	refuses("--count 3", "--count needs a value: --count=N");
	tap_ok(read_line("a -x -h") == TW_OPTIONS_HELP, "-h among others'");
	options.passes_on = 0;
	options.arguments = NULL;
	refuses("--count=2 a", "takes no 'a' (see --help)");
	refuses("-- --count=2", "takes no '--count=2' (see --help)");
	GOOD("--count=2 --", values.count == 2);
}

/* A message may be cut off, but nothing is written behind it. */
static void too_long(void)
{
	static char argument[3 * TW_OPTIONS_PROBLEM];
	static char command[] = "test";
	char *argv[] = { command, argument, NULL };

	memset(argument, '-', sizeof(argument) - 1);
	tap_ok(tw_options_read(&options, &values, argv, &arguments, problem) == -22 &&
	       strlen(problem) == TW_OPTIONS_PROBLEM - 1, "a very long option");
}

int main(void)
{
	presets();
	numbers();
	percentages();
	times();
	sizes();
	words();
	texts();
	names();
	rest();
	too_long();
	return tap_done();
}
