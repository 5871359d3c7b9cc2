/* SPDX-License-Identifier: MIT */
/*
 * The listener is told of allowed CPUs that could not be judged, once for a
 * measurement. Fails if they are left out silently.
 */
#include <errno.h>
#include <string.h>

#include "estimate/probe.h"
#include "tap.h"
#include "trust.h"

static unsigned calls, heard;
static char message_heard[256];

static int first_thread_only(pthread_t *thread, const pthread_attr_t *attributes,
			     void *(*start)(void *), void *argument)
{
	if (calls++)
		return EAGAIN;
	return pthread_create(thread, attributes, start, argument);
}

static void listen(void *context, int level, const char *message)
{
	(void)context;
	if (level != TW_SAY_WARNING || !strstr(message, "not judged"))
		return;
	heard++;
	snprintf(message_heard, sizeof(message_heard), "%s", message);
}

int main(void)
{
	struct tw_probe_system system = tw_probe_system_real;
	struct tw_reliability result = TW_SIZED(struct tw_reliability);
	struct tw_machine machine = TW_SIZED(struct tw_machine);

	tw_machine_read(&machine);
	if (machine.cpus_allowed < 2) {
		tap_skip("only one CPU is allowed: none can be missing");
		return tap_done();
	}
	tw_set_diagnostics(listen, NULL);
	system.create = first_thread_only;
	if (!tap_ok(!tw_reliability_measure_on(&result, NULL, &system),
		    "judged on one CPU"))
		return tap_done();
	tap_ok(heard == 1 && result.cpus_skipped == machine.cpus_allowed - 1,
	       "and told: %s", message_heard);
	tw_reliability_free(&result);
	return tap_done();
}
