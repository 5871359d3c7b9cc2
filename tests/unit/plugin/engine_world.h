/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The surroundings of the engine, made by hand: fio as far as the engine calls it,
 * and a kernel with a ring in memory. The counter advances only while the kernel
 * works or when the test asks for it. The engine runs through its own hooks, from
 * ->init() to ->cleanup(), and its report is caught before it is written.
 *
 * Included by one C file of a test: it defines what the engine calls.
 */
#ifndef TW_TESTS_ENGINE_WORLD_H
#define TW_TESTS_ENGINE_WORLD_H

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clocks.h"
#include "facts.h"
#include "engine.h"
#include "files.h"
#include "guards.h"
#include "health.h"
#include "latency/histogram_json.h"
#include "kernel_job.h"
#include "trace/tracefs.h"
#include "message.h"
#include "record.h"
#include "report/report.h"
#include "report_file.h"
#include "response.h"
#include "run_end.h"
#include "tap.h"

#define WORLD_DEPTH	32
#define WORLD_PLACES	(2 * WORLD_DEPTH)
#define WORLD_RATE_HZ	1000000000	/* unless the test sets another */
/* A ring's counts begin not far before they wrap to 0. */
#define WORLD_FROM	(0U - 50)
#define WORLD_NOTHING	INT32_MIN	/* a result: not a byte */
#define WORLD_PAUSE	1000		/* what usleep() takes */
#define WORLD_PRIORITY	0x4005		/* of cmdprio */

_Atomic(uint64_t) engine_now_ticks;

/* An I/O in the kernel. */
struct world_io {
	bool in_kernel;
	uint64_t done_ticks;
	struct io_uring_sqe sqe;	/* its entry when it was submitted, */
	struct iovec iovec;		/* and what the entry points to */
};

static struct world {
	struct thread_data td;
	struct tw_options options;
	struct tw_timing timing;
	struct tw_rate rate;		/* of its clock */
	struct fio_file file;
	struct io_u io_us[WORLD_DEPTH];
	json_t *report;			/* after world_end() */
	uint64_t backwards;		/* what the verdict was told of it */
	bool no_report;			/* tw_report=none */
	const char *intervals;		/* their file */
	const struct tw_files *files;	/* as found when the job began */
	unsigned messages;

	/* The ring. Entries lie by index, an array has the order. */
	struct io_uring_sqe sqes[2 * WORLD_DEPTH];
	unsigned sq_array[WORLD_DEPTH];
	struct io_uring_cqe cqes[2 * WORLD_PLACES];
	unsigned sq_head, sq_tail, sq_flags, sq_mask;
	unsigned cq_head, cq_tail, cq_mask;

	/* What the options make of the ring. */
	bool direct;			/* not through the page cache */
	bool polled;			/* a thread of the kernel submits */
	bool async_trim;
	bool iovecs;
	bool fixed_buffers;
	bool fixed_files;
	bool big_entries;		/* of the double size */
	bool prioritises;		/* cmdprio */
	unsigned force_async;

	/* The kernel, as the test sets it. */
	struct world_io ios[WORLD_DEPTH];
	bool at_once;			/* entries appear when I/Os are done,
					 * else when the kernel is entered */
	bool defers;			/* and then only if asked for them */
	uint64_t takes_ticks[WORLD_DEPTH];	/* from its submission on */
	int32_t results[WORLD_DEPTH];	/* 0: all of it */
	uint64_t enter_ticks;		/* a call takes at least this */
	unsigned accepts;		/* submissions in a call; 0: all */
	int error;			/* of the next call; 0: none */
	bool takes_none;		/* the next call takes none */
	unsigned calls;
	unsigned finds;			/* submissions with GETEVENTS */
	unsigned wakes;			/* of the thread that submits */
	unsigned pauses;
	unsigned bad_entries;

	/* Checks an entry, where the world does not know. NULL: it does. */
	bool (*is_right)(const struct io_uring_sqe *sqe,
			 const struct io_u *io_u);

