/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: a job's report calls the counter reliable only if each check found it
 * good: before the first job, at the job's end, and after the last job on all CPUs
 * that the job may have run on. A bad check makes it unreliable, whatever the rest;
 * all else is undecided, with a reason, and the report names the CPUs and the span.
 * The log tells why the CPUs' counters disagree, and how far if that is known.
 * Defect: a check without a result taken for a good one. The counter of a CPU that
 * jumped in mid-run was called reliable when the last check was disturbed.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "no_estimate.h"
#include "counter_verdict.h"
#include "message.h"
#include "tap.h"

/* A real check would read this; here it is not read. */
void tw_cpus_note(struct tw_cpu_list *cpus)
{
	(void)cpus;
}

void tw_cpus_set(const struct tw_cpu_list *cpus)
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
			.verdict = TW_RELIABLE, .checked = 1,
			.cpus = cpus_to(3), .monotonic_ns = 1000,
		},
		.cpus = cpus_to(3),
	};
	for (i = 0; i < TW_HEALTH_CHECKS; i++)
		job.health.state[i] = TW_HEALTH_GOOD;
	job.health.state[TW_HEALTH_CPUS] = TW_HEALTH_NOT_RUN;
	run = (struct tw_run_end) {
		.found.verdict = TW_RELIABLE, .cpus = cpus_to(3),
		.monotonic_ns = 5000,
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

/* @code: a reason that must be there; NULL: there must be none. */
static void is_so(const struct tw_run_end *end, const char *verdict,
		  const char *code, const char *words)
{
	json_t *counter = tw_counter_to_json(&job, end);
	const char *is = json_string_value(json_object_get(counter,
							   "verdict"));

	tap_ok(is && !strcmp(is, verdict) &&
	       (code ? has_code(counter, code) :
		json_array_size(json_object_get(counter, "reasons")) == 0),
	       "%s: %s%s%s", words, verdict, code ? ", because of " : "",
	       code ? code : "");
	json_decref(counter);
}

static void reliable(void)
{
	begin();
	is_so(&run, "reliable", NULL, "all is well");
	job.cpus = cpus_to(1);
	is_so(&run, "reliable", NULL, "a job on fewer CPUs");
	job.health.state[TW_HEALTH_CLOCKSOURCE] = TW_HEALTH_UNDECIDED;
	is_so(&run, "reliable", NULL, "the kernel keeps time by another clock");
}

static void undecided(void)
{
	begin();
	is_so(NULL, "undecided", "end_cpus_not_compared", "nothing compared");
	run.error = 12;
	is_so(&run, "undecided", "end_cpus_not_compared", "it failed");
	begin();
	run.found.verdict = TW_UNDECIDED;
	is_so(&run, "undecided", "end_cpus_undecided", "without a result");
	begin();
	run.cpus = cpus_to(2);
	is_so(&run, "undecided", "end_cpus_not_covered", "one CPU left out");
	begin();
	job.start.cpus = cpus_to(2);
	is_so(&run, "undecided", "cpus_not_covered", "at the start");
	begin();
	job.cpus.known = 0;
	is_so(&run, "undecided", "end_cpus_not_covered", "CPUs not known");
	begin();
	job.error = 5;
	is_so(&run, "undecided", "end_unchecked", "no look at the end");
	begin();
	job.health.state[TW_HEALTH_PREDICTION] = TW_HEALTH_UNDECIDED;
	is_so(&run, "undecided", "end_prediction_undecided",
	      "the look came to nothing");
	begin();
	job.start.verdict = TW_UNDECIDED;
	job.start.reasons = TW_REASON_STATISTICS;
	is_so(&run, "undecided", "statistics", "the look before");
	begin();
	job.start.checked = 0;
	is_so(&run, "unchecked", NULL, "there was none before");
}

static void unreliable(void)
{
	begin();
	run.found.verdict = TW_UNRELIABLE;
	is_so(&run, "unreliable", "end_cpus", "the CPUs at the run's end");
	run.cpus = cpus_to(1);
	is_so(&run, "unreliable", "end_cpus", "on some of the CPUs");
	begin();
	job.health.state[TW_HEALTH_PREDICTION] = TW_HEALTH_BAD;
	is_so(&run, "unreliable", "end_prediction", "the clock");
	is_so(NULL, "unreliable", "end_prediction", "and nothing compared");
	job.start.checked = 0;
	is_so(NULL, "unreliable", "end_prediction", "not even before");
	begin();
	job.backwards = 1;
	is_so(&run, "unreliable", "backwards", "one I/O");
}

static void covers(void)
{
	json_t *counter, *what;

	begin();
	run.cpus = cpus_to(2);
	job.cpus = cpus_to(1);
	counter = tw_counter_to_json(&job, &run);
	what = json_object_get(counter, "covers");
	tap_ok(!strcmp(json_string_value(json_object_get(what, "job_cpus")),
		       "0-1") &&
	       !strcmp(json_string_value(json_object_get(what, "start_cpus")),
		       "0-3") &&
	       !strcmp(json_string_value(json_object_get(what, "end_cpus")),
		       "0-2") &&
	       json_integer_value(json_object_get(what, "over_ns")) == 4000,
	       "the report names the CPUs and the span");
	json_decref(counter);
	counter = tw_counter_to_json(&job, NULL);
	what = json_object_get(counter, "covers");
	tap_ok(!json_object_get(what, "end_cpus") &&
	       !json_object_get(what, "over_ns"),
	       "and no end where nothing was compared");
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
	reliable();
	undecided();
	unreliable();
	covers();
	return tap_done();
}
