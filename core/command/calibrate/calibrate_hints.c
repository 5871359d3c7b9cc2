/* SPDX-License-Identifier: MIT */
/*
 * Finds the hints that contradict a rate. Pure arithmetic. No hint is taken as
 * true, and no rate is computed from one.
 */
#include "command/calibrate/calibrate_hints.h"

#include <math.h>

#include "clock/clock.h"
#include "clock/kernel_rate.h"
#include "machine/steering.h"

/* NTP steers by at most this much (MAXFREQ). A crystal, or the kernel's
 * measurement of one, that is farther off than this is faulty. */
#define MAX_STEERING_PPB	(TW_NTP_FREQUENCY_PPM * 1000)

/* Return how far off the rate can be. The kernel's own rate is exact: it was compared
 * with the samples and with a witness. */
static double rate_error_ppb(const struct tw_rate *rate)
{
	return rate->source == TW_RATE_KERNEL ? 0 : rate->bound_ppb;
}

/* Return half a step of the multiplier that the kernel computes from this
 * rate. */
static double multiplier_ppb(double hz)
{
	struct tw_kernel_rate kernel;

	if (!(hz >= TW_MIN_HZ && hz <= TW_MAX_HZ) ||
	    tw_kernel_rate_of_khz((uint32_t)(hz / 1000), &kernel))
		return 0;
	return 0.5e9 / kernel.mult;
}

struct hints {
	const struct tw_rate *rate;
	struct tw_hint *hint;
	unsigned count;
};

/* @own_ppb: the largest difference that the hint's own resolution or error
 * explains. */
static void add(struct hints *hints, const char *name, double hz,
		double own_ppb)
{
	struct tw_hint *hint;

	if (!(hz > 0))
		return;
	hint = &hints->hint[hints->count++];
	hint->name = name;
	hint->hz = hz;
	hint->difference_ppb = (hz / hints->rate->hz - 1) * 1e9;
	hint->explained_ppb = own_ppb + multiplier_ppb(hints->rate->hz) +
			      rate_error_ppb(hints->rate);
	hint->contradicts = fabs(hint->difference_ppb) > hint->explained_ppb;
}

/* @off_khz: how far the hint can be off. A rate that was truncated to whole kHz
 * is up to 1 kHz too low. A rate that the kernel itself keeps in kHz is
 * rounded. */
static void add_khz(struct hints *hints, const char *name, uint64_t khz,
		    double off_khz)
{
	if (khz)
		add(hints, name, (double)khz * 1000, off_khz / (double)khz * 1e9);
}

unsigned tw_hints_compare(const struct tw_machine *machine,
			  const struct tw_rate *rate, struct tw_hint *hint)
{
	struct hints hints = { .rate = rate, .hint = hint };

	add_khz(&hints, "cpuid", machine->cpuid_khz, 1);
	add_khz(&hints, "hypervisor", machine->hypervisor_khz, 1);
	add_khz(&hints, "perf_page", machine->perf_page_khz, 0.5);
	add_khz(&hints, "cpuinfo", machine->cpuinfo_khz, 0.5);
	add_khz(&hints, "kernel_log", machine->kernel_log_khz, 0.5);
	add(&hints, "declared_frequency", (double)machine->declared_hz,
	    machine->declared_hz ? 0.5e9 / (double)machine->declared_hz : 0);
	/* The host's rate is in true seconds, RAW's need not be. Only a
	 * difference that no crystal explains is a contradiction. */
	add(&hints, "vmclock", machine->vmclock_hz,
	    machine->vmclock_error_ppb + MAX_STEERING_PPB);
	return hints.count;
}
