/* SPDX-License-Identifier: MIT */
/*
 * The numbers of a report, each described once. A metric has a number's place in the
 * file, how it merges, of which I/Os it is, and its label. From the metrics come the
 * members of a tally, its writer, its reader with the checks, merging, JSON Schema,
 * tickwise-report(5), CSV, and the label of pages.
 *
 * To add a number: write a metric here, put it among the metrics that a job has, and count it
 * where it happens. See plugin/README.md, How to add a number.
 */
#ifndef TW_REPORT_METRICS_H
#define TW_REPORT_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "latency/stages.h"

enum tw_direction {
	TW_READ,
	TW_WRITE,
	TW_TRIM,
	TW_SYNC,
	TW_DIRECTIONS,
};

extern const char *const tw_direction_names[TW_DIRECTIONS];

/* Sets of directions. A metric has no values for the other directions. */
#define TW_ALL		((1U << TW_DIRECTIONS) - 1)
#define TW_NOT_SYNC	(TW_ALL & ~(1U << TW_SYNC))
#define TW_WRITES	(1U << TW_WRITE)
#define TW_SYNCS	(1U << TW_SYNC | TW_WRITES)

enum tw_merge {
	TW_SUM,
	TW_MAX,
};

/* Where a page prints a count by the label of its metric. */
enum tw_show {
	TW_NOT_SHOWN,		/* it has a place of its own, or none */
	TW_AMONG,		/* among the I/Os */
	TW_APART,		/* neither among them nor in fio's lat */
	TW_IN_FIO_LAT,		/* not among them, but in fio's lat */
};

/*
 * Counts by direction, COUNT():
 *
 *	member		of struct tw_counts
 *	path		in the file
 *	directions	that have it
 *	of		the count whose I/Os it counts some of; TW_NONE: it counts others, or
 *			no I/Os
 *	label		a noun and more, after the number: "error[s]" is "1 error" or "3
 *			errors". Only 1 leaves out what is in brackets
 *	detail		"LABEL: DETAIL." describes the number in the manual and in the schema.
 *			A page has the detail in brackets, if at all
 *
 * and of the other members of struct tw_count_metric those that are not 0. The path of a number of
 * nanoseconds ends with "_ns".
 */
