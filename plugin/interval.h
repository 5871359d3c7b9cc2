/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tw_interval: while a job runs, another thread appends a line to a file for each
 * interval. The line is the tally that the job has filled since the line before
 * (filling.h). The job's tally is the sum of the lines. A job that is killed leaves all
 * intervals except the last.
 *
 * If the file can't be written, the engine logs the reason, and the job goes on.
 */
#ifndef TW_PLUGIN_INTERVAL_H
#define TW_PLUGIN_INTERVAL_H

struct thread_data;
struct tw_job;
struct tw_intervals;

/* The shortest interval, in microseconds. */
#define TW_INTERVAL_MIN_US	100000ULL

/* Set job->intervals before the job begins. It stays NULL if the job asks for no
 * intervals, or after an error, which is logged. */
void tw_intervals_begin(struct thread_data *td, struct tw_job *job);

/* Write a line at once. A test calls this while the thread sleeps. */
void tw_intervals_write(struct tw_intervals *intervals);

/* Write the last line, and make the sum of the lines the job's tally. The job is over, and
 * all its I/Os are settled (record.h). Return 0; -errno: a line could not be added. */
int tw_intervals_end(struct tw_job *job);

#endif
