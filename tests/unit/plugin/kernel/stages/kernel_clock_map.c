/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: stamps of CLOCK_MONOTONIC become the engine's own time within their
 * stated error, however far apart the readings of both clocks are and however
 * CLOCK_MONOTONIC is steered. Missing stamps of an I/O are named. The five stages
 * inside the kernel add up to the time from entering it to seeing the completion,
 * whatever the stamps are. None is negative, and each point that had to be moved is
 * counted, as within the error or beyond it. Around missing stamps the stages are
 * one, which is none of the five.
 *
 * Defect: a slope over so short a time that its error counts, or one that is used
 * outside of its time; stamps in the wrong order; a stage that is a negative number.
 * Also a missing stamp taken for the time 0, or an earlier completion taken for the
 * last.
 *
 * The limit is the error that the join itself promises, from the errors of its
 * readings.
 */
#include "kernel/stages/clock_map.h"
#include <string.h>

#include "tap.h"

#define JOBS		200
#define READINGS	200
#define STAMPS		20	/* between two readings */
#define SPLITS		1000000
#define MONOTONIC_NS	3000000000000000

static uint64_t random_state;

static uint64_t below(uint64_t limit)
{
	return tap_random(&random_state) % limit;
}

static double one(void)
{
	return (double)(tap_random(&random_state) >> 11) * 0x1p-53;
}

/* ---- the clocks --------------------------------------------------------- */

/* CLOCK_MONOTONIC over the engine's own time: its rate changes after each reading. */
static struct {
	double from_own_ns[READINGS + 1];
	double from_monotonic_ns[READINGS + 1];
	double rate[READINGS + 1];
	unsigned last;
} clocks;

static double own_at(double monotonic_ns)
{
	unsigned i = clocks.last;

	while (i && monotonic_ns < clocks.from_monotonic_ns[i])
		i--;
	return clocks.from_own_ns[i] +
	       (monotonic_ns - clocks.from_monotonic_ns[i]) / clocks.rate[i];
}

static void steer(double interval_ns, double ppm)
{
	const unsigned i = clocks.last++;

	clocks.from_own_ns[i + 1] = clocks.from_own_ns[i] + interval_ns;
	clocks.from_monotonic_ns[i + 1] = clocks.from_monotonic_ns[i] +
					  interval_ns * clocks.rate[i];
	clocks.rate[i + 1] = 1 + ppm * 1e-6;
}

/*
 * Return what a job would read now: the middle of a bracket; the true time is
 * anywhere in it.
 */
static struct tw_reading reading(int64_t error_ns)
{
	const double off_ns = (2 * one() - 1) * (double)error_ns;

	return (struct tw_reading) {
		.own_ns = (int64_t)(clocks.from_own_ns[clocks.last] + off_ns),
		.monotonic_ns = MONOTONIC_NS +
			(int64_t)clocks.from_monotonic_ns[clocks.last],
		/* Both are whole numbers here. */
		.error_ns = error_ns + 1,
	};
}

static struct {
	uint64_t stamps, bad_new, bad_old;
	double worst_new_ns, worst_old_ns;	/* beyond the error */
} seen;

/* Check a stamp at @monotonic_ns since the beginning. */
static void convert(const struct tw_clock_map *map, double monotonic_ns)
{
	const uint64_t stamp_ns = MONOTONIC_NS + (uint64_t)monotonic_ns;
	const double is_ns = (double)tw_clock_map_own_ns(map, stamp_ns);
	const double right_ns = own_at((double)(uint64_t)monotonic_ns);
	const double off_ns = is_ns > right_ns ? is_ns - right_ns :
						 right_ns - is_ns;
	const double beyond_ns =
		off_ns - (double)tw_clock_map_error_ns(map, stamp_ns);
	const bool old = (int64_t)stamp_ns < map->before.monotonic_ns;

	seen.stamps++;
	if (beyond_ns <= 0)
		return;
	if (old)
		seen.bad_old++;
	else
		seen.bad_new++;
	if (old && beyond_ns > seen.worst_old_ns)
		seen.worst_old_ns = beyond_ns;
	if (!old && beyond_ns > seen.worst_new_ns)
		seen.worst_new_ns = beyond_ns;
}

