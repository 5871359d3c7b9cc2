/* SPDX-License-Identifier: MIT */
/*
 * A profile's file in memory, as libtickwise-profile wrote it.
 */
#ifndef TW_PROFILE_FILE_H
#define TW_PROFILE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct profile_map {
	uint64_t begin, end, offset;
	char *path;
	char *object;			/* file name of the path, as plain text */
};

/* Nodes come after their parents. Number 0 is the root, which is no
 * function. */
struct profile_node {
	uint32_t parent;
	uint32_t function;		/* index of struct profile_function */
	uint32_t open, flags;
	uint64_t address;
	uint64_t calls, not_timed, ticks, min_ticks, max_ticks, abandoned;
};

struct profile_thread {
	int tid;
	uint64_t calls, nodes, begin_ticks, end_ticks, excluded_ticks;
	char *name;
};

struct profile_event {
	int tid;
	uint64_t address, start_ticks, ticks, depth;
};

struct profile_bin {
	uint64_t address;
	uint32_t bin;
	uint64_t count;
};

struct profile_histogram {
	uint64_t address;
	unsigned digits;
	uint64_t count, sum_ticks, min_ticks, max_ticks;
	size_t first_bin, bins;		/* in profile_file.bins */
};

struct profile_cost {
	double inside, inside_spread, outside, outside_spread, both_spread,
	       untimed, untimed_spread, beyond;
	unsigned samples;
};

struct profile_file {
	char *program;
	int pid;
	double hz, hz_uncertainty_ppb;
	char against[32], source[32], fence[16];
	struct profile_cost cost;	/* in ticks */
	uint64_t begin_ticks, end_ticks;
	uint64_t too_deep, no_memory, in_hook, unmatched, backwards,
		 events_lost, threads_lost;
	struct profile_map *maps;
	size_t map_count;
	struct profile_node *nodes;
	size_t node_count;
	struct profile_thread *threads;
	size_t thread_count;
	struct profile_event *events;
	size_t event_count;
	struct profile_histogram *histograms;
	size_t histogram_count;
	struct profile_bin *bins;
	size_t bin_count;
};

/* Read a file. Return: 0; -errno; -EINVAL with *@line set if this is not such a
 * file, or not all of it. */
int tw_profile_file_read(struct profile_file *file, const char *path,
			 unsigned *line);
int tw_profile_file_parse(struct profile_file *file, FILE *stream,
			  unsigned *line);
void tw_profile_file_free(struct profile_file *file);

#endif
