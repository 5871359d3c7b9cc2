/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: `tickwise attach` puts the names that the kernel sends together to a path,
 * and finds it again by what identifies the file, among as many files as there can be.
 * Defect: folders in the wrong order; a path that is cut or deleted and does not say so;
 * one file's path for another.
 */
#include "attach/attach_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define FILES	16384

static struct tw_attach_files files;
static struct tw_attach_file record;

static struct tw_attach_inode inode_of(__u64 number)
{
	return (struct tw_attach_inode) { .number = number, .device = 8, .mode = 0100000 };
}

/* @names: with a 0 at the end of each. */
static void add(__u64 number, const char *names, size_t size, __u16 flags)
{
	record = (struct tw_attach_file) {
		.kind = TW_ATTACH_FILE, .flags = flags, .size = (__u16)size,
		.inode = inode_of(number),
	};
	memcpy(record.names, names, size);
	if (tw_attach_add_file(&files, &record,
			       offsetof(struct tw_attach_file, names) + size))
		abort();
}

static int is(__u64 number, const char *path)
{
	const struct tw_attach_inode inode = inode_of(number);
	const char *got = tw_attach_file_name(&files, &inode);

	if (strcmp(got, path) == 0)
		return 1;
	printf("# %s, not %s\n", got, path);
	return 0;
}

static void test_paths(void)
{
	const struct tw_attach_inode none = { 0 };

	tap_ok(is(1, "?"), "a file that is not known");
	tap_ok(strcmp(tw_attach_file_name(&files, &none), "-") == 0, "no file");
	add(1, "t.ibd\0mysql\0lib", sizeof("t.ibd\0mysql\0lib"), 0);
	tap_ok(is(1, "/lib/mysql/t.ibd"), "a file in folders");
	add(2, "a", sizeof("a"), 0);
	tap_ok(is(2, "/a"), "in the first folder");
	add(3, "", 0, 0);
	tap_ok(is(3, "/"), "that folder");
	add(4, "a", sizeof("a"), TW_ATTACH_DELETED);
	tap_ok(is(4, "/a (deleted)"), "a file that was deleted");
	add(5, "a\0b", sizeof("a\0b"), TW_ATTACH_CUT);
	tap_ok(is(5, ".../b/a"), "a path that is too long");
	add(6, "", 0, TW_ATTACH_CUT | TW_ATTACH_DELETED);
	tap_ok(is(6, "... (deleted)"), "of which nothing is known");
	add(1, "other", sizeof("other"), 0);
	tap_ok(is(1, "/lib/mysql/t.ibd"), "the first name counts");
	tw_attach_files_free(&files);
}

static void test_many(void)
{
	char name[32];
	int wrong = 0;

	files = (struct tw_attach_files) { 0 };
	for (__u64 i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "%llu", (unsigned long long)i);
		add(i << 32, name, strlen(name) + 1, 0);
	}
	for (__u64 i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "/%llu", (unsigned long long)i);
		wrong += !is(i << 32, name);
	}
	tap_ok(!wrong && files.count == FILES && is(1, "?"), "as many as the kernel sends");
	tw_attach_files_free(&files);
}

int main(void)
{
	test_paths();
	test_many();
	return tap_done();
}
