/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/kernel
 *
 * Behaviour: a report has what the stamps of a job's I/Os give, to the tick. Each
 * I/O is once in each stage, the stages add up to lat, and the slowest, the run
 * over time, and fio's own latencies are the right ones. All of it goes through the
 * engine's own hooks, with a kernel and a counter made by hand. Defect: a stage
 * between the wrong stamps, an I/O with another one's stamps, one that is recorded
 * twice or not at all, one stamp for all where each has its own.
 *
 * The test keeps its own record: when each I/O was prepared, when the kernel was
 * entered and left with it, when the engine could first see its completion, when
 * getevents() returned it. At 1 GHz a tick is a nanosecond and nothing is rounded:
 * then each histogram must be the same, bin by bin. At other rates a conversion is
 * right to 1 ns, and the expected value to half of one: 2 ns for each stage, and
 * three times that for lat, their sum.
 */
#include "engine_world.h"

#define IOS		3000
#define PROMISED_NS	2
#define SLOWEST		25

enum stage { QUEUE, KERNEL, DELIVER, LAT, CALL, STAGES };
static const char *const stage_names[STAGES] = {
	"queue", "kernel", "deliver", "lat", "submitting_call",
};

/* What the test knows of an I/O in flight. */
struct known {
	bool is_free;
	bool submitted;
	uint64_t number;
	uint64_t prepared, enter, entered, seen;
	uint64_t start_ns, issue_ns;	/* by fio's clock */
};

/* What the test knows of an I/O that is over. */
struct over {
	uint64_t number, prepared, returned;
	unsigned direction;
	uint64_t ns[STAGES];
};

struct shape {
	const char *name;
	unsigned depth, batch, min, max;
	bool at_once, no_stages, event_time;
	unsigned accepts;	/* by a call; 0: all */
	bool verifies, polled, direct, system;
	uint64_t hz;		/* 0: 1 GHz */
	double fio_fast;
};

static const struct shape *shape;
static struct known known[WORLD_DEPTH];
static unsigned order[WORLD_PLACES];	/* of completions, by place */
static unsigned looked;			/* completions before this were seen */
static bool sees_at_submit;
static struct tw_histogram right[STAGES][2];
static struct over over[IOS];
static unsigned recorded;
static uint64_t began;
static uint64_t calls, tails, largest_tail;
static unsigned wrong_fio;		/* times that fio would take */
static uint64_t random_state;

static uint64_t below(uint64_t limit)
{
	return tap_random(&random_state) % limit;
}

/* Return short times and long ones alike. */
static uint64_t some_ticks(void)
{
	return 1 + below(20ULL << below(16));
}

static uint64_t ns_of(uint64_t from, uint64_t to)
{
	if (shape->system)
		return to - from;
	return (uint64_t)((double)(to - from) * 1e9 /
			  world.rate.hz + 0.5);
}

static bool is_exact(void)
{
	return shape->system || world.rate.hz == WORLD_RATE_HZ;
}

/* ---- the right values -------------------------------------------------- */

/* The engine sees all that is in the ring. */
static void look(void)
{
	const unsigned count = world.cq_tail - looked;

	for (; looked != world.cq_tail; looked++)
		known[order[looked % WORLD_PLACES]].seen = engine_now_ticks;
	tails += count != 0;
	if (count > largest_tail)
		largest_tail = count;
}

static bool is_queued(unsigned i)
{
	return !known[i].is_free && !known[i].submitted;
}

static void entering(void)
{
	bool submits = false;

	for (unsigned i = 0; i < shape->depth; i++) {
		if (!is_queued(i))
			continue;
		known[i].enter = engine_now_ticks;
		submits = true;
	}
	calls += submits && !shape->polled;
	/* No call is over within a nanosecond, whatever the rate. */
	world.enter_ticks = 20 + some_ticks();
}

static bool in_this_call[WORLD_DEPTH];

static void accepted(unsigned i)
{
	known[i].submitted = true;
	in_this_call[i] = !shape->polled;
	if (shape->polled)
		known[i].issue_ns = world_fio_ns();
}

static void left(void)
{
	bool submitted = false;

	for (unsigned i = 0; i < shape->depth; i++) {
		if (!in_this_call[i])
			continue;
		in_this_call[i] = false;
		submitted = true;
		known[i].entered = engine_now_ticks;
		known[i].issue_ns = world_fio_ns();
	}
	if (submitted ? sees_at_submit : true)
		look();
}

