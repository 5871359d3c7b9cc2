/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of a job do for each other, a source file each. The hot path has headers of
 * its own: engine.h, job_record.h, response.h.
 */
#ifndef TW_PLUGIN_JOB_PARTS_H
#define TW_PLUGIN_JOB_PARTS_H

#include "job_state.h"
#include "report/report.h"

/* ---- job_clocks.c: moments, which are the offsets of the system's clocks and of fio's clock
 * from the counter, and what two moments tell ---- */

/* Take a moment. Offsets are relative to the counter's time since the job's start, so
 * that both moments of a job have the same zero. */
void tw_moment_take(const struct tw_job *job, struct tw_moment *moment);

/* Return the time of a clock at @ticks, in ns. Its offset changes evenly from @from at
 * the job's start to @to at its @end. The second function is for CLOCK_MONOTONIC. */
uint64_t tw_moment_clock_ns(const struct tw_job *job, const struct tw_moment *end,
			    uint64_t ticks, struct tw_offset from, struct tw_offset to);
uint64_t tw_moment_monotonic_ns(const struct tw_job *job, const struct tw_moment *end,
				uint64_t ticks);

/* Return "clocks" of a report, between the job's start and @end; NULL without memory. */
json_t *tw_clocks_to_json(const struct tw_job *job, const struct tw_moment *end);

/* ---- kernel_job.c: the stages inside the kernel (tw_kernel=), and why an I/O was slow
 * (tw_causes=1). Does the job want them, are the programs loaded, what did they see? ---- */

/* Load the programs for all jobs that want them. Call this in the process that starts the
 * jobs, before the first job, or in the process of which the jobs are threads. It takes
 * some tenths of a second. Only one thread at a time may call it. */
void tw_kernel_load_for_jobs(void);

/* True if the limit of descriptors leaves some next to the files of the jobs, which fio opens
 * later. If need be, the soft limit is raised. */
bool tw_jobs_have_descriptors(void);

/* Return why the kernel's programs and traces are not for this process; NULL: they are. */
const char *tw_kernel_refusal(void);

/* True if the job syncs through its ring; if it syncs each write (fio: sync=dsync). */
bool tw_job_syncs(const struct thread_data *td);
bool tw_job_syncs_writes(const struct thread_data *td);

/* Prepare the programs for the ring and the thread of this job, before the ring is made;
 * take the job's slots after it is made. The second function returns 0, or -EPERM or
 * -EINVAL after a message if the job can't have what it requires. */
void tw_kernel_ring_begins(struct thread_data *td, struct tw_job *job);
int tw_kernel_ring_made(struct thread_data *td, struct tw_job *job);

/* Set why an I/O was slow: what happened to the job's thread in the longest stage, and to the
 * I/O itself: @held, or NULL. Call this soon after the I/O is over. */
void tw_why_find(struct tw_job *job, const struct tw_clocks *clocks,
		 const struct tw_held *held, struct tw_slow_io *slow);

/* Return "kernel" and "causes" of the job in a report: if it has them, and why not. Return
 * "causes" of a slow I/O that began at @begin_ns of CLOCK_MONOTONIC. NULL without memory. */
json_t *tw_kernel_to_json(const struct tw_job *job);
json_t *tw_why_state_to_json(const struct tw_job *job);
json_t *tw_why_to_json(const struct tw_slow_io *slow, uint64_t begin_ns);

/* ---- trigger.c: tw_trigger. The first I/O of a job whose lat is above this time stops a
 * ring of the kernel's own trace events (trace/tracefs.h). The events around the I/O go into
 * the job's report. Then the ring is free for the next job. ---- */

/* Make the ring if a job wants it. Call this in the process that starts the jobs. */
void tw_trigger_make_for_jobs(void);

/* Set the limit at the beginning of a job. Its clock is known. */
void tw_trigger_begin(const struct thread_data *td, struct tw_job *job);

/* Count an I/O with a lat above above_ticks. The first one stops the ring. */
void tw_trigger_slow(struct tw_job *job, const struct io_u *io_u);

/* Return the report's "trigger"; NULL without memory. @end: the moment of the job's
 * end. */
json_t *tw_trigger_to_json(const struct tw_job *job, const struct tw_moment *end);

/* Free the ring for the next job. This job is over, and its report is written. */
void tw_trigger_end(const struct tw_job *job);

/* ---- job_facts.c: the job's surroundings, which are its options, the machine, its files, and
 * the devices that hold the files. A device is what a file is, or what its file system is on.
 * A partition of a disk is a device of its own, and so is a subvolume of btrfs. ---- */

