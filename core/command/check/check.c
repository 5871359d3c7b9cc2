/* SPDX-License-Identifier: MIT */
/*
 * tickwise check: can the counter be trusted on the CPUs that this command may run on?
 * Measures, and asks the machine. core/trust.c judges.
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

/* unit/command/check/check_page.c compares the defaults in the text with those in use. */
static const struct tw_option option_table[] = {
	TW_OPTION_JSON(struct tw_check_arguments, wanted),
	TW_OPTION_HTML(struct tw_check_arguments, wanted),
	{ .name = "method", .kind = TW_OPTION_WORD,
	  .words = TW_OPTION_WORD_LIST("cas", "switch"), .preset = "cas",
	  .sets = TW_METHOD_CAS,
	  .help = "Compare counters between threads on all CPUs, which take turns, or "
		  "with one thread that is moved from CPU to CPU",
	  .more = "With `cas` the threads take turns at a number in memory, by "
		  "compare-and-swap. With `switch` offsets are bounded by the shortest "
		  "moves there and back: some ten microseconds or more instead of tenths "
		  "of one. But nothing has to run at the same time.",
	  TW_OPTION_AT(struct tw_check_arguments, options.method) },
	{ .name = "time-limit", .kind = TW_OPTION_TIME, .value = "MS",
	  .min = 1, .max = TW_TRUST_MAX_TIME_NS / 1e6,
	  .otherwise = "500 more than --least-time: 530; with `switch` 540",
	  .help = "Give up after this time",
	  TW_OPTION_AT(struct tw_check_arguments, options.time_limit_ns) },
	{ .name = "least-time", .kind = TW_OPTION_TIME, .value = "MS",
	  .min = 1, .max = TW_TRUST_MAX_TIME_NS / 1e6,
	  .otherwise = "30; with `switch` 40 and no less",
	  .help = "Measure for at least this time, which narrows the bounds on "
		  "pace",
	  .more = "The time limit may come first. The intervals of pace become narrower "
		  "with the time: some 30 ppm in 10 ms, 4 in 50, 0.2 in a second.",
	  TW_OPTION_AT(struct tw_check_arguments, options.least_time_ns) },
	{ .name = "tolerance", .kind = TW_OPTION_TIME, .value = "NS",
	  .min = 1, .max = 1000000000,
	  .otherwise = "500; with `switch` 100000",
	  .help = "Require a proof that offsets between CPUs are smaller than this",
	  .more = "Moving a thread takes microseconds, so `switch` can prove nothing near "
		  "500. With it, RELIABLE says that the counters are within 100 us of "
		  "each other. Only `cas` can prove 500 ns.",
	  TW_OPTION_AT(struct tw_check_arguments, options.tolerance_ns) },
	{ .name = NULL },
};

const struct tw_options tw_check_options = {
	.command = TW_CHECK,
	.about =
	"Check whether the CPU's counter can be trusted on the CPUs that this command "
	"may run on. taskset(1) narrows them.",
	.codes =
	"Exit codes: 0 reliable, 1 unreliable, 2 undecided; 64 and above could not run.",
	.table = option_table,
	.common = TW_HAS_OUTPUT | TW_HAS_QUIET | TW_HAS_VERBOSE,
};

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

static void *attempt_pin(void *cpu)
{
	return tw_pin_to_cpu(*(const unsigned *)cpu) ? NULL : cpu;
}

/* Try to put a thread on a CPU. Uses a thread of its own. Return 0 only if the kernel
 * refused. */
static int may_pin_cpu(unsigned cpu)
{
	pthread_t thread;
	void *pinned;

	if (pthread_create(&thread, NULL, attempt_pin, &cpu))
		return 1;
	pthread_join(thread, &pinned);
	return pinned != NULL;
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

/* Check, until Ctrl-C at most. Shows its progress on stderr if that takes long. Return:
 * TW_EXIT_GOOD, whatever the verdict; another enum tw_exit after a message. */
static int run(struct tw_check *check, const struct tw_reliability_options *wanted)
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

int tw_command_check(char **argv)
{
	static const int codes[] = {
		[TW_RELIABLE] = TW_EXIT_GOOD, [TW_UNRELIABLE] = TW_EXIT_BAD_VERDICT,
		[TW_UNDECIDED] = TW_EXIT_UNDECIDED,
	};
	struct tw_check_arguments arguments = { 0 };
	struct tw_check check;
	int code = tw_command_options(&tw_check_options, &arguments, argv, NULL);

	if (code != TW_GO_ON)
		return code;
	tw_check_fill_in_defaults(&arguments.options);
	tw_command_catch_interrupts();
	code = run(&check, &arguments.options);
	if (code != TW_EXIT_GOOD)
		return code;
	code = tw_command_show(TW_CHECK, &arguments.wanted,
			       tw_check_page(&check, &arguments.options), NULL,
			       tw_check_json(&check, &arguments.options));
	if (code == TW_EXIT_GOOD)
		code = codes[check.result.verdict];
	tw_reliability_free(&check.result);
	return code;
}