#define TW_EACH_COUNT(COUNT) \
	COUNT(ios, "ios", TW_ALL, TW_NONE, "successful I/Os", "each has a lat") \
	COUNT(bytes, "bytes", TW_NOT_SYNC, TW_NONE, "bytes", "the I/Os in ios moved them") \
	COUNT(requeued, "requeued", TW_ALL, TW_NONE, "requeues", \
	      "fio had to queue an I/O again, as others had to come first") \
	COUNT(zero_byte, "zero_byte", TW_NOT_SYNC, TW_METRIC_ios, "I/O[s] that moved nothing", \
	      "the kernel returned 0 bytes", .show = TW_AMONG) \
	COUNT(linked, "linked", TW_ALL, TW_METRIC_ios, "linked I/O[s]", \
	      "lat contains the wait for the I/O before") \
	COUNT(drained, "drained", TW_ALL, TW_METRIC_ios, "drained I/O[s]", \
	      "lat contains the wait for all I/Os before") \
	COUNT(errors, "errors", TW_ALL, TW_NONE, "error[s]", "I/Os that failed", .show = TW_APART) \
	COUNT(cancelled, "cancelled", TW_ALL, TW_NONE, "cancelled I/O[s]", \
	      "the program cancelled them", .show = TW_APART) \
	COUNT(no_cqe, "no_cqe", TW_ALL, TW_NONE, "I/O[s] without a completion", \
	      "the program asked for none, or it was not seen", .show = TW_APART) \
	COUNT(unseen, "unseen", TW_ALL, TW_NONE, "I/O[s] accepted unseen", \
	      "when the kernel accepted them is not known", .show = TW_APART) \
	COUNT(short_ios, "short_ios", TW_NOT_SYNC, TW_NONE, "short I/O[s]", \
	      "they moved a part of their bytes, and fio submits the rest as new I/Os", \
	      .show = TW_APART) \
	COUNT(unaccounted, "unaccounted", TW_ALL, TW_NONE, \
	      "I/O[s] that fio does not account (ramp time, before a reset, the sync at the end)", \
	      "they are not in its lat either", .show = TW_APART) \
	COUNT(clock_went_back, "clock_went_back", TW_ALL, TW_NONE, \
	      "I/O[s] with stamps that ran backwards", \
	      "their end was not later than their beginning", .show = TW_IN_FIO_LAT) \
	COUNT(workers, "kernel_stages.workers", TW_ALL, TW_METRIC_ios, \
	      "chosen I/O[s] submitted by a worker of io_uring", \
	      "io-wq: submission would have had to wait, or force_async asked for it", \
	      .show = TW_AMONG) \
	COUNT(workers_asked, "kernel_stages.to_workers.asked", TW_ALL, TW_METRIC_workers, \
	      "I/O[s] for which a worker was asked", \
	      "force_async, or an operation that always has one, as a sync", .is_part = 1) \
	COUNT(workers_block_layer, "kernel_stages.to_workers.block_layer", TW_ALL, \
	      TW_METRIC_workers, "I/O[s] that the block layer would have made wait", \
	      "the device could not take it at once: tw_causes=1", .is_part = 1) \
	COUNT(workers_file_system, "kernel_stages.to_workers.file_system", TW_ALL, \
	      TW_METRIC_workers, "I/O[s] that would have waited before the block layer", \
	      "the file could not take it at once: tw_causes=1", .is_part = 1) \
	COUNT(workers_unknown, "kernel_stages.to_workers.unknown", TW_ALL, TW_METRIC_workers, \
	      "I/O[s] that would have waited at an unknown place", \
	      "tw_causes=1 tells the place of most", .is_part = 1) \
	COUNT(split, "kernel_stages.split", TW_ALL, TW_METRIC_ios, \
	      "I/O[s] split inside the kernel", "they have all stages from submit to reap", \
	      .is_part = 1) \
	COUNT(no_request, "kernel_stages.not_split.no_request", TW_ALL, TW_METRIC_ios, \
	      "I/O[s] without a separate block request", \
	      "man 7 tickwise-kernel lists which have none", .is_part = 1) \
	COUNT(missing_stamp, "kernel_stages.not_split.missing_stamp", TW_ALL, TW_METRIC_ios, \
	      "I/O[s] with a missing stamp", "other stages are known", .is_part = 1) \
	COUNT(sync_write, "kernel_stages.not_split.sync_write", TW_ALL, TW_METRIC_ios, \
	      "synchronous write[s] with an unknown sync", "device and complete are one stage", \
	      .is_part = 1) \
	COUNT(no_stamps, "kernel_stages.not_split.no_stamps", TW_ALL, TW_METRIC_ios, \
	      "I/O[s] without stamps", "the program in the kernel did not see them", .is_part = 1) \
	COUNT(not_chosen, "kernel_stages.not_split.not_chosen", TW_ALL, TW_METRIC_ios, \
	      "I/O[s] not chosen to be split", \
	      "tw_kernel_every, attach --every: only some are, at random", .is_part = 1) \
	COUNT(waited, "kernel_stages.not_split.waited", TW_ALL, TW_METRIC_ios, \
	      "I/O[s] that waited for others", \
	      "linked or drained; that wait and blockq are in kernel", .is_part = 1) \
	COUNT(unsplit_syncs, "sync.not_split", TW_ALL, TW_METRIC_ios, \
	      "sync[s] with an unknown wait", \
	      "no event seen, no block device, or too many flushes", .show = TW_AMONG) \
	COUNT(sync_bytes, "sync.written_bytes", TW_ALL, TW_NONE, \
	      "bytes of data that syncs wrote out themselves", \
	      "of the syncs with parts; without what others wrote before") \
	COUNT(fio_ios, "fio_lat.count", TW_NOT_SYNC, TW_NONE, "I/Os in fio's lat", \
	      "fio's own count") \
	COUNT(fio_lat_ns, "fio_lat.sum_ns", TW_NOT_SYNC, TW_NONE, "sum of fio's lat", \
	      "its mean times its count, by fio's clock") \
	COUNT(backlog_at_end_ns, "response.backlog_at_end_ns", TW_NOT_SYNC, TW_NONE, \
	      "time behind the schedule", "how late the job was when it ended", .merge = TW_MAX)

/* Single numbers: SCALAR(member, path in the file, label, .merge unless it is TW_SUM). A report
 * need not have them. The label follows the number as those of a count do. */
