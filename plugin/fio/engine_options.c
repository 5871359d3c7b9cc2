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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collect/choose.h"
#include "collect/slowest.h"
#include "engine_options.h"
#include "fio_versions.h"
#include "message.h"
#include "report/sent.h"
#ifdef TW_FIO_VERIFY_FSYNCED
#include "verify.h"
#endif

/* lname is for fio's graphical program alone, which knows no engine of a file. */
#define OPTION(option, kind, member, text, ...) { \
	.name = option, .lname = option, .type = kind, .help = text, \
	.off1 = offsetof(struct tw_options, member), \
	.category = FIO_OPT_C_ENGINE, .group = FIO_OPT_G_IOURING, ##__VA_ARGS__ }

/* An option that a function takes. */
#define CALLS(option, kind, function, text) { \
	.name = option, .lname = option, .type = kind, .help = text, \
	.cb = function, .category = FIO_OPT_C_ENGINE, .group = FIO_OPT_G_IOURING }

/* One year. */
#define INTERVAL_MAX_US	31536000000000ULL

static int set_sqthread_poll_cpu(void *data, unsigned long long *cpu)
{
	struct tw_options *o = data;

	o->sqthread_poll_cpu = (unsigned) *cpu;
	o->sqthread_poll_cpu_set = 1;
	return 0;
}

/* There is metadata only if fio's functions fill it. Else the size is 0. */
static int set_md_per_io_size(void *data, unsigned long long *size)
{
	struct tw_options *o = data;
#ifdef TW_FIO_BLOCK_METADATA
	const bool of_blocks = true;
#else
	const bool of_blocks = false;
#endif

	o->md_per_io_size = (unsigned) *size;
	if (!*size || (tw_engine_commands ? TW_IOOPS_VERSION >= 33 : of_blocks))
		return 0;
	tw_message("tickwise: md_per_io_size: refused, %s has no metadata of %s has)\n",
		   fio_version_string, tw_engine_commands ? "commands (3.36" :
		   "block devices (3.41");
	return 1;
}

/* Take a power of two, or auto. */
static int set_kernel_every(void *data, const char *text)
{
	struct tw_options *o = data;
	char *end;
	const unsigned long every = strtoul(text, &end, 10);

	if (!strcmp(text, "auto")) {
		o->kernel_every = 0;
		return 0;
	}
	if (*end || !every || every & (every - 1) || every > 1UL << TW_CHOOSE_SHIFT_MAX) {
		tw_message("tickwise: tw_kernel_every=%.40s: auto, or a power of two from "
			   "1 to %lu\n", text, 1UL << TW_CHOOSE_SHIFT_MAX);
		return 1;
	}
	o->kernel_every = (unsigned) every;
	return 0;
}

/* Newer versions of cmdprio.h contain a table of their options. */
#ifndef CMDPRIO_OPTIONS
#define PRIORITY(option, member, text, ...) \
	OPTION(option, FIO_OPT_INT, cmdprio_options.member[DDIR_READ], text, \
	       .off2 = offsetof(struct tw_options, cmdprio_options.member[DDIR_WRITE]), \
	       __VA_ARGS__)

static int set_cmdprio_hint(void *data, unsigned long long *hint)
{
	tw_message("tickwise: cmdprio_hint: refused, %s has no priority "
		"hints (3.36 has)\n", fio_version_string);
	return 1;
}
#endif

