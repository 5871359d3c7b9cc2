/* SPDX-License-Identifier: MIT */
/*
 * Random reports of one job, as JSON. All metrics are filled by their tables, so a new metric
 * is in them, too. The same seed makes the same reports.
 */
#ifndef TW_TESTS_REPORT_MADE_H
#define TW_TESTS_REPORT_MADE_H

#include <jansson.h>
#include <string.h>

#include "latency/histogram.h"
#include "latency/histogram_json.h"
#include "report/report.h"
#include "tap.h"

#define MADE_IOS	40		/* at most, in a report */
#define MADE_DEVICES	3
#define MADE_START_NS	1700000000000000000ULL

struct made_io {
	unsigned direction;
	unsigned device;
	uint64_t end_ns;
	uint64_t ns[TW_TIMES];
	unsigned has;			/* bits of its stages */
	uint64_t weight;		/* 0: it was not chosen to be split */
};

struct made {
	uint64_t *random;
	unsigned digits;
	unsigned bits;			/* of the largest count */
	uint64_t spread_ns;		/* over which the I/Os end */
	struct made_io ios[MADE_IOS];
	size_t io_count;
};

static uint64_t made_below(struct made *made, uint64_t limit)
{
	return tap_random(made->random) % limit;
}

/* ---- I/Os --------------------------------------------------------------------- */

static void made_times(struct made *made, struct made_io *io)
{
	uint64_t left_ns[TW_TIMES] = { 0 };

	io->ns[TW_LAT] = left_ns[TW_LAT] = made_below(made, 3) ?
		1000 + made_below(made, 500) : 1ULL << (10 + made_below(made, 20));
	for (unsigned time = 0; time < TW_TIMES; time++) {
		const unsigned parent = tw_time_metrics[time].parent;

		if (time == TW_LAT)
			continue;
		if (parent == TW_TIMES) {
			io->ns[time] = 1 + made_below(made, 10000);
			continue;
		}
		io->ns[time] = left_ns[time] = made_below(made, left_ns[parent] / 2 + 1);
		left_ns[parent] -= io->ns[time];
		if (time < TW_STAGES && made_below(made, 4))
			io->has |= 1U << time;
	}
}

static void made_ios(struct made *made)
{
	made->io_count = made_below(made, MADE_IOS + 1);
	made->spread_ns = 1ULL << (20 + made_below(made, 25));
	for (size_t i = 0; i < made->io_count; i++) {
		struct made_io *io = &made->ios[i];

		*io = (struct made_io) {
			.direction = (unsigned)made_below(made, 2 + made_below(made, 3)),
			.device = (unsigned)made_below(made, MADE_DEVICES),
			.weight = 1ULL << made_below(made, 5),
			/* In order of time. */
			.end_ns = MADE_START_NS + i * (made->spread_ns / MADE_IOS) +
				  made_below(made, made->spread_ns / MADE_IOS),
		};
		made_times(made, io);
	}
}

/* ---- metrics ---------------------------------------------------------------------- */

/* Return nearly all metrics, without those of `tickwise attach`. A part is not there without its
 * count. */
static struct tw_metric_set made_metrics(struct made *made)
{
	struct tw_metric_set has = { { 0 } };

	for (unsigned metric = 0; metric < TW_METRICS; metric++)
		/* Without these it is not known what is a sample. */
		if (metric == TW_METRIC_ios || metric == TW_METRIC_TIMES + TW_LAT ||
		    metric == TW_METRIC_not_chosen || metric == TW_METRIC_TIMES + TW_QUEUE ||
		    (strncmp(tw_metric_path(metric), "attached.", 9) && made_below(made, 50) &&
		     (metric >= TW_COUNTS || tw_count_metrics[metric].of == TW_NONE ||
		      tw_metric_is_in(&has, tw_count_metrics[metric].of))))
			tw_metric_put(&has, metric);
	return has;
}

