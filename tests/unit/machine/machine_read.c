/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's files tell is in struct tw_machine without line ends and blanks, and
 * the rest of a file is not. What adjtimex(2) tells is how much faster than RAW
 * CLOCK_MONOTONIC runs. Fails if a name keeps what is behind it: then no clocksource is this
 * counter. Fails also if a sign or a unit of the steering is wrong.
 *
 * Wraps: tw_text_file_begin
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "machine/machine.h"
#include "machine/steering.h"
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

static void steered(void)
{
	/* A tick of 1/300 s is a third of a nanosecond longer than its whole ones. */
	static const struct {
		unsigned kernel_hz;
		long tick_us, freq;
		double ppb;
	} cases[] = {
		{ 250, 10000, 0, 0 }, { 1000, 10000, 0, 0 }, { 300, 10000, 0, 100.00001 },
		{ 250, 10000, -65536, -1000 }, { 250, 10001, 32768, 100500 },
		{ 0, 9999, 0, -100000 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct tw_steering steering = {
			.kernel_hz = cases[i].kernel_hz, .user_hz = 100,
			.tick_us = cases[i].tick_us, .freq = cases[i].freq,
		};
		double ppb = tw_steering_ppb(&steering);

		tap_ok(fabs(ppb - cases[i].ppb) < 1e-6, "%u Hz, tick %ld, freq %ld: %.5f ppb",
		       cases[i].kernel_hz, cases[i].tick_us, cases[i].freq, ppb);
	}
}

static void kernel_hz(void)
{
	struct tw_steering steering;
	struct timespec tick;

	if (tw_steering_read(&steering) || clock_getres(CLOCK_MONOTONIC_COARSE, &tick) ||
	    !steering.kernel_hz)
		tap_skip("the length of the kernel's tick can't be read");
	else
		tap_is_u64((1000000000 + steering.kernel_hz / 2) / steering.kernel_hz,
			   (uint64_t)tick.tv_nsec, "the kernel's ticks have this many ns");
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
	steered();
	kernel_hz();
	return tap_done();
}
