/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: events of the kernel's trace are read from text as Linux 6.1 and 6.18
 * write it, whatever the name of the task. What is no event is skipped, and no byte
 * of a name gets through that is not printable. Of the events in a window the first
 * and the last are kept and all are counted; events that were overwritten are
 * known. Defect: a field taken for another one, a line of garbage taken for an
 * event, a read or write outside of its memory. Also a window that is not in order
 * or not bounded.
 */
#include <string.h>

#include "trace/trace_text.h"
#include "tap.h"

static int is(const char *line, uint64_t us, unsigned cpu, const char *task,
	      unsigned pid, const char *name, const char *args)
{
	struct tw_trace_event event;
	int good = tw_trace_parse(line, &event);

	if (tap_ok(good && event.monotonic_ns == us * 1000 &&
		   event.cpu == cpu && event.pid == pid &&
		   !strcmp(event.task, task) && !strcmp(event.name, name) &&
		   !strcmp(event.args, args), "%s of %s", name, task))
		return 1;
	if (good)
		tap_note("%" PRIu64 " cpu %u '%s' %u '%s' '%s'",
			 event.monotonic_ns, event.cpu, event.task, event.pid,
			 event.name, event.args);
	return 0;
}

/* As Linux 6.1.192 wrote them. */
static void recorded_6_1(void)
{
	is("          <idle>-0       [000] d..2.    14.290202: sched_switch: "
	   "prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> "
	   "next_comm=rcu_preempt next_pid=15 next_prio=120", 14290202, 0,
	   "<idle>", 0, "sched_switch", "prev_comm=swapper/0 prev_pid=0 "
	   "prev_prio=120 prev_state=R ==> next_comm=rcu_preempt next_pid=15 "
	   "next_prio=120");
	is("          <idle>-0       [000] dNs4.    14.303171: sched_wakeup: "
	   "comm=rcu_preempt pid=15 prio=120 target_cpu=000", 14303171, 0,
	   "<idle>", 0, "sched_wakeup",
	   "comm=rcu_preempt pid=15 prio=120 target_cpu=000");
	is("            init-188     [001] d.h1.    14.411595: "
	   "irq_handler_entry: irq=25 name=virtio0-requests", 14411595, 1,
	   "init", 188, "irq_handler_entry", "irq=25 name=virtio0-requests");
	is("    kworker/u4:0-9       [001] .....    14.464649: "
	   "workqueue_execute_start: work struct 00000000186787be: function "
	   "flush_memcg_stats_dwork", 14464649, 1, "kworker/u4:0", 9,
	   "workqueue_execute_start", "work struct 00000000186787be: function "
	   "flush_memcg_stats_dwork");
}

/* As Linux 6.18 did. */
static void recorded_6_18(void)
{
	is("              sh-22950   [000] d..2. 12169.927509: sched_switch: "
	   "prev_comm=sh prev_pid=22950 prev_prio=120 prev_state=R ==> "
	   "next_comm=head next_pid=22951 next_prio=120", 12169927509, 0, "sh",
	   22950, "sched_switch", "prev_comm=sh prev_pid=22950 prev_prio=120 "
	   "prev_state=R ==> next_comm=head next_pid=22951 next_prio=120");
	is("          <idle>-0       [001] ..s1. 12169.928021: softirq_entry: "
	   "vec=1 [action=TIMER]", 12169928021, 1, "<idle>", 0,
	   "softirq_entry", "vec=1 [action=TIMER]");
	is(" memfd:sealed-91-25134   [000] d..2. 12169.934763: sched_wakeup: "
	   "comm=memfd:sealed-91 pid=25134 prio=120 target_cpu=000",
	   12169934763, 0, "memfd:sealed-91", 25134, "sched_wakeup",
	   "comm=memfd:sealed-91 pid=25134 prio=120 target_cpu=000");
	is("             fio-9622    [001] ..... 12505.265416: "
	   "io_uring_submit_req: ring 000000002275cb40, req 0000000075d2baf7, "
	   "user_data 0x100000003, opcode READ, flags 0x400000, sq_thread 0",
	   12505265416, 1, "fio", 9622, "io_uring_submit_req",
	   "ring 000000002275cb40, req 0000000075d2baf7, user_data "
	   "0x100000003, opcode READ, flags 0x400000, sq_thread 0");
	is("          <idle>-0       [001] d.s2. 12505.265691: "
	   "block_rq_complete: 254,0 RS () 50872808 + 8 be,0,4 [0]",
	   12505265691, 1, "<idle>", 0, "block_rq_complete",
	   "254,0 RS () 50872808 + 8 be,0,4 [0]");
}

/* What the format allows. */
static void shapes(void)
{
	is("           a b-c-7       [127] d..2.     0.000001: x:", 1, 127,
	   "a b-c", 7, "x", "");
	is("             [1]-7       ( 123) [003] ....  3.500000: x: y",
	   3500000, 3, "[1]", 7, "x", "y");
	is("             fio-4194304 (-------) [000] ..... 99.000000: x:  y",
	   99000000, 0, "fio", 4194304, "x", "y");
	is("             fio-7       [000] dNh2. 9999999999.999999: x: a: b",
	   UINT64_C(9999999999999999), 0, "fio", 7, "x", "a: b");
	is("            \x1b[2J-7       [000] d..2.  1.000000: x: a\x07\xc3\xa9\xe9z",
	   1000000, 0, "?[2J", 7, "x", "a?\xc3\xa9?z");
}

