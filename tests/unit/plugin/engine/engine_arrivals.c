/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: in an open loop (tw_rate_iops) each I/O begins when it is due, also if the ones
 * before took long or came late, and with iodepth_batch. A completion that comes while the next
 * I/O is held ends its I/O then. The report's lat and fio's own are the time from due to
 * there. Of the backlog, the report tells what the job itself caused, and how often iodepth
 * was reached. An I/O that is held when the job ends is dropped.
 * Defect: a schedule that a late I/O moves; a completion that gets its stamp when fio takes it;
 * a wait for the device that counts as the job's own time; a hold that outlives the job.
 *
 * At 1 GHz a tick is a nanosecond. A call takes 500 ns, and time passes in calls and where the
 * test says so. So an I/O begins up to two calls after it is due, and no more.
 */
#include "engine_world.h"

#define GAP_NS		100000ULL	/* 10,000 a second */
#define LATE_NS		1100
#define TAKES_NS	20000
#define DEPTH		4
#define IOS		4000U

static uint64_t began_ns[IOS];	/* by order: when the kernel took them */
static unsigned began;
static bool hipri;		/* of the next job */
static enum fio_ddir direction = DDIR_READ;

static void note(unsigned i)
{
	(void)i;
	began_ns[began++ % FIO_ARRAY_SIZE(began_ns)] = engine_now_ticks;
}

static void begin(unsigned depth, unsigned batch)
{
	world_forget();
	began = 0;
	world.accepted = note;
	world.options.rate_iops[direction] = (unsigned)(1000000000 / GAP_NS);
	world.options.hipri = hipri;
	world.td.o.td_ddir = direction == DDIR_TRIM ? TD_DDIR_TRIM : TD_DDIR_READ;
	world.td.o.iodepth = depth;
	world.td.o.iodepth_batch = batch;
	for (unsigned i = 0; i < depth; i++)
		world.takes_ticks[i] = TAKES_NS;
	world_start();
}

static uint64_t sum(const char *time)
{
	return world_number("%s.read.sum_ns", time);
}

/* Return how many I/Os did not begin when they were due, from @first on. */
static unsigned misplaced(uint64_t start_ns, unsigned first)
{
	unsigned wrong = 0;

	for (unsigned i = first; i < began; i++) {
		const uint64_t due_ns = start_ns + (i + 1) * GAP_NS;

		wrong += began_ns[i] < due_ns || began_ns[i] > due_ns + LATE_NS;
	}
	return wrong;
}

/* Take an I/O back as fio does. Return fio's lat: to where it reads its clock. */
static uint64_t take(unsigned i)
{
	uint64_t now_ns;

	world_reap(1);
	now_ns = world_fio_ns();
	return now_ns - world_start_ns(&world.io_us[i]);
}

/* fio takes an I/O only when it needs its place. */
static void in_time(void)
{
	uint64_t start_ns, lats_ns = 0;

	begin(DEPTH, 1);
	start_ns = engine_now_ticks;
	for (unsigned i = 0; i < 12; i++) {
		if (i >= DEPTH)
			lats_ns += take(i % DEPTH);
		world_queue(i % DEPTH, DDIR_READ);
	}
	for (unsigned i = 0; i < DEPTH; i++)
		lats_ns += take(i);
	world_end();
	tap_ok(began == 12 && !misplaced(start_ns, 0), "each begins when it is due");
	tap_ok(world.timed_sleeps && world.timed_sleeps <= 2 * 12, "the job sleeps until then");
	tap_ok(sum("stages.backlog") == 0 && world_number("response.depth_reached") == 0 &&
	       sum("stages.deliver") == 0 && sum("stages.lat") / 12 < TAKES_NS + 3 * LATE_NS,
	       "a completion ends its I/O while the next one is held");
#ifndef TW_FIO_COMPLETE_TIME
	tap_ok(lats_ns == sum("stages.lat"), "fio's lat is that of the report");
#else
	tap_skip("this fio takes the end of each I/O");
	(void)lats_ns;
#endif
	tap_ok(!world.bad_slats && world.slats == 12, "fio has its slat");
}

