/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tw_interval: while a job runs, a thread beside it appends a line to a file for each
 * interval: what the job has recorded since the line before (interval_line.h). A job
 * that is killed leaves all intervals but the last.
 *
 * A file that can't be written is no reason to end a job: a line in the log says so,
 * and the job goes on without.
 */
#ifndef TW_PLUGIN_INTERVAL_H
#define TW_PLUGIN_INTERVAL_H

struct thread_data;
struct tw_job;
struct tw_intervals;

/* The shortest, in microseconds. */
#define TW_INTERVAL_MIN_US	100000ULL

/* The job is about to begin. Sets job->intervals; NULL: none are asked for, or they
 * can't be had. */
void tw_intervals_begin(struct thread_data *td, struct tw_job *job);

/* One more line, at once. Called by the thread; by a test while the thread sleeps. */
void tw_intervals_write(struct tw_intervals *intervals);

/* The job is over, and all is settled: the last line is written. */
void tw_intervals_end(struct tw_job *job);

#endif