static void appeared(unsigned i)
{
	order[(world.cq_tail - 1) % WORLD_PLACES] = i;
}

static void done(unsigned i, uint64_t returned)
{
	const struct known *io = &known[i];
	struct over *one = &over[recorded++];
	unsigned stage;

	*one = (struct over) {
		.number = io->number,
		.prepared = io->prepared,
		.returned = returned,
		.direction = world.io_us[i].ddir,
		.ns = {
			[QUEUE] = ns_of(io->prepared, io->enter),
			[KERNEL] = ns_of(io->enter, io->seen),
			[DELIVER] = ns_of(io->seen, returned),
			[LAT] = ns_of(io->prepared, returned),
			[CALL] = ns_of(io->enter, io->entered),
		},
	};
	for (stage = 0; stage < STAGES; stage++) {
		if ((shape->no_stages && stage != LAT) ||
		    (shape->polled && stage == CALL))
			continue;
		tw_histogram_add(&right[stage][one->direction], one->ns[stage]);
	}
}

/* ---- fio --------------------------------------------------------------- */

/* What fio reads after getevents(), for the end of this I/O. */
static uint64_t fio_end_ns(const struct io_u *io_u, uint64_t read_ns)
{
#ifdef TW_FIO_COMPLETE_TIME
	if (world.options.event_time)
		return io_u->complete_nsec;
#endif
	return read_ns;
}

static bool is_off(uint64_t is_ns, uint64_t right_ns)
{
	const int64_t off_ns = (int64_t)(is_ns - right_ns);

	/* The shift of fio's times is converted; the rest is fio's own. */
	return shape->event_time ? off_ns < -PROMISED_NS || off_ns > PROMISED_NS :
				   off_ns != 0;
}

static void check_fio(unsigned i, uint64_t read_ns, uint64_t returned)
{
	const struct io_u *io_u = &world.io_us[i];
	uint64_t end_ns = read_ns;

	if (shape->event_time)
		end_ns -= ns_of(known[i].seen, returned);
	wrong_fio += is_off(fio_end_ns(io_u, read_ns) - world_issue_ns(io_u),
			    end_ns - known[i].issue_ns);
	wrong_fio += is_off(fio_end_ns(io_u, read_ns) - world_start_ns(io_u),
			    end_ns - known[i].start_ns);
#ifndef TW_FIO_NSEC
	wrong_fio += io_u->issue_time.tv_nsec >= (long)TW_NS_PER_SECOND ||
		     io_u->start_time.tv_nsec >= (long)TW_NS_PER_SECOND;
#endif
}

static void queue_one(unsigned i, unsigned number)
{
	struct io_u *io_u;

	world_pass(some_ticks());
	io_u = world_transfer(i, below(3) ? DDIR_READ : DDIR_WRITE,
			      number * 4096ULL, 4096);
	/* One in four is done before the call is over. */
	world.takes_ticks[i] = below(4) ? some_ticks() : 0;
	world_prep(io_u);
	known[i] = (struct known) { .number = number };
	known[i].prepared = engine_now_ticks;
	known[i].start_ns = world_fio_ns();
	/* fio does this between the two, and reads its rate in others. */
	if (below(2))
		world_pass(some_ticks());
	if (world_queue_prepared(io_u) != FIO_Q_QUEUED)
		tap_note("io_u %u: not queued", i);
}

static unsigned take(unsigned min, unsigned max)
{
	uint64_t read_ns, returned;
	int events;

	/* Nothing advances the clock while the engine waits without a call. */
	while (shape->polled && world_waiting() < min)
		world_pass(some_ticks());
	look();
	events = tw_getevents(&world.td, min, max, NULL);
	returned = engine_now_ticks;
	read_ns = world_fio_ns();
	for (int event = 0; event < events; event++) {
		struct io_u *io_u;
		unsigned i;

		world_pass(some_ticks());
		io_u = tw_event(&world.td, event);
		i = world_index(io_u);
		done(i, returned);
		check_fio(i, read_ns, returned);
		known[i].is_free = true;
	}
	return (unsigned)events;
}

/* Like fio's main loop: fill up, now and then commit early, then take some. */
static void run_job(void)
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

