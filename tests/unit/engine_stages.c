/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: what a report says of the stages of a job's I/Os is what their
 * stamps say, to the tick: which I/Os have which stage, how long each lasted,
 * that queue and inflight are the total, which were the slowest, what happened
 * over time, and, with tw_event_time=1, what fio takes for their latencies. All
 * of it through the engine's own hooks, with a kernel and a counter made by hand.
 * Defect: a stage between the wrong stamps, an I/O with another one's stamps, one
 * that is recorded twice or not at all, a stamp for all that was meant for each.
 *
 * What is right is kept beside: when each I/O was queued, when the kernel was
 * entered and left with it, when the ring was looked at after it appeared there,
 * when fio took it. At 1 GHz a tick is a nanosecond and nothing is rounded: then
 * each histogram must be the same, bin by bin. At other rates a conversion is
 * right to 1 ns, and to half of one for each end that is compared: 2 ns for each
 * I/O, where 50 are allowed.
 */
#include "engine_world.h"

#define IOS		3000
#define PROMISED_NS	2
#define SLOWEST		25

/* What the test knows of an I/O. */
struct known {
	bool is_free;
	uint64_t queued, enter, entered, seen;
	bool waits;		/* after it was seen */
	uint64_t fio_ns;	/* fio's clock when the call was over */
};

struct shape {
	const char *name;
	unsigned depth, batch, min, max;
	bool at_once, stages, event_time;
	uint64_t hz;
	double fio_fast;
	unsigned fio_clock;	/* 0: the counter */
};

enum stage { QUEUE, ENTER, INFLIGHT, RETURN, TOTAL, STAGES };
static const char *const stage_names[STAGES] = {
	"queue", "enter", "inflight", "return", "total",
};

static struct known known[WORLD_DEPTH];
static unsigned order[WORLD_DEPTH];	/* of entries, by place */
static unsigned looked;			/* entries up to here were seen */
static bool looks_at_submit;
static struct tw_histogram right[STAGES][2];
static uint64_t totals[IOS], seen_at[IOS];
static unsigned recorded;
static uint64_t began;
static unsigned wrong_fio;		/* times that fio would take */
static uint64_t random_state;

static uint64_t below(uint64_t limit)
{
	return tap_random(&random_state) % limit;
}

/* Short ones and long ones alike. */
static uint64_t some_ticks(void)
{
	return 1 + below(20ULL << below(16));
}

static uint64_t ns_of(uint64_t from, uint64_t to)
{
	return (uint64_t)((double)(to - from) * 1e9 /
			  world.timing.clock.rate.hz + 0.5);
}

/* ---- what is right ----------------------------------------------------- */

/* At the end of a call that submitted, or because fio asks: then only those wait
 * that have one before them. */
static void look(bool fio_asks)
{
	for (; looked != world.cq_tail; looked++) {
		struct known *io = &known[order[looked % WORLD_DEPTH]];

		io->seen = engine_now_ticks;
		io->waits = !fio_asks || looked != world.cq_head;
	}
}

static bool is_queued(unsigned i)
{
	return !known[i].is_free && !known[i].entered;
}

static void entering(void)
{
	for (unsigned i = 0; i < world.td.o.iodepth; i++)
		if (is_queued(i))
			known[i].enter = engine_now_ticks;
	/* No call is over within a nanosecond, whatever the rate. */
	world.enter_ticks = 20 + some_ticks();
}

static bool in_this_call[WORLD_DEPTH];

static void accepted(unsigned i)
{
	in_this_call[i] = true;
}

static void left(void)
{
	bool submitted = false;

	for (unsigned i = 0; i < world.td.o.iodepth; i++) {
		if (!in_this_call[i])
			continue;
		in_this_call[i] = false;
		submitted = true;
		known[i].entered = engine_now_ticks;
		known[i].fio_ns = world_fio_ns();
	}
	if (submitted && looks_at_submit)
		look(world.td.o.iodepth == 1);
	else if (!submitted && world.cq_head == looked)
		look(true);
}

static void appeared(unsigned i)
{
	order[(world.cq_tail - 1) % WORLD_DEPTH] = i;
}

static void add(enum stage stage, unsigned direction, uint64_t from,
		uint64_t to)
{
	tw_histogram_add(&right[stage][direction], ns_of(from, to));
}

