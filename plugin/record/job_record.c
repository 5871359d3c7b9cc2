/* SPDX-License-Identifier: GPL-2.0 */
/* Put the stamps of I/Os into the job's tally: see job_record.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job_record.h"
#include "job_waits.h"
#include "kernel_job.h"
#include "latency/histogram.h"
#include "response.h"
#include "timespec.h"

#define READINGS	5	/* of both clocks */
#define FLUSH_WAITS_NS	10000000

/* Read the engine's clock before and after CLOCK_MONOTONIC a few times. Keep the
 * narrowest reading. */
static void read_clocks(struct tw_job *job)
{
	struct tw_reading best = { .error_ns = INT64_MAX };
	unsigned i;

	for (i = 0; i < READINGS; i++) {
		uint64_t before = tw_job_stamp(job);
		uint64_t monotonic_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
		uint64_t after = tw_job_stamp(job);
		int64_t width_ns = tw_job_ns(job, before, after);

		if (width_ns < 0 || width_ns / 2 + 1 >= best.error_ns)
			continue;
		best = (struct tw_reading) {
			.own_ns = tw_job_ns(job, job->collected.start.ticks, before) +
				  width_ns / 2,
			.monotonic_ns = (int64_t) monotonic_ns,
			.error_ns = width_ns / 2 + 1,
		};
	}
	if (best.error_ns != INT64_MAX)
		tw_clock_map_read(&job->collected.clock_map, best);
}

/* Choose the lat from which on an I/O is looked at: it is slower than a trigger, or it may be
 * among the slowest, of which the kernel tells more. A ns less makes up for the rounding. (If
 * the counters of CPUs disagree, stages of 0 can make its lat longer than this. Then the kernel
 * tells nothing of it.) */
static void choose_slow(struct tw_job *job)
{
	const double least_ns = (double) job->collected.slowest.least - 1;
	const double ticks = fmax(least_ns * tw_job_ticks_per_ns(job), 0);
	const int64_t above_ticks = job->hot.trigger.above_ticks;

	job->hot.slow_ticks = above_ticks == INT64_MAX ? above_ticks : above_ticks + 1;
	if ((job->collected.follow.offcpu || job->hot.kernel.stamps) &&
	    ticks < (double) job->hot.slow_ticks)
		job->hot.slow_ticks = (int64_t) ticks;
}

int tw_record_start(const struct thread_data *td, struct tw_job *job)
{
	struct tw_job_hot *hot = &job->hot;
	const bool has_extra = hot->response || hot->event_time || hot->kernel.others;

	hot->has_more = has_extra || hot->kernel.stamps || hot->syncs.by_index || hot->devices;
	choose_slow(job);
	hot->may_reset = tw_may_reset(td);
	hot->waits = (struct tw_cpu_waits) { .fd = -1, .gap_ticks = UINT64_MAX };
	if (hot->stages && !job->collected.follow.offcpu && job->collected.slowest.most &&
	    tw_jobs_have_descriptors())
		tw_waits_begin(job);
	hot->flushed_ticks = job->collected.start.ticks;
	/* So that not too many sleeps are overwritten. */
	hot->flush_after_ticks = !job->collected.follow.offcpu ? UINT64_MAX :
				 (uint64_t) (tw_job_ticks_per_ns(job) * FLUSH_WAITS_NS);
	if (hot->kernel.stamps || hot->syncs.by_index)
		read_clocks(job);
	tw_sampling_start(td->eo, job);
	job->collected.min_lat_ns = hot->timing->step_ns <= 1;
	hot->residual_ns = TW_NO_TIME;
	if (has_extra)
		hot->extra = calloc(TW_FINISHED_MAX, sizeof(*hot->extra));
	if (hot->kernel.stamps)
		hot->stamps = calloc(TW_FINISHED_MAX, sizeof(*hot->stamps));
	if (hot->syncs.by_index) {
		hot->synced = calloc(TW_FINISHED_MAX, sizeof(*hot->synced));
		job->collected.commits = calloc(1, sizeof(*job->collected.commits));
	}
	if (hot->kernel.others)
		job->collected.others_sums = calloc(1, sizeof(*job->collected.others_sums));
	if (job->collected.follow.offcpu)
		job->collected.waits = tw_job_waits_begin(job->collected.follow.sleeps);
	if ((has_extra && !hot->extra) ||
	    (hot->kernel.stamps && !hot->stamps) ||
	    (hot->syncs.by_index && (!hot->synced || !job->collected.commits)) ||
	    (hot->kernel.others && !job->collected.others_sums) ||
	    (job->collected.follow.offcpu && !job->collected.waits))
		return -ENOMEM;
	return tw_record_init(td, job, &job->collected.filling.filled[0].tally);
}

