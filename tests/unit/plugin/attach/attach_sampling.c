/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/attach core/report/tally.c
 *
 * Behaviour: `tickwise attach` has times of chosen I/Os only, and counts all others. The
 * counts of I/Os and bytes are exact, of rows and of directions. The means and percentiles of
 * lat and its stages are within their stated 95 % error of what all I/Os took, also if the
 * chance changes during the run. The stages add up to lat. If each I/O was chosen, nothing is
 * an estimate. An I/O without stamps that was not chosen is counted, and is none from before.
 * Defect: a chosen I/O that counts once, or by another chance; an error that is too small; an
 * I/O that is counted twice or never, or among other directions; the others' counts, twice.
 *
 * Each check of an error is made in 100 runs, of which at least 88 have to hold. If an
 * interval has the truth in 95 % of the runs, fewer than 88 of 100 are seen once in 650
 * times. The stated errors of means are larger than needed. The seed is fixed.
 */
#include "attach/attach_tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "latency/histogram.h"
#include "tap.h"

enum { NOP = 0, READV = 1, FSYNC = 3, READ = 22, WRITE = 23 };

#define RUNS		100
#define ENOUGH		88
#define IOS		8000
#define START_NS	1000000000000ULL

static uint64_t seed = 42;
static struct tw_attach_tally tally;

static uint64_t below(uint64_t limit)
{
	return (tap_random(&seed) >> 16) % limit;
}

static void begin(void)
{
	tw_attach_tally_free(&tally);
	if (tw_attach_tally_init(&tally, START_NS, START_NS, 4))
		abort();
}

static struct tw_attach_io io_of(__u8 opcode, __u64 inode, __s32 result)
{
	return (struct tw_attach_io) {
		.kind = TW_ATTACH_IO, .ring = 1, .opcode = opcode, .result = result,
		.inode = { .number = inode, .device = 8, .mode = 0100644 },
		.accepted_ns = START_NS + 1000, .dispatched_ns = START_NS + 1100,
		.finished_ns = START_NS + 1700, .posted_ns = START_NS + 2000,
		.due_bytes = 4096, .finished_bytes = 4096,
	};
}

static void add(const struct tw_attach_io *io)
{
	if (tw_attach_add_io(&tally, io))
		abort();
}

static void count(__u32 opcode, __u64 inode, struct tw_attach_counted counted)
{
	const struct tw_attach_key key = {
		.inode = { .number = inode, .device = 8, .mode = 0100644 },
		.ring = 1, .opcode = opcode,
	};

	if (tw_attach_add_counted(&tally, &key, &counted))
		abort();
}

/* ---- estimates ---- */

static uint64_t evenly(unsigned i)
{
	return 50000 + below(10000) + i % 2;
}

static uint64_t long_tail(unsigned i)
{
	return 1000 + (1ULL << below(16)) + i % 2;
}

static uint64_t each_16th(unsigned i)
{
	return i % 16 == 3 ? 900000 + below(1000) : 20000 + below(1000);
}

static uint64_t one_in_100(unsigned i)
{
	return below(100) ? 1000 + i % 2 : 200000;
}

static unsigned one_in_16(unsigned i)
{
	(void)i;
	return 4;
}

/* All, then one in 32, then one in 8. */
static unsigned changing(unsigned i)
{
	return i < IOS / 10 ? 0 : i < IOS / 2 ? 5 : 3;
}

static const struct {
	const char *name;
	uint64_t (*device_ns)(unsigned i);
	unsigned (*shift)(unsigned i);
	unsigned every;
} populations[] = {
	{ "even times", evenly, one_in_16, 16 },
	{ "a long tail", long_tail, one_in_16, 16 },
	{ "each 16th I/O is slow", each_16th, one_in_16, 16 },
	{ "one in 100 is slow", one_in_100, one_in_16, 16 },
	{ "the chance changes", long_tail, changing, 32 },
};

