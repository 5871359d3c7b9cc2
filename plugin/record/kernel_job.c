/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel's programs see of a job, and what speaks against loading them: too few file
 * descriptors, or a clock that is shifted.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "fio/fio_layout.h"
#include "fio/message.h"
#include "kernel/causes/find_causes.h"
#include "kernel/cgroup.h"
#include "kernel/program.h"
#include "kernel_job.h"

#define TW_KERNEL_UNKNOWN	((enum tw_kernel_mode)-1)
#define NO_DESCRIPTORS	"too few file descriptors for it next to the job's files (ulimit -n)"
#define NOT_SERIAL	"with create_serialize=0 jobs need thread=1 for it"

static const char not_split[] =
	"I/Os are not split inside the kernel (kernel.why says why)";

/* ---- what jobs want ----------------------------------------------------- */

/* Return the option tw_kernel or, if it is not given, the environment variable
 * TICKWISE_KERNEL. An empty variable counts as not set. */
static enum tw_kernel_mode mode_of(const struct tw_options *o)
{
	const char *text = getenv("TICKWISE_KERNEL");

	if (o->kernel != TW_KERNEL_DEFAULT || !text || !*text)
		return o->kernel;
	return !strcmp(text, "off") ? TW_KERNEL_OFF :
	       !strcmp(text, "require") ? TW_KERNEL_REQUIRE :
	       !strcmp(text, "auto") ? TW_KERNEL_AUTO : TW_KERNEL_UNKNOWN;
}

/* True if a job wants kernel stages and can have them. Without stages (tw_stages=0) there
 * is nothing to split, and the operations of tw_test_nop=1 have no kernel stages. */
static bool can_be_split(const struct tw_options *o)
{
	const enum tw_kernel_mode mode = mode_of(o);

	return mode != TW_KERNEL_OFF && mode != TW_KERNEL_UNKNOWN && o->stages &&
	       !o->test_nop;
}

/* True if the program is to be loaded for a job. To enter it alone costs a tenth of the time
 * to read 512 bytes from the page cache, and nothing of that is split. Causes need it. */
static bool is_wanted(const struct thread_data *td, const struct tw_options *o)
{
	return can_be_split(o) && (td->o.odirect || tw_engine_commands || o->causes ||
				   mode_of(o) == TW_KERNEL_REQUIRE);
}

bool tw_job_syncs(const struct thread_data *td)
{
	return td->o.fsync_blocks || td->o.fdatasync_blocks;
}

bool tw_job_syncs_writes(const struct thread_data *td)
{
	return td_write(td) && td->o.sync_io;
}

/* True if a job wants the parts of its syncs, and can have them. */
static bool wants_syncs(const struct thread_data *td, const struct tw_options *o)
{
	return (tw_job_syncs(td) || tw_job_syncs_writes(td)) && !tw_engine_commands &&
	       can_be_split(o);
}

/* What the jobs of this fio want together. */
struct wants {
	uint32_t syncs;		/* places for I/Os of jobs that sync */
	bool sync_writes;	/* of writes, too */
	unsigned jobs;		/* with kernel stages */
	uint32_t entries;		/* that all of them need */
	uint32_t followed;	/* jobs whose threads are followed */
};

/* Ask this before the first job ends, in the process that starts the jobs or of which they are
 * threads. In a process that is a job the options of others are freed: some versions of fio do
 * that when they have forked a job. The pointer is read once, since a job that ends clears it. */
static struct wants all_want(void)
{
	struct wants wants = { 0 };
	unsigned i;

	for (i = 0; i < thread_number; i++) {
		const struct thread_data *td = tnumber_to_td(i);
		const struct tw_options *o = IO_URING_READ_ONCE(td->eo);

		if (!tw_has_our_layout(td) || !o)
			continue;
		if (wants_syncs(td, o)) {
			wants.sync_writes |= tw_job_syncs_writes(td);
			wants.syncs += tw_entries_of(td->o.iodepth);
		}
		if (!is_wanted(td, o))
			continue;
		wants.jobs++;
		wants.entries += tw_entries_of(td->o.iodepth);
		wants.followed += o->causes;
	}
	return wants;
}

