/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's trace events around a slow I/O. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock_offsets.h"
#include "fio/fio_layout.h"
#include "kernel/program.h"
#include "kernel_job.h"
#include "latency/histogram_json.h"
#include "report/report_json.h"
#include "trace/trace.h"

/* Events of this time before and after the I/O are kept, too. */
#define AROUND_NS	100000

static const char *make_instance(void)
{
	const char *why = tw_kernel_refusal();

	return why ? why : tw_tracefs_make();
}

void tw_trigger_make_for_jobs(void)
{
	unsigned i;

	for (i = 0; i < thread_number; i++) {
		const struct thread_data *td = tnumber_to_td(i);
		const struct tw_options *o = td->eo;

		if (tw_has_our_layout(td) && o && o->trigger_us) {
			make_instance();
			return;
		}
	}
}

/* The ring of trace events normally exists already. tw_tracefs_make() tells why it does
 * not, or makes it for a job that the parent did not know. */
void tw_trigger_begin(const struct thread_data *td, struct tw_job *job)
{
	struct tw_trigger *trigger = &job->hot.trigger;
	const struct tw_options *o = td->eo;
	double ticks;

	trigger->above_ticks = INT64_MAX;
	trigger->above_ns = (uint64_t) o->trigger_us * 1000;
	if (!trigger->above_ns)
		return;
	ticks = (double) trigger->above_ns * tw_job_ticks_per_ns(job);
	if (ticks < (double) INT64_MAX)
		trigger->above_ticks = (int64_t) ticks;
	trigger->why = make_instance();
	trigger->job = td->thread_number;
	trigger->alone = td->o.iodepth == 1;
}

void tw_trigger_slow(struct tw_job *job, const struct io_u *io_u)
{
	struct tw_trigger *trigger = &job->hot.trigger;

	trigger->slower++;
	if (trigger->fired || trigger->why ||
	    !tw_tracefs_stop(trigger->job, &trigger->stopped_for))
		return;
	trigger->fired = true;
	trigger->prepared_ticks = job->hot.io[io_u->index].prepared_ticks;
	trigger->key = tw_entry_of(job, io_u)->user_data;
	/* In a pid namespace the thread does not see the kernel's number of it. */
	trigger->thread = tw_program_namespace() == TW_PROGRAM_FIRST_NAMESPACE ?
			  (uint32_t) syscall(SYS_gettid) : UINT32_MAX;
	trigger->offset = io_u->offset;
	trigger->size = io_u->xfer_buflen;
	trigger->direction = tw_direction_of(io_u->ddir);
}

/* Return the events of a window, with those marked that are the I/O's own. */
static json_t *events_to_json(const struct tw_trigger *trigger,
			      const struct tw_trace_window *window,
			      enum tw_trace_mark *marks, uint64_t begin_ns)
{
	struct tw_trace_own own = {
		.key = trigger->key,
		.thread = trigger->thread,
		.alone = trigger->alone,
	};
	json_t *array = json_array();
	unsigned i;

	tw_trace_choose(&own, window, begin_ns, marks);
	for (i = 0; i < tw_trace_kept(window); i++) {
		const struct tw_trace_event *event = tw_trace_at(window, i);

		if (marks[i] == TW_TRACE_LEFT_OUT)
			continue;
		json_array_append_new(array, json_pack("{so, sI, ss, sI, ss, ss, so*}",
			"monotonic_ns", tw_json_digits(event->monotonic_ns),
			"cpu", (json_int_t) event->cpu,
			"task", event->task,
			"pid", (json_int_t) event->pid,
			"event", event->name,
			"args", event->args,
			"own", marks[i] == TW_TRACE_OWN ? json_true() : NULL));
	}
	return array;
}

/* Add the events from @begin_ns to @end_ns to @object. */
static void add_events(json_t *object, const struct tw_trigger *trigger,
		       uint64_t begin_ns, uint64_t end_ns)
{
	/* The arrays are large, but unused pages take no memory. */
	enum tw_trace_mark *marks = calloc(TW_TRACE_MAX, sizeof(*marks));
	struct tw_trace_window window = {
		.from_ns = begin_ns - AROUND_NS,
		.to_ns = end_ns + AROUND_NS,
		.events = calloc(TW_TRACE_MAX, sizeof(*window.events)),
	};

	if (window.events && marks) {
		tw_tracefs_read(&window);
		json_object_set_new(object, "event_count", tw_json_of_u64(window.count));
		if (window.whole_from_ns > begin_ns)
			json_object_set_new(object, "whole_from_ns",
					    tw_json_digits(window.whole_from_ns));
		json_object_set_new(object, "events",
				    events_to_json(trigger, &window, marks, begin_ns));
	} else {
		tw_json_note_lack();
	}
	free(marks);
	free(window.events);
}

json_t *tw_trigger_to_json(const struct tw_job *job, const struct tw_clock_offsets *end)
{
	const struct tw_trigger *trigger = &job->hot.trigger;
	json_t *object = json_pack("{si, ss, so, so, ss*, so*}",
			 "job", 0,
			 "state", trigger->why ? "off" : "on",
			 "above_ns", tw_json_of_u64(trigger->above_ns),
			 "slower", tw_json_of_u64(trigger->slower),
			 "why", trigger->why,
			 "stopped_for", !trigger->fired && trigger->stopped_for ?
				 tw_json_of_u64(trigger->stopped_for) : NULL);
	uint64_t begin_ns;

	if (!trigger->fired)
		return object;
	begin_ns = tw_clock_offsets_monotonic_ns(job, end, trigger->prepared_ticks);
	json_object_set_new(object, "io", json_pack("{sI, sI, ss, so, so, sI}",
		"offset", (json_int_t) trigger->offset,
		"size", (json_int_t) trigger->size,
		"ddir", tw_direction_names[trigger->direction],
		"ticks", tw_json_digits(trigger->prepared_ticks),
		"monotonic_ns", tw_json_digits(begin_ns),
		"lat_ns", (json_int_t) trigger->lat_ns));
	add_events(object, trigger, begin_ns, begin_ns + trigger->lat_ns);
	return object;
}

void tw_trigger_end(const struct tw_job *job)
{
	if (job->hot.trigger.fired)
		tw_tracefs_go_on();
}
