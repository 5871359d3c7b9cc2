/* SPDX-License-Identifier: MIT */
/*
 * What a hypervisor is called. Internal.
 */
#ifndef TW_MACHINE_HYPERVISOR_H
#define TW_MACHINE_HYPERVISOR_H

/* By its signature in CPUID, which is the answer where it is not known. Pure. */
const char *tw_hypervisor_name(const char *signature);

#endif
