/* SPDX-License-Identifier: MIT */
/*
 * The samples of `perf record`, as `perf script --no-demangle` prints them. perf
 * finds the symbols, and reads compressed files and those written to a pipe.
 *
 *	PROGRAM  PID  TIME:  PERIOD EVENT:
 *		ADDRESS SYMBOL+OFFSET (OBJECT)		innermost function first
 *		...
 *
 * Without call chains the one address follows on the same line. What stands
 * before the event may be missing.
 */
#ifndef TW_PROFILE_PERF_SCRIPT_H
#define TW_PROFILE_PERF_SCRIPT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TW_ROW_UNKNOWN	UINT32_MAX

/* One for each name. */
struct perf_symbol {
	uint32_t row;			/* for the caller; TW_ROW_UNKNOWN */
	char name[];			/* not demangled */
};

struct perf_sample {
	int in_kernel;			/* its innermost function is */
	double weight;
	size_t first_frame, frames;	/* in perf_samples.frames */
};

struct perf_samples {
	char event[64];
	int has_chains, other_events;
	struct perf_sample *samples;	/* in the order of time */
	size_t sample_count;
	struct perf_symbol **frames;	/* of the user, innermost first */
	size_t frame_count;
	void *symbols;			/* all of them, by name */
};

/*
 * Reads @path: a file of perf record, for which perf is run, or the text that
 * perf printed. 0; -errno; -EINVAL with *@line set where it is not such a text;
 * -ENOEXEC: there is no perf to run; -EPROTO: perf failed.
 */
int tw_perf_script_read(struct perf_samples *samples, const char *path,
			unsigned *line);
/* The text. 0; -errno; -EINVAL as above. */
int tw_perf_script_parse(struct perf_samples *samples, FILE *stream,
			 unsigned *line);
void tw_perf_samples_free(struct perf_samples *samples);

#endif
