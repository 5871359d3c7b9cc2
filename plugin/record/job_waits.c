/* SPDX-License-Identifier: GPL-2.0 */
/* The wait table of a job: see job_waits.h. */
#include "job_waits.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "kernel/causes/calls.h"
#include "kernel/causes/find_causes.h"
#include "kernel/causes/stack_words.h"
#include "report/report_json.h"
#include "report/waits.h"

/* From this number on files have no rows of their own. Twice as many are the most. */
#define KINDS	1024
#define MINOR_BITS	20	/* of a device's number in the kernel */

/* Sleeps at one place. */
struct kind {
	struct tw_sleep_at at;		/* without frames that are not set */
	struct tw_wait_row row;		/* its times */
	struct kind *next;
};

struct tw_job_waits {
	const struct tw_sleeps *sleeps;
	uint64_t taken;			/* the number of the last one */
	uint64_t lost;
	int64_t from_ns;		/* of the run, in own time (clock_map.h), */
	bool has_begun;			/* which is known */
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

static void free_kind(struct kind *kind)
{
	if (kind)
		tw_histogram_free(&kind->row.time);
	free(kind);
}

/* Return the kind of sleeps at this place; NULL: no memory, or there are too many. */
static struct kind *kind_at(struct tw_job_waits *waits, const struct tw_sleep_at *at)
{
	struct kind *const *found = tfind(at, &waits->by_place, by_place), *kind;

	if (found)
		return *found;
	kind = waits->count < 2 * KINDS ? calloc(1, sizeof(*kind)) : NULL;
	if (kind)
		kind->at = *at;
	if (!kind || tw_histogram_init(&kind->row.time, TW_WAIT_DIGITS) ||
	    !tsearch(kind, &waits->by_place, by_place)) {
		free_kind(kind);
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

/* fio also sleeps before its first I/O and after its last one, such as in fadvise(2) and close(2). */
void tw_job_waits_take(struct tw_job_waits *waits, const struct tw_clock_map *map,
		       int64_t from_ns, int64_t to_ns)
{
	const uint64_t newest = __atomic_load_n(&waits->sleeps->newest, __ATOMIC_ACQUIRE);
	struct tw_sleep sleep;
	int ret;

	if (!waits->has_begun)
		waits->from_ns = from_ns;
	waits->has_begun = true;
	for (; waits->taken < newest; waits->taken++) {
		ret = tw_sleep_read(waits->sleeps, waits->taken + 1, &sleep);
		if (ret == -EAGAIN && newest - waits->taken <= TW_SLEEPS)
			return;
		if (!ret && tw_clock_map_own_ns(map, sleep.on_ns) > to_ns)
			return;
		if (ret)
			waits->lost++;
		else if (tw_clock_map_own_ns(map, sleep.off_ns) >= waits->from_ns)
			add(waits, &sleep);
	}
}

static void free_kinds(struct tw_job_waits *waits)
{
	struct kind *kind;

	while ((kind = waits->all)) {
		waits->all = kind->next;
		tdelete(kind, &waits->by_place, by_place);
		free_kind(kind);
	}
	waits->count = 0;
}

void tw_job_waits_forget(struct tw_job_waits *waits)
{
	free_kinds(waits);
	waits->taken = __atomic_load_n(&waits->sleeps->newest, __ATOMIC_ACQUIRE);
	waits->lost = 0;
	waits->has_begun = false;
}

/* A file system such as btrfs tells programs another device than the kernel has, which is none. */
static bool is_on(const struct tw_file_at *at, uint32_t device)
{
	return !major(at->device) ||
	       (major(at->device) << MINOR_BITS | minor(at->device)) == device;
}

/* Return the path of a kind's file, as the report lists it. Which I/O the thread submits is not
 * known, so only the file of a job with one has its name. */
static const char *file_of(const struct kind *kind, const struct tw_files *files,
			   const struct tw_report *report)
{
	const bool is_known = kind->at.inode || (kind->at.call == SYS_io_uring_enter &&
						 files->count == 1);
	unsigned i;

	for (i = 0; is_known && i < json_array_size(report->files); i++)
		if (!kind->at.inode || (files->at[i].inode == kind->at.inode &&
					is_on(&files->at[i], kind->at.device)))
			return tw_report_string(json_array_get(report->files, i), "path");
	return "-";
}

static int add_row(const struct kind *kind, const struct tw_files *files,
		   struct tw_report *report)
{
	const bool is_fault = tw_stack_has(&kind->at.stack, "handle_mm_fault");
	const struct tw_sleep_cause cause = tw_sleep_cause_of_stack(&kind->at.stack);
	const enum tw_sleep_word word = cause.word != TW_SLEEP_NOTHING ? cause.word :
			!kind->at.stack.count ? TW_SLEEP_OTHER : tw_call_word(kind->at.call);
	const char *const text[TW_WAIT_TEXTS] = {
		tw_call_name(is_fault ? TW_CALL_FAULT : kind->at.call),
		is_fault ? "-" : file_of(kind, files, report),
		tw_sleep_texts[word].word, cause.function, "", "",
	};

	return tw_waits_add(report->waits, text, &kind->row);
}

/* Look for files that fio made after the job began. */
static void find_new_files(struct tw_files *files, const json_t *list)
{
	struct stat status;
	json_t *file;
	size_t i;

	json_array_foreach(list, i, file)
		if (!files->at[i].inode && !stat(tw_report_string(file, "path"), &status))
			files->at[i] = (struct tw_file_at) { status.st_ino, status.st_dev };
}

int tw_job_waits_put(const struct tw_job_waits *waits, struct tw_files *files,
		     struct tw_report *report)
{
	const struct kind *kind;
	int ret = 0;

	find_new_files(files, report->files);
	tw_metric_put(&report->tally.has, TW_METRIC_lost_waits);
	report->tally.scalars.lost_waits = waits->lost;
	report->waits = calloc(1, sizeof(*report->waits));
	if (!report->waits)
		return -ENOMEM;
	for (kind = waits->all; kind && !ret; kind = kind->next)
		ret = add_row(kind, files, report);
	return ret;
}

void tw_job_waits_free(struct tw_job_waits *waits)
{
	if (waits)
		free_kinds(waits);
	free(waits);
}
