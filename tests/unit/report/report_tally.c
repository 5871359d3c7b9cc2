/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/latency
 *
 * Behaviour: tallies add up in any order and grouping to the same bytes of JSON. A row
 * that one lacks is named and not there. What is written can be read, and gives the
 * same bytes again. Defect: a row that the merge, the
 * writer, the reader or the reset forgets, a sum beyond 64 bits, a wrong file that is
 * taken, an unknown number that is not named.
 */
#include <errno.h>
#include <string.h>

#include "report/tally.h"
#include "report/report_json.h"
#include "tap.h"

#define DIGITS		2
#define WINDOWS		16
#define START_NS	1700000000000000000ULL
#define ROUNDS		20

static uint64_t below(uint64_t *state, uint64_t limit)
{
	return tap_random(state) % limit;
}

/* ---- making tallies ---------------------------------------------------------- */

static void add_io(struct tw_tally *tally, enum tw_direction direction, uint64_t *state)
{
	uint64_t stage_ns[TW_STAGES], lat_ns = 0;

	tally->counts[direction].ios++;
	for (int stage = 0; stage < TW_STAGES; stage++) {
		stage_ns[stage] = below(state, 2) ? below(state, 100000) : 0;
		lat_ns += stage_ns[stage];
	}
	tw_histogram_add(&tally->times[TW_LAT][direction], lat_ns);
	for (unsigned time = 0; time < TW_TIMES; time++)
		if (time != TW_LAT && tw_has_time(tally, time) &&
		    tw_time_rows[time].directions >> direction & 1)
			tw_histogram_add(&tally->times[time][direction],
					 time < TW_STAGES ? stage_ns[time] : lat_ns / 2);
	if (tw_has(tally, TW_ROW_BY_LAT))
		tw_by_lat_add(&tally->by_lat[direction], lat_ns, stage_ns);
	if (tw_has(tally, TW_ROW_OVER_TIME))
		tw_windows_add(&tally->over_time, START_NS + below(state, 1 << 25), direction,
			       lat_ns);
}

static void count_rows(struct tw_tally *tally, int direction, uint64_t *state)
{
	uint64_t left = tally->counts[direction].ios;

	for (unsigned row = 0; row < TW_COUNTS; row++) {
		const struct tw_count_row *is = &tw_count_rows[row];
		uint64_t limit = is->of == TW_NONE ? 1000 :
				 is->share == TW_ALONE ? tally->counts[direction].ios + 1 :
						       left + 1;
		uint64_t count = below(state, limit);

		if (row == TW_ROW_ios || !tw_has(tally, row) ||
		    !(is->directions >> direction & 1))
			continue;
		*tw_count_at(&tally->counts[direction], row) = count;
		left -= is->share == TW_PART ? count : 0;
	}
}

static void fill(struct tw_tally *tally, uint64_t *state)
{
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		for (uint64_t ios = below(state, 2) * below(state, 100); ios; ios--)
			add_io(tally, (enum tw_direction)i, state);
		count_rows(tally, i, state);
	}
	for (unsigned row = 0; row < TW_SCALARS; row++)
		if (tw_has(tally, TW_COUNTS + row))
			*tw_scalar_at(&tally->scalars, row) = tap_random(state) >> 4;
	if (tw_has(tally, TW_ROW_OVER_TIME))
		tw_windows_close(&tally->over_time);
}

/* One row in @one_in is absent. */
static struct tw_row_set some_rows(unsigned one_in, uint64_t *state)
{
	struct tw_row_set has = { { 0 } };

	for (unsigned row = 0; row < TW_ROWS; row++)
		if (row == TW_ROW_ios || row == TW_ROW_TIMES + TW_LAT ||
		    !one_in || below(state, one_in))
			tw_row_put(&has, row);
	return has;
}

static void make(struct tw_tally *tally, unsigned one_in, uint64_t *state)
{
	const struct tw_row_set has = some_rows(one_in, state);

	if (tw_tally_init(tally, &has, DIGITS, WINDOWS))
		exit(1);
	fill(tally, state);
}

/* ---- as text ------------------------------------------------------------------ */

static json_t *json_of(const struct tw_tally *tally)
{
	json_t *json = json_object();

	tw_tally_to_json(json, tally, 1);
	return json;
}

/* Return 1 if both are the same text. Frees it. */
static int same(char *a, char *b)
{
	int is_same = a && b && strcmp(a, b) == 0;

	free(a);
	free(b);
	return is_same;
}

