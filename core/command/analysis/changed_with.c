/* SPDX-License-Identifier: MIT */
/*
 * What changed on the machine when the run of a group changed. That both changed at once is no
 * proof of a cause, and the words do not claim one. A change is named if it is clear by
 * change.h, if it is large, and if there is more of it where the run was slower.
 */
#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "command/analysis/analysis.h"
#include "command/output/page.h"
#include "report/report_json.h"

/* The least change: a part of all CPUs' time, or of the bytes that the group moves. Bytes have to
 * double, too. */
#define LEAST_CPU	0.1
#define LEAST_IO	0.05
/* The least that is printed of all that is shown. */
#define LEAST_STOLEN	0.01

enum { IO_OF_OTHERS, CPU_OF_OTHERS, STOLEN, SUMS };

static const struct {
	const char *key, *words;
} sums[SUMS] = {
	[IO_OF_OTHERS] = { "disk_bytes", "I/O of others at " },
	[CPU_OF_OTHERS] = { "cpu_of_others_ns", "CPU time of others" },
	[STOLEN] = { "stolen_ns", "stolen time" },
};

/* What a sum grew by a second, between each two samples. */
struct rates {
	double value[TW_CHANGE_MOST];
	double slowness[TW_CHANGE_MOST];	/* of the part of the run that it is in */
	double sum[TW_CHANGE_PARTS], seconds[TW_CHANGE_PARTS];	/* of each part */
	size_t count;
	double own;			/* bytes a second of the group itself, in the mean */
};

/* Return the job that ran longest; NULL: the jobs are of several machines or runs. */
static const struct tw_report_job *longest_job(const struct tw_report *all)
{
	const struct tw_report_job *longest = all->jobs;

	for (size_t i = 1; i < all->job_count; i++) {
		const struct tw_report_job *job = &all->jobs[i];

		if (strcmp(job->host, longest->host) != 0 || strcmp(job->run, longest->run) != 0)
			return NULL;
		longest = job->run_ns > longest->run_ns ? job : longest;
	}
	return longest;
}

/* Return the bytes that the group itself moved between two times, by its windows. */
static double own_bytes(const struct tw_report_group *group, double from_ns, double to_ns)
{
	const struct tw_tally *tally = &group->all.tally;
	double sum = 0;

	for (uint32_t i = 0; i < tally->over_time.count; i++) {
		const double begin_ns = (double)tw_report_window_ns(group, i);
		const double end_ns = (double)tw_report_window_ns(group, i + 1);
		const double part = (fmin(end_ns, to_ns) - fmax(begin_ns, from_ns)) /
				    (end_ns - begin_ns);

		for (int j = TW_READ; j <= TW_WRITE && part > 0; j++)
			if (tally->counts[j].ios)
				sum += part * (double)tally->counts[j].bytes /
				       (double)tally->counts[j].ios *
				       (double)tw_windows_get(&tally->over_time, i)->lat[j].count;
	}
	return sum;
}

static double number(const json_t *samples, const char *key, size_t i)
{
	return (double)json_integer_value(json_array_get(json_object_get(samples, key), i));
}

/* Return the logarithm of lat by IOPS. If no I/O ended in the part, one took at least as long. */
static double slowness(const struct tw_report_part *part)
{
	const double ns = (double)(part->to_ns - part->from_ns);

	return part->iops > 0 ? log(fmax(1, part->mean_ns) / part->iops) : log(ns * ns / 1e9);
}

/* Set the rates. Times that a change is in are left out. @shift_ns: from the group's start to the
 * job's. */
static void set_rates(struct rates *rates, const struct tw_report_steady *steady,
		      const struct tw_report_group *group, const json_t *samples, int of,
		      double shift_ns)
{
	const size_t count = json_array_size(json_object_get(samples, sums[of].key));

	*rates = (struct rates) { .count = 0 };
	for (size_t i = 1; i < count && rates->count < TW_CHANGE_MOST; i++) {
		const double begin_ns = number(samples, "at_ns", i - 1) + shift_ns;
		const double end_ns = number(samples, "at_ns", i) + shift_ns;
		const double seconds = (end_ns - begin_ns) / 1e9;
		const double own = of == IO_OF_OTHERS ? own_bytes(group, begin_ns, end_ns) : 0;
		const double grown = number(samples, sums[of].key, i) -
				     number(samples, sums[of].key, i - 1);
		size_t in = 0;

		while (in < steady->count && (begin_ns < (double)steady->parts[in].from_ns ||
					      end_ns > (double)steady->parts[in].to_ns))
			in++;
		if (seconds <= 0 || in == steady->count)
			continue;
		rates->value[rates->count] = (grown - own) / seconds;
		rates->slowness[rates->count++] = slowness(&steady->parts[in]);
		rates->sum[in] += grown - own;
		rates->seconds[in] += seconds;
		rates->own += own / seconds;
	}
	rates->own /= fmax(1, (double)rates->count);
}

