/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/latency
 *
 * Behaviour: each number of a merged tally is the sum, or the larger one, of its parts'. A
 * row that one lacks is named and not there. An empty tally is one that was reset. Defect:
 * a row that the merge, the writer, the reader or the reset forgets, a sum beyond 64 bits,
 * a wrong file that is taken, an unknown number that is not.
 * report_merge_order.c merges in any order, writes and reads again.
 */
#include <errno.h>

#include "report_made.h"
#include "report/report_json.h"

#define DIGITS		2
#define WINDOWS		16
#define ROUNDS		20

/* ---- making tallies ---------------------------------------------------------- */

static struct tw_metric_set all_but(unsigned gone)
{
	struct tw_metric_set has = { { 0 } };

	for (unsigned row = 0; row < TW_METRICS; row++)
		if (row != gone)
			tw_metric_put(&has, row);
	return has;
}

static void make_empty(struct tw_tally *tally, unsigned gone, unsigned digits)
{
	const struct tw_metric_set has = all_but(gone);

	if (tw_tally_init(tally, &has, digits, WINDOWS))
		exit(1);
}

/* Make a tally of random I/Os with all rows. */
static void make(struct tw_tally *tally, uint64_t *state)
{
	struct made made = { .random = state, .digits = DIGITS, .bits = 40 };

	make_empty(tally, TW_METRICS, DIGITS);
	made_ios(&made);
	made_fill(&made, tally);
}

/* ---- as text ------------------------------------------------------------------ */

static json_t *json_of(const struct tw_tally *tally)
{
	json_t *json = json_object();

	tw_tally_to_json(json, tally, 1);
	return json;
}

/* Return 1 if both are written alike. */
static int same(const struct tw_tally *a, const struct tw_tally *b)
{
	json_t *of_a = json_of(a), *of_b = json_of(b);
	const int is_same = json_equal(of_a, of_b);

	json_decref(of_a);
	json_decref(of_b);
	return is_same;
}

/* ---- merging -------------------------------------------------------------------- */

/* Return how many numbers of a sum are not those of its parts. */
static int wrong_sums(uint64_t *state)
{
	static struct tw_tally a, b, sum;
	int wrong = 0;

	make(&a, state);
	make(&b, state);
	wrong += tw_tally_merge(&sum, &a) || tw_tally_merge(&sum, &b);
	for (unsigned row = 0; row < TW_COUNTS; row++)
		for (int i = 0; i < TW_DIRECTIONS; i++) {
			uint64_t x = a.counts[i].at[row];
			uint64_t y = b.counts[i].at[row];

			wrong += sum.counts[i].at[row] !=
				(tw_count_metrics[row].merge == TW_SUM ? x + y : x > y ? x : y);
		}
	for (unsigned row = 0; row < TW_SCALARS; row++) {
		uint64_t x = a.scalars.at[row], y = b.scalars.at[row];

		wrong += sum.scalars.at[row] !=
			(tw_scalar_metrics[row].merge == TW_SUM ? x + y : x > y ? x : y);
	}
	for (int time = 0; time < TW_TIMES; time++)
		for (int i = 0; i < TW_DIRECTIONS; i++)
			wrong += sum.times[time][i].sum_ns != a.times[time][i].sum_ns +
							      b.times[time][i].sum_ns ||
				 sum.times[time][i].count != a.times[time][i].count +
							     b.times[time][i].count;
	for (int i = 0; i < TW_DIRECTIONS; i++)
		for (unsigned at = 0; at < TW_LAT_SLICES; at++)
			for (int stage = 0; stage < TW_STAGES; stage++)
				wrong += sum.by_lat[i].sum_ns[at][stage] !=
					 a.by_lat[i].sum_ns[at][stage] +
					 b.by_lat[i].sum_ns[at][stage];
	tw_tally_free(&a);
	tw_tally_free(&b);
	tw_tally_free(&sum);
	return wrong;
}

/* Take each row away from one of two tallies. */
static void absent_rows(uint64_t *state)
{
	static struct tw_tally all, lacking, sum;
	int wrong = 0;

	make(&all, state);
	for (unsigned gone = 0; gone < TW_METRICS; gone++) {
		make_empty(&lacking, gone, DIGITS);
		wrong += tw_tally_merge(&sum, gone % 2 ? &all : &lacking) ||
			 tw_tally_merge(&sum, gone % 2 ? &lacking : &all) ||
			 tw_tally_merge(&sum, &all);
		for (unsigned row = 0; row < TW_METRICS; row++)
			wrong += tw_has(&sum, row) != (row != gone) ||
				 tw_metric_is_in(&sum.lacks, row) != (row == gone);
		tw_tally_free(&lacking);
		tw_tally_free(&sum);
	}
	tap_is_u64((uint64_t)wrong, 0, "a row that one of three lacks is absent and named");
	tw_tally_free(&all);
}

