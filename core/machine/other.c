/* SPDX-License-Identifier: MIT */
/*
 * Reads the facts of processors that tell no more about their counter than the
 * device tree. A processor that tells more has its own file, and its header in
 * counter/ defines TW__PROCESSOR_TELLS.
 */
#include "processor.h"

#include <string.h>

#include "device_tree.h"
#include "tickwise.h"

#ifndef TW__PROCESSOR_TELLS

/*
 * Read the facts. The rate is constant: RISC-V's execution environment should
 * keep it "within a small error bound" (Unprivileged ISA, Zicntr). Power's
 * platforms name a single number, by which the kernel keeps time.
 */
void tw_processor_read(struct tw_processor_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	facts->invariant = 1;
	facts->declared_hz = tw_device_tree_hz(TW_DEVICE_TREE);
}

#endif
