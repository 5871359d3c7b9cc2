/* SPDX-License-Identifier: MIT */
/*
 * A program under the preload clock, for preload_steered.t. It steers the kernel's
 * clock and sets the time of day while it reads CLOCK_MONOTONIC, and prints how far
 * a reading was off the real clock.
 *
 *	steered_clock BURST-MS PAUSE-MS ROUNDS
 *
 * Each step has a line: "NAME slew PPM reads N backwards N off NS narrowest NS".
 * Slew is the largest in the burst, before or after the step in its middle. Off is
 * the distance of a reading to the range between the readings of libc's own
 * function before and after it. `narrowest` is the smallest such range.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

#define UNCOMPARED	10

struct step {
	const char *name;
	int slew_ppm;		/* from then on */
	int offset_us;		/* adjtime(): slews by 500 ppm until done */
	int set_seconds;	/* set the time of day by this */
};

static const struct step steps[] = {
	{ "unsteered", 0, 0, 0 },
	{ "+100ppm", 100, 0, 0 },
	{ "-100ppm", -100, 0, 0 },
	{ "+500ppm", 500, 0, 0 },
	{ "-500ppm", -500, 0, 0 },
	{ "from-500ppm", 0, 0, 0 },
	{ "+1000ppm", 1000, 0, 0 },
	{ "from+1000ppm", 0, 0, 0 },
	{ "-1000ppm", -1000, 0, 0 },
	{ "from-1000ppm", 0, 0, 0 },
	{ "an-hour-ahead", 0, 0, 3600 },
	{ "an-hour-back", 0, 0, -3600 },
	{ "adjtime", 0, 100000, 0 },
};

#define STEPS	(sizeof(steps) / sizeof(*steps))

struct seen {
	uint64_t last_ns;
	uint64_t reads, backwards;
	int64_t off_ns;
	int64_t narrowest_ns;
};

static int (*real)(clockid_t, struct timespec *);

static int64_t ns_of(const struct timespec *ts)
{
	return (int64_t)ts->tv_sec * 1000000000 + ts->tv_nsec;
}

static int64_t real_ns(void)
{
	struct timespec now;

	real(CLOCK_MONOTONIC, &now);
	return ns_of(&now);
}

static int64_t read_ns(struct seen *seen)
{
	struct timespec now;
	int64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = ns_of(&now);
	seen->backwards += (uint64_t)ns < seen->last_ns;
	seen->last_ns = (uint64_t)ns;
	seen->reads++;
	return ns;
}

static void look(struct seen *seen)
{
	int64_t low = real_ns(), ns = read_ns(seen), high = real_ns();
	int i;

	if (low - ns > seen->off_ns)
		seen->off_ns = low - ns;
	if (ns - high > seen->off_ns)
		seen->off_ns = ns - high;
	if (high - low < seen->narrowest_ns)
		seen->narrowest_ns = high - low;
	for (i = 0; i < UNCOMPARED; i++)
		read_ns(seen);
}

static void read_for(struct seen *seen, int64_t ns)
{
	int64_t end_ns = real_ns() + ns;

	while (real_ns() < end_ns)
		look(seen);
}

/* A unit of the kernel's tick is 100 ppm of it. */
static void take(const struct step *step)
{
	struct timex steer = { .modes = ADJ_TICK,
			       .tick = 10000 + step->slew_ppm / 100 };
	struct timex offset = { .modes = ADJ_OFFSET_SINGLESHOT,
				.offset = step->offset_us };
	struct timeval now;
	int failed = adjtimex(&steer) < 0;

	if (step->offset_us)
		failed |= adjtimex(&offset) < 0;
	if (step->set_seconds) {
		gettimeofday(&now, NULL);
		now.tv_sec += step->set_seconds;
		failed |= settimeofday(&now, NULL) < 0;
	}
	if (failed) {
		perror(step->name);
		exit(2);
	}
}

/* adjtime() begins with the next second, so the clock is read after that as well. */
static int run_step(const struct step *step, int before_ppm, int64_t burst_ns,
		    int64_t pause_ns)
{
	const struct timespec pause = { pause_ns / 1000000000,
					pause_ns % 1000000000 };
	struct seen seen = { .narrowest_ns = 1000000000 };
	int ppm = abs(before_ppm);

	read_for(&seen, burst_ns / 2);
	take(step);
	read_for(&seen, burst_ns / 2);
	nanosleep(&pause, NULL);
	read_for(&seen, burst_ns / 2);
	if (abs(step->slew_ppm) > ppm)
		ppm = abs(step->slew_ppm);
	if (step->offset_us)
		ppm = 500;
	printf("%s slew %d reads %llu backwards %llu off %lld narrowest %lld\n",
	       step->name, ppm, (unsigned long long)seen.reads,
	       (unsigned long long)seen.backwards, (long long)seen.off_ns,
	       (long long)seen.narrowest_ns);
	fflush(stdout);
	/* The slew continues into the next step. */
	return step->offset_us ? 500 : step->slew_ppm;
}

int main(int argc, char **argv)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	void *found = libc ? dlsym(libc, "clock_gettime") : NULL;
	int rounds, ppm = 0;
	size_t i;

	if (argc != 4 || !found)
		return 2;
	memcpy(&real, &found, sizeof(real));
	for (rounds = atoi(argv[3]); rounds > 0; rounds--)
		for (i = 0; i < STEPS; i++)
			ppm = run_step(&steps[i], ppm,
				       atoll(argv[1]) * 1000000,
				       atoll(argv[2]) * 1000000);
	return 0;
}
