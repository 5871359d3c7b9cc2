/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/kernel
 *
 * Behaviour: a report has what the stamps of a job's I/Os give, to the tick. Each
 * I/O is once in each stage, the stages add up to lat, and the slowest, the run
 * over time, and fio's own latencies are the right ones. With stamps that a program left
 * inside the kernel, `kernel` is split into submit, blockq, device, complete and reap. An
 * I/O that can't be split keeps `kernel`, and the report counts why: no stamps (these are
 * another I/O's), no request of the block layer, a missing stamp, a last completion or a
 * whole part that was not seen, or a write with O_SYNC. If a stamp is missing, `kernel` is
 * only the two stages around it. Where a part of blockq is known, it is what its stamps give:
 * with those for tw_causes four parts that add up to blockq, else scheduler alone. A start
 * before acceptance, as a plug caches it, makes scheduler all of blockq.
 *
 * Defect: a stage between the wrong stamps, an I/O with another one's stamps, one that is
 * recorded twice or not at all, one stamp for all where each has its own, a count of the
 * wrong reason. Also a time that is in both `kernel` and the five.
 *
 * The test keeps its own record: when each I/O was prepared, when the kernel was
 * entered and left with it, when the engine could first see its completion, when
 * getevents() returned it. The entries of the kernel's program are an array of the test,
 * filled when the kernel made by hand has done an I/O. At 1 GHz a tick is a nanosecond and
 * nothing is rounded: then each histogram must be the same, bin by bin. At other rates a
 * conversion is right to 1 ns, and the expected value to half of one: 2 ns for each stage,
 * and three times that for lat, their sum. If CLOCK_MONOTONIC has another rate, a stage
 * inside the kernel is right to 3 ns, for two conversions and their rounding.
 */
#include "engine_world.h"

#define IOS		3000
#define PROMISED_NS	2
#define STEERED_NS	3
#define SLOWEST		25

enum stage { QUEUE, SUBMIT, BLOCKQ, DEVICE, COMPLETE, REAP, KERNEL, DELIVER, LAT, CALL,
	     WORKER, BEFORE, ADMISSION, SCHEDULER, STAGES };
static const char *const stage_paths[STAGES] = { "stages.queue", "stages.submit",
	"stages.blockq", "stages.device", "stages.complete", "stages.reap",
	"stages.kernel", "stages.deliver", "stages.lat", "submitting_call",
	"blockq.worker", "blockq.before", "blockq.admission", "blockq.scheduler" };

/* The outcome of an I/O's stamps. */
enum kind { SPLIT, OLDER, LATER, EMPTY, NO_REQUEST, NO_ISSUE, NO_DONE, NO_POSTED,
	    NOT_ALL_DONE, NOT_ALL_ISSUED, SYNC_WRITE, KINDS,
	    HALF_SEEN, NO_PROGRAM };	/* of single I/Os; of jobs */

enum reason { NO_STAMPS, REQUESTLESS, MISSING, SYNC, REASONS };
static const char *const reason_names[REASONS] = { "no_stamps", "no_request",
	"missing_stamp", "sync_write" };
static const char *const why_names[TW_WORKER_WHYS] = { "unknown", "asked", "block_layer",
	"file_system" };
static const enum reason reasons[KINDS] = { 0, NO_STAMPS, NO_STAMPS, NO_STAMPS,
	REQUESTLESS, MISSING, MISSING, MISSING, MISSING, MISSING, SYNC };

/* What is known of the first request: nothing; its start, which may be before acceptance;
 * when it was got; that it was merged. */
enum parts { UNKNOWN, STARTED, STARTED_EARLY, GOT, MERGED, ALL_PARTS };

/* What the test knows of an I/O in flight. */
struct known {
	bool is_free, submitted;
	enum kind kind;
	unsigned requests, retries;
	enum parts parts;
	enum tw_worker_why why;
	bool late;		/* a worker was seen late */
	uint64_t number, prepared, enter, entered, accepted, handed, begun, queued, got,
		 dispatched, finished, posted, seen;
	uint64_t start_ns, issue_ns;	/* by fio's clock */
};

/* What the test knows of an I/O that is over. */
struct over {
	uint64_t number, prepared, returned;
	unsigned direction;
	bool late;
	bool has[STAGES];
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
	bool kernel, all_split, parts;
	double monotonic_fast;
};

static const struct shape *shape;
static struct known known[WORLD_DEPTH];
static struct tw_padded_stamps entries[WORLD_DEPTH];
static unsigned order[WORLD_PLACES];	/* of completions, by place */
static unsigned looked;			/* completions before this were seen */
static bool in_this_call[WORLD_DEPTH];
static struct tw_histogram right[STAGES][2];
static struct over over[IOS];
static unsigned recorded;
static uint64_t began, calls, tails, largest_reap;
static uint64_t split[2], not_split[REASONS][2], workers[2], whys[TW_WORKER_WHYS][2];
static uint64_t requests, retries, late;
static unsigned wrong_fio;		/* times that fio would take */

