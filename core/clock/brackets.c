/* SPDX-License-Identifier: MIT */
/*
 * Collects brackets: CLOCK_MONOTONIC_RAW read between two reads of the counter. fit.c finds
 * out what the brackets mean.
 *
 * The window is cut into slots. Each slot keeps a few brackets that are about as narrow as
 * its own narrowest one. So they are spread evenly over the window at any load, and need
 * little memory. The narrowest of the whole window can be the few of one unusual moment.
 *
 * On an idle machine a short window is spent spinning: the core keeps one speed, and the
 * reading keeps its place inside the bracket. Where others want the CPU, the scheduler
 * stops the spinning thread for milliseconds. There, and in long windows, the thread
 * sleeps between short bursts: a thread that sleeps a lot mostly runs at once. fit.c and
 * kernel_rate.c deal with the holes that remain. A shorter slice (sched_setattr) and exact
 * timers (PR_SET_TIMERSLACK) would make half as many holes, but the caller owns these
 * settings, and setting them back waits for a turn on the CPU.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "brackets.h"
#include "counter/step.h"
#include "text_file.h"
#include "timespec.h"

/* Windows longer than this sleep between bursts: 1024 bursts are 51 ms. */
#define SPIN_WINDOW_NS		100000000ULL
#define MAX_KEPT		8192

/* How a window is spent. slots * kept_per_slot is MAX_KEPT. */
struct plan {
	unsigned slots;
	unsigned kept_per_slot;
	uint64_t burst_ns;		/* 0: spin */
};

static const struct plan plan_spin = { 1024, 8, 0 };
/* All bursts together take 1.3 of 20 ms. The scheduler sends a thread that
 * takes more to the back of the queue. */
static const struct plan plan_crowded = { 64, 128, 20000 };
static const struct plan plan_long = { 1024, 8, 50000 };

/* The first reads find the tolerance in ticks and warm the path up. */
#define LOOK_NS			100000ULL

/* Read a bracket. Inlined twice: the real clocks are never read through a
 * pointer. */
static inline struct tw_bracket read_bracket(const struct tw_time_source *source)
{
	struct tw_bracket bracket;
	struct timespec now;

	if (source) {
		bracket.before_ticks = source->read_ticks(source->context);
		bracket.reference_ns = source->read_ns(source->context);
		bracket.after_ticks = source->read_ticks(source->context);
		return bracket;
	}
	bracket.before_ticks = tw_ticks_begin();
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	bracket.after_ticks = tw_ticks_end();
	bracket.reference_ns = tw_timespec_ns(&now);
	return bracket;
}

static uint64_t width_ticks(const struct tw_bracket *bracket)
{
	return bracket->after_ticks - bracket->before_ticks;
}

static void sleep_for(const struct tw_time_source *source, uint64_t left_ns)
{
	struct timespec wait = tw_timespec_of(left_ns);

	/* If a signal ends the sleep early, the caller's loop comes back here. */
	if (!source)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL);
	else if (source->sleep_ns)
		source->sleep_ns(source->context, left_ns);
}

struct collection {
	const struct tw_time_source *source;
	struct tw_brackets *out;
	uint32_t random;
	uint64_t narrowest_ticks;	/* of this slot */
	uint64_t start_ns;
	uint64_t slot_ns;
	uint64_t slot;
	uint64_t burst_end_ns;
	uint64_t last_ns;
	unsigned in_slot;
	const struct plan *plan;
};

static void keep(struct collection *c, const struct tw_bracket *bracket)
{
	uint64_t width = width_ticks(bracket);

	/* The bracket is so narrow that those of the slot are too wide: start
	 * anew. */
	if (c->in_slot &&
	    width + c->out->tolerance_ticks < c->narrowest_ticks) {
		c->out->count -= c->in_slot;
		c->in_slot = 0;
	}
	if (c->in_slot == 0 || width < c->narrowest_ticks)
		c->narrowest_ticks = width;
	if (width > c->narrowest_ticks + c->out->tolerance_ticks ||
	    c->in_slot == c->plan->kept_per_slot)
		return;
	c->out->bracket[c->out->count++] = *bracket;
	c->in_slot++;
}