#define TW_EACH_SCALAR(SCALAR) \
	SCALAR(enters, "batches.enters", "system calls that submitted I/Os") \
	SCALAR(reaps, "batches.reaps", "times that completions were seen") \
	SCALAR(largest_reap, "batches.largest_reap", \
	       "the most completions that were seen at once and share a stamp", .merge = TW_MAX) \
	SCALAR(negative_stages, "negative_stages", \
	       "stages between the engine's own stamps that ended before they began") \
	SCALAR(every, "kernel_stages.every", "I/Os of which one was chosen at random to be split " \
	       "(tw_kernel_every, attach --every)", .merge = TW_MAX) \
	SCALAR(cost_pairs, "kernel_stages.cost.pairs", \
	       "pairs of short spans, one of which has no split I/O") \
	SCALAR(cost_cpu_off_ps, "kernel_stages.cost.cpu_off_ps", \
	       "ps of CPU time an I/O in the spans without split I/Os, added up") \
	SCALAR(cost_cpu_on_ps, "kernel_stages.cost.cpu_on_ps", \
	       "ps of CPU time an I/O in the other spans, added up") \
	SCALAR(cost_cpu_ns2, "kernel_stages.cost.cpu_squares_ns2", \
	       "ns^2: the squares of these differences, added up") \
	SCALAR(cost_lat_off_ps, "kernel_stages.cost.lat_off_ps", \
	       "ps of mean lat in the spans without split I/Os, added up") \
	SCALAR(cost_lat_on_ps, "kernel_stages.cost.lat_on_ps", \
	       "ps of mean lat in the other spans, added up") \
	SCALAR(cost_lat_ns2, "kernel_stages.cost.lat_squares_ns2", \
	       "ns^2: the squares of these differences, added up") \
	SCALAR(requests, "kernel_stages.requests", "block requests of the split I/Os") \
	SCALAR(retries, "kernel_stages.retries", \
	       "times that the kernel gave one of the split I/Os to a worker or tried again") \
	SCALAR(workers_late, "kernel_stages.workers_late", "split I/Os that a worker had before " \
	       "it was seen: an upper bound is in blockq.worker") \
	SCALAR(negative_within, "kernel_stages.negative_within", \
	       "negative stages that the error of the clocks explains") \
	SCALAR(negative_beyond, "kernel_stages.negative_beyond", \
	       "negative stages that this error does not explain") \
	SCALAR(missed_runs, "kernel_stages.missed_runs", \
	       "event[s] for which the kernel skipped the program, which jobs of one fio share", \
	       .merge = TW_MAX) \
	SCALAR(counted, "kernel_stages.in_flight_of_others.counted", "split I/Os for which the " \
	       "requests in flight at the device were counted (tw_causes)") \
	SCALAR(counting_ns, "kernel_stages.in_flight_of_others.counting_ns", \
	       "time that this took, added up; blockq has it") \
	SCALAR(counted_cut, "kernel_stages.in_flight_of_others.cut", \
	       "split I/Os for which only some of the requests were counted") \
	SCALAR(driver_requeues, "kernel_stages.in_flight_of_others.requeues", \
	       "times that a busy driver took a request of one of these I/Os later") \
	SCALAR(clock_error_ns, "kernel_stages.clock_error_ns", \
	       "error of the kernel's stamps on the engine's clock", .merge = TW_MAX) \
	SCALAR(schedule_ns, "response.resolution_ns", \
	       "how precisely it is known when an I/O is due", .merge = TW_MAX) \
	SCALAR(depth_reached, "response.depth_reached", "I/O[s] of an open loop that came while " \
	       "iodepth I/Os were in flight (tw_rate_iops)") \
	SCALAR(generator_ns, "response.generator_ns", "the part of backlog that fio, the engine, " \
	       "its submitting calls or a missing CPU caused, added up (tw_rate_iops)") \
	SCALAR(files_left_out, "files_left_out", "files that a job did not list", .merge = TW_MAX) \
	SCALAR(other_files, "devices_other_files", "files on devices that are not listed") \
	SCALAR(other_ios, "devices_other_ios", "I/Os on these files") \
	SCALAR(read_calls, "waits.read_calls", \
	       "read call[s] of the followed processes, also of pipes and sockets") \
	SCALAR(write_calls, "waits.write_calls", "write call[s], likewise") \
	SCALAR(read_bytes, "waits.read_bytes", "bytes that these calls read") \
	SCALAR(written_bytes, "waits.written_bytes", "bytes that these calls wrote") \
	SCALAR(storage_bytes, "waits.storage_bytes", \
	       "bytes that the followed processes had read from storage") \
	SCALAR(run_ns, "waits.run_ns", \
	       "CPU time of the followed processes, while they were followed") \
	SCALAR(ready_ns, "waits.ready_ns", \
	       "time that their threads were ready to run, without a CPU") \
	SCALAR(ready_in_waits_ns, "waits.ready_in_waits_ns", \
	       "time of these waits between when a thread was woken and when it ran") \
	SCALAR(calls_that_waited, "waits.calls_that_waited", \
	       "read and write calls that waited for a file") \
	SCALAR(more_rings, "attached.more_rings", "rings that are not listed") \
	SCALAR(lost_records, "attached.lost_records", "lost record[s] of unknown contents") \
	SCALAR(lost_ios, "attached.lost_ios", "I/O[s] not followed (too many in flight at once)") \
	SCALAR(lost_rings, "attached.lost_rings", "ring[s] not followed (too many rings)") \
	SCALAR(lost_names, "attached.lost_names", \
	       "I/O[s] on files of unknown names (too many files)") \
	SCALAR(lost_processes, "attached.lost_processes", \
	       "process[es] not followed (too many processes)") \
	SCALAR(in_flight, "attached.in_flight", "I/O[s] in flight at the end") \
	SCALAR(more_cqes, "attached.more_cqes", \
	       "completion[s] before the last one of a request (multishot)") \
	SCALAR(not_over, "waits.not_over", "wait[s] not over at the end") \
	SCALAR(lost_waits, "waits.lost_waits", \
	       "wait[s] or bio[s] not followed (too many at a time)") \
	SCALAR(of_32_bits, "waits.of_32_bits", "wait[s] of 32-bit programs, which are not known")

