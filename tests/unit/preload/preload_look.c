/* SPDX-License-Identifier: MIT */
/*
 * Examining the counter before main(): the slope is that of two moments at least 10 ms
 * apart, also if a signal cuts the sleep short, and each thing that speaks against the
 * counter is told.
 *
 * Fails if a clock that goes on counts as one that stands still, or the other way round.
 * Fails also if the middles of the brackets are not taken.
 *
 * Wraps: tw_clock_mark tw_counter_permission tw_counter_is_emulated tw_read_clocksource
 * Wraps: nanosleep
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "counter/state.h"
#include "machine/machine.h"
#include "preload/preload_clock.h"
#include "tap.h"
#include "trust.h"

/* Two ticks a nanosecond; the second bracket is 40 ticks wider than the first. */
static struct machine {
	enum tw_counter_state state;
	int is_emulated, mark_error, stands_still;
	const char *clocksource;
	uint64_t width_ticks;
	unsigned marks, sleeps;
	long slept_ns;
} machine;

int __wrap_tw_clock_mark(enum tw_against against, unsigned tries, struct tw_clock_mark *mark);
enum tw_counter_state __wrap_tw_counter_permission(void);
int __wrap_tw_counter_is_emulated(void);
void __wrap_tw_read_clocksource(char *name, size_t size);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

int __wrap_tw_clock_mark(enum tw_against against, unsigned tries, struct tw_clock_mark *mark)
{
	uint64_t middle = 1000000 + 2 * (uint64_t)machine.slept_ns;
	uint64_t half = machine.width_ticks / 2 + (machine.slept_ns ? 20 : 0);

	(void)against, (void)tries;
	machine.marks++;
	mark->ticks_before = middle - half;
	mark->ticks_after = middle + half;
	mark->system_ns = 5000 + (machine.stands_still ? 0 : (uint64_t)machine.slept_ns);
	return machine.mark_error;
}

enum tw_counter_state __wrap_tw_counter_permission(void)
{
	return machine.state;
}

int __wrap_tw_counter_is_emulated(void)
{
	return machine.is_emulated;
}

void __wrap_tw_read_clocksource(char *name, size_t size)
{
	snprintf(name, size, "%s", machine.clocksource);
}

/* A signal cuts the first sleep in half. */
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	long ns = machine.sleeps++ ? time->tv_nsec : time->tv_nsec / 2;

	machine.slept_ns += ns;
	left->tv_nsec = time->tv_nsec - ns;
	errno = EINTR;
	return left->tv_nsec ? -1 : 0;
}

#define OURS	.clocksource = TW_COUNTER_CLOCKSOURCE

/* @refusal: NULL: the counter is used. */
static const struct {
	const char *refusal;
	struct machine machine;
} cases[] = {
	{ NULL, { OURS, .width_ticks = 60 } },
	{ "don't run at one rate", { OURS, .width_ticks = 60, .stands_still = 1 } },
	/* 180 ticks are 90 ns, which is 1.5 of what an anchor may have. */
	{ "takes more than 90 ns", { OURS, .width_ticks = 182 } },
	{ NULL, { OURS, .width_ticks = 180 } },
	{ "this process may not read it",
	  { OURS, .width_ticks = 60, .mark_error = -ENOTSUP } },
	{ "a read would kill it", { OURS, .width_ticks = 60, .state = TW_COUNTER_DISABLED } },
	{ "translates this one", { OURS, .width_ticks = 60, .is_emulated = 1 } },
	{ "by hpet", { .clocksource = "hpet", .width_ticks = 60 } },
};

int main(void)
{
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *refusal = cases[i].refusal;
		double ns_per_tick = 0;
		struct tw_trust trust = { "" };

		machine = cases[i].machine;
		tap_ok(tw_preload_trust(0, &ns_per_tick, &trust) ==
		       !refusal && strstr(trust.why_not, refusal ? refusal : ""), "%s: %s",
		       refusal ? "refused" : "used", trust.why_not);
		tap_ok(refusal || (fabs(ns_per_tick - 0.5) < 1e-12 && machine.sleeps == 2 &&
				   machine.slept_ns == 10000000),
		       "%g ns a tick, over %ld ns in %u sleeps", ns_per_tick,
		       machine.slept_ns, machine.sleeps);
		tap_ok(machine.state != TW_COUNTER_DISABLED || !machine.marks,
		       "not read if that would kill it");
	}
	return tap_done();
}
