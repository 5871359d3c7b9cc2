/* SPDX-License-Identifier: MIT */
/*
 * Which devices of reports are slower than the others.
 */
#ifndef TW_REPORT_DEVICES_H
#define TW_REPORT_DEVICES_H

#include "command/answers/report.h"

/* Parts of a run. Of two equal devices, one is the slower in SLOW_PARTS parts
 * in 1 of 240 runs, if the parts are independent: 2 * (120 + 16 + 1) / 2^16. */
#define TW_REPORT_DEVICE_PARTS		16
#define TW_REPORT_DEVICE_SLOW_PARTS	14

/* A device with I/Os of a direction. */
struct tw_report_ranked {
	const struct tw_report_device *device;
	double mean_ns[TW_REPORT_DEVICE_PARTS];	/* of lat; 0: no I/O in the part */
	double typical_ns;		/* the median of these means */
	size_t parts;			/* with I/Os */
	size_t windows;			/* over time, with I/Os */
	int is_slow;
};

struct tw_report_ranking {
	/* The slow devices first, then by @percent of lat. This is the largest
	 * percentile that most devices have ten I/Os beyond; 0: sorted by the
	 * mean. */
	struct tw_report_ranked *list;
	size_t count;
	size_t slow;
	double percent;
	int direction;
	int is_judged;
	char text[TW_REPORT_SENTENCE];	/* which are slow, or why this is not judged */
};

/* Rank the devices of @groups, which are those of @all. */
void tw_report_rank_devices(struct tw_report_ranking *ranking, const struct tw_report *all,
			    int direction, const struct tw_report_group *groups,
			    size_t count);
void tw_report_ranking_free(struct tw_report_ranking *ranking);

/* Return {DIRECTION: {percent, order, slow, text}} for directions in which several
 * devices of the group have I/Os; NULL: it has one device (devices_json.c). */
json_t *tw_report_slow_devices_to_json(const struct tw_report_group *group);

#endif
