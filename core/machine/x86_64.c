/* SPDX-License-Identifier: MIT */
/*
 * Reads what CPUID tells about the time stamp counter (Intel SDM vol. 2, AMD
 * APM vol. 3). VMware proposed the hypervisor's leaves, and KVM, Xen and others
 * use them, too.
 */
#include "processor.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <string.h>

#define HYPERVISOR_LEAF		0x40000000u
#define HYPERVISOR_TIMING_LEAF	0x40000010u

struct registers {
	uint32_t a, b, c, d;
};

static struct registers cpuid(uint32_t leaf)
{
	struct registers r = { 0, 0, 0, 0 };

	__cpuid_count(leaf, 0, r.a, r.b, r.c, r.d);
	return r;
}

static void read_brand(char *brand)
{
	uint32_t leaf;
	size_t leading;

	memset(brand, 0, 49);
	for (leaf = 0; leaf < 3; leaf++) {
		struct registers r = cpuid(0x80000002u + leaf);

		memcpy(brand + 16 * leaf, &r, 16);
	}
	leading = strspn(brand, " ");
	memmove(brand, brand + leading, 49 - leading);
}

/* Return the rate; 0 if the crystal's rate is missing, as on most processors. */
static uint64_t crystal_khz(void)
{
	struct registers r = cpuid(0x15);

	if (!r.a || !r.b || !r.c)
		return 0;
	return (uint64_t)r.c * r.b / r.a / 1000;
}

static void read_hypervisor(struct tw_processor_facts *facts)
{
	struct registers r = cpuid(HYPERVISOR_LEAF);

	memcpy(facts->hypervisor, &r.b, 4);
	memcpy(facts->hypervisor + 4, &r.c, 4);
	memcpy(facts->hypervisor + 8, &r.d, 4);
	facts->hypervisor[12] = '\0';
	/* Beyond the last leaf there is garbage. Hyper-V has more leaves, but
	 * does not define this one. */
	if (r.a >= HYPERVISOR_TIMING_LEAF &&
	    strcmp(facts->hypervisor, "Microsoft Hv"))
		facts->hypervisor_khz = cpuid(HYPERVISOR_TIMING_LEAF).a;
}

void tw_processor_read(struct tw_processor_facts *facts)
{
	uint32_t last = cpuid(0).a;
	uint32_t last_extended = cpuid(0x80000000u).a;

	memset(facts, 0, sizeof(*facts));
	facts->invariant = -1;
	if (last_extended >= 0x80000001u)
		facts->has_read_with_cpu = cpuid(0x80000001u).d >> 27 & 1;
	if (last_extended >= 0x80000004u)
		read_brand(facts->processor);
	if (last_extended >= 0x80000007u)
		facts->invariant = cpuid(0x80000007u).d >> 8 & 1;
	if (last >= 0x15)
		facts->cpuid_khz = crystal_khz();
	if (cpuid(1).c >> 31 & 1)
		read_hypervisor(facts);
}

#endif
