/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/record/job_waits.c
 *
 * Behaviour: with tw_causes=1 the report has a wait table of the job's thread and of io_uring's
 * workers, with the rows of `tickwise attach`: each sleep once, by call, file and reason, with exact
 * times. A sleep that is being written counts at the next flush; one that was overwritten is counted
 * as lost. Sleeps before the first I/O, and before fio resets its statistics, do not count. A file has
 * its name if the report lists it. With very many places, files are not told apart, and no sleep is
 * lost. Without tw_causes there is no table. Defect: a sleep counted twice or by another's reason, a
 * name of another file, memory that grows with each file.
 *
 * At 1 GHz a tick is a nanosecond.
 */
#include "engine_world.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "kernel/causes/calls.h"
#include "record/job_waits.h"
#include "report/waits.h"

static char functions[] =
	"0000000000001000 T blk_mq_get_tag\n"
	"0000000000002000 T __bio_queue_enter\n"
	"0000000000003000 T blkdev_direct_IO\n"
	"0000000000004000 T a_function\n"
	"0000000000005000 T end\n";

static struct tw_padded_stamps stamps;
static struct tw_offcpu offcpu;
static struct tw_sleeps sleeps;
static struct tw_job_waits *waits;

/* Let a thread have slept for @ns. */
static struct tw_sleep *slept(uint64_t ns, uint32_t call, uint64_t function, uint64_t inode)
{
	struct tw_sleep *sleep = &sleeps.sleeps[sleeps.newest % TW_SLEEPS];

	*sleep = (struct tw_sleep) {
		.number = ++sleeps.newest, .off_ns = 1000, .on_ns = 1000 + ns,
		.at = { .call = call, .inode = inode, .device = 7 << 20 | 1,
			.stack = { .frames = { function, 1, 2 }, .count = 1 } },
	};
	return sleep;
}

static void begin(void)
{
	tw_job_waits_free(waits);
	memset(&sleeps, 0, sizeof(sleeps));
	slept(1, 0, 0x1100, 0);
	waits = tw_job_waits_begin(&sleeps);
	if (!waits)
		exit(1);
}

static uint64_t lost, in_all_ns;
static size_t rows;

/* Put the table into a report with these files, and check that it is @should: "CALL FILE REASON
 * FUNCTION COUNT NS" of each row, the longest first. */
static bool is_table(const char *should, json_t *files)
{
	struct tw_report report = { .files = files };
	char is[1024] = "";
	size_t i;

	if (tw_job_waits_put(waits, &report))
		exit(1);
	lost = report.tally.scalars.lost_waits;
	rows = report.waits->count;
	in_all_ns = 0;
	tw_waits_sort(report.waits);
	for (i = 0; i < rows; i++) {
		const struct tw_wait_row *row = report.waits->rows[i];

		in_all_ns += row->time.sum_ns;
		if (strlen(is) < sizeof(is) / 2)
			snprintf(is + strlen(is), sizeof(is) / 2, "%s %s %s %s %" PRIu64
				 " %" PRIu64 "\n", row->text[TW_WAIT_CALL],
				 row->text[TW_WAIT_FILE], row->text[TW_WAIT_REASON],
				 row->text[TW_WAIT_FUNCTION], row->time.count,
				 row->time.sum_ns);
	}
	tw_waits_free(report.waits);
	free(report.waits);
	json_decref(files);
	if (should && strcmp(is, should))
		tap_note("%s", is);
	return !should || !strcmp(is, should);
}

static void by_place(void)
{
	begin();
	slept(500, SYS_io_uring_enter, 0x1100, 0);
	slept(300, SYS_io_uring_enter, 0x1100, 0);
	slept(200, SYS_io_uring_enter, 0x1200, 0);
	slept(90, TW_CALL_WORKER, 0x3100, 0);
	slept(70, TW_CALL_FAULT, 0x4100, 0);
	slept(60, SYS_unlinkat, 0, 0);
	tap_ok(is_table("io_uring_enter - tag blk_mq_get_tag 3 1000\n"
			"io_uring worker - direct I/O  1 90\n"
			"page fault - other a_function 1 70\n"
			"unlinkat - metadata  1 60\n", json_array()) && !lost,
	       "rows by call, file and reason, as attach has them");
	tap_ok(is_table("io_uring_enter f tag blk_mq_get_tag 3 1000\n"
			"io_uring worker - direct I/O  1 90\n"
			"page fault - other a_function 1 70\n"
			"unlinkat - metadata  1 60\n", json_pack("[{ss}]", "path", "f")),
	       "what the thread submits is on the job's only file");
	tap_ok(is_table(NULL, json_pack("[{ss}, {ss}]", "path", "f", "path", "g")) && rows == 4,
	       "the table may be made again");
}

