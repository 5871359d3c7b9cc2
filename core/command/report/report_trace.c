/* SPDX-License-Identifier: MIT */
/*
 * Writes the slowest I/Os as a trace that ui.perfetto.dev and chrome://tracing
 * show. It has complete events ("X") of the Trace Event Format, which must nest
 * or stay apart on one track. So each job is a process of the trace, and its
 * I/Os that overlap are on tracks of their own. The kernel's events that
 * tw_trigger kept are instants ("i"), on a track for each CPU.
 *
 * Times are CLOCK_MONOTONIC in microseconds with three decimals. They are
 * written from integers and never become a double.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "base/write_file.h"
#include "command/command.h"
#include "command/report/report_parts.h"
#include "latency/histogram_json.h"

struct io {
	const json_t *json;
	uint64_t begin_ns;
	uint64_t end_ns;
	unsigned lane;
};

static uint64_t stage_ns(const json_t *io, const char *name)
{
	return tw_report_u64(json_object_get(io, "stages"), name);
}

static int by_begin(const void *left, const void *right)
{
	const struct io *a = left, *b = right;

	return tw_compare(a->begin_ns, b->begin_ns) ?: tw_compare(a->end_ns, b->end_ns);
}

/* Return a job's I/Os whose time is known, in its order. */
static struct io *find_ios(size_t *count, const struct tw_report *report, size_t job)
{
	struct io *ios = tw_zalloc(report->slow_count, sizeof(*ios)), *io = ios;

	for (size_t i = 0; i < report->slow_count; i++) {
		const json_t *json = report->slowest[i].json;

		if (report->slowest[i].job != job ||
		    tw_json_to_u64(json_object_get(json, "monotonic_ns"),
				   &io->begin_ns) ||
		    __builtin_add_overflow(io->begin_ns, stage_ns(json, "lat"),
					   &io->end_ns))
			continue;
		io++->json = json;
	}
	*count = (size_t)(io - ios);
	qsort(ios, *count, sizeof(*ios), by_begin);
	return ios;
}

/* ---- writing --------------------------------------------------------------- */

struct out {
	FILE *file;
	unsigned pid;			/* number in the trace, not the system's */
	int any;			/* 1: an event has been written */
};

