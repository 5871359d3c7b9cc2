/* SPDX-License-Identifier: MIT */
/*
 * tw_rate_measure(): collects brackets, fits a line, and searches for the
 * kernel's rate.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "counter/state.h"
#include "diagnostics.h"
#include "kernel_rate.h"
#include "machine/machine.h"
#include "machine/processor.h"
#include "sized.h"

#define DEFAULT_WINDOW_NS	TW_NS_PER_SECOND
#define MIN_WINDOW_NS		5000000ULL
#define LONGEST_WINDOW_NS	(3600 * TW_NS_PER_SECOND)

/* ---- what the machine tells about the rate ---- */

/* No witness sets a rate. kernel_rate.c recognises a candidate by the samples alone, and
 * then a witness verifies it. */

static void read_candidates(const struct tw_time_source *source,
			    struct tw_kernel_candidates *candidates)
{
	struct tw_machine facts;

	if (source) {
		*candidates = (struct tw_kernel_candidates) {
			.every_khz = source->declared_hz == 0,
			.declared_hz = source->declared_hz,
		};
		return;
	}
	tw_processor_read(&facts);
	*candidates = (struct tw_kernel_candidates) {
#if defined(__x86_64__)
		.every_khz = 1,
#endif
		.declared_hz = facts.declared_hz,
	};
}

/*
 * Return the witness, of this machine or of @source, that names exactly @from_hz;
 * TW_WITNESS_NONE if there is none. A source with another rate is no witness: the nominal
 * rate of CPUID is often some ppm off the rate that the kernel found.
 */
static enum tw_witness find_witness(const struct tw_time_source *source, uint64_t from_hz)
{
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	uint64_t khz = from_hz / 1000;

	if (source) {
		machine.declared_hz = source->declared_hz;
		machine.cpuid_khz = source->witness_khz;
	} else {
		tw_machine_read(&machine);
	}
	if (khz * 1000 == from_hz && machine.perf_page_khz == khz)
		return TW_WITNESS_PERF;
	if (machine.declared_hz == from_hz)
		return TW_WITNESS_DECLARED;
	if (khz * 1000 != from_hz)
		return TW_WITNESS_NONE;
	return machine.cpuid_khz == khz ? TW_WITNESS_CPUID :
	       machine.hypervisor_khz == khz ? TW_WITNESS_HYPERVISOR :
	       machine.cpuinfo_khz == khz ? TW_WITNESS_CPUINFO :
	       machine.kernel_log_khz == khz ? TW_WITNESS_KERNEL_LOG : TW_WITNESS_NONE;
}

/* Recognise the kernel's rate, and make it @rate; else set the refusal. It is provisional
 * without a witness. */
static void find_kernel_rate(struct tw_rate *rate, const struct tw_fit *fit,
			     const struct tw_time_source *source)
{
	struct tw_kernel_candidates candidates;
	struct tw_kernel_rate kernel;
	int alone = 0;

	read_candidates(source, &candidates);
	rate->refusal = tw_kernel_rate_recognise(fit, &candidates, &kernel, &alone);
	if (rate->refusal)
		return;
	rate->witness = find_witness(source, kernel.from_hz);
	if (rate->witness == TW_WITNESS_NONE && alone)
		rate->witness = TW_WITNESS_BOUND;
	rate->source = rate->witness == TW_WITNESS_NONE ?
		TW_RATE_KERNEL_PROVISIONAL : TW_RATE_KERNEL;
	rate->hz = kernel.hz;
	rate->uncertainty_ppb = 0;
	rate->kernel_mult = kernel.mult;
	rate->kernel_shift = kernel.shift;
}

/* All that one calibration has collected. */
struct calibration {
	struct tw_rate_options options;
	struct tw_brackets brackets;
	struct tw_fit fit;
};

/* Use the kernel's rate if it can be verified; else set the reasons why not. */
static void look_for_kernel_rate(struct tw_rate *rate,
				 const struct calibration *calibration)
{
	const struct tw_rate_options *options = &calibration->options;

	if (options->kernel_rate == TW_OFF)
		rate->refusal = TW_REFUSED_BY_CALLER;
	else if (!calibration->brackets.is_of_counter ||
		 !tw_counter_is_clocksource(options->source))
		rate->refusal = TW_REFUSED_CLOCKSOURCE;
	else
		find_kernel_rate(rate, &calibration->fit, options->source);
}

