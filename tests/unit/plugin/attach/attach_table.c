/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: in the live table of `tickwise attach` a file's name is plain text,
 * whoever chose it. A name that is too long loses its first characters, whole ones.
 * Defect: a name that a terminal obeys, also by the control characters that UTF-8
 * has in two bytes; half a character.
 */
#include "attach/attach_table.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define READ		22
#define START_NS	1000000000000ULL

#define EUROS_6		"\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac"

/* True if @shown is at the end of the line of an I/O on @name. */
static bool shows(const char *name, const char *shown)
{
	const struct tw_attach_inode inode = {
		.number = 1, .device = 8, .mode = 0100644,
	};
	const struct tw_attach_io io = {
		.kind = TW_ATTACH_IO, .opcode = READ, .inode = inode,
		.accepted_ns = START_NS + 1, .posted_ns = START_NS + 2, .result = 1,
	};
	static struct tw_attach_file file;
	struct tw_attach_files files = { 0 };
	struct tw_attach_tally tally;
	struct tw_attach_table table;
	char *page = NULL, line[200];
	size_t size;
	FILE *out = open_memstream(&page, &size);
	bool found;

	file = (struct tw_attach_file) {
		.kind = TW_ATTACH_FILE, .inode = inode, .size = (__u16)strlen(name) + 1,
	};
	strcpy(file.names, name);
	if (!out || tw_attach_tally_init(&tally, START_NS, START_NS, 1) ||
	    tw_attach_add_file(&files, &file, sizeof(file)) || tw_attach_add_io(&tally, &io))
		abort();
	tw_attach_table_begin(&table, out);
	tw_attach_table_put(&table, &tally, &files, 1000000000, 1000000000, 0);
	fclose(out);
	snprintf(line, sizeof(line), "  %s\n", shown);
	found = strstr(page, line) != NULL;
	if (!found)
		printf("# %s", page);
	free(page);
	tw_attach_files_free(&files);
	tw_attach_tally_free(&tally);
	return found;
}

/* Check the line of I/Os on as many files, in a ring that was not seen. */
static void whole(unsigned ios, const char *should, const char *what)
{
	struct tw_attach_files files = { 0 };
	struct tw_attach_tally tally;
	struct tw_attach_table table;
	char *page = NULL;
	size_t size;
	FILE *out = open_memstream(&page, &size);
	int lines = 0;

	if (!out || tw_attach_tally_init(&tally, START_NS, START_NS, 1))
		abort();
	for (unsigned i = 0; i < ios; i++)
		if (tw_attach_add_io(&tally, &(struct tw_attach_io) {
			.kind = TW_ATTACH_IO, .opcode = READ, .result = 1,
			.inode = { .number = i + 1, .device = 8, .mode = 0100644 },
			.accepted_ns = START_NS + 1, .posted_ns = START_NS + 1235 }))
			abort();
	tw_attach_table_begin(&table, out);
	tw_attach_table_put(&table, &tally, &files, 1500000000, 1000000000,
			    ios ? 0 : 7);
	fclose(out);
	for (const char *at = page; (at = strchr(at, '\n')); at++)
		lines++;
	if (!tap_ok(strncmp(page, should, strlen(should)) == 0, "%s", what))
		printf("# %s", page);
	tap_ok(table.lines == lines, "and how many lines it has");
	if (ios > 20)
		tap_ok(strstr(page, "\n  and 5 more\n") && lines == 23,
		       "no more than fit, and how many are left out");
	free(page);
	tw_attach_files_free(&files);
	tw_attach_tally_free(&tally);
}

int main(void)
{
	whole(0, "1.5 s, 0 rings, 7 records lost, no I/O\n", "nothing");
	whole(25, "1.5 s, 0 rings\n"
	      "ring  operation      I/Os/s  lat mean       p99    blockq    device  "
	      "complete  file\n"
	      "   0  read            1.000  1.234 us  1.234 us         -         -  "
	      "       -  ", "the busy ones");
	tap_ok(shows("plain", "/plain"), "a name");
	tap_ok(shows("d\u00e9j\u00e0 \u20ac", "/d\u00e9j\u00e0 \u20ac"),
	       "of any characters");
	tap_ok(shows("a\033[2Jb\nc\177", "/a?[2Jb?c?"), "control characters are none");
	tap_ok(shows("a\302\2332Jb", "/a??2Jb"), "nor are those of two bytes");
	tap_ok(shows("a\233b\342\202", "/a?b??"), "nor bytes that are no character");
	/* 64 bytes, of which 60 fit; two of those are dots. */
	tap_ok(shows(EUROS_6 EUROS_6 EUROS_6 "\u20ac\u20ac\u20ac",
		     ".." EUROS_6 EUROS_6 EUROS_6 "\u20ac"),
	       "a long one loses whole characters");
	return tap_done();
}
