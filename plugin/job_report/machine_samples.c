/* SPDX-License-Identifier: GPL-2.0 */
/* What happens on the machine while jobs run: see job_report.h. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "collect/sys_facts.h"
#include "job_report.h"
#include "text_file.h"
#include "timespec.h"

/* The shortest period, and how often the thread asks whether to take a sample. */
#define PERIOD_NS	100000000ULL
#define SECTOR_BYTES	512

/* ---- sums of the kernel -------------------------------------------------- */

/* Set what all tasks had of the CPUs, without interrupts, which may be the jobs' own. */
static void read_cpus(struct tw_machine_sample *sample, uint64_t of_jobs_ns)
{
	const int64_t tick_ns = (int64_t) TW_NS_PER_SECOND / sysconf(_SC_CLK_TCK);
	long long user, nice, system, stolen;
	char text[256];

	if (tw_text_file_begin("/proc/stat", text, sizeof(text)) <= 0 ||
	    sscanf(text, "cpu %lld %lld %lld %*d %*d %*d %*d %lld", &user, &nice, &system,
		   &stolen) != 4)
		return;
	sample->stolen_ns = stolen * tick_ns;
	sample->of_others_ns = (user + nice + system) * tick_ns - (int64_t) of_jobs_ns;
}

/* Return what a disk read and wrote. Bytes stay the same if the kernel splits or merges I/Os.
 * Discards are left out. */
static bool read_disk(dev_t disk, uint64_t *bytes)
{
	unsigned long long read, written;
	char path[64], text[512];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(disk), minor(disk));
	if (tw_text_file_begin(path, text, sizeof(text)) <= 0 ||
	    sscanf(text, "%*u %*u %llu %*u %*u %*u %llu", &read, &written) != 2)
		return false;
	*bytes = (read + written) * SECTOR_BYTES;
	return true;
}

uint64_t tw_read_from_storage(void)
{
	unsigned long long bytes;
	const char *line;
	char text[512];

	tw_text_file_begin("/proc/self/io", text, sizeof(text));
	line = strstr(text, "\nread_bytes:");
	return line && sscanf(line, " read_bytes: %llu", &bytes) == 1 ? bytes : UINT64_MAX;
}

/* Return the CPU time of the run's jobs so far, and of this process, which has the threads. */
static uint64_t cpu_of_jobs(struct tw_samples *samples)
{
	uint64_t sum_ns = tw_clock_id_ns(CLOCK_PROCESS_CPUTIME_ID);
	const int own = getpid();
	clockid_t clock;
	unsigned i;

	for (i = 0; i < samples->job_slots; i++) {
		const int pid = samples->jobs[i].pid;

		/* The last time of a job that is over stays. */
		if (pid && pid != own && !clock_getcpuclockid(pid, &clock))
			samples->jobs[i].cpu_ns = tw_clock_id_ns(clock);
		sum_ns += samples->jobs[i].cpu_ns;
	}
	return sum_ns;
}

/* ---- the thread ------------------------------------------------------------ */

/* Keep a sample. When all places are in use, every second one is freed, and the period
 * doubles. */
static void keep(struct tw_samples *samples, const struct tw_machine_sample *sample)
{
	unsigned i;

	if (samples->count == TW_SAMPLES) {
		samples->count /= 2;
		samples->period_ns *= 2;
		for (i = 1; i < samples->count; i++)
			samples->list[i] = samples->list[2 * i];
	}
	samples->list[samples->count++] = *sample;
}

/* The files of the kernel are read without the lock, so that no job waits for them. */
static void take(void)
{
	/* First: a job that began before has its disks in the list below. */
	struct tw_machine_sample sample = { .monotonic_ns = tw_clock_id_ns(CLOCK_MONOTONIC) };
	struct tw_run *run = tw_run_lock();
	struct tw_samples *samples = &run->samples;
	const unsigned disks = samples->disk_count;
	uint64_t of_jobs_ns = 0;
	bool is_due;
	unsigned i;

	is_due = samples->running && (!samples->count || sample.monotonic_ns + PERIOD_NS / 2 >=
		samples->list[samples->count - 1].monotonic_ns + samples->period_ns);
	if (is_due)
		of_jobs_ns = cpu_of_jobs(samples);
	tw_run_unlock(run);
	if (!is_due)
		return;
	read_cpus(&sample, of_jobs_ns);
	for (i = 0; i < disks; i++)	/* disks are only added */
		read_disk(samples->disks[i], &sample.disk_bytes[i]);
	run = tw_run_lock();
	keep(samples, &sample);
	tw_run_unlock(run);
}

