/* SPDX-License-Identifier: MIT */
/*
 * Which load to try next, and between which loads a device stops to keep a goal. Pure
 * arithmetic: the caller makes the trials, by simulation in the test.
 *
 * A goal is a percentile of the response and a time: "p99.9<1ms" lets one I/O of 1,000 be slow.
 * The rules are those of RFC 9971 (MLRsearch), with I/Os in place of packets. A load is below the
 * limit if it keeps the goal even under a pessimistic reading of its trials, and above if it
 * fails even under an optimistic one; else it is undecided. A short trial may show that a load
 * fails; that it holds takes full length. A failure counts, whatever larger loads do. Both bounds
 * are loads that were tried. A load above the capacity fails unless its I/Os were done, even if the
 * queue was too short for slow I/Os when the trial ended. There are two departures from the RFC:
 * what a load within the wanted width keeps or fails, tells of its neighbours, too; and a failure
 * below the first load that seems good does not count, as a device may be slow when it is idle.
 *
 * The two readings are the ends of an interval for the part of slow I/Os. Slow I/Os come in
 * clumps, so its width is taken from how windows of 100 ms differ, and not from I/Os.
 */
#ifndef TW_SWEEP_SEARCH_H
#define TW_SWEEP_SEARCH_H

#include <stddef.h>

#define TW_SEARCH_LOADS		64U
#define TW_SEARCH_WINDOW_NS	100000000ULL	/* the shortest window */

struct tw_goal {
	double percent;		/* of I/Os that are to be fast enough: 99.9 */
	double ns;		/* the longest response of these */
};

struct tw_search_window {
	double ios;
	double slow;		/* those of them that took longer than the goal */
};

enum tw_bound {
	TW_BOUND_UNDECIDED,
	TW_BOUND_HOLDS,
	TW_BOUND_FAILS,
};

/* All trials of one rate. */
struct tw_load {
	double rate;		/* I/Os a second that were due */
	double seconds;
	double ios, slow;
	/* Sums of products of a window with itself and its neighbours: slow I/Os; slow and all,
	 * both ways; all. */
	double slow2, mixed, ios2;
	int grows;		/* 1: I/Os began ever later in a trial */
	enum tw_bound bound;
	void *trials;		/* of the caller; NULL at first */
};

struct tw_search {
	/* Set before the first trial: */
	struct tw_goal goal;
	double capacity;	/* I/Os a second without a rate */
	double capacity_error;	/* a load above both together may be too much */
	double unit;		/* loads are multiples of it, if it is not 0 */
	double width;		/* of the bounds, as a part of them, at which the search ends */
	double full_s;		/* how long a load is tried until it may hold */
	/* The result. A bound of 0: none was found. */
	double holds, fails;
	struct tw_load loads[TW_SEARCH_LOADS];	/* by rate */
	size_t count;
	int has_pair, pair;	/* where the two loads that are to become the bounds are */
};

struct tw_search_trial {
	double rate, seconds;
};

/* Read a goal such as "p99.9<1ms". Return 0; -EINVAL. */
int tw_goal_read(struct tw_goal *goal, const char *text);

/* Choose the next trial. Return 0: there is none: the bounds are as near as wanted, or there is
 * no room for more loads. */
int tw_search_next(struct tw_search *search, struct tw_search_trial *trial);

/* Are both bounds found, and as near as wanted? */
int tw_search_is_done(const struct tw_search *search);

/* Return the load with a rate, which is added if it is not there. It moves if another one is. */
struct tw_load *tw_search_load(struct tw_search *search, double rate);

/* Add a trial, and set the bounds. @seconds: of all windows together. @grows: I/Os began ever
 * later. */
void tw_search_add(struct tw_search *search, double rate, double seconds, int grows,
		   const struct tw_search_window *windows, size_t count);

/* Did the device fall behind? Above its capacity it does if fewer I/Os are done than due, by two
 * deviations of random arrivals. */
int tw_search_is_behind(const struct tw_search *search, const struct tw_load *load);
/* Did the load keep the goal, as far as this was seen? */
int tw_search_seems_good(const struct tw_search *search, const struct tw_load *load);

/* Return the number of the first load that seems good; the number of loads: there is none. The
 * limit that is looked for is above it. */
size_t tw_search_first_good(const struct tw_search *search);

/* Set the mean of windows, and its variance, of which neighbours may be alike. */
void tw_windows_mean(double *mean, double *variance, const double *windows, size_t count);

/* By which part a rate has changed from some windows of equal length to others, with the error
 * of two standard deviations. */
struct tw_drift {
	double change, error;
	int is_known;		/* 0: it was not measured */
	int is_named;		/* it is surely more than a device changes by itself */
};

void tw_drift_find(struct tw_drift *drift, const double *before, size_t before_count,
		   const double *after, size_t after_count);

#endif
