/* SPDX-License-Identifier: MIT */
/*
 * Computes CLOCK_MONOTONIC's rate from what the kernel reports of its steering, and
 * reads that and CLOCK_MONOTONIC_RAW at both ends of a window.
 *
 * The kernel (kernel/time/ntp.c: ntp_update_frequency) makes the length of a second of
 * CLOCK_MONOTONIC, in nanoseconds of CLOCK_MONOTONIC_RAW's rate, tick * USER_HZ * 1000 +
 * freq. Each second it may also add a share of a phase offset (the PLL), the rest of an
 * adjtime(3), or what a pulse per second asks for. If none of these three is at work, the
 * ratio of the two clocks is constant and known, until the clock is steered anew: NTP
 * daemons do so every some seconds to some minutes. The boot parameter ntp_tick_adj= is not
 * reported, so the ratio is used only if the samples of CLOCK_MONOTONIC agree with it.
 */
#include "kernel_rate.h"

#include <errno.h>
#include <math.h>
#include <sys/timex.h>

#include "counter/step.h"
#include "clock.h"

/* Ticks a second of a kernel that does not report them: the slowest and the
 * fastest in use. */
#define SLOWEST_KERNEL_HZ	100
#define FASTEST_KERNEL_HZ	1000

/* An even distribution of +-1 has this sigma. */
#define SIGMA_OF_EVEN		0.5773502691896258

static unsigned at_work(const struct tw_steering *steering)
{
	return steering->offset || steering->adjust_us ||
	       (steering->status & STA_PPSFREQ);
}

unsigned tw_steering_refusal(const struct tw_steering *before,
			     const struct tw_steering *after)
{
	unsigned refusal = 0;

	if (at_work(before) || at_work(after))
		refusal |= TW_REFUSED_SLEWED;
	if (before->freq != after->freq || before->tick_us != after->tick_us)
		refusal |= TW_REFUSED_CHANGED;
	return refusal;
}

/*
 * The kernel uses a multiplier that is too slow, checks at every tick whether the clock
 * lags, and if so uses the next higher one for a tick (timekeeping_adjust). At each end
 * of the window the lag is at most that of one tick with the wrong multiplier. There
 * are no ticks while all CPUs sleep, but collecting a window keeps this CPU awake.
 */
double tw_steering_dither_ppb(const struct tw_steering *steering,
			      uint32_t kernel_mult, uint64_t window_ns)
{
	double kernel_hz = steering->kernel_hz ? steering->kernel_hz :
						 SLOWEST_KERNEL_HZ;
	double lag_ns;

	if (tw_steering_ppb(steering) == 0)
		return 0;
	lag_ns = 1e9 / kernel_hz / kernel_mult;
	return 2 * lag_ns / (double)window_ns * 1e9;
}

double tw_steering_sigma_ppb(const struct tw_steering *steering,
			     const struct tw_kernel_rate *kernel,
			     uint64_t window_ns)
{
	/* The kernel rounds it down, so it can be one unit more. */
	double resolution_ppb = 1000 / TW_STEERING_PER_PPM;
	double dither_ppb = tw_steering_dither_ppb(steering, kernel->mult,
						   window_ns);
	/* The loop's offset is rounded towards zero to whole microseconds, without STA_NANO.
	 * Each second 2^-(2 + constant) of it is slewed. */
	double hidden_ns = !(steering->status & STA_PLL) ? 0 :
			   steering->status & STA_NANO ? 1 : 1000;
	double hidden_ppb = hidden_ns / ldexp(1, 2 + (int)steering->constant);
	/* The kernel scales a deviation from its nominal tick by that tick's rounding to
	 * whole ticks of the counter: up to half a tick of the counter (xtime_remainder). */
	double kernel_hz = steering->kernel_hz ? steering->kernel_hz : FASTEST_KERNEL_HZ;
	double remainder_ppb = fabs(tw_steering_ppb(steering)) * kernel_hz / kernel->hz / 2;

	return SIGMA_OF_EVEN * hypot(hypot(resolution_ppb, dither_ppb),
				     hypot(hidden_ppb, remainder_ppb));
}

