/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: the report of `tickwise attach` is one that the reader of reports takes, with
 * all that was counted, and that is written again as the same bytes. What the kernel does
 * not tell is absent. Two are never merged.
 * Defect: a report that `tickwise report` refuses; a count or a name that is lost.
 */
#include "attach/attach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "report/report_json.h"
#include "report/report.h"
#include "tap.h"

enum { FSYNC = 3, SEND = 26, READ = 22, WRITE = 23, COMMAND = 46 };

#define START_NS	1000000000000ULL
#define REALTIME_NS	1700000000000000000ULL

static struct tw_attach_tally tally;

static void begin(void)
{
	tw_attach_tally_free(&tally);
	if (tw_attach_tally_init(&tally, START_NS, REALTIME_NS, 4))
		abort();
}

/* @lat_ns: from 1000 on for stages. */
static void add(__u64 inode, __u8 opcode, __s32 result, __u64 lat_ns)
{
	const struct tw_attach_io io = {
		.kind = TW_ATTACH_IO, .ring = 1, .opcode = opcode, .result = result,
		.inode = { .number = inode, .device = 8, .mode = 0100644 },
		.accepted_ns = START_NS + 1000, .dispatched_ns = START_NS + 1100,
		.finished_ns = START_NS + 1700, .posted_ns = START_NS + 1000 + lat_ns,
		.requests = 2, .due_bytes = 4096, .finished_bytes = 4096, .offset = 8192,
	};

	if (tw_attach_add_io(&tally, &io))
		abort();
}

/* ---- the report -------------------------------------------------------------- */

static json_t *made(pid_t pid, int64_t missed_runs)
{
	struct tw_attach_process process = { .pid = pid };
	const struct tw_attach_target target = {
		.all = &process, .count = 1, .program = "program",
	};
	const struct tw_attach_ran ran = { .is_known = 1, .read_calls = 11, .run_ns = 12 };
	const struct tw_attach_wait wait = {
		.call = SYS_pread64, .slept_ns = START_NS, .woken_ns = START_NS + 420, .on_ns = START_NS + 500,
		.flags = TW_ATTACH_FIRST,
	};
	const struct tw_attach_lost lost = { .records = 7, .names = 5, .others[SEND] = 9 };
	const struct tw_attach_program program = {
		.lost = &lost, .in_flight = 3, .missed_runs = missed_runs,
		.ran = &ran,
	};
	struct tw_attach_result result = {
		.tally = &tally, .target = &target, .program = &program, .run_ns = 5000,
	};
	json_t *json;

	begin();
	tw_attach_add_ring(&tally, &(struct tw_attach_ring) {
		.ring = 1, .process = 4712, .fd = -1, .program = "pro\377gram",
	});
	add(1, READ, 4096, 1000);
	add(1, READ, -EIO, 1000);
	add(1, WRITE, -ECANCELED, 1000);
	add(1, FSYNC, 0, 2000);
	add(1, COMMAND, 0, 3000);
	if (tw_attach_add_wait(&tally, &wait, sizeof(wait)))
		abort();
	json = tw_attach_to_json(&result);
	if (!json || tw_json_lacked_memory())
		abort();
	return json;
}

/* Read @json. It is released. */
static void read_back(struct tw_report *report, json_t *json)
{
	struct tw_report_problem problem = { .text = "" };

	if (tw_report_from_json(report, json, "", &problem))
		abort();
	if (!tap_ok(!problem.text[0], "the reader takes it"))
		printf("# %s\n", problem.text);
	json_decref(json);
}

static void test_values(const struct tw_report *report)
{
	const struct tw_tally *all = &report->tally;
	const struct tw_report_job *job = report->jobs;

	tap_ok(report->job_count == 1 && strcmp(job->engine, "attach") == 0 &&
	       job->pid == 4711 && job->run_ns == 5000 && job->start_ns == REALTIME_NS &&
	       job->start_monotonic_ns == START_NS && job->kernel_on && job->fallback,
	       "a job");
	tap_ok(all->counts[TW_READ].ios == 1 && all->counts[TW_READ].errors == 1 &&
	       all->counts[TW_WRITE].cancelled == 1 && all->counts[TW_WRITE].errors == 0 &&
	       all->counts[TW_SYNC].ios == 1 && all->counts[TW_READ].split == 1,
	       "counts: what was cancelled is no error");
	tap_ok(all->times[TW_DEVICE][TW_READ].sum_ns == 600 &&
	       all->times[TW_LAT][TW_READ].sum_ns == 1000, "times");
	tap_ok(all->scalars.in_flight == 3 && all->scalars.lost_records == 7 &&
	       all->scalars.lost_names == 5 && all->scalars.requests == 4, "scalars");
	tap_ok(all->scalars.read_calls == 11 && all->scalars.run_ns == 12 &&
	       all->scalars.calls_that_waited == 1 && all->scalars.ready_in_waits_ns == 80 &&
	       report->waits->count == 1, "waits");
	tap_ok(all->over_time.count == 1 &&
	       tw_windows_from_ns(&all->over_time, 0) == REALTIME_NS,
	       "over time by the clock of the day");
	tap_ok(report->slow_count == 2 && report->slowest[0].lat_ns == 2000,
	       "the slowest: a command is none of them");
	tap_ok(all->counts[TW_READ].bytes == 4096 && !tw_has(all, TW_METRIC_workers) &&
	       !tw_has_time(all, TW_CALL) &&
	       !tw_has(all, TW_METRIC_negative_within), "what is not recorded is absent");
}

/* Operations have the counts of the report by these keys, and times without
 * directions. */
static void test_attached(const struct tw_report *report)
{
	const char *program, *operation, *file;
	json_int_t errors, cancelled, sends, device_ns;

	tap_ok(json_unpack(report->attached, "{s[{ss}], s[{ss, ss, sI, sI, s{s{sI}}}],"
			   " s{sI}}", "rings", "program", &program, "operations",
			   "operation", &operation, "file", &file, "errors", &errors,
			   "cancelled", &cancelled, "stages", "device", "min_ns",
			   &device_ns, "others", "send", &sends) == 0 &&
	       strcmp(program, "pro\uFFFDgram") == 0 && strcmp(operation, "read") == 0 &&
	       strcmp(file, "?") == 0 && errors == 1 && cancelled == 0 && sends == 9 &&
	       device_ns == 600, "rings, operations and others");
}

static void test_report(void)
{
	json_t *json = made(4711, 11);
	char *text = json_dumps(json, 0), *again;
	struct tw_report report = { 0 }, without = { 0 }, merged = { 0 };

	read_back(&report, json);
	test_values(&report);
	test_attached(&report);
	json = tw_report_to_json(&report);
	again = json_dumps(json, 0);
	if (!tap_ok(again && strcmp(text, again) == 0, "written again: the same bytes"))
		printf("# %s\n# %s\n", text, again);
	json_decref(json);
	read_back(&without, made(4712, -1));
	tap_ok(tw_has(&report.tally, TW_METRIC_missed_runs) &&
	       report.tally.scalars.missed_runs == 11 &&
	       !tw_has(&without.tally, TW_METRIC_missed_runs),
	       "skipped runs are known, or absent");
	tap_ok(tw_report_add(&merged, &report) == 0 &&
	       tw_report_add(&merged, &without) == -EINVAL, "it is not merged with another");
	tw_report_free(&merged);
	tw_report_free(&without);
	tw_report_free(&report);
	free(text);
	free(again);
}

int main(void)
{
	test_report();
	tw_attach_tally_free(&tally);
	return tap_done();
}