/* Check stamps since the last reading, and of I/Os that were in flight long before. */
static void convert_some(const struct tw_clock_map *map)
{
	const double from = clocks.from_monotonic_ns[clocks.last - 1];
	const double to = clocks.from_monotonic_ns[clocks.last];

	for (unsigned i = 0; i < STAMPS; i++) {
		const double before_ns = one() * (to - from);

		convert(map, from + one() * (to - from));
		convert(map, from * one());
		convert(map, before_ns < from ? from - before_ns : from);
	}
}

/* One job: readings at intervals from 1 us to 10 s, with errors of 0 to 2 us. */
static void one_job(double steered_ppm)
{
	struct tw_clock_map map = { .max_error_ns = 0 };

	clocks.last = 0;
	clocks.from_own_ns[0] = clocks.from_monotonic_ns[0] = 0;
	clocks.rate[0] = 1 + (2 * one() - 1) * steered_ppm * 1e-6;
	tw_clock_map_read(&map, reading((int64_t)below(100)));
	while (clocks.last < READINGS) {
		double interval_ns = (double)(1000ULL << below(23)) *
				     (1 + one());

		steer(interval_ns, (2 * one() - 1) * steered_ppm);
		tw_clock_map_read(&map, reading((int64_t)(below(8) ? below(100) :
						      below(2000))));
		convert_some(&map);
	}
}

static void steered(double ppm)
{
	memset(&seen, 0, sizeof(seen));
	for (unsigned i = 0; i < JOBS; i++)
		one_job(ppm);
	if (!tap_ok(!seen.bad_new && !seen.bad_old, "CLOCK_MONOTONIC steered "
		    "by up to %.0f ppm: %" PRIu64 " stamps, each within its "
		    "error", ppm, seen.stamps))
		tap_note("beyond it: %" PRIu64 " of the last interval by up to "
			 "%.0f ns, %" PRIu64 " older ones by up to %.0f ns",
			 seen.bad_new, seen.worst_new_ns, seen.bad_old,
			 seen.worst_old_ns);
}

static struct tw_reading exact(int64_t own_ns, int64_t monotonic_ns)
{
	return (struct tw_reading) { own_ns, monotonic_ns, 10 };
}

static bool is_own(const struct tw_clock_map *map, uint64_t monotonic_ns,
		   int64_t own_ns)
{
	const int64_t off_ns = tw_clock_map_own_ns(map, monotonic_ns) - own_ns;

	return off_ns >= -1 && off_ns <= 1;
}

static void lines(void)
{
	struct tw_clock_map map = { .max_error_ns = 0 };

	tw_clock_map_read(&map, exact(1000, 5000));
	tap_ok(is_own(&map, 5000, 1000) && is_own(&map, 5700, 1700) &&
	       map.error_ns == 11, "after the first reading both clocks have "
	       "one rate");
	tw_clock_map_read(&map, exact(2000, 7000));
	tap_ok(is_own(&map, 5000, 1000) && is_own(&map, 6000, 1500) &&
	       is_own(&map, 7000, 2000), "between two readings: the straight "
	       "line through both");
	tw_clock_map_read(&map, exact(6000, 8000));
	tap_ok(is_own(&map, 7250, 3000) && is_own(&map, 6000, 1500),
	       "the next reading leaves the line before it as it was");
	tw_clock_map_read(&map, exact(7000, 9000));
	tap_ok(is_own(&map, 8000, 6000) && is_own(&map, 5000, 1000) &&
	       is_own(&map, 6500, 3500), "older stamps: the line from the "
	       "first reading to the one before the last");
	tap_ok(tw_clock_map_error_ns(&map, 8000) == 11 &&
	       tw_clock_map_error_ns(&map, 7000) == 12 && map.max_error_ns == 11,
	       "which may be off by 1000 ppm of the time before that one");

	map = (struct tw_clock_map) { .max_error_ns = 0 };
	tw_clock_map_read(&map, (struct tw_reading) { 1000, 1000, 500 });
	tw_clock_map_read(&map, exact(2000, 2000));
	tw_clock_map_read(&map, exact(3000, 3000));
	tap_ok(tw_clock_map_error_ns(&map, 2500) == 11 &&
	       tw_clock_map_error_ns(&map, 1500) == 501,
	       "a wide reading counts only for stamps before the next two");
}

