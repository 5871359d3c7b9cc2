/* SPDX-License-Identifier: MIT */
/*
 * Refines a clock: finds the rate from two readings of both clocks, long apart, and
 * decides whether it is better than the known rate. Pure arithmetic.
 */
#include <errno.h>
#include <math.h>

#include "counter/step.h"
#include "rate.h"
#include "refine_decide.h"

static uint64_t narrowest_of(const struct tw_brackets *brackets, size_t *at)
{
	uint64_t narrowest = UINT64_MAX;
	size_t i;

	for (i = 0; i < brackets->count; i++) {
		const struct tw_bracket *bracket = &brackets->bracket[i];
		uint64_t width = bracket->after_ticks - bracket->before_ticks;

		if (width < narrowest) {
			narrowest = width;
			*at = i;
		}
	}
	return narrowest;
}

/*
 * The mean place of the reading inside its bracket wanders with the core's
 * frequency, over milliseconds. It is the same for all brackets of one look:
 * many brackets average the rounding to whole nanoseconds away, but not this.
 * Its one sigma is taken as this part of what the widths' spread and the
 * granularity allow. tests/bench/refine_error.c measures the error / sigma that
 * follows.
 */
#define SIGMA_OF_SPREAD	0.2

void tw_baseline_from_brackets(const struct tw_brackets *brackets, double hz,
			       struct tw_clock_baseline *baseline)
{
	const double ns_per_tick = 1e9 / hz;
	double offsets = 0, widths = 0, squares = 0, kept = 0;
	const struct tw_bracket *best;
	uint64_t narrowest;
	size_t i, at = 0;

	narrowest = narrowest_of(brackets, &at);
	best = &brackets->bracket[at];
	for (i = 0; i < brackets->count; i++) {
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
		.ticks = best->before_ticks,
		.offset_ticks = offsets / kept -
			(double)brackets->granularity_ns / 2 / ns_per_tick,
		.system_ns = best->reference_ns,
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

int tw_baseline_fit(const struct tw_clock_baseline *from,
		    const struct tw_clock_baseline *to, struct tw_fit *fit)
{
	double ns = (double)(int64_t)(to->system_ns - from->system_ns);
	double ticks = (double)(int64_t)(to->ticks - from->ticks) +
		       (to->offset_ticks - from->offset_ticks);
	double apart_ns = (double)(int64_t)(to->bracket_ns - from->bracket_ns);
	double least = (double)(int64_t)(to->before_ticks - from->after_ticks);
	double most = (double)(int64_t)(to->after_ticks - from->before_ticks);
	double granularity_ns = (double)from->granularity_ns;

	/* A clock that went back has no rate. */
	if (!(ns > 0 && ticks > 0))
		return -ESTALE;
	if (!(least > 0 && apart_ns > granularity_ns))
		return -EAGAIN;
	*fit = (struct tw_fit) {
		.hz = ticks / ns * 1e9,
		.sigma_ppb = hypot(from->sigma_ns, to->sigma_ns) / ns * 1e9,
		.asymmetry_ppb = (from->spread_ns + to->spread_ns) / ns * 1e9,
		.low_hz = least / (apart_ns + granularity_ns) * 1e9,
		.high_hz = most / (apart_ns - granularity_ns) * 1e9,
		.window_ns = to->system_ns - from->system_ns,
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
		       enum tw_witness (*witness)(uint64_t from_hz))
{
	struct tw_kernel_rate kernel;
	int alone = 0;

	rate->refusal = tw_kernel_rate_recognise(best, candidates, &kernel,
						 &alone);
	if (rate->refusal)
		return 0;
	rate->witness = witness(kernel.from_hz);
	if (rate->witness == TW_WITNESS_NONE && alone)
		rate->witness = TW_WITNESS_BOUND;
	tw_rate_use_kernel(rate, &kernel);
	return 1;
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

int tw_refine_decide(const struct tw_rate *now, const struct tw_fit *fit,
		     const struct tw_kernel_candidates *candidates,
		     enum tw_witness (*witness)(uint64_t from_hz),
		     struct tw_rate *out)
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
		    !take_kernel(&rate, &best, candidates, witness))
			rate.refusal = 0;
		if (rate.kernel_mult != now->kernel_mult)
			return TW_REFINED_NOTHING;
	} else if (now->source == TW_RATE_KERNEL) {
		/* The rate was right, so the clocks are wrong. */
		return -ESTALE;
	} else if (now->kernel_mult) {
		/* The guess was wrong, and there is no second one. */
		rate.measured_hz = best.hz;
		rate.measured_uncertainty_ppb = best.sigma_ppb;
		take_measured(&rate);
		rate.refusal = TW_REFUSED_DISPROVED;
	} else if (candidates && take_kernel(&rate, &best, candidates,
					     witness)) {
		;
	} else if (is_longer && (best.sigma_ppb < now->uncertainty_ppb ||
				 !is_possible(&rate))) {
		/* The rate is impossible only if the reference bends: it now runs
		 * at another rate than before. */
		take_measured(&rate);
	} else {
		return TW_REFINED_NOTHING;
	}
	rate.bound_ppb = tw_rate_bound_ppb(&rate);
	*out = rate;
	return rate.hz == now->hz ? TW_REFINED_RECORD : TW_REFINED_RATE;
}
