/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: an I/O that did not go as planned is counted in its place in the
 * report, and only what fio accounts has latencies. Short transfers and errors
 * stand apart. An I/O that fio has to submit again counts from when it was prepared
 * again. I/Os of the ramp time and of a job that does not run are unaccounted.
 * Stamps that contradict each other are no latency. Submissions that the kernel
 * takes one by one, or not at first, each have their own call. Histograms are
 * filled where the job waits.
 *
 * Defect: an error or half a transfer in the histograms, an I/O that is lost where
 * the kernel takes fewer or none, the stamp of a call that was refused. Also
 * ramp_time asked twice (fio resets its statistics there), a negative time taken for
 * one of centuries, a list of finished I/Os that grows without end.
 *
 * At 1 GHz a tick is a nanosecond: every time is right to the tick.
 */
#include "engine_world.h"

#define SIZE	4096

static bool begin(unsigned depth, unsigned batch)
{
	world_forget();
	world.td.o.iodepth = depth;
	world.td.o.iodepth_batch = batch;
	world.td.o.td_ddir |= TD_DDIR_TRIM;
	return tap_ok(world_begin(), "a job begins");
}

static enum fio_q_status queue(unsigned i, enum fio_ddir ddir)
{
	return world_queue(world_transfer(i, ddir, i * SIZE, SIZE));
}

/* Take all @count of them back. */
static void take(unsigned count)
{
	int events = tw_getevents(&world.td, count, count, NULL);

	tap_ok(events == (int)count, "%u come back", count);
	for (int event = 0; event < events; event++)
		tw_event(&world.td, event);
}

/* Submit one I/O and take it back. */
static struct io_u *one(unsigned i, enum fio_ddir ddir)
{
	world_pass(100);
	queue(i, ddir);
	return tw_getevents(&world.td, 1, 1, NULL) == 1 ?
	       tw_event(&world.td, 0) : NULL;
}

static int64_t stage(const char *name, const char *direction, const char *key)
{
	return json_integer_value(json_object_get(
		world_stage(name, direction), key));
}

static int64_t lat(const char *direction, const char *key)
{
	return stage("lat", direction, key);
}

static bool counts(const char *direction, int64_t ios, int64_t errors,
		   int64_t shorts, int64_t requeued, int64_t unaccounted)
{
	return world_count("ios", direction) == ios &&
	       lat(direction, "count") == ios &&
	       world_count("errors", direction) == errors &&
	       world_count("short", direction) == shorts &&
	       world_count("requeued", direction) == requeued &&
	       world_count("unaccounted", direction) == unaccounted &&
	       world_count("backwards", direction) == 0 &&
	       world_count("empty", direction) == 0;
}

static void errors(void)
{
	struct io_u *io_u;

	if (!begin(1, 1))
		return;
	world.results[0] = -EIO;
	io_u = one(0, DDIR_READ);
	tap_ok(io_u && io_u->error == EIO, "fio is told of an error");
	world.results[0] = 0;
	io_u = one(0, DDIR_READ);
	tap_ok(io_u && !io_u->error, "and not of the I/O after it");
	world_end();
	tap_ok(counts("read", 1, 1, 0, 0, 0), "an error has no latency");
}

static void shorts(void)
{
	struct io_u *io_u;

	if (!begin(1, 1))
		return;
	world.file.real_file_size = 8 * SIZE;
	world.takes_ticks[0] = 10000;
	world.results[0] = SIZE / 4;
	io_u = one(0, DDIR_WRITE);
	tap_ok(io_u && io_u->resid == SIZE - SIZE / 4 && !io_u->error,
	       "fio is told what is left of a short transfer");
	world.results[0] = 0;
	world.takes_ticks[0] = 3000;
	one(0, DDIR_WRITE);
	/* The last block: the part that is cut off is not in the file. */
	world.file.real_file_size = SIZE / 4;
	world.results[0] = SIZE / 4;
	world.takes_ticks[0] = 4000;
	one(0, DDIR_WRITE);
	world_end();
	tap_ok(counts("write", 2, 0, 1, 0, 0),
	       "short: its rest counts, and one that ends with the file");
	tap_ok(lat("write", "min_ns") == 3000 &&
	       lat("write", "max_ns") == 4000,
	       "each from when it was prepared itself");
}

