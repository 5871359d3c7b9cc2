/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's files tell is in struct tw_machine without line ends and blanks, and
 * the rest of a file is not. Fails if a name keeps what is behind it: then no clocksource
 * is this counter.
 *
 * Wraps: tw_text_file_begin
 */
#include <string.h>

#include "machine/machine.h"
#include "tap.h"
#include "text_file.h"

ssize_t __wrap_tw_text_file_begin(const char *path, char *text, size_t size);

ssize_t __wrap_tw_text_file_begin(const char *path, char *text, size_t size)
{
	const char *is = strstr(path, "current_") ? TW_COUNTER_CLOCKSOURCE "  \nnext\n" :
			 strstr(path, "available_") ? "one other \n" :
			 strstr(path, "cpuinfo") ? "cpu MHz : 2599.998\n"
			 "flags : hypervisor tsc_known_freq\n" : "";

	snprintf(text, size, "%s", is);
	return (ssize_t)strlen(text);
}

int main(void)
{
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	char name[32];

	tap_ok(!tw_machine_read(&machine) &&
	       !strcmp(machine.clocksource, TW_COUNTER_CLOCKSOURCE) &&
	       !strcmp(machine.clocksources, "one other"), "the clocksources: %s of %s",
	       machine.clocksource, machine.clocksources);
#if defined(__x86_64__)
	tap_is_u64(machine.cpuinfo_khz, 2599998, "the rate in /proc/cpuinfo");
#else
	tap_is_u64(machine.cpuinfo_khz, 0, "/proc/cpuinfo is about another clock");
#endif
	tw_read_clocksource(name, sizeof(name));
	tap_ok(tw_clocksource_is_counter(name, 0) && !tw_clocksource_is_counter(name, 1),
	       "the kernel keeps time by this counter, unless it is emulated");
	return tap_done();
}
