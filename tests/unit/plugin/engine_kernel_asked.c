/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/kernel
 *
 * Behaviour: tw_kernel= and TICKWISE_KERNEL get what they ask for. The program is
 * loaded once, with a slot for each I/O of the jobs that want it. auto goes on
 * without it and the report tells why; require ends the job with one line. Where
 * fio starts jobs before it calls the engine (create_serialize=0), threads load it
 * for all of them, a single process for itself, and several processes do not load
 * it. Defect: a program for each of several processes, room for one of several
 * threads, the environment overrides the job file. Also a job without stages that
 * has the program loaded, slots for jobs of another engine, a job that requires it
 * and runs without.
 */
#include "engine_world.h"

static struct tw_slot slots[WORLD_DEPTH];

static void environment(const char *value)
{
	if (value)
		setenv("TICKWISE_KERNEL", value, 1);
	else
		unsetenv("TICKWISE_KERNEL");
}

struct asked {
	const char *what, *environment;
	enum tw_kernel_mode option;
	bool no_stages, test_nop;
	const char *refused;		/* why; NULL: it can be had */
	bool loads, begins;
	int error;			/* if it does not start; 0: EPERM */
	const char *why;		/* in the report; NULL: it is on */
};

static void one(const struct asked *asked)
{
	bool begins;

	world_forget();
	environment(asked->environment);
	world.options.kernel = asked->option;
	world.options.stages = !asked->no_stages;
	world.options.test_nop = asked->test_nop;
	world.kernel_refused = asked->refused;
	world.kernel_slots = slots;
	begins = world_begin();
	tap_ok(begins == asked->begins &&
	       world.td.error == (asked->begins ? 0 : asked->error ? asked->error :
				  EPERM) &&
	       world.messages == (unsigned)!asked->begins + asked->test_nop,
	       "%s: the job %s", asked->what,
	       asked->begins ? "begins" : "ends with one line");
	tap_ok(!!world.kernel_loads == asked->loads, "and the program is %s",
	       asked->loads ? "asked for" : "left alone");
	world_end();
	if (!asked->begins)
		return;
	tap_ok(world_is_text("jobs.0.kernel.state", asked->why ? "off" : "on") &&
	       !world_at(world.report, "jobs.0.kernel.why") == !asked->why &&
	       (!asked->why || world_is_text("jobs.0.kernel.why", asked->why)),
	       "and the report says so: %s", asked->why ? asked->why : "on");
}

/* Begin a job of depth 1 and, with @others, know of one of depth 5; create_serialize=0. */
static bool late(enum tw_kernel_mode mode, bool threads, bool others)
{
	struct thread_data *jobs = calloc(2, sizeof(*jobs));
	bool begins;

	world_forget();
	environment(NULL);
	world.options.kernel = mode;
	world.kernel_slots = slots;
	world.td.o.use_thread = threads;
	jobs[0] = jobs[1] = world.td;
	jobs[1].o.iodepth = 5;
	segments[0].threads = jobs;
	thread_number = others ? 2 : 1;
	begins = world_begin();
	thread_number = 1;
	segments[0].threads = &world.td;
	free(jobs);
	return begins;
}

/* Before for_jobs(), as the jobs have not been asked yet. */
static void late_jobs(void)
{
	tap_ok(late(TW_KERNEL_AUTO, false, false) && world.kernel_loads == 1,
	       "create_serialize=0, a single process: it loads the program");
	world_end();
	tap_ok(late(TW_KERNEL_AUTO, false, true) && !world.kernel_loads,
	       "one of two processes: it does not, and begins");
	/* fio then calls this one in the job. */
	tw_try(&world.td);
	tap_ok(!world.kernel_loads, "nor later");
	world_end();
	tap_ok(world_is_text("jobs.0.kernel.state", "off") &&
	       world_is_text("jobs.0.kernel.why", "with create_serialize=0 several jobs need "
			     "thread=1 for it"), "and the report says why");
	tap_ok(!late(TW_KERNEL_REQUIRE, false, true) && !world.kernel_loads &&
	       world.messages == 1, "if it requires it: it ends with one line");
	world_end();
	tap_ok(late(TW_KERNEL_AUTO, true, true) && world.kernel_loads &&
	       world.kernel_loaded_first == 1 + 8,
	       "one of two threads: loaded with room for both");
	world_end();
}

