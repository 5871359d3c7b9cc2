/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the way from a bio of device mapper to the bio above is found, whether device
 * mapper and dm-crypt are modules or built into the kernel. Where a type or a member is
 * missing there is no way.
 *
 * Defect: LVM and dm-crypt are not split on kernels that have them built in; or a wrong
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
static struct btf *loaded_mapper, *loaded_crypt;

static struct btf *load_module(const char *name, struct btf *kernel)
{
	struct btf **module = !strcmp(name, "dm_mod") ? &loaded_mapper :
			      !strcmp(name, "dm_crypt") ? &loaded_crypt : NULL;
	struct btf *types = module ? *module : NULL;

	(void)kernel;
	errno = ENOENT;
	if (types)
		*module = NULL;
	return types;
}

#define btf__load_module_btf	load_module
#include "kernel/above.h"

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
	const struct tw_above above = tw_above_find(kernel);

	tap_ok(has_mapper ? above.io == 16 && above.clone == 24 && above.original == 8 :
	       !above.original, "%s: dm_mod %u %u %u", what, above.io, above.clone,
	       above.original);
	tap_ok(above.crypt == (has_crypt ? 16 : 0), "%s: dm_crypt %u", what, above.crypt);
	tap_ok(btf__find_by_name_kind(kernel, "bio", BTF_KIND_STRUCT) > 0,
	       "the kernel's types are left");
	btf__free(kernel);
}

static void test_lacks(void)
{
	struct btf *kernel = btf__new_empty();

	add(kernel, "dm_target_io", (const char *const []) { "ti", "io", NULL });
	add(kernel, "dm_io", (const char *const []) { "orig_bio", NULL });
	add(kernel, "dm_crypt_io", (const char *const []) { "cc", NULL });
	add(kernel, "bio", (const char *const []) { "bi_private", NULL });
	expect(kernel, false, false, "members are missing");
	kernel = btf__new_empty();
	btf__add_fwd(kernel, "dm_target_io", BTF_FWD_STRUCT);
	btf__add_fwd(kernel, "dm_crypt_io", BTF_FWD_STRUCT);
	add(kernel, "bio", (const char *const []) { "bi_private", NULL });
	expect(kernel, false, false, "only the names are there");
}

int main(void)
{
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
