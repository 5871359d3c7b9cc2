/* SPDX-License-Identifier: GPL-2.0 */
/* Which metrics of a report a job records, by what it asks for and what the kernel gives. */
#include "job_record.h"
#include "kernel_job.h"
#include "response.h"

#define STAGE_METRIC(stage)	(TW_METRIC_TIMES + (unsigned) (stage))

static void put_metrics(struct tw_metric_set *has, const unsigned *metrics, unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++)
		tw_metric_put(has, metrics[i]);
}

static const unsigned of_every_job[] = {
	TW_METRIC_ios, TW_METRIC_bytes, TW_METRIC_requeued, TW_METRIC_zero_byte, TW_METRIC_errors,
	TW_METRIC_short_ios, TW_METRIC_unaccounted, TW_METRIC_clock_went_back, TW_METRIC_enters,
	TW_METRIC_reaps, TW_METRIC_largest_reap, TW_METRIC_negative_stages,
	STAGE_METRIC(TW_LAT), TW_METRIC_OVER_TIME,
};

static const unsigned of_stages[] = {
	STAGE_METRIC(TW_QUEUE), STAGE_METRIC(TW_KERNEL), STAGE_METRIC(TW_DELIVER), TW_METRIC_BY_LAT,
};

static const unsigned of_kernel[] = {
	TW_METRIC_split, TW_METRIC_no_request, TW_METRIC_missing_stamp, TW_METRIC_sync_write,
	TW_METRIC_no_stamps, TW_METRIC_not_chosen, TW_METRIC_every, TW_METRIC_cost_pairs,
	TW_METRIC_cost_cpu_off_ps, TW_METRIC_cost_cpu_on_ps, TW_METRIC_cost_cpu_ns2,
	TW_METRIC_cost_lat_off_ps, TW_METRIC_cost_lat_on_ps, TW_METRIC_cost_lat_ns2,
	TW_METRIC_requests, TW_METRIC_retries, TW_METRIC_negative_within,
	TW_METRIC_negative_beyond, TW_METRIC_clock_error_ns, STAGE_METRIC(TW_SUBMIT),
	STAGE_METRIC(TW_BLOCKQ), STAGE_METRIC(TW_DEVICE), STAGE_METRIC(TW_COMPLETE),
	STAGE_METRIC(TW_REAP), STAGE_METRIC(TW_SCHEDULER),
};

static const unsigned of_workers[] = {
	TW_METRIC_workers, TW_METRIC_workers_asked, TW_METRIC_workers_block_layer,
	TW_METRIC_workers_file_system, TW_METRIC_workers_unknown,
};

static const unsigned of_exact_parts[] = {
	STAGE_METRIC(TW_WORKER), STAGE_METRIC(TW_BEFORE), STAGE_METRIC(TW_ADMISSION),
	TW_METRIC_workers_late,
};

static const unsigned of_others[] = {
	STAGE_METRIC(TW_ALONE_IN_DEVICE), STAGE_METRIC(TW_WITH_READS), STAGE_METRIC(TW_WITH_WRITES),
	STAGE_METRIC(TW_WITH_FLUSHES), STAGE_METRIC(TW_WITH_DISCARDS),
	STAGE_METRIC(TW_WITH_COMMANDS), TW_METRIC_counted, TW_METRIC_counting_ns, TW_METRIC_counted_cut,
	TW_METRIC_driver_requeues,
};

static const unsigned of_waking[] = {
	STAGE_METRIC(TW_COMPLETE_WAKING), STAGE_METRIC(TW_COMPLETE_POSTING),
};

static const unsigned of_syncs[] = {
	STAGE_METRIC(TW_SYNC_WORKER), STAGE_METRIC(TW_SYNC_DATA), STAGE_METRIC(TW_SYNC_JOURNAL),
	STAGE_METRIC(TW_SYNC_FLUSH), STAGE_METRIC(TW_SYNC_WAKE), TW_METRIC_unsplit_syncs, TW_METRIC_sync_bytes,
};

