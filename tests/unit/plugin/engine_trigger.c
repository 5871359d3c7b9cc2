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
 * At 1 GHz a tick is a nanosecond, and CLOCK_MONOTONIC is the counter's time.
 */
#include "engine_world.h"

#define SIZE	4096
#define ABOVE_US	50

static bool begin(void)
{
	world_forget();
	world.options.trigger_us = ABOVE_US;
	return true;
}

/* Submit one I/O that takes @ticks, and take it back. */
static void one(uint64_t offset, uint64_t ticks)
{
	world.takes_ticks[0] = ticks;
	world_queue(world_transfer(0, DDIR_READ, offset, SIZE));
	if (tw_getevents(&world.td, 1, 1, NULL) == 1)
		tw_event(&world.td, 0);
}

static const json_t *trigger(void)
{
	return json_array_get(json_object_get(world.report, "triggers"), 0);
}

static int64_t number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_string(value) ? atoll(json_string_value(value)) :
				       json_integer_value(value);
}

static bool is_text(const json_t *object, const char *key, const char *text)
{
	const char *is = json_string_value(json_object_get(object, key));

	return is && strcmp(is, text) == 0;
}

static int64_t lat_ns;

/* Make lines of events: at the edges of what is kept, and in between. */
static void make_trace(void)
{
	static char lines[8][160];
	static const char *trace[9];
	const struct tw_job *job = world.td.io_ops_data;
	const int64_t begin_ns = (int64_t) (engine_now_ticks - job->start.ticks);
	const int64_t from_us = (begin_ns - 100000 + 999) / 1000;
	const int64_t to_us = (begin_ns + lat_ns + 100000) / 1000;
	const int64_t at_us[] = { 1, from_us - 1, from_us, from_us + 100, to_us,
				  to_us + 1, 90000000 };
	unsigned i;

	for (i = 0; i < sizeof(at_us) / sizeof(*at_us); i++) {
		snprintf(lines[i], sizeof(lines[i]), "%16s-%-7u [%03u] d..2. "
			 "%" PRId64 ".%06" PRId64 ": io_uring_%u: user_data 0x%u00000000",
			 "task", i + 10, i % 2, at_us[i] / 1000000,
			 at_us[i] % 1000000, i, i == 4 ? 2 : 1);
		trace[i] = lines[i];
	}
	trace[i] = NULL;
	world.trace = trace;
}

static void fires(void)
{
	const json_t *io, *events, *event;

	if (!begin() || !tap_ok(world_begin() && world.trace_makes,
				"a job with tw_trigger asks for the events"))
		return;
	one(0, ABOVE_US * 1000);
	tap_is_u64(world.trace_stops, 0, "an I/O at the threshold is not above it");
	engine_now_ticks += 200000000;
	lat_ns = ABOVE_US * 1000 + 1;
	make_trace();
	one(SIZE, (uint64_t) lat_ns);
	tap_is_u64(world.trace_stops, 1, "one above it stops the trace");
	engine_now_ticks += 1000000;
	one(2 * SIZE, 900000);
	one(3 * SIZE, 10);
	tap_is_u64(world.trace_stops, 1, "once");
	tap_is_u64(world.trace_goes_on, 0, "it stays so while the job runs");
	world_end();
	tap_is_u64(world.trace_goes_on, 1, "and goes on after it");
	io = json_object_get(trigger(), "io");
	events = json_object_get(trigger(), "events");
	tap_ok(is_text(trigger(), "state", "on") &&
	       number(trigger(), "above_ns") == ABOVE_US * 1000 &&
	       number(trigger(), "slower") == 2 &&
	       !json_object_get(trigger(), "why"), "two were slower");
	tap_ok(number(io, "offset") == SIZE && number(io, "size") == SIZE &&
	       is_text(io, "ddir", "read") &&
	       number(io, "lat_ns") == lat_ns, "the first of them is in the report");
	tap_ok(number(trigger(), "event_count") == 3 &&
	       json_array_size(events) == 3, "with the three events around it");
	event = json_array_get(events, 2);
	tap_ok(number(event, "monotonic_ns") > number(io, "monotonic_ns") + lat_ns &&
	       number(event, "cpu") == 0 && number(event, "pid") == 14 &&
	       is_text(event, "task", "task") &&
	       is_text(event, "event", "io_uring_4") &&
	       is_text(event, "args", "user_data 0x200000000"), "as they are");
	tap_ok(json_is_true(json_object_get(event, "own")) &&
	       !json_object_get(json_array_get(events, 1), "own"),
	       "one of them is the I/O's own");
	if (number(trigger(), "event_count") != 3) {
		char *text = json_dumps(trigger(), 0);

		tap_note("%s", text);
		free(text);
	}
}

static void does_not_fire(void)
{
	begin();
	world_begin();
	one(0, 10);
	world_end();
	tap_ok(world.trace_stops == 0 && world.trace_goes_on == 0 &&
	       number(trigger(), "slower") == 0 &&
	       !json_object_get(trigger(), "io") &&
	       !json_object_get(trigger(), "events"), "none was slower");

	begin();
	world.td.runstate = TD_SETTING_UP;
	world_begin();
	one(0, 900000);
	world_end();
	tap_ok(world.trace_stops == 0 && number(trigger(), "slower") == 0,
	       "one that fio does not account does not count");

	begin();
	world.td.thread_number = 3;
	world.trace_stopped = true;
	world_begin();
	one(0, 900000);
	world_end();
	tap_ok(world.trace_stops == 1 && world.trace_goes_on == 0 &&
	       number(trigger(), "slower") == 1 &&
	       !json_object_get(trigger(), "io") &&
	       number(trigger(), "stopped_for") == 4,
	       "another job has stopped the trace: it is let alone");

	begin();
	world.trace_refused = "no reason";
	world_begin();
	one(0, 900000);
	world_end();
	tap_ok(world.trace_stops == 0 && number(trigger(), "slower") == 1 &&
	       is_text(trigger(), "state", "off") &&
	       is_text(trigger(), "why", "no reason"),
	       "no events: the report says why");

	begin();
	world.options.trigger_us = 0;
	world_begin();
	one(0, 900000);
	world_end();
	tap_ok(world.trace_makes == 0 && world.trace_stops == 0 && !trigger(),
	       "without tw_trigger there is none of it");

	begin();
	world.options.trigger_us = UINT64_MAX / 1000;
	world_begin();
	one(0, 900000);
	world_end();
	tap_ok(world.trace_stops == 0 && number(trigger(), "slower") == 0,
	       "centuries are not reached");
}

/* In the process that starts the jobs. */
static void for_jobs(void)
{
	static struct thread_data jobs[2];
	static struct ioengine_ops other;
	struct tw_options wants = { .trigger_us = 1 }, does_not = { .kernel = 0 };

	begin();
	segments[0].threads = jobs;
	thread_number = 2;
	jobs[0].eo = &does_not;
	jobs[1].eo = &wants;
	jobs[0].io_ops = jobs[1].io_ops = &tw_engine;
	tw_trigger_make_for_jobs();
	tap_is_u64(world.trace_makes, 1, "made for the job that wants it");
	jobs[1].eo = &does_not;
	tw_trigger_make_for_jobs();
	tap_is_u64(world.trace_makes, 1, "none wants it");
	jobs[1].eo = &wants;
	jobs[1].io_ops = &other;
	tw_trigger_make_for_jobs();
	tap_is_u64(world.trace_makes, 1, "a job of another engine");
	thread_number = 0;
}

int main(void)
{
	fires();
	does_not_fire();
	for_jobs();
	return tap_done();
}
