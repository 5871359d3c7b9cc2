/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The figures of one load from the I/Os of a job. Arithmetic only, independent of fio.
 */
#ifndef TW_PLUGIN_MEMORY_FIGURES_H
#define TW_PLUGIN_MEMORY_FIGURES_H

#include "memory/point.h"

/* A bin is one tick wide up to 2^14, and at most 1/16384 of its value above. */
#define TW_MEMORY_DIGITS	4

/**
 * tw_memory_job_figures - compute the figures of a load from a histogram
 * @point: the caller sets loads (of one I/O); the function sets what I/Os tell
 * @ticks: times of the I/Os that nothing interrupted, in ticks
 * @interrupted: number of the other I/Os
 *
 * The rules are those of tw_memory_evaluate(), which needs all batches at once. The minimum
 * is exact; the other figures are the upper edges of bins.
 *
 * Return: as tw_memory_figures().
 */
int tw_memory_job_figures(struct tw_memory_point *point, const struct tw_histogram *ticks,
			  uint64_t interrupted, double ns_per_tick);

#endif
