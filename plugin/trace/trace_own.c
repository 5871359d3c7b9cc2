/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An I/O's own trace events: see trace_own.h.
 *
 * Each job numbers its I/Os, so two rings may have the same user_data. The
 * submission by the job's own thread tells which ring is meant. If the thread's
 * number is not known, as in a container, the first submission of that
 * user_data since the I/O began is taken, and its thread counts as the job's.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/trace_own.h"

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* True if @text is there, and its last number is not the beginning of a longer
 * one. */
static bool has(const char *args, const char *text)
{
	const char *found = args;

	while ((found = strstr(found, text))) {
		found += strlen(text);
		if (!isxdigit((unsigned char)*found))
			return true;
	}
	return false;
}

static bool has_key(const struct tw_trace_own *own,
		    const struct tw_trace_event *event)
{
	char text[40];

	snprintf(text, sizeof(text), "user_data 0x%" PRIx64, own->key);
	return begins(event->name, "io_uring_") && has(event->args, text);
}

static bool has_thread(const struct tw_trace_event *event, uint32_t thread)
{
	char text[24];

	snprintf(text, sizeof(text), "pid=%" PRIu32, thread);
	return thread != UINT32_MAX && has(event->args, text);
}

void tw_trace_own_find(struct tw_trace_own *own,
		       const struct tw_trace_window *window, uint64_t begin_ns)
{
	const struct tw_trace_event *found = NULL;
	unsigned i;

	for (i = 0; i < tw_trace_kept(window); i++) {
		const struct tw_trace_event *event = tw_trace_at(window, i);

		/* The kernel rounds the times of events down to a microsecond. */
		if (event->monotonic_ns + 1000 <= begin_ns ||
		    !begins(event->name, "io_uring_submit_") ||
		    !has_key(own, event))
			continue;
		if (!found || (event->pid == own->thread &&
			       found->pid != own->thread))
			found = event;
	}
	own->submitter = found ? found->pid : UINT32_MAX;
	if (found)
		snprintf(own->ring, sizeof(own->ring), "%.*s",
			 (int)strcspn(found->args, ","), found->args);
}

static bool take_ring(struct tw_trace_own *own,
		      const struct tw_trace_event *event)
{
	if (!has_key(own, event) || !begins(event->args, own->ring))
		return false;
	own->in_flight = !begins(event->name, "io_uring_complete");
	return true;
}

/* Find the request, "254,0 50872808" of "254,0 RS 4096 () 50872808 + 8 be,0,4
 * [fio]". */
static bool request_of(char *request, size_t size, const char *args)
{
	const char *sector = strstr(args, ") ");

	if (!sector)
		return false;
	sector += strlen(") ");
	snprintf(request, size, "%.*s %.*s", (int)strcspn(args, " "), args,
		 (int)strspn(sector, "0123456789"), sector);
	return true;
}

static bool take_request(struct tw_trace_own *own,
			 const struct tw_trace_event *event)
{
	char request[sizeof(own->request[0])];
	unsigned i;

	if (!own->alone || !request_of(request, sizeof(request), event->args))
		return false;
	for (i = 0; i < own->requests; i++)
		if (strcmp(own->request[i], request) == 0)
			return true;
	if (!own->in_flight || event->pid != own->submitter ||
	    begins(event->name, "block_rq_complete") ||
	    i == sizeof(own->request) / sizeof(*own->request))
		return false;
	strcpy(own->request[own->requests++], request);
	return true;
}

bool tw_trace_own_take(struct tw_trace_own *own,
		       const struct tw_trace_event *event)
{
	if (begins(event->name, "sched_"))
		return has_thread(event, own->thread) ||
		       has_thread(event, own->submitter);
	if (begins(event->name, "block_rq_"))
		return take_request(own, event);
	return take_ring(own, event);
}

static bool is_at_an_end(unsigned i, unsigned count)
{
	return i < TW_TRACE_CHOSEN / 4 || i + TW_TRACE_CHOSEN / 4 >= count;
}

void tw_trace_choose(struct tw_trace_own *own,
		     const struct tw_trace_window *window,
		     enum tw_trace_mark *marks)
{
	const unsigned count = tw_trace_kept(window);
	unsigned own_count = 0, own_at = 0, i;

	for (i = 0; i < count; i++) {
		bool is_own = tw_trace_own_take(own, tw_trace_at(window, i));

		marks[i] = is_own ? TW_TRACE_OWN : TW_TRACE_OTHER;
		own_count += is_own;
	}
	if (window->count <= TW_TRACE_CHOSEN)
		return;
	for (i = 0; i < count; i++) {
		bool is_shown = is_at_an_end(i, count);

		if (marks[i] == TW_TRACE_OWN)
			is_shown |= is_at_an_end(own_at++, own_count);
		if (!is_shown)
			marks[i] = TW_TRACE_LEFT_OUT;
	}
}
