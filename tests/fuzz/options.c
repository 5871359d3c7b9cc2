/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the options of the subcommands that hand nothing on. The first byte names
 * a subcommand, the rest is its arguments. --help follows all of them, twice, since the
 * last one may want a value: nothing is executed. Any bytes end in the page or in an error
 * with an exit code of the command line.
 */
#include "command.h"
#include "fuzz.h"

#define MAX_ARGUMENTS	64

int tickwise_main(int argc, char **argv);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"check", "calibrate", "bench", "compare", "memlat", "report",
	};
	static int stands;
	char folder[] = "/tmp/tickwise-fuzz-XXXXXX", program[] = "tickwise", help[] = "--help";
	char *argv[MAX_ARGUMENTS + 5] = { program }, name[16], *text = fuzz_text(data, size);
	int argc = 2, code, count;

	/* `report` takes what follows a "--" for files: stand where none is. */
	if (!stands++ && (!mkdtemp(folder) || chdir(folder) || rmdir(folder)))
		abort();
	if (size) {
		snprintf(name, sizeof(name), "%s", names[data[0] % 6]);
		argv[1] = name;
		count = fuzz_arguments(text + 1, size - 1, argv + 2, MAX_ARGUMENTS);
		/* Files of `report` stay in memory until the process ends, so none are
		 * given. */
		for (int i = 2; i < count + 2; i++)
			if (strcmp(name, "report") != 0 ||
			    (strncmp(argv[i], "--", 2) == 0 && argv[i][2]))
				argv[argc++] = argv[i];
		argv[argc++] = help;
		argv[argc++] = help;
		argv[argc] = NULL;
		code = tickwise_main(argc, argv);
		if (code != TW_EXIT_GOOD && code != TW_EXIT_USAGE &&
		    code != TW_EXIT_NO_INPUT && code != TW_EXIT_DATA)
			abort();
	}
	free(text);
	return 0;
}
