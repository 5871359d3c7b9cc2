// SPDX-License-Identifier: GPL-2.0
/*
 * Load the program of attach.bpf.c: see attach.h.
 */
#include "attach/attach.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/allocate.h"
#include "kernel/stages/stacked_bio_offsets.h"
#include "kernel/program.h"
#include "kernel/causes/stack_words.h"
#include "kernel/sync/syncs.h"

/* They need types of the files above. */
#include "attach/attach.skel.h"
#include "kernel/causes/causes.skel.h"

#define LEAVES_MS	10	/* at most, from a thread's end until it leaves its CPU */

/* Return the operations with a direction from @first to @last, as bits. */
static __u64 operations(unsigned first, unsigned last)
{
	__u64 bits = 0;

	for (unsigned i = 0; i < TW_ATTACH_OPCODES; i++) {
		const unsigned is = tw_attach_direction((uint8_t)i);

		if (is >= first && is <= last)
			bits |= 1ULL << i;
	}
	return bits;
}

/* Find the functions of the kernel that tell what a thread is in. Return 0 or -ENOENT. */
static int find_functions(struct tw_attach *made)
{
	struct tw_attach__rodata *of = made->rodata;
	const int error = tw_find_function(TW_WRITES_DATA, &of->data_from, &of->data_to);

	/* Without these the file of a copy is not known. */
	tw_find_function("splice_direct_to_actor", &of->copy_from, &of->copy_to);
	tw_find_function("iter_file_splice_write", &of->copy_write_from, &of->copy_write_to);
	return error ? error : tw_find_function("handle_mm_fault", &of->fault_from, &of->fault_to);
}

static int fit_to_kernel(struct tw_attach *made, int cgroup)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct bpf_program *program;
	struct stat root;

	if (!btf)
		return -errno;
	made->rodata->above = tw_stacked_bio_offsets_find(btf);
	tw_program_choose(made->obj, btf);
	btf__free(btf);
	if (cgroup < 0) {
		bpf_program__set_autoload(made->progs.in_cgroup, false);
		bpf_program__set_autoload(made->progs.moved, false);
	}
	/* Iterators run when they are asked to. */
	bpf_object__for_each_program(program, made->obj)
		if (bpf_program__expected_attach_type(program) == BPF_TRACE_ITER)
			bpf_program__set_autoattach(program, false);
	tw_calls_set(made->rodata->calls);
	made->rodata->cgroup_fd = cgroup;
	made->rodata->operations = operations(TW_READ, TW_ATTACH_COMMAND);
	made->rodata->namespace_inode = tw_program_namespace();
	made->rodata->reader_uid = geteuid();
	made->rodata->reader_gid = getegid();
	made->rodata->reader_may_all = tw_program_capabilities() >> CAP_SYS_PTRACE & 1;
	if (!stat("/", &root)) {
		made->rodata->root_number = root.st_ino;
		made->rodata->root_device = major(root.st_dev) << 20 | minor(root.st_dev);
	}
	return find_functions(made);
}

static int load(struct tw_attach_program *program, int cgroup, tw_attach_take *take,
		void *context)
{
	struct tw_attach *made = tw_attach__open();
	int error;

	program->skeleton = made;
	if (!made)
		return -errno;
	error = fit_to_kernel(made, cgroup);
	if (!error && program->causes.periods) {
		made->rodata->with_causes = true;
		made->rodata->listed = operations(TW_READ, TW_SYNC);
		error = bpf_map__reuse_fd(made->maps.threads,
					  bpf_map__fd(program->causes.skeleton->maps.threads));
	}
	if (!error)
		error = tw_attach__load(made);
	if (!error)
		error = tw_attach__attach(made);
	if (error)
		return error;
	program->lost = &made->bss->lost;
	program->slow_ns = &made->bss->slow_ns;
	program->slow_wait_ns = &made->bss->slow_wait_ns;
	program->ran = &made->bss->ran;
	program->shift = &made->bss->shift;
	program->records = ring_buffer__new(bpf_map__fd(made->maps.records), take, context,
					    NULL);
	return program->records ? 0 : -errno;
}

struct tw_attach_program *tw_attach_load(int cgroup, bool causes, tw_attach_take *take,
					 void *context, const char **why,
					 const char **no_causes)
{
	struct tw_attach_program *program;
	int error;

	if (!tw_program_has_addresses()) {
		*why = tw_program_reason(-EPERM, false);
		return NULL;
	}
	program = tw_zalloc(1, sizeof(*program));
	tw_program_set_messages();
	tw_functions_load();
	/* Before attach.bpf.c, which chooses the threads that are followed. */
	error = causes ? tw_follow_start(&program->causes, TW_ATTACH_THREADS, true) : 0;
	*no_causes = error ? tw_program_reason(error, false) : NULL;
	error = load(program, cgroup, take, context);
	if (!error)
		return program;
	*why = tw_program_reason(error, false);
	tw_attach_unload(program);
	return NULL;
}

