/* SPDX-License-Identifier: MIT */
/*
 * Writes a sentence on the slow I/Os of a direction. It names a high percentile
 * of lat, and the stages in which the I/Os from there up spent their time. If
 * the job's thread was followed, it also names what kept the thread from
 * running. The stages are those of all these I/Os, if a report has sums by lat;
 * else those of the slowest I/Os, which are few. What kept the thread is known
 * for the slowest I/Os only.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "command/answers/answers.h"
#include "latency/histogram.h"
#include "latency/histogram_json.h"

#define MAX_NAMES	24	/* of stages, also of several joined ones */
#define MAX_HOLDERS	16
#define MIN_PERCENT	5	/* smaller shares are not named */

struct share {
	char name[48];
	double ns;
};

struct why {
	double percent;
	uint64_t ns;			/* the percentile of lat */
	uint64_t from_ns;		/* shares are of all I/Os from here up; or 0 */
	uint64_t chosen;		/* of them, whose shares stand for all; or 0 */
	uint64_t ios;			/* else: number of the slowest at or
					 * beyond @ns */
	uint64_t beyond;		/* number of all I/Os beyond @ns */
	double lat_ns;			/* sum over these I/Os */
	struct share shares[MAX_NAMES];
	size_t share_count;
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

int tw_report_slice_at(struct tw_report_slice *slice, const struct tw_tally *tally,
		       int direction, double percent, unsigned more)
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
	for (unsigned i = at; i <= at + more && i < TW_LAT_SLICES; i++) {
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

/* ---- whose time it is --------------------------------------------------------- */

static void add_share(struct why *why, const char *name, uint64_t ns)
{
	size_t i = 0;

	while (i < why->share_count && strcmp(why->shares[i].name, name))
		i++;
	if (i == MAX_NAMES)
		return;
	if (i == why->share_count) {
		snprintf(why->shares[i].name, sizeof(why->shares[i].name),
			 "%.47s", name);
		why->share_count++;
	}
	why->shares[i].ns += (double)ns;
}

static int is_meant(const struct why *why, const struct tw_report_slow *slow,
		    int direction)
{
	const char *name = json_string_value(json_object_get(slow->json,
							     "ddir"));

	return slow->lat_ns >= why->ns &&
	       strcmp(name, tw_direction_names[direction]) == 0;
}

/* Add the shares of all I/Os from about the percentile up. */
static int add_slices(struct why *why, const struct tw_report_group *group, int direction)
{
	struct tw_report_slice sum;

	if (!tw_report_slice_at(&sum, &group->all.tally, direction, why->percent,
				TW_LAT_SLICES))
		return 0;
	for (int i = 0; i < TW_STAGES; i++) {
		if (sum.sum_ns[i])
			add_share(why, tw_time_rows[i].name, sum.sum_ns[i]);
		why->lat_ns += (double)sum.sum_ns[i];
	}
	why->ios = sum.ios;
	why->chosen = sum.chosen;
	why->from_ns = tw_lat_slice_low(sum.at);
	return why->lat_ns > 0;
}

static int find(struct why *why, const struct tw_report_group *group,
		int direction)
{
	const struct tw_histogram *lat =
		&group->all.tally.times[TW_LAT][direction];
	const double known = tw_tally_stage_ios(&group->all.tally, TW_LAT, direction);
	struct tw_report_slow_stage list[TW_STAGES];

	/* At least one I/O lies above it. */
	*why = (struct why) { .percent = known >= 1000 ? 99.9 : known >= 100 ? 99 : 0 };
	if (why->percent <= 0)
		return 0;
	why->ns = tw_histogram_percentile(lat, why->percent);
	why->beyond = (uint64_t)llround(known * (100 - why->percent) / 100);
	if (add_slices(why, group, direction))
		return why->ios != 0;
	for (size_t i = 0; i < group->all.slow_count; i++) {
		const struct tw_report_slow *slow = &group->all.slowest[i];
		int count;

		/* Of an I/O that was not chosen only a slow one has more than `kernel`. */
		if (!is_meant(why, slow, direction) ||
		    (tw_tally_is_sampled(&group->all.tally, direction) &&
		     !tw_tally_is_estimate(&group->all.tally, TW_LAT, direction) &&
		     !json_object_get(json_object_get(slow->json, "stages"), "complete")))
			continue;
		why->ios++;
		why->lat_ns += (double)slow->lat_ns;
		count = tw_report_slow_stages(slow->json, list);
		for (int j = 0; j < count; j++)
			add_share(why, list[j].name, list[j].ns);
	}
	return why->ios && why->lat_ns > 0;
}

static void put_shares(FILE *file, struct why *why)
{
	const char *before = " ";

	for (;;) {
		struct share *most = NULL;

		for (size_t i = 0; i < why->share_count; i++)
			if (!most || why->shares[i].ns > most->ns)
				most = &why->shares[i];
		if (!most || most->ns * 100 < MIN_PERCENT * why->lat_ns)
			return;
		fprintf(file, "%s%s %.0f %%", before, most->name,
			100 * most->ns / why->lat_ns);
		most->ns = 0;
		before = ", ";
	}
}

/* ---- the causes ---------------------------------------------------------- */

enum { NOT_RUNNING, WAITED_AT_MOST, WOKEN_LATE, UNEXPLAINED, KINDS };

/* Names, each with the number of stalls that it explains. */
struct named {
	struct {
		char name[96];
		size_t stalls;
	} all[MAX_HOLDERS];
	size_t count;
};

struct causes {
	size_t stalls;			/* stalls of these I/Os */
	size_t of[KINDS];
	struct named holders;		/* tasks that had the CPU longest */
	struct named reasons;		/* of sleeps */
};

static void add_name(struct named *named, const char *name)
{
	size_t i = 0;

	while (i < named->count && strcmp(named->all[i].name, name))
		i++;
	if (i == MAX_HOLDERS)
		return;
	if (i == named->count) {
		snprintf(named->all[i].name, sizeof(named->all[i].name), "%s", name);
		named->count++;
	}
	named->all[i].stalls++;
}

static void add_holder(struct causes *causes, const json_t *had_cpu)
{
	char who[96];

	if (json_array_size(had_cpu) == 0)
		return;
	tw_report_had_cpu(who, sizeof(who), json_array_get(had_cpu, 0));
	add_name(&causes->holders, who);
}

/* Add the reason of a sleep that has at least half of the stage. */
static void add_reason(struct causes *causes, const struct tw_report_cause *cause)
{
	const json_t *longest = json_array_get(cause->slept, 0);
	char text[96];

	if (!longest || tw_report_u64(longest, "ns") <= cause->stage_ns / 2)
		return;
	tw_report_slept(text, sizeof(text), longest);
	add_name(&causes->reasons, text);
}

static size_t most_of(const struct named *named)
{
	size_t most = 0;

	for (size_t i = 1; i < named->count; i++)
		if (named->all[i].stalls > named->all[most].stalls)
			most = i;
	return most;
}

/* Write what threads were waiting for, in the order in which the stalls had it. */
static void put_reasons(FILE *file, const struct causes *causes)
{
	const char *before = ". Asleep, waiting ";

	for (size_t i = 0; i < causes->reasons.count; i++) {
		fprintf(file, "%s%s", before, causes->reasons.all[i].name);
		if (causes->stalls > 1)
			fprintf(file, " in %zu of %zu stalls", causes->reasons.all[i].stalls,
				causes->stalls);
		before = "; ";
	}
}

/* Add the cause that has at least half of the stage. */
static void add_cause(struct causes *causes, const struct tw_report_cause *cause)
{
	uint64_t half_ns = cause->stage_ns / 2;
	const uint64_t *ns = cause->ns;

	add_reason(causes, cause);
	if (!cause->followed)
		return;
	if (ns[TW_REPORT_WAITED] + ns[TW_REPORT_INTERRUPTS] > half_ns) {
		causes->of[NOT_RUNNING]++;
		add_holder(causes, cause->had_cpu);
	} else if (ns[TW_REPORT_WOKEN_LATE] > half_ns) {
		causes->of[WOKEN_LATE]++;
	} else if (ns[TW_REPORT_UNEXPLAINED] > half_ns &&
		   !tw_report_cause_is_in(cause, TW_BLOCKQ)) {
		causes->of[UNEXPLAINED]++;
	}
}

/* Add what the device was busy with during the slow I/Os, if it had anything of others. */
static void put_company(FILE *file, const struct why *why,
			const struct tw_report_group *group, int direction)
{
	double sums_ns[TW_REPORT_COMPANIES] = { 0 }, all_ns = 0;
	size_t ios = 0, most = 0;

	for (size_t i = 0; i < group->all.slow_count; i++)
		if (is_meant(why, &group->all.slowest[i], direction))
			ios += tw_report_add_company(sums_ns,
						     group->all.slowest[i].json) != 0;
	for (size_t i = 0; i < TW_REPORT_COMPANIES; i++)
		all_ns += sums_ns[i];
	for (size_t i = 1; i < TW_REPORT_COMPANIES - 1; i++)
		if (sums_ns[i] > sums_ns[most])
			most = i;
	if (sums_ns[most] * 100 >= MIN_PERCENT * all_ns && all_ns > 0)
		fprintf(file, ". Of the time of the %zu slowest in the device, %.0f %% began "
			"behind %s of others", ios, 100 * sums_ns[most] / all_ns,
			tw_company_words[most]);
}

static void put_causes(FILE *file, const struct why *why,
		       const struct tw_report_group *group, int direction)
{
	static const char *const words[KINDS] = {
		[NOT_RUNNING] = "ready but not running",
		[WAITED_AT_MOST] = "may have waited for a CPU",
		[WOKEN_LATE] = "woken late",
		[UNEXPLAINED] = "unexplained",
	};
	struct causes causes = { .stalls = 0 };
	const char *before = ". The thread of the job: ";
	size_t most;

	for (size_t i = 0; i < group->stall_count; i++) {
		const struct tw_report_slow *slow = group->stalls[i].slowest;
		struct tw_report_slow_stage longest;
		struct tw_report_cause cause;

		if (!is_meant(why, slow, direction))
			continue;
		causes.stalls++;
		if (tw_report_cause_of(&cause, slow->json))
			add_cause(&causes, &cause);
		else if (tw_report_waited_at_most(slow->json, &longest) > longest.ns / 2)
			causes.of[WAITED_AT_MOST]++;
	}
	most = most_of(&causes.holders);
	for (int i = 0; i < KINDS; i++) {
		if (causes.of[i] == 0)
			continue;
		fprintf(file, "%s%s", before, words[i]);
		if (causes.stalls > 1)
			fprintf(file, " in %zu of %zu stalls", causes.of[i],
				causes.stalls);
		if (i == NOT_RUNNING && causes.holders.count) {
			fprintf(file, ", %s had its CPU", causes.holders.all[most].name);
			if (causes.stalls > 1)
				fprintf(file, " in %zu of them", causes.holders.all[most].stalls);
		}
		before = "; ";
	}
	put_reasons(file, &causes);
}

/* ---- the sentence -------------------------------------------------------- */

int tw_report_say_why(char *text, size_t size,
		      const struct tw_report_group *group, int direction)
{
	struct why why;
	FILE *file;

	if (!find(&why, group, direction))
		return 0;
	file = fmemopen(text, size, "w");
	if (!file)
		return 0;
	fprintf(file, "%s: p%g is %s", tw_direction_names[direction],
		why.percent, TW_SAY_NS(why.ns));
	/* The I/Os whose time the shares are of. The sums by lat begin at a bin's edge, which
	 * is at the percentile or below. */
	if (why.from_ns)
		fprintf(file, ". The time of the %s from %s up%s:",
			TW_SAY_COUNT(why.ios, "I/O[s]"), TW_SAY_NS(why.from_ns), why.chosen ?
			tw_format(", by %llu or more that were split",
				  (unsigned long long)why.chosen) : "");
	else if (why.ios < why.beyond)
		fprintf(file, ". The time of the %llu slowest of %llu I/Os beyond:",
			(unsigned long long)why.ios, (unsigned long long)why.beyond);
	else
		fprintf(file, ". The time of the %s beyond:", TW_SAY_COUNT(why.ios, "I/O[s]"));
	put_shares(file, &why);
	put_company(file, &why, group, direction);
	put_causes(file, &why, group, direction);
	fclose(file);
	return 1;
}

json_t *tw_report_why_to_json(const struct tw_report_group *group)
{
	json_t *object = json_object();
	char text[TW_REPORT_SENTENCE];
	struct why why;

	for (int i = 0; i < TW_DIRECTIONS; i++) {
		json_t *shares;

		if (!find(&why, group, i))
			continue;
		shares = json_object();
		for (size_t j = 0; j < why.share_count; j++)
			json_object_set_new(shares, why.shares[j].name,
					    json_real(why.shares[j].ns / why.lat_ns));
		json_object_set_new(object, tw_direction_names[i], json_pack(
			"{s:f, s:o, s:o*, s:o, s:o, s:o, s:s*}",
			"percent", why.percent,
			"lat_ns", tw_json_of_u64(why.ns),
			"from_ns", why.from_ns ? tw_json_of_u64(why.from_ns) : NULL,
			"ios", tw_json_of_u64(why.ios),
			"beyond", tw_json_of_u64(why.beyond),
			"shares", shares,
			"text", tw_report_say_why(text, sizeof(text), group, i) ? text : NULL));
	}
	return object;
}
