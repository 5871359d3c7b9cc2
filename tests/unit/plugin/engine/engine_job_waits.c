/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/record/job_waits.c
 *
 * Behaviour: with tw_causes=1 the report has a wait table of the job's thread and of io_uring's
 * workers, with the rows of `tickwise attach`: each sleep once, by call, file and reason, with
 * exact times. A sleep that is being written counts at the next flush; one that was overwritten is
 * counted as lost. Sleeps that begin before the first I/O, or before fio resets its statistics, do
 * not count, nor do those that end after the last I/O. A file has the name that the report lists,
 * if it has the file's inode on the file's device. With very many places files are not told apart,
 * and memory has a bound. Without tw_causes there is no table. Defect: a sleep counted twice or by
 * another's reason, one of fio's own before or after the run, the name of another file.
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
	"0000000000005000 T handle_mm_fault\n"
	"0000000000006000 T end\n";

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

/* Own time is CLOCK_MONOTONIC. */
static const struct tw_clock_map map = { .rate = 1, .older_rate = 1 };

static void take(int64_t from_ns, int64_t to_ns)
{
	tw_job_waits_take(waits, &map, from_ns, to_ns);
}

static uint64_t lost, in_all_ns;
static size_t rows;

/* Files of inodes 11, 12, ... on device 7:1. The report lists @listed of @count. */
static struct tw_files files = { .at = { { 11, 0 }, { 12, 0 }, { 13, 0 } } };
static json_t *list_files(unsigned count, unsigned listed)
{
	json_t *list = json_array();
	unsigned i;

	files.count = count;
	for (i = 0; i < listed; i++) {
		files.at[i].device = makedev(7, 1);
		json_array_append_new(list, json_pack("{so}", "path", json_sprintf("f%u", i)));
	}
	return list;
}

/* Check that the table is @should: "CALL FILE REASON FUNCTION COUNT NS" of each row, the longest
 * first. */
static bool is_table(const char *should, json_t *list)
{
	struct tw_report report = { .files = list };
	char is[1024] = "";
	size_t i;

	if (tw_job_waits_put(waits, &files, &report))
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
	json_decref(list);
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
	slept(80, SYS_io_uring_enter, 0x4100, 11)->at.stack = (struct tw_stack) {
		.frames = { 0x4100, 0x5100 }, .count = 2 };
	slept(70, TW_CALL_FAULT, 0x4100, 0);
	slept(60, SYS_unlinkat, 0, 0);
	slept(50, SYS_fsync, 0, 0)->at.stack.count = 0;
	take(0, 10000);
	tap_ok(is_table("io_uring_enter - tag blk_mq_get_tag 3 1000\n"
			"page fault - other a_function 2 150\n"
			"io_uring worker - direct I/O  1 90\n"
			"unlinkat - metadata  1 60\n"
			"fsync - other  1 50\n", list_files(0, 0)) && !lost,
	       "rows by call, file and reason, as attach has them; a fault of a call is apart");
	tap_ok(is_table("io_uring_enter f0 tag blk_mq_get_tag 3 1000\n"
			"page fault - other a_function 2 150\n"
			"io_uring worker - direct I/O  1 90\n"
			"unlinkat - metadata  1 60\n"
			"fsync - other  1 50\n", list_files(1, 1)),
	       "what the thread submits is on the job's only file");
}

static void names(void)
{
	struct stat status;
	json_t *list;

	begin();
	slept(40, SYS_io_uring_enter, 0x1100, 0);
	slept(30, TW_CALL_WORKER, 0x1100, 12);
	slept(20, TW_CALL_WORKER, 0x1100, 13)->at.device++;
	slept(10, TW_CALL_WORKER, 0x1100, 15);
	take(0, 10000);
	tap_ok(is_table("io_uring_enter - tag blk_mq_get_tag 1 40\n"
			"io_uring worker - tag blk_mq_get_tag 2 30\n"
			"io_uring worker f1 tag blk_mq_get_tag 1 30\n", list_files(3, 3)),
	       "a file by inode and device; another one has no name");
	list = list_files(3, 3);
	files.at[2].device = makedev(0, 33);
	tap_ok(is_table("io_uring_enter - tag blk_mq_get_tag 1 40\n"
			"io_uring worker f1 tag blk_mq_get_tag 1 30\n"
			"io_uring worker f2 tag blk_mq_get_tag 1 20\n"
			"io_uring worker - tag blk_mq_get_tag 1 10\n", list),
	       "by inode alone where programs see no device");
	tap_ok(is_table("io_uring worker - tag blk_mq_get_tag 3 60\n"
			"io_uring_enter - tag blk_mq_get_tag 1 40\n", list_files(3, 1)),
	       "one that the report does not list has no name");
	if (stat(".", &status))
		exit(1);
	begin();
	slept(50, TW_CALL_WORKER, 0x3100, status.st_ino)->at.device =
		(uint32_t) (major(status.st_dev) << 20 | minor(status.st_dev));
	take(0, 10000);
	files.at[0] = (struct tw_file_at) { .inode = 0 };
	tap_ok(is_table("io_uring worker . direct I/O  1 50\n", json_pack("[{ss}]", "path", ".")),
	       "one that fio made after the job began");
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
	take(0, 10000);
	tap_ok(is_table("io_uring_enter - tag blk_mq_get_tag 1 10\n", list_files(0, 0)) && !lost,
	       "one that is being written, and those after it, come later");
	sleep->number = 3;
	take(0, 10000);
	tap_ok(is_table("io_uring_enter - tag blk_mq_get_tag 3 70\n", list_files(0, 0)) && !lost,
	       "and count once");
	for (i = 0; i < TW_SLEEPS + 5; i++)
		slept(1, SYS_io_uring_enter, 0x1100, 0);
	take(0, 10000);
	tap_ok(is_table(NULL, list_files(0, 0)) && lost == 5 && in_all_ns == 70 + TW_SLEEPS,
	       "those that were overwritten are lost, and are counted");
	slept(1, SYS_io_uring_enter, 0x1100, 0)->number += TW_SLEEPS;
	take(0, 10000);
	tap_ok(is_table(NULL, list_files(0, 0)) && lost == 6,
	       "also one that was overwritten just now");
	slept(0, SYS_io_uring_enter, 0x1100, 0)->on_ns = 0;
	take(0, 10000);
	tap_ok(is_table(NULL, list_files(0, 0)) && lost == 7 && in_all_ns == 70 + TW_SLEEPS,
	       "one that ends before it begins has no time");
}

