/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's trace events around a slow I/O: see trigger.h.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine.h"
#include "guards.h"
#include "latency/histogram_json.h"
#include "kernel/program.h"
#include "trace/trace_own.h"
#include "trace/tracefs.h"
#include "report_file.h"
#include "trigger.h"
#include "report/json_memory.h"

/* Events of this time before and after the I/O are kept, too. */
#define TW_TRIGGER_AROUND_NS	100000

static uint64_t wanted_ns(const struct tw_options *o)
{
	return (uint64_t) o->trigger_us * 1000;
}

void tw_trigger_make_for_jobs(void)
{
	unsigned i;

	for (i = 0; i < thread_number; i++) {
		const struct thread_data *td = tnumber_to_td(i);

		if (tw_has_our_layout(td) && td->eo && wanted_ns(td->eo)) {
			tw_tracefs_make();
			return;
		}
	}
}

/* The ring of trace events normally exists already. tw_tracefs_make() tells why it does
 * not, or makes it for a job that the parent did not know. */
void tw_trigger_begin(const struct thread_data *td, struct tw_job *job)
{
	struct tw_trigger *trigger = &job->trigger;
	double ticks;

	trigger->above_ticks = INT64_MAX;
	trigger->above_ns = wanted_ns(td->eo);
	if (!trigger->above_ns)
		return;
	ticks = (double) trigger->above_ns * tw_job_ticks_per_ns(job);
	if (ticks < (double) INT64_MAX)
		trigger->above_ticks = (int64_t) ticks;
	trigger->why = tw_tracefs_make();
	trigger->job = td->thread_number;
	trigger->alone = td->o.iodepth == 1;
}

/* Return the kernel's number of the calling thread, or UINT32_MAX in a pid namespace,
 * where the thread itself sees another number. */
static uint32_t thread_number_of_kernel(void)
{
	if (tw_program_namespace().inode != TW_PROGRAM_FIRST_NAMESPACE)
		return UINT32_MAX;
	return (uint32_t) syscall(SYS_gettid);
}

void tw_trigger_slow(struct tw_job *job, const struct io_u *io_u,
		     const struct tw_io *io)
{
	struct tw_trigger *trigger = &job->trigger;

	trigger->slower++;
	if (trigger->fired || trigger->why ||
	    !tw_tracefs_stop(trigger->job, &trigger->stopped_for))
		return;
	trigger->fired = true;
	trigger->prepared_ticks = io->prepared_ticks;
	trigger->key = io->kernel.key;
	trigger->thread = thread_number_of_kernel();
	trigger->offset = io_u->offset;
	trigger->size = io_u->xfer_buflen;
	trigger->direction = tw_direction_of(io_u->ddir);
}

static json_t *event_to_json(const struct tw_trace_event *event, bool is_own)
{
	json_t *object = json_pack("{so, sI, ss, sI, ss, ss}",
			 "monotonic_ns", tw_json_digits(event->monotonic_ns),
			 "cpu", (json_int_t) event->cpu,
			 "task", event->task,
			 "pid", (json_int_t) event->pid,
			 "event", event->name,
			 "args", event->args);

	if (is_own)
		json_object_set_new(object, "own", json_true());
	return object;
}

/* Return the events of a window; NULL without memory. */
static json_t *events_to_json(const struct tw_trigger *trigger,
			      const struct tw_trace_window *window,
			      uint64_t begin_ns)
{
	struct tw_trace_own own = {
		.key = trigger->key,
		.thread = trigger->thread,
		.alone = trigger->alone,
	};
	const unsigned count = tw_trace_kept(window);
	enum tw_trace_mark *marks = calloc(count + 1, sizeof(*marks));
	json_t *array = json_array();
	unsigned i;

	if (!marks) {
		tw_json_note_lack();
		json_decref(array);
		return NULL;
	}
	tw_trace_own_find(&own, window, begin_ns);
	tw_trace_choose(&own, window, marks);
	for (i = 0; i < count; i++)
		if (marks[i] != TW_TRACE_LEFT_OUT)
			json_array_append_new(array,
				event_to_json(tw_trace_at(window, i),
					      marks[i] == TW_TRACE_OWN));
	free(marks);
	return array;
}

/* Add the events from @begin_ns to @end_ns to @object. */
static void add_events(json_t *object, const struct tw_trigger *trigger,
		       uint64_t begin_ns, uint64_t end_ns)
{
	struct tw_trace_window window = {
		.from_ns = begin_ns - TW_TRIGGER_AROUND_NS,
		.to_ns = end_ns + TW_TRIGGER_AROUND_NS,
		/* The array is large, but its unused pages take no memory. */
		.events = calloc(TW_TRACE_MAX, sizeof(*window.events)),
	};

	if (window.events)
		tw_tracefs_read(&window);
	else
		tw_json_note_lack();
	json_object_set_new(object, "event_count",
			    tw_json_of_u64(window.count));
	if (window.whole_from_ns > begin_ns)
		json_object_set_new(object, "whole_from_ns",
				    tw_json_digits(window.whole_from_ns));
	json_object_set_new(object, "events",
			    events_to_json(trigger, &window, begin_ns));
	free(window.events);
}

static void add_io(json_t *object, const struct tw_job *job,
		   const struct tw_moment *end)
{
	const struct tw_trigger *trigger = &job->trigger;
	const uint64_t begin_ns = tw_moment_monotonic_ns(job, end,
						trigger->prepared_ticks);

	json_object_set_new(object, "io", json_pack("{sI, sI, ss, so, so, sI}",
		"offset", (json_int_t) trigger->offset,
		"size", (json_int_t) trigger->size,
		"ddir", tw_direction_names[trigger->direction],
		"ticks", tw_json_digits(trigger->prepared_ticks),
		"monotonic_ns", tw_json_digits(begin_ns),
		"lat_ns", (json_int_t) trigger->lat_ns));
	add_events(object, trigger, begin_ns, begin_ns + trigger->lat_ns);
}

json_t *tw_trigger_to_json(const struct tw_job *job,
			   const struct tw_moment *end)
{
	const struct tw_trigger *trigger = &job->trigger;
	json_t *object = json_pack("{ss, so, so}",
			 "state", trigger->why ? "off" : "on",
			 "above_ns", tw_json_of_u64(trigger->above_ns),
			 "slower", tw_json_of_u64(trigger->slower));

	if (trigger->why)
		json_object_set_new(object, "why", json_string(trigger->why));
	if (trigger->fired)
		add_io(object, job, end);
	else if (trigger->stopped_for)
		json_object_set_new(object, "stopped_for",
				    tw_json_of_u64(trigger->stopped_for));
	return object;
}

void tw_trigger_end(const struct tw_job *job)
{
	if (job->trigger.fired)
		tw_tracefs_go_on();
}
