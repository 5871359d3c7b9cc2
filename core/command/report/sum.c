/* SPDX-License-Identifier: MIT */
/*
 * Describes the mean latency of a direction as the sum of its stages: the
 * number that fio prints, and its parts. Of syncs it tells why nothing was flushed.
 */
#include <math.h>
#include <string.h>

#include "command/report/report_parts.h"

/* A mean is printed as a whole number of its last digit, and the parts of a mean add up to it
 * as printed: the largest remainders are rounded up. What is not known of the parent takes
 * part, too. */
static void share(struct tw_report_means *means, const struct tw_tally *tally, unsigned parent,
		  int direction)
{
	double digits[TW_TIMES + 1] = { 0 };
	int64_t left = (int64_t)means->digits[parent];
	unsigned most = 0;

	digits[TW_TIMES] = (double)tw_tally_stage_ns(tally, parent, direction);
	for (unsigned time = 0; time < TW_TIMES; time++)
		if (tw_time_metrics[time].parent == parent)
			digits[TW_TIMES] -= digits[time] =
				(double)tw_tally_stage_ns(tally, time, direction);
	for (unsigned time = 0; time <= TW_TIMES; time++) {
		digits[time] = fmax(digits[time], 0) / means->digit_ns;
		if (time < TW_TIMES && tw_time_metrics[time].parent == parent)
			means->digits[time] = (uint64_t)digits[time];
		left -= (int64_t)digits[time];
		digits[time] -= floor(digits[time]);
	}
	for (; left > 0 && left <= TW_TIMES; left--) {
		for (unsigned time = most = 0; time <= TW_TIMES; time++)
			most = digits[time] > digits[most] ? time : most;
		if (most < TW_TIMES && digits[most] > 0)
			means->digits[most]++;
		digits[most] = 0;
	}
}

/* Return the value of the last digit. */
static double digit_of(const struct tw_format_unit *unit)
{
	return unit->ns / pow(10, unit->decimals);
}

/* The unit suits the mean of @of. The smallest mean of its parts must not become 0.000 in it. So
 * milliseconds with parts of nanoseconds are printed in microseconds. */
void tw_report_find_means(struct tw_report_means *means, const struct tw_tally *tally,
			  unsigned of, int direction)
{
	const double ios = (double)tally->times[TW_LAT][direction].count;
	const double largest_ns = tw_tally_mean_ns(tally, of, direction);
	struct tw_format_unit unit = tw_format_unit(largest_ns);
	double smallest_ns = 0;

	for (unsigned time = 0; time < TW_TIMES; time++) {
		const double ns = tw_time_metrics[time].parent != of ? 0 :
				  tw_tally_mean_ns(tally, time, direction);

		if (ns > 0 && (!(smallest_ns > 0) || ns < smallest_ns))
			smallest_ns = ns;
	}
	if (of == TW_LAT && !tw_report_has_all_stages(tally, direction))
		smallest_ns = 0;
	if (unit.ns > 1e3 && largest_ns < 100e6 && smallest_ns > 0 &&
	    smallest_ns < 10 * digit_of(&unit))
		unit = (struct tw_format_unit) { .ns = 1e3, .name = "us", .decimals = 1 };
	while (smallest_ns > 0 && 2 * smallest_ns < digit_of(&unit) && unit.decimals < 3)
		unit.decimals++;
	*means = (struct tw_report_means) { .unit = unit, .digit_ns = ios * digit_of(&unit) };
	means->digits[of] = (uint64_t)llround((double)tw_tally_stage_ns(tally, of, direction) /
					      means->digit_ns);
	share(means, tally, of, direction);
	/* A part has a lower number than its own parts. */
	for (unsigned time = 0; time < TW_TIMES; time++)
		if (means->digits[time] && time != of && time != TW_LAT)
			share(means, tally, time, direction);
}

void tw_report_add_mean(struct tw_table *table, const struct tw_report_means *means,
			uint64_t digits)
{
	tw_cell_format(table, TW_CELL_TIME, "%.*f %s", means->unit.decimals,
		       (double)digits / pow(10, means->unit.decimals), means->unit.name);
}