/*
 * Times, each with a histogram by direction: TIME(CONSTANT, name, path in the file,
 * directions, parent, label). A time is a part of its parent: the parts of a parent add up
 * to it at most. TW_TIMES as the parent: it is no part. Its histogram counts no more I/Os than
 * ios. The stages of latency/stages.h come first: they are for all directions, and parts of lat.
 */
#define TW_EACH_TIME(TIME) \
	TIME(LAT, "lat", "stages.lat", TW_ALL, TW_TIMES, \
	     "the sum of the stages: fio's lat, unless tw_event_time=1") \
	TIME(RATE_BACKLOG, "backlog", "response.backlog", TW_NOT_SYNC, TW_TIMES, \
	     "from when the I/O is due by fio's rate to where lat begins") \
	TIME(CALL, "submitting_call", "submitting_call", TW_ALL, TW_TIMES, \
	     "inside the system call that submitted the I/O") \
	TIME(WORKER, "worker", "blockq.worker", TW_ALL, TW_BLOCKQ, "from when io_uring gave the " \
	     "I/O to io-wq for the last time until a worker began with it (tw_causes=1)") \
	TIME(BEFORE, "before", "blockq.before", TW_ALL, TW_BLOCKQ, "from acceptance until the " \
	     "first bio is queued at the lowest device, without worker: file system, cgroup " \
	     "limits, encryption (tw_causes=1)") \
	TIME(ADMISSION, "admission", "blockq.admission", TW_ALL, TW_BLOCKQ, \
	     "from then until the I/O has its first request: frozen queue, zone, iocost, " \
	     "iolatency, tags (tw_causes=1)") \
	TIME(SCHEDULER, "scheduler", "blockq.scheduler", TW_ALL, TW_BLOCKQ, \
	     "from the first request until the dispatch: plug, scheduler; an upper bound for " \
	     "I/Os that are not in blockq.before") \
	TIME(RESIDUAL, "residual", "fio_times.residual", TW_ALL, TW_TIMES, \
	     "between the engine's last stamp of a batch and fio's reading of its clock: " \
	     "tw_event_time=1") \
	TIME(ALONE_IN_DEVICE, "alone", "kernel_stages.in_flight_of_others.alone", TW_ALL, \
	     TW_DEVICE, \
	     "device, where it had nothing of others in flight when it got the I/O: tw_causes=1") \
	TIME(WITH_READS, "with_reads", "kernel_stages.in_flight_of_others.reads", TW_ALL, \
	     TW_DEVICE, "device, where most bytes of others were of reads") \
	TIME(WITH_WRITES, "with_writes", "kernel_stages.in_flight_of_others.writes", TW_ALL, \
	     TW_DEVICE, "device, where most bytes of others were of writes") \
	TIME(WITH_FLUSHES, "with_flushes", "kernel_stages.in_flight_of_others.flushes", TW_ALL, \
	     TW_DEVICE, "device, where others had it flush its cache") \
	TIME(WITH_DISCARDS, "with_discards", "kernel_stages.in_flight_of_others.discards", TW_ALL, \
	     TW_DEVICE, "device, where most bytes of others were of discards or zeroes") \
	TIME(WITH_COMMANDS, "with_commands", "kernel_stages.in_flight_of_others.commands", TW_ALL, \
	     TW_DEVICE, "device, where most bytes of others were of other commands") \
	TIME(SYNC_WORKER, "worker", "sync.worker", TW_SYNCS, TW_KERNEL, \
	     "from the submitting call until a worker of io_uring begins the sync: of a write, " \
	     "what it did before, too") \
	TIME(SYNC_DATA, "data", "sync.data", TW_SYNCS, TW_KERNEL, \
	     "from then until the file's dirty pages are written out") \
	TIME(SYNC_JOURNAL, "journal", "sync.journal", TW_SYNCS, TW_KERNEL, \
	     "from then until the last wait ends, without flush: commits of the journal, " \
	     "metadata") \
	TIME(SYNC_FLUSH, "flush", "sync.flush", TW_SYNCS, TW_KERNEL, "the time in this wait in " \
	     "which the disk had flushes (REQ_PREFLUSH, REQ_FUA) of anybody in flight") \
	TIME(SYNC_WAKE, "wake", "sync.wake", TW_SYNCS, TW_KERNEL, \
	     "from when the last wait of the sync ends until the engine sees its completion") \
	TIME(COMPLETE_WORKER, "worker", "complete.worker", TW_WRITES, TW_COMPLETE, \
	     "from the last completion of the data until the sync begins: a worker, new blocks") \
	TIME(COMPLETE_DATA, "data", "complete.data", TW_WRITES, TW_COMPLETE, \
	     "from then until the file's dirty pages are written out") \
	TIME(COMPLETE_JOURNAL, "journal", "complete.journal", TW_WRITES, TW_COMPLETE, \
	     "from then until the last wait ends, without flush: commits of the journal, " \
	     "metadata") \
	TIME(COMPLETE_FLUSH, "flush", "complete.flush", TW_WRITES, TW_COMPLETE, \
	     "the time in this wait in which the disk had flushes (REQ_PREFLUSH, REQ_FUA) of " \
	     "anybody in flight") \
	TIME(COMPLETE_WAKE, "wake", "complete.wake", TW_WRITES, TW_COMPLETE, \
	     "from when the last wait of the sync ends, or without a sync the last completion, " \
	     "until the completion is in the ring") \
	TIME(COMPLETE_WAKING, "waking", "complete.waking", TW_ALL, TW_COMPLETE, \
	     "from the last completion until the job's thread is woken, if it slept: " \
	     "tw_causes=1, and no sync follows") \
	TIME(COMPLETE_POSTING, "posting", "complete.posting", TW_ALL, TW_COMPLETE, \
	     "from then until the completion is in the ring")