	/* Called in each call, for the test. NULL: nothing. */
	void (*entering)(void);
	void (*accepted)(unsigned index);
	void (*left)(void);
	void (*appeared)(unsigned index);

	/* fio */
	double fio_fast;		/* its clock, of the counter's time */
	unsigned bad_priorities;	/* asked for where there are none */
	bool ramp_is_over;
	unsigned ramp_asked;
	unsigned slats;
	unsigned bad_slats;		/* without the time they end at */
	int call_error;			/* of a trim or sync by system call */

	/* The program that stamps I/Os inside the kernel. */
	double monotonic_fast;		/* CLOCK_MONOTONIC, of the counter's time */
	struct tw_slot *kernel_slots;	/* NULL: it sees no ring */
	const char *kernel_refused;	/* why it can't be loaded; NULL: it can */
	unsigned kernel_loads;
	uint32_t kernel_loaded_first;
	int64_t kernel_missed;		/* runs that the kernel skipped so far */
	struct tw_turns *turns;		/* of the job's thread; NULL: not followed */
	uint32_t followed;		/* jobs, when that was loaded */
	uint32_t kernel_loaded;		/* slots */

	/* The kernel's trace events. */
	const char *trace_refused;	/* why there are none; NULL: there are */
	const char *const *trace;	/* lines, to NULL */
	bool trace_stopped;		/* by another job */
	unsigned trace_makes, trace_stops, trace_goes_on;
} world;

/* ---- the kernel -------------------------------------------------------- */

__attribute__((unused))
static unsigned world_index(const struct io_u *io_u)
{
	return (unsigned)(io_u - world.io_us);
}

static int32_t world_result(unsigned i)
{
	if (world.results[i] == WORLD_NOTHING)
		return 0;
	return world.results[i] ? world.results[i] :
				  (int32_t)world.io_us[i].xfer_buflen;
}

static struct io_uring_sqe *world_entry(unsigned i)
{
	return &world.sqes[i << world.big_entries];
}

/* An entry must not change before its I/O is done. */
static bool world_is_unchanged(unsigned i)
{
	const struct world_io *io = &world.ios[i];
	const struct tw_job *job = world.td.io_ops_data;

	return memcmp(world_entry(i), &io->sqe, sizeof(io->sqe)) == 0 &&
	       (!world.iovecs || memcmp(&job->iovecs[i], &io->iovec,
					sizeof(io->iovec)) == 0);
}

static void world_appear(unsigned i)
{
	const unsigned at = world.cq_tail++ & world.cq_mask;

	world.bad_entries += !world_is_unchanged(i) ||
			     world.cq_tail - world.cq_head > world.cq_mask + 1;
	world.cqes[at << world.big_entries] = (struct io_uring_cqe) {
		.user_data = world.ios[i].sqe.user_data,
		.res = world_result(i),
	};
	world.ios[i].in_kernel = false;
	if (world.appeared)
		world.appeared(i);
}

/* Return the next one to be done; -1: the kernel has none. */
static int world_next(void)
{
	int next = -1;

	for (int i = 0; i < WORLD_DEPTH; i++)
		if (world.ios[i].in_kernel &&
		    (next < 0 || world.ios[i].done_ticks <
				 world.ios[next].done_ticks))
			next = i;
	return next;
}

static void world_show_done(void)
{
	int i;

	while ((i = world_next()) >= 0 &&
	       world.ios[i].done_ticks <= engine_now_ticks)
		world_appear((unsigned)i);
}

/* Let time pass outside of the engine. */
__attribute__((unused))
static void world_pass(uint64_t ticks)
{
	engine_now_ticks += ticks;
	if (world.at_once)
		world_show_done();
}

/*
 * True if the entry has what fio wanted of this I/O, and nothing else; for plain
 * transfers and syncs, unless a test knows better. The lower half of its name in
 * the ring is its index.
 */