static void steps(void)
{
	struct tw_clock_map map = { .max_error_ns = 0 };

	tw_clock_map_read(&map, exact(1000000, 1000000));
	tw_clock_map_read(&map, exact(2000000, 2000000));
	/* The engine's own clock goes back by an hour. */
	tw_clock_map_read(&map, exact(3000000 - 3600000000000, 3000000));
	tap_ok(is_own(&map, 2900000, 2900000 - 3600000000000),
	       "after a step back: from the last reading at the rate 1");
	tw_clock_map_read(&map, exact(4000000 - 3600000000000, 4000000));
	tap_ok(is_own(&map, 3400000, 3400000 - 3600000000000) &&
	       is_own(&map, 4000000, 4000000 - 3600000000000),
	       "and with the reading after that as before");
	/* It goes forward by an hour. */
	tw_clock_map_read(&map, exact(5000000, 5000000));
	tw_clock_map_read(&map, exact(6000000, 6000000));
	tap_ok(is_own(&map, 5400000, 5400000), "a step forward likewise");
	/* A reading of the same nanosecond. */
	tw_clock_map_read(&map, exact(6000000, 6000000));
	tap_ok(is_own(&map, 6000000, 6000000) &&
	       is_own(&map, 5400000, 5400000),
	       "two readings of one moment are no slope");
	tw_clock_map_read(&map, (struct tw_reading) { 7000000, 7000000, 500 });
	tw_clock_map_read(&map, exact(8000000, 8000000));
	tap_ok(map.error_ns == 501 && map.max_error_ns == 501,
	       "the error is that of the worse of two readings");
	tw_clock_map_read(&map, exact(9000000, 9000000));
	tap_ok(map.error_ns == 11 && map.max_error_ns == 501,
	       "and the largest is kept");
}

/* ---- what is known of an I/O -------------------------------------------- */

static void stamps_missing(void)
{
	static const char *const names[TW_SPLIT_STATUSES] = {
		[TW_SPLIT_ALL] = "split", [TW_SPLIT_NO_REQUEST] = "no request",
		[TW_SPLIT_MISSING] = "missing stamp", [TW_SPLIT_NO_STAMPS] = "no stamps",
	};

	/* Bits: which of the four stamps exist. */
	for (unsigned has = 0; has < 16; has++) {
		const struct tw_kernel_stamps stamps = {
			.key = TW_KEY_CHOSEN,
			.accepted_ns = has & 1 ? 1 : 0,
			.dispatched_ns = has & 2 ? 2 : 0,
			.finished_ns = has & 4 ? 3 : 0,
			.posted_ns = has & 8 ? 4 : 0,
		};
		const enum tw_split_status right =
			!(has & 1) ? TW_SPLIT_NO_STAMPS :
			!(has & 6) ? TW_SPLIT_NO_REQUEST :
			has == 15 ? TW_SPLIT_ALL : TW_SPLIT_MISSING;

		tap_ok(tw_split_status_of(&stamps) == right,
		       "accepted %u, dispatched %u, finished %u, posted %u: %s",
		       has & 1, has >> 1 & 1, has >> 2 & 1, has >> 3,
		       names[right]);
	}
}

/* Check an I/O of which @due bytes were dispatched, @finished bytes finished and @moved
 * bytes are the result: which of the two stamps are known. */
static void bytes_of(uint32_t due, uint32_t finished, uint64_t moved, bool has_holes,
		     bool first, bool last, const char *what)
{
	struct tw_kernel_stamps stamps = { .key = TW_KEY_CHOSEN, .accepted_ns = 1, .dispatched_ns = 2,
		.finished_ns = 3, .posted_ns = 4,
		.due_bytes = due, .finished_bytes = finished };

	tw_mark_unseen(&stamps, moved, has_holes);
	tap_ok(tw_dispatched_ns(&stamps) == (first ? 2 : 0) &&
	       tw_finished_ns(&stamps) == (last ? 3 : 0) &&
	       tw_split_status_of(&stamps) == (first && last ? TW_SPLIT_ALL :
							 TW_SPLIT_MISSING), "%s", what);
}

