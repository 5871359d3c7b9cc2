/* SPDX-License-Identifier: MIT */
/*
 * What the processor tells about its counter. Internal.
 */
#ifndef TW_MACHINE_PROCESSOR_H
#define TW_MACHINE_PROCESSOR_H

#include "tickwise.h"

/* Set what the processor or its firmware tells. The rest of @facts becomes 0. */
void tw_processor_read(struct tw_machine *facts);

/* Return the hypervisor's name for a signature of CPUID, or the signature if it is not
 * known. Pages show the name, JSON the signature. Pure. */
const char *tw_hypervisor_name(const char *signature);

#endif
