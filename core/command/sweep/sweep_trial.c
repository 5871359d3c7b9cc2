/* SPDX-License-Identifier: MIT */
/*
 * A trial of tickwise sweep: fio runs the jobs once, with the options of the trial at the end of
 * each, where they override the job's own. The reports of all jobs are merged to one.
 */
#include <ctype.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/allocate.h"
#include "command/command.h"
#include "command/sweep/sweep_parts.h"
#include "latency/histogram.h"

#define OPEN_DEPTH	512	/* I/Os in flight with a rate, at most */
#define MOST_BYTES	0x1p27	/* that these have */
#define HOLES_PART	8	/* a larger part of a file than one of 8 */
#define EXTENTS		256	/* of a file, at a time */
#define MAX_JOBS	1024

/* ---- the jobs ---- */

/* Return how many bytes of a file have blocks to which nothing was written, as fallocate makes
 * them; 0 where the file system does not tell. */
static uint64_t unwritten_bytes(int fd)
{
	struct fiemap *map = tw_malloc(sizeof(*map) + EXTENTS * sizeof(*map->fm_extents));
	const struct fiemap_extent *extent = NULL;
	uint64_t sum = 0;

	*map = (struct fiemap) { .fm_length = UINT64_MAX, .fm_flags = FIEMAP_FLAG_SYNC,
				 .fm_extent_count = EXTENTS };
	while (!ioctl(fd, FS_IOC_FIEMAP, map) && map->fm_mapped_extents) {
		for (uint32_t i = 0; i < map->fm_mapped_extents; i++) {
			extent = &map->fm_extents[i];
			sum += extent->fe_flags & FIEMAP_EXTENT_UNWRITTEN ? extent->fe_length : 0;
		}
		map->fm_start = extent->fe_logical + extent->fe_length;
		map->fm_length = UINT64_MAX - map->fm_start;
	}
	free(map);
	return sum;
}

/* Reads of holes reach no device. */
static int check_holes(const struct tw_run_target *target)
{
	struct stat status;
	uint64_t there, unwritten;

	if (fstat(target->fd, &status) || !S_ISREG(status.st_mode))
		return TW_EXIT_GOOD;
	there = (uint64_t)status.st_blocks * 512;
	unwritten = unwritten_bytes(target->fd);
	there -= unwritten < there ? unwritten : there;
	if (there >= target->bytes - target->bytes / HOLES_PART)
		return TW_EXIT_GOOD;
	return tw_run_fail(TW_EXIT_DATA, "%s: it has holes: %s of %s were written, and reads of "
			   "the rest reach no device", target->path, TW_SAY_BYTES(there),
			   TW_SAY_BYTES(target->bytes));
}

static const char *value_of(const struct tw_run_jobs *jobs, size_t section, const char *name)
{
	const struct tw_run_line *line = tw_run_setting(jobs, section, name);

	return line ? line->value : NULL;
}

/* Check a job, and add its number of threads to @threads. */
static int check_job(const struct tw_run_jobs *jobs, size_t section, int may_write,
		     unsigned long *threads)
{
	static const struct {
		const char *why, *names[8];
	} refused[] = {
		{ "all jobs are one load", { "stonewall", "wait_for_previous", "wait_for" } },
		{ "each trial has a rate of its own",
		  { "rate", "rate_iops", "thinktime", "latency_target", "flow", "tw_rate_iops" } },
		{ "each trial needs the files", { "unlink" } },
		{ "they are random in each trial", { "tw_arrivals" } },
		{ "jobs of a trial end at different times", { "exitall" } },
		{ "write rw", { "readwrite" } },
	};
	const char *name = tw_run_job_name(jobs, section), *value = value_of(jobs, section, "rw");
	const char *numjobs = value_of(jobs, section, "numjobs");
	unsigned long count = 1;
	char *end = "";

	value = tw_format("%.*s", value ? (int)strcspn(value, ":") : 4, value ? value : "read");
	if (!jobs->sections[section].owes_report)
		return tw_run_fail(TW_EXIT_DATA, "[%s]: it is not on tickwise's engine, so it "
				   "can't have a rate", name);
	for (size_t i = 0; i < TW_LENGTH(refused); i++)
		for (const char *const *option = refused[i].names; *option; option++)
			if (tw_run_setting(jobs, section, *option))
				return tw_run_fail(TW_EXIT_DATA, "[%s]: leave out %s: %s", name,
						   *option, refused[i].why);
	if (!may_write && strcmp(value, "read") && strcmp(value, "randread"))
		return tw_run_fail(TW_EXIT_USAGE, "[%s]: rw=%s: it writes; --write allows that",
				   name, value);
	if (strstr(value, "rw") || strstr(value, "readwrite") || strstr(value, "trimwrite"))
		return tw_run_fail(TW_EXIT_DATA, "[%s]: rw=%s: reads and writes can't have one "
				   "rate; make a job of each", name, value);
	if (numjobs)
		count = strtoul(numjobs, &end, 10);
	if (*end || !count || count > MAX_JOBS)
		return tw_run_fail(TW_EXIT_DATA, "[%s]: numjobs=%s is no number from 1 to %d", name,
				   numjobs, MAX_JOBS);
	*threads += count;
	return TW_EXIT_GOOD;
}