/* Set the rates of RAW that two readings allow. A reading means "v to v +
 * granularity", and one of the counter "v to v + step". */
static int raw_interval(const struct tw_monotonic_watch *watch,
			uint64_t granularity_ns, double step_ticks,
			struct tw_fit *raw)
{
	double reach_ticks = (double)tw_step_reach_ticks(step_ticks);
	const struct tw_bracket *first = &watch->raw_before;
	const struct tw_bracket *last = &watch->raw_after;
	double ns = (double)(int64_t)(last->reference_ns - first->reference_ns);
	double least = (double)(int64_t)(last->before_ticks -
					 first->after_ticks) -
		       reach_ticks;
	double most = (double)(int64_t)(last->after_ticks -
					first->before_ticks) +
		      reach_ticks;

	if (ns <= (double)granularity_ns || least <= 0)
		return -EDOM;
	raw->low_hz = least / (ns + (double)granularity_ns) * 1e9;
	raw->high_hz = most / (ns - (double)granularity_ns) * 1e9;
	return 0;
}

int tw_fit_unsteered(const struct tw_fit *fit,
		     const struct tw_monotonic_watch *watch,
		     uint64_t granularity_ns, double step_ticks,
		     struct tw_fit *raw)
{
	double ratio = 1 + tw_steering_ppb(&watch->before) / 1e9;
	struct tw_kernel_rate kernel;
	struct tw_fit out = *fit;

	if (raw_interval(watch, granularity_ns, step_ticks, &out))
		return -EDOM;
	/* A second of the slower clock has more ticks. */
	out.hz = fit->hz * ratio;
	if (!(out.hz >= TW_MIN_HZ && out.hz <= TW_MAX_HZ) ||
	    tw_kernel_rate_of_khz((uint32_t)(out.hz / 1000), &kernel))
		return -EDOM;
	out.asymmetry_ppb += tw_steering_dither_ppb(&watch->before, kernel.mult,
						    fit->window_ns);
	*raw = out;
	return 0;
}

/* ---- reading ---- */

/* Readings of RAW at each end. The narrowest bracket is used. They take some five
 * microseconds. */
#define RAW_TRIES	100

static int mark_raw(struct tw_bracket *bracket,
		    const struct tw_time_source *source)
{
	struct tw_clock_mark mark = TW_SIZED(struct tw_clock_mark);
	uint64_t narrowest = UINT64_MAX;

	if (!source) {
		int ret = tw_clock_mark(TW_AGAINST_RAW, RAW_TRIES, &mark);

		*bracket = (struct tw_bracket) {
			mark.ticks_before, mark.ticks_after, mark.system_ns,
		};
		return ret;
	}
	for (unsigned tries = 0; tries < RAW_TRIES; tries++) {
		struct tw_bracket one;

		one.before_ticks = source->read_ticks(source->context);
		one.reference_ns = source->read_raw_ns(source->context);
		one.after_ticks = source->read_ticks(source->context);
		if (one.after_ticks - one.before_ticks < narrowest) {
			narrowest = one.after_ticks - one.before_ticks;
			*bracket = one;
		}
	}
	return 0;
}

void tw_monotonic_watch_begin(struct tw_monotonic_watch *watch,
			      const struct tw_time_source *source)
{
	*watch = (struct tw_monotonic_watch) { 0 };
	if (source && (!source->adjtimex || !source->read_raw_ns)) {
		watch->error = -ENOSYS;
		return;
	}
	watch->error = tw_steering_read(&watch->before, source);
	if (!watch->error)
		watch->error = mark_raw(&watch->raw_before, source);
}

void tw_monotonic_watch_end(struct tw_monotonic_watch *watch,
			    const struct tw_time_source *source)
{
	if (!watch->error)
		watch->error = mark_raw(&watch->raw_after, source);
	if (!watch->error)
		watch->error = tw_steering_read(&watch->after, source);
}
