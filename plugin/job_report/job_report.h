/* SPDX-License-Identifier: GPL-2.0 */
/* The report of one job, and what only this room knows of the job. */
#ifndef TW_PLUGIN_JOB_REPORT_JOB_REPORT_H
#define TW_PLUGIN_JOB_REPORT_JOB_REPORT_H

#include "record/job_devices.h"

/* ---- job_report.c ---- */

/* Set the facts: the job itself, the machine, its files and devices. @of: what the job has
 * recorded. @devices: the same by device; NULL: nothing. The caller frees @report, also
 * after an error. Return 0 or -ENOMEM; ask tw_json_lacked_memory(), too. */
int tw_report_begin(struct thread_data *td, const struct tw_job *job,
		    const struct tw_filled *of, struct tw_devices *devices,
		    struct tw_report *report);

/* Set from when to when the job did the I/Os, in ns since its start and in ns. Return
 * false if there are none. */
bool tw_report_run(const struct tw_job *job, const struct tw_filled *of,
		   uint64_t *first_ns, uint64_t *run_ns);

/* Write the report of a job that is over. Its tally is complete, unless @error is an
 * errno below 0. Return 0 or -errno, which is logged. */
int tw_report_write(struct thread_data *td, struct tw_job *job, int error);

/* ---- job_facts.c: a job's options, the machine, its files, and the devices that hold them ---- */

struct tw_facts {
	json_t *options, *machine, *files;
	uint64_t options_left_out, files_left_out;
	struct tw_files *where;
};

/* Collect the facts. Call it before the first I/O, since fio forgets its files before it
 * ends a job. Return NULL without memory. */
struct tw_facts *tw_facts_take(struct thread_data *td, const struct tw_cpu_list *cpus);
void tw_facts_free(struct tw_facts *facts);

/* Set the options, the machine, the files and their devices in @report, which has one job. The
 * facts of a device are read now, since fio may have changed a scheduler after the job began.
 * What @devices recorded moves into the report; NULL: nothing by device. Return 0 or
 * -ENOMEM. */
int tw_facts_put(const struct tw_facts *facts, struct tw_devices *devices,
		 struct tw_report *report);

/* ---- job_intervals.c: tw_interval ----
 *
 * While a job runs, another thread appends a line to a file for each interval. The line is the
 * tally that the job has filled since the line before (record/double_buffer.h). The job's tally
 * is the sum of the lines. A job that is killed leaves all intervals except the last. If the
 * file can't be written, the engine logs the reason, and the job goes on. */

/* Set the job's intervals before the job begins. They stay NULL if the job asks for none,
 * or after an error, which is logged. */
void tw_intervals_begin(struct thread_data *td, struct tw_job *job);

/* Write the last line, and make the sum of the lines the job's tally. The job is over, and
 * all its I/Os are flushed (job_record.h). Return 0; -errno: a line could not be added. */
int tw_intervals_end(struct tw_job *job);

/* ---- machine_samples.c: what happens on the machine while jobs run ----
 *
 * So a report can tell what changed when its IOPS changed: stolen time, CPU time of others, and
 * what the jobs' disks transfer. One thread of a run reads the kernel's sums. It lives in the
 * process that reads the job file, as a thread does not survive fork(). It ends with that
 * process, touches nothing that fio frees, and takes no sample while no job runs. The sums go
 * to the memory that jobs share. */

/* Return how many bytes this process read from storage so far; UINT64_MAX: not known. */
uint64_t tw_read_from_storage(void);

/* Start the thread of the run, unless it has one. Without it, reports have no samples. */
void tw_samples_start(void);

/* A job begins, and its files are known. Call it before the job's time of start is taken. */
void tw_samples_begin(const struct thread_data *td, struct tw_job *job);

/* Return jobs[].machine_over_time of tickwise-report(5); NULL without memory. */
json_t *tw_samples_to_json(const struct tw_job *job, uint64_t start_monotonic_ns);

/* The job has ended. */
void tw_samples_end(void);

#endif
