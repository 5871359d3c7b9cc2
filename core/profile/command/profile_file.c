/* SPDX-License-Identifier: MIT */
/*
 * Reads a profile's file. Each line is a record, and its first word is the kind. Everything in
 * the file is checked, as it can come from anywhere.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/plain_text.h"
#include "base/write_file.h"
#include "profile/command/profiles.h"

#define MAGIC	"tickwise-profile 1"

/* Each of these reads what follows the kind. Return 1 if it is right. */

static int read_map(struct profile_file *file, const char *rest)
{
	struct profile_map *map = tw_another(&file->maps, &file->map_count);
	const char *slash;
	int used = 0;

	if (sscanf(rest, "%lx %lx %lx %n", &map->begin, &map->end, &map->offset, &used) < 3 ||
	    !used)
		return 0;
	map->path = tw_copy_text(rest + used);
	slash = strrchr(map->path, '/');
	map->object = tw_plain_text(tw_copy_text(slash ? slash + 1 : map->path));
	return 1;
}

static int read_node(struct profile_file *file, const char *rest)
{
	struct profile_node *node = tw_another(&file->nodes, &file->node_count);
	uint32_t index;

	if (sscanf(rest, "%u %u %lx %lu %lu %lu %lu %lu %lu %u %u", &index, &node->parent,
		   &node->address, &node->calls, &node->not_timed, &node->ticks,
		   &node->min_ticks, &node->max_ticks, &node->abandoned, &node->open,
		   &node->flags) != 11 ||
	    index != file->node_count - 1 || node->not_timed > node->calls)
		return 0;
	/* The order is depth first, so the parent is on the path to the node before. */
	for (uint32_t at = index - 1; at != node->parent; at = file->nodes[at].parent)
		if (at == 0)
			return 0;
	return 1;
}

static int read_event(struct profile_file *file, const char *rest)
{
	struct profile_event *event = tw_another(&file->events, &file->event_count);

	return sscanf(rest, "%d %lx %lu %lu %lu", &event->tid, &event->address,
		      &event->start_ticks, &event->ticks, &event->depth) == 5;
}

static int read_histogram(struct profile_file *file, const char *rest)
{
	struct profile_histogram *histogram = tw_another(&file->histograms,
							 &file->histogram_count);

	histogram->first_bin = file->bin_count;
	return sscanf(rest, "%lx %u %lu %lu %lu %lu", &histogram->address, &histogram->digits,
		      &histogram->count, &histogram->sum_ticks, &histogram->min_ticks,
		      &histogram->max_ticks) == 6 &&
	       histogram->digits >= 1 && histogram->digits <= 3;
}

static int read_bin(struct profile_file *file, const char *rest)
{
	struct profile_bin *bin;

	if (!file->histogram_count)
		return 0;
	bin = tw_another(&file->bins, &file->bin_count);
	file->histograms[file->histogram_count - 1].bins++;
	return sscanf(rest, "%u %lu", &bin->bin, &bin->count) == 2;
}

/* Read what is there once. Unknown kinds, which a later version may add, are skipped. */
static int read_head(struct profile_file *file, const char *kind, const char *rest)
{
	struct tw_profile_cost *cost = &file->cost;
	uint64_t *losses = file->losses;
	int good = 1, tid, used = 0;

	if (!strcmp(kind, "thread")) {
		file->thread_count++;
		good = sscanf(rest, "%d", &tid) == 1;
	} else if (!strcmp(kind, "program")) {
		file->program = tw_plain_text(tw_copy_text(rest));
	} else if (!strcmp(kind, "pid")) {
		good = sscanf(rest, "%d", &file->pid) == 1;
	} else if (!strcmp(kind, "rate")) {
		good = sscanf(rest, "%lf %lf %31s %31s", &file->hz, &file->hz_uncertainty_ppb,
			      file->against, file->source) == 4 &&
		       file->hz >= 1e6 && file->hz <= 1e11 &&
		       isfinite(file->hz_uncertainty_ppb);
		tw_plain_text(file->against);
		tw_plain_text(file->source);
	} else if (!strcmp(kind, "fence")) {
		good = sscanf(rest, "%15s", file->fence) == 1;
		tw_plain_text(file->fence);
	} else if (!strcmp(kind, "cost")) {
		/* Refuse numbers that are infinite or NAN, which JSON does not have. */
		good = sscanf(rest, "%lf %lf %lf %lf %lf %lf %lf %u %lf%n", &cost->inside,
			      &cost->inside_spread, &cost->outside, &cost->outside_spread,
			      &cost->both_spread, &cost->untimed, &cost->untimed_spread,
			      &cost->samples, &cost->beyond, &used) >= 9 && !rest[used] &&
		       isfinite(cost->inside + cost->inside_spread + cost->outside +
				cost->outside_spread + cost->both_spread + cost->untimed +
				cost->untimed_spread + cost->beyond);
	} else if (!strcmp(kind, "wall")) {
		good = sscanf(rest, "%lu %lu", &file->begin_ticks, &file->end_ticks) == 2;
	} else if (!strcmp(kind, "usage")) {
		good = sscanf(rest, "%lu %lu", &file->cpu_ns, &file->preemptions) == 2;
	} else if (!strcmp(kind, "dropped")) {
		good = sscanf(rest, "%lu %lu %lu %lu %lu %lu %lu", &losses[0], &losses[1],
			      &losses[2], &losses[3], &losses[4], &losses[5], &losses[6]) ==
		       PROFILE_LOSSES;
	}
	return good;
}

/* Read a record. */
static int read_record(struct profile_file *file, char *line)
{
	static const struct {
		const char *kind;
		int (*read)(struct profile_file *file, const char *rest);
	} lists[] = {
		{ "node", read_node }, { "bin", read_bin }, { "event", read_event },
		{ "map", read_map }, { "histogram", read_histogram },
	};
	char *space = strchr(line, ' ');

	if (!space)
		return 1;
	*space = 0;
	for (size_t i = 0; i < TW_LENGTH(lists); i++)
		if (!strcmp(line, lists[i].kind))
			return lists[i].read(file, space + 1);
	return read_head(file, line, space + 1);
}

int tw_profile_file_parse(struct profile_file *file, FILE *stream, unsigned *line_number)
{
	size_t size = 0;
	char *line = NULL;
	ssize_t length;
	int good = 1, done = 0;

	*file = (struct profile_file) { 0 };
	*line_number = 0;
	tw_another(&file->nodes, &file->node_count);
	while (good && !done && (length = getline(&line, &size, stream)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = 0;
		if (++*line_number == 1)
			good = !strcmp(line, MAGIC);
		else if (strcmp(line, "end") == 0)
			done = 1;
		else
			good = read_record(file, line);
	}
	free(line);
	if (good && done && file->hz > 0)
		return 0;
	tw_profile_file_free(file);
	return -EINVAL;
}

int tw_profile_file_read(struct profile_file *file, const char *path, int takes,
			 unsigned *line)
{
	FILE *stream = tw_input_stream(path, takes);
	int result;

	if (!stream)
		return -errno;
	result = tw_profile_file_parse(file, stream, line);
	fclose(stream);
	return result;
}

void tw_profile_file_free(struct profile_file *file)
{
	free(file->maps);
	free(file->nodes);
	free(file->events);
	free(file->histograms);
	free(file->bins);
	*file = (struct profile_file) { 0 };
}
