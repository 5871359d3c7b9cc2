/* SPDX-License-Identifier: MIT */
/*
 * Finds the part of a run that differs from the rest. Pure arithmetic.
 *
 * A run is two series over equally long windows, IOPS and mean lat. The part has a beginning and
 * an end, or one of them: two change points at most. A series has changed if two levels explain
 * it much better than one does. Neighbouring windows of a steady run are alike, too, since
 * caches, queues and other programs have a memory. So the noise is modelled as autoregressive,
 * x(t) = phi x(t-1) + e, and phi is estimated together with the part, from what the two levels
 * leave (generalized least squares; Cochrane and Orcutt, 1949). Windows with few I/Os are merged
 * before: noise of counting hides the memory of slower noise.
 *
 * Before this, values are replaced by the normal scores of their ranks. A few windows with huge
 * values, or a skew, then don't look like a change.
 *
 * What remains: slow noise below noise of counting is not seen as memory, so such a steady run is
 * called changed more often, in up to half of cases.
 *
 * The limit of the ratio F of what is explained to the noise was found by simulation, since the
 * best of all parts is taken and phi is estimated. The test analysis_change.c repeats that with
 * other random numbers.
 */
#ifndef TW_ANALYSIS_CHANGE_H
#define TW_ANALYSIS_CHANGE_H

#include <stddef.h>

/* With fewer windows, nothing is found. More are merged. */
#define TW_CHANGE_LEAST		32U
#define TW_CHANGE_MOST		128U
/* A smaller change of a level, relative to the mean, is none. */
#define TW_CHANGE_PART		0.1

struct tw_change {
	int is_tested;		/* there were enough windows and I/Os */
	int is_found;
	size_t from, to;	/* the part that differs most: from window @from to before @to */
	int is_drift;		/* a straight line explains it better than two levels */
	double error[2];	/* of the means of IOPS and lat over the run, as a part of them: half
				 * the width of a 95 % interval, if nothing changed */
};

/**
 * tw_change_find - find the part of a run that differs from the rest
 * @ios: I/Os of each window
 * @sum_ns: the sums of their lat
 * @count: number of windows, of one length, at most TW_CHANGE_MOST
 *
 * A steady run is called changed in at most 7 % of cases. The time is some milliseconds.
 */
void tw_change_find(struct tw_change *change, const double *ios, const double *sum_ns,
		    size_t count);

/**
 * tw_change_is_with - did another series change together with IOPS and lat?
 * @level: set to its mean in the part, and in the rest
 * @values: of equally long times, from TW_CHANGE_LEAST to TW_CHANGE_MOST
 * @from, @to: the part that was found
 *
 * It did if it has a part that differs, too, of about the same times. Noise of both moves the
 * ends. At most 5 % of series that have nothing to do with the part are called so.
 */
int tw_change_is_with(double level[2], const double *values, size_t count, size_t from, size_t to);

#endif
