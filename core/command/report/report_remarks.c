/* SPDX-License-Identifier: MIT */
/*
 * Sentences on a page: what to know of the counter before its times are believed, I/Os
 * that no stage has, how I/Os were split inside the kernel, what makes deliver large, files
 * with holes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/report/report_parts.h"
#include "latency/histogram.h"

/* ---- the counter ---------------------------------------------------------- */

/* Reasons of an undecided check only explain why it could not decide, but for those that
 * `tickwise check` warns of whatever its verdict. A check that was too short, or was
 * disturbed, proves nothing. So this is no warning. */
void tw_report_add_counter(struct tw_page *page, const struct tw_report_group *group,
			   int is_warning)
{
	static const char *const says[TW_REPORT_VERDICTS] = {
		[TW_REPORT_RELIABLE] = "the counter is not used:",
		[TW_REPORT_UNCHECKED] = "the counter was not checked:",
		[TW_REPORT_UNDECIDED] = "whether the counter is reliable could not be decided:",
		[TW_REPORT_UNRELIABLE] = "the counter is unreliable:",
	};
	const json_t *reasons = json_object_get(group->all.counter, "reasons");
	const size_t count = json_array_size(reasons);
	const int agrees = group->all.verdict == TW_REPORT_RELIABLE && !group->fallbacks;
	size_t others = 0;	/* reasons other than that there is nothing to compare */
	const json_t *machine = tw_report_machine(&group->all, group->all.jobs[0].host);
	int warns = group->fallbacks || (group->all.verdict != TW_REPORT_UNDECIDED && !agrees);

	for (size_t i = 0; i < count; i++) {
		const char *code = tw_report_string(json_array_get(reasons, i), "code");

		others += strcmp(code, "one_cpu") != 0;
		warns |= !strcmp(code, "not_invariant") ||
			 (!strcmp(code, "clocksource") &&
			  !(agrees && json_object_get(machine, "hypervisor")));
	}
	if (warns != is_warning || (agrees && !others))
		return;
	/* A good verdict can have reasons: the CPUs agree, but another source warns. */
	if (warns)
		tw_page_warning(page, "%s", agrees ? "the CPUs' counters agree, but" :
				says[group->all.verdict]);
	else
		tw_page_paragraph(page, agrees ? "the CPUs' counters agree, but" :
				  "counter: nothing was found against it, but not all could be "
				  "checked:");
	for (size_t i = 0; i < count; i++)
		tw_page_more(page, " %s%s", tw_report_string(json_array_get(reasons, i), "text"),
			     i + 1 < count ? ";" : ".");
	if (count == 0)
		tw_page_more(page, " no reason is given.");
	if (group->fallbacks == group->all.job_count)
		tw_page_more(page, " All times here are the system clock's, not the "
			     "counter's.");
	else if (group->fallbacks)
		tw_page_more(page, " In %zu of %zu jobs times are the system clock's, "
			     "not the counter's.", group->fallbacks, group->all.job_count);
}

/* ---- deliver ---------------------------------------------------------------- */

#define MIN_PERCENT	10	/* of lat: less is not worth an option */

/* An option as a number; 1, fio's default, where the job does not give it. */
static long number_of(const struct tw_report_job *job, const char *name)
{
	const char *text = json_string_value(tw_job_option(job, name));

	return text ? atol(text) : 1;
}

/* How fio verifies each I/O; NULL: it does not. */
static const char *verify_of(const struct tw_report_group *group)
{
	const char *verify = json_string_value(tw_job_option(&group->all.jobs[0],
								 "verify"));

	return verify && strcmp(verify, "0") ? verify : NULL;
}

/*
 * By default fio takes one completion from the ring, submits the next I/O, and takes the
 * next completion. The completions that are in the ring meanwhile wait, and deliver has
 * that wait. fio takes at least as many completions at a time as it waits for: then those
 * that came first wait, by the kernel in complete or reap. A report without options can't
 * tell.
 */
