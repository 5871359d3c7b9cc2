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

void tw_processor_read(struct tw_processor_facts *facts);

/* Return the hypervisor's name for a signature of CPUID, or the signature if it is not
 * known. Pages show the name, JSON the signature. Pure. */
const char *tw_hypervisor_name(const char *signature);

#endif
