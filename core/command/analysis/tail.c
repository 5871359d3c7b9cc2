/* SPDX-License-Identifier: MIT */
/*
 * Writes a sentence on the slow I/Os of a direction: the stages that have their time, and
 * why. The causes are known of the slowest I/Os, so the shares are of these. Where there
 * are no causes, the shares are of all I/Os from a high percentile of lat up, if a report
 * has sums by lat: there are more of them. Another names only the main cause.
 */
#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "command/analysis/analysis.h"
#include "latency/histogram.h"
#include "latency/histogram_json.h"

#define MOST_CAUSES	3	/* in a sentence; the rest is "others" */

struct tail {
	struct tw_report_causes causes;
	int is_of_slowest;
	size_t slowest;			/* I/Os of the direction in the list that are slow
					 * enough; not all need have stages */
	uint64_t from_ns;		/* the least lat */
	double percent;			/* else: the percentile near from_ns */
	uint64_t chosen;		/* of them, whose shares stand for all; or 0 */
};

/* ---- slices of lat --------------------------------------------------------- */

/* Where few of these I/Os were chosen to be split, their shares are left to chance. */
#define FEWEST_CHOSEN	20

/* The sums of the chosen I/Os are estimates for all. Make them add up to @lat_ns. Return 0:
 * they are of too few I/Os. */
static int fit_to_lat(struct tw_report_slice *slice, double lat_ns, uint64_t every)
{
	double all_ns = 0;

	for (int i = 0; i < TW_STAGES; i++)
		all_ns += (double)slice->sum_ns[i];
	if (!(all_ns > 0) || slice->ios / FEWEST_CHOSEN < every)
		return 0;
	slice->chosen = slice->ios / every;
	/* 2^63 ns are 292 years. */
	for (int i = 0; i < TW_STAGES; i++)
		slice->sum_ns[i] = (uint64_t)fmin((double)slice->sum_ns[i] / all_ns * lat_ns,
						  0x1p63);
	return 1;
}

int tw_report_slice_from(struct tw_report_slice *slice, const struct tw_tally *tally,
			 int direction, double percent)
{
	const struct tw_histogram *lat = &tally->times[TW_LAT][direction];
	double lat_ns = 0;
	uint32_t bin;
	unsigned at;
	int over = 0;

	if (!lat->count || !tally->by_lat[direction].sum_ns)
		return 0;
	at = tw_lat_slice(tw_histogram_percentile(lat, percent));
	bin = tw__histogram_bin(lat, tw_lat_slice_low(at));
	*slice = (struct tw_report_slice) { .at = at };
	for (unsigned i = at; i < TW_LAT_SLICES; i++) {
		uint32_t first = bin;

		slice->ios += tw_lat_slice_ios(lat, i, &bin);
		for (; first < bin; first++)
			lat_ns += (double)lat->bins[first] *
				  (double)tw_histogram_bin_high(lat, first);
		for (int j = 0; j < TW_STAGES; j++)
			over |= __builtin_add_overflow(slice->sum_ns[j],
				tally->by_lat[direction].sum_ns[i][j], &slice->sum_ns[j]);
	}
	return !over && slice->ios &&
	       (!tw_tally_is_sampled(tally, direction) ||
		fit_to_lat(slice, lat_ns, tally->scalars.every));
}

/* ---- whose time it is ------------------------------------------------------ */

/* Return how many disks a device of the jobs is made of; of several devices the most. */
static size_t legs_of(const struct tw_report *report)
{
	size_t most = 0;

	for (size_t i = 0; i < report->device_count; i++) {
		const json_t *members = json_object_get(report->devices[i].json, "members");

		most = json_array_size(members) > most ? json_array_size(members) : most;
	}
	return most;
}

