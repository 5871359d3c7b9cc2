/* SPDX-License-Identifier: MIT */
/*
 * Writes the profile's file: lines of text, one record each, with "end" as the
 * last. It is written under another name and renamed, so nobody sees half of
 * it. `tickwise profile` reads it (core/profile/command/file.c).
 *
 * Uses neither stdio nor malloc: the program is at its end, and perhaps in the
 * middle of one of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "maps.h"
#include "profile.h"
#include "tickwise-profile.h"

#define BUFFER_SIZE	65536
#define LINE_SIZE	(PATH_MAX + 512)

/* How long a thread may take to leave its hook, since it may have lost its CPU. */
#define HOOK_WAIT_NS	1000000000ULL

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
		ssize_t wrote = write(out->file, out->buffer + done,
				      out->length - done);

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
		put(context, "map %llx %llx %llx %s\n",
		    (unsigned long long)map->begin,
		    (unsigned long long)map->end,
		    (unsigned long long)map->offset, map->path);
}

static void put_program(struct output *out)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[length < 0 ? 0 : length] = 0;
	put(out, "program %s\n", one_line(path));
	put(out, "pid %d\n", (int)tw_profile.pid);
}

static void put_clock(struct output *out, uint64_t now_ticks)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	static const char *const fence[] = {
		[TW_PROFILE_FENCE_NONE] = "none",
		[TW_PROFILE_FENCE_RDTSCP] = "rdtscp",
		[TW_PROFILE_FENCE_FULL] = "full",
	};
	const struct tw_profile_cost *cost = &tw_profile.cost;

	/* The whole run is the last window, and the longest one. */
	(void)tw_clock_refine(&tw_profile.clock);
	tw_clock_rate(&tw_profile.clock, &rate);
	put(out, "rate %.17g %.6g %s %s\n", rate.hz, rate.uncertainty_ppb,
	    tw_name(TW_ENUM_AGAINST, rate.against),
	    tw_name(TW_ENUM_RATE_SOURCE, rate.source));
	put(out, "fence %s\n", fence[tw_profile.options.fence]);
	put(out, "cost %.3f %.3f %.3f %.3f %.3f %.3f %.3f %u %.3f\n",
	    cost->inside, cost->inside_spread, cost->outside,
	    cost->outside_spread, cost->both_spread, cost->untimed,
	    cost->untimed_spread, cost->samples, cost->beyond);
	put(out, "wall %llu %llu\n", (unsigned long long)tw_profile.begin_ticks,
	    (unsigned long long)now_ticks);
}

static void put_drops(struct output *out, const struct tw_recorder_drops *drops,
		      uint64_t threads)
{
	put(out, "dropped %llu %llu %llu %llu %llu %llu %llu\n",
	    (unsigned long long)drops->too_deep,
	    (unsigned long long)drops->no_memory,
	    (unsigned long long)drops->in_hook,
	    (unsigned long long)drops->unmatched,
	    (unsigned long long)drops->backwards,
	    (unsigned long long)drops->events, (unsigned long long)threads);
}

static void put_thread(struct output *out,
		       const struct tw_profile_thread_line *line)
{
	char name[sizeof(line->name)];

	memcpy(name, line->name, sizeof(name));
	put(out, "thread %d %llu %llu %llu %llu %llu %s\n", (int)line->tid,
	    (unsigned long long)line->calls, (unsigned long long)line->nodes,
	    (unsigned long long)line->begin_ticks,
	    (unsigned long long)line->end_ticks,
	    (unsigned long long)line->excluded_ticks, one_line(name));
}

static void put_nodes(struct output *out, const struct tw_tree *tree)
{
	uint32_t index = 0;

	tree->root->index = 0;
	for (struct tw_node *node = tw_tree_next(tree, tree->root); node;
	     node = tw_tree_next(tree, node)) {
		node->index = ++index;
		put(out, "node %u %u %llx %llu %llu %llu %llu %llu %llu %u %u\n",
		    node->index, node->parent->index,
		    (unsigned long long)(uintptr_t)node->function,
		    (unsigned long long)node->calls,
		    (unsigned long long)node->not_timed,
		    (unsigned long long)node->ticks,
		    (unsigned long long)(node->min_ticks == UINT64_MAX ? 0 :
					 node->min_ticks),
		    (unsigned long long)node->max_ticks,
		    (unsigned long long)node->abandoned, node->open,
		    node->flags);
	}
}

