/* SPDX-License-Identifier: MIT */
/*
 * A command line becomes what its table describes: every kind of value, its limits,
 * its default, shortened names, values in the next argument, and what is left.
 * Fails if a value outside of the limits passes, if a good one is refused, or if an
 * error does not name the option. Fails also if a character of an option's text would be a
 * command to roff; pages of --help are compared by tests/golden.
 */
#include <stdint.h>
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
	struct tw_texts names;
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

static struct values values;
static struct tw_arguments arguments;
static char problem[TW_OPTIONS_PROBLEM];

/* What is left of a line, and where a -- was. */
static const char *rest(char *text)
{
	*text = '\0';
	for (char **at = arguments.list; at <= arguments.list + arguments.count; at++)
		sprintf(text + strlen(text), "%s%s%s", at == arguments.after_dashes ? "|" : "",
			*at ? *at : "", at[0] && at[1] ? "," : "");
	return text;
}

/* Return all values as text. */
static const char *show(char *text)
{
	static char left[1024];

	sprintf(text, "verbose=%d format=%d method=%d load=%d curves=%d%d%d count=%u cpu=%d "
		"seed=%ju wait=%ju watch=%ju bytes=%zu part=%g file=%s names=%s,%s left=%s ",
		values.verbose, values.format, values.method, values.load, values.curves[0],
		values.curves[1], values.curves[2], values.count, values.cpu,
		(uintmax_t)values.seed, (uintmax_t)values.wait_ns, (uintmax_t)values.watch_ns,
		values.bytes, values.part_percent, values.file ? values.file : "",
		values.names.count > 0 ? values.names.list[0] : "",
		values.names.count > 1 ? values.names.list[1] : "", rest(left));
	return text;
}

/* Remove from @is each word that @before has, too. */
static void leave_changed(char *is, const char *before)
{
	char all[2048], *at = all, *word;

	strcpy(all, is);
	*is = '\0';
	while ((word = strsep(&at, " ")) && *word) {
		char with_space[1024];

		sprintf(with_space, "%s ", word);
		if (!strstr(before, with_space))
			strcat(is, with_space);
	}
	if (*is)
		is[strlen(is) - 1] = '\0';
}

/* Read a line whose words are separated by blanks. */
static int read_line(const char *line, const char *files, int passes_on)
{
	const struct tw_options options = {
		.command = "test", .arguments = files, .table = table, .passes_on = passes_on,
	};
	
	static char text[1024], command[] = "test", *argv[MAX_ARGUMENTS + 1];
	char *at = text, *word;
	int count = 1;

	values = (struct values) { .cpu = -1 };
	snprintf(text, sizeof(text), "%s", line);
	argv[0] = command;
	while ((word = strsep(&at, " ")))
		if (*word)
			argv[count++] = word;
	argv[count] = NULL;
	return tw_options_read(&options, &values, argv, &arguments, problem);
}

#define COUNT	"! --count takes a whole number, 1 to 16, not "
#define CPU	"! --cpu takes a whole number, 0 to 65535, not "
#define SEED	"! --seed takes a whole number, 0 to 9007199254740992, not "
#define PART	"! --part takes a percentage, 0.5 to 100, not "
#define WAIT	"! --wait takes milliseconds, 0.5 to 3600000, not "
#define WATCH	"! --watch takes seconds, 1 to 9, not "
#define BYTES	"! --bytes takes a size of at least 4096 bytes, like 16K, 1M, not "

