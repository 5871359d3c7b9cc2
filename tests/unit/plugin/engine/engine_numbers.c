/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/record/job_record.c core/report/tally.c core/report/merge.c
 *
 * Behaviour: random jobs of the engine have one number for one fact. The stages add up to lat to
 * the nanosecond, whatever was sampled, missing, late or merged, and the parts of a stage to the
 * stage, where all of its I/Os have them. What the engine itself knows of each I/O (queue, enter
 * to seen, deliver, lat) is exact. No time counts more I/Os than were chosen. Reports merged in
 * any order and any grouping are the same, byte by byte. Defect: a sum of the sample in place of
 * its share, an I/O without stages that has a weight, a merge that adds what was estimated.
 *
 *	engine_numbers.t [FOLDER JOBS]: write the reports of this many jobs there, for
 *	tests/unit/report/report_numbers.t
 */
#include "engine_block_files.h"
#include "report/report.h"

#define JOBS	24
#define IOS	700

/* What happens to an I/O in the kernel. */
enum kind { SPLIT, MERGED, NO_REQUEST, NO_DISPATCH, NO_POSTED, UNSEEN, KINDS };

static struct tw_padded_stamps entries[WORLD_DEPTH];
static struct tw_sync syncs[WORLD_DEPTH];
static uint64_t stage_ticks[4];		/* submit, blockq, device, complete */
static bool has_late, is_direct;
static enum kind kind;
static uint64_t lat_ns[TW_DIRECTIONS];	/* by the test's own clock */

static void stamp_sync(unsigned i, uint64_t from, uint64_t to)
{
	const uint64_t part = (to - from) / 5;

	syncs[i] = (struct tw_sync) {
		.key = world.ios[i].sqe.user_data,
		.begun_ns = world_monotonic_ns(from + part),
		.moved_on_ns = world_monotonic_ns(from + 2 * part),
		.ended_ns = world_monotonic_ns(from + 4 * part),
		.flush_ns = part, .disk = world_below(9), .written_bytes = 4096,
	};
}

static void appeared(unsigned i)
{
	const uint64_t key = world.ios[i].sqe.user_data;
	const uint64_t posted = engine_now_ticks, finished = posted - stage_ticks[3];
	const uint64_t dispatched = finished - stage_ticks[2];
	const uint64_t accepted = dispatched - stage_ticks[1];
	struct tw_kernel_stamps *stamps = &entries[i].stamps;

	if (world.syncs && (world.ios[i].sqe.opcode == IORING_OP_FSYNC ||
			    world.ios[i].sqe.opcode == IORING_OP_WRITE))
		stamp_sync(i, is_direct ? finished : accepted, posted);
	if (!world.kernel_entries || kind == UNSEEN)
		return;
	if (!(key & TW_KEY_CHOSEN)) {
		if (has_late && world_below(20) == 0)
			*stamps = world_stamps(i, 0, 0, world_monotonic_ns(finished),
					   world_monotonic_ns(posted));
		return;
	}
	*stamps = world_stamps(i, world_monotonic_ns(accepted), world_monotonic_ns(dispatched),
			   world_monotonic_ns(finished), world_monotonic_ns(posted));
	stamps->queued_ns = world.kernel_parts ? stamps->dispatched_ns - stage_ticks[1] / 2 : 0;
	stamps->got_ns = kind == MERGED ? 0 : stamps->dispatched_ns - stage_ticks[1] / 4;
	if (world.ios[i].sqe.opcode == IORING_OP_FSYNC || kind == NO_REQUEST)
		stamps->dispatched_ns = stamps->finished_ns = 0;
	if (kind == NO_DISPATCH)
		stamps->dispatched_ns = 0;
	if (kind == NO_POSTED)
		stamps->posted_ns = 0;
	if (world.td.o.sync_io && world.ios[i].sqe.opcode == IORING_OP_WRITE && is_direct)
		stamps->flags |= TW_STAMPS_SYNC_WRITE;
}

