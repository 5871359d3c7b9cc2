/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the way from a bio of device mapper or md to the bio above is found, whether
 * these and dm-crypt are modules or built into the kernel. Where a type or a member is
 * missing there is no way.
 *
 * Defect: LVM, dm-crypt and md are not split on kernels that have them built in; or a wrong
 * place in memory is read.
 *
 * The types are made here, not those of the kernel that runs.
 */
#include "tap.h"

#ifdef TW_KERNEL_STAGES

#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

/* The modules that are loaded; NULL: this one is not. */
static struct btf *loaded_mapper, *loaded_crypt, *loaded_md[3];

static struct btf *load_module(const char *name, struct btf *kernel)
{
	struct btf **module = !strcmp(name, "dm_mod") ? &loaded_mapper :
			      !strcmp(name, "dm_crypt") ? &loaded_crypt :
			      !strcmp(name, "md_mod") ? &loaded_md[0] :
			      !strcmp(name, "raid1") ? &loaded_md[1] :
			      !strcmp(name, "raid10") ? &loaded_md[2] : NULL;
	struct btf *types = module ? *module : NULL;

	(void)kernel;
	errno = ENOENT;
	if (types)
		*module = NULL;
	return types;
}

#define btf__load_module_btf	load_module
#include "kernel/stages/stacked_bio_offsets.h"

/* Add a structure of pointers: "first", then those of @names, at 8, 16, 24 ... */
static void add(struct btf *types, const char *name, const char *const *names)
{
	const int pointer = btf__add_ptr(types, 0);
	__u32 i;

	btf__add_struct(types, name, 256);
	btf__add_field(types, "first", pointer, 0, 0);
	for (i = 0; names[i]; i++)
		btf__add_field(types, names[i], pointer, (i + 1) * 64, 0);
}

static void add_mapper(struct btf *types)
{
	add(types, "dm_target_io", (const char *const []) { "ti", "io", "clone", NULL });
	add(types, "dm_io", (const char *const []) { "orig_bio", NULL });
	add(types, "dm_rq_clone_bio_info", (const char *const []) { "orig", "clone", NULL });
}

static void add_crypt(struct btf *types)
{
	add(types, "dm_crypt_io", (const char *const []) { "cc", "base_bio", NULL });
}

/* Make the types of a kernel, and those of the modules upon them. */
static struct btf *make(bool has_mapper, bool has_crypt, bool loads_mapper,
			bool loads_crypt)
{
	struct btf *kernel = btf__new_empty();

	add(kernel, "bio", (const char *const []) { "bi_private", NULL });
	if (has_mapper)
		add_mapper(kernel);
	if (has_crypt)
		add_crypt(kernel);
	loaded_mapper = loads_mapper ? btf__new_empty_split(kernel) : NULL;
	if (loads_mapper && !has_mapper)
		add_mapper(loaded_mapper);
	loaded_crypt = loads_crypt ? btf__new_empty_split(kernel) : NULL;
	if (loads_crypt && !has_crypt)
		add_crypt(loaded_crypt);
	return kernel;
}

static void expect(struct btf *kernel, bool has_mapper, bool has_crypt, const char *what)
{
	const struct tw_stacked_bio_offsets above = tw_stacked_bio_offsets_find(kernel);

	tap_ok(has_mapper ? above.io == 16 && above.clone == 24 && above.original == 8 :
	       above.original < 0, "%s: dm_mod %d %d %d", what, above.io, above.clone,
	       above.original);
	tap_ok(has_mapper ? above.path_clone == 16 && above.path == 8 : above.path < 0,
	       "%s: a path %d %d", what, above.path_clone, above.path);
	tap_ok(above.crypt == (has_crypt ? 16 : -1), "%s: dm_crypt %d", what, above.crypt);
	tap_ok(btf__find_by_name_kind(kernel, "bio", BTF_KIND_STRUCT) > 0,
	       "the kernel's types are left");
	btf__free(kernel);
}