struct fio_option tw_engine_options[] = {
	OPTION("hipri", FIO_OPT_STR_SET, hipri,
		"Poll the device for completions (needs direct=1)"),
#ifdef CMDPRIO_OPTIONS
	CMDPRIO_OPTIONS(struct tw_options, FIO_OPT_G_IOURING),
#else
	PRIORITY("cmdprio_percentage", percentage,
		"Give this share of the I/Os the priority of cmdprio", .maxval = 100),
	PRIORITY("cmdprio_class", class,
		"Set the priority class of that share",
		.minval = IOPRIO_MIN_PRIO_CLASS + 1, .maxval = IOPRIO_MAX_PRIO_CLASS, .interval = 1),
	CALLS("cmdprio_hint", FIO_OPT_INT, set_cmdprio_hint,
		"Refused: this fio has no priority hints"),
	PRIORITY("cmdprio", level,
		"Set the priority level of that share",
		.minval = IOPRIO_MIN_PRIO, .maxval = IOPRIO_MAX_PRIO, .interval = 1),
	OPTION("cmdprio_bssplit", FIO_OPT_STR_STORE, cmdprio_options.bssplit_str,
		"Set shares of I/O with another priority, by block size"),
#endif
	OPTION("fixedbufs", FIO_OPT_STR_SET, fixedbufs,
		"Register the I/O buffers with the kernel"),
	OPTION("registerfiles", FIO_OPT_STR_SET, registerfiles,
		"Open all files first and register them"),
	OPTION("sqthread_poll", FIO_OPT_STR_SET, sqthread_poll,
		"Submit by a kernel thread that polls (implies registerfiles)"),
	CALLS("sqthread_poll_cpu", FIO_OPT_INT, set_sqthread_poll_cpu,
		"Run the kernel's submission thread on this CPU"),
	OPTION("nonvectored", FIO_OPT_INT, nonvectored,
		"Use plain reads and writes (1 or -1), or an iovec (0)", .def = "-1"),
	OPTION("uncached", FIO_OPT_INT, uncached,
		"Drop the pages of buffered I/O when it is done (RWF_DONTCACHE)"),
	OPTION("nowait", FIO_OPT_BOOL, nowait,
		"Fail with EAGAIN rather than block (RWF_NOWAIT)"),
	OPTION("force_async", FIO_OPT_INT, force_async,
		"Hand every Nth I/O to a kernel worker at once"),
	OPTION("cmd_type", FIO_OPT_STR, cmd_type,
		"Commands of the passthrough engine",
		.def = "nvme",
		.posval = {
			{ .ival = "nvme", .oval = TW_CMD_NVME, .help = "NVMe commands" },
			{ .ival = "bsg", .oval = TW_CMD_BSG, .help = "SCSI through bsg" },
		}),
	OPTION("readfua", FIO_OPT_BOOL, readfua,
		"Passthrough: force unit access for reads"),
	OPTION("writefua", FIO_OPT_BOOL, writefua,
		"Passthrough: force unit access for writes"),
	OPTION("write_mode", FIO_OPT_STR_STORE, write_mode, "Passthrough: what a write is"),
	OPTION("verify_mode", FIO_OPT_STR_STORE, verify_mode,
		"Passthrough: how written data is verified"),
	OPTION("read_mode", FIO_OPT_STR_STORE, read_mode, "Passthrough: what a read is"),
	OPTION("cdb_len", FIO_OPT_INT, cdb_len,
		"Passthrough: bytes of a SCSI command, 0: as needed"),
	OPTION("verify_bytchk", FIO_OPT_INT, verify_bytchk,
		"Passthrough: the BYTCHK field of VERIFY"),
	OPTION("deac", FIO_OPT_BOOL, deac, "Passthrough: write zeroes may deallocate"),
	CALLS("md_per_io_size", FIO_OPT_INT, set_md_per_io_size,
		"Bytes for the metadata of an I/O"),
	OPTION("pi_act", FIO_OPT_BOOL, pi_act,
		"The device makes and strips protection information",
		.def = "1"),
	OPTION("pi_chk", FIO_OPT_STR_STORE, pi_chk,
		"What of it is checked (GUARD,REFTAG,APPTAG)"),
	OPTION("apptag", FIO_OPT_INT, apptag,
		"Its application tag", .def = "0x1234"),
	OPTION("apptag_mask", FIO_OPT_INT, apptag_mask,
		"The bits of the tag that are checked", .def = "0xffff"),
	OPTION("tw_report", FIO_OPT_STR_STORE, report,
		"File of this job's latency report (default: JOB.N.PID.tickwise.json; "
		"none: no report)"),
	OPTION("tw_send", FIO_OPT_STR_STORE, send,
		"Send the report from a fio server to its client, marked with this word of "
		"letters and digits (default: none)"),
	OPTION("tw_digits", FIO_OPT_INT, digits,
		"Significant digits of the latency histograms (default: 3; sent by tw_send: 2)",
		.minval = 1, .maxval = 5),
	OPTION("tw_stages", FIO_OPT_BOOL, stages,
		"Time the stages of each I/O; 0: only its total", .def = "1"),
	OPTION("tw_slowest", FIO_OPT_INT, slowest,
		"How many of the slowest I/Os the report lists",
		.def = "20", .maxval = TW_SLOWEST_MAX),
	OPTION("tw_event_time", FIO_OPT_BOOL, event_time,
		"End fio's own latencies when each completion was seen, not when fio reads "
		"its clock after the batch", .def = "0"),
	OPTION("tw_event_wait", FIO_OPT_BOOL, event_wait,
		"Wait for one completion at a time, to see each as it comes", .def = "0"),
	OPTION("tw_test_nop", FIO_OPT_BOOL, test_nop,
		"Test the engine: replace each read and write by an operation that does "
		"nothing", .def = "0"),
	OPTION("tw_kernel", FIO_OPT_STR, kernel,
		"Split the time inside the kernel into stages (default: auto)",
		.posval = {
			{ .ival = "auto", .oval = TW_KERNEL_AUTO,
			  .help = "Where privileges and kernel allow it" },
			{ .ival = "off", .oval = TW_KERNEL_OFF, .help = "Never" },
			{ .ival = "require", .oval = TW_KERNEL_REQUIRE,
			  .help = "End the job if it is not possible" },
		}),
	CALLS("tw_kernel_every", FIO_OPT_STR_STORE, set_kernel_every,
		"Split one in N I/Os, a power of two, inside the kernel; auto: as many as cost "
		"about 2 % of the job's CPU time (default: auto)"),
	OPTION("tw_trigger", FIO_OPT_STR_VAL_TIME, trigger_us,
		"Keep the kernel's trace events around the first I/O that is slower than "
		"this (default: 0, none)", .def = "0"),
	OPTION("tw_causes", FIO_OPT_BOOL, causes,
		"Follow the job's thread: say why the slowest I/Os were slow, and what it "
		"waited for (default: 0)",
		.def = "0"),
	OPTION("tw_interval", FIO_OPT_STR_VAL_TIME, interval_us,
		"Append what was recorded in each interval of this length to a file "
		"(default: 0, none)",
		.def = "0", .maxval = INTERVAL_MAX_US, .is_seconds = 1),
	OPTION("tw_rate_iops", FIO_OPT_INT, rate_iops[DDIR_READ],
		"Begin N I/Os a second, however slow the device is (default: 0, no rate)",
		.off2 = offsetof(struct tw_options, rate_iops[DDIR_WRITE]),
		.off3 = offsetof(struct tw_options, rate_iops[DDIR_TRIM]), .def = "0"),
	OPTION("tw_arrivals", FIO_OPT_STR, arrivals,
		"When the I/Os of tw_rate_iops arrive (default: regular)",
		.posval = {
			{ .ival = "regular", .oval = TW_ARRIVALS_REGULAR,
			  .help = "At even gaps" },
			{ .ival = "poisson", .oval = TW_ARRIVALS_POISSON,
			  .help = "At random, as those of many users" },
		}),
	{ .name = NULL },
};

