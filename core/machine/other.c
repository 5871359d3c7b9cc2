/* SPDX-License-Identifier: MIT */
/*
 * The facts of processors that know no more about their counter than the device
 * tree. One that knows more has a file of its own and defines TW__PROCESSOR_TELLS
 * in its header in counter/.
 */
#include "processor.h"

#include <string.h>

#include "device_tree.h"
#include "tickwise.h"

#ifndef TW__PROCESSOR_TELLS

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