/* The kernel skipped runs of the program before the job, and these in it. */
#define MISSED_BEFORE	5
#define MISSED		7

static uint64_t ns_of(uint64_t from, uint64_t to)
{
	if (shape->system)
		return to - from;
	return (uint64_t)((double)(to - from) * 1e9 / world.rate.hz + 0.5);
}

static uint64_t tolerance_ns(enum stage stage)
{
	if (shape->monotonic_fast != 0)
		return stage >= WORKER ? 2 * STEERED_NS :
		       stage >= SUBMIT && stage <= KERNEL ? STEERED_NS : 0;
	if (shape->system || !shape->hz)
		return 0;
	if (stage >= WORKER)
		return 4 * PROMISED_NS;
	/* A stage inside the kernel is the difference of two conversions. */
	return stage == LAT ? 3 * PROMISED_NS : shape->kernel && stage >= SUBMIT &&
	       stage <= KERNEL ? 2 * PROMISED_NS : PROMISED_NS;
}

/* ---- the kernel, and the right values ---------------------------------- */

/* The engine sees all that is in the ring. */
static void look(void)
{
	const unsigned count = world.cq_tail - looked;

	for (; looked != world.cq_tail; looked++)
		known[order[looked % WORLD_PLACES]].seen = engine_now_ticks;
	tails += count != 0;
	if (count > largest_reap)
		largest_reap = count;
}

static void entering(void)
{
	bool submits = false;

	for (unsigned i = 0; i < shape->depth; i++) {
		if (known[i].is_free || known[i].submitted)
			continue;
		known[i].enter = engine_now_ticks;
		if (shape->polled)
			known[i].issue_ns = world_fio_ns();
		submits = true;
	}
	calls += submits && !shape->polled;
	/* No call is over within a nanosecond, whatever the rate. */
	world.enter_ticks = 20 + world_some_ticks();
}

/* The call takes one after the other. */
static void accepted(unsigned i)
{
	const uint64_t ticks = world_some_ticks();

	engine_now_ticks += ticks;
	world.ios[i].done_ticks += ticks;
	known[i].submitted = true;
	known[i].accepted = engine_now_ticks;
	in_this_call[i] = !shape->polled;
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
	if (!submitted || (!shape->event_time && !shape->no_stages))
		look();
}

/* Set the program's stamps of this I/O; those of an earlier one may be there. */
static void stamp(unsigned i)
{
	const struct known *io = &known[i];
	const uint64_t key = world.ios[i].sqe.user_data;
	struct tw_kernel_stamps *stamps = &entries[i].stamps;

	if (io->kind == OLDER || io->kind == NO_PROGRAM)
		return;
	*stamps = (struct tw_kernel_stamps) {
		/* No I/O of this job will have the other key. */
		.key = key + (io->kind == LATER ? 1ULL << 62 : 0),
		.accepted_ns = world_monotonic_ns(io->accepted),
		.dispatched_ns = world_monotonic_ns(io->dispatched),
		.finished_ns = world_monotonic_ns(io->finished),
		.posted_ns = world_monotonic_ns(io->posted),
		.requests = io->requests,
		.retries = (__u8)io->retries,
		.why = io->why,
		/* A driver that was busy gets the request again. */
		.due_bytes = io->requests == 4 ? 8192 : 4096,
		.finished_bytes = 4096,
		.flags = (io->kind == SYNC_WRITE ? TW_STAMPS_SYNC_WRITE : 0) |
			 (io->late ? 0 : TW_STAMPS_BEGUN),
		.got_ns = io->parts == UNKNOWN || io->parts == MERGED ? 0 :
			  world_monotonic_ns(io->got),
		/* Without the programs nothing is written there. */
		.queued_ns = !shape->parts ? 1 : io->parts < GOT ? 0 :
			     world_monotonic_ns(io->queued),
		.handed_ns = !shape->parts ? 1 : !io->retries ? 0 :
			     world_monotonic_ns(io->handed),
		.begun_ns = !shape->parts ? 2 : !io->retries ? 0 :
			    world_monotonic_ns(io->begun),
	};
	if (io->kind == EMPTY)
		*stamps = (struct tw_kernel_stamps) { .key = 0 };
	if (io->kind == NO_ISSUE || io->kind == NO_REQUEST)
		stamps->dispatched_ns = 0;
	if (io->kind == NO_DONE || io->kind == NO_REQUEST)
		stamps->finished_ns = 0;
	if (io->kind == NO_POSTED)
		stamps->posted_ns = 0;
	if (io->kind == NOT_ALL_DONE)
		stamps->finished_bytes -= 512;
	if (io->kind == NOT_ALL_ISSUED)
		stamps->due_bytes = 3584;
	if (io->kind == HALF_SEEN)
		stamps->due_bytes = stamps->finished_bytes = 2048;
}

