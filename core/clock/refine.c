/* SPDX-License-Identifier: MIT */
/*
 * tw_clock_refine(): reads both clocks again, long after the first time, and
 * lets a better rate hold from now on. If the clock has the kernel's rate,
 * checks whether that rate still explains what is read.
 */
#include "refine.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "counter/state.h"
#include "diagnostics.h"
#include "machine/independent.h"
#include "machine/machine.h"
#include "machine/suspend.h"
#include "machine/vmclock.h"
#include "refine_decide.h"
#include "segment.h"
#include "sized.h"
#include "witness.h"

#define LOOK_NS		200000

int tw_baseline_read(struct tw_clock_baseline *baseline,
		     enum tw_against against, double hz,
		     const struct tw_time_source *source)
{
	struct tw_brackets brackets = { 0 };
	int ret;

	ret = tw_brackets_collect(&brackets, LOOK_NS, against, source);
	if (ret)
		return ret;
	if (brackets.count)
		tw_baseline_from_brackets(&brackets, hz, baseline);
	else
		ret = -EAGAIN;
	tw_brackets_free(&brackets);
	return ret;
}

void tw_refine_note_start(struct tw_clock *clock)
{
	struct tw_clock_state *state = clock->state;
	struct tw_independent independent;
	struct tw_vmclock vmclock;

	state->start.counter_is_clocksource = tw_counter_is_clocksource(NULL);
	state->start.suspended_ns = tw_suspended_ns();
	if (!tw_vmclock_read(&vmclock)) {
		state->start.vmclock = 1;
		state->start.disruption_marker = vmclock.disruption_marker;
	}
	tw_independent_read(&independent);
	snprintf(state->start.independent, sizeof(state->start.independent),
		 "%s", independent.name);
	state->start.independent_ns = independent.device_ns;
	state->start.raw_ns = independent.raw_ns;
}

int tw_refine_begin(struct tw_clock *clock, enum tw_switch kernel_rate,
		    const struct tw_time_source *source)
{
	struct tw_clock_state *state = clock->state;
	unsigned tries = 5;
	int ret;

	do {
		ret = tw_baseline_read(&state->baseline, state->rate.against,
				       state->rate.hz, source);
	} while (ret == -EAGAIN && --tries);
	if (ret)
		return ret;
	state->refined_rate[0] = state->rate;
	state->start.kernel_rate_wanted = kernel_rate != TW_OFF;
	if (source)
		state->start.counter_is_clocksource =
			source->counter_is_clocksource;
	return 0;
}

/*
 * There are two slots: one for the rate that holds, and one for the next rate.
 * So no reader waits for a writer that lost the CPU, or for a writer in the
 * parent of this child process.
 */
typedef uint64_t __attribute__((may_alias)) word;
#define RATE_WORDS	(sizeof(struct tw_rate) / sizeof(word))
_Static_assert(sizeof(struct tw_rate) % sizeof(word) == 0,
	       "a rate is whole words");

