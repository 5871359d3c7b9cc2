/* SPDX-License-Identifier: MIT */
/*
 * Shows what a program can do with libtickwise, from the first question to the
 * last. Can the counter be trusted? How fast does it run? How long did this
 * take? For how long will all that hold? Every number comes with its error.
 *
 *	cc example.c $(pkg-config --cflags --libs tickwise)
 *
 * Exit code: 0 the counter was used, 1 it must not be used, 2 this could not be
 * decided, 70 the program could not run. `taskset -c 0 ./example` asks about one
 * CPU only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickwise.h>

#define SECONDS_A_YEAR	(365.2425 * 86400)

static int stop(const char *what, int error)
{
	fprintf(stderr, "example: %s: %s\n", what, strerror(-error));
	return 70;
}

static void print_reliability(const struct tw_reliability *reliability)
{
	printf("Reliability\n  verdict    %s\n",
	       tw_name(TW_ENUM_VERDICT, reliability->verdict));
	for (unsigned bit = 1; bit && bit <= reliability->reasons; bit <<= 1)
		if (reliability->reasons & bit)
			printf("             %s\n", tw_text(TW_ENUM_REASON, bit));
	if (reliability->pairs == 0)
		printf("  offset     no other CPU to compare with\n");
	else if (reliability->offset_low_ticks == -INT64_MAX ||
		 reliability->offset_high_ticks == INT64_MAX)
		printf("  offset     not bounded\n");
	else
		printf("  offset     two readings on any CPUs are off by %" PRId64
		       " to %+" PRId64 " ticks\n             (%.1f to %+.1f ns)\n",
		       reliability->offset_low_ticks, reliability->offset_high_ticks,
		       (double)reliability->offset_low_ticks / reliability->hz * 1e9,
		       (double)reliability->offset_high_ticks / reliability->hz * 1e9);
	printf("  order      %s: %" PRIu64 " of %" PRIu64 " readings were "
	       "smaller than an earlier one\n\n", reliability->monotonic ?
	       "monotonic" : "NOT monotonic", reliability->backwards,
	       reliability->probes);
}

static void print_rate(const struct tw_rate *rate)
{
	printf("Rate\n  rate       %.3f ticks per second of CLOCK_MONOTONIC_RAW\n"
	       "  error      %.3g ppb (1 sigma), %.4g ppb (hard bound), both "
	       "of that clock;\n             how long its second is in SI, "
	       "nothing in here can tell\n", rate->hz, rate->uncertainty_ppb, rate->bound_ppb);
	printf("  from       %s, %u of %u samples in %.0f ms\n\n",
	       tw_name(TW_ENUM_RATE_SOURCE, rate->source), rate->used,
	       rate->samples,
	       (double)rate->window_ns / 1e6);
}

/* Read the counter twice, and print the time between the readings. */
static void print_interval(const struct tw_clock *clock)
{
	unsigned cpu, last_cpu;
	uint64_t begin = tw_ticks_cpu(&cpu), ticks;
	volatile double x = 1;

	/* Give the clock something to measure: dependent divisions. */
	for (int i = 0; i < 1000; i++)
		x = 1 / (1 + x);
	ticks = tw_ticks_cpu(&last_cpu) - begin;
	printf("Interval\n  measured   %" PRIu64 " ticks, %" PRId64 " ns, %s\n\n",
	       ticks, tw_ticks_delta_to_ns(&clock->scale, (int64_t)ticks),
	       cpu == last_cpu ? "on one CPU" : "on two CPUs: add their offset");
}

static void print_seconds(double seconds)
{
	printf("%.0f s (%.1f %s)", seconds,
	       seconds / (seconds >= SECONDS_A_YEAR ? SECONDS_A_YEAR : 86400),
	       seconds >= SECONDS_A_YEAR ? "years" : "days");
}

