/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The jobs' side of the program that stamps I/Os inside the kernel: see stages.h.
 *
 * The program is loaded before fio forks its jobs: by fio itself, or by
 * `tickwise kernel-helper` if fio lacks the privileges. The jobs inherit the
 * descriptors and the memory of the slots. The program ends when the last
 * process that has the descriptors ends, or when the helper ends.
 */
#include "stages.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loader.h"
#include "remote.h"

static struct tw_loader *loader;	/* NULL, and slots are set: the helper has it */
static const struct tw_slot *slots;
static uint32_t slot_count;
/* How many slots are given away, shared by all jobs. The helper counts by
 * itself. */
static _Atomic(uint32_t) *given;
static char why_not[TW_KERNEL_WHY];

static int share(int slots_fd, uint32_t count)
{
	void *memory = mmap(NULL, count * sizeof(*slots), PROT_READ, MAP_SHARED,
			    slots_fd, 0);

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

/* Load by the helper. Return 0; -ENOENT: there is no helper; another -errno:
 * why_not is set. */
static int load_by_helper(uint32_t count)
{
	int fd = tw_remote_load(count, why_not);
	int error;

	if (fd < 0)
		return fd;
	error = share(fd, count);
	close(fd);
	if (error)
		snprintf(why_not, sizeof(why_not), "the memory of the kernel "
			 "helper: %s", strerror(-error));
	return error;
}

static int load(uint32_t count)
{
	const struct tw_loader_owner owner = {
		.space = tw_program_namespace(),
		.user = TW_ANY_OWNER,
	};
	int error = tw_loader_load(&loader, count, &owner);

	if (!error)
		error = share(tw_loader_slots(loader), count);
	if (error) {
		tw_loader_free(loader);
		loader = NULL;
	}
	return error;
}

const char *tw_kernel_load(uint32_t count)
{
	int error;

	if (slots)
		return NULL;
	if (why_not[0])
		return why_not;
	error = load(count);
	if ((error == -EPERM || error == -ENOTSUP) &&
	    load_by_helper(count) != -ENOENT)
		return slots ? NULL : why_not;
	if (!error)
		return NULL;
	snprintf(why_not, sizeof(why_not), "%s", tw_program_reason(error, true));
	return why_not;
}

bool tw_kernel_is_own(void)
{
	return loader;
}

int64_t tw_kernel_missed(void)
{
	return loader ? tw_loader_missed(loader) : -1;
}

static int take_slots(uint32_t entries, uint32_t *base)
{
	*base = atomic_fetch_add(given, entries);
	return *base > slot_count || entries > slot_count - *base ? -ENOSPC : 0;
}

static int refused(struct tw_kernel *kernel, const char *why)
{
	snprintf(kernel->text, sizeof(kernel->text), "%s", why);
	return -EPERM;
}

static int expect(struct tw_kernel *kernel, uint32_t entries)
{
	int error;

	if (!loader) {
		error = tw_remote_expect(kernel->thread, entries, &kernel->base,
					 kernel->text);
		/* The helper's answer is checked, so that no other memory is
		 * read. */
		return error || kernel->base <= slot_count - entries ? error :
			refused(kernel, "the kernel helper gave slots that do not exist");
	}
	if (take_slots(entries, &kernel->base))
		return refused(kernel, "more jobs than there is room for");
	if (tw_loader_expect(loader, kernel->thread, kernel->base, entries))
		return refused(kernel, "the ring could not be announced to the "
			       "kernel");
	return 0;
}

void tw_kernel_expect(struct tw_kernel *kernel, uint32_t entries)
{
	*kernel = (struct tw_kernel) { .why = kernel->text };
	if (!slots) {
		refused(kernel, why_not[0] ? why_not : "not loaded");
		return;
	}
	kernel->thread = (uint32_t)syscall(SYS_gettid);
	if (entries > slot_count) {
		refused(kernel, "more jobs than there is room for");
		return;
	}
	if (expect(kernel, entries))
		return;
	kernel->slots = slots + kernel->base;
	kernel->by_helper = !loader;
	kernel->missed = tw_kernel_missed();
	kernel->why = NULL;
}

static bool is_made(struct tw_kernel *kernel)
{
	if (!loader)
		return !tw_remote_made(kernel->thread, kernel->text);
	if (tw_loader_made(loader, kernel->thread, &kernel->ctx))
		return true;
	refused(kernel, "the kernel's program did not see the ring");
	return false;
}

bool tw_kernel_made(struct tw_kernel *kernel)
{
	if (!kernel->slots || is_made(kernel))
		return kernel->slots;
	kernel->slots = NULL;
	kernel->why = kernel->text;
	return false;
}

void tw_kernel_forget(struct tw_kernel *kernel)
{
	if (kernel->ctx)
		tw_loader_forget(loader, kernel->ctx);
	kernel->ctx = 0;
}
