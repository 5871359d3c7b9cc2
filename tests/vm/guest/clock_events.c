/* SPDX-License-Identifier: MIT */
/*
 * Sets up a clock in a virtual machine, lets something happen to the counter, and
 * asks again and again which part of the library notices; see ../questions.sh.
 *
 *	clock_events EVENT
 *
 * EVENT is written to the file "event" in this folder. The host makes it happen,
 * and then writes the file "obeyed". The program prints four cells of a table:
 *
 *	tw_reliability_measure(), with the limits of `tickwise check`
 *	tw_clock_check(), of a clock that was set up before the event
 *	tw_clock_refine(), of the same clock
 *	the rate of a clock that is set up after the event, against that clock's
 *
 * The first two cells have a verdict and its reasons, and for a fault the time since
 * the event. "reliable": at least one check found that, and none found a fault.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tickwise.h"

#define CHECKS_BEFORE	2
#define CHECKS		8
#define PAUSE_MS	500
#define TRIES		5
#define LONGEST_WAIT_MS	60000
#define PARTS		3
#define VERDICTS	(TW_UNDECIDED + 1)
/* As many names of at most 20 letters as there are reasons. */
#define REASONS		10
#define HOW_SIZE	(REASONS * 22)

/* What one part saw in all checks. */
struct seen {
	unsigned count[VERDICTS];
	double first_s[VERDICTS];	/* since the event */
	char how[VERDICTS][HOW_SIZE];	/* of the first check with reasons */
};

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec) { ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void add_name(char *text, size_t size, const char *name)
{
	size_t length = strlen(text);

	snprintf(text + length, size - length, "%s%s", length ? ", " : "", name);
}

static void note(struct seen *seen, enum tw_verdict verdict, double seconds,
		 const char *how)
{
	if (!seen->count[verdict]++)
		seen->first_s[verdict] = seconds;
	if (!seen->how[verdict][0])
		snprintf(seen->how[verdict], HOW_SIZE, "%s", how);
}

static void check_cpus(struct seen *seen, double event_s)
{
	struct tw_reliability cpus = TW_SIZED(struct tw_reliability);
	char how[HOW_SIZE] = "";

	if (tw_reliability_measure(&cpus, NULL))
		return;
	for (unsigned bit = 0; bit < REASONS; bit++)
		if (cpus.reasons & 1U << bit)
			add_name(how, sizeof(how),
				 tw_name(TW_ENUM_REASON, 1U << bit));
	note(seen, cpus.verdict, now_s() - event_s, how);
	tw_reliability_free(&cpus);
}

/* Name what explains the verdict: what is bad, else what can't tell. */
static void check_health(const struct tw_clock *clock, struct seen *seen,
			 double event_s)
{
	struct tw_clock_health health = TW_SIZED(struct tw_clock_health);
	enum tw_health_state state;
	char how[HOW_SIZE] = "";

	if (tw_clock_check(clock, &health))
		return;
	state = health.verdict == TW_UNRELIABLE ? TW_HEALTH_BAD :
						  TW_HEALTH_UNDECIDED;
	for (unsigned i = 0; i < TW_HEALTH_CHECKS; i++)
		if (health.state[i] == state)
			add_name(how, sizeof(how),
				 tw_name(TW_ENUM_HEALTH_CHECK, i));
	note(seen, health.verdict, now_s() - event_s, how);
}

/* A refusal counts as unreliable, another rate as undecided. */
static void refine(struct tw_clock *clock, struct seen *seen, double event_s)
{
	struct tw_rate before = TW_SIZED(struct tw_rate), now = before;
	int ret;

	tw_clock_rate(clock, &before);
	ret = tw_clock_refine(clock);
	tw_clock_rate(clock, &now);
	if (ret == -ESTALE)
		note(seen, TW_UNRELIABLE, now_s() - event_s, "");
	else if (ret >= 0)
		note(seen, fabs(now.hz / before.hz - 1) > 1e-5 ?
			   TW_UNDECIDED : TW_RELIABLE,
		     now_s() - event_s, "");
}

static void check_all(struct tw_clock *clock, struct seen seen[PARTS],
		      double event_s)
{
	check_cpus(&seen[0], event_s);
	check_health(clock, &seen[1], event_s);
	refine(clock, &seen[2], event_s);
	sleep_ms(PAUSE_MS);
}

/* A busy machine can be too slow for a calibration: try again. */
static int start(struct tw_clock *clock)
{
	const struct tw_clock_options options = {
		.size = sizeof(options), .window_ns = 200000000,
	};

	for (unsigned i = 0; i < TRIES; i++) {
		if (tw_clock_init(clock, &options))
			continue;
		if (!clock->system)
			return 0;
		tw_clock_free(clock);
	}
	return -EAGAIN;
}

/* Start a clock and compare its rate with that of the clock before it. */
static void start_anew(double hz, char *how, size_t size)
{
	struct tw_clock clock;

	if (start(&clock)) {
		snprintf(how, size, "none");
		return;
	}
	/* A whole number, for there is no -0. */
	snprintf(how, size, "%+ld ppm", lround((clock.scale.hz / hz - 1) * 1e6));
	tw_clock_free(&clock);
}

/* Return 0 when the host has made it happen. */
static int happen(const char *event)
{
	FILE *file = fopen("event.new", "w");

	if (!file)
		return -errno;
	fprintf(file, "%s\n", event);
	fclose(file);
	rename("event.new", "event");
	for (unsigned ms = 0; access("obeyed", F_OK); ms += 50) {
		if (ms >= LONGEST_WAIT_MS)
			return -ETIMEDOUT;
		sleep_ms(50);
	}
	return 0;
}

/* Print a fault with its time; else the best verdict. */
static void print_verdict(const struct seen *seen)
{
	enum tw_verdict verdict = seen->count[TW_UNRELIABLE] ? TW_UNRELIABLE :
				  seen->count[TW_RELIABLE] ? TW_RELIABLE :
							     TW_UNDECIDED;

	if (seen->count[verdict])
		printf("%s", tw_name(TW_ENUM_VERDICT, verdict));
	else
		printf("can't be run");
	if (seen->count[TW_UNRELIABLE])
		printf(" within %.0f s", ceil(seen->first_s[TW_UNRELIABLE]));
	if (seen->how[verdict][0])
		printf(" (%s)", seen->how[verdict]);
	printf(" | ");
}

static void print_refined(const struct seen *seen)
{
	if (seen->count[TW_UNRELIABLE])
		printf("refuses within %.0f s",
		       ceil(seen->first_s[TW_UNRELIABLE]));
	else if (seen->count[TW_UNDECIDED])
		printf("takes another rate");
	else
		printf("%s", seen->count[TW_RELIABLE] ? "no change" :
							"can't be run");
	printf(" | ");
}

int main(int argc, char **argv)
{
	struct seen before[PARTS] = { 0 }, after[PARTS] = { 0 };
	struct tw_clock clock;
	char anew[64];
	double event_s;

	if (argc != 2) {
		fprintf(stderr, "usage: clock_events EVENT\n");
		return 64;
	}
	if (start(&clock))
		return 2;
	for (unsigned i = 0; i < CHECKS_BEFORE; i++)
		check_all(&clock, before, now_s());
	if (happen(argv[1]))
		return 1;
	/* After the event, which may have moved this clock, too. */
	event_s = now_s();
	for (unsigned i = 0; i < CHECKS; i++)
		check_all(&clock, after, event_s);
	fprintf(stderr, "%u checks in %.1f s", CHECKS, now_s() - event_s);
	start_anew(clock.scale.hz, anew, sizeof(anew));
	for (unsigned i = 0; i < PARTS; i++)
		if (before[i].count[TW_UNRELIABLE])
			printf("a fault before the event, ");
	print_verdict(&after[0]);
	print_verdict(&after[1]);
	print_refined(&after[2]);
	printf("%s\n", anew);
	tw_clock_free(&clock);
	return 0;
}