static const unsigned of_sync_writes[] = {
	STAGE_METRIC(TW_COMPLETE_WORKER), STAGE_METRIC(TW_COMPLETE_DATA),
	STAGE_METRIC(TW_COMPLETE_JOURNAL), STAGE_METRIC(TW_COMPLETE_FLUSH),
	STAGE_METRIC(TW_COMPLETE_WAKE),
};

static const unsigned of_open_loop[] = {
	TW_METRIC_depth_reached, TW_METRIC_generator_ns, STAGE_METRIC(TW_BACKLOG),
};

/* Return the metrics that the job records. What is known only at its end is not among
 * them. */
static struct tw_metric_set rows_of(const struct tw_job *job)
{
	struct tw_metric_set has = { { 0 } };

	put_metrics(&has, of_every_job, FIO_ARRAY_SIZE(of_every_job));
	if (job->hot.stages)
		put_metrics(&has, of_stages, FIO_ARRAY_SIZE(of_stages));
	/* With SQPOLL no call submits the I/Os. */
	if (job->hot.stages && !job->ring.polled_submission)
		tw_metric_put(&has, STAGE_METRIC(TW_CALL));
	if (job->hot.kernel.stamps) {
		put_metrics(&has, of_kernel, FIO_ARRAY_SIZE(of_kernel));
		put_metrics(&has, of_workers, FIO_ARRAY_SIZE(of_workers));
	}
	if (job->hot.kernel.has_parts)
		put_metrics(&has, of_exact_parts, FIO_ARRAY_SIZE(of_exact_parts));
	if (job->hot.kernel.others)
		put_metrics(&has, of_others, FIO_ARRAY_SIZE(of_others));
	if (job->hot.kernel.others && job->collected.follow.offcpu)
		put_metrics(&has, of_waking, FIO_ARRAY_SIZE(of_waking));
	if (job->hot.syncs.by_index)
		put_metrics(&has, of_syncs, FIO_ARRAY_SIZE(of_syncs));
	if (job->hot.syncs.of_writes && job->hot.kernel.stamps)
		put_metrics(&has, of_sync_writes, FIO_ARRAY_SIZE(of_sync_writes));
	if (job->hot.response)
		tw_metric_put(&has, TW_METRIC_schedule_ns);
	if (job->hot.response && !tw_is_open_loop(job))
		tw_metric_put(&has, STAGE_METRIC(TW_RATE_BACKLOG));
	if (tw_is_open_loop(job))
		put_metrics(&has, of_open_loop, FIO_ARRAY_SIZE(of_open_loop));
	if (job->hot.event_time)
		tw_metric_put(&has, STAGE_METRIC(TW_RESIDUAL));
	return has;
}

/* Windows over time of a line. Without intervals there are TW_WINDOWS_MOST. */
#define LINE_WINDOWS	32

int tw_record_init(const struct thread_data *td, const struct tw_job *job,
		   struct tw_tally *tally)
{
	const struct tw_options *o = td->eo;
	const struct tw_metric_set has = rows_of(job);
	const bool does[TW_DIRECTIONS] = {
		[TW_READ] = td_read(td) || td->o.verify,
		[TW_WRITE] = td_write(td),
		[TW_TRIM] = td_trim(td),
		[TW_SYNC] = tw_job_syncs(td),
	};
	unsigned direction;
	int ret = tw_tally_init(tally, &has, o->digits,
				o->interval_us ? LINE_WINDOWS : TW_WINDOWS_MOST);

	if (ret)
		return ret;
	/* A job that splits nothing, or is no open loop, knows so: no I/O has these. It can be
	 * merged with jobs that do. Nothing is counted, so this takes no memory. */
	tw_metric_put(&tally->has, STAGE_METRIC(TW_BACKLOG));
	if (job->hot.stages)
		put_metrics(&tally->has, of_kernel, FIO_ARRAY_SIZE(of_kernel));
	if (job->hot.stages && !job->hot.kernel.stamps)
		put_metrics(&tally->has, of_exact_parts, FIO_ARRAY_SIZE(of_exact_parts));
	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		if (does[direction])
			tw_windows_touch(&tally->over_time, direction);
	return 0;
}