static bool world_entry_is_right(const struct io_uring_sqe *sqe,
				 const struct io_u *io_u)
{
	struct io_uring_sqe right = {
		.opcode = IORING_OP_FSYNC,
		.fd = io_u->file->fd,
		.user_data = (sqe->user_data >> 32 << 32) + io_u->index,
	};

	if (io_u->ddir <= DDIR_WRITE) {
		right.opcode = io_u->ddir == DDIR_READ ? IORING_OP_READ :
							 IORING_OP_WRITE;
		right.off = io_u->offset;
		right.len = (__u32)io_u->xfer_buflen;
		right.addr = (uintptr_t)io_u->xfer_buf;
	} else if (io_u->ddir == DDIR_TRIM) {
		right.opcode = IORING_OP_URING_CMD;
		right.cmd_op = _IO(0x12, 0);
		right.addr = io_u->offset;
		right.addr3 = io_u->xfer_buflen;
	} else if (io_u->ddir == DDIR_DATASYNC) {
		right.fsync_flags = IORING_FSYNC_DATASYNC;
	}
	return memcmp(sqe, &right, sizeof(right)) == 0;
}

static void world_take(void)
{
	const unsigned i = world.sq_array[world.sq_head++ & world.sq_mask];
	const struct tw_job *job = world.td.io_ops_data;
	struct world_io *io = &world.ios[i];

	if (i >= world.td.o.iodepth || io->in_kernel) {
		world.bad_entries++;
		return;
	}
	io->sqe = *world_entry(i);
	if (world.iovecs)
		io->iovec = job->iovecs[i];
	if (world.is_right ? !world.is_right(&io->sqe, &world.io_us[i]) :
			     !world_entry_is_right(&io->sqe, &world.io_us[i]))
		world.bad_entries++;
	io->in_kernel = true;
	io->done_ticks = engine_now_ticks + world.takes_ticks[i];
	if (world.accepted)
		world.accepted(i);
}

/* Act as the thread that submits: take what has been published. */
static void world_poll(void)
{
	while (world.sq_head != world.sq_tail)
		world_take();
}

static unsigned world_waiting(void)
{
	return world.cq_tail - world.cq_head;
}

int io_uring_enter(unsigned int fd, unsigned int to_submit,
		   unsigned int min_complete, unsigned int flags, sigset_t *sig)
{
	unsigned taken = 0;
	int error = world.error;

	world.calls++;
	world.error = 0;
	if (error) {
		engine_now_ticks += world.enter_ticks;
		return -error;
	}
	if (flags & IORING_ENTER_SQ_WAKEUP) {
		world.wakes++;
		engine_now_ticks += world.enter_ticks;
		return (int)to_submit;
	}
	if (world.entering)
		world.entering();
	if (world.takes_none)
		to_submit = 0;
	world.takes_none = false;
	while (taken < to_submit && world.sq_head != world.sq_tail &&
	       (!world.accepts || taken < world.accepts)) {
		world_take();
		taken++;
	}
	engine_now_ticks += world.enter_ticks;
	if (to_submit && flags & IORING_ENTER_GETEVENTS)
		world.finds++;
	if (!world.defers || flags & IORING_ENTER_GETEVENTS)
		world_show_done();
	while (world_waiting() < min_complete && world_next() >= 0) {
		engine_now_ticks = world.ios[world_next()].done_ticks;
		world_show_done();
	}
	if (world.left)
		world.left();
	return (int)taken;
}

/* ---- fio --------------------------------------------------------------- */

/* Return fio's time: the counter's, in whole nanoseconds, which may be fast. */
static uint64_t world_fio_ns(void)
{
	return (uint64_t)((double)engine_now_ticks * (1 + world.fio_fast) *
			  1e9 / world.rate.hz);
}

/* The inline functions of a fio with our patches use these. */
#ifdef TW_FIO_NSEC
#ifdef ARCH_HAVE_CPU_CLOCK
struct fio_cpu_clock fio_cpu_clock;	/* not in use */
#endif

