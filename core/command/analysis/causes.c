/* SPDX-License-Identifier: MIT */
/*
 * Divides the time of slow I/Os into stages, each with the cause that the report has for
 * it. All sentences on slow I/Os are of these shares: the tail's, a stall's, a single I/O's.
 * A cause is what was recorded. Time without one is not explained; it has no cause at all
 * if the job did not record causes.
 */
#include <math.h>
#include <string.h>

#include "command/analysis/analysis.h"
#include "command/output/page.h"
#include "latency/sleep_words.h"

#define ALMOST_ALL	0.9	/* of the time: the others are not named */
#define MOST_DISKS	2	/* that are named */

/* The state of dividing a stage. */
struct dividing {
	struct tw_report_causes *into;
	const char *stage;
	double left_ns;
};

/* Add @ns, or what is left of the stage, to the share with this stage and cause. Shares
 * beyond the last place are in no list, and so they become "others". Return it; or NULL. */
static struct tw_report_cause *put(struct dividing *of, enum tw_report_bound bound,
				    const char *words, double ns)
{
	struct tw_report_causes *into = of->into;
	struct tw_report_cause *all = into->all;
	size_t i = 0;

	ns = ns < of->left_ns ? ns : of->left_ns;
	if (!(ns > 0))
		return NULL;
	of->left_ns -= ns;
	while (i < into->count && (strcmp(all[i].stage, of->stage) ||
	       strcmp(all[i].words, words) || all[i].bound != bound))
		i++;
	if (i == TW_REPORT_REASONS)
		return NULL;
	if (i == into->count)
		all[into->count++] = (struct tw_report_cause) {
			.stage = of->stage, .words = words, .bound = bound,
		};
	all[i].ns += ns;
	return &all[i];
}

/* ---- the job's thread ----------------------------------------------------- */

/* Add a holder to those of a cause. */
static void put_holder(struct tw_report_holder all[TW_REPORT_HOLDERS], size_t *count,
		       const char *name, double ns)
{
	struct tw_report_holder moved;
	size_t i = 0;

	while (i < *count && strcmp(all[i].name, name))
		i++;
	/* A new one takes the place of the shortest. */
	if (i == TW_REPORT_HOLDERS) {
		all[--i].ns = 0;
		--*count;
	}
	if (i == *count)
		all[(*count)++].name = name;
	all[i].ns += ns;
	for (; i && all[i].ns > all[i - 1].ns; i--) {
		moved = all[i];
		all[i] = all[i - 1];
		all[i - 1] = moved;
	}
}

static const char waiting_for_cpu[] = "waiting for a CPU";

/* Return the word of a sleep; TW_SLEEP_WORDS: this version does not know it. */
static int word_of(const char *word)
{
	int i = 1;

	while (i < TW_SLEEP_WORDS && strcmp(tw_sleep_texts[i].word, word))
		i++;
	return i;
}

/* True if no thread slept: the time is counted from when the I/O was seen before. */
static int is_hold(const json_t *slept)
{
	const int word = word_of(tw_report_string(slept, "reason"));

	return word == TW_SLEEP_IO_MAX || word == TW_SLEEP_SUSPENDED;
}

/* Return the part of blockq that has a sleep. */
static enum tw_sleep_part part_of(const json_t *slept)
{
	const int word = word_of(tw_report_string(slept, "reason"));

	return word < TW_SLEEP_WORDS ? tw_sleep_texts[word].part : TW_SLEEPS_ANYWHERE;
}

const char *tw_report_say_wait(const char *word, const char *limit, const char *path)
{
	const int i = word_of(word);

	if (i != TW_SLEEP_IO_MAX || !limit || !*limit)
		return i < TW_SLEEP_WORDS ? tw_sleep_texts[i].text : word;
	return tw_format("%s (io.max: %s)", path && *path ?
			 tw_format("the limit of %s", tw_report_say_path(path)) :
			 "a limit of its cgroup", limit);
}

