/* SPDX-License-Identifier: MIT */
/*
 * What is known of single slow I/Os, as numbers and in words: their stages, what happened
 * to the job's thread in the longest one, and what tw_trigger kept. The JSON of a report
 * has it, and was checked when the report was read.
 */
#include <stdio.h>
#include <string.h>

#include "command/answers/answers.h"
#include "command/output/page.h"
#include "latency/sleep_words.h"

int tw_report_since_start(double *s, const struct tw_report_job *job,
			  uint64_t monotonic_ns)
{
	const uint64_t start_ns = job->start_monotonic_ns;

	if (!start_ns || monotonic_ns < start_ns)
		return 0;
	*s = (double)(monotonic_ns - start_ns) / 1e9;
	return 1;
}

/* ---- stages -------------------------------------------------------------- */

/* Name the kernel's time. In an I/O that lacks a stamp, it consists of the
 * stages that are missing. */
static void name_kernel(char *name, size_t size, const json_t *stages)
{
	size_t used = 0, all = 0, missing = 0;

	for (int i = 0; i < TW_STAGES; i++) {
		if (!tw_stage_is_inside(i))
			continue;
		all++;
		if (json_object_get(stages, tw_time_rows[i].name))
			continue;
		missing++;
		used += (size_t)snprintf(name + used, size - used, "%s%s",
					 used ? "+" : "", tw_time_rows[i].name);
	}
	if (missing == 0 || missing == all)
		snprintf(name, size, "kernel");
}

int tw_report_slow_stages(const json_t *slow, struct tw_report_slow_stage list[TW_STAGES])
{
	const json_t *stages = json_object_get(slow, "stages");
	const char *kernel = json_object_get(stages, "kernel") ? "kernel" : NULL;
	int count = 0;

	for (int i = 0; i < TW_STAGES; i++) {
		struct tw_report_slow_stage *at = &list[count];
		const char *name = tw_time_rows[i].name;

		if (i != TW_KERNEL && json_object_get(stages, name)) {
			snprintf(at->name, sizeof(at->name), "%s", name);
		} else if (kernel && (tw_stage_is_inside(i) || i == TW_KERNEL)) {
			name_kernel(at->name, sizeof(at->name), stages);
			name = kernel;
			kernel = NULL;
		} else {
			continue;
		}
		at->ns = tw_report_u64(stages, name);
		count++;
	}
	return count;
}

/* ---- causes ---------------------------------------------------------------- */

/* A piece below 1 / MIN_PART of the stage is not mentioned. */
#define MIN_PART	20

/* In the order in which a sentence has them. */
static const struct {
	const char *key, *words;
} pieces[TW_REPORT_PIECES] = {
	[TW_REPORT_WAITED] = { "waited_ns", "ready to run but not running for" },
	[TW_REPORT_INTERRUPTS] = { "interrupts_ns", "interrupted for" },
	[TW_REPORT_WOKEN_LATE] = { "woken_late_ns", "woken late by" },
	[TW_REPORT_ASLEEP] = { "asleep_ns", "asleep for" },
	[TW_REPORT_RAN] = { "ran_ns", "running for" },
	[TW_REPORT_UNEXPLAINED] = { "unexplained_ns", "unexplained" },
};

int tw_report_cause_of(struct tw_report_cause *cause, const json_t *slow)
{
	const json_t *json = json_object_get(slow, "causes");
	const json_t *stall = json_object_get(json, "stall");

	if (!json)
		return 0;
	*cause = (struct tw_report_cause) {
		.stage = tw_report_string(json, "stage"),
		.lost = json_is_true(json_object_get(json, "lost")),
		.stolen_ns = tw_report_u64(json, "stolen_at_most_ns"),
		.had_cpu = json_object_get(json, "had_cpu"),
		.slept = json_object_get(json, "slept"),
		.stall_from_ns = tw_report_u64(stall, "from_ns"),
		.stall_ns = tw_report_u64(stall, "ns"),
	};
	cause->stage_ns = tw_report_u64(json_object_get(slow, "stages"), cause->stage);
	for (int i = 0; i < TW_REPORT_PIECES; i++) {
		cause->followed |= json_object_get(json, pieces[i].key) != NULL;
		cause->ns[i] = tw_report_u64(json, pieces[i].key);
	}
	return 1;
}

int tw_report_cause_is_in(const struct tw_report_cause *cause, int stage)
{
	return strcmp(cause->stage, tw_time_rows[stage].name) == 0;
}

