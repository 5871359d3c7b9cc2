/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: a call that submits also fetches completions (IORING_ENTER_GETEVENTS),
 * exactly where some may be due: always with direct=1, and with buffered I/O while
 * an earlier one is not yet in the ring. Defect: completions of a device left until
 * the ring runs empty, a second call for each I/O where one was enough, or work for
 * what is there already.
 */
#include "engine_world.h"

#define IOS	2000

static void begin(unsigned depth, unsigned batch, bool direct)
{
	world_forget();
	world.td.o.iodepth = depth;
	world.td.o.iodepth_batch = batch;
	world.td.o.odirect = direct;
	world_start();
}

/* Queue @count I/Os, of which the n-th takes n times @each more ticks than @first. */
static void queue(unsigned count, uint64_t first, uint64_t each)
{
	for (unsigned i = 0; i < count; i++) {
		world.takes_ticks[i] = first + i * each;
		world_queue(i, DDIR_READ);
	}
}

/* I/Os that are all done inside their calls, or behind them, and which calls also ask for
 * completions. */
static const struct one_case {
	const char *what;
	unsigned depth, batch;		/* as many I/Os as the depth, or one after another */
	bool direct, defers;
	unsigned accepts, calls, finds;	/* for each I/O */
} cases[] = {
	{ "done inside the call", 1, 1, .calls = 1 },
	/* A device reads a page that is not in the cache. Its completion appears only when
	 * the job's thread enters again, to wait for it. */
	{ "buffered, done behind the call", 1, 1, .defers = true, .calls = 2 },
	{ "direct: the call finds it", 1, 1, .direct = true, .defers = true, .calls = 1,
	  .finds = 1 },
	{ "with those before still in the ring", 4, 1, .calls = 1 },
	{ "what is not submitted yet can't be found", 4, 4, .accepts = 1, .calls = 1 },
};

static void one_case(const struct one_case *one)
{
	unsigned lost = 0, ios = 0;

	begin(one->depth, one->batch, one->direct);
	world.defers = one->defers;
	world.accepts = one->accepts;
	for (; ios < IOS; ios += one->depth) {
		queue(one->depth, 0, 0);
		lost += !world_reap(one->depth);
	}
	tap_ok(!lost && world.finds == one->finds * ios && world.calls == one->calls * ios,
	       "%s: %u calls for %u I/Os, %u of them for completions, too", one->what,
	       world.calls, ios, world.finds);
	world_end();
}

/* The missing completion is in the ring, taken or not: then none is to be found. */
static void one_missing(void)
{
	begin(4, 1, false);
	queue(4, 20000, 0);
	tap_ok(world.finds == 3 && world_reap(4),
	       "with earlier I/Os in the kernel: all but the first: %u", world.finds);
	world_end();
	begin(4, 1, false);
	world.at_once = true;
	world.takes_ticks[0] = 20000;
	world_queue(0, DDIR_READ);
	world_queue(1, DDIR_READ);
	tap_ok(world.finds == 1, "one behind another that is not done");
	world_pass(20000);
	world_queue(2, DDIR_READ);
	tap_ok(world.finds == 1, "not any more when that is done");
	tap_ok(world_reap(3), "all are there");
	world_end();
}

/*
 * A replayed log does this between two I/Os, and so does a job with
 * iodepth_batch_complete_min=0: the kernel is entered once, so that completions are
 * seen then, not with the next submission.
 */
static void asked_for_none(bool defers)
{
	int early, done;

	begin(4, 1, false);
	world.defers = defers;
	world.td.o.iodepth_batch_complete_min = 0;
	queue(1, 20000, 0);
	early = tw_getevents(&world.td, 0, 4, NULL);
	tap_ok(early == 0 && world.calls == 2, "asked for whatever there is: one call");
	world_pass(20000);
	done = tw_getevents(&world.td, 0, 4, NULL);
	tap_ok(done == 1, "then there is one%s", defers ? ", which appears when asked for" : "");
	world_end();
}

/* fio wants three, one is there. */
static void wants_more(bool event_wait, unsigned calls)
{
	world_forget();
	world.td.o.iodepth = 4;
	world.options.event_wait = event_wait;
	world_start();
	queue(4, event_wait ? 20000 : 0, 20000);
	tap_ok(tw_getevents(&world.td, 3, 4, NULL) == 3 && world.calls == 4 + calls,
	       "tw_event_wait=%d: %u calls wait for all that are missing", event_wait, calls);
	world_end();
	tap_ok(world_number("batches.largest_reap") == (event_wait ? 1 : 2),
	       "%s", event_wait ? "with a stamp for each" : "");
}

/* Others are to be taken first: completions are seen at the end of their own call, not
 * with the next. */
static void deferred_behind_others(void)
{
	unsigned late = 0, lost = 0;

	begin(8, 1, true);
	world.defers = true;
	for (unsigned io = 0; io < IOS; io++) {
		unsigned place = io;

		world_pass(100);
		if (io >= 8 && tw_getevents(&world.td, 1, 1, NULL) == 1)
			place = world_index(tw_event(&world.td, 0));
		else if (io >= 8)
			lost++;
		world_queue(place, DDIR_READ);
		late += world.cq_tail != WORLD_FROM + io + 1;
	}
	tap_ok(lost == 0 && late == 0 && world.calls == IOS,
	       "direct, behind others: %u calls for %u I/Os, %u are seen late",
	       world.calls, IOS, late);
	world_end();
}

int main(void)
{
	for (size_t i = 0; i < FIO_ARRAY_SIZE(cases); i++)
		one_case(&cases[i]);
	one_missing();
	asked_for_none(false);
	asked_for_none(true);
	wants_more(false, 1);
	wants_more(true, 3);
	deferred_behind_others();
	world_forget();
	return tap_done();
}
