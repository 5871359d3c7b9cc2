/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: a submission looks for completions exactly where some may be due:
 * with earlier I/Os in the kernel, where the kernel leaves what is done to
 * whoever looks, and always where the ring is polled or watched.
 * Defect: completions of a device left lying until the ring runs empty, a second
 * call for each I/O where one was enough, or looking for what is there already.
 */
#include "engine_world.h"

#define SIZE	4096
#define IOS	600
#define LOOKS	256	/* as in submit.c: this is what README calls noticed */

static bool begin(unsigned depth)
{
	world_forget();
	world.td.o.iodepth = depth;
	world.td.o.iodepth_batch = 1;
	return tap_ok(world_begin(), "a job begins");
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

static void unreaped(void)
{
	if (!begin(4))
		return;
	for (unsigned i = 0; i < 4; i++)
		queue(i);
	tap_ok(world.looks == 0 && world.calls == 4,
	       "the same with those before still in the ring");
	tap_ok(tw_getevents(&world.td, 4, 4, NULL) == 4, "all are there");
	world_end();
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

/* Every so often it is tried without, and that takes a second call. */
static void deferred(void)
{
	const unsigned tries = (IOS + LOOKS) / (LOOKS + 1);

	if (!begin(1))
		return;
	world.defers = true;
	singly(IOS);
	tap_ok(world.looks == IOS - tries && world.calls == IOS + tries,
	       "done at once, to be looked for: %u calls for %u I/Os, %u of "
	       "them tried without", world.calls, IOS, tries);
	world_end();
}

static void always(void)
{
	struct tw_job *job;

	if (!begin(1))
		return;
	job = world.td.io_ops_data;
	job->always_looks = true;
	singly(10);
	tap_ok(world.looks == 10, "polled or watched: every one looks");
	world_end();
}

int main(void)
{
	page_cache();
	unreaped();
	device();
	deferred();
	always();
	world_forget();
	return tap_done();
}
