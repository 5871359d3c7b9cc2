/* SPDX-License-Identifier: MIT */
/*
 * Sets up a clock in a virtual machine, lets something happen to the counter, and
 * asks every half a second which part of the library notices; see ../questions.sh.
 *
 *	clock_events EVENT
 *
 * EVENT is written to the file "event" in this folder; the host makes it happen. The
 * program prints one line: for each part, at which look it first noticed and how.
 *
 *	cpus	tw_reliability_measure(), as `tickwise check` has it
 *	health	the clock's own tw_clock_check(), as an engine has it at its end
 *	refine	tw_clock_refine()
 *	new	a clock that is set up afterwards: is it off the system's?
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tickwise.h"

#define LOOKS_BEFORE	2
#define LOOKS		8
#define TRIES		5

struct seen {
	int look;		/* the first; 0: never */
	char how[128];
};

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec) { ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static void note(struct seen *seen, int look, const char *how)
{
	if (seen->look)
		return;
	seen->look = look;
	snprintf(seen->how, sizeof(seen->how), "%s", how);
}

static void look_at_cpus(struct seen *seen, int look)
{
	const struct tw_reliability_options options = {
		.size = sizeof(options), .time_limit_ns = 500000000,
	};
	struct tw_reliability cpus = TW_SIZED(struct tw_reliability);
	char how[128] = "";

	if (tw_reliability_measure(&cpus, &options))
		return;
	for (unsigned bit = 0; bit < 10; bit++)
		if (cpus.reasons & 1U << bit) {
			strcat(how, how[0] ? "," : "");
			strncat(how, tw_name(TW_ENUM_REASON, 1U << bit), 20);
		}
	if (cpus.verdict == TW_UNRELIABLE)
		note(seen, look, how);
	tw_reliability_free(&cpus);
}

static void look_at_health(const struct tw_clock *clock, struct seen *seen,
			   int look)
{
	struct tw_clock_health health = TW_SIZED(struct tw_clock_health);
	char how[128] = "";

	if (tw_clock_check(clock, &health)) {
		note(seen, look, "can't be checked");
		return;
	}
	for (unsigned i = 0; i < TW_HEALTH_CHECKS; i++)
		if (health.state[i] == TW_HEALTH_BAD) {
			strcat(how, how[0] ? "," : "");
			strncat(how, tw_name(TW_ENUM_HEALTH_CHECK, i), 20);
		}
	if (how[0])
		note(seen, look, how);
}

static void refine(struct tw_clock *clock, struct seen *seen, int look)
{
	struct tw_rate before = TW_SIZED(struct tw_rate), now = before;
	int ret;

	tw_clock_rate(clock, &before);
	ret = tw_clock_refine(clock);
	tw_clock_rate(clock, &now);
	if (ret == -ESTALE)
		note(seen, look, "refused: a new clock is needed");
	else if (fabs(now.hz / before.hz - 1) > 1e-5)
		note(seen, look, "took another rate");
}

/* Start a clock and compare its rate with what the clock before it had. */
static void start_anew(double hz, char *how, size_t size)
{
	const struct tw_clock_options options = {
		.size = sizeof(options), .window_ns = 200000000,
	};
	struct tw_clock clock;

	if (tw_clock_init(&clock, &options)) {
		snprintf(how, size, "none");
		return;
	}
	if (clock.system)
		snprintf(how, size, "the system's clock");
	else
		snprintf(how, size, "%+.0f ppm",
			 (clock.scale.hz / hz - 1) * 1e6);
	tw_clock_free(&clock);
}

static int happen(const char *event)
{
	FILE *file = fopen("event.new", "w");

	if (!file)
		return -errno;
	fprintf(file, "%s\n", event);
	fclose(file);
	rename("event.new", "event");
	sleep_ms(500);
	return 0;
}

static void print_seen(const char *name, const struct seen *seen)
{
	if (seen->look)
		printf("; %s: look %d (%s)", name, seen->look, seen->how);
	else
		printf("; %s: never", name);
}

/* A busy machine can be too slow for a calibration: try again. */
static int start(struct tw_clock *clock)
{
	const struct tw_clock_options options = {
		.size = sizeof(options), .window_ns = 200000000,
	};

	for (unsigned i = 0; i < TRIES; i++) {
		if (!tw_clock_init(clock, &options) && !clock->system)
			return 0;
		tw_clock_free(clock);
	}
	return -EAGAIN;
}

int main(int argc, char **argv)
{
	struct seen cpus = { 0 }, health = { 0 }, refined = { 0 };
	char anew[64], source[32] = "unknown";
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	struct tw_clock clock;

	if (argc != 2) {
		fprintf(stderr, "usage: clock_events EVENT\n");
		return 64;
	}
	if (start(&clock))
		return 2;
	for (int look = -LOOKS_BEFORE; look <= LOOKS; look++) {
		if (!look && happen(argv[1]))
			return 1;
		/* What is noticed before the event has a negative number. */
		if (look) {
			look_at_health(&clock, &health, look);
			refine(&clock, &refined, look);
			look_at_cpus(&cpus, look);
		}
		sleep_ms(500);
	}
	start_anew(clock.scale.hz, anew, sizeof(anew));
	if (!tw_machine_read(&machine))
		snprintf(source, sizeof(source), "%s", machine.clocksource);
	printf("%s", argv[1]);
	print_seen("cpus", &cpus);
	print_seen("health", &health);
	print_seen("refine", &refined);
	printf("; new: %s; clocksource: %s\n", anew, source);
	tw_clock_free(&clock);
	return 0;
}
