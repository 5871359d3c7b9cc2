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

unsigned tw_hints_compare(const struct tw_machine *machine,
			  const struct tw_rate *rate, struct tw_hint *hint)
{
	/* A rate that was truncated to whole kHz is up to 1 kHz too low. One that the kernel itself
	 * keeps in kHz is rounded. */
	const struct {
		const char *name;
		double hz, off_hz;	/* by its own resolution, at most */
		double off_ppb;
	} stated[TW_HINTS] = {
		{ "cpuid", 1e3 * (double)machine->cpuid_khz, 1000, 0 },
		{ "hypervisor", 1e3 * (double)machine->hypervisor_khz, 1000, 0 },
		{ "perf_page", 1e3 * (double)machine->perf_page_khz, 500, 0 },
		{ "cpuinfo", 1e3 * (double)machine->cpuinfo_khz, 500, 0 },
		{ "kernel_log", 1e3 * (double)machine->kernel_log_khz, 500, 0 },
		{ "declared_frequency", (double)machine->declared_hz, 0.5, 0 },
		/* The host's rate is in true seconds, RAW's need not be. Only a difference that no
		 * crystal explains is a contradiction. */
		{ "vmclock", machine->vmclock_hz, 0, machine->vmclock_error_ppb + MAX_STEERING_PPB },
	};
	/* The kernel's own rate is exact: it was compared with the samples and with a witness. */
	const double rate_ppb = rate->source == TW_RATE_KERNEL ? 0 : rate->bound_ppb;
	unsigned count = 0;

	for (size_t i = 0; i < TW_HINTS; i++) {
		const double hz = stated[i].hz;
		double ppb, explained_ppb;

		if (!(hz > 0))
			continue;
		ppb = (hz / rate->hz - 1) * 1e9;
		explained_ppb = stated[i].off_hz / hz * 1e9 + stated[i].off_ppb +
				multiplier_ppb(rate->hz) + rate_ppb;
		hint[count++] = (struct tw_hint) {
			stated[i].name, hz, ppb, explained_ppb, fabs(ppb) > explained_ppb,
		};
	}
	return count;
}
