/* SPDX-License-Identifier: MIT */
/*
 * What tw_counter_check() found, in lines that `check` and `calibrate` share.
 */
#include <inttypes.h>

#include "command.h"

static void print_state(const struct tw_counter_facts *counter, FILE *out)
{
	if (counter->state == TW_COUNTER_OK)
		return;
	fprintf(out, "WARNING: %s",
		tw_text(TW_ENUM_COUNTER_STATE, counter->state));
	if (counter->state == TW_COUNTER_TRAPPED)
		fprintf(out, ", %.0f ns each time", counter->read_cost_ns);
	if (counter->state == TW_COUNTER_COARSE)
		fprintf(out, ", %.0f ns", counter->step_ns);
	fprintf(out, ".\n");
}

void tw_command_counter_warnings(const struct tw_counter_facts *counter,
				 FILE *out)
{
	print_state(counter, out);
	if (counter->clock_is_call == 1)
		fprintf(out, "WARNING: clock_gettime() is a real system call "
			"here, of %.0f ns: the vDSO is off or can't read the\n"
			"    kernel's clocksource.\n", counter->clock_cost_ns);
	if (counter->emulated)
		fprintf(out, "WARNING: another program translates this one: "
			"the counter is that program's.\n");
	if (counter->time_namespace == 1)
		fprintf(out, "WARNING: a time namespace shifts CLOCK_MONOTONIC "
			"by %+" PRId64 " ns, CLOCK_BOOTTIME\n    by %+" PRId64
			" ns: stamps compare within it only.\n",
			counter->monotonic_offset_ns,
			counter->boottime_offset_ns);
}
