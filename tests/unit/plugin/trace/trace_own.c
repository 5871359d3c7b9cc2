/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: an I/O's own events are found among the kernel's trace events: those
 * of its user_data in its own ring, and of its thread's turns on a CPU, also in a
 * container, where the thread has another number. Of an I/O that was alone also
 * those of its requests. Defect: an event of another ring with the same user_data,
 * of a thread whose number begins like this one's, of another job's request.
 */
#include <string.h>

#include "trace/trace_own.h"
#include "tap.h"

#define THREAD	77
#define KEY	0x500000003
#define RING	"ring 000000002275cb40, req 1, "
#define OTHER	"ring 00000000deadbeef, req 2, "

struct case_event {
	bool own;
	unsigned at_us;
	unsigned pid;
	const char *name, *args;
};

static void check(const char *what, struct tw_trace_own own,
		  const struct case_event *events, unsigned count)
{
	static struct tw_trace_event kept[32];
	struct tw_trace_window window = { .count = count, .events = kept };
	unsigned i;

	memset(kept, 0, sizeof(kept));
	for (i = 0; i < count; i++) {
		kept[i].monotonic_ns = events[i].at_us * UINT64_C(1000);
		kept[i].pid = events[i].pid;
		snprintf(kept[i].name, sizeof(kept[i].name), "%s", events[i].name);
		snprintf(kept[i].args, sizeof(kept[i].args), "%s", events[i].args);
	}
	/* The I/O began 700 ns after a whole microsecond. */
	tw_trace_own_find(&own, &window, 1000700);
	for (i = 0; i < count; i++)
		tap_ok(tw_trace_own_take(&own, &kept[i]) == events[i].own,
		       "%s: %s %s", what, events[i].name, events[i].args);
}

#define CHECK(what, own, events) \
	check(what, own, events, sizeof(events) / sizeof(*events))

/* Choose from @count events, of which from @from on @own are the I/O's. */
static void choose(unsigned count, unsigned from, unsigned own_count,
		   unsigned chosen, unsigned own_chosen)
{
	static struct tw_trace_event kept[4000];
	static enum tw_trace_mark marks[4000];
	struct tw_trace_window window = { .count = count, .events = kept };
	struct tw_trace_own own = { .key = KEY, .thread = THREAD };
	unsigned i, is = 0, is_own = 0, wrong = 0;

	memset(kept, 0, sizeof(kept));
	for (i = 0; i < count; i++) {
		strcpy(kept[i].name, "sched_wakeup");
		if (i >= from && i < from + own_count)
			strcpy(kept[i].args, "pid=77");
	}
	tw_trace_own_find(&own, &window, 0);
	tw_trace_choose(&own, &window, marks);
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
		{ false, 950, THREAD, "io_uring_submit_req", OTHER "user_data 0x500000003, opcode READ" },
		{ false, 999, THREAD, "io_uring_complete", OTHER "user_data 0x500000003, result 1" },
		{ false, 1000, 5, "io_uring_submit_req", OTHER "user_data 0x500000003, opcode READ" },
		{ true, 1000, THREAD, "io_uring_submit_req", RING "user_data 0x500000003, opcode READ" },
		{ false, 1001, THREAD, "block_rq_issue", "254,0 RS 4096 () 808 + 8 be,0,4 [fio]" },
		{ true, 1002, 1, "sched_switch", "prev_comm=fio prev_pid=77 prev_prio=120 prev_state=S ==> next_comm=x next_pid=7" },
		{ true, 1003, 1, "sched_switch", "prev_comm=fio prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=x next_pid=77" },
		{ false, 1003, 1, "sched_switch", "prev_comm=fio prev_pid=777 prev_prio=1 ==> next_pid=770" },
		{ false, 1003, THREAD, "irq_handler_entry", "pid=77" },
		{ false, 1004, THREAD, "io_uring_complete", OTHER "user_data 0x500000003, result 1" },
		{ false, 1005, THREAD, "io_uring_complete", RING "user_data 0x5000000033, result 1" },
		{ false, 1005, THREAD, "io_uring_complete", RING "user_data 0x50000000, result 1" },
		{ true, 1006, 9, "io_uring_complete", RING "user_data 0x500000003, result 1" },
		{ false, 1006, 9, "workqueue_execute_start", RING "user_data 0x500000003" },
	};
	static const struct case_event contained[] = {
		{ true, 900, 1, "sched_wakeup", "comm=x pid=4321 prio=120" },
		{ false, 900, 1, "sched_wakeup", "comm=x pid=4294967295 prio=120" },
		{ false, 998, 4321, "io_uring_submit_sqe", OTHER "user_data 0x500000003, opcode READ" },
		{ true, 1001, 4321, "io_uring_submit_sqe", RING "user_data 0x500000003, opcode READ" },
		{ false, 1002, 4322, "io_uring_submit_sqe", OTHER "user_data 0x500000003, opcode READ" },
		{ true, 1006, 9, "io_uring_complete", RING "user_data 0x500000003, result 1" },
		{ false, 1007, 9, "io_uring_complete", OTHER "user_data 0x500000003, result 1" },
	};
	static const struct case_event alone[] = {
		{ false, 998, THREAD, "block_rq_issue", "254,0 RS 4096 () 700 + 8 be,0,4 [fio]" },
		{ true, 1001, THREAD, "io_uring_submit_req", RING "user_data 0x500000003, opcode READ" },
		{ false, 1001, 5, "block_rq_insert", "254,0 RS 4096 () 600 + 8 be,0,4 [sh]" },
		{ true, 1002, THREAD, "block_rq_insert", "254,0 RS 4096 () 808 + 8 be,0,4 [fio]" },
		{ true, 1003, 44, "block_rq_issue", "254,0 RS 4096 () 808 + 8 be,0,4 [kworker]" },
		{ true, 1003, THREAD, "block_rq_issue", "254,0 RS 4096 () 816 + 8 [fio]" },
		{ false, 1003, THREAD, "block_rq_complete", "254,0 RS () 900 + 8 [0]" },
		{ false, 1003, THREAD, "block_rq_issue", "flush" },
		{ false, 1004, 0, "block_rq_complete", "254,0 RS () 80 + 8 [0]" },
		{ false, 1004, 0, "block_rq_complete", "254,16 RS () 808 + 8 [0]" },
		{ true, 1004, 0, "block_rq_complete", "254,0 RS () 808 + 8 [0]" },
		{ true, 1005, 9, "io_uring_complete", RING "user_data 0x500000003, result 1" },
		{ false, 1006, THREAD, "block_rq_insert", "254,0 RS 4096 () 900 + 8 [fio]" },
	};
	static const struct case_event missing[] = {
		{ true, 900, 1, "sched_wakeup", "comm=x pid=77 prio=120" },
		{ false, 901, 1, "sched_wakeup", "comm=x pid=4294967295 prio=120" },
		{ false, 1002, THREAD, "block_rq_insert", "254,0 RS 4096 () 808 + 8 be,0,4 [fio]" },
		{ true, 1006, 9, "io_uring_complete", RING "user_data 0x500000003, result 1" },
	};
	static const struct case_event many[] = {
		{ true, 1001, THREAD, "io_uring_submit_req", RING "user_data 0x500000003, opcode READ" },
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
	const struct tw_trace_own own = { .key = KEY, .thread = THREAD };
	const struct tw_trace_own nobody = { .key = KEY, .thread = UINT32_MAX };
	const struct tw_trace_own one = { .key = KEY, .thread = THREAD,
					  .alone = true };

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
	return tap_done();
}