#define ANY(rates)	(rates[DDIR_READ] || rates[DDIR_WRITE] || rates[DDIR_TRIM])

/* Return an option of fio that sends I/Os by a time of its own, or sends another job's; NULL:
 * none is set. */
static const char *other_schedule(const struct thread_options *o)
{
	const struct {
		const char *name;
		bool is_set;
	} options[] = {
		{ "rate", ANY(o->rate) },
		{ "rate_min", ANY(o->ratemin) },
		{ "rate_iops", ANY(o->rate_iops) },
		{ "rate_iops_min", ANY(o->rate_iops_min) },
		{ "rate_process", o->rate_process },
		{ "rate_cycle", o->ratecycle && o->ratecycle != 1000 /* its default */ },
		{ "rate_ignore_thinktime", o->rate_ign_think },
		{ "thinktime", o->thinktime || o->thinktime_iotime },
		{ "io_submit_mode=offload", o->io_submit_mode == IO_MODE_OFFLOAD },
		{ "read_iolog", o->read_iolog_file },
		{ "latency_target", o->latency_target },
		{ "flow", o->flow },
		{ "serialize_overlap", o->serialize_overlap },
		{ "experimental_verify", o->experimental_verify },
	};
	unsigned i;

	for (i = 0; i < FIO_ARRAY_SIZE(options); i++)
		if (options[i].is_set)
			return options[i].name;
	return NULL;
}