uint64_t __fio_gettime_ns(void)
{
	return world_fio_ns();
}

#define ramp_period_over	__ramp_period_over
#define ramp_time_over		__ramp_time_over
#endif

void fio_gettime(struct timespec *ts, void *caller)
{
	ts->tv_sec = (time_t)(world_fio_ns() / 1000000000);
	ts->tv_nsec = (long)(world_fio_ns() % 1000000000);
}

#ifdef TW_FIO_RAMP_PERIOD
bool ramp_period_enabled;
bool ramp_period_over(struct thread_data *td)
#else
static bool ramp_period_enabled;
bool ramp_time_over(struct thread_data *td)
#endif
{
	world.ramp_asked++;
	return world.ramp_is_over;
}

/* From now on fio asks for each I/O whether the ramp time is over. */
__attribute__((unused))
static void world_ramps(void)
{
	world.td.o.ramp_time = 1;
	ramp_period_enabled = true;
	world.ramp_is_over = false;
	world.ramp_asked = 0;
}

__attribute__((unused))
static uint64_t world_issue_ns(const struct io_u *io_u)
{
#ifdef TW_FIO_NSEC
	return io_u->issue_nsec;
#else
	return (uint64_t)io_u->issue_time.tv_sec * 1000000000 +
	       (uint64_t)io_u->issue_time.tv_nsec;
#endif
}

__attribute__((unused))
static uint64_t world_start_ns(const struct io_u *io_u)
{
#ifdef TW_FIO_NSEC
	return io_u->start_nsec;
#else
	return (uint64_t)io_u->start_time.tv_sec * 1000000000 +
	       (uint64_t)io_u->start_time.tv_nsec;
#endif
}

static void world_set_start(struct io_u *io_u)
{
#ifdef TW_FIO_NSEC
	io_u->start_nsec = fio_gettime_ns();
#else
	fio_gettime(&io_u->start_time, NULL);
#endif
}

/* Record slat: from start_time to issue_time. */
void io_u_queued(struct thread_data *td, struct io_u *io_u)
{
	world.slats++;
	world.bad_slats += world_issue_ns(io_u) != world_fio_ns();
}

void io_u_mark_submit(struct thread_data *td, unsigned int count)
{
}

void io_u_mark_complete(struct thread_data *td, unsigned int count)
{
}

/* Trim by a system call. The prototypes have a const in some versions of fio. */
int world_trim(const void *td, struct io_u *io_u) __asm__("do_io_u_trim");
int world_trim(const void *td, struct io_u *io_u)
{
	engine_now_ticks += world.enter_ticks;
	io_u->error = (unsigned)world.call_error;
	return 0;
}

int world_sync(const void *td, struct io_u *io_u) __asm__("do_io_u_sync");
int world_sync(const void *td, struct io_u *io_u)
{
	return world_trim(td, io_u);
}

/* fio has priorities for reads and writes only. */
bool fio_cmdprio_set_ioprio(struct thread_data *td, struct cmdprio *cmdprio,
			    struct io_u *io_u)
{
	io_u->ioprio = WORLD_PRIORITY;
	world.bad_priorities += io_u->ddir > DDIR_WRITE;
	return true;
}

int fio_cmdprio_init(struct thread_data *td, struct cmdprio *cmdprio,
		     struct cmdprio_options *options)
{
	cmdprio->mode = world.prioritises ? CMDPRIO_MODE_PERC :
					    CMDPRIO_MODE_NONE;
	return 0;
}

void fio_cmdprio_cleanup(struct cmdprio *cmdprio)
{
}

int generic_open_file(struct thread_data *td, struct fio_file *f)
{
	return 0;
}

int generic_close_file(struct thread_data *td, struct fio_file *f)
{
	return 0;
}

const char fio_version_string[] = TW_FIO_VERSION;