static void put_us(FILE *file, const char *key, uint64_t ns)
{
	fprintf(file, ", \"%s\": %llu.%03u", key,
		(unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

static void begin_event(struct out *out, const char *kind, unsigned lane)
{
	fprintf(out->file, "%s{\"ph\": \"%s\", \"pid\": %u, \"tid\": %u",
		out->any ? ",\n" : "\n", kind, out->pid, lane + 1);
	out->any = 1;
}

static void put_json(FILE *file, const char *key, const json_t *value)
{
	fprintf(file, ", \"%s\": ", key);
	json_dumpf(value, file, JSON_ENCODE_ANY);
}

/* End an event with its arguments: @first, and the values of @object that are there. */
static void end_event(struct out *out, json_t *first, const json_t *object, const char *const *keys)
{
	for (; keys && *keys; keys++)
		json_object_set(first, *keys, json_object_get(object, *keys));
	put_json(out->file, "args", first);
	json_decref(first);
	putc('}', out->file);
}

/* Write a name of the track, which viewers show. */
static void put_name(struct out *out, const char *what, unsigned lane,
		     json_t *name)
{
	begin_event(out, "M", lane);
	fprintf(out->file, ", \"name\": \"%s\"", what);
	end_event(out, json_pack("{so}", "name", name), NULL, NULL);
}

/* Write the stages one after another, as long as none is missing: after a
 * missing one, the begin of the next is not known. */
static void put_stages(struct out *out, const struct io *io)
{
	struct tw_report_slow_stage list[TW_STAGES];
	int count = tw_report_slow_stages(io->json, list);
	uint64_t from_ns = io->begin_ns;
	uint64_t sum_ns = 0;

	for (int i = 0; i < count; i++)
		sum_ns += list[i].ns;
	if (sum_ns != stage_ns(io->json, "lat"))
		return;
	for (int i = 0; i < count; i++) {
		begin_event(out, "X", io->lane);
		fprintf(out->file, ", \"cat\": \"stage\", \"name\": \"%s\"", list[i].name);
		put_us(out->file, "ts", from_ns);
		put_us(out->file, "dur", list[i].ns);
		putc('}', out->file);
		from_ns += list[i].ns;
	}
}

static void put_io(struct out *out, const struct io *io)
{
	static const char *const keys[] = {
		"offset", "size", "ddir", "ticks", "raw_ns", "monotonic_ns",
		"submitting_call_ns", NULL,
	};
	json_t *name = json_sprintf("%s %llu", tw_report_string(io->json, "ddir"),
				    (unsigned long long)tw_report_u64(io->json, "size"));

	begin_event(out, "X", io->lane);
	fputs(", \"cat\": \"io\"", out->file);
	put_json(out->file, "name", name);
	json_decref(name);
	put_us(out->file, "ts", io->begin_ns);
	put_us(out->file, "dur", io->end_ns - io->begin_ns);
	end_event(out, json_pack("{sI}", "lat_ns", (json_int_t)stage_ns(io->json, "lat")),
		  io->json, keys);
	put_stages(out, io);
}

static void put_job(struct out *out, const struct tw_report *report, size_t i)
{
	const struct tw_report_job *job = &report->jobs[i];
	size_t count;
	struct io *ios = find_ios(&count, report, i), *io;
	uint64_t *busy_ns = tw_zalloc(count, sizeof(*busy_ns));
	unsigned lanes = 0;

	/* Put each I/O on the first lane that is free at its begin. */
	for (io = ios; io < ios + count; io++) {
		while (io->lane < lanes && busy_ns[io->lane] > io->begin_ns)
			io->lane++;
		if (io->lane == lanes)
			lanes++;
		busy_ns[io->lane] = io->end_ns;
	}
	free(busy_ns);
	out->pid++;
	put_name(out, "process_name", 0,
		 json_sprintf("%s, job %llu, pid %llu of %s", job->name,
			      (unsigned long long)job->thread_number,
			      (unsigned long long)job->pid, job->host));
	for (unsigned lane = 0; lane < lanes; lane++)
		put_name(out, "thread_name", lane, lane ?
			 json_sprintf("at the same time (%u)", lane + 1) :
			 json_string("slowest I/Os"));
	for (io = ios; io < ios + count; io++)
		put_io(out, io);
	free(ios);
}

/* ---- events of the kernel -------------------------------------------------- */

#define NAMED_CPUS	1024

static unsigned cpu_of(const json_t *event)
{
	const uint64_t cpu = tw_report_u64(event, "cpu");

	return cpu < NAMED_CPUS ? (unsigned)cpu : NAMED_CPUS;
}

/* Write the events as a process of the trace with a track for each CPU. */
static void put_events(struct out *out, const struct tw_report *report, const json_t *trigger)
{
	static const char *const keys[] = {
		"cpu", "task", "pid", "args", "own", "monotonic_ns", NULL,
	};
	const struct tw_report_job *job = &report->jobs[tw_report_u64(trigger, "job")];
	const json_t *events = tw_report_events_of(trigger);
	char named[NAMED_CPUS + 1] = { 0 };

	if (json_array_size(events) == 0)
		return;
	out->pid++;
	put_name(out, "process_name", 0,
		 json_sprintf("the kernel's events around a slow I/O of %s, job "
			      "%llu", job->name, (unsigned long long)job->thread_number));
	for (size_t i = 0; i < json_array_size(events); i++) {
		const json_t *event = json_array_get(events, i);
		unsigned cpu = cpu_of(event);

		if (!named[cpu])
			put_name(out, "thread_name", cpu,
				 cpu < NAMED_CPUS ?
				 json_sprintf("CPU %u", cpu) :
				 json_string("other CPUs"));
		named[cpu] = 1;
		begin_event(out, "i", cpu);
		fputs(", \"s\": \"t\", \"cat\": \"kernel\"", out->file);
		put_json(out->file, "name", json_object_get(event, "event"));
		put_us(out->file, "ts", tw_report_u64(event, "monotonic_ns"));
		end_event(out, json_object(), event, keys);
	}
}

struct groups {
	const struct tw_report_group *list;
	size_t count;
};

static int put_trace(FILE *file, const void *context)
{
	const struct groups *groups = context;
	struct out out = { .file = file };

	fputs("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"clock\": "
	      "\"CLOCK_MONOTONIC\", \"tickwise_version\": \"" TW_VERSION
	      "\"},\n\"traceEvents\": [", file);
	for (size_t i = 0; i < groups->count; i++) {
		const struct tw_report *report = &groups->list[i].all;

		for (size_t j = 0; j < report->job_count; j++)
			put_job(&out, report, j);
		for (size_t j = 0; j < json_array_size(report->triggers); j++)
			put_events(&out, report, json_array_get(report->triggers, j));
	}
	fputs("\n]}\n", file);
	return 0;
}

int tw_report_write_trace(const struct tw_report_group *groups, size_t count,
			  const char *path, struct tw_report_problem *problem)
{
	const struct groups all = { groups, count };
	int error = tw_must(tw_output_file(path, put_trace, &all));

	if (!error)
		return TW_EXIT_GOOD;
	tw_report_refuse(problem, "can't write %s: %s", path, tw_file_error(-error));
	return TW_EXIT_IO;
}
