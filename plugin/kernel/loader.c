/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads the program of stages.bpf.c: see loader.h.
 */
#include "kernel/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* In this mode no program may read the kernel's memory. It fails with EINVAL, or with
 * EPERM on some kernels. */
static bool locked_down(void)
{
	char text[128] = "";
	int file = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return false;
	if (read(file, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(file);
	return strstr(text, "[confidentiality]");
}

const char *tw_loader_reason(int error)
{
	if (error != -ENOTSUP && locked_down())
		return "the kernel is locked down (lockdown=confidentiality): no "
		       "program may read its memory";
	switch (-error) {
	case EPERM:
	case EACCES:
		return "the kernel refuses the program: run as root or with CAP_BPF, "
		       "CAP_PERFMON and CAP_SYSLOG, or start `sudo tickwise "
		       "kernel-helper`";
	case ENOENT:
	case ESRCH:
		return "this kernel has no type information "
		       "(/sys/kernel/btf/vmlinux), or not these tracepoints";
	case ENOTSUP:
		return "this engine was built without it (clang, bpftool and "
		       "libbpf-dev were missing)";
	default:
		return strerror(-error);
	}
}

#ifdef TW_KERNEL_STAGES

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <stdlib.h>

#include "kernel/above.h"
#include "stages.skel.h"

struct tw_loader {
	struct tw_stages *program;
};

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

bool tw_loader_has_addresses(void)
{
	char text[16384];
	char *line, *next;
	bool has = false;
	ssize_t size;
	int file = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return false;
	size = read(file, text, sizeof(text) - 1);
	close(file);
	text[size > 0 ? size : 0] = '\0';
	for (line = text; !has && (next = strchr(line, '\n')); line = next + 1)
		has = strtoull(line, NULL, 16) != 0;
	return has;
}

/* To this kernel. The tracepoint of submissions has two names: Linux 6.3 changed it. */
static int adapt(struct tw_stages *made)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has_req;

	if (!btf)
		return -errno;
	made->rodata->above = tw_above_find(btf);
	has_req = btf__find_by_name_kind(btf, "btf_trace_io_uring_submit_req",
					 BTF_KIND_TYPEDEF) > 0;
	btf__free(btf);
	return bpf_program__set_autoload(has_req ? made->progs.submit_sqe :
						   made->progs.submit_req, false);
}

static int load(struct tw_stages *program, uint32_t slots,
		const struct tw_loader_owner *owner)
{
	int error;

	program->rodata->namespace_device = owner->namespace_device;
	program->rodata->namespace_inode = owner->namespace_inode;
	program->rodata->owner = owner->user;
	error = adapt(program);
	if (!error)
		error = bpf_map__set_max_entries(program->maps.slots, slots);
	if (!error)
		error = tw_stages__load(program);
	/* From now on the program alone writes them. A descriptor that can only read
	 * can't be mapped. */
	if (!error)
		error = bpf_map_freeze(bpf_map__fd(program->maps.slots));
	if (!error)
		error = tw_stages__attach(program);
	return error;
}

int tw_loader_load(struct tw_loader **loader, uint32_t slots,
		   const struct tw_loader_owner *owner)
{
	struct tw_loader *made;
	int error;

	if (!tw_loader_has_addresses())
		return -EPERM;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	libbpf_set_print(silent);
	made->program = tw_stages__open();
	error = made->program ? load(made->program, slots, owner) : -errno;
	if (error) {
		tw_loader_free(made);
		return error == -EACCES ? -EPERM : error;
	}
	*loader = made;
	return 0;
}

void tw_loader_free(struct tw_loader *loader)
{
	if (loader)
		tw_stages__destroy(loader->program);
	free(loader);
}

int tw_loader_slots(const struct tw_loader *loader)
{
	return bpf_map__fd(loader->program->maps.slots);
}

int tw_loader_expect(const struct tw_loader *loader, uint32_t thread,
		     uint32_t base, uint32_t entries)
{
	struct tw_ring_slots slots = { .base = base, .mask = entries - 1 };
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	slots.announced_ns = (uint64_t) now.tv_sec * 1000000000 +
			     (uint64_t) now.tv_nsec;
	return bpf_map_update_elem(bpf_map__fd(loader->program->maps.expected),
				   &thread, &slots, BPF_ANY);
}

bool tw_loader_made(const struct tw_loader *loader, uint32_t thread, uint64_t *ring)
{
	const int expected = bpf_map__fd(loader->program->maps.expected);
	struct tw_ring_slots slots = { .ctx = 0 };

	if (bpf_map_lookup_elem(expected, &thread, &slots))
		return false;
	bpf_map_delete_elem(expected, &thread);
	*ring = slots.ctx;
	return slots.ctx;
}

void tw_loader_forget(const struct tw_loader *loader, uint64_t ring)
{
	bpf_map_delete_elem(bpf_map__fd(loader->program->maps.rings), &ring);
}

#else

bool tw_loader_has_addresses(void)
{
	return false;
}

int tw_loader_load(struct tw_loader **loader, uint32_t slots,
		   const struct tw_loader_owner *owner)
{
	(void)loader;
	(void)slots;
	(void)owner;
	return -ENOTSUP;
}

void tw_loader_free(struct tw_loader *loader)
{
	(void)loader;
}

int tw_loader_slots(const struct tw_loader *loader)
{
	(void)loader;
	return -1;
}

int tw_loader_expect(const struct tw_loader *loader, uint32_t thread,
		     uint32_t base, uint32_t entries)
{
	(void)loader;
	(void)thread;
	(void)base;
	(void)entries;
	return -ENOTSUP;
}

bool tw_loader_made(const struct tw_loader *loader, uint32_t thread, uint64_t *ring)
{
	(void)loader;
	(void)thread;
	(void)ring;
	return false;
}

void tw_loader_forget(const struct tw_loader *loader, uint64_t ring)
{
	(void)loader;
	(void)ring;
}

#endif
