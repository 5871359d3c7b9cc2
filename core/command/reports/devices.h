/* SPDX-License-Identifier: MIT */
/*
 * The I/Os of reports by device, and whether one of the devices is slower than
 * the others.
 */
#ifndef TW_REPORT_DEVICES_H
#define TW_REPORT_DEVICES_H

#include "command/reports/report.h"

/* Parts of a run. Of two equal devices, one is the slower in SLOW_PARTS parts
 * in 1 of 240 runs, if the parts are independent: 2 * (120 + 16 + 1) / 2^16. */
#define TW_REPORT_DEVICE_PARTS		16
#define TW_REPORT_DEVICE_SLOW_PARTS	14

struct tw_report_device_part {
	uint64_t count, sum_ns;		/* of lat */
};

/* A device of a report, or of all jobs with I/Os on it. */
struct tw_report_device {
	const char *number;		/* "259:0" */
	const char *name;		/* "nvme0n1"; or the number */
	const char *host;
	const json_t *json;		/* as read */
	size_t jobs;
	int has_ios;			/* 0: all I/Os of the job are on it */
	struct tw_histogram lat[TW_REPORT_DIRECTIONS];
	struct tw_histogram in_device[TW_REPORT_DIRECTIONS];	/* the stage device */
	/* Number with I/Os, in the job that has most. */
	size_t intervals[TW_REPORT_DIRECTIONS];
	struct tw_report_device_part
		parts[TW_REPORT_DEVICE_PARTS][TW_REPORT_DIRECTIONS];
};

struct tw_report_devices {
	struct tw_report_device *list;
	size_t count;
	uint64_t other_files;		/* number of files on devices that are
					 * not in the list */
	/* Number of jobs that are not in the list: a line of a file of
	 * intervals does not tell which of several devices had its I/Os. */
	size_t other_jobs;
};

/* Read the devices. Sets @problem if they are wrong. Return: 0; -ENOMEM. */
int tw_report_read_devices(struct tw_report *report,
			   struct tw_report_problem *problem);
void tw_report_devices_free(struct tw_report_devices *devices);

/* Add the sums of lines of a file of intervals. @report has its header. Return:
 * 0; -ENOMEM; -EOVERFLOW. */
int tw_report_devices_add_lines(struct tw_report_devices *devices,
				const struct tw_report *report,
				const struct tw_report_tally *tally,
				const struct tw_report_over_time *over_time);

/* Merge the devices of all jobs of the groups. Return: 0; -ENOMEM;
 * -EOVERFLOW. */
int tw_report_merge_devices(struct tw_report_devices *devices,
			    const struct tw_report_group *groups, size_t count);

/* Devices with I/Os of a direction, and which of them are slower than the
 * others (slow_device.c). */
struct tw_report_ranking {
	/* The slow devices first, then by @percent of lat. This is the largest
	 * percentile that most devices have ten I/Os beyond; 0: sorted by the
	 * mean. */
	const struct tw_report_device **list;
	double percent;
	/* Sorted by the median of the parts' means. The first @slow are the
	 * slow ones. */
	const struct tw_report_device **by_parts;
	size_t slow;
	size_t count;
	int direction;
	char unjudged[160];		/* why there is no verdict; "": there is one */
};

/* Rank the devices of @groups. Return: 0; -ENOMEM. */
int tw_report_rank_devices(struct tw_report_ranking *ranking,
			   const struct tw_report_devices *devices, int direction,
			   const struct tw_report_group *groups, size_t count);
void tw_report_ranking_free(struct tw_report_ranking *ranking);

/* Describe which devices are slow, if there are at least two devices. */
void tw_report_say_slow_devices(char *text, size_t size,
				const struct tw_report_ranking *ranking);

/* Add "devices" and "slow_devices" to an object, if there are several devices
 * (devices_json.c). Return: 0; -ENOMEM. */
int tw_report_devices_to_json(json_t *object, const struct tw_report_group *groups,
			      size_t count);

#endif
