/* SPDX-License-Identifier: MIT */
/*
 * Finds the parts of a run whose levels differ. Pure arithmetic.
 *
 * A run is two series over equally long windows, IOPS and mean lat. A series has changed if
 * several levels make it much likelier than one does. Neighbouring windows of a steady run are
 * alike, too, since caches, queues and other programs have a memory. So the noise is modelled as
 * autoregressive, x(t) = phi x(t-1) + e, that begins anew in each part. phi is the likeliest one
 * for each number of parts: a run with several levels resembles noise with a memory if it has to be
 * one part. Windows with few I/Os are merged before: noise of counting hides the memory of
 * slower noise.
 *
 * Before this, values are replaced by the normal scores of their ranks. A few windows with huge
 * values, or a skew, then don't look like a change.
 *
 * What remains: slow noise below noise of counting is not seen as memory, so such a steady run is
 * called changed more often, in up to half of cases.
 *
 * The limits of the ratio of likelihoods were found by simulation, since the best of all divisions
 * is taken. They grow with the number of changes, and a little with phi. The test analysis_change.c
 * repeats that with other random numbers.
 */
#ifndef TW_ANALYSIS_CHANGE_H
#define TW_ANALYSIS_CHANGE_H

#include <stddef.h>

/* With fewer windows, nothing is found. */
#define TW_CHANGE_LEAST		32U
#define TW_CHANGE_MOST		128U
/* A smaller change of a level, relative to the mean of both, is none. */
#define TW_CHANGE_PART		0.1

/* Parts that are told apart, at most. */
#define TW_CHANGE_PARTS		6U

struct tw_change {
	int is_tested;		/* there were enough windows and I/Os */
	int is_drift;		/* a straight line explains the run better than levels; 2 parts */
	size_t parts;		/* 1: nothing changed */
	size_t begin[TW_CHANGE_PARTS + 1];	/* their first windows; then the number of all */
	size_t longest;		/* the longest part */
	double error[2];	/* of the means of IOPS and lat over the longest part, as a part of
				 * them: half the width of a 95 % interval */
};

/**
 * tw_change_find - find the parts of a run
 * @ios: I/Os of each window
 * @sum_ns: the sums of their lat
 * @count: number of windows, of one length, at most TW_CHANGE_MOST
 *
 * A steady run is called changed in at most 7 % of cases. The time is some milliseconds.
 */
void tw_change_find(struct tw_change *change, const double *ios, const double *sum_ns,
		    size_t count);

/**
 * tw_change_is_with - did another series change together with a run, in the same direction?
 * @values: of equally long times, from TW_CHANGE_LEAST to TW_CHANGE_MOST
 * @levels: what the run had at these times
 *
 * At most 5 % of series that have nothing to do with the run are called so.
 */
int tw_change_is_with(const double *values, const double *levels, size_t count);

#endif