void tw_report_add_deliver(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_histogram *lat = group->all.tally.times[TW_LAT];
	const struct tw_histogram *deliver = group->all.tally.times[TW_DELIVER];
	const struct tw_report_job *first = &group->all.jobs[0];
	const char *verify = verify_of(group);
	int is_large = 0;
	long least;

	for (int i = 0; i < TW_DIRECTIONS; i++)
		is_large |= lat[i].count && (double)deliver[i].sum_ns * 100 >
					    (double)lat[i].sum_ns * MIN_PERCENT;
	if (!is_large || first->iodepth <= 1 || !first->options)
		return;
	least = number_of(first, "iodepth_batch_complete");
	if (number_of(first, "iodepth_batch_complete_min") > least)
		least = number_of(first, "iodepth_batch_complete_min");
	if (least > 1)
		tw_page_paragraph(page, "deliver: fio waits for %ld completions at a time "
				  "(iodepth_batch_complete_min)", least);
	if (least > 1 || number_of(first, "iodepth_batch_complete_max") != 1)
		return;
	if (verify) {
		tw_page_paragraph(page, "deliver: fio verifies each I/O (verify=%s) before it "
				  "takes the next", verify);
		return;
	}
	tw_page_paragraph(page, "deliver: fio takes a completion, submits an I/O, and only then "
			  "takes the next completion; iodepth_batch_complete_max=%llu may shorten "
			  "that", (unsigned long long)first->iodepth);
}

/* ---- holes ------------------------------------------------------------------- */

/* A hole of more than this part of a file is worth a warning: a tenth. */
#define LARGE_HOLE_PART	10

/* Of fewer I/Os nothing follows. */
#define FEWEST_KNOWN	100

/* A job that is behind by this part of its run did not keep its rate: one percent. */
#define BEHIND_PART	100

/* From this part of the backlog on, the job itself is the reason. */
#define OWN_PART	0.5

double tw_report_own_backlog(const struct tw_tally *tally)
{
	double backlog_ns = 0;

	for (int i = 0; i < TW_DIRECTIONS; i++)
		backlog_ns += (double)tally->times[TW_BACKLOG][i].sum_ns;
	return backlog_ns > 0 && tw_has(tally, TW_METRIC_generator_ns) ?
		(double)tally->scalars.generator_ns / backlog_ns : -1;
}

uint64_t tw_report_behind_ns(const struct tw_report_group *group)
{
	const struct tw_tally *tally = &group->all.tally;
	uint64_t behind_ns = 0;

	if (!tw_has(tally, TW_METRIC_backlog_at_end_ns))
		return 0;
	for (int i = 0; i < TW_DIRECTIONS; i++)
		if (tally->counts[i].backlog_at_end_ns > behind_ns)
			behind_ns = tally->counts[i].backlog_at_end_ns;
	return behind_ns > group->run_ns / BEHIND_PART + tally->scalars.schedule_ns ? behind_ns : 0;
}

void tw_report_warn_rate(struct tw_page *page, const struct tw_report_group *group,
			 const char *who)
{
	static const char *const names[] = { "rate_iops", "rate", "tw_rate_iops" };
	const uint64_t behind_ns = tw_report_behind_ns(group);

	if (!behind_ns)
		return;
	tw_page_warning(page, "%srate not kept", who);
	for (size_t i = 0; i < TW_LENGTH(names); i++) {
		const json_t *rate = tw_job_option(&group->all.jobs[0], names[i]);

		if (rate)
			tw_page_more(page, " (%s=%s)", names[i], json_string_value(rate));
	}
	tw_page_more(page, ": I/Os began up to %s late, which lat %s%s", TW_SAY_NS(behind_ns),
		     tw_has(&group->all.tally, TW_METRIC_depth_reached) ? "includes" :
		     "leaves out", tw_report_own_backlog(&group->all.tally) < OWN_PART ? "" :
		     "; mostly because of fio, the engine, its submitting calls or a missing CPU");
}

void tw_report_warn_errors(struct tw_page *page, const struct tw_report_group *group,
			   const char *who)
{
	for (int i = 0; i < TW_DIRECTIONS && !group->all.attached; i++) {
		const struct tw_counts *counts = &group->all.tally.counts[i];

		if (counts->errors)
			tw_page_warning(page, "%s%llu of %llu %ss failed; IOPS and lat are of "
					"the others", who,
					(unsigned long long)counts->errors,
					(unsigned long long)(counts->ios + counts->errors),
					tw_direction_names[i]);
	}
}

#define APART_PART	1.1	/* of the longest job */

