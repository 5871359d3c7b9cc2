/* SPDX-License-Identifier: MIT */
/*
 * Records readings of this machine, in the format of tests/recordings/README.md: windows as
 * calibrations take them, or the probes that compare two CPUs. Send us the file, with the
 * multiplier that `tickwise calibrate --json` prints.
 *
 *	rate_record windows COUNT [MILLISECONDS] >FILE
 *	rate_record probes COUNT >FILE
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock/brackets.h"
#include "estimate/probe.h"
#include "machine/cpus.h"
#include "timespec.h"

static void print_window(const struct tw_brackets *brackets)
{
	struct tw_bracket last = brackets->bracket[0];

	printf("# tolerance_ticks %" PRIu64 " granularity_ns %" PRIu64
	       " step_ticks %g\nwindow %zu %" PRIu64 " %" PRIu64 "\n",
	       brackets->tolerance_ticks, brackets->granularity_ns,
	       brackets->step_ticks, brackets->count, last.before_ticks,
	       last.reference_ns);
	for (size_t i = 0; i < brackets->count; i++) {
		const struct tw_bracket *one = &brackets->bracket[i];

		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		       one->before_ticks - last.before_ticks,
		       one->after_ticks - one->before_ticks,
		       one->reference_ns - last.reference_ns);
		last = *one;
	}
}

static int record_window(uint64_t window_ns)
{
	struct tw_brackets brackets = { 0 };
	int ret = tw_brackets_collect(&brackets, window_ns, NULL);

	if (!ret && brackets.count)
		print_window(&brackets);
	tw_brackets_free(&brackets);
	return ret;
}

static void print_probes(const struct tw_cpu_samples *cpu, uint64_t ticks0)
{
	struct tw_sample last = { 0, ticks0 };

	printf("cpu %u %zu\n", cpu->cpu, cpu->count);
	for (size_t i = 0; i < cpu->count; i++) {
		printf("%" PRIu64 " %" PRId64 "\n",
		       cpu->samples[i].sequence - last.sequence,
		       (int64_t)(cpu->samples[i].ticks - last.ticks));
		last = cpu->samples[i];
	}
}

static int record_probes(const unsigned *cpus)
{
	const uint64_t limit_ns = TW_NS_PER_SECOND / 2;
	const struct tw_probe_goal goal = {
		.deadline_ns = tw_clock_id_ns(CLOCK_MONOTONIC) + limit_ns,
		.least_switches = 100, .min_span_ns = 7000000,
	};
	struct tw_cpu_samples samples[2];
	struct tw_probe_run *run;
	int ret = tw_probe_new(&run, TW_METHOD_CAS, cpus, 2, limit_ns, NULL);

	if (ret)
		return ret;
	if (tw_probe_collect(run, &goal) == 1 && tw_probe_samples(run, samples) == 2 &&
	    samples[0].count) {
		print_probes(&samples[0], samples[0].samples[0].ticks);
		print_probes(&samples[1], samples[0].samples[0].ticks);
	}
	tw_probe_free(run);
	return 0;
}

int main(int argc, char **argv)
{
	int is_probes = argc == 3 && !strcmp(argv[1], "probes"), ret = 0;
	unsigned *cpus, count;

	if (!is_probes && (argc < 3 || argc > 4 || strcmp(argv[1], "windows"))) {
		fputs("usage: rate_record windows COUNT [MILLISECONDS] >FILE\n"
		      "       rate_record probes COUNT >FILE\n", stderr);
		return 64;
	}
	if (tw_allowed_cpus(&cpus, &count) || (is_probes && count < 2)) {
		fputs("rate_record: it takes two CPUs\n", stderr);
		return 70;
	}
	for (int left = atoi(argv[2]); !ret && left > 0; left--)
		ret = is_probes ? record_probes(cpus) :
		      record_window((argc == 4 ? strtoull(argv[3], NULL, 10) : 20) * 1000000);
	free(cpus);
	if (ret)
		fprintf(stderr, "rate_record: %s\n", strerror(-ret));
	return ret ? 70 : 0;
}
