/* SPDX-License-Identifier: MIT */
/*
 * Warnings about the results of tw_counter_check(), which `check` and
 * `calibrate` share.
 */
#include <inttypes.h>

#include "command/command.h"
#include "command/output/page.h"

static void add_state(struct tw_page *page, const struct tw_counter_facts *counter)
{
	const char *text = tw_text(TW_ENUM_COUNTER_STATE, counter->state);

	switch (counter->state) {
	case TW_COUNTER_OK:
		break;
	case TW_COUNTER_TRAPPED:
		tw_page_warning(page, "%s, %.0f ns each time.", text,
				counter->read_cost_ns);
		break;
	case TW_COUNTER_COARSE:
		tw_page_warning(page, "the counter moves in steps of %.0f ns.",
				counter->step_ns);
		break;
	default:
		tw_page_warning(page, "%s.", text);
		break;
	}
}

void tw_command_counter_warnings(struct tw_page *page,
				 const struct tw_counter_facts *counter)
{
	add_state(page, counter);
	if (counter->clock_is_call == 1)
		tw_page_warning(page, "clock_gettime() is a real system call here, of "
				"%.0f ns: the vDSO is off or can't read the kernel's "
				"clocksource.", counter->clock_cost_ns);
	if (counter->emulated)
		tw_page_warning(page, "another program translates this one: the counter "
				"is that program's.");
	if (counter->time_namespace == 1)
		tw_page_warning(page, "a time namespace shifts CLOCK_MONOTONIC by %+"
				PRId64 " ns, CLOCK_BOOTTIME by %+" PRId64 " ns: compare "
				"stamps only with each other.", counter->monotonic_offset_ns,
				counter->boottime_offset_ns);
}