static void one(enum fio_ddir ddir, uint64_t often)
{
	uint64_t takes = 0, from;

	kind = world_below(often) ? SPLIT : (enum kind)world_below(KINDS);
	for (unsigned i = 0; i < 4; i++)
		takes += stage_ticks[i] = 4 + world_some_ticks();
	world.io_us[0].file = &block_files[world_below(world.td.files_index)];
	world.takes_ticks[0] = takes;
	world_pass(100);
	world_prep(world_transfer(0, ddir, 0, WORLD_SIZE));
	from = engine_now_ticks;
	world_pass(world_below(300));
	if (world_queue_prepared(&world.io_us[0]) == FIO_Q_QUEUED) {
		/* Some are seen at the end of the call already. */
		world_pass(world_below(2) ? world_below(3000) : 0);
		world_reap(1);
	}
	lat_ns[tw_direction_of(ddir)] += engine_now_ticks - from;
}

/* Run a job: its report is in world.report. */
static void job(unsigned number)
{
	const uint64_t often = 1 + world_below(9), mix = world_below(5);
	const bool with_syncs = world_below(2);

	world_forget();
	is_direct = world_below(2);
	has_late = world_below(2);
	world.options.kernel = TW_KERNEL_AUTO;
	world.options.kernel_every = 1U << world_below(7);
	world.options.slowest = (unsigned)world_below(30);
	world.kernel_entries = world_below(6) ? entries : NULL;
	world.kernel_parts = world_below(2);
	world.syncs = with_syncs ? syncs : NULL;
	world.at_once = true;
	world.appeared = appeared;
	world.td.thread_number = number + 1;
	world.td.o.td_ddir |= TD_DDIR_TRIM;
	world.td.o.odirect = is_direct;
	world.td.o.fdatasync_blocks = with_syncs;
	world.td.o.sync_io = with_syncs && world_below(2);
	world_block_files((unsigned)(1 + world_below(3)));
	memset(entries, 0, sizeof(entries));
	memset(lat_ns, 0, sizeof(lat_ns));
	world_pass(world_below(1000000));
	world_start();
	for (unsigned i = 0; i < IOS; i++)
		one(mix && world_below(mix + 1) ? DDIR_READ : world_below(30) == 0 ? DDIR_TRIM :
		    with_syncs && world_below(3) == 0 ? DDIR_DATASYNC : DDIR_WRITE, often);
	world_end();
	/* What the end of the run adds. */
	json_object_set_new(world.report, "counter", json_pack("{ss, s[]}", "verdict",
							       "reliable", "reasons"));
}

/* ---- what has to hold ---------------------------------------------------------- */

static uint64_t sum_of(const struct tw_tally *tally, unsigned parent, int direction)
{
	uint64_t sum_ns = 0;

	for (unsigned time = 0; time < TW_TIMES; time++)
		if (tw_time_metrics[time].parent == parent)
			sum_ns += tw_tally_stage_ns(tally, time, direction);
	return sum_ns;
}

/* Return how many numbers of a direction are wrong. */
static unsigned wrong_of(const struct tw_tally *tally, int direction)
{
	const struct tw_histogram (*times)[TW_DIRECTIONS] = tally->times;
	const uint64_t ios = tally->counts[direction].ios;
	unsigned wrong = sum_of(tally, TW_LAT, direction) != times[TW_LAT][direction].sum_ns;
	double mean_ns = 0;

	for (unsigned time = 0; time < TW_TIMES; time++) {
		const uint64_t has = tw_tally_time_ios(tally, time, direction);

		wrong += has > ios;
		wrong += tw_tally_is_of_chosen(tally, time, direction) &&
			 has > tw_tally_chosen(tally, direction);
		/* Parts of a stage that all of its I/Os have. */
		if (time == TW_SYNC_WAKE || time == TW_SCHEDULER || time == TW_COMPLETE_WAKE) {
			const unsigned parent = tw_time_metrics[time].parent;

			wrong += times[time][direction].sum_ns &&
				 times[time][direction].count == times[parent][direction].count &&
				 (time != TW_SCHEDULER || times[TW_BEFORE][direction].count ==
							  times[time][direction].count) &&
				 sum_of(tally, parent, direction) !=
				 tw_tally_stage_ns(tally, parent, direction);
		}
		if (time < TW_STAGES)
			mean_ns += tw_tally_mean_ns(tally, time, direction);
	}
	wrong += fabs(mean_ns - tw_tally_mean_ns(tally, TW_LAT, direction)) > 1e-9 * mean_ns;
	/* Exact, whatever was sampled. */
	wrong += tw_tally_time_ios(tally, TW_QUEUE, direction) != ios ||
		 tw_tally_time_ios(tally, TW_DELIVER, direction) != ios;
	return wrong;
}