void tw_record_error(struct tw_job *job, const struct io_u *io_u,
		     uint64_t returned_ticks)
{
	job->hot.finished[job->hot.finished_count++] = (struct tw_finished) {
		.returned_ticks = returned_ticks,
		.direction = tw_direction_of(io_u->ddir),
		.failed = 1,
	};
	tw_record_if_due(job, returned_ticks);
}

/* True if the I/O is a sync, or has one after its data. */
static bool has_sync(const struct tw_job *job, enum tw_direction direction)
{
	return job->hot.synced && (direction == TW_SYNC ||
				   (direction == TW_WRITE && job->hot.syncs.of_writes));
}

/* Take the kernel's stamps of an I/O. Only the result of a transfer on the ring tells how
 * many bytes its requests have. The first request that finishes late begins the stamps of an
 * I/O that was not chosen: those before are not known, and the last one is. */
static void take_kernel_stamps(const struct tw_job *job, const struct io_u *io_u,
			       struct tw_kernel_stamps *stamps)
{
	const bool is_read = io_u->ddir == DDIR_READ;
	const bool is_write = !tw_engine_commands && io_u->ddir == DDIR_WRITE;
	const bool moves = !tw_engine_commands && ddir_rw(io_u->ddir);

	stamps->key = tw_entry_of(job, io_u)->user_data;
	if (!tw_kernel_read(&job->hot.kernel, io_u->index, stamps))
		return;
	if (!(stamps->key & TW_KEY_CHOSEN)) {
		if (!is_write)
			stamps->flags &= (__u16) ~TW_STAMPS_SYNC_WRITE;
		return;
	}
	tw_mark_unseen(stamps, moves ? io_u->xfer_buflen - io_u->resid : 0,
		       is_read && io_u->file->filetype == FIO_TYPE_FILE);
}

static void take_extra(struct tw_job_hot *hot, const struct io_u *io_u, uint64_t key,
		       struct tw_extra *extra)
{
	*extra = (struct tw_extra) {
		.backlog_ns = hot->response ? hot->response->due[io_u->index].backlog_ns :
					      TW_NO_TIME,
		.residual_ns = hot->residual_ns,
	};
	if (hot->kernel.others)
		extra->others = *(const struct tw_others *) &hot->kernel.others[io_u->index];
	if (hot->kernel.throttled && hot->kernel.throttled[io_u->index].key == key)
		extra->throttled = *(const struct tw_throttled *) &hot->kernel.throttled[io_u->index];
	hot->residual_ns = TW_NO_TIME;
}

void tw_record_take(struct tw_job *job, const struct io_u *io_u,
		    struct tw_finished *finished, bool is_slow)
{
	struct tw_job_hot *hot = &job->hot;
	const uint64_t key = tw_entry_of(job, io_u)->user_data;
	const unsigned place = hot->finished_count;

	if (hot->devices)
		finished->device = tw_device_of(hot->devices, io_u->file);
	if (hot->extra)
		take_extra(hot, io_u, key, &hot->extra[place]);
	if (hot->stamps && (key & TW_KEY_CHOSEN || is_slow)) {
		take_kernel_stamps(job, io_u, &hot->stamps[place]);
		finished->has_stamps = 1;
		finished->chosen = key & TW_KEY_CHOSEN ? 1 + tw_key_upper(key) : 0;
	}
	if (has_sync(job, finished->direction)) {
		tw_syncs_read(&hot->syncs, io_u->index, key, &hot->synced[place]);
		if (tw_sync_is_known(&hot->synced[place]) && finished->has_stamps)
			hot->stamps[place].flags |= TW_STAMPS_SYNC_SEEN;
	}
}

