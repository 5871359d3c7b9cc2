/* SPDX-License-Identifier: MIT */
/*
 * The names in a report: of times, directions, counts, clocks and verdicts.
 */
#include <stddef.h>

#include "command/reports/report.h"

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
	[TW_REPORT_BYTES] = "bytes",
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
