/* SPDX-License-Identifier: MIT */
/*
 * build/tickwise-recorded is the program with a recorded machine in place of this
 * one. Every function that measures or asks the machine is replaced by one that
 * returns what is written here. All else is the program's own code, from main() to
 * the last character. The tests in this folder compare what it prints.
 *
 * TW_MACHINE names one of the machines in machines.c.
 *
 * The linker replaces a function NAME by __wrap_NAME (--wrap). The build takes
 * the names from the lines REPLACE(NAME). A call within the file that defines NAME
 * is not replaced.
 */
#ifndef TW_TESTS_GOLDEN_RECORDED_H
#define TW_TESTS_GOLDEN_RECORDED_H

#include <stdint.h>

#include "memory/pages.h"
#include "tickwise.h"

/* Put this before the definition of __wrap_NAME, which must have NAME's type. */
#define REPLACE(name)	__typeof__(name) __wrap_##name

#define MAX_PAIRS	20

struct recorded_machine {
	const char *name;
	struct tw_counter_facts counter;
	int reliability_error;		/* 0, or what the measurement returns */
	struct tw_reliability reliability;
	struct tw_cpu_offset offsets[MAX_PAIRS];
	struct {			/* as the kernel writes them; NULL: unknown */
		const char *present, *online, *allowed, *cpuset;
	} cpus;
	unsigned pin_fails_from_cpu;	/* 0: never */
	int rate_error;
	struct tw_rate rate;
	struct tw_machine machine;
	unsigned cache_count;
	struct tw_cache caches[4];
	unsigned nodes;
	uint64_t available_bytes;
	unsigned cpus_online;
};

/* The last one has no name. */
extern const struct recorded_machine recorded_machines[];

/* Return the machine of TW_MACHINE. Ends the program if there is none. */
const struct recorded_machine *recorded(void);

/* Let time pass. Each reading of the time passes another microsecond. */
void recorded_pass_ns(uint64_t ns);

#endif
