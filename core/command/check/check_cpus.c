/* SPDX-License-Identifier: MIT */
/*
 * Finds which CPUs a check has judged, and why not the others; see check_cpus.h.
 */
#include "command/check/check_cpus.h"

#include <pthread.h>
#include <string.h>

#include "base/allocate.h"
#include "machine/cpus.h"

const struct tw_check_skip_words tw_check_skips[TW_CHECK_SKIPS] = {
	[TW_SKIP_OFFLINE] = { "offline", "offline" },
	[TW_SKIP_CPUSET] = { "cpuset",
		"outside the cpuset of this process's control group" },
	[TW_SKIP_AFFINITY] = { "affinity",
		"not in this process's affinity mask (taskset)" },
	[TW_SKIP_NOT_ALLOWED] = { "not_allowed",
		"not allowed to this process, by affinity mask or cpuset" },
	[TW_SKIP_PIN] = { "pin",
		"allowed, but the kernel lets no thread be put there" },
	[TW_SKIP_LOST] = { "lost",
		"allowed, but no thread could be started or kept there" },
};

char *tw_check_cpus_text(const struct tw_cpu_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!list->known)
		return NULL;
	out = tw_text_open(&text, &size);
	tw_cpu_list_print(list, out);
	tw_text_close(out);
	return text;
}

/* Find the judged CPUs. Each of them is in a pair, unless there is no pair. */
static void find_judged(struct tw_check_cpus *cpus,
			const struct tw_reliability *result)
{
	memset(&cpus->judged, 0, sizeof(cpus->judged));
	if (!result->pairs && !result->cpus_skipped) {
		cpus->judged = cpus->machine.allowed;
		return;
	}
	for (unsigned i = 0; i < result->pairs; i++) {
		tw_cpu_list_add(&cpus->judged, result->offsets[i].base_cpu);
		tw_cpu_list_add(&cpus->judged, result->offsets[i].cpu);
	}
	cpus->judged.known = result->pairs > 0;
}

/* Find the judged CPU of a result without pairs. It is known only if threads
 * can be put on exactly one CPU. */
static void find_judged_alone(struct tw_check_cpus *cpus,
			      int (*may_pin)(unsigned cpu))
{
	struct tw_cpu_list found = { .known = 1 };

	for (unsigned cpu = 0; cpu < TW_CPU_LIST_MAX; cpu++)
		if (tw_cpu_list_has(&cpus->machine.allowed, cpu) &&
		    may_pin(cpu))
			tw_cpu_list_add(&found, cpu);
	if (tw_cpu_list_count(&found) == 1)
		cpus->judged = found;
}

static enum tw_check_skip why_skipped(const struct tw_check_cpus *cpus,
				      unsigned cpu, int (*may_pin)(unsigned))
{
	if (tw_cpu_list_has(&cpus->machine.allowed, cpu))
		return may_pin(cpu) ? TW_SKIP_LOST : TW_SKIP_PIN;
	if (tw_cpu_list_has(&cpus->offline, cpu))
		return TW_SKIP_OFFLINE;
	if (!cpus->machine.cpuset.known)
		return TW_SKIP_NOT_ALLOWED;
	return tw_cpu_list_has(&cpus->machine.cpuset, cpu) ? TW_SKIP_AFFINITY : TW_SKIP_CPUSET;
}

void tw_check_cpus_find(struct tw_check_cpus *cpus,
			const struct tw_reliability *result,
			int (*may_pin)(unsigned cpu))
{
	const struct tw_machine_cpus *machine = &cpus->machine;

	memset(cpus->skipped, 0, sizeof(cpus->skipped));
	tw_cpu_list_without(&cpus->offline, &machine->present,
			    &machine->online);
	find_judged(cpus, result);
	if (!cpus->judged.known && result->cpus == 1)
		find_judged_alone(cpus, may_pin);
	if (!cpus->judged.known || !machine->allowed.known)
		return;
	for (unsigned i = 0; i < TW_CHECK_SKIPS; i++)
		cpus->skipped[i].known = 1;
	for (unsigned cpu = 0; cpu < TW_CPU_LIST_MAX; cpu++)
		if (!tw_cpu_list_has(&cpus->judged, cpu) &&
		    (tw_cpu_list_has(&machine->allowed, cpu) ||
		     tw_cpu_list_has(&machine->online, cpu) ||
		     tw_cpu_list_has(&cpus->offline, cpu)))
			tw_cpu_list_add(&cpus->skipped[why_skipped(cpus, cpu,
							may_pin)], cpu);
}

struct attempt {
	unsigned cpu;
	int error;
};

static void *attempt_pin(void *context)
{
	struct attempt *attempt = context;

	attempt->error = tw_pin_to_cpu(attempt->cpu);
	return NULL;
}

int tw_check_may_pin(unsigned cpu)
{
	struct attempt attempt = { .cpu = cpu };
	pthread_t thread;

	if (pthread_create(&thread, NULL, attempt_pin, &attempt))
		return 1;
	pthread_join(thread, NULL);
	return attempt.error == 0;
}