/* fio counts an I/O that moved nothing like any other. */
static void nothing(void)
{
	struct io_u *io_u;

	if (!begin(1, 1))
		return;
	world.results[0] = WORLD_NOTHING;
	io_u = one(0, DDIR_READ);
	tap_ok(io_u && io_u->resid == SIZE && !io_u->error,
	       "fio is told that nothing was moved");
	world_end();
	tap_ok(world_count("ios", "read") == 1 && lat("read", "count") == 1 &&
	       world_count("empty", "read") == 1 && !world_count("short", "read"),
	       "it counts as it is, and as empty");
	tap_ok(world.messages == 1, "of which the user is told");
}

/* A transfer that has to move nothing. */
static void test_nop(void)
{
	const struct io_u *io_u;

	world_forget();
	world.options.test_nop = 1;
	if (!tap_ok(world_begin(), "a job with tw_test_nop=1 begins"))
		return;
	world.results[0] = WORLD_NOTHING;
	io_u = one(0, DDIR_READ);
	tap_ok(io_u && !io_u->resid && !io_u->error, "nothing is left of it");
	world_end();
	tap_ok(counts("read", 1, 0, 0, 0, 0), "it is whole, and not empty");
}

static void requeues(void)
{
	if (!begin(3, 4))
		return;
	world.takes_ticks[0] = world.takes_ticks[1] = 5000;
	queue(0, DDIR_READ);
	world_pass(300);
	queue(1, DDIR_READ);
	world_pass(300);
	tap_ok(queue(2, DDIR_TRIM) == FIO_Q_BUSY,
	       "a trim waits for what is in the ring");
	world_commit();
	take(2);
	world_pass(1000);
	tap_ok(queue(2, DDIR_TRIM) == FIO_Q_COMPLETED, "and comes again");
	world_end();
	tap_ok(counts("trim", 1, 0, 0, 1, 0) && counts("read", 2, 0, 0, 0, 0),
	       "counted apart, and once as a trim");
	tap_ok(lat("trim", "max_ns") == 500 &&
	       stage("kernel", "trim", "max_ns") == 500 &&
	       stage("queue", "trim", "max_ns") == 0 &&
	       stage("deliver", "trim", "max_ns") == 0 &&
	       !json_object_get(json_object_get(world.report,
						"submitting_call"), "trim"),
	       "whose time is that of its own call, all of it in the kernel");
}

/*
 * A ring of two, and fio submits a third. (fio never has that many: the ring is
 * made for more.)
 */
static void full(void)
{
	struct tw_job *job;

	if (!begin(3, 4))
		return;
	job = world.td.io_ops_data;
	job->entries = 2;
	queue(0, DDIR_READ);
	queue(1, DDIR_WRITE);
	tap_ok(queue(2, DDIR_WRITE) == FIO_Q_BUSY, "no room");
	world_commit();
	take(2);
	tap_ok(queue(2, DDIR_WRITE) == FIO_Q_QUEUED, "room again");
	world_commit();
	take(1);
	world_end();
	tap_ok(counts("read", 1, 0, 0, 0, 0) && counts("write", 2, 0, 0, 1, 0),
	       "none is lost, and one was told to come again");
}

static void by_call(void)
{
	if (!begin(1, 1))
		return;
	world.call_error = EINVAL;
	queue(0, DDIR_TRIM);
	tap_ok(world.io_us[0].error == EINVAL,
	       "fio is told why a trim by system call failed");
	world.call_error = 0;
	queue(0, DDIR_TRIM);
	world_end();
	tap_ok(counts("trim", 1, 1, 0, 0, 0) && world.calls == 0,
	       "which has no latency; the one after it has");
}

#ifdef TW_FIO_SYNCFS
static void sync_by_call(void)
{
	if (!begin(1, 1))
		return;
	tap_ok(queue(0, DDIR_SYNCFS) == FIO_Q_COMPLETED && world.calls == 0,
	       "syncfs is a system call");
	world_end();
	tap_ok(counts("sync", 1, 0, 0, 0, 0) && lat("sync", "max_ns") == 500,
	       "and counts as that");
}
#endif

static bool begin_with_trims(void)
{
	world_forget();
	world.async_trim = true;
	world.td.o.td_ddir = TD_DDIR_TRIM;
	world.file.filetype = FIO_TYPE_BLOCK;
	return tap_ok(world_begin(), "a job with trims on a block device "
		      "begins");
}

