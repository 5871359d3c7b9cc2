/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/kernel
 *
 * Behaviour: with tw_causes=1 the report tells what the job's thread did in the longest
 * stage of a slow I/O, by the offcpu that the program in the kernel left. Times are right to
 * the nanosecond, though offcpu are overwritten soon after the I/O. Stages in which the
 * thread has no part have no pieces. What held the I/O back is told, if it is this I/O.
 * Without the option nothing is asked for, and without stamps of the kernel the report
 * tells why there are no causes. Defect: a stage that is
 * not the longest, pieces of another stage or time, a program that no job asked for.
 *
 * The first I/O of a job that is slower than tw_trigger stops the kernel's trace, once. All
 * slower ones are counted, but not those that fio does not account. The report has that I/O
 * and the events around it. If another job was faster, a job has only its count; where
 * there are no events the report tells why. Without tw_trigger nothing is made, stopped or
 * reported. Defect: an I/O at the threshold that fires, a second one that stops the trace
 * of the next job, events of another time, a ring that stays stopped.
 *
 * At 1 GHz a tick is a nanosecond, and CLOCK_MONOTONIC is the counter's time and more.
 */
#include "engine_world.h"

static struct tw_padded_stamps stamps;
static struct tw_offcpu offcpu;
static struct tw_sleeps sleeps;
static struct tw_others others;
static struct tw_throttled throttled;
static bool is_throttled, is_another;
static uint64_t accepted_ticks, device_ticks, blockq_ticks = 20;
static bool never_slept;

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

	stamps.stamps = world_stamps(i, world_monotonic_ns(accepted_ticks),
			  world_monotonic_ns(accepted_ticks + blockq_ticks), finished_ns,
			  posted_ns);
	throttled = (struct tw_throttled) {
		.key = stamps.stamps.key + is_another,
		.by[TW_THROTTLED_BY_MAPPER].to_ns = is_throttled ? finished_ns - 1000 : 0,
	};
	offcpu.newest = !never_slept;
	offcpu.periods[0] = (struct tw_offcpu_period) {
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
	memset(&offcpu, 0, sizeof(offcpu));
	device_ticks = device;
	world.options.kernel = TW_KERNEL_AUTO;
	world.options.causes = causes;
	world.options.slowest = 20;
	world.kernel_entries = split ? &stamps : NULL;
	world.offcpu = &offcpu;
	world.sleeps = &sleeps;
	world.others = &others;
	world.throttled = &throttled;
	world.accepted = accepted;
	world.appeared = appeared;
	world_start();
	world_one(DDIR_READ, 10020);
	/* Overwrite by offcpu of later I/Os, none of which is slow. */
	memset(&offcpu, 0, sizeof(offcpu));
	offcpu.newest = 10 * TW_OFFCPU_PERIODS;
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
	world_forget();
	world.options.kernel = mode;
	world.options.causes = 1;
	world.kernel_refused = can_load ? NULL : "no reason";
	world_jobs(2);
	tw_kernel_load_for_jobs();
	return world.followed;
}

/* ---- tw_trigger --------------------------------------------------------- */

#define ABOVE_US	50
#define ABOVE_NS	(ABOVE_US * 1000)

static uint64_t trigger(const char *key)
{
	return world_number("triggers.0.%s", key);
}

/* Make lines of events: at the edges of what is kept of an I/O that begins now, and in
 * between. */
static void make_trace(uint64_t lat_ns)
{
	static char lines[8][160];
	static const char *trace[9];
	const uint64_t begin_ns = world_monotonic_ns(engine_now_ticks + 100);
	const uint64_t from_us = (begin_ns - 100000 + 999) / 1000;
	const uint64_t to_us = (begin_ns + lat_ns + 100000) / 1000;
	const uint64_t at_us[] = { 1, from_us - 1, from_us, from_us + 100, to_us,
				   to_us + 1, to_us + 90000000 };
	unsigned i;

	for (i = 0; i < FIO_ARRAY_SIZE(at_us); i++) {
		snprintf(lines[i], sizeof(lines[i]), "%16s-%-7u [%03u] d..2. "
			 "%" PRIu64 ".%06" PRIu64 ": io_uring_%u: user_data 0x%u0000000",
			 "task", i + 10, i % 2, at_us[i] / 1000000,
			 at_us[i] % 1000000, i, i == 4 ? 2 : 1);
		trace[i] = lines[i];
	}
	trace[i] = NULL;
	world.trace = trace;
}