static void done(unsigned i, bool with_return)
{
	unsigned direction = world.io_us[i].ddir;
	struct known *io = &known[i];

	add(TOTAL, direction, io->queued, io->seen);
	seen_at[recorded] = io->seen - began;
	totals[recorded++] = ns_of(io->queued, io->seen);
	if (!world.options.stages)
		return;
	if (io->queued != io->enter)
		add(QUEUE, direction, io->queued, io->enter);
	add(ENTER, direction, io->enter, io->entered);
	add(INFLIGHT, direction, io->enter, io->seen);
	if (with_return)
		add(RETURN, direction, io->seen, engine_now_ticks);
}

/* ---- fio --------------------------------------------------------------- */

/* Its clat, from what it reads after ->getevents(), in the way of this fio. */
static int64_t fio_clat_ns(const struct io_u *io_u, uint64_t read_ns)
{
#ifdef TW_FIO_COMPLETE_TIME
	if (world.options.event_time)
		read_ns = io_u->complete_nsec;
#endif
#ifdef TW_FIO_NSEC
	return (int64_t)(read_ns - io_u->issue_nsec);
#else
	return (int64_t)(read_ns - (uint64_t)io_u->issue_time.tv_sec *
			 1000000000 - (uint64_t)io_u->issue_time.tv_nsec);
#endif
}

static void check_fio(unsigned i, uint64_t read_ns, uint64_t taken)
{
	uint64_t right_ns = read_ns - known[i].fio_ns;
	int64_t off_ns;

	if (world.options.event_time)
		right_ns -= ns_of(known[i].seen, taken);
	off_ns = fio_clat_ns(&world.io_us[i], read_ns) - (int64_t)right_ns;
	/* Followed for 100 us at 20 ppm: 2 ns more. */
	if (off_ns < -2 * PROMISED_NS || off_ns > 2 * PROMISED_NS)
		wrong_fio++;
#ifndef TW_FIO_NSEC
	if (world.io_us[i].issue_time.tv_nsec >= (long)TW_NS_PER_SECOND)
		wrong_fio++;
#endif
}

static void queue_one(unsigned i, unsigned number)
{
	struct io_u *io_u;
	enum fio_q_status status;

	world_pass(some_ticks());
	io_u = world_transfer(i, below(3) ? DDIR_READ : DDIR_WRITE,
			      number * 4096ULL, 4096);
	/* One in four is done before the call is over. */
	world.takes_ticks[i] = below(4) ? some_ticks() : 0;
	known[i] = (struct known) { .queued = engine_now_ticks };
	world_queue(io_u, &status);
	if (status != FIO_Q_QUEUED)
		tap_note("io_u %u: not queued", i);
}

static unsigned take(unsigned min, unsigned max)
{
	uint64_t read_ns, taken;
	int events;

	if (looked - world.cq_head < max)
		look(true);
	events = tw_getevents(&world.td, min, max, NULL);
	taken = engine_now_ticks;
	read_ns = world_fio_ns();
	for (int event = 0; event < events; event++) {
		struct io_u *io_u;
		unsigned i;

		world_pass(some_ticks());
		io_u = tw_event(&world.td, event);
		i = world_index(io_u);
		done(i, events > 1 || known[i].waits);
		check_fio(i, read_ns, taken);
		known[i].is_free = true;
	}
	return (unsigned)events;
}

/* As fio's main loop: fill up, now and then commit early, then take some. */
static void run_job(const struct shape *shape)
{
	unsigned number = 0, in_flight = 0;

	while (number < IOS || in_flight) {
		unsigned i, min = shape->min;

		for (i = 0; i < shape->depth && number < IOS; i++) {
			if (!known[i].is_free)
				continue;
			queue_one(i, number++);
			in_flight++;
			if (!below(6))
				break;
		}
		world_pass(some_ticks());
		world_commit();
		if (min > in_flight)
			min = in_flight;
		if (in_flight)
			in_flight -= take(min, shape->max);
	}
}

/* ---- the report -------------------------------------------------------- */

static uint64_t number_of(const json_t *object, const char *key)
{
	uint64_t value = 0;

	tw_json_to_u64(json_object_get(object, key), &value);
	return value;
}

