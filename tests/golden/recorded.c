/* SPDX-License-Identifier: MIT */
/*
 * The recorded machine: its counter, rate, CPUs and time. See recorded.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "command/bench/bench.h"
#include "machine/cpus.h"
#include "recorded.h"

#define START_NS	(1000 * TW_NS_PER_SECOND)
#define START_SECONDS	1700000000	/* of the time of day */

const struct recorded_machine *recorded(void)
{
	const struct recorded_machine *machine;
	const char *name = getenv("TW_MACHINE");

	for (machine = recorded_machines; machine->name; machine++)
		if (name && !strcmp(machine->name, name))
			return machine;
	fprintf(stderr, "tests/golden: TW_MACHINE names no machine\n");
	exit(99);
}

/* ---- the time ---- */

static uint64_t passed_ns;

void recorded_pass_ns(uint64_t ns)
{
	passed_ns += ns;
}

REPLACE(clock_gettime);
int __wrap_clock_gettime(clockid_t id, struct timespec *now)
{
	uint64_t ns = START_NS + (passed_ns += 1000);

	(void)id;
	now->tv_sec = (time_t)(ns / TW_NS_PER_SECOND);
	now->tv_nsec = (long)(ns % TW_NS_PER_SECOND);
	return 0;
}

REPLACE(time);
time_t __wrap_time(time_t *result)
{
	time_t now = START_SECONDS + (time_t)(passed_ns / TW_NS_PER_SECOND);

	if (result)
		*result = now;
	return now;
}

REPLACE(nanosleep);
int __wrap_nanosleep(const struct timespec *rest, struct timespec *left)
{
	(void)left;
	recorded_pass_ns((uint64_t)rest->tv_sec * TW_NS_PER_SECOND + (uint64_t)rest->tv_nsec);
	return 0;
}

/* ---- the counter and the CPUs ---- */

REPLACE(tw_counter_check);
int __wrap_tw_counter_check(struct tw_counter_facts *facts)
{
	*facts = recorded()->counter;
	facts->size = sizeof(*facts);
	return 0;
}

REPLACE(tw_ticks_cpu);
uint64_t __wrap_tw_ticks_cpu(unsigned *cpu)
{
	(void)cpu;
	return UINT64_C(1) << 60;
}

/*
 * Let all the time pass that the measurement may take, if that is long. Report
 * progress four times.
 */
static int show_progress(const struct tw_reliability_options *options)
{
	struct tw_reliability_progress now = {
		.size = sizeof(now),
		.time_limit_ns = options->time_limit_ns, .cpus = 4,
	};

	for (int i = 1; options->progress && i <= 4; i++) {
		now.elapsed_ns = options->time_limit_ns / 4 * (unsigned)i;
		now.probes = (uint64_t)i * 1234567;
		if (options->time_limit_ns > TW_NS_PER_SECOND)
			recorded_pass_ns(options->time_limit_ns / 4);
		if (options->progress(options->context, &now))
			return -ECANCELED;
	}
	return 0;
}

REPLACE(tw_reliability_measure);
int __wrap_tw_reliability_measure(struct tw_reliability *result,
				  const struct tw_reliability_options *options)
{
	const struct recorded_machine *machine = recorded();
	size_t size = machine->reliability.pairs * sizeof(*result->offsets);

	if (machine->reliability_error)
		return machine->reliability_error;
	if (show_progress(options))
		return -ECANCELED;
	*result = machine->reliability;
	result->size = sizeof(*result);
	result->method = options->method;
	result->offsets = malloc(size + 1);
	if (!result->offsets)
		return -ENOMEM;
	memcpy(result->offsets, machine->offsets, size);
	recorded_pass_ns(result->elapsed_ns);
	return 0;
}

static void parse_cpus(struct tw_cpu_list *list, const char *text)
{
	memset(list, 0, sizeof(*list));
	if (text)
		tw_cpu_list_parse(list, text);
}

REPLACE(tw_machine_cpus_read);
void __wrap_tw_machine_cpus_read(struct tw_machine_cpus *cpus, const char *root)
{
	const struct recorded_machine *machine = recorded();

	(void)root;
	parse_cpus(&cpus->present, machine->cpus.present);
	parse_cpus(&cpus->online, machine->cpus.online);
	parse_cpus(&cpus->allowed, machine->cpus.allowed);
	parse_cpus(&cpus->cpuset, machine->cpus.cpuset);
}

REPLACE(tw_pin_to_cpu);
int __wrap_tw_pin_to_cpu(unsigned cpu)
{
	unsigned from = recorded()->pin_fails_from_cpu;

	return cpu < recorded()->cpus_online && (!from || cpu < from) ? 0 : -EINVAL;
}

REPLACE(tw_machine_read);
int __wrap_tw_machine_read(struct tw_machine *machine)
{
	*machine = recorded()->machine;
	machine->size = sizeof(*machine);
	return 0;
}

REPLACE(sysconf);
__typeof__(sysconf) __real_sysconf;
long __wrap_sysconf(int name)
{
	switch (name) {
	case _SC_NPROCESSORS_ONLN:
		return recorded()->cpus_online;
	case _SC_PAGESIZE:
		return 4096;
	default:
		return __real_sysconf(name);
	}
}

/* ---- the rate ---- */

REPLACE(tw_rate_measure);
int __wrap_tw_rate_measure(struct tw_rate *rate,
			   const struct tw_rate_options *options)
{
	(void)options;
	if (recorded()->rate_error)
		return recorded()->rate_error;
	*rate = recorded()->rate;
	return 0;
}

REPLACE(tw_clock_init);
int __wrap_tw_clock_init(struct tw_clock *clock,
			 const struct tw_clock_options *options)
{
	(void)options;
	memset(clock, 0, sizeof(*clock));
	clock->scale.hz = recorded()->rate.hz;
	clock->system_errno = recorded()->rate_error;
	clock->system = clock->system_errno != 0;
	return 0;
}

/* ---- bench ---- */

/*
 * Fill blocks of @costs->calls calls. Each loop costs some tenths of a percent more
 * from round to round, up to 1 %. One round of twenty is interrupted. The machine
 * "busy" has few rounds, and every other one is interrupted.
 */
REPLACE(tw_bench_measure);
void __wrap_tw_bench_measure(struct tw_bench_costs *costs, const struct tw_clock *clock,
			     uint64_t window_ns)
{
	static const uint32_t ticks_of_100_calls[TW_LOOPS] = {
		2000, 2240, 2360, 2580, 5400,
	};
	int is_busy = !strcmp(recorded()->name, "busy");
	unsigned disturbed = is_busy ? 2 : 20;

	(void)clock;
	(void)window_ns;
	costs->rounds = is_busy ? 31 : 101;
	for (uint32_t round = 0; round < costs->rounds; round++)
		for (unsigned loop = 0; loop < TW_LOOPS; loop++) {
			uint32_t ticks = costs->calls *
					 ticks_of_100_calls[loop] / 100;

			ticks += ticks * ((round * (loop + 3)) % 11) / 1000;
			costs->ticks[loop][round] = round % disturbed == 1 ?
						    3 * ticks : ticks;
		}
}

REPLACE(tw_bench_compiler);
const char *__wrap_tw_bench_compiler(void)
{
	return "gcc 12.2.0";
}

REPLACE(tw_bench_is_optimized);
int __wrap_tw_bench_is_optimized(void)
{
	return strcmp(recorded()->name, "busy") != 0;
}
