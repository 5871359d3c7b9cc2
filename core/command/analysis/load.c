/* SPDX-License-Identifier: MIT */
/*
 * Reads the files of reports on all CPUs. Each thread takes the next file that no thread
 * has taken. The caller is the first thread.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "base/allocate.h"
#include "base/write_file.h"
#include "command/analysis/interval_files.h"
#include "command/analysis/analysis.h"
#include "command/output/page.h"
#include "machine/cpus.h"
#include "report/sent.h"
#include "text_file.h"

static int takes = TW_INPUT_PIPE;

void tw_report_load_only_own(int is_wanted)
{
	takes = is_wanted ? TW_INPUT_OWN : TW_INPUT_PIPE;
}

/* A thread costs some 50 us, a report 1 ms or less. */
#define REPORTS_A_THREAD	8
#define MAX_THREADS		16

/* The reports of a file. */
struct file {
	const char *path;
	struct tw_report *reports;
	size_t count;
};

struct work {
	struct file *files;
	size_t count;
	_Atomic size_t next;
	pthread_mutex_t lock;		/* for the members below */
	size_t failed;			/* number of the first file with a
					 * fault; count: none */
	int code;
	struct tw_report_problem *problem;
};

/* ---- a file -------------------------------------------------------------- */

/* Parse the object at @at, and set @at behind it. Return: NULL with @problem
 * set. */
static json_t *parse(const char *text, const char **at, const char *end,
		     struct tw_report_problem *problem)
{
	json_error_t error;
	json_t *root = json_loadb(*at, (size_t)(end - *at), JSON_REJECT_DUPLICATES |
				  JSON_DISABLE_EOF_CHECK, &error);
	int line = error.line;

	if (root) {
		*at += error.position;
		return root;
	}
	for (const char *c = text; c < *at; c++)
		line += *c == '\n';
	if (json_error_code(&error) == json_error_premature_end_of_input)
		tw_report_refuse(problem, "cut off: ends at line %d, column %d,"
				 " in the middle", line, error.column);
	else
		tw_report_refuse(problem, "not JSON: line %d, column %d: %s", line,
				 error.column, error.text);
	return NULL;
}

/* ---- reports in fio's output ------------------------------------------------ */

/* No report may keep others from being added. The largest sums of a real one are those of
 * latencies: a day at depth 1024 is a third of this. */
#define MOST_OF_ONE	(UINT64_MAX / 64)

static _Atomic size_t broken;

size_t tw_report_load_broken(void)
{
	return broken;
}

struct sent {
	struct file *file;
	size_t sent;
	uint64_t left;			/* what all others may add to a number */
	struct tw_report_problem why;	/* the first one is broken */
};

/* Take a report, or note that it is broken. */
static void take_sent(void *context, const char *token, const char *json, size_t length,
		      const char *why)
{
	struct sent *sent = context;
	struct tw_report_problem problem = { "" };
	struct file *file = sent->file;
	struct tw_report *report;
	json_t *root = NULL;
	uint64_t largest;

	(void)token;
	sent->sent++;
	if (why)
		tw_report_refuse(&problem, "%s", why);
	else
		root = parse(json, &json, json + length, &problem);
	largest = root ? tw_report_largest(root) : 0;
	if (largest > MOST_OF_ONE || largest > sent->left)
		tw_report_refuse(&problem, "its numbers are too large to be added to those of "
				 "others");
	sent->left -= problem.text[0] ? 0 : largest;
	if (root) {
		report = tw_another(&file->reports, &file->count);
		tw_must(tw_report_from_json(report, root, file->path, &problem));
		if (problem.text[0]) {
			tw_report_free(report);
			file->count--;
		}
	}
	json_decref(root);
	if (problem.text[0])
		tw_report_refuse(&sent->why, "%s", problem.text);
}

/* A report begins with its schema, whatever it contains. */
static int has_sent(const char *text, size_t length)
{
	const char *const end = text + length;

	while (text < end && *text && strchr("{ \t\r\n", *text))
		text++;
	length = (size_t)(end - text);
	return (length < 8 || memcmp(text, "\"schema\"", 8) != 0) &&
	       memmem(text, length, TW_SENT_MARK, sizeof(TW_SENT_MARK) - 1);
}

