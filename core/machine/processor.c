/* SPDX-License-Identifier: MIT */
/*
 * Reads what a processor tells about its counter.
 */
#include "processor.h"

#include <stddef.h>
#include <string.h>

#include "named_rates.h"

/* A signature has twelve bytes, and those after a zero byte are lost. */
const char *tw_hypervisor_name(const char *signature)
{
	static const struct { const char *signature, *name; } known[] = {
		{ "KVMKVMKVM", "KVM" }, { "Linux KVM Hv", "KVM" },
		{ "Microsoft Hv", "Hyper-V" }, { "VMwareVMware", "VMware" },
		{ "XenVMMXenVMM", "Xen" }, { "VBoxVBoxVBox", "VirtualBox" },
		{ "TCGTCGTCGTCG", "QEMU (TCG)" }, { "bhyve bhyve ", "bhyve" },
		{ "ACRNACRNACRN", "ACRN" },
		{ "prl hyperv  ", "Parallels" }, { " lrpepyh  vr", "Parallels" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(signature, known[i].signature) == 0)
			return known[i].name;
	return signature;
}

#if defined(__x86_64__)

/* CPUID (Intel SDM vol. 2, AMD APM vol. 3). VMware proposed the hypervisor's leaves, and
 * KVM, Xen and others use them, too. */
#include <cpuid.h>

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

/* The 49th byte of @brand is 0. */
static void read_brand(char *brand)
{
	size_t leading;

	for (uint32_t leaf = 0; leaf < 3; leaf++) {
		struct registers r = cpuid(0x80000002u + leaf);

		memcpy(brand + 16 * leaf, &r, 16);
	}
	leading = strspn(brand, " ");
	memmove(brand, brand + leading, 49 - leading);
}

static void read_hypervisor(struct tw_machine *facts)
{
	struct registers r = cpuid(HYPERVISOR_LEAF);

	memcpy(facts->hypervisor, (const char *)&r + sizeof(r.a), 12);
	/* Beyond the last leaf there is garbage. Hyper-V has more leaves, but
	 * does not define this one. */
	if (r.a >= HYPERVISOR_TIMING_LEAF &&
	    strcmp(facts->hypervisor, "Microsoft Hv"))
		facts->hypervisor_khz = cpuid(HYPERVISOR_TIMING_LEAF).a;
}

void tw_processor_read(struct tw_machine *facts)
{
	uint32_t last = cpuid(0).a;
	uint32_t last_extended = cpuid(0x80000000u).a;
	struct registers crystal;

	memset(facts, 0, sizeof(*facts));
	facts->invariant = -1;
	if (last_extended >= 0x80000001u)
		facts->has_read_with_cpu = cpuid(0x80000001u).d >> 27 & 1;
	if (last_extended >= 0x80000004u)
		read_brand(facts->processor);
	if (last_extended >= 0x80000007u)
		facts->invariant = cpuid(0x80000007u).d >> 8 & 1;
	/* On most processors the crystal's rate is missing. */
	crystal = last >= 0x15 ? cpuid(0x15) : (struct registers) { 0, 0, 0, 0 };
	if (crystal.a && crystal.b && crystal.c)
		facts->cpuid_khz = (uint64_t)crystal.c * crystal.b / crystal.a / 1000;
	if (cpuid(1).c >> 31 & 1)
		read_hypervisor(facts);
}

#elif defined(__aarch64__)

/* Firmware fills in CNTFRQ_EL0 (Arm Architecture Reference Manual, DDI 0487). If the
 * register is empty or wrong, the device tree has the frequency. The kernel prefers the
 * device tree, and so does this file. */
void tw_processor_read(struct tw_machine *facts)
{
	uint64_t hz;

	memset(facts, 0, sizeof(*facts));
	/* The architecture requires one fixed frequency at any speed of the
	 * cores. */
	facts->invariant = 1;
	facts->declared_hz =
		tw_device_tree_number(TW_DEVICE_TREE "/timer/clock-frequency");
	if (facts->declared_hz)
		return;
	__asm__ __volatile__("mrs %0, cntfrq_el0" : "=r"(hz));
	/* The upper half is reserved. */
	facts->declared_hz = hz & UINT32_MAX;
}

#else

/*
 * No more is told than the device tree has. The rate is constant: RISC-V's execution environment should
 * keep it "within a small error bound" (Unprivileged ISA, Zicntr). Power's
 * platforms name a single number, by which the kernel keeps time.
 */
void tw_processor_read(struct tw_machine *facts)
{
	memset(facts, 0, sizeof(*facts));
	facts->invariant = 1;
	facts->declared_hz = tw_device_tree_hz(TW_DEVICE_TREE);
}

#endif
