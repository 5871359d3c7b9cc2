/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The surroundings of the engine, made by hand: fio as far as the engine calls it,
 * and a kernel with a ring in memory. The counter advances only while the kernel
 * works or when the test asks for it. The engine runs through its own hooks, from
 * ->init() to ->cleanup(), and its report is caught before it is written.
 *
 * tests/fio/preload/ring_device.c is the other device. It stands between a real fio and a
 * real kernel, whose ring it shares, and simulates time by the system's clocks. This one
 * is all of the ring, so that a test chooses the counter's rate, stamps inside the kernel,
 * a thread that submits, counters that contradict each other, and fio's members.
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

#include "engine/engine.h"
#include "fio/fio_layout.h"
#include "job_clock/timing.h"
#include "job_report/fio_run.h"
#include "job_report/job_report.h"
#include "latency/histogram_json.h"
#include "record/job_devices.h"
#include "record/job_record.h"
#include "record/kernel_job.h"
#include "record/response.h"
#include "report/report.h"
#include "tap.h"
#include "trace/trace.h"

#define WORLD_DEPTH	32
#define WORLD_PLACES	(2 * WORLD_DEPTH)
#define WORLD_SIZE	4096		/* of a transfer */
#define WORLD_RATE_HZ	1000000000	/* unless the test sets another */
/* A ring's counts begin not far before they wrap to 0. */
#define WORLD_FROM	(0U - 50)
#define WORLD_NOTHING	INT32_MIN	/* a result: not a byte */
#define WORLD_PRIORITY	0x4005		/* of cmdprio */
#define WORLD_FILES	80

/* What the engine calls, and what has no effect here, or a single one. */
#define WORLD_VOID(name, ...)			void name(__VA_ARGS__) { }
#define WORLD_DOES(what, name, ...)		void name(__VA_ARGS__) { what; }
#define WORLD_GIVES(value, type, name, ...)	type name(__VA_ARGS__) { return value; }

_Atomic(uint64_t) engine_now_ticks;

/* An I/O in the kernel. */
struct world_io {
	bool in_kernel;
	bool is_async;			/* by force_async */
	uint64_t done_ticks;
	struct io_uring_sqe sqe;	/* its entry when it was submitted, */
	struct iovec iovec;		/* and what the entry points to */
};

static struct world {
	struct thread_data td;
	struct tw_options options;
	struct tw_timing timing;
	struct tw_rate rate;		/* of its clock */
	struct fio_file file;		/* the only one, unless the test sets others */
	struct fio_file *list[WORLD_FILES];
	struct io_u io_us[WORLD_DEPTH];
	json_t *report;			/* after world_end() */
	uint64_t backwards;		/* what the verdict was told of it */
	unsigned messages;
	char message[256];		/* the newest */

	/* The ring. Entries lie by index, an array has the order. */
	struct io_uring_sqe sqes[2 * WORLD_DEPTH];
	unsigned sq_array[WORLD_DEPTH];
	struct io_uring_cqe cqes[2 * WORLD_PLACES];
	unsigned sq_head, sq_tail, sq_flags, sq_mask;
	unsigned cq_head, cq_tail, cq_mask;

	/* The kernel, as the test sets it. */
	struct world_io ios[WORLD_DEPTH];
	bool at_once;			/* completions appear when I/Os are done,
					 * else when the kernel is entered */
	bool defers;			/* and then only if asked for them */
	uint64_t takes_ticks[WORLD_DEPTH];	/* from its submission on */
	int32_t results[WORLD_DEPTH];	/* 0: all of it */
	uint64_t enter_ticks;		/* a call takes at least this */
	unsigned accepts;		/* submissions in a call; 0: all */
	unsigned calls;
	unsigned timed_sleeps;		/* with a time limit */
	uint64_t wakes_late_ticks;	/* after it */
	unsigned finds;			/* submissions with GETEVENTS */
	unsigned wakes;			/* of the thread that submits */
	unsigned entries, bad_entries;	/* that were taken */
	unsigned setup_flags;		/* of the ring */

	/* Called in each call, for the test. NULL: nothing. */
	void (*entering)(void);
	void (*accepted)(unsigned index);
	void (*left)(void);
	void (*appeared)(unsigned index);