int usleep(useconds_t us)
{
	world.pauses++;
	engine_now_ticks += WORLD_PAUSE;
	return 0;
}

/* fio's jobs; a test fills them in. */
unsigned int thread_number;
struct thread_segment segments[REAL_MAX_SEG];

/* ---- the engine's own surroundings ------------------------------------- */

/* As far from the counter as it may be after weeks. */
#define WORLD_MONOTONIC_NS	3000000000000000

static uint64_t world_monotonic_ns(uint64_t ticks)
{
	const double ns = (double)ticks * 1e9 / world.rate.hz;
	const uint64_t own_ns = world.rate.hz == WORLD_RATE_HZ ?
				ticks : (uint64_t)ns;

	return WORLD_MONOTONIC_NS + own_ns +
	       (uint64_t)(int64_t)(ns * world.monotonic_fast);
}

uint64_t engine_clock_id_ns(clockid_t clock_id)
{
	return world_monotonic_ns(engine_now_ticks);
}

const char *tw_kernel_load(uint32_t slots)
{
	if (!world.kernel_loads++)
		world.kernel_loaded_first = slots;
	world.kernel_loaded = slots;
	return world.kernel_refused;
}

int64_t tw_kernel_missed(void)
{
	return world.kernel_missed;
}

bool tw_kernel_is_own(void)
{
	return !world.kernel_refused;
}

void tw_kernel_expect(struct tw_kernel *kernel, uint32_t entries)
{
	*kernel = (struct tw_kernel) {
		.slots = world.kernel_slots,
		.why = world.kernel_slots ? NULL : "not seen",
		.missed = world.kernel_missed,
	};
}

bool tw_kernel_made(struct tw_kernel *kernel)
{
	return kernel->slots;
}

void tw_kernel_forget(struct tw_kernel *kernel)
{
}

/* The kernel's trace events. */
const char *tw_tracefs_make(void)
{
	world.trace_makes++;
	return world.trace_refused;
}

bool tw_tracefs_stop(uint32_t job, uint32_t *other)
{
	world.trace_stops++;
	if (world.trace_stopped)
		*other = job + 1;
	return !world.trace_stopped;
}

void tw_tracefs_read(struct tw_trace_window *window)
{
	unsigned i;

	for (i = 0; world.trace && world.trace[i]; i++)
		if (!tw_trace_take(window, world.trace[i]))
			return;
}

void tw_tracefs_go_on(void)
{
	world.trace_goes_on++;
}

const char *tw_follow_load(uint32_t jobs)
{
	world.followed = jobs;
	return world.kernel_refused;
}

void tw_follow_expect(struct tw_follow *follow)
{
	*follow = (struct tw_follow) {
		.turns = world.turns,
		.why = world.turns ? NULL : "not seen",
	};
}

void tw_follow_made(struct tw_follow *follow)
{
}

void tw_message(const char *format, ...)
{
	world.messages++;
}

const bool tw_engine_commands;
struct ioengine_ops tw_engine;

int tw_check_layout(const struct thread_data *td)
{
	return 0;
}

int tw_options_check(struct thread_data *td)
{
	return 0;
}

const struct tw_timing *tw_timing_of_process(void)
{
	return &world.timing;
}

int tw_ring_try(void)
{
	return 0;
}

const char *tw_ring_failure(int error)
{
	return strerror(error);
}

