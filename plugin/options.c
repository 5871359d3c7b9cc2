/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine's options, in the form that fio's parser needs.
 *
 * The table has every option that any fio from 3.33 on has for its io_uring engines,
 * whichever fio this is built for. fio drops a job with an unknown option, and one job
 * file should work with all versions. An option that asks for what only fio's engine can
 * do is refused, and the message names it.
 */
#include <errno.h>
#include <stdio.h>

#include "interval.h"
#include "message.h"
#include "options.h"
#ifdef TW_FIO_VERIFY_FSYNCED
#include "verify.h"
#endif
#include "collect/slowest.h"

#define TW_OPTION(kind, member) \
	.type = kind, \
	.off1 = offsetof(struct tw_options, member), \
	.category = FIO_OPT_C_ENGINE, \
	.group = FIO_OPT_G_IOURING

/* One year. */
#define INTERVAL_MAX_US	31536000000000ULL

static int set_sqthread_poll_cpu(void *data, unsigned long long *cpu)
{
	struct tw_options *o = data;

	o->sqthread_poll_cpu = (unsigned) *cpu;
	o->sqthread_poll_cpu_set = 1;
	return 0;
}

/* Refuse all sizes except 0. */
static int set_md_per_io_size(void *data, unsigned long long *size)
{
	if (!*size)
		return 0;
	tw_message("tickwise: md_per_io_size: refused, metadata and "
		"protection information are not implemented\n");
	return 1;
}

/* Newer versions of cmdprio.h contain a table of their options. */
#ifndef CMDPRIO_OPTIONS
#define TW_CMDPRIO(member) \
	.type = FIO_OPT_INT, \
	.off1 = offsetof(struct tw_options, \
			 cmdprio_options.member[DDIR_READ]), \
	.off2 = offsetof(struct tw_options, \
			 cmdprio_options.member[DDIR_WRITE]), \
	.category = FIO_OPT_C_ENGINE, \
	.group = FIO_OPT_G_IOURING

static int set_cmdprio_hint(void *data, unsigned long long *hint)
{
	tw_message("tickwise: cmdprio_hint: refused, %s has no priority "
		"hints (3.36 has)\n", fio_version_string);
	return 1;
}
#endif

