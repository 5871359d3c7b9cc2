/* SPDX-License-Identifier: MIT */
/*
 * Describes the mean latency of a direction as the sum of its stages: the
 * number that fio prints, and its parts.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/report/report_parts.h"

/* Means that add up have the same unit and number of decimals. */
struct means {
	struct tw_page *page;
	struct tw_format_unit unit;
	double digit_ns;	/* the last digit of a mean, times all I/Os */
};

/* Add the mean of what is between two sums, each of them rounded. */
static void put_mean(const struct means *means, const char *before, const char *what,
		     uint64_t from_ns, uint64_t to_ns, const char *unit)
{
	const double digits = round((double)to_ns / means->digit_ns) -
			      round((double)from_ns / means->digit_ns);

	tw_page_more(means->page, "%s%s %.*f%s%s", before, what, means->unit.decimals,
		     digits / pow(10, means->unit.decimals), *unit ? " " : "", unit);
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

/* Add how much a sync wrote out. */
static void put_bytes(const struct means *means, const struct tw_tally *tally, int direction)
{
	tw_page_more(means->page, " (%.1f KiB)", (double)tally->counts[direction].sync_bytes /
		     (double)tally->times[TW_SYNC_DATA][direction].count / 1024);
}

/* Add how much of the part journal was for commits that the syncs did not ask for. */
static void put_running(const struct means *means, const struct tw_tally *tally, int direction)
{
	put_mean(means, " (", "of it", 0, tally->times[TW_SYNC_RUNNING][direction].sum_ns, "");
	tw_page_more(means->page, " for a commit that was running already)");
}

/* Add the parts of a stage that has syncs, which begin at @sum_ns. @first: the first of them. */
static void put_sync_parts(const struct means *means, const struct tw_tally *tally, int first,
			   int direction, uint64_t sum_ns, const char *before)
{
	for (int i = first; i <= first + TW_SYNC_WAKE - TW_SYNC_WORKER; i++) {
		const uint64_t part_ns = tw_tally_stage_ns(tally, (unsigned)i, direction);

		/* A call has no worker. */
		if (!tally->times[i][direction].count)
			continue;
		put_mean(means, before, tw_time_rows[i].name, sum_ns, sum_ns + part_ns, "");
		if (i == TW_SYNC_DATA && direction == TW_SYNC &&
		    tw_has(tally, TW_ROW_sync_bytes))
			put_bytes(means, tally, direction);
		if (i == TW_SYNC_JOURNAL && tally->times[TW_SYNC_RUNNING][direction].sum_ns)
			put_running(means, tally, direction);
		sum_ns += part_ns;
		before = " + ";
	}
}

/* Add the stages. Each is the difference of two rounded sums. So they add up as
 * printed, and none is off by a whole digit. */
static void put_stages(const struct means *means,
		       const struct tw_tally *tally, int direction,
		       int stages)
{
	const char *before = " = ";
	uint64_t sum_ns = 0;

	for (int i = 0; i < stages; i++) {
		const uint64_t stage_ns = tw_tally_stage_ns(tally, (unsigned)i, direction);

		if (tally->times[i][direction].count == 0 && !stage_ns)
			continue;
		if (i == TW_KERNEL && tw_report_has_sync_parts(tally, direction))
			put_sync_parts(means, tally, TW_SYNC_WORKER, direction, sum_ns,
				       before);
		else
			put_mean(means, before, tw_time_rows[i].name, sum_ns,
				 sum_ns + stage_ns, "");
		sum_ns += stage_ns;
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

/* A program that calls fsync(2) or fdatasync(2) does not wait for a worker. That of a synced
 * write also wrote. */
static void put_without_worker(const struct means *means, const struct tw_report *report,
			       int direction)
{
	const struct tw_tally *tally = &report->tally;
	char names[TW_REPORT_SENTENCE];
	const struct tw_histogram *worker = &tally->times[TW_SYNC_WORKER][direction];

	if (!tw_report_has_sync_parts(tally, direction))
		return;
	if (worker->count && direction == TW_SYNC)
		put_mean(means, "; ", "without io-wq", worker->sum_ns,
			 tally->times[TW_LAT][direction].sum_ns, means->unit.name);
	if (!tally->times[TW_SYNC_FLUSH][direction].sum_ns)
		tw_page_more(means->page, "; nothing was flushed%s",
			     !has_write_through(report) ? "" : report->device_count > 1 ?
			     ": the devices are in write-through mode, without a cache to flush" :
			     ": the device is in write-through mode, without a cache to flush");
	if (tw_report_say_commits(names, sizeof(names), report,
				  tally->times[TW_SYNC_JOURNAL][direction].count))
		tw_page_more(means->page, "; syncs that waited for a commit with handles of "
			     "others: %s", names);
}

/* Tell how far off the stages can be if only some I/Os were split. */
static void put_error(const struct means *means, const struct tw_tally *tally, int direction)
{
	const uint64_t chosen = tw_tally_chosen(tally, direction);
	const double ios = (double)tally->times[TW_LAT][direction].count;
	double error_ns = 0;

	if (!tw_tally_is_sampled(tally, direction))
		return;
	for (unsigned i = 0; i <= TW_LAT; i++)
		error_ns = fmax(error_ns, tw_tally_stage_error_ns(tally, i, direction));
	if (!chosen)
		tw_page_more(means->page, "; none of these I/Os was chosen to be split");
	else
		tw_page_more(means->page, "; %s: estimated from %llu of %s, each to +-%s (95 %%)",
			     tw_tally_is_estimate(tally, TW_LAT, direction) ? "all of these" :
			     "submit to kernel", (unsigned long long)chosen,
			     TW_SAY_COUNT(tally->counts[direction].ios, "I/O[s]"),
			     TW_SAY_NS(error_ns / ios));
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

/* Return the smallest sum of a stage that is not 0. */
static uint64_t smallest_ns(const struct tw_tally *tally, int direction)
{
	uint64_t smallest = 0;

	for (int i = 0; i < TW_STAGES; i++) {
		uint64_t sum_ns = tw_tally_stage_ns(tally, (unsigned)i, direction);

		if (sum_ns && (!smallest || sum_ns < smallest))
			smallest = sum_ns;
	}
	return smallest;
}

/* Return the value of the last digit. */
static double digit_of(const struct tw_format_unit *unit)
{
	return unit->ns / pow(10, unit->decimals);
}

/* Prepare means over all I/Os, in the unit that suits the largest one. The smallest mean
 * must not become 0.000 in it. So milliseconds with parts of nanoseconds are printed in
 * microseconds. @all_smallest_ns: 0 if no parts are shown. */
static struct means means_of(struct tw_page *page, uint64_t all_largest_ns,
			     uint64_t all_smallest_ns, uint64_t ios)
{
	const double largest_ns = (double)all_largest_ns / (double)ios;
	const double smallest_ns = (double)all_smallest_ns / (double)ios;
	struct tw_format_unit unit = tw_format_unit(largest_ns);

	if (unit.ns > 1e3 && largest_ns < 100e6 && smallest_ns > 0 &&
	    smallest_ns < 10 * digit_of(&unit))
		unit = (struct tw_format_unit) { .ns = 1e3, .name = "us", .decimals = 1 };
	while (smallest_ns > 0 && 2 * smallest_ns < digit_of(&unit) && unit.decimals < 3)
		unit.decimals++;
	return (struct means) { page, unit, (double)ios * digit_of(&unit) };
}

/* The names of the sum: one after fio's own mean, one if that is not known. */
struct names {
	const char *next_to_fio, *alone;
};

/* Add the sum, which is fio's lat except for the clock. fio's own mean comes
 * first, if it is known. fio counts the same I/Os, unless a stamp of the engine
 * failed. */
static void put_fio_mean(const struct means *means, const struct tw_report_group *group,
			 int direction, uint64_t sum_ns, struct names names)
{
	const struct tw_counts *fio = &group->all.tally.counts[direction];
	const uint64_t ios = group->all.tally.times[TW_LAT][direction].count;
	double mean_ns, off_ns;

	if (!tw_has(&group->all.tally, TW_ROW_fio_lat_ns) || !fio->fio_ios) {
		put_mean(means, "", names.alone, 0, sum_ns, means->unit.name);
		return;
	}
	mean_ns = (double)fio->fio_lat_ns / (double)fio->fio_ios;
	off_ns = (double)sum_ns / (double)ios - mean_ns;
	tw_page_more(means->page, "fio lat mean %.*f %s", means->unit.decimals,
		     mean_ns / means->unit.ns, means->unit.name);
	if (fio->fio_ios != ios)
		tw_page_more(means->page, " of %s",
			     TW_SAY_COUNT(fio->fio_ios, "I/O[s]"));
	put_mean(means, "", names.next_to_fio, 0, sum_ns, means->unit.name);
	tw_page_more(means->page, " (%s %s fio's)", TW_SAY_NS(round(fabs(off_ns))),
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
	const struct tw_histogram *lat =
		&group->all.tally.times[TW_LAT][direction];
	int is_complete = tw_report_has_all_stages(&group->all.tally, direction);
	struct means means = means_of(page, lat->sum_ns, is_complete ?
				      smallest_ns(&group->all.tally, direction) : 0,
				      lat->count);
	const struct names names = {
		is_complete ? "; sum of stages" : "; lat by Tickwise", "lat mean",
	};

	if (is_fio_lat)
		put_fio_mean(&means, group, direction, lat->sum_ns, names);
	else
		put_mean(&means, "", "lat mean", 0, lat->sum_ns, means.unit.name);
	if (is_complete) {
		put_stages(&means, &group->all.tally, direction, TW_STAGES);
		put_without_worker(&means, &group->all, direction);
	}
	if (is_complete)
		put_error(&means, &group->all.tally, direction);
	else
		tw_page_more(page, "; its stages are not known of all I/Os");
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
	const struct tw_histogram *lat = &tally->times[TW_LAT][direction];
	uint64_t deliver_ns =
		tally->times[TW_DELIVER][direction].sum_ns;
	uint64_t fio_ns = lat->sum_ns - deliver_ns;
	struct means means = means_of(page, fio_ns > deliver_ns ? fio_ns : deliver_ns,
				      smallest_ns(tally, direction), lat->count);
	const struct names names = { "; sum of stages", "lat without deliver: mean" };

	put_fio_mean(&means, group, direction, fio_ns, names);
	put_stages(&means, tally, direction, TW_DELIVER);
	put_mean(&means, "", "; deliver", 0, deliver_ns, means.unit.name);
	tw_page_more(page, " is not in fio's lat (tw_event_time=1)");
	put_error(&means, tally, direction);
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

void tw_report_add_blockq(struct tw_page *page, const struct tw_tally *tally, int direction)
{
	const struct tw_histogram *before = &tally->times[TW_BEFORE][direction];
	const struct tw_histogram *scheduler = &tally->times[TW_SCHEDULER][direction];
	const struct tw_histogram *blockq = &tally->times[TW_BLOCKQ][direction];
	const uint64_t ios = tally->times[TW_LAT][direction].count;
	const uint64_t all_ns = tw_tally_stage_ns(tally, TW_BLOCKQ, direction);
	const uint64_t worker_ns = tw_tally_stage_ns(tally, TW_WORKER, direction);
	const uint64_t queued_ns = worker_ns + tw_tally_stage_ns(tally, TW_BEFORE, direction);
	const uint64_t until_ns = all_ns - tw_tally_stage_ns(tally, TW_SCHEDULER, direction);
	const int late = tally->scalars.workers_late != 0;
	const int exact = before->count == scheduler->count;
	const char *known = !exact ? before->count ? "not all have the stamps" :
				     "exact boundaries with tw_causes=1" :
			    late ? "the other boundaries are exact" :
					"the boundaries are exact";
	uint64_t smallest_ns = until_ns < all_ns - until_ns ? until_ns : all_ns - until_ns;
	struct means means;

	if (!scheduler->count || !all_ns)
		return;
	if (scheduler->count != blockq->count) {
		tw_page_remark(page, "the parts of blockq are not known of all I/Os");
		return;
	}
	if (exact)
		smallest_ns = (uint64_t)fmin((double)smallest_ns,
					     fmin((double)(queued_ns - worker_ns),
						  (double)(until_ns - queued_ns)));
	means = means_of(page, all_ns, smallest_ns, ios);
	tw_page_remark(page, "%s", "");
	put_mean(&means, "", "blockq", 0, all_ns, means.unit.name);
	if (exact) {
		if (worker_ns)
			put_mean(&means, " = ", late ? "worker at most" : "worker", 0,
				 worker_ns, "");
		put_mean(&means, worker_ns ? " + " : " = ",
			 late ? "before at least" : "before", worker_ns, queued_ns, "");
		put_mean(&means, " + ", "admission", queued_ns, until_ns, "");
		put_mean(&means, " + ", "scheduler", until_ns, all_ns, "");
	} else {
		put_mean(&means, " = ", tally->counts[direction].workers ?
			 "worker+before+admission at least" : "before+admission at least",
			 0, until_ns, "");
		put_mean(&means, " + ", "scheduler at most", until_ns, all_ns, "");
	}
	tw_page_more(page, " (means of %s", TW_SAY_COUNT(ios, "I/O[s]"));
	if (tw_tally_is_sampled(tally, direction))
		tw_page_more(page, ", estimated, each to +-%s (95 %%)", TW_SAY_NS(
			     parts_error_ns(tally, direction, exact) / (double)ios));
	tw_page_more(page, "; %s)", known);
}

int tw_report_has_write_sync(const struct tw_tally *tally, int direction)
{
	return tally->times[TW_COMPLETE_WORKER][direction].sum_ns != 0;
}

void tw_report_add_write_sync(struct tw_page *page, const struct tw_report *report,
			      int direction)
{
	const struct tw_tally *tally = &report->tally;
	const struct tw_histogram *wake = &tally->times[TW_COMPLETE_WAKE][direction];
	const struct tw_histogram *complete = &tally->times[TW_COMPLETE][direction];
	const uint64_t ios = tally->times[TW_LAT][direction].count;
	const uint64_t all_ns = tw_tally_stage_ns(tally, TW_COMPLETE, direction);
	char names[TW_REPORT_SENTENCE];
	uint64_t smallest_ns = all_ns;
	struct means means;

	if (!wake->count || !all_ns)
		return;
	if (wake->count != complete->count) {
		tw_page_remark(page, "the parts of complete are not known of all I/Os");
		return;
	}
	if (!tw_report_has_write_sync(tally, direction)) {
		tw_page_remark(page, "no sync followed these writes: they are through the "
			       "device's cache (FUA, in device), or it has none");
		return;
	}
	for (unsigned i = TW_COMPLETE_WORKER; i <= TW_COMPLETE_WAKE; i++) {
		const uint64_t part_ns = tw_tally_stage_ns(tally, i, direction);

		if (part_ns && part_ns < smallest_ns)
			smallest_ns = part_ns;
	}
	means = means_of(page, all_ns, smallest_ns, ios);
	tw_page_remark(page, "%s", "");
	put_mean(&means, "", "complete", 0, all_ns, means.unit.name);
	put_sync_parts(&means, tally, TW_COMPLETE_WORKER, direction, 0, " = ");
	tw_page_more(page, ": the sync after the write (means of %s%s)",
		     TW_SAY_COUNT(ios, "I/O[s]"),
		     tw_tally_is_sampled(tally, direction) ? ", estimated" : "");
	if (!tally->times[TW_COMPLETE_FLUSH][direction].sum_ns)
		tw_page_more(page, "; nothing was flushed after the data");
	if (!tally->times[TW_SYNC_WAKE][TW_SYNC].count &&
	    tw_report_say_commits(names, sizeof(names), report, wake->count))
		tw_page_more(page, "; syncs that waited for a commit with handles of "
			     "others: %s", names);
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