static char *text_of(const struct tw_tally *tally)
{
	json_t *json = json_of(tally);
	char *text = json_dumps(json, 0);

	json_decref(json);
	return text;
}

/* ---- merging -------------------------------------------------------------------- */

/* Return the text of the merge of @order of three tallies; grouped: the last two of them
 * are merged first. */
static char *merged(const struct tw_tally *tallies, const int order[3], int grouped)
{
	struct tw_tally sum = { 0 }, rest = { 0 };
	int error = tw_tally_merge(&sum, &tallies[order[0]]);
	char *text;

	if (grouped) {
		error |= tw_tally_merge(&rest, &tallies[order[1]]);
		error |= tw_tally_merge(&rest, &tallies[order[2]]);
		error |= tw_tally_merge(&sum, &rest);
	} else {
		error |= tw_tally_merge(&sum, &tallies[order[1]]);
		error |= tw_tally_merge(&sum, &tallies[order[2]]);
	}
	text = error ? NULL : text_of(&sum);
	tw_tally_free(&sum);
	tw_tally_free(&rest);
	return text;
}

static void any_order(uint64_t *state)
{
	static const int orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	static struct tw_tally tallies[3];
	int wrong = 0;

	for (int i = 0; i < 3; i++)
		make(&tallies[i], 10, state);
	for (int i = 0; i < 12; i++)
		wrong += !same(merged(tallies, orders[0], 0),
			       merged(tallies, orders[i / 2], i % 2));
	tap_ok(!wrong, "three tallies in any order and grouping are the same bytes");
	for (int i = 0; i < 3; i++)
		tw_tally_free(&tallies[i]);
}

