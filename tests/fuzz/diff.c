/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes `tickwise diff`: reports of A and B in turn, with zero bytes between them,
 * and the page, HTML and JSON made of the result. Any bytes end in an answer or in
 * a line that tells what is wrong. An answer has no NaN.
 */
#include <math.h>

#include "base/allocate.h"
#include "command.h"
#include "command/diff/diff.h"
#include "fuzz.h"

#define MAX_FILES	12

struct files {
	int fds[MAX_FILES];
	size_t used;
	char paths[TW_DIFF_SIDES][MAX_FILES][32];
	char *list[TW_DIFF_SIDES][MAX_FILES];
	size_t count[TW_DIFF_SIDES];
};

static void split(struct files *files, const uint8_t *data, size_t size)
{
	const uint8_t *end;

	do {
		size_t side = files->used % TW_DIFF_SIDES, i = files->count[side]++, length;

		end = memchr(data, 0, size);
		length = end ? (size_t)(end - data) : size;
		files->fds[files->used++] = fuzz_file(data, length, files->paths[side][i]);
		files->list[side][i] = files->paths[side][i];
		data += length + 1;
		size -= length + (end != NULL);
	} while (end && files->used < MAX_FILES);
}

static void check(const struct tw_diff *diff)
{
	for (size_t i = 0; i < diff->figure_count; i++) {
		const struct tw_diff_change *is = &diff->figures[i].change;

		if (isnan(is->change) || isnan(is->low) || isnan(is->high) ||
		    isnan(is->p) || is->low > is->high)
			abort();
	}
}

static int compare(struct tw_diff *diff, struct files *files,
		   struct tw_report_problem *problem)
{
	int code = TW_EXIT_GOOD;

	for (int side = 0; side < TW_DIFF_SIDES && code == TW_EXIT_GOOD; side++)
		code = tw_diff_read(diff, (enum tw_diff_side)side, files->list[side],
				    files->count[side], problem);
	if (code == TW_EXIT_GOOD)
		code = tw_diff_find_runs(diff, problem);
	return code == TW_EXIT_GOOD ? tw_diff_find_figures(diff, problem) : code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_diff diff = { .threshold = 1 };
	struct tw_report_problem problem = { "" };
	static struct files files;

	files = (struct files) { .used = 0 };
	split(&files, data, size);
	if (files.used > 1) {
		if (compare(&diff, &files, &problem) != TW_EXIT_GOOD) {
			if (!problem.text[0])
				abort();
		} else {
			tw_diff_find_facts(&diff);
			tw_diff_judge(&diff);
			check(&diff);
			fuzz_show(tw_diff_page(&diff, 1));
			json_decref(tw_diff_to_json(&diff));
		}
		tw_diff_free(&diff);
	}
	for (size_t i = 0; i < files.used; i++)
		close(files.fds[i]);
	tw_release_texts();
	return 0;
}
