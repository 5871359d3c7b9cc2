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

void tw_report_refuse(struct tw_report_problem *problem, const char *format, ...)
{
	va_list args;

	if (problem->text[0])
		return;
	va_start(args, format);
	vsnprintf(problem->text, sizeof(problem->text), format, args);
	va_end(args);
}

/* Return the value, also one of a wrong type. @types: the sum of 1U << json_type of those that it
 * may have: @what. */
static json_t *want(const json_t *object, const char *where, const char *key, unsigned types,
		    const char *what, struct tw_report_problem *problem)
{
	json_t *value = json_object_get(object, key);

	if (!value)
		tw_report_refuse(problem, "%s%s is missing", where, key);
	else if (!(types >> json_typeof(value) & 1))
		tw_report_refuse(problem, "%s%s is not %s", where, key, what);
	return value;
}

json_t *tw_want_object(const json_t *object, const char *where, const char *key,
		       struct tw_report_problem *problem)
{
	return want(object, where, key, 1U << JSON_OBJECT, "an object", problem);
}

json_t *tw_want_array(const json_t *object, const char *where, const char *key,
		      struct tw_report_problem *problem)
{
	return want(object, where, key, 1U << JSON_ARRAY, "an array", problem);
}

const char *tw_want_string(const json_t *object, const char *where, const char *key,
			   struct tw_report_problem *problem)
{
	const char *text = json_string_value(want(object, where, key, 1U << JSON_STRING,
						  "a string", problem));

	return text ? text : "";
}

uint64_t tw_want_u64(const json_t *object, const char *where, const char *key,
		     struct tw_report_problem *problem)
{
	uint64_t value = 0;

	if (tw_json_to_u64(want(object, where, key, ~0U, "", problem), &value))
		tw_report_refuse(problem, "%s%s is not a whole number of 0 or more", where, key);
	return value;
}

int tw_want_boolean(const json_t *object, const char *where, const char *key,
		    struct tw_report_problem *problem)
{
	return json_is_true(want(object, where, key, 1U << JSON_TRUE | 1U << JSON_FALSE,
				 "true or false", problem));
}

double tw_want_real(const json_t *object, const char *where, const char *key,
		    struct tw_report_problem *problem)
{
	return json_number_value(want(object, where, key, 1U << JSON_INTEGER | 1U << JSON_REAL,
				      "a number", problem));
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

/* ---- order of keys ----------------------------------------------------------- */

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

json_t *tw_json_sorted(json_t *object)
{
	const char **keys = calloc(json_object_size(object) + 1, sizeof(*keys)), *key;
	json_t *made = json_object(), *value;
	size_t count = 0;

	if (!keys) {
		tw_json_note_lack();
		return made;
	}
	json_object_foreach(object, key, value)
		keys[count++] = key;
	qsort(keys, count, sizeof(*keys), by_text);
	for (size_t i = 0; i < count; i++)
		json_object_set(made, keys[i], json_object_get(object, keys[i]));
	free(keys);
	return made;
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

json_t *tw_json_done(json_t *json)
{
	if (!lacked)
		return json;
	json_decref(json);
	return NULL;
}

void tw_json_note_lack(void)
{
	lacked = 1;
}

void tw_json_forget_lack(void)
{
	lacked = 0;
}
