/* SPDX-License-Identifier: MIT */
/*
 * What the processor says about its counter. Internal.
 */
#ifndef TW_MACHINE_PROCESSOR_H
#define TW_MACHINE_PROCESSOR_H

#include <stdint.h>

/* What the processor, or the firmware for it, says; as in struct tw_machine. */
struct tw_processor_facts {
	char processor[64];
	char hypervisor[16];
	int invariant;
	int has_read_with_cpu;
	uint64_t cpuid_khz;
	uint64_t hypervisor_khz;
	uint64_t declared_hz;
};

/* In a file of the processor's own if its header in counter/ defines
 * TW__PROCESSOR_TELLS, else in other.c. */
void tw_processor_read(struct tw_processor_facts *facts);

#endif
