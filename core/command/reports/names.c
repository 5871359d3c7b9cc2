/* SPDX-License-Identifier: MIT */
/*
 * The names in a report: of its times, directions, counts, clocks, verdicts,
 * and of what it need not hold.
 */
#include <stddef.h>

#include "command/reports/names.h"

#define AS_TIME(constant, name, is) \
	{ #name, "stages", #name, "stages." #name, is },

const struct tw_report_time tw_report_times[TW_REPORT_TIMES] = {
	TW_EACH_STAGE(AS_TIME)
	{ "lat", "stages", "lat", "stages.lat",
	  "the sum of the stages: fio's lat, unless tw_event_time=1" },
	{ "slip", "response", "slip", "response.slip",
	  "from when the I/O is due by the job's rate to where lat begins" },
	{ "response", "response", "total", "response.total", "slip + lat" },
	{ "submitting_call", "", "submitting_call", "submitting_call",
	  "inside the system call that submitted the I/O" },
};

const char *const tw_report_directions[TW_REPORT_DIRECTIONS] = {
	"read", "write", "trim", "sync",
};

const char *const tw_report_counts_names[TW_REPORT_COUNTS] = {
	[TW_REPORT_IOS] = "ios",
	[TW_REPORT_ERRORS] = "errors",
	[TW_REPORT_SHORT] = "short",
	[TW_REPORT_REQUEUED] = "requeued",
	[TW_REPORT_EMPTY] = "empty",
	[TW_REPORT_UNACCOUNTED] = "unaccounted",
	[TW_REPORT_BACKWARDS] = "backwards",
};

const char *const tw_report_clocks_names[TW_REPORT_CLOCKS] = {
	[TW_REPORT_TICKWISE] = "tickwise",
	[TW_REPORT_FIO] = "fio",
	[TW_REPORT_MONOTONIC] = "monotonic",
};

const char *const tw_report_verdicts[TW_REPORT_VERDICTS] = {
	[TW_REPORT_RELIABLE] = "reliable",
	[TW_REPORT_UNCHECKED] = "unchecked",
	[TW_REPORT_UNDECIDED] = "undecided",
	[TW_REPORT_UNRELIABLE] = "unreliable",
};

/* Of jobs without a rate there is no response time to be missed. */
static unsigned missed_by(const struct tw_report_group *group)
{
	const struct tw_report_tally *tally = &group->tally;

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (tally->times[TW_REPORT_SLIP][i].count ||
		    tally->times[TW_REPORT_RESPONSE][i].count)
			return tally->missing;
	return tally->missing & ~TW_REPORT_NO_RESPONSE;
}

const char *tw_report_missing(const struct tw_report_group *group, unsigned i)
{
	static const char *const names[TW_REPORT_MAY_MISS] = {
		[TW_REPORT_IOS] = "the I/Os themselves",
		[TW_REPORT_REQUEUED] = "I/Os that fio had to bring again",
		[TW_REPORT_EMPTY] = "I/Os that moved nothing",
		[TW_REPORT_ERRORS] = "errors",
		[TW_REPORT_SHORT] = "short I/Os",
		[TW_REPORT_UNACCOUNTED] = "I/Os that fio did not count",
		[TW_REPORT_BACKWARDS] = "stamps that ran backwards",
		/* TW_REPORT_NO_BATCHES and those after it */
		[TW_REPORT_COUNTS] = "batches", "the slowest I/Os",
		"the run over time", "response times",
	};

	unsigned missed = missed_by(group);

	for (unsigned bit = 0; bit < TW_REPORT_MAY_MISS; bit++)
		if (missed & (1U << bit) && i-- == 0)
			return names[bit];
	return NULL;
}
