/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/kernel
 *
 * Behaviour: with stamps that a program left inside the kernel, `kernel` is split
 * into submit, blockq, device, complete and reap, each to the nanosecond of its
 * stamps. An I/O that can't be split keeps `kernel`, and the report counts why: no
 * stamps (the slot is another I/O's), no request of the block layer, a missing
 * stamp, a last completion or a whole part that was not seen, or a write with O_SYNC.
 * If a stamp is missing, `kernel` is only the two stages around it. All stages add up
 * to lat in any case.
 *
 * Defect: a stage between the wrong stamps, stamps of another I/O taken for an I/O's
 * own, a count of the wrong reason. Also a time that is in both `kernel` and the
 * five, or that counts for a stage whose end is not known.
 *
 * The slots are an array of the test, filled when the kernel made by hand has done
 * an I/O. At 1 GHz a tick is a nanosecond. CLOCK_MONOTONIC has the same rate or, in
 * some jobs, differs by 500 ppm: then each stage is right to 3 ns, for two
 * conversions and their rounding.
 */
#include "engine_world.h"

#define IOS		3000
#define STEERED_NS	3

enum stage { QUEUE, SUBMIT, BLOCKQ, DEVICE, COMPLETE, REAP, KERNEL, DELIVER, LAT,
	     STAGES };
static const char *const stage_names[STAGES] = { "queue", "submit", "blockq",
	"device", "complete", "reap", "kernel", "deliver", "lat" };

/* The outcome of an I/O's stamps. */
enum kind { SPLIT, OLDER, LATER, EMPTY, NO_REQUEST, NO_ISSUE, NO_DONE, NO_POSTED,
	    NOT_ALL_DONE, NOT_ALL_ISSUED, SYNC_WRITE, KINDS,
	    HALF_SEEN };		/* of single I/Os */
static const char *const reasons[KINDS] = { NULL, "no_stamps", "no_stamps",
	"no_stamps", "no_request", "missing_stamp", "missing_stamp",
	"missing_stamp", "missing_stamp", "missing_stamp", "sync_write" };

struct known {
	bool is_free, submitted;
	enum kind kind;
	unsigned requests, retries;
	uint64_t number, prepared, enter, accepted, dispatched, finished, posted,
		 seen;
};

struct shape {
	const char *name;
	unsigned depth, batch;
	double monotonic_fast;
	bool all_split, polled, event_time;
};

static const struct shape *shape;
static struct known known[WORLD_DEPTH];
static struct tw_slot slots[WORLD_DEPTH];
static unsigned order[WORLD_PLACES];	/* of completions, by place */
static unsigned looked;			/* completions before this were seen */
static bool sees_at_submit;
static struct tw_histogram right[STAGES][2];
static uint64_t lat_of[IOS];
static enum kind kind_of[IOS];
static uint64_t kinds[KINDS][2];
static uint64_t requests, retries;
static uint64_t workers[2];

/* The kernel skipped runs of the program before the job, and these in it. */
#define MISSED_BEFORE	5
#define MISSED		7
static uint64_t random_state;

static uint64_t below(uint64_t limit)
{
	return tap_random(&random_state) % limit;
}

static uint64_t some_ticks(void)
{
	return 1 + below(20ULL << below(16));
}

/* ---- the kernel --------------------------------------------------------- */

static void entering(void)
{
	for (unsigned i = 0; i < shape->depth; i++)
		if (!known[i].is_free && !known[i].submitted)
			known[i].enter = engine_now_ticks;
	world.enter_ticks = 20 + some_ticks();
}

/* The call takes one after the other. */
static void accepted(unsigned i)
{
	const uint64_t ticks = some_ticks();

	engine_now_ticks += ticks;
	world.ios[i].done_ticks += ticks;
	known[i].submitted = true;
	known[i].accepted = engine_now_ticks;
}

static void look(void)
{
	for (; looked != world.cq_tail; looked++)
		known[order[looked % WORLD_PLACES]].seen = engine_now_ticks;
}

static bool in_call;

static void left(void)
{
	if (!in_call || sees_at_submit)
		look();
}

/* Set the program's stamps of this I/O; the slot has those of an earlier one. */
static void stamp(unsigned i)
{
	const struct known *io = &known[i];
	const uint64_t key = world.ios[i].sqe.user_data;
	struct tw_slot *slot = &slots[i];

	if (io->kind == OLDER)
		return;
	*slot = (struct tw_slot) {
		.key = key,
		.accepted_ns = world_monotonic_ns(io->accepted),
		.dispatched_ns = world_monotonic_ns(io->dispatched),
		.finished_ns = world_monotonic_ns(io->finished),
		.posted_ns = world_monotonic_ns(io->posted),
		.requests = io->requests,
		.retries = io->retries,
		/* A driver that was busy gets the request again. */
		.due_bytes = io->requests == 4 ? 8192 : 4096,
		.finished_bytes = 4096,
	};
	switch (io->kind) {
	case LATER:
		/* No I/O of this job will have it. */
		slot->key = key + (1ULL << 62);
		break;
	case EMPTY:
		*slot = (struct tw_slot) { .key = 0 };
		break;
	case NO_REQUEST:
		slot->dispatched_ns = slot->finished_ns = 0;
		break;
	case NO_ISSUE:
		slot->dispatched_ns = 0;
		break;
	case NO_DONE:
		slot->finished_ns = 0;
		break;
	case NO_POSTED:
		slot->posted_ns = 0;
		break;
	case SYNC_WRITE:
		slot->flags = TW_SLOT_SYNC_WRITE;
		break;
	case NOT_ALL_DONE:
		slot->finished_bytes -= 512;
		break;
	case NOT_ALL_ISSUED:
		slot->due_bytes = 3584;
		break;
	case HALF_SEEN:
		slot->due_bytes = slot->finished_bytes = 2048;
		break;
	default:
		break;
	}
}

static void appeared(unsigned i)
{
	struct known *io = &known[i];
	const uint64_t took = world.ios[i].done_ticks - io->accepted;
	const uint64_t a = below(took + 1), b = below(took + 1);

	order[(world.cq_tail - 1) % WORLD_PLACES] = i;
	io->dispatched = io->accepted + (a < b ? a : b);
	io->finished = io->accepted + (a < b ? b : a);
	io->posted = io->accepted + took;
	stamp(i);
}

/* ---- the right values --------------------------------------------------- */

/*
 * Return the first of two stages that are one, for lack of the stamp between them.
 * QUEUE: there are no such two.
 */
static enum stage joined_of(enum kind kind)
{
	return kind == NO_ISSUE || kind == NOT_ALL_ISSUED ? BLOCKQ :
	       kind == NO_DONE || kind == NOT_ALL_DONE ||
	       kind == SYNC_WRITE ? DEVICE : kind == NO_POSTED ? COMPLETE : QUEUE;
}

static bool has_stage(enum kind kind, enum stage stage)
{
	const enum stage joined = joined_of(kind);

	if (stage == KERNEL)
		return kind != SPLIT;
	if (stage < SUBMIT || stage > REAP)
		return true;
	return kind == SPLIT ||
	       (joined != QUEUE && stage != joined && stage != joined + 1);
}

static void done(unsigned i, uint64_t returned)
{
	const struct known *io = &known[i];
	const unsigned direction = world.io_us[i].ddir;
	const enum stage joined = joined_of(io->kind);
	const uint64_t ns[STAGES] = {
		[QUEUE] = io->enter - io->prepared,
		[SUBMIT] = io->accepted - io->enter,
		[BLOCKQ] = io->dispatched - io->accepted,
		[DEVICE] = io->finished - io->dispatched,
		[COMPLETE] = io->posted - io->finished,
		[REAP] = io->seen - io->posted,
		[KERNEL] = joined == QUEUE ? io->seen - io->enter : 0,
		[DELIVER] = returned - io->seen,
		[LAT] = returned - io->prepared,
	};

	for (unsigned stage = 0; stage < STAGES; stage++)
		if (has_stage(io->kind, stage))
			tw_histogram_add(&right[stage][direction], ns[stage] +
				(stage == KERNEL && joined != QUEUE ?
				 ns[joined] + ns[joined + 1] : 0));
	lat_of[io->number] = ns[LAT];
	kind_of[io->number] = io->kind;
	kinds[io->kind][direction]++;
	workers[direction] += io->retries && (io->kind == SPLIT ||
			      strcmp(reasons[io->kind], "no_stamps"));
	if (io->kind == SPLIT) {
		requests += io->requests;
		retries += io->retries;
	}
}

/* ---- a job -------------------------------------------------------------- */

static void queue_one(unsigned i, unsigned number)
{
	struct io_u *io_u;

	world_pass(some_ticks());
	io_u = world_transfer(i, below(3) ? DDIR_READ : DDIR_WRITE,
			      number * 4096ULL, 4096);
	world.takes_ticks[i] = below(4) ? some_ticks() : 0;
	world_prep(io_u);
	known[i] = (struct known) {
		.number = number,
		.kind = shape->all_split || below(2) ? SPLIT :
						       (enum kind)below(KINDS),
		.requests = 1 + (unsigned)below(4),
		.retries = below(4) ? 0 : (unsigned)below(3),
		.prepared = engine_now_ticks,
	};
	world_queue_prepared(io_u);
}

static unsigned take(void)
{
	uint64_t returned;
	int events;

	while (shape->polled && !world_waiting())
		world_pass(some_ticks());
	look();
	in_call = false;
	events = tw_getevents(&world.td, 1, shape->depth, NULL);
	in_call = true;
	returned = engine_now_ticks;
	for (int event = 0; event < events; event++) {
		unsigned i;

		world_pass(some_ticks());
		i = world_index(tw_event(&world.td, event));
		done(i, returned);
		known[i].is_free = true;
	}
	return (unsigned)events;
}

static void run_job(void)
{
	unsigned number = 0, in_flight = 0;

	in_call = true;
	while (number < IOS || in_flight) {
		for (unsigned i = 0; i < shape->depth && number < IOS; i++) {
			if (!known[i].is_free)
				continue;
			queue_one(i, number++);
			in_flight++;
			if (!below(6))
				break;
		}
		world_pass(some_ticks());
		world_commit();
		in_flight -= take();
	}
}

/* ---- the report --------------------------------------------------------- */

static uint64_t number_of(const json_t *object, const char *key)
{
	uint64_t value = 0;

	tw_json_to_u64(json_object_get(object, key), &value);
	return value;
}

static const json_t *kernel_stages(const char *key)
{
	return json_object_get(json_object_get(world.report, "kernel_stages"),
			       key);
}

static uint64_t kernel_number(const char *key)
{
	return number_of(json_object_get(world.report, "kernel_stages"), key);
}

static bool is_near(uint64_t is, uint64_t should, uint64_t count)
{
	const uint64_t limit = STEERED_NS * count;

	return is + limit >= should && should + limit >= is;
}

static bool is_right(const json_t *is, const struct tw_histogram *should,
		     bool exact)
{
	json_t *json = tw_histogram_to_json(should);
	bool same = is ? json_equal(is, json) : !should->count;

	json_decref(json);
	if (exact || !is)
		return same;
	return number_of(is, "count") == should->count &&
	       is_near(number_of(is, "sum_ns"), should->sum_ns, should->count) &&
	       is_near(number_of(is, "min_ns"), should->min_ns, 1) &&
	       is_near(number_of(is, "max_ns"), should->max_ns, 1);
}

static void check_stages(unsigned d)
{
	const char *name = tw_direction_names[d];
	uint64_t sum_ns = 0;

	for (unsigned stage = 0; stage < STAGES; stage++) {
		const json_t *is = world_stage(stage_names[stage], name);
		const bool inside = stage >= SUBMIT && stage <= KERNEL;

		tap_ok(is_right(is, &right[stage][d],
				shape->monotonic_fast == 0 || !inside),
		       "%s of %s: %" PRIu64 " I/Os", stage_names[stage], name,
		       right[stage][d].count);
		sum_ns += stage == LAT ? 0 : number_of(is, "sum_ns");
	}
	tap_ok(sum_ns == number_of(world_stage("lat", name), "sum_ns"),
	       "%s: the stages add up to lat", name);
}

static uint64_t not_split(const char *reason, unsigned d)
{
	return number_of(json_object_get(kernel_stages("not_split"), reason),
			 tw_direction_names[d]);
}

static uint64_t kinds_of(const char *reason, unsigned d)
{
	uint64_t sum = 0;

	for (unsigned kind = 0; kind < KINDS; kind++)
		if (reasons[kind] && strcmp(reasons[kind], reason) == 0)
			sum += kinds[kind][d];
	return sum;
}

static void check_counts(void)
{
	static const char *const names[] = { "no_stamps", "no_request",
		"missing_stamp", "sync_write" };
	const json_t *state = json_object_get(world_job("kernel"), "state");

	tap_ok(state && strcmp(json_string_value(state), "on") == 0 &&
	       json_object_size(kernel_stages("not_split")) == 4,
	       "kernel stages: on");
	for (unsigned d = 0; d < 2; d++) {
		const char *direction = tw_direction_names[d];

		tap_is_u64(number_of(kernel_stages("split"), direction),
			   kinds[SPLIT][d], direction);
		tap_is_u64(number_of(kernel_stages("workers"), direction), workers[d],
			   "given to a worker");
		for (unsigned i = 0; i < 4; i++)
			tap_is_u64(not_split(names[i], d),
				   kinds_of(names[i], d), names[i]);
	}
	tap_is_u64(kernel_number("requests"), requests, "requests");
	tap_is_u64(kernel_number("retries"), retries, "retries");
	tap_is_u64(kernel_number("missed_runs"), MISSED, "runs missed in the job alone");
	tap_ok(!kernel_number("negative_beyond") && !world.backwards &&
	       (shape->monotonic_fast != 0 || !kernel_number("negative_within")),
	       "no stage is negative");
}

/* The known stages, and kernel for the rest; together they are lat. */
static bool is_whole(const json_t *slow)
{
	const json_t *stages = json_object_get(slow, "stages");
	const uint64_t number = number_of(slow, "offset") / 4096;
	uint64_t sum_ns = 0;

	for (unsigned stage = 0; stage < LAT; stage++) {
		const bool has = json_object_get(stages, stage_names[stage]);

		if (has != has_stage(kind_of[number], stage))
			return false;
		sum_ns += number_of(stages, stage_names[stage]);
	}
	return sum_ns == number_of(stages, "lat") &&
	       is_near(sum_ns, lat_of[number], 1);
}

static void check_slowest(void)
{
	const json_t *slowest = json_object_get(world.report, "slowest");
	unsigned wrong = 0, split = 0;

	for (size_t i = 0; i < json_array_size(slowest); i++) {
		const json_t *slow = json_array_get(slowest, i);

		wrong += !is_whole(slow);
		split += !json_object_get(json_object_get(slow, "stages"),
					  "kernel");
	}
	tap_ok(!wrong && json_array_size(slowest) == IOS &&
	       split == kinds[SPLIT][0] + kinds[SPLIT][1],
	       "of each single I/O the stages add up to lat, with the five, "
	       "kernel, or both");
}

static void forget(void)
{
	world_forget();
	memset(known, 0, sizeof(known));
	memset(slots, 0, sizeof(slots));
	memset(kinds, 0, sizeof(kinds));
	for (unsigned i = 0; i < WORLD_DEPTH; i++)
		known[i].is_free = true;
	looked = WORLD_FROM;
	requests = retries = 0;
	memset(workers, 0, sizeof(workers));
	for (unsigned i = 0; i < STAGES * 2; i++)
		tw_histogram_init(&right[i / 2][i % 2], 3);
	world.kernel_slots = slots;
	world.options.kernel = TW_KERNEL_AUTO;
	world.options.slowest = IOS;
	world.td.o.td_ddir = TD_DDIR_RW | TD_DDIR_TRIM;
	world.entering = entering;
	world.accepted = accepted;
	world.appeared = appeared;
	world.left = left;
}

static void job_of(const struct shape *now)
{
	shape = now;
	tap_note("%s", shape->name);
	forget();
	world.td.o.iodepth = shape->depth;
	world.td.o.iodepth_batch = shape->batch;
	world.options.event_time = shape->event_time;
	world.monotonic_fast = shape->monotonic_fast;
	world.polled = shape->polled;
	world.at_once = shape->polled;
	world.direct = true;
	sees_at_submit = !shape->event_time;
	world.kernel_missed = MISSED_BEFORE;
	if (!tap_ok(world_begin(), "a job begins"))
		return;
	run_job();
	world.kernel_missed += MISSED;
	world_end();
	for (unsigned d = 0; d < 2; d++)
		check_stages(d);
	check_counts();
	check_slowest();
	for (unsigned i = 0; i < STAGES * 2; i++)
		tw_histogram_free(&right[i / 2][i % 2]);
}

/* ---- single I/Os -------------------------------------------------------- */

static uint64_t posted_late;
static enum kind one_kind;

static void one_appeared(unsigned i)
{
	known[i].accepted = engine_now_ticks - 400;
	known[i].dispatched = known[i].accepted + 100;
	known[i].finished = known[i].accepted + 300;
	known[i].posted = engine_now_ticks + posted_late;
	known[i].kind = one_kind;
	known[i].requests = 1;
	stamp(i);
}

static bool one_job(void)
{
	static const struct shape one = { .depth = 1, .batch = 1 };

	shape = &one;
	forget();
	world.entering = world.left = NULL;
	world.accepted = NULL;
	world.appeared = one_appeared;
	posted_late = 0;
	one_kind = SPLIT;
	return tap_ok(world_begin(), "a job begins");
}

static void one_io(enum fio_ddir ddir)
{
	engine_now_ticks += 10000;
	if (world_queue(world_transfer(0, ddir, 0, 4096)) == FIO_Q_QUEUED) {
		world_commit();
		tw_getevents(&world.td, 1, 1, NULL);
		tw_event(&world.td, 0);
	}
}

/* A completion that is in the ring after the engine has seen it there. */
static void contradicted(uint64_t late, bool within)
{
	if (!one_job())
		return;
	posted_late = late;
	one_io(DDIR_READ);
	world_end();
	tap_ok(kernel_number("negative_within") == within &&
	       kernel_number("negative_beyond") == !within &&
	       world.backwards == !within,
	       "posted %" PRIu64 " ns after it was seen: %s the error", late,
	       within ? "within" : "beyond");
	tap_ok(number_of(world_stage("reap", "read"), "sum_ns") == 0 &&
	       number_of(world_stage("lat", "read"), "count") == 1,
	       "reap is 0, and the I/O counts");
}

/*
 * A trim by a system call never was in the ring: the stamps that its io_u still has
 * are those of the read before.
 */
static void by_call(void)
{
	if (!one_job())
		return;
	one_io(DDIR_READ);
	one_io(DDIR_TRIM);
	one_io(DDIR_READ);
	world_end();
	tap_ok(number_of(kernel_stages("split"), "read") == 2 &&
	       number_of(kernel_stages("split"), "trim") == 0 &&
	       not_split("no_stamps", DDIR_TRIM) == 1,
	       "a trim by a system call has no stamps");
	tap_ok(number_of(world_stage("kernel", "trim"), "count") == 1 &&
	       !world_stage("submit", "trim") && !world.backwards &&
	       !kernel_number("negative_beyond"), "and its stage is kernel");
}

/* Half of an I/O had no request. Only in a read of a file that may be a hole. */
static void half_seen(enum fio_ddir ddir, enum fio_filetype type, bool may_be,
		      const char *what)
{
	const char *direction = tw_direction_names[ddir];

	if (!one_job())
		return;
	world.file.filetype = type;
	one_kind = HALF_SEEN;
	one_io(ddir);
	world.file.filetype = FIO_TYPE_FILE;
	world_end();
	tap_ok(number_of(kernel_stages("split"), direction) == may_be &&
	       not_split("missing_stamp", ddir) == !may_be &&
	       !world_stage("device", direction) == !may_be &&
	       !world_stage("blockq", direction) == !may_be, "half of %s was seen: %s",
	       what, may_be ? "split" : "a missing stamp");
}

/* fio does not count it, so the report counts it nowhere. */
static void of_none(void)
{
	if (!one_job())
		return;
	one_io(DDIR_READ);
	world.results[0] = -EIO;
	one_io(DDIR_READ);
	world.results[0] = 512;
	one_io(DDIR_READ);
	world_ramps();
	world.results[0] = 0;
	one_io(DDIR_READ);
	world_end();
	tap_ok(world_count("ios", "read") == 1 &&
	       number_of(kernel_stages("split"), "read") == 1 &&
	       kernel_number("requests") == 1, "those that failed, that were "
	       "short or in the ramp time: not split, not counted");
}

static void without(const char *what)
{
	world_end();
	tap_ok(!world_stage("submit", "read") &&
	       strcmp(json_string_value(json_object_get(world_job("kernel"), "state")),
		      "off") == 0 && !number_of(kernel_stages("split"), "read"),
	       "%s: no split, state off", what);
}

static void off(void)
{
	forget();
	world.entering = world.left = NULL;
	world.accepted = NULL;
	world.appeared = one_appeared;
	/* The program has not seen the ring. */
	world.kernel_slots = NULL;
	if (!tap_ok(world_begin(), "no slots"))
		return;
	one_io(DDIR_READ);
	without("no slots");
	forget();
	world.entering = world.left = NULL;
	world.accepted = NULL;
	world.appeared = one_appeared;
	world.options.stages = 0;
	if (!tap_ok(world_begin(), "tw_stages=0"))
		return;
	one_io(DDIR_READ);
	without("tw_stages=0");
	tap_ok(number_of(world_stage("lat", "read"), "count") == 1 &&
	       !world_stage("kernel", "read") && !kernel_stages("split"), "lat alone");
}

int main(void)
{
	static const struct shape shapes[] = {
		{ "one at a time", .depth = 1, .batch = 1 },
		{ "eight deep, all split", 8, 1, .all_split = true },
		{ "32 deep, in batches", .depth = 32, .batch = 8 },
		{ "a ring that is not full", .depth = 5, .batch = 5 },
		{ "CLOCK_MONOTONIC 500 ppm fast", 16, 4,
		  .monotonic_fast = 500e-6 },
		{ "CLOCK_MONOTONIC 500 ppm slow", 16, 4,
		  .monotonic_fast = -500e-6 },
		{ "submitted by a thread", 8, 2, .polled = true },
		{ "tw_event_time=1", 16, 4, .event_time = true },
	};

	random_state = tap_seed();
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		job_of(&shapes[i]);
	contradicted(1, true);
	contradicted(3, false);
	by_call();
	half_seen(DDIR_READ, FIO_TYPE_FILE, true, "a read of a file");
	half_seen(DDIR_WRITE, FIO_TYPE_FILE, false, "a write to a file");
	half_seen(DDIR_READ, FIO_TYPE_BLOCK, false, "a read of a block device");
	of_none();
	off();
	world_forget();
	return tap_done();
}