void tw_attach_unload(struct tw_attach_program *program)
{
	ring_buffer__free(program->records);
	tw_attach__destroy(program->skeleton);
	tw_follow_stop(&program->causes);
	free(program);
}

/* Run an iterator over the threads of a process; 0: over those of all processes, or over
 * their descriptors. */
static int iterate(struct bpf_program *over, int pidfd)
{
	union bpf_iter_link_info info = { .task.pid_fd = (__u32)pidfd };
	struct bpf_iter_attach_opts options;
	struct bpf_link *link;
	char text[64];
	int run, error = 0;

	/* LIBBPF_OPTS() leaves the padding as it is without optimisation. libbpf refuses what is
	 * not 0 there. */
	memset(&options, 0, sizeof(options));
	options.sz = sizeof(options);
	options.link_info = &info;
	options.link_info_len = sizeof(info);
	link = bpf_program__attach_iter(over, pidfd ? &options : NULL);
	if (!link)
		return -errno;
	run = bpf_iter_create(bpf_link__fd(link));
	if (run < 0) {
		error = -errno;
	} else {
		/* The iterator prints nothing. It sends what it finds as records. */
		while (read(run, text, sizeof(text)) > 0)
			;
		close(run);
	}
	bpf_link__destroy(link);
	return error;
}

int tw_attach_follow(struct tw_attach_program *program, int pidfd)
{
	return iterate(program->skeleton->progs.chosen, pidfd);
}

int tw_attach_follow_descendants(struct tw_attach_program *program)
{
	const struct tw_attach *made = program->skeleton;
	int error = made->rodata->cgroup_fd >= 0 ? iterate(made->progs.in_cgroup, 0) : 0;

	if (!error)
		error = iterate(made->progs.descendants, 0);
	if (!error)
		error = iterate(made->progs.threads_before, 0);
	return error ? error : iterate(made->progs.descriptors, 0);
}

int tw_attach_read(struct tw_attach_program *program, int wait_ms)
{
	int result = wait_ms ? ring_buffer__poll(program->records, wait_ms) : 0;
	/* Most records do not wake the reader, so read the rest, too. */
	int error = ring_buffer__consume(program->records);

	if (result < 0 && result != -EINTR)
		error = result;
	return error < 0 ? error : 0;
}

int tw_attach_read_counted(struct tw_attach_program *program, struct tw_attach_tally *tally)
{
	const int map = bpf_map__fd(program->skeleton->maps.counted);
	struct tw_attach_key key, *at = NULL;
	struct tw_attach_counted counted;
	int error = 0;

	tw_attach_forget_counted(tally);
	for (; !error && bpf_map_get_next_key(map, at, &key) == 0; at = &key)
		if (bpf_map_lookup_elem(map, &key, &counted) == 0)
			error = tw_attach_add_counted(tally, &key, &counted);
	return error;
}

/* Return how many entries a map has. */
static uint64_t count_entries(const struct bpf_map *map)
{
	uint64_t count = 0;
	__u64 key, *at = NULL;

	for (; bpf_map_get_next_key(bpf_map__fd(map), at, &key) == 0; at = &key)
		count++;
	return count;
}

void tw_attach_stop(struct tw_attach_program *program)
{
	struct tw_attach *made = program->skeleton;
	const int ran = bpf_map__fd(made->maps.ran_before);
	__u64 key;

	/* Who has ended may still be on its CPU, also when its parent knows that. */
	for (int i = 0; i < LEAVES_MS && bpf_map_get_next_key(ran, NULL, &key) == 0; i++) {
		if (i)
			usleep(1000);
		iterate(made->progs.threads_after, 0);
	}
	tw_attach__detach(made);
	program->missed_runs = tw_program_missed(made->obj);
	/* Before, the kernel would begin again at an I/O that ends while it is counted. */
	program->in_flight = count_entries(made->maps.ios);
}

int tw_attach_take_rest(struct tw_attach_program *program, struct tw_attach_tally *tally)
{
	const struct bpf_map *map = program->skeleton->maps.waiters;
	struct tw_attach_waiter *of = tw_zalloc(1, bpf_map__value_size(map));
	__u32 key, *at = NULL;
	int error = 0;

	for (; !error && bpf_map_get_next_key(bpf_map__fd(map), at, &key) == 0; at = &key) {
		if (bpf_map_lookup_elem(bpf_map__fd(map), &key, of))
			continue;
		/* Whether there was an I/O in flight is not known of a wait for completions. */
		if (of->wait.slept_ns && !(tw_call_flags(of->wait.call) & TW_CALL_ANY_SLEEP)) {
			of->wait.on_ns = UINT64_MAX;
			/* What was read of the call when it ended is of an earlier one. */
			of->wait.process = of->wait.thread = 0;
			error = tw_attach_add_wait(tally, &of->wait, sizeof(of->wait));
		} else if (of->sync.stamps.begun_ns && of->sync.stamps.ended_ns) {
			error = tw_attach_add_call(tally, &of->sync);
		}
	}
	free(of);
	return error;
}