/* Of two files one has the inode number that was seen. */
static void names(void)
{
	struct stat status;
	struct tw_sleep *sleep;
	char should[128];

	if (stat(".", &status))
		exit(1);
	begin();
	sleep = slept(40, TW_CALL_WORKER, 0x1100, status.st_ino);
	tap_ok(is_table("io_uring worker . tag blk_mq_get_tag 1 40\n",
			json_pack("[{ss}, {ss}, {ss}]", "path", "/dev/null", "path", ".", "path",
				  "missing")), "a file by its inode, on whatever device");
	begin();
	sleep = slept(40, TW_CALL_WORKER, 0x1100, status.st_ino);
	sleep->at.device = (uint32_t) (major(status.st_dev) << 20 | minor(status.st_dev));
	snprintf(should, sizeof(should), "io_uring worker . tag blk_mq_get_tag 1 40\n");
	tap_ok(is_table(should, json_pack("[{ss}, {ss}]", "path", ".", "path", "/dev/null")),
	       "the one on that device");
	begin();
	slept(40, TW_CALL_WORKER, 0x1100, status.st_ino + 1);
	tap_ok(is_table("io_uring worker - tag blk_mq_get_tag 1 40\n",
			json_pack("[{ss}]", "path", ".")), "another file has no name");
}

static void written_meanwhile(void)
{
	struct tw_sleep *sleep;
	unsigned i;

	begin();
	slept(10, SYS_io_uring_enter, 0x1100, 0);
	sleep = slept(20, SYS_io_uring_enter, 0x1100, 0);
	sleep->number = 0;
	slept(40, SYS_io_uring_enter, 0x1100, 0);
	tw_job_waits_take(waits);
	tap_ok(is_table("io_uring_enter - tag blk_mq_get_tag 1 10\n", json_array()) && !lost,
	       "one that is being written, and those after it, come later");
	sleep->number = 3;
	tap_ok(is_table("io_uring_enter - tag blk_mq_get_tag 3 70\n", json_array()) && !lost,
	       "and count once");
	for (i = 0; i < TW_SLEEPS + 5; i++)
		slept(1, SYS_io_uring_enter, 0x1100, 0);
	tap_ok(is_table(NULL, json_array()) && lost == 5 && in_all_ns == 70 + TW_SLEEPS,
	       "those that were overwritten are lost, and are counted");
	sleep = slept(1, SYS_io_uring_enter, 0x1100, 0);
	sleep->number += TW_SLEEPS;
	tap_ok(is_table(NULL, json_array()) && lost == 6,
	       "also one that was overwritten just now");
	slept(0, SYS_io_uring_enter, 0x1100, 0)->on_ns = 0;
	tap_ok(is_table(NULL, json_array()) && lost == 7 && in_all_ns == 70 + TW_SLEEPS,
	       "one that ends before it begins has no time");
	tw_job_waits_forget(waits);
	slept(3, SYS_fsync, 0x2100, 0);
	tap_ok(is_table("fsync - frozen queue __bio_queue_enter 1 3\n", json_array()) && !lost,
	       "what was forgotten does not count");
}

#define FILES	5000

static void many(void)
{
	unsigned i;

	begin();
	for (i = 0; i < FILES; i++) {
		slept(1 + i % 2, TW_CALL_WORKER, 0x1100, 1 + i);
		tw_job_waits_take(waits);
	}
	tap_ok(is_table(NULL, json_array()) && rows == 1 && !lost && in_all_ns == FILES * 3 / 2,
	       "%u files: no sleep is lost", FILES);
}

/* ---- in a job -------------------------------------------------------------- */

static void appeared(unsigned i)
{
	stamps.stamps = world_stamps(i, world_monotonic_ns(engine_now_ticks - 90),
				     world_monotonic_ns(engine_now_ticks - 80),
				     world_monotonic_ns(engine_now_ticks - 20),
				     world_monotonic_ns(engine_now_ticks - 10));
	slept(5000, SYS_io_uring_enter, 0x2100, 0);
}

static void job(bool causes, bool ramps)
{
	world_forget();
	memset(&sleeps, 0, sizeof(sleeps));
	memset(&offcpu, 0, sizeof(offcpu));
	slept(70, SYS_io_uring_enter, 0x2100, 0);
	world.options.kernel = TW_KERNEL_AUTO;
	world.options.causes = causes;
	world.options.slowest = 1;
	world.kernel_entries = &stamps;
	world.offcpu = &offcpu;
	world.sleeps = &sleeps;
	world.appeared = appeared;
	world.td.epoch.tv_sec = 1;
	if (ramps)
		world_ramps();
	world_start();
	world_one(DDIR_READ, 10000);
	world.ramp_is_over = true;
	world.td.epoch.tv_sec += ramps;
	world_one(DDIR_READ, 10000);
	world_one(DDIR_READ, 10000);
	world_end();
}

int main(void)
{
	tw_functions_read(functions);
	by_place();
	names();
	written_meanwhile();
	many();
	tw_job_waits_free(waits);
	job(true, false);
	tap_ok(world_is_text("waits.rows.0.call", "io_uring_enter") &&
	       world_is_text("waits.rows.0.reason", "frozen queue") &&
	       world_number("waits.rows.0.time.count") == 3 &&
	       world_number("waits.rows.0.time.sum_ns") == 15000 &&
	       !world_number("waits.lost_waits") && !world_at(world.report, "waits.read_calls"),
	       "the report of a job has the table");
	job(true, true);
	tap_ok(world_number("waits.rows.0.time.count") == 1,
	       "without what came before fio reset its statistics, at the second read");
	job(false, false);
	tap_ok(world.report && !world_at(world.report, "waits"), "not asked for: no table");
	world_forget();
	return tap_done();
}