	/* fio */
	bool prioritises;		/* cmdprio */
	unsigned prepared;		/* I/Os so far */
	double fio_fast;		/* its clock, of the counter's time */
	unsigned bad_priorities;	/* asked for where there are none */
	bool ramp_is_over;
	unsigned ramp_asked;
	unsigned slats;
	uint64_t mark_ticks;		/* that io_u_mark_complete() takes */
	unsigned bad_slats;		/* without the time they end at */
	int call_error;			/* of a trim or sync by system call */

	/* The program that stamps I/Os inside the kernel. */
	double monotonic_fast;		/* CLOCK_MONOTONIC, of the counter's time */
	struct tw_padded_stamps *kernel_entries;	/* NULL: it sees no ring */
	bool kernel_parts;		/* with stamps for the parts of blockq */
	const char *kernel_refused;	/* why it can't be loaded; NULL: it can */
	struct tw_sync *syncs;		/* NULL: not stamped */
	struct tw_others *others;	/* NULL: not counted */
	struct tw_throttled *throttled;		/* NULL: not noted */
	bool with_causes;		/* when that was loaded */
	bool is_late;			/* fio starts the job before it calls the engine */
	unsigned kernel_loads;
	uint32_t kernel_loaded_first, kernel_loaded;	/* entries */
	int64_t kernel_missed;		/* runs that the kernel skipped so far */
	struct tw_offcpu *offcpu;		/* of the job's thread; NULL: not followed */
	struct tw_sleeps *sleeps;	/* of the workers; NULL: none */
	uint32_t followed;		/* jobs, when that was loaded */

	/* The kernel's trace events. */
	const char *trace_refused;	/* why there are none; NULL: there are */
	const char *const *trace;	/* lines, to NULL */
	bool trace_stopped;		/* by another job */
	unsigned trace_makes, trace_stops, trace_goes_on;
} world;

/* ---- the kernel -------------------------------------------------------- */

static inline unsigned world_index(const struct io_u *io_u)
{
	return (unsigned)(io_u - world.io_us);
}

static struct tw_job *world_state(void)
{
	return world.td.io_ops_data;
}

static struct io_uring_sqe *world_entry(unsigned i)
{
	return &world.sqes[i << tw_engine_commands];
}

/* An entry must not change before its I/O is done. */
static bool world_is_unchanged(unsigned i)
{
	const struct world_io *io = &world.ios[i];
	const struct iovec *iovecs = world_state()->ring.iovecs;

	return memcmp(world_entry(i), &io->sqe, sizeof(io->sqe)) == 0 &&
	       (!iovecs || memcmp(&iovecs[i], &io->iovec, sizeof(io->iovec)) == 0);
}