static int collect(struct collection *c)
{
	const struct plan *plan = c->plan;
	struct tw_brackets *out = c->out;
	uint64_t reads = 0;
	int answer = 0;

	while (!answer && c->slot < plan->slots) {
		struct tw_bracket bracket;
		uint64_t now_ns, slot;

		/* A pause of random length, so that the loop does not beat with a counter
		 * that moves in steps. */
		if (!c->source)
			tw_pause(&c->random);
		bracket = read_bracket(c->source);
		now_ns = bracket.reference_ns;
		slot = (now_ns - c->start_ns) / c->slot_ns;
		if (now_ns < c->last_ns || ++reads > 1ULL << 40)
			return -EIO;
		c->last_ns = now_ns;
		if (slot != c->slot) {
			c->slot = slot;
			c->in_slot = 0;
			c->burst_end_ns = now_ns + plan->burst_ns;
			if (slot >= plan->slots)
				break;
		}
		keep(c, &bracket);
		if (!plan->burst_ns || (c->in_slot < plan->kept_per_slot &&
					now_ns <= c->burst_end_ns))
			continue;
		/* Between two bursts the caller may end it. */
		if (out->progress)
			answer = out->progress(out->context,
					       out->before_ns + now_ns - c->start_ns);
		if (!answer)
			sleep_for(c->source, c->start_ns + (slot + 1) * c->slot_ns - now_ns);
	}
	out->is_enough = answer == TW_ENOUGH;
	return answer && !out->is_enough ? -ECANCELED : 0;
}

/* Return whether more threads are runnable than there are CPUs, by /proc/loadavg, whose
 * fourth field is "running/all". If it is unknown, the answer is no. */
static int is_crowded(void)
{
	char text[128];
	long running;

	tw_text_file_begin("/proc/loadavg", text, sizeof(text));
	return sscanf(text, "%*s %*s %*s %ld", &running) == 1 &&
	       running > sysconf(_SC_NPROCESSORS_ONLN);
}

double tw_brackets_step_ticks(const struct tw_brackets *brackets)
{
	const struct tw_bracket *bracket = brackets->bracket;
	struct tw_steps steps = { { 0 } };

	for (size_t i = 0; i < brackets->count; i++) {
		tw_steps_add(&steps, width_ticks(&bracket[i]));
		if (i)
			tw_steps_add(&steps, bracket[i].before_ticks -
					     bracket[i - 1].before_ticks);
	}
	return tw_steps_find(&steps);
}

/* Find granularity and tolerance before the first window; later ones use the same. Spin for
 * LOOK_NS of the reference for a rough rate: if it stands still for a million reads, or the
 * counter does not move, there is none. */
static int prepare(const struct tw_time_source *source, struct tw_brackets *brackets)
{
	struct tw_bracket first, now;
	struct timespec resolution;
	unsigned reads = 0;

	if (source)
		brackets->granularity_ns = source->granularity_ns;
	else if (clock_getres(CLOCK_MONOTONIC_RAW, &resolution))
		return -errno;
	else
		brackets->granularity_ns = tw_timespec_ns(&resolution);
	if (brackets->granularity_ns == 0)
		brackets->granularity_ns = 1;
	first = now = read_bracket(source);
	while (now.reference_ns - first.reference_ns < LOOK_NS) {
		now = read_bracket(source);
		if (now.reference_ns < first.reference_ns || ++reads > 1000000)
			return -EIO;
	}
	if (now.after_ticks <= first.after_ticks)
		return -EIO;
	brackets->tolerance_ticks = 1 + (uint64_t)
		(TW_BRACKET_TOLERANCE_NS * (double)(now.after_ticks - first.after_ticks) /
		 (double)(now.reference_ns - first.reference_ns));
	return 0;
}

int tw_brackets_collect(struct tw_brackets *brackets, uint64_t window_ns,
			const struct tw_time_source *source)
{
	struct collection c = { .source = source, .out = brackets, .random = 1 };
	struct tw_bracket *more = realloc(brackets->bracket, (brackets->count + MAX_KEPT) *
					  sizeof(*more));
	int ret = more ? 0 : -ENOMEM;

	/* Touch the room for this window, so that it has no page fault. */
	if (more) {
		memset(more + brackets->count, 0, MAX_KEPT * sizeof(*more));
		brackets->bracket = more;
	}
	if (!ret && !brackets->tolerance_ticks)
		ret = prepare(source, brackets);
	if (ret)
		goto err;
	/* This reads files, so it comes before the window, which may be as
	 * short. */
	if (window_ns > SPIN_WINDOW_NS)
		c.plan = &plan_long;
	else
		c.plan = (source ? source->sleep_ns != NULL : is_crowded()) ?
			 &plan_crowded : &plan_spin;
	c.start_ns = read_bracket(source).reference_ns;
	c.last_ns = c.start_ns;
	c.slot_ns = window_ns / c.plan->slots;
	c.burst_end_ns = c.start_ns + c.plan->burst_ns;
	ret = collect(&c);
	if (ret)
		goto err;
	brackets->before_ns += c.last_ns - c.start_ns;
	brackets->step_ticks = tw_brackets_step_ticks(brackets);
	return 0;
err:
	tw_brackets_free(brackets);
	return ret;
}

void tw_brackets_free(struct tw_brackets *brackets)
{
	free(brackets->bracket);
	brackets->bracket = NULL;
	brackets->count = 0;
}
