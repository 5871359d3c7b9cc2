/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of a job for the engine. Those of fio's own io_uring engines have fio's
 * names; the names of the engine's own options begin with tw_. fio-tickwise(7) describes
 * each option.
 */
#ifndef TW_PLUGIN_FIO_ENGINE_OPTIONS_H
#define TW_PLUGIN_FIO_ENGINE_OPTIONS_H

#include "fio.h"
#include "optgroup.h"
#include "engines/cmdprio.h"

/* tickwise.c or nvme_engine.c: which engine this library is. */
extern const bool tw_engine_commands;

/* The shortest tw_interval, in microseconds. */
#define TW_INTERVAL_MIN_US	100000ULL

enum tw_cmd_type {
	TW_CMD_NVME = 1,
	TW_CMD_BSG,
};

enum tw_kernel_mode {
	TW_KERNEL_DEFAULT,	/* TICKWISE_KERNEL of the environment, or auto */
	TW_KERNEL_AUTO,
	TW_KERNEL_OFF,
	TW_KERNEL_REQUIRE,
};

enum tw_arrivals_kind {
	TW_ARRIVALS_DEFAULT,	/* regular */
	TW_ARRIVALS_REGULAR,
	TW_ARRIVALS_POISSON,
};

struct tw_options {
	void *pad;		/* for fio, offset 0 means "no option" */

	/* those of fio's engines */
	unsigned hipri;
	unsigned fixedbufs;
	unsigned registerfiles;
	unsigned sqthread_poll;
	unsigned sqthread_poll_cpu;
	unsigned sqthread_poll_cpu_set;
	unsigned nonvectored;	/* 0: with an iovec */
	unsigned uncached;
	unsigned nowait;
	unsigned force_async;
	struct cmdprio_options cmdprio_options;

	/* those of fio's io_uring_cmd only */
	unsigned cmd_type;
	unsigned readfua;
	unsigned writefua;
	unsigned deac;
	char *write_mode;
	char *verify_mode;
	char *read_mode;
	unsigned cdb_len;
	unsigned verify_bytchk;
	unsigned md_per_io_size;
	unsigned pi_act;
	unsigned apptag;
	unsigned apptag_mask;
	char *pi_chk;

	/* the engine's own */
	char *report;
	char *send;		/* a token; NULL or "": not */
	unsigned int digits;
	unsigned int stages;
	unsigned int slowest;
	unsigned int event_time;
	unsigned int event_wait;
	unsigned int test_nop;
	unsigned int kernel;	/* enum tw_kernel_mode */
	unsigned int kernel_every;	/* a power of two; 0: auto */
	unsigned long long trigger_us;	/* 0: none */
	unsigned int causes;
	unsigned long long interval_us;	/* 0: none */
	unsigned int rate_iops[DDIR_RWDIR_CNT];	/* 0: none */
	unsigned int arrivals;	/* enum tw_arrivals_kind */
};

extern struct fio_option tw_engine_options[];

/*
 * Check that the options fit together, and set those that follow from others. Return 0,
 * or -EINVAL after a message that names the option.
 */
int tw_options_check(struct thread_data *td);

/* Return how many I/Os a second arrive in the job by tw_rate_iops, in all directions that it
 * does; 0: it is no open loop. */
double tw_rated_iops(const struct thread_data *td);

#endif
