/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: slow waits have a line each, 20 at once and 5 a second. What is left out is counted,
 * before the next line and at the end. What is not known is "-". Foreign names can't control the
 * terminal. Defect: a page full of lines a second, lines that are lost without a word, escapes.
 */
#include <stdlib.h>
#include <string.h>

#include "attach/attach_lines.h"
#include "tap.h"

#define SECOND	1000000000ULL

static struct tw_attach_lines lines;
static char *text;
static size_t size;

static void put(uint64_t ended_ns, unsigned count, const struct tw_attach_line *line)
{
	struct tw_attach_line one = *line;

	one.began_ns = ended_ns - 1500000;
	one.ended_ns = ended_ns;
	while (count--)
		tw_attach_lines_put(&lines, &one);
	fflush(lines.out);
}

static unsigned lines_with(const char *part)
{
	unsigned count = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		count++;
	return count;
}

int main(void)
{
	const struct tw_attach_line known = {
		.program = "postgres", .process = 12, .thread = 13, .call = "pread64",
		.reason = "inode lock", .who = "cp (7)", .file = "/data\033[2J", .offset = 8192,
		.bytes = 4096,
	}, unknown = {
		.program = "x", .call = "page fault", .reason = "cache miss", .who = "", .file = "-",
		.offset = TW_ATTACH_NOT_KNOWN, .bytes = TW_ATTACH_NOT_KNOWN,
	};

	setenv("TZ", "UTC", 1);
	lines.out = open_memstream(&text, &size);
	if (!lines.out)
		abort();
	lines.realtime_ns = 3600 * SECOND;
	put(SECOND, 30, &known);
	tap_ok(lines_with("pread64") == 20 && lines_with("took") == 1, "a burst of 20 lines");
	tap_ok(strstr(text, "01:00:00.998  1.500 ms postgres             12      13 pread64    "
			    "          8192     4096 inode lock of cp (7): /data") != NULL,
	       "all that is known");
	tap_ok(!strchr(text, '\033'), "no escape");
	put(2 * SECOND, 10, &unknown);
	tap_ok(lines_with("page fault") == 5, "then 5 a second");
	tap_ok(lines_with("(10 lines left out here") == 1 && lines_with("left out") == 1,
	       "the next line is preceded by how many were left out");
	tap_ok(strstr(text, " x                     -       - page fault              -        - "
			    "cache miss: -\n") != NULL, "what is not known");
	tw_attach_lines_end(&lines);
	tap_ok(lines_with("(5 lines left out") == 1, "the end says how many were left out");
	tw_attach_lines_end(&lines);
	tap_ok(lines_with("left out") == 2, "once");
	put(60 * SECOND, 30, &known);
	tap_ok(lines_with("pread64") == 40, "a rest allows no more than a burst");
	fclose(lines.out);
	free(text);
	return tap_done();
}
