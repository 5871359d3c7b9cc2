/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes fio's command line, as `tickwise run` reads it and hands it on.
 */
#include "command.h"
#include "command/run/run_parts.h"
#include "fuzz.h"

#define MAX_ARGUMENTS	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_run_engines engines = { .fio = "fio", .path = "/e.so", .convert = 1 };
	char *argv[MAX_ARGUMENTS + 1] = { NULL }, *text = fuzz_text(data, size), **given;
	struct tw_run_arguments arguments = { 0 };
	struct tw_run_outcome outcome = { 0 };

	fuzz_arguments(text, size, argv, MAX_ARGUMENTS);
	if (tw_run_read_arguments(&arguments, argv, &engines) == TW_EXIT_GOOD &&
	    tw_run_change(&arguments.jobs, &engines, &outcome) == TW_EXIT_GOOD) {
		given = tw_run_fio_arguments(&arguments, "fio");
		if (!given || strcmp(given[0], "fio") != 0)
			abort();
	}
	tw_release_texts();
	free(text);
	return 0;
}
