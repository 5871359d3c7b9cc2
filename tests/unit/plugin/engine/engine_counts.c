/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: an I/O that did not go as planned is counted in its place in the
 * report, and only what fio accounts has latencies. I/Os of the ramp time and of a job
 * that does not run are unaccounted. Stamps that contradict each other are no latency.
 * Histograms are filled where the job waits. tests/fio/engine_scripts.t has errors, short
 * and empty transfers, I/Os that come again, and calls that are refused or take less.
 *
 * Defect: ramp_time asked twice (fio resets its statistics there), a negative time taken
 * for one of centuries, a list of finished I/Os that grows without end.
 *
 * At 1 GHz a tick is a nanosecond: every time is right to the tick.
 */
#include "engine_world.h"

/* ---- one I/O at a time --------------------------------------------------- */

/* What goes on around an I/O. */
enum around { NORMAL, IN_RAMP, AFTER_RAMP, AFTER_RESET, SETTING_UP, FSYNCING, FINISHING, VERIFYING };

struct step {
	enum fio_ddir ddir;
	uint64_t takes;
	int32_t result;		/* of the ring; 0: all of it */
	int call_error;		/* of the system call */
	int error;		/* that fio gets */
	unsigned resid;
	enum around around;
	bool by_call;
};

struct expected {
	const char *path;
	uint64_t value;
};

struct one_case {
	const char *name;
	bool trims, file_ends, test_nop, has_target;
	struct step steps[5];		/* up to one with ddir DDIR_LAST */
	struct expected expected[8];
	unsigned messages, ramp_asked;
};

#define END	{ .ddir = DDIR_LAST }

static const struct one_case cases[] = {
	{ "a write that ends with the file is whole", .file_ends = true, .steps = {
		{ .ddir = DDIR_WRITE, 4000, WORLD_SIZE / 4, .resid = WORLD_SIZE * 3 / 4 }, END },
	  .expected = { { "ios.write", 1 }, { "stages.lat.write.max_ns", 4000 },
		{ "bytes.write", WORLD_SIZE / 4 } } },
	{ "with tw_test_nop=1 it is whole", .messages = 1, .test_nop = true,
	  .steps = { { .ddir = DDIR_READ, 0, WORLD_NOTHING }, END },
	  .expected = { { "ios.read", 1 }, { "bytes.read", WORLD_SIZE } } },
	{ "a trim by a system call, which fails once", .steps = {
		{ .ddir = DDIR_TRIM, .call_error = EINVAL, .error = EINVAL, .by_call = true },
		{ .ddir = DDIR_TRIM, .by_call = true }, END },
	  .expected = { { "ios.trim", 1 }, { "errors.trim", 1 },
		{ "stages.lat.trim.max_ns", 500 }, { "bytes.trim", WORLD_SIZE } } },
#ifdef TW_FIO_SYNCFS
	{ "syncfs is a system call", .steps = { { .ddir = DDIR_SYNCFS, .by_call = true }, END },
	  .expected = { { "ios.sync", 1 }, { "stages.lat.sync.max_ns", 500 } } },
#endif
	{ "a trim of a block device goes through the ring", .trims = true,
	  .steps = { { .ddir = DDIR_TRIM, 3000, WORLD_NOTHING }, END },
	  .expected = { { "ios.trim", 1 }, { "stages.lat.trim.max_ns", 3000 } } },
	/* fio has read its clock before the call: it is not in lat. */
#define UNSUPPORTED(number) \
	{ "trims that the ring refuses (" #number ")", .trims = true, .steps = { \
		{ .ddir = DDIR_TRIM, 3000, -number }, \
		{ .ddir = DDIR_TRIM, .by_call = true }, END }, \
	  .expected = { { "ios.trim", 2 }, { "stages.lat.trim.max_ns", 3000 }, \
		{ "stages.lat.trim.min_ns", 500 }, { "stages.kernel.trim.max_ns", 3000 } } }
	UNSUPPORTED(EOPNOTSUPP),
	UNSUPPORTED(EINVAL),
	UNSUPPORTED(ENOTTY),
	{ "errors of trims, by the ring and by the call after it", .trims = true, .steps = {
		{ .ddir = DDIR_TRIM, 0, -EIO, .error = EIO },
		{ .ddir = DDIR_TRIM, 0, -EOPNOTSUPP, .call_error = EROFS, .error = EROFS }, END },
	  .expected = { { "errors.trim", 2 } } },
	{ "reads of the ramp time; fio is asked once for an I/O, and not for an error",
	  .ramp_asked = 2, .steps = { { .ddir = DDIR_READ, 90000, .around = IN_RAMP },
		{ .ddir = DDIR_READ, .result = -EIO, .error = EIO, .around = IN_RAMP },
		{ .ddir = DDIR_READ, 7000, .around = AFTER_RAMP }, END },
	  .expected = { { "ios.read", 1 }, { "errors.read", 1 }, { "unaccounted.read", 1 },
		{ "stages.lat.read.max_ns", 7000 } } },
	{ "I/Os before fio resets its statistics",
	  .has_target = true, .steps = { { .ddir = DDIR_READ, 90000 },
		{ .ddir = DDIR_READ, .result = -EIO, .error = EIO },
		{ .ddir = DDIR_WRITE, 7000, .around = AFTER_RESET }, END },
	  .expected = { { "ios.write", 1 }, { "errors.read", 1 }, { "unaccounted.read", 1 },
		{ "stages.lat.write.max_ns", 7000 } } },
	{ "only of a job that runs or verifies", .steps = {
		{ .ddir = DDIR_WRITE, .around = SETTING_UP },
		{ .ddir = DDIR_WRITE, .around = FSYNCING },
		{ .ddir = DDIR_WRITE, .around = FINISHING },
		{ .ddir = DDIR_READ, .around = VERIFYING }, END },
	  .expected = { { "ios.read", 1 }, { "unaccounted.write", 3 } } },
};

