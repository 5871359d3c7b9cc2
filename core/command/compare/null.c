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

#include "command/command.h"
#include "command/compare/compare.h"
#include "base/allocate.h"

#define OUTPUT_SIZE	(1 << 20)
#define RUNTIME		"--runtime=1"
#define MAX_ROUNDS	99
#define PATIENCE_NS	30000000000ULL

/* Read all that fio writes, up to its end. */
static size_t read_output(struct tw_compare_result *result,
			  struct tw_compare_process *process, char *output)
{
	char line[4096];
	size_t used = 0;

	while (tw_compare_read(process, line, sizeof(line), PATIENCE_NS, result) == 0) {
		size_t length = strlen(line);

		if (used + length >= OUTPUT_SIZE)
			break;
		memcpy(output + used, line, length);
		used += length;
	}
	output[used] = '\0';
	return used;
}

/* Parse fio's JSON. Messages may come before the object. */
static json_t *parse(const char *output)
{
	const char *begin = output[0] == '{' ? output : strstr(output, "\n{");

	return begin ? json_loads(begin, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
}

static double read_figure(json_t *root, const char *name)
{
	json_t *job = json_array_get(json_object_get(root, "jobs"), 0);
	json_t *read = json_object_get(job, "read");

	return json_number_value(json_object_get(read, name));
}

/* Run fio once. Return: @figure of its reads; 0: the run failed. */
static double run_fio(struct tw_compare_result *result,
		      const struct tw_compare_clock *clock, const char *preload,
		      const char *fd, const char *figure)
{
	char source[64], set_preload[600], set_fd[64];
	const char *const argv[] = { clock->fio, "--name=null",
		"--ioengine=null", "--rw=read", "--bs=4k", "--size=1t",
		"--time_based", RUNTIME, "--output-format=json",
		fd ? "--thread" : "--group_reporting", source, NULL };
	const char *const set[] = { set_preload, set_fd, NULL };
	struct tw_compare_process process = { 0 };
	char *output = tw_malloc(OUTPUT_SIZE);
	double value = 0;
	json_t *root;

	snprintf(source, sizeof(source), "--clocksource=%s",
		 fd ? "clock_gettime" : clock->clocksource);
	snprintf(set_preload, sizeof(set_preload), "LD_PRELOAD=%s", preload);
	snprintf(set_fd, sizeof(set_fd), TW_PROBE_FD "=%s", fd ? fd : "");
	if (!tw_compare_spawn(&process, argv, set, STDOUT_FILENO)) {
		read_output(result, &process, output);
		if (tw_compare_end(&process, SIGTERM) == 0) {
			const char *reads = strstr(output, "tickwise-reads ");

			root = parse(output);
			value = read_figure(root, figure);
			if (fd)
				value = reads && value > 0 ?
					strtod(reads + 15, NULL) / value : 0;
			json_decref(root);
		}
	}
	free(output);
	return value;
}

unsigned tw_compare_null_runs(const struct tw_compare_result *result, unsigned rounds)
{
	unsigned with_fio = 0;

	for (unsigned i = 0; i < result->clocks; i++)
		with_fio += result->clock[i].fio != NULL;
	return rounds ? with_fio * (rounds + (result->counter[0] != '\0')) : 0;
}

void tw_compare_null(struct tw_compare_result *result, unsigned rounds)
{
	double iops[TW_COMPARE_CLOCKS][MAX_ROUNDS];
	unsigned i;

	for (i = 0; i < rounds * result->clocks && !tw_command_is_interrupted(); i++) {
		unsigned round = i / result->clocks;
		unsigned which = (i + round) % result->clocks;
		const struct tw_compare_clock *clock = &result->clock[which];

		if (!clock->fio)
			continue;
		tw_compare_step(result, TW_COMPARE_NULL, "fio's null engine");
		iops[which][round] = run_fio(result, clock, clock->preload ?
					     result->preload : "", NULL, "iops");
	}
	/* Leave out the interrupted run, and the rounds that lack a run. */
	if (tw_command_is_interrupted())
		rounds = i ? (i - 1) / result->clocks : 0;
	for (unsigned which = 0; which < result->clocks; which++) {
		const struct tw_compare_clock *clock = &result->clock[which];

		if (!clock->fio || !rounds)
			continue;
		result->null_iops[which] = tw_compare_median(iops[which],
							     rounds);
		if (!result->counter[0] || tw_command_is_interrupted())
			continue;
		tw_compare_step(result, TW_COMPARE_NULL, "fio's null engine");
		result->reads_per_io[which] = run_fio(result, clock, result->counter, "1",
						      "total_ios");
	}
}
