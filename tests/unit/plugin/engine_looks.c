/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: a call that submits also fetches completions (IORING_ENTER_GETEVENTS),
 * exactly where some may be due: always with direct=1, and with buffered I/O while
 * an earlier one is not yet in the ring. Defect: completions of a device left until
 * the ring runs empty, a second call for each I/O where one was enough, or work for
 * what is there already.
 */
#include "engine_world.h"

#define SIZE	4096
#define IOS	2000

static bool begin_batch(unsigned depth, unsigned batch, bool direct)
{
	world_forget();
	world.td.o.iodepth = depth;
	world.td.o.iodepth_batch = batch;
	world.direct = direct;
	return tap_ok(world_begin(), "a job with direct=%d begins", direct);
}

static bool begin(unsigned depth)
{
	return begin_batch(depth, 1, false);
}

static void queue(unsigned i)
{
	world_queue(world_transfer(i, DDIR_READ, i * SIZE, SIZE));
}

/* One after the other; in the end none is left. */
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
	tap_ok(world.finds == 0 && world.calls == IOS,
	       "done inside the call: one call each, %u of them for "
	       "completions, too", world.finds);
	world_end();
}

/* Submit each by a call of its own, and take them in the end. */
static void four_that_find_none(const char *what)
{
	for (unsigned i = 0; i < 4; i++)
		queue(i);
	tap_ok(world.finds == 0 && world.calls == 4, "%s", what);
	tap_ok(tw_getevents(&world.td, 4, 4, NULL) == 4, "all are there");
	world_end();
}

static void unreaped(void)
{
	if (begin(4))
		four_that_find_none("the same with those before still in the "
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
	tap_ok(world.finds == 3, "with earlier I/Os in the kernel: all but "
	       "the first: %u", world.finds);
	tap_ok(tw_getevents(&world.td, 4, 4, NULL) == 4, "all come back");
	queue(0);
	tap_ok(world.finds == 3, "with none again: not");
	world_end();
}

/*
 * The missing completion is in the ring, taken or not: from then on none is to be
 * found.
 */
static void one_missing(void)
{
	if (!begin(4))
		return;
	world.at_once = true;
	world.takes_ticks[0] = 20000;
	queue(0);
	queue(1);
	tap_ok(world.finds == 1, "one behind another that is not done");
	world_pass(20000);
	queue(2);
	tap_ok(world.finds == 1, "not any more when that is done");
	tap_ok(tw_getevents(&world.td, 3, 3, NULL) == 3, "all are there");
	world_end();
}

/*
 * A replayed log does this between two I/Os, and so does a job with
 * iodepth_batch_complete_min=0: the kernel is entered once, so that completions are
 * seen then, not with the next submission.
 */
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
	       "then %u", defers ? ", which appears when asked for" : "",
	       early, nothing, done);
	if (done)
		tw_event(&world.td, 0);
	world_end();
}

/* fio wants three, one is there. */
static void wants_more(void)
{
	unsigned calls;

	if (!begin(4))
		return;
	for (unsigned i = 0; i < 4; i++) {
		world.takes_ticks[i] = i * 20000;
		queue(i);
	}
	calls = world.calls;
	tap_ok(tw_getevents(&world.td, 3, 4, NULL) == 3 &&
	       world.calls == calls + 1, "one call waits for all that are "
	       "missing");
	world_end();
}

/* tw_event_wait=1: the same, but each has a stamp of its own. */
static void one_at_a_time(void)
{
	unsigned calls;

	world_forget();
	world.options.event_wait = 1;
	world.td.o.iodepth = 4;
	if (!tap_ok(world_begin(), "a job with tw_event_wait=1 begins"))
		return;
	for (unsigned i = 0; i < 4; i++) {
		world.takes_ticks[i] = 20000 * (i + 1);
		queue(i);
	}
	calls = world.calls;
	tap_ok(tw_getevents(&world.td, 3, 4, NULL) == 3 &&
	       world.calls == calls + 3, "a call for each");
	world_end();
	tap_ok(json_integer_value(json_object_get(json_object_get(world.report,
		"batches"), "largest_tail")) == 1, "and a stamp for each");
}

/*
 * A device reads a page that is not in the cache. Its completion appears only when
 * the job's thread enters again, to wait for it.
 */
static void deferred(void)
{
	if (!begin(1))
		return;
	world.defers = true;
	singly(IOS);
	tap_ok(world.finds == 0 && world.calls == 2 * IOS,
	       "buffered, done behind the call: %u calls for %u I/Os",
	       world.calls, IOS);
	world_end();
}

static void deferred_direct(void)
{
	if (!begin_batch(1, 1, true))
		return;
	world.defers = true;
	singly(IOS);
	tap_ok(world.finds == IOS && world.calls == IOS,
	       "direct: one call each, which finds it");
	world_end();
}

/*
 * The same with others to be taken first: completions are seen at the end of their
 * own call, not with the next.
 */
static void deferred_behind_others(void)
{
	unsigned late = 0, lost = 0;

	if (!begin_batch(8, 1, true))
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
	tap_ok(lost == 0 && late == 0 && world.calls == IOS,
	       "direct, behind others: %u calls for %u I/Os, %u are seen late",
	       world.calls, IOS, late);
	world_end();
}

/* The kernel takes them one by one, and each is done by then. */
static void one_by_one(void)
{
	if (!begin_batch(4, 4, false))
		return;
	world.accepts = 1;
	four_that_find_none("what is not submitted yet can't be found");
}

int main(void)
{
	page_cache();
	unreaped();
	device();
	one_missing();
	asked_for_none(false);
	asked_for_none(true);
	wants_more();
	one_at_a_time();
	deferred();
	deferred_direct();
	deferred_behind_others();
	one_by_one();
	world_forget();
	return tap_done();
}