/* Check the rates of an open loop. fio chooses the direction of each I/O, in a mix by its
 * percentage, and in trimwrite one after the other. So two rates have to be in this proportion. */
static int check_rates(struct thread_data *td)
{
	const struct tw_options *o = td->eo;
	const unsigned *rate = o->rate_iops;
	const char *other = other_schedule(&td->o);
	const bool trims = td_trimwrite(td);
	const double write = rate[DDIR_WRITE], first = rate[trims ? DDIR_TRIM : DDIR_READ];
	const double percent = trims ? 50 : td->o.rwmix[DDIR_READ];

	if (!ANY(rate))
		return !o->arrivals ? 0 :
			tw_refuse_job(td, EINVAL, "tw_arrivals needs tw_rate_iops");
	if (other)
		return tw_refuse_job(td, EINVAL, "tw_rate_iops does not go with %s", other);
	if (!tw_rated_iops(td))
		return tw_refuse_job(td, EINVAL, "tw_rate_iops has no rate for what the job does");
	if ((td_rw(td) || trims) && write && first &&
	    fabs(100 * first / (first + write) - percent) > 0.5)
		return tw_refuse_job(td, EINVAL, "tw_rate_iops: %s are %.4g %% of the rates, but "
				     "%.4g %% of the I/Os", trims ? "trims" : "reads",
				     100 * first / (first + write), percent);
	return 0;
}

double tw_rated_iops(const struct thread_data *td)
{
	const struct tw_options *o = td->eo;

	return (td_read(td) ? (double) o->rate_iops[DDIR_READ] : 0) +
	       (td_write(td) ? (double) o->rate_iops[DDIR_WRITE] : 0) +
	       (td_trim(td) ? (double) o->rate_iops[DDIR_TRIM] : 0);
}

int tw_options_check(struct thread_data *td)
{
	struct tw_options *o = td->eo;
	const int ret = check_rates(td);

	if (ret)
		return ret;
	if (!o->digits)
		o->digits = is_backend && o->send && *o->send ? 2 : 3;
	/* Before Linux 5.11 the submission thread could use registered files only. */
	if (o->sqthread_poll)
		o->registerfiles = 1;
	if (o->registerfiles && td->o.nr_files != td->o.open_files)
		return tw_refuse_job(td, EINVAL, "%s needs all of a job's files open at once, "
				     "but openfiles=%u of %u",
				     o->sqthread_poll ? "sqthread_poll" : "registerfiles",
				     td->o.open_files, td->o.nr_files);
#ifdef TW_FIO_VERIFY_FSYNCED
	/* fio's engine refuses this, too: each write is safe by itself then. */
	if (o->writefua && td->o.verify_policy & VERIFY_POLICY_FSYNCED)
		return tw_refuse_job(td, EINVAL, "writefua does not go with "
				     "verify_policy=fsynced");
#endif
	if (o->send && *o->send && !tw_sent_is_token(o->send))
		return tw_refuse_job(td, EINVAL, "tw_send=%.70s: it has other characters than "
				     "letters and digits, or more than %d", o->send,
				     TW_SENT_TOKEN);
	if (o->interval_us && o->interval_us < TW_INTERVAL_MIN_US)
		return tw_refuse_job(td, EINVAL, "tw_interval is %llu us, the shortest is "
				     "%llu ms", o->interval_us, TW_INTERVAL_MIN_US / 1000);
	if (o->test_nop)
		tw_message("tickwise: %s: tw_test_nop=1: no data is read "
			"or written\n", td->o.name);
	return 0;
}
