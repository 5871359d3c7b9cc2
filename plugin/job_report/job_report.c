/* SPDX-License-Identifier: GPL-2.0 */
/* The report of one job. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "collect/sys_facts.h"
#include "fio/engine_options.h"
#include "fio/message.h"
#include "fio_run.h"
#include "job_report.h"
#include "latency/histogram_json.h"
#include "record/clock_offsets.h"
#include "record/job_waits.h"
#include "record/kernel_job.h"
#include "record/response.h"
#include "report/report_json.h"
#include "verify.h"

/* A report that is sent is to have 64 KiB. Compressed, and in base64, its JSON has half its size.
 * Most that have more are of several directions, and a third or more of it is their windows. */
#define SENT_JSON	(116U << 10)
#define SENT_WINDOWS	32	/* and so 17 or more: 16 parts of the run tell an odd host */

/* ---- the job ------------------------------------------------------------ */

bool tw_report_run(const struct tw_job *job, const struct tw_filled *of,
		   uint64_t *first_ns, uint64_t *run_ns)
{
	int64_t first = 0, run = 0;

	if (of->first_ticks) {
		first = tw_job_ns(job, job->collected.start.ticks, of->first_ticks);
		run = tw_job_ns(job, of->first_ticks, of->last_ticks);
	}
	/* A time can be negative if its two stamps are of different CPUs. */
	*first_ns = first > 0 ? (uint64_t) first : 0;
	*run_ns = run > 0 ? (uint64_t) run : 0;
	return of->first_ticks != 0;
}

/* Set what @json has of the job apart from the run that it belongs to. */
static void set_job(json_t *json, const struct thread_data *td,
		    const struct tw_job *job, const struct tw_filled *of)
{
	const struct tw_clock_offsets *start = &job->collected.start;
	const struct tw_follow *follow = &job->collected.follow;
	const struct tw_syncs *syncs = &job->hot.syncs;
	uint64_t first_ns, run_ns;

	tw_report_run(job, of, &first_ns, &run_ns);
	json_object_update_new(json, json_pack(
		"{so, so, so, ss, so, sb, sb, sb, so, so*, so*, so*}",
		"start_monotonic_ns", tw_json_digits(tw_clock_offsets_monotonic_ns(job, start,
									start->ticks)),
		"first_ns", tw_json_of_u64(first_ns),
		"run_ns", tw_json_of_u64(run_ns),
		"tickwise_version", TW_VERSION,
		"iodepth", tw_json_of_u64(td->o.iodepth),
		"event_time", ((const struct tw_options *) td->eo)->event_time,
		"event_wait", job->hot.event_wait,
		"fallback", job->hot.system,
		"kernel", tw_kernel_to_json(job),
		"test_nop", job->hot.test_nop ? json_true() : NULL,
		"syncs", syncs->by_index || syncs->why ? json_pack("{ss, ss*}",
			"state", syncs->by_index ? "on" : "off", "why", syncs->why) : NULL,
		"causes", follow->offcpu || follow->why ? tw_why_state_to_json(job) : NULL));
}

int tw_report_begin(struct thread_data *td, const struct tw_job *job,
		    const struct tw_filled *of, struct tw_devices *devices,
		    struct tw_report *report)
{
	report->jobs = calloc(1, sizeof(*report->jobs));
	if (!report->jobs)
		return -ENOMEM;
	report->job_count = 1;
	report->jobs->json = tw_report_job(td, job->hot.timing,
					   job->collected.start_realtime_ns);
	if (!report->jobs->json)
		return -ENOMEM;
	set_job(report->jobs->json, td, job, of);
	return tw_facts_put(job->collected.facts, devices, report);
}

/* ---- the slowest I/Os --------------------------------------------------- */

/* Return the name of the disk that finished last; NULL: the I/O was on no stack of devices. */
static json_t *disk_to_json(const struct tw_kernel_stamps *stamps)
{
	const unsigned minor = stamps->disk & ((1U << TW_STAMPS_MINOR_BITS) - 1);

	if (!(stamps->flags & TW_STAMPS_DISK) || !stamps->disk)
		return NULL;
	return tw_block_name_to_json(makedev(stamps->disk >> TW_STAMPS_MINOR_BITS, minor));
}

