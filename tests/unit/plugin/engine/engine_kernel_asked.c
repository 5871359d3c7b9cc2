/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/kernel
 *
 * Behaviour: tw_kernel= and TICKWISE_KERNEL get what they ask for. The program is
 * loaded once, with room for the stamps of each I/O of the jobs that want it. auto goes on
 * without it and the report tells why; require ends the job with one line. Where
 * fio starts jobs before it calls the engine (create_serialize=0), threads load it
 * for all of them, and processes do not load it. Defect: a program for each of several processes, room for one of several
 * threads, the environment overrides the job file. Also a job without stages that
 * has the program loaded, entries for jobs of another engine, a job that requires it
 * and runs without.
 */
#include "engine_world.h"

static struct tw_padded_stamps entries[WORLD_DEPTH];

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
	bool loads;
	int error;			/* of a job that does not begin */
	const char *why;		/* in the report; NULL: it is on */
	const char *refused;		/* why; NULL: it can be had */
	bool no_stages, test_nop, buffered;
};

static void one(const struct asked *asked)
{
	bool begins;

	world_forget();
	environment(asked->environment);
	world.options.kernel = asked->option;
	world.td.o.odirect = !asked->buffered;
	world.options.stages = !asked->no_stages;
	world.options.test_nop = asked->test_nop;
	world.kernel_refused = asked->refused;
	world.kernel_entries = entries;
	begins = world_begin();
	tap_ok(begins == !asked->error && world.td.error == asked->error &&
	       world.messages == (unsigned)!begins + asked->test_nop,
	       "%s: the job %s", asked->what, begins ? "begins" : "ends with one line");
	tap_ok(!!world.kernel_loads == asked->loads, "and the program is %s",
	       asked->loads ? "asked for" : "left alone");
	world_end();
	if (asked->error)
		return;
	tap_ok(world_is_text("jobs.0.kernel.state", asked->why ? "off" : "on") &&
	       !world_at(world.report, "jobs.0.kernel.why") == !asked->why &&
	       (!asked->why || world_is_text("jobs.0.kernel.why", asked->why)),
	       "and the report says so: %s", asked->why ? asked->why : "on");
}

/* Begin a job of depth 1 and, with @others, know of one of depth 5; create_serialize=0. Some
 * versions of fio free the options of other jobs in a process. */
static bool late(enum tw_kernel_mode mode, bool threads, bool others)
{
	world_forget();
	environment(NULL);
	world.options.kernel = mode;
	world.kernel_entries = entries;
	world.td.o.odirect = 1;
	world.td.o.use_thread = threads;
	world.is_late = true;
	if (others) {
		struct thread_data *other = &world_jobs(2)[1];

		other->o.iodepth = 5;
		if (!threads)
			other->eo = (void *)1;
	}
	return world_begin();
}

/* Before for_jobs(), as the jobs have not been asked yet. */
static void late_jobs(void)
{
	tap_ok(late(TW_KERNEL_AUTO, false, true) && !world.kernel_loads,
	       "create_serialize=0, one of two processes: it does not load it, and begins");
	/* fio then calls this one in the job. */
	tw_set_up_once(&world.td);
	tap_ok(!world.kernel_loads, "nor later");
	world_end();
	tap_ok(world_is_text("jobs.0.kernel.state", "off") &&
	       world_is_text("jobs.0.kernel.why", "with create_serialize=0 jobs need "
			     "thread=1 for it"), "and the report says why");
	tap_ok(!late(TW_KERNEL_REQUIRE, false, true) && !world.kernel_loads &&
	       world.messages == 1, "if it requires it: it ends with one line");
	world_end();
	tap_ok(late(TW_KERNEL_AUTO, true, true) && world.kernel_loads &&
	       world.kernel_loaded_first == 1 + 8,
	       "one of two threads: loaded with room for both");
	world_end();
	world_forget();
	world.options.slowest = 1;
	world.is_late = true;
	world.td.o.use_thread = 1;
	world_jobs(2)[1].eo = (void *)1;
	tap_ok(world_begin() && world.kernel_loads == 0,
	       "a thread that begins when another one has ended: it reads none of that one's "
	       "options");
	world_end();
}

/* Jobs of depth 1, 5 and 64, and which of them are ours and want it. */
static void for_jobs(void)
{
	static struct ioengine_ops other;
	struct tw_options wants = { .stages = 1, .kernel = TW_KERNEL_AUTO };
	struct tw_options does_not = { .stages = 1, .kernel = TW_KERNEL_OFF };

	struct thread_data *jobs;

	world_forget();
	environment(NULL);
	world.td.eo = &wants;
	world.td.o.odirect = 1;
	jobs = world_jobs(3);
	jobs[1].o.iodepth = 5;
	jobs[2].o.iodepth = 64;
	tw_kernel_load_for_jobs();
	tap_ok(world.kernel_loads == 1 && world.kernel_loaded == 1 + 8 + 64,
	       "entries for all jobs, a power of two for each");
	jobs[0].eo = NULL;
	jobs[1].eo = &does_not;
	tw_kernel_load_for_jobs();
	tap_ok(world.kernel_loads == 2 && world.kernel_loaded == 64,
	       "for those that want it");
	jobs[2].io_ops = &other;
	tw_kernel_load_for_jobs();
	tap_ok(world.kernel_loads == 2, "for none: it is not loaded");
	tap_ok(late(TW_KERNEL_AUTO, false, true), "a process of several then begins");
	world_end();
	tap_ok(world_is_text("jobs.0.kernel.state", "on"), "and has what was loaded for all");
}

int main(void)
{
	static const char none[] = "not asked for", no[] = "no reason";
	static const struct asked asked[] = {
		{ "by default", .loads = true },
		{ "auto", NULL, TW_KERNEL_AUTO, .loads = true },
		{ "require", NULL, TW_KERNEL_REQUIRE, .loads = true },
		{ "off", NULL, TW_KERNEL_OFF, .why = none },
		{ "off by the environment", "off", .why = none },
		{ "auto by the environment", "auto", .loads = true },
		{ "nothing in the environment", "", .loads = true },
		{ "no such word in the environment", "of", .error = EINVAL },
		{ "and a job that says off", "of", TW_KERNEL_OFF, .why = none },
		{ "the environment and a job that says auto", "off", TW_KERNEL_AUTO,
		  .loads = true },
		{ "the environment and a job that says off", "require", TW_KERNEL_OFF,
		  .why = none },
		{ "auto, refused", NULL, TW_KERNEL_AUTO, true, .why = no, .refused = no },
		{ "require, refused", NULL, TW_KERNEL_REQUIRE, true, EPERM, .refused = no },
		{ "require by the environment, refused", "require", 0, true, EPERM,
		  .refused = no },
		{ "auto with buffered I/O", NULL, TW_KERNEL_AUTO, .buffered = true,
		  .why = "buffered I/O has no block requests of its own" },
		{ "require with buffered I/O", NULL, TW_KERNEL_REQUIRE, true,
		  .buffered = true },
		{ "auto without stages", NULL, TW_KERNEL_AUTO, .no_stages = true,
		  .why = none },
		{ "auto with operations that do nothing", NULL, TW_KERNEL_AUTO,
		  .test_nop = true, .why = none },
		{ "require without stages", NULL, TW_KERNEL_REQUIRE, .error = EPERM,
		  .no_stages = true },
	};

	late_jobs();
	for (size_t i = 0; i < FIO_ARRAY_SIZE(asked); i++)
		one(&asked[i]);
	for_jobs();
	world_forget();
	return tap_done();
}
