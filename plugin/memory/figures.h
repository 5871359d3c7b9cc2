/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The figures of one load from the I/Os of a job. Arithmetic only, independent of fio.
 */
#ifndef TW_PLUGIN_MEMORY_FIGURES_H
#define TW_PLUGIN_MEMORY_FIGURES_H

#include "memory/point.h"
#include "tickwise.h"

/* A bin is one tick wide up to 2^14, and at most 1/16384 of its value above. */
#define TW_MEMORY_DIGITS	4

/**
 * tw_memory_figures - compute the figures of a load from a histogram
 * @point: the caller sets loads (of one I/O); the function sets what I/Os tell
 * @ticks: times of the I/Os that nothing interrupted, in ticks
 * @interrupted: number of the other I/Os
 * @ns_per_tick: nanoseconds of a tick
 *
 * The rules are those of tw_memory_evaluate(), which needs all batches at once. An I/O
 * counts as disturbed if it took more than 1.5 times the median plus two microseconds.
 * The minimum is exact; the other figures are the upper edges of bins.
 *
 * Return: 0; -EAGAIN if fewer than TW_MEMORY_MIN_BATCHES I/Os were undisturbed. Then only
 * batches and disturbed are set.
 */
int tw_memory_figures(struct tw_memory_point *point,
		      const struct tw_histogram *ticks, uint64_t interrupted,
		      double ns_per_tick);

#endif