static void check_exact(enum stage stage, unsigned direction,
			const char *name)
{
	json_t *should = tw_histogram_to_json(&right[stage][direction]);
	const json_t *is = world_stage(stage_names[stage], name);

	tap_ok(is ? json_equal(is, should) : !right[stage][direction].count,
	       "%s of %s: %" PRIu64 " I/Os, each to the tick",
	       stage_names[stage], name, right[stage][direction].count);
	json_decref(should);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void check_close(enum stage stage, unsigned direction, const char *name)
{
	const struct tw_histogram *should = &right[stage][direction];
	const json_t *is = world_stage(stage_names[stage], name);

	if (!should->count) {
		tap_ok(!is, "no %s of %s", stage_names[stage], name);
		return;
	}
	tap_ok(number_of(is, "count") == should->count &&
	       apart(number_of(is, "min_ns"), should->min_ns) <= PROMISED_NS &&
	       apart(number_of(is, "max_ns"), should->max_ns) <= PROMISED_NS &&
	       apart(number_of(is, "sum_ns"), should->sum_ns) <=
	       PROMISED_NS * should->count,
	       "%s of %s: %" PRIu64 " I/Os, each to %d ns",
	       stage_names[stage], name, should->count, PROMISED_NS);
}

static uint64_t sum_of(const char *stage, const char *direction)
{
	return number_of(world_stage(stage, direction), "sum_ns");
}

static uint64_t seen_from(uint64_t from_ns, uint64_t below_ns)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < recorded; i++)
		if (seen_at[i] >= from_ns && seen_at[i] < below_ns)
			count++;
	return count;
}

/* At 1 GHz: each I/O in the part of the run in which it was seen. */
static void check_windows(void)
{
	const json_t *windows = json_object_get(world.report, "over_time");
	size_t i, last = json_array_size(windows) - 1;
	unsigned wrong = 0;

	for (i = 0; i <= last; i++) {
		const json_t *window = json_array_get(windows, i);
		uint64_t from_ns = number_of(window, "from_ns");
		uint64_t count = 0;

		for (unsigned d = 0; d < 2; d++)
			count += number_of(json_object_get(window,
				tw_direction_names[d]), "count");
		wrong += count != seen_from(from_ns, i == last ? UINT64_MAX :
					    from_ns + number_of(window,
								"over_ns"));
	}
	tap_ok(!wrong && last > 0, "each I/O stands where it was seen (%zu)",
	       last + 1);
}

/* Each I/O of each part of the run, once. */
static void check_over_time(void)
{
	const json_t *windows = json_object_get(world.report, "over_time");
	uint64_t count = 0, sum_ns = 0, right_ns = 0;
	unsigned d;
	size_t i;

	for (i = 0; i < json_array_size(windows); i++)
		for (d = 0; d < 2; d++) {
			const json_t *part = json_object_get(
				json_array_get(windows, i),
				tw_direction_names[d]);

			count += number_of(part, "count");
			sum_ns += number_of(part, "sum_ns");
		}
	for (d = 0; d < 2; d++)
		right_ns += sum_of("total", tw_direction_names[d]);
	tap_ok(count == IOS && sum_ns == right_ns,
	       "over time there are the same I/Os with the same total");
}

static int longer_first(const void *a, const void *b)
{
	const uint64_t *first = a, *second = b;

	return *first < *second ? 1 : -(*first > *second);
}

static void check_slowest(uint64_t within_ns)
{
	const json_t *slowest = json_object_get(world.report, "slowest");
	unsigned wrong = json_array_size(slowest) != SLOWEST;

	qsort(totals, recorded, sizeof(totals[0]), longer_first);
	for (size_t i = 0; i < json_array_size(slowest); i++) {
		const json_t *stages = json_object_get(
			json_array_get(slowest, i), "stages");

		wrong += apart(number_of(stages, "total"), totals[i]) >
			 within_ns;
		wrong += world.options.stages &&
			 apart(number_of(stages, "queue") +
			       number_of(stages, "inflight"),
			       number_of(stages, "total")) > within_ns;
	}
	tap_ok(!wrong, "the %d slowest are these, their stages add up",
	       SLOWEST);
}

static void check_report(const struct shape *shape)
{
	bool exact = shape->hz == WORLD_RATE_HZ;
	unsigned stage, d;

	for (d = 0; d < 2; d++) {
		const char *name = tw_direction_names[d];

		for (stage = 0; stage < STAGES; stage++) {
			if (exact)
				check_exact(stage, d, name);
			else
				check_close(stage, d, name);
		}
		tap_ok(world_count("ios", name) ==
		       (int64_t)right[TOTAL][d].count &&
		       !world_count("backwards", name) && !world.backwards,
		       "%s: counted once each", name);
		if (exact && shape->stages)
			tap_ok(sum_of("queue", name) + sum_of("inflight", name) ==
			       sum_of("total", name),
			       "%s: queue and inflight are the total", name);
	}
	check_over_time();
	if (exact)
		check_windows();
	check_slowest(exact ? 0 : PROMISED_NS + 1);
}

