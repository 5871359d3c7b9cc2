/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory engine's options, and the checks of fio's options that make no sense with
 * the engine. A message of one line tells the error before any job of the run begins.
 */
#include <errno.h>
#include <stdint.h>

#include "fio/message.h"
#include "fio.h"
#include "memory_job.h"
#include "optgroup.h"
#include "verify.h"

/* lname is for fio's graphical program alone, which knows no engine of a file. */
#define OPTION(option, kind, member, text, ...) { \
	.name = option, .lname = option, .type = kind, .help = text, \
	.off1 = offsetof(struct tw_memory_options, member), \
	.category = FIO_OPT_C_ENGINE, .group = FIO_OPT_G_INVALID, ##__VA_ARGS__ }

#define TW_PATTERN(kind)	((kind) + 1)

struct fio_option tw_memory_options[] = {
	OPTION("tw_report", FIO_OPT_STR_STORE, report,
		"File of this job's report (default: JOB.N.PID.memory.json; none: no report)"),
	OPTION("tw_pages", FIO_OPT_STR, pages, "Choose the size of the memory's pages",
		.def = "small",
		.posval = {
			{ .ival = "small", .oval = TW_PAGES_SMALL,
			  .help = "The smallest pages, never huge ones" },
			{ .ival = "transparent", .oval = TW_PAGES_TRANSPARENT,
			  .help = "Huge pages where the kernel gives them" },
			{ .ival = "reserved", .oval = TW_PAGES_RESERVED,
			  .help = "Huge pages of the reserved pool" },
		}),
	OPTION("tw_pattern", FIO_OPT_STR, pattern,
		"Choose the order of the loads (default: random, with rw=read sequential)",
		.posval = {
			{ .ival = "random", .oval = TW_PATTERN(TW_CYCLE_RANDOM),
			  .help = "One random cycle through all lines" },
			{ .ival = "window", .oval = TW_PATTERN(TW_CYCLE_WINDOW),
			  .help = "Random inside of a window, then the next" },
			{ .ival = "page", .oval = TW_PATTERN(TW_CYCLE_PAGE),
			  .help = "One line of every page, random" },
			{ .ival = "sequential", .oval = TW_PATTERN(TW_CYCLE_SEQUENTIAL),
			  .help = "Line after line, as rw=read" },
		}),
	OPTION("tw_window", FIO_OPT_STR_VAL, window_bytes,
		"Set the bytes of a window of tw_pattern=window",
		.def = "2m", .minval = TW_MEMORY_LINE_BYTES, .maxval = UINT64_C(1) << 40),
	OPTION("tw_repeat", FIO_OPT_INT, repeat,
		"Repeat the loads of each I/O's bs this many times",
		.def = "1", .minval = 1, .maxval = 1000000),
	OPTION("tw_node", FIO_OPT_INT, node,
		"Take memory of this node (default: by the job's NUMA policy)",
		.def = "-1", .minval = -1, .maxval = 1023),
	OPTION("tw_seed", FIO_OPT_STR_VAL, seed,
		"Set the seed of the random orders", .def = "1"),
	{ .name = NULL },
};

static bool is_random(const struct thread_data *td)
{
	return (td->o.td_ddir & TD_DDIR_RAND) != 0;
}

enum tw_cycle_kind tw_memory_kind(struct thread_data *td)
{
	const struct tw_memory_options *o = td->eo;

	if (o->pattern != TW_PATTERN_OF_RW)
		return (enum tw_cycle_kind) (o->pattern - 1);
	return is_random(td) ? TW_CYCLE_RANDOM : TW_CYCLE_SEQUENTIAL;
}

/* ---- what makes no sense -------------------------------------------------- */

static int check_fio_options(struct thread_data *td)
{
	unsigned long long bs = td->o.min_bs[DDIR_READ];
	enum tw_cycle_kind kind = tw_memory_kind(td);

	if (td->o.verify != VERIFY_NONE)
		return tw_refuse_job(td, EINVAL, "verify: there is no data to verify");
	if (td->o.pre_read)
		return tw_refuse_job(td, EINVAL, "pre_read: there is no file to read");
	if (td->o.io_submit_mode == IO_MODE_OFFLOAD)
		return tw_refuse_job(td, EINVAL, "io_submit_mode=offload: the job's own "
				     "thread has to load, near its memory");
	if (td->o.td_ddir & (TD_DDIR_WRITE | TD_DDIR_TRIM))
		return tw_refuse_job(td, EINVAL, "only loads are timed: rw=randread or "
				     "rw=read");
	if (is_random(td) != (kind != TW_CYCLE_SEQUENTIAL))
		return tw_refuse_job(td, EINVAL, "tw_pattern=%s is %s", tw_cycle_names[kind],
				     is_random(td) ?
				     "what rw=read does, and this is rw=randread" :
				     "a random order: it needs rw=randread");
	if (bs != td->o.max_bs[DDIR_READ] || td->o.bssplit_nr[DDIR_READ])
		return tw_refuse_job(td, EINVAL, "bs: one size, as each I/O of a job does "
				     "the same loads");
	if (bs % TW_MEMORY_LINE_BYTES)
		return tw_refuse_job(td, EINVAL, "bs=%llu is not a multiple of %d: an I/O is "
				     "bs/%d loads", bs, TW_MEMORY_LINE_BYTES,
				     TW_MEMORY_LINE_BYTES);
	return 0;
}

static int check_size(struct thread_data *td)
{
	/* The bytes of all jobs that run at the same time, which are the jobs since the last
	 * stonewall. fio asks for one after the other, in the order of the job file. */
	static unsigned long long all;
	uint64_t available = tw_memory_available();
	unsigned long long size = td->o.size;
	/* For fio's own data of a job, and for the report. */
	const unsigned long long more = 2 << 20;
	bool is_page = tw_memory_kind(td) == TW_CYCLE_PAGE;
	size_t least = is_page ? (size_t) sysconf(_SC_PAGESIZE) : TW_MEMORY_LINE_BYTES;

	all = (td->o.stonewall ? 0 : all) + size + more;
	if (!size || size == -1ULL)
		return tw_refuse_job(td, EINVAL, "size= must say how much memory, in bytes");
	if (size < least)
		return tw_refuse_job(td, EINVAL, "size=%llu is less than one %s, %zu bytes",
				     size, is_page ? "page" : "line", least);
	if (all > available)
		return tw_refuse_job(td, ENOMEM, "%llu bytes of memory are wanted (%llu by "
				     "jobs that run together, 2 MiB more for each) and "
				     "%llu are available", size,
				     all, (unsigned long long) available);
	return 0;
}

int tw_memory_check(struct thread_data *td)
{
	const struct tw_memory_options *o = td->eo;
	struct tw_cpu_list nodes;

	if (check_fio_options(td) || check_size(td))
		return 1;
	if (tw_memory_kind(td) == TW_CYCLE_WINDOW && o->window_bytes % TW_MEMORY_LINE_BYTES)
		return tw_refuse_job(td, EINVAL, "tw_window=%llu is not a multiple of %d",
				     o->window_bytes, TW_MEMORY_LINE_BYTES);
	tw_memory_nodes(&nodes, TW_MEMORY_NODES_FILE);
	if (o->node != TW_ANY_NODE && !tw_cpu_list_has(&nodes, (unsigned) o->node))
		return tw_refuse_job(td, EINVAL, "tw_node=%d: there is no memory on such a "
				     "NUMA node", o->node);
	return 0;
}
