/* SPDX-License-Identifier: MIT */
/*
 * The samples of `perf record`, as `perf script --no-demangle` prints them.
 * perf finds the symbols, and reads compressed files and those written to a
 * pipe.
 *
 *	PROGRAM  PID  TIME:  PERIOD EVENT:
 *		ADDRESS SYMBOL+OFFSET (OBJECT)		innermost function first
 *		...
 *
 * Without call chains the one address follows on the same line. The words
 * before the event can be missing.
 */
#ifndef TW_PROFILE_PERF_SCRIPT_H
#define TW_PROFILE_PERF_SCRIPT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TW_ROW_UNKNOWN	UINT32_MAX

/* A symbol; there is one for each name. */
struct perf_symbol {
	uint32_t row;			/* set by the caller; first TW_ROW_UNKNOWN */
	char name[];			/* not demangled */
};

struct perf_sample {
	int in_kernel;			/* 1: its innermost function is in the kernel */
	double weight;
	size_t first_frame, frames;	/* in perf_samples.frames */
};

struct perf_samples {
	char event[64];
	int has_chains, other_events;
	struct perf_sample *samples;	/* in the order of time */
	size_t sample_count;
	struct perf_symbol **frames;	/* of user space, innermost first */
	size_t frame_count;
	void *symbols;			/* all of them, sorted by name */
};

/*
 * Read @path: a file of perf record, for which perf is run, or the text that
 * perf printed.
 * Return: 0; -errno; -EINVAL with *@line set if it is no such text; -ENOEXEC:
 * perf is not installed; -EPROTO: perf failed.
 */
int tw_perf_script_read(struct perf_samples *samples, const char *path,
			unsigned *line);
/* Read the text. Return: 0; -errno; -EINVAL as above. */
int tw_perf_script_parse(struct perf_samples *samples, FILE *stream,
			 unsigned *line);
void tw_perf_samples_free(struct perf_samples *samples);

#endif
