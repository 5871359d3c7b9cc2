/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: an I/O that did not go as planned is counted where the report says
 * so, and only what fio accounts has latencies: short transfers and errors stand
 * apart, one that fio has to bring again counts from when it was taken, those of
 * the ramp time and of a job that does not run are unaccounted, stamps that
 * contradict each other are no latency, and submissions that the kernel takes
 * one by one, or not at first, have each its own call. What an entry of the ring
 * held before is not in it any more.
 * Defect: an error or half a transfer in the histograms, an I/O that is lost
 * where the kernel takes fewer or none, flags of a sync in a read, ramp_time asked twice (fio resets its
 * statistics there), a negative time taken for one of centuries, each I/O counted
 * for itself where many could be counted together.
 *
 * At 1 GHz: a tick is a nanosecond, and every time is right to the tick.
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
	enum fio_q_status status;

	world_queue(world_transfer(i, ddir, i * SIZE, SIZE), &status);
	return status;
}

/* One I/O there and back. */
static struct io_u *one(unsigned i, enum fio_ddir ddir)
{
	world_pass(100);
	queue(i, ddir);
	return tw_getevents(&world.td, 1, 1, NULL) == 1 ?
	       tw_event(&world.td, 0) : NULL;
}

static int64_t total(const char *direction, const char *key)
{
	return json_integer_value(json_object_get(world_stage("total",
							      direction), key));
}

static bool counts(const char *direction, int64_t ios, int64_t errors,
		   int64_t shorts, int64_t requeued, int64_t unaccounted)
{
	return world_count("ios", direction) == ios &&
	       total(direction, "count") == ios &&
	       world_count("errors", direction) == errors &&
	       world_count("short", direction) == shorts &&
	       world_count("requeued", direction) == requeued &&
	       world_count("unaccounted", direction) == unaccounted &&
	       world_count("backwards", direction) == 0;
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
	/* The last block: what is cut off is not in the file. */
	world.file.real_file_size = SIZE / 4;
	world.results[0] = SIZE / 4;
	world.takes_ticks[0] = 4000;
	one(0, DDIR_WRITE);
	world_end();
	tap_ok(counts("write", 2, 0, 1, 0, 0),
	       "short: its rest counts, and one that ends with the file");
	tap_ok(total("write", "min_ns") == 3000 &&
	       total("write", "max_ns") == 4000,
	       "each from when it was queued itself");
}

/* fio counts one that moved nothing as it is. */
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
	tap_ok(counts("read", 1, 0, 0, 0, 0), "which counts as it is");
}

static void requeues(void)
{
	if (!begin(2, 4))
		return;
	world.takes_ticks[0] = world.takes_ticks[1] = 5000;
	queue(0, DDIR_READ);
	world_pass(300);
	queue(1, DDIR_READ);
	world_pass(300);
	tap_ok(tw_queue(&world.td, world_transfer(0, DDIR_TRIM, 0, SIZE)) ==
	       FIO_Q_BUSY, "a trim waits for what is in the ring");
	world_transfer(0, DDIR_READ, 0, SIZE);
	world_commit();
	tw_getevents(&world.td, 2, 2, NULL);
	tw_event(&world.td, 0);
	tw_event(&world.td, 1);
	world_pass(1000);
	tap_ok(tw_queue(&world.td, world_transfer(0, DDIR_TRIM, 0, SIZE)) ==
	       FIO_Q_COMPLETED, "and comes again");
	world_end();
	tap_ok(counts("trim", 1, 0, 0, 1, 0) && counts("read", 2, 0, 0, 0, 0),
	       "counted apart, and once as a trim");
	tap_ok(total("trim", "max_ns") == 500,
	       "whose time is that of its own call");
}

/* A ring of two, and fio brings a third. */
static void full(void)
{
	if (!begin(2, 4))
		return;
	queue(0, DDIR_READ);
	queue(1, DDIR_WRITE);
	tap_ok(tw_queue(&world.td, world_transfer(1, DDIR_WRITE, SIZE, SIZE)) ==
	       FIO_Q_BUSY, "no room");
	world_commit();
	tw_getevents(&world.td, 2, 2, NULL);
	tw_event(&world.td, 0);
	tw_event(&world.td, 1);
	world_end();
	tap_ok(counts("read", 1, 0, 0, 0, 0) && counts("write", 1, 0, 0, 1, 0),
	       "neither is lost, and one was told to come again");
}

static void at_once(void)
{
	if (!begin(1, 1))
		return;
	world.at_once_error = EINVAL;
	tw_queue(&world.td, world_transfer(0, DDIR_TRIM, 0, SIZE));
	tap_ok(world.io_us[0].error == EINVAL,
	       "fio is told why a trim by system call failed");
	world.at_once_error = 0;
	tw_queue(&world.td, world_transfer(0, DDIR_TRIM, 0, SIZE));
	world_end();
	tap_ok(counts("trim", 1, 1, 0, 0, 0),
	       "which has no latency; the one after it has");
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
	       total("read", "max_ns") == 7000,
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

/* Another CPU's counter is behind: it goes back while the kernel has it. */
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
	       total("read", "max_ns") == 1,
	       "seen before it was queued, or with it: no latency");
	tap_ok(world.backwards == 2, "and the verdict is told of both");
}

