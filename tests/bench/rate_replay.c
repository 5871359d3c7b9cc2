/* SPDX-License-Identifier: MIT */
/*
 * Calibrates from recorded readings: how far off is the rate, and does the stated
 * error hold? The truth is the multiplier that the recording machine's kernel used.
 * tests/recordings/README.md describes the files; unpack them with `xz -dk`.
 *
 *	rate_replay --mult=MULT --shift=SHIFT FILE...
 *	rate_replay --record=WINDOWS [--window-ms=20] > FILE
 *	rate_replay --record-cas=RECORDINGS > FILE
 *
 * Prints JSON: an object for each file. Of a file of the CPUs' probes, which has no
 * windows, only the counter's step counts. The last two forms record this machine: send us
 * the file, with the multiplier that `tickwise calibrate --json` prints.
 *
 * Exit: 0; 1 if a wrong rate was accepted or a hard interval missed the truth; 2 if
 * a file can't be read or an option is wrong.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/kernel_rate.h"
#include "counter/step.h"
#include "machine/cpus.h"
#include "estimate/probe.h"
#include "timespec.h"

struct truth {
	uint32_t mult, shift;
	double hz;
};

struct result {
	unsigned windows, failed, accepted, wrong, beyond, outside;
	double squares, normed, worst_ppb;
	unsigned stepped;		/* readings used for the step */
	double steps_ticks;		/* the sum of these */
};

/* ---- reading ---- */

struct input {
	FILE *file;
	char *line;
	size_t size;
	unsigned number;
};

/* Return the next line that is no comment, or NULL. */
static char *next_line(struct input *input, struct tw_brackets *brackets)
{
	while (getline(&input->line, &input->size, input->file) >= 0) {
		input->number++;
		if (input->line[0] != '#')
			return input->line;
		sscanf(input->line,
		       "# tolerance_ticks %" SCNu64 " granularity_ns %" SCNu64,
		       &brackets->tolerance_ticks, &brackets->granularity_ns);
	}
	return NULL;
}

static int read_window(struct input *input, size_t count, uint64_t ticks,
		       uint64_t ns, struct tw_brackets *brackets)
{
	size_t i;

	brackets->bracket = calloc(count + 1, sizeof(*brackets->bracket));
	if (!brackets->bracket)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		uint64_t apart_ticks, width_ticks, passed_ns;
		char *line = next_line(input, brackets);

		if (!line || sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64,
				    &apart_ticks, &width_ticks,
				    &passed_ns) != 3)
			return -EINVAL;
		ticks += apart_ticks;
		ns += passed_ns;
		brackets->bracket[i] = (struct tw_bracket) {
			ticks, ticks + width_ticks, ns,
		};
	}
	brackets->count = count;
	return 0;
}

/* Read the probes of one CPU. The step is looked for in readings close together. */
static int read_probes(struct input *input, size_t count,
		       struct tw_brackets *brackets, struct result *result)
{
	struct tw_steps steps = { { 0 } };
	size_t i;

	for (i = 0; i < count; i++) {
		char *line = next_line(input, brackets);
		int64_t sequence, ticks;

		if (!line || sscanf(line, "%" SCNd64 " %" SCNd64, &sequence,
				    &ticks) != 2)
			return -EINVAL;
		if (i)
			tw_steps_add(&steps, (uint64_t)ticks);
	}
	result->stepped++;
	result->steps_ticks += tw_steps_find(&steps);
	return 0;
}

/* ---- replaying ---- */

static void judge_rate(const struct tw_fit *fit, const struct truth *truth,
		       struct result *result)
{
	const struct tw_kernel_candidates every_khz = { .every_khz = 1 };
	double error_ppb = (fit->hz / truth->hz - 1) * 1e9;
	double sigma_ppb = hypot(fit->sigma_ppb, fit->wander_ppb);
	struct tw_kernel_rate kernel;
	int alone;

	result->squares += error_ppb * error_ppb;
	result->normed += error_ppb / sigma_ppb * (error_ppb / sigma_ppb);
	result->worst_ppb = fmax(result->worst_ppb, fabs(error_ppb));
	result->beyond += fabs(error_ppb) > 3 * sigma_ppb;
	result->outside += truth->hz < fit->low_hz || truth->hz > fit->high_hz;
	if (tw_kernel_rate_recognise(fit, &every_khz, &kernel, &alone))
		return;
	result->accepted++;
	result->wrong += kernel.mult != truth->mult ||
			 kernel.shift != truth->shift;
}