static const json_t *reported(enum stage stage, const char *direction)
{
	if (stage != CALL)
		return world_stage(stage_names[stage], direction);
	return json_object_get(json_object_get(world.report,
					       stage_names[CALL]), direction);
}

static uint64_t sum_of(enum stage stage, const char *direction)
{
	return number_of(reported(stage, direction), "sum_ns");
}

static bool is_near(uint64_t is_ns, uint64_t right_ns, enum stage stage)
{
	uint64_t limit_ns = is_exact() ? 0 : stage == LAT ? 3 * PROMISED_NS :
						PROMISED_NS;

	return is_ns + limit_ns >= right_ns && right_ns + limit_ns >= is_ns;
}

static void check_exact(enum stage stage, unsigned direction,
			const char *name)
{
	json_t *should = tw_histogram_to_json(&right[stage][direction]);
	const json_t *is = reported(stage, name);

	tap_ok(is ? json_equal(is, should) : !right[stage][direction].count,
	       "%s of %s: %" PRIu64 " I/Os, each to the tick",
	       stage_names[stage], name, right[stage][direction].count);
	json_decref(should);
}

static void check_close(enum stage stage, unsigned direction, const char *name)
{
	const struct tw_histogram *should = &right[stage][direction];
	const uint64_t max_ns = should->count * 3 * PROMISED_NS;
	const json_t *is = reported(stage, name);

	if (!should->count) {
		tap_ok(!is, "no %s of %s", stage_names[stage], name);
		return;
	}
	tap_ok(number_of(is, "count") == should->count &&
	       is_near(number_of(is, "min_ns"), should->min_ns, stage) &&
	       is_near(number_of(is, "max_ns"), should->max_ns, stage) &&
	       number_of(is, "sum_ns") + max_ns >= should->sum_ns &&
	       should->sum_ns + max_ns >= number_of(is, "sum_ns"),
	       "%s of %s: %" PRIu64 " I/Os, each to some ns",
	       stage_names[stage], name, should->count);
}

static void check_direction(unsigned d)
{
	const char *name = tw_direction_names[d];
	unsigned stage;

	for (stage = 0; stage < STAGES; stage++) {
		if (is_exact())
			check_exact(stage, d, name);
		else
			check_close(stage, d, name);
	}
	tap_ok(world_count("ios", name) == (int64_t)right[LAT][d].count &&
	       !world_count("backwards", name) && !world.backwards,
	       "%s: counted once each", name);
	if (!shape->no_stages)
		tap_ok(sum_of(QUEUE, name) + sum_of(KERNEL, name) +
		       sum_of(DELIVER, name) == sum_of(LAT, name),
		       "%s: the stages add up to lat", name);
}

/* Times are those of CLOCK_REALTIME. */
static uint64_t returned_from(uint64_t from_ns, uint64_t below_ns)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < recorded; i++) {
		const uint64_t at_ns = world_monotonic_ns(began) + over[i].returned -
				       began;

		count += at_ns >= from_ns && at_ns < below_ns;
	}
	return count;
}

/*
 * Where a tick is a nanosecond: each I/O is in the part of the run in which it was
 * returned.
 */
static void check_windows(void)
{
	const uint64_t width_ns = number_of(json_object_get(world.report, "over_time"),
					    "width_ns");
	const json_t *windows = world_windows(world.report);
	size_t i, count = json_array_size(windows);
	unsigned wrong = 0;

	for (i = 0; i < count; i++) {
		const json_t *window = json_array_get(windows, i);
		uint64_t from_ns = number_of(window, "start");
		uint64_t ios = 0;

		for (unsigned d = 0; d < 2; d++)
			ios += number_of(json_object_get(window,
				tw_direction_names[d]), "count");
		wrong += from_ns % width_ns ||
			 ios != returned_from(from_ns, from_ns + width_ns);
	}
	tap_ok(!wrong && count > 1, "each I/O stands where it was returned "
	       "(%zu windows)", count);
}

/* Each I/O of each part of the run, once. */
static void check_over_time(void)
{
	const json_t *windows = world_windows(world.report);
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
		right_ns += sum_of(LAT, tw_direction_names[d]);
	tap_ok(count == IOS && sum_ns == right_ns,
	       "over time there are the same I/Os with the same lat");
}

