/* SPDX-License-Identifier: MIT */
/*
 * Hints contradict a rate if they are farther off than their resolution and the
 * rate's own error explain, and not before.
 *
 * Fails if the sign is wrong, if a whole kHz is taken for exact, or if a rate that is only measured contradicts others.
 */
#include <math.h>
#include <string.h>

#include "command/calibrate/calibrate_hints.h"
#include "tap.h"

/* The kernel's 2599998 kHz: 54 ppb above, by the multiplier. */
#define KERNEL_HZ	(1e9 * 0x1p24 / 6452780)

/* Half a kHz are 192.3 ppb, half a step of the multiplier 77.5. */
static const struct {
	const char *name;
	struct tw_machine machine;
	enum tw_rate_source source;
	double bound_ppb;
	double difference_ppb, explained_ppb;
	int contradicts;
} cases[] = {
	{ "perf_page", { .perf_page_khz = 2599998 }, TW_RATE_KERNEL, 2000,
	  -54, 269.8, 0 },
	{ "perf_page", { .perf_page_khz = 2599999 }, TW_RATE_KERNEL, 2000,
	  330.6, 269.8, 1 },
	/* The writer of the leaf cut it off: the rate may be almost one more. */
	{ "cpuid", { .cpuid_khz = 2599997 }, TW_RATE_KERNEL, 2000,
	  -438.6, 462.1, 0 },
	{ "cpuid", { .cpuid_khz = 2600000 }, TW_RATE_KERNEL, 2000,
	  715.2, 462.1, 1 },
	{ "hypervisor", { .hypervisor_khz = 2599997 }, TW_RATE_KERNEL, 2000,
	  -438.6, 462.1, 0 },
	{ "kernel_log", { .kernel_log_khz = 2599998 }, TW_RATE_KERNEL, 2000, -54, 269.8, 0 },
	/* Half a Hz is its own error. */
	{ "declared_frequency", { .declared_hz = 2599998000 }, TW_RATE_KERNEL,
	  2000, -54, 77.7, 0 },
	{ "cpuinfo", { .cpuinfo_khz = 2600000 }, TW_RATE_REGRESSION, 2000,
	  715.2, 2269.8, 0 },
	{ "cpuinfo", { .cpuinfo_khz = 2600000 }, TW_RATE_REGRESSION, 100,
	  715.2, 369.8, 1 },
	{ "cpuinfo", { .cpuinfo_khz = 2600000 }, TW_RATE_KERNEL_PROVISIONAL,
	  2000, 715.2, 2269.8, 0 },
	/* In true seconds. */
	{ "vmclock", { .vmclock_hz = KERNEL_HZ * (1 + 20e-6), .vmclock_error_ppb = 15 },
	  TW_RATE_KERNEL, 2000, 20000, 500092.5, 0 },
	{ "vmclock", { .vmclock_hz = KERNEL_HZ * (1 - 600e-6), .vmclock_error_ppb = 15 },
	  TW_RATE_KERNEL, 2000, -600000, 500092.5, 1 },
};

int main(void)
{
	struct tw_hint hints[TW_HINTS];
	const struct tw_rate any = { .hz = KERNEL_HZ, .source = TW_RATE_KERNEL };
	const struct tw_machine none = { .vmclock_hz = 0 }, all = {
		.cpuid_khz = 1, .hypervisor_khz = 1, .perf_page_khz = 1, .cpuinfo_khz = 1,
		.kernel_log_khz = 1, .declared_hz = 1, .vmclock_hz = 1,
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_rate rate = {
			.hz = KERNEL_HZ, .source = cases[i].source,
			.bound_ppb = cases[i].bound_ppb,
			.kernel_mult = 6452780, .kernel_shift = 24,
		};
		struct tw_hint hint;

		tap_is_u64(tw_hints_compare(&cases[i].machine, &rate, hints), 1, "one hint");
		hint = hints[0];
		tap_ok(strcmp(hint.name, cases[i].name) == 0 &&
		       fabs(hint.difference_ppb - cases[i].difference_ppb) < 1 &&
		       fabs(hint.explained_ppb - cases[i].explained_ppb) < 1 &&
		       hint.contradicts == cases[i].contradicts,
		       "%s: %+.1f ppb off, %.1f explained: %s", hint.name,
		       hint.difference_ppb, hint.explained_ppb,
		       hint.contradicts ? "contradicts" : "agrees");
	}
	tap_is_u64(tw_hints_compare(&none, &any, hints), 0, "what nobody says is no hint");
	tap_is_u64(tw_hints_compare(&all, &any, hints), TW_HINTS, "there is room for all");
	return tap_done();
}
