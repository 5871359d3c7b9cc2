/* SPDX-License-Identifier: MIT */
/*
 * The defaults that tickwise check names in words, in its help and manual, are those that
 * it uses. Fails if a default of core/trust.c changes and the words do not.
 */
#include <inttypes.h>
#include <string.h>

#include "command/check/check.h"
#include "command/command.h"
#include "tap.h"
#include "trust.h"

#define NS_PER_MS	1000000

static struct tw_reliability_options defaults(enum tw_reliability_method method)
{
	struct tw_reliability_options options = {
		.size = sizeof(options), .method = method,
	};

	tw_check_fill_in_defaults(&options);
	return options;
}

static void words_are(const char *name, const char *should)
{
	const struct tw_option *option = tw_check_options.table;

	while (strcmp(option->name, name) != 0)
		option++;
	if (!tap_ok(!strcmp(option->otherwise, should), "--%s: %s", name, should))
		tap_note("is %s", option->otherwise);
}

int main(void)
{
	const struct tw_reliability_options cas = defaults(TW_METHOD_CAS);
	const struct tw_reliability_options moves = defaults(TW_METHOD_SWITCH);
	char text[128];

	snprintf(text, sizeof(text), "%" PRIu64 " more than --least-time: %" PRIu64
		 "; with `switch` %" PRIu64,
		 (uint64_t)(TW_TRUST_TIME_LIMIT_NS / NS_PER_MS),
		 cas.time_limit_ns / NS_PER_MS, moves.time_limit_ns / NS_PER_MS);
	words_are("time-limit", text);
	snprintf(text, sizeof(text), "%" PRIu64 "; with `switch` %" PRIu64 " and no less",
		 cas.least_time_ns / NS_PER_MS, moves.least_time_ns / NS_PER_MS);
	words_are("least-time", text);
	snprintf(text, sizeof(text), "%" PRIu64 "; with `switch` %" PRIu64,
		 (uint64_t)cas.tolerance_ns, (uint64_t)moves.tolerance_ns);
	words_are("tolerance", text);
	return tap_done();
}
