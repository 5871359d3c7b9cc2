/* SPDX-License-Identifier: MIT */
/*
 * Of the page of tickwise check: what kernel and processor say of themselves,
 * and which CPUs were judged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/check/check.h"
#include "command/check/fold.h"
#include "command/output/plain_text.h"

/* Of a list of CPUs, in columns; --json has it whole. */
#define MOST_LIST	36

static void print_named_rate(const char *who, uint64_t khz)
{
	if (khz)
		printf("            named by %s: %" PRIu64 ".%03" PRIu64
		       " MHz\n", who, khz / 1000, khz % 1000);
}

/* At its longest a list of CPUs has thousands of bytes. Cut after a comma. */
static void put_list(char *text, size_t size, const struct tw_cpu_list *list)
{
	char *whole = NULL;
	size_t length = 0;
	FILE *out = list->known ? open_memstream(&whole, &length) : NULL;

	snprintf(text, size, "not known");
	if (!out)
		return;
	tw_cpu_list_print(list, out);
	if (fclose(out) == 0 && length <= MOST_LIST) {
		snprintf(text, size, "%s", length ? whole : "none");
	} else if (whole) {
		whole[MOST_LIST] = '\0';
		*strrchr(whole, ',') = '\0';
		snprintf(text, size, "%s,... (%u of them; --json has all)",
			 whole, tw_cpu_list_count(list));
	}
	free(whole);
}

static void print_cpus(const struct tw_check *check)
{
	const struct tw_check_cpus *cpus = &check->cpus;
	char list[MOST_LIST + 64];
	enum tw_check_skip skip;

	put_list(list, sizeof(list), &cpus->judged);
	tw_check_fold(12, "CPUs        judged: %s", list);
	for (skip = 0; skip < TW_CHECK_SKIPS; skip++) {
		if (!tw_cpu_list_count(&cpus->skipped[skip]))
			continue;
		put_list(list, sizeof(list), &cpus->skipped[skip]);
		tw_check_fold(14, "            not judged: %s, %s", list,
			      tw_check_skip_text(skip));
	}
	printf("            %u allowed, %u online, %u configured\n",
	       check->machine.cpus_allowed, check->machine.cpus_online,
	       check->machine.cpus_configured);
}

/* Kernel and hypervisor may write what they like. */
static void print_names(struct tw_machine machine)
{
	static const char *const invariant[] = { "unknown", "no", "yes" };

	tw_check_fold(12, "Processor   %s", machine.processor[0] ?
		      tw_plain_text(machine.processor) : "not named");
	tw_check_fold(12, "Hypervisor  %s", machine.hypervisor[0] ?
		      tw_plain_text(machine.hypervisor) : "none seen");
	printf("Counter     %s; invariant: %s; read together with the CPU's "
	       "number: %s\n", TW_COUNTER_NAME,
	       invariant[machine.invariant + 1],
	       machine.has_read_with_cpu ? "yes" : "no");
}

static void print_rates(const struct tw_reliability *result,
			const struct tw_machine *machine)
{
	printf("Rate        about %.3f MHz in this check; `tickwise calibrate` "
	       "measures it\n", result->hz / 1e6);
	if (machine->declared_hz)
		printf("            declared by the firmware: %" PRIu64 " Hz\n",
		       machine->declared_hz);
	print_named_rate("CPUID leaf 0x15", machine->cpuid_khz);
	print_named_rate("the hypervisor", machine->hypervisor_khz);
	print_named_rate("/proc/cpuinfo", machine->cpuinfo_khz);
	print_named_rate("the kernel log", machine->kernel_log_khz);
}

static void print_clocksources(struct tw_machine machine)
{
	if (!machine.clocksource[0])
		puts("Kernel      /sys does not say what it keeps time by");
	else
		tw_check_fold(12, "Kernel      keeps time by %s (could use: %s)",
			      tw_plain_text(machine.clocksource),
			      machine.clocksources[0] ?
			      tw_plain_text(machine.clocksources) : "not known");
}

void tw_check_print_machine(const struct tw_check *check)
{
	const struct tw_counter_facts *counter = &check->counter;

	print_names(check->machine);
	print_rates(&check->result, &check->machine);
	print_clocksources(check->machine);
	print_cpus(check);
	printf("Clock call  clock_gettime() costs %.0f ns, as a system call "
	       "%.0f ns\n", counter->clock_cost_ns, counter->call_cost_ns);
}
