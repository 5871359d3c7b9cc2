/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load the program of causes.bpf.c and share its memory: see causes.h.
 */
#include "causes.h"

#ifdef TW_KERNEL_STAGES

#include <bpf/bpf.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/causes/causes.skel.h"
#include "base/allocate.h"
#include "find_causes.h"
#include "kernel/program.h"
#include "stack_words.h"
#include "timespec.h"

static struct tw_causes *program;
static const struct tw_offcpu *periods;
static const struct tw_sleeps *sleeps;
static uint32_t ring_count;
/* Shared by all jobs: the number of rings of periods in use. */
static _Atomic(uint32_t) *given;
static uint64_t loaded_ns;
static char why_not[224];

static int share(uint32_t count)
{
	void *map = mmap(NULL, count * sizeof(*periods), PROT_READ, MAP_SHARED,
			 bpf_map__fd(program->maps.rings), 0);

	if (map == MAP_FAILED)
		return -errno;
	periods = map;
	map = mmap(NULL, count * sizeof(*sleeps), PROT_READ, MAP_SHARED,
		   bpf_map__fd(program->maps.sleeps), 0);
	if (map == MAP_FAILED)
		return -errno;
	sleeps = map;
	given = mmap(NULL, sizeof(*given), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return given == MAP_FAILED ? -errno : 0;
}

static int load(uint32_t count)
{
	const struct tw_program_namespace space = tw_program_namespace();
	int error;

	program = tw_causes__open();
	if (!program)
		return -errno;
	program->rodata->namespace_device = space.device;
	program->rodata->namespace_inode = space.inode;
	program->rodata->nested = space.inode &&
				  space.inode != TW_PROGRAM_FIRST_NAMESPACE;
	error = bpf_map__set_max_entries(program->maps.rings, count);
	if (!error)
		error = bpf_map__set_max_entries(program->maps.sleeps, count);
	if (!error)
		error = tw_causes__load(program);
	if (!error)
		error = tw_causes__attach(program);
	return error ? error : share(count);
}

const char *tw_follow_load(uint32_t jobs)
{
	int error;

	if (periods)
		return NULL;
	if (why_not[0])
		return why_not;
	tw_program_set_messages();
	error = load(jobs);
	if (!error) {
		ring_count = jobs;
		loaded_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
		tw_functions_load();
		return NULL;
	}
	tw_causes__destroy(program);
	program = NULL;
	periods = NULL;
	snprintf(why_not, sizeof(why_not), "%s", tw_program_reason(error, false));
	return why_not;
}

void tw_follow_expect(struct tw_follow *follow)
{
	uint32_t place;

	*follow = (struct tw_follow) { .why = "not loaded" };
	if (!periods)
		return;
	/* The kernel's program gets the index + 1, since 0 means none. */
	place = atomic_fetch_add(given, 1) + 1;
	if (place > ring_count) {
		follow->why = "more jobs than there is room for";
		return;
	}
	follow->thread = (uint32_t)syscall(SYS_gettid);
	if (bpf_map_update_elem(bpf_map__fd(program->maps.expected),
				&follow->thread, &place, BPF_ANY)) {
		follow->why = "the thread could not be announced to the kernel";
		return;
	}
	follow->offcpu = &periods[place - 1];
	follow->sleeps = &sleeps[place - 1];
	follow->why = NULL;
}

/* A thread that is still expected was not seen. */
void tw_follow_made(struct tw_follow *follow)
{
	if (!follow->offcpu ||
	    bpf_map_delete_elem(bpf_map__fd(program->maps.expected),
				&follow->thread))
		return;
	follow->offcpu = NULL;
	follow->why = "the kernel's program did not see the thread";
}

json_t *tw_follow_cost_of(int map, uint64_t since_ns)
{
	const uint32_t zero = 0;
	const int cpus = libbpf_num_possible_cpus();
	struct tw_follow_cost *costs;
	json_t *json = NULL;

	if (cpus <= 0)
		return NULL;
	costs = tw_zalloc((size_t)cpus, sizeof(*costs));
	if (!bpf_map_lookup_elem(map, &zero, costs))
		json = tw_follow_cost_to_json(costs, (unsigned)cpus,
					      tw_clock_id_ns(CLOCK_MONOTONIC) - since_ns);
	free(costs);
	return json;
}

json_t *tw_follow_cost(void)
{
	return periods ? tw_follow_cost_of(bpf_map__fd(program->maps.costs), loaded_ns) : NULL;
}

#else

const char *tw_follow_load(uint32_t jobs)
{
	return "this engine was built without it (clang, bpftool and libbpf-dev "
	       "were missing)";
}

void tw_follow_expect(struct tw_follow *follow)
{
	*follow = (struct tw_follow) { .why = tw_follow_load(0) };
}

void tw_follow_made(struct tw_follow *follow)
{
}

json_t *tw_follow_cost(void)
{
	return NULL;
}

#endif