static void *run_thread(void *unused)
{
	const struct timespec period = tw_timespec_of(PERIOD_NS);

	for (;; nanosleep(&period, NULL))
		take();
	return unused;
}

void tw_samples_start(void)
{
	struct tw_run *run = tw_run_lock();
	sigset_t all, before;
	pthread_t thread;

	if (run && !run->samples.has_thread) {
		run->samples.has_thread = true;
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		if (!pthread_create(&thread, NULL, run_thread, NULL))
			pthread_detach(thread);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	tw_run_unlock(run);
}

/* ---- jobs -------------------------------------------------------------------- */

/*
 * Return the place of the job's disk, if what it moves less what the job moves is of others;
 * else -1. That is not so with the page cache, with NVMe commands, which the kernel may not
 * count, or if a file system has several devices. Others may use another partition of the disk.
 */
static int find_disk(struct tw_samples *samples, const struct thread_data *td,
		     const struct tw_files *files)
{
	const struct tw_file_device *device = files->devices;
	uint64_t bytes;
	unsigned i = 0;
	dev_t disk;

	if (!td->o.odirect || files->other_files || files->device_count != 1 ||
	    device->is_character || device->block != device->number)
		return -1;
	disk = tw_disk_of("", device->block);
	while (i < samples->disk_count && samples->disks[i] != disk)
		i++;
	if (i == TW_SAMPLE_DISKS || !read_disk(disk, &bytes))
		return -1;
	samples->disks[i] = disk;
	samples->disk_count = max(samples->disk_count, i + 1);
	return (int) i;
}

void tw_samples_begin(const struct thread_data *td, struct tw_job *job)
{
	const unsigned slot = td->thread_number % TW_RUN_JOBS;
	struct tw_run *run = tw_run_lock();
	struct tw_samples *samples = &run->samples;

	if (!run)
		return;
	/* Jobs before this one are over. */
	if (!samples->running) {
		samples->count = 0;
		samples->period_ns = PERIOD_NS;
	}
	samples->running++;
	samples->jobs[slot].pid = getpid();
	samples->job_slots = max(samples->job_slots, slot + 1);
	job->collected.sampled_disk = find_disk(samples, td, job->collected.facts->where);
	tw_run_unlock(run);
}

void tw_samples_end(void)
{
	struct tw_run *run = tw_run_lock();

	if (run)
		run->samples.running--;
	tw_run_unlock(run);
}

/* Append what a sum has grown by since the first sample. Of two sums that are not read at
 * once, the difference can shrink. */
static void append(json_t *row, int64_t grown)
{
	const size_t count = json_array_size(row);
	const int64_t last = count ? json_integer_value(json_array_get(row, count - 1)) : 0;

	json_array_append_new(row, json_integer(max(grown, last)));
}

json_t *tw_samples_to_json(const struct tw_job *job, uint64_t start_monotonic_ns)
{
	json_t *at = json_array(), *stolen = json_array(), *cpu = json_array();
	json_t *bytes = json_array();
	const int disk = job->collected.sampled_disk;
	const struct tw_machine_sample *first = NULL;
	struct tw_run *run = tw_run_lock();
	unsigned i;

	for (i = 0; run && i < run->samples.count; i++) {
		const struct tw_machine_sample *sample = &run->samples.list[i];

		if (sample->monotonic_ns < start_monotonic_ns)
			continue;
		first = first ? first : sample;
		append(at, (int64_t) (sample->monotonic_ns - start_monotonic_ns));
		/* No time of the CPUs: there is no /proc/stat. */
		if (first->of_others_ns) {
			append(stolen, sample->stolen_ns - first->stolen_ns);
			append(cpu, sample->of_others_ns - first->of_others_ns);
		}
		if (disk >= 0)
			append(bytes, (int64_t) (sample->disk_bytes[disk] -
						 first->disk_bytes[disk]));
	}
	tw_run_unlock(run);
	return json_pack("{sI, so, so, so, so*, so}",
			 "cpus", (json_int_t) sysconf(_SC_NPROCESSORS_ONLN),
			 "at_ns", at, "stolen_ns", stolen, "cpu_of_others_ns", cpu,
			 "disk", run && disk >= 0 ?
				 tw_block_name_to_json(run->samples.disks[disk]) : NULL,
			 "disk_bytes", bytes);
}
