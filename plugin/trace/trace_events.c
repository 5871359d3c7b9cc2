/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace events from text: see trace.h. A line is
 *
 *	            fio-1234    [001] d..2. 12169.927509: sched_switch: prev_comm=...
 *
 * The name of a task is right-aligned in 16 columns and may contain any characters. A
 * process number in parentheses may precede the CPU.
 *
 * Each job numbers its I/Os, so two rings may have the same user_data. The
 * submission by the job's own thread tells which ring is meant. If the thread's
 * number is not known, as in a container, the first submission of that
 * user_data since the I/O began is taken, and its thread counts as the job's.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain_text.h"
#include "trace/trace.h"

#define TASK_COLUMNS	16
#define HALF		(TW_TRACE_MAX / 2)

/* Copy as much text as @to has room for. */
static void copy_plain(char *to, size_t size, const char *from, size_t length)
{
	snprintf(to, size, "%.*s", (int)length, from);
	tw_plain_text(to);
}

/* Read an event. The fields after the task are a process number, a CPU, a word of flags, and
 * seconds with six digits of microseconds. Digits are read as a text, since a number could
 * have a sign. */
static bool parse(const char *line, struct tw_trace_event *event)
{
	char pid[10], cpu[7], seconds[11], us[7];
	const char *task = line + strspn(line, " "), *name;
	int length = 0;

	if (strnlen(line, TASK_COLUMNS + 1) <= TASK_COLUMNS || line[TASK_COLUMNS] != '-')
		return false;
	line += TASK_COLUMNS;
	if (task >= line)
		task = line - 1;
	copy_plain(event->task, sizeof(event->task), task, (size_t)(line - task));
	if (sscanf(line, "-%9[0-9] %n", pid, &length) != 1)
		return false;
	line += length;
	if (*line == '(') {
		line = strchr(line, ')');
		if (!line)
			return false;
		line++;
	}
	length = 0;
	sscanf(line, " [%6[0-9]] %*[^ ] %10[0-9].%6[0-9]: %n", cpu, seconds, us, &length);
	if (!length || strlen(us) != 6)
		return false;
	event->pid = (uint32_t)strtoul(pid, NULL, 10);
	event->cpu = (uint32_t)strtoul(cpu, NULL, 10);
	event->monotonic_ns = (strtoull(seconds, NULL, 10) * 1000000 +
			       strtoull(us, NULL, 10)) * 1000;
	name = line + length;
	line = name + strcspn(name, ": ");
	if (line == name || line >= name + sizeof(event->name) || *line != ':')
		return false;
	copy_plain(event->name, sizeof(event->name), name, (size_t)(line - name));
	line++;
	line += strspn(line, " ");
	copy_plain(event->args, sizeof(event->args), line, strlen(line));
	return true;
}

bool tw_trace_take(struct tw_trace_window *window, const char *line)
{
	struct tw_trace_event event;
	uint64_t at = window->count, bit;
	unsigned cpu;

	/* Lost events: this line comes before the next event of that CPU. */
	if (sscanf(line, "CPU:%u [LOST", &cpu) == 1) {
		if (cpu < TW_TRACE_CPUS)
			window->lost[cpu / 64] |= UINT64_C(1) << cpu % 64;
		return true;
	}
	if (!parse(line, &event))
		return true;
	/* The ring of each CPU may begin later than the window. */
	bit = UINT64_C(1) << event.cpu % 64;
	if (event.cpu < TW_TRACE_CPUS && window->lost[event.cpu / 64] & bit) {
		window->lost[event.cpu / 64] &= ~bit;
		if (event.monotonic_ns > window->whole_from_ns)
			window->whole_from_ns = event.monotonic_ns;
	}
	if (event.monotonic_ns > window->to_ns)
		return event.monotonic_ns - window->to_ns < TW_TRACE_LATER_NS;
	if (event.monotonic_ns < window->from_ns)
		return true;
	if (at >= HALF)
		at = HALF + (at - HALF) % HALF;
	window->events[at] = event;
	window->count++;
	return true;
}

unsigned tw_trace_kept(const struct tw_trace_window *window)
{
	return window->count < TW_TRACE_MAX ? (unsigned)window->count :
					       TW_TRACE_MAX;
}

const struct tw_trace_event *tw_trace_at(const struct tw_trace_window *window,
					 unsigned i)
{
	/* The second half is a ring: its oldest event is where the next would go. */
	if (i >= HALF && window->count > TW_TRACE_MAX)
		i = HALF + (unsigned)((i - HALF + window->count) % HALF);
	return &window->events[i];
}

/* ---- the events of one I/O ---- */

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

/* Find the I/O's submission, from @begin_ns on. */
static void find_submission(struct tw_trace_own *own,
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

/* Note the request of the event, "254,0 50872808" of "254,0 RS 4096 () 50872808 + 8 be,0,4
 * [fio]". True if it is the I/O's. */
static bool take_request(struct tw_trace_own *own, const struct tw_trace_event *event)
{
	const char *args = event->args, *sector = strstr(args, ") ");
	char request[sizeof(own->request[0])];
	unsigned i;

	if (!own->alone || !sector)
		return false;
	sector += strlen(") ");
	snprintf(request, sizeof(request), "%.*s %.*s", (int)strcspn(args, " "), args,
		 (int)strspn(sector, "0123456789"), sector);
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

static bool take_own(struct tw_trace_own *own, const struct tw_trace_event *event)
{
	if (begins(event->name, "sched_"))
		return has_thread(event, own->thread) ||
		       has_thread(event, own->submitter);
	if (begins(event->name, "block_rq_"))
		return take_request(own, event);
	if (!has_key(own, event) || !begins(event->args, own->ring))
		return false;
	own->in_flight = !begins(event->name, "io_uring_complete");
	return true;
}

static bool is_at_an_end(unsigned i, unsigned count)
{
	return i < TW_TRACE_CHOSEN / 4 || i + TW_TRACE_CHOSEN / 4 >= count;
}

void tw_trace_choose(struct tw_trace_own *own,
		     const struct tw_trace_window *window, uint64_t begin_ns,
		     enum tw_trace_mark *marks)
{
	const unsigned count = tw_trace_kept(window);
	unsigned own_count = 0, own_at = 0, i;

	find_submission(own, window, begin_ns);
	for (i = 0; i < count; i++) {
		bool is_own = take_own(own, tw_trace_at(window, i));

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