/* Each number of the sum is that of its parts. */
static void sums(uint64_t *state)
{
	static struct tw_tally a, b, sum;
	int wrong = 0;

	make(&a, 0, state);
	make(&b, 0, state);
	tap_ok(!tw_tally_merge(&sum, &a) && !tw_tally_merge(&sum, &b), "two tallies merge");
	for (unsigned row = 0; row < TW_COUNTS; row++)
		for (int i = 0; i < TW_DIRECTIONS; i++) {
			uint64_t x = tw_count_of(&a.counts[i], row);
			uint64_t y = tw_count_of(&b.counts[i], row);

			wrong += tw_count_of(&sum.counts[i], row) !=
				(tw_count_rows[row].merge == TW_SUM ? x + y : x > y ? x : y);
		}
	for (unsigned row = 0; row < TW_SCALARS; row++) {
		uint64_t x = tw_scalar_of(&a.scalars, row), y = tw_scalar_of(&b.scalars, row);

		wrong += tw_scalar_of(&sum.scalars, row) !=
			(tw_scalar_rows[row].merge == TW_SUM ? x + y : x > y ? x : y);
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
	tap_is_u64((uint64_t)wrong, 0, "each number is the sum or the larger one");
	tw_tally_free(&a);
	tw_tally_free(&b);
	tw_tally_free(&sum);
}

/* Take each row away from one of two tallies. */
static void absent_rows(uint64_t *state)
{
	static struct tw_tally all, lacking, sum;
	int wrong = 0;

	make(&all, 0, state);
	for (unsigned gone = 0; gone < TW_ROWS; gone++) {
		struct tw_row_set has = { { 0 } };

		for (unsigned row = 0; row < TW_ROWS; row++)
			if (row != gone)
				tw_row_put(&has, row);
		if (tw_tally_init(&lacking, &has, DIGITS, WINDOWS) ||
		    tw_tally_merge(&sum, gone % 2 ? &all : &lacking) ||
		    tw_tally_merge(&sum, gone % 2 ? &lacking : &all) ||
		    tw_tally_merge(&sum, &all))
			wrong++;
		for (unsigned row = 0; row < TW_ROWS; row++)
			wrong += tw_has(&sum, row) != (row != gone) ||
				 tw_row_is_in(&sum.lacks, row) != (row == gone);
		tw_tally_free(&lacking);
		tw_tally_free(&sum);
	}
	tap_is_u64((uint64_t)wrong, 0, "a row that one of three lacks is absent and named");
	tw_tally_free(&all);
}

static void refused_merges(uint64_t *state)
{
	const struct tw_row_set has = some_rows(0, state);
	static struct tw_tally a, b, sum;

	make(&a, 0, state);
	make(&b, 0, state);
	a.counts[TW_READ].errors = UINT64_MAX;
	b.counts[TW_READ].errors = 1;
	tap_ok(!tw_tally_merge(&sum, &a) && tw_tally_merge(&sum, &b) == -EOVERFLOW,
	       "a count beyond 64 bits");
	tw_tally_free(&sum);
	a.counts[TW_READ].errors = 0;
	a.scalars.enters = UINT64_MAX - b.scalars.enters + 1;
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
	tap_ok(!tw_tally_init(&b, &has, DIGITS + 1, WINDOWS), "a tally of other digits");
	tap_is_u64(tw_tally_digits(&b), DIGITS + 1, "knows its digits");
	tap_ok(tw_tally_merge(&b, &a) == -EINVAL, "and is not merged with others");
	tw_tally_free(&a);
	tw_tally_free(&b);
}

static void reset(uint64_t *state)
{
	static struct tw_tally tally, fresh;
	const struct tw_row_set has = some_rows(0, state);
	uint64_t again;
	int wrong = 0;

	make(&tally, 0, state);
	tw_tally_reset(&tally);
	if (tw_tally_init(&fresh, &has, DIGITS, WINDOWS))
		exit(1);
	tap_ok(same(text_of(&tally), text_of(&fresh)), "a reset tally is an empty one");
	for (int i = 0; i < TW_DIRECTIONS; i++)
		for (unsigned slice = 0; slice < TW_LAT_SLICES; slice++)
			wrong += memcmp(tally.by_lat[i].sum_ns[slice],
					fresh.by_lat[i].sum_ns[slice],
					sizeof(tally.by_lat[i].sum_ns[slice])) != 0;
	tap_is_u64((uint64_t)wrong, 0, "also its sums of stages");
	again = *state;
	fill(&tally, state);
	fill(&fresh, &again);
	tap_ok(same(text_of(&tally), text_of(&fresh)), "and counts like a new one");
	tw_tally_free(&tally);
	tw_tally_free(&fresh);
}

/* ---- reading -------------------------------------------------------------------- */

static void round_trip(unsigned one_in, uint64_t *state)
{
	static struct tw_tally tally, other, back;
	struct tw_report_problem problem = { "" };
	json_t *unknown = json_object(), *json;

	make(&tally, one_in, state);
	make(&other, one_in, state);
	if (tw_tally_merge(&back, &tally) || tw_tally_merge(&back, &other))
		exit(1);
	tw_tally_free(&tally);
	json = json_of(&back);
	if (tw_has(&back, TW_ROW_SLOWEST))
		json_object_set_new(json, "slowest", json_array());
	tap_ok(!tw_tally_from_json(&tally, json, unknown, &problem) && !problem.text[0] &&
	       json_object_size(unknown) == 0, "a tally can be read: %s", problem.text);
	tap_ok(same(text_of(&tally), text_of(&back)), "and written again, the same bytes");
	tap_ok(!memcmp(&tally.has, &back.has, sizeof(back.has)) &&
	       !memcmp(&tally.lacks, &back.lacks, sizeof(back.lacks)),
	       "with the same rows");
	json_decref(json);
	json_decref(unknown);
	tw_tally_free(&tally);
	tw_tally_free(&other);
	tw_tally_free(&back);
}

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

/* Counts of 4 reads beyond what they are of. */
static void wrong_counts(const json_t *good)
{
	for (unsigned row = 0; row < TW_COUNTS; row++) {
		static struct tw_tally tally;
		struct tw_report_problem problem = { "" };
		json_t *unknown = json_object(), *json = json_deep_copy(good);
		char reason[256], path[128];

		if (tw_count_rows[row].of != TW_NONE) {
			snprintf(path, sizeof(path), "%s.read", tw_row_path(row));
			snprintf(reason, sizeof(reason), "%s counts more than ios.read", path);
			put_at(json, path, json_integer(5));
			tap_ok(!tw_tally_from_json(&tally, json, unknown, &problem) &&
			       !strcmp(problem.text, reason), "%s", reason);
			tw_tally_free(&tally);
		}
		json_decref(json);
		json_decref(unknown);
	}
}

/* Four reads of 100 ns, in the device. */
static json_t *good_one(uint64_t *state)
{
	static struct tw_tally tally;
	const uint64_t stage_ns[TW_STAGES] = { [TW_DEVICE] = 100 };
	const struct tw_row_set has = some_rows(0, state);
	json_t *json;

	if (tw_tally_init(&tally, &has, DIGITS, WINDOWS))
		exit(1);
	tally.counts[TW_READ].ios = 4;
	tally.counts[TW_READ].split = 1;
	for (int i = 0; i < 4; i++) {
		tw_histogram_add(&tally.times[TW_LAT][TW_READ], 100);
		tw_histogram_add(&tally.times[TW_DEVICE][TW_READ], 100);
		tw_histogram_add(&tally.times[TW_SLIP][TW_READ], 100);
		tw_by_lat_add(&tally.by_lat[TW_READ], 100, stage_ns);
		tw_windows_add(&tally.over_time, START_NS, TW_READ, 100);
	}
	tw_windows_close(&tally.over_time);
	json = json_of(&tally);
	tw_tally_free(&tally);
	return json;
}

static void unknown_values(const json_t *good)
{
	static const char *const paths[] = {
		"stages.lunch", "stages.lat.sideways", "ios.sideways", "bytes.sync",
		"kernel_stages.not_split.new", "attached.new", "stages_by_lat.sideways",
		"stages_by_lat.stages.lunch", "batches.a.b", "kernel_stages.split.new",
	};
	static struct tw_tally tally;
	struct tw_report_problem problem = { "" };
	json_t *unknown = json_object(), *json = json_deep_copy(good);
	json_t *slice = json_array_get(json_object_get(json_object_get(json,
		"stages_by_lat"), "read"), 0);
	int wrong = 0;

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		put_at(json, i == 7 || i == 8 ? "unknown" : paths[i], json_integer(3));
	json_object_set_new(json_object_get(slice, "stages"), "lunch", json_integer(3));
	json_object_set_new(json_object_get(json, "batches"), "a.b", json_integer(3));
	/* These are no rows, either, but known or outside. */
	json_object_set_new(json, "stages.lat", json_integer(3));
	json_object_set_new(json, "lunch", json_integer(3));
	put_at(json, "attached.rings", json_array());
	json_object_set_new(json, "lacks", json_pack("[s]", "stages.supper"));
	tap_ok(!tw_tally_from_json(&tally, json, unknown, &problem) && !problem.text[0],
	       "unknown values are taken: %s", problem.text);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		wrong += !json_object_get(unknown, paths[i]);
	tap_ok(!wrong && json_object_get(unknown, "stages.supper") &&
	       json_object_size(unknown) == sizeof(paths) / sizeof(*paths) + 1,
	       "and those inside of rows are named");
	tw_tally_free(&tally);
	json_decref(json);
	json_decref(unknown);
}

/* The values of a direction by their last parts. */
static void short_counts(void)
{
	struct tw_counts counts = { .ios = 7, .no_request = 3 }, back = { 0 };
	struct tw_row_set has = { { 0 } }, found = { { 0 } };
	struct tw_report_problem problem = { "" };
	json_t *json = json_object();

	tw_row_put(&has, TW_ROW_ios);
	tw_row_put(&has, TW_ROW_no_request);
	tw_counts_to_json(json, &has, &counts);
	tap_ok(json_integer_value(json_object_get(json, "no_request")) == 3 &&
	       json_object_size(json) == 2, "counts of one direction");
	tw_counts_from_json(&back, &found, json, "here.", &problem);
	tap_ok(!problem.text[0] && !memcmp(&back, &counts, sizeof(back)) &&
	       !memcmp(&found, &has, sizeof(has)), "can be read back");
	json_object_set_new(json, "no_request", json_true());
	tw_counts_from_json(&back, &found, json, "here.", &problem);
	tap_ok(strstr(problem.text, "here.no_request is not a whole") != NULL,
	       "and are checked: %s", problem.text);
	json_decref(json);
}

static void paths(void)
{
	tap_ok(tw_row_find("stages.device") == TW_ROW_TIMES + TW_DEVICE &&
	       tw_row_find("short") == TW_ROW_shorts && tw_row_find("stages") < 0 &&
	       tw_row_find("slowest") == TW_ROW_SLOWEST, "a row is found by its path");
	tap_ok(tw_row_is_container("kernel_stages") &&
	       tw_row_is_container("kernel_stages.not_split") &&
	       !tw_row_is_container("kernel") && !tw_row_is_container("ios"),
	       "and a container by its own");
}

int main(void)
{
	uint64_t state = tap_seed();
	json_t *good;

	paths();
	for (int i = 0; i < ROUNDS; i++)
		any_order(&state);
	sums(&state);
	absent_rows(&state);
	refused_merges(&state);
	reset(&state);
	for (unsigned i = 0; i < ROUNDS; i++)
		round_trip(i ? 10 : 0, &state);
	good = good_one(&state);
	wrong_counts(good);
	unknown_values(good);
	short_counts();
	json_decref(good);
	return tap_done();
}
