/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the first I/O of a job that is slower than tw_trigger stops the
 * kernel's trace, once. All slower ones are counted, but not those that fio does
 * not account. The report has that I/O and the events around it. If another job was
 * faster, a job has only its count; where there are no events the report tells why.
 * Without tw_trigger nothing is made, stopped or reported. Defect: an I/O at the
 * threshold that fires, a second one that stops the trace of the next job, events
 * of another time, a ring that stays stopped.
 *
 * At 1 GHz a tick is a nanosecond, and CLOCK_MONOTONIC is the counter's time and more.
 */
#include "engine_world.h"

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
			 "%" PRIu64 ".%06" PRIu64 ": io_uring_%u: user_data 0x%u00000000",
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
	if (!tap_ok(world_begin() && world.trace_makes,
		    "a job with tw_trigger asks for the events"))
		return;
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
	       world_is_text("triggers.0.events.2.args", "user_data 0x200000000"),
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
	world_begin();
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
	struct thread_data *jobs = calloc(2, sizeof(*jobs));

	world_forget();
	segments[0].threads = jobs;
	thread_number = 2;
	jobs[0].eo = (void *)first;
	jobs[1].eo = (void *)second;
	jobs[0].io_ops = &tw_engine;
	jobs[1].io_ops = engine;
	tw_trigger_make_for_jobs();
	free(jobs);
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

	fires();
	for (unsigned i = 0; i < FIO_ARRAY_SIZE(quiet); i++)
		does_not_fire(&quiet[i]);
	tap_ok(made_for(&does_not, &tw_engine, &wants), "made for the job that wants it");
	tap_ok(!made_for(&does_not, &tw_engine, &does_not), "none wants it");
	tap_ok(!made_for(&does_not, &other, &wants), "nor for a job of another engine");
	world_forget();
	return tap_done();
}
