/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The jobs' part of the program that stamps I/Os inside the kernel: see stages.h.
 *
 * The program is loaded before fio forks its jobs. They inherit the descriptors of its
 * maps and the memory of the slots. It ends when the last process that has it ends.
 */
#include "stages.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loader.h"

static struct tw_loader *loader;
static const struct tw_slot *slots;
static uint32_t slot_count;
/* Shared by all jobs: slots that are given away. */
static _Atomic(uint32_t) *given;
static char why_not[160];

/* The job's own number of a thread is that of its namespace. */
static struct tw_loader_owner own(void)
{
	struct tw_loader_owner owner = { .user = TW_ANY_OWNER };
	struct stat of;

	if (!stat("/proc/self/ns/pid", &of)) {
		owner.namespace_device = of.st_dev;
		owner.namespace_inode = of.st_ino;
	}
	return owner;
}

static int share(uint32_t count)
{
	void *memory = mmap(NULL, count * sizeof(*slots), PROT_READ, MAP_SHARED,
			    tw_loader_slots(loader), 0);

	if (memory == MAP_FAILED)
		return -errno;
	given = mmap(NULL, sizeof(*given), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (given == MAP_FAILED)
		return -errno;
	slots = memory;
	slot_count = count;
	return 0;
}

const char *tw_kernel_load(uint32_t count)
{
	const struct tw_loader_owner owner = own();
	int error;

	if (slots)
		return NULL;
	if (why_not[0])
		return why_not;
	error = tw_loader_load(&loader, count, &owner);
	if (!error)
		error = share(count);
	if (!error)
		return NULL;
	tw_loader_free(loader);
	loader = NULL;
	snprintf(why_not, sizeof(why_not), "%s", tw_loader_reason(error));
	return why_not;
}

void tw_kernel_expect(struct tw_kernel *kernel, uint32_t entries)
{
	uint32_t base, end;

	*kernel = (struct tw_kernel) {
		.why = why_not[0] ? why_not : "not loaded",
	};
	if (!slots)
		return;
	base = atomic_fetch_add(given, entries);
	end = base + entries;
	if (end > slot_count || end < base) {
		kernel->why = "more jobs than there is room for";
		return;
	}
	kernel->thread = (uint32_t)syscall(SYS_gettid);
	if (tw_loader_expect(loader, kernel->thread, base, entries)) {
		kernel->why = "the ring could not be announced to the kernel";
		return;
	}
	kernel->slots = slots + base;
	kernel->why = NULL;
}

bool tw_kernel_made(struct tw_kernel *kernel)
{
	if (!kernel->slots)
		return false;
	if (tw_loader_made(loader, kernel->thread, &kernel->ctx))
		return true;
	kernel->slots = NULL;
	kernel->why = "the kernel's program did not see the ring";
	return false;
}

void tw_kernel_forget(struct tw_kernel *kernel)
{
	if (kernel->ctx)
		tw_loader_forget(loader, kernel->ctx);
	kernel->ctx = 0;
}
