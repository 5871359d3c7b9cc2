/* SPDX-License-Identifier: MIT */
/*
 * Prints what the library knows about the processor and the counter, one fact on a
 * line, for tests/cross/cpuid.t.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>

#include "tickwise.h"

int main(void)
{
	struct tw_counter_facts facts = TW_SIZED(struct tw_counter_facts);
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	cpu_set_t set;
	unsigned cpu;

	tw_counter_check(&facts);
	tw_machine_read(&machine);
	sched_getaffinity(0, sizeof(set), &set);
#if defined(__x86_64__)
	/* qemu's RDTSCP says CPU 0, also where that is not allowed. */
	CPU_SET(0, &set);
#endif
	printf("state=%s\n", tw_name(TW_ENUM_COUNTER_STATE, facts.state));
	printf("emulated=%d\n", facts.emulated);
	printf("invariant=%d\n", machine.invariant);
	printf("read_with_cpu=%d\n", machine.has_read_with_cpu);
	printf("hypervisor=%s\n", machine.hypervisor);
	printf("processor=%s\n", machine.processor);
	printf("cpuid_khz=%" PRIu64 "\n", machine.cpuid_khz);
	printf("declared_hz=%" PRIu64 "\n", machine.declared_hz);
	fflush(stdout);
	if (facts.state == TW_COUNTER_ABSENT) {
		printf("rate=%d\n", tw_rate_measure(&rate, NULL));
		return 0;
	}
	tw_ticks_cpu(&cpu);
	printf("cpu_allowed=%d\n", cpu < CPU_SETSIZE && CPU_ISSET(cpu, &set));
	return 0;
}