/* Return what a thread slept for, or what held an I/O back. */
static const char *say_slept(const json_t *slept)
{
	const char *word = tw_report_string(slept, "reason");
	const char *function = tw_report_string(slept, "function");

	return word_of(word) == TW_SLEEP_OTHER && function ?
	       tw_format("asleep in %s()", function) :
	       tw_format("waiting for %s", tw_report_say_wait(
			 word, tw_report_string(slept, "limit"), tw_report_string(slept, "cgroup")));
}

/* Divide the stage by what the job's thread did, as far as that is known, and by the sleeps
 * of workers. */
static void divide_thread(struct dividing *of, const json_t *causes, int is_single)
{
	const json_t *had_cpu = json_object_get(causes, "had_cpu");
	const json_t *sleeps = json_object_get(causes, "slept");
	double waited_ns = (double)tw_report_u64(causes, "waited_ns") +
			   (double)tw_report_u64(causes, "interrupts_ns");
	double asleep_ns = (double)tw_report_u64(causes, "asleep_ns");
	struct tw_report_cause *wait;

	for (size_t i = 0; i < json_array_size(had_cpu); i++) {
		const json_t *had = json_array_get(had_cpu, i);

		if (strcmp(tw_report_string(had, "kind"), "idle") == 0) {
			put(of, TW_REPORT_EXACT, "the CPU was leaving idle",
			    (double)tw_report_u64(had, "ns"));
			waited_ns -= (double)tw_report_u64(had, "ns");
		}
	}
	wait = put(of, TW_REPORT_EXACT, waiting_for_cpu, waited_ns);
	for (size_t i = 0; wait && i < json_array_size(had_cpu); i++) {
		const json_t *had = json_array_get(had_cpu, i);

		if (strcmp(tw_report_string(had, "kind"), "idle"))
			put_holder(wait->holders, &wait->holder_count,
				   tw_report_say_holder(had, is_single),
				   (double)tw_report_u64(had, "ns"));
	}
	for (size_t i = 0; i < json_array_size(sleeps); i++) {
		const json_t *slept = json_array_get(sleeps, i);
		const double ns = (double)tw_report_u64(slept, "ns");

		/* It is a part of blockq. */
		if (part_of(slept) == TW_SLEEPS_WORKER)
			continue;
		put(of, is_hold(slept) ? TW_REPORT_AT_MOST : TW_REPORT_EXACT, say_slept(slept),
		    ns);
		asleep_ns -= ns;
	}
	put(of, TW_REPORT_EXACT, "the job's thread was asleep", asleep_ns);
	put(of, TW_REPORT_EXACT, "the job's thread was woken late",
	    (double)tw_report_u64(causes, "woken_late_ns"));
	put(of, TW_REPORT_EXACT, "the job's thread was running",
	    (double)tw_report_u64(causes, "ran_ns"));
}

/* ---- the parts of blockq --------------------------------------------------- */

/* Take up to @ns off one of the parts, and off what is known of all. */
static void take_off(double *part_ns, double *known_ns, double ns)
{
	ns = fmin(ns, fmin(*part_ns, *known_ns));
	*part_ns -= ns;
	*known_ns -= ns;
}

/* Divide what is left of blockq by its parts. What has a cause comes off the part that has
 * such causes, or else off the largest. The wait for a worker is a cause itself. */