static const unsigned checked[] = { TW_BLOCKQ, TW_DEVICE, TW_LAT };
#define CHECKED	(sizeof(checked) / sizeof(*checked))

static const double percents[] = { 50, 90 };

static struct tw_histogram right[TW_TIMES];

/* Run a job: I/Os of which the kernel chooses some. */
static void run(size_t of)
{
	struct tw_attach_counted others = { 0 };

	begin();
	for (size_t i = 0; i < CHECKED; i++)
		tw_histogram_clear_all(&right[checked[i]]);
	for (unsigned i = 0; i < IOS; i++) {
		const uint64_t blockq_ns = 100 + below(4000);
		const uint64_t device_ns = populations[of].device_ns(i);
		struct tw_attach_io io = io_of(READ, 1, 4096);

		io.dispatched_ns = io.accepted_ns + blockq_ns;
		io.finished_ns = io.dispatched_ns + device_ns;
		io.posted_ns = io.finished_ns + 500;
		io.shift = (__u8)populations[of].shift(i);
		tw_histogram_add(&right[TW_BLOCKQ], blockq_ns);
		tw_histogram_add(&right[TW_DEVICE], device_ns);
		tw_histogram_add(&right[TW_LAT], blockq_ns + device_ns + 500);
		if (below(1U << io.shift) == 0) {
			add(&io);
		} else {
			others.ios++;
			others.bytes += 4096;
		}
	}
	/* The reader takes the counts several times in a run. */
	for (int i = 0; i < 3; i++) {
		tw_attach_forget_counted(&tally);
		count(READ, 1, others);
	}
	tw_attach_put_counted(&tally);
}

static void check_errors(size_t of)
{
	unsigned held[CHECKED][3] = { { 0 } }, exact = 0, sums = 0;

	for (unsigned i = 0; i < RUNS; i++) {
		const struct tw_tally *all = &tally.all;
		const struct tw_counts *counts = &all->counts[TW_READ];
		uint64_t sum_ns = 0;

		run(of);
		exact += counts->ios == IOS && counts->bytes == IOS * 4096ULL &&
			 counts->split + counts->not_chosen == IOS &&
			 all->scalars.every == populations[of].every &&
			 tally.row_count == 1 &&
			 memcmp(&tally.rows[0].counts, counts, sizeof(*counts)) == 0;
		for (unsigned stage = 0; stage < TW_STAGES; stage++)
			sum_ns += tw_tally_stage_ns(all, stage, TW_READ);
		sums += sum_ns == all->times[TW_LAT][TW_READ].sum_ns;
		for (size_t j = 0; j < CHECKED; j++) {
			const unsigned time = checked[j];
			const struct tw_histogram *is = &all->times[time][TW_READ];

			held[j][0] += fabs((double)is->sum_ns / (double)is->count -
					   tw_histogram_mean_ns(&right[time])) <=
				tw_tally_stage_error_ns(all, time, TW_READ) / (double)is->count;
			for (unsigned k = 0; k < 2; k++) {
				const uint64_t is_ns = tw_histogram_percentile(&right[time],
									       percents[k]);
				uint64_t bounds[2];

				held[j][1 + k] += tw_tally_stage_percentile(all, time, TW_READ,
						percents[k], bounds) &&
					bounds[0] <= is_ns && is_ns <= bounds[1];
			}
		}
	}
	tap_ok(exact == RUNS, "%s: counts are exact", populations[of].name);
	tap_ok(sums == RUNS, "the stages add up to lat");
	for (size_t j = 0; j < CHECKED; j++)
		tap_ok(held[j][0] >= ENOUGH && held[j][1] >= ENOUGH && held[j][2] >= ENOUGH,
		       "%s is within the stated error: mean, p50, p90 in %u, %u, %u of %u runs",
		       tw_time_metrics[checked[j]].name, held[j][0], held[j][1], held[j][2], RUNS);
}