static int check_jobs(struct tw_sweep *sweep)
{
	const struct tw_run_jobs *jobs = &sweep->arguments.files[0];
	unsigned long threads = 0;
	int code = TW_EXIT_GOOD;

	for (size_t i = 0; i < jobs->section_count && code == TW_EXIT_GOOD; i++)
		if (!jobs->sections[i].is_global && !jobs->sections[i].is_skipped)
			code = check_job(jobs, i, sweep->may_write, &threads);
	sweep->threads = threads ? (double)threads : 1;
	return code;
}

/* Add a copy of each job, which does the same without a rate. */
static void add_bursts(struct tw_sweep *sweep)
{
	struct tw_run_jobs *jobs = &sweep->arguments.files[0];
	const size_t lines = jobs->line_count;

	sweep->first_burst = jobs->section_count;
	for (size_t i = 0; i < sweep->first_burst; i++) {
		if (!jobs->sections[i].owes_report)
			continue;
		/* A job's files may have its name. */
		tw_run_add(jobs, tw_format("[%s]", tw_run_job_name(jobs, i)));
		jobs->sections[jobs->section_count - 1].owes_report = 0;
		for (size_t j = 0; j < lines; j++)
			if (jobs->lines[j].section == i && !jobs->lines[j].is_header &&
			    jobs->lines[j].text)
				tw_run_add(jobs, tw_copy_text(jobs->lines[j].text));
	}
	jobs->is_changed = 1;
}

int tw_sweep_prepare(struct tw_sweep *sweep, const char *path, const char *folder)
{
	const int is_path = tw_run_is_target(path);
	struct tw_run_arguments *arguments = &sweep->arguments;
	struct tw_texts argv = { .count = 0 };
	int code;

	tw_push(&argv, tw_format("--aux-path=%s", folder));
	tw_push(&argv, tw_format("%s", path));
	/* fio refuses what this program did not see. */
	if (is_path || !sweep->may_write)
		tw_push(&argv, tw_format("--readonly"));
	sweep->path = path;
	sweep->threads = 1;
	arguments->is_quiet = 1;
	if (!is_path) {
		code = tw_run_prepare(arguments, &sweep->engines, NULL, argv.list);
		if (code == TW_EXIT_GOOD)
			code = check_jobs(sweep);
		if (code == TW_EXIT_GOOD)
			add_bursts(sweep);
		return code;
	}
	code = tw_run_try_engine(&sweep->engines, sweep->engines.path);
	if (code == TW_EXIT_GOOD)
		code = tw_run_read_arguments(arguments, argv.list, &sweep->engines);
	if (code == TW_EXIT_GOOD)
		code = tw_run_open_target(&sweep->target, path);
	if (code == TW_EXIT_GOOD)
		code = check_holes(&sweep->target);
	if (code != TW_EXIT_GOOD)
		return code;
	tw_run_add_target(&arguments->files[0], &sweep->engines, &sweep->target);
	tw_run_add(&arguments->files[0], tw_copy_text("[sweep]"));
	add_bursts(sweep);
	return TW_EXIT_GOOD;
}

/* ---- a run ---- */

/* Return the largest number in an option such as 4k or 4k-1m; 0: the job does not have it. */
static double largest_size(const struct tw_report_job *job, const char *option)
{
	static const char units[] = "kmg";
	const char *at = json_string_value(tw_job_option(job, option));
	double most = 0;
	char *end;

	for (at = at ? at : ""; *(at += strcspn(at, "0123456789")); at = end) {
		const double number = strtod(at, &end);
		const char *unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;

		most = fmax(most, ldexp(number, unit ? 10 * (int)(unit - units + 1) : 0));
	}
	return most;
}

