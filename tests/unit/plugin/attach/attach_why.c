/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: a slow I/O of an attached program has its longest stage, the start of
 * that stage, and what the thread that submitted the I/O did in the stage. A stage
 * that another thread ends is not explained by this thread, nor is the time in the
 * device. Turns that were overwritten are not read. Defect: causes of another
 * thread, of another time, or of a stage in which the thread has no part.
 */
#include "attach/attach_tally.h"

#include <string.h>

#include "tap.h"

#define START_NS	40000000000000001ULL	/* no double has this value */
#define BY_ITSELF	(TW_ATTACH_DISPATCHED_ITSELF | TW_ATTACH_POSTED_ITSELF)

static struct tw_turns turns[TW_ATTACH_THREADS];
static struct tw_attach_why why;

/* Make an I/O accepted at START_NS. Its points come after these times; 0: not passed. */
static struct tw_attach_io io_of(uint64_t dispatched_ns, uint64_t finished_ns,
				 uint64_t posted_ns)
{
	return (struct tw_attach_io) {
		.kind = TW_ATTACH_IO, .opcode = 22, .result = 4096,
		.flags = BY_ITSELF, .thread = 2, .accepted_ns = START_NS,
		.dispatched_ns = dispatched_ns ? START_NS + dispatched_ns : 0,
		.finished_ns = finished_ns ? START_NS + finished_ns : 0,
		.posted_ns = START_NS + posted_ns,
		.due_bytes = dispatched_ns ? 4096 : 0,
		.finished_bytes = finished_ns ? 4096 : 0,
	};
}

/* The second thread runs, and then is off its CPU, ready to run. */
static void add_turn(uint64_t ran_ns, uint64_t off_ns, uint64_t on_ns)
{
	struct tw_turn *turn = &turns[1].turns[turns[1].newest % TW_TURNS];

	*turn = (struct tw_turn) {
		.number = ++turns[1].newest, .ran_ns = START_NS + ran_ns,
		.off_ns = START_NS + off_ns, .on_ns = START_NS + on_ns,
		.holders[0] = {
			.from_ns = START_NS + off_ns, .to_ns = START_NS + on_ns,
			.id = 77, .kind = TW_PROCESS, .name = "loop",
		},
	};
}

static bool is_stage(const struct tw_attach_io *io, unsigned stage, uint64_t since_ns,
		     uint64_t ns, bool followed)
{
	tw_attach_why_find(turns, io, &why);
	return why.stage == stage && why.from_ns == START_NS + since_ns &&
	       why.ns == ns && why.followed == followed;
}

static bool is_explained(uint64_t ran_ns, uint64_t waited_ns, int64_t stall_from_ns)
{
	const struct tw_explained *is = &why.explained;

	return is->ran_ns == ran_ns && is->waited_ns == waited_ns && !is->lost &&
	       is->stall_from_ns == stall_from_ns &&
	       is->had_cpu[0].id == 77 && is->had_cpu[0].ns == waited_ns;
}

static void test_stages(void)
{
	struct tw_attach_io io = io_of(100, 300, 1000);

	tap_ok(is_stage(&io, TW_COMPLETE, 300, 700, true) &&
	       is_explained(100, 600, 100), "complete: it had to wait for its CPU");
	io.flags = TW_ATTACH_DISPATCHED_ITSELF;
	tap_ok(is_stage(&io, TW_COMPLETE, 300, 700, false),
	       "another thread posts the completion");
	io = io_of(100, 900, 1000);
	tap_ok(is_stage(&io, TW_DEVICE, 100, 800, false), "the device");
	io = io_of(950, 960, 1000);
	tap_ok(is_stage(&io, TW_BLOCKQ, 0, 950, true) &&
	       is_explained(400, 550, 400), "blockq: before it dispatches");
	io.retries = 1;
	tap_ok(is_stage(&io, TW_BLOCKQ, 0, 950, false), "a worker's retry");
	io.retries = 0;
	io.flags = TW_ATTACH_POSTED_ITSELF;
	tap_ok(is_stage(&io, TW_BLOCKQ, 0, 950, false), "another dispatches");
}

static void test_kernel(void)
{
	struct tw_attach_io io = io_of(0, 0, 1000);

	tap_ok(is_stage(&io, TW_KERNEL, 0, 1000, true) &&
	       is_explained(400, 600, 400), "without stages: all of it");
	io.retries = 1;
	tap_ok(is_stage(&io, TW_KERNEL, 0, 1000, false), "but for a worker's");
	io = io_of(100, 0, 1000);
	tap_ok(is_stage(&io, TW_KERNEL, 100, 900, true),
	       "not seen finished: since it was dispatched");
	io = io_of(0, 800, 1000);
	tap_ok(is_stage(&io, TW_KERNEL, 0, 800, false),
	       "not seen dispatched: it ends in the device");
}

static void test_threads(void)
{
	struct tw_attach_io io = io_of(100, 300, 1000);

	io.thread = 0;
	tap_ok(is_stage(&io, TW_COMPLETE, 300, 700, false), "no thread");
	io.thread = TW_ATTACH_THREADS + 1;
	tap_ok(is_stage(&io, TW_COMPLETE, 300, 700, false), "no such thread");
	io.thread = 1;
	tap_ok(is_stage(&io, TW_COMPLETE, 300, 700, true) &&
	       !why.explained.waited_ns && !why.explained.had_cpu[0].ns,
	       "another thread's turns are not taken");
}

/* The list has the causes with the I/O. */
static void test_list(void)
{
	struct tw_attach_io io = io_of(100, 300, 1000);
	const struct tw_attach_slow *slow;
	struct tw_attach_tally tally;

	if (tw_attach_tally_init(&tally, START_NS, START_NS, 4))
		abort();
	tally.turns = turns;
	if (tw_attach_add_io(&tally, &io))
		abort();
	slow = (const void *)tw_slowest_get(&tally.slowest, 0);
	tap_ok(slow->why.followed && slow->why.explained.waited_ns == 600,
	       "a slow I/O has its causes");
	tw_attach_tally_free(&tally);
}

static void test_overwritten(void)
{
	struct tw_attach_io io = io_of(100, 300, 1000);

	for (unsigned i = 0; i < TW_TURNS; i++)
		add_turn(2000 + 10 * i, 2005 + 10 * i, 2010 + 10 * i);
	tap_ok(is_stage(&io, TW_COMPLETE, 300, 700, true) &&
	       why.explained.lost && !why.explained.waited_ns, "overwritten: lost");
}

int main(void)
{
	add_turn(0, 400, 1000);
	test_stages();
	test_kernel();
	test_threads();
	test_list();
	test_overwritten();
	return tap_done();
}