static void set_around(enum around around)
{
	static const int states[] = { [SETTING_UP] = TD_SETTING_UP,
		[FSYNCING] = TD_FSYNCING, [FINISHING] = TD_FINISHING,
		[VERIFYING] = TD_VERIFYING };

	if (around == AFTER_RAMP)
		world.ramp_is_over = true;
	world.td.epoch.tv_sec += around == AFTER_RESET;
	world.td.runstate = around >= SETTING_UP ? states[around] : TD_RUNNING;
}

/* Return false if fio gets other than the step says. */
static bool do_step(const struct step *step)
{
	const struct io_u *io_u = &world.io_us[0];
	enum fio_q_status status;
	bool comes_back = true;

	set_around(step->around);
	world.results[0] = step->result;
	world.takes_ticks[0] = step->takes;
	world.call_error = step->call_error;
	world_pass(100);
	status = world_queue(0, step->ddir);
	if (status == FIO_Q_QUEUED)
		comes_back = world_reap(1);
	return (status == FIO_Q_COMPLETED) == step->by_call && comes_back &&
	       (int)io_u->error == step->error && io_u->resid == step->resid &&
	       !world_state()->ring.queued && world.sq_head == world.sq_tail;
}

/* Return what the case expects; 0 if it names no number. */
static uint64_t expected_at(const struct one_case *one, const char *path)
{
	for (const struct expected *at = one->expected; at->path; at++)
		if (!strcmp(at->path, path))
			return at->value;
	return 0;
}

/* Each count of a direction has to be as expected, or 0. */
static unsigned wrong_counts(const struct one_case *one)
{
	static const char *const counts[] = { "ios", "errors", "short_ios", "requeued",
		"unaccounted", "clock_went_back", "zero_byte" };
	unsigned wrong = 0;
	char path[64];

	for (unsigned d = 0; d < TW_DIRECTIONS; d++) {
		const char *name = tw_direction_names[d];

		for (unsigned i = 0; i < FIO_ARRAY_SIZE(counts); i++) {
			snprintf(path, sizeof(path), "%s.%s", counts[i], name);
			wrong += world_number("%s", path) != expected_at(one, path);
		}
		wrong += world_number("stages.lat.%s.count", name) !=
			 world_number("ios.%s", name);
	}
	for (const struct expected *at = one->expected; at->path; at++)
		wrong += world_number("%s", at->path) != at->value;
	/* With tw_slowest=0 there is no list. */
	wrong += world_at(world.report, "slowest") != NULL;
	return wrong;
}

static void one_case(const struct one_case *one)
{
	unsigned bad_steps = 0, wrong;

	world_forget();
	world.td.o.td_ddir = one->trims ? TD_DDIR_TRIM : TD_DDIR_RW | TD_DDIR_TRIM;
	world.options.test_nop = one->test_nop;
	if (one->ramp_asked)
		world_ramps();
	world.td.o.latency_target = one->has_target;
	world.td.epoch.tv_sec = 1;
	if (one->trims)
		world.file.filetype = FIO_TYPE_BLOCK;
	if (one->file_ends)
		world.file.real_file_size = WORLD_SIZE / 4;
	world_start();
	for (const struct step *step = one->steps; step->ddir != DDIR_LAST; step++)
		bad_steps += !do_step(step);
	world_end();
	wrong = wrong_counts(one);
	tap_ok(!bad_steps && !wrong && !world.bad_entries && !world.backwards &&
	       world.messages == one->messages && world.ramp_asked == one->ramp_asked,
	       "%s: %u I/Os are wrong, %u numbers", one->name, bad_steps, wrong);
}