/* The events of the job's thread, which tell why an I/O was slow, are overwritten after a
 * while. So with tw_causes it is flushed at once. */
void tw_record_look(struct tw_job *job, const struct io_u *io_u, int64_t lat_ticks)
{
	if (lat_ticks > job->hot.trigger.above_ticks)
		tw_trigger_slow(job, io_u);
	if (job->collected.follow.offcpu)
		tw_record_flush(job);
}

/* ---- a flush ----------------------------------------------------------- */

/* Return the kernel's stamps of an I/O: zeroes if it was not chosen, or there are none. */
static const struct tw_kernel_stamps *stamps_of(const struct tw_job *job,
				       const struct tw_finished *finished)
{
	static const struct tw_kernel_stamps none;

	return finished->has_stamps ? &job->hot.stamps[finished - job->hot.finished] : &none;
}

/* Set the parts of a sync, if they are known: of complete for a direct write, if this has the
 * stage, and of kernel for others. A write that needs no sync has the time from its last
 * completion in `wake`. */
static void find_sync_parts(const struct tw_job *job, const struct tw_finished *finished,
			    const struct tw_clocks *clocks, struct tw_io_times *times)
{
	const bool in_complete = tw_io_has(times, TW_COMPLETE);
	const unsigned first = in_complete ? TW_COMPLETE_WORKER : TW_SYNC_WORKER;
	const uint64_t ticks = in_complete ? finished->io.seen_ticks : finished->io.enter_ticks;
	const uint64_t stage_ns = times->ns[in_complete ? TW_COMPLETE : TW_KERNEL];
	int64_t from_ns = tw_span_ns(clocks->scale, clocks->zero_ticks, ticks);
	struct tw_sync_parts parts = { .known = false };

	if (in_complete)
		from_ns -= (int64_t) (times->ns[TW_REAP] + stage_ns);
	if (in_complete && !(stamps_of(job, finished)->flags & TW_STAMPS_SYNC_WRITE))
		parts = (struct tw_sync_parts) { .known = true, .ns[TW_IN_WAKE] = stage_ns };
	else if (in_complete || finished->direction == TW_SYNC || !job->ring.direct)
		parts = tw_sync_parts(&job->collected.clock_map,
				      &job->hot.synced[finished - job->hot.finished], from_ns,
				      stage_ns);
	tw_put_sync_parts(times, first, &parts);
}

/* Set the parts of complete, if the job's thread slept when the last completion came: until it was
 * woken, and from then on. */
static void find_waking(const struct tw_job *job, const struct tw_kernel_stamps *stamps,
			struct tw_io_times *times)
{
	const struct tw_clock_map *map = &job->collected.clock_map;
	const uint64_t complete_ns = times->ns[TW_COMPLETE];
	uint64_t waking_ns, until_ns;

	if (!job->collected.follow.offcpu ||
	    tw_find_waking(job->collected.follow.offcpu, stamps->finished_ns, &waking_ns) <= 0)
		return;
	until_ns = (uint64_t) (tw_clock_map_own_ns(map, waking_ns) -
			       tw_clock_map_own_ns(map, stamps->finished_ns));
	until_ns = min(until_ns, complete_ns);
	tw_put_time(times, TW_COMPLETE_WAKING, until_ns);
	tw_put_time(times, TW_COMPLETE_POSTING, complete_ns - until_ns);
}

/* Count a sync. @weight: how many I/Os it stands for. */
static void count_sync(const struct tw_job *job, struct tw_tally *tally,
		       const struct tw_finished *finished, const struct tw_io_times *times,
		       uint64_t weight)
{
	const struct tw_sync *synced = &job->hot.synced[finished - job->hot.finished];
	const bool in_complete = tw_io_has(times, TW_COMPLETE_WAKE);

	if (!in_complete && !tw_io_has(times, TW_SYNC_WAKE)) {
		/* A direct write is counted among those that are not split. */
		tally->counts[finished->direction].unsplit_syncs +=
			finished->direction == TW_SYNC || !job->ring.direct;
		return;
	}
	if (finished->direction == TW_SYNC)
		tally->counts[TW_SYNC].sync_bytes += synced->written_bytes;
	tw_others_sum_add_who(job->collected.commits, TW_SYNC, TW_OTHERS_NONE, &synced->who,
			      times->ns[in_complete ? TW_COMPLETE_JOURNAL : TW_SYNC_JOURNAL] *
			      weight, weight);
}

