/* SPDX-License-Identifier: MIT */
/*
 * Finds which facts differ between the sides, from what the reports hold. For a
 * new key of a report, add a line to the table.
 */
#include "command/diff/diff.h"
#include "base/allocate.h"
#include "command/output/page.h"
#include "text_file.h"

/* Where a fact is. */
enum place { OF_JOB, OF_MACHINE, OF_FILE, OF_DEVICE, OF_CLOCKS, OF_COUNTER };

#define PLACE	"filename directory"
/* What can make a worker of io_uring submit an I/O. */
#define OF_WORKERS	PLACE " direct iodepth bs rw readwrite ioscheduler force_async " \
			"sqthread_poll"

static const struct key {
	const char *name;
	enum place place;
	const char *key, *inner;	/* to a text, a number or a boolean */
	const char *options;		/* those of fio that may set it; or NULL */
} keys[] = {
	{ "host", OF_JOB, "host", NULL, NULL },
	{ "fio", OF_JOB, "fio_version", NULL, NULL },
	{ "engine", OF_JOB, "engine", NULL, "ioengine" },
	{ "Tickwise", OF_JOB, "tickwise_version", NULL, NULL },
	{ "iodepth", OF_JOB, "iodepth", NULL, "iodepth" },
	{ "tw_event_time", OF_JOB, "event_time", NULL, "tw_event_time" },
	{ "tw_event_wait", OF_JOB, "event_wait", NULL, "tw_event_wait" },
	{ "clock", OF_CLOCKS, "tickwise", "source", NULL },
	{ "fio's clock", OF_CLOCKS, "fio", "clocksource", "clocksource" },
	{ "counter", OF_COUNTER, "verdict", NULL, NULL },
	{ "kernel stages", OF_JOB, "kernel", "state", "tw_kernel direct buffered" },
	{ "kernel", OF_MACHINE, "kernel", NULL, NULL },
	{ "CPU", OF_MACHINE, "cpu", NULL, NULL },
	{ "CPUs online", OF_MACHINE, "cpus", NULL, NULL },
	{ "hypervisor", OF_MACHINE, "hypervisor", NULL, NULL },
	{ "clocksource", OF_MACHINE, "clocksource", NULL, NULL },
	{ "governor", OF_MACHINE, "governor", NULL, NULL },
	{ "file", OF_FILE, "path", NULL, PLACE " filename_format nrfiles numjobs" },
	{ "file size", OF_FILE, "size", NULL, "size filesize nrfiles " PLACE },
	{ "file system", OF_FILE, "filesystem", NULL, PLACE },
	{ "device", OF_DEVICE, "name", NULL, PLACE },
	{ "device model", OF_DEVICE, "model", NULL, PLACE },
	{ "device size", OF_DEVICE, "size", NULL, PLACE },
	{ "scheduler", OF_DEVICE, "scheduler", NULL, PLACE " ioscheduler" },
	/* A scheduler sets it, too. */
	{ "nr_requests", OF_DEVICE, "nr_requests", NULL, PLACE " ioscheduler" },
	{ "queue depth", OF_DEVICE, "queue_depth", NULL, PLACE },
	{ "write cache", OF_DEVICE, "write_cache", NULL, PLACE },
	{ "rotational", OF_DEVICE, "rotational", NULL, PLACE },
};

static const char *text_of(const json_t *value)
{
	if (json_is_string(value))
		return json_string_value(value);
	if (json_is_boolean(value))
		return json_is_true(value) ? "yes" : "no";
	if (!json_is_integer(value))
		return "-";
	return tw_format("%lld", (long long)json_integer_value(value));
}

/* Add to a set of texts, which is an object with the texts as keys. */
static void add(json_t *set, const char *text)
{
	json_object_set_new_nocheck(set, text, json_true());
}

/* Number of elements of a set that are named. */
#define MAX_NAMED	4