static void made_count(struct made *made, struct tw_tally *tally)
{
	for (size_t i = 0; i < made->io_count; i++) {
		struct tw_counts *counts = &tally->counts[made->ios[i].direction];
		const uint64_t part = made_below(made, TW_COUNTS);
		struct tw_metric_set in = { { 0 } };

		counts->ios++;
		tw_metric_put(&in, TW_METRIC_ios);
		for (unsigned metric = 0; metric < TW_COUNTS; metric++) {
			const unsigned of = tw_count_metrics[metric].of;

			if (metric == TW_METRIC_ios || !tw_has(tally, metric) ||
			    (of != TW_NONE && !tw_metric_is_in(&in, of)) ||
			    !(tw_count_metrics[metric].directions >> made->ios[i].direction & 1) ||
			    (tw_count_metrics[metric].is_part ? metric != part :
			     made_below(made, 2)))
				continue;
			tw_metric_put(&in, metric);
			counts->at[metric] += of == TW_NONE ?
				made_below(made, 1ULL << made->bits) : 1;
			if (metric == TW_METRIC_not_chosen)
				made->ios[i].weight = 0;
		}
	}
	for (unsigned metric = 0; metric < TW_SCALARS; metric++)
		if (tw_has(tally, TW_COUNTS + metric))
			tally->scalars.at[metric] =
				made_below(made, 1ULL << made_below(made, made->bits));
}

static void made_add(struct tw_tally *tally, const struct made_io *io)
{
	uint64_t stage_ns[TW_STAGES] = { 0 };

	for (unsigned time = 0; time < TW_TIMES; time++) {
		/* A part goes with its stage, and so do its parts. */
		uint64_t weight = tw_tally_is_of_chosen(tally, time, (int)io->direction) ?
				  io->weight : 1;
		unsigned of = time;

		while (of > TW_LAT && tw_time_metrics[of].parent != TW_TIMES)
			of = tw_time_metrics[of].parent;
		if (of < TW_STAGES && !(io->has >> of & 1))
			continue;
		if (time < TW_STAGES)
			stage_ns[time] = io->ns[time] * weight;
		if (tw_has_time(tally, time) &&
		    tw_time_metrics[time].directions >> io->direction & 1 && weight)
			tw__histogram_add_times(&tally->times[time][io->direction],
						io->ns[time], weight);
	}
	if (tw_has(tally, TW_METRIC_BY_LAT))
		tw_by_lat_add(&tally->by_lat[io->direction], io->ns[TW_LAT], stage_ns, 1);
	if (!tw_has(tally, TW_METRIC_OVER_TIME))
		return;
	tw_windows_add(&tally->over_time, io->end_ns, io->direction, io->ns[TW_LAT]);
	if (io->ns[TW_LAT] % 5 == 0)
		tw_windows_add_errors(&tally->over_time, io->end_ns, io->direction, 2);
}

/* Put the I/Os into an empty tally. */
static void made_fill(struct made *made, struct tw_tally *tally)
{
	made_count(made, tally);
	for (size_t i = 0; i < made->io_count; i++)
		made_add(tally, &made->ios[i]);
	tw_windows_close(&tally->over_time);
}

/* Put all metrics into @root. */
static void made_tally(struct made *made, json_t *root)
{
	const struct tw_metric_set has = made_metrics(made);
	struct tw_tally tally;

	if (tw_tally_init(&tally, &has, made->digits, 64))
		abort();
	made_fill(made, &tally);
	tw_tally_to_json(root, &tally, 0);
	if (tw_has(&tally, TW_METRIC_SLOWEST))
		json_object_set_new(root, "slowest", json_array());
	tw_tally_free(&tally);
}

/* ---- facts ---------------------------------------------------------------------- */

static json_t *made_text(const char *text, uint64_t number)
{
	return json_sprintf("%s%llu", text, (unsigned long long)number);
}

/* Set a key in three of four reports, to one of two values in one of four of these. */
static void made_fact(struct made *made, json_t *object, const char *key, json_t *usual,
		      json_t *other)
{
	const uint64_t which = made_below(made, 4);

	if (which)
		json_object_set(object, key, which == 1 ? other : usual);
	json_decref(usual);
	json_decref(other);
}

