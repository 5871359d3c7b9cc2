/* SPDX-License-Identifier: MIT */
/*
 * Hints contradict a rate if they are farther off than their resolution and the
 * rate's own error explain, and not before.
 *
 * Fails if steering is not taken out, if the sign is wrong, if a whole kHz is taken
 * for exact, or if a rate that is only measured contradicts others.
 */
#include <math.h>
#include <string.h>

#include "command/calibrate/calibrate_hints.h"
#include "tap.h"

/* Return the kernel's 2599998 kHz: 54 ppb above, by the multiplier. */
static struct tw_rate kernel_rate(void)
{
	return (struct tw_rate) {
		.hz = 1e9 * 0x1p24 / 6452780, .source = TW_RATE_KERNEL,
		.bound_ppb = 2000, .kernel_mult = 6452780, .kernel_shift = 24,
	};
}

static struct tw_hint only_hint(const struct tw_machine *machine,
				const struct tw_rate *rate)
{
	struct tw_hint hints[TW_HINTS] = { { .name = "none" } };

	if (tw_hints_compare(machine, rate, hints) != 1)
		return (struct tw_hint) { .name = "not one" };
	return hints[0];
}

static void check(const char *name, const struct tw_hint *hint,
		  double difference_ppb, double explained_ppb, int contradicts)
{
	tap_ok(strcmp(hint->name, name) == 0 &&
	       fabs(hint->difference_ppb - difference_ppb) < 1 &&
	       fabs(hint->explained_ppb - explained_ppb) < 1 &&
	       hint->contradicts == contradicts,
	       "%s: %+.1f ppb off, %.1f explained: %s", hint->name,
	       hint->difference_ppb, hint->explained_ppb,
	       hint->contradicts ? "contradicts" : "agrees");
}

/* Half a kHz are 192.3 ppb, half a step of the multiplier 77.5. */
static void whole_khz(void)
{
	struct tw_rate rate = kernel_rate();
	struct tw_machine machine = { .perf_page_khz = 2599998 };
	struct tw_hint hint = only_hint(&machine, &rate);

	check("perf_page", &hint, -54, 269.8, 0);
	machine.perf_page_khz++;
	hint = only_hint(&machine, &rate);
	check("perf_page", &hint, 330.6, 269.8, 1);
	/* The writer of the leaf cut it off: the rate may be almost one more. */
	machine = (struct tw_machine) { .cpuid_khz = 2599997 };
	hint = only_hint(&machine, &rate);
	check("cpuid", &hint, -438.6, 462.1, 0);
	machine.cpuid_khz = 2600000;
	hint = only_hint(&machine, &rate);
	check("cpuid", &hint, 715.2, 462.1, 1);
}

static void steered(void)
{
	struct tw_machine machine = { .kernel_log_khz = 2599998 };
	struct tw_rate rate = kernel_rate();
	struct tw_hint hint;

	rate.source = TW_RATE_KERNEL_STEERED;
	rate.against = TW_AGAINST_MONOTONIC;
	rate.steering_ppb = 100000;
	rate.hz /= 1 + rate.steering_ppb / 1e9;
	hint = only_hint(&machine, &rate);
	check("kernel_log", &hint, -54, 269.8, 0);
}

static void measured(void)
{
	struct tw_machine machine = { .cpuinfo_khz = 2600000 };
	struct tw_rate rate = kernel_rate();
	struct tw_hint hint;

	rate.source = TW_RATE_REGRESSION;
	hint = only_hint(&machine, &rate);
	check("cpuinfo", &hint, 715.2, 2269.8, 0);
	rate.bound_ppb = 100;
	hint = only_hint(&machine, &rate);
	check("cpuinfo", &hint, 715.2, 369.8, 1);
	/* The steering is not known then. */
	rate.against = TW_AGAINST_MONOTONIC;
	hint = only_hint(&machine, &rate);
	check("cpuinfo", &hint, 715.2, 500369.8, 0);
	rate = kernel_rate();
	rate.source = TW_RATE_KERNEL_PROVISIONAL;
	hint = only_hint(&machine, &rate);
	check("cpuinfo", &hint, 715.2, 2269.8, 0);
}

static void true_seconds(void)
{
	struct tw_rate rate = kernel_rate();
	struct tw_machine machine = {
		.vmclock_hz = rate.hz * (1 + 20e-6), .vmclock_error_ppb = 15,
	};
	struct tw_hint hint = only_hint(&machine, &rate);

	check("vmclock", &hint, 20000, 500092.5, 0);
	machine.vmclock_hz = rate.hz * (1 - 600e-6);
	hint = only_hint(&machine, &rate);
	check("vmclock", &hint, -600000, 500092.5, 1);
}

static void how_many(void)
{
	struct tw_machine machine = { .vmclock_hz = 0 };
	struct tw_hint hints[TW_HINTS];
	struct tw_rate rate = kernel_rate();

	tap_ok(tw_hints_compare(&machine, &rate, hints) == 0,
	       "what nobody says is no hint");
	machine = (struct tw_machine) {
		.cpuid_khz = 1, .hypervisor_khz = 1, .perf_page_khz = 1,
		.cpuinfo_khz = 1, .kernel_log_khz = 1, .declared_hz = 1,
		.vmclock_hz = 1,
	};
	tap_ok(tw_hints_compare(&machine, &rate, hints) == TW_HINTS,
	       "there is room for all");
}

int main(void)
{
	whole_khz();
	steered();
	measured();
	true_seconds();
	how_many();
	return tap_done();
}
