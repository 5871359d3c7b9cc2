/* SPDX-License-Identifier: MIT */
/*
 * Describes the mean latency of a direction as the sum of its stages: the
 * number that fio prints, and its parts. Of syncs it tells why nothing was flushed.
 */
#include <math.h>
#include <stdio.h>
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

double tw_report_mean(const struct tw_report_means *means, uint64_t digits)
{
	return (double)digits / pow(10, means->unit.decimals);
}

/* Add a mean of a part, in the unit of the whole. */
static void put_mean(struct tw_page *page, const struct tw_report_means *means,
		     const char *before, const char *what, const char *bound, uint64_t digits)
{
	tw_page_more(page, "%s%s%s %.*f", before, what, bound, means->unit.decimals,
		     tw_report_mean(means, digits));
}

/* Add a mean with its unit. */
static void put_whole(struct tw_page *page, const struct tw_report_means *means,
		      const char *before, const char *what, uint64_t digits)
{
	put_mean(page, means, before, what, "", digits);
	tw_page_more(page, " %s", means->unit.name);
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

/* Add the parts of a stage. */
static void put_parts(struct tw_page *page, const struct tw_report_means *means,
		      const struct tw_tally *tally, unsigned stage, int direction,
		      const char *before)
{
	for (unsigned i = TW_STAGES; i < TW_TIMES; i++) {
		/* A call has no worker. */
		if (tw_time_metrics[i].parent != stage || !tally->times[i][direction].count ||
		    (i == TW_WORKER && !means->digits[i]))
			continue;
		put_mean(page, means, before, tw_time_metrics[i].name, bound_of(tally, i),
			 means->digits[i]);
		if (i == TW_SYNC_DATA && direction == TW_SYNC &&
		    tw_has(tally, TW_METRIC_sync_bytes))
			tw_page_more(page, " (%s)",
				     TW_SAY_BYTES((double)tally->counts[direction].sync_bytes /
						  (double)tally->times[i][direction].count));
		if (i == TW_SYNC_JOURNAL && tally->times[TW_SYNC_RUNNING][direction].sum_ns) {
			put_mean(page, means, " (", "of it", "", means->digits[TW_SYNC_RUNNING]);
			tw_page_more(page, " for a commit that was running already)");
		}
		before = " + ";
	}
}

static void put_stages(struct tw_page *page, const struct tw_report_means *means,
		       const struct tw_tally *tally, int direction, int stages)
{
	const char *before = " = ";

	for (int i = 0; i < stages; i++) {
		if (tally->times[i][direction].count == 0 &&
		    !tw_tally_stage_ns(tally, (unsigned)i, direction))
			continue;
		if (i == TW_KERNEL && tw_report_has_sync_parts(tally, direction))
			put_parts(page, means, tally, TW_KERNEL, direction, before);
		else
			put_mean(page, means, before, tw_time_metrics[i].name, "", means->digits[i]);
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
	char names[TW_REPORT_SENTENCE];

	if (tw_report_say_commits(names, sizeof(names), report, syncs))
		tw_page_more(page, "; syncs that waited for a commit with handles of "
			     "others: %s", names);
}

/* Add lat without the worker, for which a program that calls fsync(2) or fdatasync(2) does not
 * wait (that of a synced write also wrote); that nothing was flushed, and why; the commits. */
static void put_about_syncs(struct tw_page *page, const struct tw_report_means *means,
			    const struct tw_report *report, int direction)
{
	const struct tw_tally *tally = &report->tally;
	const struct tw_histogram *worker = &tally->times[TW_SYNC_WORKER][direction];

	if (!tw_report_has_sync_parts(tally, direction))
		return;
	if (worker->count && direction == TW_SYNC)
		put_whole(page, means, "; ", "without io-wq", means->digits[TW_LAT] -
			  means->digits[TW_SYNC_WORKER]);
	if (!tally->times[TW_SYNC_FLUSH][direction].sum_ns)
		tw_page_more(page, "; nothing was flushed%s",
			     !has_write_through(report) ? "" : report->device_count > 1 ?
			     ": the devices are in write-through mode, without a cache to flush" :
			     ": the device is in write-through mode, without a cache to flush");
	put_commits(page, report, tally->times[TW_SYNC_JOURNAL][direction].count);
}

/* Tell how far off the stages can be if only some I/Os were split. */
static void put_error(struct tw_page *page, const struct tw_tally *tally, int direction)
{
	const uint64_t chosen = tw_tally_chosen(tally, direction);
	const double ios = (double)tally->times[TW_LAT][direction].count;
	double error_ns = 0;

	if (!tw_tally_is_estimate(tally, TW_KERNEL, direction) || !(ios > 0))
		return;
	for (unsigned i = 0; i <= TW_LAT; i++)
		error_ns = fmax(error_ns, tw_tally_stage_error_ns(tally, i, direction));
	tw_page_more(page, "; %s: each +-%s (95 %%), a sample of %.2g %%",
		     tw_tally_is_estimate(tally, TW_LAT, direction) ? "all of these" :
		     "submit to kernel", TW_SAY_NS(error_ns / ios),
		     100 * (double)chosen / (double)tally->counts[direction].ios);
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

/* The names of the sum: one after fio's own mean, one if that is not known. */
struct names {
	const char *next_to_fio, *alone;
};

/* Add the sum, which is fio's lat except for the clock. fio's own mean comes
 * first, if it is known. fio counts the same I/Os, unless a stamp of the engine
 * failed. */
static void put_fio_mean(struct tw_page *page, const struct tw_report_means *means,
			 const struct tw_report_group *group, int direction, uint64_t digits,
			 uint64_t sum_ns, struct names names)
{
	const struct tw_counts *fio = &group->all.tally.counts[direction];
	const uint64_t ios = group->all.tally.times[TW_LAT][direction].count;
	double mean_ns, off_ns;

	if (!tw_has(&group->all.tally, TW_METRIC_fio_lat_ns) || !fio->fio_ios) {
		put_whole(page, means, "", names.alone, digits);
		return;
	}
	mean_ns = (double)fio->fio_lat_ns / (double)fio->fio_ios;
	off_ns = (double)sum_ns / (double)ios - mean_ns;
	tw_page_more(page, "fio lat mean %.*f %s", means->unit.decimals,
		     mean_ns / means->unit.ns, means->unit.name);
	if (fio->fio_ios != ios)
		tw_page_more(page, " of %s",
			     TW_SAY_COUNT(fio->fio_ios, "I/O[s]"));
	put_whole(page, means, "", names.next_to_fio, digits);
	tw_page_more(page, " (%s %s fio's)", TW_SAY_NS(round(fabs(off_ns))),
		     off_ns < 0 ? "below" : "above");
}

/* Add the sum up to the return of getevents(), where fio's lat ends. fio's lat
 * of a sync begins at its issue time, where the engine has no stamp. */
static void put_sum(struct tw_page *page, const struct tw_report_group *group,
		    int direction)
{
	int attached = group->all.attached != NULL;
	int is_fio_lat = !group->event_times && direction != TW_SYNC &&
			 !attached;
	const struct tw_tally *tally = &group->all.tally;
	int is_complete = tw_report_has_all_stages(tally, direction);
	struct tw_report_means means;
	const struct names names = {
		is_complete ? "; sum of stages" : "; lat by Tickwise", "lat mean",
	};

	tw_report_find_means(&means, tally, TW_LAT, direction);
	if (is_fio_lat)
		put_fio_mean(page, &means, group, direction, means.digits[TW_LAT],
			     tally->times[TW_LAT][direction].sum_ns, names);
	else
		put_whole(page, &means, "", "lat mean", means.digits[TW_LAT]);
	if (is_complete) {
		put_stages(page, &means, tally, direction, TW_STAGES);
		put_about_syncs(page, &means, &group->all, direction);
		put_error(page, tally, direction);
	} else {
		tw_page_more(page, "; its stages are not known of all I/Os");
	}
	if (direction == TW_SYNC && !attached)
		tw_page_more(page, "; fio's lat of a sync begins when the submitting call "
			     "has ended");
	else if (group->event_times)
		tw_page_more(page, "; this is not fio's lat, which lacks deliver in "
			     "%zu of %zu jobs (tw_event_time=1)", group->event_times,
			     group->all.job_count);
}

/* Add the sum up to the stage before deliver, if fio's lat ends where the
 * engine sees the completion. */
static void put_event_sum(struct tw_page *page, const struct tw_report_group *group,
			  int direction)
{
	const struct tw_tally *tally = &group->all.tally;
	const struct names names = { "; sum of stages", "lat without deliver: mean" };
	struct tw_report_means means;

	tw_report_find_means(&means, tally, TW_LAT, direction);
	put_fio_mean(page, &means, group, direction,
		     means.digits[TW_LAT] - means.digits[TW_DELIVER],
		     tally->times[TW_LAT][direction].sum_ns -
		     tally->times[TW_DELIVER][direction].sum_ns, names);
	put_stages(page, &means, tally, direction, TW_DELIVER);
	put_whole(page, &means, "", "; deliver", means.digits[TW_DELIVER]);
	tw_page_more(page, " is not in fio's lat (tw_event_time=1)");
	put_error(page, tally, direction);
}

void tw_report_add_sum(struct tw_page *page, const struct tw_report_group *group,
		       int direction)
{
	if (group->all.tally.times[TW_LAT][direction].count == 0)
		return;
	tw_page_paragraph(page, "%s: ", tw_direction_names[direction]);
	tw_report_more_sum(page, group, direction);
}

void tw_report_more_sum(struct tw_page *page, const struct tw_report_group *group,
			int direction)
{
	if (direction != TW_SYNC &&
	    group->event_times == group->all.job_count &&
	    tw_report_has_all_stages(&group->all.tally, direction))
		put_event_sum(page, group, direction);
	else
		put_sum(page, group, direction);
}

/* Return how far off the parts of blockq can be. */
static double parts_error_ns(const struct tw_tally *tally, int direction, int exact)
{
	double error_ns = 0;

	for (unsigned i = TW_WORKER; i <= TW_SCHEDULER; i++)
		error_ns = fmax(error_ns, tw_tally_stage_error_ns(tally, i, direction));
	return exact ? error_ns :
	       error_ns + tw_tally_stage_error_ns(tally, TW_BLOCKQ, direction);
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
	const uint64_t ios = tally->times[TW_LAT][direction].count;
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
	tw_page_remark(page, "%s", "");
	put_whole(page, &means, "", tw_time_metrics[stage].name, means.digits[stage]);
	if (exact) {
		put_parts(page, &means, tally, stage, direction, " = ");
	} else {
		put_mean(page, &means, " = ", tally->counts[direction].workers ?
			 "worker+before+admission" : "before+admission", " at least",
			 means.digits[stage] - means.digits[TW_SCHEDULER]);
		put_mean(page, &means, " + ", "scheduler", " at most",
			 means.digits[TW_SCHEDULER]);
	}
	tw_page_more(page, "%s (means of %s%s", of_sync ? ": the sync after the write" : "",
		     TW_SAY_COUNT(ios, "I/O[s]"),
		     tw_tally_is_sampled(tally, direction) ? ", estimated" : "");
	if (!of_sync && tw_tally_is_sampled(tally, direction))
		tw_page_more(page, ", each to +-%s (95 %%)", TW_SAY_NS(
			     parts_error_ns(tally, direction, exact) / (double)ios));
	tw_page_more(page, "%s)", of_sync ? "" : !begun ? "; exact boundaries with tw_causes=1" :
		     !exact ? "; not all have the stamps" : tally->scalars.workers_late ?
		     "; the other boundaries are exact" : "; the boundaries are exact");
	if (of_sync && !tally->times[TW_COMPLETE_FLUSH][direction].sum_ns)
		tw_page_more(page, "; nothing was flushed after the data");
	if (of_sync && !tally->times[TW_SYNC_WAKE][TW_SYNC].count)
		put_commits(page, report, split);
}

/* Add the two parts of complete of I/Os whose completion woke the job's thread. */
static void add_waking(struct tw_page *page, const struct tw_tally *tally, int direction)
{
	const struct tw_histogram *waking = &tally->times[TW_COMPLETE_WAKING][direction];

	if (waking->count)
		tw_page_remark(page, "complete, where the completion woke the job's thread: until "
			       "it was woken mean %s, from then on %s (of %s)",
			       TW_SAY_NS(tw_histogram_mean_ns(waking)),
			       TW_SAY_NS(tw_histogram_mean_ns(
					&tally->times[TW_COMPLETE_POSTING][direction])),
			       TW_SAY_COUNT(waking->count, "I/O[s]"));
}

void tw_report_add_call(struct tw_page *page, const struct tw_tally *tally,
			int direction)
{
	const struct tw_histogram *call =
		&tally->times[TW_CALL][direction];

	add_waking(page, tally, direction);
	if (call->count)
		tw_page_remark(page, "of which inside the submitting call: mean %s (of %s)",
			       TW_SAY_NS(tw_histogram_mean_ns(call)),
			       TW_SAY_COUNT(call->count, "I/O[s]"));
}
