/* SPDX-License-Identifier: MIT */
/*
 * Two arrays of a report, read ahead of the JSON library: see cut.h.
 *
 * Each step takes where it begins and returns where the next does, or NULL where
 * it found nothing plain.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "command/report/cut.h"
#include "latency/plain_json.h"

/* Keys of an object of the slowest I/Os, and of its stages, at most. */
#define MOST_KEYS	16

/* A key, and its value's beginning. */
struct member {
	const char *key;
	size_t length;
	const char *value;
};

static int is(const struct member *member, const char *key)
{
	return strncmp(member->key, key, member->length) == 0 &&
	       key[member->length] == '\0';
}

/* @at is the bracket or the comma before the key. */
static const char *begin_member(const char *at, struct member *member)
{
	const char *key = tw_plain_skip_blanks(at + 1);

	at = tw_plain_string(key);
	if (!at)
		return NULL;
	member->key = key + 1;
	member->length = (size_t)(at - key) - 2;
	at = tw_plain_skip_blanks(at);
	if (*at != ':')
		return NULL;
	member->value = tw_plain_skip_blanks(at + 1);
	return member->value;
}

/* A whole number, as such or as a string. */
static const char *u64_at(const char *at, uint64_t *value)
{
	if (*at != '"')
		return tw_plain_number(at, value);
	at = tw_plain_number(at + 1, value);
	return at && *at == '"' ? at + 1 : NULL;
}

/* Behind an object whose members @member reads; it says of each which one it was,
 * and all of those in @wanted must be there. */
typedef const char *read_member(const struct member *member, void *into,
				unsigned *which);

static const char *object_at(const char *at, read_member *member, void *into,
			     unsigned wanted)
{
	unsigned read = 0, which = 0;
	struct member found;

	if (*at != '{')
		return NULL;
	do {
		if (!begin_member(at, &found))
			return NULL;
		at = member(&found, into, &which);
		if (!at || read & 1U << which)
			return NULL;
		read |= 1U << which;
		at = tw_plain_skip_blanks(at);
	} while (*at == ',');
	return *at == '}' && (read & wanted) == wanted ? at + 1 : NULL;
}

/* Behind an array whose elements @element reads, one at least. */
typedef const char *read_element(const char *at, struct tw_report_cut *cut);

static const char *array_at(const char *at, read_element *element,
			    struct tw_report_cut *cut)
{
	do {
		at = element(tw_plain_skip_blanks(at + 1), cut);
		if (!at)
			return NULL;
		at = tw_plain_skip_blanks(at);
	} while (*at == ',');
	return *at == ']' ? at + 1 : NULL;
}

/* ---- over time ------------------------------------------------------------ */

static const char *percentile(const struct member *member, void *into,
			      unsigned *which)
{
	*which = 0;
	return is(member, "99.000000") ? u64_at(member->value, into) : NULL;
}

static const char *part_of_direction(const struct member *member, void *into,
				     unsigned *which)
{
	static const char *const keys[] = {
		"count", "sum_ns", "min_ns", "max_ns",
	};
	struct tw_report_interval_of *of = into;
	uint64_t *const values[] = {
		&of->count, &of->sum_ns, &of->min_ns, &of->max_ns,
	};

	for (*which = 0; *which < 4; ++*which)
		if (is(member, keys[*which]))
			return u64_at(member->value, values[*which]);
	return is(member, "percentiles") ?
		object_at(member->value, percentile, &of->p99_ns, 1) : NULL;
}

static const char *part_of_interval(const struct member *member, void *into,
				    unsigned *which)
{
	struct tw_report_interval *interval = into;

	for (*which = 0; *which < TW_REPORT_DIRECTIONS; ++*which)
		if (is(member, tw_report_directions[*which]))
			return object_at(member->value, part_of_direction,
					 &interval->of[*which], 0xf);
	if (is(member, "from_ns"))
		return u64_at(member->value, &interval->from_ns);
	++*which;
	return is(member, "over_ns") ?
		u64_at(member->value, &interval->over_ns) : NULL;
}

static const char *interval_at(const char *at, struct tw_report_cut *cut)
{
	struct tw_report_over_time *all = &cut->over_time;
	struct tw_report_interval *interval = tw_one_more(&all->intervals,
							  &all->count);

	return interval ? object_at(at, part_of_interval, interval,
				    3U << TW_REPORT_DIRECTIONS) : NULL;
}

/* ---- the slowest ---------------------------------------------------------- */

static const char *number_or_string(const char *at)
{
	uint64_t any;

	return *at == '"' ? tw_plain_string(at) : tw_plain_number(at, &any);
}

/* What is known of an I/O, and all keys so far: whatever they are, none of them
 * stands there twice. */
struct slow {
	struct member keys[MOST_KEYS];
	unsigned count;
	uint64_t total_ns;
	int has_total, has_offset, has_size, has_ddir;
};

static int is_new(const struct member *member, struct slow *slow,
		  unsigned *which)
{
	for (unsigned i = 0; i < slow->count; i++)
		if (slow->keys[i].length == member->length &&
		    memcmp(slow->keys[i].key, member->key, member->length) == 0)
			return 0;
	if (slow->count == MOST_KEYS)
		return 0;
	*which = slow->count;
	slow->keys[slow->count++] = *member;
	return 1;
}