void tw_report_warn_apart(struct tw_page *page, const struct tw_report_group *group,
			  const char *who)
{
	const uint64_t all_ns = tw_report_all_ns(group);

	if (!group->all.attached && !group->span.is_wanted && group->run_ns &&
	    !tw_report_other_hosts(group) &&
	    (double)all_ns > APART_PART * (double)group->run_ns)
		tw_page_warning(page, "%sthe jobs did not run at the same time: IOPS and MiB/s are "
				"over the %s of the longest one, and all took %s", who,
				TW_SAY_ROUND(group->run_ns), TW_SAY_ROUND(all_ns));
}

/* Is there a device that never has requests? */
static int has_no_requests(const struct tw_report *report)
{
	for (size_t i = 0; i < report->device_count; i++) {
		const char *name = report->devices[i].name;

		if (!strncmp(name, "zram", 4) || !strncmp(name, "ram", 3) ||
		    !strncmp(name, "pmem", 4) || (!strncmp(name, "dm-", 3) &&
		    !json_object_get(report->devices[i].json, "members")))
			return 1;
	}
	return 0;
}

/* Are the files on block devices that have requests? File systems without one, such as tmpfs and
 * FUSE, have the major number 0. */
static int are_on_disks(const struct tw_report *report)
{
	for (size_t i = 0; i < report->device_count; i++)
		if (!strncmp(report->devices[i].number, "0:", 2))
			return 0;
	return report->device_count && !has_no_requests(report);
}

static int is_direct(const struct tw_report *report)
{
	const char *caching = tw_report_caching(&report->jobs[0]);

	return caching && !strcmp(caching, "direct");
}

/* Warn of I/Os that hardly ever reached a device, by those that were split. I/Os through the page
 * cache have no requests of their own, also if others read their pages from the device. */
static void warn_no_request(struct tw_page *page, const struct tw_report *report,
			    const char *who)
{
	for (int i = TW_READ; is_direct(report) && i <= TW_WRITE; i++) {
		const struct tw_counts *counts = &report->tally.counts[i];
		const uint64_t known = counts->split + counts->no_request;

		if (counts->no_request < known / 10 * 9 || known < FEWEST_KNOWN ||
		    report->attached || has_no_requests(report))
			continue;
		tw_page_warning(page, "%s%.0f %% of the %ss did not reach the device: a cache or "
				"holes answered them. IOPS and lat are not the device's.", who,
				floor(100 * (double)counts->no_request / (double)known),
				tw_direction_names[i]);
	}
}

/* Do io_uring's threads count as the process's? They do since Linux 5.12. */
static int have_threads_of_ring(const struct tw_report *report)
{
	unsigned version, level;
	json_t *machine;
	size_t i;
	int have = 1;

	json_array_foreach(report->machines, i, machine)
		have &= sscanf(tw_report_string(machine, "kernel"), "%u.%u", &version, &level) == 2 &&
			(version > 5 || (version == 5 && level >= 12));
	return have;
}

/* Warn of reads through the page cache, and of others that were not split, by what the jobs'
 * processes read from storage. Each of several threads has the sum of all. */
static void warn_cached(struct tw_page *page, const struct tw_report *report, const char *who)
{
	const struct tw_counts *reads = &report->tally.counts[TW_READ];
	double bytes = 0;

	for (size_t i = 0; i < report->job_count; i++) {
		const struct tw_report_job *job = &report->jobs[i];

		if (!json_object_get(job->json, "storage_read_bytes") ||
		    json_object_get(job->json, "test_nop") ||
		    ((tw_job_option(job, "sqthread_poll") || tw_job_option(job, "force_async")) &&
		     !have_threads_of_ring(report)))
			return;
		bytes += (double)tw_report_u64(job->json, "storage_read_bytes");
	}
	if ((is_direct(report) && reads->split + reads->no_request) ||
	    reads->ios < FEWEST_KNOWN || !reads->bytes || 10 * bytes > (double)reads->bytes ||
	    !are_on_disks(report))
		return;
	tw_page_warning(page, "%s%.0f %% of the bytes that were read did not come from the device: "
			"a cache or holes had them. IOPS and lat are not the device's.", who,
			floor(100 - 100 * bytes / (double)reads->bytes));
}

/* Does this job write to the page cache, and wait for no write to be on the device? */
static int never_syncs(const struct tw_report_job *job)
{
	static const char *const options[] = { "sync", "fsync", "fdatasync", "sync_file_range",
					       "end_fsync", "fsync_on_close" };
	const char *caching = tw_report_caching(job);

	for (size_t i = 0; i < TW_LENGTH(options); i++) {
		const char *value = json_string_value(tw_job_option(job, options[i]));

		if (value && strcmp(value, "0") && strcmp(value, "none"))
			return 0;
	}
	return caching && !strcmp(caching, "buffered") &&
	       !strcmp(tw_report_string(job->json, "engine"), "tickwise") &&
	       !json_object_get(job->json, "test_nop");
}

