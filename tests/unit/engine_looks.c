/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: a submission looks for completions exactly where some may be due:
 * with earlier I/Os in the kernel, where the kernel leaves what is done to
 * whoever looks, and always where the ring is polled.
 * Defect: completions of a device left lying until the ring runs empty, a second
 * call for each I/O where one was enough, or looking for what is there already.
 */
#include "engine_world.h"

#define SIZE	4096
#define IOS	2000

static bool begin_batch(unsigned depth, unsigned batch, bool always_looks)
{
	world_forget();
	world.td.o.iodepth = depth;
	world.td.o.iodepth_batch = batch;
	world.always_looks = always_looks;
	return tap_ok(world_begin(), "a job begins");
}

static bool begin(unsigned depth)
{
	return begin_batch(depth, 1, false);
}

static void queue(unsigned i)
{
	enum fio_q_status status;

	world_queue(world_transfer(i, DDIR_READ, i * SIZE, SIZE), &status);
}

/* One after the other; what is left in the end is none. */
static void singly(unsigned ios)
{
	unsigned lost = 0;

	while (ios--) {
		world_pass(100);
		queue(0);
		if (tw_getevents(&world.td, 1, 1, NULL) == 1)
			tw_event(&world.td, 0);
		else
			lost++;
	}
	tap_ok(lost == 0, "each I/O comes back");
}

static void page_cache(void)
{
	if (!begin(1))
		return;
	singly(IOS);
	tap_ok(world.looks == 0 && world.calls == IOS,
	       "done inside the call: one call each, %u of them looked",
	       world.looks);
	world_end();
}

/* Each by a call of its own, and taken in the end. */
static void four_without_looking(const char *what)
{
	for (unsigned i = 0; i < 4; i++)
		queue(i);
	tap_ok(world.looks == 0 && world.calls == 4, "%s", what);
	tap_ok(tw_getevents(&world.td, 4, 4, NULL) == 4, "all are there");
	world_end();
}

static void unreaped(void)
{
	if (begin(4))
		four_without_looking("the same with those before still in the "
				     "ring");
}

static void device(void)
{
	if (!begin(4))
		return;
	for (unsigned i = 0; i < 4; i++) {
		world.takes_ticks[i] = 20000;
		queue(i);
	}
	tap_ok(world.looks == 3, "with I/Os in the kernel all but the first "
	       "look: %u", world.looks);
	tap_ok(tw_getevents(&world.td, 4, 4, NULL) == 4, "all come back");
	world_end();
}

/* As a replayed log does between two I/Os, and a job with
 * iodepth_batch_complete_min=0: what is done is seen then, not with the next
 * submission. */
static void asked_for_none(bool defers)
{
	unsigned calls, early, done, nothing;

	if (!begin(4))
		return;
	world.defers = defers;
	world.td.o.iodepth_batch_complete_min = 0;
	world.takes_ticks[0] = 20000;
	queue(0);
	calls = world.calls;
	early = (unsigned) tw_getevents(&world.td, 0, 4, NULL);
	nothing = world.calls - calls;
	world_pass(20000);
	done = (unsigned) tw_getevents(&world.td, 0, 4, NULL);
	tap_ok(early == 0 && nothing == 1 && done == 1,
	       "asked for whatever there is%s: %u at first, after %u call, "
	       "then %u", defers ? ", of what has to be looked for" : "",
	       early, nothing, done);
	if (done)
		tw_event(&world.td, 0);
	world_end();
}

/* Of so many I/Os: each that does not look is followed by some that do, twice as
 * many each time. */
static unsigned tries_in(unsigned ios)
{
	unsigned tries = 0;

	for (unsigned io = 0, looks = TW_LOOKS_FIRST; io < ios; io++) {
		tries++;
		io += looks;
		looks *= 2;
	}
	return tries;
}

/* Every so often it is tried without, and that takes a second call. */
static void deferred(void)
{
	const unsigned tries = tries_in(IOS);

	if (!begin(1))
		return;
	world.defers = true;
	singly(IOS);
	tap_ok(world.looks == IOS - tries && world.calls == IOS + tries,
	       "done at once, to be looked for: %u calls for %u I/Os, %u of "
	       "them tried without", world.calls, IOS, tries);
	world_end();
}

/* The same with others to be taken first: what is done is seen at the end of its own
 * call, not with the next, but for those tried without. */
static void deferred_behind_others(void)
{
	const unsigned tries = tries_in(IOS);
	unsigned late = 0, lost = 0;

	if (!begin(8))
		return;
	world.defers = true;
	for (unsigned io = 0; io < IOS; io++) {
		unsigned place = io;

		world_pass(100);
		if (io >= 8 && tw_getevents(&world.td, 1, 1, NULL) == 1)
			place = world_index(tw_event(&world.td, 0));
		else if (io >= 8)
			lost++;
		queue(place);
		late += world.cq_tail != WORLD_FROM + io + 1;
	}
	tap_ok(lost == 0 && late >= 1 && late <= tries && world.calls == IOS,
	       "done at once, behind others: %u calls for %u I/Os, %u are seen "
	       "late", world.calls, IOS, late);
	world_end();
}

/* Some years of I/Os: the number of those that look does not wrap to none. */
static void for_ever(void)
{
	struct tw_job *job;
	unsigned calls, most = 0;

	if (!begin(1))
		return;
	world.defers = true;
	job = world.td.io_ops_data;
	for (int i = 0; i < 40; i++) {
		job->looks = 0;
		singly(1);
		most = job->looks > most ? job->looks : most;
	}
	calls = world.calls;
	singly(1);
	tap_ok(most == TW_LOOKS_MOST && job->looks == TW_LOOKS_MOST - 1 &&
	       world.calls == calls + 1, "at most %u look in a row", most);
	world_end();
}

/* The kernel takes them one by one, and each is done by then. */
static void one_by_one(void)
{
	if (!begin_batch(4, 4, false))
		return;
	world.accepts = 1;
	four_without_looking("what has not been taken yet is nothing to look "
			     "for");
}

static void always(void)
{
	if (!begin_batch(1, 1, true))
		return;
	singly(10);
	tap_ok(world.looks == 10, "polled: every one looks");
	world_end();
}

int main(void)
{
	page_cache();
	unreaped();
	device();
	asked_for_none(false);
	asked_for_none(true);
	deferred();
	deferred_behind_others();
	for_ever();
	one_by_one();
	always();
	world_forget();
	return tap_done();
}