/* As that, but only between two stamps of an I/O that is whole. */
static void negative_stage(void)
{
	if (!begin(2, 2))
		return;
	world_pass(1000);
	queue(0, DDIR_READ);
	world_pass((uint64_t)-400);
	world.enter_ticks = 900;
	queue(1, DDIR_READ);
	tw_getevents(&world.td, 2, 2, NULL);
	tw_event(&world.td, 0);
	tw_event(&world.td, 1);
	world_end();
	tap_ok(counts("read", 2, 0, 0, 0, 0) && world.backwards == 1,
	       "a stage that ends before it begins goes to the verdict");
	tap_ok(json_integer_value(json_object_get(world_stage("queue", "read"),
						  "max_ns")) == 0,
	       "and is 0");
}

/* The kernel takes one of four at a time, and for a moment none. */
static void few_taken(void)
{
	unsigned i;

	if (!begin(4, 4))
		return;
	world.accepts = 1;
	world.error = EINTR;
	for (i = 0; i < 4; i++) {
		world.takes_ticks[i] = 20000;
		queue(i, DDIR_READ);
	}
	tap_ok(world.sq_head == WORLD_FROM + 4 && world.slats == 4 && world.calls == 5,
	       "each has gone in, by a call of its own");
	tw_getevents(&world.td, 4, 4, NULL);
	for (i = 0; i < 4; i++)
		tw_event(&world.td, (int)i);
	world_end();
	tap_ok(counts("read", 4, 0, 0, 0, 0), "none is lost");
	tap_ok(json_integer_value(json_object_get(world_stage("enter", "read"),
						  "max_ns")) == 500 &&
	       json_integer_value(json_object_get(world_stage("queue", "read"),
						  "max_ns")) == 3 * 500,
	       "in the kernel for its own call, in the ring for those before");
}

/* One alone, that the kernel does not take at first: fio may be done with asking
 * and never commit again. */
static void refused_alone(void)
{
	static const int errors[] = { EINTR, EAGAIN, EBUSY };
	const struct tw_job *job;

	if (!begin(1, 1))
		return;
	job = world.td.io_ops_data;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		world.error = errors[i];
		queue(0, DDIR_READ);
		tap_ok(!world.error && job->pending_head == job->pending_tail,
		       "refused once with %d, it is in the kernel in the end",
		       errors[i]);
		tw_getevents(&world.td, 1, 1, NULL);
		tw_event(&world.td, 0);
	}
	world.takes_none = true;
	one(0, DDIR_READ);
	tap_ok(!world.takes_none && world.slats == 4,
	       "nor is one lost that was not taken, without an error");
	world.error = EBADF;
	queue(0, DDIR_READ);
	tap_ok(job->pending_head != job->pending_tail &&
	       world.td.error == EBADF, "where it is no use it is not tried again");
	world_end();
	tap_ok(counts("read", 4, 0, 0, 0, 0), "those that came to an end count");
}

/* An entry is used again, for the same or for something else. */
static void entries(unsigned batch)
{
	static const enum fio_ddir order[] = {
		DDIR_READ, DDIR_READ, DDIR_SYNC, DDIR_READ, DDIR_DATASYNC,
		DDIR_WRITE, DDIR_WRITE, DDIR_READ, DDIR_DATASYNC, DDIR_SYNC,
		DDIR_WRITE, DDIR_SYNC, DDIR_SYNC,
	};
	const unsigned ios = 4 * sizeof(order) / sizeof(order[0]);
	unsigned i, depth = 0;

	if (!begin(4, batch))
		return;
	for (i = 0; i < ios; i++) {
		queue(depth++, order[i % (ios / 4)]);
		if (depth < 4 && i + 1 < ios)
			continue;
		world_commit();
		tw_getevents(&world.td, depth, depth, NULL);
		while (depth)
			tw_event(&world.td, (int)--depth);
	}
	tap_ok(!world.bad_entries, "%u at a time, each says what it is for and "
	       "nothing of what was there before", batch);
	world_end();
	tap_ok(counts("read", 16, 0, 0, 0, 0) &&
	       counts("write", 12, 0, 0, 0, 0) &&
	       counts("sync", 24, 0, 0, 0, 0), "and counts as that");
}

/* What is recorded but not yet in the histograms, after so many more; all of it
 * within a millisecond, as a new window settles, too. */
static unsigned unsettled_after(unsigned ios, uint64_t takes_ticks)
{
	const struct tw_job *job = world.td.io_ops_data;
	const struct tw_batch *batch = &job->batch[TW_READ];
	ptrdiff_t left;

	while (ios--) {
		world.takes_ticks[0] = takes_ticks;
		one(0, DDIR_READ);
	}
	/* Of the two lists that these are in. */
	left = batch->ends[TW_RECORD_INSIDE] - batch->ticks[TW_RECORD_INSIDE] +
	       batch->ends[TW_RECORD_AT_ONCE] - batch->ticks[TW_RECORD_AT_ONCE];
	return (unsigned)left;
}

static void settled(void)
{
	if (!begin(1, 1))
		return;
	tap_ok(unsettled_after(31, 5000) == 31,
	       "31 are not settled before the job waits for the next");
	tap_ok(unsettled_after(1, 5000) == 1, "with the 32nd they are");
	tap_ok(unsettled_after(31, 5000) == 32, "and not before as many more");
	tap_ok(unsettled_after(127, 0) == 32 + 127 &&
	       unsettled_after(1, 0) == 32,
	       "without waiting, a list of 128 at a time");
	world_end();
	tap_ok(counts("read", 64 + 127, 0, 0, 0, 0), "each once");
}

int main(void)
{
	errors();
	shorts();
	nothing();
	requeues();
	full();
	at_once();
	ramp();
	not_running();
	backwards();
	negative_stage();
	few_taken();
	refused_alone();
	entries(1);
	entries(2);
	entries(4);
	settled();
	world_forget();
	return tap_done();
}