/* Return "fio-3.33, fio-3.36". What @other lacks comes first. */
static const char *list(const json_t *set, const json_t *other)
{
	const char *text, *made = "";
	json_t *value;
	size_t named = 0;

	for (int in_both = 0; in_both < 2; in_both++)
		json_object_foreach((json_t *)set, text, value)
			if (!json_object_get(other, text) == !in_both &&
			    named++ < MAX_NAMED)
				made = tw_format("%s%s%s", made, named > 1 ? ", " : "",
						 text);
	return named > MAX_NAMED ? tw_format("%s and %zu more", made, named - MAX_NAMED) :
				   made;
}

/* Is one of these options one of those that differ? */
static int is_in(const struct tw_diff_facts *facts, const char *options)
{
	for (size_t i = 0; i < facts->count && options; i++)
		if (tw_text_has_word(options, facts->list[i].name, " ", " "))
			return 1;
	return 0;
}

static void append(struct tw_diff_facts *facts, const char *name, const char *a,
		   const char *b)
{
	*tw_grow_by_one(facts->list, facts->count) = (struct tw_diff_fact) { name, { a, b } };
}

/* ---- facts ---------------------------------------------------------------- */

/* Adds to @set what a group of a run has of one fact. */
typedef void (*teller)(json_t *set, const struct tw_report_group *group, const void *of);

/* Add the value of a key. A fact that is not there is not compared. */
static void tell_value(json_t *set, const json_t *json, const struct key *key)
{
	const json_t *value = json_object_get(json, key->key);

	if (key->inner)
		value = json_object_get(value, key->inner);
	if (value)
		add(set, text_of(value));
}

static void tell_key(json_t *set, const struct tw_report_group *group, const void *of)
{
	const struct tw_report *all = &group->all;
	const struct key *key = of;
	const json_t *array = key->place == OF_MACHINE ? all->machines : all->files;

	if (key->place == OF_JOB)
		for (size_t i = 0; i < all->job_count; i++)
			tell_value(set, all->jobs[i].json, key);
	else if (key->place == OF_DEVICE)
		for (size_t i = 0; i < all->device_count; i++)
			tell_value(set, all->devices[i].json, key);
	else if (key->place == OF_COUNTER)
		tell_value(set, all->counter, key);
	else if (key->place == OF_CLOCKS)
		tell_value(set, all->clocks, key);
	else
		for (size_t i = 0; i < json_array_size(array); i++)
			tell_value(set, json_array_get(array, i), key);
}

/* Return how many of the job's options the report does not list. */
static uint64_t unlisted(const struct tw_report_job *job)
{
	return tw_report_u64(job->json, "options_left_out");
}

/* @of: the name of an option. */
static void tell_option(json_t *set, const struct tw_report_group *group, const void *of)
{
	for (size_t i = 0; i < group->all.job_count; i++) {
		const struct tw_report_job *job = &group->all.jobs[i];
		const char *is = json_string_value(tw_job_option(job, of));

		if (job->options && (is || !unlisted(job)))
			add(set, !is ? "not given" : *is ? is : "given");
	}
}

static void tell_jobs(json_t *set, const struct tw_report_group *group, const void *of)
{
	(void)of;
	add(set, tw_format("%s x %zu", group->all.jobs[0].name, group->all.job_count));
}

static void tell_digits(json_t *set, const struct tw_report_group *group, const void *of)
{
	unsigned digits = tw_tally_digits(&group->all.tally);

	(void)of;
	if (digits)
		add(set, tw_format("%u", digits));
}

/* @of: a metric of counts. */
static void tell_count(json_t *set, const struct tw_report_group *group, const void *of)
{
	const struct tw_tally *tally = &group->all.tally;
	const size_t metric = (size_t)((const struct tw_count_metric *)of - tw_count_metrics);
	uint64_t any = 0;

	for (int i = 0; i < TW_DIRECTIONS; i++)
		any |= tally->counts[i].at[metric];
	if (tw_has(tally, (unsigned)metric))
		add(set, any ? "some" : "none");
}

/* Add a fact if its sets differ. An empty set does not differ, since this side may have
 * the same. */
