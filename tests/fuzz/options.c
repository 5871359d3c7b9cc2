/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the options of the subcommands that hand nothing on. The first byte names
 * a subcommand, the rest is its arguments. An argument ends with a zero byte or a
 * line end. --help follows all of them, twice, since the last one may want a value:
 * nothing is executed. Any bytes end in the page or in an error with an exit code
 * of the command line.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

#define MAX_ARGUMENTS	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int tickwise_main(int argc, char **argv);

static const char *const names[] = {
	"check", "calibrate", "bench", "compare", "memlat", "report",
};

#define NAMES	(sizeof(names) / sizeof(*names))

/* Change to a folder without files: `report` takes what follows a "--" for files. */
static void stand_where_no_file_is(void)
{
	static int stands;
	char path[] = "/tmp/tickwise-fuzz-XXXXXX";

	if (stands)
		return;
	if (!mkdtemp(path) || chdir(path) || rmdir(path))
		abort();
	stands = 1;
}

/*
 * True if @text is an option. Files of `report` stay in memory until the process
 * ends, so none are given.
 */
static int is_option(const char *text)
{
	return text[0] == '-' && text[1] == '-' && text[2];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[MAX_ARGUMENTS + 5] = { NULL };
	char *text = malloc(size + 1), *at;
	char program[] = "tickwise", name[16], help[] = "--help";
	int argc = 2, code;
	size_t i;

	if (!text || size == 0) {
		free(text);
		return 0;
	}
	stand_where_no_file_is();
	memcpy(text, data, size);
	text[size] = '\0';
	for (i = 0; i < size; i++)
		if (text[i] == '\n')
			text[i] = '\0';
	snprintf(name, sizeof(name), "%s", names[data[0] % NAMES]);
	argv[0] = program;
	argv[1] = name;
	for (at = text + 1; at < text + size && argc < MAX_ARGUMENTS;
	     at += strlen(at) + 1)
		if (strcmp(name, "report") || is_option(at))
			argv[argc++] = at;
	argv[argc++] = help;
	argv[argc++] = help;
	code = tickwise_main(argc, argv);
	if (code != TW_EXIT_GOOD && code != TW_EXIT_USAGE &&
	    code != TW_EXIT_NO_INPUT && code != TW_EXIT_DATA)
		abort();
	free(text);
	return 0;
}
