/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: a job's report calls the counter reliable only if each check found it
 * good: before the first job, at the job's end, and after the last job on all CPUs
 * that the job may have run on. A bad check makes it unreliable, whatever the rest;
 * all else is undecided, with a reason.
 * The log tells why the CPUs' counters disagree, and how far if that is known.
 * Defect: a check without a result taken for a good one. The counter of a CPU that
 * jumped in mid-run was called reliable when the last check was disturbed.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "job_clock/timing.h"
#include "fio/message.h"
#include "no_estimate.h"
#include "tap.h"

/* A real check would read this; here it is not read. */
void tw_cpus_note(struct tw_cpu_list *cpus)
{
	(void)cpus;
}

uint64_t engine_clock_id_ns(clockid_t clock_id)
{
	return (uint64_t)clock_id;
}

static char told[512];

void tw_message(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(told, sizeof(told), format, args);
	va_end(args);
}

static struct tw_job_end job;
static struct tw_run_end run;

static struct tw_cpu_list cpus_to(unsigned last)
{
	struct tw_cpu_list cpus = { .known = 1 };
	unsigned cpu;

	for (cpu = 0; cpu <= last; cpu++)
		tw_cpu_list_add(&cpus, cpu);
	return cpus;
}

/* All checks are good, on CPUs 0 to 3. */
static void begin(void)
{
	unsigned i;

	job = (struct tw_job_end) {
		.start = {
			.found.verdict = TW_RELIABLE, .checked = 1,
			.cpus = cpus_to(3),
		},
		.cpus = cpus_to(3),
	};
	for (i = 0; i < TW_HEALTH_CHECKS; i++)
		job.health.state[i] = TW_HEALTH_GOOD;
	job.health.state[TW_HEALTH_CPUS] = TW_HEALTH_NOT_RUN;
	run = (struct tw_run_end) {
		.found.verdict = TW_RELIABLE, .cpus = cpus_to(3),
	};
}

static bool has_code(const json_t *counter, const char *code)
{
	const json_t *reasons = json_object_get(counter, "reasons");
	size_t i;

	for (i = 0; i < json_array_size(reasons); i++)
		if (!strcmp(json_string_value(json_object_get(
			    json_array_get(reasons, i), "code")), code))
			return true;
	return false;
}

/* What differs from a job and a run in which all is well. Of CPUs the last one; 0: it is
 * 3. Of checks the state of the check; of errors the errno. */
struct one_case {
	const char *words, *verdict;
	const char *code;		/* of a reason; NULL: there is none */
	bool no_run;			/* nothing was compared at the end */
	int run_error, job_error;
	unsigned job_cpus, start_cpus, run_cpus;
	bool unknown_cpus, unchecked, backwards;
	enum tw_verdict run_verdict, start_verdict;
	unsigned start_reasons;
	enum tw_health_state prediction, clocksource;
};

static const struct one_case cases[] = {
	{ "all is well", "reliable", .code = NULL },
	{ "a job on fewer CPUs", "reliable", .job_cpus = 1 },
	{ "the kernel keeps time by another clock", "reliable",
	  .clocksource = TW_HEALTH_UNDECIDED },
	{ "nothing compared", "undecided", "end_cpus_not_compared", .no_run = true },
	{ "it failed", "undecided", "end_cpus_not_compared", .run_error = 12 },
	{ "without a result", "undecided", "end_cpus_undecided",
	  .run_verdict = TW_UNDECIDED },
	{ "one CPU left out", "undecided", "end_cpus_not_covered", .run_cpus = 2 },
	{ "at the start", "undecided", "cpus_not_covered", .start_cpus = 2 },
	{ "CPUs not known", "undecided", "end_cpus_not_covered", .unknown_cpus = true },
	{ "no look at the end", "undecided", "end_unchecked", .job_error = 5 },
	{ "the look came to nothing", "undecided", "end_prediction_undecided",
	  .prediction = TW_HEALTH_UNDECIDED },
	{ "the look before", "undecided", "statistics", .start_verdict = TW_UNDECIDED,
	  .start_reasons = TW_REASON_STATISTICS },
	{ "there was none before", "unchecked", .unchecked = true },
	{ "the CPUs at the run's end", "unreliable", "end_cpus",
	  .run_verdict = TW_UNRELIABLE },
	{ "on some of the CPUs", "unreliable", "end_cpus", .run_verdict = TW_UNRELIABLE,
	  .run_cpus = 1 },
	{ "the clock", "unreliable", "end_prediction", .prediction = TW_HEALTH_BAD },
	{ "and nothing compared", "unreliable", "end_prediction", .no_run = true,
	  .prediction = TW_HEALTH_BAD },
	{ "not even before", "unreliable", "end_prediction", .no_run = true,
	  .unchecked = true, .prediction = TW_HEALTH_BAD },
	{ "one I/O", "unreliable", "backwards", .backwards = true },
};

