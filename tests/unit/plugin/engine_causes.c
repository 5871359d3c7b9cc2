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
static uint64_t accepted_ticks, device_ticks;

static void accepted(unsigned i)
{
	accepted_ticks = engine_now_ticks;
}

/* The thread slept, was woken 100 ns after the device was done, was ready to run 20 ns
 * later, and ran 30 ns before the completion was in the ring. */
static void appeared(unsigned i)
{
	const uint64_t finished_ns = world_monotonic_ns(accepted_ticks + 20 + device_ticks);
	const uint64_t posted_ns = world_monotonic_ns(engine_now_ticks);

	slot = (struct tw_slot) {
		.key = world.ios[i].sqe.user_data,
		.accepted_ns = world_monotonic_ns(accepted_ticks),
		.dispatched_ns = world_monotonic_ns(accepted_ticks + 20),
		.finished_ns = finished_ns,
		.posted_ns = posted_ns,
		.requests = 1,
		.due_bytes = WORLD_SIZE,
		.finished_bytes = WORLD_SIZE,
	};
	turns.newest = 1;
	turns.turns[0] = (struct tw_turn) {
		.number = 1,
		.ran_ns = world_monotonic_ns(accepted_ticks),
		.off_ns = finished_ns - 10,
		.waking_ns = finished_ns + 100,
		.woken_ns = finished_ns + 120,
		.on_ns = posted_ns - 30,
		.holders = { {
			.from_ns = finished_ns + 120,
			.to_ns = posted_ns - 30,
			.id = 7, .kind = TW_PROCESS, .name = "a\x01\xff",
		} },
	};
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
	world_begin();
	world_one(DDIR_READ, 10020);
	/* Overwrite by turns of later I/Os, none of which is slow. */
	memset(&turns, 0, sizeof(turns));
	turns.newest = 10 * TW_TURNS;
	world_end();
}

static bool is_ns(const char *key, uint64_t ns)
{
	uint64_t is;

	return !tw_json_to_u64(world_at(world.report, "slowest.0.causes.%s", key), &is) &&
	       is == ns;
}

/* Return for how many jobs the program is loaded: two want causes. */
static unsigned followed(enum tw_kernel_mode mode, bool can_load)
{
	struct thread_data *jobs = calloc(2, sizeof(*jobs));

	world_forget();
	world.options.kernel = mode;
	world.options.causes = 1;
	world.kernel_refused = can_load ? NULL : "no reason";
	jobs[0] = jobs[1] = world.td;
	segments[0].threads = jobs;
	thread_number = 2;
	tw_kernel_load_for_jobs();
	free(jobs);
	return world.followed;
}

int main(void)
{
	one(true, true, 1000);
	tap_ok(world_is_text("jobs.0.causes.state", "on") &&
	       world_is_text("slowest.0.causes.stage", "complete"),
	       "the longest stage is complete");
	tap_ok(is_ns("woken_late_ns", 120) && is_ns("ran_ns", 30) &&
	       is_ns("waited_ns", 9000 - 150) && is_ns("unexplained_ns", 0) &&
	       is_ns("interrupts_ns", 0) && is_ns("asleep_ns", 0),
	       "its pieces");
	tap_ok(is_ns("had_cpu.0.ns", 9000 - 150) && is_ns("had_cpu.0.id", 7) &&
	       world_is_text("slowest.0.causes.had_cpu.0.name", "a??") &&
	       is_ns("stall.ns", 9000 - 30),
	       "what had the CPU, in plain text, and for how long it was kept from running");
	one(true, true, 9000);
	tap_ok(world_is_text("slowest.0.causes.stage", "device") &&
	       !world_at(world.report, "slowest.0.causes.ran_ns") &&
	       !world_at(world.report, "slowest.0.causes.unexplained_ns"),
	       "in the device the thread has no part");
	one(true, false, 1000);
	tap_ok(world_is_text("jobs.0.causes.state", "off") &&
	       json_string_length(world_at(world.report, "jobs.0.causes.why")) &&
	       !world_at(world.report, "slowest.0.causes"), "no stamps: no causes, and why");
	one(false, true, 1000);
	tap_ok(!world_at(world.report, "jobs.0.causes") && !world.followed &&
	       !world_at(world.report, "slowest.0.causes"), "not asked for: nothing is loaded");
	tap_ok(followed(TW_KERNEL_AUTO, true) == 2, "it is loaded for all jobs");
	tap_ok(!followed(TW_KERNEL_OFF, true), "not for jobs with tw_kernel=off");
	tap_ok(!followed(TW_KERNEL_AUTO, false),
	       "nor if this process has not loaded the stages");
	world_forget();
	return tap_done();
}