static void find_in(struct tw_diff_facts *facts, const struct tw_diff *diff,
		    const char *name, teller tell, const void *of)
{
	json_t *sets[TW_DIFF_SIDES] = { json_object(), json_object() };

	for (size_t i = 0; i < diff->count; i++)
		for (size_t j = 0; j < diff->runs[i].count; j++)
			tell(sets[diff->runs[i].side], diff->runs[i].groups[j], of);
	if (json_object_size(sets[0]) && json_object_size(sets[1]) &&
	    !json_equal(sets[0], sets[1]))
		append(facts, name, list(sets[TW_DIFF_A], sets[TW_DIFF_B]),
		       list(sets[TW_DIFF_B], sets[TW_DIFF_A]));
	json_decref(sets[0]);
	json_decref(sets[1]);
}

/* Find a fact, unless one of the @options that set it differs. */
static void find(struct tw_diff *diff, const char *name, const char *options, teller tell,
		 const void *of)
{
	if (!is_in(&diff->options, options))
		find_in(&diff->facts, diff, name, tell, of);
}

/* ---- options -------------------------------------------------------------- */

static void find_options_in(struct tw_diff *diff, json_t *options, json_t *done)
{
	const char *name;
	json_t *value;

	json_object_foreach(options, name, value)
		if (!json_object_get(done, name)) {
			add(done, name);
			find_in(&diff->options, diff, name, tell_option, name);
		}
}

/* Find the options that some job has. Where reports go and the name of a job differ between
 * any two runs. */
static void find_options(struct tw_diff *diff)
{
	json_t *done = json_pack("{sb, sb}", "tw_report", 1, "name", 1);
	uint64_t more = 0;

	for (size_t i = 0; i < diff->count; i++)
		for (size_t j = 0; j < diff->runs[i].count; j++) {
			const struct tw_report *all = &diff->runs[i].groups[j]->all;

			for (size_t k = 0; k < all->job_count; k++) {
				const struct tw_report_job *job = &all->jobs[k];

				more |= unlisted(job);
				find_options_in(diff, job->common, done);
				find_options_in(diff, (json_t *)job->options, done);
			}
		}
	json_decref(done);
	if (more)
		json_array_append_new(diff->left_out, json_string(
			"options of fio: some reports do not list all of them"));
}

/* A factor. No two runs are exactly as long. */
#define ABOUT_AS_LONG	1.1

/* Does a job end by the clock? The time of another one is a result. */
static int is_timed(const struct tw_report_job *job)
{
	return !job->options || unlisted(job) || tw_job_option(job, "runtime") ||
	       tw_job_option(job, "timeout");
}

static void find_time(struct tw_diff *diff)
{
	double ns[TW_DIFF_SIDES] = { 0, 0 };

	if (!is_timed(diff->runs[0].job) ||
	    is_in(&diff->options, "runtime timeout time_based size filesize io_size number_ios "
				  "loops"))
		return;
	for (size_t i = 0; i < diff->count; i++)
		ns[diff->runs[i].side] += (double)diff->runs[i].groups[0]->run_ns /
					  (double)diff->of[diff->runs[i].side];
	if (ns[0] <= ns[1] * ABOUT_AS_LONG && ns[1] <= ns[0] * ABOUT_AS_LONG)
		return;
	append(&diff->facts, "run time", tw_copy_text(TW_SAY_NS(ns[TW_DIFF_A])),
	       tw_copy_text(TW_SAY_NS(ns[TW_DIFF_B])));
}

void tw_diff_find_facts(struct tw_diff *diff)
{
	char words[TW_METRIC_TEXT];

	find_options(diff);
	for (size_t i = 0; i < TW_LENGTH(keys); i++)
		find(diff, keys[i].name, keys[i].options, tell_key, &keys[i]);
	find(diff, "jobs", "numjobs", tell_jobs, NULL);
	find(diff, "tw_digits", "tw_digits", tell_digits, NULL);
	for (size_t i = 0; i < TW_COUNTS; i++)
		if (tw_count_metrics[i].show != TW_NOT_SHOWN)
			find(diff, tw_copy_text(tw_metric_label(words, tw_count_metrics[i].label,
							     0)),
			     i == TW_METRIC_workers ? OF_WORKERS : NULL, tell_count,
			     &tw_count_metrics[i]);
	find_time(diff);
}