static void record_slow(struct tw_job *job, const struct tw_finished *finished,
			const struct tw_io_times *times,
			const struct tw_clocks *clocks)
{
	struct tw_slow_io slow = {
		.slow.value = times->ns[TW_LAT],
		.times = *times,
		.io = finished->io,
		.stamps = *stamps_of(job, finished),
		.offset = finished->offset,
		.size = finished->size,
		.direction = finished->direction,
	};

	const struct tw_extra *extra = job->hot.kernel.others ?
		&job->hot.extra[finished - job->hot.finished] : NULL;

	if (extra)
		slow.others = extra->others;
	if (has_sync(job, finished->direction))
		slow.synced = job->hot.synced[finished - job->hot.finished];
	if (job->collected.follow.offcpu || job->hot.waits.fd >= 0)
		tw_why_find(job, clocks, extra ? &extra->throttled : NULL, &slow);
	tw_slowest_add(&job->collected.slowest, &slow.slow);
	choose_slow(job);
	tw_sampling_limit(job);
}

/* Count an I/O that a worker submitted, by the reason. */
static void count_worker(struct tw_counts *counts, enum tw_worker_why why)
{
	counts->workers++;
	counts->workers_asked += why == TW_WORKER_ASKED;
	counts->workers_block_layer += why == TW_WORKER_BLOCK_LAYER;
	counts->workers_file_system += why == TW_WORKER_BEFORE;
	counts->workers_unknown += why == TW_WORKER_UNKNOWN;
}

/* Count an I/O by how much is known of its stages inside the kernel. */
static void count_status(struct tw_tally *tally, enum tw_direction direction,
			 const struct tw_kernel_stamps *stamps, enum tw_split_status status)
{
	struct tw_counts *counts = &tally->counts[direction];

	compiletime_assert((int) TW_METRIC_not_chosen - (int) TW_METRIC_split ==
			   (int) TW_SPLIT_NOT_CHOSEN, "metrics of enum tw_split_status");
	++counts->at[TW_METRIC_split + status];
	if (status < TW_SPLIT_NO_STAMPS && stamps->retries)
		count_worker(counts, stamps->why);
	if (status != TW_SPLIT_ALL)
		return;
	tally->scalars.requests += stamps->requests;
	tally->scalars.retries += stamps->retries;
	tally->scalars.workers_late += tw_worker_is_bound(stamps);
}

/* Set the time in the device by what else the device had in flight, and count that. */
static void count_others(struct tw_job *job, struct tw_tally *tally,
			 const struct tw_finished *finished, struct tw_io_times *times,
			 uint64_t weight)
{
	const struct tw_others *others =
		&job->hot.extra[finished - job->hot.finished].others;
	const enum tw_others_kind kind = tw_others_kind(others);
	struct tw_scalars *scalars = &tally->scalars;

	compiletime_assert((int) TW_WITH_COMMANDS - (int) TW_WITH_READS ==
			   (int) TW_OTHERS_COMMANDS, "metrics of enum tw_others_kind");
	if (others->key != stamps_of(job, finished)->key)
		return;
	scalars->counted++;
	scalars->counting_ns += others->counting_ns;
	scalars->counted_cut += others->is_cut;
	scalars->driver_requeues += others->requeues;
	if (tw_others_are_unknown(others))
		return;
	tw_put_time(times, kind == TW_OTHERS_NONE ? TW_ALONE_IN_DEVICE : TW_WITH_READS + kind,
		    times->ns[TW_DEVICE]);
	tw_others_sum_add(job->collected.others_sums, finished->direction, others,
			  times->ns[TW_DEVICE] * weight, weight);
}