static void fires(void)
{
	const uint64_t lat_ns = ABOVE_NS + 1;
	uint64_t begun;

	world_forget();
	world.options.trigger_us = ABOVE_US;
	world_start();
	world_one(DDIR_READ, ABOVE_NS);
	tap_is_u64(world.trace_stops, 0, "an I/O at the threshold is not above it");
	engine_now_ticks += 200000000;
	make_trace(lat_ns);
	begun = engine_now_ticks + 100;
	world_one(DDIR_WRITE, lat_ns);
	tap_is_u64(world.trace_stops, 1, "one above it stops the trace");
	engine_now_ticks += 1000000;
	world_one(DDIR_READ, 900000);
	world_one(DDIR_READ, 10);
	tap_ok(world.trace_stops == 1 && !world.trace_goes_on,
	       "once, and it stays so while the job runs");
	world_end();
	tap_is_u64(world.trace_goes_on, 1, "and goes on after it");
	tap_ok(world_is_text("triggers.0.state", "on") && trigger("above_ns") == ABOVE_NS &&
	       trigger("slower") == 2 && !world_at(world.report, "triggers.0.why"),
	       "two were slower");
	tap_ok(!trigger("io.offset") && trigger("io.size") == WORLD_SIZE &&
	       world_is_text("triggers.0.io.ddir", "write") &&
	       trigger("io.ticks") == begun && trigger("io.lat_ns") == lat_ns &&
	       trigger("io.monotonic_ns") == world_monotonic_ns(begun),
	       "the first of them is in the report");
	tap_ok(trigger("event_count") == 3 &&
	       json_array_size(world_at(world.report, "triggers.0.events")) == 3 &&
	       trigger("events.2.monotonic_ns") > trigger("io.monotonic_ns") + lat_ns &&
	       trigger("events.2.cpu") == 0 && trigger("events.2.pid") == 14 &&
	       world_is_text("triggers.0.events.2.task", "task") &&
	       world_is_text("triggers.0.events.2.event", "io_uring_4") &&
	       world_is_text("triggers.0.events.2.args", "user_data 0x20000000"),
	       "with the three events around it, as they are");
	tap_ok(json_is_true(world_at(world.report, "triggers.0.events.2.own")) &&
	       !world_at(world.report, "triggers.0.events.1.own"),
	       "one of them is the I/O's own");
}

/* A job with one I/O, for which no events are kept. */
struct quiet {
	const char *name;
	uint64_t takes;
	int runstate;
	bool stopped;			/* by another job */
	const char *refused;
	unsigned long long trigger_us;
	unsigned stops, slower;
};

static void does_not_fire(const struct quiet *quiet)
{
	world_forget();
	world.options.trigger_us = quiet->trigger_us;
	world.td.thread_number = 3;
	world.td.runstate = quiet->runstate ? quiet->runstate : TD_RUNNING;
	world.trace_stopped = quiet->stopped;
	world.trace_refused = quiet->refused;
	world_start();
	world_one(DDIR_READ, quiet->takes);
	world_end();
	tap_ok(world.trace_stops == quiet->stops && !world.trace_goes_on &&
	       !world.trace_makes == !quiet->trigger_us &&
	       !world_at(world.report, "triggers") == !quiet->trigger_us &&
	       trigger("slower") == quiet->slower &&
	       !world_at(world.report, "triggers.0.io") &&
	       !world_at(world.report, "triggers.0.events") &&
	       trigger("stopped_for") == (quiet->stopped ? 4 : 0) &&
	       (!quiet->refused || (world_is_text("triggers.0.state", "off") &&
				    world_is_text("triggers.0.why", quiet->refused))),
	       "%s", quiet->name);
}

/* In the process that starts the jobs: true if the events are made. */
static bool made_for(const struct tw_options *first, struct ioengine_ops *engine,
		     const struct tw_options *second)
{
	struct thread_data *jobs;

	world_forget();
	jobs = world_jobs(2);
	jobs[0].eo = (void *)first;
	jobs[1].eo = (void *)second;
	jobs[1].io_ops = engine;
	tw_trigger_make_for_jobs();
	return world.trace_makes;
}