static void world_appear(unsigned i)
{
	const unsigned at = world.cq_tail++ & world.cq_mask;
	const int32_t result = world.results[i];

	world.bad_entries += !world_is_unchanged(i) ||
			     world.cq_tail - world.cq_head > world.cq_mask + 1;
	world.cqes[at << tw_engine_commands] = (struct io_uring_cqe) {
		.user_data = world.ios[i].sqe.user_data,
		.res = result == WORLD_NOTHING ? 0 : result ? result :
			(int32_t)world.io_us[i].xfer_buflen,
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
static inline void world_pass(uint64_t ticks)
{
	engine_now_ticks += ticks;
	if (world.at_once)
		world_show_done();
}

/* Set the part of an entry that moves the data of this I/O. */
static void world_expect_transfer(struct io_uring_sqe *sqe, const struct io_u *io_u)
{
	static const __u8 opcodes[2][3] = {
		{ IORING_OP_READ, IORING_OP_READV, IORING_OP_READ_FIXED },
		{ IORING_OP_WRITE, IORING_OP_WRITEV, IORING_OP_WRITE_FIXED },
	};
	const struct tw_options *o = &world.options;
	/* This kernel does not list its operations, so it is taken for an old one. */
	const bool is_vectored = !o->nonvectored && !o->fixedbufs;
	const bool is_write = io_u->ddir == DDIR_WRITE;

	sqe->opcode = o->test_nop ? IORING_OP_NOP :
		      opcodes[is_write][is_vectored ? 1 : o->fixedbufs ? 2 : 0];
	sqe->off = io_u->offset;
	sqe->ioprio = (__u16)(world.prioritises ? WORLD_PRIORITY :
			      o->test_nop ? 0 : world.td.ioprio);
	sqe->addr = is_vectored ? (uintptr_t)&world_state()->ring.iovecs[io_u->index] :
				  (uintptr_t)io_u->xfer_buf;
	sqe->len = is_vectored ? 1 : (__u32)io_u->xfer_buflen;
	sqe->buf_index = o->fixedbufs ? (__u16)io_u->index : 0;
	/* RWF_NOWAIT, RWF_DONTCACHE and RWF_ATOMIC of linux/fs.h */
	if (!o->test_nop)
		sqe->rw_flags = (o->nowait ? 8 : 0) |
				(o->uncached && !world.td.o.odirect ? 0x80 : 0) |
				(is_write && world.td.o.oatomic ? 0x40 : 0);
}

/*
 * True if the entry has what fio wanted of this I/O with the job's options, as
 * io_uring_enter(2) describes it, and nothing else: all 64 bytes. The lower half of its
 * name in the ring is its index, the upper half is any.
 */
static bool world_entry_is_right(const struct io_uring_sqe *sqe, const struct io_u *io_u)
{
	const struct fio_file *f = io_u->file;
	const bool has_number = world.options.registerfiles;
	struct io_uring_sqe right = {
		.opcode = IORING_OP_FSYNC,
		.flags = (__u8)((has_number ? IOSQE_FIXED_FILE : 0) |
			 (world.ios[io_u->index].is_async ? IOSQE_ASYNC : 0)),
		.fd = has_number ? (int)f->engine_pos : f->fd,
		.user_data = (sqe->user_data >> TW_KEY_NUMBER_SHIFT << TW_KEY_NUMBER_SHIFT) + io_u->index,
	};

	if (tw_engine_commands)
		return tw_key_index(sqe->user_data) == io_u->index;
	switch (io_u->ddir) {
	case DDIR_READ:
	case DDIR_WRITE:
		world_expect_transfer(&right, io_u);
		break;
	case DDIR_TRIM:
		/* BLOCK_URING_CMD_DISCARD of linux/blkdev.h */
		right.opcode = IORING_OP_URING_CMD;
		right.cmd_op = 0x1200;
		right.addr = io_u->offset;
		right.addr3 = io_u->xfer_buflen;
		break;
	case DDIR_DATASYNC:
		right.fsync_flags = IORING_FSYNC_DATASYNC;
		break;
	case DDIR_SYNC_FILE_RANGE:
		right.opcode = IORING_OP_SYNC_FILE_RANGE;
		right.off = f->first_write;
		right.len = (__u32)(f->last_write - f->first_write);
		right.sync_range_flags = world.td.o.sync_file_range;
		break;
	default:
		break;
	}
	return memcmp(sqe, &right, sizeof(right)) == 0;
}

static void world_take(void)
{
	const unsigned i = world.sq_array[world.sq_head++ & world.sq_mask];
	struct world_io *io = &world.ios[i];

	world.entries++;
	if (i >= world.td.o.iodepth || io->in_kernel) {
		world.bad_entries++;
		return;
	}
	io->sqe = *world_entry(i);
	if (world_state()->ring.iovecs)
		io->iovec = world_state()->ring.iovecs[i];
	world.bad_entries += !world_entry_is_right(&io->sqe, &world.io_us[i]);
	io->in_kernel = true;
	io->done_ticks = engine_now_ticks + world.takes_ticks[i];
	if (world.accepted)
		world.accepted(i);
}

static inline unsigned world_waiting(void)
{
	return world.cq_tail - world.cq_head;
}

int io_uring_enter(unsigned int fd, unsigned int to_submit,
		   unsigned int min_complete, unsigned int flags, sigset_t *sig)
{
	unsigned taken = 0;

	world.calls++;
	if (flags & IORING_ENTER_SQ_WAKEUP) {
		world.wakes++;
		engine_now_ticks += world.enter_ticks;
		return (int)to_submit;
	}
	if (world.entering)
		world.entering();
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

/* Sleep until there are @min_complete completions, or the time is over. Only an open loop does. */
int io_uring_enter2(unsigned int fd, unsigned int to_submit, unsigned int min_complete,
		    unsigned int flags, sigset_t *sig, size_t size)
{
	const struct io_uring_getevents_arg *argument = (const void *)sig;
	const struct __kernel_timespec *ts = (const void *)(uintptr_t)argument->ts;
	const uint64_t until = engine_now_ticks + (uint64_t)ts->tv_sec * 1000000000 +
			       (uint64_t)ts->tv_nsec + world.wakes_late_ticks;

	world.timed_sleeps++;
	if (world.entering)
		world.entering();
	while (world_waiting() < min_complete && world_next() >= 0 &&
	       world.ios[world_next()].done_ticks <= until) {
		if (engine_now_ticks < world.ios[world_next()].done_ticks)
			engine_now_ticks = world.ios[world_next()].done_ticks;
		world_show_done();
	}
	if (world_waiting() >= min_complete)
		return 0;
	engine_now_ticks = until;
	return -ETIME;
}

int io_uring_setup(unsigned entries, struct io_uring_params *params)
{
	world.setup_flags = params->flags;
	params->features = IORING_FEAT_EXT_ARG;
	world.sq_mask = entries - 1;
	world.cq_mask = WORLD_PLACES - 1;
	return 100;
}

int io_uring_queue_mmap(int fd, struct io_uring_params *params, struct io_uring *ring)
{
	ring->sq = (struct io_uring_sq) {
		.khead = &world.sq_head, .ktail = &world.sq_tail,
		.kflags = &world.sq_flags, .array = world.sq_array,
		.sqes = world.sqes, .ring_mask = world.sq_mask,
	};
	ring->cq = (struct io_uring_cq) {
		.khead = &world.cq_head, .ktail = &world.cq_tail,
		.cqes = world.cqes, .ring_mask = world.cq_mask,
	};
	return 0;
}

WORLD_GIVES(0, int, io_uring_queue_init, unsigned entries, struct io_uring *ring,
	    unsigned flags)
WORLD_VOID(io_uring_queue_exit, struct io_uring *ring)
WORLD_GIVES(0, int, io_uring_register_ring_fd, struct io_uring *ring)
WORLD_GIVES(0, int, io_uring_register_buffers, struct io_uring *ring,
	    const struct iovec *buffers, unsigned count)
WORLD_GIVES(0, int, io_uring_register_files, struct io_uring *ring, const int *files,
	    unsigned count)

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

enum fio_cs fio_clock_source = CS_CGETTIME;
char *aux_path;
const char fio_version_string[] = TW_FIO_VERSION;

void fio_gettime(struct timespec *ts, void *caller)
{
	ts->tv_sec = (time_t)(world_fio_ns() / 1000000000);
	ts->tv_nsec = (long)(world_fio_ns() % 1000000000);
}

uint64_t utime_since_now(const struct timespec *since)
{
	return (world_fio_ns() - tw_timespec_ns(since)) / 1000;
}

WORLD_DOES(td->terminate = true, fio_mark_td_terminate, struct thread_data *td)

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

/* From now on fio asks for each I/O whether the ramp time is over. A job that has begun did
 * not know. */
static inline void world_ramps(void)
{
	struct tw_job *job = world.td.io_ops_data;

	if (job)
		job->hot.may_reset = true;
	world.td.o.ramp_time = 1;
	ramp_period_enabled = true;
	world.ramp_is_over = false;
	world.ramp_asked = 0;
}

#ifdef TW_FIO_NSEC
#define WORLD_TIME_OF(io_u, which)	((io_u)->which##_nsec)
#else
#define WORLD_TIME_OF(io_u, which)	tw_timespec_ns(&(io_u)->which##_time)
#endif

#define world_issue_ns(io_u)	WORLD_TIME_OF(io_u, issue)
#define world_start_ns(io_u)	WORLD_TIME_OF(io_u, start)

/* Record slat: from start_time to issue_time. */
void io_u_queued(struct thread_data *td, struct io_u *io_u)
{
	world.slats++;
	world.bad_slats += world_issue_ns(io_u) != world_fio_ns();
}

WORLD_VOID(io_u_mark_submit, struct thread_data *td, unsigned int count)
void io_u_mark_complete(struct thread_data *td, unsigned int count)
{
	world_pass(world.mark_ticks);
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

WORLD_VOID(fio_cmdprio_cleanup, struct cmdprio *cmdprio)
/* tests/vm/nvme_metadata.t has metadata. */
WORLD_GIVES(0, int, tw_protection_init, struct thread_data *td, struct tw_job *job)
WORLD_VOID(tw_protection_give, struct thread_data *td, const struct tw_job *job,
	   struct io_u *io_u)
WORLD_GIVES(0, int, tw_protection_fits, struct thread_data *td, const struct nvme_data *data)
WORLD_VOID(tw_protect, const struct tw_job *job, struct io_u *io_u)
WORLD_GIVES(0, unsigned, tw_protection_check, const struct tw_job *job, struct io_u *io_u)
WORLD_GIVES(0, int, generic_open_file, struct thread_data *td, struct fio_file *f)
WORLD_GIVES(0, int, generic_close_file, struct thread_data *td, struct fio_file *f)

WORLD_GIVES(0, int, usleep, useconds_t us)

/* fio's jobs: the only one, unless the test sets others. */
unsigned int thread_number;
struct thread_segment segments[REAL_MAX_SEG];

struct thread_data *get_global_options(void)
{
	static struct thread_data global;

	INIT_FLIST_HEAD(&global.opt_list);
	return &global;
}

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

WORLD_GIVES(world_monotonic_ns(engine_now_ticks), uint64_t, engine_clock_id_ns,
	    clockid_t clock_id)
WORLD_DOES(*rate = world.rate, engine_clock_rate, struct tw_rate *rate)

const char *tw_kernel_load(uint32_t entries, bool with_causes)
{
	if (!world.kernel_loads++)
		world.kernel_loaded_first = entries;
	world.kernel_loaded = entries;
	world.with_causes = with_causes;
	return world.kernel_refused;
}

WORLD_GIVES(world.kernel_missed, int64_t, tw_kernel_missed, void)
WORLD_GIVES(!world.kernel_refused, bool, tw_kernel_is_own, void)

void tw_kernel_expect(struct tw_kernel *kernel, uint32_t entries)
{
	*kernel = (struct tw_kernel) {
		.stamps = world.kernel_entries,
		.others = world.others,
		.throttled = world.throttled,
		.why = world.kernel_entries ? NULL : "not seen",
		.missed = world.kernel_missed,
		.has_parts = world.kernel_parts,
	};
}

bool tw_kernel_made(struct tw_kernel *kernel)
{
	struct tw_job *job = container_of(kernel, struct tw_job, hot.kernel);

	job->hot.syncs.by_index = world.syncs;
	job->hot.syncs.of_writes = world.syncs && tw_job_syncs_writes(&world.td);
	return kernel->stamps;
}

WORLD_VOID(tw_kernel_forget, struct tw_kernel *kernel)

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

WORLD_DOES(world.trace_goes_on++, tw_tracefs_go_on, void)

const char *tw_follow_load(uint32_t jobs)
{
	world.followed = jobs;
	return world.kernel_refused;
}

void tw_follow_expect(struct tw_follow *follow)
{
	static struct tw_sleeps none;

	*follow = (struct tw_follow) {
		.offcpu = world.offcpu,
		.sleeps = world.sleeps ? world.sleeps : &none,
		.why = world.offcpu ? NULL : "not seen",
	};
}

WORLD_VOID(tw_follow_made, struct tw_follow *follow)

json_t *tw_follow_cost(void)
{
	return json_pack("{si, s[{si, si, si}]}", "over_ns", 5, "cpus", "cpu", 1,
			 "runs", 251, "ns", 3);
}

/* As if fio were a server, so that the engine's messages go through fio. */
bool is_backend = true;

ssize_t log_err(const char *format, ...)
{
	va_list args;

	world.messages++;
	va_start(args, format);
	vsnprintf(world.message, sizeof(world.message), format, args);
	va_end(args);
	return 0;
}

/* A test of the other engine has its own. */
#ifndef WORLD_OF_COMMANDS
const bool tw_engine_commands;
struct ioengine_ops tw_engine = { .name = "tickwise" };
#endif

WORLD_GIVES(0, int, tw_check_layout, const struct thread_data *td)
WORLD_GIVES(&world.timing, const struct tw_timing *, tw_timing_of_process, void)
WORLD_VOID(tw_cpus_note, struct tw_cpu_list *cpus)
WORLD_VOID(tw_job_look, const char *job_name, const struct tw_timing *timing,
	   struct tw_job_end *end)

int tw_run_report(struct thread_data *td, const char *option, const char *suffix,
		  json_t *report, const struct tw_to_client *to_client,
		  const struct tw_timing *timing, const struct tw_job_end *end)
{
	world.report = report;
	world.backwards = end->backwards;
	return 0;
}

WORLD_VOID(tw_run_take_hangup, void)
WORLD_VOID(tw_run_job_begins, const struct thread_data *td)
WORLD_VOID(tw_run_job_ended, struct thread_data *td)
WORLD_GIVES(UINT64_MAX, uint64_t, tw_read_from_storage, void)
WORLD_VOID(tw_samples_start, void)
WORLD_VOID(tw_samples_begin, const struct thread_data *td, struct tw_job *job)
WORLD_VOID(tw_samples_end, void)
WORLD_GIVES(NULL, json_t *, tw_samples_to_json, const struct tw_job *job,
	    uint64_t start_monotonic_ns)

/* ---- a job ------------------------------------------------------------- */

/* Begin a world of its own for each job: what the last one left is gone. */
static inline void world_forget(void)
{
	json_decref(world.report);
	memset(&world, 0, sizeof(world));
	engine_now_ticks = 1000;
	world.enter_ticks = 500;
	world.options.digits = 3;
	world.options.stages = 1;
	world.options.nonvectored = 1;
	world.options.kernel = TW_KERNEL_OFF;
	world.options.kernel_every = 1;
	world.td.o.name = (char *)"job";
	world.td.o.iodepth = 1;
	world.td.o.iodepth_batch = 1;
	world.td.o.iodepth_batch_complete_min = 1;
	world.td.o.td_ddir = TD_DDIR_RW;
	world.td.runstate = TD_RUNNING;
	world.td.eo = &world.options;
	world.td.io_ops = &tw_engine;
	world.td.files = world.list;
	world.td.files_index = world.td.o.nr_files = world.td.o.open_files = 1;
	world.list[0] = &world.file;
	INIT_FLIST_HEAD(&world.td.opt_list);
	world.file.fd = 107;
	world.file.file_name = (char *)"file";
	world.file.filetype = FIO_TYPE_FILE;
	world.file.real_file_size = 1 << 30;
	world.rate.size = sizeof(world.rate);
	world.rate.hz = WORLD_RATE_HZ;
	ramp_period_enabled = false;
	segments[0].threads = &world.td;
	thread_number = 1;
	/* What was in an entry must not be part of the next one. */
	memset(world.sqes, 0xa5, sizeof(world.sqes));
}

/* Let fio have this number of jobs, each like world.td now. */
static inline struct thread_data *world_jobs(unsigned count)
{
	static struct thread_data jobs[3];

	for (unsigned i = 0; i < count; i++)
		jobs[i] = world.td;
	segments[0].threads = jobs;
	thread_number = count;
	return jobs;
}

/* An I/O's stamps in the kernel: all of it went in one request. */
static inline struct tw_kernel_stamps world_stamps(unsigned i, uint64_t accepted_ns,
					uint64_t dispatched_ns, uint64_t finished_ns,
					uint64_t posted_ns)
{
	return (struct tw_kernel_stamps) {
		.key = world.ios[i].sqe.user_data,
		.accepted_ns = accepted_ns,
		.dispatched_ns = dispatched_ns,
		.finished_ns = finished_ns,
		.posted_ns = posted_ns,
		.requests = 1,
		.due_bytes = WORLD_SIZE,
		.finished_bytes = WORLD_SIZE,
	};
}

/* To be called after world_forget() and the options: the engine's own start. */
static inline bool world_begin(void)
{
	struct tw_job *job;
	unsigned i;

	if (!world.is_late)
		tw_kernel_load_for_jobs();
	if (tw_scale_init(&world.timing.clock.scale, &world.rate,
			  0) || tw_init(&world.td))
		return false;
	for (i = 0; i < world.td.o.iodepth; i++) {
		world.io_us[i].index = i;
		world.io_us[i].file = &world.file;
		INIT_FLIST_HEAD(&world.io_us[i].verify_list);
		if (tw_io_u_init(&world.td, &world.io_us[i]))
			return false;
	}
	if (tw_post_init(&world.td))
		return false;
	/* As many completions as submissions. */
	job = world_state();
	world.sq_head = world.sq_tail = world.cq_head = world.cq_tail =
		job->ring.sq_tail = job->ring.seen_tail = WORLD_FROM;
	return true;
}

/* The same, where nothing else may happen. */
static inline void world_start(void)
{
	if (!world_begin()) {
		puts("Bail out! the job does not begin");
		exit(1);
	}
}

/* Make a transfer as fio makes one of this io_u. */
static inline struct io_u *world_transfer(unsigned i, enum fio_ddir ddir,
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

/* Act as fio's td_io_commit(). A thread of the kernel takes what was published. */
static void world_commit(void)
{
	world.td.io_u_queued = 0;
	if (world.options.sqthread_poll && world.entering)
		world.entering();
	tw_commit(&world.td);
	while (world.options.sqthread_poll && world.sq_head != world.sq_tail)
		world_take();
}

/* Act as the end of fio's get_io_u(). Return what prep() returns: if not 0, fio drops the I/O. */
static int world_prep(struct io_u *io_u)
{
	const unsigned every = world.options.force_async;
	int ret;

	world.ios[io_u->index].is_async = every && ++world.prepared % every == 0;
	ret = tw_engine.prep ? tw_engine.prep(&world.td, io_u) : tw_prep(&world.td, io_u);
#ifdef TW_FIO_NSEC
	io_u->start_nsec = fio_gettime_ns();
#else
	fio_gettime(&io_u->start_time, NULL);
#endif
	return ret;
}

/* Act as fio's td_io_queue(). */
static enum fio_q_status world_queue_prepared(struct io_u *io_u)
{
	enum fio_q_status status = tw_engine.queue ?
		tw_engine.queue(&world.td, io_u) : tw_queue(&world.td, io_u);

	if (status == FIO_Q_QUEUED &&
	    ++world.td.io_u_queued >= world.td.o.iodepth_batch)
		world_commit();
	return status;
}

static inline enum fio_q_status world_queue(unsigned i, enum fio_ddir ddir)
{
	struct io_u *io_u = world_transfer(i, ddir, i * WORLD_SIZE, WORLD_SIZE);

	world_prep(io_u);
	return world_queue_prepared(io_u);
}

/* Take @count I/Os back. */
static inline bool world_reap(unsigned count)
{
	int events = tw_getevents(&world.td, count, count, NULL), event;

	for (event = 0; event < events; event++)
		tw_event(&world.td, event);
	return events == (int)count;
}

/* Submit an I/O that the device needs @takes_ticks for, and take it back. */
static inline bool world_one(enum fio_ddir ddir, uint64_t takes_ticks)
{
	world.takes_ticks[0] = takes_ticks;
	world_pass(100);
	return world_queue(0, ddir) == FIO_Q_QUEUED && world_reap(1);
}

/* End the job. The report is in world.report from now on. */
static inline void world_end(void)
{
	tw_cleanup(&world.td);
}

/* ---- the report -------------------------------------------------------- */

/* Return what is at a path such as "stages.lat.read", or "slowest.0.size". */
__attribute__((format(printf, 2, 3)))
static inline json_t *world_at(const json_t *at, const char *format, ...)
{
	char path[256], *part, *rest = path;
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	while (at && (part = strsep(&rest, ".")) && *part)
		at = json_is_array(at) ? json_array_get(at, strtoul(part, NULL, 10)) :
					 json_object_get(at, part);
	return (json_t *)at;
}

/* Return the value of a number, which may be a string of digits; 0: there is none. */
static inline uint64_t world_value(const json_t *json)
{
	uint64_t value = 0;

	tw_json_to_u64(json, &value);
	return value;
}

/* Return a number of the report. */
#define world_number(...)	world_value(world_at(world.report, __VA_ARGS__))

/* True if the report has this text. */
static inline bool world_is_text(const char *path, const char *text)
{
	const char *is = json_string_value(world_at(world.report, "%s", path));

	return is && !strcmp(is, text);
}

/* The tests' own randomness. */
static uint64_t world_random;

static inline uint64_t world_below(uint64_t limit)
{
	return tap_random(&world_random) % limit;
}

/* Return short times and long ones alike. */
static inline uint64_t world_some_ticks(void)
{
	return 1 + world_below(20ULL << world_below(16));
}

#endif