static void divide_blockq(struct dividing *of, const json_t *slow, const json_t *slept,
			  double all_ns, const char *without_cause)
{
	const json_t *json = json_object_get(slow, "blockq");
	const int exact = json_object_get(json, "before") != NULL;
	const int late = json_is_true(json_object_get(json, "worker_is_bound"));
	double parts_ns[TW_SCHEDULER - TW_BEFORE + 1] = { 0 };
	const double worker_ns = (double)tw_report_u64(json, tw_time_metrics[TW_WORKER].name);
	double known_ns = all_ns - of->left_ns, rest_ns = all_ns - worker_ns;

	if (!json)
		return;
	put(of, late ? TW_REPORT_AT_MOST : TW_REPORT_EXACT, "waiting for a worker of io_uring",
	    worker_ns);
	for (int i = TW_BEFORE; i <= TW_SCHEDULER; i++) {
		parts_ns[i - TW_BEFORE] = (double)tw_report_u64(json, tw_time_metrics[i].name);
		rest_ns -= parts_ns[i - TW_BEFORE];
	}
	if (!exact)
		parts_ns[0] += rest_ns;
	for (size_t i = 0; i < json_array_size(slept); i++) {
		const json_t *sleep = json_array_get(slept, i);
		const enum tw_sleep_part part = part_of(sleep);
		const double ns = (double)tw_report_u64(sleep, "ns");

		if (part == TW_SLEEPS_ADMISSION && exact)
			take_off(&parts_ns[TW_ADMISSION - TW_BEFORE], &known_ns, ns);
		else if (part == TW_SLEEPS_BEFORE || part == TW_SLEEPS_ADMISSION)
			take_off(&parts_ns[0], &known_ns, ns);
	}
	for (int i = TW_BEFORE; i <= TW_SCHEDULER; i++) {
		double *most = parts_ns;

		for (int j = 1; j <= TW_SCHEDULER - TW_BEFORE; j++)
			most = parts_ns[j] > *most ? &parts_ns[j] : most;
		take_off(most, &known_ns, known_ns);
	}
	for (int i = TW_BEFORE; i <= TW_SCHEDULER; i++) {
		of->stage = tw_format("blockq (%s)", exact || i != TW_BEFORE ?
				      tw_time_metrics[i].name : "before+admission");
		put(of, exact && (!late || i != TW_BEFORE) ? TW_REPORT_EXACT :
		    i == TW_BEFORE ? TW_REPORT_AT_LEAST : TW_REPORT_AT_MOST,
		    i == TW_SCHEDULER ? "" : without_cause, parts_ns[i - TW_BEFORE]);
	}
	of->stage = tw_time_metrics[TW_BLOCKQ].name;
}

/* Divide what is left of the stage with a sync by its parts, which are causes themselves: of
 * kernel, or of complete. */
static void divide_sync(struct dividing *of, const json_t *slow, int stage, int is_single)
{
	const int in_kernel = stage == TW_KERNEL;
	const json_t *parts = json_object_get(slow, in_kernel ? "sync" : "complete");
	const char *commit = tw_report_say_commit(slow, is_single);

	for (int i = TW_SYNC_WORKER; parts && i <= TW_SYNC_WAKE; i++) {
		of->stage = tw_format("%s (%s)", tw_time_metrics[stage].name,
				      tw_time_metrics[i].name);
		put(of, TW_REPORT_EXACT, i == TW_SYNC_JOURNAL && commit ? commit : "",
		    (double)tw_report_u64(parts, tw_time_metrics[i].name));
	}
	of->stage = tw_time_metrics[stage].name;
}

/* Divide what is left of the stage device. */
static void divide_device(struct dividing *of, const json_t *slow, int is_single,
			  const char *without_cause)
{
	const json_t *others = json_object_get(slow, "in_flight_of_others");
	const char *disk = of->into->legs ? tw_report_string(slow, "disk") : NULL;
	const char *behind = tw_report_say_others(slow, is_single);
	const double ns = of->left_ns;
	struct tw_report_cause *cause = put(of, TW_REPORT_EXACT, behind ? behind : without_cause, ns);

	/* For the mean size of several I/Os' requests. */
	if (cause && behind && !is_single) {
		cause->requests += (double)tw_report_u64(others, "requests");
		cause->bytes += (double)tw_report_u64(others, "bytes");
	}
	if (!cause || !disk)
		return;
	cause->legs = of->into->legs;
	put_holder(cause->disks, &cause->disk_count, disk, ns);
}

/* ---- all ------------------------------------------------------------------- */