/* Warn of writes whose time is that of a copy to memory. */
static void warn_never_synced(struct tw_page *page, const struct tw_report *report,
			      const char *who)
{
	for (size_t i = 0; i < report->job_count; i++)
		if (!never_syncs(&report->jobs[i]))
			return;
	if (report->tally.counts[TW_WRITE].ios >= FEWEST_KNOWN &&
	    !report->tally.counts[TW_SYNC].ios && are_on_disks(report))
		tw_page_warning(page, "%sthe writes are buffered, and nothing waits until they "
				"are on the device: lat is not the device's, and IOPS need not "
				"be. Measure with direct=1, or IOPS with end_fsync=1.", who);
}

void tw_report_warn_holes(struct tw_page *page, const struct tw_report *report,
			  const char *who)
{
	size_t i;
	json_t *file;

	for (i = 0; i < report->job_count; i++)
		if (json_object_get(report->jobs[i].json, "test_nop")) {
			tw_page_warning(page, "%stw_test_nop=1: no data was read or written. These "
					"are figures of fio and the engine.", who);
			break;
		}
	warn_no_request(page, report, who);
	warn_cached(page, report, who);
	warn_never_synced(page, report, who);
	json_array_foreach(report->files, i, file) {
		const uint64_t size = tw_report_u64(file, "size");
		const uint64_t holes = tw_report_u64(file, "holes");

		if (LARGE_HOLE_PART * holes <= size)
			continue;
		tw_page_warning(page, "%s%s", who, tw_report_string(file, "path"));
		if (json_object_get(file, "size"))
			tw_page_more(page, ", %s", TW_SAY_BYTES(size));
		tw_page_more(page, ", %s of which are holes. Reads of holes do not reach the "
			     "device.", TW_SAY_BYTES(holes));
		return;
	}
}

/* ---- I/Os apart --------------------------------------------------------------- */

/* Add the parts of a count in brackets, or what else is to say of it. */
static void add_more(struct tw_page *page, const struct tw_counts *counts, size_t of)
{
	const char *before = " (";

	for (size_t i = 0; i < TW_COUNTS; i++) {
		const struct tw_count_metric *metric = &tw_count_metrics[i];
		const uint64_t count = counts->at[i];

		if (metric->of != of || !metric->is_part || !count)
			continue;
		tw_page_more(page, "%s%s", before, TW_SAY_COUNT(count, metric->label));
		before = ", ";
	}
	if (*before == ' ')
		tw_page_more(page, " (%s", tw_count_metrics[of].detail);
	tw_page_more(page, ")");
}

/* Add the counts that are shown there by the words of their metrics, after @beginning. */
static void add_kinds(struct tw_page *page, const struct tw_counts *counts,
		      enum tw_show show, const char *beginning)
{
	const char *before = beginning;

	for (size_t i = 0; i < TW_COUNTS; i++) {
		const struct tw_count_metric *metric = &tw_count_metrics[i];
		const uint64_t count = counts->at[i];

		if (metric->show != show || !count)
			continue;
		if (before == beginning)
			tw_page_also(page, "%s", before);
		else
			tw_page_more(page, "%s", before);
		tw_page_more(page, "%s", TW_SAY_COUNT(count, metric->label));
		if (show == TW_AMONG)
			add_more(page, counts, i);
		before = ", ";
	}
}

void tw_report_add_kinds(struct tw_page *page, const struct tw_report_group *group,
			 int direction)
{
	const struct tw_counts *counts = &group->all.tally.counts[direction];

	tw_page_remark(page, "%s", "");
	if (!group->all.attached) {
		add_kinds(page, counts, TW_APART, "not among these, nor in fio's lat: ");
		add_kinds(page, counts, TW_IN_FIO_LAT, "not among these, but in fio's lat: ");
	}
	add_kinds(page, counts, TW_AMONG, "among these: ");
}

/* ---- inside the kernel ---------------------------------------------------------- */

/* Does this metric count I/Os that were not split for one reason? */
static int is_reason(size_t metric)
{
	return strncmp(tw_count_metrics[metric].path, "kernel_stages.not_split.", 24) == 0;
}

