/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: events of the kernel's trace are read from text as Linux 6.1 and 6.18
 * write it, whatever the name of the task. What is no event is skipped, and no byte
 * of a name gets through that is not printable. Of the events in a window the first
 * and the last are kept and all are counted; events that were overwritten are known.
 * An I/O's own events are found among them: those of its user_data in its own ring,
 * and of its thread's turns on a CPU, also in a container, where the thread has
 * another number. Of an I/O that was alone also those of its requests.
 *
 * Defect: a field taken for another one, a line of garbage taken for an event, a read
 * or write outside of its memory; a window that is not in order or not bounded; an
 * event of another ring with the same user_data, of a thread whose number begins like
 * this one's, of another job's request.
 */
#include <string.h>

#include "trace/trace.h"
#include "tap.h"

#define THREAD	77
#define KEY	0x500000003
#define RING	"ring 000000002275cb40, req 1, "
#define OTHER	"ring 00000000deadbeef, req 2, "
#define SUBMITTED	"user_data 0x500000003, opcode READ"
#define COMPLETED	"user_data 0x500000003, result 1"

/* Return whether @line is an event. */
static bool parse(const char *line, struct tw_trace_event *event)
{
	struct tw_trace_window window = { .to_ns = UINT64_MAX, .events = event };

	tw_trace_take(&window, line);
	return window.count;
}

/* A line is the text before the event's name, the name, a colon and the rest. */
static const struct {
	const char *before;
	uint64_t us;
	unsigned cpu, pid;
	const char *task, *name, *rest;
	const char *args;		/* NULL: the rest without its spaces */
} lines[] = {
	/* As Linux 6.1.192 wrote them. */
	{ "          <idle>-0       [000] d..2.    14.290202: ", 14290202, 0, 0, "<idle>",
	  "sched_switch", " prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> "
	  "next_comm=rcu_preempt next_pid=15 next_prio=120", NULL },
	{ "          <idle>-0       [000] dNs4.    14.303171: ", 14303171, 0, 0, "<idle>",
	  "sched_wakeup", " comm=rcu_preempt pid=15 prio=120 target_cpu=000", NULL },
	{ "            init-188     [001] d.h1.    14.411595: ", 14411595, 1, 188, "init",
	  "irq_handler_entry", " irq=25 name=virtio0-requests", NULL },
	{ "    kworker/u4:0-9       [001] .....    14.464649: ", 14464649, 1, 9,
	  "kworker/u4:0", "workqueue_execute_start",
	  " work struct 00000000186787be: function flush_memcg_stats_dwork", NULL },
	/* As Linux 6.18 did. */
	{ "              sh-22950   [000] d..2. 12169.927509: ", 12169927509, 0, 22950, "sh",
	  "sched_switch", " prev_comm=sh prev_pid=22950 prev_prio=120 prev_state=R ==> "
	  "next_comm=head next_pid=22951 next_prio=120", NULL },
	{ "          <idle>-0       [001] ..s1. 12169.928021: ", 12169928021, 1, 0, "<idle>",
	  "softirq_entry", " vec=1 [action=TIMER]", NULL },
	{ " memfd:sealed-91-25134   [000] d..2. 12169.934763: ", 12169934763, 0, 25134,
	  "memfd:sealed-91", "sched_wakeup",
	  " comm=memfd:sealed-91 pid=25134 prio=120 target_cpu=000", NULL },
	{ "             fio-9622    [001] ..... 12505.265416: ", 12505265416, 1, 9622, "fio",
	  "io_uring_submit_req", " ring 000000002275cb40, req 0000000075d2baf7, user_data "
	  "0x100000003, opcode READ, flags 0x400000, sq_thread 0", NULL },
	{ "          <idle>-0       [001] d.s2. 12505.265691: ", 12505265691, 1, 0, "<idle>",
	  "block_rq_complete", " 254,0 RS () 50872808 + 8 be,0,4 [0]", NULL },
	/* What the format allows. */
	{ "           a b-c-7       [127] d..2.     0.000001: ", 1, 127, 7, "a b-c", "x", "",
	  NULL },
	{ "             [1]-7       ( 123) [003] ....  3.500000: ", 3500000, 3, 7, "[1]", "x",
	  " y", NULL },
	{ "                -7       [000] d..2.  1.000000: ", 1000000, 0, 7, " ", "x", "", NULL },
	{ "             fio-4194304 (-------) [000] ..... 99.000000: ", 99000000, 0, 4194304,
	  "fio", "x", "  y", NULL },
	{ "             fio-7       [000] dNh2. 9999999999.999999: ",
	  UINT64_C(9999999999999999), 0, 7, "fio", "x", " a: b", NULL },
	{ "            \x1b[2J-7       [000] d..2.  1.000000: ", 1000000, 0, 7, "?[2J", "x",
	  " a\x07\xc3\xa9\xe9z", "a?\xc3\xa9?z" },
};

