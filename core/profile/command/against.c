/* SPDX-License-Identifier: MIT */
/*
 * Assigns samples to the functions of a profile, and compares the shares.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "profile/command/against.h"
#include "profile/command/symbols.h"

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

static int compare_names(const char *a, size_t a_length, const char *b,
			 size_t b_length)
{
	size_t both = a_length < b_length ? a_length : b_length;
	int order = memcmp(a, b, both);

	return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int rows_by_name(const void *a, const void *b)
{
	const struct against_row *left = a, *right = b;

	return compare_names(left->name, name_length(left->name), right->name,
			     name_length(right->name));
}

static int rows_by_share(const void *a, const void *b)
{
	const struct against_row *left = a, *right = b;
	double difference = right->profiled + right->sampled.share / 1e6 -
			    left->profiled - left->sampled.share / 1e6;

	return difference > 0 ? 1 : difference < 0 ? -1 : rows_by_name(a, b);
}

/* Make one row for each name, sorted by name. The profile's share and its
 * uncertainty are still in ticks. */
static void make_rows(struct profile_against *against,
		      const struct profile_result *result)
{
	struct against_row *rows = tw_zalloc(result->function_count, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < result->function_count; i++) {
		const struct profile_time *self = &result->functions[i].self;

		rows[i].name = result->functions[i].name;
		rows[i].profiled = self->ticks > 0 ? self->ticks : 0;
		rows[i].profiled_uncertainty = self->uncertainty_ticks;
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
	against->rows = rows;
	against->row_count = count;
}

/* Turn the profile's ticks into shares. A share has the error of its own time
 * and that of all other times. Both are systematic, so they add. */
static void share_profiled(struct profile_against *against)
{
	double all = 0, all_uncertainty = 0;

	for (size_t i = 0; i < against->row_count; i++) {
		all += against->rows[i].profiled;
		all_uncertainty += against->rows[i].profiled_uncertainty;
	}
	for (size_t i = 0; i < against->row_count && all > 0; i++) {
		struct against_row *row = &against->rows[i];
		double others = all_uncertainty - row->profiled_uncertainty;

		row->profiled /= all;
		row->profiled_uncertainty =
			((1 - row->profiled) * row->profiled_uncertainty +
			 row->profiled * others) / all;
	}
}

static uint32_t row_named(const struct profile_against *against,
			  const char *symbol)
{
	char *name = tw_profile_demangle(symbol);
	struct against_row key = { .name = name };
	struct against_row *found = bsearch(&key, against->rows, against->row_count,
					    sizeof(key), rows_by_name);

	free(name);
	return found ? (uint32_t)(found - against->rows) : NO_ROW;
}

/* Return the row of a sample's innermost function that is in the profile. */
static uint32_t row_of_sample(const struct profile_against *against,
			      const struct perf_samples *samples,
			      const struct perf_sample *sample)
{
	uint32_t row = NO_ROW;

	for (size_t i = 0; i < sample->frames && row == NO_ROW; i++) {
		struct perf_symbol *symbol =
			samples->frames[sample->first_frame + i];

		if (symbol->row == TW_ROW_UNKNOWN)
			symbol->row = row_named(against, symbol->name);
		row = symbol->row;
	}
	return row;
}

static size_t assign(struct profile_against *against,
		     const struct perf_samples *samples,
		     struct tw_sampled *sampled)
{
	size_t count = 0;

	for (size_t i = 0; i < samples->sample_count; i++) {
		const struct perf_sample *sample = &samples->samples[i];
		uint32_t row = row_of_sample(against, samples, sample);

		if (row != NO_ROW && sample->weight > 0)
			sampled[count++] = (struct tw_sampled) {
				row, sample->weight
			};
		else if (sample->in_kernel)
			against->in_kernel++;
		else
			against->in_others++;
	}
	return count;
}

static void compare(struct profile_against *against,
		    const struct tw_sampled *sampled)
{
	struct tw_share *shares = tw_zalloc(against->row_count, sizeof(*shares));

	tw_shares(shares, against->row_count, sampled, against->in_functions);
	for (size_t i = 0; i < against->row_count; i++) {
		struct against_row *row = &against->rows[i];

		row->sampled = shares[i];
		row->beyond = fabs(row->sampled.share - row->profiled) >
			      ERRORS * row->sampled.error +
			      row->profiled_uncertainty;
	}
	free(shares);
}

int tw_profile_against(struct profile_against *against,
		       const struct profile_result *result,
		       const struct perf_samples *samples, const char *path)
{
	struct tw_sampled *sampled = tw_zalloc(samples->sample_count,
					       sizeof(*sampled));

	*against = (struct profile_against) {
		.path = path, .event = samples->event,
		.has_chains = samples->has_chains,
		.other_events = samples->other_events,
		.samples = samples->sample_count,
	};
	make_rows(against, result);
	share_profiled(against);
	against->in_functions = assign(against, samples, sampled);
	if (against->in_functions)
		compare(against, sampled);
	qsort(against->rows, against->row_count, sizeof(*against->rows), rows_by_share);
	free(sampled);
	return against->in_functions ? 0 : -ENODATA;
}

void tw_profile_against_free(struct profile_against *against)
{
	free(against->rows);
	against->rows = NULL;
	against->row_count = 0;
}
