/* SPDX-License-Identifier: MIT */
/*
 * The cpuset of a process is found from its control group in either version, or
 * from a group above if its own has none. Fails if another controller's group is
 * taken, if "cpu,cpuset" is not recognised, or if the search ends at the first
 * group without the file. Fails also if a group outside the namespace is taken for
 * one below the mount.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "tap.h"

static char base[] = "/tmp/tickwise-machine-cpus-XXXXXX";

/* Write a file, with the directories above it. */
static void put(const char *name, const char *text)
{
	char path[512];
	char *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", base, name);
	for (slash = path + strlen(base) + 1; (slash = strchr(slash, '/'));
	     slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		exit(1);
}

static void cpuset_is(const char *should, const char *what)
{
	struct tw_machine_cpus cpus;
	char text[256] = "?";
	FILE *out;

	tw_machine_cpus_read(&cpus, base);
	if (cpus.cpuset.known) {
		out = fmemopen(text, sizeof(text), "w");
		tw_cpu_list_print(&cpus.cpuset, out);
		fclose(out);
	}
	if (!tap_ok(strcmp(text, should) == 0, "%s", what))
		tap_note("is %s, should be %s", text, should);
}

static void version_2(void)
{
	put("proc/self/cgroup", "0::/a/b\n");
	cpuset_is("?", "version 2, no file at all");
	put("sys/fs/cgroup/cpuset.cpus.effective", "0-7\n");
	cpuset_is("0-7", "only the root has one");
	put("sys/fs/cgroup/a/cpuset.cpus.effective", "2-5\n");
	cpuset_is("2-5", "the group above");
	put("sys/fs/cgroup/a/b/cpuset.cpus.effective", "3,5\n");
	cpuset_is("3,5", "its own");
	put("proc/self/cgroup", "0::/../b\n");
	cpuset_is("?", "a group outside the namespace");
}

static void version_1(void)
{
	put("proc/self/cgroup", "5:cpu,cpuacct:/wrong\n4:cpusets:/wrong\n"
	    "3:memory:/a\n2:cpu,cpuset:/c\n0::/a/b\n");
	cpuset_is("?", "version 1, not the group of version 2");
	put("sys/fs/cgroup/cpuset/c/cpuset.cpus", "0-3\n");
	cpuset_is("0-3", "cpuset.cpus");
	put("sys/fs/cgroup/cpuset/c/cpuset.effective_cpus", "0-1\n");
	cpuset_is("0-1", "rather cpuset.effective_cpus");
}

static void system_lists(void)
{
	struct tw_machine_cpus cpus;

	tw_machine_cpus_read(&cpus, base);
	tap_ok(!cpus.online.known && !cpus.present.known,
	       "without files: unknown");
	put("sys/devices/system/cpu/online", "0-1,3\n");
	put("sys/devices/system/cpu/present", "0-3\n");
	tw_machine_cpus_read(&cpus, base);
	tap_ok(cpus.online.known && tw_cpu_list_count(&cpus.online) == 3,
	       "online");
	tap_ok(cpus.present.known && tw_cpu_list_count(&cpus.present) == 4,
	       "present");
	tap_ok(cpus.allowed.known && tw_cpu_list_count(&cpus.allowed) > 0,
	       "allowed, of this process");
}

int main(void)
{
	char command[64];

	if (!mkdtemp(base))
		return 1;
	version_2();
	version_1();
	system_lists();
	snprintf(command, sizeof(command), "rm -r %s", base);
	return tap_done() | (system(command) != 0);
}