static void good_lines(void)
{
	unsigned i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const char *args = lines[i].args ? lines[i].args :
				   lines[i].rest + strspn(lines[i].rest, " ");
		struct tw_trace_event event;
		char line[1024];

		snprintf(line, sizeof(line), "%s%s:%s", lines[i].before, lines[i].name,
			 lines[i].rest);
		tap_ok(parse(line, &event) && event.monotonic_ns == lines[i].us * 1000 &&
		       event.cpu == lines[i].cpu && event.pid == lines[i].pid &&
		       !strcmp(event.task, lines[i].task) &&
		       !strcmp(event.name, lines[i].name) && !strcmp(event.args, args),
		       "%s of %s", lines[i].name, lines[i].task);
	}
}

static void refused(void)
{
	static const char *const none[] = {
		"", " ", "# tracer: nop", "CPU:1 [LOST 12 EVENTS]",
		"             fio",
		"             fio-",
		"             fio-x       [000] d..2.  1.000000: x: y",
		"             fio-9999999999 [000] d..2.  1.000000: x: y",
		"             fio-7       (7 [000] d..2.  1.000000: x: y",
		"             fio-7       [0x0] d..2.  1.000000: x: y",
		"             fio-7       [1000000000] d..2.  1.000000: x: y",
		"             fio-7       [000 d..2.  1.000000: x: y",
		"             fio-7       [000]",
		"             fio-7       [000] d..2.",
		"             fio-7       [000] d..2.  1:",
		"             fio-7       [000] d..2.  1.00000: x: y",
		"             fio-7       [000] d..2.  1.0000000: x: y",
		"             fio-7       [000] d..2.  99999999999.000000: x: y",
		"             fio-7       [000] d..2.  -1.000000: x: y",
		"             fio-7       [000] d..2.  1.000000:",
		"             fio-7       [000] d..2.  1.000000: ",
		"             fio-7       [000] d..2.  1.000000: x",
		"             fio-7       [000] d..2.  1.000000: x y: z",
		"             fio-7       [000] d..2.  1.000000: : z",
		("             fio-7       [000] d..2.  1.000000: "
			"a_name_that_is_longer_than_any_of_the_kernels: z"),
	};
	struct tw_trace_event event;
	unsigned i;

	for (i = 0; i < sizeof(none) / sizeof(*none); i++)
		tap_ok(!parse(none[i], &event), "no event: '%s'", none[i]);
}

/*
 * Try every beginning of a line, in memory that ends with it: valgrind and the
 * sanitizers notice a byte too many.
 */
static void cut(void)
{
	static const char line[] = "             fio-7       (  7) [000] d..2.  "
				   "1.000000: x: y";
	struct tw_trace_event event;
	unsigned good = 0;
	size_t length;

	for (length = 0; length < sizeof(line); length++) {
		char *part = calloc(length + 1, 1);

		memcpy(part, line, length);
		good += parse(part, &event);
		free(part);
	}
	tap_is_u64(good, 3, "a line is an event from the end of its name on");
}

static void huge(void)
{
	struct tw_trace_event event;
	char line[8192];
	int length = snprintf(line, sizeof(line), "%s",
		"             fio-7       [000] d..2.  1.000000: x: ");

	memset(line + length, 'y', sizeof(line) - (size_t)length - 1);
	line[sizeof(line) - 1] = '\0';
	tap_ok(parse(line, &event) &&
	       strlen(event.args) == sizeof(event.args) - 1,
	       "what there is no room for is cut off");
	memset(line, 'y', sizeof(line) - 1);
	tap_ok(!parse(line, &event), "a long line that is no event");
}

static struct tw_trace_event kept[TW_TRACE_MAX];

