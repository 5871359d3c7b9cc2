/* SPDX-License-Identifier: MIT */
/*
 * What `perf record` wrote, as far as a profile needs it: the samples of its
 * first event and what was mapped where. The file's format is the kernel's
 * (linux/perf_event.h, perf's own perf.data-file-format.txt); perf itself is
 * not needed to read it.
 */
#ifndef TW_PROFILE_PERF_DATA_H
#define TW_PROFILE_PERF_DATA_H

#include <stddef.h>
#include <stdint.h>

/* Code that was mapped into a process, from a time on. */
struct perf_map {
	uint32_t pid;
	uint64_t begin, end, offset, time_ns;
	const char *path;		/* in the file's memory */
};

struct perf_fork {
	uint32_t pid, parent;
};

struct perf_sample {
	uint32_t pid;
	int in_kernel;
	uint64_t address, time_ns, weight;
	size_t first_frame, frames;	/* in perf_data.chain; user addresses */
};

struct perf_data {
	unsigned char *bytes;
	size_t size;
	uint32_t event_type;		/* of perf_event_attr */
	uint64_t event_config;
	int has_chains, has_times, other_events;
	struct perf_map *maps;
	size_t map_count;
	struct perf_fork *forks;
	size_t fork_count;
	struct perf_sample *samples;
	size_t sample_count;
	uint64_t *chain;		/* innermost first */
	size_t chain_count;
	uint64_t lost;			/* samples, as the kernel counted them */
};

/*
 * 0; -errno; -EINVAL where it is no such file, or damaged; -EPROTO where it is
 * one that this can't read, with @why set to what it is.
 */
int tw_perf_data_read(struct perf_data *data, const char *path,
		      const char **why);
/* The same of @size bytes in memory, which are copied. */
int tw_perf_data_parse(struct perf_data *data, const void *bytes, size_t size,
		       const char **why);
void tw_perf_data_free(struct perf_data *data);

/* The mapping that @address of process @pid lay in at @time_ns; NULL. */
const struct perf_map *tw_perf_data_map(const struct perf_data *data,
					uint32_t pid, uint64_t address,
					uint64_t time_ns);

/* "cpu-clock", "cycles" ... */
const char *tw_perf_data_event(const struct perf_data *data);

#endif
