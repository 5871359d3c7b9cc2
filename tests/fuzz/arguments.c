/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes fio's command line, as `tickwise run` reads it and hands it on. An
 * argument ends with a zero byte or a line end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command/run/run_parts.h"

#define MAX_ARGUMENTS	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(char **argv)
{
	struct tw_run_engines engines = {
		.fio = "fio", .path = "/e.so", .convert = 1,
	};
	struct tw_run_arguments arguments = { 0 };
	struct tw_run_outcome outcome = { 0 };
	char **given;

	if (tw_run_read_arguments(&arguments, argv, &engines) != TW_EXIT_GOOD ||
	    tw_run_change(&arguments.jobs, &engines, &outcome) != TW_EXIT_GOOD)
		return;
	given = tw_run_fio_arguments(&arguments, "fio");
	if (!given || strcmp(given[0], "fio") != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[MAX_ARGUMENTS + 1] = { NULL };
	char *text = malloc(size + 1), *at;
	size_t i, count = 0;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (i = 0; i < size; i++)
		if (text[i] == '\n')
			text[i] = '\0';
	for (at = text; at < text + size && count < MAX_ARGUMENTS;
	     at += strlen(at) + 1)
		argv[count++] = at;
	use(argv);
	tw_release_texts();
	free(text);
	return 0;
}
