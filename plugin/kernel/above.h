/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How to get from a bio of device mapper to the bio for which it was made. The structures
 * are those of modules, which may be built into the kernel. Only root may ask the kernel for
 * the types of a module by number, so the loader reads them from /sys/kernel/btf, which
 * every user may read.
 */
#ifndef TW_PLUGIN_KERNEL_ABOVE_H
#define TW_PLUGIN_KERNEL_ABOVE_H

#ifndef __bpf__
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/types.h>
#include <string.h>
#endif

/* Offsets of members in bytes, from the beginning of the structure. */
struct tw_above {
	__u32 clone;		/* dm_target_io: the bio that device mapper made */
	__u32 io;		/* dm_target_io: its dm_io */
	__u32 original;		/* dm_io: the original bio; 0: unknown */
	__u32 crypt;		/* dm_crypt_io: the original bio; 0: unknown */
};

#ifndef __bpf__

/* Return the offset of @member in @type, in bytes; 0: unknown, or at the beginning. */
static inline __u32 tw_place_of(const struct btf *btf, const char *type,
				const char *member)
{
	const int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	const struct btf_type *in = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	int i;

	for (i = 0; in && i < btf_vlen(in); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(in)[i].name_off),
			    member))
			return btf_member_bit_offset(in, (__u32)i) / 8;
	return 0;
}

/* Return the types of @module, which include those of @kernel. What is built into the
 * kernel has its types there. */
static inline struct btf *tw_types_of(const char *module, struct btf *kernel)
{
	struct btf *types = btf__load_module_btf(module, kernel);

	return libbpf_get_error(types) ? kernel : types;
}

/* Find the offsets. What is neither loaded nor built in has no types, and no bios either. */
static inline struct tw_above tw_above_find(struct btf *kernel)
{
	struct btf *mapper = tw_types_of("dm_mod", kernel);
	struct btf *crypt = tw_types_of("dm_crypt", kernel);
	struct tw_above above = { .original = 0 };

	above.clone = tw_place_of(mapper, "dm_target_io", "clone");
	above.io = tw_place_of(mapper, "dm_target_io", "io");
	if (above.clone && above.io)
		above.original = tw_place_of(mapper, "dm_io", "orig_bio");
	above.crypt = tw_place_of(crypt, "dm_crypt_io", "base_bio");
	if (mapper != kernel)
		btf__free(mapper);
	if (crypt != kernel)
		btf__free(crypt);
	return above;
}

#endif

#endif