/* The same of a mirrored write of 4096 bytes. */
static void mirrored(uint32_t due, uint32_t finished, bool first, bool last, const char *what)
{
	struct tw_kernel_stamps stamps = { .key = TW_KEY_CHOSEN, .dispatched_ns = 2, .finished_ns = 3,
		.flags = TW_STAMPS_MIRRORED, .due_bytes = due, .finished_bytes = finished };

	tw_mark_unseen(&stamps, 4096, false);
	tap_ok(tw_dispatched_ns(&stamps) == (first ? 2 : 0) &&
	       tw_finished_ns(&stamps) == (last ? 3 : 0), "mirrored: %s", what);
}

/* Of the I/O's bytes: those to be transferred and those that were. */
static void bytes_missing(void)
{
	struct tw_kernel_stamps stamps = { .key = TW_KEY_CHOSEN, .accepted_ns = 1, .dispatched_ns = 2,
		.finished_ns = 3, .posted_ns = 4, .flags = TW_STAMPS_SYNC_WRITE,
		.due_bytes = 8192, .finished_bytes = 4096 };

	bytes_of(8192, 8192, 8192, false, true, true, "all bytes: split");
	bytes_of(8192, 8192, 5000, false, true, true,
		 "fewer are the result, of a read at the end of the file: split");
	bytes_of(16384, 8192, 8192, false, true, true,
		 "dispatched twice, since it was requeued: split");
	bytes_of(8192, 4096, 8192, false, true, false,
		 "fewer finished: the last completion was not seen");
	bytes_of(4096, 8192, 8192, false, false, true,
		 "fewer dispatched: the first dispatch may be of the others");
	bytes_of(4096, 4096, 8192, false, false, false,
		 "a part that was never seen: neither is known");
	bytes_of(4096, 4096, 8192, true, true, true,
		 "unless it may be a hole, in a read of a file");
	bytes_of(8192, 4096, 8192, true, true, false,
		 "there what was dispatched has to finish");
	bytes_of(4096, 8192, 8192, true, false, true,
		 "and what finished was dispatched");
	bytes_of(16384, 8192, 8192, true, true, true, "requeued there, too");
	bytes_of(0, 0, 0, false, true, true, "a command, which has no bytes: split");
	bytes_of(4096, 4096, 0, false, true, true, "no result in bytes: all finished");
	bytes_of(4096, 0, 0, false, true, false, "or not all");

	mirrored(8192, 8192, true, true, "two copies");
	mirrored(4096, 4096, true, true, "the only copy that is left");
	mirrored(12288, 8192, true, true, "two copies, one of them requeued");
	mirrored(8192, 4096, true, false, "the last copy was not seen to finish");
	mirrored(4096, 8192, false, true, "the first copy was not seen to be dispatched");

	tw_mark_unseen(&stamps, 8192, false);
	tap_ok(tw_split_status_of(&stamps) == TW_SPLIT_SYNC_WRITE && !tw_finished_ns(&stamps),
	       "O_SYNC: the last completion needs not be seen");
	stamps.flags = TW_STAMPS_SYNC_WRITE | TW_STAMPS_DISK | TW_STAMPS_MIRRORED;
	tap_ok(tw_split_status_of(&stamps) == TW_SPLIT_SYNC_WRITE && !tw_finished_ns(&stamps),
	       "since it would not be the last, on LVM and md, too");
	stamps.flags |= TW_STAMPS_SYNC_SEEN;
	tap_ok(tw_split_status_of(&stamps) == TW_SPLIT_ALL && tw_finished_ns(&stamps) == 3,
	       "it is the last of the data where the sync is known");
	stamps.flags = TW_STAMPS_SYNC_WRITE;
	stamps.dispatched_ns = 0;
	tap_ok(tw_split_status_of(&stamps) == TW_SPLIT_MISSING,
	       "but the dispatch has to be");
}

/* ---- its stages --------------------------------------------------------- */

struct split {
	uint64_t ns[TW_INSIDE_STAGES];
	uint64_t joined_ns;
	unsigned joined;
	struct tw_negative_stages negative;
};