void tw_report_had_cpu(char *text, size_t size, const json_t *had)
{
	const char *kind = tw_report_string(had, "kind");
	const char *name = tw_report_string(had, "name");
	const unsigned long long id = tw_report_u64(had, "id");

	if (strcmp(kind, "hidden") == 0)
		snprintf(text, size, "another user's process");
	else if (strcmp(kind, "idle") == 0)
		snprintf(text, size, "the CPU's way out of idle");
	else if (strcmp(kind, "softirq") == 0)
		snprintf(text, size, "softirq %s", name ? name : "");
	else if (strcmp(kind, "interrupt") == 0)
		snprintf(text, size, "interrupt %llu (%s)", id, name ? name : "");
	else if (strcmp(kind, "kernel") == 0)
		snprintf(text, size, "%s", name ? name : "a kernel thread");
	else if (!json_object_get(had, "id"))
		snprintf(text, size, "%s", name ? name : "a process");
	else
		snprintf(text, size, "%s (%llu)", name ? name : "a process", id);
}

void tw_report_slept(char *text, size_t size, const json_t *slept)
{
	const char *word = tw_report_string(slept, "word");
	const char *function = tw_report_string(slept, "function");
	int i = 1;

	while (i < TW_SLEEP_WORDS && strcmp(tw_sleep_texts[i].word, word))
		i++;
	if (i == TW_SLEEP_OTHER && function)
		snprintf(text, size, "in %s()", function);
	else
		snprintf(text, size, "for %s", i < TW_SLEEP_WORDS ? tw_sleep_texts[i].text : word);
}

static int is_worth_a_word(const struct tw_report_cause *cause, uint64_t ns)
{
	return ns && ns >= cause->stage_ns / MIN_PART;
}

static void put_had_cpu(FILE *file, const struct tw_report_cause *cause)
{
	const char *between = ": ", *had_its_cpu = " had its CPU";

	for (size_t i = 0; i < json_array_size(cause->had_cpu); i++) {
		const json_t *had = json_array_get(cause->had_cpu, i);
		char who[96];
		const uint64_t ns = tw_report_u64(had, "ns");

		if (!is_worth_a_word(cause, ns))
			continue;
		tw_report_had_cpu(who, sizeof(who), had);
		fprintf(file, "%s%s%s for %s", between, who, had_its_cpu, TW_SAY_NS(ns));
		between = ", ";
		had_its_cpu = "";
	}
}

/* Write what a thread was waiting for, each reason with its time. */
static void put_slept(FILE *file, const struct tw_report_cause *cause, const char *before)
{
	for (size_t i = 0; i < json_array_size(cause->slept); i++) {
		const json_t *slept = json_array_get(cause->slept, i);
		const uint64_t ns = tw_report_u64(slept, "ns");
		char text[96];

		if (!is_worth_a_word(cause, ns))
			continue;
		tw_report_slept(text, sizeof(text), slept);
		fprintf(file, "%s%s (%s)", before, text, TW_SAY_NS(ns));
		before = ", ";
	}
}

static void put_pieces(FILE *file, const struct tw_report_cause *cause)
{
	const char *before = "the job was ", *words;

	for (int i = 0; i < TW_REPORT_PIECES; i++) {
		if (!is_worth_a_word(cause, cause->ns[i]))
			continue;
		/* A time without explanation does not have the job as its
		 * subject. */
		if (i == TW_REPORT_UNEXPLAINED && before[0] == 't')
			before = "";
		words = i == TW_REPORT_UNEXPLAINED && tw_report_cause_is_in(cause, TW_BLOCKQ) ?
			"in the queues of the block layer for" : pieces[i].words;
		fprintf(file, "%s%s %s", before, words, TW_SAY_NS(cause->ns[i]));
		if (i == TW_REPORT_WAITED)
			put_had_cpu(file, cause);
		if (i == TW_REPORT_ASLEEP)
			put_slept(file, cause, ", waiting ");
		before = "; ";
	}
	if (is_worth_a_word(cause, cause->stolen_ns))
		fprintf(file, "; the hypervisor took 0 to %s of it",
			TW_SAY_NS(cause->stolen_ns));
	if (cause->lost)
		fputs("; older records were overwritten", file);
}