static void refused_merges(uint64_t *state)
{
	static struct tw_tally a, b, sum;

	make(&a, state);
	make(&b, state);
	a.counts[TW_READ].errors = UINT64_MAX;
	b.counts[TW_READ].errors = 1;
	tap_ok(!tw_tally_merge(&sum, &a) && tw_tally_merge(&sum, &b) == -EOVERFLOW,
	       "a count beyond 64 bits");
	tw_tally_free(&sum);
	a.counts[TW_READ].errors = 0;
	a.scalars.enters = UINT64_MAX;
	b.scalars.enters = 1;
	tap_ok(!tw_tally_merge(&sum, &b) && tw_tally_merge(&sum, &a) == -EOVERFLOW,
	       "a scalar beyond 64 bits");
	tw_tally_free(&sum);
	a.scalars.enters = 0;
	a.by_lat[TW_SYNC].sum_ns[7][TW_REAP] = UINT64_MAX;
	b.by_lat[TW_SYNC].sum_ns[7][TW_REAP] = 1;
	tap_ok(!tw_tally_merge(&sum, &b) && tw_tally_merge(&sum, &a) == -EOVERFLOW,
	       "a sum of a stage beyond 64 bits");
	tw_tally_free(&sum);
	tw_tally_free(&b);
	make_empty(&b, TW_METRICS, DIGITS + 1);
	tap_ok(tw_tally_digits(&b) == DIGITS + 1 && tw_tally_merge(&b, &a) == -EINVAL,
	       "a tally of other digits");
	tw_tally_free(&a);
	tw_tally_free(&b);
}

static void reset(uint64_t *state)
{
	static struct tw_tally tally, fresh;
	struct made made = { .random = state, .digits = DIGITS, .bits = 40 };
	uint64_t again;
	int wrong = 0;

	make(&tally, state);
	tw_tally_reset(&tally);
	make_empty(&fresh, TW_METRICS, DIGITS);
	tap_ok(same(&tally, &fresh), "a reset tally is an empty one");
	for (int i = 0; i < TW_DIRECTIONS; i++)
		wrong += memcmp(tally.by_lat[i].sum_ns, fresh.by_lat[i].sum_ns,
				TW_LAT_SLICES * sizeof(*fresh.by_lat[i].sum_ns)) != 0;
	tap_is_u64((uint64_t)wrong, 0, "also its sums of stages");
	made_ios(&made);
	again = *state;
	made_fill(&made, &tally);
	*state = again;
	made_fill(&made, &fresh);
	tap_ok(same(&tally, &fresh), "and counts like a new one");
	tw_tally_free(&tally);
	tw_tally_free(&fresh);
}

/* ---- reading -------------------------------------------------------------------- */

/* Put a value where a path with dots leads. */
static void put_at(json_t *json, const char *path, json_t *value)
{
	char copy[256], *part = copy, *dot;

	snprintf(copy, sizeof(copy), "%s", path);
	for (; (dot = strchr(part, '.')); part = dot + 1) {
		*dot = '\0';
		json = json_object_get(json, part);
	}
	json_object_set_new(json, part, value);
}

static void unknown_values(void)
{
	static const char *const paths[] = {
		"stages.lunch", "stages.lat.sideways", "ios.sideways", "bytes.sync",
		"kernel_stages.not_split.new", "attached.new", "stages_by_lat.sideways",
		"kernel_stages.split.new",
	};
	static struct tw_tally tally;
	struct tw_report_problem problem = { "" };
	json_t *json = json_load_file("tests/fuzz/corpus/report/all", 0, NULL);
	json_t *slice = json_array_get(json_object_get(json_object_get(json,
		"stages_by_lat"), "read"), 0);

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		put_at(json, paths[i], json_integer(3));
	json_object_set_new(json_object_get(slice, "stages"), "lunch", json_integer(3));
	json_object_set_new(json_object_get(json, "batches"), "a.b", json_integer(3));
	json_object_set_new(json, "stages.lat", json_integer(3));
	json_object_set_new(json, "lunch", json_integer(3));
	json_object_set_new(json, "lacks", json_pack("[s]", "stages.supper"));
	tap_ok(!tw_tally_from_json(&tally, json, &problem) && !problem.text[0],
	       "unknown values are taken: %s", problem.text);
	tw_tally_free(&tally);
	json_decref(json);
}

int main(void)
{
	uint64_t state = tap_seed();
	int wrong = 0;

	for (int i = 0; i < ROUNDS; i++)
		wrong += wrong_sums(&state);
	tap_is_u64((uint64_t)wrong, 0, "each number is the sum or the larger one");
	absent_rows(&state);
	refused_merges(&state);
	reset(&state);
	unknown_values();
	return tap_done();
}