/* Take the reports that fio servers sent with tw_send=. The others are shown if one is broken. */
static void read_sent(struct file *file, const char *text, size_t length,
		      struct tw_report_problem *problem)
{
	struct sent sent = { .file = file, .left = UINT64_MAX };
	const struct tw_sent_sink sink = { .take = take_sent, .context = &sent };
	struct tw_sent_stream stream = { .sink = &sink };
	size_t lost;

	tw_must(tw_sent_feed(&stream, text, length));
	tw_must(tw_sent_end(&stream));
	lost = sent.sent - file->count;
	broken += lost;
	if (!file->count)
		tw_report_refuse(problem, "no report can be read of %zu in this output of fio%s%s",
				 sent.sent, lost ? ": " : "", sent.why.text);
	else
		tw_command_fail(NULL, TW_EXIT_GOOD, "%s: in this output of fio: %zu report%s sent, "
				"%zu received, %zu broken%s%s", file->path, sent.sent,
				tw_format_plural(sent.sent), file->count, lost, lost ? ": " : "",
				sent.why.text);
}

/* ---- a file of reports -------------------------------------------------------- */

/* Sets @problem if a report is wrong. */
static void read_reports(struct file *file, const char *text, size_t length,
			 struct tw_report_problem *problem)
{
	const char *at = text, *const end = text + length;
	struct tw_report_problem in_report = { "" };

	/* Such a file is read twice, line by line, as it may be larger than the
	 * memory. */
	if (tw_intervals_are_text(text, length)) {
		tw_report_refuse(problem, "a file of intervals can't be read from a pipe: "
				 "save it to a file first");
		return;
	}
	if (has_sent(text, length)) {
		read_sent(file, text, length, problem);
		return;
	}
	do {
		struct tw_report *report = tw_another(&file->reports, &file->count);
		json_t *root = parse(text, &at, end, &in_report);

		if (root)
			tw_must(tw_report_from_json(report, root, file->path, &in_report));
		json_decref(root);
		while (at < end && *at && strchr(" \t\r\n", *at))
			at++;
	} while (!in_report.text[0] && at < end);
	if (in_report.text[0] && file->count > 1)
		tw_report_refuse(problem, "report %zu: %s", file->count, in_report.text);
	else if (in_report.text[0])
		tw_report_refuse(problem, "%s", in_report.text);
}

static int read_text(struct file *file, struct tw_report_problem *problem)
{
	int fd = tw_input_open(file->path, takes);
	size_t length;
	char *text = fd < 0 ? NULL : tw_text_all(fd, TW_TEXT_MAX, &length);
	int error = fd < 0 ? -fd : errno;

	if (fd >= 0)
		close(fd);
	if (!text) {
		tw_must(-error);
		tw_report_refuse(problem, "%s", tw_file_error(error));
		return TW_EXIT_NO_INPUT;
	}
	read_reports(file, text, length, problem);
	free(text);
	return problem->text[0] ? TW_EXIT_DATA : TW_EXIT_GOOD;
}

static int read_header(struct file *file, struct tw_report_problem *problem)
{
	struct tw_intervals *intervals;
	int ret = tw_intervals_open(&intervals, file->path, problem);

	if (!ret) {
		file->reports = tw_zalloc(1, sizeof(*file->reports));
		file->reports[file->count++] = intervals->header;
		intervals->header = (struct tw_report) { .jobs = NULL };
		tw_intervals_close(intervals);
	}
	return tw_intervals_exit(ret);
}

/* ---- all files ----------------------------------------------------------- */

/*
 * Read files until there are none. After a fault no further file is begun.
 * Files are begun in their order, so all files before the faulty one have been
 * begun, and will be finished. So the first fault is the same for any number of
 * threads.
 */
static void *read_files(void *argument)
{
	struct work *work = argument;
	size_t i;

	while ((i = atomic_fetch_add(&work->next, 1)) < work->count) {
		struct tw_report_problem problem = { "" };
		struct file *file = &work->files[i];
		int code = tw_intervals_are_in(file->path) ? read_header(file, &problem) :
							     read_text(file, &problem);

		if (code == TW_EXIT_GOOD)
			continue;
		atomic_store(&work->next, work->count);
		pthread_mutex_lock(&work->lock);
		if (i < work->failed) {
			work->failed = i;
			work->code = code;
			work->problem->text[0] = '\0';
			tw_report_refuse(work->problem, "%s: %s", file->path, problem.text);
		}
		pthread_mutex_unlock(&work->lock);
	}
	return NULL;
}