void tw_report_add_inside(struct tw_page *page, const struct tw_report_group *group,
			  int direction, unsigned rest)
{
	const struct tw_counts *counts = &group->all.tally.counts[direction];
	const struct tw_scalars *scalars = &group->all.tally.scalars;
	const char *before = ";";
	uint64_t not_split = 0;
	int by_helper = 0;

	for (size_t i = 0; i < TW_COUNTS; i++)
		not_split += is_reason(i) ? counts->at[i] : 0;
	if (!counts->split && !not_split)
		return;
	tw_page_remark(page, "inside the kernel: ");
	if (counts->split && !scalars->missed_runs &&
	    100 * (not_split - counts->not_chosen) <= counts->split)
		tw_page_only(page, rest);
	/* Rounded down, so that only all I/Os are 100 %. */
	if (counts->split == 0)
		tw_page_more(page, "none");
	else if (counts->split == counts->ios)
		tw_page_more(page, "100 %%");
	else
		tw_page_more(page, "%.2f %%",
			     floor(1e4 * (double)counts->split / (double)counts->ios) / 100);
	tw_page_more(page, " of %s split into stages", TW_SAY_COUNT(counts->ios, "I/O[s]"));
	for (size_t i = 0; i < TW_COUNTS; i++) {
		const uint64_t count = is_reason(i) ? counts->at[i] : 0;

		if (!count)
			continue;
		tw_page_more(page, "%s %s (%s)", before,
			     TW_SAY_COUNT(count, tw_count_metrics[i].label),
			     tw_count_metrics[i].detail);
		before = ",";
	}
	if (counts->split && scalars->clock_error_ns)
		tw_page_more(page, "; stamps are at most %s off",
			     TW_SAY_NS(scalars->clock_error_ns));
	for (size_t i = 0; i < group->all.job_count; i++)
		by_helper |= group->all.jobs[i].by_helper;
	if (by_helper)
		tw_page_more(page, "; by tickwise kernel-helper");
	if (scalars->missed_runs)
		tw_page_more(page, "; the kernel skipped %s of the program, so stamps may "
			     "be missing", TW_SAY_COUNT(scalars->missed_runs, "run[s]"));
}

void tw_report_add_unsplit_syncs(struct tw_page *page, const struct tw_report_group *group)
{
	const char *why = NULL;

	for (size_t i = 0; i < group->all.job_count && !why; i++)
		why = group->all.jobs[i].unsplit_syncs;
	if (why)
		tw_page_remark(page, "the parts of kernel are not known: %s", why);
}

/* Add a part of the time in the device. */
static void add_others_time(struct tw_page *page, const struct tw_tally *tally,
			     int direction, unsigned time, double all_ns)
{
	const struct tw_histogram *part = &tally->times[time][direction];

	tw_page_more(page, " %.0f %%, p50 %s", 100 * (double)part->sum_ns / all_ns,
		     TW_SAY_NS(tw_histogram_percentile(part, 50)));
	if (tw_has_percentile((double)tw_histogram_values(part), 99))
		tw_page_more(page, ", p99 %s", TW_SAY_NS(tw_histogram_percentile(part, 99)));
}

void tw_report_add_others_times(struct tw_page *page, const struct tw_report_group *group,
				 int direction, unsigned rest)
{
	const struct tw_tally *tally = &group->all.tally;
	const struct tw_scalars *scalars = &tally->scalars;
	const double alone_ns = (double)tally->times[TW_ALONE_IN_DEVICE][direction].sum_ns;
	const char *before = "", *names;
	double all_ns = 0;

	for (unsigned time = TW_ALONE_IN_DEVICE; time <= TW_WITH_COMMANDS; time++)
		all_ns += (double)tally->times[time][direction].sum_ns;
	if (!(all_ns > 0))
		return;
	tw_page_remark(page, "time in the device:");
	if (100 * (all_ns - alone_ns) < MIN_PERCENT * all_ns)
		tw_page_only(page, rest);
	for (unsigned time = TW_ALONE_IN_DEVICE; time <= TW_WITH_COMMANDS; time++) {
		if (200 * (double)tally->times[time][direction].sum_ns < all_ns)
			continue;
		if (time == TW_ALONE_IN_DEVICE)
			tw_page_more(page, " without I/O of others");
		else
			tw_page_more(page, "%s behind %s of others", before,
				     tw_others_text[time - TW_WITH_READS]);
		add_others_time(page, tally, direction, time, all_ns);
		before = ";";
	}
	tw_page_more(page, " (by what it had in flight when it got the I/O)");
	names = tw_report_say_others_sums(&group->all, direction, all_ns);
	if (names)
		tw_page_more(page, "; by name: %s", names);
	if (scalars->counted)
		tw_page_more(page, "; counting this took %s of blockq",
			     TW_SAY_NS((double)scalars->counting_ns / (double)scalars->counted));
	if (scalars->counted_cut)
		tw_page_more(page, "; not all was counted for %s",
			     TW_SAY_COUNT(scalars->counted_cut, "I/O[s]"));
	if (scalars->driver_requeues)
		tw_page_more(page, "; the driver was busy and took requests later: %s",
			     TW_SAY_COUNT(scalars->driver_requeues, "time[s]"));
}

