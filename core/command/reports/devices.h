/* SPDX-License-Identifier: MIT */
/*
 * The I/Os of reports by the device that they were on, and whether one of the devices
 * is slower than the others.
 */
#ifndef TW_REPORT_DEVICES_H
#define TW_REPORT_DEVICES_H

#include "command/reports/report.h"

/* Of a run. Of two devices that are alike, one is the slower in SLOW_PARTS of them in 1 of
 * 240 runs, if the parts are independent: 2 * (120 + 16 + 1) / 2^16. */
#define TW_REPORT_DEVICE_PARTS		16
#define TW_REPORT_DEVICE_SLOW_PARTS	14

struct tw_report_device_part {
	uint64_t count, sum_ns;		/* of lat */
};

/* Of a report, or of all jobs together that had I/Os on it. */
struct tw_report_device {
	const char *number;		/* "259:0" */
	const char *name;		/* "nvme0n1"; or the number */
	const char *host;
	const json_t *json;		/* as read */
	size_t jobs;
	int has_ios;			/* else all I/Os of the job are on it */
	struct tw_histogram lat[TW_REPORT_DIRECTIONS];
	struct tw_histogram in_device[TW_REPORT_DIRECTIONS];	/* the stage */
	size_t intervals[TW_REPORT_DIRECTIONS];	/* with I/Os, of the job with most */
	struct tw_report_device_part
		parts[TW_REPORT_DEVICE_PARTS][TW_REPORT_DIRECTIONS];
};

struct tw_report_devices {
	struct tw_report_device *list;
	size_t count;
	uint64_t other_files;		/* on devices that are not in the list */
	/* Jobs that are not in the list: a line of a file of intervals does not tell on
	 * which of several devices its I/Os were. */
	size_t other_jobs;
};

/* 0; -ENOMEM. What is wrong is in @problem. */
int tw_report_read_devices(struct tw_report *report,
			   struct tw_report_problem *problem);
void tw_report_devices_free(struct tw_report_devices *devices);

/* Add what lines of a file of intervals add up to, of which @report has the header. 0;
 * -ENOMEM; -EOVERFLOW. */
int tw_report_devices_add_lines(struct tw_report_devices *devices,
				const struct tw_report *report,
				const struct tw_report_tally *tally,
				const struct tw_report_over_time *over_time);

/* Those of all jobs of the groups together. 0; -ENOMEM; -EOVERFLOW. */
int tw_report_merge_devices(struct tw_report_devices *devices,
			    const struct tw_report_group *groups, size_t count);

/* Devices with I/Os of a direction, and which of them are slower than the others
 * (slow_device.c). */
struct tw_report_ranking {
	/* The slow ones first, then by @percent of lat, the largest that most have ten
	 * I/Os beyond; 0: by the mean. */
	const struct tw_report_device **list;
	double percent;
	/* By the median of the parts' means. The first @slow are the slow ones. */
	const struct tw_report_device **by_parts;
	size_t slow;
	size_t count;
	int direction;
	char unjudged[160];		/* why not; "": @slow was looked for */
};

/* @groups: what the devices are of. 0; -ENOMEM. */
int tw_report_rank_devices(struct tw_report_ranking *ranking,
			   const struct tw_report_devices *devices, int direction,
			   const struct tw_report_group *groups, size_t count);
void tw_report_ranking_free(struct tw_report_ranking *ranking);

/* Which are the slow ones, of two devices and more. */
void tw_report_say_slow_devices(char *text, size_t size,
				const struct tw_report_ranking *ranking);

/* Into an object: "devices" and "slow_devices", of more than one device; 0; -ENOMEM
 * (devices_json.c). */
int tw_report_devices_to_json(json_t *object, const struct tw_report_group *groups,
			      size_t count);

#endif
