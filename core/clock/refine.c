/* SPDX-License-Identifier: MIT */
/*
 * tw_clock_refine(): reads both clocks again, long after the first time, finds the rate
 * from these two readings, and lets a better rate hold from now on. If the clock has
 * the kernel's rate, checks whether that rate still explains what is read. What
 * decides is pure arithmetic.
 */
#include "clock.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <unistd.h>

#include "counter/state.h"
#include "counter/step.h"
#include "diagnostics.h"
#include "machine/machine.h"
#include "machine/other_clocks.h"
#include "machine/vmclock.h"
#include "kernel_rate.h"
#include "sized.h"

/* ---- the rate of two readings, and whether it is better ---- */

/*
 * The mean place of the reading inside its bracket wanders with the core's frequency, over
 * milliseconds. Many brackets of one look average the rounding to whole nanoseconds away,
 * but not this. Its one sigma is taken as this part of what the widths' spread and the
 * granularity allow.
 */
#define SIGMA_OF_SPREAD	0.2

/* Compute a baseline from brackets of a short time. At least one is needed. */
static void baseline_from_brackets(const struct tw_brackets *brackets, double hz,
				   struct tw_clock_baseline *baseline)
{
	const double ns_per_tick = 1e9 / hz;
	double offsets = 0, widths = 0, squares = 0, kept = 0;
	const struct tw_bracket *best = NULL;
	uint64_t narrowest = UINT64_MAX;

	for (size_t i = 0; i < brackets->count; i++) {
		const struct tw_bracket *one = &brackets->bracket[i];

		if (one->after_ticks - one->before_ticks < narrowest) {
			narrowest = one->after_ticks - one->before_ticks;
			best = one;
		}
	}
	for (size_t i = 0; i < brackets->count; i++) {
		const struct tw_bracket *one = &brackets->bracket[i];
		double width = (double)(one->after_ticks - one->before_ticks);
		double before, passed_ns;

		if (width > (double)(narrowest + brackets->tolerance_ticks))
			continue;
		before = (double)(int64_t)(one->before_ticks -
					   best->before_ticks);
		passed_ns = (double)(int64_t)(one->reference_ns -
					      best->reference_ns);
		offsets += before + width / 2 - passed_ns / ns_per_tick;
		widths += width;
		squares += width * width;
		kept += 1;
	}
	widths /= kept;
	/* A reading of v was taken between v and v + granularity. */
	*baseline = (struct tw_clock_baseline) {
		.offset_ticks = offsets / kept -
			(double)brackets->granularity_ns / 2 / ns_per_tick,
		.spread_ns = (sqrt(fmax(squares / kept - widths * widths, 0)) +
			      brackets->step_ticks) / 2 * ns_per_tick +
			     (double)brackets->granularity_ns,
		.before_ticks = best->before_ticks,
		.after_ticks = best->after_ticks +
				tw_step_reach_ticks(brackets->step_ticks),
		.bracket_ns = best->reference_ns,
		.granularity_ns = brackets->granularity_ns,
	};
	baseline->sigma_ns = baseline->spread_ns * SIGMA_OF_SPREAD;
}

/* Compute the rate between two baselines, as a fit. Return 0; -EAGAIN when they are too
 * near to each other for their brackets; -ESTALE when a clock went back. */
static int baseline_fit(const struct tw_clock_baseline *from,
			const struct tw_clock_baseline *to, struct tw_fit *fit)
{
	double ns = (double)(int64_t)(to->bracket_ns - from->bracket_ns);
	double ticks = (double)(int64_t)(to->before_ticks - from->before_ticks) +
		       (to->offset_ticks - from->offset_ticks);
	double least = (double)(int64_t)(to->before_ticks - from->after_ticks);
	double most = (double)(int64_t)(to->after_ticks - from->before_ticks);
	double granularity_ns = (double)from->granularity_ns;

	/* A clock that went back has no rate. */
	if (!(ns > 0 && ticks > 0))
		return -ESTALE;
	if (!(least > 0 && ns > granularity_ns))
		return -EAGAIN;
	*fit = (struct tw_fit) {
		.hz = ticks / ns * 1e9,
		.sigma_ppb = hypot(from->sigma_ns, to->sigma_ns) / ns * 1e9,
		.asymmetry_ppb = (from->spread_ns + to->spread_ns) / ns * 1e9,
		.low_hz = least / (ns + granularity_ns) * 1e9,
		.high_hz = most / (ns - granularity_ns) * 1e9,
		.window_ns = to->bracket_ns - from->bracket_ns,
		/* Both ends are full of samples, and what is between the ends
		 * does not matter. */
		.blocks = TW_FIT_BLOCKS,
	};
	return 0;
}