static json_t *made_options(struct made *made, uint64_t number)
{
	json_t *options = json_object();

	/* In another order, too. */
	if (made_below(made, 2))
		json_object_set_new(options, "rw", json_string("randread"));
	made_fact(made, options, "direct", json_string("1"), json_string("0"));
	made_fact(made, options, "a", json_string(""), json_string("x"));
	json_object_set_new(options, "filename", made_text("/data/", number));
	made_fact(made, options, "iodepth", json_string("32"), json_string("1"));
	json_object_set_new(options, "rw", json_string("randread"));
	return options;
}

/* Jobs with the same start, host, run or thread are frequent. @number tells them
 * apart. */
static json_t *made_job(struct made *made, uint64_t number, const char *host)
{
	json_t *job = json_pack("{ss, si, so, si, so, ss, so, so, si, so, ss, ss, ss, si, sb, "
		"sb, sb}",
		"name", "randread", "groupid", 0, "thread_number",
		tw_json_of_u64(1 + number / 3), "subjob_number", 0,
		"pid", tw_json_of_u64(100 + number), "host", host,
		"start", tw_json_digits(MADE_START_NS + made_below(made, 3)),
		"start_monotonic_ns", tw_json_digits(77 + number),
		"first_ns", 5, "run_ns", tw_json_of_u64(made_below(made, 1ULL << 40)),
		"fio_version", "fio-3.33", "engine", "tickwise", "tickwise_version", "0.1",
		"iodepth", 32, "event_time", (int)made_below(made, 2), "event_wait", 0,
		"fallback", (int)made_below(made, 2));

	made_fact(made, job, "run", json_string("r1"), json_string("r2"));
	made_fact(made, job, "kernel", json_pack("{ss, sb}", "state", "on", "by_helper", 1),
		  json_pack("{ss, ss}", "state", "off", "why", "not asked for"));
	made_fact(made, job, "causes", json_pack("{ss, s{si, s[{si, si, si}]}}", "state", "on",
		"cost", "over_ns", 9, "cpus", "cpu", 1, "runs", 251, "ns", 3),
		  json_pack("{ss, ss}", "state", "off", "why", "no"));
	if (made_below(made, 5))
		json_object_set_new(job, "options", json_object());
	return job;
}

static json_t *made_clock(struct made *made, const char *kind)
{
	const double error = (double)made_below(made, 3) - 1;

	return json_pack("{ss, sf, sf, sf, sf, si, ss}", "against", "CLOCK_MONOTONIC_RAW",
			 "error_ns", (double)made_below(made, 2), "error_ppb", error,
			 "uncertainty_ns", 0.1, "uncertainty_ppb",
			 (double)made_below(made, 2), "over_ns", 10, kind, "cpu");
}

static json_t *made_clocks(struct made *made)
{
	json_t *clocks = json_object();

	for (unsigned i = 0; i < TW_REPORT_CLOCKS; i++)
		if (made_below(made, 4))
			json_object_set_new(clocks, tw_report_clock_names[i],
				made_clock(made, i == TW_REPORT_FIO ? "clocksource" :
					   "source"));
	return clocks;
}

static json_t *made_counter(struct made *made)
{
	json_t *reasons = json_array();

	for (unsigned i = 0; i < 3; i++)
		if (!made_below(made, 2))
			json_array_append_new(reasons, json_pack("{so, so}",
				"code", made_text("code", 3 - i),
				"text", made_text("text", made_below(made, 3))));
	return json_pack("{ss, so}", "verdict",
			 tw_report_verdicts[made_below(made, TW_REPORT_VERDICTS)],
			 "reasons", reasons);
}

static json_t *made_machine(struct made *made, const char *host)
{
	json_t *machine = json_pack("{ss, ss}", "host", host, "cpu", "a CPU");

	made_fact(made, machine, "governor", json_string("performance"),
		  json_string("powersave"));
	return machine;
}

/* ---- devices ---------------------------------------------------------------------- */

/* Return the facts of a device. */
static json_t *made_device(struct made *made, const char *host, unsigned number)
{
	json_t *device = json_pack("{ss, so}", "host", host, "device",
				   made_text("259:", number));

	made_fact(made, device, "model", json_string("A"), json_string("B"));
	made_fact(made, device, "rotational", json_false(), json_true());
	made_fact(made, device, "size", json_integer(1), json_integer(2));
	made_fact(made, device, "zoo", json_pack("{si, si}", "b", 1, "a", 2),
		  json_pack("{si, si}", "a", 2, "b", 1));
	made_fact(made, device, "members", json_pack("[ss]", "a", "b"), json_pack("[s]", "a"));
	made_fact(made, device, "all", json_integer(1), json_integer(1));
	return device;
}

