/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How to get from a bio of device mapper or md to the bio for which it was made. The structures
 * are those of modules, which may be built into the kernel. Only root may ask the kernel for
 * the types of a module by number, so the loader reads them from /sys/kernel/btf, which
 * every user may read.
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_STACKED_BIO_OFFSETS_H
#define TW_PLUGIN_KERNEL_STAGES_STACKED_BIO_OFFSETS_H

#ifndef __bpf__
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/types.h>
#include <string.h>
#endif

/* Offsets of members in bytes, from the beginning of the structure; -1: unknown. */
struct tw_stacked_bio_offsets {
	__s32 clone;		/* dm_target_io: the bio that device mapper made */
	__s32 io;		/* dm_target_io: its dm_io */
	__s32 original;		/* dm_io: the original bio, if the two above are known */
	__s32 crypt;		/* dm_crypt_io: the original bio */
	__s32 account;		/* md_io_clone, before Linux 6.6 md_io_acct: the same */
	__s32 raid1;		/* r1bio: the same, if the two below are known */
	__s32 raid1_state;	/* r1bio: its flags */
	__u32 raid1_behind;	/* the one that says: it may end before all of its copies */
	__s32 raid10;		/* r10bio: the original bio */
	__s32 path_clone;	/* dm_rq_clone_bio_info: the bio that dm-multipath sends to a path */
	__s32 path;		/* the same: its own bio, if the one above is known */
};

#ifndef __bpf__

/* Return the offset of @member in @type, in bytes; -1: unknown. */
static inline __s32 tw_place_of(const struct btf *btf, const char *type,
				const char *member)
{
	const int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	const struct btf_type *in = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	int i;

	for (i = 0; in && i < btf_vlen(in); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(in)[i].name_off),
			    member))
			return (__s32)btf_member_bit_offset(in, (__u32)i) / 8;
	return -1;
}

/* Return the bit whose number is @name of @type; 0: unknown. */
static inline __u32 tw_bit_of(const struct btf *btf, const char *type, const char *name)
{
	const int id = btf__find_by_name_kind(btf, type, BTF_KIND_ENUM);
	const struct btf_type *in = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	int i;

	for (i = 0; in && i < btf_vlen(in); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(in)[i].name_off), name))
			return 1U << (btf_enum(in)[i].val & 31);
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
static inline struct tw_stacked_bio_offsets tw_stacked_bio_offsets_find(struct btf *kernel)
{
	static const char *const modules[] = {
		"dm_mod", "dm_crypt", "md_mod", "raid1", "raid10",
	};
	struct btf *in[sizeof(modules) / sizeof(*modules)];
	struct tw_stacked_bio_offsets above = { .original = -1, .raid1 = -1, .path = -1 };
	size_t i;

	for (i = 0; i < sizeof(modules) / sizeof(*modules); i++)
		in[i] = tw_types_of(modules[i], kernel);
	above.clone = tw_place_of(in[0], "dm_target_io", "clone");
	above.io = tw_place_of(in[0], "dm_target_io", "io");
	if (above.clone >= 0 && above.io >= 0)
		above.original = tw_place_of(in[0], "dm_io", "orig_bio");
	above.path_clone = tw_place_of(in[0], "dm_rq_clone_bio_info", "clone");
	if (above.path_clone >= 0)
		above.path = tw_place_of(in[0], "dm_rq_clone_bio_info", "orig");
	above.crypt = tw_place_of(in[1], "dm_crypt_io", "base_bio");
	above.account = tw_place_of(in[2], "md_io_clone", "orig_bio");
	if (above.account < 0)
		above.account = tw_place_of(in[2], "md_io_acct", "orig_bio");
	above.raid1_state = tw_place_of(in[3], "r1bio", "state");
	above.raid1_behind = tw_bit_of(in[3], "r1bio_state", "R1BIO_BehindIO");
	if (above.raid1_state >= 0 && above.raid1_behind)
		above.raid1 = tw_place_of(in[3], "r1bio", "master_bio");
	above.raid10 = tw_place_of(in[4], "r10bio", "master_bio");
	for (i = 0; i < sizeof(modules) / sizeof(*modules); i++)
		if (in[i] != kernel)
			btf__free(in[i]);
	return above;
}

#endif

#endif