static void copy_words(word *to, const word *from)
{
	for (size_t i = 0; i < RATE_WORDS; i++)
		__atomic_store_n(&to[i],
				 __atomic_load_n(&from[i], __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
}

static void publish_rate(struct tw_clock *clock, const struct tw_rate *rate)
{
	struct tw_clock_state *state = clock->state;
	unsigned slot = !state->rate_slot;

	copy_words((word *)&state->refined_rate[slot], (const word *)rate);
	__atomic_store_n(&state->rate_slot, slot, __ATOMIC_RELEASE);
}

/* Read the rate. A reader begins again only if two new rates come meanwhile. */
static void read_rate(const struct tw_clock *clock, struct tw_rate *rate)
{
	const struct tw_clock_state *state = clock->state;
	unsigned slot;

	if (clock->system) {
		*rate = state->rate;
		return;
	}
	do {
		slot = __atomic_load_n(&state->rate_slot, __ATOMIC_ACQUIRE);
		copy_words((word *)rate,
			   (const word *)&state->refined_rate[slot]);
	} while (__atomic_load_n(&state->rate_slot, __ATOMIC_ACQUIRE) != slot);
}

int tw_clock_rate(const struct tw_clock *clock, struct tw_rate *rate)
{
	int ret = tw_sized_check(rate->size, TW_FIRST_RATE);
	struct tw_rate out;

	if (ret)
		return ret;
	read_rate(clock, &out);
	tw_sized_give(rate, &out, sizeof(out));
	return 0;
}

static enum tw_witness no_witness(uint64_t from_hz)
{
	(void)from_hz;
	return TW_WITNESS_NONE;
}

/* Return the candidates for the kernel's rate; NULL if it can't be used. */
static const struct tw_kernel_candidates *
candidates_of(const struct tw_clock *clock, const struct tw_time_source *source,
	      struct tw_kernel_candidates *candidates)
{
	const struct tw_clock_state *state = clock->state;
	if (state->rate.against != TW_AGAINST_RAW ||
	    !state->start.kernel_rate_wanted ||
	    !state->start.counter_is_clocksource ||
	    state->refined_rate[state->rate_slot].refusal &
	    TW_REFUSED_DISPROVED || !tw_counter_is_clocksource(source))
		return NULL;
	tw_kernel_candidates_read(source, candidates);
	return candidates;
}

static void tell(const struct tw_rate *before, const struct tw_rate *rate)
{
	if (rate->refusal & TW_REFUSED_DISPROVED)
		tw_say(TW_SAY_WARNING, "clock: the kernel's rate, %u / 2^%u ns "
		       "a tick, does not explain the last %.3f s: the measured "
		       "one, %+.3f ppb from it, holds from now on",
		       before->kernel_mult, before->kernel_shift,
		       (double)rate->window_ns / 1e9,
		       (rate->hz / before->hz - 1) * 1e9);
	else if (rate->source != before->source)
		tw_say(TW_SAY_NOTE, "clock: the rate is now %s, was %s",
		       tw_name(TW_ENUM_RATE_SOURCE, rate->source),
		       tw_name(TW_ENUM_RATE_SOURCE, before->source));
	else if (rate->hz != before->hz)
		tw_say(TW_SAY_NOTE, "clock: rate refined by %+.4f ppb to "
		       "+-%.4f ppb, over %.3f s",
		       (rate->hz / before->hz - 1) * 1e9,
		       rate->uncertainty_ppb, (double)rate->window_ns / 1e9);
}

/* True if something happened after which start and now are no common baseline. */
static int was_interrupted(const struct tw_clock *clock)
{
	const struct tw_clock_state *state = clock->state;
	const char *what = NULL;
	struct tw_vmclock vmclock;

	if (tw_suspended_ns() - state->start.suspended_ns > TW_SUSPEND_SEEN_NS)
		what = "the machine was suspended";
	else if (state->start.vmclock && !tw_vmclock_read(&vmclock) &&
		 vmclock.disruption_marker != state->start.disruption_marker)
		what = "its host moved or restored the machine";
	if (what)
		tw_say(TW_SAY_WARNING, "clock: not refined: %s since it was "
		       "set up", what);
	return what != NULL;
}

/* True if the kernel kept time by the counter at the start, and no longer does. */
static int lost_clocksource(const struct tw_clock *clock,
			    const struct tw_time_source *source)
{
	if (!clock->state->start.counter_is_clocksource ||
	    tw_counter_is_clocksource(source))
		return 0;
	tw_say(TW_SAY_WARNING, "clock: not refined: the kernel keeps time by "
	       "another clocksource than when it was set up");
	return 1;
}

static int refine(struct tw_clock *clock, const struct tw_time_source *source)
{
	struct tw_clock_state *state = clock->state;
	struct tw_rate before = state->refined_rate[state->rate_slot];
	const struct tw_kernel_candidates *candidates;
	struct tw_kernel_candidates space;
	struct tw_clock_baseline now;
	struct tw_rate rate;
	struct tw_fit fit;
	int ret;

	candidates = candidates_of(clock, source, &space);
	ret = tw_baseline_read(&now, state->rate.against, state->rate.hz,
			       source);
	if (ret)
		return ret;
	/* Checked after the reading, so as to notice what happened during it. */
	if ((!source && was_interrupted(clock)) ||
	    lost_clocksource(clock, source))
		return -ESTALE;
	ret = tw_baseline_fit(&state->baseline, &now, &fit);
	if (!ret)
		ret = tw_refine_decide(&before, &fit, candidates,
				       source ? no_witness : tw_witness_find,
				       &rate);
	if (ret == -ESTALE)
		tw_say(TW_SAY_WARNING, "clock: not refined: no single rate "
		       "explains what was seen at its start and now");
	if (ret < 0 || ret == TW_REFINED_NOTHING)
		return ret;
	if (ret == TW_REFINED_RATE) {
		ret = tw_segment_append(clock, &rate, source);
		if (ret)
			return ret;
	}
	publish_rate(clock, &rate);
	tell(&before, &rate);
	return 0;
}

/* Become the one who refines. Return 0; -EBUSY if another thread does so. A
 * child that was forked during a call need not wait for what its parent was
 * doing. */
static int take_turn(struct tw_clock *clock)
{
	pid_t own = getpid(), other = 0;

	while (!__atomic_compare_exchange_n(&clock->state->refining, &other,
					    own, 0, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED))
		if (other == own)
			return -EBUSY;
	return 0;
}

int tw_refine_with(struct tw_clock *clock, const struct tw_time_source *source)
{
	unsigned tries = 3;
	int ret;

	if (clock->system)
		return -ENOTSUP;
	if (!source && tw_counter_permission() != TW_COUNTER_OK)
		return -ENOTSUP;
	if (take_turn(clock))
		return -EBUSY;
	do {
		ret = refine(clock, source);
	} while (ret == -EAGAIN && --tries);
	__atomic_store_n(&clock->state->refining, 0, __ATOMIC_RELEASE);
	return ret;
}

int tw_clock_refine(struct tw_clock *clock)
{
	return tw_refine_with(clock, NULL);
}