/* Add the numbers of a device. */
static void made_device_ios(const struct made *made, json_t *device, unsigned number)
{
	struct tw_report_device is = { .jobs = 1 };
	json_t *ios = json_object();
	int error = tw_windows_init(&is.over_time, 16);

	for (unsigned i = 0; i < TW_DIRECTIONS; i++)
		error |= tw_histogram_init(&is.lat[i], made->digits < 2 ? 1 : 2) |
			 tw_histogram_init(&is.in_device[i], made->digits < 2 ? 1 : 2);
	if (error)
		abort();
	for (size_t i = 0; i < made->io_count; i++) {
		const struct made_io *io = &made->ios[i];

		if (io->device != number)
			continue;
		is.ios[io->direction]++;
		tw_histogram_add(&is.lat[io->direction], io->ns[TW_LAT]);
		if (io->has >> TW_DEVICE & 1)
			tw_histogram_add(&is.in_device[io->direction], io->ns[TW_DEVICE]);
		tw_windows_add(&is.over_time, io->end_ns, io->direction, io->ns[TW_LAT]);
	}
	tw_windows_close(&is.over_time);
	for (unsigned i = 0; i < TW_DIRECTIONS; i++)
		json_object_set_new(ios, tw_direction_names[i], tw_json_of_u64(is.ios[i]));
	json_object_set_new(device, "jobs", json_integer(1));
	json_object_set_new(device, "ios", ios);
	json_object_set_new(device, "lat", tw_times_to_json(is.lat, NULL));
	json_object_set_new(device, "device_time", tw_times_to_json(is.in_device, NULL));
	if (is.over_time.count)
		json_object_set_new(device, "over_time", tw_windows_to_json(&is.over_time));
	for (unsigned i = 0; i < TW_DIRECTIONS; i++) {
		tw_histogram_free(&is.lat[i]);
		tw_histogram_free(&is.in_device[i]);
	}
	tw_windows_free(&is.over_time);
}

/* Return no device, one that has all I/Os, one that has some, several with their I/Os, or
 * one or several of which it is not known. */
static json_t *made_devices(struct made *made, const char *host)
{
	const uint64_t kind = made_below(made, 9);
	json_t *devices = json_array(), *only;

	if (kind == 0)
		return devices;
	if (kind < 4) {
		json_array_append_new(devices, made_device(made, host, kind == 1));
		return devices;
	}
	if (kind > 6) {
		only = made_device(made, host, 0);
		if (kind == 7)
			made_device_ios(made, only, 0);
		else
			json_object_set_new(only, "jobs", json_integer(0));
		json_array_append_new(devices, only);
		return devices;
	}
	for (unsigned i = 0; i < MADE_DEVICES; i++) {
		json_t *device = made_device(made, host, i);

		if (kind < 6)
			made_device_ios(made, device, i);
		json_array_append_new(devices, device);
	}
	return devices;
}

/* ---- single I/Os ---------------------------------------------------------------------- */

static json_t *made_slow(struct made *made, const struct made_io *io)
{
	json_t *stages = json_object();

	for (unsigned stage = 0; stage < TW_STAGES; stage++)
		if (io->has >> stage & 1)
			json_object_set_new(stages, tw_time_metrics[stage].name,
					    tw_json_of_u64(io->ns[stage]));
	json_object_set_new(stages, "lat", tw_json_of_u64(io->ns[TW_LAT]));
	return json_pack("{si, si, si, ss, so, so}", "job", 0,
			 "offset", (int)made_below(made, 2), "size", 4096,
			 "ddir", tw_direction_names[io->direction],
			 "monotonic_ns", tw_json_digits(made_below(made, 3)),
			 "stages", stages);
}

