/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report of one job: JSON, into a file of its own, never to fio's stdout
 * (which may be JSON itself). `tickwise report` reads it.
 *
 * Written beside its final name and renamed, so that a full disk or a signal
 * leaves either a whole report or none.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clocks.h"
#include "engine.h"
#include "health.h"
#include "histogram_json.h"
#include "over_time.h"
#include "response.h"
#include "watch.h"

/* A stage and what is added up for it; an I/O that never waited in the ring
 * counts as inflight and as total alike. */
static const struct {
	const char *name;
	enum tw_record records[2];
} stages[] = {
	{ "queue", { TW_RECORD_QUEUE, TW_RECORD_QUEUE } },
	{ "enter", { TW_RECORD_ENTER, TW_RECORD_ENTER } },
	{ "inflight", { TW_RECORD_AT_ONCE, TW_RECORD_INFLIGHT } },
	{ "reap_delay", { TW_RECORD_REAP_DELAY, TW_RECORD_REAP_DELAY } },
	{ "return", { TW_RECORD_RETURN, TW_RECORD_RETURN } },
	{ "total", { TW_RECORD_AT_ONCE, TW_RECORD_TOTAL } },
};

const char *const tw_direction_names[TW_DIRECTIONS] = {
	[TW_READ] = "read",
	[TW_WRITE] = "write",
	[TW_TRIM] = "trim",
	[TW_SYNC] = "sync",
};

/* Absolute times and ticks are strings: a double does not hold them. */
static json_t *u64_string(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long) value);
	return json_string(text);
}

/*
 * The same for all jobs of one fio run, and for no other: the process they
 * come from, and when its clock was anchored.
 */
static json_t *run_id(struct thread_data *td, const struct tw_job *job)
{
	pid_t pid = td->o.use_thread ? getpid() : getppid();
	char text[64];

	snprintf(text, sizeof(text), "%d-%llu", (int) pid,
		 (unsigned long long) job->timing->clock.anchor_ticks);
	return json_string(text);
}

/* Not every byte of a job's name need be UTF-8, which JSON insists on. */
static json_t *any_string(const char *text)
{
	json_t *string = json_string(text);
	char *plain, *c;

	if (string || !text)
		return string;
	plain = strdup(text);
	for (c = plain; c && *c; c++)
		if (*c & 0x80)
			*c = '?';
	string = json_string(plain);
	free(plain);
	return string;
}

static json_t *job_to_json(struct thread_data *td, const struct tw_job *job)
{
	char host[256] = "";
	int64_t run_ns = tw_job_ns(job, job->first_ticks, job->last_ticks);

	/* Two CPUs' counters, and nothing in between. */
	if (run_ns < 0)
		run_ns = 0;

	gethostname(host, sizeof(host) - 1);
	return json_pack("{so, so, si, si, si, si, so, so, ss, ss, si, sI}",
			 "run", run_id(td, job),
			 "name", any_string(td->o.name),
			 "groupid", (int) td->groupid,
			 "thread_number", (int) td->thread_number,
			 "subjob_number", (int) td->subjob_number,
			 "pid", (int) td->pid,
			 "host", any_string(host),
			 "start", u64_string(job->start_realtime_ns),
			 "fio_version", fio_version_string,
			 "engine", tw_engine.name,
			 "iodepth", (int) td->o.iodepth,
			 "run_ns", (json_int_t) run_ns);
}

static json_t *counts_to_json(const struct tw_job *job, size_t member)
{
	json_t *object = json_object();
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++) {
		const char *counts = (const char *) &job->counts[direction];
		uint64_t value;

		memcpy(&value, counts + member, sizeof(value));
		json_object_set_new(object, tw_direction_names[direction],
				    json_integer((json_int_t) value));
	}
	return object;
}

static json_t *stage_to_json(const struct tw_job *job, unsigned stage,
			     unsigned direction)
{
	const struct tw_histogram *one =
		&job->record[stages[stage].records[0]][direction];
	const struct tw_histogram *other =
		&job->record[stages[stage].records[1]][direction];
	struct tw_histogram sum;
	json_t *json = NULL;

	if (one == other)
		return tw_histogram_to_json(one);
	if (tw_histogram_init(&sum, one->digits))
		return NULL;
	if (!tw_histogram_merge(&sum, one) && !tw_histogram_merge(&sum, other))
		json = tw_histogram_to_json(&sum);
	tw_histogram_free(&sum);
	return json;
}

