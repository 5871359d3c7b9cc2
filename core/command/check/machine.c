/* SPDX-License-Identifier: MIT */
/*
 * Adds to the page of tickwise check what kernel and processor report, and
 * which CPUs were judged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/check/output.h"
#include "base/allocate.h"
#include "command/output/page.h"
#include "machine/processor.h"

/* In columns. --json prints the whole list. */
#define MAX_LIST	36

/* Write a list of CPUs, cut after a comma. The longest lists have thousands of
 * bytes. */
static void put_list(char *text, size_t size, const struct tw_cpu_list *list)
{
	char *whole = NULL;
	size_t length = 0;
	FILE *out;

	snprintf(text, size, "not known");
	if (!list->known)
		return;
	out = tw_text_open(&whole, &length);
	tw_cpu_list_print(list, out);
	tw_text_close(out);
	if (length <= MAX_LIST) {
		snprintf(text, size, "%s", length ? whole : "none");
	} else {
		whole[MAX_LIST] = '\0';
		*strrchr(whole, ',') = '\0';
		snprintf(text, size, "%s,... (%u of them; --json has all)",
			 whole, tw_cpu_list_count(list));
	}
	free(whole);
}

static void add_cpus(struct tw_page *page, const struct tw_check *check)
{
	const struct tw_check_cpus *cpus = &check->cpus;
	char list[MAX_LIST + 64];
	enum tw_check_skip skip;

	put_list(list, sizeof(list), &cpus->judged);
	tw_page_fact(page, "CPUs", "judged: %s", list);
	for (skip = 0; skip < TW_CHECK_SKIPS; skip++) {
		if (!tw_cpu_list_count(&cpus->skipped[skip]))
			continue;
		put_list(list, sizeof(list), &cpus->skipped[skip]);
		tw_page_fact(page, "", "not judged: %s, %s", list,
			     tw_check_skip_text(skip));
	}
	tw_page_fact(page, "", "%u allowed, %u online, %u configured",
		     check->machine.cpus_allowed, check->machine.cpus_online,
		     check->machine.cpus_configured);
}

static void add_names(struct tw_page *page, const struct tw_machine *machine)
{
	static const char *const invariant[] = { "unknown", "no", "yes" };

	tw_page_fact(page, "Processor", "%s", machine->processor[0] ?
		     machine->processor : "not named");
	tw_page_fact(page, "Hypervisor", "%s", machine->hypervisor[0] ?
		     tw_hypervisor_name(machine->hypervisor) : "none seen");
	tw_page_fact(page, "Counter", "%s; invariant: %s; read together with the "
		     "CPU's number: %s", TW_COUNTER_NAME,
		     invariant[machine->invariant + 1],
		     machine->has_read_with_cpu ? "yes" : "no");
}

static void add_named_rate(struct tw_page *page, const char *who, uint64_t khz)
{
	if (khz)
		tw_page_fact(page, "", "named by %s: %" PRIu64 ".%03" PRIu64 " MHz",
			     who, khz / 1000, khz % 1000);
}

static void add_rates(struct tw_page *page, const struct tw_reliability *result,
		      const struct tw_machine *machine)
{
	tw_page_fact(page, "Rate", "about %.3f MHz in this check; `tickwise calibrate` "
		     "measures it", result->hz / 1e6);
	if (machine->declared_hz)
		tw_page_fact(page, "", "declared by the firmware: %" PRIu64 " Hz",
			     machine->declared_hz);
	add_named_rate(page, "CPUID leaf 0x15", machine->cpuid_khz);
	add_named_rate(page, "the hypervisor", machine->hypervisor_khz);
	add_named_rate(page, "/proc/cpuinfo", machine->cpuinfo_khz);
	add_named_rate(page, "the kernel log", machine->kernel_log_khz);
}

static void add_clocksources(struct tw_page *page, const struct tw_machine *machine)
{
	if (!machine->clocksource[0])
		tw_page_fact(page, "Kernel", "/sys does not name the clocksource");
	else
		tw_page_fact(page, "Kernel", "keeps time by %s (could use: %s)",
			     machine->clocksource, machine->clocksources[0] ?
			     machine->clocksources : "not known");
}

void tw_check_add_machine(struct tw_page *page, const struct tw_check *check)
{
	const struct tw_counter_facts *counter = &check->counter;

	add_names(page, &check->machine);
	add_rates(page, &check->result, &check->machine);
	add_clocksources(page, &check->machine);
	add_cpus(page, check);
	tw_page_fact(page, "Clock call", "clock_gettime() costs %.0f ns, as a system "
		     "call %.0f ns", counter->clock_cost_ns, counter->call_cost_ns);
}
