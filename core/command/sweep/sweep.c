/* SPDX-License-Identifier: MIT */
/*
 * tickwise sweep: how much load does a path or a job bear? Makes the trials that search.c asks
 * for, as long as there is time: first the capacity, at last this and the first load again.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/private_folder.h"
#include "command/command.h"
#include "command/own_files.h"
#include "command/report/report_parts.h"
#include "command/sweep/sweep_parts.h"
#include "latency/histogram.h"
#include "timespec.h"

/* How long parts of a sweep of DEFAULT_S take; those of another are as much longer. */
#define DEFAULT_S	125.0
#define CAPACITY_S	3.0
/* At the end it shows a limit above the device, too: by 40 holds (limit.c), of 100 ms or less. */
#define AGAIN_S		5.0
#define AGAIN_PART	0.1	/* of a shorter sweep */
#define FULL_S		6.0
/* These need not be longer: the burst that a limit saves up is used at full speed, then the
 * queue becomes what it is in the long run. */
#define BURST_S		0.3
#define SETTLE_S	0.7
#define START_S		0.8	/* of fio, at first; then as it was */
#define LEAST_PART	0.6	/* of a trial, for which there must be time */

#define LEAST_IOS	10	/* that are due in a trial */
#define BASE_IOS	1000	/* of the first load, if its p99 is the goal's base */
#define SURE_IOS	6	/* slow ones that a goal allows, in a trial of full length */
#define MOST_FULL	3	/* times FULL_S, for these: there is time for four */
#define WIDTH		0.05	/* of the bounds */
#define WIDTH_OF_TAIL	0.1	/* beyond p99 */

struct wanted {
	struct tw_wanted as;
	const char *goal, *engine, *fio, *folder;	/* NULL: not given */
	uint64_t for_ns;
	int may_write;
};

#define AT(member)	TW_OPTION_AT(struct wanted, member)

static const struct tw_option option_table[] = {
	{ .name = "goal", .kind = TW_OPTION_TEXT, .value = "GOAL",
	  .otherwise = "p99 is at most twice that of the lowest load",
	  .help = "Find the load up to which this holds: `p99.9<1ms`, `p50<200us`",
	  .more = "It is of the response: the time from when an I/O is due.", AT(goal) },
	{ .name = "for", .kind = TW_OPTION_TIME, .value = "SECONDS",
	  .min = 5, .max = 86400, .preset = "125",
	  .help = "Take this long; in 15 s hardly any bound is found",
	  .more = "Four times as long halves the distance of the bounds.", AT(for_ns) },
	{ .name = "write", .help = "Run a job that writes", AT(may_write) },
	{ .name = "reports", .kind = TW_OPTION_FILE, .value = "FOLDER",
	  .help = "Keep the reports of all trials in FOLDER, which is made if it is not there",
	  .more = "Their names begin with the rate.", AT(folder) },
	TW_OPTION_JSON(struct wanted, as),
	TW_OPTION_HTML(struct wanted, as),
	{ .name = "engine", .kind = TW_OPTION_FILE, .value = "FILE",
	  .otherwise = "the one that `tickwise engine` prints",
	  .help = "Take the engine from FILE", AT(engine) },
	TW_OPTION_FIO(struct wanted, fio, "Run this fio"),
	{ .name = NULL },
};

const struct tw_options tw_sweep_options = {
	.command = TW_SWEEP,
	.arguments = "PATH\nJOB.fio",
	.arguments_kind = TW_OPTION_FILE,
	.about =
	"Find how much load a path or a job bears. I/Os arrive at random times that do not depend "
	"on the device, at rates from a tenth of the capacity to above it. The result is two "
	"rates: at one the goal is kept, at the other it is not. The page also has the response at "
	"each rate, and what gives way.\n"
	"\n"
	"A folder, a file or a block device as PATH is only read.",
	.codes =
	"Exit codes: 0 both rates were found, 2 one was not, or the sweep was interrupted, 64 "
	"wrong command line, 65 the path or job can't be used, 66 a file can't be opened, 70 and "
	"above all else.",
	.table = option_table,
	.common = TW_HAS_OUTPUT | TW_HAS_QUIET,
};

struct clock {
	uint64_t begin_ns;
	double whole_s, start_s;
	struct tw_progress progress;
};