static bool has_stage(const struct tw_job *job, unsigned stage,
		      unsigned direction)
{
	return job->record[stages[stage].records[0]][direction].count ||
	       job->record[stages[stage].records[1]][direction].count;
}

static json_t *stages_to_json(const struct tw_job *job)
{
	json_t *all = json_object();
	unsigned stage, direction;

	for (stage = 0; stage < FIO_ARRAY_SIZE(stages); stage++) {
		json_t *object = json_object();

		for (direction = 0; direction < TW_DIRECTIONS; direction++)
			if (has_stage(job, stage, direction))
				json_object_set_new(object,
					tw_direction_names[direction],
					stage_to_json(job, stage, direction));
		if (json_object_size(object))
			json_object_set(all, stages[stage].name, object);
		json_decref(object);
	}
	return all;
}

/* Where a clock that drifts evenly from @from to @to was at @ticks, in ns. */
static uint64_t clock_at(const struct tw_job *job, const struct tw_moment *end,
			 uint64_t ticks, struct tw_offset from,
			 struct tw_offset to)
{
	double since_ns = (double) tw_job_ns(job, job->start.ticks, ticks);
	double all_ns = (double) tw_job_ns(job, job->start.ticks, end->ticks);
	double part = all_ns > 0 ? since_ns / all_ns : 0;
	double drift_ns = tw_offset_middle_ns(to) - tw_offset_middle_ns(from);

	/* The offset itself is of 1e18 ns: not through a double. */
	return (uint64_t) (from.low_ns + (from.high_ns - from.low_ns) / 2 +
			   tw_job_ns(job, job->start.ticks, ticks) +
			   (int64_t) (drift_ns * part));
}

static void set_stage(const struct tw_job *job, json_t *object,
		      const char *name, uint64_t from, uint64_t to)
{
	int64_t ns = from && to ? tw_job_ns(job, from, to) : -1;

	if (ns >= 0)
		json_object_set_new(object, name, json_integer(ns));
}

static json_t *slow_to_json(const struct tw_job *job,
			    const struct tw_moment *end,
			    const struct tw_slow_io *slow)
{
	const struct tw_io *io = &slow->io;
	json_t *object = json_object();

	/* Without tw_stages only the two ends were stamped. */
	if (job->stages) {
		set_stage(job, object, "queue", io->queued_ticks,
			  io->enter_ticks);
		set_stage(job, object, "enter", io->enter_ticks,
			  io->entered_ticks);
		set_stage(job, object, "inflight", io->enter_ticks,
			  slow->watched_ticks ? slow->watched_ticks :
						slow->seen_ticks);
		set_stage(job, object, "reap_delay", slow->watched_ticks,
			  slow->seen_ticks);
		set_stage(job, object, "return", slow->seen_ticks,
			  slow->returned_ticks);
	}
	json_object_set_new(object, "total",
			    json_integer((json_int_t) slow->slow.value));
	return json_pack("{sI, sI, ss, so, so, so, so}",
			 "offset", (json_int_t) slow->offset,
			 "size", (json_int_t) slow->size,
			 "ddir", tw_direction_names[slow->direction],
			 "ticks", u64_string(io->queued_ticks),
			 "raw_ns", u64_string(clock_at(job, end,
				io->queued_ticks, job->start.raw, end->raw)),
			 "monotonic_ns", u64_string(clock_at(job, end,
				io->queued_ticks, job->start.monotonic,
				end->monotonic)),
			 "stages", object);
}

static json_t *slowest_to_json(struct tw_job *job,
			       const struct tw_moment *end)
{
	json_t *array = json_array();
	uint32_t i;

	tw_slowest_sort(&job->slowest);
	for (i = 0; i < job->slowest.count; i++)
		json_array_append_new(array, slow_to_json(job, end,
			(const struct tw_slow_io *)
			tw_slowest_get(&job->slowest, i)));
	return array;
}

/* What the job was asked to do to fio's own numbers, and how well. */
static json_t *fio_times_to_json(const struct tw_job *job)
{
	json_t *object = json_pack("{sb, sb}", "event_time", job->event_time,
				   "event_wait", job->event_wait);

	if (job->event_time)
		json_object_set_new(object, "residual",
				    tw_histogram_to_json(&job->residual));
	return object;
}