static void trims(void)
{
	struct io_u *io_u;

	if (!begin_with_trims())
		return;
	world.takes_ticks[0] = 3000;
	/* The kernel's result of a trim is 0. */
	world.results[0] = WORLD_NOTHING;
	io_u = one(0, DDIR_TRIM);
	tap_ok(io_u && !io_u->resid && world.calls == 2, "through the ring");
	world.file.filetype = FIO_TYPE_FILE;
	tap_ok(queue(0, DDIR_TRIM) == FIO_Q_COMPLETED && world.calls == 2,
	       "of a file by a system call");
	world_end();
	tap_ok(counts("trim", 2, 0, 0, 0, 0) && lat("trim", "max_ns") == 3000 &&
	       lat("trim", "min_ns") == 500 && !world.bad_entries,
	       "both count");
}

/* The device or the kernel cannot trim. */
static void trims_after_all(int error)
{
	const struct io_u *io_u;

	if (!begin_with_trims())
		return;
	world.takes_ticks[0] = 3000;
	world.results[0] = -error;
	io_u = one(0, DDIR_TRIM);
	tap_ok(io_u && !io_u->error, "refused with %d by the ring: no error",
	       error);
	tap_ok(queue(0, DDIR_TRIM) == FIO_Q_COMPLETED,
	       "and by a system call from now on");
	world_end();
	tap_ok(counts("trim", 2, 0, 0, 0, 0) &&
	       lat("trim", "max_ns") == 3000 &&
	       stage("kernel", "trim", "max_ns") == 3000,
	       "fio has read its clock before the call: not in lat");
}

static void trim_errors(void)
{
	const struct io_u *io_u;

	if (!begin_with_trims())
		return;
	world.results[0] = -EIO;
	io_u = one(0, DDIR_TRIM);
	tap_ok(io_u && io_u->error == EIO, "another error is one");
	world.results[0] = -EOPNOTSUPP;
	world.call_error = EROFS;
	io_u = one(0, DDIR_TRIM);
	tap_ok(io_u && io_u->error == EROFS, "and so is that of the call");
	world_end();
	tap_ok(counts("trim", 0, 2, 0, 0, 0), "neither has a latency");
}

static void ramp(void)
{
	if (!begin(1, 1))
		return;
	world_ramps();
	world.takes_ticks[0] = 90000;
	one(0, DDIR_READ);
	world.results[0] = -EIO;
	one(0, DDIR_READ);
	world.results[0] = 0;
	tap_ok(world.ramp_asked == 1,
	       "fio is asked once for an I/O, and not for an error");
	world.ramp_is_over = true;
	world.takes_ticks[0] = 7000;
	one(0, DDIR_READ);
	world_end();
	tap_ok(counts("read", 1, 1, 0, 0, 1) &&
	       lat("read", "max_ns") == 7000,
	       "of the ramp time: counted apart, in no histogram");
}

static void not_running(void)
{
	static const int states[] = { TD_SETTING_UP, TD_FSYNCING, TD_FINISHING };
	unsigned i;

	if (!begin(1, 1))
		return;
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		world.td.runstate = states[i];
		one(0, DDIR_WRITE);
	}
	world.td.runstate = TD_VERIFYING;
	one(0, DDIR_READ);
	world_end();
	tap_ok(counts("write", 0, 0, 0, 0, 3) && counts("read", 1, 0, 0, 0, 0),
	       "only of a job that runs or verifies");
}

/* Another CPU's counter is behind: it goes back while the kernel has the I/O. */
static void backwards(void)
{
	static const int64_t back[] = { 1, 0, -1 };
	unsigned i;

	if (!begin(1, 1))
		return;
	world.takes_ticks[0] = (uint64_t)-10;
	for (i = 0; i < sizeof(back) / sizeof(back[0]); i++) {
		world_pass(1000);
		world.enter_ticks = (uint64_t)-back[i];
		one(0, DDIR_READ);
	}
	world_end();
	tap_ok(world_count("backwards", "read") == 2 &&
	       world_count("ios", "read") == 1 &&
	       lat("read", "max_ns") == 1,
	       "returned before it was prepared, or with it: no latency");
	tap_ok(world.backwards == 2, "and the verdict is told of both");
}

