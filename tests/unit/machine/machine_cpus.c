/* SPDX-License-Identifier: MIT */
/*
 * Lists of CPUs are read as the kernel writes them, and written again. The cpuset of a
 * process is found from its control group in either version, or from a group above if
 * its own has none.
 *
 * Fails if a range loses an end, if what is no list is taken for one (a half list would
 * name the wrong CPUs), or if a difference of something unknown is known. Fails if
 * another controller's group is taken, if "cpu,cpuset" is not recognised, if the search
 * ends at the first group without the file, or if a group outside the namespace is taken
 * for one below the mount.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "machine/cpus.h"
#include "put_file.h"
#include "tap.h"

/* @should: "?": the list is not known. */
static void writes(const struct tw_cpu_list *list, const char *should, const char *what)
{
	char text[256] = "?";
	FILE *out;

	if (list->known) {
		out = fmemopen(text, sizeof(text), "w");
		tw_cpu_list_print(list, out);
		fputc('\0', out);
		fclose(out);
	}
	if (!tap_ok(strcmp(text, should) == 0, "%s: \"%s\"", what, should))
		tap_note("is \"%s\"", text);
}

static void lists(void)
{
	static const struct {
		const char *text;
		unsigned count;
		const char *written;
	} cases[] = {
		{ "0-1\n", 2, "0-1" }, { "0-3,8\n", 5, "0-3,8" },
		{ "0,2,4-5,63-64,1024\n", 7, "0,2,4-5,63-64,1024" }, { "8191\n", 1, "8191" },
		{ "8190-9000\n", 2, "8190-8191" }, { "5,0-1", 3, "0-1,5" },
		{ "\n", 0, "" }, { "", 0, "" },
		{ "0-", 0, "?" }, { "0,", 0, "?" }, { "0,\n", 0, "?" }, { ",0", 0, "?" },
		{ "3-1", 0, "?" }, { "-1", 0, "?" }, { "0-1 x", 0, "?" },
		{ "0-1\n2", 0, "?" }, { "all", 0, "?" },
	};
	struct tw_cpu_list a, b, c;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int is_list = cases[i].written[0] != '?';

		tap_ok((tw_cpu_list_parse(&a, cases[i].text) == 0) == is_list &&
		       tw_cpu_list_count(&a) == cases[i].count, "%u CPUs", cases[i].count);
		writes(&a, cases[i].written, "read");
	}
	tw_cpu_list_parse(&a, "0-7");
	tw_cpu_list_parse(&b, "2-3,7");
	tw_cpu_list_without(&c, &a, &b);
	writes(&c, "0-1,4-6", "0-7 without 2-3,7");
	tap_ok(tw_cpu_list_covers(&a, &b) && !tw_cpu_list_covers(&b, &a), "covered");
	tw_cpu_list_without(&c, &b, &a);
	writes(&c, "", "2-3,7 without 0-7");
	b.known = 0;
	tw_cpu_list_without(&c, &a, &b);
	tap_ok(!c.known && !tw_cpu_list_count(&c) && !tw_cpu_list_covers(&a, &b),
	       "without what is not known: not known");
}

static char base[] = "/tmp/tickwise-machine-cpus-XXXXXX";

/* From now on the file has that text. */
static void cpuset_with(const char *name, const char *text, const char *should,
			const char *what)
{
	struct tw_machine_cpus cpus;

	put_file(base, name, text);
	tw_machine_cpus_read(&cpus, base);
	writes(&cpus.cpuset, should, what);
}

int main(void)
{
	struct tw_machine_cpus cpus;
	char command[64];

	lists();
	if (!mkdtemp(base))
		return 1;
	cpuset_with("proc/self/cgroup", "0::/a/b\n", "?", "version 2, no file at all");
	cpuset_with("sys/fs/cgroup/cpuset.cpus.effective", "0-7\n", "0-7",
		    "only the root has one");
	cpuset_with("sys/fs/cgroup/a/cpuset.cpus.effective", "2-5\n", "2-5",
		    "the group above");
	cpuset_with("sys/fs/cgroup/a/b/cpuset.cpus.effective", "3,5\n", "3,5", "its own");
	cpuset_with("proc/self/cgroup", "0::/../b\n", "?", "a group outside the namespace");
	cpuset_with("proc/self/cgroup", "5:cpu,cpuacct:/wrong\n4:cpusets:/wrong\n"
		    "3:memory:/a\n2:cpu,cpuset:/c\n0::/a/b\n", "?",
		    "version 1, not the group of version 2");
	cpuset_with("sys/fs/cgroup/cpuset/c/cpuset.cpus", "0-3\n", "0-3", "cpuset.cpus");
	cpuset_with("sys/fs/cgroup/cpuset/c/cpuset.effective_cpus", "0-1\n", "0-1",
		    "rather cpuset.effective_cpus");
	tw_machine_cpus_read(&cpus, base);
	tap_ok(!cpus.online.known && !cpus.present.known, "without files: unknown");
	put_file(base, "sys/devices/system/cpu/online", "0-1,3\n");
	put_file(base, "sys/devices/system/cpu/present", "0-3\n");
	tw_machine_cpus_read(&cpus, base);
	writes(&cpus.online, "0-1,3", "online");
	writes(&cpus.present, "0-3", "present");
	tap_ok(cpus.allowed.known && tw_cpu_list_count(&cpus.allowed) > 0,
	       "allowed, of this process");
	snprintf(command, sizeof(command), "rm -r %s", base);
	return tap_done() | (system(command) != 0);
}
