/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes what `tickwise profile` reads, and all that is made of it.
 */
#include "base/allocate.h"
#include "profile/command/profiles.h"
#include "fuzz.h"

static void show(struct profile_file *file)
{
	static tw_profile_printer *const printers[] = {
		tw_profile_print_flat, tw_profile_print_callers, tw_profile_print_csv,
		tw_profile_print_folded, tw_profile_print_flame, tw_profile_print_json,
		tw_profile_print_trace,
	};
	struct profile_result result;

	tw_profile_functions(&result, file);
	tw_profile_name(&result);
	for (size_t i = 0; i < sizeof(printers) / sizeof(*printers); i++)
		printers[i](&result);
	tw_profile_functions_free(&result);
}

/* Remove the objects that the input names: they are no part of the input. */
static void forget_paths(struct profile_file *file)
{
	for (size_t i = 0; i < file->map_count; i++)
		file->maps[i].path[0] = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *stream = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	struct profile_file file;
	unsigned line;

	if (stream && tw_profile_file_parse(&file, stream, &line) == 0) {
		forget_paths(&file);
		show(&file);
		tw_profile_file_free(&file);
	}
	if (stream)
		fclose(stream);
	tw_release_texts();
	return 0;
}
