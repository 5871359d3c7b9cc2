/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The offsets of the system's clocks and of fio's clock from the counter, at a job's start and
 * at its end, and what these two tell.
 */
#ifndef TW_PLUGIN_RECORD_CLOCK_OFFSETS_H
#define TW_PLUGIN_RECORD_CLOCK_OFFSETS_H

#include "job_state.h"

/* Read the offsets now. They are relative to the counter's time since the job's start, so those
 * of its start and of its end have the same zero. */
void tw_clock_offsets_read(const struct tw_job *job, struct tw_clock_offsets *moment);

/* Return the time of a clock at @ticks, in ns. Its offset changes evenly from @from at
 * the job's start to @to at its @end. The second function is for CLOCK_MONOTONIC. */
uint64_t tw_clock_offsets_clock_ns(const struct tw_job *job, const struct tw_clock_offsets *end,
			    uint64_t ticks, struct tw_offset from, struct tw_offset to);
uint64_t tw_clock_offsets_monotonic_ns(const struct tw_job *job, const struct tw_clock_offsets *end,
				uint64_t ticks);

/* Return "clocks" of a report, between the job's start and @end; NULL without memory. */
json_t *tw_clocks_to_json(const struct tw_job *job, const struct tw_clock_offsets *end);

#endif