/* The job was busy for so long after the third I/O began. The next ones are late at once. */
static void busy_job(void)
{
	uint64_t start_ns, late_ns = 0;

	begin(16, 1);
	start_ns = engine_now_ticks;
	for (unsigned i = 0; i < 12; i++) {
		if (i == 3)
			world_pass(5 * GAP_NS / 2);
		if (engine_now_ticks > start_ns + (i + 1) * GAP_NS)
			late_ns += engine_now_ticks - start_ns - (i + 1) * GAP_NS;
		world_queue(i, DDIR_READ);
	}
	world_reap(12);
	world_end();
	tap_ok(!misplaced(start_ns, 5) && misplaced(start_ns, 3) == 2,
	       "late ones begin at once, and move none of those after them");
	tap_ok(late_ns && sum("stages.backlog") == late_ns &&
	       sum("stages.lat") == late_ns + sum("stages.queue") + sum("stages.kernel"),
	       "backlog: from due to prepared, and lat contains it");
	tap_ok(world_number("response.generator_ns") == late_ns &&
	       world_number("response.depth_reached") == 0, "the job caused all of it");
}

/* Each I/O takes as long as three gaps, and two can be in flight. */
static void slow_device(void)
{
	begin(2, 1);
	world.takes_ticks[0] = world.takes_ticks[1] = 3 * GAP_NS;
	for (unsigned i = 0; i < 12; i++) {
		if (i >= 2)
			world_reap(1);
		world_queue(i % 2, DDIR_READ);
	}
	world_reap(2);
	world_end();
	tap_note("of %" PRIu64 " ns backlog %" PRIu64 " of the job", sum("stages.backlog"),
		 world_number("response.generator_ns"));
	tap_ok(sum("stages.backlog") > 10 * GAP_NS &&
	       world_number("response.generator_ns") < 10 * LATE_NS,
	       "the device caused nearly all of it");
	tap_is_u64(world_number("response.depth_reached"), 10, "iodepth was reached ten times");
	tap_ok(world_number("response.backlog_at_end_ns.read") ==
	       world_number("stages.backlog.read.max_ns"), "it is behind at its end");
}

/* Each trim is a system call, which takes as long as three gaps. The job makes only the last one
 * late, by nine gaps. */
static void slow_calls(void)
{
	direction = DDIR_TRIM;
	begin(DEPTH, 1);
	direction = DDIR_READ;
	for (unsigned i = 0; i < 12; i++) {
		struct io_u *io_u = world_transfer(0, DDIR_TRIM, 0, WORLD_SIZE);
		const uint64_t takes_ticks = world.enter_ticks;

		world_pass(i == 11 ? 10 * GAP_NS : 0);
		world_prep(io_u);
		world.enter_ticks = 3 * GAP_NS;
		world_queue_prepared(io_u);
		world.enter_ticks = takes_ticks;
	}
	world_end();
	tap_note("of %" PRIu64 " ns backlog %" PRIu64 " of the job",
		 world_number("stages.backlog.trim.sum_ns"), world_number("response.generator_ns"));
	tap_ok(world_number("stages.backlog.trim.sum_ns") > 100 * GAP_NS &&
	       world_number("response.generator_ns") >= 9 * GAP_NS &&
	       world_number("response.generator_ns") < 9 * GAP_NS + 12 * LATE_NS,
	       "the time of a trim by a system call is not the job's own");
}

static void batch(void)
{
	uint64_t start_ns;

	begin(DEPTH, DEPTH);
	start_ns = engine_now_ticks;
	for (unsigned i = 0; i < DEPTH; i++)
		world_queue(i, DDIR_READ);
	world_reap(DEPTH);
	world_end();
	tap_ok(began == DEPTH && !misplaced(start_ns, 0), "iodepth_batch holds none");
}

static void polling_ring(void)
{
	uint64_t start_ns;

	hipri = true;
	begin(DEPTH, 1);
	hipri = false;
	start_ns = engine_now_ticks;
	for (unsigned i = 0; i < DEPTH; i++)
		world_queue(i, DDIR_READ);
	world_reap(DEPTH);
	world_end();
	tap_ok(began == DEPTH && !misplaced(start_ns, 0) && !world.timed_sleeps,
	       "a ring that polls the device does not sleep");
}

