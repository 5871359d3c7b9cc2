/* SPDX-License-Identifier: GPL-2.0 */
/* The memory that the jobs of one fio share, whether they are threads or processes. */
#ifndef TW_PLUGIN_FIO_RUN_SHARED_H
#define TW_PLUGIN_FIO_RUN_SHARED_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "machine/cpus.h"
#include "tickwise.h"
#include "trust.h"

/* fio's REAL_MAX_JOBS. */
#define TW_RUN_JOBS	4096
/* The reports of more jobs, and those with longer paths, stay undecided. */
#define TW_RUN_REPORTS	2048U
#define TW_RUN_PATH	1024
#define TW_SAMPLES	128U
#define TW_SAMPLE_DISKS	64U

/* How the counters of the CPUs compared before the first job. */
struct tw_run_start {
	int checked;			/* 0: not compared */
	struct tw_cpu_list cpus;	/* that were compared */
	struct tw_trust_compared found;
};

/* How they compared when the last job had ended. */
struct tw_run_end {
	struct tw_cpu_list cpus;	/* that were compared */
	int error;			/* errno if they were not compared */
	struct tw_trust_compared found;
};

/* What a job found when it had ended. */
struct tw_job_end {
	struct tw_run_start start;
	bool system;			/* the stamps are of the system clock */
	uint64_t step_ns;		/* the system clock moves in these steps */
	struct tw_cpu_list cpus;	/* where the job may have run */
	uint64_t backwards;		/* stamps that contradict each other */
	int error;			/* errno of the check; 0: health is set */
	struct tw_clock_health health;	/* without the CPUs' agreement */
};

/* A report that waits for the end of the run. */
struct tw_waiting {
	struct tw_job_end end;
	char path[TW_RUN_PATH];
	int thread_number;
	int pid;
	uid_t user;		/* the writer's */
};

/* What the machine did so far: see job_report/job_report.h. */
struct tw_machine_sample {
	uint64_t monotonic_ns;
	int64_t stolen_ns, of_others_ns;	/* of all CPUs */
	uint64_t disk_bytes[TW_SAMPLE_DISKS];
};

struct tw_samples {
	bool has_thread;
	unsigned running;		/* jobs */
	unsigned job_slots;		/* that were in use */
	struct {
		int pid;
		uint64_t cpu_ns;	/* when it was last seen */
	} jobs[TW_RUN_JOBS];		/* by fio's thread number */
	unsigned disk_count;
	dev_t disks[TW_SAMPLE_DISKS];
	uint64_t period_ns;
	unsigned count;
	struct tw_machine_sample list[TW_SAMPLES];
};

struct tw_run {
	char name[32];
	pthread_mutex_t lock;
	bool is_started;
	struct tw_run_start start;
	bool is_ended;
	struct tw_run_end end;
	/* Jobs on Tickwise's engines, by fio's thread number. */
	bool begun[TW_RUN_JOBS];
	bool over[TW_RUN_JOBS];
	struct tw_cpu_list cpus;	/* of all jobs that have a report */
	unsigned completed;		/* of the reports that wait */
	struct tw_samples samples;
	unsigned reports;
	struct tw_waiting waiting[TW_RUN_REPORTS];
};

/* Make the memory, or find it. Call this in the process that reads the job file, before
 * any job begins. */
void tw_run_begin(void);

/* Lock the memory; NULL: there is none. A member that says that another one is set, or how
 * many are, is written last: a job may be killed at any time, and then the next one gets
 * the lock. */
struct tw_run *tw_run_lock(void);
void tw_run_unlock(struct tw_run *run);

#endif