/* fio has memory for each I/O in flight, as for the largest. How large they are is known after the
 * first run. */
static double most_in_flight(const struct tw_sweep *sweep, double rate)
{
	static const char *const options[] = { "bs", "bsrange", "bssplit" };
	const struct tw_report *all = &sweep->capacity.last->all;
	double bytes = 1;

	for (size_t i = 0; i < all->job_count; i++)
		for (size_t j = 0; j < TW_LENGTH(options); j++)
			bytes = fmax(bytes, largest_size(&all->jobs[i], options[j]));
	return fmin(rate > 0 ? OPEN_DEPTH : TW_SWEEP_DEPTH, fmax(MOST_BYTES / bytes, 1));
}

/* Return the options of a trial, with NULL at the end. */
static char **options_of(const struct tw_sweep *sweep, const struct tw_sweep_how *how,
			 int is_burst)
{
	const double rate = is_burst ? 0 : how->rate / sweep->threads;
	/* Both runs without a rate have the same, since the first one can't know the size. */
	const double most = how->rate > 0 ? most_in_flight(sweep, rate) : TW_SWEEP_DEPTH;
	const double depth = ceil(most / sweep->threads);
	char *options = is_burst ?
		tw_format("time_based=1 iodepth=%.0f runtime=%.0fms startdelay=0 ramp_time=0 "
			  "tw_report=none tw_kernel=off", depth, 1e3 * how->burst_s) :
		tw_format("time_based=1 iodepth=%.0f runtime=%.0fms startdelay=%.0fms "
			  "ramp_time=%.0fms", depth, 1e3 * how->seconds,
			  1e3 * (how->burst_s + how->drain_s), 1e3 * how->settle_s);
	struct tw_texts list = { .count = 0 };

	/* With the same places in each trial, a cache would have them. */
	options = tw_format("%s randrepeat=0", options);
	if (rate > 0)
		options = tw_format("%s tw_arrivals=poisson tw_rate_iops=%.0f", options, rate);
	for (char *option = strtok(options, " "); option; option = strtok(NULL, " "))
		tw_push(&list, option);
	return list.list;
}

/* Merge the reports: all jobs are one load, whatever their names are. */
static int merge(const struct tw_run_reports *reports, struct tw_report_group **group)
{
	struct tw_report_problem problem = { "" };
	struct tw_report *loaded;
	size_t count, used;
	int code = tw_report_load(&loaded, &count, tw_run_paths(reports), reports->count, &problem);

	for (size_t i = 0; code == TW_EXIT_GOOD && i < count; i++) {
		loaded[i].jobs[0].name = loaded[0].jobs[0].name;
		loaded[i].jobs[0].groupid = 0;
	}
	if (code == TW_EXIT_GOOD)
		code = tw_report_merge(loaded, count, 0, NULL, group, &used, &problem);
	if (code != TW_EXIT_GOOD)
		return tw_run_fail(code, "%s", problem.text);
	/* They are kept until the program ends. */
	return used == 1 ? TW_EXIT_GOOD :
	       tw_run_fail(TW_EXIT_DATA, "the reports of a trial can't be merged");
}

/* Put the rate before the names of reports, "all" without one, as in the table. */
static void name_reports(const struct tw_run_reports *reports, const char *folder, double rate)
{
	const size_t length = strlen(folder);

	for (size_t i = 0; i < reports->count; i++) {
		const char *path = reports->list[i].path;

		if (strncmp(path, folder, length) == 0 && path[length] == '/')
			rename(path, tw_format("%s/%s.%s", folder,
					       rate > 0 ? tw_format("%.0f", rate) : "all",
					       path + length + 1));
	}
}

int tw_sweep_run(struct tw_sweep *sweep, const struct tw_sweep_how *how,
		 struct tw_report_group **group)
{
	struct tw_run_jobs *jobs = &sweep->arguments.files[0];
	struct tw_run_reports reports = { 0 };
	int ret, code;