static void check(const struct one_case *one)
{
	json_t *counter;
	const char *is;

	begin();
	job.cpus = cpus_to(one->job_cpus ? one->job_cpus : 3);
	job.cpus.known = !one->unknown_cpus;
	job.start.cpus = cpus_to(one->start_cpus ? one->start_cpus : 3);
	job.start.checked = !one->unchecked;
	job.error = one->job_error;
	job.backwards = one->backwards;
	job.start.found.reasons = one->start_reasons;
	if (one->start_verdict)
		job.start.found.verdict = one->start_verdict;
	if (one->prediction)
		job.health.state[TW_HEALTH_PREDICTION] = one->prediction;
	if (one->clocksource)
		job.health.state[TW_HEALTH_CLOCKSOURCE] = one->clocksource;
	run.cpus = cpus_to(one->run_cpus ? one->run_cpus : 3);
	run.error = one->run_error;
	if (one->run_verdict)
		run.found.verdict = one->run_verdict;
	counter = tw_counter_to_json(&job, one->no_run ? NULL : &run);
	is = json_string_value(json_object_get(counter, "verdict"));
	tap_ok(is && !strcmp(is, one->verdict) &&
	       (one->code ? has_code(counter, one->code) :
		json_array_size(json_object_get(counter, "reasons")) == 0),
	       "%s: %s%s%s", one->words, one->verdict, one->code ? ", because of " : "",
	       one->code ? one->code : "");
	json_decref(counter);
}

static void is_told(unsigned reasons, int64_t low_ticks, const char *wanted)
{
	struct tw_timing timing = { .clock.scale.hz = 1e9 };
	struct tw_run_end end;

	compared = (struct tw_reliability) {
		.reasons = reasons, .hz = 1e9, .offset_low_ticks = low_ticks,
		.offset_high_ticks = 900,
	};
	told[0] = '\0';
	tw_run_compare(&timing, &job.cpus, &end);
	told[strcspn(told, "\n")] = '\0';
	tap_ok(end.error == ENOTSUP ||
	       (wanted ? strstr(told, wanted) != NULL : !told[0]),
	       "told: %s", told[0] ? told : "nothing");
}

/* What is logged when the last job has ended. */
static void compares(void)
{
	char reason[256];

	begin();
	is_told(0, -100, NULL);
	snprintf(reason, sizeof(reason), "(%s; they are 700 to 900 ns apart)",
		 tw_text(TW_ENUM_REASON, TW_REASON_OFFSET));
	is_told(TW_REASON_OFFSET, 700, reason);
	snprintf(reason, sizeof(reason), "(%s)",
		 tw_text(TW_ENUM_REASON, TW_REASON_PACE));
	is_told(TW_REASON_PACE | TW_REASON_BACKWARDS, -INT64_MAX, reason);
}

int main(void)
{
	compares();
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check(&cases[i]);
	return tap_done();
}