/* Fewer pairs tell nothing. */
#define FEWEST_PAIRS	6

void tw_report_add_cost(struct tw_page *page, const struct tw_report_group *group,
			unsigned rest)
{
	const struct tw_scalars *has = &group->all.tally.scalars;
	const double on_ns = (double)has->cost_cpu_on_ps / 1e3 / (double)has->cost_pairs;
	const double lat_on_ns = (double)has->cost_lat_on_ps / 1e3 / (double)has->cost_pairs;
	struct tw_cost cpu, lat;

	if (has->every < 2)
		return;
	if (has->cost_pairs < FEWEST_PAIRS || !(on_ns > 0)) {
		tw_page_paragraph(page, "cost of splitting I/Os: not known, the run is too short "
				  "or has too few I/Os");
		tw_page_only(page, rest);
		return;
	}
	cpu = tw_tally_cost(has, 0);
	lat = tw_tally_cost(has, 1);
	if (cpu.low_ns > 0)
		tw_page_paragraph(page, "cost of splitting I/Os: %.1f %% of the CPU time (%.1f to "
				  "%.1f %%)", 100 * cpu.of_ns / on_ns,
				  100 * cpu.low_ns / on_ns, 100 * cpu.high_ns / on_ns);
	else if (cpu.high_ns > 0)
		tw_page_paragraph(page, "cost of splitting I/Os: at most %.1f %% of the CPU time",
				  100 * cpu.high_ns / on_ns);
	else
		tw_page_paragraph(page, "cost of splitting I/Os: below the noise");
	if (lat.low_ns > 0)
		tw_page_more(page, ", %s of lat (%s to %s)", TW_SAY_NS(lat.of_ns),
			     TW_SAY_NS(lat.low_ns), TW_SAY_NS(lat.high_ns));
	else
		tw_page_more(page, ", at most %s of lat", TW_SAY_NS(fmax(lat.high_ns, 0)));
	tw_page_more(page, ", without entering the kernel's programs");
	/* It matters from 5 % of the CPU time or 1 % of lat on. */
	if (20 * cpu.low_ns < on_ns && 100 * lat.low_ns < lat_on_ns)
		tw_page_only(page, rest);
}

void tw_report_add_not_split(struct tw_page *page, const struct tw_report_group *group)
{
	const char *why = NULL;
	size_t off = 0;

	for (size_t i = 0; i < group->all.job_count; i++) {
		const struct tw_report_job *job = &group->all.jobs[i];

		if (job->kernel_why && !off++)
			why = job->kernel_why;
	}
	if (!off)
		return;
	tw_page_remark(page, "not split inside the kernel");
	if (group->all.job_count > 1)
		tw_page_more(page, " in %zu of %zu jobs%s", off, group->all.job_count,
			     off > 1 ? "; why in the first" : "");
	tw_page_more(page, ": %s", why);
}

void tw_report_warn_inside(struct tw_page *page, const struct tw_report_group *group,
			   const char *who)
{
	const struct tw_scalars *scalars = &group->all.tally.scalars;

	if (scalars->negative_beyond)
		tw_page_warning(page, "%s%s inside the kernel came out negative "
				"by more than the clocks' error (%s). A negative stage "
				"counts as 0. The stages from submit to reap of their "
				"I/Os are wrong; their sum and lat are not. Please "
				"report this as a bug, with the report's file.", who,
				TW_SAY_COUNT(scalars->negative_beyond, "stage[s]"),
				TW_SAY_NS(scalars->clock_error_ns));
}