void tw_report_add_causes(struct tw_report_causes *into, const json_t *slow, int is_single)
{
	struct tw_report_slow_stage list[TW_STAGES], *longest = NULL;
	const int count = tw_report_slow_stages(slow, list);
	const double waited_ns = (double)tw_report_u64(slow, "waited_at_most_ns");
	const json_t *causes = json_object_get(slow, "causes");
	const char *without_cause = causes ? TW_REPORT_NOT_EXPLAINED : "";

	into->ios++;
	into->is_recorded |= causes != NULL;
	into->lat_ns += (double)tw_report_u64(json_object_get(slow, "stages"), "lat");
	into->stolen_ns += (double)tw_report_u64(causes, "stolen_at_most_ns");
	/* The backlog follows from I/Os before this one. */
	for (int i = 0; i < count; i++)
		if (list[i].stage != TW_BACKLOG && (!longest || list[i].ns > longest->ns))
			longest = &list[i];
	for (int i = 0; i < count; i++) {
		struct dividing of = { into, list[i].name, (double)list[i].ns };
		/* What the job's thread did is known of the longest stage. */
		const int is_followed = causes && !strcmp(tw_report_string(causes, "stage"),
							  tw_time_metrics[list[i].stage].name);

		if (is_followed)
			divide_thread(&of, causes, is_single);
		else if (&list[i] == longest && waited_ns > 0)
			put(&of, TW_REPORT_AT_MOST, waiting_for_cpu, waited_ns);
		if (list[i].stage == TW_BLOCKQ)
			divide_blockq(&of, slow, is_followed ? json_object_get(causes, "slept") :
				      NULL, (double)list[i].ns, without_cause);
		if (list[i].stage == TW_KERNEL || list[i].stage == TW_COMPLETE)
			divide_sync(&of, slow, (int)list[i].stage, is_single);
		if (list[i].stage == TW_DEVICE)
			divide_device(&of, slow, is_single, without_cause);
		put(&of, TW_REPORT_EXACT, list[i].stage == TW_BACKLOG ? "" : without_cause,
		    of.left_ns);
	}
}

struct tw_report_cause *tw_report_next_cause(struct tw_report_causes *of)
{
	struct tw_report_cause *most = NULL;

	for (size_t i = 0; i < of->count; i++)
		if (of->all[i].ns > 0 && (!most || of->all[i].ns > most->ns))
			most = &of->all[i];
	return most;
}

int tw_report_is_explained(const struct tw_report_cause *cause)
{
	return strcmp(cause->words, TW_REPORT_NOT_EXPLAINED) != 0;
}

size_t tw_report_disks_of(const struct tw_report_cause *cause)
{
	double ns = 0;

	for (size_t i = 0; i < cause->disk_count && i < MOST_DISKS &&
	     2 * (i + 1) <= cause->legs; i++) {
		ns += cause->disks[i].ns;
		if (ns > ALMOST_ALL * cause->ns)
			return i + 1;
	}
	return 0;
}

int tw_report_has_cause(const struct tw_report_cause *cause)
{
	return cause->words[0] || cause->bound || strchr(cause->stage, '(') ||
	       tw_report_disks_of(cause);
}

static const char *const bounds[] = {
	[TW_REPORT_EXACT] = "", [TW_REPORT_AT_MOST] = "up to ",
	[TW_REPORT_AT_LEAST] = "at least ",
};

/* Write the words, and what had the CPU: the one with almost all of it, or the first two and the
 * others together, with the parts of the wait that are known of them. */
static void put_words(struct tw_growing_text *text, const struct tw_report_cause *cause,
		      double of_ns)
{
	const struct tw_report_holder *holders = cause->holders;
	const char *before = ", which ";
	double others = 0;

	tw_append_format(text, "%s", cause->words);
	if (cause->bytes > 0)
		tw_append_format(text, " (mean %s)", TW_SAY_BYTES(cause->bytes / cause->requests));
	if (!cause->holder_count)
		return;
	if (holders->ns > ALMOST_ALL * cause->ns) {
		tw_append_format(text, " that %s had", holders->name);
		return;
	}
	for (size_t i = 0; i < cause->holder_count; i++) {
		const double percent = 100 * holders[i].ns / of_ns;

		if (i >= 2 || percent < TW_REPORT_MIN_PERCENT) {
			others += percent;
			continue;
		}
		tw_append_format(text, "%s%s%s for %.0f %%", before, holders[i].name,
				 i ? "" : " had", percent);
		before = " and ";
	}
	if (others >= TW_REPORT_MIN_PERCENT)
		tw_append_format(text, "%sothers%s for %.0f %%", before,
				 *before == ',' ? " had" : "", others);
}