/* ---- several ------------------------------------------------------------- */

static void begin(unsigned depth, unsigned batch)
{
	world_forget();
	world.td.o.iodepth = depth;
	world.td.o.iodepth_batch = batch;
	world.td.o.td_ddir |= TD_DDIR_TRIM;
	world_start();
}

/* Another CPU's counter is behind: it goes back while the kernel has the I/O. */
static void backwards(void)
{
	begin(1, 1);
	for (int back = 1; back >= -1; back--) {
		world_pass(1000);
		world.enter_ticks = (uint64_t)-back;
		world_one(DDIR_READ, (uint64_t)-10);
	}
	world_end();
	tap_ok(world_number("clock_went_back.read") == 2 && world_number("ios.read") == 1 &&
	       world_number("stages.lat.read.max_ns") == 1 && world.backwards == 2,
	       "returned before it was prepared, or with it: no latency, and the verdict is "
	       "told of both");
}

/* All stamps of an I/O, in the opposite order. Then fio's shifts of a batch. */
static void all_backwards(void)
{
	const struct tw_scale *scale = &world.timing.clock.scale;
	const struct tw_io io = { .prepared_ticks = 5000, .enter_ticks = 4000,
		.entered_ticks = 3000, .seen_ticks = 2000 };
	const struct tw_rate rate = { .size = sizeof(rate), .hz = 3e9 };
	uint64_t negative = 0, negative_lat = 0;
	struct timespec start = { 1, 999998999 };
	struct tw_spans spans, lat;
	struct tw_scale fast;

	tw_scale_init(&fast, &rate, 0);
	begin(1, 1);
	spans = tw_io_spans(scale, true, &io, 1000, &negative);
	lat = tw_io_spans(scale, false, &io, 1000, &negative_lat);
	tap_ok(!spans.queue_ns && !spans.kernel_ns && !spans.deliver_ns && !spans.call_ns &&
	       !spans.lat_ns && negative == 4,
	       "three stages and the call end before they begin: 0, and each is counted");
	tap_ok(lat.lat_ns == 0 && negative_lat == 1, "lat without stages, too");
	tap_ok(!tw_stage_ns(&fast, 5000, 4999, &negative) && negative == 4 &&
	       !tw_stage_ns(&fast, 5000, 4998, &negative) && negative == 5,
	       "but less than half a nanosecond is no evidence");
	tap_ok(tw_span_ns(scale, 5000, 3000) < 0 && !tw_earlier_ns(scale, 5000, 4000),
	       "a span has its sign, and an event after its batch's end shifts nothing");
	tw_timespec_later(&start, tw_earlier_ns(scale, 1000, 2001));
	tap_ok(start.tv_sec == 2 && start.tv_nsec == 0 && tw_earlier_ns(scale, 5, 6) == 1,
	       "a shift to the end of a second, and one of a nanosecond");
	world_end();
}

/* The system clock's stamps are nanoseconds, whatever the counter's rate. It may move in steps:
 * an I/O may then take no time at all. */
static void coarse(void)
{
	world_forget();
	world.rate.hz = 3e9;
	world.timing.clock.system = 1;
	world.enter_ticks = 0;
	world_start();
	for (uint64_t ns = 1; ns < 1ULL << 50; ns *= 3)
		world_one(DDIR_READ, ns);
	world_end();
	tap_ok(world_number("ios.read") == 32 &&
	       world_number("stages.kernel.read.sum_ns") == 926510094425920 &&
	       world_number("stages.kernel.read.max_ns") == 617673396283947,
	       "the system clock's nanoseconds are not converted");
	world_forget();
	world.timing.clock.system = 1;
	world.timing.step_ns = 1000;
	world.enter_ticks = 0;
	world_start();
	world_one(DDIR_READ, 0);
	world_end();
	tap_ok(world_number("ios.read") == 1 && world_number("stages.lat.read.count") == 1 &&
	       !world.backwards, "an I/O within a step counts");
}

