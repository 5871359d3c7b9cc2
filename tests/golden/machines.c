/* SPDX-License-Identifier: MIT */
/*
 * The recorded machines, modelled on real ones. Together they have each reason,
 * refusal, warning and hint that a page can show. See recorded.h.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "recorded.h"

#define KIB	((size_t)1 << 10)
#define MIB	((size_t)1 << 20)
#define GIB	((uint64_t)1 << 30)

#define NO_LOW	(-INT64_MAX)

#define GOOD_COUNTER \
	{ .state = TW_COUNTER_OK, .read_cost_ns = 9.5, .step_ns = 0.38, \
	  .clock_cost_ns = 24.25, .call_cost_ns = 105.5 }

#define GOOD_MACHINE \
	.processor = "Recorded(R) CPU @ 2.60GHz", .clocksource = "tsc", \
	.clocksources = "tsc hpet acpi_pm", .invariant = 1, \
	.has_read_with_cpu = 1, .cpus_allowed = 4, .cpus_online = 4, \
	.cpus_configured = 4, .ntp_synchronized = 1, \
	.ntp_steering_ppb = -12345.5

/* The kernel's own multiplier is 12905561 / 2^25. */
#define KERNEL_RATE \
	.hz = 2599997938.873018, .bound_ppb = 41.25, .kernel_mult = 12905561, \
	.kernel_shift = 25, .window_ns = 1000123456, .samples = 123456, \
	.used = 65432, .bracket_ticks = 52, .measured_hz = 2599997940.25, \
	.measured_uncertainty_ppb = 0.75, .low_hz = 2599997850.5, \
	.high_hz = 2599998050.5

#define CACHES \
	.cache_count = 3, .caches = { { 1, 48 * KIB, 64, 2 }, \
		{ 2, 2 * MIB, 64, 2 }, { 3, 32 * MIB, 64, 8 } }, \
	.nodes = 1, .available_bytes = 16 * GIB, .cpus_online = 4

#define PAIR(at, low, high) \
	{ .cpu = (at), .low_ticks = (low), .high_ticks = (high), .bounds = 9, \
	  .pace_low_ppb = -420.5, .pace_high_ppb = 380.25 }