uint64_t tw_report_waited_at_most(const json_t *slow, struct tw_report_slow_stage *longest)
{
	struct tw_report_slow_stage list[TW_STAGES];
	const int count = tw_report_slow_stages(slow, list);

	longest->ns = 0;
	for (int i = 0; i < count; i++)
		if (list[i].ns > longest->ns)
			*longest = list[i];
	return tw_report_u64(slow, "waited_at_most_ns");
}

/* Write the largest part of blockq, after @before, if that is an I/O's longest stage. Where
 * they are not exact, scheduler is a bound, and so is what is left of blockq. Return 1 if it
 * is known. */
static int put_part(FILE *file, const char *before, const json_t *slow,
		    const struct tw_report_slow_stage *longest)
{
	const json_t *parts = json_object_get(slow, "blockq");
	const char *name = "scheduler", *bound = "";
	uint64_t ns = tw_report_u64(parts, name);

	if (!parts || strcmp(longest->name, tw_time_rows[TW_BLOCKQ].name))
		return 0;
	if (json_object_get(parts, "before")) {
		for (int i = TW_BEFORE; i <= TW_ADMISSION; i++)
			if (tw_report_u64(parts, tw_time_rows[i].name) > ns) {
				name = tw_time_rows[i].name;
				ns = tw_report_u64(parts, name);
			}
	} else if (longest->ns - ns > ns) {
		name = "before+admission";
		bound = "at least ";
		ns = longest->ns - ns;
	} else {
		bound = "at most ";
	}
	fprintf(file, "%s%s %s%s", before, name, bound, TW_SAY_NS(ns));
	return 1;
}

static int put_waited(FILE *file, const json_t *slow, uint64_t waited_ns,
		      const struct tw_report_slow_stage *longest)
{
	const int any = waited_ns && waited_ns >= longest->ns / MIN_PART;

	if (any)
		fprintf(file, "%s: waited for a CPU up to %s", longest->name,
			TW_SAY_NS(waited_ns));
	return put_part(file, any ? "; " : "blockq: ", slow, longest) || any;
}

int tw_report_say_cause(char *text, size_t size, const json_t *slow)
{
	struct tw_report_slow_stage longest;
	const uint64_t waited_ns = tw_report_waited_at_most(slow, &longest);
	struct tw_report_cause cause;
	char company[80];
	FILE *file = fmemopen(text, size, "w");
	int any;

	if (!file)
		return 0;
	if (!tw_report_cause_of(&cause, slow)) {
		any = put_waited(file, slow, waited_ns, &longest);
		fclose(file);
		return any;
	}
	fprintf(file, "%s: ", cause.stage);
	if (cause.followed)
		put_pieces(file, &cause);
	else if (cause.slept)
		put_slept(file, &cause, "a worker of io_uring was asleep, waiting ");
	else if (tw_report_cause_is_in(&cause, TW_DEVICE) &&
		 tw_report_say_company(company, sizeof(company), slow))
		fprintf(file, "in the device, behind %s of others", company);
	else
		fputs(tw_report_cause_is_in(&cause, TW_DEVICE) ? "in the device" :
		      tw_report_cause_is_in(&cause, TW_BLOCKQ) ?
		      "in the queues of the block layer" :
		      "unexplained (not the job's thread)", file);
	put_part(file, "; of blockq ", slow, &longest);
	fclose(file);
	return 1;
}

/* ---- triggers ---------------------------------------------------------------- */

void tw_report_trigger_at(struct tw_report_trigger *trigger,
			  const struct tw_report_group *group, size_t i)
{
	const json_t *json = json_array_get(group->all.triggers, i);
	const json_t *io = json_object_get(json, "io");

	*trigger = (struct tw_report_trigger) {
		.job = &group->all.jobs[tw_report_u64(json, "job")],
		.why = tw_report_string(json, "why"),
		.above_ns = tw_report_u64(json, "above_ns"),
		.slower = tw_report_u64(json, "slower"),
		.stopped_for = tw_report_u64(json, "stopped_for"),
		.io = io,
		.begin_ns = tw_report_u64(io, "monotonic_ns"),
		.lat_ns = tw_report_u64(io, "lat_ns"),
		.events = io ? json_object_get(json, "events") : NULL,
		.whole_from_ns = tw_report_u64(json, "whole_from_ns"),
	};
	trigger->event_count = json_object_get(json, "event_count") ?
		tw_report_u64(json, "event_count") : json_array_size(trigger->events);
}
