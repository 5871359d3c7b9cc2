/* SPDX-License-Identifier: MIT */
/*
 * tickwise check: what it is asked for, its result, which CPUs it has judged and why not
 * the others, what a watch remembers, and what is printed. check.c calls what prints, and
 * that asks check.c for names of what it found: a circle of three files.
 */
#ifndef TW_CHECK_H
#define TW_CHECK_H

#include <jansson.h>

#include "command/command.h"
#include "machine/cpus.h"
#include "tickwise.h"

#define TW_CHECK	"check"		/* the name in messages */

/* Why a CPU was not judged. */
enum tw_check_skip {
	TW_SKIP_OFFLINE,
	TW_SKIP_CPUSET,		/* the control group excludes it */
	TW_SKIP_AFFINITY,	/* the affinity mask excludes it */
	TW_SKIP_NOT_ALLOWED,	/* one of these two; not known which */
	TW_SKIP_PIN,		/* allowed, but no thread can be put there */
	TW_SKIP_LOST,		/* allowed, but no thread was started or kept */
	TW_CHECK_SKIPS
};

struct tw_check_cpus {
	struct tw_machine_cpus machine;
	struct tw_cpu_list judged;	/* unknown: the result does not tell */
	struct tw_cpu_list offline;	/* plugged in, but not online */
	struct tw_cpu_list skipped[TW_CHECK_SKIPS];
};

extern const struct tw_check_skip_words {
	const char *code, *text;
} tw_check_skips[TW_CHECK_SKIPS];

/**
 * tw_check_cpus_find - find who was judged, and why not the others
 * @cpus: @cpus->machine as it was before the measurement; the rest is set
 * @may_pin: can a thread be put on this CPU? Called for CPUs that are allowed
 *	and were not judged
 */
void tw_check_cpus_find(struct tw_check_cpus *cpus,
			const struct tw_reliability *result,
			int (*may_pin)(unsigned cpu));

/* Return a list as the kernel writes it, such as "0-3,8", to be freed; NULL: unknown. */
char *tw_check_cpus_text(const struct tw_cpu_list *list);

struct tw_check_arguments {
	/* All are set before the check, since they are printed. */
	struct tw_reliability_options options;
	uint64_t watch_ns;	/* from one check to the next; 0: check once */
	struct tw_wanted wanted;
};

struct tw_check {
	struct tw_counter_facts counter;
	struct tw_reliability result;	/* release with tw_reliability_free() */
	struct tw_machine machine;
	struct tw_check_cpus cpus;
	unsigned contradictions;
	double seconds_before_wrap;	/* of the counter; 0: not known */
};

/* Set those options that the command line left open. */
void tw_check_fill_in_defaults(struct tw_reliability_options *options);

/**
 * tw_check_run - check once
 * @stop: called some four times a second; TW_ENOUGH or any other nonzero number
 *	ends the check
 *
 * Shows its progress on stderr if the check takes long. Return: TW_EXIT_GOOD, whatever
 * the verdict; -ECANCELED when @stop ended the check; another enum tw_exit after a
 * message.
 */
int tw_check_run(struct tw_check *check, const struct tw_reliability_options *options,
		 int (*stop)(void));

/* Return the seconds until the first of the judged counters wraps, if one of them is at
 * @ticks now; 0: not known, since an offset has no bound or the rate is missing. */
double tw_check_seconds_before_wrap(const struct tw_reliability *result, uint64_t ticks);

/* ---- what a watch remembers, and what changed; check_history.c reads no clock ---- */

/*
 * The offset intervals of the first check are kept. An interval of a later check and the
 * one of the first check together bound the pace over all the time between.
 */
struct tw_check_history {
	struct tw_cpu_offset *first;	/* of the check between the times below */
	unsigned pairs;
	uint64_t first_begin_ns;
	uint64_t first_end_ns;
	double pace_low_ppb;		/* since @first; INFINITY: no bound */
	double pace_high_ppb;
	/* The interval that all checks so far have in common, of each pair. */
	struct tw_cpu_offset *within;
	unsigned within_pairs;
	uint64_t begin_ns;		/* end of the first check of all */
	uint64_t last_ns;
	struct tw_reliability last;	/* without its offsets */
	unsigned last_contradictions;
	char *facts;			/* of the last check: a line for each */
	unsigned checks;
	unsigned verdicts[3];		/* number of checks, by verdict */
	unsigned changes;		/* checks at which something changed */
	unsigned reasons;		/* of all checks */
};

/**
 * tw_check_remember - add a check to the history
 * @begin_ns: when the check began, in ns of CLOCK_MONOTONIC
 * @end_ns: when the check ended; no larger than the next check's @begin_ns
 *
 * Return: a line for each change since the check before, to be freed; "": nothing
 * changed.
 */
char *tw_check_remember(struct tw_check_history *history, const struct tw_check *check,
			uint64_t begin_ns, uint64_t end_ns);
void tw_check_forget(struct tw_check_history *history);

/* Return the worst verdict of all checks. */
enum tw_verdict tw_check_worst(const struct tw_check_history *history);

/* ---- what is printed: a page for people, and JSON ---- */

/* Return the page. @options has the tolerance, which the page shows. */
struct tw_page *tw_check_page(const struct tw_check *check,
			      const struct tw_reliability_options *options);

/* Return by how many ticks the counters move at a time; 0: not known, since one
 * CPU alone, or few turns, give too few differences. */
static inline double tw_check_step_ticks(const struct tw_reliability *result)
{
	return result->pairs && result->switches >= 32 ? result->step_ticks : 0;
}

/* Return a tree of JSON, of schema tickwise-check. It contains the options. */
json_t *tw_check_json(const struct tw_check *check,
		      const struct tw_reliability_options *options);

/* Add what a watch knows, to the object of its last check. @changes: lines of text. */
void tw_check_json_add(json_t *root, const struct tw_check_history *history,
		       const char *changes);

/* Return a tree of schema tickwise-check-summary. */
json_t *tw_check_json_summary(const struct tw_check_history *history);

#endif
