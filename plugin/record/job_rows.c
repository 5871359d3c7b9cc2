/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which rows of a report a job records, by what it asks for and what the kernel gives.
 */
#include "job_record.h"
#include "kernel_job.h"

#define STAGE_ROW(stage)	(TW_ROW_TIMES + (unsigned) (stage))

static void put_rows(struct tw_row_set *has, const unsigned *rows, unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++)
		tw_row_put(has, rows[i]);
}

static const unsigned of_every_job[] = {
	TW_ROW_ios, TW_ROW_bytes, TW_ROW_requeued, TW_ROW_empty, TW_ROW_errors,
	TW_ROW_shorts, TW_ROW_unaccounted, TW_ROW_backwards, TW_ROW_enters,
	TW_ROW_tails, TW_ROW_largest_tail, TW_ROW_negative_stages,
	STAGE_ROW(TW_LAT), TW_ROW_OVER_TIME,
};

static const unsigned of_stages[] = {
	STAGE_ROW(TW_QUEUE), STAGE_ROW(TW_KERNEL), STAGE_ROW(TW_DELIVER), TW_ROW_BY_LAT,
};

static const unsigned of_kernel[] = {
	TW_ROW_split, TW_ROW_no_request, TW_ROW_missing_stamp, TW_ROW_sync_write,
	TW_ROW_no_stamps, TW_ROW_not_chosen, TW_ROW_every, TW_ROW_cost_pairs,
	TW_ROW_cost_cpu_off_ps, TW_ROW_cost_cpu_on_ps, TW_ROW_cost_cpu_ns2,
	TW_ROW_cost_lat_off_ps, TW_ROW_cost_lat_on_ps, TW_ROW_cost_lat_ns2,
	TW_ROW_requests, TW_ROW_retries, TW_ROW_negative_within,
	TW_ROW_negative_beyond, TW_ROW_clock_error_ns, STAGE_ROW(TW_SUBMIT),
	STAGE_ROW(TW_BLOCKQ), STAGE_ROW(TW_DEVICE), STAGE_ROW(TW_COMPLETE),
	STAGE_ROW(TW_REAP), STAGE_ROW(TW_SCHEDULER),
};

static const unsigned of_workers[] = {
	TW_ROW_workers, TW_ROW_workers_asked, TW_ROW_workers_block_layer,
	TW_ROW_workers_file_system, TW_ROW_workers_unknown,
};

static const unsigned of_exact_parts[] = {
	STAGE_ROW(TW_WORKER), STAGE_ROW(TW_BEFORE), STAGE_ROW(TW_ADMISSION),
	TW_ROW_workers_late,
};

static const unsigned of_company[] = {
	STAGE_ROW(TW_ALONE_IN_DEVICE), STAGE_ROW(TW_BEHIND_READS), STAGE_ROW(TW_BEHIND_WRITES),
	STAGE_ROW(TW_BEHIND_FLUSHES), STAGE_ROW(TW_BEHIND_DISCARDS),
	STAGE_ROW(TW_BEHIND_OTHERS), TW_ROW_counted, TW_ROW_counting_ns, TW_ROW_counted_cut,
	TW_ROW_driver_requeues,
};

static const unsigned of_syncs[] = {
	STAGE_ROW(TW_SYNC_WORKER), STAGE_ROW(TW_SYNC_DATA), STAGE_ROW(TW_SYNC_JOURNAL),
	STAGE_ROW(TW_SYNC_FLUSH), STAGE_ROW(TW_SYNC_WAKE), STAGE_ROW(TW_SYNC_RUNNING),
	STAGE_ROW(TW_SYNC_OWN), TW_ROW_whole_syncs, TW_ROW_sync_bytes,
};

static const unsigned of_sync_writes[] = {
	STAGE_ROW(TW_COMPLETE_WORKER), STAGE_ROW(TW_COMPLETE_DATA),
	STAGE_ROW(TW_COMPLETE_JOURNAL), STAGE_ROW(TW_COMPLETE_FLUSH),
	STAGE_ROW(TW_COMPLETE_WAKE),
};

static const unsigned of_rate[] = {
	TW_ROW_schedule_ns, STAGE_ROW(TW_SLIP), STAGE_ROW(TW_RESPONSE),
};

/* Return the rows that the job records. What is known only at its end is not among
 * them. */
static struct tw_row_set rows_of(const struct tw_job *job, bool has_intervals)
{
	struct tw_row_set has = { { 0 } };

	put_rows(&has, of_every_job, FIO_ARRAY_SIZE(of_every_job));
	if (job->hot.stages)
		put_rows(&has, of_stages, FIO_ARRAY_SIZE(of_stages));
	/* With SQPOLL no call submits the I/Os. */
	if (job->hot.stages && !job->ring.polled_submission)
		tw_row_put(&has, STAGE_ROW(TW_CALL));
	if (job->hot.kernel.slots) {
		put_rows(&has, of_kernel, FIO_ARRAY_SIZE(of_kernel));
		put_rows(&has, of_workers, FIO_ARRAY_SIZE(of_workers));
	}
	if (job->hot.kernel.has_parts)
		put_rows(&has, of_exact_parts, FIO_ARRAY_SIZE(of_exact_parts));
	if (job->hot.kernel.companies)
		put_rows(&has, of_company, FIO_ARRAY_SIZE(of_company));
	if (job->hot.syncs.by_index)
		put_rows(&has, of_syncs, FIO_ARRAY_SIZE(of_syncs));
	if (job->hot.syncs.of_writes && job->hot.kernel.slots)
		put_rows(&has, of_sync_writes, FIO_ARRAY_SIZE(of_sync_writes));
	if (job->hot.response)
		put_rows(&has, of_rate, FIO_ARRAY_SIZE(of_rate));
	if (job->hot.event_time)
		tw_row_put(&has, STAGE_ROW(TW_RESIDUAL));
	if (has_intervals)
		tw_row_put(&has, TW_ROW_writer_cpu_ns);
	return has;
}

/* Windows over time of a line. Without intervals there are TW_WINDOWS_MOST. */
#define LINE_WINDOWS	16

int tw_record_init(const struct thread_data *td, const struct tw_job *job,
		   struct tw_tally *tally)
{
	const struct tw_options *o = td->eo;
	const struct tw_row_set has = rows_of(job, o->interval_us);
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
	/* A job that splits nothing knows so: no I/O has these. It can be merged with jobs
	 * that do. Nothing is counted, so this takes no memory. */
	if (job->hot.stages)
		put_rows(&tally->has, of_kernel, FIO_ARRAY_SIZE(of_kernel));
	if (job->hot.stages && !job->hot.kernel.slots)
		put_rows(&tally->has, of_exact_parts, FIO_ARRAY_SIZE(of_exact_parts));
	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		if (does[direction])
			tw_windows_touch(&tally->over_time, direction);
	return 0;
}
