/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs tickwise check judged, and why not each of the others. Fails if an
 * affinity mask is called a cpuset, or if a CPU is in two lists or in none. Fails
 * also if hot-plug slots without a CPU count, or if a page claims one judged CPU of
 * several.
 */
#include <stdio.h>
#include <string.h>

#include "command/check/check_cpus.h"
#include "tap.h"

static unsigned refused_from;	/* CPUs from here on refuse threads */

static int may_pin(unsigned cpu)
{
	return cpu < refused_from;
}

static void lists_are(const struct tw_cpu_list *list, const char *should,
		      const char *what)
{
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	tw_cpu_list_print(list, out);
	fclose(out);
	if (!tap_ok(strcmp(text, should) == 0, "%s: %s", what, should))
		tap_note("is %s", text);
}

static struct tw_check_cpus machine(const char *present, const char *online,
				    const char *cpuset, const char *allowed)
{
	struct tw_check_cpus cpus = { 0 };

	tw_cpu_list_parse(&cpus.machine.present, present);
	tw_cpu_list_parse(&cpus.machine.online, online);
	tw_cpu_list_parse(&cpus.machine.cpuset, cpuset);
	tw_cpu_list_parse(&cpus.machine.allowed, allowed);
	return cpus;
}

static void every_reason(void)
{
	struct tw_check_cpus cpus = machine("0-9", "0-8", "0-6", "0-5");
	struct tw_cpu_offset pairs[] = {
		{ .base_cpu = 0, .cpu = 1 }, { .base_cpu = 0, .cpu = 3 },
		{ .base_cpu = 1, .cpu = 3 },
	};
	struct tw_reliability result = {
		.cpus = 3, .cpus_skipped = 3, .pairs = 3, .offsets = pairs,
	};

	refused_from = 5;
	tw_check_cpus_find(&cpus, &result, may_pin);
	lists_are(&cpus.judged, "0-1,3", "judged");
	lists_are(&cpus.skipped[TW_SKIP_LOST], "2,4", "lost");
	lists_are(&cpus.skipped[TW_SKIP_PIN], "5", "no thread may go there");
	lists_are(&cpus.skipped[TW_SKIP_AFFINITY], "6", "affinity");
	lists_are(&cpus.skipped[TW_SKIP_CPUSET], "7-8", "cpuset");
	lists_are(&cpus.skipped[TW_SKIP_OFFLINE], "9", "offline");
	lists_are(&cpus.offline, "9", "and so in the facts");
	lists_are(&cpus.skipped[TW_SKIP_NOT_ALLOWED], "", "none undecided");
	cpus.machine.cpuset.known = 0;
	tw_check_cpus_find(&cpus, &result, may_pin);
	lists_are(&cpus.skipped[TW_SKIP_NOT_ALLOWED], "6-8",
		  "no cpuset known: not allowed");
	lists_are(&cpus.skipped[TW_SKIP_AFFINITY], "", "blamed on nobody");
}

static void alone(void)
{
	struct tw_check_cpus cpus = machine("0-3", "0-3", "0-3", "2");
	struct tw_reliability result = { .cpus = 1 };

	refused_from = 4;
	tw_check_cpus_find(&cpus, &result, may_pin);
	lists_are(&cpus.judged, "2", "one CPU allowed, and judged");
	lists_are(&cpus.skipped[TW_SKIP_AFFINITY], "0-1,3", "affinity");

	cpus = machine("0-3", "0-3", "0-3", "0-3");
	result.cpus_skipped = 3;
	tw_check_cpus_find(&cpus, &result, may_pin);
	tap_ok(!cpus.judged.known, "one of four: nobody knows which");
	lists_are(&cpus.skipped[TW_SKIP_LOST], "", "so nobody is blamed");
	refused_from = 1;
	tw_check_cpus_find(&cpus, &result, may_pin);
	lists_are(&cpus.judged, "0", "unless it is the only one possible");
	lists_are(&cpus.skipped[TW_SKIP_PIN], "1-3", "the others refused");
}

int main(void)
{
	every_reason();
	alone();
	return tap_done();
}
