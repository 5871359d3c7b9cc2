/* SPDX-License-Identifier: MIT */
/*
 * Decides whether the counter is used (tw_trust()), and gives the verdicts: on the
 * CPUs' counters from an estimate, on a clock from its checks, on a job from its start
 * to its end. The library, the program, the preload clock and the engines ask here. All
 * but what trust_measure.c has is pure. Internal.
 *
 * A verdict and the decision are two things. tw_trust() takes the verdict on the CPUs
 * as one of several facts: only TW_UNRELIABLE speaks against the counter. The verdicts
 * on a clock and on a job come later. They are reported, and switch nothing off.
 *
 * Three cases are decided elsewhere. May this process read the counter at all?
 * tw_counter_permission() (counter/state.h) is asked first. A caller of tw_clock_init()
 * can demand the system's clock. A segment of the preload clock expires after half a
 * millisecond without a new one (preload/preload_clock.h). clock/health.c has the
 * limits of each check of a clock.
 */
#ifndef TW_TRUST_H
#define TW_TRUST_H

#include "clock/clock.h"
#include "machine/steering.h"
#include "tickwise.h"

/* ---- limits and defaults ---- */

/* For tw_reliability_measure(), and so for `tickwise check`. */
#define TW_TRUST_TIME_LIMIT_NS		500000000ULL	/* after the least time */
#define TW_TRUST_MAX_TIME_NS		(3600 * TW_NS_PER_SECOND)
#define TW_TRUST_MIN_SWITCHES		100
#define TW_TRUST_PACE_LIMIT_PPB		1000.0
#define TW_TRUST_TOLERANCE_NS		500
/* A move from CPU to CPU and back takes some ten microseconds, several times that in a
 * virtual machine. */
#define TW_TRUST_SWITCH_TOLERANCE_NS	100000
/* Seven bursts. An offset of 150 ns at both ends is then a pace of 40 ppm. */
#define TW_TRUST_MIN_TIME_NS		7000000ULL
/* About one move in a hundred finds the other CPU awake and takes half the time: enough
 * for some of these in each direction. */
#define TW_TRUST_SWITCH_MIN_TIME_NS	40000000ULL

/* Two rates that differ by more are not rates of one counter. NTP steers no clock's
 * frequency by more, and the rate that is measured during a check is good to some 100
 * ppm. */
#define TW_TRUST_RATE_APART_PPM		TW_NTP_FREQUENCY_PPM

/* The rates that tw_scale_init() takes. */
#define TW_TRUST_MIN_NS_PER_TICK	(1e9 / TW_MAX_HZ)
#define TW_TRUST_MAX_NS_PER_TICK	(1e9 / TW_MIN_HZ)

/* An engine, and `tickwise compare`, calibrate for so long, and longer if the samples
 * are too few. */
#define TW_TRUST_ENGINE_WINDOW_NS	20000000ULL
#define TW_TRUST_ENGINE_LONGEST_NS	160000000ULL

/* When the CPUs' counters are compared as a part of something else. */
enum tw_trust_moment {
	TW_TRUST_CLOCK_CHECK,	/* tw_clock_check() */
	TW_TRUST_PRELOAD,	/* before main() of a foreign program */
	TW_TRUST_RUN_START,	/* before the first job of an engine */
	TW_TRUST_RUN_END,	/* after the last */
	TW_TRUST_MOMENTS,
};

/* Check options of tw_reliability_measure(), and fill in defaults. Return: 0; -EINVAL. */
int tw_trust_options(struct tw_reliability_options *options);

/* ---- verdicts ---- */

/* Set the verdict on the CPUs' counters, from the reasons of an estimate. TW_UNRELIABLE
 * needs one that proves a fault (TW_REASONS_PROOF). All others are then removed: they
 * only tell how good the measurement was. */
void tw_trust_cpus(struct tw_reliability *result);

/* Return further reasons, by what the kernel and the processor tell of the counter,
 * which change no verdict. @clocksource: "" if it is not known. */
unsigned tw_trust_facts(const char *clocksource, int is_emulated,
			int is_invariant);

/* The result of comparing the CPUs' counters. */
struct tw_trust_compared {
	enum tw_verdict verdict;
	unsigned reasons;
	double low_ns, high_ns;		/* largest distance of two counters;
					   infinite: no bound */
};

void tw_trust_compared_of(const struct tw_reliability *result,
			  struct tw_trust_compared *compared);

/* Set the verdict on a clock, from the states of its checks, and that of the CPUs.
 * @cpus: NULL: they were not compared. @covers: the comparison included all CPUs that
 * matter. */
void tw_trust_clock(struct tw_clock_health *health,
		    const struct tw_trust_compared *cpus, int covers);

/* What is known of the counter in a job of an engine. */
struct tw_trust_seen_job {
	enum tw_verdict start;	/* of comparing the CPUs before the job */
	int start_covers;	/* that comparison had all CPUs of the job */
	const struct tw_clock_health *end;	/* NULL: the clock was not checked */
	int is_backwards;	/* stamps contradict each other */
	int is_system;		/* its times are the system clock's */
};

/* Return TW_RELIABLE only if every check was made and found the counter good. */
enum tw_verdict tw_trust_job(const struct tw_trust_seen_job *job);

/* ---- is the counter used? ---- */

/* What one user of the counter requires in addition to what all users require. */
struct tw_trust_needs {
	int is_clocksource;	/* the kernel keeps time by it */
	double max_bracket_ns;	/* of a reading of the system clock; 0: any */
};

/* What was seen so far. A member that is 0 is no reason against the counter: its value
 * is a good one, or is not known yet. But an empty @clocksource does not meet
 * tw_trust_needs.is_clocksource. */
struct tw_trust_seen {
	enum tw_counter_state state;
	int rate_error;		/* -errno of calibrating or anchoring it */
	char clocksource[32];
	int is_emulated;
	enum tw_verdict verdict;	/* on the CPUs */
	unsigned reasons;
	double ns_per_tick;
	double bracket_ns;
};

struct tw_trust {
	char why_not[192];	/* a clause; "": the counter is used */
};

/* Decide whether the counter is used: unless something speaks against it. An undecided
 * verdict does not, but then the user reports it. @needs: NULL: no more than what all
 * require. Ask again when more is known. Return: 1 if it is used; 0 if not, and @trust
 * has the reason. */
int tw_trust(const struct tw_trust_needs *needs, const struct tw_trust_seen *seen,
	     struct tw_trust *trust);

/* Decide as tw_trust(), from an error of calibrating alone. */
int tw_trust_rate(int error, struct tw_trust *trust);

/* ---- measuring: trust_measure.c ---- */

struct tw_probe_system;

/* Compare the CPUs' counters as a part of something else, until the verdict is decided, for
 * as long and as often as @moment allows. If a later try fails, the previous result stays.
 * @hz: 0: measured. Return: 0; as tw_reliability_measure() if no comparison was
 * possible. */
int tw_trust_compare(enum tw_trust_moment moment, double hz,
		     struct tw_trust_compared *compared);

/* Do what tw_reliability_measure() does, with the part of the system that can fail
 * passed in. For tests. */
int tw_reliability_measure_on(struct tw_reliability *result,
			      const struct tw_reliability_options *options,
			      const struct tw_probe_system *system);

/* Check a clock as tw_clock_check(), but without the CPUs' counters
 * (TW_HEALTH_NOT_RUN), so that no thread is made. */
int tw_clock_look(const struct tw_clock *clock, struct tw_clock_health *health);

#endif