static void appeared(unsigned i)
{
	struct known *io = &known[i];
	const uint64_t took = world.ios[i].done_ticks - io->accepted;
	const uint64_t a = world_below(took + 1), b = world_below(took + 1);

	order[(world.cq_tail - 1) % WORLD_PLACES] = i;
	io->dispatched = io->accepted + (a < b ? a : b);
	io->finished = io->accepted + (a < b ? b : a);
	io->posted = io->accepted + took;
	io->queued = io->accepted + world_below(io->dispatched - io->accepted + 1);
	io->got = io->queued + world_below(io->dispatched - io->queued + 1);
	io->handed = io->accepted + world_below(io->queued - io->accepted + 1);
	io->begun = io->handed + world_below(io->queued - io->handed + 1);
	if (io->parts == STARTED_EARLY)
		io->got = io->accepted - world_below(50);
	if (io->parts == MERGED)
		io->got = io->queued;
	stamp(i);
}

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

static bool has_stage(enum kind kind, enum stage stage, enum parts parts)
{
	const enum stage joined = joined_of(kind);

	if (shape->no_stages || stage == LAT)
		return stage == LAT;
	if (stage == CALL)
		return !shape->polled;
	if (stage >= WORKER)
		return has_stage(kind, BLOCKQ, parts) &&
		       (stage == SCHEDULER ? parts > UNKNOWN : parts >= GOT);
	if (stage == KERNEL)
		return kind != SPLIT;
	return stage < SUBMIT || stage > REAP || kind == SPLIT ||
	       (joined != QUEUE && stage != joined && stage != joined + 1);
}

static void done(unsigned i, uint64_t returned)
{
	const struct known *io = &known[i];
	const unsigned direction = world.io_us[i].ddir;
	const enum stage joined = joined_of(io->kind);
	const uint64_t ns[STAGES] = {
		[QUEUE] = ns_of(io->prepared, io->enter),
		[SUBMIT] = ns_of(io->enter, io->accepted),
		[BLOCKQ] = ns_of(io->accepted, io->dispatched),
		[DEVICE] = ns_of(io->dispatched, io->finished),
		[COMPLETE] = ns_of(io->finished, io->posted),
		[REAP] = ns_of(io->posted, io->seen),
		[KERNEL] = joined == QUEUE ? ns_of(io->enter, io->seen) : 0,
		[DELIVER] = ns_of(io->seen, returned),
		[LAT] = ns_of(io->prepared, returned),
		[CALL] = ns_of(io->enter, io->entered),
		[WORKER] = io->retries ? ns_of(io->handed, io->begun) : 0,
		[BEFORE] = ns_of(io->accepted, io->queued) -
			   (io->retries ? ns_of(io->handed, io->begun) : 0),
		[ADMISSION] = ns_of(io->queued, io->got),
		[SCHEDULER] = ns_of(io->got > io->accepted ? io->got : io->accepted,
				    io->dispatched),
	};
	struct over *one = &over[recorded++];

	*one = (struct over) {
		.number = io->number,
		.prepared = io->prepared,
		.returned = returned,
		.direction = direction,
	};
	for (unsigned stage = 0; stage < STAGES; stage++) {
		one->has[stage] = has_stage(io->kind, stage, io->parts);
		if (!one->has[stage])
			continue;
		one->ns[stage] = ns[stage] + (stage == KERNEL && joined != QUEUE ?
					      ns[joined] + ns[joined + 1] : 0);
		tw_histogram_add(&right[stage][direction], one->ns[stage]);
	}
	one->late = one->has[WORKER] && io->retries && io->late;
	if (io->kind == NO_PROGRAM)
		return;
	if (io->retries && (io->kind == SPLIT || reasons[io->kind] != NO_STAMPS)) {
		workers[direction]++;
		whys[io->why][direction]++;
	}
	if (io->kind != SPLIT) {
		not_split[reasons[io->kind]][direction]++;
		return;
	}
	split[direction]++;
	requests += io->requests;
	retries += io->retries;
	late += one->late;
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

	world_pass(world_some_ticks());
	io_u = world_transfer(i, world_below(3) ? DDIR_READ : DDIR_WRITE,
			      number * 4096ULL, 4096);
	/* One in four is done before the call is over. */
	world.takes_ticks[i] = world_below(4) ? world_some_ticks() : 0;
	world_prep(io_u);
	known[i] = (struct known) {
		.number = number,
		.kind = !shape->kernel ? NO_PROGRAM :
			shape->all_split || world_below(2) ? SPLIT :
			(enum kind)world_below(KINDS),
		.requests = 1 + (unsigned)world_below(4),
		.retries = world_below(4) ? 0 : (unsigned)world_below(3),
		.parts = (enum parts)world_below(shape->parts ? ALL_PARTS : GOT),
		.why = (enum tw_worker_why)world_below(TW_WORKER_WHYS),
		.late = world_below(2),
		.prepared = engine_now_ticks,
		.start_ns = world_fio_ns(),
	};
	/* fio does this between the two, and reads its rate in others. */
	if (world_below(2))
		world_pass(world_some_ticks());
	if (world_queue_prepared(io_u) != FIO_Q_QUEUED)
		tap_note("io_u %u: not queued", i);
}