static void print_limits(const struct tw_clock *clock)
{
	printf("Limits\n  counter    wraps in ");
	print_seconds(tw_seconds_before_wrap(tw_ticks(), clock->scale.hz));
	printf("\n  conversion takes intervals up to ");
	print_seconds((double)clock->scale.max_ticks / clock->scale.hz);
	printf(",\n             longer ones saturate\n");
}

static int print_health(const struct tw_clock *clock)
{
	struct tw_clock_health health = TW_SIZED(struct tw_clock_health);
	int error = tw_clock_check(clock, &health);

	if (error)
		return error;
	printf("\nHealth\n  verdict    %s\n",
	       tw_text(TW_ENUM_VERDICT, health.verdict));
	for (unsigned i = 0; i < TW_HEALTH_CHECKS; i++)
		printf("  %-10s %s: %s\n",
		       i ? "" : "checks",
		       tw_name(TW_ENUM_HEALTH_STATE, health.state[i]),
		       tw_text(TW_ENUM_HEALTH_CHECK, i));
	return 0;
}

static int use_clock(const struct tw_clock *clock)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct tw_scale scale;
	int error;

	if (clock->system)
		return stop("no rate could be found", clock->system_errno);
	error = tw_clock_rate(clock, &rate);
	if (error)
		return stop("no rate", error);
	print_rate(&rate);
	/* The clock has the same scale: clock->scale. */
	error = tw_scale_init(&scale, &rate, 0);
	if (error)
		return stop("no conversion", error);
	printf("Conversion, ns = ((t >> %u) * whole + ((t & mask) * mult >> "
	       "%u) + half) >> %d\n", scale.modulus_log2, scale.shift,
	       TW_SCALE_FRACTION_BITS);
	printf("  modulus    2^%u ticks, %.3f s\n  mult       %" PRIu64
	       "\n  whole      %" PRIu64 "\n", scale.modulus_log2,
	       (double)scale.modulus_ns / 1e9, scale.mult, scale.whole);
	printf("  error      %.3f ns + %.2g ppb of the interval\n\n",
	       scale.error_ns, scale.error_ppb);
	print_interval(clock);
	print_limits(clock);
	error = print_health(clock);
	return error ? stop("can't look at the clock again", error) : 0;
}

static int use_counter(void)
{
	struct tw_clock clock;
	uint64_t ticks;
	unsigned cpu;
	int code, error;

	ticks = tw_ticks_cpu(&cpu);
	printf("Counter\n  reading    %" PRIu64 " ticks, on CPU %u\n\n", ticks, cpu);
	error = tw_clock_init(&clock, NULL);
	if (error)
		return stop("can't calibrate", error);
	code = use_clock(&clock);
	tw_clock_free(&clock);
	return code;
}

static void say(void *context, int level, const char *message)
{
	(void)context;
	fprintf(stderr, "%s: %s\n", level == TW_SAY_WARNING ? "warning" :
		"note", message);
}

int main(void)
{
	struct tw_reliability reliability = TW_SIZED(struct tw_reliability);
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	int code, error;

	tw_set_diagnostics(say, NULL);
	/* The library judges only the CPUs that this program may use. */
	tw_machine_read(&machine);
	printf("CPUs\n  allowed    %u of the %u online; the others are not judged\n",
	       machine.cpus_allowed, machine.cpus_online);
	if (machine.cpus_allowed == 1)
		printf("             one CPU has no offsets: allow more to see them\n");
	printf("\n");
	error = tw_reliability_measure(&reliability, NULL);
	if (error)
		return stop("can't judge the counter", error);
	print_reliability(&reliability);
	if (reliability.verdict == TW_UNRELIABLE) {
		printf("Intervals are not measured with such a counter: use "
		       "clock_gettime().\n");
		code = 1;
	} else {
		code = use_counter();
		if (!code && reliability.verdict == TW_UNDECIDED)
			code = 2;
	}
	tw_reliability_free(&reliability);
	return code;
}