/* The same, but only between two stamps of an I/O that is whole. */
static void negative_stage(void)
{
	begin(2, 2);
	world_pass(1000);
	world_queue(0, DDIR_READ);
	world_pass((uint64_t)-400);
	world.enter_ticks = 900;
	world_queue(1, DDIR_READ);
	world_reap(2);
	world_end();
	tap_ok(world_number("ios.read") == 2 && world.backwards == 1 &&
	       world_number("negative_stages") == 1 &&
	       !world_number("stages.queue.read.max_ns") &&
	       world_number("stages.lat.read.max_ns") == 900,
	       "a stage that ends before it begins is 0, and goes to the verdict");
}

/* A thread of the kernel submits: it is called only where it sleeps. */
static void polled(void)
{
	world_forget();
	world.options.sqthread_poll = 1;
	world_start();
	for (unsigned i = 0; i < 2; i++) {
		world.sq_flags = i ? IORING_SQ_NEED_WAKEUP : 0;
		world_queue(0, DDIR_READ);
		world_pass(3000);
		world_show_done();
		world_reap(1);
		tap_ok(world.calls == i && world.wakes == i && !world.slats,
		       "a thread that %s", i ? "sleeps is called" : "polls is not");
	}
	world_end();
	tap_ok(world_number("ios.read") == 2 && !world_number("stages.queue.read.max_ns") &&
	       world_number("stages.kernel.read.max_ns") == 3500 &&
	       !world_at(world.report, "submitting_call"),
	       "it entered when it was published, by no call of its own");
}

/* fio sets to this what it does not use. */
static void nobody_asks(void)
{
	begin(1, 1);
	world.td.o.disable_clat = world.td.o.disable_slat =
		world.td.o.disable_bw = 1;
	world_one(DDIR_READ, 0);
	tap_ok(!world_issue_ns(&world.io_us[0]) && !world.slats,
	       "no issue time where fio wants none");
	world.td.o.read_iolog_file = (char *)"log";
	world_pass(1000);
	world_queue(0, DDIR_READ);
	tap_ok(world_issue_ns(&world.io_us[0]) == world_fio_ns() &&
	       memcmp(&world.td.tw_last_issue, &world.io_us[0].tw_issue_time,
		      sizeof(world.td.tw_last_issue)) == 0,
	       "a replayed log wants it, for the next of its I/Os, too");
	world_reap(1);
	world_end();
	tap_ok(world_number("ios.read") == 2, "the report has both");
}

/* Return how many are in the histograms after @ios more. */
static uint64_t flushed_after(unsigned ios, uint64_t takes_ticks)
{
	while (ios--)
		world_one(DDIR_READ, takes_ticks);
	return world_state()->collected.filling.filled[0].tally.counts[TW_READ].ios;
}

static void flushed(void)
{
	begin(1, 1);
	tap_ok(flushed_after(32, 5000) == 0,
	       "32 are not flushed before the job waits for the next");
	tap_ok(flushed_after(1, 5000) == 32, "then they are");
	tap_ok(flushed_after(31, 5000) == 32, "and not before as many more");
	tap_ok(flushed_after(31, 0) == 32 && flushed_after(1, 0) == 32 + 64,
	       "without waiting, 64 at a time");
	world_end();
	tap_ok(world_number("ios.read") == 32 + 64, "each once");
}

/* A flush after a trim by a system call would be in fio's lat, and in no stage. */
static void trims_by_call(void)
{
	unsigned in_lat = 0;

	begin(1, 1);
	for (unsigned i = 0; i < 200; i++) {
		world_one(DDIR_TRIM, 0);
		in_lat += !world_state()->hot.finished_count;
	}
	world_end();
	tap_ok(!in_lat && world_number("ios.trim") == 200,
	       "trims by a system call are flushed before the next one: %u after one", in_lat);
}

/* fio numbers its io_us, and gives each an empty list; another layout shows there. */
static void other_layout(void)
{
	world_forget();
	tw_init(&world.td);
	INIT_FLIST_HEAD(&world.io_us[0].verify_list);
	world.io_us[0].index = 1;
	tap_ok(tw_io_u_init(&world.td, &world.io_us[0]) && world.messages == 1,
	       "io_us with other numbers are refused");
	world_end();
	world_forget();
	tw_init(&world.td);
	memset(&world.io_us[0].verify_list, 0, sizeof(world.io_us[0].verify_list));
	world.io_us[0].index = 0;
	tap_ok(tw_io_u_init(&world.td, &world.io_us[0]) && world.messages == 1,
	       "and those without their list");
	world_end();
}

int main(void)
{
	for (size_t i = 0; i < FIO_ARRAY_SIZE(cases); i++)
		one_case(&cases[i]);
	backwards();
	all_backwards();
	coarse();
	negative_stage();
	polled();
	nobody_asks();
	flushed();
	trims_by_call();
	other_layout();
	world_forget();
	return tap_done();
}