/* Add a mean of a part, in the unit of the whole. */
static void put_mean(struct tw_page *page, const struct tw_report_means *means,
		     const char *before, const char *what, const char *bound, uint64_t digits)
{
	tw_page_more(page, "%s%s%s %.*f", before, what, bound, means->unit.decimals,
		     (double)digits / pow(10, means->unit.decimals));
}

int tw_report_has_sync_parts(const struct tw_tally *tally, int direction)
{
	const uint64_t syncs = tally->times[TW_SYNC_WAKE][direction].count;

	return syncs && syncs == tally->times[TW_KERNEL][direction].count;
}

int tw_report_adds_up(const struct tw_tally *tally, unsigned time, int direction)
{
	if (time >= TW_STAGES)
		return time >= TW_SYNC_WORKER && time <= TW_SYNC_WAKE &&
		       tw_report_has_sync_parts(tally, direction);
	return time != TW_KERNEL || !tw_report_has_sync_parts(tally, direction);
}

int tw_report_is_drawn(const struct tw_tally *tally, unsigned time, int direction)
{
	return tally->times[time][direction].count &&
	       ((time >= TW_STAGES && time < TW_REPORT_ROWS) ||
		tw_report_adds_up(tally, time, direction));
}

/* Return what the words of a part add. A worker that began late bounds two parts. */
static const char *bound_of(const struct tw_tally *tally, unsigned part)
{
	return !tally->scalars.workers_late ? "" : part == TW_WORKER ? " at most" :
	       part == TW_BEFORE ? " at least" : "";
}

int tw_report_has_all_stages(const struct tw_tally *tally, int direction)
{
	uint64_t sum_ns = 0;
	int any = 0;

	for (int i = 0; i < TW_STAGES; i++) {
		any |= tally->times[i][direction].count != 0;
		sum_ns += tw_tally_stage_ns(tally, (unsigned)i, direction);
	}
	return any && sum_ns == tally->times[TW_LAT][direction].sum_ns;
}

/* Add the parts of a stage. */
static void put_parts(struct tw_page *page, const struct tw_report_means *means,
		      const struct tw_tally *tally, unsigned stage, int direction)
{
	const char *before = " = ";

	for (unsigned i = TW_STAGES; i < TW_TIMES; i++) {
		/* A call has no worker. */
		if (tw_time_metrics[i].parent != stage || !tally->times[i][direction].count ||
		    (i == TW_WORKER && !means->digits[i]))
			continue;
		put_mean(page, means, before, tw_time_metrics[i].name, bound_of(tally, i),
			 means->digits[i]);
		before = " + ";
	}
}

/* Has no device of the report a cache that loses its data without power? */
static int has_write_through(const struct tw_report *report)
{
	int all = report->device_count != 0;

	for (size_t i = 0; i < report->device_count; i++) {
		const char *cache = tw_report_string(report->devices[i].json, "write_cache");

		all &= cache && !strcmp(cache, "write through");
	}
	return all;
}

/* Add whose handles the commits had that @syncs syncs waited for. */
static void put_commits(struct tw_page *page, const struct tw_report *report, uint64_t syncs)
{
	const char *names = tw_report_say_commits(report, syncs);

	if (names)
		tw_page_also(page, "syncs that waited for a commit with handles of others: %s",
			     names);
}

/* Add lat without the worker, for which a program that calls fsync(2)
 * does not wait; that nothing was flushed, and why; the commits. */
static void put_about_syncs(struct tw_page *page, const struct tw_report *report, int direction)
{
	const struct tw_tally *tally = &report->tally;
	const struct tw_histogram *worker = &tally->times[TW_SYNC_WORKER][direction];
	const double syncs = (double)tally->times[TW_SYNC_DATA][direction].count;

	if (!tw_report_has_sync_parts(tally, direction))
		return;
	if (direction == TW_SYNC && tw_has(tally, TW_METRIC_sync_bytes) && syncs > 0)
		tw_page_also(page, "%s written a sync", TW_SAY_BYTES(
			     (double)tally->counts[direction].sync_bytes / syncs));
	if (worker->count && direction == TW_SYNC)
		tw_page_also(page, "lat without worker (a thread of io-wq): %s", TW_SAY_NS(
			     tw_tally_mean_ns(tally, TW_LAT, direction) -
			     tw_tally_mean_ns(tally, TW_SYNC_WORKER, direction)));
	if (!tally->times[TW_SYNC_FLUSH][direction].sum_ns)
		tw_page_also(page, "nothing was flushed%s", !has_write_through(report) ? "" :
			     report->device_count > 1 ? ": the devices have no write cache" :
			     ": the device has no write cache");
	put_commits(page, report, tally->times[TW_SYNC_JOURNAL][direction].count);
}

