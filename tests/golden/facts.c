/* SPDX-License-Identifier: MIT */
/*
 * The facts about the recorded machines that `tickwise doctor` reads. See
 * recorded.h.
 */
#include <errno.h>
#include <string.h>

#include "command/doctor/doctor_parts.h"
#include "recorded.h"

#define ENGINE	"/usr/lib/tickwise/tickwise.so"
#define GOOD_FIO \
	.fio = { .path = "/usr/bin/fio", .version = "fio-3.33" }, \
	.governor = "performance", .idle_state = "C1E", .idle_us = 10

static const struct {
	const char *machine;		/* NULL: any other */
	struct tw_doctor_facts facts;
} known[] = {
	/* All can be fixed. */
	{ "unreliable", {
		.fio = { .path = "/opt/fio", .version = "fio-3.39" },
		.engine = { .path = ENGINE, .why_not = "built for fio-3.33" },
		.ring = { .error = -EPERM, .disabled = 2 },
		.stages = { .has_types = 1, .is_built = 1,
			    .why_not = "the kernel refuses the program: run as root",
			    .parts = { { "reads and writes, files", "LVM (clone_endio)" },
				       { "who had the CPU, interrupts", "" },
				       { "data", "others in a commit of ext4 "
					 "(jbd2_run_stats)" } } },
		.governor = "powersave", .idle_state = "C10", .idle_us = 890,
		.stolen_percent = 3.25 } },
	/* Facts are unknown, or are fixed in another way. */
	{ "undecided", {
		.fio = { .path = "fio", .why_not = "No such file or directory" },
		.engine = { .path = ENGINE },
		.ring = { .error = -EMFILE, .disabled = -1 },
		.stages = { .is_built = 1 }, .stolen_percent = -1 } },
	/* A container. */
	{ "too_wide", {
		GOOD_FIO, .ring = { .error = -EPERM, .disabled = -1, .is_filtered = 1 },
		.engine = { .is_loaded = 1 }, .stages = { .has_types = 1 } } },
	/* Nothing to fix. */
	{ NULL, {
		GOOD_FIO, .engine = { .path = ENGINE, .is_loaded = 1 },
		.ring = { .disabled = -1 },
		.stages = { .has_types = 1, .is_built = 1, .is_served = 1,
			    .why_not = "the kernel refuses the program: run as root",
			    .parts = { { "reads and writes, files, LVM" },
				       { "who had the CPU, interrupts" },
				       { "data, journal and flush" } } } } },
};

REPLACE(tw_doctor_read);
void __wrap_tw_doctor_read(struct tw_doctor_facts *facts, const char *fio)
{
	const struct recorded_machine *machine = recorded();
	size_t i = 0;

	(void)fio;
	while (known[i].machine && strcmp(known[i].machine, machine->name) != 0)
		i++;
	*facts = known[i].facts;
	facts->machine = machine->machine;
	/* Of this one nothing but the counter is unknown. */
	if (!strcmp(machine->name, "busy"))
		strcpy(facts->machine.clocksource, "tsc");
	facts->counter.state = machine->counter.state;
	facts->counter.error = machine->reliability_error;
	facts->counter.verdict = machine->reliability.verdict;
	facts->counter.reasons = machine->reliability.reasons;
}