/* ---- counts ---- */

static void test_all_chosen(void)
{
	const struct tw_attach_io io = io_of(READ, 1, 4096);

	begin();
	add(&io);
	tw_attach_put_counted(&tally);
	tap_ok(!tw_tally_is_sampled(&tally.all, TW_READ) &&
	       !tw_tally_is_estimate(&tally.all, TW_LAT, TW_READ) &&
	       !(tw_tally_stage_error_ns(&tally.all, TW_LAT, TW_READ) > 0) &&
	       tally.all.scalars.every == 1, "each was chosen: nothing is an estimate");
}

static void test_counts(void)
{
	struct tw_attach_io io = io_of(READ, 1, 4096);
	const struct tw_counts *counts = tally.all.counts;

	begin();
	io.shift = 3;
	add(&io);
	io = io_of(READ, 1, -5);
	io.accepted_ns = 0;
	io.flags = TW_ATTACH_NOT_CHOSEN;
	add(&io);
	io.result = 512;
	add(&io);
	count(READ, 1, (struct tw_attach_counted) { 100, 4000, 2 });
	count(WRITE, 1, (struct tw_attach_counted) { 10, 400, 0 });
	count(FSYNC, 2, (struct tw_attach_counted) { 5, 0, 5 });
	tap_ok(tally.about_ios == 8, "an I/O that was chosen with 1 in 8 stands for 8");
	tw_attach_put_counted(&tally);
	tap_ok(counts[TW_READ].ios == 102 && counts[TW_READ].not_chosen == 101 &&
	       counts[TW_READ].bytes == 4096 + 512 + 4000 && counts[TW_READ].zero_byte == 2 &&
	       counts[TW_READ].errors == 1 && counts[TW_READ].unseen == 0 &&
	       tally.all.times[TW_LAT][TW_READ].count == 8,
	       "reads: those with times, those with a record, and the others");
	tap_ok(counts[TW_WRITE].ios == 10 && counts[TW_WRITE].not_chosen == 10 &&
	       counts[TW_WRITE].bytes == 400 && counts[TW_SYNC].ios == 5 &&
	       counts[TW_SYNC].bytes == 0 && counts[TW_SYNC].zero_byte == 0,
	       "writes, and syncs, which move nothing");
	tap_ok(tally.row_count == 3 && tally.rows[0].counts.ios == 102 &&
	       tally.rows[1].counts.ios == 10 && tally.rows[2].counts.ios == 5,
	       "and so do the rows");
	tw_attach_put_counted(&tally);
	tap_ok(counts[TW_READ].ios == 102, "once");
}

static void test_rest(void)
{
	uint64_t ios = 0;

	begin();
	for (unsigned i = 0; i < TW_ATTACH_MAX_ROWS + 500; i++)
		count(READV, i, (struct tw_attach_counted) { 3, 30, 0 });
	tw_attach_put_counted(&tally);
	for (uint32_t i = 0; i < tally.row_count; i++)
		ios += tally.rows[i].counts.ios;
	tap_ok(tally.row_count == TW_ATTACH_MAX_ROWS + 1 &&
	       tally.rows[TW_ATTACH_MAX_ROWS].counts.ios == 1500 &&
	       ios == 3 * (TW_ATTACH_MAX_ROWS + 500) &&
	       tally.all.counts[TW_READ].ios == ios, "more files than rows: none is lost");
}

int main(void)
{
	for (size_t i = 0; i < CHECKED; i++)
		if (tw_histogram_init(&right[checked[i]], 3))
			abort();
	for (size_t i = 0; i < sizeof(populations) / sizeof(*populations); i++)
		check_errors(i);
	test_all_chosen();
	test_counts();
	test_rest();
	tw_attach_tally_free(&tally);
	for (size_t i = 0; i < CHECKED; i++)
		tw_histogram_free(&right[checked[i]]);
	return tap_done();
}