static json_t *slow_to_json(const struct tw_job *job, const struct tw_clock_offsets *end,
			    const struct tw_slow_io *slow)
{
	const uint64_t begin = slow->io.prepared_ticks;
	const uint64_t begin_ns = tw_clock_offsets_monotonic_ns(job, end, begin);
	const struct tw_io_times *times = &slow->times;
	const struct tw_why *why = &slow->why;
	json_t *json;

	json = json_pack("{sI, sI, ss, so, so, so, so*, so*, so*, so*, so*, so*, so*}",
		"offset", (json_int_t) slow->offset,
		"size", (json_int_t) slow->size,
		"ddir", tw_direction_names[slow->direction],
		"ticks", tw_json_digits(begin),
		"raw_ns", tw_json_digits(tw_clock_offsets_clock_ns(job, end, begin,
					 job->collected.start.raw, end->raw)),
		"monotonic_ns", tw_json_digits(begin_ns),
		"written_bytes", tw_io_has(times, TW_SYNC_WAKE) && slow->direction == TW_SYNC ?
			json_integer((json_int_t) slow->synced.written_bytes) : NULL,
		"commit", tw_commit_to_json(&slow->synced),
		"submitting_call_ns", tw_io_has(times, TW_CALL) ?
			json_integer((json_int_t) times->ns[TW_CALL]) : NULL,
		"waited_at_most_ns", why->waited_at_most_ns ?
			json_integer((json_int_t) why->waited_at_most_ns) : NULL,
		"disk", disk_to_json(&slow->stamps),
		"in_flight_of_others", slow->others.key == slow->stamps.key ?
				       tw_others_to_json(&slow->others) : NULL,
		"causes", job->collected.follow.offcpu ?
			tw_causes_to_json(tw_time_metrics[why->stage].name,
					  begin_ns + (uint64_t) why->from_ns,
					  times->ns[why->stage], &why->causes,
					  why->followed) : NULL);
	tw_io_times_to_json(json, times);
	if (tw_io_has(times, TW_WORKER) && tw_worker_is_bound(&slow->stamps))
		json_object_set_new(json_object_get(json, "blockq"), "worker_is_bound",
				    json_true());
	return json;
}

/* Set the list, the slowest I/O first. Return 0 or -ENOMEM. */
static int set_slowest(struct tw_report *report, struct tw_job *job,
		       const struct tw_clock_offsets *end)
{
	struct tw_slowest *slowest = &job->collected.slowest;
	uint32_t i;

	tw_slowest_sort(slowest);
	report->slowest = calloc(slowest->count + 1, sizeof(*report->slowest));
	if (!report->slowest)
		return -ENOMEM;
	for (i = 0; i < slowest->count; i++) {
		const struct tw_slow_io *slow = (const struct tw_slow_io *)
			tw_slowest_get(slowest, i);

		report->slowest[report->slow_count++] = (struct tw_report_slow) {
			.json = slow_to_json(job, end, slow),
			.lat_ns = slow->times.ns[TW_LAT],
		};
	}
	tw_metric_put(&report->tally.has, TW_METRIC_SLOWEST);
	return 0;
}

/* ---- what is known at the end ------------------------------------------- */

/* True if fio measures lat, and prints it. Without slat, clat and bw fio does not read when an
 * I/O ends. Without slat it does not read when the reads begin that verify what was written. */
static bool has_fio_lat(const struct thread_data *td)
{
	const struct thread_options *o = &td->o;

	if (!o->stats || o->disable_lat || o->gtod_reduce)
		return false;
	return !o->disable_slat || (!(o->disable_clat && o->disable_bw) &&
		!(td_write(td) && o->do_verify && o->verify != VERIFY_NONE));
}

/* Set fio's own lat, by fio's clock. fio's numbers are complete when it cleans up a job. */
static void set_fio_lat(struct tw_tally *tally, const struct thread_data *td)
{
	unsigned direction;

	if (!has_fio_lat(td))
		return;
	tw_metric_put(&tally->has, TW_METRIC_fio_ios);
	tw_metric_put(&tally->has, TW_METRIC_fio_lat_ns);
	for (direction = TW_READ; direction <= TW_TRIM; direction++) {
		const struct io_stat *lat = &td->ts.lat_stat[direction];

		tally->counts[direction].fio_ios = lat->samples;
		tally->counts[direction].fio_lat_ns = (uint64_t)
			llround(lat->mean.u.f * (double) lat->samples);
	}
}

/* Return for how long fio counts I/Os of each direction: with end_fsync=, and without the time in
 * which it verifies. */
static json_t *fio_run_to_json(const struct thread_data *td)
{
	json_t *json = json_object();
	unsigned direction;

	for (direction = TW_READ; direction <= TW_TRIM; direction++)
		if (td->ts.runtime[direction])
			json_object_set_new(json, tw_direction_names[direction],
					    tw_json_of_u64(td->ts.runtime[direction] * 1000000));
	return json;
}

/* Set the backlog of the last I/Os, and the runs of the kernel's program that were missed. */
static void set_last(struct tw_tally *tally, const struct tw_job *job)
{
	const struct tw_response *response = job->hot.response;
	const struct tw_kernel *kernel = &job->hot.kernel;
	const int64_t missed = tw_kernel_missed();
	unsigned direction;

	if (response)
		tw_metric_put(&tally->has, TW_METRIC_backlog_at_end_ns);
	for (direction = TW_READ; response && direction <= TW_TRIM; direction++)
		tally->counts[direction].backlog_at_end_ns = response->last_backlog_ns[direction];
	if (!kernel->stamps || missed < 0 || kernel->missed < 0)
		return;
	tw_metric_put(&tally->has, TW_METRIC_missed_runs);
	tally->scalars.missed_runs = (uint64_t) (missed - kernel->missed);
}

