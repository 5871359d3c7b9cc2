/* SPDX-License-Identifier: MIT */
/*
 * A calibration tells its progress, and the caller can end it: with the rate by the
 * samples until then, or without one. Fails if it goes on, or if samples are lost.
 */
#include <errno.h>
#include <math.h>

#include "tap.h"
#include "tickwise.h"

#define MS	UINT64_C(1000000)
#define HZ	2.6e9

struct machine {
	uint64_t ticks;
	uint64_t told_ns;
	unsigned told;
	uint64_t end_ns;		/* when @answer is given; 0: never */
	int answer;
	int forwards;
};

static uint64_t read_ticks(void *context)
{
	struct machine *machine = context;

	return machine->ticks += 26;
}

static uint64_t read_ns(void *context)
{
	struct machine *machine = context;

	return (uint64_t)((double)(machine->ticks += 26) / HZ * 1e9);
}

static void sleep_ns(void *context, uint64_t ns)
{
	struct machine *machine = context;

	machine->ticks += (uint64_t)((double)ns * HZ / 1e9);
}

static int tell(void *context, uint64_t elapsed_ns)
{
	struct machine *machine = context;

	machine->forwards &= elapsed_ns >= machine->told_ns;
	machine->told_ns = elapsed_ns;
	machine->told++;
	return machine->end_ns && elapsed_ns >= machine->end_ns ? machine->answer : 0;
}

static int measure(struct machine *machine, uint64_t window_ms, struct tw_rate *rate)
{
	const struct tw_time_source source = {
		.size = sizeof(source), .read_ticks = read_ticks, .read_ns = read_ns,
		.context = machine, .granularity_ns = 1, .sleep_ns = sleep_ns,
	};
	const struct tw_rate_options options = {
		.size = sizeof(options), .window_ns = window_ms * MS,
		.longest_ns = 8 * window_ms * MS, .source = &source,
		.progress = tell, .context = machine,
	};

	machine->ticks = UINT64_C(1) << 40;
	machine->forwards = 1;
	*rate = TW_SIZED(struct tw_rate);
	return tw_rate_measure(rate, &options);
}

static int is_right(const struct tw_rate *rate)
{
	return fabs(rate->hz / HZ - 1) < 1e-6;
}

int main(void)
{
	struct machine machine = { .told = 0 };
	struct tw_rate rate;

	tap_ok(!measure(&machine, 1000, &rate) && is_right(&rate), "nobody ends it");
	tap_ok(machine.told > 500 && machine.forwards && machine.told_ns > 900 * MS,
	       "told %u times, never less than before, up to the end", machine.told);

	machine = (struct machine) { .end_ns = 300 * MS, .answer = TW_ENOUGH };
	tap_ok(!measure(&machine, 1000, &rate) && is_right(&rate),
	       "enough after 300 ms: a rate");
	tap_ok(rate.window_ns > 290 * MS && rate.window_ns < 310 * MS,
	       "of a window of that length, %.1f ms", (double)rate.window_ns / 1e6);
	tap_ok(machine.told_ns < 310 * MS, "and it does not go on");

	machine = (struct machine) { .end_ns = 300 * MS, .answer = 1 };
	rate = TW_SIZED(struct tw_rate);
	tap_ok(measure(&machine, 1000, &rate) == -ECANCELED && rate.hz == 0,
	       "ended without a rate");
	return tap_done();
}