/* What a line sets, or what is wrong with it. */
static const struct {
	const char *line, *should;
} cases[] = {
	{ "", "" },
	{ "--count=1", "count=1" }, { "--count=16", "count=16" },
	{ "--cpu=0 --cpu=65535", "cpu=65535" },
	{ "--seed=9007199254740992", "seed=9007199254740992" },
	{ "--count=0", COUNT "'0'" }, { "--count=17", COUNT "'17'" },
	{ "--count=2.5", COUNT "'2.5'" }, { "--count=", COUNT "''" },
	{ "--count=0x3", COUNT "'0x3'" }, { "--count=1e1", COUNT "'1e1'" },
	{ "--count=3.", COUNT "'3.'" }, { "--cpu=-1", CPU "'-1'" }, { "--cpu=+1", CPU "'+1'" },
	{ "--cpu=1s", CPU "'1s'" }, { "--cpu=.", CPU "'.'" }, { "--cpu=nan", CPU "'nan'" },
	{ "--seed=9007199254740993", SEED "'9007199254740993'" },
	{ "--seed=18446744073709551616", SEED "'18446744073709551616'" },

	{ "--part=0.5", "part=0.5" }, { "--part=2.5%", "part=2.5" },
	{ "--part=100%", "part=100" }, { "--part=0.4%", PART "'0.4%'" },
	{ "--part=101", PART "'101'" }, { "--part=5%%", PART "'5%%'" },
	{ "--part=%", PART "'%'" },

	{ "--wait=3", "wait=3000000" }, { "--wait=.5", "wait=500000" },
	{ "--wait=600000ns", "wait=600000" }, { "--wait=1500us", "wait=1500000" },
	{ "--wait=2ms", "wait=2000000" }, { "--wait=1.5s", "wait=1500000000" },
	{ "--wait=2min", "wait=120000000000" }, { "--wait=1h", "wait=3600000000000" },
	{ "--wait=1min30s", "wait=90000000000" },
	{ "--wait=1.5min500ms250us", "wait=90500250000" },
	{ "--wait=1s20", "wait=1020000000" }, { "--wait=0.4", WAIT "'0.4'" },
	{ "--wait=499us", WAIT "'499us'" }, { "--wait=1min30x", WAIT "'1min30x'" },
	{ "--wait=1..5s", WAIT "'1..5s'" }, { "--wait=s", WAIT "'s'" },
	{ "--wait=1sm", WAIT "'1sm'" }, { "--wait=61min", WAIT "'61min'" },
	{ "--wait=3m", WAIT "'3m'" }, { "--wait=0x10", WAIT "'0x10'" },
	{ "--wait=1e1", WAIT "'1e1'" }, { "--wait=1.5.5", WAIT "'1.5.5'" },
	{ "--wait=.", WAIT "'.'" }, { "--watch", "watch=2000000000" },
	{ "--watch=9", "watch=9000000000" }, { "--watch=1500ms", "watch=1500000000" },
	{ "--watch 5", "watch=2000000000 left=5" }, { "--watch=0", WATCH "'0'" },
	{ "--watch=", WATCH "''" },

	{ "--bytes=4096", "bytes=4096" }, { "--bytes=4k", "bytes=4096" },
	{ "--bytes=1.5M", "bytes=1572864" }, { "--bytes=1G", "bytes=1073741824" },
	{ "--bytes=64T", "bytes=70368744177664" }, { "--bytes=4095", BYTES "'4095'" },
	{ "--bytes=65T", BYTES "'65T'" }, { "--bytes=4.0001K", BYTES "'4.0001K'" },
	{ "--bytes=1X", BYTES "'1X'" },

	{ "--method=cas", "method=10" }, { "--method none", "method=12" },
	{ "--json", "format=7" }, { "--verbose", "verbose=1" }, { "--load=busy", "load=21" },
	{ "--curves=b", "curves=010" }, { "--curves=a", "curves=100" },
	{ "--curves=a --curves=b", "curves=010" }, { "--curves=ab,b", "curves=011" },
	{ "--load=ful", "! --load takes idle, busy or both, not 'ful'" },
	{ "--method=both", "! --method takes cas, switch or none, not 'both'" },
	{ "--method=ca", "! --method takes cas, switch or none, not 'ca'" },
	{ "--curves=a,c", "! --curves takes a, b or ab, not 'c'" },
	{ "--curves=a,", "! --curves takes a, b or ab, not ''" },
	{ "--curves=", "! --curves takes a, b or ab, not ''" },

	{ "--output=a", "file=a" }, { "--output --json", "file=--json" },
	{ "-o a", "file=a" }, { "-oab", "file=ab" }, { "--name=a --name b", "names=a,b" },
	{ "--output", "! --output needs a value: --output=FILE" },
	{ "--output=", "! --output needs a value: --output=FILE" },
	{ "-o", "! --output needs a value: --output=FILE" },
	{ "--method", "! --method needs a value: cas, switch or none" },

	{ "--cou=3", "count=3" }, { "--v", "verbose=1" },
	{ "--c=3", "! unknown option --c=3 (did you mean --curves?)" },
	{ "--jsn", "! unknown option --jsn (did you mean --json?)" },
	{ "--jsn=1", "! unknown option --jsn=1 (did you mean --json?)" },
	{ "--hepl", "! unknown option --hepl (did you mean --help?)" },
	{ "--xx", "! unknown option --xx (see --help)" },
	{ "--cqq", "! unknown option --cqq (see --help)" },
	{ "--=", "! unknown option --= (see --help)" },
	{ "-x", "! unknown option -x (see --help)" },
	{ "-verbose", "! unknown option -verbose (see --help)" },
	{ "--json=1", "! --json takes no value" }, { "--help=1", "! --help takes no value" },
	{ "--help --jsn", "help" }, { "-h", "help" }, { "--he", "help" },

	{ "a --count=2 - b", "count=2 left=a,-,b" },
	{ "a -- --count=2 -- b", "left=a,|--count=2,--,b" }, { "--", "left=|" },
	/* All that is not known is for another program. */
	{ ">--cou=2 a --count=3 -x --new=1 -- --count=5",
	  "count=3 left=--cou=2,a,-x,--new=1,|--count=5" },
	{ ">--count 3", "! --count needs a value: --count=N" }, { ">a -x -h", "help" },
	/* A command without arguments. */
	{ "!--count=2 a", "! takes no 'a' (see --help)" },
	{ "!-- --count=2", "! takes no '--count=2' (see --help)" },
	{ "!--count=2 --", "count=2 left=|" },
};

