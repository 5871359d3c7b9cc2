/* SPDX-License-Identifier: MIT */
/*
 * The facts about the recorded machines that `tickwise doctor` reads. See
 * recorded.h.
 */
#include <errno.h>
#include <string.h>

#include "command/doctor/doctor_parts.h"
#include "recorded.h"

/* A machine with nothing to fix. */
static void read_good(struct tw_doctor_facts *facts)
{
	strcpy(facts->fio.path, "/usr/bin/fio");
	strcpy(facts->fio.version, "fio-3.33");
	strcpy(facts->engine.path, "/usr/lib/tickwise/tickwise.so");
	facts->engine.is_loaded = 1;
	facts->stages.has_types = facts->stages.is_built = 1;
	facts->stages.is_served = 1;
	strcpy(facts->stages.found, "reads and writes, files, LVM");
	strcpy(facts->governor, "performance");
	strcpy(facts->idle_state, "C1E");
	facts->idle_us = 10;
}

/* A machine where all can be fixed. */
static void read_bad(struct tw_doctor_facts *facts)
{
	strcpy(facts->fio.path, "/opt/fio");
	strcpy(facts->fio.version, "fio-3.39");
	strcpy(facts->engine.path, "/usr/lib/tickwise/tickwise.so");
	strcpy(facts->engine.why_not, "built for fio-3.33");
	facts->ring.error = -EPERM;
	facts->ring.disabled = 2;
	facts->stages.has_types = facts->stages.is_built = 1;
	strcpy(facts->stages.why_not, "the kernel refuses the program: run as root");
	strcpy(facts->stages.found, "reads and writes, files");
	strcpy(facts->stages.missing, "LVM (clone_endio)");
	strcpy(facts->governor, "powersave");
	strcpy(facts->idle_state, "C10");
	facts->idle_us = 890;
	facts->stolen_percent = 3.25;
}

/* A machine where facts are unknown, or are fixed in another way. */
static void read_unknown(struct tw_doctor_facts *facts)
{
	strcpy(facts->fio.path, "fio");
	strcpy(facts->fio.why_not, "No such file or directory");
	strcpy(facts->engine.path, "/usr/lib/tickwise/tickwise.so");
	facts->ring.error = -EMFILE;
	facts->stages.has_types = 0;
	facts->stages.is_built = 1;
	facts->stolen_percent = -1;
}

/* A container. */
static void read_container(struct tw_doctor_facts *facts)
{
	read_good(facts);
	facts->engine.path[0] = '\0';
	facts->ring.error = -EPERM;
	facts->ring.is_filtered = 1;
	facts->stages.is_served = facts->stages.is_built = 0;
	facts->stages.found[0] = '\0';
}

REPLACE(tw_doctor_read);
void __wrap_tw_doctor_read(struct tw_doctor_facts *facts, const char *fio)
{
	const struct recorded_machine *machine = recorded();

	(void)fio;
	*facts = (struct tw_doctor_facts) {
		.ring.disabled = -1, .machine = machine->machine,
		.counter = {
			.state = machine->counter.state,
			.error = machine->reliability_error,
			.verdict = machine->reliability.verdict,
			.reasons = machine->reliability.reasons,
		},
	};
	if (!strcmp(machine->name, "unreliable"))
		read_bad(facts);
	else if (!strcmp(machine->name, "undecided"))
		read_unknown(facts);
	else if (!strcmp(machine->name, "too_wide"))
		read_container(facts);
	else
		read_good(facts);
}