static void find_extra(const struct tw_job *job, const struct tw_finished *finished,
		       struct tw_io_times *times)
{
	const unsigned backlog = tw_is_open_loop(job) ? TW_BACKLOG : TW_RATE_BACKLOG;
	const struct tw_extra *extra = &job->hot.extra[finished - job->hot.finished];

	if (extra->residual_ns != TW_NO_TIME)
		tw_put_time(times, TW_RESIDUAL, extra->residual_ns);
	if (extra->backlog_ns == TW_NO_TIME)
		return;
	tw_put_time(times, backlog, extra->backlog_ns);
	job->hot.response->last_backlog_ns[finished->direction] = extra->backlog_ns;
}

/* Times that are known of each I/O, and those of them that record() has recorded. */
#define OF_EACH		(TW_TIME_BIT(TW_RESIDUAL) | TW_TIME_BIT(TW_BACKLOG) | \
			 TW_TIME_BIT(TW_RATE_BACKLOG))
#define RECORDED	(TW_TIME_BIT(TW_QUEUE) | TW_TIME_BIT(TW_DELIVER) | \
			 TW_TIME_BIT(TW_LAT) | TW_TIME_BIT(TW_CALL))

/* Put times into their histograms. The others stand for @weight I/Os; 0: for none. */
static void record_times(struct tw_tally *tally, enum tw_direction direction,
			 const struct tw_io_times *times, uint64_t weight)
{
	uint64_t left = times->has & ~RECORDED & (weight ? ~0ULL : OF_EACH);

	while (left) {
		const unsigned time = tw_take_time(&left);

		tw__histogram_add_times(&tally->times[time][direction], times->ns[time],
					OF_EACH >> time & 1 ? 1 : weight);
	}
}

/* Return CLOCK_REALTIME, as it was read at the job's start and carried on by the job's
 * clock. */
static uint64_t realtime_ns(const struct tw_job *job, uint64_t ticks)
{
	return job->collected.start_realtime_ns +
	       (uint64_t) tw_job_ns(job, job->collected.start.ticks, ticks);
}

/* Record what only some I/Os have. @spans: what all of them have, which is recorded. */
static void record_more(struct tw_job *job, struct tw_tally *tally,
			const struct tw_finished *finished, const struct tw_spans *spans,
			const struct tw_clocks *clocks)
{
	const enum tw_direction direction = finished->direction;
	const struct tw_kernel_stamps *stamps = stamps_of(job, finished);
	const uint64_t weight = !clocks->clock_map ? 1 :
				finished->chosen ? 1ULL << (finished->chosen - 1) : 0;
	const enum tw_split_status status = tw_split_status_of(stamps);
	struct tw_negative_stages negative = { 0 };
	struct tw_io_times times;

	tw_find_times(&times, clocks, job->hot.stages, &finished->io, spans, stamps, &negative);
	tally->scalars.negative_within += negative.within;
	tally->scalars.negative_beyond += negative.beyond;
	if (job->hot.extra)
		find_extra(job, finished, &times);
	if (has_sync(job, direction))
		find_sync_parts(job, finished, clocks, &times);
	else if (job->hot.kernel.others && status == TW_SPLIT_ALL)
		find_waking(job, stamps, &times);
	if (job->hot.devices)
		tw_devices_add(job->hot.devices, finished->device, direction,
			       realtime_ns(job, finished->returned_ticks), &times, weight);
	if (tw_slowest_wants(&job->collected.slowest, times.ns[TW_LAT]))
		record_slow(job, finished, &times, clocks);
	if (finished->has_stamps)
		count_status(tally, direction, stamps, status);
	if (weight && has_sync(job, direction))
		count_sync(job, tally, finished, &times, weight);
	if (job->hot.kernel.others && status == TW_SPLIT_ALL)
		count_others(job, tally, finished, &times, weight);
	if (clocks->clock_map && weight)
		tw_by_lat_add(&tally->by_lat[direction], times.ns[TW_LAT], times.ns, weight);
	else
		times.has &= ~TW_TIME_BIT(TW_KERNEL);	/* record() has recorded it */
	record_times(tally, direction, &times, weight);
}