static void test_lacks(void)
{
	struct btf *kernel = btf__new_empty();

	add(kernel, "dm_target_io", (const char *const []) { "ti", "io", NULL });
	add(kernel, "dm_io", (const char *const []) { "orig_bio", NULL });
	add(kernel, "dm_rq_clone_bio_info", (const char *const []) { "orig", NULL });
	add(kernel, "dm_crypt_io", (const char *const []) { "cc", NULL });
	add(kernel, "bio", (const char *const []) { "bi_private", NULL });
	expect(kernel, false, false, "members are missing");
	kernel = btf__new_empty();
	btf__add_fwd(kernel, "dm_target_io", BTF_FWD_STRUCT);
	btf__add_fwd(kernel, "dm_crypt_io", BTF_FWD_STRUCT);
	add(kernel, "bio", (const char *const []) { "bi_private", NULL });
	expect(kernel, false, false, "only the names are there");
}

/* Add what md_mod, raid1 and raid10 have. Before Linux 6.6 the bio is the first member. */
static void add_md(struct btf *types[3], bool is_old)
{
	const int pointer = btf__add_ptr(types[0], 0);

	btf__add_struct(types[0], is_old ? "md_io_acct" : "md_io_clone", 256);
	btf__add_field(types[0], "orig_bio", pointer, is_old ? 0 : 64, 0);
	add(types[1], "r1bio", (const char *const []) { "state", "master_bio", NULL });
	btf__add_enum(types[1], "r1bio_state", 4);
	btf__add_enum_value(types[1], "R1BIO_Uptodate", 0);
	btf__add_enum_value(types[1], "R1BIO_BehindIO", 3);
	add(types[2], "r10bio", (const char *const []) { "master_bio", NULL });
}

static void test_md(bool is_module, bool is_old)
{
	struct btf *kernel = btf__new_empty(), *types[3];
	struct tw_stacked_bio_offsets above;
	unsigned i;

	add(kernel, "bio", (const char *const []) { "bi_private", NULL });
	for (i = 0; i < 3; i++) {
		loaded_md[i] = is_module ? btf__new_empty_split(kernel) : NULL;
		types[i] = is_module ? loaded_md[i] : kernel;
	}
	add_md(types, is_old);
	above = tw_stacked_bio_offsets_find(kernel);
	tap_ok(above.account == (is_old ? 0 : 8) && above.raid1 == 16 &&
	       above.raid1_state == 8 && above.raid1_behind == 8 && above.raid10 == 8,
	       "md, %s, %s: %d, %d, %d, %x, %d", is_module ? "modules" : "built in",
	       is_old ? "old" : "new", above.account, above.raid1, above.raid1_state,
	       above.raid1_behind, above.raid10);
	btf__free(kernel);
	kernel = btf__new_empty();
	add(kernel, "r1bio", (const char *const []) { "state", "master_bio", NULL });
	above = tw_stacked_bio_offsets_find(kernel);
	tap_ok(above.account < 0 && above.raid1 < 0 && above.raid10 < 0,
	       "md: a flag or a type is missing");
	btf__free(kernel);
}

int main(void)
{
	test_md(true, false);
	test_md(true, true);
	test_md(false, false);
	test_md(false, true);
	expect(make(false, false, true, true), true, true, "both are modules");
	expect(make(true, true, false, false), true, true, "both are built in");
	expect(make(true, false, false, true), true, true, "dm_crypt alone is a module");
	expect(make(true, true, true, true), true, true,
	       "the types of modules are the kernel's");
	expect(make(false, false, true, false), true, false, "dm_mod alone is loaded");
	expect(make(false, false, false, false), false, false, "neither is there");
	test_lacks();
	return tap_done();
}

#else

int main(void)
{
	tap_skip("built without the stages inside the kernel");
	return tap_done();
}

#endif
