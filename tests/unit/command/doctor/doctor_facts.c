/* SPDX-License-Identifier: MIT */
/*
 * What tickwise doctor reads in /sys and /proc: the CPU that is not set to
 * performance, the idle state that takes longest and is not disabled, and stolen
 * time without counting that of guests twice. Fails if one CPU of many is
 * overlooked, or if a missing file counts as 0.
 */
#include "command/doctor/doctor_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static char root[64] = "/tmp/tickwise-doctor.XXXXXX";
static struct tw_doctor_facts facts;

/* Make the file of a line "NAME TEXT", and read again. */
static void put(const char *lines)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "cd '%s' && while read -r name text; do "
		 "mkdir -p \"${name%%/*}\" && echo \"$text\" >\"$name\" || exit 1; done "
		 "<<'END'\n%sEND\n", root, lines);
	if (system(command) != 0)
		tap_ok(0, "%s", command);
	memset(&facts, 0, sizeof(facts));
	tw_doctor_read_files(&facts, root);
}

#define CPU	"sys/devices/system/cpu/"

int main(void)
{
	char command[128];

	if (!mkdtemp(root))
		return 1;
	put("");
	tap_ok(facts.ring.disabled == -1 && !facts.ring.is_filtered,
	       "no files: io_uring is not known to be disabled or filtered");
	tap_ok(!facts.stages.has_types, "no type information");
	tap_ok(!facts.governor[0] && !facts.idle_state[0], "no governor, no idle states");
	tap_ok(facts.stolen_percent < 0, "stolen time is not known");

	put(CPU "cpu0/cpufreq/scaling_governor performance\n"
	    CPU "cpu1/cpufreq/scaling_governor performance\n"
	    CPU "cpufreq/scaling_governor ondemand\n");
	tap_ok(!strcmp(facts.governor, "performance"), "all CPUs alike");
	put(CPU "cpu1/cpufreq/scaling_governor powersave\n"
	    CPU "cpu2/cpufreq/scaling_governor performance\n");
	tap_ok(!strcmp(facts.governor, "powersave"), "one of them is not");

	put(CPU "cpu1/cpuidle/state0/name POLL\n" CPU "cpu1/cpuidle/state0/latency 0\n"
	    CPU "cpu1/cpuidle/state0/disable 0\n");
	tap_ok(!strcmp(facts.idle_state, "POLL") && facts.idle_us == 0, "one idle state");
	put(CPU "cpu1/cpuidle/state1/name C1\n" CPU "cpu1/cpuidle/state1/latency 2\n"
	    CPU "cpu1/cpuidle/state2/name C6\n" CPU "cpu1/cpuidle/state2/latency 133\n"
	    CPU "cpu1/cpuidle/state3/name C10\n" CPU "cpu1/cpuidle/state3/latency 890\n"
	    CPU "cpu1/cpuidle/state3/disable 1\n"
	    CPU "cpu2/cpuidle/state0/name C3\n" CPU "cpu2/cpuidle/state0/latency 50\n");
	tap_ok(!strcmp(facts.idle_state, "C6") && facts.idle_us == 133,
	       "the longest that is not disabled");

	put("proc/stat cpu  50 0 20 100 10 5 5 10 40 0\n"
	    "proc/sys/kernel/io_uring_disabled 2\n"
	    "proc/self/status Name:\n" "sys/kernel/btf/vmlinux types\n");
	tap_ok(facts.stolen_percent == 5, "stolen time: %g %% is 5", facts.stolen_percent);
	tap_ok(facts.ring.disabled == 2 && !facts.ring.is_filtered, "io_uring: disabled");
	tap_ok(facts.stages.has_types, "type information");
	snprintf(command, sizeof(command), "printf 'Name:\\tx\\nSeccomp:\\t2\\n' "
		 ">'%s/proc/self/status'", root);
	tap_ok(system(command) == 0, "another status");
	put("proc/stat cpu  0 0 0 0 0 0 0 0 0 0\n");
	tap_ok(facts.stolen_percent < 0, "no time at all: not known");
	tap_ok(facts.ring.is_filtered, "io_uring: a filter");
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	tap_ok(system(command) == 0, "the folder is removed");
	return tap_done();
}
