/* SPDX-License-Identifier: MIT */
/*
 * The names in a report: of its stages, directions, counts, clocks, verdicts,
 * and of what it need not hold.
 */
#include <stddef.h>

#include "command/report/report.h"

const struct tw_report_stage tw_report_stages[TW_REPORT_STAGES] = {
	{ "queue", "stages", "queue",
	  "waited in the ring to be submitted with others; no others, no wait" },
	{ "enter", "stages", "enter",
	  "inside the system call that submitted it" },
	{ "inflight", "stages", "inflight",
	  "from entering the kernel until the completion is seen" },
	{ "return", "stages", "return",
	  "its completion was seen, until fio took the I/O back" },
	{ "total", "stages", "total",
	  "in the ring for submission, until the completion was seen" },
	{ "slip", "response", "slip",
	  "due by the job's rate, until it was in the ring for submission" },
	{ "response", "response", "total",
	  "due by the job's rate, until the completion was seen" },
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
		if (tally->stages[TW_REPORT_SLIP][i].count ||
		    tally->stages[TW_REPORT_RESPONSE][i].count)
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