static const char *part_of_stages(const struct member *member, void *into,
				  unsigned *which)
{
	struct slow *stages = into;

	if (!is_new(member, stages, which))
		return NULL;
	if (!is(member, "total"))
		return number_or_string(member->value);
	stages->has_total = 1;
	return u64_at(member->value, &stages->total_ns);
}

static const char *part_of_slow(const struct member *member, void *into,
				unsigned *which)
{
	struct slow *slow = into, stages = { .count = 0 };
	uint64_t any;
	const char *end;

	if (is(member, "stages")) {
		*which = MOST_KEYS;
		end = object_at(member->value, part_of_stages, &stages, 0);
		slow->has_total = stages.has_total;
		slow->total_ns = stages.total_ns;
		return end;
	}
	if (!is_new(member, slow, which))
		return NULL;
	if (is(member, "ddir")) {
		slow->has_ddir = 1;
		return tw_plain_string(member->value);
	}
	if (is(member, "offset"))
		slow->has_offset = 1;
	else if (is(member, "size"))
		slow->has_size = 1;
	else
		return number_or_string(member->value);
	return u64_at(member->value, &any);
}

static const char *slow_at(const char *at, struct tw_report_cut *cut)
{
	struct tw_report_slow_list *list = &cut->slow;
	struct slow slow = { .count = 0 };
	const char *end = object_at(at, part_of_slow, &slow, 0);
	struct tw_report_slow_io *io;

	if (!end || !slow.has_total || !slow.has_offset || !slow.has_size ||
	    !slow.has_ddir)
		return NULL;
	io = tw_one_more(&list->ios, &list->count);
	if (!io)
		return NULL;
	/* In the text as it is; moved when that is copied. */
	*io = (struct tw_report_slow_io) {
		.text = at,
		.length = (size_t)(end - at),
		.total_ns = slow.total_ns,
	};
	return end;
}

/* The array's own copy of what lies between @begin and @end. */
static const char *keep_slow(struct tw_report_slow_list *list,
			     const char *begin, const char *end)
{
	list->text = strndup(begin, (size_t)(end - begin));
	if (!list->text)
		return NULL;
	for (size_t i = 0; i < list->count; i++)
		list->ios[i].text = list->text + (list->ios[i].text - begin);
	return end;
}

/* ---- the whole -------------------------------------------------------------- */

/* Behind any value, if it is one. */
static const char *skip_value(const char *at)
{
	size_t depth = 0;
	int escaped;

	do {
		at += strcspn(at, depth ? "\"[]{}" : "\"[]{}, \t\r\n");
		switch (*at) {
		case '"':
			at = tw_plain_skip_string(at + 1, &escaped);
			break;
		case '[':
		case '{':
			at++;
			depth++;
			break;
		case ']':
		case '}':
			if (depth == 0)
				return at;
			at++;
			depth--;
			break;
		case '\0':
			return NULL;
		default:	/* behind a number or a word */
			return at;
		}
	} while (at && depth);
	return at;
}

static void forget_intervals(struct tw_report_over_time *over_time)
{
	free(over_time->intervals);
	*over_time = (struct tw_report_over_time) { .intervals = NULL };
}

static void forget_slow(struct tw_report_slow_list *list)
{
	free(list->ios);
	free(list->text);
	*list = (struct tw_report_slow_list) { .ios = NULL };
}

/* Behind the value of @member, if it is one of the arrays and was read. A second
 * one is not: a key that is there twice is for the library to refuse. */
static const char *cut_value(struct tw_report_cut *cut,
			     const struct member *member)
{
	const char *begin = member->value, *end = NULL;

	if (*begin != '[')
		return NULL;
	if (is(member, "over_time") && !cut->over_time.intervals) {
		end = array_at(begin, interval_at, cut);
		if (!end)
			forget_intervals(&cut->over_time);
	} else if (is(member, "slowest") && !cut->slow.ios) {
		end = array_at(begin, slow_at, cut);
		if (end)
			end = keep_slow(&cut->slow, begin, end);
		if (!end)
			forget_slow(&cut->slow);
	}
	return end;
}

static void copy(struct tw_report_cut *cut, const char *from, const char *end)
{
	memcpy(cut->text + cut->length, from, (size_t)(end - from));
	cut->length += (size_t)(end - from);
}

int tw_report_cut_arrays(const char *text, size_t length,
			 struct tw_report_cut *cut)
{
	static const char empty[] = { '[', ']' };
	const char *at = tw_plain_skip_blanks(text), *copied = text;
	struct member member;

	*cut = (struct tw_report_cut) { .text = NULL };
	if (*at != '{')
		return 0;
	cut->text = malloc(length + 1);
	if (!cut->text)
		return -ENOMEM;
	/* To the end, or as far as it is plain; the rest is copied. */
	do {
		const char *end;

		if (!begin_member(at, &member))
			break;
		end = cut_value(cut, &member);
		if (end) {
			copy(cut, copied, member.value);
			copy(cut, empty, empty + sizeof(empty));
			copied = end;
		} else {
			end = skip_value(member.value);
		}
		if (!end)
			break;
		at = tw_plain_skip_blanks(end);
	} while (*at == ',');
	if (copied == text) {
		free(cut->text);
		cut->text = NULL;
		return 0;
	}
	copy(cut, copied, text + length);
	cut->text[cut->length] = '\0';
	return 0;
}
