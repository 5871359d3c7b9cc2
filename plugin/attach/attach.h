/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a run of `tickwise attach`: the process that is measured, the program in the
 * kernel, and what is shown of the tally of its records.
 */
#ifndef TW_PLUGIN_ATTACH_ATTACH_H
#define TW_PLUGIN_ATTACH_ATTACH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "attach/attach_tally.h"
#include "command/child.h"
#include "kernel/causes/causes.h"
#include "kernel/cgroup.h"

/* ---- the process: a running one, or a program that is started when all is ready ---- */

struct tw_attach_process {
	pid_t pid;
	int fd;			/* since another process may get the number later */
};

struct tw_attach_target {
	struct tw_attach_process *all;	/* one, if it is a program */
	size_t count;		/* 0: those of a cgroup */
	int cgroup;		/* its folder; -1: none */
	bool own;		/* a program that was started here */
	struct tw_child child;	/* the program, like the next three */
	char **argv;
	int go;			/* a pipe in which the child waits for a byte */
	int error;		/* why the program could not be run: -errno */
	char program[TW_CGROUP_PATH];	/* the kernel's name of the first process; a cgroup's */
};

/* Choose running processes, by their numbers, a name or a cgroup, or prepare a program. Return
 * NULL, or the reason why not in one line. */
const char *tw_attach_to(struct tw_attach_target *target, char **pids, size_t count);
const char *tw_attach_to_name(struct tw_attach_target *target, const char *name);
const char *tw_attach_to_cgroup(struct tw_attach_target *target, const char *path);
const char *tw_attach_start(struct tw_attach_target *target, char **argv);

/* Return 0 if this user may see the files of the process, which takes the right to trace
 * it; -EPERM, or -ESRCH if it has ended. Of what starts later attach.bpf.c asks it: may_follow(). */
int tw_attach_may_see(const struct tw_attach_process *process);

/* Print what /proc tells of the first process, in a line, where no program can be loaded. */
void tw_attach_tell_less(const struct tw_attach_target *target);

/* Let the program begin, if it was prepared. Return 0 or -errno: it can't be run, and a line
 * on stderr has the reason. */
int tw_attach_go(struct tw_attach_target *target);

bool tw_attach_has_ended(const struct tw_attach_target *target);

/* Wait for the program. Return its exit code, as a shell would. */
int tw_attach_exit_code(struct tw_attach_target *target);

/* ---- the program of attach.bpf.c ---- */

struct tw_attach_program {
	struct tw_attach *skeleton;
	struct tw_follow_program causes;	/* of TW_ATTACH_THREADS threads, if wanted */
	struct ring_buffer *records;
	const struct tw_attach_lost *lost;	/* so far */
	/* I/Os that take as long wake the reader, to find their causes. */
	__u64 *slow_ns;
	volatile __u64 *slow_wait_ns;	/* waits that name their process */
	const struct tw_attach_ran *ran;
	volatile __u32 *shift;		/* 1 in 2^shift I/Os is chosen from now on */
	/* Known after tw_attach_stop(): */
	uint64_t in_flight;		/* chosen I/Os */
	int64_t missed_runs;		/* that the kernel has skipped: tw_program_missed() */
};

/* Take a record. Return 0 to go on. */
typedef int tw_attach_take(void *context, void *record, size_t size);

/* Load the program. NULL: @why has the reason in one line. @cgroup: the target's. With @causes the
 * submitting threads are followed. If that is impossible, @no_causes has the reason, and the rest
 * works. */
struct tw_attach_program *tw_attach_load(int cgroup, bool causes, tw_attach_take *take,
					 void *context, const char **why,
					 const char **no_causes);

/* Follow the process of @pidfd. Return 0 or -errno: -ESRCH if it has ended. */
int tw_attach_follow(struct tw_attach_program *program, int pidfd);

/* Follow the processes of the cgroup, and the descendants of all, also those that they will have,
 * and find their rings. Return 0 or -errno. */
int tw_attach_follow_descendants(struct tw_attach_program *program);

/* Take all records, after waiting for @wait_ms or until a record wakes the reader. Return
 * 0, or the first result of tw_attach_take() that is not 0. */
int tw_attach_read(struct tw_attach_program *program, int wait_ms);

/* Take the counts of the I/Os without a record. Return 0 or -ENOMEM. */
int tw_attach_read_counted(struct tw_attach_program *program, struct tw_attach_tally *tally);

/* Follow nothing any more. What was seen can still be read. */
void tw_attach_stop(struct tw_attach_program *program);

/* Take the waits and syncs of which no record came: those that are not over. Call this after
 * tw_attach_stop(), and after the records. Return 0 or -ENOMEM. */
int tw_attach_take_rest(struct tw_attach_program *program, struct tw_attach_tally *tally);

void tw_attach_unload(struct tw_attach_program *program);

/* ---- the live table: waits and I/Os since the last one, a row for each file name, the longest
 * time waited first ---- */

#define TW_ATTACH_SOURCES	(TW_ATTACH_MAX_ROWS + 1 + TW_ATTACH_MOST_WAIT_ROWS)
#define TW_ATTACH_SUMS		6	/* of each: attach_table.c */

/* Zeroed, it is for a file. */
struct tw_attach_table {
	FILE *out;
	const char *up, *erase;	/* of a terminal that can write over the last table; or NULL */
	int printed;		/* lines of the last table */
	/* Of the tally, at the last table. */
	uint64_t before[TW_ATTACH_SOURCES][TW_ATTACH_SUMS];
};

void tw_attach_table_begin(struct tw_attach_table *table, FILE *out);

/* Print the table. @at_ns: since the start; @over_ns: since the last table; @lost: records
 * lost so far. */
void tw_attach_table_put(struct tw_attach_table *table, const struct tw_attach_tally *tally,
			 uint64_t at_ns, uint64_t over_ns, uint64_t lost);

/* Remove a table that is redrawn. Call this before anything else is printed. */
void tw_attach_table_end(struct tw_attach_table *table);

/* ---- the report, see tickwise-report(5) ---- */

struct tw_attach_result {
	struct tw_attach_tally *tally;	/* complete */
	const struct tw_attach_target *target;
	const struct tw_attach_program *program;	/* stopped */
	const char *no_causes;		/* the reason; NULL: known, or not wanted */
	json_t *cost;			/* of the causes, which is taken; NULL: there is none */
	uint64_t run_ns;
};

/* Return the report. The tally can only be freed afterwards. */
json_t *tw_attach_to_json(struct tw_attach_result *result);

#endif
