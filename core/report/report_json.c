/* SPDX-License-Identifier: MIT */
/*
 * The JSON of reports; see report_json.h.
 */
#include "report/report_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain_text.h"
#include "latency/histogram_json.h"

void tw_report_refuse(struct tw_report_problem *problem,
		      const char *format, ...)
{
	va_list args;

	if (problem->text[0])
		return;
	va_start(args, format);
	vsnprintf(problem->text, sizeof(problem->text), format, args);
	va_end(args);
}

static const json_t *want(const json_t *object, const char *where, const char *key,
			  struct tw_report_problem *problem)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		tw_report_refuse(problem, "%s%s is missing", where, key);
	return value;
}

json_t *tw_want_object(const json_t *object, const char *where,
		       const char *key, struct tw_report_problem *problem)
{
	if (!json_is_object(want(object, where, key, problem)))
		tw_report_refuse(problem, "%s%s is not an object", where, key);
	return json_object_get(object, key);
}

json_t *tw_want_array(const json_t *object, const char *where,
		      const char *key, struct tw_report_problem *problem)
{
	if (!json_is_array(want(object, where, key, problem)))
		tw_report_refuse(problem, "%s%s is not an array", where, key);
	return json_object_get(object, key);
}

const char *tw_want_string(const json_t *object, const char *where,
			   const char *key,
			   struct tw_report_problem *problem)
{
	const json_t *value = want(object, where, key, problem);
	const char *text = json_string_value(value);

	if (!text)
		tw_report_refuse(problem, "%s%s is not a string", where, key);
	return text ? text : "";
}

uint64_t tw_want_u64(const json_t *object, const char *where,
		     const char *key, struct tw_report_problem *problem)
{
	uint64_t value = 0;

	if (tw_json_to_u64(want(object, where, key, problem), &value))
		tw_report_refuse(problem, "%s%s is not a whole number of 0 or "
				 "more", where, key);
	return value;
}

int tw_want_boolean(const json_t *object, const char *where,
		    const char *key, struct tw_report_problem *problem)
{
	const json_t *value = want(object, where, key, problem);

	if (!json_is_boolean(value))
		tw_report_refuse(problem, "%s%s is not true or false", where,
				 key);
	return json_is_true(value);
}

double tw_want_real(const json_t *object, const char *where,
		    const char *key, struct tw_report_problem *problem)
{
	const json_t *value = want(object, where, key, problem);

	if (!json_is_number(value))
		tw_report_refuse(problem, "%s%s is not a number", where, key);
	return json_number_value(value);
}

uint64_t tw_report_u64(const json_t *object, const char *key)
{
	uint64_t value = 0;

	tw_json_to_u64(json_object_get(object, key), &value);
	return value;
}

const char *tw_report_string(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char **tw_report_sorted_keys(const json_t *object)
{
	const char **keys = calloc(json_object_size(object) + 1, sizeof(*keys));
	const char *key;
	json_t *value;
	size_t count = 0;

	if (!keys) {
		tw_json_note_lack();
		return NULL;
	}
	json_object_foreach((json_t *)object, key, value)
		keys[count++] = key;
	qsort(keys, count, sizeof(*keys), by_text);
	return keys;
}

/* ---- text of unknown origin -------------------------------------------------- */

#define REPLACEMENT	"\xef\xbf\xbd"

json_t *tw_json_text(const char *text)
{
	json_malloc_t allocate;
	json_free_t release;
	size_t used = 0;
	json_t *string;
	char *good;

	/* The library's allocator notes a lack, or ends the program. */
	json_get_alloc_funcs(&allocate, &release);
	good = allocate(strlen(text) * strlen(REPLACEMENT) + 1);
	if (!good)
		return NULL;
	while (*text) {
		size_t length = tw_character_length(text);

		memcpy(good + used, length ? text : REPLACEMENT,
		       length ? length : strlen(REPLACEMENT));
		used += length ? length : strlen(REPLACEMENT);
		text += length ? length : 1;
	}
	string = json_stringn(good, used);
	release(good);
	return string;
}

/* ---- lack of memory ------------------------------------------------------------ */

static _Thread_local int lacked;

static void *allocate(size_t size)
{
	void *memory = malloc(size);

	/* The library also asks for nothing. */
	if (!memory && size)
		lacked = 1;
	return memory;
}

/* Before main(), or when an engine is loaded. What the library got before is freed by
 * the same function. */
__attribute__((constructor)) static void watch(void)
{
	json_set_alloc_funcs(allocate, free);
}

int tw_json_lacked_memory(void)
{
	return lacked;
}

void tw_json_note_lack(void)
{
	lacked = 1;
}

void tw_json_forget_lack(void)
{
	lacked = 0;
}