static double elapsed_s(const struct clock *clock)
{
	return (double)(tw_clock_id_ns(CLOCK_MONOTONIC) - clock->begin_ns) / 1e9;
}

/* Return how much longer than by default a sweep is. A short one has fewer trials: each has some
 * windows. */
static double longer(const struct clock *clock)
{
	return fmax(clock->whole_s / DEFAULT_S, 0.2);
}

static double shorter_s(const struct clock *clock, double default_s)
{
	return default_s * fmin(longer(clock), 1);
}

static double again_s(const struct clock *clock)
{
	return fmin(AGAIN_S, AGAIN_PART * clock->whole_s);
}

/* ---- trials ---- */

/* Print what the trials of a load found, in a line. */
static void tell(const struct clock *clock, const char *what, const struct tw_sweep_trials *trials,
		 const char *is)
{
	static const double percents[] = { 50, 99, 99.9 };
	const double left_s = fmax(clock->whole_s - elapsed_s(clock), 0);
	const char *text = "";

	for (size_t i = 0; i < TW_LENGTH(percents); i++)
		if (tw_has_percentile((double)trials->response.count, percents[i]))
			text = tw_format("%s, p%g %s", text, percents[i], TW_SAY_NS(
				tw_histogram_percentile(&trials->response, percents[i])));
	tw_run_remark("%s%s%s; %.0f s left", what, text, is, left_s);
}

static int run(struct tw_sweep *sweep, struct clock *clock, const struct tw_sweep_how *how,
	       struct tw_report_group **group)
{
	const double begin_s = elapsed_s(clock);
	const int code = tw_sweep_run(sweep, how, group);

	if (code == TW_EXIT_GOOD)
		clock->start_s = fmax(elapsed_s(clock) - begin_s - how->burst_s - how->drain_s -
				      how->settle_s - how->seconds, 0);
	return code;
}

/* Return how long the I/Os take that a burst leaves in flight; 0: not known. */
static double drain_s(const struct tw_sweep *sweep)
{
	return sweep->search.capacity > 0 ? TW_SWEEP_DEPTH / sweep->search.capacity : 0;
}

/* Return how many of the windows are before the end of a trial of @seconds: what is in flight then
 * ends together. */
static size_t in_time(const struct tw_sweep_windows *windows, const struct tw_report_group *group,
		      double seconds)
{
	return (size_t)((double)windows->count * fmin(seconds * 1e9 / (double)group->run_ns, 1));
}

/* Run without a rate. @before: what an earlier run did over time, or NULL. */
static int find_capacity(struct tw_sweep *sweep, struct clock *clock,
			 struct tw_sweep_windows *windows, const struct tw_sweep_windows *before)
{
	const struct tw_sweep_how how = {
		.seconds = before ? again_s(clock) : shorter_s(clock, CAPACITY_S),
		.burst_s = shorter_s(clock, BURST_S), .drain_s = drain_s(sweep),
		.settle_s = shorter_s(clock, BURST_S),
	};
	struct tw_search *search = &sweep->search;
	struct tw_report_group *group;
	const int code = run(sweep, clock, &how, &group);
	double variance;
	size_t half;

	if (code != TW_EXIT_GOOD)
		return code;
	tw_sweep_windows_of(windows, group, 0);
	windows->count = in_time(windows, group, how.seconds);
	/* The burst that a limit allows is in the first half. */
	half = windows->count / 2;
	windows->count -= half;
	memmove(windows->rates, windows->rates + half, windows->count * sizeof(*windows->rates));
	if (before) {
		sweep->capacity.last = group;
		tw_drift_find(&sweep->drift, before->rates, before->count, windows->rates,
			      windows->count);
		return code;
	}
	tw_sweep_add(&sweep->capacity, group);
	tw_windows_mean(&search->capacity, &variance, windows->rates, windows->count);
	search->capacity_error = 2 * sqrt(variance);
	/* A slow device may not have done an I/O in this time. */
	if (!(search->capacity > 0))
		search->capacity = (double)sweep->capacity.response.count / sweep->capacity.seconds;
	tell(clock, tw_format("as fast as it can, depth %d: %s IOPS", TW_SWEEP_DEPTH,
			      TW_SAY_NUMBER(search->capacity)), &sweep->capacity, "");
	return code;
}

