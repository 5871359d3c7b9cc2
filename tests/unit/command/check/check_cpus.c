/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs tickwise check judged, and why not each of the others. Fails if an
 * affinity mask is called a cpuset, or if a CPU is in two lists or in none. Fails
 * also if hot-plug slots without a CPU count, or if a page claims one judged CPU of
 * several.
 */
#include <stdio.h>
#include <string.h>

#include "command/check/check.h"
#include "tap.h"

static unsigned refused_from;	/* CPUs from here on refuse threads */

static int may_pin(unsigned cpu)
{
	return cpu < refused_from;
}

static struct tw_cpu_offset pairs[] = {
	{ .base_cpu = 0, .cpu = 1 }, { .base_cpu = 0, .cpu = 3 }, { .base_cpu = 1, .cpu = 3 },
};

static const struct {
	const char *what;
	const char *present, *online, *cpuset, *allowed;	/* NULL: unknown */
	struct tw_reliability result;
	unsigned refused_from;
	const char *should;
} cases[] = {
	{ "every reason", "0-9", "0-8", "0-6", "0-5",
	  { .cpus = 3, .cpus_skipped = 3, .pairs = 3, .offsets = pairs }, 5,
	  "judged 0-1,3; offline 9; offline 9; cpuset 7-8; affinity 6; pin 5; lost 2,4; " },
	{ "no cpuset known: nobody is blamed", "0-9", "0-8", NULL, "0-5",
	  { .cpus = 3, .cpus_skipped = 3, .pairs = 3, .offsets = pairs }, 5,
	  "judged 0-1,3; offline 9; offline 9; not_allowed 6-8; pin 5; lost 2,4; " },
	{ "one CPU allowed, and judged", "0-3", "0-3", "0-3", "2", { .cpus = 1 }, 4,
	  "judged 2; affinity 0-1,3; " },
	{ "one of four: not known which", "0-3", "0-3", "0-3", "0-3",
	  { .cpus = 1, .cpus_skipped = 3 }, 4, "" },
	{ "unless it is the only one possible", "0-3", "0-3", "0-3", "0-3",
	  { .cpus = 1, .cpus_skipped = 3 }, 1, "judged 0; pin 1-3; " },
};

static void print(FILE *out, const char *name, const struct tw_cpu_list *list)
{
	if (!list->known || !tw_cpu_list_count(list))
		return;
	fprintf(out, "%s ", name);
	tw_cpu_list_print(list, out);
	fputs("; ", out);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_check_cpus cpus = { 0 };
		char text[256] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");

		tw_cpu_list_parse(&cpus.machine.present, cases[i].present);
		tw_cpu_list_parse(&cpus.machine.online, cases[i].online);
		if (cases[i].cpuset)
			tw_cpu_list_parse(&cpus.machine.cpuset, cases[i].cpuset);
		tw_cpu_list_parse(&cpus.machine.allowed, cases[i].allowed);
		refused_from = cases[i].refused_from;
		tw_check_cpus_find(&cpus, &cases[i].result, may_pin);
		print(out, "judged", &cpus.judged);
		print(out, "offline", &cpus.offline);
		for (int skip = 0; skip < TW_CHECK_SKIPS; skip++)
			print(out, tw_check_skips[skip].code, &cpus.skipped[skip]);
		fclose(out);
		if (!tap_ok(strcmp(text, cases[i].should) == 0, "%s", cases[i].what))
			tap_note("is '%s'", text);
	}
	return tap_done();
}