/* ---- descriptors -------------------------------------------------------- */

/* True once the programs were loaded for all jobs. Jobs that are processes inherit them. With
 * create_serialize=0 such a job would load programs of its own, and the kernel runs each program
 * for every I/O of the machine. */
static bool asked;

/* Left next to the jobs' files. All programs together take about 100 while they are loaded, and
 * fio itself some 20. */
#define RESERVED_DESCRIPTORS	160

/* Return how many files of jobs are open at a time in one process. Jobs may have ended. */
static rlim_t open_files(void)
{
	rlim_t files = 0;
	unsigned i;

	for (i = 0; i < thread_number; i++) {
		const struct thread_data *td = tnumber_to_td(i);

		if (!tw_has_our_layout(td))
			continue;
		if (td->o.use_thread)
			files += td->files_index;
		else if (files < td->files_index)
			files = td->files_index;
	}
	return files;
}

bool tw_jobs_have_descriptors(void)
{
	const rlim_t needed = open_files() + RESERVED_DESCRIPTORS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return true;
	limit.rlim_cur = needed < limit.rlim_max ? needed : limit.rlim_max;
	return limit.rlim_cur == needed && !setrlimit(RLIMIT_NOFILE, &limit);
}

const char *tw_kernel_refusal(void)
{
	return tw_has_shifted_clock() ? TW_SHIFTED_CLOCK :
	       tw_jobs_have_descriptors() ? NULL : NO_DESCRIPTORS;
}

/* ---- the programs ------------------------------------------------------- */

void tw_kernel_load_for_jobs(void)
{
	const struct wants wants = all_want();
	char path[TW_CGROUP_PATH];

	asked = true;
	if (wants.jobs && !tw_kernel_refusal())
		tw_kernel_load(wants.entries, wants.followed);
	if (wants.syncs && !tw_kernel_refusal())
		tw_syncs_load(wants.syncs, wants.sync_writes);
	if (!wants.followed || !tw_kernel_is_own())
		return;
	tw_follow_load(wants.followed);
	/* For what others had in flight: jobs inherit the names. */
	tw_cgroup_path(path, TW_CGROUP_ROOT);
}

/* Prepare the program that stamps syncs. */
static void syncs_begin(const struct thread_data *td, struct tw_job *job)
{
	struct tw_syncs *syncs = &job->hot.syncs;

	if (!wants_syncs(td, td->eo))
		return;
	syncs->why = tw_kernel_refusal();
	if (!syncs->why && !asked)
		syncs->why = NOT_SERIAL;
	if (!syncs->why)
		syncs->why = tw_syncs_load(job->ring.entries, tw_job_syncs_writes(td));
	if (!syncs->why)
		tw_syncs_expect(syncs, job->ring.entries);
	syncs->of_writes = syncs->by_index && tw_job_syncs_writes(td);
}

void tw_kernel_ring_begins(struct thread_data *td, struct tw_job *job)
{
	const struct tw_options *o = td->eo;
	struct tw_follow *follow = &job->collected.follow;
	struct tw_kernel *kernel = &job->hot.kernel;

	/* The programs are loaded already. */
	if (is_wanted(td, o)) {
		kernel->why = tw_kernel_refusal();
		if (!kernel->why && !asked)
			kernel->why = NOT_SERIAL;
		if (!kernel->why)
			kernel->why = tw_kernel_load(job->ring.entries, o->causes);
		if (!kernel->why)
			tw_kernel_expect(kernel, job->ring.entries);
	} else if (can_be_split(o)) {
		kernel->why = "buffered I/O has no block requests of its own";
	}
	syncs_begin(td, job);
	if (!o->causes)
		return;
	if (!kernel->stamps)
		follow->why = not_split;
	else if (kernel->by_helper)
		follow->why = "the kernel helper does not follow threads: run as root "
			      "or with CAP_BPF, CAP_PERFMON and CAP_SYSLOG";
	else
		follow->why = tw_follow_load(1);
	if (!follow->why)
		tw_follow_expect(follow);
}