/* Narrow the hard interval, now that this fit is known. */
static int narrow(struct tw_rate *rate, const struct tw_fit *fit)
{
	if (rate->against == TW_AGAINST_RAW) {
		rate->low_hz = fmax(rate->low_hz, fit->low_hz);
		rate->high_hz = fmin(rate->high_hz, fit->high_hz);
		/* The rounding of doubles near 1e17 is no contradiction. */
		if (rate->low_hz > rate->high_hz * (1 + 1e-15))
			return -ESTALE;
		return 0;
	}
	/* The reference bends. The fit is its mean since the start, and no
	 * bound of the rate now. */
	if (fabs(fit->hz / rate->hz - 1) > TW_MAX_BENT)
		return -ESTALE;
	rate->low_hz = fit->low_hz;
	rate->high_hz = fit->high_hz;
	return 0;
}

/* Return the best rate that samples alone give. */
static struct tw_fit measured(const struct tw_rate *rate,
			      const struct tw_fit *fit)
{
	struct tw_fit best = *fit;

	/* The earlier rate of a reference that bends is not its rate now. */
	if (rate->against == TW_AGAINST_RAW &&
	    rate->measured_uncertainty_ppb > 0 &&
	    rate->measured_uncertainty_ppb <= fit->sigma_ppb) {
		best.hz = rate->measured_hz;
		best.sigma_ppb = rate->measured_uncertainty_ppb;
	}
	best.low_hz = rate->low_hz;
	best.high_hz = rate->high_hz;
	return best;
}

static int take_kernel(struct tw_rate *rate, const struct tw_fit *best,
		       const struct tw_kernel_candidates *candidates,
		       const struct tw_time_source *source)
{
	struct tw_kernel_rate kernel;
	int is_found = tw_kernel_rate_find(rate, best, candidates, source, &kernel);

	if (is_found)
		tw_rate_use_kernel(rate, &kernel);
	return is_found;
}

static void take_measured(struct tw_rate *rate)
{
	rate->source = TW_RATE_REGRESSION;
	rate->witness = TW_WITNESS_NONE;
	rate->hz = rate->measured_hz;
	rate->uncertainty_ppb = rate->measured_uncertainty_ppb;
	rate->kernel_mult = 0;
	rate->kernel_shift = 0;
}

static int is_possible(const struct tw_rate *rate)
{
	return rate->hz >= rate->low_hz * (1 - 1e-15) &&
	       rate->hz <= rate->high_hz * (1 + 1e-15);
}

enum refinement {
	REFINED_NOTHING,	/* no longer baseline, no better rate */
	REFINED_RECORD,		/* the same rate, and more is known of it */
	REFINED_RATE,		/* another rate is better */
};

/* Decide what follows from @fit, of a longer baseline, for the rate @now. @candidates:
 * NULL if the kernel's rate can't or must not be used. Return an enum refinement, with
 * *out set unless it is REFINED_NOTHING; -ESTALE when no single rate explains the
 * readings. */
static int decide(const struct tw_rate *now, const struct tw_fit *fit,
		  const struct tw_kernel_candidates *candidates,
		  const struct tw_time_source *source, struct tw_rate *out)
{
	int is_longer = fit->window_ns >= 2 * now->window_ns;
	struct tw_rate rate = *now;
	struct tw_fit best;

	if (narrow(&rate, fit))
		return -ESTALE;
	best = measured(&rate, fit);
	if (is_longer) {
		rate.measured_hz = best.hz;
		rate.measured_uncertainty_ppb = best.sigma_ppb;
		rate.window_ns = fit->window_ns;
	}
	if (now->kernel_mult && is_possible(&rate)) {
		/* A provisional rate is verified if a witness names it by now,
		 * or no other candidate is left. If the fit is now nearer to
		 * another candidate, the clock keeps its rate: a longer
		 * baseline will confirm or disprove that one. */
		if (rate.source == TW_RATE_KERNEL_PROVISIONAL && candidates &&
		    !take_kernel(&rate, &best, candidates, source))
			rate.refusal = 0;
		if (rate.kernel_mult != now->kernel_mult)
			return REFINED_NOTHING;
	} else if (now->source == TW_RATE_KERNEL) {
		/* The rate was right, so the clocks are wrong. */
		return -ESTALE;
	} else if (now->kernel_mult) {
		/* The guess was wrong, and there is no second one. */
		rate.measured_hz = best.hz;
		rate.measured_uncertainty_ppb = best.sigma_ppb;
		take_measured(&rate);
		rate.refusal = TW_REFUSED_DISPROVED;
	} else if (candidates && take_kernel(&rate, &best, candidates, source)) {
		;
	} else if (is_longer && (best.sigma_ppb < now->uncertainty_ppb ||
				 !is_possible(&rate))) {
		/* The rate is impossible only if the reference bends: it now runs
		 * at another rate than before. */
		take_measured(&rate);
	} else {
		return REFINED_NOTHING;
	}
	rate.bound_ppb = tw_rate_bound_ppb(&rate);
	*out = rate;
	return rate.hz == now->hz ? REFINED_RECORD : REFINED_RATE;
}