/* The engine's own time is CLOCK_MONOTONIC here, and stamps are 1000 and more. */
static struct split split_of(int64_t error_ns, int64_t enter_ns, int64_t seen_ns,
			     const uint64_t ends_ns[4], uint32_t unfinished_bytes)
{
	struct tw_clock_map map = { .max_error_ns = 0 };
	struct tw_kernel_stamps stamps = { .key = TW_KEY_CHOSEN, .accepted_ns = ends_ns[0],
		.dispatched_ns = ends_ns[1], .finished_ns = ends_ns[2],
		.posted_ns = ends_ns[3], .due_bytes = unfinished_bytes };
	struct split split = { .negative = { 0 } };

	tw_mark_unseen(&stamps, unfinished_bytes, false);

	/* The join adds one for rounding. */
	tw_clock_map_read(&map, (struct tw_reading) { 0, 0, error_ns - 1 });
	split.joined = tw_split(&map, &stamps, enter_ns, seen_ns,
				       split.ns, &split.joined_ns,
				       &split.negative);
	return split;
}

/* Each I/O enters at 1000, and the error is 100 ns. */
static const struct {
	const char *what;
	int64_t seen_ns;
	uint64_t ends_ns[4];		/* 0: missing */
	uint32_t unfinished_bytes;
	uint64_t ns[TW_INSIDE_STAGES];
	unsigned joined;		/* bits of stages */
	uint64_t joined_ns;
	struct tw_negative_stages negative;
} splits[] = {
	{ "each stage lasts from one stamp to the next", 6000, { 1001, 1022, 1322, 5322 }, 0,
	  { 1, 21, 300, 4000, 678 }, 0, 0, { 0, 0 } },
	{ "all at once", 1000, { 1000, 1000, 1000, 1000 }, 0, { 0 }, 0, 0, { 0, 0 } },
	{ "accepted before it entered, within the error", 2000, { 900, 1200, 1300, 1400 }, 0,
	  { 0, 200, 100, 100, 600 }, 0, 0, { 1, 0 } },
	{ "and beyond it", 2000, { 899, 1200, 1300, 1400 }, 0, { 0, 200, 100, 100, 600 },
	  0, 0, { 0, 1 } },
	{ "posted after it was seen, within the error", 2000, { 1100, 1200, 1300, 2100 }, 0,
	  { 100, 100, 100, 700, 0 }, 0, 0, { 1, 0 } },
	{ "and beyond it", 2000, { 1100, 1200, 1300, 2101 }, 0, { 100, 100, 100, 700, 0 },
	  0, 0, { 0, 1 } },
	{ "finished before it was dispatched", 2000, { 1100, 1500, 1200, 1600 }, 0,
	  { 100, 400, 0, 100, 400 }, 0, 0, { 0, 1 } },
	{ "all before it entered: all of it is reap", 2000, { 500, 500, 950, 1000 }, 0,
	  { 0, 0, 0, 0, 1000 }, 0, 0, { 1, 2 } },
	{ "all after it was seen: all of it is submit", 2000, { 2001, 2050, 9000, 9000 }, 0,
	  { 1000, 0, 0, 0, 0 }, 0, 0, { 2, 2 } },
	{ "seen before it entered", 900, { 950, 950, 950, 950 }, 0, { 0 }, 0, 0, { 4, 0 } },
	{ "not dispatched: blockq and device are one", 4100, { 1100, 0, 1700, 2500 }, 0,
	  { 100, 0, 0, 800, 1600 }, 2 | 4, 600, { 0, 0 } },
	{ "not finished: device and complete", 4100, { 1100, 1300, 0, 2500 }, 0,
	  { 100, 200, 0, 0, 1600 }, 4 | 8, 1200, { 0, 0 } },
	{ "not posted: complete and reap", 4100, { 1100, 1300, 1700, 0 }, 0,
	  { 100, 200, 400, 0, 0 }, 8 | 16, 2400, { 0, 0 } },
	{ "neither of the last two: device to reap", 4100, { 1100, 1300, 0, 0 }, 0,
	  { 100, 200, 0, 0, 0 }, 4 | 8 | 16, 2800, { 0, 0 } },
	{ "the first and the last: all between them, too", 4100, { 1100, 0, 1700, 0 }, 0,
	  { 100, 0, 0, 0, 0 }, 2 | 4 | 8 | 16, 3000, { 0, 0 } },
	{ "not all bytes finished: device and complete", 4100, { 1100, 1300, 1700, 2500 },
	  4096, { 100, 200, 0, 0, 1600 }, 4 | 8, 1200, { 0, 0 } },
	{ "a joined one that is negative is 0 and counted", 4100, { 1100, 0, 900, 2500 }, 0,
	  { 100, 0, 0, 1400, 1600 }, 2 | 4, 0, { 0, 1 } },
};