static const char *say_level(int of, double level)
{
	return of == IO_OF_OTHERS ? tw_format("%s/s", TW_SAY_BYTES(level)) :
				    tw_format("%.0f %%", 100 * level);
}

/* Return the part whose speed differs most from the one that is quoted. */
static size_t most_different(const struct tw_report_steady *steady)
{
	const double quoted = slowness(&steady->parts[steady->quoted]);
	size_t most = steady->quoted;

	for (size_t i = 0; i < steady->count; i++)
		if (fabs(slowness(&steady->parts[i]) - quoted) >
		    fabs(slowness(&steady->parts[most]) - quoted))
			most = i;
	return most;
}

/* Say how a sum changed, if it did: what it was in the part that is most different, and in the one
 * that is quoted. */
static void compare(struct tw_report_steady *steady, const struct rates *rates, int of,
		    const json_t *samples)
{
	const double unit = of == IO_OF_OTHERS ? 1 : 1e9 * (double)tw_report_u64(samples, "cpus");
	const char *disk = of == IO_OF_OTHERS ? tw_report_string(samples, "disk") : NULL;
	const size_t part = most_different(steady);
	const size_t parts[] = { steady->quoted, part };
	const int slower = slowness(&steady->parts[part]) >
			   slowness(&steady->parts[steady->quoted]);
	double level[2], more;

	if (!tw_change_is_with(rates->value, rates->slowness, rates->count))
		return;
	for (int i = 0; i < 2; i++) {
		if (rates->seconds[parts[i]] <= 0)
			return;
		level[i] = fmax(0, rates->sum[parts[i]]) / rates->seconds[parts[i]] / unit;
	}
	more = level[slower] - level[!slower];
	if (of == IO_OF_OTHERS ? more >= LEAST_IO * rates->own && more >= level[!slower] :
				 more >= LEAST_CPU)
		steady->with = tw_format("%s%s%s%.32s %s (here %s)", steady->with,
			*steady->with ? ", " :
			tw_format("; %s ", tw_report_say_span(&steady->parts[part])),
			sums[of].words, disk ? disk : "", say_level(of, level[1]),
			say_level(of, level[0]));
}

void tw_report_find_taken(struct tw_report_steady *steady, const struct tw_report_group *group)
{
	const struct tw_report_job *job = longest_job(&group->all);
	const json_t *samples = job ? json_object_get(job->json, "machine_over_time") : NULL;
	const double shift_ns = job ? (double)(job->start_ns - group->all.jobs->start_ns) : 0;
	const struct tw_report_span *span = &group->span;
	size_t first = 0, end = json_array_size(json_object_get(samples, "at_ns"));
	const char *before = steady->count ? "; in all parts together " : "; ";

	while (span->is_wanted && first < end &&
	       number(samples, "at_ns", first) + shift_ns < (double)span->from_ns)
		first++;
	while (span->is_wanted && first < end &&
	       number(samples, "at_ns", end - 1) + shift_ns > (double)span->to_ns)
		end--;
	for (int of = CPU_OF_OTHERS; first + 1 < end && of < SUMS; of++) {
		const double part = (number(samples, sums[of].key, end - 1) -
				     number(samples, sums[of].key, first)) /
				    (number(samples, "at_ns", end - 1) -
				     number(samples, "at_ns", first)) /
				    (double)tw_report_u64(samples, "cpus");

		if (part < (of == STOLEN ? LEAST_STOLEN : LEAST_CPU) ||
		    strstr(steady->with, sums[of].words))
			continue;
		steady->with = tw_format("%s%s%s %s", steady->with, before, sums[of].words,
					 say_level(of, part));
		before = ", ";
	}
}

void tw_report_find_changed_with(struct tw_report_steady *steady,
				 const struct tw_report_group *group)
{
	const struct tw_report *all = &group->all;
	const struct tw_report_job *job = longest_job(all);
	const json_t *samples = job ? json_object_get(job->json, "machine_over_time") : NULL;
	/* Else some I/Os are at other disks. */
	const int has_io = all->device_count == 1 && all->devices->has_all &&
			   tw_has(&all->tally, TW_METRIC_bytes);
	struct rates rates;

	for (int of = has_io ? IO_OF_OTHERS : CPU_OF_OTHERS; samples && of < SUMS; of++) {
		set_rates(&rates, steady, group, samples, of,
			  (double)(job->start_ns - all->jobs->start_ns));
		compare(steady, &rates, of, samples);
	}
}