int tw_ring_set_up(struct thread_data *td, struct tw_job *job)
{
	world.sq_mask = job->entries - 1;
	world.cq_mask = WORLD_PLACES - 1;
	job->ring.sq = (struct io_uring_sq) {
		.khead = &world.sq_head,
		.ktail = &world.sq_tail,
		.kflags = &world.sq_flags,
		.array = world.sq_array,
		.sqes = world.sqes,
		.ring_mask = world.sq_mask,
	};
	job->ring.cq = (struct io_uring_cq) {
		.khead = &world.cq_head,
		.ktail = &world.cq_tail,
		.cqes = world.cqes,
		.ring_mask = world.cq_mask,
	};
	/* As many completions as submissions. */
	world.sq_head = world.sq_tail = world.cq_head = world.cq_tail =
		WORLD_FROM;
	job->sq_tail = job->seen_tail = WORLD_FROM;
	job->getevents_flags = IORING_ENTER_GETEVENTS;
	job->entry_shift = world.big_entries;
	int ret;

	tw_kernel_ring_begins(td, job);
	tw_why_ring_begins(td, job);
	ret = tw_kernel_ring_made(td, job);
	tw_why_ring_made(job);
	return ret;
}

int tw_ring_register(struct thread_data *td, struct tw_job *job)
{
	job->opcode[DDIR_READ] = IORING_OP_READ;
	job->opcode[DDIR_WRITE] = IORING_OP_WRITE;
	job->direct = world.direct;
	job->polled_submission = world.polled;
	job->async_trim = world.async_trim;
	job->fixed_buffers = world.fixed_buffers;
	job->fixed_files = world.fixed_files;
	job->force_async = world.force_async;
	if (world.iovecs)
		job->iovecs = calloc(job->entries, sizeof(*job->iovecs));
	return world.iovecs && !job->iovecs ? -ENOMEM : 0;
}

void tw_ring_tear_down(struct tw_job *job)
{
	free(job->iovecs);
}

void tw_moment_take(const struct tw_job *job, struct tw_moment *moment)
{
	*moment = (struct tw_moment) { .ticks = engine_now_ticks };
}

json_t *tw_clocks_to_json(const struct tw_job *job, const struct tw_moment *end)
{
	return json_object();
}

void tw_job_look(const char *job_name, const struct tw_timing *timing,
		 struct tw_job_end *end)
{
}

void tw_cpus_note(struct tw_cpu_list *cpus)
{
}

void tw_cpus_set(const struct tw_cpu_list *cpus)
{
}

json_t *tw_report_job(struct thread_data *td, const struct tw_timing *timing,
		      uint64_t start_realtime_ns)
{
	return json_object();
}

/* A job with one device has none here. */
struct tw_facts *tw_facts_take(struct thread_data *td,
			       const struct tw_cpu_list *cpus,
			       const struct tw_files *files)
{
	world.files = files;
	/* The functions below do not use them. */
	return (struct tw_facts *) &world.files;
}

void tw_facts_put(const struct tw_facts *facts, struct tw_report *report)
{
}

json_t *tw_facts_devices(const struct tw_facts *facts)
{
	json_t *devices = json_array();
	unsigned i;

	for (i = 0; i < world.files->device_count; i++)
		json_array_append_new(devices, json_pack("{ss, so}", "host", "host",
			"device", tw_file_device_name(&world.files->devices[i])));
	return devices;
}

void tw_facts_free(struct tw_facts *facts)
{
}

bool tw_report_is_wanted(const char *option)
{
	return !world.no_report;
}

char *tw_intervals_path(struct thread_data *td, const char *option, unsigned place)
{
	return strdup(world.intervals);
}

void tw_signals_hold(sigset_t *before)
{
}

void tw_signals_release(const sigset_t *before)
{
}

int tw_run_report(struct thread_data *td, const char *option,
		  const char *suffix, json_t *report,
		  const struct tw_timing *timing, const struct tw_job_end *end)
{
	world.report = report;
	world.backwards = end->backwards;
	return 0;
}

void tw_run_take_hangup(void)
{
}

void tw_run_job_begins(const struct thread_data *td)
{
}

void tw_run_job_ended(struct thread_data *td)
{
}

/* ---- a job ------------------------------------------------------------- */

