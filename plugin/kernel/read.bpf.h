/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read the kernel's structures. A program includes this file after kernel_types.h.
 */
#ifndef TW_PLUGIN_KERNEL_READ_BPF_H
#define TW_PLUGIN_KERNEL_READ_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* Linux 6.2 and later: @address, as a pointer to the type of that number. The verifier of
 * such a kernel has a number for this function. */
extern void *bpf_rdonly_cast(const void *address, __u32 type) __ksym __weak;
#define HAS_CASTS	bpf_core_enum_value_exists(enum special_kfunc_type, KF_bpf_rdonly_cast)

/* Read a member of a structure at any address: 0 if nothing can be read there. A load by
 * a cast pointer costs a tenth of a call that reads. libbpf sets HAS_CASTS in the code, and
 * the verifier drops the way that this kernel does not go. A variable would be read each
 * time. */
#define READ(type, address, member) ({					\
	const type *at_ = (const type *)(address);			\
									\
	HAS_CASTS ? ((const type *)bpf_rdonly_cast(at_,			\
			bpf_core_type_id_kernel(type)))->member :	\
		BPF_CORE_READ(at_, member);				\
})

#endif
