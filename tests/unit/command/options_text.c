/* SPDX-License-Identifier: MIT */
/*
 * What is printed of a table of options: the page of --help and the manual's items.
 * Fails if an option, a limit, a default or a unit is left out, or if a line is too
 * long. Fails also if a character of the text would be a command to roff.
 */
#include <stdlib.h>
#include <string.h>

#include "command/options.h"
#include "tap.h"

static const struct tw_option table[] = {
	{ .name = "json", .help = "Print `this`, not that" },
	{ .name = "output", .letter = 'o', .kind = TW_OPTION_FILE, .value = "FILE",
	  .otherwise = "stdout", .help = "Print to FILE",
	  .more = "A back\\slash. See `--json` and --time-limit, as in it. 'Quoted'." },
	{ .name = "method", .kind = TW_OPTION_WORD, .preset = "b",
	  .words = TW_OPTION_WORD_LIST("a", "b"), .help = "Take a way" },
	{ .name = "curves", .kind = TW_OPTION_WORDS, .value = "LIST",
	  .words = TW_OPTION_WORD_LIST("x", "y-z"), .help = "Draw these" },
	{ .name = "count", .kind = TW_OPTION_WHOLE, .value = "N", .max = 7,
	  .help = "Count" },
	{ .name = "seed", .kind = TW_OPTION_WHOLE, .value = "N", .max = 0x1p53,
	  .help = "Begin with this" },
	{ .name = "time-limit", .kind = TW_OPTION_TIME, .value = "MS", .min = 0.5,
	  .max = 3600000, .preset = "20",
	  .help = "Give up after a time that makes this line so long that it is folded" },
	{ .name = "watch", .kind = TW_OPTION_TIME, .value = "SECONDS", .bare = "1",
	  .min = 1, .max = 9, .help = "Look again" },
	{ .name = "pick", .kind = TW_OPTION_WORD, .bare = "p", .preset = "q",
	  .value = "LETTER", .words = TW_OPTION_WORD_LIST("p", "q"),
	  .help = "Pick" },
	{ .name = "a-name-too-long-for-it", .kind = TW_OPTION_SIZE, .value = "SIZE",
	  .min = 2048, .preset = "2M", .help = "Use memory" },
	{ .name = "bytes", .kind = TW_OPTION_SIZE, .value = "SIZE", .min = 8,
	  .help = "Use bytes" },
	{ .name = NULL },
};

static const struct tw_options options = {
	.command = "test", .arguments = "FILE...\n-- PROGRAM",
	.about = "First paragraph.\n\nSecond one, of words that take more than the "
		 "eighty columns of a line.",
	.codes = "Exit codes: 0 good.", .table = table,
};

static const char help[] =
"usage: tickwise test [options] FILE...\n"
"       tickwise test [options] -- PROGRAM\n"
"\n"
"First paragraph.\n"
"\n"
"Second one, of words that take more than the eighty columns of a line.\n"
"\n"
"Options:\n"
"      --json             Print this, not that\n"
"  -o, --output=FILE      Print to FILE (default: stdout)\n"
"      --method=a|b       Take a way (default: b)\n"
"      --curves=LIST      Draw these (x, y-z)\n"
"      --count=N          Count (0 to 7)\n"
"      --seed=N           Begin with this (0 to 9007199254740992)\n"
"      --time-limit=MS    Give up after a time that makes this line so long that\n"
"                         it is folded (0.5 to 3600000 milliseconds; default:\n"
"                         20)\n"
"      --watch[=SECONDS]  Look again (1 to 9 seconds; 1 if SECONDS is left out)\n"
"      --pick[=p|q]       Pick (p if LETTER is left out; default: q)\n"
"      --a-name-too-long-for-it=SIZE\n"
"                         Use memory (at least 2K; default: 2M)\n"
"      --bytes=SIZE       Use bytes (at least 8)\n"
"  -h, --help             Print the options\n"
"\n"
"A time may have units, as in 90s or 1h30min: ns, us, ms, s, min, h.\n"
"\n"
"A size is in bytes, or has one of K, M, G and T behind it.\n"
"\n"
"Exit codes: 0 good.\n";

static const char manual[] =
".TP\n\\fB\\-\\-json\\fP\nPrint \\fBthis\\fP, not that.\n"
".TP\n\\fB\\-o\\fP, \\fB\\-\\-output=\\fP\\fIFILE\\fP\n"
"Print to FILE (default: stdout).\n"
"A back\\eslash.\n"
"See \\fB\\-\\-json\\fP and \\fB\\-\\-time\\-limit\\fP, as in it.\n"
"\\&'Quoted'.\n"
".TP\n\\fB\\-\\-method=\\fP\\fBa|b\\fP\nTake a way (default: b).\n"
".TP\n\\fB\\-\\-curves=\\fP\\fILIST\\fP\nDraw these (x, y\\-z).\n"
".TP\n\\fB\\-\\-count=\\fP\\fIN\\fP\nCount (0 to 7).\n"
".TP\n\\fB\\-\\-seed=\\fP\\fIN\\fP\nBegin with this (0 to 9007199254740992).\n"
".TP\n\\fB\\-\\-time\\-limit=\\fP\\fIMS\\fP\n"
"Give up after a time that makes this line so long that it is folded "
"(0.5 to 3600000 milliseconds; default: 20).\n"
".TP\n\\fB\\-\\-watch[=\\fP\\fISECONDS\\fP]\n"
"Look again (1 to 9 seconds; 1 if SECONDS is left out).\n"
".TP\n\\fB\\-\\-pick[=\\fP\\fBp|q\\fP]\n"
"Pick (p if LETTER is left out; default: q).\n"
".TP\n\\fB\\-\\-a\\-name\\-too\\-long\\-for\\-it=\\fP\\fISIZE\\fP\n"
"Use memory (at least 2K; default: 2M).\n"
".TP\n\\fB\\-\\-bytes=\\fP\\fISIZE\\fP\nUse bytes (at least 8).\n"
".TP\n\\fB\\-h\\fP, \\fB\\-\\-help\\fP\nPrint the options.\n"
".PP\nA time may have units, as in 90s or 1h30min: ns, us, ms, s, min, h.\n"
".PP\nA size is in bytes, or has one of K, M, G and T behind it.\n";

static void prints(void (*print)(const struct tw_options *, FILE *),
		   const struct tw_options *of, const char *should, const char *what)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	print(of, out);
	fclose(out);
	if (!tap_ok(!strcmp(text, should), "%s", what))
		tap_note("is\n%s", text);
	free(text);
}

int main(void)
{
	static const struct tw_option none[] = { { .name = NULL } };
	static const struct tw_options plain = {
		.command = "plain", .about = "About.", .codes = "Codes.",
		.table = none,
	};

	prints(tw_options_print_help, &options, help, "--help");
	prints(tw_options_print_manual, &options, manual, "the manual's items");
	prints(tw_options_print_help, &plain,
	       "usage: tickwise plain [options]\n\nAbout.\n\nOptions:\n"
	       "  -h, --help  Print the options\n\nCodes.\n",
	       "a command without options");
	return tap_done();
}
