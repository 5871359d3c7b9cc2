/* SPDX-License-Identifier: MIT */
/*
 * Reads what an Arm processor tells about its counter: CNTFRQ_EL0, which
 * firmware fills in (Arm Architecture Reference Manual, DDI 0487). If the
 * register is empty or wrong, the device tree has the frequency. The kernel
 * prefers the device tree, and so does this file.
 */
#include "device_tree.h"
#include "processor.h"

#if defined(__aarch64__)

#include <string.h>

static uint64_t register_hz(void)
{
	uint64_t hz;

	__asm__ __volatile__("mrs %0, cntfrq_el0" : "=r"(hz));
	/* The upper half is reserved. */
	return hz & UINT32_MAX;
}

void tw_processor_read(struct tw_processor_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	/* The architecture requires one fixed frequency at any speed of the
	 * cores. */
	facts->invariant = 1;
	facts->declared_hz =
		tw_device_tree_number(TW_DEVICE_TREE "/timer/clock-frequency");
	if (!facts->declared_hz)
		facts->declared_hz = register_hz();
}

#endif