static void put_histograms(struct output *out, const struct tw_tree *tree)
{
	const struct tw_node *entry = tree->functions->child;

	for (; entry; entry = entry->sibling) {
		const struct tw_histogram *histogram = entry->histogram;
		uint32_t last;

		if (!histogram || !histogram->count)
			continue;
		put(out, "histogram %llx %u %llu %llu %llu %llu\n",
		    (unsigned long long)(uintptr_t)entry->function,
		    histogram->digits, (unsigned long long)histogram->count,
		    (unsigned long long)histogram->sum_ns,
		    (unsigned long long)histogram->min_ns,
		    (unsigned long long)histogram->max_ns);
		last = tw__histogram_bin(histogram, histogram->max_ns);
		for (uint32_t bin = tw__histogram_bin(histogram,
						     histogram->min_ns);
		     bin <= last; bin++)
			if (histogram->bins[bin])
				put(out, "bin %u %llu\n", bin,
				    (unsigned long long)histogram->bins[bin]);
	}
}

static void put_events(struct output *out, pid_t tid,
		       const struct tw_event *events, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		put(out, "event %d %llx %llu %llu %llu\n", (int)tid,
		    (unsigned long long)(uintptr_t)events[i].function,
		    (unsigned long long)events[i].start_ticks,
		    (unsigned long long)events[i].ticks,
		    (unsigned long long)events[i].depth);
}

/* Add calls that have not returned, with their time up to now. */
static int add_open(struct tw_tree *tree, const struct tw_recorder *recorder,
		    uint64_t now_ticks)
{
	struct tw_node *node = tree->root;
	int is_new;

	for (const struct tw_frame *frame = recorder->frames + 1;
	     frame <= recorder->top; frame++) {
		uint64_t ticks = now_ticks - recorder->excluded_ticks -
				 frame->start_ticks;

		if (frame->start_ticks == TW_NOT_TIMED)
			continue;
		node = tw_tree_child(tree, node, frame->function, &is_new);
		if (!node)
			return -ENOMEM;
		node->ticks += ticks > INT64_MAX ? 0 : ticks;
		node->open++;
	}
	return 0;
}

/* Write everything, with the threads that run. Their hooks do nothing meanwhile. */
static int put_threads(struct output *out, uint64_t now_ticks)
{
	struct tw_recorder_drops drops = tw_profile.ended_drops;
	struct tw_tree all;
	/* Use memory beyond the budget, because what was recorded must be
	 * written. */
	int failed = tw_tree_init(&all, NULL,
				  tw_profile.options.histogram_digits);

	if (failed)
		return failed;
	failed = tw_tree_merge(&all, &tw_profile.ended);
	for (const struct tw_profile_thread_line *line = tw_profile.lines;
	     line; line = line->next)
		put_thread(out, line);
	for (struct tw_profile_thread *thread = tw_profile.threads; thread;
	     thread = thread->next) {
		const struct tw_recorder *recorder = &thread->recorder;
		struct tw_profile_thread_line line = {
			.tid = thread->tid, .calls = recorder->calls,
			.nodes = recorder->tree.nodes,
			.begin_ticks = thread->begin_ticks,
			.end_ticks = now_ticks,
			.excluded_ticks = recorder->excluded_ticks,
		};

		memcpy(line.name, thread->name, sizeof(line.name));
		put_thread(out, &line);
		if (!failed)
			failed = tw_tree_merge(&all, &recorder->tree);
		if (!failed)
			failed = add_open(&all, recorder, now_ticks);
		tw_profile_drops_add(&drops, &recorder->drops);
		put_events(out, thread->tid, recorder->events,
			   recorder->event_count);
	}
	for (const struct tw_profile_events *events = tw_profile.ended_events;
	     events; events = events->next)
		put_events(out, events->tid, events->events, events->count);
	put_drops(out, &drops, tw_profile.lost_at_end);
	put_nodes(out, &all);
	put_histograms(out, &all);
	tw_tree_free(&all);
	return failed;
}

static int put_everything(struct output *out, uint64_t now_ticks)
{
	int failed;

	put(out, "tickwise-profile 1\n");
	put_program(out);
	put_clock(out, now_ticks);
	tw_maps_each(put_map, out);
	failed = put_threads(out, now_ticks);
	put(out, "end\n");
	flush(out);
	return out->failed ? -out->failed : failed;
}