struct tw_file_device {
	dev_t number;
	bool is_character;	/* for NVMe commands */
	dev_t block;		/* its block device in /sys; 0: none */
};

/* Devices and names beyond these numbers are not kept. The index of a device has to fit
 * into a byte of of_file. */
#define TW_FILES_DEVICES	64
#define TW_FILES_NAMED		64U

/* The devices of a job's files, each once, in the order of the files. */
struct tw_files {
	struct tw_file_device devices[TW_FILES_DEVICES];
	unsigned device_count;
	unsigned other_files;		/* on devices that are unknown or not kept */
	char filesystem[TW_FILES_NAMED][32];	/* "": none, or unknown */
	uint64_t holes[TW_FILES_NAMED];		/* bytes without blocks, as far as known */
	unsigned count;
	uint8_t of_file[];		/* index; TW_FILES_DEVICES: not in @devices */
};

struct tw_facts {
	json_t *options, *machine, *files;
	uint64_t options_left_out, files_left_out;
	struct tw_files *where;
};

/* Collect the facts. Call it before the first I/O, since fio forgets its files before it
 * ends a job. Return NULL without memory. */
struct tw_facts *tw_facts_take(struct thread_data *td, const struct tw_cpu_list *cpus);
void tw_facts_free(struct tw_facts *facts);

/* Set the options, the machine and the files in @report, which has one job. */
void tw_facts_put(const struct tw_facts *facts, struct tw_report *report);

/* Return an element of devices[] for the device @i of the files. It is read now, since fio
 * may have changed a scheduler after the job began. */
json_t *tw_facts_device(const struct tw_facts *facts, unsigned i);

/* ---- job_devices.c: the I/Os by device, to find a slow drive. For a job with all files on
 * one device nothing is kept, because the job's own tally is that of the device.
 *
 * Each device has a histogram of lat and one of the stage `device`, with two digits: a bin is
 * at most 1 % wide, and the memory of many devices is small. lat over time shows if a device
 * is slow throughout. ---- */

struct tw_devices {
	const struct tw_files *files;	/* the job's files and their devices */
	uint64_t other_ios;		/* in the job's tally only */
	unsigned count;
	struct tw_report_device list[];	/* in the order of the files */
};

/* Begin to record by device, once the job's files are known. @devices is NULL if all of
 * them are on one device, or none is on a known one. Return 0 or -ENOMEM. */
int tw_devices_start(struct thread_data *td, const struct tw_files *files,
		     struct tw_devices **devices);
void tw_devices_free(struct tw_devices *devices);

/* Forget all I/Os. @devices may be NULL. */
void tw_devices_forget(struct tw_devices *devices);

/* Return the index of the file's device in the list. While fio replays a log, it may
 * add files. */
static inline unsigned tw_device_of(const struct tw_devices *devices,
				    const struct fio_file *f)
{
	const unsigned file = (unsigned) f->fileno;

	return file < devices->files->count ? devices->files->of_file[file] :
					      TW_FILES_DEVICES;
}

/* Record an I/O on the device at @place that was returned to fio at @at_ns of
 * CLOCK_REALTIME. */
void tw_devices_add(struct tw_devices *devices, unsigned place,
		    enum tw_direction direction, uint64_t at_ns,
		    const struct tw_io_times *times, uint64_t weight);

/* Set the report's devices, and the numbers of I/Os on no device. What @devices recorded
 * moves into the report; NULL: nothing by device. Return 0 or -ENOMEM. */
int tw_devices_put(struct tw_devices *devices, const struct tw_facts *facts,
		   struct tw_report *report);

/* ---- job_report.c: the report of one job ---- */

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

/* ---- job_intervals.c: tw_interval. While a job runs, another thread appends a line to a file
 * for each interval. The line is the tally that the job has filled since the line before
 * (filling.h). The job's tally is the sum of the lines. A job that is killed leaves all
 * intervals except the last. If the file can't be written, the engine logs the reason, and
 * the job goes on. ---- */

/* Set the job's intervals before the job begins. They stay NULL if the job asks for none,
 * or after an error, which is logged. */
void tw_intervals_begin(struct thread_data *td, struct tw_job *job);

/* Write the last line, and make the sum of the lines the job's tally. The job is over, and
 * all its I/Os are settled (job_record.h). Return 0; -errno: a line could not be added. */
int tw_intervals_end(struct tw_job *job);

#endif