	for (size_t i = 0; i < jobs->section_count; i++)
		if (jobs->sections[i].owes_report || i >= sweep->first_burst)
			jobs->sections[i].last = options_of(sweep, how, i >= sweep->first_burst);
	if (tw_command_is_interrupted())
		return TW_EXIT_UNDECIDED;
	ret = tw_run_fio(&sweep->arguments, sweep->engines.fio, &reports, &code);
	if (ret != TW_EXIT_GOOD)
		return ret;
	/* What came while fio ran was kept from the handler. */
	if (sweep->arguments.was_interrupted && !tw_command_is_interrupted())
		raise(SIGINT);
	if (sweep->arguments.was_interrupted || tw_command_is_interrupted())
		return TW_EXIT_UNDECIDED;
	/* Later runs have the same files. */
	if (code && !sweep->capacity.last && !sweep->target.path && !sweep->may_write)
		return tw_run_fail(TW_EXIT_SOFTWARE, "fio failed: it ended with %d. If files to be "
				   "read are not there yet, make them first: fio --create_only=1 %s",
				   code, sweep->path);
	if (code)
		return tw_run_fail(TW_EXIT_SOFTWARE, "fio failed: it ended with %d", code);
	code = tw_run_check_reports(&reports, &sweep->arguments);
	if (code == TW_EXIT_GOOD && !reports.has_io)
		code = tw_run_fail(TW_EXIT_DATA, "a trial did no I/O");
	if (code == TW_EXIT_GOOD)
		code = merge(&reports, group);
	name_reports(&reports, sweep->arguments.aux_path, how->rate);
	return code;
}

/* ---- what it did ---- */

void tw_sweep_add(struct tw_sweep_trials *trials, const struct tw_report_group *group)
{
	const struct tw_tally *tally = &group->all.tally;
	const struct tw_histogram *of = tally->times[TW_LAT];	/* from when an I/O is due */

	trials->seconds += (double)group->run_ns / 1e9;
	trials->last = group;
	tw_must(tw_tally_merge(&trials->tally, tally));
	for (int i = 0; i < TW_SYNC; i++)
		if (of[i].count)
			tw_must(tw_histogram_merge_into_empty(&trials->response, &of[i]));
}

/* Return how many values are above @ns. Those in its bin are shared. */
static double above(const struct tw_histogram *histogram, double ns)
{
	const uint32_t bin = tw__histogram_bin(histogram, (uint64_t)ns);
	const double low = (double)tw_histogram_bin_low(histogram, bin);
	const double high = (double)tw_histogram_bin_high(histogram, bin) + 1;
	double count = (double)histogram->bins[bin] * (high - ns) / (high - low);

	for (uint32_t i = bin + 1; i < histogram->bin_count; i++)
		count += (double)histogram->bins[i];
	return count;
}

void tw_sweep_windows_of(struct tw_sweep_windows *windows, const struct tw_report_group *group,
			 double goal_ns)
{
	const struct tw_tally *tally = &group->all.tally;
	const struct tw_histogram *of = tally->times[TW_LAT];
	const struct tw_windows *over_time = &tally->over_time;
	double exact = 0, coarse = 0, ios = 0, all = 0;
	uint32_t first, last, merged;

	*windows = (struct tw_sweep_windows) { .count = 0 };
	tw_report_whole_windows(group, &first, &last);
	merged = over_time->width_ns ? (uint32_t)((TW_SEARCH_WINDOW_NS + over_time->width_ns - 1) /
						  over_time->width_ns) : 1;
	windows->width_s = (double)over_time->width_ns * merged / 1e9;
	for (uint32_t i = first; i + merged <= last; i += merged, windows->count++) {
		struct tw_search_window *into = &windows->list[windows->count];
		double sum_ns = 0;

		for (uint32_t j = i; j < i + merged; j++)
			for (int k = 0; k < TW_SYNC; k++) {
				const struct tw_histogram *lat =
					&tw_windows_get(over_time, j)->lat[k];

				into->ios += (double)lat->count;
				sum_ns += (double)lat->sum_ns;
				into->slow += lat->count ? above(lat, goal_ns) : 0;
			}
		coarse += into->slow;
		ios += into->ios;
		windows->rates[windows->count] = into->ios / windows->width_s;
		windows->means_ns[windows->count] = into->ios > 0 ? sum_ns / into->ios : 0;
	}
	/* The windows have few digits, and all I/Os together have more. */
	for (int k = 0; k < TW_SYNC; k++) {
		all += (double)of[k].count;
		exact += of[k].count ? above(&of[k], goal_ns) : 0;
	}
	/* Few I/Os may take less than a window all together. */
	if (!(ios > 0)) {
		windows->list[0].ios = ios = all;
		windows->count += !windows->count;
	}
	for (size_t i = 0; i < windows->count && exact > 0; i++) {
		struct tw_search_window *of_window = &windows->list[i];

		of_window->slow = fmin(of_window->ios, coarse > 0 ?
				       of_window->slow * exact / coarse :
				       of_window->ios * exact / ios);
	}
}
