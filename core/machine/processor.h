/* SPDX-License-Identifier: MIT */
/*
 * What the processor tells about its counter. Internal.
 */
#ifndef TW_MACHINE_PROCESSOR_H
#define TW_MACHINE_PROCESSOR_H

#include <stdint.h>

/* Facts from the processor, or from its firmware; as in struct tw_machine. */
struct tw_processor_facts {
	char processor[64];
	char hypervisor[16];
	int invariant;
	int has_read_with_cpu;
	uint64_t cpuid_khz;
	uint64_t hypervisor_khz;
	uint64_t declared_hz;
};

/* Read the facts. A processor whose header in counter/ defines
 * TW__PROCESSOR_TELLS has its own file for this; the others share other.c. */
void tw_processor_read(struct tw_processor_facts *facts);

#endif