static void points(void)
{
	for (size_t i = 0; i < sizeof(splits) / sizeof(*splits); i++) {
		const struct split is = split_of(100, 1000, splits[i].seen_ns,
			splits[i].ends_ns, splits[i].unfinished_bytes);

		if (!tap_ok(!memcmp(is.ns, splits[i].ns, sizeof(is.ns)) &&
			    is.joined == splits[i].joined &&
			    is.joined_ns == splits[i].joined_ns &&
			    is.negative.within == splits[i].negative.within &&
			    is.negative.beyond == splits[i].negative.beyond, "%s",
			    splits[i].what))
			tap_note("submit %" PRIu64 ", blockq %" PRIu64 ", device %" PRIu64
				 ", complete %" PRIu64 ", reap %" PRIu64 ", joined %" PRIu64
				 " (bits %x); within %" PRIu64 ", beyond %" PRIu64,
				 is.ns[0], is.ns[1], is.ns[2], is.ns[3], is.ns[4],
				 is.joined_ns, is.joined, is.negative.within,
				 is.negative.beyond);
	}
}

/* The parts of blockq, and which of them are known. */
struct parts {
	enum { PARTS_UNKNOWN, PARTS_BOUND, PARTS_EXACT } are;
	uint64_t worker_ns, before_ns, admission_ns, scheduler_ns;
};

static struct parts parts_of(const struct tw_clock_map *map,
			     const struct tw_kernel_stamps *stamps, uint64_t blockq_ns)
{
	struct tw_io_times times = { .has = 0 };

	tw_put_time(&times, TW_BLOCKQ, blockq_ns);
	tw_split_blockq(map, stamps, &times);
	return (struct parts) {
		.are = tw_io_has(&times, TW_BEFORE) ? PARTS_EXACT :
		       tw_io_has(&times, TW_SCHEDULER) ? PARTS_BOUND : PARTS_UNKNOWN,
		.worker_ns = times.ns[TW_WORKER], .before_ns = times.ns[TW_BEFORE],
		.admission_ns = times.ns[TW_ADMISSION], .scheduler_ns = times.ns[TW_SCHEDULER],
	};
}

/* Accepted at 1000, dispatched at 2000, in the kernel's time. The parts: worker, before,
 * admission, scheduler. */