int main(void)
{
	static const struct quiet quiet[] = {
		{ "none was slower", 10, .trigger_us = ABOVE_US },
		{ "one that fio does not account does not count", 900000,
		  .runstate = TD_SETTING_UP, .trigger_us = ABOVE_US },
		{ "another job has stopped the trace: it is let alone", 900000,
		  .stopped = true, .trigger_us = ABOVE_US, .stops = 1, .slower = 1 },
		{ "no events: the report says why", 900000, .refused = "no reason",
		  .trigger_us = ABOVE_US, .slower = 1 },
		{ "without tw_trigger there is none of it", 900000, .runstate = 0 },
		{ "centuries are not reached", 900000,
		  .trigger_us = UINT64_MAX / 1000 },
	};
	static const struct tw_options wants = { .trigger_us = 1 }, does_not;
	static struct ioengine_ops other;

	one(true, true, 1000);
	tap_ok(world_is_text("jobs.0.causes.state", "on") &&
	       world_is_text("slowest.0.causes.stage", "complete"),
	       "the longest stage is complete");
	tap_ok(world_number("slowest.0.complete.waking") == 100 &&
	       world_number("slowest.0.complete.posting") ==
	       world_number("slowest.0.stages.complete") - 100 &&
	       world_number("complete.waking.read.sum_ns") == 100 &&
	       world_number("complete.posting.read.count") == 1,
	       "complete until the thread was woken, and from then on");
	never_slept = true;
	one(true, true, 1000);
	tap_ok(!world_at(world.report, "slowest.0.complete") &&
	       !world_number("complete.waking.read.count"),
	       "where the completion woke nobody, complete has no parts");
	never_slept = false;
	one(true, true, 1000);
	tap_ok(world_number("jobs.0.causes.cost.over_ns") == 5, "what that costs");
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
	is_throttled = true;
	one(true, true, 9000);
	tap_ok(world_is_text("slowest.0.causes.slept.0.reason", "suspended") &&
	       is_ns("slept.0.ns", 8000) && !world_at(world.report, "slowest.0.causes.ran_ns"),
	       "what held it back there");
	is_another = true;
	one(true, true, 9000);
	tap_ok(!world_at(world.report, "slowest.0.causes.slept"), "but not another I/O");
	is_another = false;
	blockq_ticks = 9000;
	one(true, true, 9000);
	tap_ok(world_is_text("slowest.0.causes.stage", "blockq") &&
	       world_is_text("slowest.0.causes.slept.0.reason", "suspended") &&
	       is_ns("slept.0.ns", 8020) && world_at(world.report, "slowest.0.causes.ran_ns"),
	       "what held it back in blockq, next to what the thread did");
	blockq_ticks = 20;
	is_throttled = false;
	one(true, false, 1000);
	tap_ok(world_is_text("jobs.0.causes.state", "off") &&
	       json_string_length(world_at(world.report, "jobs.0.causes.why")) &&
	       !world_at(world.report, "jobs.0.causes.cost") &&
	       !world_at(world.report, "slowest.0.causes"), "no stamps: no causes, and why");
	one(false, true, 1000);
	tap_ok(!world_at(world.report, "jobs.0.causes") && !world.followed &&
	       !world_at(world.report, "slowest.0.causes"), "not asked for: nothing is loaded");
	tap_ok(followed(TW_KERNEL_AUTO, true) == 2, "it is loaded for all jobs");
	tap_ok(!followed(TW_KERNEL_OFF, true), "not for jobs with tw_kernel=off");
	tap_ok(!followed(TW_KERNEL_AUTO, false),
	       "nor if this process has not loaded the stages");
	fires();
	for (unsigned i = 0; i < FIO_ARRAY_SIZE(quiet); i++)
		does_not_fire(&quiet[i]);
	tap_ok(made_for(&does_not, &tw_engine, &wants), "made for the job that wants it");
	tap_ok(!made_for(&does_not, &tw_engine, &does_not), "none wants it");
	tap_ok(!made_for(&does_not, &other, &wants), "nor for a job of another engine");
	world_forget();
	return tap_done();
}
