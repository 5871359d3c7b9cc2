/* SPDX-License-Identifier: MIT */
/*
 * Writes the profile's file: lines of text, one record each, with "end" as the last. It is
 * written under another name and renamed, so nobody sees half of it. `tickwise profile` reads
 * it (core/profile/command/profile_file.c).
 *
 * Uses neither stdio nor malloc: the program is at its end, and perhaps in the middle of one
 * of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/open_file.h"
#include "latency/histogram.h"
#include "profile.h"

#define BUFFER_SIZE	65536
#define LINE_SIZE	(PATH_MAX + 512)

struct output {
	int file;
	int failed;			/* errno of the first failure; 0 */
	size_t length;
	char buffer[BUFFER_SIZE];
};

static void flush(struct output *out)
{
	size_t done = 0;

	while (done < out->length && !out->failed) {
		ssize_t wrote = write(out->file, out->buffer + done, out->length - done);

		if (wrote >= 0)
			done += (size_t)wrote;
		else if (errno != EINTR)
			out->failed = errno;
	}
	out->length = 0;
}

static __attribute__((format(printf, 2, 3))) void
put(struct output *out, const char *format, ...)
{
	va_list args;
	int length;

	if (BUFFER_SIZE - out->length < LINE_SIZE)
		flush(out);
	va_start(args, format);
	length = vsnprintf(out->buffer + out->length, LINE_SIZE, format, args);
	va_end(args);
	if (length >= LINE_SIZE) {
		length = LINE_SIZE - 1;
		out->buffer[out->length + LINE_SIZE - 2] = '\n';
	}
	out->length += (size_t)length;
}

/* Make one line of a name, which may contain anything. */
static const char *one_line(char *text)
{
	for (char *at = text; *at; at++)
		if (*at == '\n' || *at == '\r')
			*at = '?';
	return text;
}

static void put_map(void *context, const struct tw_map *map)
{
	if (map->path[0])
		put(context, "map %" PRIx64 " %" PRIx64 " %" PRIx64 " %s\n", map->begin,
		    map->end, map->offset, map->path);
}

static void put_head(struct output *out, uint64_t now_ticks)
{
	const struct tw_profile_cost *cost = &tw_profile.cost;
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[length < 0 ? 0 : length] = 0;
	tw_clock_rate(&tw_profile.clock, &rate);
	put(out, "tickwise-profile 1\n");
	put(out, "program %s\n", one_line(path));
	put(out, "pid %d\n", (int)tw_profile.pid);
	put(out, "rate %.17g %.6g %s %s\n", rate.hz, rate.uncertainty_ppb,
	    tw_name(TW_ENUM_AGAINST, TW_AGAINST_RAW),
	    tw_name(TW_ENUM_RATE_SOURCE, rate.source));
	put(out, "fence %s\n", tw_profile_fences[tw_profile.options.fence]);
	put(out, "cost %.3f %.3f %.3f %.3f %.3f %.3f %.3f %u %.3f\n",
	    cost->inside, cost->inside_spread, cost->outside,
	    cost->outside_spread, cost->both_spread, cost->untimed,
	    cost->untimed_spread, cost->samples, cost->beyond);
	put(out, "wall %" PRIu64 " %" PRIu64 "\n", tw_profile.begin_ticks,
	    now_ticks - tw_profile.excluded_ticks);
	put(out, "usage %" PRIu64 " %" PRIu64 "\n", tw_profile.usage.cpu_ns,
	    tw_profile.usage.preemptions);
	tw_maps_each(put_map, out);
}

static void put_thread(struct output *out, struct tw_profile_line *line,
		       const struct tw_event *events, uint64_t count)
{
	put(out, "thread %d %s\n", (int)line->tid, one_line(line->name));
	for (uint64_t i = 0; i < count; i++)
		put(out, "event %d %" PRIxPTR " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		    (int)line->tid, (uintptr_t)events[i].function, events[i].start_ticks,
		    events[i].ticks, events[i].depth);
}