/* Return how far off the means of the times from @first to @last can be at most, in ns. */
static double largest_error_ns(const struct tw_tally *tally, int direction, unsigned first,
			       unsigned last)
{
	double error_ns = 0;

	for (unsigned i = first; i <= last; i++)
		error_ns = fmax(error_ns, tw_tally_stage_error_ns(tally, i, direction));
	return error_ns / (double)tally->times[TW_LAT][direction].count;
}

/* Tell how far off the stages can be if only some I/Os were split. */
static void put_error(struct tw_page *page, const struct tw_tally *tally, int direction,
		      const char *who)
{
	const uint64_t chosen = tw_tally_chosen(tally, direction);

	if (!tw_tally_is_estimate(tally, TW_KERNEL, direction) ||
	    !tally->times[TW_LAT][direction].count)
		return;
	tw_page_remark(page, "%s%s: a sample of %s of I/Os; means %s or less", *who ? who : "rows ",
		       tw_tally_is_estimate(tally, TW_LAT, direction) ? "\"blockq\" to \"lat\"" :
		       "\"submit\" to \"reap\"",
		       TW_SAY_PERCENT(100 * (double)chosen / (double)tally->counts[direction].ios),
		       TW_SAY_ERROR(largest_error_ns(tally, direction, 0, TW_LAT)));
}

/* Add how far fio's own mean is from that of the table. fio counts the same I/Os, unless a stamp
 * of the engine failed. With tw_event_time=1 its lat lacks deliver. */
static void put_fio_mean(struct tw_page *page, const struct tw_report_group *group, int direction,
			 const char *who)
{
	const struct tw_tally *tally = &group->all.tally;
	const struct tw_counts *fio = &tally->counts[direction];
	const struct tw_histogram *lat = &tally->times[TW_LAT][direction];
	const int lacks_deliver = group->event_times == group->all.job_count;
	const double of_fio_ns = (double)fio->fio_lat_ns / (double)fio->fio_ios;
	double off_ns = of_fio_ns - tw_histogram_mean_ns(lat);

	if (group->event_times && !lacks_deliver)
		tw_page_also(page, "fio's lat lacks deliver in %zu of %zu jobs (tw_event_time=1)",
			     group->event_times, group->all.job_count);
	else if (tw_has(tally, TW_METRIC_fio_lat_ns) && fio->fio_ios) {
		if (lacks_deliver)
			off_ns += tw_tally_mean_ns(tally, TW_DELIVER, direction);
		tw_page_also(page, "%sfio's own mean lat%s is %s %s than the table's", who,
			     lacks_deliver ? " without deliver (tw_event_time=1)" : "",
			     TW_SAY_NS(round(fabs(off_ns))), off_ns < 0 ? "shorter" : "longer");
		if (fio->fio_ios != lat->count)
			tw_page_more(page, ", of %s", TW_SAY_COUNT(fio->fio_ios, "I/O[s]"));
	}
}

/* Add fio's own IOPS where they are others: fio counts the time of fsync at the end, and those of a
 * verifying job by direction. */