/* Begin a world of its own for each job: what the last one left is gone. */
__attribute__((unused))
static void world_forget(void)
{
	json_decref(world.report);
	memset(&world, 0, sizeof(world));
	engine_now_ticks = 1000;
	world.enter_ticks = 500;
	world.options.digits = 3;
	world.options.stages = 1;
	world.options.kernel = TW_KERNEL_OFF;
	world.td.o.name = (char *)"job";
	world.td.o.iodepth = 1;
	world.td.o.iodepth_batch = 1;
	world.td.o.iodepth_batch_complete_min = 1;
	world.td.o.td_ddir = TD_DDIR_RW;
	world.td.runstate = TD_RUNNING;
	world.td.eo = &world.options;
	world.td.io_ops = &tw_engine;
	world.file.fd = 7;
	world.file.real_file_size = 1 << 30;
	world.rate.size = sizeof(world.rate);
	world.rate.hz = WORLD_RATE_HZ;
	ramp_period_enabled = false;
}

/* To be called after world_forget() and the options: the engine's own start. */
__attribute__((unused))
static bool world_begin(void)
{
	unsigned i;

	if (tw_scale_init(&world.timing.clock.scale, &world.rate,
			  0) || tw_init(&world.td))
		return false;
	for (i = 0; i < world.td.o.iodepth; i++) {
		world.io_us[i].index = i;
		world.io_us[i].file = &world.file;
		if (tw_io_u_init(&world.td, &world.io_us[i]))
			return false;
	}
	return tw_post_init(&world.td) == 0;
}

/* Make a transfer as fio makes one of this io_u. */
__attribute__((unused))
static struct io_u *world_transfer(unsigned i, enum fio_ddir ddir,
				   uint64_t offset, uint64_t size)
{
	struct io_u *io_u = &world.io_us[i];

	io_u->ddir = io_u->acct_ddir = ddir;
	io_u->offset = offset;
	io_u->xfer_buf = io_u->buf = &world.cqes;
	io_u->xfer_buflen = io_u->buflen = size;
	io_u->resid = 0;
	io_u->error = 0;
	io_u->ioprio = 0;
	return io_u;
}

/* Act as fio's td_io_commit(). */
static void world_commit(void)
{
	world.td.io_u_queued = 0;
	if (world.polled && world.entering)
		world.entering();
	tw_commit(&world.td);
	if (world.polled)
		world_poll();
}

/* Act as the end of fio's get_io_u(). */
static void world_prep(struct io_u *io_u)
{
	tw_prep(&world.td, io_u);
	world_set_start(io_u);
}

/* Act as fio's td_io_queue(). */
static enum fio_q_status world_queue_prepared(struct io_u *io_u)
{
	enum fio_q_status status = tw_queue(&world.td, io_u);

	if (status == FIO_Q_QUEUED &&
	    ++world.td.io_u_queued >= world.td.o.iodepth_batch)
		world_commit();
	return status;
}

__attribute__((unused))
static enum fio_q_status world_queue(struct io_u *io_u)
{
	world_prep(io_u);
	return world_queue_prepared(io_u);
}

/* End the job. The report is in world.report from now on. */
__attribute__((unused))
static void world_end(void)
{
	tw_cleanup(&world.td);
}

/* Return a number of the report: "ios", "read". */
__attribute__((unused))
static int64_t world_count(const char *what, const char *direction)
{
	return json_integer_value(json_object_get(
		json_object_get(world.report, what), direction));
}

/* Return a value that the report has of the job. */
__attribute__((unused))
static const json_t *world_job(const char *key)
{
	return json_object_get(json_array_get(json_object_get(world.report, "jobs"), 0),
			       key);
}

/* Return the windows over time of a report, a line or a device. */
__attribute__((unused))
static const json_t *world_windows(const json_t *of)
{
	return json_object_get(json_object_get(of, "over_time"), "windows");
}

/* Return a stage's histogram; NULL: there is none. */
__attribute__((unused))
static const json_t *world_stage(const char *stage, const char *direction)
{
	return json_object_get(json_object_get(
		json_object_get(world.report, "stages"), stage), direction);
}

#endif