/* Add the slowest I/Os that are among the slowest 1 %. */
static void add_slowest(struct tail *tail, const struct tw_report_group *group, int direction)
{
	const struct tw_tally *tally = &group->all.tally;
	const uint64_t least_ns = tw_histogram_percentile(&tally->times[TW_LAT][direction], 99);

	tail->is_of_slowest = 1;
	tail->causes.legs = legs_of(&group->all);
	for (size_t i = 0; i < group->all.slow_count; i++) {
		const struct tw_report_slow *slow = &group->all.slowest[i];

		if (slow->lat_ns < least_ns || strcmp(tw_report_string(slow->json, "ddir"),
						      tw_direction_names[direction]))
			continue;
		tail->slowest++;
		tail->from_ns = slow->lat_ns;
		/* Of an I/O that was not chosen only a slow one has more than `kernel`. */
		if (!tw_tally_is_sampled(tally, direction) ||
		    tw_tally_is_of_chosen(tally, TW_LAT, direction) ||
		    json_object_get(json_object_get(slow->json, "stages"), "complete"))
			tw_report_add_causes(&tail->causes, slow->json, 0);
	}
}

/* Add the stages of all I/Os from about the percentile up. Return 0: they are not known. */
static int add_slices(struct tail *tail, const struct tw_report_group *group, int direction,
		      double percent)
{
	struct tw_report_causes *causes = &tail->causes;
	struct tw_report_slice sum;

	if (!tw_report_slice_from(&sum, &group->all.tally, direction, percent))
		return 0;
	*tail = (struct tail) {
		.percent = 100 * (double)sum.ios /
			   (double)tw_tally_time_ios(&group->all.tally, TW_LAT, direction),
		.chosen = sum.chosen, .from_ns = tw_lat_slice_low(sum.at),
		.causes.ios = sum.ios,
	};
	for (int i = 0; i < TW_STAGES; i++) {
		const double ns = (double)sum.sum_ns[i];

		if (!sum.sum_ns[i])
			continue;
		causes->all[causes->count++] = (struct tw_report_cause) {
			.stage = tw_time_metrics[i].name, .words = "", .ns = ns,
		};
		causes->lat_ns += ns;
	}
	return causes->count != 0;
}

/* Are the shares of most of the slowest I/Os? Those of a few say nothing of the others. */
static int is_of_most(const struct tail *tail)
{
	return 2 * tail->causes.ios >= tail->slowest;
}

/* Do the largest shares have a cause? */
static int has_causes(const struct tail *tail)
{
	struct tw_report_causes copy = tail->causes;
	struct tw_report_cause *cause;
	int any = copy.is_recorded;

	for (int i = 0; i < MOST_CAUSES && (cause = tw_report_next_cause(&copy)); i++) {
		any |= tw_report_has_cause(cause);
		cause->ns = 0;
	}
	return any;
}

/* Return of how many I/Os of a tail the stages are known, if not of all; else 0. */
static uint64_t sample_of(const struct tail *tail)
{
	const uint64_t split = tail->is_of_slowest ? tail->causes.ios : tail->chosen;

	return !tail->is_of_slowest || split < tail->slowest ? split : 0;
}

static int find(struct tail *tail, const struct tw_report_group *group, int direction)
{
	const uint64_t known = tw_tally_time_ios(&group->all.tally, TW_LAT, direction);
	struct tail all;

	*tail = (struct tail) { .slowest = 0 };
	if (known < 100)
		return 0;
	add_slowest(tail, group, direction);
	if ((!is_of_most(tail) || !has_causes(tail)) &&
	    add_slices(&all, group, direction, known >= 1000 ? 99.9 : 99))
		*tail = all;
	return tail->causes.count && tail->causes.lat_ns > 0 && is_of_most(tail);
}

/* ---- the sentence ----------------------------------------------------------- */

/* Write of which I/Os the shares are, and how many of these were split. */
static void put_ios(struct tw_growing_text *text, const struct tail *tail, int direction)
{
	const char *name = tw_direction_names[direction];
	const uint64_t sample = sample_of(tail);
	const int is_one = tail->is_of_slowest && tail->slowest == 1;

	/* A percentile of the table may be another one of the same bin. */
	if (!tail->is_of_slowest)
		tw_append_format(text, "time of the slowest %s of %ss",
				 TW_SAY_PERCENT(tail->percent), name);
	else if (is_one)
		tw_append_format(text, "time of the slowest %s (%s)", name,
				 TW_SAY_NS(tail->from_ns));
	else
		tw_append_format(text, "time of the %zu slowest %ss (>= %s)", tail->slowest, name,
				 TW_SAY_NS(tail->from_ns));
	if (sample)
		tw_append_format(text, ", by a sample of %llu", (unsigned long long)sample);
	tw_append_format(text, ": ");
}