static unsigned take(unsigned min, unsigned max)
{
	uint64_t read_ns, returned;
	int events;

	/* Nothing advances the clock while the engine waits without a call. */
	while (shape->polled && world_waiting() < min)
		world_pass(world_some_ticks());
	look();
	events = tw_getevents(&world.td, min, max, NULL);
	returned = engine_now_ticks;
	read_ns = world_fio_ns();
	for (int event = 0; event < events; event++) {
		unsigned i;

		world_pass(world_some_ticks());
		i = world_index(tw_event(&world.td, event));
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
		for (unsigned i = 0; i < shape->depth && number < IOS; i++) {
			if (!known[i].is_free)
				continue;
			queue_one(i, number++);
			in_flight++;
			if (!world_below(6))
				break;
		}
		world_pass(world_some_ticks());
		world_commit();
		if (in_flight)
			in_flight -= take(in_flight < shape->min ? in_flight : shape->min,
					  shape->max);
	}
}

/* ---- the report -------------------------------------------------------- */

static bool is_near(uint64_t is, uint64_t should, uint64_t limit)
{
	return is + limit >= should && should + limit >= is;
}

static bool is_right(const json_t *is, enum stage stage, unsigned direction)
{
	const struct tw_histogram *should = &right[stage][direction];
	const uint64_t limit_ns = tolerance_ns(stage);
	/* What a stage adds to lat's mean. */
	const struct tw_histogram *of = &right[stage == CALL ? CALL : LAT][direction];
	json_t *json;
	bool same;

	if (!is || !should->count)
		return !is && !should->count;
	if (limit_ns)
		return world_value(world_at(is, "count")) == should->count &&
		       is_near(world_value(world_at(is, "min_ns")), should->min_ns, limit_ns) &&
		       is_near(world_value(world_at(is, "max_ns")), should->max_ns, limit_ns) &&
		       is_near(world_value(world_at(is, "sum_ns")), should->sum_ns,
			       should->count * limit_ns);
	json = tw_histogram_to_json(should, (double) should->sum_ns / (double) of->count);
	same = json_equal(is, json);
	json_decref(json);
	return same;
}

static void check_direction(unsigned d)
{
	const char *name = tw_direction_names[d];
	uint64_t sum_ns = 0;

	for (unsigned stage = 0; stage < STAGES; stage++) {
		tap_ok(is_right(world_at(world.report, "%s.%s", stage_paths[stage], name),
				stage, d), "%s of %s: %" PRIu64 " I/Os", stage_paths[stage],
		       name, right[stage][d].count);
		if (stage < LAT)
			sum_ns += world_number("%s.%s.sum_ns", stage_paths[stage], name);
	}
	tap_ok(world_number("ios.%s", name) == right[LAT][d].count &&
	       !world_number("clock_went_back.%s", name) && !world.backwards,
	       "%s: counted once each", name);
	tap_ok(shape->no_stages || sum_ns == world_number("stages.lat.%s.sum_ns", name),
	       "%s: the stages add up to lat", name);
}

/* Return the I/Os of @slice of lat; of the time of a window; their time in a stage. */
static uint64_t right_in_slice(const json_t *slice, unsigned direction, int stage)
{
	const uint64_t from_ns = world_value(world_at(slice, "from_ns"));
	const uint64_t to_ns = world_value(world_at(slice, "to_ns"));
	uint64_t sum = 0;

	for (unsigned i = 0; i < recorded; i++)
		if (over[i].direction == direction && over[i].ns[LAT] >= from_ns &&
		    over[i].ns[LAT] <= to_ns)
			sum += stage < 0 ? 1 : over[i].ns[stage];
	return sum;
}

static uint64_t returned_from(uint64_t from_ns, uint64_t below_ns)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < recorded; i++) {
		const uint64_t at_ns = world_monotonic_ns(began) + over[i].returned - began;

		count += at_ns >= from_ns && at_ns < below_ns;
	}
	return count;
}

/* Where a tick is a nanosecond: each I/O is in the part of the run in which it was
 * returned, which is by CLOCK_REALTIME. */
