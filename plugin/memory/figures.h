/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the I/Os of a job say of one load. Knows nothing of fio; pure.
 */
#ifndef TW_PLUGIN_MEMORY_FIGURES_H
#define TW_PLUGIN_MEMORY_FIGURES_H

#include "memory/point.h"
#include "tickwise.h"

/* Bins of one tick up to 2^14, above at most 1/16384 of a value wide. */
#define TW_MEMORY_DIGITS	4

/**
 * tw_memory_figures - a point's figures from a histogram
 * @point: loads (of one I/O) set by the caller; what depends on I/Os is set
 * @ticks: of the I/Os that nothing interrupted
 * @interrupted: how many others there were
 * @ns_per_tick: of what @ticks are in
 *
 * By the rules of tw_memory_evaluate(), which wants all batches at once: one
 * that took more than half as much again as the median and two microseconds
 * was disturbed, though nothing told. The minimum is exact, the others are the
 * upper edges of bins.
 *
 * Return: 0; -EAGAIN if fewer than TW_MEMORY_MIN_BATCHES were undisturbed,
 * then batches and disturbed are set and nothing else.
 */
int tw_memory_figures(struct tw_memory_point *point,
		      const struct tw_histogram *ticks, uint64_t interrupted,
		      double ns_per_tick);

#endif
