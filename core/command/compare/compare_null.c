/* SPDX-License-Identifier: MIT */
/*
 * Measures what the clock costs fio: I/Os per second of fio's null engine. This
 * engine does nothing, so little else than the clock takes time. Also counts
 * from outside how often each I/O reads the clock.
 */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "command/command.h"
#include "command/compare/compare_parts.h"

#define PATIENCE_NS	30000000000ULL

/* Return all that fio writes, up to its end, to be freed. */
static char *read_output(struct tw_compare_result *result,
			 struct tw_compare_process *process)
{
	char line[4096], *output = NULL;
	size_t size;
	FILE *text = tw_text_open(&output, &size);

	while (tw_compare_read(process, line, sizeof(line), PATIENCE_NS, result) == 0)
		fputs(line, text);
	tw_text_close(text);
	return output;
}

/* Return a figure of the reads in fio's JSON. Messages may come before the object. */
static double read_figure(const char *output, const char *name)
{
	const char *begin = output[0] == '{' ? output : strstr(output, "\n{");
	json_t *root = begin ? json_loads(begin, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
	json_t *job = json_array_get(json_object_get(root, "jobs"), 0);
	double value = json_number_value(json_object_get(json_object_get(job, "read"), name));

	json_decref(root);
	return value;
}

/* Run fio for a second. With @counter, a library that counts its readings of the clock,
 * return the readings for each I/O, else the I/Os per second; 0: the run failed. */
static double run_fio(struct tw_compare_result *result, const struct tw_compare_clock *clock,
		      const char *counter)
{
	const char *preload = counter ? counter : clock->preload ? result->preload : "";
	const char *const argv[] = {
		clock->fio, "--name=null", "--ioengine=null", "--rw=read", "--bs=4k",
		"--size=1t", "--time_based", "--runtime=1", "--output-format=json",
		counter ? "--thread" : "--group_reporting",
		tw_format("--clocksource=%s", counter ? "clock_gettime" : clock->clocksource),
		NULL
	};
	const char *const set[] = {
		tw_format("LD_PRELOAD=%s", preload),
		tw_format(TW_PROBE_FD "=%s", counter ? "1" : ""), NULL
	};
	struct tw_compare_process process = { 0 };
	const char *reads;
	char *output;
	double value = 0;

	tw_compare_step(result, TW_COMPARE_NULL_S, "fio's null engine");
	if (tw_compare_spawn(&process, argv, set, STDOUT_FILENO))
		return 0;
	output = read_output(result, &process);
	if (tw_compare_end(&process, SIGTERM) == 0)
		value = read_figure(output, counter ? "total_ios" : "iops");
	if (counter) {
		reads = strstr(output, "tickwise-reads ");
		value = reads && value > 0 ? strtod(reads + 15, NULL) / value : 0;
	}
	free(output);
	return value;
}

unsigned tw_compare_null_runs(const struct tw_compare_result *result, unsigned rounds)
{
	unsigned with_fio = 0;

	for (unsigned i = 0; i < result->clocks; i++)
		with_fio += result->clock[i].fio != NULL;
	return rounds ? with_fio * (rounds + (result->counter != NULL)) : 0;
}

void tw_compare_null(struct tw_compare_result *result, unsigned rounds)
{
	double iops[TW_COMPARE_CLOCKS][TW_COMPARE_MAX_ROUNDS];
	unsigned i;

	for (i = 0; i < rounds * result->clocks && !tw_command_is_interrupted(); i++) {
		unsigned round = i / result->clocks;
		unsigned which = (i + round) % result->clocks;

		if (result->clock[which].fio)
			iops[which][round] = run_fio(result, &result->clock[which], NULL);
	}
	/* Leave out the interrupted run, and the rounds that lack a run. */
	if (tw_command_is_interrupted())
		rounds = i ? (i - 1) / result->clocks : 0;
	for (unsigned which = 0; which < result->clocks; which++) {
		const struct tw_compare_clock *clock = &result->clock[which];

		if (!clock->fio || !rounds)
			continue;
		result->null_iops[which] = tw_compare_median(iops[which], rounds);
		if (result->counter && !tw_command_is_interrupted())
			result->reads_per_io[which] = run_fio(result, clock, result->counter);
	}
}
