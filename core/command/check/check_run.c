/* SPDX-License-Identifier: MIT */
/*
 * Measures for tickwise check, and asks the machine. core/trust.c judges.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/allocate.h"
#include "command/check/check_run.h"
#include "command/command.h"
#include "command/output/page.h"
#include "command/output/progress.h"
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

struct progress {
	int (*stop)(void);
	struct tw_progress line;
};

static int show_progress(void *context, const struct tw_reliability_progress *now)
{
	struct progress *progress = context;
	int answer = progress->stop();

	if (!answer)
		tw_progress_show(&progress->line,
				 (double)now->elapsed_ns / (double)now->time_limit_ns,
				 "%u CPU%s, %" PRIu64 " reading%s", now->cpus,
				 tw_format_plural(now->cpus), now->probes,
				 tw_format_plural(now->probes));
	return answer;
}

int tw_check_run(struct tw_check *check, const struct tw_reliability_options *wanted,
		 int (*stop)(void))
{
	struct tw_reliability_options options = *wanted;
	struct progress progress = { stop, tw_progress_begin(TW_CHECK) };
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
	tw_progress_end(&progress.line);
	if (error == -ECANCELED)
		return error;
	if (error)
		return tw_command_fail(TW_CHECK, TW_EXIT_SOFTWARE, "could not measure: %s",
				       error == -ENOTSUP ?
				       tw_text(TW_ENUM_COUNTER_STATE, check->counter.state) :
				       error == -EAGAIN ?
				       "no thread could be started on any CPU" :
				       strerror(-error));
	tw_check_cpus_find(&check->cpus, &check->result, tw_check_may_pin);
	tw_machine_read(&check->machine);
	check->contradictions = (unsigned)tw_contradictions(&check->result, &check->machine);
	return TW_EXIT_GOOD;
}