int tw_kernel_ring_made(struct thread_data *td, struct tw_job *job)
{
	const enum tw_kernel_mode mode = mode_of(td->eo);
	struct tw_kernel *kernel = &job->hot.kernel;
	struct tw_follow *follow = &job->collected.follow;

	if (mode == TW_KERNEL_UNKNOWN)
		return tw_refuse_job(td, EINVAL, "TICKWISE_KERNEL is '%.40s': auto, off or "
				     "require", getenv("TICKWISE_KERNEL"));
	tw_kernel_made(kernel);
	tw_follow_made(follow);
	tw_syncs_made(&job->hot.syncs);
	/* Another job wanted it. */
	if (!kernel->stamps || !((const struct tw_options *) td->eo)->causes)
		kernel->others = NULL;
	if (follow->offcpu && !kernel->stamps) {
		follow->offcpu = NULL;
		follow->why = not_split;
	}
	if (kernel->stamps || mode != TW_KERNEL_REQUIRE)
		return 0;
	return tw_refuse_job(td, EPERM, "tw_kernel=require, but the stages inside the kernel "
			     "can't be had: %s",
			     kernel->why ? kernel->why : "tw_stages=0 or tw_test_nop=1");
}

/* ---- why an I/O was slow ------------------------------------------------ */

/* The part of the job's thread in a stage. */
enum part_of {
	NO_PART,
	IN_CALL,	/* it works until the submitting call ends */
	TAKES_PART,
	ENDS_IT,	/* it works, and is woken at the end of the stage */
};

/* Return the part of the job's thread in @stage. With SQPOLL a thread of the kernel
 * submits and fills the ring. That thread is not followed, nor are io_uring's workers. */
static enum part_of part_of(const struct tw_job *job, enum tw_stage stage,
			    const struct tw_kernel_stamps *stamps)
{
	static const enum part_of parts[TW_STAGES] = {
		[TW_QUEUE] = TAKES_PART, [TW_SUBMIT] = TAKES_PART, [TW_BLOCKQ] = IN_CALL,
		[TW_DEVICE] = NO_PART, [TW_COMPLETE] = ENDS_IT, [TW_REAP] = ENDS_IT,
		[TW_KERNEL] = IN_CALL, [TW_DELIVER] = TAKES_PART, [TW_BACKLOG] = NO_PART,
	};
	const bool is_of_ring = stage == TW_SUBMIT || stage == TW_COMPLETE;

	if ((is_of_ring && job->ring.polled_submission) ||
	    (stage == TW_BLOCKQ && stamps->retries))
		return NO_PART;
	return parts[stage];
}

/* Return when the stage @of begins, in ns since lat began. The stage kernel
 * stands for the stages from submit to reap that the I/O lacks. */
static int64_t begin_of(const struct tw_io_times *times, unsigned of)
{
	bool had_kernel = false;
	int64_t since_ns;
	unsigned stage;

	if (of == TW_BACKLOG)
		return 0;
	since_ns = (int64_t) times->ns[TW_BACKLOG];
	for (stage = 0; stage < TW_BACKLOG && stage != of; stage++) {
		if (stage == TW_KERNEL || tw_io_has(times, stage)) {
			since_ns += stage == TW_KERNEL ? 0 :
				    (int64_t) times->ns[stage];
		} else if (!had_kernel) {
			if (of == TW_KERNEL)
				break;
			since_ns += (int64_t) times->ns[TW_KERNEL];
			had_kernel = true;
		}
	}
	return since_ns;
}

static int64_t own_ns(const struct tw_clocks *clocks, uint64_t ticks)
{
	return tw_span_ns(clocks->scale, clocks->zero_ticks, ticks);
}

/* Return the bound of schedstat.h for @part; 0: not known. */
static uint64_t waited_at_most_ns(struct tw_job *job, const struct tw_clocks *clocks,
				  const struct tw_part *part)
{
	const double ticks_per_ns = tw_job_ticks_per_ns(job);
	const uint64_t from_ticks = (uint64_t) ((double) part->from_ns * ticks_per_ns);
	const uint64_t to_ticks = (uint64_t) ((double) part->to_ns * ticks_per_ns);
	uint64_t ns;

	if (!tw_waits_bound(job, clocks->zero_ticks + from_ticks,
			    clocks->zero_ticks + to_ticks, &ns))
		return 0;
	return min(ns, (uint64_t) (part->to_ns - part->from_ns));
}