/* The system clock may move in steps: an I/O may then take no time at all. */
static void coarse(void)
{
	world_forget();
	world.timing.clock.system = 1;
	world.timing.step_ns = 1000;
	world.enter_ticks = 0;
	if (!tap_ok(world_begin(), "a job on a clock of 1 us begins"))
		return;
	one(0, DDIR_READ);
	world_end();
	tap_ok(counts("read", 1, 0, 0, 0, 0) && lat("read", "count") == 1 &&
	       !world.backwards, "an I/O within a step counts");
}

/* The same, but only between two stamps of an I/O that is whole. */
static void negative_stage(void)
{
	if (!begin(2, 2))
		return;
	world_pass(1000);
	queue(0, DDIR_READ);
	world_pass((uint64_t)-400);
	world.enter_ticks = 900;
	queue(1, DDIR_READ);
	take(2);
	world_end();
	tap_ok(counts("read", 2, 0, 0, 0, 0) && world.backwards == 1,
	       "a stage that ends before it begins goes to the verdict");
	tap_ok(stage("queue", "read", "max_ns") == 0 &&
	       lat("read", "max_ns") == 900,
	       "it is 0, and lat is the sum of the others");
}

static int64_t call(const char *key)
{
	return json_integer_value(json_object_get(json_object_get(
		json_object_get(world.report, "submitting_call"), "read"),
		key));
}

/* The kernel takes one of four at a time, and for a moment none. */
static void few_taken(void)
{
	if (!begin(4, 4))
		return;
	world.accepts = 1;
	world.error = EINTR;
	for (unsigned i = 0; i < 4; i++) {
		world.takes_ticks[i] = 20000;
		queue(i, DDIR_READ);
	}
	tap_ok(world.sq_head == WORLD_FROM + 4 && world.slats == 4 &&
	       !world.bad_slats && world.calls == 5,
	       "each has gone in, by a call of its own");
	take(4);
	world_end();
	tap_ok(counts("read", 4, 0, 0, 0, 0), "none is lost");
	tap_ok(call("min_ns") == 500 && call("max_ns") == 500 &&
	       stage("queue", "read", "min_ns") == 500 &&
	       stage("queue", "read", "max_ns") == 4 * 500,
	       "in the kernel for its own call, in the ring for those before");
}

static bool is_submitted(void)
{
	const struct tw_job *job = world.td.io_ops_data;

	return !job->queued && world.sq_head == world.sq_tail;
}

/*
 * A single one that the kernel does not take at first: fio may have ended its
 * commits and never commit again.
 */
static void refused_alone(int error, unsigned pauses)
{
	if (!begin(1, 1))
		return;
	world.takes_ticks[0] = 7000;
	world.error = error;
	queue(0, DDIR_READ);
	tap_ok(!world.error && is_submitted() && world.slats == 1,
	       "refused once with %d, it is in the kernel in the end", error);
	take(1);
	world_end();
	tap_ok(counts("read", 1, 0, 0, 0, 0) && world.pauses == pauses &&
	       stage("queue", "read", "max_ns") == 500 + pauses * WORLD_PAUSE &&
	       call("max_ns") == 500 &&
	       stage("kernel", "read", "max_ns") == 7000,
	       "it entered with the call that took it, after %u pauses",
	       pauses);
}

static void not_taken(void)
{
	if (!begin(1, 1))
		return;
	world.takes_none = true;
	queue(0, DDIR_READ);
	tap_ok(!world.takes_none && is_submitted() && world.slats == 1,
	       "nor is one lost that was not taken, without an error");
	take(1);
	world_end();
	tap_ok(stage("queue", "read", "max_ns") == 500 &&
	       stage("kernel", "read", "max_ns") == 500,
	       "it entered with the call that took it, too");
}

static void refused_for_good(void)
{
	if (!begin(1, 1))
		return;
	one(0, DDIR_READ);
	world.error = EBADF;
	queue(0, DDIR_READ);
	tap_ok(!is_submitted() && world.td.error == EBADF && world.calls == 2,
	       "where it is no use it is not tried again");
	world_end();
	tap_ok(counts("read", 1, 0, 0, 0, 0), "those that came to an end count");
}