/* Write the largest shares, the others together, and what is not explained. */
static void put_shares(struct tw_growing_text *text, struct tail *tail)
{
	struct tw_report_causes *causes = &tail->causes;
	double left = 100, unexplained_ns = 0;
	const char *more = "";
	struct tw_report_cause *cause;

	for (int i = 0; i < MOST_CAUSES && (cause = tw_report_next_cause(causes)); i++) {
		const double percent = round(100 * cause->ns / causes->lat_ns);

		if (i && percent < TW_REPORT_MIN_PERCENT)
			break;
		tw_append_format(text, "%s", i ? "; " : "");
		tw_report_put_cause(text, cause, causes->lat_ns);
		left -= percent;
		cause->ns = 0;
		if (!tw_report_is_explained(cause))
			more = "another ";
	}
	if (left < 1)
		return;
	for (size_t i = 0; i < causes->count; i++)
		if (!tw_report_is_explained(&causes->all[i]))
			unexplained_ns += causes->all[i].ns;
	unexplained_ns = fmin(round(100 * unexplained_ns / causes->lat_ns), left);
	if (left - unexplained_ns >= TW_REPORT_MIN_PERCENT)
		tw_append_format(text, "; %.0f %% in smaller shares", left - unexplained_ns);
	if (unexplained_ns >= 1)
		tw_append_format(text, "; %s%.0f %% not explained", more, unexplained_ns);
}

/* Return the sentence. The shares are used up by that, so this is a copy. */
static const char *say(struct tail tail, int direction)
{
	struct tw_growing_text text = { .length = 0 };

	put_ios(&text, &tail, direction);
	put_shares(&text, &tail);
	tw_report_put_stolen(&text, &tail.causes);
	return text.bytes;
}

const char *tw_report_say_tail(const struct tw_report_group *group, int direction)
{
	struct tail tail;

	return find(&tail, group, direction) ? say(tail, direction) : NULL;
}

/* ---- JSON ------------------------------------------------------------------- */

static json_t *holders_to_json(const struct tw_report_holder *holders, size_t count,
			       double lat_ns)
{
	json_t *array = count ? json_array() : NULL;

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_pack("{s:s, s:f}", "name", holders[i].name,
						       "share", holders[i].ns / lat_ns));
	return array;
}

static json_t *causes_to_json(struct tw_report_causes *causes)
{
	static const char *const bounds[] = {
		[TW_REPORT_AT_MOST] = "at most", [TW_REPORT_AT_LEAST] = "at least",
	};
	json_t *array = json_array();
	struct tw_report_cause *cause;

	while ((cause = tw_report_next_cause(causes)) != NULL) {
		json_array_append_new(array, json_pack("{s:s, s:o*, s:s*, s:s*, s:f, s:o*}",
			"stage", cause->stage,
			"disks", holders_to_json(cause->disks, tw_report_disks_of(cause),
						 causes->lat_ns),
			"cause", cause->words[0] ? cause->words : NULL,
			"bound", cause->bound ? bounds[cause->bound] : NULL,
			"share", cause->ns / causes->lat_ns,
			"had_cpu", holders_to_json(cause->holders, cause->holder_count,
						   causes->lat_ns)));
		cause->ns = 0;
	}
	return array;
}

json_t *tw_report_tail_to_json(const struct tw_report_group *group)
{
	json_t *object = json_object();
	struct tail tail;

	for (int i = 0; i < TW_DIRECTIONS; i++) {
		const char *text;

		if (!find(&tail, group, i))
			continue;
		text = say(tail, i);
		json_object_set_new(object, tw_direction_names[i], json_pack(
			"{s:o, s:o, s:b, s:o, s:s}",
			"ios", tw_json_of_u64(tail.causes.ios),
			"from_ns", tw_json_of_u64(tail.from_ns),
			"slowest", tail.is_of_slowest,
			"causes", causes_to_json(&tail.causes), "text", text));
	}
	return object;
}