static void read_on_all_cpus(struct work *work)
{
	pthread_t threads[MAX_THREADS];
	size_t wanted = work->count / REPORTS_A_THREAD, made = 0;
	struct tw_cpu_list allowed;

	if (!tw_cpu_list_allowed(&allowed, 0) && wanted > tw_cpu_list_count(&allowed))
		wanted = tw_cpu_list_count(&allowed);
	if (wanted > MAX_THREADS)
		wanted = MAX_THREADS;
	/* The library makes the seed of its hash tables at first use, which two
	 * threads must not do at once. */
	json_object_seed(0);
	/* If no other thread can be created, this one reads all files. */
	while (made + 1 < wanted &&
	       pthread_create(&threads[made], NULL, read_files, work) == 0)
		made++;
	read_files(work);
	while (made)
		pthread_join(threads[--made], NULL);
}

/* Move the reports of all files into one list. */
static struct tw_report *gather(const struct work *work, size_t *count)
{
	struct tw_report *list, *into;

	*count = 0;
	for (size_t i = 0; i < work->count; i++)
		*count += work->files[i].count;
	list = into = tw_zalloc(*count, sizeof(*list));
	for (size_t i = 0; i < work->count; i++)
		for (size_t j = 0; j < work->files[i].count; j++)
			*into++ = work->files[i].reports[j];
	for (size_t i = 0; i < work->count; i++)
		work->files[i].count = 0;
	return list;
}

/* Did the job, or another one of its fio, compare the CPUs' counters at the end? */
static int has_compared_at_end(const struct tw_report *report)
{
	const json_t *reasons = json_object_get(report->counter, "reasons"), *reason;
	size_t i;

	json_array_foreach(reasons, i, reason)
		if (!strncmp(tw_report_string(reason, "code"), "end_cpus_not_", 13))
			return 0;
	return 1;
}

/* Of the jobs that a fio server ran, only the last one tells with its report whether the CPUs'
 * counters agreed at the end. Its verdict holds for those of which nothing else is open. */
static void settle(struct tw_report *report, const struct tw_report *all, size_t count)
{
	const json_t *reasons = json_object_get(report->counter, "reasons");

	if (report->job_count != 1 || !*report->jobs->run || json_array_size(reasons) != 1 ||
	    strcmp(tw_report_string(json_array_get(reasons, 0), "code"), "end_cpus_not_compared"))
		return;
	for (size_t i = 0; i < count; i++) {
		json_t *counter = all[i].counter;

		if (all[i].job_count != 1 || !has_compared_at_end(&all[i]) ||
		    strcmp(all[i].jobs->run, report->jobs->run) ||
		    strcmp(all[i].jobs->host, report->jobs->host))
			continue;
		json_decref(report->counter);
		report->counter = json_incref(counter);
		report->verdict = all[i].verdict;
		return;
	}
}

int tw_report_load(struct tw_report **reports, size_t *count, char *const *paths,
		   size_t path_count, struct tw_report_problem *problem)
{
	struct work work = {
		.files = tw_zalloc(path_count, sizeof(*work.files)), .count = path_count,
		.lock = PTHREAD_MUTEX_INITIALIZER, .failed = path_count,
		.code = TW_EXIT_GOOD, .problem = problem,
	};

	for (size_t i = 0; i < path_count; i++)
		work.files[i].path = paths[i];
	read_on_all_cpus(&work);
	if (work.code == TW_EXIT_GOOD)
		*reports = gather(&work, count);
	for (size_t i = 0; work.code == TW_EXIT_GOOD && i < *count; i++)
		settle(&(*reports)[i], *reports, *count);
	for (size_t i = 0; i < work.count; i++)
		tw_reports_free(work.files[i].reports, work.files[i].count);
	free(work.files);
	return work.code;
}

void tw_reports_free(struct tw_report *reports, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tw_report_free(&reports[i]);
	free(reports);
}