static void parts(void)
{
	static const struct {
		const char *what;
		uint64_t handed_ns, begun_ns, queued_ns, got_ns, blockq_ns;
		struct parts are;
	} cases[] = {
		{ "nothing is known", 0, 0, 0, 0, 1000,
		  { PARTS_UNKNOWN, 0, 0, 0, 0 } },
		{ "a start: scheduler at most", 0, 0, 0, 1300, 1000,
		  { PARTS_BOUND, 0, 0, 0, 700 } },
		{ "a start before acceptance: all", 0, 0, 0, 900, 1000,
		  { PARTS_BOUND, 0, 0, 0, 1000 } },
		{ "a start after the dispatch: none", 0, 0, 0, 2001, 1000,
		  { PARTS_BOUND, 0, 0, 0, 0 } },
		{ "queued, got", 0, 0, 1200, 1900, 1000,
		  { PARTS_EXACT, 0, 200, 700, 100 } },
		{ "merged", 0, 0, 1200, 0, 1000, { PARTS_EXACT, 0, 200, 0, 800 } },
		{ "got before it was queued", 0, 0, 1900, 1200, 1000,
		  { PARTS_EXACT, 0, 200, 0, 800 } },
		{ "queued after the dispatch", 0, 0, 2500, 2600, 1000,
		  { PARTS_EXACT, 0, 1000, 0, 0 } },
		{ "blockq is shorter than these stamps", 0, 0, 1200, 1900, 50,
		  { PARTS_EXACT, 0, 0, 0, 50 } },
		{ "blockq is longer", 0, 0, 1200, 1900, 3000,
		  { PARTS_EXACT, 0, 2200, 700, 100 } },
		{ "a worker: before is on both sides of it", 1010, 1150, 1200, 1900, 1000,
		  { PARTS_EXACT, 140, 60, 700, 100 } },
		{ "a worker begins with the bio", 1010, 1200, 1200, 1900, 1000,
		  { PARTS_EXACT, 190, 10, 700, 100 } },
		{ "no worker was seen", 1010, 0, 1200, 1900, 1000,
		  { PARTS_EXACT, 0, 200, 700, 100 } },
		{ "handed before acceptance", 900, 1150, 1200, 1900, 1000,
		  { PARTS_EXACT, 150, 50, 700, 100 } },
		{ "a worker begins before it was handed", 1100, 1050, 1200, 1900, 1000,
		  { PARTS_EXACT, 0, 200, 700, 100 } },
		{ "a worker begins after the bio", 1100, 1300, 1200, 1900, 1000,
		  { PARTS_EXACT, 100, 100, 700, 100 } },
		{ "handed after the bio", 1250, 1300, 1200, 1900, 1000,
		  { PARTS_EXACT, 0, 200, 700, 100 } },
		{ "a worker, and blockq is shorter than the stamps", 1010, 1150, 1200, 1900, 820,
		  { PARTS_EXACT, 0, 20, 700, 100 } },
		{ "a worker, but only a start is known", 1010, 1150, 0, 1900, 1000,
		  { PARTS_BOUND, 0, 0, 0, 100 } },
	};
	struct tw_clock_map map = { .rate = 1 };

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		const bool at_once = i % 2;
		const struct parts *are = &cases[i / 2].are;
		const struct tw_kernel_stamps stamps = { .dispatched_ns = 2000,
			.flags = at_once ? TW_STAMPS_BEGUN : 0,
			.handed_ns = cases[i / 2].handed_ns, .begun_ns = cases[i / 2].begun_ns,
			.queued_ns = cases[i / 2].queued_ns, .got_ns = cases[i / 2].got_ns };
		const struct parts is =
			parts_of(&map, &stamps, cases[i / 2].blockq_ns);
		const bool bound = stamps.handed_ns && stamps.begun_ns && stamps.queued_ns &&
				   !at_once;

		if (!tap_ok(is.are == are->are && is.worker_ns == are->worker_ns &&
			    is.before_ns == are->before_ns &&
			    is.admission_ns == are->admission_ns &&
			    is.scheduler_ns == are->scheduler_ns &&
			    tw_worker_is_bound(&stamps) == bound,
			    "parts of blockq: %s%s", cases[i / 2].what,
			    at_once ? "" : "; a worker is seen late"))
			tap_note("worker %" PRIu64 ", before %" PRIu64 ", admission %" PRIu64
				 ", scheduler %" PRIu64, is.worker_ns, is.before_ns,
				 is.admission_ns, is.scheduler_ns);
	}
	map.rate = 1.5;
	tap_ok(parts_of(&map, &(struct tw_kernel_stamps) { .dispatched_ns = 2000,
				.got_ns = 1900 }, 1000).scheduler_ns == 150,
	       "parts of blockq are in the engine's time");
}