/* Explain @part by what the thread did in it: up to the end of its call, if that @is its part.
 * What was known of sleeps is dropped. */
static void causes_of_thread(struct tw_job *job, const struct tw_clocks *clocks,
			   const struct tw_io *io, enum part_of is, struct tw_part part,
			   struct tw_why *why)
{
	if (is == IN_CALL)
		part.to_ns = io->entered_ticks ?
			tw_min_ns(part.to_ns, own_ns(clocks, io->entered_ticks)) :
			part.from_ns;
	if (is == NO_PART || part.to_ns <= part.from_ns)
		return;
	why->followed = true;
	tw_find_causes(job->collected.follow.offcpu, clocks->clock_map, &part, &why->causes);
	why->causes.stall_from_ns -= part.from_ns;
	why->causes.stall_to_ns -= part.from_ns;
}

void tw_why_find(struct tw_job *job, const struct tw_clocks *clocks,
		 const struct tw_throttled *throttled, struct tw_slow_io *slow)
{
	const struct tw_io_times *times = &slow->times;
	const struct tw_io *io = &slow->io;
	struct tw_why *why = &slow->why;
	unsigned longest = TW_QUEUE, stage;
	struct tw_part part;
	enum part_of is;

	for (stage = 0; stage < TW_STAGES; stage++)
		if (tw_io_has(times, stage) && times->ns[stage] > times->ns[longest])
			longest = stage;
	is = part_of(job, longest, &slow->stamps);
	*why = (struct tw_why) {
		.stage = longest,
		.from_ns = begin_of(times, longest),
	};
	part.ends_by_wakeup = is == ENDS_IT;
	part.from_ns = own_ns(clocks, io->prepared_ticks) + why->from_ns;
	part.to_ns = part.from_ns + (int64_t) times->ns[longest];
	if (!job->collected.follow.offcpu) {
		if (is != NO_PART)
			why->waited_at_most_ns = waited_at_most_ns(job, clocks, &part);
		return;
	}
	if (longest == TW_BLOCKQ || longest == TW_KERNEL)
		tw_find_worker_causes(job->collected.follow.sleeps, clocks->clock_map, &part,
				   slow->stamps.key, &why->causes);
	if (longest == TW_BLOCKQ && tw_io_has(times, TW_WORKER))
		tw_add_wait_for_worker(times->ns[TW_WORKER], times->ns[TW_BLOCKQ],
				     &why->causes);
	if (why->causes.slept[0].ns <= times->ns[longest] / TW_CAUSE_PART)
		causes_of_thread(job, clocks, io, is, part, why);
	/* In `device` one of its bios may be throttled, and not the first. */
	if (throttled && (longest == TW_BLOCKQ || longest == TW_KERNEL || longest == TW_DEVICE))
		tw_find_throttle_causes(throttled, job->collected.follow.sleeps,
					clocks->clock_map, &part,
				&why->causes);
}

/* ---- the report ---------------------------------------------------------- */

json_t *tw_kernel_to_json(const struct tw_job *job)
{
	const struct tw_kernel *kernel = &job->hot.kernel;
	const char *why = kernel->why ? kernel->why : "not asked for";

	return json_pack("{ss, so*, ss*}", "state", kernel->stamps ? "on" : "off",
			 "by_helper", kernel->stamps && kernel->by_helper ? json_true() : NULL,
			 "why", kernel->stamps ? NULL : why);
}

json_t *tw_why_state_to_json(const struct tw_job *job)
{
	const struct tw_follow *follow = &job->collected.follow;

	return json_pack("{ss, ss*, so*}", "state", follow->offcpu ? "on" : "off",
			 "why", follow->offcpu ? NULL : follow->why,
			 "cost", follow->offcpu ? tw_follow_cost() : NULL);
}