static void check_over_time(void)
{
	const json_t *windows = world_at(world.report, "over_time.windows");
	const uint64_t width_ns = world_number("over_time.width_ns");
	uint64_t count = 0, sum_ns = 0, right_ns = 0;
	unsigned wrong = 0;

	for (size_t i = 0; i < json_array_size(windows); i++) {
		const json_t *window = json_array_get(windows, i);
		const uint64_t from_ns = world_value(world_at(window, "start"));
		uint64_t ios = 0;

		for (unsigned d = 0; d < 2; d++) {
			const json_t *part = world_at(window, "%s", tw_direction_names[d]);

			ios += world_value(world_at(part, "count"));
			sum_ns += world_value(world_at(part, "sum_ns"));
		}
		wrong += from_ns % width_ns ||
			 (!shape->hz && shape->monotonic_fast == 0 &&
			  ios != returned_from(from_ns, from_ns + width_ns));
		count += ios;
	}
	for (unsigned d = 0; d < 2; d++)
		right_ns += world_number("stages.lat.%s.sum_ns", tw_direction_names[d]);
	tap_ok(!wrong && count == IOS && sum_ns == right_ns && json_array_size(windows) > 1,
	       "over time each I/O stands once, where it was returned (%zu windows)",
	       json_array_size(windows));
}

/* Each I/O once, with its own stages, among those of about its lat. */
static void check_by_lat(void)
{
	unsigned wrong = 0;
	uint64_t ios = 0;

	for (unsigned d = 0; d < 2; d++) {
		const json_t *slices = world_at(world.report, "stages_by_lat.%s",
						tw_direction_names[d]);

		for (size_t i = 0; i < json_array_size(slices); i++) {
			const json_t *slice = json_array_get(slices, i);
			const uint64_t has = world_value(world_at(slice, "ios"));

			ios += has;
			wrong += has != right_in_slice(slice, d, -1);
			for (int stage = QUEUE; stage < LAT; stage++)
				wrong += world_value(world_at(slice, "%s", stage_paths[stage])) !=
					 right_in_slice(slice, d, stage);
		}
	}
	if (shape->no_stages)
		tap_ok(!world_at(world.report, "stages_by_lat"), "there are no stages by lat");
	else
		tap_ok(!wrong && ios == IOS, "by lat there are the same I/Os with the same "
		       "stages");
}

static int longer_first(const void *a, const void *b)
{
	const struct over *first = a, *second = b;

	return first->ns[LAT] < second->ns[LAT] ? 1 :
	       -(first->ns[LAT] > second->ns[LAT]);
}

/* Sorted by lat, so that equal ones stand together. */
static const struct over *with_number(uint64_t number)
{
	unsigned i = 0;

	while (i + 1 < recorded && over[i].number != number)
		i++;
	return &over[i];
}

/* The stages that it has, and kernel for the rest; together they are lat. */
static bool is_slow_one(const json_t *slow)
{
	const json_t *stages = world_at(slow, "stages");
	const json_t *call = world_at(slow, "submitting_call_ns");
	const json_t *parts = world_at(slow, "blockq");
	const struct over *one = with_number(world_value(world_at(slow, "offset")) / 4096);
	uint64_t sum_ns = 0, parts_ns = 0;
	size_t count = 1;

	for (unsigned part = WORKER; part <= SCHEDULER; part++) {
		const json_t *is = world_at(parts, "%s", stage_paths[part] + 7);

		parts_ns += world_value(is);
		if (!is != !one->has[part] ||
		    !is_near(world_value(is), one->ns[part], tolerance_ns(part)))
			return false;
	}
	if (!world_at(parts, "worker_is_bound") != !one->late)
		return false;
	if (one->has[BEFORE] && parts_ns != world_value(world_at(stages, "blockq")))
		return false;
	for (unsigned stage = QUEUE; stage <= DELIVER; stage++) {
		const json_t *is = world_at(stages, "%s", stage_paths[stage] + 7);

		sum_ns += world_value(is);
		count += one->has[stage];
		if (!is != !one->has[stage] ||
		    !is_near(world_value(is), one->ns[stage], tolerance_ns(stage)))
			return false;
	}
	return world_value(world_at(slow, "ticks")) == one->prepared &&
	       world_value(world_at(slow, "monotonic_ns")) + 1 >=
			world_monotonic_ns(began) + (one->prepared - began) / 1000000 &&
	       !strcmp(json_string_value(world_at(slow, "ddir")),
		       tw_direction_names[one->direction]) &&
	       is_near(world_value(world_at(stages, "lat")), one->ns[LAT],
		       tolerance_ns(LAT)) &&
	       json_object_size(stages) == count &&
	       !call == !one->has[CALL] &&
	       is_near(world_value(call), one->ns[CALL], tolerance_ns(CALL)) &&
	       (shape->no_stages || sum_ns == world_value(world_at(stages, "lat")));
}

static void check_slowest(void)
{
	const json_t *slowest = world_at(world.report, "slowest");
	unsigned wrong = json_array_size(slowest) != SLOWEST;

	qsort(over, recorded, sizeof(over[0]), longer_first);
	for (size_t i = 0; i < json_array_size(slowest); i++) {
		const json_t *slow = json_array_get(slowest, i);

		wrong += !is_slow_one(slow) ||
			 !is_near(world_value(world_at(slow, "stages.lat")), over[i].ns[LAT],
				  tolerance_ns(LAT));
	}
	tap_ok(!wrong, "the %d slowest are these, the slowest first, each with its own "
	       "stages", SLOWEST);
}

