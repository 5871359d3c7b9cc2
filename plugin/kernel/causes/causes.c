/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load the program of causes.bpf.c and share its memory: see causes.h.
 */
#include "causes.h"

#include <errno.h>

#include "kernel/program.h"

#ifdef TW_KERNEL_STAGES

#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/causes/causes.skel.h"
#include "base/allocate.h"
#include "find_causes.h"
#include "stack_words.h"
#include "timespec.h"

static struct tw_causes *program;
static const struct tw_offcpu *periods;
static const struct tw_sleeps *sleeps;
static struct tw_places places;
static uint64_t loaded_ns;
static char why_not[224];

static int share(uint32_t count)
{
	periods = tw_program_memory(bpf_map__fd(program->maps.rings),
				    count * sizeof(*periods));
	sleeps = tw_program_memory(bpf_map__fd(program->maps.sleeps),
				   count * sizeof(*sleeps));
	return periods && sleeps ? tw_places_make(&places, count) : -errno;
}

static int load(uint32_t count)
{
	int error;

	program = tw_causes__open();
	if (!program)
		return -errno;
	program->rodata->namespace_inode = tw_program_namespace();
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
	follow->why = tw_places_give(&places, 1, &place);
	if (follow->why)
		return;
	place++;	/* the kernel's program gets the index + 1, since 0 means none */
	follow->thread = (uint32_t)syscall(SYS_gettid);
	if (bpf_map_update_elem(bpf_map__fd(program->maps.expected),
				&follow->thread, &place, BPF_ANY)) {
		follow->why = "the thread could not be announced to the kernel";
		return;
	}
	follow->offcpu = &periods[place - 1];
	follow->sleeps = &sleeps[place - 1];
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
	return tw_program_reason(-ENOTSUP, false);
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
