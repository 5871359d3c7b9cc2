/* SPDX-License-Identifier: MIT */
/*
 * A known hypervisor is called by its name, an unknown one by its signature. Fails
 * if a signature with blanks or of nine bytes is not found, or if one is made up.
 */
#include <string.h>

#include "machine/processor.h"
#include "tap.h"

static void check(const char *signature, const char *name)
{
	tap_ok(strcmp(tw_hypervisor_name(signature), name) == 0, "\"%s\" is \"%s\"",
	       signature, name);
}

int main(void)
{
	check("KVMKVMKVM", "KVM");
	check("VMwareVMware", "VMware");
	check("Microsoft Hv", "Hyper-V");
	check("XenVMMXenVMM", "Xen");
	check("VBoxVBoxVBox", "VirtualBox");
	check("bhyve bhyve ", "bhyve");
	check("Unknown", "Unknown");
	check("", "");
	return tap_done();
}
