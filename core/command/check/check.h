/* SPDX-License-Identifier: MIT */
/*
 * What the files of tickwise check share: what was asked for, what one check
 * found, and the ways of printing it.
 */
#ifndef TW_CHECK_H
#define TW_CHECK_H

#include <stddef.h>

#include "command/check/cpus.h"
#include "tickwise.h"

#define TW_CHECK	"check"		/* its name in messages */

struct tw_check_arguments {
	/* None is left to the library: what is used is printed. */
	struct tw_reliability_options options;
	uint64_t watch_ns;	/* distance of the checks; 0: only one */
	int json;
	int progress;		/* also where stderr is no terminal */
};

/* What one check found. */
struct tw_check {
	struct tw_counter_facts counter;
	struct tw_reliability result;
	struct tw_machine machine;
	struct tw_check_cpus cpus;
	unsigned contradictions;
};

/* What the options use: "cas" or "switch". */
const char *tw_check_method_name(enum tw_reliability_method method);

/**
 * tw_check_run - check once
 * @check: the result; release with tw_check_free()
 * @stop: asked some four times a second; nonzero ends it. NULL: nobody is
 *
 * Shows on stderr how far it is, where it takes long and that was asked for or
 * is a terminal. Return: TW_EXIT_GOOD, whatever the verdict; -ECANCELED when it
 * was stopped; another enum tw_exit after a message.
 */
int tw_check_run(struct tw_check *check,
		 const struct tw_check_arguments *arguments, int (*stop)(void));
void tw_check_free(struct tw_check *check);

/* The exit code of a verdict. */
int tw_check_exit_code(enum tw_verdict verdict);

/* Check again and again until SIGINT or SIGTERM. Returns an enum tw_exit: that
 * of the worst verdict. */
int tw_check_watch(const struct tw_check_arguments *arguments);

/* ---- a page for people (page.c) ---- */

struct tw_page;

/* @arguments says what was asked for: its tolerance is shown. */
struct tw_page *tw_check_page(const struct tw_check *check,
			      const struct tw_check_arguments *arguments);

/* By how many ticks the counters move at a time; 0: not known, since a CPU alone,
 * or few turns, give too few differences. */
static inline double tw_check_step_ticks(const struct tw_reliability *result)
{
	return result->pairs && result->switches >= 32 ? result->step_ticks : 0;
}

/* Of that: what kernel and processor say, and which CPUs were judged (machine.c). */
void tw_check_add_machine(struct tw_page *page, const struct tw_check *check);

/* Of an undecided check: what would help, by its reasons (advice.c). */
void tw_check_add_advice(struct tw_page *page, const struct tw_check *check,
			 const struct tw_check_arguments *arguments);

/* ---- what a watch remembers (changes.c) ---- */

/*
 * The offset intervals of the first check are kept: an offset that was within
 * one interval then and is within another now gives bounds on the pace over all
 * the time between.
 */
struct tw_check_history {
	struct tw_cpu_offset *first;	/* of the check between these times */
	unsigned pairs;
	uint64_t first_begin_ns;
	uint64_t first_end_ns;
	uint64_t begin_ns;		/* of all */
	uint64_t last_ns;
	double pace_low_ppb;		/* since then; INFINITY: none */
	double pace_high_ppb;
	struct tw_check last;		/* without its offsets */
	unsigned checks;
	unsigned verdicts[3];		/* how many, by verdict */
	unsigned changes;		/* checks at which something changed */
	unsigned reasons;		/* of all */
};

/**
 * tw_check_remember - take a check into the history
 * @begin_ns: when it began, in ns of CLOCK_MONOTONIC
 * @end_ns: when it was over; the next one's @begin_ns is no smaller
 *
 * Return: 0; -ENOMEM.
 */
int tw_check_remember(struct tw_check_history *history,
		      const struct tw_check *check, uint64_t begin_ns,
		      uint64_t end_ns);
void tw_check_forget(struct tw_check_history *history);

/* The worst of all. */
enum tw_verdict tw_check_worst(const struct tw_check_history *history);

/* ---- JSON (json.c) ---- */

/* One object, schema tickwise-check; the options are in it. Return: 0;
 * -ENOMEM. Errors of writing are left in stdout's error flag. */
int tw_check_print_json(const struct tw_check *check,
			const struct tw_check_arguments *arguments);

/* The same on one line, with what a watch adds. @changes: lines. */
int tw_check_print_json_line(const struct tw_check *check,
			     const struct tw_check_arguments *arguments,
			     const struct tw_check_history *history,
			     const char *changes);

/* One line, schema tickwise-check-summary. */
int tw_check_print_json_summary(const struct tw_check_history *history);

#endif