/* Jobs of depth 1, 5 and 64, and which of them are ours and want it. */
static void for_jobs(void)
{
	struct thread_data *jobs = calloc(3, sizeof(*jobs));
	static struct ioengine_ops other;
	struct tw_options wants = { .stages = 1, .kernel = TW_KERNEL_AUTO };
	struct tw_options does_not = { .stages = 1, .kernel = TW_KERNEL_OFF };

	world_forget();
	environment(NULL);
	segments[0].threads = jobs;
	thread_number = 3;
	for (unsigned i = 0; i < 3; i++) {
		jobs[i].o.iodepth = i == 0 ? 1 : i == 1 ? 5 : 64;
		jobs[i].eo = &wants;
		jobs[i].io_ops = &tw_engine;
	}
	tw_kernel_load_for_jobs();
	tap_ok(world.kernel_loads == 1 && world.kernel_loaded == 1 + 8 + 64,
	       "slots for all jobs, a power of two for each");
	jobs[0].eo = NULL;
	jobs[1].eo = &does_not;
	tw_kernel_load_for_jobs();
	tap_ok(world.kernel_loads == 2 && world.kernel_loaded == 64,
	       "for those that want it");
	jobs[2].io_ops = &other;
	tw_kernel_load_for_jobs();
	tap_ok(world.kernel_loads == 2, "for none: it is not loaded");
	free(jobs);
}

int main(void)
{
	static const struct asked asked[] = {
		{ .what = "by default", .loads = true, .begins = true },
		{ .what = "auto", .option = TW_KERNEL_AUTO, .loads = true,
		  .begins = true },
		{ .what = "require", .option = TW_KERNEL_REQUIRE, .loads = true,
		  .begins = true },
		{ .what = "off", .option = TW_KERNEL_OFF, .begins = true,
		  .why = "not asked for" },
		{ .what = "off by the environment", .environment = "off",
		  .begins = true, .why = "not asked for" },
		{ .what = "auto by the environment", .environment = "auto",
		  .loads = true, .begins = true },
		{ .what = "nothing in the environment", .environment = "",
		  .loads = true, .begins = true },
		{ .what = "no such word in the environment",
		  .environment = "of", .error = EINVAL },
		{ .what = "and a job that says off", .environment = "of",
		  .option = TW_KERNEL_OFF, .begins = true, .why = "not asked for" },
		{ .what = "the environment and a job that says auto",
		  .environment = "off", .option = TW_KERNEL_AUTO, .loads = true,
		  .begins = true },
		{ .what = "the environment and a job that says off",
		  .environment = "require", .option = TW_KERNEL_OFF,
		  .begins = true, .why = "not asked for" },
		{ .what = "auto, refused", .option = TW_KERNEL_AUTO,
		  .refused = "no reason", .loads = true, .begins = true,
		  .why = "no reason" },
		{ .what = "require, refused", .option = TW_KERNEL_REQUIRE,
		  .refused = "no reason", .loads = true },
		{ .what = "require by the environment, refused",
		  .environment = "require", .refused = "no reason",
		  .loads = true },
		{ .what = "auto without stages", .option = TW_KERNEL_AUTO,
		  .no_stages = true, .begins = true, .why = "not asked for" },
		{ .what = "auto with operations that do nothing",
		  .option = TW_KERNEL_AUTO, .test_nop = true, .begins = true,
		  .why = "not asked for" },
		{ .what = "require without stages", .no_stages = true,
		  .option = TW_KERNEL_REQUIRE },
	};

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		one(&asked[i]);
	late_jobs();
	for_jobs();
	world_forget();
	return tap_done();
}
