/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The way of a report to the client of a fio server: a text that fio prints there. See
 * report/sent.h for its form.
 */
#ifndef TW_PLUGIN_JOB_REPORT_TO_CLIENT_H
#define TW_PLUGIN_JOB_REPORT_TO_CLIENT_H

#include <jansson.h>
#include <stdbool.h>

#include "fio.h"

/* True if the report of a job with tw_send=@token goes to a client. @token may be NULL. */
static inline bool tw_is_sent(const char *token)
{
	return is_backend && token && *token;
}

/* Send the report if a client is to have it. If it can't be sent, or the job does not ask for
 * it, send one line of at most 120 characters that says where it is. Call this in the job's
 * thread, by which fio finds the client. Without a client this does nothing.
 * @report: NULL if there was no memory
 * @path: where it is; NULL: in no file */
void tw_send_report(const char *token, const json_t *report, const char *path);

#endif
