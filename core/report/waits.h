/* SPDX-License-Identifier: MIT */
/*
 * A wait table: what tasks waited for, a row for each kind of call, file and reason. Rows of
 * the same texts are one row, so tables merge by adding.
 */
#ifndef TW_REPORT_WAITS_H
#define TW_REPORT_WAITS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "report/report_json.h"
#include "tickwise.h"

/* Files without rows of their own: those below a folder, and others. */
#define TW_WAIT_FILES_BELOW	"many files below "
#define TW_WAIT_OTHER_FILES	"files of other folders"

#define TW_WAIT_DIGITS	2	/* of the histograms */

enum tw_wait_text {
	TW_WAIT_CALL,		/* "pread64", or "page fault" */
	TW_WAIT_FILE,		/* its path; "-": not known */
	TW_WAIT_REASON,		/* a word of latency/sleep_words.h */
	TW_WAIT_FUNCTION,	/* of the kernel, or the file system, that tells it; or "" */
	TW_WAIT_LIMIT,		/* of io.max, "riops=500"; "": none, or not known */
	TW_WAIT_CGROUP,		/* the path of the cgroup that has the limit; the same */
	TW_WAIT_TEXTS,
};

/* How long waits were in the block layer, where the task's own bios tell that. */
enum tw_wait_part {
	TW_WAIT_BLOCKQ,
	TW_WAIT_DEVICE,
	TW_WAIT_COMPLETE,
	TW_WAIT_PARTS,
};

struct tw_wait_row {
	char *text[TW_WAIT_TEXTS];
	uint64_t part_ns[TW_WAIT_PARTS];
	struct tw_histogram time;	/* of each wait */
	json_t *others;			/* tw_wait_add_others(), by owner; NULL: not counted */
	uint64_t counted_ns;		/* attach: of the device part, what these stand for */
};

/* Zeroed, it is empty. */
struct tw_waits {
	struct tw_wait_row **rows;
	size_t count;
	void *by_text;
	json_t *slowest;	/* the slowest waits: an array; NULL: not known */
};

void tw_waits_free(struct tw_waits *waits);

/* Return the row of these texts. NULL: there is none. */
struct tw_wait_row *tw_waits_find(const struct tw_waits *waits,
				  const char *const text[TW_WAIT_TEXTS]);

/* Find the row of these texts, or add it. NULL: out of memory. */
struct tw_wait_row *tw_waits_row(struct tw_waits *waits, const char *const text[TW_WAIT_TEXTS]);

/* Add waits and device_ns of what the device had in flight for others, as waits.rows[] has it, to
 * those of the same kind and name. Return: 0; -ENOSPC: of a new name, and there are @most (0: no
 * limit); -ENOMEM; -EOVERFLOW. */
int tw_wait_add_others(struct tw_wait_row *row, const json_t *others, size_t most);

/* Do waits of one reason, which may be NULL, differ by the function? */
int tw_wait_needs_function(const char *reason);

/* Sort the rows: the longest time waited first. The order does not depend on the one before. */
void tw_waits_sort(struct tw_waits *waits);

/* Return the sorted rows as an array. */
json_t *tw_waits_to_json(struct tw_waits *waits);

/* Add a row to that of these texts. Return: 0; -ENOMEM; -EOVERFLOW. */
int tw_waits_add(struct tw_waits *waits, const char *const text[TW_WAIT_TEXTS],
		 const struct tw_wait_row *row);

/* Add rows of an array. Sets @problem if it is wrong. Return: as above. */
int tw_waits_add_json(struct tw_waits *waits, const json_t *rows,
		      struct tw_report_problem *problem);

/* Merge the waits of a report, which may be NULL, into those of another. Of several reports there
 * are no slowest. Return: as above. */
int tw_waits_merge(struct tw_waits **into, const struct tw_waits *from);

#endif
