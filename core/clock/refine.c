/* SPDX-License-Identifier: MIT */
/*
 * tw_clock_refine(): look at both clocks again, long after the first time, and
 * let a better rate hold from now on; watch whether the kernel's rate, where it
 * was taken, still explains what is seen.
 */
#include "refine.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "diagnostics.h"
#include "vmclock.h"
#include "independent.h"
#include "segment.h"

#define LOOK_NS		200000

int tw_baseline_read(struct tw_clock_baseline *baseline,
		     enum tw_against against, double hz,
		     const struct tw_time_source *source)
{
	struct tw_brackets brackets;
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

static int64_t clock_value_ns(clockid_t clock_id)
{
	struct timespec now = { 0 };

	clock_gettime(clock_id, &now);
	return (int64_t)now.tv_sec * (int64_t)TW_NS_PER_SECOND + now.tv_nsec;
}

/* Both clocks stand still in a time namespace's offsets, and differ by what
 * the machine slept. The smallest difference is the least disturbed one. */
int64_t tw_suspended_ns(void)
{
	int64_t least = INT64_MAX;
	unsigned tries;

	for (tries = 0; tries < 5; tries++) {
		int64_t monotonic = clock_value_ns(CLOCK_MONOTONIC);
		int64_t apart = clock_value_ns(CLOCK_BOOTTIME) - monotonic;

		if (apart < least)
			least = apart;
	}
	return least;
}

static void note_start(struct tw_clock *clock)
{
	struct tw_independent independent;
	struct tw_vmclock vmclock;

	clock->start.suspended_ns = tw_suspended_ns();
	if (!tw_vmclock_read(&vmclock)) {
		clock->start.vmclock = 1;
		clock->start.disruption_marker = vmclock.disruption_marker;
	}
	tw_independent_read(&independent);
	snprintf(clock->start.independent, sizeof(clock->start.independent),
		 "%s", independent.name);
	clock->start.independent_ns = independent.device_ns;
	clock->start.raw_ns = independent.raw_ns;
}

int tw_refine_begin(struct tw_clock *clock, enum tw_switch kernel_rate,
		    const struct tw_time_source *source)
{
	unsigned tries = 5;
	int ret;

	do {
		ret = tw_baseline_read(&clock->baseline, clock->rate.against,
				       clock->rate.hz, source);
	} while (ret == -EAGAIN && --tries);
	if (ret)
		return ret;
	clock->refined_rate = clock->rate;
	clock->start.kernel_rate_wanted = kernel_rate != TW_OFF;
	clock->start.counter_is_clocksource = source ?
		source->counter_is_clocksource : tw_counter_is_clocksource();
	if (!source)
		note_start(clock);
	return 0;
}

/*
 * The rate is read rarely and written more rarely still: a sequence that is
 * odd while it is being written, and words that are copied one by one so that
 * a reader who has to begin again has at least not read half of one.
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
	unsigned sequence = clock->rate_sequence;

	__atomic_store_n(&clock->rate_sequence, sequence + 1, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	copy_words((word *)&clock->refined_rate, (const word *)rate);
	__atomic_store_n(&clock->rate_sequence, sequence + 2, __ATOMIC_RELEASE);
}

void tw_clock_rate(const struct tw_clock *clock, struct tw_rate *rate)
{
	unsigned before, after;

	if (clock->system) {
		*rate = clock->rate;
		return;
	}
	do {
		before = __atomic_load_n(&clock->rate_sequence,
					 __ATOMIC_ACQUIRE);
		copy_words((word *)rate, (const word *)&clock->refined_rate);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		after = __atomic_load_n(&clock->rate_sequence,
					__ATOMIC_ACQUIRE);
	} while (before != after || before & 1);
}

static enum tw_witness no_witness(uint64_t from_hz)
{
	(void)from_hz;
	return TW_WITNESS_NONE;
}

/* NULL where the kernel's rate is out of the question. */
static const struct tw_kernel_candidates *
candidates_of(const struct tw_clock *clock, const struct tw_time_source *source,
	      struct tw_kernel_candidates *candidates)
{
	int is_clocksource = source ? source->counter_is_clocksource :
				      tw_counter_is_clocksource();

	if (clock->rate.against != TW_AGAINST_RAW || !is_clocksource ||
	    !clock->start.kernel_rate_wanted ||
	    !clock->start.counter_is_clocksource ||
	    clock->refined_rate.refusal & TW_REFUSED_DISPROVED)
		return NULL;
	if (source)
		*candidates = (struct tw_kernel_candidates) {
			.every_khz = source->declared_hz == 0,
			.declared_hz = source->declared_hz,
		};
	else
		tw_kernel_candidates_read(candidates);
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
		       tw_rate_source_name(rate->source),
		       tw_rate_source_name(before->source));
	else if (rate->hz != before->hz)
		tw_say(TW_SAY_NOTE, "clock: rate refined by %+.4f ppb to "
		       "+-%.4f ppb, over %.3f s",
		       (rate->hz / before->hz - 1) * 1e9,
		       rate->uncertainty_ppb, (double)rate->window_ns / 1e9);
}

/* Has something happened after which start and now are no one baseline? */
static int was_interrupted(const struct tw_clock *clock)
{
	const char *what = NULL;
	struct tw_vmclock vmclock;

	if (tw_suspended_ns() - clock->start.suspended_ns > TW_SUSPEND_SEEN_NS)
		what = "the machine was suspended";
	else if (clock->start.vmclock && !tw_vmclock_read(&vmclock) &&
		 vmclock.disruption_marker != clock->start.disruption_marker)
		what = "its host moved or restored the machine";
	if (what)
		tw_say(TW_SAY_WARNING, "clock: not refined: %s since it was "
		       "set up", what);
	return what != NULL;
}

static int refine(struct tw_clock *clock, const struct tw_time_source *source)
{
	struct tw_kernel_candidates space;
	const struct tw_kernel_candidates *candidates;
	struct tw_clock_baseline now;
	struct tw_rate rate;
	struct tw_fit fit;
	int ret;

	if (!source && was_interrupted(clock))
		return -ESTALE;
	candidates = candidates_of(clock, source, &space);
	ret = tw_baseline_read(&now, clock->rate.against, clock->rate.hz,
			       source);
	if (!ret)
		ret = tw_baseline_fit(&clock->baseline, &now, &fit);
	if (ret)
		return ret;
	ret = tw_refine_decide(&clock->refined_rate, &fit, candidates,
			       source ? no_witness : tw_witness_find, &rate);
	if (ret == -ESTALE)
		tw_say(TW_SAY_WARNING, "clock: not refined: no single rate "
		       "explains what was seen at its start and now");
	if (ret == TW_REFINED_RATE) {
		int late = tw_segment_append(clock, &rate, source);

		if (late)
			return late;
	}
	if (ret == TW_REFINED_RATE || ret == TW_REFINED_RECORD) {
		tell(&clock->refined_rate, &rate);
		publish_rate(clock, &rate);
	}
	return ret < 0 ? ret : 0;
}

int tw_refine_with(struct tw_clock *clock, const struct tw_time_source *source)
{
	unsigned tries = 3;
	int ret;

	if (clock->system)
		return -ENOTSUP;
	if (__atomic_exchange_n(&clock->refining, 1, __ATOMIC_ACQUIRE))
		return -EBUSY;
	do {
		ret = refine(clock, source);
	} while (ret == -EAGAIN && --tries);
	__atomic_store_n(&clock->refining, 0, __ATOMIC_RELEASE);
	return ret;
}

int tw_clock_refine(struct tw_clock *clock)
{
	return tw_refine_with(clock, NULL);
}
