/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program that stamps I/Os inside the kernel, and the jobs' side of it: see
 * kernel_stages.h.
 *
 * The program is loaded before fio forks its jobs: by fio itself, or by
 * `tickwise kernel-helper` if fio lacks the privileges. The jobs inherit the
 * descriptors and the memory of the stamps. The program ends when the last
 * process that has the descriptors ends, or when the helper ends.
 */
#include "kernel_stages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef TW_KERNEL_STAGES

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "stacked_bio_offsets.h"
#include "kernel/stages/stages.skel.h"
#include "timespec.h"

/* Adapt the program to this kernel, and leave out what a job without causes does not need. */
static int adapt(struct tw_stages *made, bool with_causes)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool sees_workers;

	if (!btf)
		return -errno;
	tw_program_choose(made->obj, btf);
	sees_workers = with_causes && tw_program_can_enter(btf, "io_wq_submit_work");
	bpf_program__set_autoload(made->progs.worker_begins, sees_workers);
	bpf_program__set_autoload(made->progs.worker_leaves, with_causes && !sees_workers);
	/* Every bio of the machine pays for these. */
	bpf_program__set_autoload(made->progs.queued, with_causes);
	bpf_program__set_autoload(made->progs.got, with_causes);
	bpf_program__set_autoload(made->progs.requeue, with_causes);
	made->rodata->above = tw_stacked_bio_offsets_find(btf);
	btf__free(btf);
	return 0;
}

static int load_program(struct tw_stages *program, uint32_t entries,
			const struct tw_loader_owner *owner)
{
	int error;

	program->rodata->namespace_inode = owner->namespace_inode;
	program->rodata->owner = owner->user;
	program->rodata->with_causes = owner->with_causes;
	error = adapt(program, owner->with_causes);
	if (!error)
		error = bpf_map__set_max_entries(program->maps.stamps_by_index, entries);
	if (!error && owner->with_causes)
		error = bpf_map__set_max_entries(program->maps.others_by_index, entries);
	if (!error && owner->with_causes)
		error = bpf_map__set_max_entries(program->maps.throttled_by_index, entries);
	if (!error)
		error = tw_stages__load(program);
	/* From now on only the program writes the stamps. A descriptor that can
	 * only read can't be mapped. */
	if (!error)
		error = bpf_map_freeze(bpf_map__fd(program->maps.stamps_by_index));
	if (!error)
		error = tw_stages__attach(program);
	return error;
}

int tw_loader_load(struct tw_stages **loader, uint32_t entries,
		   const struct tw_loader_owner *owner)
{
	struct tw_stages *made;
	int error;

	if (!tw_program_has_addresses())
		return -EPERM;
	tw_program_set_messages();
	made = tw_stages__open();
	error = made ? load_program(made, entries, owner) : -errno;
	if (!error) {
		*loader = made;
		return 0;
	}
	tw_stages__destroy(made);
	return error == -EACCES ? -EPERM : error;
}

void tw_loader_free(struct tw_stages *loader)
{
	tw_stages__destroy(loader);
}

int tw_loader_stamps(const struct tw_stages *loader)
{
	return bpf_map__fd(loader->maps.stamps_by_index);
}

/* Return the descriptor of a map that jobs share, as that of the stamps. */
static int map_of(const struct tw_stages *loader, const char *name)
{
	return bpf_object__find_map_fd_by_name(loader->obj, name);
}

int tw_loader_expect(const struct tw_stages *loader, uint32_t thread,
		     uint32_t base, uint32_t entries, uint32_t *ring)
{
	const uint32_t index = __sync_fetch_and_add(&loader->bss->rings_announced, 1);
	struct tw_announced announced = { .ring = index };
	int error;

	if (index >= TW_MAX_RINGS)
		return -ENOSPC;
	loader->bss->rings[index].base = base;
	loader->bss->rings[index].mask = entries - 1;
	announced.ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	error = bpf_map_update_elem(bpf_map__fd(loader->maps.expected), &thread,
				    &announced, BPF_ANY);
	if (!error)
		*ring = index;
	return error;
}

bool tw_loader_made(const struct tw_stages *loader, uint32_t thread)
{
	const int expected = bpf_map__fd(loader->maps.expected);
	struct tw_announced announced;

	if (bpf_map_lookup_elem(expected, &thread, &announced))
		return false;
	bpf_map_delete_elem(expected, &thread);
	return loader->bss->rings[announced.ring].ctx;
}

void tw_loader_forget(const struct tw_stages *loader, uint32_t ring)
{
	/* The program counts, too, in the same memory. */
	if (__sync_lock_test_and_set(&loader->bss->rings[ring].ctx, 0))
		__sync_fetch_and_sub(&loader->bss->rings_followed, 1);
}

uint32_t tw_loader_followed(const struct tw_stages *loader)
{
	return __atomic_load_n(&loader->bss->rings_followed,
			       __ATOMIC_RELAXED);
}

