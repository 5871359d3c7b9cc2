/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load the program of causes.bpf.c and share its memory: see causes.h.
 */
#include "causes.h"

#include <errno.h>

#include "kernel/program.h"

#ifdef TW_KERNEL_STAGES

#include <bpf/bpf.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/causes/causes.skel.h"
#include "base/allocate.h"
#include "calls.h"
#include "find_causes.h"
#include "stack_words.h"
#include "timespec.h"

static struct tw_follow_program program;
static const struct tw_sleeps *sleeps;
static struct tw_places places;
static char why_not[224];

static int start(struct tw_follow_program *to, uint32_t threads, bool has_reader)
{
	struct tw_causes *made = tw_causes__open();
	int error;

	to->skeleton = made;
	if (!made)
		return -errno;
	made->rodata->namespace_inode = tw_program_namespace();
	made->rodata->has_reader = has_reader;
	tw_calls_set(made->rodata->calls);
	made->rodata->reader_uid = geteuid();
	made->rodata->reader_may_all = tw_program_capabilities() >> CAP_SYS_PTRACE & 1;
	bpf_program__set_autoload(made->progs.create, !has_reader);
	error = bpf_map__set_max_entries(made->maps.rings, threads);
	if (!error)
		error = bpf_map__set_max_entries(made->maps.sleeps, has_reader ? 1 : threads);
	if (!error)
		error = tw_causes__load(made);
	if (!error)
		error = tw_causes__attach(made);
	if (error)
		return error;
	to->loaded_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	to->periods = tw_program_memory(bpf_map__fd(made->maps.rings),
					threads * sizeof(*to->periods));
	return to->periods ? 0 : -errno;
}

int tw_follow_start(struct tw_follow_program *to, uint32_t threads, bool has_reader)
{
	const int error = start(to, threads, has_reader);

	if (error)
		tw_follow_stop(to);
	return error;
}

void tw_follow_stop(struct tw_follow_program *of)
{
	tw_causes__destroy(of->skeleton);
	*of = (struct tw_follow_program) { .skeleton = NULL };
}

const char *tw_follow_load(uint32_t jobs)
{
	int error;

	if (program.periods)
		return NULL;
	if (why_not[0])
		return why_not;
	tw_program_set_messages();
	error = tw_follow_start(&program, jobs, false);
	if (!error) {
		sleeps = tw_places_make(&places, bpf_map__fd(program.skeleton->maps.sleeps), jobs,
					sizeof(*sleeps));
		error = sleeps ? 0 : -errno;
	}
	if (!error) {
		tw_functions_load();
		return NULL;
	}
	tw_follow_stop(&program);
	snprintf(why_not, sizeof(why_not), "%s", tw_program_reason(error, false));
	return why_not;
}

void tw_follow_expect(struct tw_follow *follow)
{
	uint32_t place;

	*follow = (struct tw_follow) { .why = tw_places_give(&places, 1, &place) };
	if (follow->why)
		return;
	place++;	/* the kernel's program gets the index + 1, since 0 means none */
	follow->thread = (uint32_t)syscall(SYS_gettid);
	if (bpf_map_update_elem(bpf_map__fd(program.skeleton->maps.expected),
				&follow->thread, &place, BPF_ANY)) {
		follow->why = "the thread could not be announced to the kernel";
		return;
	}
	follow->offcpu = &program.periods[place - 1];
	follow->sleeps = &sleeps[place - 1];
}

/* A thread that is still expected was not seen. */
void tw_follow_made(struct tw_follow *follow)
{
	if (!follow->offcpu ||
	    bpf_map_delete_elem(bpf_map__fd(program.skeleton->maps.expected),
				&follow->thread))
		return;
	follow->offcpu = NULL;
	follow->why = "the kernel's program did not see the thread";
}

json_t *tw_follow_cost_of(const struct tw_follow_program *of)
{
	const uint32_t zero = 0;
	const int cpus = libbpf_num_possible_cpus();
	struct tw_follow_cost *costs;
	json_t *json = NULL;

	if (!of->periods || cpus <= 0)
		return NULL;
	costs = tw_zalloc((size_t)cpus, sizeof(*costs));
	if (!bpf_map_lookup_elem(bpf_map__fd(of->skeleton->maps.costs), &zero, costs))
		json = tw_follow_cost_to_json(costs, (unsigned)cpus,
					      tw_clock_id_ns(CLOCK_MONOTONIC) - of->loaded_ns);
	free(costs);
	return json;
}

json_t *tw_follow_cost(void)
{
	return tw_follow_cost_of(&program);
}

#else

const char *tw_follow_load(uint32_t jobs)
{
	return tw_program_reason(-ENOTSUP, false);
}

void tw_follow_expect(struct tw_follow *follow)
{
}

void tw_follow_made(struct tw_follow *follow)
{
}

json_t *tw_follow_cost(void)
{
	return NULL;
}

#endif
