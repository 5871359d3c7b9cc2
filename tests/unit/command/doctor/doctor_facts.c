/* SPDX-License-Identifier: MIT */
/*
 * What tickwise doctor reads in /sys and /proc: the CPU that is not set to
 * performance, the idle state that takes longest and is not disabled, and stolen
 * time without counting that of guests twice. Fails if one CPU of many is
 * overlooked, or if a missing file counts as 0.
 */
#include "command/doctor/doctor_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static char root[64] = "/tmp/tickwise-doctor.XXXXXX";
static struct tw_doctor_facts facts;

static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void put(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", root, name);
	make_folders(path);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		tap_ok(0, "%s: %s", path, strerror(errno));
}

static void read_again(void)
{
	memset(&facts, 0, sizeof(facts));
	tw_doctor_read_files(&facts, root);
}

#define CPU(number, file)	"/sys/devices/system/cpu/cpu" #number "/" file

static void test_nothing(void)
{
	read_again();
	tap_ok(facts.ring.disabled == -1 && !facts.ring.is_filtered,
	       "no files: io_uring is not known to be disabled or filtered");
	tap_ok(!facts.stages.has_types, "no type information");
	tap_ok(!facts.governor[0] && !facts.idle_state[0], "no governor, no idle states");
	tap_ok(facts.stolen_percent < 0, "stolen time is not known");
}

static void test_governor(void)
{
	put(CPU(0, "cpufreq/scaling_governor"), "performance\n");
	put(CPU(1, "cpufreq/scaling_governor"), "performance\n");
	put("/sys/devices/system/cpu/cpufreq/scaling_governor", "ondemand\n");
	read_again();
	tap_ok(!strcmp(facts.governor, "performance"), "all CPUs alike");
	put(CPU(1, "cpufreq/scaling_governor"), "powersave\n");
	read_again();
	tap_ok(!strcmp(facts.governor, "powersave"), "one of them is not");
}

static void put_state(const char *state, const char *name, const char *latency,
		      const char *disable)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), CPU(1, "cpuidle/%s/name"), state);
	put(path, name);
	snprintf(path, sizeof(path), CPU(1, "cpuidle/%s/latency"), state);
	put(path, latency);
	snprintf(path, sizeof(path), CPU(1, "cpuidle/%s/disable"), state);
	put(path, disable);
}

static void test_idle_states(void)
{
	put_state("state0", "POLL\n", "0\n", "0\n");
	read_again();
	tap_ok(!strcmp(facts.idle_state, "POLL") && facts.idle_us == 0, "one state");
	put_state("state1", "C1\n", "2\n", "0\n");
	put_state("state2", "C6\n", "133\n", "0\n");
	put_state("state3", "C10\n", "890\n", "1\n");
	read_again();
	tap_ok(!strcmp(facts.idle_state, "C6") && facts.idle_us == 133,
	       "the longest that is not disabled");
}

static void test_rest(void)
{
	put("/proc/stat", "cpu  50 0 20 100 10 5 5 10 40 0\ncpu0 1 2 3\n");
	put("/proc/sys/kernel/io_uring_disabled", "2\n");
	put("/proc/self/status", "Name:\tx\nNoNewPrivs:\t0\nSeccomp:\t2\n");
	put("/sys/kernel/btf/vmlinux", "types");
	read_again();
	tap_ok(facts.stolen_percent == 5, "stolen time: %g %% is 5", facts.stolen_percent);
	tap_ok(facts.ring.disabled == 2 && facts.ring.is_filtered,
	       "io_uring: disabled, and a filter");
	tap_ok(facts.stages.has_types, "type information");
	put("/proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
	read_again();
	tap_ok(facts.stolen_percent < 0, "no time at all: not known");
}

int main(void)
{
	char command[128];

	if (!mkdtemp(root))
		return 1;
	test_nothing();
	test_governor();
	test_idle_states();
	test_rest();
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	tap_ok(system(command) == 0, "the folder is removed");
	return tap_done();
}
