/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report's `watch`: how many I/Os have a stamp of when they were done, how
 * good it is, and why the others have none.
 */
#include "histogram_json.h"
#include "watch.h"

static json_t *by_direction(const uint64_t *counts)
{
	return json_pack("{sI, sI, sI, sI}",
			 "read", (json_int_t) counts[TW_READ],
			 "write", (json_int_t) counts[TW_WRITE],
			 "trim", (json_int_t) counts[TW_TRIM],
			 "sync", (json_int_t) counts[TW_SYNC]);
}

json_t *tw_watch_to_json(const struct tw_job *job)
{
	const struct tw_watch *watch = job->watch;
	json_t *object;

	object = json_pack("{ss, si, sb, so, so, sI, sI, sI}",
			   "mode", watch->mode == TW_WATCH_CQ ? "cq" :
								"taskrun",
			   "cpu", (int) watch->cpu,
			   "ring_differs", watch->ring_differs,
			   "stamped", by_direction(watch->stamped),
			   "of", by_direction(watch->of),
			   "unproved", (json_int_t) watch->unproved,
			   "late", (json_int_t) watch->late,
			   "disordered", (json_int_t) watch->disordered);
	if (watch->why_not) {
		json_object_set_new(object, "why_not",
				    json_string(watch->why_not));
		return object;
	}
	json_object_set_new(object, "away_ns",
			    json_integer((json_int_t) watch->away_ns));
	json_object_set_new(object, "counter_uncertainty_ns", json_real(
		(double) tw_job_ns(job, 0, watch->slack_ticks)));
	json_object_set_new(object, "look",
			    tw_histogram_to_json(&watch->look));
	return object;
}
