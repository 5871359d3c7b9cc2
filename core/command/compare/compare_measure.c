/* SPDX-License-Identifier: MIT */
/*
 * Measures for tickwise compare. The clocks are started one after another, in turn. Each
 * start is compared with the system's clocks over a window that begins when the clock is
 * ready. Windows overlap: a process that waits for its second moment sleeps. Under load
 * there are two busy loops for each CPU.
 *
 * What the clock costs fio is measured by I/Os per second of fio's null engine. This
 * engine does nothing, so little else than the clock takes time.
 */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "command/command.h"
#include "command/compare/compare_parts.h"
#include "timespec.h"
#include "trust.h"

#define PROBE_FD	9
/* A process without output for this long after its expected end counts as
 * hung. */
#define PATIENCE_NS	60000000000ULL
#define RUN_PATIENCE_NS	30000000000ULL	/* of a run of a second */

struct own {
	const struct tw_compare_clock *clock;
	double ns_per_tick;
	uint64_t window_ns;
	uint64_t begin_ns;
};

/* ---- our own clocks, each in a child ---- */

static uint64_t read_own(void *context)
{
	return tw_clock_ns(context);
}

static void sleep_ns(uint64_t ns)
{
	struct timespec rest = tw_timespec_of(ns);

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

static void run_own(void *context, int fd)
{
	const struct own *own = context;
	/* The same options as the engine's. */
	const struct tw_clock_options options = {
		.size = sizeof(options),
		.window_ns = own->clock->window_ns,
		.longest_ns = TW_TRUST_ENGINE_LONGEST_NS,
	};
	struct tw_probe_report report = { 0 };
	struct tw_trust_compared compared;
	static struct tw_clock clock;
	const struct tw_probe_reader reader = { read_own, &clock };

	if (tw_clock_init(&clock, &options) || clock.system)
		_exit(1);
	if (own->clock->check)
		tw_trust_compare(TW_TRUST_RUN_START, clock.scale.hz, &compared);
	report.startup_ns = (double)(tw_clock_id_ns(CLOCK_MONOTONIC) -
				     own->begin_ns);
	report.read_ns = tw_probe_read_cost(own->ns_per_tick, &reader);
	tw_probe_moment_take(report.moment[0], own->ns_per_tick, clock_gettime,
			     &reader);
	tw_probe_send(fd, &report);
	sleep_ns(own->window_ns);
	tw_probe_moment_take(report.moment[1], own->ns_per_tick, clock_gettime,
			     &reader);
	_exit(tw_probe_send(fd, &report) != 0);
}

/* ---- fio's, with the probe inside ---- */

static int spawn_fio(struct tw_compare_process *process,
		     const struct tw_compare_result *result,
		     const struct own *own)
{
	const struct tw_compare_clock *clock = own->clock;
	const char *const argv[] = {
		clock->fio, "--name=compare", "--ioengine=null", "--size=1m",
		"--startdelay=86400", tw_format("--clocksource=%s", clock->clocksource), NULL
	};
	const char *const set[] = {
		tw_format("LD_PRELOAD=%s%s%s", clock->preload ? result->preload : "",
			  clock->preload ? ":" : "", result->probe),
		tw_format(TW_PROBE_SLOPE "=%.17g", own->ns_per_tick),
		tw_format(TW_PROBE_WINDOW "=%llu", (unsigned long long)own->window_ns),
		tw_format(TW_PROBE_BEGIN "=%llu", (unsigned long long)own->begin_ns),
		tw_format(TW_PROBE_FD "=%d", PROBE_FD), NULL
	};

	return tw_compare_spawn(process, argv, set, PROBE_FD);
}

/* ---- load ---- */

static void spin(void *context, int fd)
{
	volatile unsigned long turns = 0;

	(void)context;
	(void)fd;
	for (;;)
		turns++;
}

/* ---- all of them ---- */

/* Start a clock and wait until it is ready, so that the set-up of the next one
 * is not disturbed. */
static void begin_start(struct tw_compare_process *process,
			struct tw_compare_result *result, unsigned which,
			const struct tw_compare_arguments *arguments)
{
	struct own own = {
		.clock = &result->clock[which],
		.ns_per_tick = result->ns_per_tick,
		.window_ns = arguments->window_ns,
		.begin_ns = tw_clock_id_ns(CLOCK_MONOTONIC),
	};
	struct tw_probe_report ready;

	if (own.clock->fio ? spawn_fio(process, result, &own) :
			     tw_compare_fork(process, run_own, &own))
		return;
	if (tw_compare_wait(process, PATIENCE_NS, result) != 0 ||
	    fread(&ready, sizeof(ready), 1, process->says) != 1)
		tw_compare_end(process, SIGKILL);
}

static int end_start(struct tw_compare_result *result,
		     struct tw_compare_process *process,
		     struct tw_compare_start *start, uint64_t patience_ns)
{
	struct tw_probe_report report;
	int ret = -1;

	if (!process->pid)
		return -1;
	if (tw_compare_wait(process, patience_ns, result) == 0 &&
	    fread(&report, sizeof(report), 1, process->says) == 1)
		ret = tw_compare_evaluate(start, &report);
	tw_compare_end(process, SIGKILL);
	return ret;
}

/* Sum up the starts. After Ctrl-C, clocks that are not ready yet are ended,
 * which is no failure. */
static void sum_up(struct tw_compare_result *result,
		   struct tw_compare_process *all,
		   const struct tw_compare_arguments *arguments, int load)
{
	unsigned starts = arguments->starts;

	tw_compare_step(result, (double)arguments->window_ns / 1e9, "all clocks run");
	for (unsigned which = 0; which < result->clocks; which++) {
		struct tw_compare_sum *sum = &result->sum[which][load];
		struct tw_compare_start *start = result->start[which][load];
		unsigned good = 0;

		for (unsigned i = 0; i < starts; i++)
			if (!end_start(result, &all[i * result->clocks + which],
				       &start[good], PATIENCE_NS + arguments->window_ns))
				good++;
		sum->failed = tw_command_is_interrupted() ? 0 : starts - good;
		tw_compare_sum_up(sum, start, good);
	}
}

static void run_load(struct tw_compare_result *result,
		    const struct tw_compare_arguments *arguments, int load)
{
	const unsigned count = arguments->starts * result->clocks;
	const unsigned loops = load == TW_COMPARE_BUSY ? result->busy_loops : 0;
	struct tw_compare_process *all = tw_zalloc(count + loops, sizeof(*all));

	for (unsigned i = 0; i < loops; i++)
		tw_compare_fork(&all[count + i], spin, NULL);
	/* Rotate the order, so that a drift of the machine affects all clocks
	 * alike. */
	for (unsigned i = 0; i < count && !tw_command_is_interrupted(); i++) {
		unsigned round = i / result->clocks;
		unsigned which = (i + round) % result->clocks;

		tw_compare_step(result, loops ? TW_COMPARE_BUSY_S : TW_COMPARE_IDLE_S,
				result->clock[which].name);
		begin_start(&all[round * result->clocks + which], result, which, arguments);
	}
	sum_up(result, all, arguments, load);
	for (unsigned i = 0; i < loops; i++)
		tw_compare_end(&all[count + i], SIGKILL);
	free(all);
}

void tw_compare_starts(struct tw_compare_result *result,
		       const struct tw_compare_arguments *arguments)
{
	for (int load = 0; load < TW_COMPARE_LOADS; load++) {
		for (unsigned which = 0; which < result->clocks; which++)
			result->start[which][load] = tw_zalloc(arguments->starts,
				sizeof(struct tw_compare_start));
		if (arguments->loads >> load & 1 && !tw_command_is_interrupted())
			run_load(result, arguments, load);
	}
}

/* ---- fio's null engine ---- */

/* Return the I/Os per second in fio's JSON. Messages may come before the object. */
static double iops_of(const char *output)
{
	const char *begin = output[0] == '{' ? output : strstr(output, "\n{");
	json_t *root = begin ? json_loads(begin, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
	json_t *job = json_array_get(json_object_get(root, "jobs"), 0);
	double value = json_number_value(json_object_get(json_object_get(job, "read"),
							   "iops"));

	json_decref(root);
	return value;
}

/* Run fio for a second. Return the I/Os per second; 0: the run failed. */
static double run_fio(struct tw_compare_result *result, const struct tw_compare_clock *clock)
{
	const char *const argv[] = {
		clock->fio, "--name=null", "--ioengine=null", "--rw=read", "--bs=4k",
		"--size=1t", "--time_based", "--runtime=1", "--output-format=json",
		"--group_reporting", tw_format("--clocksource=%s", clock->clocksource), NULL
	};
	const char *const set[] = {
		tw_format("LD_PRELOAD=%s", clock->preload ? result->preload : ""), NULL
	};
	struct tw_compare_process process = { 0 };
	char line[4096], *output = NULL;
	double iops = 0;
	size_t size;
	FILE *text;

	tw_compare_step(result, TW_COMPARE_NULL_S, "fio's null engine");
	if (tw_compare_spawn(&process, argv, set, STDOUT_FILENO))
		return 0;
	text = tw_text_open(&output, &size);
	while (tw_compare_wait(&process, RUN_PATIENCE_NS, result) == 0 &&
	       fgets(line, sizeof(line), process.says))
		fputs(line, text);
	tw_text_close(text);
	if (tw_compare_end(&process, SIGTERM) == 0)
		iops = iops_of(output);
	free(output);
	return iops;
}

void tw_compare_null(struct tw_compare_result *result, unsigned rounds)
{
	double iops[TW_COMPARE_CLOCKS][TW_COMPARE_MAX_ROUNDS];
	unsigned i;

	for (i = 0; i < rounds * result->clocks && !tw_command_is_interrupted(); i++) {
		unsigned round = i / result->clocks;
		unsigned which = (i + round) % result->clocks;

		if (result->clock[which].fio)
			iops[which][round] = run_fio(result, &result->clock[which]);
	}
	/* Leave out the interrupted run, and the rounds that lack a run. */
	if (tw_command_is_interrupted())
		rounds = i ? (i - 1) / result->clocks : 0;
	for (unsigned which = 0; which < result->clocks; which++)
		if (result->clock[which].fio)
			result->null_iops[which] = tw_compare_median(iops[which], rounds);
}
