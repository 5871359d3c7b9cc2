/* SPDX-License-Identifier: MIT */
/*
 * Reads what the machine tells about the counter's rate: which frequencies the
 * kernel can have made its multiplier from, and which witnesses name a given
 * frequency. No witness sets a rate. kernel_rate.c recognises a candidate by
 * the samples alone, and then a witness verifies it.
 */
#include "witness.h"
#include "machine/processor.h"

void tw_kernel_candidates_read(const struct tw_time_source *source,
			       struct tw_kernel_candidates *candidates)
{
	struct tw_processor_facts facts;

	if (source) {
		*candidates = (struct tw_kernel_candidates) {
			.every_khz = source->declared_hz == 0,
			.declared_hz = source->declared_hz,
		};
		return;
	}
	tw_processor_read(&facts);
	*candidates = (struct tw_kernel_candidates) {
#if defined(__x86_64__)
		.every_khz = 1,
#endif
		.declared_hz = facts.declared_hz,
	};
}

enum tw_witness tw_witness_find(uint64_t from_hz)
{
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	uint64_t khz = from_hz / 1000;

	tw_machine_read(&machine);
	if (khz * 1000 == from_hz && machine.perf_page_khz == khz)
		return TW_WITNESS_PERF;
	if (machine.declared_hz == from_hz)
		return TW_WITNESS_DECLARED;
	if (khz * 1000 != from_hz)
		return TW_WITNESS_NONE;
	if (machine.cpuid_khz == khz)
		return TW_WITNESS_CPUID;
	if (machine.hypervisor_khz == khz)
		return TW_WITNESS_HYPERVISOR;
	if (machine.cpuinfo_khz == khz)
		return TW_WITNESS_CPUINFO;
	if (machine.kernel_log_khz == khz)
		return TW_WITNESS_KERNEL_LOG;
	return TW_WITNESS_NONE;
}
