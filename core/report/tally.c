/* SPDX-License-Identifier: MIT */
/*
 * Counting and merging tallies: see tally.h.
 */
#include "report/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "latency/histogram.h"

#define CACHE_LINE	64

/* ---- memory --------------------------------------------------------------- */

int tw_by_lat_init(struct tw_by_lat *by_lat)
{
	const size_t size = TW_LAT_SLICES * sizeof(*by_lat->sum_ns);

	if (by_lat->sum_ns)
		return 0;
	by_lat->sum_ns = aligned_alloc(CACHE_LINE,
				       (size + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1));
	if (!by_lat->sum_ns)
		return -ENOMEM;
	/* Touch the memory now, so that the first I/O of a slice does not wait for it. */
	memset(by_lat->sum_ns, 0, size);
	return 0;
}

static void free_sums(struct tw_by_lat *by_lat)
{
	free(by_lat->sum_ns);
	by_lat->sum_ns = NULL;
}

int tw_tally_init(struct tw_tally *tally, const struct tw_row_set *has, unsigned digits,
		  uint32_t windows)
{
	int error = 0;

	memset(tally, 0, sizeof(*tally));
	tally->has = *has;
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		for (unsigned time = 0; time < TW_TIMES; time++)
			if (!error && tw_has_time(tally, time))
				error = tw_histogram_init(&tally->times[time][i], digits);
		if (!error && tw_has(tally, TW_ROW_BY_LAT))
			error = tw_by_lat_init(&tally->by_lat[i]);
	}
	if (!error && tw_has(tally, TW_ROW_OVER_TIME))
		error = tw_windows_init(&tally->over_time, windows);
	return error;
}

void tw_tally_free(struct tw_tally *tally)
{
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		for (int time = 0; time < TW_TIMES; time++)
			tw_histogram_free(&tally->times[time][i]);
		free_sums(&tally->by_lat[i]);
	}
	tw_windows_free(&tally->over_time);
	memset(tally, 0, sizeof(*tally));
}

/* ---- counting -------------------------------------------------------------- */

void tw_tally_reset(struct tw_tally *tally)
{
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		const struct tw_histogram *lat = &tally->times[TW_LAT][i];
		struct tw_by_lat *by_lat = &tally->by_lat[i];

		/* Of the slices that have I/Os. */
		if (by_lat->sum_ns && lat->count)
			memset(&by_lat->sum_ns[tw_lat_slice(lat->min_ns)], 0,
			       (tw_lat_slice(lat->max_ns) + 1 - tw_lat_slice(lat->min_ns)) *
			       sizeof(*by_lat->sum_ns));
		for (int time = 0; time < TW_TIMES; time++)
			tw_histogram_forget(&tally->times[time][i]);
	}
	memset(tally->counts, 0, sizeof(tally->counts));
	memset(&tally->scalars, 0, sizeof(tally->scalars));
	if (tw_has(tally, TW_ROW_OVER_TIME))
		tw_windows_reset(&tally->over_time);
}

unsigned tw_tally_digits(const struct tw_tally *tally)
{
	for (int time = 0; time < TW_TIMES; time++)
		for (int i = 0; i < TW_DIRECTIONS; i++)
			if (tally->times[time][i].bins)
				return tally->times[time][i].digits;
	return 0;
}

uint64_t tw_lat_slice_ios(const struct tw_histogram *lat, unsigned slice, uint32_t *bin)
{
	const uint32_t last = tw__histogram_bin(lat, lat->max_ns);
	uint64_t ios = 0;

	if (lat->count == 0)
		return 0;
	while (*bin <= last && tw_lat_slice(tw_histogram_bin_high(lat, *bin)) <= slice)
		ios += lat->bins[(*bin)++];
	return ios;
}

/* ---- merging ---------------------------------------------------------------- */

int tw_tally_is_empty(const struct tw_tally *tally)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < TW_ROW_WORDS; i++)
		seen |= tally->has.bits[i] | tally->lacks.bits[i];
	return !seen;
}

/* Keep the rows that both have. */
static void merge_rows(struct tw_tally *into, const struct tw_tally *from)
{
	if (tw_tally_is_empty(into)) {
		into->has = from->has;
		into->lacks = from->lacks;
	}
	for (unsigned i = 0; i < TW_ROW_WORDS; i++) {
		uint64_t *has = &into->has.bits[i], *lacks = &into->lacks.bits[i];
		uint64_t seen = *has | *lacks | from->has.bits[i] | from->lacks.bits[i];

		*has &= from->has.bits[i];
		*lacks = seen & ~*has;
	}
}

static int merge_number(uint64_t *into, uint64_t from, enum tw_merge merge)
{
	if (merge == TW_SUM)
		return __builtin_add_overflow(*into, from, into) ? -EOVERFLOW : 0;
	if (from > *into)
		*into = from;
	return 0;
}

/* A row that is not kept becomes 0. */
static int merge_numbers(struct tw_tally *into, const struct tw_tally *from)
{
	int error = 0;

	for (unsigned row = 0; row < TW_COUNTS; row++)
		for (int i = 0; i < TW_DIRECTIONS && !error; i++)
			if (tw_has(into, row))
				error = merge_number(tw_count_at(&into->counts[i], row),
						     tw_count_of(&from->counts[i], row),
						     tw_count_rows[row].merge);
			else
				*tw_count_at(&into->counts[i], row) = 0;
	for (unsigned row = 0; row < TW_SCALARS && !error; row++)
		if (tw_has(into, TW_COUNTS + row))
			error = merge_number(tw_scalar_at(&into->scalars, row),
					     tw_scalar_of(&from->scalars, row),
					     tw_scalar_rows[row].merge);
		else
			*tw_scalar_at(&into->scalars, row) = 0;
	return error;
}

static int merge_sums(struct tw_by_lat *into, const struct tw_by_lat *from)
{
	int over = 0;

	if (!from->sum_ns)
		return 0;
	if (tw_by_lat_init(into))
		return -ENOMEM;
	for (unsigned slice = 0; slice < TW_LAT_SLICES; slice++)
		for (int stage = 0; stage < TW_STAGES; stage++)
			over |= __builtin_add_overflow(into->sum_ns[slice][stage],
						       from->sum_ns[slice][stage],
						       &into->sum_ns[slice][stage]);
	return over ? -EOVERFLOW : 0;
}

static int merge_times(struct tw_tally *into, const struct tw_tally *from, int direction)
{
	const int i = direction;
	int error = 0;

	for (unsigned time = 0; time < TW_TIMES && !error; time++)
		if (tw_has_time(into, time))
			error = tw_histogram_collect(&into->times[time][i],
						     &from->times[time][i]);
		else
			tw_histogram_free(&into->times[time][i]);
	if (!tw_has(into, TW_ROW_BY_LAT))
		free_sums(&into->by_lat[i]);
	else if (!error)
		error = merge_sums(&into->by_lat[i], &from->by_lat[i]);
	return error;
}

int tw_tally_merge(struct tw_tally *into, const struct tw_tally *from)
{
	unsigned digits = tw_tally_digits(into);
	int error;

	if (digits && tw_tally_digits(from) && tw_tally_digits(from) != digits)
		return -EINVAL;
	merge_rows(into, from);
	error = merge_numbers(into, from);
	for (int i = 0; i < TW_DIRECTIONS && !error; i++)
		error = merge_times(into, from, i);
	if (!tw_has(into, TW_ROW_OVER_TIME))
		tw_windows_free(&into->over_time);
	else if (!error)
		error = tw_windows_merge(&into->over_time, &from->over_time);
	return error;
}
