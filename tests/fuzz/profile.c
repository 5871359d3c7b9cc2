/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes what `tickwise profile` reads, the recorded file and the text of perf
 * script, and all that is made of them.
 */
#include "base/allocate.h"
#include "profile/command/profiles.h"
#include "fuzz.h"

static void show(struct profile_file *file, const struct perf_samples *samples)
{
	static tw_profile_printer *const printers[] = {
		tw_profile_print_flat, tw_profile_print_callers, tw_profile_print_csv,
		tw_profile_print_folded, tw_profile_print_flame, tw_profile_print_json,
		tw_profile_print_trace,
	};
	struct profile_against against = { 0 };
	struct profile_result result;

	tw_profile_functions(&result, file);
	tw_profile_name(&result);
	for (size_t i = 0; i < sizeof(printers) / sizeof(*printers); i++)
		printers[i](&result);
	result.against = &against;
	if (samples && tw_profile_against(&against, &result, samples, "samples") == 0)
		tw_profile_print_against(&result);
	free(against.rows);
	tw_profile_functions_free(&result);
}

/* Remove the objects that the input names: they are no part of the input. */
static void forget_paths(struct profile_file *file)
{
	for (size_t i = 0; i < file->map_count; i++)
		file->maps[i].path[0] = 0;
}

static int read_samples(struct perf_samples *samples, const char *text,
			size_t length)
{
	FILE *stream = length ? fmemopen((void *)(uintptr_t)text, length, "r") :
				NULL;
	unsigned line;
	int failed = stream ? tw_perf_script_parse(samples, stream, &line) : -1;

	if (stream)
		fclose(stream);
	return failed == 0;
}

/* The input is a recorded file, then a line "samples", then perf script's text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char between[] = "\nsamples\n";
	const char *perf = memmem(data, size, between, strlen(between));
	size_t length = perf ? (size_t)(perf - (const char *)data) + 1 : size;
	struct perf_samples samples;
	struct profile_file file;
	unsigned line;
	FILE *stream;
	int has_samples = 0;

	if (perf)
		has_samples = read_samples(&samples, perf + strlen(between),
					   size - length + 1 - strlen(between));
	stream = length ? fmemopen((void *)(uintptr_t)data, length, "r") : NULL;
	if (stream && tw_profile_file_parse(&file, stream, &line) == 0) {
		forget_paths(&file);
		show(&file, has_samples ? &samples : NULL);
		tw_profile_file_free(&file);
	}
	if (stream)
		fclose(stream);
	if (has_samples)
		tw_perf_samples_free(&samples);
	tw_release_texts();
	return 0;
}