/* Name the file as the user wants. A child after fork never overwrites its
 * parent's file. */
static void name_file(char *path, size_t size, pid_t first_pid)
{
	const char *given = tw_profile.options.file;

	if (given[0] && tw_profile.pid == first_pid)
		snprintf(path, size, "%s", given);
	else if (given[0])
		snprintf(path, size, "%s.%d", given, (int)tw_profile.pid);
	else
		snprintf(path, size, "%.100s.%d.tickwise-profile",
			 program_invocation_short_name, (int)tw_profile.pid);
}

static pid_t first_pid;

static int write_aside(const char *path, uint64_t now_ticks)
{
	static struct output out;	/* under the lock */
	const char *slash = strrchr(path, '/');
	char aside[PATH_MAX + 64];
	int failed;

	/* The given name may be as long as names can be. */
	snprintf(aside, sizeof(aside), "%.*stickwise-%d.new",
		 slash ? (int)(slash - path) + 1 : 0, path, (int)getpid());
	out.length = 0;
	out.failed = 0;
	/* Left by a process that was killed, or put there by another user. */
	unlink(aside);
	out.file = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (out.file < 0)
		return -errno;
	failed = put_everything(&out, now_ticks);
	if (close(out.file) && !failed)
		failed = -errno;
	if (!failed && rename(aside, path))
		failed = -errno;
	if (failed)
		unlink(aside);
	return failed;
}

/*
 * Let no hook go on, and wait until none is at work. With the barrier each
 * thread sees the mode, or this thread sees that the other is in a hook.
 */
static void hold(int mode)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	uint64_t waited_ns = 0;

	__atomic_store_n(&tw_profile_mode, mode, __ATOMIC_SEQ_CST);
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	for (struct tw_profile_thread *thread = tw_profile.threads; thread;
	     thread = thread->next) {
		if (thread == tw_profile_self)
			continue;
		while (__atomic_load_n(&thread->busy, __ATOMIC_ACQUIRE) &&
		       waited_ns < HOOK_WAIT_NS) {
			nanosleep(&pause, NULL);
			waited_ns += 100000;
		}
	}
}

/*
 * Measure the hooks again. The processor may run faster or slower than at the
 * start, while ticks stay the same. The mean of both measurements is taken out,
 * and half of their difference adds to the spread.
 */
static void calibrate_again(void)
{
	struct tw_profile_cost now;

	tw_profile_calibrate(&now);
	tw_profile_cost_join(&tw_profile.cost, &now);
}

/* Exclude this thread's time since then from every function. */
static void exclude(struct tw_profile_thread *thread, uint64_t since_ticks)
{
	if (thread && thread != &tw_profile_nobody)
		thread->recorder.excluded_ticks += tw_ticks_end() - since_ticks;
}

static int write_now(int mode_afterwards)
{
	struct tw_profile_thread *self = tw_profile_self;
	uint64_t now_ticks = tw_ticks_end();
	char path[PATH_MAX + 32];
	int failed;

	tw_profile_self = &tw_profile_nobody;
	tw_profile_lock();
	calibrate_again();
	hold(mode_afterwards == TW_PROFILE_STOPPED ? TW_PROFILE_STOPPED :
	     TW_PROFILE_HELD);
	exclude(self, now_ticks);
	now_ticks = tw_ticks_end();
	name_file(path, sizeof(path), first_pid);
	failed = write_aside(path, now_ticks);
	exclude(self, now_ticks);
	__atomic_store_n(&tw_profile_mode, mode_afterwards, __ATOMIC_SEQ_CST);
	tw_profile_unlock();
	tw_profile_self = self;
	if (failed)
		tw_profile_say("can't write %s: %s", path, strerror(-failed));
	return failed;
}

void tw_profile_write_init(void)
{
	first_pid = getpid();
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

int tw_profile_write(void)
{
	int mode;

	tw_profile_start();
	mode = __atomic_load_n(&tw_profile_mode, __ATOMIC_ACQUIRE);
	if (mode == TW_PROFILE_STOPPED || getpid() != tw_profile.pid)
		return -EPERM;
	return write_now((int)tw_profile.options.fence);
}

void tw_profile_end(void)
{
	if (__atomic_load_n(&tw_profile_mode, __ATOMIC_ACQUIRE) ==
	    TW_PROFILE_STOPPED)
		return;
	write_now(TW_PROFILE_STOPPED);
}
