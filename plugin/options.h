/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a job may say about the engine: the options of fio's own io_uring
 * engines under their names, ours under tw_. fio-tickwise(7) says of each
 * what becomes of it.
 */
#ifndef TW_PLUGIN_OPTIONS_H
#define TW_PLUGIN_OPTIONS_H

#include "fio.h"
#include "optgroup.h"
#include "engines/cmdprio.h"

enum tw_cmd_type {
	TW_CMD_NVME = 1,
	TW_CMD_BSG,
};

enum tw_kernel_mode {
	TW_KERNEL_DEFAULT,	/* auto, or what the environment says */
	TW_KERNEL_AUTO,
	TW_KERNEL_OFF,
	TW_KERNEL_REQUIRE,
};

struct tw_options {
	void *pad;		/* fio takes offset 0 for "no option" */

	/* of fio's engines */
	unsigned hipri;
	unsigned fixedbufs;
	unsigned registerfiles;
	unsigned sqthread_poll;
	unsigned sqthread_poll_cpu;
	unsigned sqthread_poll_cpu_set;
	unsigned nonvectored;	/* -1: where the kernel can */
	unsigned uncached;
	unsigned nowait;
	unsigned force_async;
	struct cmdprio_options cmdprio_options;

	/* those that act in io_uring_cmd alone */
	unsigned cmd_type;
	unsigned readfua;
	unsigned writefua;
	unsigned deac;
	char *write_mode;
	char *verify_mode;
	char *read_mode;
	unsigned cdb_len;
	unsigned verify_bytchk;
	unsigned pi_act;
	unsigned apptag;
	unsigned apptag_mask;
	char *pi_chk;

	/* ours */
	char *report;
	unsigned int digits;
	unsigned int stages;
	unsigned int slowest;
	unsigned int event_time;
	unsigned int event_wait;
	unsigned int test_nop;
	unsigned int kernel;	/* enum tw_kernel_mode */
	unsigned long long trigger_us;	/* 0: none */
	unsigned int causes;
	unsigned long long interval_us;	/* 0: none */
};

extern struct fio_option tw_engine_options[];

/*
 * Do they go together? What follows from others is filled in. 0, or -EINVAL
 * after a line in the log that names the option.
 */
int tw_options_check(struct thread_data *td);

#endif
