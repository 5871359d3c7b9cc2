/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes a job file, as `tickwise run` reads and changes it and writes the copy.
 * Included files are followed no further than this process may read.
 */
#include "command.h"
#include "command/run/run_parts.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_run_engines engines = { .fio = "fio", .path = "/e.so", .convert = 1 };
	struct tw_run_jobs jobs = { 0 };
	struct tw_run_outcome outcome = { 0 };
	char path[32];
	int fd = fuzz_file(data, size, path);

	if (tw_run_read(&jobs, path, NULL, 0) == TW_EXIT_GOOD &&
	    tw_run_change(&jobs, &engines, &outcome) == TW_EXIT_GOOD)
		tw_run_print(&jobs, stdout);
	tw_release_texts();
	close(fd);
	return 0;
}