/* slept() begins all sleeps at 1000. */
static void of_the_run(void)
{
	begin();
	slept(500, SYS_fadvise64, 0x2100, 0);
	take(1001, 2000);
	slept(600, SYS_fsync, 0x2100, 0)->off_ns = 1001;
	slept(700, SYS_fsync, 0x2100, 0)->off_ns = 1001;
	take(0, 1699);
	tap_ok(is_table("fsync - frozen queue __bio_queue_enter 1 599\n", list_files(0, 0)),
	       "not what begins before the first I/O, nor yet what ends after the newest one");
	take(0, 1700);
	tap_ok(is_table("fsync - frozen queue __bio_queue_enter 2 1298\n", list_files(0, 0)),
	       "but when a newer one is over");
	slept(10, SYS_fsync, 0x2100, 0);
	tw_job_waits_forget(waits);
	slept(20, SYS_fsync, 0x2100, 0);
	slept(30, SYS_fsync, 0x2100, 0)->off_ns = 1010;
	take(1005, 2000);
	tap_ok(is_table("fsync - frozen queue __bio_queue_enter 1 20\n", list_files(0, 0)) && !lost,
	       "what was forgotten does not count, nor what lasts from then");
}

#define PLACES	5000

static void many(void)
{
	unsigned i;

	begin();
	for (i = 0; i < PLACES; i++) {
		slept(1 + i % 2, TW_CALL_WORKER, 0x1100, 1 + i);
		take(0, 10000);
	}
	tap_ok(is_table(NULL, list_files(0, 0)) && rows == 1 && !lost && in_all_ns == PLACES * 3 / 2,
	       "%u files: no sleep is lost", PLACES);
	begin();
	for (i = 0; i < PLACES; i++) {
		slept(1, TW_CALL_WORKER, 0x1100 + i, 0);
		take(0, 10000);
	}
	tap_ok(is_table(NULL, list_files(0, 0)) && in_all_ns + lost == PLACES && lost == PLACES - 2048,
	       "%u stacks: those beyond a bound are lost, and are counted", PLACES);
}

/* ---- in a job -------------------------------------------------------------- */

static void sleep_until(uint64_t ticks)
{
	struct tw_sleep *sleep = slept(0, SYS_io_uring_enter, 0x2100, 0);

	sleep->off_ns = world_monotonic_ns(ticks - 5000);
	sleep->on_ns = world_monotonic_ns(ticks);
}

static void appeared(unsigned i)
{
	stamps.stamps = world_stamps(i, world_monotonic_ns(engine_now_ticks - 90),
				     world_monotonic_ns(engine_now_ticks - 80),
				     world_monotonic_ns(engine_now_ticks - 20),
				     world_monotonic_ns(engine_now_ticks - 10));
	sleep_until(engine_now_ticks);
}

static void job(bool causes, bool ramps)
{
	world_forget();
	memset(&sleeps, 0, sizeof(sleeps));
	memset(&offcpu, 0, sizeof(offcpu));
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
	sleep_until(engine_now_ticks);
	world_one(DDIR_READ, 10000);
	world.ramp_is_over = true;
	world.td.epoch.tv_sec += ramps;
	world_one(DDIR_READ, 10000);
	world_one(DDIR_READ, 10000);
	sleep_until(engine_now_ticks + 100);
	world_end();
}

int main(void)
{
	tw_functions_read(functions);
	by_place();
	names();
	written_meanwhile();
	of_the_run();
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
