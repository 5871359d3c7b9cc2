/* SPDX-License-Identifier: GPL-2.0 */
/* The wait table of a job: see job_waits.h. */
#include "job_waits.h"

#include <errno.h>
#include <search.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "kernel/causes/calls.h"
#include "kernel/causes/stack_words.h"
#include "report/report_json.h"
#include "report/waits.h"

#define KINDS	1024	/* with more, files have no rows of their own */
#define MINOR_BITS	20	/* of a device's number in the kernel */

/* Sleeps at one place. */
struct kind {
	struct tw_sleep_at at;		/* without frames that are not set */
	struct tw_wait_row row;		/* its times */
	const char *file;
	struct kind *next;
};

struct tw_job_waits {
	const struct tw_sleeps *sleeps;
	uint64_t taken;			/* the number of the last one */
	uint64_t lost;
	void *by_place;
	struct kind *all;
	unsigned count;
};

struct tw_job_waits *tw_job_waits_begin(const struct tw_sleeps *sleeps)
{
	struct tw_job_waits *waits = calloc(1, sizeof(*waits));

	if (!waits)
		return NULL;
	waits->sleeps = sleeps;
	waits->taken = __atomic_load_n(&sleeps->newest, __ATOMIC_ACQUIRE);
	return waits;
}

static int by_place(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct tw_sleep_at));
}

/* Return the kind of sleeps at this place; NULL without memory. */
static struct kind *kind_at(struct tw_job_waits *waits, const struct tw_sleep_at *at)
{
	struct kind *const *found = tfind(at, &waits->by_place, by_place), *kind;

	if (found)
		return *found;
	kind = calloc(1, sizeof(*kind));
	if (!kind || tw_histogram_init(&kind->row.time, TW_WAIT_DIGITS)) {
		free(kind);
		return NULL;
	}
	kind->at = *at;
	if (!tsearch(kind, &waits->by_place, by_place)) {
		tw_histogram_free(&kind->row.time);
		free(kind);
		return NULL;
	}
	kind->next = waits->all;
	waits->all = kind;
	waits->count++;
	return kind;
}

static void add(struct tw_job_waits *waits, struct tw_sleep *sleep)
{
	struct kind *kind;
	uint64_t i;

	for (i = sleep->at.stack.count; i < TW_FRAMES; i++)
		sleep->at.stack.frames[i] = 0;
	if (waits->count >= KINDS && !tfind(&sleep->at, &waits->by_place, by_place))
		sleep->at.inode = sleep->at.device = 0;
	kind = kind_at(waits, &sleep->at);
	if (kind && sleep->on_ns > sleep->off_ns)
		tw_histogram_add(&kind->row.time, sleep->on_ns - sleep->off_ns);
	else
		waits->lost++;
}

void tw_job_waits_take(struct tw_job_waits *waits)
{
	const uint64_t newest = __atomic_load_n(&waits->sleeps->newest, __ATOMIC_ACQUIRE);

	while (waits->taken < newest) {
		const struct tw_sleep *place = &waits->sleeps->sleeps[waits->taken % TW_SLEEPS];
		const uint64_t number = __atomic_load_n(&place->number, __ATOMIC_ACQUIRE);
		struct tw_sleep sleep = *place;

		/* It is being written. */
		if (number <= waits->taken && newest - waits->taken <= TW_SLEEPS)
			return;
		waits->taken++;
		atomic_thread_fence(memory_order_acquire);
		if (number == waits->taken &&
		    __atomic_load_n(&place->number, __ATOMIC_RELAXED) == number)
			add(waits, &sleep);
		else
			waits->lost++;
	}
}

static void free_kinds(struct tw_job_waits *waits)
{
	struct kind *kind;

	while ((kind = waits->all)) {
		waits->all = kind->next;
		tdelete(kind, &waits->by_place, by_place);
		tw_histogram_free(&kind->row.time);
		free(kind);
	}
	waits->count = 0;
}

void tw_job_waits_forget(struct tw_job_waits *waits)
{
	tw_job_waits_take(waits);
	free_kinds(waits);
	waits->lost = 0;
}

/* Name the files that the report lists. fio has forgotten its own list by then. A file system such
 * as btrfs tells programs another device than the kernel has. */
static void name_files(struct tw_job_waits *waits, const json_t *files)
{
	struct stat status;
	struct kind *kind;
	json_t *file;
	size_t i;

	json_array_foreach(files, i, file) {
		const char *path = tw_report_string(file, "path");

		if (stat(path, &status))
			continue;
		for (kind = waits->all; kind; kind = kind->next)
			if (kind->at.inode == status.st_ino &&
			    (!kind->file || kind->at.device == (major(status.st_dev) << MINOR_BITS |
								minor(status.st_dev))))
				kind->file = path;
	}
}

/* Which I/O the thread submits is not known, so only the file of a job with one has its name. */
static const char *file_of(const struct kind *kind, const struct tw_report *report)
{
	const bool is_one = json_array_size(report->files) == 1 &&
			    !report->tally.scalars.files_left_out;

	if (kind->file)
		return kind->file;
	return kind->at.call == SYS_io_uring_enter && is_one ?
	       tw_report_string(json_array_get(report->files, 0), "path") : "-";
}

int tw_job_waits_put(struct tw_job_waits *waits, struct tw_report *report)
{
	const struct kind *kind;
	int ret = 0;

	tw_job_waits_take(waits);
	name_files(waits, report->files);
	tw_metric_put(&report->tally.has, TW_METRIC_lost_waits);
	report->tally.scalars.lost_waits = waits->lost;
	report->waits = calloc(1, sizeof(*report->waits));
	if (!report->waits)
		return -ENOMEM;
	for (kind = waits->all; kind && !ret; kind = kind->next) {
		const struct tw_sleep_cause cause = tw_sleep_cause_of_stack(&kind->at.stack);
		const enum tw_sleep_word word = cause.word != TW_SLEEP_NOTHING ? cause.word :
						tw_call_word(kind->at.call);
		const char *const text[TW_WAIT_TEXTS] = {
			tw_call_name(kind->at.call), file_of(kind, report),
			tw_sleep_texts[word].word, cause.function, "", "",
		};

		ret = tw_waits_add(report->waits, text, &kind->row);
	}
	return ret;
}

void tw_job_waits_free(struct tw_job_waits *waits)
{
	if (waits)
		free_kinds(waits);
	free(waits);
}
