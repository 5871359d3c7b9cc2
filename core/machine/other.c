/* SPDX-License-Identifier: MIT */
/*
 * The facts of processors that know no more about their counter than the device
 * tree: Power and RISC-V.
 */
#include "processor.h"

#include <string.h>

#include "device_tree.h"

#if !defined(__x86_64__) && !defined(__aarch64__)

/*
 * The rate is constant: RISC-V's execution environment should keep it so "within
 * a small error bound" (Unprivileged ISA, Zicntr), and Power's platforms give a
 * single number for it that the kernel keeps time by.
 */
void tw_processor_read(struct tw_processor_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	facts->invariant = 1;
	facts->declared_hz = tw_device_tree_hz(TW_DEVICE_TREE);
}

#endif