struct fio_option tw_engine_options[] = {
	{
		.name	= "hipri",
		.lname	= "Polled completions",
		TW_OPTION(FIO_OPT_STR_SET, hipri),
		.help	= "Poll the device for completions (needs direct=1)",
	},
#ifdef CMDPRIO_OPTIONS
	CMDPRIO_OPTIONS(struct tw_options, FIO_OPT_G_IOURING),
#else
	{
		.name	= "cmdprio_percentage",
		.lname	= "Share of I/O with another priority",
		TW_CMDPRIO(percentage),
		.maxval	= 100,
		.help	= "Give this share of the I/Os the priority of cmdprio",
	},
	{
		.name	= "cmdprio_class",
		.lname	= "Priority class of that share",
		TW_CMDPRIO(class),
		.minval	= IOPRIO_MIN_PRIO_CLASS + 1,
		.maxval	= IOPRIO_MAX_PRIO_CLASS,
		.interval = 1,
		.help	= "Set the priority class of that share",
	},
	{
		.name	= "cmdprio_hint",
		.lname	= "Priority hint of that share",
		.type	= FIO_OPT_INT,
		.cb	= set_cmdprio_hint,
		.category = FIO_OPT_C_ENGINE,
		.group	= FIO_OPT_G_IOURING,
		.help	= "Refused: this fio has no priority hints",
	},
	{
		.name	= "cmdprio",
		.lname	= "Priority level of that share",
		TW_CMDPRIO(level),
		.minval	= IOPRIO_MIN_PRIO,
		.maxval	= IOPRIO_MAX_PRIO,
		.interval = 1,
		.help	= "Set the priority level of that share",
	},
	{
		.name	= "cmdprio_bssplit",
		.lname	= "Share and priority by block size",
		TW_OPTION(FIO_OPT_STR_STORE, cmdprio_options.bssplit_str),
		.help	= "Set shares of I/O with another priority, by block size",
	},
#endif
	{
		.name	= "fixedbufs",
		.lname	= "Registered buffers",
		TW_OPTION(FIO_OPT_STR_SET, fixedbufs),
		.help	= "Register the I/O buffers with the kernel",
	},
	{
		.name	= "registerfiles",
		.lname	= "Registered files",
		TW_OPTION(FIO_OPT_STR_SET, registerfiles),
		.help	= "Open all files first and register them",
	},
	{
		.name	= "sqthread_poll",
		.lname	= "Submission by a kernel thread",
		TW_OPTION(FIO_OPT_STR_SET, sqthread_poll),
		.help	= "Submit by a kernel thread that polls "
			  "(implies registerfiles)",
	},
	{
		.name	= "sqthread_poll_cpu",
		.lname	= "CPU of that thread",
		.type	= FIO_OPT_INT,
		.cb	= set_sqthread_poll_cpu,
		.category = FIO_OPT_C_ENGINE,
		.group	= FIO_OPT_G_IOURING,
		.help	= "Run the kernel's submission thread on this CPU",
	},
	{
		.name	= "nonvectored",
		.lname	= "Plain read and write",
		TW_OPTION(FIO_OPT_INT, nonvectored),
		.def	= "-1",
		.help	= "Use plain reads and writes (1), an iovec (0), or "
			  "plain ones if the kernel has them (-1)",
	},
	{
		.name	= "uncached",
		.lname	= "Don't keep in the page cache",
		TW_OPTION(FIO_OPT_INT, uncached),
		.help	= "Drop the pages of buffered I/O when it is done "
			  "(RWF_DONTCACHE)",
	},
	{
		.name	= "nowait",
		.lname	= "Don't block",
		TW_OPTION(FIO_OPT_BOOL, nowait),
		.help	= "Fail with EAGAIN rather than block (RWF_NOWAIT)",
	},
	{
		.name	= "force_async",
		.lname	= "Hand over to a worker",
		TW_OPTION(FIO_OPT_INT, force_async),
		.help	= "Hand every Nth I/O to a kernel worker at once",
	},
	{
		.name	= "cmd_type",
		.lname	= "Kind of passthrough command",
		TW_OPTION(FIO_OPT_STR, cmd_type),
		.def	= "nvme",
		.posval	= {
			{ .ival = "nvme", .oval = TW_CMD_NVME,
			  .help = "NVMe commands" },
			{ .ival = "bsg", .oval = TW_CMD_BSG,
			  .help = "SCSI commands through bsg" },
		},
		.help	= "Commands of the passthrough engine",
	},
	{
		.name	= "readfua",
		.lname	= "Read past the cache",
		TW_OPTION(FIO_OPT_BOOL, readfua),
		.help	= "Passthrough: force unit access for reads",
	},
	{
		.name	= "writefua",
		.lname	= "Write past the cache",
		TW_OPTION(FIO_OPT_BOOL, writefua),
		.help	= "Passthrough: force unit access for writes",
	},
	{
		.name	= "write_mode",
		.lname	= "Command for writes",
		TW_OPTION(FIO_OPT_STR_STORE, write_mode),
		.help	= "Passthrough: what a write is",
	},
	{
		.name	= "verify_mode",
		.lname	= "Command for verifying",
		TW_OPTION(FIO_OPT_STR_STORE, verify_mode),
		.help	= "Passthrough: how written data is verified",
	},
	{
		.name	= "read_mode",
		.lname	= "Command for reads",
		TW_OPTION(FIO_OPT_STR_STORE, read_mode),
		.help	= "Passthrough: what a read is",
	},
	{
		.name	= "cdb_len",
		.lname	= "Length of SCSI commands",
		TW_OPTION(FIO_OPT_INT, cdb_len),
		.help	= "Passthrough: bytes of a SCSI command, 0: as needed",
	},
	{
		.name	= "verify_bytchk",
		.lname	= "What SCSI's VERIFY compares",
		TW_OPTION(FIO_OPT_INT, verify_bytchk),
		.help	= "Passthrough: the BYTCHK field of VERIFY",
	},
	{
		.name	= "deac",
		.lname	= "Deallocate on write zeroes",
		TW_OPTION(FIO_OPT_BOOL, deac),
		.help	= "Passthrough: write zeroes may deallocate",
	},
	{
		.name	= "md_per_io_size",
		.lname	= "Metadata of each I/O",
		.type	= FIO_OPT_INT,
		.cb	= set_md_per_io_size,
		.category = FIO_OPT_C_ENGINE,
		.group	= FIO_OPT_G_IOURING,
		.help	= "Bytes of metadata; 0, others are refused",
	},
	{
		.name	= "pi_act",
		.lname	= "Protection information action",
		TW_OPTION(FIO_OPT_BOOL, pi_act),
		.def	= "1",
		.help	= "The device makes and checks it (with metadata)",
	},
	{
		.name	= "pi_chk",
		.lname	= "Protection information checked",
		TW_OPTION(FIO_OPT_STR_STORE, pi_chk),
		.help	= "What of it is checked (with metadata)",
	},
	{
		.name	= "apptag",
		.lname	= "Application tag",
		TW_OPTION(FIO_OPT_INT, apptag),
		.def	= "0x1234",
		.help	= "Tag of protected I/O (with metadata)",
	},
	{
		.name	= "apptag_mask",
		.lname	= "Application tag mask",
		TW_OPTION(FIO_OPT_INT, apptag_mask),
		.def	= "0xffff",
		.help	= "Bits of the tag that count (with metadata)",
	},
	{
		.name	= "tw_report",
		.lname	= "Latency report",
		TW_OPTION(FIO_OPT_STR_STORE, report),
		.help	= "File of this job's latency report (default: "
			  "JOB.N.PID.tickwise.json; none: no report)",
	},
	{
		.name	= "tw_digits",
		.lname	= "Precision of the report",
		TW_OPTION(FIO_OPT_INT, digits),
		.minval	= 1,
		.maxval	= 5,
		.def	= "3",
		.help	= "Significant digits of the latency histograms",
	},
	{
		.name	= "tw_stages",
		.lname	= "Stages of an I/O",
		TW_OPTION(FIO_OPT_BOOL, stages),
		.def	= "1",
		.help	= "Time the stages of each I/O; 0: only its total",
	},
	{
		.name	= "tw_slowest",
		.lname	= "Slowest I/Os",
		TW_OPTION(FIO_OPT_INT, slowest),
		.maxval	= TW_SLOWEST_MAX,
		.def	= "20",
		.help	= "How many of the slowest I/Os the report lists",
	},
	{
		.name	= "tw_event_time",
		.lname	= "Time of each event",
		TW_OPTION(FIO_OPT_BOOL, event_time),
		.def	= "0",
		.help	= "End fio's own latencies when each completion was seen, "
			  "not when fio reads its clock after the batch",
	},
	{
		.name	= "tw_event_wait",
		.lname	= "Wait for each event",
		TW_OPTION(FIO_OPT_BOOL, event_wait),
		.def	= "0",
		.help	= "Wait for one completion at a time, to see each as it comes",
	},
	{
		.name	= "tw_test_nop",
		.lname	= "Test: I/O that does nothing",
		TW_OPTION(FIO_OPT_BOOL, test_nop),
		.def	= "0",
		.help	= "Test the engine: replace each read and write by an "
			  "operation that does nothing",
	},
	{
		.name	= "tw_kernel",
		.lname	= "Stages inside the kernel",
		TW_OPTION(FIO_OPT_STR, kernel),
		.posval	= {
			{ .ival = "auto", .oval = TW_KERNEL_AUTO,
			  .help = "Where privileges and kernel allow it" },
			{ .ival = "off", .oval = TW_KERNEL_OFF,
			  .help = "Never" },
			{ .ival = "require", .oval = TW_KERNEL_REQUIRE,
			  .help = "End the job if it is not possible" },
		},
		.help	= "Split the time inside the kernel into stages "
			  "(default: auto)",
	},
	{
		.name	= "tw_trigger",
		.lname	= "Trace of a slow I/O",
		TW_OPTION(FIO_OPT_STR_VAL_TIME, trigger_us),
		.def	= "0",
		.help	= "Keep the kernel's trace events around the first I/O that "
			  "is slower than this (default: 0, none)",
	},
	{
		.name	= "tw_causes",
		.lname	= "Causes of slow I/Os",
		TW_OPTION(FIO_OPT_BOOL, causes),
		.def	= "0",
		.help	= "Follow the job's thread: say why the slowest I/Os were "
			  "slow (default: 0)",
	},
	{
		.name	= "tw_interval",
		.lname	= "Lines by interval",
		TW_OPTION(FIO_OPT_STR_VAL_TIME, interval_us),
		.is_seconds = 1,
		.maxval	= INTERVAL_MAX_US,
		.def	= "0",
		.help	= "Append what was recorded in each interval of this length "
			  "to a file (default: 0, none)",
	},
	{
		.name	= NULL,
	},
};