/* Fill the list of the slowest with 5 at most, or with all I/Os. */
static void made_slowest(struct made *made, json_t *slowest)
{
	const struct made_io *sorted[MADE_IOS];
	const size_t most = made_below(made, 4) ? made_below(made, 6) : MADE_IOS;

	for (size_t i = 0; i < made->io_count; i++) {
		size_t at = i;

		for (; at && sorted[at - 1]->ns[TW_LAT] < made->ios[i].ns[TW_LAT]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = &made->ios[i];
	}
	for (size_t i = 0; i < made->io_count && i < most; i++)
		json_array_append_new(slowest, made_slow(made, sorted[i]));
}

static json_t *made_trigger(struct made *made)
{
	return json_pack("{si, ss, si, so, s{si, si, ss, si, si}, s[{si, si, si, ss, ss, ss}]}",
		"job", 0, "state", "on", "above_ns", 1000,
		"slower", tw_json_of_u64(made->io_count / 2),
		"io", "offset", 0, "size", 1, "ddir", "read", "monotonic_ns", 7, "lat_ns", 9,
		"events", "monotonic_ns", 8, "cpu", 1, "pid", 2, "task", "a", "event", "b",
		"args", "c");
}

static json_t *made_others_sums(struct made *made)
{
	json_t *array = json_array();

	for (uint64_t i = 1 + made_below(made, 3); i; i--)
		json_array_append_new(array, json_pack("{si, ss, ss, s{ss, ss}, so, so}",
			"job", 0, "ddir", "read", "kind", "writes",
			"who", "kind", "process", "name", "a",
			"ios", tw_json_of_u64(made_below(made, 9)),
			"device_ns", tw_json_of_u64(made_below(made, 99))));
	return array;
}

static json_t *made_commits(struct made *made)
{
	json_t *array = json_array();

	for (uint64_t i = 1 + made_below(made, 3); i; i--)
		json_array_append_new(array, json_pack("{si, s{ss, ss}, so, so}",
			"job", 0, "who", "kind", "process", "name", "a",
			"ios", tw_json_of_u64(made_below(made, 9)),
			"journal_ns", tw_json_of_u64(made_below(made, 99))));
	return array;
}

/* ---- all --------------------------------------------------------------------------------- */

/* Return the report of a job. @number: of the job in its set. */
__attribute__((unused))
static json_t *made_report(uint64_t *random, unsigned digits, uint64_t number)
{
	/* A double does not hold the largest counts, but the sum of many jobs fits. */
	struct made made = { .random = random, .digits = digits, .bits = number < 8 ? 56 : 40 };
	const char *host = made_below(&made, 3) ? "box" : "other";
	json_t *root = json_pack("{ss, si}", "schema", TW_REPORT_SCHEMA, "version",
				 TW_REPORT_VERSION);
	json_t *job = made_job(&made, number, host);
	/* The file of intervals of a job that was killed may have no line. */
	const int has_metrics = made_below(&made, 8) != 0;

	if (has_metrics)
		made_ios(&made);
	json_object_set_new(root, "jobs", json_pack("[o]", job));
	if (json_object_get(job, "options"))
		json_object_set_new(root, "options", made_options(&made, number));
	json_object_set_new(root, "machines", json_pack("[o]", made_machine(&made, host)));
	json_object_set_new(root, "files", json_pack("[{ss, so}, {ss, ss}]",
		"host", host, "path", made_text("/data/", number % 3),
		"host", host, "path", "/data"));
	json_object_set_new(root, "devices", made_devices(&made, host));
	json_object_set_new(root, "clocks", made_clocks(&made));
	json_object_set_new(root, "counter", made_counter(&made));
	if (has_metrics)
		made_tally(&made, root);
	if (json_object_get(root, "slowest"))
		made_slowest(&made, json_object_get(root, "slowest"));
	if (!made_below(&made, 3))
		json_object_set_new(root, "triggers", json_pack("[o]", made_trigger(&made)));
	if (!made_below(&made, 3))
		json_object_set_new(root, "in_flight_of_others", made_others_sums(&made));
	if (!made_below(&made, 3))
		json_object_set_new(root, "commits", made_commits(&made));
	if (has_metrics && !made_below(&made, 8))
		json_object_set_new(json_object_get(root, "stages"), "lunch", json_object());
	return root;
}

#endif