/* The I/Os of a slice and their time in a stage, in both directions. */
static uint64_t right_in(const json_t *slice, unsigned direction, int stage)
{
	const uint64_t from_ns = number_of(slice, "from_ns");
	const uint64_t to_ns = number_of(slice, "to_ns");
	uint64_t sum = 0;

	for (unsigned i = 0; i < recorded; i++)
		if (over[i].direction == direction && over[i].ns[LAT] >= from_ns &&
		    over[i].ns[LAT] <= to_ns)
			sum += stage < 0 ? 1 : over[i].ns[stage];
	return sum;
}

/* Each I/O once, with its own stages, among those of about its lat. */
static void check_by_lat(void)
{
	const json_t *by_lat = json_object_get(world.report, "stages_by_lat");
	unsigned wrong = 0;
	uint64_t ios = 0;

	for (unsigned d = 0; d < 2; d++) {
		const json_t *slices = json_object_get(by_lat,
						       tw_direction_names[d]);

		for (size_t i = 0; i < json_array_size(slices); i++) {
			const json_t *slice = json_array_get(slices, i);
			const json_t *sums = json_object_get(slice, "stages");

			ios += number_of(slice, "ios");
			wrong += number_of(slice, "ios") != right_in(slice, d, -1);
			for (int stage = QUEUE; stage < LAT; stage++)
				wrong += number_of(sums, stage_names[stage]) !=
					 right_in(slice, d, stage);
		}
	}
	if (shape->no_stages)
		tap_ok(!by_lat, "there are no stages by lat");
	else
		tap_ok(!wrong && ios == IOS, "by lat there are the same I/Os with "
		       "the same stages");
}

static int longer_first(const void *a, const void *b)
{
	const struct over *first = a, *second = b;

	return first->ns[LAT] < second->ns[LAT] ? 1 :
	       -(first->ns[LAT] > second->ns[LAT]);
}

static const struct over *with_number(uint64_t number)
{
	for (unsigned i = 0; i < recorded; i++)
		if (over[i].number == number)
			return &over[i];
	return &over[0];
}

static bool is_slow_one(const json_t *slow)
{
	const json_t *stages = json_object_get(slow, "stages");
	const struct over *one =
		with_number(number_of(slow, "offset") / 4096);
	uint64_t sum_ns = 0;
	unsigned stage;

	if (number_of(slow, "ticks") != one->prepared ||
	    strcmp(json_string_value(json_object_get(slow, "ddir")),
		   tw_direction_names[one->direction]) != 0 ||
	    !is_near(number_of(stages, "lat"), one->ns[LAT], LAT))
		return false;
	if (shape->no_stages)
		return json_object_size(stages) == 1;
	for (stage = QUEUE; stage < LAT; stage++) {
		uint64_t ns = number_of(stages, stage_names[stage]);

		sum_ns += ns;
		if (!is_near(ns, one->ns[stage], stage))
			return false;
	}
	if (shape->polled ? !!json_object_get(slow, "submitting_call_ns") :
			    !is_near(number_of(slow, "submitting_call_ns"),
				     one->ns[CALL], CALL))
		return false;
	return sum_ns == number_of(stages, "lat");
}

static void check_slowest(void)
{
	const json_t *slowest = json_object_get(world.report, "slowest");
	unsigned wrong = json_array_size(slowest) != SLOWEST;

	qsort(over, recorded, sizeof(over[0]), longer_first);
	for (size_t i = 0; i < json_array_size(slowest); i++) {
		const json_t *slow = json_array_get(slowest, i);

		wrong += !is_slow_one(slow) ||
			 !is_near(number_of(json_object_get(slow, "stages"),
					    "lat"), over[i].ns[LAT], LAT);
	}
	tap_ok(!wrong, "the %d slowest are these, the slowest first, each with "
	       "its own stages", SLOWEST);
}

static void check_report(void)
{
	const json_t *batches = json_object_get(world.report, "batches");
	unsigned d;

	for (d = 0; d < 2; d++)
		check_direction(d);
	check_over_time();
	if (is_exact()) {
		check_windows();
		check_by_lat();
	}
	check_slowest();
	tap_ok(number_of(batches, "enters") == calls &&
	       number_of(batches, "tails") == tails &&
	       number_of(batches, "largest_tail") == largest_tail,
	       "%" PRIu64 " calls submitted, completions came in %" PRIu64
	       " groups of %" PRIu64 " at most", calls, tails, largest_tail);
}

