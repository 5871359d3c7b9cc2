/* SPDX-License-Identifier: MIT */
/*
 * Reads what happened to the job's thread in the longest stage of a
 * slow I/O, and describes it for the page.
 */
#include <stdio.h>
#include <string.h>

#include "command/output/page.h"
#include "command/answers/causes.h"
#include "report/want.h"

/* A piece below 1 / MIN_PART of the stage is not mentioned. */
#define MIN_PART	20

static const char *const pieces[TW_REPORT_PIECES] = {
	[TW_REPORT_RAN] = "ran_ns",
	[TW_REPORT_WAITED] = "waited_ns",
	[TW_REPORT_INTERRUPTS] = "interrupts_ns",
	[TW_REPORT_WOKEN_LATE] = "woken_late_ns",
	[TW_REPORT_ASLEEP] = "asleep_ns",
	[TW_REPORT_UNEXPLAINED] = "unexplained_ns",
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
		.since_interrupt_ns = tw_report_u64(json, "since_interrupt_ns"),
		.stolen_ns = tw_report_u64(json, "stolen_at_most_ns"),
		.had_cpu = json_object_get(json, "had_cpu"),
		.stall_from_ns = tw_report_u64(stall, "from_ns"),
		.stall_ns = tw_report_u64(stall, "ns"),
	};
	/* The length is not known if this version does not know the stage. */
	cause->stage_ns = tw_report_u64(json_object_get(slow, "stages"), cause->stage);
	for (int i = 0; i < TW_REPORT_PIECES; i++) {
		cause->followed |= json_object_get(json, pieces[i]) != NULL;
		cause->ns[i] = tw_report_u64(json, pieces[i]);
	}
	return 1;
}

/* ---- in words ------------------------------------------------------------ */

void tw_report_had_cpu(char *text, size_t size, const json_t *had)
{
	const char *kind = tw_report_string(had, "kind");
	const char *name = tw_report_string(had, "name");
	const uint64_t id = tw_report_u64(had, "id");

	if (strcmp(kind, "hidden") == 0)
		snprintf(text, size, "another user's process");
	else if (strcmp(kind, "idle") == 0)
		snprintf(text, size, "the CPU's way out of idle");
	else if (strcmp(kind, "softirq") == 0)
		snprintf(text, size, "softirq %s", name ? name : "");
	else if (strcmp(kind, "interrupt") == 0)
		snprintf(text, size, "interrupt %llu (%s)",
			 (unsigned long long)id, name ? name : "");
	else if (strcmp(kind, "kernel") == 0)
		snprintf(text, size, "%s", name ? name : "a kernel thread");
	else if (!json_object_get(had, "id"))
		snprintf(text, size, "%s", name ? name : "a process");
	else
		snprintf(text, size, "%s (%llu)", name ? name : "a process",
			 (unsigned long long)id);
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
		char text[TW_FORMAT_SIZE], who[96];
		const uint64_t ns = tw_report_u64(had, "ns");

		if (!is_worth_a_word(cause, ns))
			continue;
		tw_report_had_cpu(who, sizeof(who), had);
		fprintf(file, "%s%s%s for %s", between, who, had_its_cpu,
			tw_format_ns(text, (double)ns));
		between = ", ";
		had_its_cpu = "";
	}
}

int tw_report_cause_is_in(const struct tw_report_cause *cause, int stage)
{
	return strcmp(cause->stage, tw_time_rows[stage].name) == 0;
}

static const char *words_for(const struct tw_report_cause *cause, int piece)
{
	static const char *const words[TW_REPORT_PIECES] = {
		[TW_REPORT_WAITED] = "ready to run but not running for",
		[TW_REPORT_INTERRUPTS] = "interrupted for",
		[TW_REPORT_WOKEN_LATE] = "woken late by",
		[TW_REPORT_ASLEEP] = "asleep for",
		[TW_REPORT_RAN] = "running for",
		[TW_REPORT_UNEXPLAINED] = "unexplained",
	};

	if (piece == TW_REPORT_UNEXPLAINED &&
	    tw_report_cause_is_in(cause, TW_BLOCKQ))
		return "in the queues of the block layer for";
	return words[piece];
}

static void put_pieces(FILE *file, const struct tw_report_cause *cause)
{
	static const int order[] = {
		TW_REPORT_WAITED, TW_REPORT_INTERRUPTS, TW_REPORT_WOKEN_LATE,
		TW_REPORT_ASLEEP, TW_REPORT_RAN, TW_REPORT_UNEXPLAINED,
	};
	const char *before = "the job was ";
	char text[TW_FORMAT_SIZE];

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		const int piece = order[i];

		if (!is_worth_a_word(cause, cause->ns[piece]))
			continue;
		/* A time without explanation does not have the job as its
		 * subject. */
		if (piece == TW_REPORT_UNEXPLAINED && before[0] == 't')
			before = "";
		fprintf(file, "%s%s %s", before, words_for(cause, piece),
			tw_format_ns(text, (double)cause->ns[piece]));
		if (piece == TW_REPORT_WAITED)
			put_had_cpu(file, cause);
		before = "; ";
	}
	if (is_worth_a_word(cause, cause->stolen_ns))
		fprintf(file, "; the hypervisor took 0 to %s of it",
			tw_format_ns(text, (double)cause->stolen_ns));
	if (cause->lost)
		fputs("; older records were overwritten", file);
}

int tw_report_say_cause(char *text, size_t size, const json_t *slow)
{
	struct tw_report_cause cause;
	FILE *file;

	if (!tw_report_cause_of(&cause, slow))
		return 0;
	file = fmemopen(text, size, "w");
	if (!file)
		return 0;
	fprintf(file, "%s: ", cause.stage);
	if (cause.followed)
		put_pieces(file, &cause);
	else if (tw_report_cause_is_in(&cause, TW_DEVICE))
		fputs("in the device", file);
	else if (tw_report_cause_is_in(&cause, TW_BLOCKQ))
		fputs("in the queues of the block layer", file);
	else
		fputs("unexplained (not the job's thread)", file);
	fclose(file);
	return 1;
}