/* The stages are 0 to TW_STAGES - 1, as in enum tw_stage. */
enum tw_time {
	TW_BEFORE_LAT = TW_STAGES - 1,
#define TW_TIME_AS_ENUM(constant, ...)	TW_##constant,
	TW_EACH_TIME(TW_TIME_AS_ENUM)
#undef TW_TIME_AS_ENUM
	TW_TIMES,
};

#define TW_TIME_BIT(time)	(1ULL << (time))
_Static_assert(TW_TIMES <= 64, "a set of times is one number");

/* The times of one I/O: each stage, part of a stage and other time of the list above. What @has
 * lacks is not set, but stages are 0. */
struct tw_io_times {
	uint64_t has;			/* TW_TIME_BIT() of each */
	uint64_t ns[TW_TIMES];
};

static inline void tw_put_time(struct tw_io_times *times, unsigned time, uint64_t ns)
{
	times->has |= TW_TIME_BIT(time);
	times->ns[time] = ns;
}

static inline int tw_io_has(const struct tw_io_times *times, unsigned time)
{
	return (int)(times->has >> time & 1);
}

/* Take the first time out of a set that is not empty. Return it. */
static inline unsigned tw_take_time(uint64_t *left)
{
	const unsigned time = (unsigned)__builtin_ctzll(*left);

	*left &= *left - 1;
	return time;
}