static void put_share(struct tw_growing_text *text, const struct tw_report_cause *cause,
		      double of_ns)
{
	const double percent = round(100 * cause->ns / of_ns);

	tw_append_format(text, "%s%.0f %% ", percent >= 100 &&
			 cause->bound == TW_REPORT_AT_LEAST ? "" : bounds[cause->bound], percent);
}

void tw_report_put_cause(struct tw_growing_text *text, const struct tw_report_cause *cause,
			 double of_ns)
{
	const size_t disks = tw_report_disks_of(cause);
	const int is_of_sync = !strncmp(cause->stage, "kernel (", 8);
	const char *stage = cause->stage + (is_of_sync ? 8 : 0);

	put_share(text, cause, of_ns);
	/* Its row, if there is one, is of other I/Os: those that were to be split and were not. */
	if (!strcmp(stage, "kernel") && !cause->words[0]) {
		tw_append_format(text, "from submit to reap, not split");
		return;
	}
	/* The parts of a sync are stages on a page. */
	tw_append_format(text, "in %.*s", (int)(strlen(stage) - (size_t)is_of_sync), stage);
	for (size_t i = 0; i < disks; i++)
		tw_append_format(text, "%s %s", i ? " and" : "", cause->disks[i].name);
	tw_append_format(text, "%s", cause->words[0] ? ", " : "");
	put_words(text, cause, of_ns);
}

void tw_report_put_stolen(struct tw_growing_text *text, const struct tw_report_causes *causes)
{
	const double percent = 100 * causes->stolen_ns / causes->lat_ns;

	if (percent >= TW_REPORT_MIN_PERCENT)
		tw_append_format(text, "; hypervisor up to %.0f %%", fmin(percent, 100));
}

const char *tw_report_say_cause(const json_t *slow)
{
	struct tw_report_causes causes = { .count = 0 };
	struct tw_growing_text text = { .length = 0 };
	struct tw_report_cause *cause;

	tw_report_add_causes(&causes, slow, 1);
	while ((cause = tw_report_next_cause(&causes)) != NULL &&
	       cause->ns * 100 >= TW_REPORT_MIN_PERCENT * causes.lat_ns) {
		if (tw_report_has_cause(cause) &&
		    (!text.length || tw_report_is_explained(cause))) {
			tw_append_format(&text, "%s", text.length ? "; " : "");
			tw_report_put_cause(&text, cause, causes.lat_ns);
		}
		cause->ns = 0;
	}
	if (text.length)
		tw_report_put_stolen(&text, &causes);
	return text.bytes;
}

/* Is it a share of a stage, or of a part of it, which has its name in brackets? Of several stages in
 * one, what has no cause is a share of `kernel`. */
static int is_in(const struct tw_report_cause *cause, const char *stage)
{
	const size_t length = strlen(stage);

	return (!strncmp(cause->stage, stage, length) &&
		(!cause->stage[length] || cause->stage[length] == ' ')) ||
	       (strchr(stage, '+') && !strcmp(cause->stage, tw_time_metrics[TW_KERNEL].name));
}

const char *tw_report_say_stall(const struct tw_report_stall *stall)
{
	struct tw_report_causes causes = { .count = 0 };
	struct tw_report_cause *cause, *most = NULL;
	struct tw_growing_text text = { .length = 0 };
	double stage_ns = 0;

	tw_report_add_causes(&causes, stall->slowest->json, 1);
	for (cause = causes.all; cause < causes.all + causes.count; cause++) {
		if (!is_in(cause, stall->stage))
			continue;
		stage_ns += cause->ns;
		most = !most || cause->ns > most->ns ? cause : most;
	}
	if (!most || !tw_report_has_cause(most))
		return NULL;
	if (most->bound == TW_REPORT_AT_MOST && most->ns >= 0.995 * stage_ns)
		tw_append_format(&text, "perhaps all ");
	else
		put_share(&text, most, stage_ns);
	tw_append_format(&text, "of the time %s",
			 strncmp(most->words, waiting_for_cpu, strlen(waiting_for_cpu)) ? "" :
			 "with the job's thread ");
	if (most->words[0])
		put_words(&text, most, stage_ns);
	else
		tw_append_format(&text, "%s", most->stage);
	return text.bytes;
}