const struct recorded_machine recorded_machines[] = {
	/* Nothing is wrong. */
	{
		.name = "reliable",
		.counter = GOOD_COUNTER,
		.reliability = {
			.verdict = TW_RELIABLE, .cpus = 4, .pairs = 3,
			.offset_low_ticks = -182, .offset_high_ticks = 206,
			.monotonic = 1, .probes = 812345, .switches = 204567,
			.full_loops = 1234, .pace_low_ppb = -420.5,
			.pace_high_ppb = 380.25, .elapsed_ns = 30412345,
			.hz = 2599998123.5, .read_cost_ns = 9.5,
			.step_ticks = 2,
		},
		.offsets = { PAIR(1, -182, 120), PAIR(2, -90, 206),
			     PAIR(3, -12, 30) },
		.cpus = { "0-3", "0-3", "0-3", "0-3" },
		.rate = { KERNEL_RATE, .source = TW_RATE_KERNEL,
			  .witness = TW_WITNESS_CPUID },
		.machine = { GOOD_MACHINE, .cpuid_khz = 2599998,
			     .perf_page_khz = 2599998,
			     .kernel_log_khz = 2599998 },
		CACHES,
	},
	/*
	 * A guest whose CPUs are apart, have different rates, and go backwards.
	 * What its hypervisor declares contradicts what it measures.
	 */
	{
		.name = "unreliable",
		.counter = { .state = TW_COUNTER_TRAPPED, .read_cost_ns = 1250.5,
			     .step_ns = 1, .clock_cost_ns = 1900.75,
			     .call_cost_ns = 2000.5, .clock_is_call = 1,
			     .emulated = 1 },
		.reliability = {
			.verdict = TW_UNRELIABLE,
			.reasons = TW_REASON_OFFSET | TW_REASON_PACE |
				   TW_REASON_BACKWARDS | TW_REASON_CLOCKSOURCE |
				   TW_REASON_NOT_INVARIANT,
			.cpus = 3, .pairs = 2, .offset_low_ticks = -1200345,
			.offset_high_ticks = 99810, .backwards = 321,
			.probes = 54321, .switches = 12345, .full_loops = 77,
			.pace_low_ppb = -1003000.25, .pace_high_ppb = 2500.5,
			.elapsed_ns = 130000000, .hz = 3000123456.0,
			.read_cost_ns = 1250.5, .step_ticks = 1,
		},
		.offsets = {
			{ 0, 1, 98000, 99810, 17, 1500.25, 2500.5 },
			{ 0, 2, -1200345, -1199000, 3, -1003000.25, -990000.5 },
		},
		.cpus = { "0-7", "0-5", "0-2", "0-3" },
		.rate = {
			.hz = 3000123456.789, .uncertainty_ppb = 85.25,
			.bound_ppb = 1234.5, .source = TW_RATE_REGRESSION,
			.refusal = TW_REFUSED_CLOCKSOURCE |
				   TW_REFUSED_NO_CANDIDATE | TW_REFUSED_GAPS,
			.window_ns = 20001234, .samples = 321, .used = 99,
			.bracket_ticks = 5200, .measured_hz = 3000123456.789,
			.measured_uncertainty_ppb = 85.25,
			.low_hz = 3000120000.5, .high_hz = 3000127000.5,
		},
		.machine = {
			.processor = "Recorded Guest\tCPU", .hypervisor =
			"KVMKVMKVM", .clocksource = "kvm-clock",
			.clocksources = "kvm-clock tsc hpet", .invariant = 1,
			.cpus_allowed = 3, .cpus_online = 6,
			.cpus_configured = 8, .cpuid_khz = 2900000,
			.hypervisor_khz = 2999999, .cpuinfo_khz = 3000000,
			.kernel_log_khz = 2400000, .declared_hz = 1000000000,
			.perf_page_khz = 3000123, .vmclock_hz = 3000100000.5,
			.vmclock_error_ppb = 120.5, .ntp_steering_ppb = 500.5,
		},
		.cache_count = 2, .caches = { { 1, 32 * KIB, 64, 1 },
			{ 2, 16 * MIB, 64, 0 } },
		.nodes = 2, .available_bytes = GIB, .cpus_online = 6,
	},
	/* A disturbed machine: bounds are missing, CPUs took no part. */
	{
		.name = "undecided",
		.counter = { .state = TW_COUNTER_COARSE, .read_cost_ns = 30.5,
			     .step_ns = 120.5, .clock_cost_ns = 60.25,
			     .call_cost_ns = 250, .time_namespace = 1,
			     .monotonic_offset_ns = -5000000000,
			     .boottime_offset_ns = 7000000001 },
		.reliability = {
			.verdict = TW_UNDECIDED,
			.reasons = TW_REASON_TOLERANCE | TW_REASON_STATISTICS |
				   TW_REASON_CPUS_SKIPPED,
			.cpus = 2, .cpus_skipped = 2, .pairs = 1,
			.offset_low_ticks = NO_LOW, .offset_high_ticks = 5000,
			.monotonic = 1, .probes = 40, .switches = 33,
			.full_loops = 1, .pace_low_ppb = -INFINITY,
			.pace_high_ppb = INFINITY, .elapsed_ns = 530000000,
			.hz = 1000000000, .read_cost_ns = 30.5,
			.step_ticks = 120.5,
		},
		.offsets = { { 0, 1, NO_LOW, 5000, 1, -INFINITY, INFINITY } },
		.cpus = { "0-4", "0-3", "0-3", NULL },
		.pin_fails_from_cpu = 3,
		.rate = { KERNEL_RATE, .source = TW_RATE_KERNEL_PROVISIONAL,
			  .refusal = 0 },
		.machine = { .clocksource = "", .invariant = -1,
			     .cpus_allowed = 4, .cpus_online = 4,
			     .cpus_configured = 5, .ntp_synchronized = -1 },
		.nodes = 1, .cpus_online = 4,
	},
	/* Bounds exist, but are too wide. */
	{
		.name = "too_wide",
		.counter = GOOD_COUNTER,
		.reliability = {
			.verdict = TW_UNDECIDED, .reasons = TW_REASON_TOLERANCE,
			.cpus = 4, .pairs = 3, .offset_low_ticks = -2600,
			.offset_high_ticks = 5200, .monotonic = 1,
			.probes = 8123, .switches = 2045, .full_loops = 12,
			.pace_low_ppb = -120420.5, .pace_high_ppb = 80380.25,
			.elapsed_ns = 530412345, .hz = 2600000000,
			.read_cost_ns = 9.5, .step_ticks = 2,
		},
		.offsets = { PAIR(1, -2600, 120), PAIR(2, -90, 5200),
			     PAIR(3, -12, 30) },
		.cpus = { "0-3", "0-3", "0-3", "0-3" },
		.rate = { .hz = 2599998000.0, .uncertainty_ppb = 12.5,
			  .bound_ppb = 41.25, .refusal = TW_REFUSED_BY_CALLER,
			  .window_ns = 1000123456, .samples = 123456,
			  .used = 65432, .bracket_ticks = 52,
			  .measured_hz = 2599998000.0,
			  .measured_uncertainty_ppb = 12.5,
			  .low_hz = 2599997900.5, .high_hz = 2599998100.5,
			  .source = TW_RATE_REGRESSION },
		.machine = { GOOD_MACHINE },
		CACHES,
	},
	/* One CPU, and a rate that only the samples confirm. */
	{
		.name = "one_cpu",
		.counter = GOOD_COUNTER,
		.reliability = {
			.verdict = TW_RELIABLE, .reasons = TW_REASON_ONE_CPU,
			.cpus = 1, .monotonic = 1, .probes = 8123,
			.elapsed_ns = 1412345, .hz = 2600000000,
			.read_cost_ns = 9.5, .step_ticks = 2,
		},
		.cpus = { "0-3", "0-3", "2", "0-2" },
		.rate = { KERNEL_RATE, .source = TW_RATE_KERNEL,
			  .witness = TW_WITNESS_BOUND },
		.machine = { GOOD_MACHINE, .hypervisor = "Recorded" },
		CACHES,
	},
	/* Twenty CPUs: more pairs than the page shows, and a list that is cut. */
	{
		.name = "many_cpus",
		.counter = GOOD_COUNTER,
		.reliability = {
			.verdict = TW_RELIABLE, .cpus = 19, .pairs = 18,
			.offset_low_ticks = -21, .offset_high_ticks = 40,
			.monotonic = 1, .probes = 812345, .switches = 204567,
			.full_loops = 1234, .pace_low_ppb = -420.5,
			.pace_high_ppb = 380.25, .elapsed_ns = 30412345,
			.hz = 2599998123.5, .read_cost_ns = 9.5,
			.step_ticks = 2,
		},
		.offsets = { PAIR(2, -4, 40), PAIR(4, -21, 12), PAIR(6, -3, 5),
			PAIR(8, -3, 5), PAIR(10, -3, 5), PAIR(12, -3, 5),
			PAIR(14, -3, 5), PAIR(16, -3, 5), PAIR(18, -3, 5),
			PAIR(20, -3, 5), PAIR(22, -3, 5), PAIR(24, -3, 5),
			PAIR(26, -3, 5), PAIR(28, -3, 5), PAIR(30, -3, 5),
			PAIR(32, -3, 5), PAIR(34, -3, 5), PAIR(36, -3, 5) },
		.cpus = { "0-39", "0-39",
			  "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36",
			  "0-39" },
		.rate = { KERNEL_RATE, .source = TW_RATE_KERNEL,
			  .witness = TW_WITNESS_PERF },
		.machine = { GOOD_MACHINE },
		/* Four times this cache is more than memlat measures. */
		.cache_count = 1, .caches = { { 3, 512 * MIB, 64, 8 } },
		.nodes = 1, .available_bytes = 16 * GIB, .cpus_online = 4,
	},
	/* Other processes have the CPUs all the time. */
	{
		.name = "busy",
		.counter = GOOD_COUNTER,
		.reliability_error = -EAGAIN,
		.rate = { KERNEL_RATE, .source = TW_RATE_KERNEL },
		CACHES,
	},
	/* The same; the calibration notices it, too. */
	{
		.name = "too_busy",
		.counter = GOOD_COUNTER,
		.reliability_error = -EAGAIN,
		.rate_error = -EAGAIN,
		CACHES,
	},
	/* This process may not read the counter. */
	{
		.name = "disabled",
		.counter = { .state = TW_COUNTER_DISABLED, .time_namespace = -1 },
		.reliability_error = -ENOTSUP,
		.rate_error = -ENOTSUP,
		CACHES,
	},
	/* The counter and the system clock disagree, from one moment to the next. */
	{
		.name = "unsteady",
		.counter = GOOD_COUNTER,
		.reliability_error = -ENOMEM,
		.rate_error = -EIO,
		CACHES,
	},
	{ .name = NULL },
};