/* The I/Os of a flush that have one direction. The times that all of them have go into their
 * histograms one histogram after the other. */
struct flushed {
	unsigned count, calls;
	struct tw_spans spans[TW_FINISHED_MAX];
	uint64_t call_ns[TW_FINISHED_MAX];	/* [calls]: of those with a submitting call */
	uint8_t place[TW_FINISHED_MAX];		/* in the list of finished I/Os */
};

/* Add one time of all these I/Os to its histogram. Return the longest. */
#define ADD(histogram, of, time) \
	tw_histogram_add_each(histogram, &(of)->spans->time, (of)->count, \
			      sizeof(struct tw_spans) / sizeof(uint64_t))

/* Record I/Os of a direction. @in_open_window: lat over time lacks them. Return true if some
 * may have more. */
static bool record(struct tw_job *job, struct tw_tally *tally, enum tw_direction direction,
		   const struct flushed *of, const struct tw_clocks *clocks,
		   bool in_open_window)
{
	struct tw_histogram (*times)[TW_DIRECTIONS] = tally->times;
	const uint64_t most_ns = ADD(&times[TW_LAT][direction], of, lat_ns);
	unsigned i;

	tally->counts[direction].ios += of->count;
	if (in_open_window)
		ADD(&tally->over_time.open->lat[direction], of, lat_ns);
	if (job->hot.stages) {
		ADD(&times[TW_QUEUE][direction], of, queue_ns);
		ADD(&times[TW_DELIVER][direction], of, deliver_ns);
		tw_histogram_add_each(&times[TW_CALL][direction], of->call_ns, of->calls, 1);
	}
	if (job->hot.stages && !clocks->clock_map) {
		ADD(&times[TW_KERNEL][direction], of, kernel_ns);
		for (i = 0; i < of->count; i++)
			tw_by_lat_add_whole(&tally->by_lat[direction], of->spans[i].lat_ns,
					    of->spans[i].queue_ns, of->spans[i].kernel_ns,
					    of->spans[i].deliver_ns);
	}
	return job->hot.has_more || tw_slowest_wants(&job->collected.slowest, most_ns);
}

/* In an open loop lat begins when the I/O was due. Take the backlog out of the time from there
 * until the I/O was submitted. The run begins with the first I/O that was prepared. */
static void split_queue(struct tw_job *job, struct tw_filled *filled,
			enum tw_direction direction, struct flushed *of)
{
	uint64_t (*sum_ns)[TW_BY_LAT_ROW] = filled->tally.by_lat[direction].sum_ns;
	unsigned i;

	for (i = 0; i < of->count; i++) {
		struct tw_extra *extra = &job->hot.extra[of->place[i]];
		struct tw_spans *spans = &of->spans[i];

		if (extra->backlog_ns == TW_NO_TIME)
			continue;
		if (filled->first_ticks == job->hot.finished[of->place[i]].io.prepared_ticks)
			filled->first_ticks += (uint64_t) ((double) extra->backlog_ns *
							   tw_job_ticks_per_ns(job));
		if (!job->hot.stages)
			continue;
		extra->backlog_ns = min(extra->backlog_ns, spans->queue_ns);
		spans->queue_ns -= extra->backlog_ns;
		/* record_more() adds that of I/Os that may be split. */
		if (!job->hot.kernel.stamps)
			sum_ns[tw_lat_slice(spans->lat_ns)][TW_BACKLOG] += extra->backlog_ns;
	}
}