/* The rest of a short read is due when all of it was. */
static void short_read(void)
{
	uint64_t due_ns, lat_ns;

	begin(1, 1);
	due_ns = engine_now_ticks + GAP_NS;
	world.results[0] = WORLD_SIZE / 2;
	world_queue(0, DDIR_READ);
	world_reap(1);
	world.results[0] = 0;
	world_queue(0, DDIR_READ);
	world_reap(1);
	world_end();
	lat_ns = sum("stages.lat");
	tap_ok(world_number("ios.read") == 1 && sum("stages.backlog") >= TAKES_NS &&
	       lat_ns >= began_ns[1] - due_ns + TAKES_NS &&
	       lat_ns <= began_ns[1] - due_ns + TAKES_NS + LATE_NS,
	       "the rest of a short read keeps its due time");
}

static void end_job(void)
{
	world.td.terminate = world.timed_sleeps == 2;
}

static void ends(void)
{
	uint64_t from_ns;

	begin(1, 1);
	world.options.rate_iops[DDIR_READ] = 1;
	world.entering = end_job;
	tap_ok(world_prep(world_transfer(0, DDIR_READ, 0, WORLD_SIZE)) && world.timed_sleeps == 2 &&
	       !began, "an I/O that is held when the job ends is dropped");
	world_end();
	begin(1, 1);
	world.options.rate_iops[DDIR_READ] = 1;
	world.td.o.timeout = 25000;
	from_ns = engine_now_ticks;
	tap_ok(world_prep(world_transfer(0, DDIR_READ, 0, WORLD_SIZE)) && world.td.terminate &&
	       engine_now_ticks - from_ns < 36000000 && engine_now_ticks - from_ns >= 24990000,
	       "so is one that is held at the end of the run time");
	world_end();
}

static uint64_t most_late_ns;

static void wake_late(void)
{
	world.wakes_late_ticks = world_below(most_late_ns);
}

/* The kernel wakes the job late, by up to this. Return how many calls the job makes for an I/O
 * in the end. */
static unsigned wakes_late(uint64_t late_ns, unsigned *wrong)
{
	unsigned calls = 0;
	uint64_t start_ns;

	begin(1, 1);
	world_random = 1;
	most_late_ns = late_ns;
	world.entering = wake_late;
	start_ns = engine_now_ticks;
	for (unsigned i = 0; i < IOS; i++) {
		if (i == IOS - 100)
			calls = world.calls;
		world_queue(0, DDIR_READ);
		world_reap(1);
	}
	calls = world.calls - calls;
	*wrong = misplaced(start_ns, 0);
	world_end();
	return calls / 100;
}

/* A job that polls makes a call each 500 ns. */
static void learns(void)
{
	unsigned wrong, late, calls;

	calls = wakes_late(1, &wrong);
	late = wrong;
	tap_note("woken in time: %u calls an I/O", calls);
	tap_ok(!late && calls <= 6, "it polls little if the kernel wakes it in time");
	calls = wakes_late(6000, &wrong);
	tap_note("up to 6 us late: %u calls an I/O, %u of %u too late", calls, wrong, IOS);
	tap_ok(wrong <= IOS / 50 && calls <= 25, "and wakes earlier if the kernel is late");
}

static void refused(void)
{
	world_forget();
	world.options.rate_iops[DDIR_READ] = 100;
	world.options.rate_iops[DDIR_WRITE] = 300;
	world.td.o.rwmix[DDIR_READ] = 50;
	tap_ok(!world_begin() && strstr(world.message, "reads are 25 % of the rates, but 50 %"),
	       "rates that do not fit the mix are refused");
	world_forget();
	world.options.rate_iops[DDIR_READ] = 100;
	world.td.o.thinktime = 5;
	tap_ok(!world_begin() && strstr(world.message, "does not go with thinktime"),
	       "so is a schedule of fio's");
	world_forget();
	world.options.rate_iops[DDIR_READ] = 100;
	world.td.o.rate_process = RATE_PROCESS_POISSON;
	tap_ok(!world_begin() && strstr(world.message, "does not go with rate_process"),
	       "also what would shape one");
	world_forget();
	world.options.arrivals = TW_ARRIVALS_POISSON;
	tap_ok(!world_begin() && strstr(world.message, "tw_arrivals needs tw_rate_iops"),
	       "and arrivals without a rate");
	world_forget();
	world.options.rate_iops[DDIR_TRIM] = 100;
	tap_ok(!world_begin() && strstr(world.message, "no rate for what the job does"),
	       "and a rate of another direction");
}

int main(void)
{
	in_time();
	busy_job();
	slow_device();
	slow_calls();
	batch();
	polling_ring();
	short_read();
	ends();
	learns();
	refused();
	world_forget();
	return tap_done();
}