int tw_options_check(struct thread_data *td)
{
	struct tw_options *o = td->eo;

	/* Before Linux 5.11 the submission thread could use registered files only. */
	if (o->sqthread_poll)
		o->registerfiles = 1;
	if (o->registerfiles && td->o.nr_files != td->o.open_files) {
		tw_message("tickwise: %s: %s needs all of a job's files "
			"open at once, but openfiles=%u of %u\n", td->o.name,
			o->sqthread_poll ? "sqthread_poll" : "registerfiles",
			td->o.open_files, td->o.nr_files);
		return -EINVAL;
	}
#ifdef TW_FIO_VERIFY_FSYNCED
	/* fio's engine refuses this, too: each write is safe by itself then. */
	if (o->writefua && td->o.verify_policy & VERIFY_POLICY_FSYNCED) {
		tw_message("tickwise: %s: writefua does not go with "
			"verify_policy=fsynced\n", td->o.name);
		return -EINVAL;
	}
#endif
	if (o->interval_us && o->interval_us < TW_INTERVAL_MIN_US) {
		tw_message("tickwise: %s: tw_interval is %llu us, the shortest is "
			"%llu ms\n", td->o.name, o->interval_us,
			TW_INTERVAL_MIN_US / 1000);
		return -EINVAL;
	}
	if (o->test_nop)
		tw_message("tickwise: %s: tw_test_nop=1: no data is read "
			"or written\n", td->o.name);
	return 0;
}