/* Events at each microsecond; the window begins at 1001 us, and has @count of them. */
static void window(unsigned count)
{
	struct tw_trace_window window = {
		.from_ns = 1001000, .to_ns = UINT64_MAX, .events = kept,
	};
	unsigned most = count < TW_TRACE_MAX ? count : TW_TRACE_MAX;
	unsigned wrong = 0, i;

	for (i = 0; i < count + 1000; i++) {
		char line[80];

		snprintf(line, sizeof(line),
			 "             fio-7       [000] d..2. %u.%06u: x: y",
			 (i + 1) / 1000000, (i + 1) % 1000000);
		tw_trace_take(&window, line);
	}
	tap_ok(window.count == count && tw_trace_kept(&window) == most,
	       "%u events: %u are kept", count, most);
	for (i = 0; i < most; i++) {
		unsigned which = i < most / 2 || count == most ? i :
				 count - most + i;

		wrong += tw_trace_at(&window, i)->monotonic_ns !=
			 (1001 + which) * UINT64_C(1000);
	}
	tap_is_u64(wrong, 0, "the first and the last, in order");
}

/* Lines of a window from 2 to 3 ms, in their order. A line is a loss of @cpu's events, or
 * an event at @us on it. */
static void losses(void)
{
	static const struct {
		unsigned cpu;
		int us;			/* 0: a loss */
		unsigned count;		/* of events in the window, after this line */
		uint64_t whole_from_us;
		bool ends;
		const char *what;
	} of[] = {
		{ 2, 900, 0, 0, false, "nothing was overwritten" },
		{ 1, 0, 0, 0, false, "a loss tells nothing of its time" },
		{ 1023, 0, 0, 0, false, "on the last CPU that counts" },
		{ 1024, 0, 0, 0, false, "on one that does not" },
		{ 4294967295, 0, 0, 0, false, "nor does this one" },
		{ 0, 950, 0, 0, false, "an event of another CPU" },
		{ 1, 1000, 0, 1000, false, "of the same one: until then" },
		{ 1, 1500, 0, 1000, false, "and not later" },
		{ 1023, 2500, 1, 2500, false, "the last CPU of all counts" },
		{ 1024, 2600, 2, 2500, false, "events in the window" },
		{ 0, 3000, 3, 2500, false, "the last moment of it" },
		{ 0, 3001, 3, 2500, false, "one after the window is none of it" },
		{ 3, 0, 3, 2500, false, "another loss" },
		{ 3, 3002, 3, 3002, false, "a later event may tell of a loss" },
		{ 0, 10002999, 3, 3002, false, "not yet ten seconds later" },
		{ 0, 10003000, 3, 3002, true, "ten seconds later the ring runs again" },
	};
	struct tw_trace_window window = {
		.from_ns = 2000000, .to_ns = 3000000, .events = kept,
	};
	unsigned i;

	for (i = 0; i < sizeof(of) / sizeof(*of); i++) {
		char line[80];
		bool goes_on;

		if (of[i].us)
			snprintf(line, sizeof(line), "             fio-7       [%03u] d..2. "
				 "%d.%06d: x: y", of[i].cpu, of[i].us / 1000000,
				 of[i].us % 1000000);
		else
			snprintf(line, sizeof(line), "CPU:%u [LOST%s EVENTS]", of[i].cpu,
				 i % 2 ? " 123" : "");
		goes_on = tw_trace_take(&window, line);
		tap_ok(goes_on == !of[i].ends && window.count == of[i].count &&
		       window.whole_from_ns == of[i].whole_from_us * 1000, "%s", of[i].what);
	}
}

/* ---- the events of one I/O ---- */

struct case_event {
	bool own;
	unsigned at_us;
	unsigned pid;
	const char *name, *args;
};

static void check(const char *what, struct tw_trace_own own,
		  const struct case_event *events, unsigned count)
{
	struct tw_trace_window window = { .count = count, .events = kept };
	enum tw_trace_mark marks[32];
	unsigned i;

	memset(kept, 0, count * sizeof(*kept));
	for (i = 0; i < count; i++) {
		kept[i].monotonic_ns = events[i].at_us * UINT64_C(1000);
		kept[i].pid = events[i].pid;
		snprintf(kept[i].name, sizeof(kept[i].name), "%s", events[i].name);
		snprintf(kept[i].args, sizeof(kept[i].args), "%s", events[i].args);
	}
	/* The I/O began 700 ns after a whole microsecond. */
	tw_trace_choose(&own, &window, 1000700, marks);
	for (i = 0; i < count; i++)
		tap_ok(marks[i] == (events[i].own ? TW_TRACE_OWN : TW_TRACE_OTHER),
		       "%s: %s %s", what, events[i].name, events[i].args);
}

