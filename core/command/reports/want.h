/* SPDX-License-Identifier: MIT */
/*
 * Values out of JSON that must be there and be what they should be.
 *
 * The first one that is not sets the problem, "WHEREkey is missing"; all give
 * a harmless value then ("", 0, NULL), so that a reader asks for everything
 * and looks at the problem once. @object may be anything, and NULL; @where is
 * its own place in the file: "", "job.".
 */
#ifndef TW_REPORT_WANT_H
#define TW_REPORT_WANT_H

#include "command/reports/report.h"

/* Set @problem unless it is set already. */
void tw_report_refuse(struct tw_report_problem *problem,
		      const char *format, ...)
	__attribute__((format(printf, 2, 3)));

const json_t *tw_want(const json_t *object, const char *where, const char *key,
		      struct tw_report_problem *problem);
json_t *tw_want_object(const json_t *object, const char *where,
		       const char *key, struct tw_report_problem *problem);
json_t *tw_want_array(const json_t *object, const char *where,
		      const char *key, struct tw_report_problem *problem);
const char *tw_want_string(const json_t *object, const char *where,
			   const char *key, struct tw_report_problem *problem);

/* A number of 0 or more, or a string of its digits. */
uint64_t tw_want_u64(const json_t *object, const char *where, const char *key,
		     struct tw_report_problem *problem);
int tw_want_boolean(const json_t *object, const char *where, const char *key,
		    struct tw_report_problem *problem);
double tw_want_real(const json_t *object, const char *where, const char *key,
		    struct tw_report_problem *problem);

/* 0 included. */
double tw_want_positive(const json_t *object, const char *where,
			const char *key, struct tw_report_problem *problem);

/* Of a report that has been read, and so checked; 0 and NULL: it is not there. */
uint64_t tw_report_u64(const json_t *object, const char *key);
const char *tw_report_string(const json_t *object, const char *key);

#endif