/* ---- reading and refining ---- */

#define LOOK_NS		200000

int tw_baseline_read(struct tw_clock_baseline *baseline,
		     enum tw_against against, double hz,
		     const struct tw_time_source *source)
{
	/* Other threads may have had the CPU during a whole look. */
	for (unsigned tries = 0; tries < 5; tries++) {
		struct tw_brackets brackets = { 0 };
		int ret = tw_brackets_collect(&brackets, LOOK_NS, against, source);

		if (ret)
			return ret;
		if (brackets.count) {
			baseline_from_brackets(&brackets, hz, baseline);
			tw_brackets_free(&brackets);
			return 0;
		}
		tw_brackets_free(&brackets);
	}
	return -EAGAIN;
}

int tw_refine_begin(struct tw_clock *clock, enum tw_switch kernel_rate,
		    const struct tw_time_source *source)
{
	struct tw_clock_state *state = clock->state;
	int ret = tw_baseline_read(&state->baseline, state->rate.against,
				   state->rate.hz, source);

	if (ret)
		return ret;
	state->refined_rate[0] = state->rate;
	state->start.kernel_rate_wanted = kernel_rate != TW_OFF;
	if (source)
		state->start.counter_is_clocksource =
			source->counter_is_clocksource;
	return 0;
}

/* There are two slots: one for the rate that holds, and one for the next. So no reader
 * waits for a writer that lost the CPU, or for one in the parent of this child process. */
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

/* A reader begins again only if two new rates come meanwhile. */
int tw_clock_rate(const struct tw_clock *clock, struct tw_rate *rate)
{
	int ret = tw_sized_check(rate->size, TW_FIRST_RATE);
	const struct tw_clock_state *state = clock->state;
	struct tw_rate out = state->rate;
	unsigned slot;

	if (ret)
		return ret;
	while (!clock->system) {
		slot = __atomic_load_n(&state->rate_slot, __ATOMIC_ACQUIRE);
		copy_words((word *)&out, (const word *)&state->refined_rate[slot]);
		if (__atomic_load_n(&state->rate_slot, __ATOMIC_ACQUIRE) == slot)
			break;
	}
	tw_sized_give(rate, &out, sizeof(out));
	return 0;
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
	if (!source && was_interrupted(clock))
		return -ESTALE;
	if (state->start.counter_is_clocksource && !tw_counter_is_clocksource(source)) {
		tw_say(TW_SAY_WARNING, "clock: not refined: the kernel keeps time by "
		       "another clocksource than when it was set up");
		return -ESTALE;
	}
	ret = baseline_fit(&state->baseline, &now, &fit);
	if (!ret)
		ret = decide(&before, &fit, candidates, source, &rate);
	if (ret == -ESTALE)
		tw_say(TW_SAY_WARNING, "clock: not refined: no single rate "
		       "explains what was seen at its start and now");
	if (ret < 0 || ret == REFINED_NOTHING)
		return ret;
	if (ret == REFINED_RATE) {
		ret = tw_segment_append(clock, &rate, source);
		if (ret)
			return ret;
	}
	copy_words((word *)&state->refined_rate[!state->rate_slot], (const word *)&rate);
	__atomic_store_n(&state->rate_slot, !state->rate_slot, __ATOMIC_RELEASE);
	tell(&before, &rate);
	return 0;
}

int tw_refine_with(struct tw_clock *clock, const struct tw_time_source *source)
{
	pid_t own = getpid(), other = 0;
	unsigned tries = 3;
	int ret;

	if (clock->system || (!source && tw_counter_permission() != TW_COUNTER_OK))
		return -ENOTSUP;
	/* Become the one who refines. A child that was forked during a call need not wait for
	 * its parent. */
	while (!__atomic_compare_exchange_n(&clock->state->refining, &other, own, 0,
					    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		if (other == own)
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
