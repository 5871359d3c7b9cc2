/* SPDX-License-Identifier: MIT */
/*
 * Assigns samples to the functions of a profile, and compares the shares.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "profile/command/profiles.h"

/* ---- shares ---- */

/* With independent samples, blocks scatter by 1.5 times as much in one of a
 * thousand cases (chi-squared with 19 degrees of freedom). */
#define CORRELATED	1.5

/* Compute the error of the mean of the blocks, from their scatter. */
static void block_errors(double *errors, size_t kinds,
			 const struct tw_sampled *samples, size_t count)
{
	double *block = tw_zalloc(kinds, sizeof(*block));
	double *sum = tw_zalloc(kinds, sizeof(*sum));

	for (size_t b = 0, i = 0; b < TW_SHARE_BLOCKS; b++) {
		double weight = 0;

		for (; i < (b + 1) * count / TW_SHARE_BLOCKS; i++) {
			block[samples[i].what] += samples[i].weight;
			weight += samples[i].weight;
		}
		for (size_t what = 0; what < kinds; what++) {
			double share = block[what] / weight;

			sum[what] += share;
			errors[what] += share * share;
			block[what] = 0;
		}
	}
	for (size_t what = 0; what < kinds; what++) {
		double mean = sum[what] / TW_SHARE_BLOCKS;
		double about = errors[what] / TW_SHARE_BLOCKS - mean * mean;

		errors[what] = about > 0 ?
			       sqrt(about / (TW_SHARE_BLOCKS - 1)) : 0;
	}
	free(block);
	free(sum);
}

void tw_shares(struct tw_share *shares, size_t kinds, const struct tw_sampled *samples,
	       size_t count)
{
	double *blocks = tw_zalloc(kinds, sizeof(*blocks)), all = 0, squares = 0;

	memset(shares, 0, kinds * sizeof(*shares));
	if (count >= TW_SHARE_MIN)
		block_errors(blocks, kinds, samples, count);
	for (size_t i = 0; i < count; i++) {
		shares[samples[i].what].samples++;
		shares[samples[i].what].share += samples[i].weight;
		all += samples[i].weight;
		squares += samples[i].weight * samples[i].weight;
	}
	for (size_t i = 0; i < kinds; i++) {
		struct tw_share *share = &shares[i];
		/* Samples of different weights count as fewer samples of equal weight. */
		double n = all * all / squares, p;

		share->share /= all;
		p = (share->share * n + 2) / (n + 4);
		share->error = sqrt(p * (1 - p) / (n + 4));
		share->correlated = blocks[i] > CORRELATED * share->error;
		share->error = fmax(share->error, blocks[i]);
	}
	free(blocks);
}

/* ---- a profile against samples ---- */

/* The row of a symbol that has none. */
#define NO_ROW		(TW_ROW_UNKNOWN - 1)

/* Sampling explains a difference of up to this number of its errors. */
#define ERRORS		3

/*
 * Return the length of a function's name in @name. Compilers split functions
 * and copy them (gcc: .part.0, .cold, .constprop.0, .isra.0; clang: .llvm.N;
 * demangled: [clone .part.0]). The copies count as the function.
 */
static size_t name_length(const char *name)
{
	static const char *const copies[] = { ".part.", ".cold", ".constprop.",
					      ".isra.", ".lto_priv.", ".llvm.",
					      " [clone " };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++) {
		const char *at = strstr(name, copies[i]);

		if (at && at != name && (size_t)(at - name) < length)
			length = (size_t)(at - name);
	}
	return length;
}

static int rows_by_name(const void *a, const void *b)
{
	const char *left = ((const struct against_row *)a)->name;
	const char *right = ((const struct against_row *)b)->name;
	size_t left_length = name_length(left), right_length = name_length(right);
	int order = memcmp(left, right, left_length < right_length ? left_length : right_length);

	return order ? order : (left_length > right_length) - (left_length < right_length);
}

static int rows_by_share(const void *a, const void *b)
{
	const struct against_row *left = a, *right = b;
	double difference = right->profiled + right->sampled.share / 1e6 -
			    left->profiled - left->sampled.share / 1e6;

	return difference > 0 ? 1 : difference < 0 ? -1 : rows_by_name(a, b);
}