/* Try a load. */
static int try(struct tw_sweep *sweep, struct clock *clock, const struct tw_search_trial *trial,
	       struct tw_sweep_windows *windows)
{
	const struct tw_sweep_how how = {
		.rate = trial->rate, .burst_s = shorter_s(clock, BURST_S),
		.drain_s = drain_s(sweep), .settle_s = shorter_s(clock, SETTLE_S),
		.seconds = trial->seconds,
	};
	struct tw_search *search = &sweep->search;
	struct tw_sweep_trials *trials;
	struct tw_report_group *group;
	struct tw_load *load;
	size_t while_due;
	const int code = run(sweep, clock, &how, &group);

	if (code != TW_EXIT_GOOD)
		return code;
	load = tw_search_load(search, trial->rate);
	if (!load->trials)
		load->trials = tw_grow(NULL, 0, sizeof(*trials));
	trials = load->trials;
	tw_sweep_add(trials, group);
	if (!sweep->has_goal && search->count == 1)
		search->goal = (struct tw_goal) {
			99, 2 * (double)tw_histogram_percentile(&trials->response, 99)
		};
	tw_sweep_windows_of(windows, group, search->goal.ns);
	while_due = in_time(windows, group, how.seconds);
	for (size_t i = 0; i < while_due; i++)
		trials->done += windows->rates[i] * windows->width_s;
	trials->done_s += windows->width_s * (double)while_due;
	tw_search_add(search, trial->rate, (double)group->run_ns / 1e9,
		      tw_report_behind_ns(group) > 0, windows->list, windows->count);
	tell(clock, tw_format("%s a second", TW_SAY_NUMBER(trial->rate)), trials,
	     tw_search_seems_good(search, load) ? ": keeps the goal" : ": too much");
	return TW_EXIT_GOOD;
}

/* Return how long a trial of a load is that can tell whether it keeps the goal. */
static double sure_s(const struct tw_sweep *sweep, double rate)
{
	return SURE_IOS / (1 - sweep->search.goal.percent / 100) / rate;
}

static double most_s(const struct clock *clock)
{
	return MOST_FULL * FULL_S * longer(clock);
}

/* Find out how long a sweep has to be in which such trials of the limit have the time. */
static void find_for(struct tw_sweep *sweep, const struct clock *clock)
{
	const struct tw_search *search = &sweep->search;
	double rate = 0;

	for (size_t i = 0; i < search->count; i++)
		if (tw_search_seems_good(search, &search->loads[i]))
			rate = search->loads[i].rate;
		else if (rate > 0)
			break;
	sweep->sure_s = rate > 0 ? sure_s(sweep, rate) : 0;
	sweep->for_s = sweep->sure_s > most_s(clock) ?
		       DEFAULT_S * sweep->sure_s / (MOST_FULL * FULL_S) : 0;
}

/* Make trials while there is time, then the first two again. */
static int measure(struct tw_sweep *sweep, struct clock *clock)
{
	static struct tw_sweep_windows full, first, again, other;
	struct tw_search *search = &sweep->search;
	struct tw_search_trial trial, first_trial = { .rate = 0 };
	int code = find_capacity(sweep, clock, &full, NULL);

	search->full_s = fmin(fmax(FULL_S * longer(clock), sure_s(sweep, search->capacity)),
			      most_s(clock));
	while (code == TW_EXIT_GOOD && tw_search_next(search, &trial)) {
		/* Each of this trial and the two at the end has these. */
		const double each_s = clock->start_s + drain_s(sweep) +
			shorter_s(clock, BURST_S + SETTLE_S);
		const double left_s = clock->whole_s - elapsed_s(clock) - 3 * each_s -
			again_s(clock) - first_trial.seconds;

		/* A load below the capacity needs more time for as many I/Os. */
		if (trial.seconds >= search->full_s)
			trial.seconds = fmin(fmax(trial.seconds, sure_s(sweep, trial.rate)),
					     most_s(clock));
		if (!search->count && !sweep->has_goal)
			trial.seconds = fmin(fmax(trial.seconds, BASE_IOS / trial.rate),
					     2 * search->full_s);
		trial.seconds = fmax(trial.seconds, LEAST_IOS / trial.rate);
		/* The first is tried, whatever time fio took to start. */
		if (search->count) {
			if (LEAST_PART * trial.seconds > left_s)
				break;
			trial.seconds = fmin(trial.seconds, left_s);
		}
		code = try(sweep, clock, &trial, first_trial.rate > 0 ? &other : &first);
		if (!(first_trial.rate > 0))
			first_trial = trial;
	}
	if (code != TW_EXIT_GOOD || search->count < 2)
		return code;
	code = find_capacity(sweep, clock, &again, &full);
	if (code == TW_EXIT_GOOD)
		code = try(sweep, clock, &first_trial, &other);
	if (code == TW_EXIT_GOOD)
		tw_drift_find(&sweep->low_drift, first.means_ns, first.count, other.means_ns,
			      other.count);
	return code;
}

