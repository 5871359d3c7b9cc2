/* SPDX-License-Identifier: MIT */
/*
 * Measures for tickwise check, and asks the machine. core/trust.c judges.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/check/check.h"
#include "command/command.h"
#include "command/output/page.h"
#include "trust.h"

/* After the CPUs were idle, bounds of the library's few milliseconds vary more in width
 * from run to run. A user of the command does not wait for these 30 ms. */
#define LEAST_TIME_NS		30000000

/* No default is left to the library, since the options in use are printed. */
void tw_check_fill_in_defaults(struct tw_reliability_options *options)
{
	if (!options->least_time_ns)
		options->least_time_ns = LEAST_TIME_NS;
	tw_trust_options(options);
}

/* ---- which CPUs were judged ---- */

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
	char *text = NULL, *copy;
	size_t size;
	FILE *out;

	if (!list->known)
		return NULL;
	out = tw_text_open(&text, &size);
	tw_cpu_list_print(list, out);
	tw_text_close(out);
	copy = tw_copy_text(text);
	free(text);
	return copy;
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
	struct tw_cpu_list possible = { .known = 1 };

	memset(cpus->skipped, 0, sizeof(cpus->skipped));
	tw_cpu_list_without(&cpus->offline, &machine->present,
			    &machine->online);
	find_judged(cpus, result);
	/* Without a pair it is known only if threads can be put on exactly one CPU. */
	if (!cpus->judged.known && result->cpus == 1)
		for (unsigned cpu = 0; cpu < TW_CPU_LIST_MAX; cpu++)
			if (tw_cpu_list_has(&machine->allowed, cpu) && may_pin(cpu))
				tw_cpu_list_add(&possible, cpu);
	if (tw_cpu_list_count(&possible) == 1)
		cpus->judged = possible;
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

/* Try to put a thread on a CPU. Uses a thread of its own. Return 0 only if the kernel
 * refused. */
static int may_pin_cpu(unsigned cpu)
{
	struct attempt attempt = { .cpu = cpu };
	pthread_t thread;

	if (pthread_create(&thread, NULL, attempt_pin, &attempt))
		return 1;
	pthread_join(thread, NULL);
	return attempt.error == 0;
}

double tw_check_seconds_before_wrap(const struct tw_reliability *result, uint64_t ticks)
{
	double ahead = result->pairs ? fmax(-(double)result->offset_low_ticks,
					    (double)result->offset_high_ticks) : 0;

	if (ahead >= (double)INT64_MAX)
		return 0;
	return tw_seconds_before_wrap(ahead < (double)(UINT64_MAX - ticks) ?
				      ticks + (uint64_t)ahead : UINT64_MAX, result->hz);
}

/* ---- a check ---- */

static int show_progress(void *context, const struct tw_reliability_progress *now)
{
	tw_progress_show(context, (double)now->elapsed_ns / (double)now->time_limit_ns,
			 "%u CPU%s, %" PRIu64 " reading%s", now->cpus,
			 tw_format_plural(now->cpus), now->probes,
			 tw_format_plural(now->probes));
	return tw_command_has_enough();
}

int tw_check_run(struct tw_check *check, const struct tw_reliability_options *wanted)
{
	struct tw_reliability_options options = *wanted;
	struct tw_progress progress = tw_progress_begin(TW_CHECK);
	int error;

	*check = (struct tw_check) {
		.counter = TW_SIZED(struct tw_counter_facts),
		.result = TW_SIZED(struct tw_reliability),
		.machine = TW_SIZED(struct tw_machine),
	};
	options.size = sizeof(options);
	options.progress = show_progress;
	options.context = &progress;
	tw_counter_check(&check->counter);
	tw_machine_cpus_read(&check->cpus.machine, "");
	error = tw_must(tw_reliability_measure(&check->result, &options));
	tw_progress_end(&progress);
	if (error)
		return tw_command_fail(TW_CHECK, TW_EXIT_SOFTWARE, "could not measure: %s",
				       error == -ENOTSUP ?
				       tw_text(TW_ENUM_COUNTER_STATE, check->counter.state) :
				       error == -EAGAIN ?
				       "no thread could be started on any CPU" :
				       strerror(-error));
	check->seconds_before_wrap =
		tw_check_seconds_before_wrap(&check->result, tw_ticks_cpu(NULL));
	tw_check_cpus_find(&check->cpus, &check->result, may_pin_cpu);
	tw_machine_read(&check->machine);
	check->contradictions = (unsigned)tw_contradictions(&check->result, &check->machine);
	return TW_EXIT_GOOD;
}