/* ---- the manual ---- */

static const struct tw_option described[] = {
	{ .name = "output", .letter = 'o', .kind = TW_OPTION_FILE, .value = "FILE",
	  .otherwise = "stdout", .help = "Print `this` to FILE",
	  .more = "A back\\slash. See `--json` and --time-limit, as in it. 'Quoted'." },
	{ .name = "method", .kind = TW_OPTION_WORD, .preset = "b",
	  .words = TW_OPTION_WORD_LIST("a", "b"), .help = "Take a way" },
	{ .name = "watch", .kind = TW_OPTION_TIME, .value = "SECONDS", .bare = "1",
	  .min = 1, .max = 9, .help = "Look again" },
	{ .name = "bytes", .kind = TW_OPTION_SIZE, .value = "SIZE", .min = 8,
	  .help = "Use bytes" },
	{ .name = NULL },
};

static const char manual[] =
".TP\n\\fB\\-o\\fP, \\fB\\-\\-output=\\fP\\fIFILE\\fP\n"
"Print \\fBthis\\fP to FILE (default: stdout).\n"
"A back\\eslash.\n"
"See \\fB\\-\\-json\\fP and \\fB\\-\\-time\\-limit\\fP, as in it.\n"
"\\&'Quoted'.\n"
".TP\n\\fB\\-\\-method=\\fP\\fBa|b\\fP\nTake a way (default: b).\n"
".TP\n\\fB\\-\\-watch[=\\fP\\fISECONDS\\fP]\n"
"Look again (1 to 9 seconds; 1 if SECONDS is left out).\n"
".TP\n\\fB\\-\\-bytes=\\fP\\fISIZE\\fP\nUse bytes (at least 8).\n"
".TP\n\\fB\\-h\\fP, \\fB\\-\\-help\\fP\nPrint the options.\n"
".PP\nA time may have units, as in 90s or 1h30min: ns, us, ms, s, min, h.\n"
".PP\nA size is in bytes, or has one of K, M, G and T behind it.\n";

static void prints_manual(void)
{
	const struct tw_options options = { .table = described };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	tw_options_print_manual(&options, out);
	fclose(out);
	if (!tap_ok(!strcmp(text, manual), "the manual's items"))
		tap_note("is\n%s", text);
	free(text);
}

int main(void)
{
	static char before[2048], is[2048], argument[3 * TW_OPTIONS_PROBLEM], command[] = "test";
	const struct tw_options options = { .command = command, .table = table };
	char *argv[] = { command, argument, NULL };

	read_line("", "FILE", 0);
	tap_ok(!strcmp(show(before), "verbose=0 format=0 method=11 load=0 curves=101 count=4 "
	       "cpu=-1 seed=0 wait=0 watch=0 bytes=0 part=0 file= names=, left= "), "presets");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *line = cases[i].line;
		int is_special = *line && strchr(">!", *line);
		int code = read_line(line + is_special, *line == '!' ? NULL : "FILE",
				     *line == '>');

		sprintf(is, code == TW_OPTIONS_HELP ? "help" : "! %s", problem);
		if (code == 0) {
			show(is);
			leave_changed(is, before);
		}
		if (!tap_ok((code >= 0 || code == -22) && !strcmp(is, cases[i].should), "'%s'",
			    line))
			tap_note("is '%s', should be '%s'", is, cases[i].should);
	}
	/* A message may be cut off, but nothing is written behind it. */
	memset(argument, '-', sizeof(argument) - 1);
	tap_ok(tw_options_read(&options, &values, argv, &arguments, problem) == -22 &&
	       strlen(problem) == TW_OPTIONS_PROBLEM - 1, "a very long option");
	prints_manual();
	return tap_done();
}
