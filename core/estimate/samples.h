/* SPDX-License-Identifier: MIT */
/*
 * The samples that the probes record and the judge reads: which CPU read which
 * counter value, at which place of one total order. Internal.
 */
#ifndef TW_ESTIMATE_SAMPLES_H
#define TW_ESTIMATE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

struct tw_sample {
	uint64_t sequence;	/* unique; a larger one was read later */
	uint64_t ticks;
};

/*
 * The samples of one CPU, by rising sequence. Some probes may be missing: if
 * several follow each other on one CPU, the first and the last are enough.
 */
struct tw_cpu_samples {
	unsigned cpu;
	const struct tw_sample *samples;
	size_t count;
	uint64_t probes;	/* made, recorded or not */
};

#endif
