/* SPDX-License-Identifier: MIT */
/*
 * The JSON of reports: required values with their types, text of unknown origin, and
 * whether the JSON library lacked memory.
 *
 * The first missing or wrong value sets the problem, "WHEREkey is missing". A
 * function then returns a harmless value ("", 0, NULL). So a reader can get all
 * values and check the problem once. @object can be anything, also NULL. @where
 * is its place in the file: "", "job.".
 */
#ifndef TW_REPORT_JSON_H
#define TW_REPORT_JSON_H

#include <jansson.h>
#include <stdint.h>

/* The first fault, as a message. */
struct tw_report_problem {
	char text[2048];
};

/* Set @problem unless it is set already. */
void tw_report_refuse(struct tw_report_problem *problem, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

json_t *tw_want_object(const json_t *object, const char *where, const char *key,
		       struct tw_report_problem *problem);
json_t *tw_want_array(const json_t *object, const char *where, const char *key,
		      struct tw_report_problem *problem);
const char *tw_want_string(const json_t *object, const char *where, const char *key,
			   struct tw_report_problem *problem);

/* Get a number of at least 0, or a string of its digits. */
uint64_t tw_want_u64(const json_t *object, const char *where, const char *key,
		     struct tw_report_problem *problem);
int tw_want_boolean(const json_t *object, const char *where, const char *key,
		    struct tw_report_problem *problem);
double tw_want_real(const json_t *object, const char *where, const char *key,
		    struct tw_report_problem *problem);

/* Get a value of a report that was read, and so checked; 0 and NULL: it is not
 * there. */
uint64_t tw_report_u64(const json_t *object, const char *key);
const char *tw_report_string(const json_t *object, const char *key);

/**
 * tw_json_text - make a string of @text, whatever bytes it has
 *
 * JSON is UTF-8, and the library refuses other bytes. But a brand string or a
 * file of the kernel can have any bytes. Each byte that belongs to no character
 * becomes U+FFFD, the replacement character.
 *
 * Return: a new string; NULL: out of memory.
 */
json_t *tw_json_text(const char *text);

/* Return a new object with the same values, with the keys in the order of their texts. */
json_t *tw_json_sorted(json_t *object);

/* Return 1 if an allocation of the library, or one that was noted, failed in this thread
 * since the beginning, or since tw_json_forget_lack(). The library itself does not tell: it
 * leaves out a key that gets no memory, and calls a text wrong that it can't hold. Code that
 * builds a report asks once at the end instead of at each key. */
int tw_json_lacked_memory(void);
/* Return what was built; NULL, and release it, if it lacked memory. */
json_t *tw_json_done(json_t *json);
void tw_json_note_lack(void);
void tw_json_forget_lack(void);

#endif