static void refused(void)
{
	static const char *const lines[] = {
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

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		tap_ok(!tw_trace_parse(lines[i], &event), "no event: '%s'",
		       lines[i]);
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
		good += tw_trace_parse(part, &event);
		free(part);
	}
	tap_is_u64(good, 3, "a line is an event from the end of its name on");
}

static void huge(void)
{
	struct tw_trace_event event;
	char line[TW_TRACE_LINE * 8];
	int length = snprintf(line, sizeof(line), "%s",
		"             fio-7       [000] d..2.  1.000000: x: ");

	memset(line + length, 'y', sizeof(line) - (size_t)length - 1);
	line[sizeof(line) - 1] = '\0';
	tap_ok(tw_trace_parse(line, &event) &&
	       strlen(event.args) == sizeof(event.args) - 1,
	       "what there is no room for is cut off");
	memset(line, 'y', sizeof(line) - 1);
	tap_ok(!tw_trace_parse(line, &event), "a long line that is no event");
}

static struct tw_trace_event kept[TW_TRACE_MAX];

/*
 * Return @count events, one each microsecond from 1001 us on; the window begins at
 * 1.001 ms.
 */
static struct tw_trace_window filled(unsigned count)
{
	struct tw_trace_window window = {
		.from_ns = 1001000, .to_ns = UINT64_MAX, .events = kept,
	};
	unsigned i;

	for (i = 0; i < count + 1000; i++) {
		char line[80];

		snprintf(line, sizeof(line),
			 "             fio-7       [000] d..2. %u.%06u: x: y",
			 (i + 1) / 1000000, (i + 1) % 1000000);
		tw_trace_take(&window, line);
	}
	return window;
}

static void window(unsigned count)
{
	struct tw_trace_window window = filled(count);
	unsigned most = count < TW_TRACE_MAX ? count : TW_TRACE_MAX;
	unsigned wrong = 0, i;

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

static void losses(void)
{
	struct tw_trace_window window = {
		.from_ns = 2000000, .to_ns = 3000000, .events = kept,
	};

	tw_trace_take(&window, "             fio-7       [002] d..2. 0.000900: x: y");
	tap_is_u64(window.whole_from_ns, 0, "nothing was overwritten");
	tw_trace_take(&window, "CPU:1 [LOST 123 EVENTS]");
	tw_trace_take(&window, "CPU:1023 [LOST EVENTS]");
	tw_trace_take(&window, "CPU:1024 [LOST EVENTS]");
	tw_trace_take(&window, "CPU:4294967295 [LOST EVENTS]");
	tw_trace_take(&window, "             fio-7       [000] d..2. 0.000950: x: y");
	tap_is_u64(window.whole_from_ns, 0, "nor of this CPU");
	tw_trace_take(&window, "             fio-7       [001] d..2. 0.001000: x: y");
	tap_is_u64(window.whole_from_ns, 1000000, "of another one, until then");
	tw_trace_take(&window, "             fio-7       [001] d..2. 0.001500: x: y");
	tap_is_u64(window.whole_from_ns, 1000000, "and not later");
	tw_trace_take(&window, "             fio-7       [1023] d..2. 0.002500: x: y");
	tap_is_u64(window.whole_from_ns, 2500000, "the last CPU of all counts");
	tw_trace_take(&window, "             fio-7       [1024] d..2. 0.002600: x: y");
	tap_ok(window.count == 2, "events in the window");
	tap_ok(tw_trace_take(&window,
		"             fio-7       [000] d..2. 0.003000: x: y") &&
	       tw_trace_take(&window,
		"             fio-7       [000] d..2. 0.003001: x: y") &&
	       window.count == 3, "one after the window is none of it");
	tw_trace_take(&window, "CPU:3 [LOST EVENTS]");
	tw_trace_take(&window, "             fio-7       [003] d..2. 0.003002: x: y");
	tap_is_u64(window.whole_from_ns, 3002000, "but may tell of a loss");
	tap_ok(tw_trace_take(&window,
		"             fio-7       [000] d..2. 10.002999: x: y") &&
	       !tw_trace_take(&window,
		"             fio-7       [000] d..2. 10.003000: x: y"),
	       "ten seconds later the ring runs again");
}

int main(void)
{
	recorded_6_1();
	recorded_6_18();
	shapes();
	refused();
	cut();
	huge();
	window(0);
	window(1);
	window(TW_TRACE_MAX / 2);
	window(TW_TRACE_MAX - 1);
	window(TW_TRACE_MAX);
	window(TW_TRACE_MAX + 1);
	window(2 * TW_TRACE_MAX + 77);
	losses();
	return tap_done();
}