/* ---- together ----------------------------------------------------------- */

/* Put the run over time into few windows. Return 0 or -ENOMEM. */
static int widen_windows(struct tw_windows *windows)
{
	struct tw_windows few = { 0 };
	int ret = tw_windows_init(&few, SENT_WINDOWS);

	if (!ret)
		ret = tw_windows_merge(&few, windows);
	tw_windows_free(ret ? &few : windows);
	if (!ret)
		*windows = few;
	return ret;
}

/* Return what is sent to fio's client; NULL without memory. A large report has fewer windows. */
static json_t *lean_json(struct tw_report *report)
{
	json_t *json = tw_report_to_lean_json(report);
	int ret;

	if (!json || json_dumpb(json, NULL, 0, JSON_REAL_PRECISION(17)) <= SENT_JSON)
		return json;
	json_decref(json);
	ret = widen_windows(&report->tally.over_time);
	for (size_t i = 0; i < report->device_count && !ret; i++)
		if (report->devices[i].over_time.count)
			ret = widen_windows(&report->devices[i].over_time);
	return ret ? NULL : tw_report_to_lean_json(report);
}

/* Return the report, whose "counter" is empty; NULL without memory. It takes the job's
 * tally. @lean: out, the report for fio's client; NULL: it is not needed. */
static json_t *report_to_json(struct thread_data *td, struct tw_job *job,
			      struct tw_filled *filled, json_t **lean)
{
	struct tw_report report = { .tally = filled->tally };
	const struct tw_options *o = td->eo;
	const uint64_t storage_bytes = tw_read_from_storage();
	struct tw_clock_offsets end;
	json_t *json = NULL;
	int ret;

	/* The header of the intervals may have lacked it, which is another file. */
	tw_json_forget_lack();
	tw_clock_offsets_read(job, &end);
	memset(&filled->tally, 0, sizeof(filled->tally));
	set_fio_lat(&report.tally, td);
	set_last(&report.tally, job);
	ret = tw_report_begin(td, job, filled, job->hot.devices, &report);
	if (!ret) {
		json_object_set_new(report.jobs->json, "fio_run_ns", fio_run_to_json(td));
		json_object_set_new(report.jobs->json, "machine_over_time",
			tw_samples_to_json(job, tw_clock_offsets_monotonic_ns(job,
				&job->collected.start, job->collected.start.ticks)));
	}
	if (!ret && !tw_engine_commands && storage_bytes != UINT64_MAX &&
	    storage_bytes >= job->collected.start_storage_bytes)
		json_object_set_new(report.jobs->json, "storage_read_bytes", tw_json_of_u64(
			storage_bytes - job->collected.start_storage_bytes));
	if (!ret && o->slowest)
		ret = set_slowest(&report, job, &end);
	if (!ret && job->collected.waits)
		ret = tw_job_waits_put(job->collected.waits, job->collected.facts->where, &report);
	report.clocks = tw_clocks_to_json(job, &end);
	report.counter = json_object();
	if (job->hot.trigger.above_ns)
		report.triggers = json_pack("[o]", tw_trigger_to_json(job, &end));
	if (job->collected.others_sums)
		report.others = tw_others_sums_to_json(job->collected.others_sums);
	if (job->collected.commits && job->collected.commits->count)
		report.commits = tw_commits_to_json(job->collected.commits);
	if (!ret)
		json = tw_report_to_json(&report);
	if (json && lean)
		*lean = lean_json(&report);
	tw_report_free(&report);
	return json;
}

int tw_report_write(struct thread_data *td, struct tw_job *job, int error)
{
	struct tw_filled *filled = tw_fill_now(&job->collected.filling);
	const struct tw_tally *tally = &filled->tally;
	const uint64_t empty = tally->counts[TW_READ].zero_byte + tally->counts[TW_WRITE].zero_byte;
	const struct tw_options *o = td->eo;
	struct tw_to_client to_client = { .token = o->send };
	struct tw_job_end end = {
		.cpus = job->collected.cpus,
		.backwards = tally->scalars.negative_stages + tally->scalars.negative_beyond,
	};
	unsigned direction;
	json_t *report;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		end.backwards += tally->counts[direction].clock_went_back;
	/* fio counts them as if they were complete. */
	if (empty)
		tw_message("tickwise: %s: %llu of its reads and writes "
			"moved nothing (the device is gone, or the file ends "
			"before them): fio counts them, but their latencies "
			"are not those of transfers\n", td->o.name,
			(unsigned long long) empty);
	if (!tw_report_is_wanted(o->report) && !tw_is_sent(o->send))
		return 0;
	report = error ? NULL : report_to_json(td, job, filled, tw_is_sent(o->send) ?
					       &to_client.report : NULL);
	tw_job_look(td->o.name, job->hot.timing, &end);
	return tw_run_report(td, o->report, "tickwise", report, &to_client, job->hot.timing, &end);
}