int64_t tw_loader_missed(const struct tw_stages *loader)
{
	return tw_program_missed(loader->obj);
}

#else

/* Only a helper has a loader then. */
#define tw_loader_load(loader, entries, owner)			((void)(owner), -ENOTSUP)
#define tw_loader_free(loader)					((void)0)
#define tw_loader_stamps(loader)					(-1)
#define map_of(loader, name)					(-1)
#define tw_loader_expect(loader, thread, base, entries, ring)	(-ENOTSUP)
#define tw_loader_made(loader, thread)				false
#define tw_loader_forget(loader, ring)				((void)0)
#define tw_loader_missed(loader)				((int64_t)-1)

#endif

/* ---- the jobs ---- */

static struct tw_stages *loader;	/* NULL, and stamps are set: the helper has it */
static const struct tw_padded_stamps *stamps;
static const struct tw_others *others;	/* NULL: not counted */
static const struct tw_throttled *throttled;
static struct tw_places places;		/* the helper gives its own */
static bool has_parts;
static char why_not[TW_KERNEL_WHY];

static int share(int stamps_fd, uint32_t count)
{
	stamps = tw_places_make(&places, stamps_fd, count, sizeof(*stamps));
	return stamps ? 0 : -errno;
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

static int share_others(uint32_t count)
{
	others = tw_program_memory(map_of(loader, "others_by_index"),
				   count * sizeof(*others));
	throttled = tw_program_memory(map_of(loader, "throttled_by_index"),
				      count * sizeof(*throttled));
	return others && throttled ? 0 : -errno;
}

static int load(uint32_t count, bool with_causes)
{
	const struct tw_loader_owner owner = {
		.namespace_inode = tw_program_namespace(),
		.user = TW_ANY_OWNER,
		.with_causes = with_causes,
	};
	int error = tw_loader_load(&loader, count, &owner);

	if (!error && with_causes)
		error = share_others(count);
	if (!error)
		error = share(tw_loader_stamps(loader), count);
	has_parts = !error && with_causes;
	if (error) {
		tw_loader_free(loader);
		loader = NULL;
	}
	return error;
}

const char *tw_kernel_load(uint32_t count, bool with_causes)
{
	int error;

	if (stamps)
		return NULL;
	if (why_not[0])
		return why_not;
	error = load(count, with_causes);
	/* What only causes need reads the kernel's memory. */
	if (error && with_causes && tw_program_is_locked_down())
		error = load(count, false);
	if ((error == -EPERM || error == -ENOTSUP) &&
	    load_by_helper(count) != -ENOENT)
		return stamps ? NULL : why_not;
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

/* Return NULL, or the reason why the job gets no stamps. */
static const char *expect(struct tw_kernel *kernel, uint32_t entries)
{
	struct tw_helper_answer answer;
	const char *why;

	if (!stamps)
		return why_not[0] ? why_not : "not loaded";
	if (!loader) {
		if (tw_remote_ask(TW_HELPER_EXPECT, kernel->thread, entries, &answer,
				  kernel->text))
			return kernel->text;
		kernel->base = answer.base;
		kernel->ring = answer.ring;
		/* The helper's answer is checked, so that no other memory is read. */
		return entries <= places.count && kernel->base <= places.count - entries &&
		       kernel->ring < TW_MAX_RINGS ? NULL :
			"the kernel helper gave stamps that do not exist";
	}
	why = tw_places_give(&places, entries, &kernel->base);
	if (why)
		return why;
	return tw_loader_expect(loader, kernel->thread, kernel->base, entries,
				&kernel->ring) ?
		"the ring could not be announced to the kernel" : NULL;
}

void tw_kernel_expect(struct tw_kernel *kernel, uint32_t entries)
{
	*kernel = (struct tw_kernel) { .thread = (uint32_t)syscall(SYS_gettid) };
	kernel->why = expect(kernel, entries);
	if (kernel->why)
		return;
	kernel->stamps = stamps + kernel->base;
	kernel->others = others ? others + kernel->base : NULL;
	kernel->throttled = throttled ? throttled + kernel->base : NULL;
	kernel->by_helper = !loader;
	kernel->has_parts = has_parts;
	kernel->missed = tw_kernel_missed();
}

bool tw_kernel_made(struct tw_kernel *kernel)
{
	struct tw_helper_answer answer;		/* has no meaning here */

	if (!kernel->stamps)
		return false;
	if (loader ? tw_loader_made(loader, kernel->thread) :
	    !tw_remote_ask(TW_HELPER_MADE, kernel->thread, 0, &answer, kernel->text))
		return true;
	kernel->stamps = NULL;
	kernel->why = loader ? "the kernel's program did not see the ring" : kernel->text;
	return false;
}

void tw_kernel_forget(struct tw_kernel *kernel)
{
	if (kernel->stamps && loader)
		tw_loader_forget(loader, kernel->ring);
}
