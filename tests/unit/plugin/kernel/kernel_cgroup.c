/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: a cgroup is named by its id, from where the hierarchy of block I/O is mounted:
 * that of version 1 if it has the controller, or else version 2. The name is plain text, and
 * the end of a long one. One that has ended keeps the name that was read before. A path is
 * looked for as it is and below each hierarchy.
 *
 * Defect: the name of another hierarchy's cgroup, or control characters in a report.
 *
 * The hierarchies are folders made here.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static char mounts[PATH_MAX];

#define TW_MOUNTS	mounts
#include "kernel/cgroup.c"

static char top[] = "/tmp/tickwise-cgroup-XXXXXX";

/* Make a folder below the top. Return its inode. */
static uint64_t make(const char *name)
{
	char path[PATH_MAX];
	struct stat of;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return mkdir(path, 0700) || stat(path, &of) ? 0 : of.st_ino;
}

static void delete(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	rmdir(path);
}

/* Write the list of mounts, with @rest at its end. */
static void write_mounts(const char *rest)
{
	FILE *file = fopen(mounts, "w");

	if (!file)
		return;
	fprintf(file, "proc /proc proc rw 0 0\n"
		"cgroup %s/cpu cgroup rw,cpu 0 0\n", top);
	fprintf(file, "cgroup2 %s/a\\040place cgroup2 rw 0 0\n", top);
	fputs(rest, file);
	fclose(file);
}

static int is_named(uint64_t id, const char *should)
{
	char path[TW_CGROUP_PATH] = "not set";

	tw_cgroup_path(path, id);
	if (!strcmp(path, should))
		return 1;
	tap_note("is '%s', should be '%s'", path, should);
	return 0;
}

int main(void)
{
	static const char x50[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	char name[PATH_MAX], should[PATH_MAX], line[PATH_MAX + 64];
	uint64_t slice, service, ended, strange, deep, later, old, other;

	if (!mkdtemp(top))
		return 1;
	snprintf(mounts, sizeof(mounts), "%s/mounts", top);
	write_mounts("");
	make("cpu");
	make("a place");
	make("blkio");
	slice = make("a place/system.slice");
	service = make("a place/system.slice/postgres.service");
	ended = make("a place/ended");
	strange = make("a place/\033[2J");
	other = make("cpu/other");
	old = make("blkio/old");
	tap_ok(slice && service && ended && strange && other && old, "folders are made");

	tap_ok(is_named(TW_CGROUP_ROOT, "/"), "the root");
	tap_ok(is_named(slice, "/system.slice") &&
	       is_named(service, "/system.slice/postgres.service"), "cgroups");
	tap_ok(is_named(strange, "/?[2J"), "the name is plain text");
	tap_ok(is_named(other, ""), "not a cgroup of another controller");
	later = make("a place/later");
	tap_ok(is_named(later, "/later"), "one that was made later");
	snprintf(name, sizeof(name), "a place/%s", x50);
	make(name);
	for (int i = 0; i < 4; i++) {
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "/%s", x50);
		make(name);
	}
	strcat(name, "/end");
	deep = make(name);
	snprintf(should, sizeof(should), "...%s", name + strlen(name) - 252);
	tap_ok(is_named(deep, should), "the end of a long path");

	/* Only now, as a file system may use an inode's number again. */
	delete("a place/ended");
	tap_ok(is_named(ended, "/ended"), "one that has ended keeps its name");

	snprintf(line, sizeof(line), "cgroup %s/blkio cgroup rw,blkio 0 0\n", top);
	write_mounts(line);
	tap_ok(is_named(old, "/old"), "version 1 if it has the controller");

	tap_ok(tw_cgroup_open("system.slice") == -ENOTTY && tw_cgroup_open("old") == -ENOTTY &&
	       tw_cgroup_open(top) == -ENOTTY, "what is in no cgroup file system is no cgroup");
	tap_ok(tw_cgroup_open("no") == -ENOENT && tw_cgroup_open("/no") == -ENOENT,
	       "none is there");

	unlink(mounts);
	tap_ok(is_named(1ULL << 40, ""), "without the list of mounts: not known");
	snprintf(line, sizeof(line), "rm -r %s", top);
	tap_ok(!system(line), "clean");
	return tap_done();
}
