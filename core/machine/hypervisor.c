/* SPDX-License-Identifier: MIT */
/*
 * Names hypervisors by their signatures. A signature has twelve bytes, and
 * those after a zero byte are lost. Pages show the name, JSON the signature.
 */
#include "machine/hypervisor.h"

#include <stddef.h>
#include <string.h>

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
