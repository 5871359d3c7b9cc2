/* SPDX-License-Identifier: GPL-2.0 */
/* The way of a report to the client of a fio server: see fio_run.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain_text.h"
#include "fio_run.h"
#include "report/sent.h"
#include "server.h"
#include "smalloc.h"

#define LINE		121	/* with a 0 behind it */
#define PATH		56	/* characters of a path in it */
/* What fio needs to send a text of its own, at the same time. */
#define SPARE_BYTES	(1U << 20)

/* If the client is gone, this does nothing. fio's log would go to the server's own output. */
static void send_text(const char *line)
{
	fio_server_text_output(FIO_LOG_INFO, line, strlen(line));
}

/* Return 0 or -errno. */
static int send_whole(const char *token, const json_t *report)
{
	/* 17 digits keep the exact value of every double, as in the file. */
	char *json = report ? json_dumps(report, JSON_REAL_PRECISION(17)) : NULL;
	char *line = NULL;
	int error = json ? tw_sent_encode(token, json, strlen(json), &line) : -ENOMEM;
	void *room = NULL;

	free(json);
	/* fio copies the text to memory that all jobs share, and does not check that there is
	 * some. It may be full if the client does not read. */
	if (!error) {
		room = smalloc(strlen(line) + SPARE_BYTES);
		error = room ? 0 : -ENOBUFS;
	}
	sfree(room);
	if (!error)
		send_text(line);
	free(line);
	return error;
}

/* Tell where the report is. Of a long path the end is shown, which has the job's name. */
static void tell(const char *what, const char *path, const char *more)
{
	const size_t length = path ? strlen(path) : 0;
	char line[LINE];

	snprintf(line, LINE - 1, "tickwise: %s%s%s%s%s", what, path ? ": " : "",
		 length > PATH ? "..." : "",
		 length > PATH ? &path[length - PATH + 3] : path ? path : "", more);
	strcat(tw_plain_text(line), "\n");
	send_text(line);
}

void tw_send_report(const char *token, const json_t *report, const char *path)
{
	const int error = tw_is_sent(token) ? send_whole(token, report) : 0;

	if (error)
		tell(error == -E2BIG ? "report too large to send (try tw_digits=1)" :
		     "no memory to send the report", path, "");
	else if (is_backend && !tw_is_sent(token) && path)
		tell("report on the server", path, "; tw_send=1 sends it");
}