static void check_kernel(void)
{
	/* A job that splits nothing knows so. */
	unsigned wrong = !world_is_text("jobs.0.kernel.state", shape->kernel ? "on" : "off") +
			 !world_at(world.report, "kernel_stages.split") != shape->no_stages;

	for (unsigned d = 0; d < 2; d++) {
		const char *name = tw_direction_names[d];

		wrong += world_number("kernel_stages.split.%s", name) != split[d] ||
			 world_number("kernel_stages.workers.%s", name) != workers[d];
		for (unsigned i = 0; i < TW_WORKER_WHYS; i++)
			wrong += world_number("kernel_stages.to_workers.%s.%s", why_names[i],
					      name) != whys[i][d];
		for (unsigned i = 0; i < REASONS; i++)
			wrong += world_number("kernel_stages.not_split.%s.%s", reason_names[i],
					      name) != not_split[i][d];
	}
	wrong += world_number("kernel_stages.requests") != requests ||
		 world_number("kernel_stages.retries") != retries ||
		 (shape->kernel && world_number("kernel_stages.workers_late") != late) ||
		 world_number("kernel_stages.missed_runs") != (shape->kernel ? MISSED : 0) ||
		 world_number("kernel_stages.negative_beyond") ||
		 (!shape->hz && shape->monotonic_fast == 0 &&
		  world_number("kernel_stages.negative_within"));
	tap_ok(!wrong, "%" PRIu64 " were split, the others for their own reasons not (%u)",
	       split[0] + split[1], wrong);
}

/* The clocks differ by what the world made of them. Each offset is known to some ns. */
static void check_clocks(void)
{
	const double over_ns = (double)world_number("clocks.tickwise.over_ns");
	const double right_ns[] = { -shape->monotonic_fast * over_ns,
		(shape->fio_fast - shape->monotonic_fast) * over_ns, 0 };
	static const char *const names[] = { "tickwise", "fio", "monotonic" };
	unsigned wrong = over_ns < 1e6;

	for (unsigned i = 0; i < FIO_ARRAY_SIZE(names); i++) {
		const json_t *clock = world_at(world.report, "clocks.%s", names[i]);
		const double bound_ns = json_number_value(world_at(clock, "uncertainty_ns"));
		const double off_ns = json_number_value(world_at(clock, "error_ns")) -
				      right_ns[i];

		wrong += off_ns > bound_ns || off_ns < -bound_ns || bound_ns > 20;
	}
	tap_ok(!wrong, "the clocks are as far apart as they are (%u are wrong)", wrong);
}

/* ---- a job ------------------------------------------------------------- */

static void forget(void)
{
	unsigned i;

	world_forget();
	memset(known, 0, sizeof(known));
	memset(entries, 0, sizeof(entries));
	memset(split, 0, sizeof(split));
	memset(not_split, 0, sizeof(not_split));
	memset(workers, 0, sizeof(workers));
	memset(whys, 0, sizeof(whys));
	late = 0;
	for (i = 0; i < WORLD_DEPTH; i++)
		known[i].is_free = true;
	looked = WORLD_FROM;
	recorded = wrong_fio = 0;
	calls = tails = largest_reap = requests = retries = 0;
	for (i = 0; i < STAGES * 2; i++) {
		tw_histogram_free(&right[i / 2][i % 2]);
		tw_histogram_init(&right[i / 2][i % 2], 3);
	}
}

static void set_world(void)
{
	const uint64_t hz = shape->hz ? shape->hz : WORLD_RATE_HZ;

	world.fio_fast = shape->fio_fast;
	world.td.o.iodepth = shape->depth;
	world.td.o.iodepth_batch = shape->batch;
	world.td.o.iodepth_batch_complete_min = shape->min;
	world.td.o.odirect = shape->direct;
	world.td.runstate = shape->verifies ? TD_VERIFYING : TD_RUNNING;
	world.options.stages = !shape->no_stages;
	world.options.event_time = shape->event_time;
	world.options.slowest = SLOWEST;
	world.options.sqthread_poll = shape->polled;
	world.options.kernel = shape->kernel ? TW_KERNEL_REQUIRE : TW_KERNEL_OFF;
	world.kernel_entries = entries;
	world.kernel_parts = shape->parts;
	world.kernel_missed = MISSED_BEFORE;
	world.monotonic_fast = shape->monotonic_fast;
	world.rate.hz = (double)hz;
	world.timing.clock.system = shape->system;
	world.at_once = shape->at_once;
	world.accepts = shape->accepts;
	world.entering = entering;
	world.accepted = accepted;
	world.left = left;
	world.appeared = appeared;
	/* A second of fio's clock ends soon. */
	began = hz - hz / 50000;
	engine_now_ticks = began;
}