static void put_histograms(struct output *out, const struct tw_tree *tree)
{
	for (const struct tw_node *entry = tree->functions->child; entry;
	     entry = entry->sibling) {
		const struct tw_histogram *histogram = entry->histogram;
		uint32_t last;

		if (!histogram || !histogram->count)
			continue;
		put(out, "histogram %" PRIxPTR " %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		    "\n", (uintptr_t)entry->function, histogram->digits, histogram->count,
		    (uint64_t)histogram->sum_ns, histogram->min_ns, histogram->max_ns);
		last = tw__histogram_bin(histogram, histogram->max_ns);
		for (uint32_t bin = tw__histogram_bin(histogram, histogram->min_ns);
		     bin <= last; bin++)
			if (histogram->bins[bin])
				put(out, "bin %u %" PRIu64 "\n", bin, histogram->bins[bin]);
	}
}

/* Add calls that have not returned, with their time up to now. */
static int add_open(struct tw_tree *tree, const struct tw_recorder *recorder,
		    uint64_t now_ticks)
{
	struct tw_node *node = tree->root;

	for (const struct tw_frame *frame = recorder->frames + 1; frame <= recorder->top;
	     frame++) {
		uint64_t ticks = now_ticks - recorder->excluded_ticks - frame->start_ticks;

		if (frame->start_ticks == TW_NOT_TIMED)
			continue;
		node = tw_tree_child(tree, node, frame->function);
		if (!node)
			return -ENOMEM;
		node->ticks += ticks > INT64_MAX ? 0 : ticks;
		node->open++;
	}
	return 0;
}

/* Write what threads recorded, those that run, too. */
static int put_threads(struct output *out, uint64_t now_ticks)
{
	struct tw_recorder_drops drops = tw_profile.ended_drops;
	uint32_t index = 0;
	struct tw_tree all;
	/* Use memory beyond the budget, because what was recorded must be written. */
	int failed = tw_tree_init(&all, NULL, (unsigned)tw_profile.options.histogram_digits);

	if (failed)
		return failed;
	failed = tw_tree_merge(&all, &tw_profile.ended);
	for (struct tw_profile_line *line = tw_profile.lines; line; line = line->next)
		put_thread(out, line, line->events, line->event_count);
	for (struct tw_profile_thread *thread = tw_profile.threads; thread;
	     thread = thread->next) {
		const struct tw_recorder *recorder = &thread->recorder;

		put_thread(out, &thread->line, recorder->events, recorder->event_count);
		if (!failed)
			failed = tw_tree_merge(&all, &recorder->tree);
		if (!failed)
			failed = add_open(&all, recorder, now_ticks);
		tw_profile_drops_add(&drops, &recorder->drops);
	}
	put(out, "dropped %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
	    " %" PRIu64 "\n", drops.too_deep, drops.no_memory, drops.in_hook, drops.unmatched,
	    drops.backwards, drops.events, tw_profile.lost);
	all.root->index = 0;
	for (struct tw_node *node = tw_tree_next(&all, all.root); node;
	     node = tw_tree_next(&all, node)) {
		node->index = ++index;
		put(out, "node %u %u %" PRIxPTR " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		    " %" PRIu64 " %" PRIu64 " %u %u\n", node->index, node->parent->index,
		    (uintptr_t)node->function, node->calls, node->not_timed, node->ticks,
		    node->min_ticks == UINT64_MAX ? 0 : node->min_ticks, node->max_ticks,
		    node->abandoned, node->open, node->flags);
	}
	put_histograms(out, &all);
	tw_tree_free(&all);
	return failed;
}

int tw_profile_write_file(const char *path, uint64_t now_ticks)
{
	static struct output out;	/* under the lock */
	char aside[TW_NEW_PATH];
	int failed;

	tw_new_path(aside, path);
	out.length = 0;
	out.failed = 0;
	out.file = tw_new_file(aside, 0666);
	if (out.file < 0)
		return out.file;
	put_head(&out, now_ticks);
	failed = put_threads(&out, now_ticks);
	put(&out, "end\n");
	flush(&out);
	if (out.failed)
		failed = -out.failed;
	if (close(out.file) && !failed)
		failed = -errno;
	if (!failed && rename(aside, path))
		failed = -errno;
	if (failed)
		unlink(aside);
	return failed;
}