/* Any stamps, in any order: the parts add up. */
static void any_parts(void)
{
	const struct tw_clock_map map = { .rate = 0.999 };
	unsigned wrong = 0, exact = 0, workers = 0;

	for (unsigned i = 0; i < SPLITS; i++) {
		const uint64_t blockq_ns = below(1000);
		const struct tw_kernel_stamps stamps = {
			.dispatched_ns = 2000,
			.handed_ns = below(2) * (900 + below(1200)),
			.begun_ns = below(2) * (900 + below(1200)),
			.queued_ns = below(4) ? 900 + below(1200) : 0,
			.got_ns = below(4) ? 900 + below(1200) : 0,
		};
		const struct parts is = parts_of(&map, &stamps, blockq_ns);

		exact += is.are == PARTS_EXACT;
		workers += is.worker_ns != 0;
		wrong += is.are == PARTS_EXACT ?
			 is.worker_ns + is.before_ns + is.admission_ns + is.scheduler_ns !=
				blockq_ns ||
			 is.worker_ns > blockq_ns || is.before_ns > blockq_ns ||
			 is.admission_ns > blockq_ns :
			 is.worker_ns || is.before_ns || is.scheduler_ns > blockq_ns;
	}
	tap_ok(!wrong && exact > SPLITS / 2 && workers > SPLITS / 50, "%d I/Os with any stamps: "
	       "the four parts add up to blockq (wrong: %u; exact %u, workers %u)", SPLITS,
	       wrong, exact, workers);
}

static int64_t clamped(int64_t at, int64_t from, int64_t to)
{
	return at < from ? from : at > to ? to : at;
}

/* Any stamps, in any order. */
static void any_stamps(void)
{
	unsigned wrong_sum = 0, wrong_stage = 0, wrong_count = 0, reversed = 0;
	unsigned missed = 0;

	for (unsigned i = 0; i < SPLITS; i++) {
		const uint64_t span = 2 + (1ULL << below(40));
		const int64_t enter_ns = 1000 + (int64_t)below(span);
		const int64_t seen_ns = 1000 + (int64_t)below(span);
		const uint64_t missing = below(4) ? 0 : below(8) << 1;
		const uint64_t ends_ns[4] = { 1000 + below(span),
			missing & 2 ? 0 : 1000 + below(span),
			missing & 4 ? 0 : 1000 + below(span),
			missing & 8 ? 0 : 1000 + below(span) };
		const int64_t error_ns = 1 + (int64_t)below(span);
		const struct split split =
			split_of(error_ns, enter_ns, seen_ns, ends_ns, 0);
		const int64_t to_ns = seen_ns > enter_ns ? seen_ns : enter_ns;
		int64_t from_ns = enter_ns;
		uint64_t sum_ns = split.joined_ns, within = 0, beyond = 0;

		for (unsigned j = 0; j < TW_INSIDE_STAGES; j++) {
			const int64_t at_ns = j < 4 ? (int64_t)ends_ns[j] :
						      to_ns;
			const int64_t end_ns = clamped(at_ns, from_ns, to_ns);
			const int64_t off_ns = at_ns > end_ns ?
				at_ns - end_ns : end_ns - at_ns;
			const bool joined = split.joined >> j & 1;

			sum_ns += split.ns[j];
			/* All but the last of these have no end of their own. */
			if (joined && split.joined >> (j + 1) & 1) {
				wrong_stage += split.ns[j] != 0;
				continue;
			}
			wrong_stage += (joined ? split.joined_ns :
				split.ns[j]) != (uint64_t)(end_ns - from_ns);
			wrong_stage += joined && split.ns[j];
			within += off_ns > 0 && off_ns <= error_ns;
			beyond += off_ns > error_ns;
			from_ns = end_ns;
		}
		reversed += seen_ns < enter_ns;
		missed += split.joined != 0;
		wrong_sum += sum_ns != (uint64_t)(to_ns - enter_ns);
		wrong_count += within != split.negative.within ||
			       beyond != split.negative.beyond;
	}
	tap_ok(!wrong_sum && reversed > SPLITS / 4, "%d I/Os with any stamps: "
	       "the stages add up to seen - enter, or to 0 (wrong: %u)",
	       SPLITS, wrong_sum);
	tap_ok(!wrong_stage && missed > SPLITS / 8, "each point is moved no farther than needed "
	       "(wrong: %u)", wrong_stage);
	tap_ok(!wrong_count, "each that was moved is counted (wrong: %u)",
	       wrong_count);
}

int main(void)
{
	random_state = tap_seed();
	lines();
	steps();
	steered(0);
	steered(50);
	steered(500);
	stamps_missing();
	bytes_missing();
	points();
	parts();
	any_parts();
	any_stamps();
	return tap_done();
}
