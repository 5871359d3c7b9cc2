// SPDX-License-Identifier: GPL-2.0
/*
 * Waits of any program: see attach_waits.h.
 */
#include "attach/attach_waits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "command/analysis/analysis.h"
#include "kernel/cgroup.h"
#include "latency/histogram.h"
#include "latency/histogram_json.h"
#include "report/report.h"
#include "report/report_json.h"

/* ---- one wait ------------------------------------------------------------------ */

/* A page of its own: the thread has sent its read, and that ended in the wait. */
struct tw_sleep_cause tw_attach_reason(const struct tw_attach_wait *wait,
				       const struct tw_sleep_cause *cause, const char *no_device)
{
	const unsigned how = tw_call_flags(wait->call);
	const bool reads = wait->flags & TW_ATTACH_HAS_READ;
	struct tw_sleep_cause is = *cause;

	/* Without a bio of the thread's own, a limit has held pages of the file. */
	if (wait->flags & TW_ATTACH_LIMITED &&
	    (wait->flags & TW_ATTACH_HAS_ENDED || cause->word == TW_SLEEP_PAGE_LOCK ||
	     cause->word == TW_SLEEP_WRITEBACK)) {
		is.word = TW_SLEEP_IO_MAX;
	} else if (wait->flags & TW_ATTACH_SUSPENDED) {
		is.word = TW_SLEEP_SUSPENDED;
	} else if (*no_device && !reads &&
		   (cause->word == TW_SLEEP_PAGE_LOCK || cause->word == TW_SLEEP_WRITEBACK ||
		    cause->word == TW_SLEEP_FILE_SYSTEM)) {
		is.word = TW_SLEEP_FILE_SYSTEM;
		snprintf(is.function, sizeof(is.function), "%s", no_device);
	} else if (cause->word == TW_SLEEP_PAGE_LOCK && (reads || how & TW_CALL_READS)) {
		is.word = reads ? TW_SLEEP_CACHE_MISS : TW_SLEEP_OTHERS_PAGE;
	} else if (how & TW_CALL_ANY_SLEEP) {
		is.word = TW_SLEEP_COMPLETIONS;
	} else if (cause->word == TW_SLEEP_NOTHING) {
		is.word = tw_call_word(wait->call);
	}
	return is;
}

void tw_attach_parts(const struct tw_attach_wait *wait, enum tw_sleep_word word,
		     uint64_t part_ns[TW_WAIT_PARTS])
{
	const uint64_t sent_ns = wait->dispatched_ns > wait->slept_ns ? wait->dispatched_ns :
								       wait->slept_ns;
	/* The bio may have ended while the thread was about to sleep. */
	const uint64_t finished_ns = wait->finished_ns > wait->slept_ns ? wait->finished_ns :
									  wait->slept_ns;
	const bool is_for_bio =
		word == TW_SLEEP_CACHE_MISS || word == TW_SLEEP_DIRECT ||
		word == TW_SLEEP_WRITEBACK || word == TW_SLEEP_METADATA ||
		word == TW_SLEEP_COMPLETIONS || word == TW_SLEEP_IO_MAX || word == TW_SLEEP_SUSPENDED;

	memset(part_ns, 0, TW_WAIT_PARTS * sizeof(*part_ns));
	if (!is_for_bio || !wait->dispatched_ns || wait->on_ns < finished_ns ||
	    finished_ns < sent_ns)
		return;
	part_ns[TW_WAIT_BLOCKQ] = sent_ns - wait->slept_ns;
	part_ns[TW_WAIT_DEVICE] = finished_ns - sent_ns;
	part_ns[TW_WAIT_COMPLETE] = wait->on_ns - finished_ns;
}

/* ---- the table ------------------------------------------------------------------- */

#define PLACES	8192	/* a power of two */
#define PROBES	32	/* a wait without a place near its own has none */
#define NAMED	32768	/* beyond the flags of a wait: the name of its file is known */

/* A row by what identifies it, so that a wait needs no names. */
struct tw_attach_known {
	struct tw_wait_row *row;	/* NULL: a free place */
	enum tw_sleep_word word;
	struct tw_attach_wait of;	/* its call, flags, inode and stack */
};

/* Of a wait that does not count, so that its stack is read once. */
static struct tw_wait_row no_row;