/* Make one row for each name, sorted by name. A share has the error of its own time and that of
 * all other times. Both are systematic, so they add. */
static void make_rows(struct profile_against *against,
		      const struct profile_result *result)
{
	struct against_row *rows = tw_zalloc(result->function_count, sizeof(*rows));
	double all = 0, all_uncertainty = 0;
	size_t count = 0;

	for (size_t i = 0; i < result->function_count; i++) {
		const struct profile_time *self = &result->by_self[i]->self;

		rows[i].name = result->by_self[i]->name;
		rows[i].profiled = self->ticks > 0 ? self->ticks : 0;
		rows[i].profiled_uncertainty = self->uncertainty_ticks;
		all += rows[i].profiled;
		all_uncertainty += rows[i].profiled_uncertainty;
	}
	qsort(rows, result->function_count, sizeof(*rows), rows_by_name);
	for (size_t i = 0; i < result->function_count; i++) {
		if (!count || rows_by_name(&rows[count - 1], &rows[i])) {
			rows[count++] = rows[i];
			continue;
		}
		rows[count - 1].profiled += rows[i].profiled;
		rows[count - 1].profiled_uncertainty += rows[i].profiled_uncertainty;
	}
	for (size_t i = 0; i < count && all > 0; i++) {
		struct against_row *row = &rows[i];
		double others = all_uncertainty - row->profiled_uncertainty;

		row->profiled /= all;
		row->profiled_uncertainty =
			((1 - row->profiled) * row->profiled_uncertainty +
			 row->profiled * others) / all;
	}
	against->rows = rows;
	against->row_count = count;
}

/* Return the row of a sample's innermost function that is in the profile. */
static uint32_t row_of_sample(const struct profile_against *against,
			      const struct perf_samples *samples,
			      const struct perf_sample *sample)
{
	uint32_t row = NO_ROW;

	for (size_t i = 0; i < sample->frames && row == NO_ROW; i++) {
		struct perf_symbol *symbol = samples->frames[sample->first_frame + i];

		if (symbol->row == TW_ROW_UNKNOWN) {
			char *name = tw_profile_demangle(symbol->name);
			const struct against_row key = { .name = name };
			struct against_row *found = bsearch(&key, against->rows,
							    against->row_count, sizeof(key),
							    rows_by_name);

			symbol->row = found ? (uint32_t)(found - against->rows) : NO_ROW;
			free(name);
		}
		row = symbol->row;
	}
	return row;
}

int tw_profile_against(struct profile_against *against,
		       const struct profile_result *result,
		       const struct perf_samples *samples, const char *path)
{
	struct tw_sampled *sampled = tw_zalloc(samples->sample_count,
					       sizeof(*sampled));
	struct tw_share *shares;

	*against = (struct profile_against) {
		.path = path, .event = samples->event,
		.has_chains = samples->has_chains,
		.other_events = samples->other_events,
		.samples = samples->sample_count,
	};
	make_rows(against, result);
	for (size_t i = 0; i < samples->sample_count; i++) {
		const struct perf_sample *sample = &samples->samples[i];
		uint32_t row = row_of_sample(against, samples, sample);

		if (row != NO_ROW && sample->weight > 0)
			sampled[against->in_functions++] = (struct tw_sampled) {
				row, sample->weight };
		else if (sample->in_kernel)
			against->in_kernel++;
		else
			against->in_others++;
	}
	shares = tw_zalloc(against->row_count, sizeof(*shares));
	if (against->in_functions)
		tw_shares(shares, against->row_count, sampled, against->in_functions);
	for (size_t i = 0; i < against->row_count; i++) {
		struct against_row *row = &against->rows[i];

		row->sampled = shares[i];
		row->beyond = fabs(row->sampled.share - row->profiled) >
			      ERRORS * row->sampled.error + row->profiled_uncertainty;
	}
	qsort(against->rows, against->row_count, sizeof(*against->rows), rows_by_share);
	free(sampled);
	free(shares);
	return against->in_functions ? 0 : -ENODATA;
}