static void put_fio_rate(struct tw_page *page, const struct tw_report_group *group, int direction,
			 const char *who)
{
	static const char *const ends[] = { "end_fsync", "fsync_on_close" };
	const struct tw_counts *counts = &group->all.tally.counts[direction];
	const double ios = (double)(counts->ios + counts->errors);	/* fio counts both */
	const double run_ns = (double)group->run_ns;
	const double fio_ns = tw_report_fio_run_ns(group, direction);

	if (!tw_report_has_fio_rate(group, direction))
		return;
	tw_page_also(page, "%sfio's own IOPS are %s%s, over %s", who,
		     TW_SAY_NUMBER(1e9 * ios / fio_ns),
		     counts->errors ? " with those that failed" : "", TW_SAY_NS(fio_ns));
	for (size_t i = 0; i < 2; i++)
		if (fio_ns > run_ns && tw_job_option(group->all.jobs, ends[i]))
			tw_page_more(page, " with %s", ends[i]);
	tw_page_more(page, "; those above are over %s, from the first I/O to the last one",
		     TW_SAY_NS(run_ns));
}

void tw_report_add_sum(struct tw_page *page, const struct tw_report_group *group,
		       int direction, const char *who)
{
	const struct tw_tally *tally = &group->all.tally;

	if (tally->times[TW_LAT][direction].count == 0)
		return;
	tw_page_remark(page, "%s", "");
	if (!group->all.attached && direction != TW_SYNC) {
		put_fio_mean(page, group, direction, who);
		put_fio_rate(page, group, direction, who);
	}
	if (tw_report_has_all_stages(tally, direction)) {
		put_about_syncs(page, &group->all, direction);
		put_error(page, tally, direction, who);
	} else {
		tw_page_also(page, "the stages are not known of all I/Os");
	}
}

int tw_report_has_write_sync(const struct tw_tally *tally, int direction)
{
	return tally->times[TW_COMPLETE_WORKER][direction].sum_ns != 0;
}

void tw_report_add_parts(struct tw_page *page, const struct tw_report *report, unsigned stage,
			 int direction)
{
	const struct tw_tally *tally = &report->tally;
	const int of_sync = stage == TW_COMPLETE;
	const uint64_t split = tally->times[of_sync ? TW_COMPLETE_WAKE : TW_SCHEDULER]
			       [direction].count;
	const uint64_t begun = tally->times[TW_BEFORE][direction].count;
	const int exact = of_sync || begun == split;
	struct tw_report_means means;

	if (!split || !tw_tally_stage_ns(tally, stage, direction))
		return;
	if (split != tally->times[stage][direction].count) {
		tw_page_remark(page, "the parts of %s are not known of all I/Os",
			       tw_time_metrics[stage].name);
		return;
	}
	if (of_sync && !tw_report_has_write_sync(tally, direction)) {
		tw_page_remark(page, "no sync followed these writes: they are through the "
			       "device's cache (FUA, in device), or it has none");
		return;
	}
	tw_report_find_means(&means, tally, stage, direction);
	if (!exact) {
		tw_page_remark(page, "in the scheduler at most");
		put_mean(page, &means, "", "", "", means.digits[TW_SCHEDULER]);
		tw_page_more(page, " %s of blockq, before it the rest", means.unit.name);
		if (!begun)
			tw_page_more(page, "; exact with --causes");
		return;
	}
	tw_page_remark(page, "%s", tw_time_metrics[stage].name);
	put_mean(page, &means, "", "", "", means.digits[stage]);
	put_parts(page, &means, tally, stage, direction);
	tw_page_more(page, " %s%s", means.unit.name, of_sync ? ": the sync after the write" : "");
	if (!of_sync && tw_tally_is_sampled(tally, direction))
		tw_page_more(page, ", each %s", TW_SAY_ERROR(
			     largest_error_ns(tally, direction, TW_WORKER, TW_SCHEDULER)));
	if (of_sync && !tally->times[TW_COMPLETE_FLUSH][direction].sum_ns)
		tw_page_more(page, "; nothing was flushed after the data");
	if (of_sync && !tally->times[TW_SYNC_WAKE][TW_SYNC].count)
		put_commits(page, report, split);
}

void tw_report_add_call(struct tw_page *page, const struct tw_tally *tally,
			int direction)
{
	const struct tw_histogram *call =
		&tally->times[TW_CALL][direction];

	if (call->count)
		tw_page_remark(page, "of which inside the submitting call: mean %s (of %s)",
			       TW_SAY_NS(tw_histogram_mean_ns(call)),
			       TW_SAY_COUNT(call->count, "I/O[s]"));
}
