/* SPDX-License-Identifier: MIT */
/*
 * The names of hypervisors. Internal.
 */
#ifndef TW_MACHINE_HYPERVISOR_H
#define TW_MACHINE_HYPERVISOR_H

/* Return the name for a signature of CPUID, or the signature if it is not
 * known. Pure. */
const char *tw_hypervisor_name(const char *signature);

#endif