static void read_report(struct tw_report *report, const json_t *json)
{
	struct tw_report_problem problem = { 0 };

	*report = (struct tw_report) { .job_count = 0 };
	if (tw_report_from_json(report, json, "", &problem) || problem.text[0]) {
		printf("Bail out! %s\n", problem.text);
		exit(1);
	}
}

/* Merge reports in an order, in groups of @group. Return the text. */
static char *merged(json_t *const *reports, const unsigned *order, unsigned count,
		    unsigned group)
{
	struct tw_report all = { .job_count = 0 }, part = { .job_count = 0 }, one;
	json_t *json;
	char *text;

	for (unsigned i = 0; i < count; i++) {
		read_report(&one, reports[order[i]]);
		if (tw_report_add(&part, &one))
			exit(1);
		tw_report_free(&one);
		if ((i + 1) % group && i + 1 < count)
			continue;
		json = tw_report_to_json(&part);
		read_report(&one, json);
		json_decref(json);
		tw_report_free(&part);
		part = (struct tw_report) { .job_count = 0 };
		if (tw_report_add(&all, &one))
			exit(1);
		tw_report_free(&one);
	}
	json = tw_report_to_json(&all);
	text = json_dumps(json, JSON_SORT_KEYS);
	json_decref(json);
	tw_report_free(&all);
	return text;
}

static void check_merges(json_t *const *reports, unsigned count)
{
	unsigned order[JOBS], same = 0;
	char *first, *text;

	for (unsigned i = 0; i < count; i++)
		order[i] = i;
	first = merged(reports, order, count, 1);
	for (unsigned turn = 0; turn < 5; turn++) {
		for (unsigned i = 0; i < count; i++) {
			const unsigned other = (unsigned)world_below(count), is = order[i];

			order[i] = order[other];
			order[other] = is;
		}
		text = merged(reports, order, count, (unsigned)(1 + world_below(count)));
		same += !strcmp(first, text);
		free(text);
	}
	tap_ok(same == 5, "%u of 5 merges in another order and grouping are the same", same);
	free(first);
}

/* Write the report of each job into @folder. */
static int write_reports(const char *folder, unsigned jobs)
{
	char path[300];

	for (unsigned i = 0; i < jobs; i++) {
		job(i);
		snprintf(path, sizeof(path), "%s/%u.json", folder, i);
		if (json_dump_file(world.report, path, JSON_INDENT(1)))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned wrong = 0, sampled = 0, off = 0;
	json_t *reports[JOBS];

	world_random = tap_seed();
	if (argc == 3)
		return write_reports(argv[1], (unsigned)atoi(argv[2]));
	for (unsigned i = 0; i < JOBS; i++) {
		struct tw_report report;

		job(i);
		reports[i] = json_incref(world.report);
		read_report(&report, reports[i]);
		for (int d = 0; d < TW_DIRECTIONS; d++) {
			wrong += wrong_of(&report.tally, d);
			sampled += tw_tally_is_estimate(&report.tally, TW_DEVICE, d);
			off += report.tally.times[TW_LAT][d].sum_ns != lat_ns[d];
		}
		tw_report_free(&report);
	}
	tap_ok(!wrong, "of %u jobs %u numbers are wrong", JOBS, wrong);
	tap_ok(!off, "the sum of lat is exact");
	tap_ok(sampled > JOBS / 4, "%u directions were sampled", sampled);
	check_merges(reports, JOBS);
	for (unsigned i = 0; i < JOBS; i++)
		json_decref(reports[i]);
	world_forget();
	return tap_done();
}