static void set_rate(struct tw_rate *rate,
		     const struct calibration *calibration)
{
	const struct tw_fit *fit = &calibration->fit;
	const double sigma_ppb = hypot(fit->sigma_ppb, fit->wander_ppb);

	*rate = (struct tw_rate) {
		.source = TW_RATE_REGRESSION,
		.hz = fit->hz,
		.uncertainty_ppb = sigma_ppb,
		.measured_hz = fit->hz,
		.measured_uncertainty_ppb = sigma_ppb,
		.low_hz = fit->low_hz,
		.high_hz = fit->high_hz,
		.window_ns = fit->window_ns,
		.samples = (uint32_t)calibration->brackets.count,
		.used = fit->used,
		.bracket_ticks = fit->bracket_ticks,
	};
	look_for_kernel_rate(rate, calibration);
	/* How far the true rate can be from rate->hz, by the hard interval. */
	rate->bound_ppb = fmax(rate->high_hz / rate->hz - 1, 1 - rate->low_hz / rate->hz) * 1e9;
}

/* The samples cover at least this part of the time, or more are taken: half. */
#define COVERED_PART	2

/* Return whether more samples would help: the kernel's rate can't be told from its neighbours,
 * or others had the CPU in most of the time, and the samples are of a short piece of it. */
static bool would_more_samples_help(const struct tw_rate *rate, uint64_t collected_ns)
{
	return (rate->refusal & (TW_REFUSED_AMBIGUOUS | TW_REFUSED_GAPS)) ||
	       rate->window_ns < collected_ns / COVERED_PART;
}

static int calibrate(struct calibration *calibration, struct tw_rate *rate)
{
	const struct tw_rate_options *options = &calibration->options;
	struct tw_brackets *brackets = &calibration->brackets;
	uint64_t window_ns = options->window_ns, collected_ns = 0;
	int ret;

	brackets->is_of_counter = tw_counter_is_clocksource(options->source);
	brackets->progress = options->progress;
	brackets->context = options->context;
	do {
		ret = tw_brackets_collect(brackets, window_ns, options->source);
		if (ret)
			return ret;
		collected_ns += window_ns;
		ret = tw_fit_brackets(brackets, &calibration->fit);
		if (!ret)
			set_rate(rate, calibration);
		window_ns = collected_ns;
	} while ((ret == -EAGAIN || (!ret && would_more_samples_help(rate, collected_ns))) &&
		 2 * window_ns <= options->longest_ns && !brackets->is_enough);
	tw_brackets_free(brackets);
	/* CLOCK_MONOTONIC_RAW does not bend: if no line fits, the counter is at fault. */
	return ret == -EDOM ? -EIO : ret;
}

/* Copy the caller's options into complete ones, with @source for their clocks, and check
 * them. */
static int take_options(struct tw_rate_options *options,
			struct tw_time_source *source,
			const struct tw_rate_options *callers)
{
	int ret = callers ? tw_sized_take(options, sizeof(*options), callers,
					  TW_FIRST_RATE_OPTIONS) : 0;

	if (!ret && options->source) {
		ret = tw_sized_take(source, sizeof(*source), options->source,
				    TW_FIRST_TIME_SOURCE);
		options->source = source;
	}
	if (ret)
		return ret;
	if (options->window_ns == 0)
		options->window_ns = DEFAULT_WINDOW_NS;
	if (options->window_ns < MIN_WINDOW_NS || options->window_ns > LONGEST_WINDOW_NS ||
	    options->longest_ns > LONGEST_WINDOW_NS ||
	    (options->source && (!source->read_ticks || !source->read_ns)))
		return -EINVAL;
	return 0;
}

int tw_rate_measure(struct tw_rate *rate, const struct tw_rate_options *options)
{
	struct calibration calibration = { 0 };
	struct tw_time_source source;
	struct tw_rate out;
	unsigned refusal;
	int ret;

	ret = tw_sized_check(rate->size, TW_FIRST_RATE);
	if (!ret)
		ret = take_options(&calibration.options, &source, options);
	if (ret)
		return ret;

	/* This comes before the first reading of any clock. */
	if (!calibration.options.source &&
	    tw_counter_permission() != TW_COUNTER_OK)
		return -ENOTSUP;

	ret = calibrate(&calibration, &out);
	if (ret)
		return ret;
	/* Do not report what the caller turned off. */
	refusal = out.refusal & ~(unsigned)TW_REFUSED_BY_CALLER;
	for (unsigned bit = 1; bit && bit <= refusal; bit <<= 1)
		if (refusal & bit)
			tw_say(TW_SAY_NOTE, "rate: the kernel's rate is not "
			       "used: %s", tw_text(TW_ENUM_RATE_REFUSAL, bit));
	if (out.source == TW_RATE_KERNEL_PROVISIONAL)
		tw_say(TW_SAY_NOTE, "rate: the kernel's rate, %u / 2^%u ns a "
		       "tick, is provisional: no second source names it",
		       out.kernel_mult, out.kernel_shift);
	tw_sized_give(rate, &out, sizeof(out));
	return 0;
}