#define CHECK(what, own, events) \
	check(what, own, events, sizeof(events) / sizeof(*events))

/* Choose from @count events, of which from @from on @own are the I/O's. */
static void choose(unsigned count, unsigned from, unsigned own_count,
		   unsigned chosen, unsigned own_chosen)
{
	static enum tw_trace_mark marks[4000];
	struct tw_trace_window window = { .count = count, .events = kept };
	struct tw_trace_own own = { .key = KEY, .thread = THREAD };
	unsigned i, is = 0, is_own = 0, wrong = 0;

	memset(kept, 0, count * sizeof(*kept));
	for (i = 0; i < count; i++) {
		strcpy(kept[i].name, "sched_wakeup");
		if (i >= from && i < from + own_count)
			strcpy(kept[i].args, "pid=77");
	}
	tw_trace_choose(&own, &window, 0, marks);
	for (i = 0; i < count; i++) {
		is += marks[i] != TW_TRACE_LEFT_OUT;
		is_own += marks[i] == TW_TRACE_OWN;
		wrong += marks[i] == TW_TRACE_LEFT_OUT &&
			 (i < 250 || i >= count - 250);
	}
	tap_ok(is == chosen && is_own == own_chosen && !wrong,
	       "of %u events, %u from %u on its own: %u, its own %u", count,
	       own_count, from, chosen, own_chosen);
	if (is != chosen || is_own != own_chosen)
		tap_note("is %u, %u", is, is_own);
}