/* Look for what only some I/Os have, in the order in which they were returned. */
static void look_at_each(struct tw_job *job, struct tw_tally *tally,
			 const struct flushed by_direction[TW_DIRECTIONS],
			 const struct tw_clocks *clocks)
{
	const bool all = job->hot.devices || job->hot.extra;
	unsigned next[TW_DIRECTIONS] = { 0 }, i;

	for (i = 0; i < job->hot.finished_count; i++) {
		const struct tw_finished *finished = &job->hot.finished[i];
		const enum tw_direction direction = finished->direction;
		const struct flushed *of = &by_direction[direction];
		const struct tw_spans *spans = &of->spans[next[direction]];

		/* One that failed has no times. */
		if (next[direction] == of->count || of->place[next[direction]] != i)
			continue;
		next[direction]++;
		tw_sampling_add_lat(&job->hot.sampling, finished->io.enter_ticks,
				    spans->lat_ns);
		tally->counts[direction].not_chosen += clocks->clock_map && !finished->has_stamps;
		/* The sum of the stages was not yet known when the trigger fired. */
		if (finished->io.prepared_ticks == job->hot.trigger.prepared_ticks)
			job->hot.trigger.lat_ns = spans->lat_ns;
		if (all || finished->has_stamps || has_sync(job, direction) ||
		    tw_slowest_wants(&job->collected.slowest, spans->lat_ns))
			record_more(job, tally, finished, spans, clocks);
	}
}

static void record_failed(const struct tw_job *job, struct tw_tally *tally,
			  const struct tw_finished *finished)
{
	tally->counts[finished->direction].errors++;
	tw_windows_add_errors(&tally->over_time, realtime_ns(job, finished->returned_ticks),
			      finished->direction, 1);
}

/* Put an I/O among those of its direction. Return false if it was returned before it was
 * prepared. */
static inline bool flush_one(const struct tw_job *job, struct tw_filled *filled,
			      const struct tw_finished *finished, unsigned place,
			      struct flushed *of)
{
	struct tw_counts *counts = &filled->tally.counts[finished->direction];
	struct tw_spans *spans = &of->spans[of->count];
	uint64_t negative = 0;

	*spans = tw_io_spans(&job->hot.scale, job->hot.stages, &finished->io,
			     finished->returned_ticks, &negative);
	if (tw__unlikely(spans->lat_ns < job->collected.min_lat_ns)) {
		counts->clock_went_back++;
		return false;
	}
	if (!filled->first_ticks)
		filled->first_ticks = finished->io.prepared_ticks;
	filled->last_ticks = finished->returned_ticks;
	filled->tally.scalars.negative_stages += negative;
	if (finished->direction != TW_SYNC)
		counts->bytes += finished->size - finished->missing;
	if (tw__unlikely(finished->missing) && finished->missing == finished->size)
		counts->zero_byte++;
	of->place[of->count++] = (uint8_t) place;
	if (finished->io.entered_ticks)
		of->call_ns[of->calls++] = spans->call_ns;
	return true;
}

static void take_finished(struct tw_job *job, struct tw_filled *filled)
{
	struct tw_job_hot *hot = &job->hot;
	struct tw_tally *tally = &filled->tally;
	const struct tw_clocks clocks = {
		.scale = &hot->scale,
		.zero_ticks = job->collected.start.ticks,
		.clock_map = hot->kernel.stamps ? &job->collected.clock_map : NULL,
	};
	struct flushed by_direction[TW_DIRECTIONS];
	bool in_open_window, have_more = false;
	unsigned direction, i;

	if (!hot->finished_count)
		return;
	if (clocks.clock_map || hot->synced)
		read_clocks(job);
	hot->flushed_ticks = hot->finished[hot->finished_count - 1].returned_ticks;
	if (tw__unlikely(hot->flushed_ticks - hot->sampling.from_ticks >
			 hot->sampling.after_ticks))
		tw_sampling_go_on(job, hot->flushed_ticks);
	/* Mostly all of them are in the open window over time. */
	in_open_window = realtime_ns(job, hot->flushed_ticks) < tally->over_time.edge_ns;
	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		by_direction[direction].count = by_direction[direction].calls = 0;
	for (i = 0; i < hot->finished_count; i++) {
		const struct tw_finished *finished = &hot->finished[i];
		struct flushed *of = &by_direction[finished->direction];

		if (tw__unlikely(finished->failed))
			record_failed(job, tally, finished);
		else if (flush_one(job, filled, finished, i, of) &&
			 tw__unlikely(!in_open_window))
			tw_windows_add(&tally->over_time,
				       realtime_ns(job, finished->returned_ticks),
				       finished->direction, of->spans[of->count - 1].lat_ns);
	}
	if (tw__unlikely(tw_is_open_loop(job)))
		for (direction = 0; direction < TW_DIRECTIONS; direction++)
			split_queue(job, filled, direction, &by_direction[direction]);
	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		if (by_direction[direction].count)
			have_more |= record(job, tally, direction, &by_direction[direction],
					    &clocks, in_open_window);
	if (have_more || tw__unlikely(hot->trigger.fired))
		look_at_each(job, tally, by_direction, &clocks);
	if (job->collected.waits && filled->first_ticks)
		tw_job_waits_take(job->collected.waits, clocks.clock_map,
				  tw_job_ns(job, clocks.zero_ticks, filled->first_ticks),
				  tw_job_ns(job, clocks.zero_ticks, hot->flushed_ticks));
	hot->finished_count = 0;
}