/* ---- a job ------------------------------------------------------------- */

static void forget(void)
{
	unsigned i;

	world_forget();
	memset(known, 0, sizeof(known));
	for (i = 0; i < WORLD_DEPTH; i++)
		known[i].is_free = true;
	looked = WORLD_FROM;
	recorded = wrong_fio = 0;
	calls = tails = largest_tail = 0;
	for (i = 0; i < STAGES * 2; i++)
		tw_histogram_init(&right[i / 2][i % 2], 3);
}

static void set_world(void)
{
	const uint64_t hz = shape->hz ? shape->hz : WORLD_RATE_HZ;

	world.fio_fast = shape->fio_fast;
	world.td.o.iodepth = shape->depth;
	world.td.o.iodepth_batch = shape->batch;
	world.td.o.iodepth_batch_complete_min = shape->min;
	world.td.runstate = shape->verifies ? TD_VERIFYING : TD_RUNNING;
	world.options.stages = !shape->no_stages;
	world.options.event_time = shape->event_time;
	world.options.slowest = SLOWEST;
	world.rate.hz = (double)hz;
	world.timing.clock.system = shape->system;
	world.at_once = shape->at_once;
	world.accepts = shape->accepts;
	world.polled = shape->polled;
	world.direct = shape->direct;
	world.entering = entering;
	world.accepted = accepted;
	world.left = left;
	world.appeared = appeared;
	/* A second of fio's clock ends soon. */
	began = engine_now_ticks = hz - hz / 50000;
}

static void job_of(const struct shape *now)
{
	unsigned i;

	shape = now;
	tap_note("%s", shape->name);
	forget();
	sees_at_submit = !shape->event_time && !shape->no_stages;
	set_world();
	if (!tap_ok(world_begin(), "a job begins"))
		return;
	run_job();
	world_end();
	tap_ok(!world.bad_entries, "each entry is its I/O's");
	tap_ok(world.slats == (shape->polled ? 0 : IOS) && !world.bad_slats,
	       "each I/O has one slat, up to the end of its call; none with "
	       "a polling thread");
	tap_ok(!wrong_fio, "fio takes the right times for lat and clat "
	       "(wrong: %u)", wrong_fio);
	check_report();
	for (i = 0; i < STAGES * 2; i++)
		tw_histogram_free(&right[i / 2][i % 2]);
}

int main(void)
{
	static const struct shape shapes[] = {
		{ "one at a time", 1, 1, 1,.max = 1 },
		{ "one at a time, direct=1", 1, 1, 1, 1, .direct = true },
		{ "eight deep", 8, 1, 1,.max = 8 },
		{ "eight deep, taken one by one", 8, 1, 1,.max = 1 },
		{ "in batches, taken one by one", 16, 4, 1, 1,
		  .at_once = true },
		{ "in batches, seen when the kernel is entered", 32, 8, 4,
		  .max = 16 },
		{ "in batches, seen as they come", 32, 8, 4, 16,
		  .at_once = true },
		{ "a ring that is not full, few taken at once", 5, 5, 1, 2,
		  .at_once = true },
		{ "a kernel that takes three at a time", 32, 8, 4, 16,
		  .at_once = true, .accepts = 3 },
		{ "verifying", 8, 2, 1, 8, .verifies = true },
		{ "submitted by a thread", 8, 2, 1, 8, .at_once = true,
		  .polled = true },
		{ "tw_stages=0", 16, 4, 1, 16, .at_once = true,
		  .no_stages = true },
		{ "tw_event_time=1", 16, 4, 4, 16, .at_once = true,
		  .event_time = true },
		{ "tw_event_time=1, tw_stages=0", 16, 4, 4, 16,
		  .at_once = true, .event_time = true, .no_stages = true },
		{ "fio's clock is another one, at another rate", 8, 1, 1, 8,
		  .at_once = true, .fio_fast = 0.25 },
		{ "the system clock", 8, 2, 1, 8, .at_once = true,
		  .system = true },
		{ "2.6 GHz", 32, 8, 4, 16, .at_once = true, .hz = 2599998000 },
		{ "24 MHz, tw_event_time=1", 32, 8, 4, 16, .event_time = true,
		  .hz = 24000000 },
	};

	random_state = tap_seed();
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		job_of(&shapes[i]);
	world_forget();
	return tap_done();
}
