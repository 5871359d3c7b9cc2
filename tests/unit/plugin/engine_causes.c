/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/kernel
 *
 * Behaviour: with tw_causes=1 the report tells what the job's thread did in the
 * longest stage of a slow I/O, by the turns that the program in the kernel left.
 * Times are right to the nanosecond, in the stage's own time, though turns are
 * overwritten soon after the I/O. Stages in which the thread has no part, such as
 * that in the device, have no pieces. Without the option nothing is asked for, and
 * without stamps of the kernel the report tells why there are no causes. Defect: a
 * stage that is not the longest, pieces of another stage or at another time, a
 * program in the kernel that no job asked for.
 */
#include "engine_world.h"

static struct tw_slot slot;
static struct tw_turns turns;
static uint64_t accepted_ticks, finished_ticks, posted_ticks;
static uint64_t device_ticks;

static void accepted(unsigned i)
{
	accepted_ticks = engine_now_ticks;
}

/* The thread slept, was woken 100 ns after the device was done, was ready to run 20 ns
 * later, and ran 30 ns before the completion was in the ring. */
static void put_turn(void)
{
	struct tw_turn *turn = &turns.turns[0];

	*turn = (struct tw_turn) {
		.number = 1,
		.ran_ns = world_monotonic_ns(accepted_ticks),
		.off_ns = world_monotonic_ns(finished_ticks - 10),
		.waking_ns = world_monotonic_ns(finished_ticks + 100),
		.woken_ns = world_monotonic_ns(finished_ticks + 120),
		.on_ns = world_monotonic_ns(posted_ticks - 30),
		.holders = { {
			.from_ns = world_monotonic_ns(finished_ticks + 120),
			.to_ns = world_monotonic_ns(posted_ticks - 30),
			.id = 7, .kind = TW_PROCESS, .name = "a\x01\xff",
		} },
	};
	turns.newest = 1;
}

static void appeared(unsigned i)
{
	posted_ticks = engine_now_ticks;
	finished_ticks = accepted_ticks + 20 + device_ticks;
	slot = (struct tw_slot) {
		.key = world.ios[i].sqe.user_data,
		.accepted_ns = world_monotonic_ns(accepted_ticks),
		.dispatched_ns = world_monotonic_ns(accepted_ticks + 20),
		.finished_ns = world_monotonic_ns(finished_ticks),
		.posted_ns = world_monotonic_ns(posted_ticks),
		.requests = 1,
		.due_bytes = 4096,
		.finished_bytes = 4096,
	};
	put_turn();
}

/* Do one read, of which the device needs @device ns and the rest 10000 - @device. */
static void one(bool causes, bool split, uint64_t device)
{
	world_forget();
	memset(&turns, 0, sizeof(turns));
	device_ticks = device;
	world.options.kernel = TW_KERNEL_AUTO;
	world.options.causes = causes;
	world.options.slowest = 20;
	world.kernel_slots = split ? &slot : NULL;
	world.turns = &turns;
	world.accepted = accepted;
	world.appeared = appeared;
	world.takes_ticks[0] = 10020;
	world_begin();
	world_pass(10);
	world_queue(world_transfer(0, DDIR_READ, 4096, 4096));
	if (tw_getevents(&world.td, 1, 1, NULL) == 1)
		tw_event(&world.td, 0);
	/* Overwrite by turns of later I/Os, none of which is slow. */
	memset(&turns, 0, sizeof(turns));
	turns.newest = 10 * TW_TURNS;
	world_end();
}

static const json_t *cause(const char *key)
{
	const json_t *slowest = json_object_get(world.report, "slowest");

	return json_object_get(json_object_get(json_array_get(slowest, 0),
					       "causes"), key);
}

static bool is_ns(const char *key, uint64_t ns)
{
	uint64_t is = 0;

	return !tw_json_to_u64(cause(key), &is) && is == ns;
}

static const char *text_of(const json_t *json)
{
	const char *text = json_string_value(json);

	return text ? text : "";
}

static const char *state(const char *key)
{
	return text_of(json_object_get(world_job("causes"), key));
}

/* Return for how many jobs the program is loaded: two want causes. */
static unsigned followed(enum tw_kernel_mode mode, bool can_load)
{
	static struct thread_data jobs[2];

	world_forget();
	world.options.kernel = mode;
	world.options.causes = 1;
	world.kernel_refused = can_load ? NULL : "no reason";
	jobs[0] = jobs[1] = world.td;
	segments[0].threads = jobs;
	thread_number = 2;
	tw_why_load_for_jobs();
	thread_number = 0;
	return world.followed;
}

static void for_jobs(void)
{
	tap_ok(followed(TW_KERNEL_AUTO, true) == 2, "it is loaded for all jobs");
	tap_ok(!followed(TW_KERNEL_OFF, true), "not for jobs with tw_kernel=off");
	tap_ok(!followed(TW_KERNEL_AUTO, false),
	       "nor if this process has not loaded the stages");
}

int main(void)
{
	const json_t *had;

	one(true, true, 1000);
	tap_ok(strcmp(state("state"), "on") == 0 &&
	       strcmp(text_of(cause("stage")), "complete") == 0,
	       "the longest stage is complete");
	tap_ok(is_ns("woken_late_ns", 120) && is_ns("ran_ns", 30) &&
	       is_ns("waited_ns", 9000 - 150) && is_ns("unexplained_ns", 0) &&
	       is_ns("interrupts_ns", 0) && is_ns("asleep_ns", 0),
	       "its pieces");
	had = json_array_get(cause("had_cpu"), 0);
	tap_ok(json_integer_value(json_object_get(had, "ns")) == 9000 - 150 &&
	       json_integer_value(json_object_get(had, "id")) == 7 &&
	       strcmp(text_of(json_object_get(had, "name")), "a??") == 0,
	       "what had the CPU, in plain text");
	tap_ok(json_integer_value(json_object_get(cause("stall"), "ns")) ==
	       9000 - 30, "and for how long it was kept from running");

	one(true, true, 9000);
	tap_ok(strcmp(text_of(cause("stage")), "device") == 0 &&
	       !cause("ran_ns") && !cause("unexplained_ns"),
	       "in the device the thread has no part");
	one(true, false, 1000);
	tap_ok(strcmp(state("state"), "off") == 0 && *state("why") &&
	       !cause("stage"), "no stamps: no causes, and why: %s", state("why"));
	one(false, true, 1000);
	tap_ok(!world_job("causes") && !cause("stage") &&
	       !world.followed, "not asked for: nothing is loaded");
	for_jobs();
	world_forget();
	return tap_done();
}