static json_t *report_to_json(struct thread_data *td, struct tw_job *job)
{
	struct tw_moment end;
	json_t *report;

	tw_moment_take(job, &end);
	report = json_pack("{ss, si, ss, so, so, so, so, so, so, so, s{sI, sI, sI}, "
			 "so, so, so, so, so, so}",
			 "schema", "tickwise-report",
			 "version", 1,
			 "tickwise_version", TW_VERSION,
			 "job", job_to_json(td, job),
			 "ios", counts_to_json(job,
				offsetof(struct tw_counts, recorded)),
			 "errors", counts_to_json(job,
				offsetof(struct tw_counts, errors)),
			 "short", counts_to_json(job,
				offsetof(struct tw_counts, shorts)),
			 "requeued", counts_to_json(job,
				offsetof(struct tw_counts, requeues)),
			 "unaccounted", counts_to_json(job,
				offsetof(struct tw_counts, unaccounted)),
			 "backwards", counts_to_json(job,
				offsetof(struct tw_counts, backwards)),
			 "batches",
				"enters", (json_int_t) job->enters,
				"tails", (json_int_t) job->tails,
				"largest_tail", (json_int_t) job->largest_tail,
			 "stages", stages_to_json(job),
			 "clocks", tw_clocks_to_json(job, &end),
			 "counter", tw_counter_to_json(td, job),
			 "fio_times", fio_times_to_json(job),
			 "slowest", slowest_to_json(job, &end),
			 "over_time", tw_over_time_to_json(job));
	if (job->response && report &&
	    json_object_set_new(report, "response",
				tw_response_to_json(job->response))) {
		json_decref(report);
		return NULL;
	}
	return report;
}

static bool is_wanted(const struct tw_options *o)
{
	return !o->report || strcmp(o->report, "none") != 0;
}

/*
 * tw_report=FILE as it is; with several jobs in the run, which may all have
 * got it from [global], FILE.N. Else a name no other job has, where fio puts
 * its own files.
 */
static char *report_path(struct thread_data *td)
{
	const struct tw_options *o = td->eo;
	char *path = NULL, *name, *c;
	int ret;

	if (o->report && *o->report) {
		if (thread_number == 1)
			return strdup(o->report);
		ret = asprintf(&path, "%s.%u", o->report, td->thread_number);
		return ret < 0 ? NULL : path;
	}
	name = strdup(td->o.name);
	if (!name)
		return NULL;
	/* A job's name is no path. */
	for (c = name; *c; c++)
		if (*c == '/')
			*c = '_';
	ret = asprintf(&path, "%s%s%s.%u.%d.tickwise.json",
		       aux_path ? aux_path : "", aux_path ? "/" : "", name,
		       td->thread_number, (int) td->pid);
	free(name);
	return ret < 0 ? NULL : path;
}

static int dump(const json_t *report, const char *path)
{
	FILE *file = fopen(path, "we");
	int ret = 0;

	if (!file)
		return -errno;
	errno = 0;
	/* 17 digits give every double back. */
	if (json_dumpf(report, file, JSON_REAL_PRECISION(17)) ||
	    fputc('\n', file) == EOF || fflush(file))
		ret = errno ? -errno : -EIO;
	if (fclose(file) && !ret)
		ret = -errno;
	return ret;
}

/* A device or a pipe is written to, not replaced; a link is followed. */
static bool is_special(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISREG(status.st_mode);
}

static int dump_and_rename(const json_t *report, const char *path)
{
	char *beside = NULL;
	int ret;

	if (asprintf(&beside, "%s.%d.part", path, (int) getpid()) < 0)
		return -ENOMEM;
	ret = dump(report, beside);
	if (!ret && rename(beside, path))
		ret = -errno;
	if (ret)
		unlink(beside);
	free(beside);
	return ret;
}

int tw_report_write(struct thread_data *td, struct tw_job *job)
{
	json_t *report;
	char *path;
	int ret = -ENOMEM;

	if (!is_wanted(td->eo))
		return 0;
	path = report_path(td);
	report = report_to_json(td, job);
	if (job->watch)
		json_object_set_new(report, "watch", tw_watch_to_json(job));
	if (path && report) {
		/* Where a link leads, so that the file and not the link is
		 * replaced; NULL where nothing is yet. */
		char *resolved = realpath(path, NULL);

		ret = is_special(path) ? dump(report, path) :
			dump_and_rename(report, resolved ? resolved : path);
		free(resolved);
	}
	if (ret)
		fprintf(stderr, "tickwise: %s: the latency report was not "
			"written: %s\n", path ? path : td->o.name,
			strerror(-ret));
	json_decref(report);
	free(path);
	return ret;
}
