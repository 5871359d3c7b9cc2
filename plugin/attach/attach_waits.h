/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The waits of attach.bpf.c as a wait table (report/waits.h): which calls are followed, why a
 * thread slept, and for how long. Arithmetic only.
 */
#ifndef TW_PLUGIN_ATTACH_ATTACH_WAITS_H
#define TW_PLUGIN_ATTACH_ATTACH_WAITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "attach/attach_lines.h"
#include "attach/attach_record.h"
#include "collect/slowest.h"
#include "kernel/causes/stack_words.h"
#include "report/waits.h"

#define TW_ATTACH_MAX_OTHERS	32	/* in a row, of those that have names */
#define TW_ATTACH_MAX_WAIT_ROWS	1000	/* without those for other files, */
#define TW_ATTACH_MAX_FOLDER_ROWS 1200	/* with those that are below a folder, */
#define TW_ATTACH_MOST_WAIT_ROWS \
	(TW_ATTACH_MAX_FOLDER_ROWS + TW_CALL_NAMES * TW_SLEEP_WORDS)

struct tw_attach_slow_wait {
	struct tw_slow ns;
	const struct tw_wait_row *row;
	uint64_t slept_ns;
	uint32_t process, thread;
	uint64_t offset, bytes;		/* or TW_ATTACH_NOT_KNOWN */
	struct tw_who who;		/* whom the reason names */
	struct tw_others others;	/* key 0: not counted */
	char program[16];
};

struct tw_attach_known;

/* Zeroed, it is empty. */
struct tw_attach_waits {
	struct tw_waits all;
	struct tw_attach_known *known;	/* rows by call, file and stack */
	struct tw_slowest slowest;
	struct tw_attach_lines *lines;	/* for those of slow_ns and longer; NULL: not wanted */
	uint64_t slow_ns;
	uint64_t calls;			/* read and write calls that waited */
	uint64_t waits, ns;		/* all of them */
	uint64_t ready_ns;		/* of these, after they were woken */
};

/* Is a wait or an I/O slow: is it to have a line, or else is it among the slowest? */
static inline bool tw_attach_is_slow(const struct tw_attach_waits *waits,
				     const struct tw_slowest *slowest, uint64_t ns)
{
	return waits->lines ? ns >= waits->slow_ns : tw_slowest_wants(slowest, ns);
}

/* Return why a thread slept. @cause: what its stack tells; @no_device: the type of the file's
 * system, if this has no block device, else "". Pure. */
struct tw_sleep_cause tw_attach_reason(const struct tw_attach_wait *wait,
				       const struct tw_sleep_cause *cause, const char *no_device);

/* Set how long a wait was in the block layer; zeroes: not known. Pure. */
void tw_attach_parts(const struct tw_attach_wait *wait, enum tw_sleep_word word,
		     uint64_t part_ns[TW_WAIT_PARTS]);

/* Return 0 or -ENOMEM. @name: of the wait's file, as in attach_tally.h; @no_device: as above. */
int tw_attach_waits_init(struct tw_attach_waits *waits, uint32_t slowest);
int tw_attach_waits_add(struct tw_attach_waits *waits, const struct tw_attach_wait *wait,
			const char *name, const char *no_device);
void tw_attach_waits_free(struct tw_attach_waits *waits);

/* Return the slowest ones, sorted. */
json_t *tw_attach_slowest_waits(struct tw_attach_waits *waits);

#endif