int tw_attach_waits_init(struct tw_attach_waits *waits, uint32_t slowest)
{
	waits->known = calloc(PLACES, sizeof(*waits->known));
	return waits->known ? tw_slowest_init(&waits->slowest, slowest,
					      sizeof(struct tw_attach_slow_wait)) : -ENOMEM;
}

void tw_attach_waits_free(struct tw_attach_waits *waits)
{
	tw_waits_free(&waits->all);
	tw_slowest_free(&waits->slowest);
	free(waits->known);
	waits->known = NULL;
}

static uint64_t hash_of(const struct tw_attach_wait *wait)
{
	uint64_t hash = wait->inode.number ^ (uint64_t)wait->inode.device << 32 ^
			(uint64_t)wait->call << 52 ^ wait->flags;

	for (const char *at = wait->path; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x9e3779b97f4a7c15ULL;
	for (unsigned i = 0; i < TW_FRAMES && i < wait->stack.count; i++)
		hash = (hash ^ wait->stack.frames[i]) * 0x9e3779b97f4a7c15ULL;
	return hash >> 32;
}

static bool is_same(const struct tw_attach_wait *a, const struct tw_attach_wait *b)
{
	return a->call == b->call && a->flags == b->flags && !strcmp(a->path, b->path) &&
	       memcmp(&a->limit, &b->limit, sizeof(a->limit)) == 0 &&
	       memcmp(&a->inode, &b->inode, sizeof(a->inode)) == 0 &&
	       memcmp(&a->stack, &b->stack, sizeof(a->stack)) == 0;
}

/* Return the place of the wait, or the first free one; NULL: there is none. */
static struct tw_attach_known *place_of(struct tw_attach_waits *waits,
					const struct tw_attach_wait *wait)
{
	const uint64_t hash = hash_of(wait);

	for (unsigned i = 0; i < PROBES; i++) {
		struct tw_attach_known *at = &waits->known[(hash + i) % PLACES];

		if (!at->row || is_same(&at->of, wait))
			return at;
	}
	return NULL;
}

/* Return the length of the first two folders of a path with their slashes; 0: it has none. */
static int folders_of(const char *path)
{
	const char *first = *path == '/' ? strchr(path + 1, '/') : NULL;
	const char *second = first ? strchr(first + 1, '/') : NULL;

	return first ? (int)((second ? second : first) - path) + 1 : 0;
}

/* True if these texts have a row, or may get one as there are less than @most rows. */
static bool has_row(struct tw_attach_waits *waits, const char *const text[TW_WAIT_TEXTS],
		    size_t most)
{
	return waits->all.count < most || tw_waits_find(&waits->all, text);
}

/* Find the row of a wait by its names: @no_row if it is not for storage. Return 0 or -ENOMEM. */
static int find_row(struct tw_attach_waits *waits, struct tw_attach_known *known,
		    const char *name, const char *no_device)
{
	const struct tw_sleep_cause cause = tw_sleep_cause_of_stack(&known->of.stack);
	const struct tw_sleep_cause is = tw_attach_reason(&known->of, &cause, no_device);
	/* As a file of the report has it: names that differ only there would be one row. */
	json_t *plain = tw_json_text(*known->of.path ? known->of.path : name);
	const char *name_of = json_string_value(plain);
	char limit[TW_LIMIT_TEXT] = "", cgroup[TW_CGROUP_PATH] = "";
	const char *text[TW_WAIT_TEXTS] = {
		tw_call_name(known->of.call), name_of,
		tw_sleep_texts[is.word].word, is.function, limit, cgroup,
	};
	/* A byte that is no text is three in @plain. */
	char others[64 + 2 * 3 * 256];

	if (!plain)
		return -ENOMEM;
	if (known->of.flags & TW_ATTACH_BY_SIGNAL && is.word != TW_SLEEP_FILE_SYSTEM) {
		json_decref(plain);
		known->row = &no_row;
		return 0;
	}
	if (is.word == TW_SLEEP_IO_MAX)
		tw_limit_text(limit, &known->of.limit);
	if (*limit)
		tw_cgroup_path(cgroup, known->of.limit.cgroup);
	if (!has_row(waits, text, TW_ATTACH_MAX_WAIT_ROWS)) {
		snprintf(others, sizeof(others), TW_WAIT_FILES_BELOW "%.*s",
			 folders_of(name_of), name_of);
		text[TW_WAIT_FILE] = others;
		text[TW_WAIT_FUNCTION] = text[TW_WAIT_LIMIT] = text[TW_WAIT_CGROUP] = "";
		if (!folders_of(name_of) || !has_row(waits, text, TW_ATTACH_MAX_FOLDER_ROWS))
			text[TW_WAIT_FILE] = TW_WAIT_OTHER_FILES;
	}
	known->word = is.word;
	known->row = tw_waits_row(&waits->all, text);
	json_decref(plain);
	return known->row ? 0 : -ENOMEM;
}

/* True if the task that wakes the thread is the reason. */
static bool has_owner(enum tw_sleep_word word)
{
	return word == TW_SLEEP_INODE_LOCK || word == TW_SLEEP_MMAP_LOCK;
}

static void put_line(struct tw_attach_lines *lines, const struct tw_attach_slow_wait *slow)
{
	char *const *text = slow->row->text, who[48] = "";
	const char *reason = tw_report_say_reason(text[TW_WAIT_REASON], text[TW_WAIT_FUNCTION],
						  text[TW_WAIT_LIMIT], text[TW_WAIT_CGROUP]);

	if (slow->who.kind == TW_WHO_PROCESS)
		snprintf(who, sizeof(who), "%.16s (%u)", slow->who.name, slow->who.id);
	if (slow->others.key) {
		json_t *json = json_pack("{so*}", "in_flight_of_others",
					 tw_others_to_json(&slow->others));
		const char *others = tw_report_say_others(json, 1);

		reason = others ? tw_format("%s, %s", reason, others) : reason;
		json_decref(json);
	}
	tw_attach_lines_put(lines, &(struct tw_attach_line) {
		.began_ns = slow->slept_ns, .ended_ns = slow->slept_ns + slow->ns.value,
		.program = slow->program, .process = slow->process, .thread = slow->thread,
		.call = text[TW_WAIT_CALL], .file = text[TW_WAIT_FILE],
		.reason = reason, .who = who, .offset = slow->offset, .bytes = slow->bytes,
	});
	/* attach may run for months. */
	tw_release_texts();
}

static void add_slow(struct tw_attach_waits *waits, const struct tw_attach_wait *wait,
		     const struct tw_attach_known *known, bool is_counted, uint64_t ns)
{
	const unsigned how = tw_call_flags(wait->call);
	struct tw_attach_slow_wait slow = {
		.ns.value = ns, .row = known->row, .slept_ns = wait->slept_ns,
		.offset = TW_ATTACH_NOT_KNOWN, .bytes = TW_ATTACH_NOT_KNOWN,
	};

	if (wait->thread) {
		slow.process = wait->process;
		slow.thread = wait->thread;
		memcpy(slow.program, wait->program, sizeof(slow.program) - 1);
		if (how & TW_CALL_SIZED) {
			if (wait->position != TW_ATTACH_NOT_KNOWN)
				slow.offset = how & TW_CALL_PLACED ? wait->fourth : wait->position;
			slow.bytes = wait->third;
		}
		if (how & TW_CALL_SYNCS ? known->word == TW_SLEEP_JOURNAL :
						  has_owner(known->word))
			slow.who = wait->who;
	}
	if (is_counted)
		slow.others = wait->others;
	if (waits->lines)
		put_line(waits->lines, &slow);
	tw_slowest_add(&waits->slowest, &slow.ns);
}

/* Add who had most in flight at the device, if one had half. Processes of one name are one. Waits are
 * chosen by time, so one stands for the row's time in the device since the last one. */
static void add_others(struct tw_wait_row *row, const struct tw_others *others)
{
	const enum tw_others_kind kind = tw_others_kind(others);
	json_t *who = tw_others_has_one(others) ? tw_who_to_json(&others->who) : NULL;
	const uint64_t ns = row->part_ns[TW_WAIT_DEVICE] - row->counted_ns;
	json_t *more;
	int error;

	row->counted_ns = row->part_ns[TW_WAIT_DEVICE];
	json_object_del(who, "id");
	more = json_pack("{ss*, so*, si, so}", "kind",
			 kind == TW_OTHERS_NONE ? NULL : tw_others_kinds[kind], "who", who,
			 "waits", 1, "device_ns", tw_json_of_u64(ns));
	error = tw_wait_add_others(row, more, TW_ATTACH_MAX_OTHERS);
	if (error == -ENOSPC) {
		json_object_del(more, "who");
		error = tw_wait_add_others(row, more, 0);
	}
	if (error)
		tw_json_note_lack();
	json_decref(more);
}

int tw_attach_waits_add(struct tw_attach_waits *waits, const struct tw_attach_wait *wait,
			const char *name, const char *no_device)
{
	const uint64_t ns = wait->on_ns > wait->slept_ns ? wait->on_ns - wait->slept_ns : 0;
	const bool is_first = wait->flags & TW_ATTACH_FIRST;
	struct tw_attach_known once = { .row = NULL }, *known;
	struct tw_attach_wait key = *wait;
	uint64_t part_ns[TW_WAIT_PARTS];
	bool is_counted;

	/* The record of a file may have been lost, and come later. */
	key.flags = (__u16)((key.flags & ~TW_ATTACH_FIRST) | (strcmp(name, "-") ? NAMED : 0));
	if (!(key.flags & TW_ATTACH_LIMITED))
		key.limit = (struct tw_io_limit) { .which = TW_LIMIT_UNKNOWN };
	for (uint64_t i = key.stack.count; i < TW_FRAMES; i++)
		key.stack.frames[i] = 0;
	known = place_of(waits, &key);
	if (!known)
		known = &once;
	if (!known->row) {
		known->of = key;
		if (find_row(waits, known, name, no_device))
			return -ENOMEM;
	}
	if (known->row == &no_row)
		return 0;
	tw_histogram_add(&known->row->time, ns);
	tw_attach_parts(wait, known->word, part_ns);
	for (int i = 0; i < TW_WAIT_PARTS; i++)
		known->row->part_ns[i] += part_ns[i];
	is_counted = wait->others.key && part_ns[TW_WAIT_DEVICE] &&
		     !tw_others_are_unknown(&wait->others);
	if (is_counted)
		add_others(known->row, &wait->others);
	waits->calls += is_first && tw_call_flags(wait->call) & TW_CALL_COUNTED;
	waits->waits++;
	waits->ns += ns;
	if (wait->woken_ns >= wait->slept_ns && wait->on_ns > wait->woken_ns)
		waits->ready_ns += wait->on_ns - wait->woken_ns;
	if (tw_attach_is_slow(waits, &waits->slowest, ns))
		add_slow(waits, wait, known, is_counted, ns);
	return 0;
}

static json_t *text_to_json(const char *text)
{
	return *text ? tw_json_text(text) : NULL;
}

static json_t *known_to_json(uint64_t value)
{
	return value == TW_ATTACH_NOT_KNOWN ? NULL : tw_json_of_u64(value);
}

json_t *tw_attach_slowest_waits(struct tw_attach_waits *waits)
{
	json_t *slowest = json_array();

	tw_slowest_sort(&waits->slowest);
	for (uint32_t i = 0; i < waits->slowest.count; i++) {
		const struct tw_attach_slow_wait *slow =
			(const void *)tw_slowest_get(&waits->slowest, i);

		json_array_append_new(slowest, json_pack(
			"{so, so, so, so, so, so, so*, so*, so, so, so, so*, so*, so*, so*}",
			"monotonic_ns", tw_json_digits(slow->slept_ns),
			"ns", tw_json_of_u64(slow->ns.value),
			"call", tw_json_text(slow->row->text[TW_WAIT_CALL]),
			"file", tw_json_text(slow->row->text[TW_WAIT_FILE]),
			"reason", tw_json_text(slow->row->text[TW_WAIT_REASON]),
			"function", tw_json_text(slow->row->text[TW_WAIT_FUNCTION]),
			"limit", text_to_json(slow->row->text[TW_WAIT_LIMIT]),
			"cgroup", text_to_json(slow->row->text[TW_WAIT_CGROUP]),
			"pid", tw_json_of_u64(slow->process),
			"program", tw_json_text(slow->program),
			"tid", tw_json_of_u64(slow->thread),
			"offset", known_to_json(slow->offset),
			"bytes", known_to_json(slow->bytes),
			"who", tw_who_to_json(&slow->who),
			"in_flight_of_others", tw_others_to_json(&slow->others)));
	}
	return slowest;
}