/* Add what was counted outside of flushes. All counts of directions are sums. */
static void take_counts(struct tw_job *job, struct tw_tally *tally)
{
	struct tw_scalars *scalars = &tally->scalars;
	struct tw_job_hot *hot = &job->hot;
	unsigned direction;

	scalars->enters += hot->enters;
	scalars->reaps += hot->batches;
	scalars->largest_reap = max(scalars->largest_reap, (uint64_t) hot->largest_batch);
	hot->enters = hot->batches = hot->largest_batch = 0;
	tw_sampling_put(&hot->sampling, scalars);
	scalars->clock_error_ns = (uint64_t) job->collected.clock_map.max_error_ns;
	scalars->schedule_ns = hot->response ? TW_SCHEDULE_NS : 0;
	if (tw_is_open_loop(job))
		tw_response_count(hot->response, scalars);
	if (!hot->has_pending)
		return;
	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		tw_counts_add(&tally->counts[direction], &hot->pending[direction]);
	memset(hot->pending, 0, sizeof(hot->pending));
	hot->has_pending = false;
}

/* Forget what was recorded, since fio has reset its statistics. */
static void forget(struct tw_job *job, struct tw_filled *filled)
{
	struct tw_job_collected *collected = &job->collected;
	struct tw_counts counts[TW_DIRECTIONS] = { 0 };

	tw_fill_uncount(counts, filled->tally.counts);
	tw_tally_reset(&filled->tally);
	memcpy(filled->tally.counts, counts, sizeof(counts));
	filled->first_ticks = filled->last_ticks = 0;
	filled->restarts = true;
	tw_slowest_forget(&collected->slowest);
	choose_slow(job);
	tw_sampling_limit(job);
	tw_devices_forget(job->hot.devices);
	if (collected->others_sums)
		collected->others_sums->count = 0;
	if (collected->commits)
		collected->commits->count = 0;
	if (collected->waits)
		tw_job_waits_forget(collected->waits);
	job->hot.was_reset = false;
}

/* Without tw_interval there is one tally, which no other thread uses. */
void tw_record_flush(struct tw_job *job)
{
	struct tw_double_buffer *filling = &job->collected.filling;
	const bool has_intervals = job->collected.intervals;
	struct tw_filled *filled = has_intervals ? tw_fill_begin(filling) :
						   &filling->filled[0];

	take_finished(job, filled);
	take_counts(job, &filled->tally);
	if (tw__unlikely(job->hot.was_reset))
		forget(job, filled);
	if (!has_intervals || tw_fill_end(filling))
		return;
	filled->end_ticks = tw_job_stamp(job);
	tw_fill_switch(filling);
}

/* All I/Os of the list, and no others, came before the reset: fio waits for those in flight,
 * or counted none of them. */
void tw_record_follow_resets(const struct thread_data *td, struct tw_job *job)
{
	job->hot.was_reset = job->hot.may_reset && tw_was_reset(td, &job->hot.epoch);
	if (job->hot.was_reset)
		tw_record_flush(job);
}

bool tw_record_is_past_ramp(struct thread_data *td, struct tw_job *job)
{
	const bool ramps = tw_is_ramping(td);

	tw_record_follow_resets(td, job);
	return !ramps;
}