/* The number of a metric: TW_METRIC_ios, TW_METRIC_enters; TW_METRIC_TIMES + enum tw_time. The
 * last are no numbers, but can be absent like them. */
enum tw_metric_number {
#define TW_METRIC_AS_ENUM(member, ...)	TW_METRIC_##member,
	TW_EACH_COUNT(TW_METRIC_AS_ENUM)
	TW_COUNTS,
	TW_LAST_COUNT = TW_COUNTS - 1,
	TW_EACH_SCALAR(TW_METRIC_AS_ENUM)
#undef TW_METRIC_AS_ENUM
	TW_METRIC_TIMES,
	TW_METRIC_BY_LAT = TW_METRIC_TIMES + TW_TIMES,
	TW_METRIC_OVER_TIME,
	TW_METRIC_SLOWEST,
	TW_METRICS,
	TW_NONE = TW_METRICS,
};

#define TW_SCALARS	(TW_METRIC_TIMES - TW_COUNTS)

/* By name, or by metric. */
struct tw_counts {
	union {
		struct {
#define TW_COUNT_AS_MEMBER(member, ...)	uint64_t member;
			TW_EACH_COUNT(TW_COUNT_AS_MEMBER)
#undef TW_COUNT_AS_MEMBER
		};
		uint64_t at[TW_COUNTS];
	};
};

/* The same, by metric - TW_COUNTS. */
struct tw_scalars {
	union {
		struct {
#define TW_SCALAR_AS_MEMBER(member, ...)	uint64_t member;
			TW_EACH_SCALAR(TW_SCALAR_AS_MEMBER)
#undef TW_SCALAR_AS_MEMBER
		};
		uint64_t at[TW_SCALARS];
	};
};

struct tw_count_metric {
	const char *path;
	unsigned directions;
	enum tw_metric_number of;
	const char *label, *detail;
	enum tw_merge merge;
	int is_part;			/* no I/O is in two parts of one count */
	enum tw_show show;
};

struct tw_scalar_metric {
	const char *path;
	const char *label;
	enum tw_merge merge;
};

struct tw_time_metric {
	const char *name;
	const char *path;
	unsigned directions;
	unsigned parent;		/* a stage or another time */
	const char *label;
};

extern const struct tw_count_metric tw_count_metrics[TW_COUNTS];
extern const struct tw_scalar_metric tw_scalar_metrics[TW_SCALARS];
extern const struct tw_time_metric tw_time_metrics[TW_TIMES];

/* Return 1 for lat and for what is a part of it, or of a part. */
static inline int tw_time_is_of_lat(unsigned time)
{
	return time == TW_LAT || tw_time_metrics[time].parent != TW_TIMES;
}

/* Return the path of a metric of any kind: "ios", "batches.enters", "stages.lat",
 * "stages_by_lat", "over_time", "slowest". */
const char *tw_metric_path(unsigned metric);

/* Return the metric with this path; -1: there is none. */
int tw_metric_find(const char *path);

/* Return 1 if each report and each line of intervals has this metric. */
int tw_metric_is_required(unsigned metric);

/* Return the last part of a path: "enters". */
const char *tw_metric_key(const char *path);

#define TW_METRIC_TEXT	160

/* Write a metric's label as they follow a count. Return @text. */
const char *tw_metric_label(char text[TW_METRIC_TEXT], const char *label, uint64_t count);

/* "3 I/Os" as an argument, of the label "I/O[s]". The text lasts until the end of the block. */
#define TW_SAY_COUNT(count, label) \
	tw_metric_count((char[TW_METRIC_TEXT]) { 0 }, label, count)
const char *tw_metric_count(char text[TW_METRIC_TEXT], const char *label, uint64_t count);

/* Add counts. They fit if one thread counted them all. */
static inline void tw_counts_add(struct tw_counts *into, const struct tw_counts *counts)
{
	for (size_t metric = 0; metric < TW_COUNTS; metric++)
		into->at[metric] += counts->at[metric];
}

#endif