static void job_of(const struct shape *shape, bool by_the_long_path)
{
	unsigned i;

	tap_note("%s%s", shape->name,
		 by_the_long_path ? ", by the path with all tests" : "");
	world_forget();
	memset(known, 0, sizeof(known));
	for (i = 0; i < WORLD_DEPTH; i++)
		known[i].is_free = true;
	looked = WORLD_FROM;
	recorded = wrong_fio = 0;
	fio_clock_source = shape->fio_clock ? shape->fio_clock : CS_CPUCLOCK;
	world.fio_fast = shape->fio_fast;
	looks_at_submit = !shape->event_time &&
		(shape->stages || fio_clock_source == CS_CPUCLOCK);
	for (i = 0; i < STAGES * 2; i++)
		tw_histogram_init(&right[i / 2][i % 2], 3);
	world.td.o.iodepth = shape->depth;
	world.td.o.iodepth_batch = shape->batch;
	world.td.o.iodepth_batch_complete_min = shape->min;
	world.options.stages = shape->stages;
	world.options.event_time = shape->event_time;
	world.options.slowest = SLOWEST;
	world.timing.clock.rate.hz = (double)shape->hz;
	world.at_once = shape->at_once;
	world.entering = entering;
	world.accepted = accepted;
	world.left = left;
	world.appeared = appeared;
	/* A second of fio's clock soon ends. */
	engine_now_ticks = shape->hz - shape->hz / 50000;
	began = engine_now_ticks;
	if (!tap_ok(world_begin(), "a job begins"))
		return;
	tap_ok(world_is_usual() == !shape->event_time,
	       "the engine knows whether it may take the short path");
	if (by_the_long_path)
		world_make_unusual();
	run_job(shape);
	world_end();
	tap_ok(!world.bad_entries && world.slats == IOS,
	       "each entry is its I/O's, each has one slat");
	tap_ok(!wrong_fio, "fio takes the right time for each clat (wrong: %u)",
	       wrong_fio);
	check_report(shape);
	for (i = 0; i < STAGES * 2; i++)
		tw_histogram_free(&right[i / 2][i % 2]);
}

int main(void)
{
	static const uint64_t ghz = WORLD_RATE_HZ;
	const struct shape shapes[] = {
		{ "one at a time", 1, 1, 1, 1, false, true, false, ghz, 0, 0 },
		{ "eight deep", 8, 1, 1, 8, false, true, false, ghz, 0, 0 },
		{ "eight deep, taken one by one", 8, 1, 1, 1, false, true,
		  false, ghz, 0, 0 },
		{ "in batches, taken one by one", 16, 4, 1, 1, true, true,
		  false, ghz, 0, 0 },
		{ "in batches, seen as they are drained", 32, 8, 4, 16, false,
		  true, false, ghz, 0, 0 },
		{ "in batches, seen as they come", 32, 8, 4, 16, true, true,
		  false, ghz, 0, 0 },
		{ "a ring that is not full, few taken at once", 5, 5, 1, 2,
		  true, true, false, ghz, 0, 0 },
		{ "tw_stages=0", 16, 4, 1, 16, true, false, false, ghz, 0, 0 },
		{ "tw_event_time=1", 16, 4, 4, 16, true, true, true, ghz, 0, 0 },
		{ "tw_stages=0, fio has another clock", 16, 4, 1, 16, true,
		  false, false, ghz, 0, CS_CGETTIME },
		{ "fio's clock is the counter, and 20 ppm off", 8, 1, 1, 8,
		  true, true, false, ghz, 20e-6, CS_CPUCLOCK },
		{ "fio's clock is another one, at another rate", 8, 1, 1, 8,
		  true, true, false, ghz, 0.25, CS_CGETTIME },
		{ "2.6 GHz", 32, 8, 4, 16, true, true, false, 2599998000,
		  0, 0 },
		{ "24 MHz", 32, 8, 4, 16, false, true, true, 24000000,
		  0, 0 },
	};

	random_state = tap_seed();
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (int by_the_long_path = 0;
		     by_the_long_path <= !shapes[i].event_time;
		     by_the_long_path++)
			job_of(&shapes[i], by_the_long_path);
	world_forget();
	return tap_done();
}
