/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads the program of stages.bpf.c and shares its memory: see stages.h.
 *
 * The program is loaded before fio forks its jobs. They inherit the descriptors of its
 * maps and the memory of the slots. It ends when the last process that has it ends.
 */
#include "stages.h"

#ifdef TW_KERNEL_STAGES

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stages.skel.h"

static struct tw_stages *program;
static const struct tw_slot *slots;
static uint32_t slot_count;
/* Shared by all jobs: slots that are given away. */
static _Atomic(uint32_t) *given;
static char why_not[160];

static int silent(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

/*
 * The program follows pointers to functions of the kernel, whose addresses are shown
 * only with CAP_SYSLOG; without it they read as 0, and no I/O would ever be found.
 */
static bool has_addresses(void)
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

/* The tracepoint of submissions has two names: Linux 6.3 changed it. */
static int choose_programs(struct tw_stages *made)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has_req;

	if (!btf)
		return -errno;
	has_req = btf__find_by_name_kind(btf, "btf_trace_io_uring_submit_req",
					 BTF_KIND_TYPEDEF) > 0;
	btf__free(btf);
	return bpf_program__set_autoload(has_req ? made->progs.submit_sqe :
						   made->progs.submit_req, false);
}

/* The job's own number of a thread is that of its namespace. */
static void set_namespace(struct tw_stages *made)
{
	struct stat of;

	if (stat("/proc/self/ns/pid", &of))
		return;
	made->rodata->namespace_device = of.st_dev;
	made->rodata->namespace_inode = of.st_ino;
}

static int load(uint32_t count)
{
	int error = 0;

	program = tw_stages__open();
	if (!program)
		return -errno;
	set_namespace(program);
	error = choose_programs(program);
	if (!error)
		error = bpf_map__set_max_entries(program->maps.slots, count);
	if (!error)
		error = tw_stages__load(program);
	if (!error)
		error = tw_stages__attach(program);
	if (error)
		return error;
	slots = mmap(NULL, count * sizeof(*slots), PROT_READ, MAP_SHARED,
		     bpf_map__fd(program->maps.slots), 0);
	if (slots == MAP_FAILED) {
		slots = NULL;
		return -errno;
	}
	given = mmap(NULL, sizeof(*given), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return given == MAP_FAILED ? -errno : 0;
}

static const char *reason(int error)
{
	switch (error) {
	case EPERM:
	case EACCES:
		return "the kernel refuses the program: root, or CAP_BPF, "
		       "CAP_PERFMON and CAP_SYSLOG";
	case ENOENT:
	case ESRCH:
		return "this kernel has no type information "
		       "(/sys/kernel/btf/vmlinux), or not these tracepoints";
	default:
		return strerror(error);
	}
}

const char *tw_kernel_load(uint32_t count)
{
	int error;

	if (slots)
		return NULL;
	if (why_not[0])
		return why_not;
	if (!has_addresses()) {
		snprintf(why_not, sizeof(why_not), "the kernel hides its "
			 "addresses: root, or CAP_SYSLOG with CAP_BPF and "
			 "CAP_PERFMON");
		return why_not;
	}
	libbpf_set_print(silent);
	error = load(count);
	if (!error) {
		slot_count = count;
		return NULL;
	}
	tw_stages__destroy(program);
	program = NULL;
	slots = NULL;
	snprintf(why_not, sizeof(why_not), "%s", reason(-error));
	return why_not;
}

void tw_kernel_expect(struct tw_kernel *kernel, uint32_t entries)
{
	struct tw_ring_slots mine = { .mask = entries - 1 };
	uint32_t end;

	*kernel = (struct tw_kernel) { .why = "not loaded" };
	if (!slots)
		return;
	mine.base = atomic_fetch_add(given, entries);
	end = mine.base + entries;
	if (end > slot_count || end < mine.base) {
		kernel->why = "more jobs than there is room for";
		return;
	}
	kernel->thread = (uint32_t)syscall(SYS_gettid);
	kernel->base = mine.base;
	if (bpf_map_update_elem(bpf_map__fd(program->maps.expected),
				&kernel->thread, &mine, BPF_ANY)) {
		kernel->why = "the ring could not be announced to the kernel";
		return;
	}
	kernel->slots = slots + mine.base;
	kernel->why = NULL;
}

bool tw_kernel_made(struct tw_kernel *kernel)
{
	struct tw_ring_slots mine = { .ctx = 0 };

	if (!kernel->slots)
		return false;
	if (!bpf_map_lookup_elem(bpf_map__fd(program->maps.expected),
				 &kernel->thread, &mine) && mine.ctx) {
		kernel->ctx = mine.ctx;
		bpf_map_delete_elem(bpf_map__fd(program->maps.expected),
				    &kernel->thread);
		return true;
	}
	kernel->slots = NULL;
	kernel->why = "the kernel's program did not see the ring";
	return false;
}

void tw_kernel_forget(struct tw_kernel *kernel)
{
	if (kernel->ctx)
		bpf_map_delete_elem(bpf_map__fd(program->maps.rings),
				    &kernel->ctx);
	kernel->ctx = 0;
}

#else

const char *tw_kernel_load(uint32_t count)
{
	return "this engine was built without it (clang, bpftool and libbpf-dev "
	       "were missing)";
}

void tw_kernel_expect(struct tw_kernel *kernel, uint32_t entries)
{
	*kernel = (struct tw_kernel) { .why = tw_kernel_load(0) };
}

bool tw_kernel_made(struct tw_kernel *kernel)
{
	return false;
}

void tw_kernel_forget(struct tw_kernel *kernel)
{
}

#endif