static void replay_window(struct tw_brackets *brackets,
			  const struct truth *truth, struct result *result)
{
	struct tw_fit fit;

	if (!brackets->granularity_ns)
		brackets->granularity_ns = 1;
	if (!brackets->tolerance_ticks)
		brackets->tolerance_ticks = 1 + (uint64_t)
			(TW_BRACKET_TOLERANCE_NS * truth->hz / 1e9);
	brackets->step_ticks = tw_brackets_step_ticks(brackets);
	brackets->is_of_counter = 1;
	result->windows++;
	result->stepped++;
	result->steps_ticks += brackets->step_ticks;
	if (tw_fit_brackets(brackets, &fit))
		result->failed++;
	else
		judge_rate(&fit, truth, result);
}

static int replay_lines(struct input *input, const struct truth *truth,
			struct result *result)
{
	struct tw_brackets brackets = { 0 };
	char *line;
	int ret = 0;

	while (!ret && (line = next_line(input, &brackets))) {
		uint64_t ticks, ns;
		unsigned cpu;
		size_t count;

		if (sscanf(line, "window %zu %" SCNu64 " %" SCNu64, &count,
			   &ticks, &ns) == 3) {
			if (!truth->mult)
				return -ENODATA;
			ret = read_window(input, count, ticks, ns, &brackets);
			if (!ret)
				replay_window(&brackets, truth, result);
			tw_brackets_free(&brackets);
		} else if (sscanf(line, "cpu %u %zu", &cpu, &count) == 2) {
			ret = read_probes(input, count, &brackets, result);
		} else {
			ret = -EINVAL;
		}
	}
	if (!ret && !result->stepped)
		ret = -EINVAL;
	return ret;
}

static int replay(const char *name, const struct truth *truth,
		  struct result *result)
{
	struct input input = { .file = fopen(name, "r") };
	int ret = input.file ? replay_lines(&input, truth, result) : -errno;

	if (ret == -ENODATA)
		fprintf(stderr, "rate_replay: %s: --mult= and --shift= must "
			"say what the truth is\n", name);
	else if (ret)
		fprintf(stderr, "rate_replay: %s: line %u: %s\n", name, input.number,
			ret == -EINVAL ? "not as tests/recordings/README.md says" :
			strerror(-ret));
	free(input.line);
	if (input.file)
		fclose(input.file);
	return ret;
}

static double root_mean(double sum, unsigned count)
{
	return count ? sqrt(sum / count) : 0;
}

static json_t *result_to_json(const char *name, const struct result *result)
{
	unsigned fits = result->windows - result->failed;

	return json_pack("{ss, si, si, si, si, sf, sf, sf, si, si, sf}",
			 "file", name,
			 "windows", (int)result->windows,
			 "failed", (int)result->failed,
			 "accepted", (int)result->accepted,
			 "wrong", (int)result->wrong,
			 "rms_ppb", root_mean(result->squares, fits),
			 "worst_ppb", result->worst_ppb,
			 "rms_sigmas", root_mean(result->normed, fits),
			 "beyond_3_sigma", (int)result->beyond,
			 "outside_hard", (int)result->outside,
			 "step_ticks", result->steps_ticks / result->stepped);
}

static int replay_files(char **names, const struct truth *truth)
{
	json_t *array = json_array();
	int exit_code = 0;

	for (; *names; names++) {
		struct result result = { 0 };

		if (replay(*names, truth, &result)) {
			exit_code = 2;
			continue;
		}
		if (exit_code == 0 && (result.wrong || result.outside))
			exit_code = 1;
		json_array_append_new(array, result_to_json(*names, &result));
	}
	json_dumpf(array, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(array);
	return exit_code;
}

/* ---- recording ---- */

static void print_window(const struct tw_brackets *brackets)
{
	struct tw_bracket last = brackets->bracket[0];
	size_t i;

	printf("# tolerance_ticks %" PRIu64 " granularity_ns %" PRIu64
	       " step_ticks %g\nwindow %zu %" PRIu64 " %" PRIu64 "\n",
	       brackets->tolerance_ticks, brackets->granularity_ns,
	       brackets->step_ticks, brackets->count, last.before_ticks,
	       last.reference_ns);
	for (i = 0; i < brackets->count; i++) {
		const struct tw_bracket *one = &brackets->bracket[i];

		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		       one->before_ticks - last.before_ticks,
		       one->after_ticks - one->before_ticks,
		       one->reference_ns - last.reference_ns);
		last = *one;
	}
}

