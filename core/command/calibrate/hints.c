/* SPDX-License-Identifier: MIT */
/*
 * Which hints contradict a rate. Pure arithmetic; nothing here is believed,
 * and no rate is made of a hint.
 */
#include "command/calibrate/calibrate.h"

#include <math.h>

#include "clock/kernel_rate.h"
#include "clock/scale.h"
#include "machine/steering.h"

/* The kernel does not steer farther (MAXFREQ), and a crystal, or a kernel's
 * measurement of it, that is farther off is at fault. */
#define MAX_STEERING_PPB	(TW_NTP_FREQUENCY_PPM * 1000)

/* Ticks per second of CLOCK_MONOTONIC_RAW, which is what hints speak of. */
static double raw_hz(const struct tw_rate *rate)
{
	return rate->hz * (1 + rate->steering_ppb / 1e9);
}

/*
 * How far the rate itself can be off RAW's. A rate that is the kernel's is not;
 * it has been held against the samples and a witness.
 */
static double rate_error_ppb(const struct tw_rate *rate)
{
	switch (rate->source) {
	case TW_RATE_KERNEL:
	case TW_RATE_KERNEL_STEERED:
		return 0;
	default:
		return rate->bound_ppb + (rate->against == TW_AGAINST_RAW ?
					  0 : MAX_STEERING_PPB);
	}
}

/* Half a step of the multiplier that the kernel makes of such a rate. */
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

/* @own_ppb: what the hint's own resolution, or error, allows for. */
static void add(struct hints *hints, const char *name, double hz,
		double own_ppb)
{
	double raw = raw_hz(hints->rate);
	struct tw_hint *hint;

	if (!(hz > 0))
		return;
	hint = &hints->hint[hints->count++];
	hint->name = name;
	hint->hz = hz;
	hint->difference_ppb = (hz / raw - 1) * 1e9;
	hint->explained_ppb = own_ppb + multiplier_ppb(raw) +
			      rate_error_ppb(hints->rate);
	hint->contradicts = fabs(hint->difference_ppb) > hint->explained_ppb;
}

/* @off_khz: one that was cut off to whole kHz is up to 1 less, one that the
 * kernel itself counts in kHz is that number. */
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
	/* In true seconds, which RAW's need not be: only what no crystal
	 * explains is a contradiction. */
	add(&hints, "vmclock", machine->vmclock_hz,
	    machine->vmclock_error_ppb + MAX_STEERING_PPB);
	return hints.count;
}