/* ---- the command ---- */

static int show(const struct tw_sweep *sweep, const struct wanted *wanted)
{
	const int is_known = sweep->search.holds > 0 && sweep->search.fails > 0;
	const int code = tw_command_show(TW_SWEEP, &wanted->as, tw_sweep_page(sweep), NULL,
					 tw_sweep_to_json(sweep));

	return code == TW_EXIT_GOOD && !is_known ? TW_EXIT_UNDECIDED : code;
}

static int sweep_path(struct tw_sweep *sweep, const struct wanted *wanted, const char *path,
		      const char *folder)
{
	struct clock clock = { .whole_s = (double)wanted->for_ns / 1e9, .start_s = START_S };
	int code;

	sweep->may_write = wanted->may_write;
	code = tw_sweep_prepare(sweep, path, folder);
	if (code != TW_EXIT_GOOD)
		return code;
	sweep->search.width = (sweep->search.goal.percent > 99 ? WIDTH_OF_TAIL : WIDTH) /
			      sqrt(longer(&clock));
	clock.progress = tw_progress_begin(TW_SWEEP);
	clock.begin_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	sweep->arguments.progress = &clock.progress;
	sweep->arguments.whole_ns = wanted->for_ns;
	sweep->search.unit = sweep->threads;
	code = measure(sweep, &clock);
	find_for(sweep, &clock);
	if (code == TW_EXIT_UNDECIDED && !sweep->search.count)
		return tw_command_interrupted(TW_SWEEP, 0);
	return code == TW_EXIT_GOOD || code == TW_EXIT_UNDECIDED ? show(sweep, wanted) : code;
}

/* Make the folder if it is not there, and find out whether fio can write to it. Return: its name;
 * NULL after a message. */
static char *make_folder(const char *path)
{
	/* With the dot, a file is no folder. */
	const int error = (mkdir(path, 0777) && errno != EEXIST) ||
			  access(tw_format("%s/.", path), W_OK | X_OK) ? errno : 0;

	if (error) {
		tw_run_fail(TW_EXIT_IO, "can't write to %s: %s", path, tw_file_error(error));
		return NULL;
	}
	return tw_format("%s", path);
}

int tw_command_sweep(char **argv)
{
	static struct tw_sweep sweep = { .search.goal = { 99, 0 } };
	struct wanted wanted = { .goal = NULL };
	struct tw_arguments paths;
	char *folder;
	int code = tw_command_options(&tw_sweep_options, &wanted, argv, &paths);

	if (code != TW_GO_ON)
		return code;
	tw_run_name = TW_SWEEP;
	if (paths.count != 1)
		return tw_run_fail(TW_EXIT_USAGE, "give one path or job file (see --help)");
	sweep.has_goal = wanted.goal != NULL;
	if (wanted.goal && tw_goal_read(&sweep.search.goal, wanted.goal))
		return tw_run_fail(TW_EXIT_USAGE, "--goal takes a percentile and a time, as in "
				   "p99.9<1ms, not '%s'", wanted.goal);
	sweep.engines.fio = tw_fio_program(wanted.fio);
	code = tw_run_find_engines(&sweep.engines, wanted.engine);
	if (code != TW_EXIT_GOOD)
		return code;
	folder = wanted.folder ? make_folder(wanted.folder) : tw_command_private_folder(TW_SWEEP);
	if (!folder)
		return TW_EXIT_IO;
	tw_command_catch_interrupts();
	code = sweep_path(&sweep, &wanted, paths.list[0], folder);
	if (!wanted.folder)
		tw_private_folder_remove(folder);
	return code;
}