static void job_of(const struct shape *now)
{
	shape = now;
	tap_note("%s", shape->name);
	forget();
	set_world();
	world_start();
	run_job();
	world.kernel_missed += MISSED;
	world_end();
	tap_ok(!world.bad_entries && world.entries == IOS, "each entry is its I/O's");
	tap_ok(world.slats == (shape->polled ? 0 : IOS) && !world.bad_slats,
	       "each I/O has one slat, up to the end of its call; none with a polling thread");
	tap_ok(!wrong_fio, "fio takes the right times for lat and clat (wrong: %u)",
	       wrong_fio);
	for (unsigned d = 0; d < 2; d++)
		check_direction(d);
	check_over_time();
	if (!shape->hz && shape->monotonic_fast == 0)
		check_by_lat();
	check_slowest();
	check_kernel();
	check_clocks();
	tap_ok(world_number("batches.enters") == calls &&
	       world_number("batches.reaps") == tails &&
	       world_number("batches.largest_reap") == largest_reap,
	       "%" PRIu64 " calls submitted, completions came in %" PRIu64
	       " groups of %" PRIu64 " at most", calls, tails, largest_reap);
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

static void one_job(enum kind kind)
{
	forget();
	world.kernel_entries = entries;
	world.options.kernel = TW_KERNEL_REQUIRE;
	world.td.o.td_ddir = TD_DDIR_RW | TD_DDIR_TRIM;
	world.appeared = one_appeared;
	posted_late = 0;
	one_kind = kind;
	world_start();
}

/* A completion that is in the ring after the engine has seen it there. */
static void contradicted(uint64_t late, bool within)
{
	one_job(SPLIT);
	posted_late = late;
	world_one(DDIR_READ, 0);
	world_end();
	tap_ok(world_number("kernel_stages.negative_within") == within &&
	       world_number("kernel_stages.negative_beyond") == !within &&
	       world.backwards == !within &&
	       !world_number("stages.reap.read.sum_ns") &&
	       world_number("stages.lat.read.count") == 1,
	       "posted %" PRIu64 " ns after it was seen: %s the error, reap is 0", late,
	       within ? "within" : "beyond");
}

/*
 * A trim by a system call never was in the ring: the stamps that its io_u still has
 * are those of the read before.
 */
static void by_call(void)
{
	uint64_t *left, before;

	one_job(SPLIT);
	left = &world_state()->hot.sampling.chooser.left;
	world.mark_ticks = 40;
	world_one(DDIR_READ, 0);
	world_one(DDIR_TRIM, 0);
	before = *left;
	*left = UINT64_MAX;
	world_one(DDIR_TRIM, 0);
	*left = before;
	world_one(DDIR_READ, 0);
	world_end();
	tap_ok(world_number("kernel_stages.split.read") == 2 &&
	       !world_number("kernel_stages.split.trim") &&
	       world_number("kernel_stages.not_split.no_stamps.trim") == 2 &&
	       !world_number("kernel_stages.not_split.not_chosen.trim") &&
	       world_number("stages.kernel.trim.count") == 2 &&
	       world_number("stages.deliver.trim.max_ns") == 40 &&
	       !world_at(world.report, "stages.submit.trim") && !world.backwards &&
	       !world_number("kernel_stages.negative_beyond"),
	       "a trim by a system call has no stamps: its stage is kernel, which is known "
	       "also if it was not chosen, and deliver lasts until fio has it");
}

/* Half of an I/O had no request. Only in a read of a file that may be a hole. */
static void half_seen(enum fio_ddir ddir, enum fio_filetype type, bool may_be,
		      const char *what)
{
	const char *direction = tw_direction_names[ddir];

	one_job(HALF_SEEN);
	world.file.filetype = type;
	world_one(ddir, 0);
	world_end();
	tap_ok(world_number("kernel_stages.split.%s", direction) == may_be &&
	       world_number("kernel_stages.not_split.missing_stamp.%s", direction) == !may_be &&
	       !world_at(world.report, "stages.device.%s", direction) == !may_be &&
	       !world_at(world.report, "stages.blockq.%s", direction) == !may_be,
	       "half of %s was seen: %s", what, may_be ? "split" : "a missing stamp");
}

/* fio does not count it, so the report counts it nowhere. */
static void of_none(void)
{
	static const int32_t results[] = { 0, -EIO, 512, 0 };

	one_job(SPLIT);
	for (unsigned i = 0; i < FIO_ARRAY_SIZE(results); i++) {
		if (i == 3)
			world_ramps();
		world.results[0] = results[i];
		world_one(DDIR_READ, 0);
	}
	world_end();
	tap_ok(world_number("ios.read") == 1 &&
	       world_number("kernel_stages.split.read") == 1 &&
	       world_number("kernel_stages.requests") == 1, "those that failed, that were "
	       "short or in the ramp time: not split, not counted");
}

int main(void)
{
	static const struct shape shapes[] = {
		{ "one at a time", 1, 1, 1,.max = 1 },
		{ "one at a time, direct=1", 1, 1, 1, 1, .direct = true },
		{ "eight deep", 8, 1, 1,.max = 8 },
		{ "eight deep, taken one by one", 8, 1, 1,.max = 1 },
		{ "in batches, taken one by one", 16, 4, 1, 1, .at_once = true },
		{ "in batches, seen when the kernel is entered", 32, 8, 4, .max = 16 },
		{ "in batches, seen as they come", 32, 8, 4, 16, .at_once = true },
		{ "a ring that is not full, few taken at once", 5, 5, 1, 2,
		  .at_once = true },
		{ "a kernel that takes three at a time", 32, 8, 4, 16, .at_once = true,
		  .accepts = 3 },
		{ "verifying", 8, 2, 1, 8, .verifies = true },
		{ "submitted by a thread", 8, 2, 1, 8, .at_once = true, .polled = true },
		{ "tw_stages=0", 16, 4, 1, 16, .at_once = true, .no_stages = true },
		{ "tw_stages=0, tw_kernel=auto", 16, 4, 1, 16, .no_stages = true },
		{ "tw_event_time=1", 16, 4, 4, 16, .at_once = true, .event_time = true },
		{ "tw_event_time=1, tw_stages=0", 16, 4, 4, 16, .at_once = true,
		  .event_time = true, .no_stages = true },
		{ "fio's clock is another one, at another rate", 8, 1, 1, 8,
		  .at_once = true, .fio_fast = 0.25 },
		{ "the system clock", 8, 2, 1, 8, .at_once = true, .system = true },
		{ "2.6 GHz", 32, 8, 4, 16, .at_once = true, .hz = 2599998000 },
		{ "10 GHz", 32, 8, 4, 16, .event_time = true, .hz = 10000000000 },
		{ "24 MHz, tw_event_time=1", 32, 8, 4, 16, .event_time = true,
		  .hz = 24000000 },
		{ "kernel stages, one at a time", 1, 1, 1, 1, .kernel = true,
		  .direct = true },
		{ "kernel stages, eight deep, all split", 8, 1, 1, 8, .kernel = true,
		  .direct = true, .all_split = true },
		{ "parts of blockq, all split", 8, 1, 1, 8, .kernel = true, .direct = true,
		  .all_split = true, .parts = true },
		{ "parts of blockq, in batches, 2.6 GHz", 32, 8, 1, 32, .kernel = true,
		  .direct = true, .parts = true, .hz = 2599998000 },
		{ "parts of blockq, CLOCK_MONOTONIC 500 ppm fast", 16, 4, 1, 16,
		  .kernel = true, .parts = true, .monotonic_fast = 500e-6 },
		{ "kernel stages, in batches", 32, 8, 1, 32, .kernel = true,
		  .direct = true },
		{ "kernel stages, a ring that is not full", 5, 5, 1, 5, .kernel = true },
		{ "kernel stages, 2.6 GHz", 16, 4, 1, 16, .kernel = true, .hz = 2599998000 },
		{ "kernel stages, 24 MHz", 16, 4, 1, 16, .kernel = true, .hz = 24000000 },
		{ "kernel stages, 25 MHz", 16, 4, 1, 16, .kernel = true, .hz = 25000000 },
		{ "parts of blockq, 50 MHz, CLOCK_MONOTONIC 500 ppm fast", 32, 8, 1, 32,
		  .kernel = true, .direct = true, .parts = true, .hz = 50000000,
		  .monotonic_fast = 500e-6 },
		{ "kernel stages, CLOCK_MONOTONIC 500 ppm fast", 16, 4, 1, 16,
		  .kernel = true, .monotonic_fast = 500e-6 },
		{ "kernel stages, CLOCK_MONOTONIC 500 ppm slow", 16, 4, 1, 16,
		  .kernel = true, .monotonic_fast = -500e-6 },
		{ "kernel stages, submitted by a thread", 8, 2, 1, 8, .kernel = true,
		  .at_once = true, .polled = true },
		{ "kernel stages, tw_event_time=1", 16, 4, 1, 16, .kernel = true,
		  .event_time = true },
	};

	world_random = tap_seed();
	for (size_t i = 0; i < FIO_ARRAY_SIZE(shapes); i++)
		job_of(&shapes[i]);
	contradicted(1, true);
	contradicted(3, false);
	by_call();
	half_seen(DDIR_READ, FIO_TYPE_FILE, true, "a read of a file");
	half_seen(DDIR_WRITE, FIO_TYPE_FILE, false, "a write to a file");
	half_seen(DDIR_READ, FIO_TYPE_BLOCK, false, "a read of a block device");
	of_none();
	world_forget();
	return tap_done();
}