int main(void)
{
	static const struct case_event usual[] = {
		{ true, 900, 1, "sched_wakeup", "comm=x pid=77 prio=120" },
		{ false, 950, THREAD, "io_uring_submit_req", OTHER SUBMITTED },
		{ false, 999, THREAD, "io_uring_complete", OTHER COMPLETED },
		{ false, 1000, 5, "io_uring_submit_req", OTHER SUBMITTED },
		{ true, 1000, THREAD, "io_uring_submit_req", RING SUBMITTED },
		{ false, 1001, THREAD, "block_rq_issue", "254,0 RS 4096 () 808 + 8 be,0,4 [fio]" },
		{ true, 1002, 1, "sched_switch", "prev_comm=fio prev_pid=77 prev_prio=1 ==> next_pid=7" },
		{ true, 1003, 1, "sched_switch", "prev_comm=fio prev_pid=7 prev_prio=1 ==> next_pid=77" },
		{ false, 1003, 1, "sched_switch", "prev_comm=fio prev_pid=777 prev_prio=1 ==> next_pid=770" },
		{ false, 1003, THREAD, "irq_handler_entry", "pid=77" },
		{ false, 1004, THREAD, "io_uring_complete", OTHER COMPLETED },
		{ false, 1005, THREAD, "io_uring_complete", RING "user_data 0x5000000033, result 1" },
		{ false, 1005, THREAD, "io_uring_complete", RING "user_data 0x50000000, result 1" },
		{ true, 1006, 9, "io_uring_complete", RING COMPLETED },
		{ false, 1006, 9, "workqueue_execute_start", RING "user_data 0x500000003" },
	};
	static const struct case_event contained[] = {
		{ true, 900, 1, "sched_wakeup", "comm=x pid=4321 prio=120" },
		{ false, 900, 1, "sched_wakeup", "comm=x pid=4294967295 prio=120" },
		{ false, 998, 4321, "io_uring_submit_sqe", OTHER SUBMITTED },
		{ true, 1001, 4321, "io_uring_submit_sqe", RING SUBMITTED },
		{ false, 1002, 4322, "io_uring_submit_sqe", OTHER SUBMITTED },
		{ true, 1006, 9, "io_uring_complete", RING COMPLETED },
		{ false, 1007, 9, "io_uring_complete", OTHER COMPLETED },
	};
	static const struct case_event alone[] = {
		{ false, 998, THREAD, "block_rq_issue", "254,0 RS 4096 () 700 + 8 be,0,4 [fio]" },
		{ true, 1001, THREAD, "io_uring_submit_req", RING SUBMITTED },
		{ false, 1001, 5, "block_rq_insert", "254,0 RS 4096 () 600 + 8 be,0,4 [sh]" },
		{ true, 1002, THREAD, "block_rq_insert", "254,0 RS 4096 () 808 + 8 be,0,4 [fio]" },
		{ true, 1003, 44, "block_rq_issue", "254,0 RS 4096 () 808 + 8 be,0,4 [kworker]" },
		{ true, 1003, THREAD, "block_rq_issue", "254,0 RS 4096 () 816 + 8 [fio]" },
		{ false, 1003, THREAD, "block_rq_complete", "254,0 RS () 900 + 8 [0]" },
		{ false, 1003, THREAD, "block_rq_issue", "flush" },
		{ false, 1004, 0, "block_rq_complete", "254,0 RS () 80 + 8 [0]" },
		{ false, 1004, 0, "block_rq_complete", "254,16 RS () 808 + 8 [0]" },
		{ true, 1004, 0, "block_rq_complete", "254,0 RS () 808 + 8 [0]" },
		{ true, 1005, 9, "io_uring_complete", RING COMPLETED },
		{ false, 1006, THREAD, "block_rq_insert", "254,0 RS 4096 () 900 + 8 [fio]" },
	};
	static const struct case_event missing[] = {
		{ true, 900, 1, "sched_wakeup", "comm=x pid=77 prio=120" },
		{ false, 901, 1, "sched_wakeup", "comm=x pid=4294967295 prio=120" },
		{ false, 1002, THREAD, "block_rq_insert", "254,0 RS 4096 () 808 + 8 be,0,4 [fio]" },
		{ true, 1006, 9, "io_uring_complete", RING COMPLETED },
	};
	static const struct case_event many[] = {
		{ true, 1001, THREAD, "io_uring_submit_req", RING SUBMITTED },
		{ true, 1002, THREAD, "block_rq_issue", "8,0 RS 1 () 0 + 8 [fio]" },
		{ true, 1002, THREAD, "block_rq_issue", "8,0 RS 1 () 1 + 8 [fio]" },
		{ true, 1002, THREAD, "block_rq_issue", "8,0 RS 1 () 2 + 8 [fio]" },
		{ true, 1002, THREAD, "block_rq_issue", "8,0 RS 1 () 3 + 8 [fio]" },
		{ true, 1002, THREAD, "block_rq_issue", "8,0 RS 1 () 4 + 8 [fio]" },
		{ true, 1002, THREAD, "block_rq_issue", "8,0 RS 1 () 5 + 8 [fio]" },
		{ true, 1002, THREAD, "block_rq_issue", "8,0 RS 1 () 6 + 8 [fio]" },
		{ true, 1002, THREAD, "block_rq_issue", "8,0 RS 1 () 7 + 8 [fio]" },
		{ false, 1002, THREAD, "block_rq_issue", "8,0 RS 1 () 8 + 8 [fio]" },
		{ true, 1003, 0, "block_rq_complete", "8,0 RS () 7 + 8 [0]" },
	};
	static const unsigned counts[] = {
		0, 1, TW_TRACE_MAX / 2, TW_TRACE_MAX - 1, TW_TRACE_MAX,
		TW_TRACE_MAX + 1, 2 * TW_TRACE_MAX + 77,
	};
	const struct tw_trace_own own = { .key = KEY, .thread = THREAD };
	const struct tw_trace_own nobody = { .key = KEY, .thread = UINT32_MAX };
	const struct tw_trace_own one = { .key = KEY, .thread = THREAD,
					  .alone = true };
	unsigned i;

	CHECK("usual", own, usual);
	CHECK("in a container", nobody, contained);
	CHECK("alone", one, alone);
	CHECK("no submission", one, missing);
	CHECK("many requests", one, many);
	choose(0, 0, 0, 0, 0);
	choose(1000, 400, 600, 1000, 600);
	choose(1001, 0, 0, 500, 0);
	choose(4000, 500, 3, 503, 3);
	choose(4000, 500, 500, 1000, 500);
	choose(4000, 500, 501, 1000, 500);
	choose(4000, 0, 4000, 500, 500);
	choose(4000, 3999, 1, 500, 1);
	good_lines();
	refused();
	cut();
	huge();
	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		window(counts[i]);
	losses();
	return tap_done();
}