/* The call is refused while the engine waits for a completion. */
static void refused_waiting(void)
{
	static const int errors[] = { EINTR, EAGAIN };

	if (!begin(1, 1))
		return;
	world.takes_ticks[0] = 7000;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		queue(0, DDIR_READ);
		world.error = errors[i];
		take(1);
	}
	queue(0, DDIR_READ);
	world.error = EBADF;
	tap_ok(tw_getevents(&world.td, 1, 1, NULL) == -EBADF &&
	       world.td.error == EBADF, "fio is told of an error without end");
	world_end();
	tap_ok(counts("read", 2, 0, 0, 0, 0), "and never of the others");
}

/* A thread of the kernel submits: it is called only where it sleeps. */
static void polled(void)
{
	world_forget();
	world.polled = true;
	if (!tap_ok(world_begin(), "a job with sqthread_poll=1 begins"))
		return;
	queue(0, DDIR_READ);
	world_pass(3000);
	world_show_done();
	take(1);
	tap_ok(world.calls == 0, "nobody is called");
	world.sq_flags = IORING_SQ_NEED_WAKEUP;
	queue(0, DDIR_READ);
	world_pass(3000);
	world_show_done();
	take(1);
	world_end();
	tap_ok(world.calls == 1 && world.wakes == 1 && !world.slats,
	       "but a thread that sleeps is");
	tap_ok(counts("read", 2, 0, 0, 0, 0) &&
	       stage("queue", "read", "max_ns") == 0 &&
	       stage("kernel", "read", "max_ns") == 3500 &&
	       !json_object_get(world.report, "submitting_call"),
	       "it entered when it was published, by no call of its own");
}

/* fio sets to this what it does not use. */
static void nobody_asks(void)
{
	if (!begin(1, 1))
		return;
	world.td.o.disable_clat = world.td.o.disable_slat =
		world.td.o.disable_bw = 1;
	world_pass(1000);
	one(0, DDIR_READ);
	tap_ok(!world_issue_ns(&world.io_us[0]) && !world.slats,
	       "no issue time where fio wants none");
	world.td.o.read_iolog_file = (char *)"log";
	world_pass(1000);
	queue(0, DDIR_READ);
	tap_ok(world_issue_ns(&world.io_us[0]) == world_fio_ns() &&
	       memcmp(&world.td.tw_last_issue, &world.io_us[0].tw_issue_time,
		      sizeof(world.td.tw_last_issue)) == 0,
	       "a replayed log wants it, for the next of its I/Os, too");
	take(1);
	world_end();
	tap_ok(counts("read", 2, 0, 0, 0, 0), "the report has both");
}

/* Return how many are in the histograms after @ios more. */
static unsigned settled_after(unsigned ios, uint64_t takes_ticks)
{
	const struct tw_job *job = world.td.io_ops_data;

	while (ios--) {
		world.takes_ticks[0] = takes_ticks;
		one(0, DDIR_READ);
	}
	return (unsigned)job->filling.filled[0].tally.counts[TW_READ].ios;
}

static void settled(void)
{
	if (!begin(1, 1))
		return;
	tap_ok(settled_after(32, 5000) == 0,
	       "32 are not settled before the job waits for the next");
	tap_ok(settled_after(1, 5000) == 32, "then they are");
	tap_ok(settled_after(31, 5000) == 32, "and not before as many more");
	tap_ok(settled_after(31, 0) == 32 && settled_after(1, 0) == 32 + 64,
	       "without waiting, 64 at a time");
	world_end();
	tap_ok(counts("read", 32 + 64, 0, 0, 0, 0), "each once");
}

int main(void)
{
	errors();
	shorts();
	nothing();
	test_nop();
	requeues();
	full();
	by_call();
#ifdef TW_FIO_SYNCFS
	sync_by_call();
#endif
	trims();
	trims_after_all(EOPNOTSUPP);
	trims_after_all(EINVAL);
	trims_after_all(ENOTTY);
	trim_errors();
	ramp();
	not_running();
	backwards();
	coarse();
	negative_stage();
	few_taken();
	refused_alone(EINTR, 0);
	refused_alone(EAGAIN, 1);
	refused_alone(EBUSY, 1);
	not_taken();
	refused_for_good();
	refused_waiting();
	polled();
	nobody_asks();
	settled();
	world_forget();
	return tap_done();
}