static int record_windows(unsigned count, uint64_t window_ns)
{
	unsigned i;
	int ret;

	for (i = 0; i < count; i++) {
		struct tw_brackets brackets = { 0 };

		ret = tw_brackets_collect(&brackets, window_ns, TW_AGAINST_RAW,
					  NULL);
		if (ret)
			return ret;
		if (brackets.count)
			print_window(&brackets);
		tw_brackets_free(&brackets);
	}
	return 0;
}

static void print_probes(const struct tw_cpu_samples *cpu, uint64_t ticks0)
{
	struct tw_sample last = { 0, ticks0 };
	size_t i;

	printf("cpu %u %zu\n", cpu->cpu, cpu->count);
	for (i = 0; i < cpu->count; i++) {
		printf("%" PRIu64 " %" PRId64 "\n",
		       cpu->samples[i].sequence - last.sequence,
		       (int64_t)(cpu->samples[i].ticks - last.ticks));
		last = cpu->samples[i];
	}
}

static int record_probes(unsigned count, const unsigned *cpus)
{
	const uint64_t limit_ns = TW_NS_PER_SECOND / 2;
	unsigned i;

	for (i = 0; i < count; i++) {
		struct tw_probe_goal goal = {
			.deadline_ns = tw_clock_id_ns(CLOCK_MONOTONIC) +
				       limit_ns,
			.least_switches = 100, .min_span_ns = 7000000,
		};
		struct tw_cpu_samples samples[2];
		struct tw_probe_run *run;
		int ret;

		ret = tw_probe_new(&run, TW_METHOD_CAS, cpus, 2, limit_ns, NULL);
		if (ret)
			return ret;
		if (tw_probe_collect(run, &goal) == 1 &&
		    tw_probe_samples(run, samples) == 2 && samples[0].count) {
			print_probes(&samples[0], samples[0].samples[0].ticks);
			print_probes(&samples[1], samples[0].samples[0].ticks);
		}
		tw_probe_free(run);
	}
	return 0;
}

static int record(unsigned windows, unsigned recordings, uint64_t window_ns)
{
	unsigned *cpus, count;
	int ret;

	if (windows) {
		ret = record_windows(windows, window_ns);
	} else {
		ret = tw_allowed_cpus(&cpus, &count);
		if (!ret) {
			ret = count < 2 ? -EINVAL :
					  record_probes(recordings, cpus);
			free(cpus);
		}
	}
	if (ret)
		fprintf(stderr, "rate_replay: nothing was recorded: %s\n",
			!windows && ret == -EINVAL ? "it takes two CPUs" :
						     strerror(-ret));
	return ret ? 2 : 0;
}

static const char usage[] =
	"usage: rate_replay --mult=MULT --shift=SHIFT FILE...\n"
	"       rate_replay --record=WINDOWS [--window-ms=20] > FILE\n"
	"       rate_replay --record-cas=RECORDINGS > FILE\n";

/* Return 1 if @text is a number from 1 to @most. */
static int parse(const char *text, unsigned most, unsigned *value)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || end == text || *end || !number || number > most)
		return 0;
	*value = (unsigned)number;
	return 1;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "mult", required_argument, NULL, 'm' },
		{ "shift", required_argument, NULL, 's' },
		{ "record", required_argument, NULL, 'r' },
		{ "record-cas", required_argument, NULL, 'c' },
		{ "window-ms", required_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	unsigned windows = 0, recordings = 0, window_ms = 20;
	int option, fine = 1;
	struct truth truth = { 0 };

	while ((option = getopt_long(argc, argv, "h", options, NULL)) >= 0) {
		if (option == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		if (option == 'm')
			fine &= parse(optarg, UINT32_MAX, &truth.mult);
		else if (option == 's')
			fine &= parse(optarg, 32, &truth.shift);
		else if (option == 'r')
			fine &= parse(optarg, 1000000, &windows);
		else if (option == 'c')
			fine &= parse(optarg, 1000000, &recordings);
		else if (option == 'w')
			fine &= parse(optarg, 3600000, &window_ms);
		else
			fine = 0;
	}
	if (!fine || !truth.mult != !truth.shift ||
	    (windows || recordings ? optind < argc : optind == argc)) {
		fputs(usage, stderr);
		return 2;
	}
	if (windows || recordings)
		return record(windows, recordings,
			      (uint64_t)window_ms * 1000000);
	if (truth.mult)
		truth.hz = 1e9 * ldexp(1, (int)truth.shift) / truth.mult;
	return replay_files(argv + optind, &truth);
}
