/* SPDX-License-Identifier: MIT */
/*
 * Which simulated runs have parts that differ. Defect: a steady run is called unsteady because
 * neighbouring windows are alike, because a few are huge, or because there are few I/Os; a change
 * is missed, or put at another time. The same seed makes the same runs. What is only printed is
 * a limit of the method.
 */
#include <string.h>

#include "command/analysis/change.h"
#include "diff_runs.h"
#include "tap.h"

#define RUNS	400
#define CHANGED	100	/* runs of each kind that change */
#define MOST	TW_CHANGE_MOST

struct family {
	const char *name;
	double memory;		/* coefficient of the AR(1) of the noise */
	int has_tails;		/* Student's t with three degrees of freedom */
	double ios;		/* mean number of I/Os of a window; 0: very many, without noise of counting */
	int is_one;		/* lat is as long as IOPS are few: at one depth, nothing else is */
};

static const struct family families[] = {
	{ "white", 0, 0, 0, 0 },
	{ "memory 0.5", 0.5, 0, 0, 0 },
	{ "memory 0.9", 0.9, 0, 0, 0 },
	{ "heavy tails", 0, 1, 0, 0 },
	{ "few I/Os", 0, 0, 40, 0 },
	{ "very few I/Os", 0, 0, 8, 0 },
	{ "memory 0.5, one series", 0.5, 0, 0, 1 },
	{ "memory 0.9, one series", 0.9, 0, 0, 1 },
};

#define FAMILIES	(sizeof(families) / sizeof(*families))

static double exactly_normal(void)
{
	return sqrt(-2 * log(1 - diff_uniform())) * cos(2 * M_PI * diff_uniform());
}

/* Return the number of events in a time in which @mean are expected. */
static double poisson(double mean)
{
	double count = -1;

	for (double at = 0; at < mean; count++)
		at -= log(1 - diff_uniform());
	return count;
}

/* Return the noise of a window. */
static double noise(const struct family *family, double *state, int is_first)
{
	const double memory = is_first ? 0 : family->memory;
	double squares = 0;

	*state = memory * *state + sqrt(1 - memory * memory) * exactly_normal();
	if (!family->has_tails)
		return *state;
	for (int i = 0; i < 3; i++)
		squares += pow(exactly_normal(), 2);
	return *state / sqrt(squares);		/* of deviation 1 */
}

/* Simulate a run. @slow: how much slower it is in each window. */
static void simulate(double *ios, double *sum_ns, size_t count, const struct family *family,
		     double deviation, const double *slow)
{
	double states[2] = { 0, 0 };

	for (size_t i = 0; i < count; i++) {
		const double slower = slow ? slow[i] : 1;
		const double rate = fmax(0.05, 1 + deviation * noise(family, &states[0], !i)) /
				    slower;
		double mean_ns = slower * fmax(0.05, 1 + deviation *
					       noise(family, &states[1], !i));

		if (family->is_one)
			mean_ns = 1 / rate;
		ios[i] = 1e4 * rate;
		sum_ns[i] = ios[i] * mean_ns;
		if (!family->ios)
			continue;
		ios[i] = poisson(family->ios * rate);
		sum_ns[i] = 0;
		for (double j = 0; j < ios[i]; j++)
			sum_ns[i] -= mean_ns * log(1 - diff_uniform());
	}
}

/* Return the part of steady runs that is called unsteady. */
static double false_alarms(const struct family *family, double deviation, size_t count)
{
	double ios[MOST], sum_ns[MOST];
	struct tw_change change;
	int found = 0;

	for (int i = 0; i < RUNS; i++) {
		simulate(ios, sum_ns, count, family, deviation, NULL);
		tw_change_find(&change, ios, sum_ns, count);
		found += change.parts > 1;
	}
	return (double)found / RUNS;
}

static int is_near(size_t at, const struct tw_change *change)
{
	for (size_t i = 1; i < change->parts; i++)
		if (change->begin[i] <= at + 1 && change->begin[i] + 1 >= at)
			return 1;
	return 0;
}

/* Levels of a run: how much slower each part is than the first. */
struct shape {
	const char *name;
	size_t parts;
	double slower[5];
	size_t shortest;	/* part, of MOST windows; 0: one part is a third of the run */
};

static const struct shape shapes[] = {
	{ "30 % slower for a third", 3, { 1, 1.3, 1 }, 0 },
	{ "30 % slower two times", 5, { 1, 1.3, 1, 1.3, 1 }, 16 },
	{ "four levels", 4, { 1, 1.7, 1.3, 2.2 }, 16 },
};

/* Set how slow a run is, and return the windows where it changes. */
static void shape_run(double *slow, size_t *edges, const struct shape *shape, size_t count)
{
	const size_t shortest = shape->shortest * count / MOST, third = count / 3;
	size_t left = count - shortest * shape->parts, part = 0;

	for (size_t i = 1; i < shape->parts; i++) {
		const size_t more = (size_t)(diff_uniform() * (double)(left + 1) /
					     (double)(shape->parts - i));

		edges[i] = (i > 1 ? edges[i - 1] : 0) + shortest + more;
		left -= more;
	}
	if (!shape->shortest) {
		edges[1] = (size_t)(diff_uniform() * (double)(count - third + 1));
		edges[2] = edges[1] + third;
	}
	for (size_t i = 0; i < count; i++) {
		while (part + 1 < shape->parts && i >= edges[part + 1])
			part++;
		slow[i] = shape->slower[part];
	}
}

/* Set the parts of changes that are found, and of their times that are found within a window. */
static void find_changes(const struct family *family, const struct shape *shape, size_t count,
			 double *found, double *timed)
{
	double ios[MOST], sum_ns[MOST], slow[MOST];
	size_t edges[5] = { 0 };
	struct tw_change change;
	int times = 0;

	*found = *timed = 0;
	for (int i = 0; i < CHANGED; i++) {
		shape_run(slow, edges, shape, count);
		simulate(ios, sum_ns, count, family, 0.1, slow);
		tw_change_find(&change, ios, sum_ns, count);
		*found += (change.parts > 1) / (double)CHANGED;
		for (size_t j = 1; j < shape->parts; j++) {
			if (edges[j] == 0 || edges[j] == count)
				continue;
			*timed += is_near(edges[j], &change);
			times++;
		}
	}
	*timed /= times;
}

static void test_steady(void)
{
	static const double deviations[] = { 0.05, 0.1, 0.2, 0.4 };

	for (size_t i = 0; i < FAMILIES; i++) {
		double most = 0;

		for (int j = 0; j < 4; j++)
			most = fmax(most, false_alarms(&families[i], deviations[j], MOST));
		most = fmax(most, false_alarms(&families[i], 0.4, MOST / 2));
		printf("# %s: %.1f %% of steady runs\n", families[i].name, 100 * most);
		tap_ok(most <= 0.07, "%s: at most 7 %% of steady runs are unsteady",
		   families[i].name);
	}
}

static void test_changed(void)
{
	for (size_t i = 0; i < FAMILIES * 3; i++) {
		const struct family *family = &families[i / 3];
		const struct shape *shape = &shapes[i % 3];

		for (size_t count = MOST; count >= (shape->shortest ? MOST : MOST / 2); count /= 2) {
			double found, timed;

			find_changes(family, shape, count, &found, &timed);
			printf("# %s, %s, %zu windows: %.1f %% found, %.1f %% of times\n",
			       shape->name, family->name, count, 100 * found, 100 * timed);
			if (count == MOST && !family->ios &&
			    family->memory <= (shape->shortest ? 0 : 0.5))
				tap_ok(family->is_one ? found >= 0.9 :
				       found >= 0.95 && timed >= 0.9, "%s, %s: is found",
				       shape->name, family->name);
		}
	}
}

/* Return the part of series that are called different in a given part, where they are higher by
 * @step standard deviations. */
static double is_in(double memory, size_t count, double step)
{
	const struct family family = { .memory = memory };
	double values[MOST], levels[MOST], state = 0;
	int found = 0;

	for (int i = 0; i < RUNS; i++) {
		for (size_t j = 0; j < count; j++) {
			levels[j] = j >= count / 2 && j < count / 4 * 3;
			values[j] = noise(&family, &state, !j) + step * levels[j];
		}
		found += tw_change_is_with(values, levels, count);
	}
	return (double)found / RUNS;
}

/* Another series. It has nothing to do with the part, or has it, too. */
static void test_is_in(void)
{
	double values[MOST] = { 0 }, levels[MOST] = { 0 };
	double alone = 0;

	for (int memory = 0; memory < 10; memory += 3)
		for (size_t count = MOST; count >= MOST / 4; count /= 2)
			alone = fmax(alone, is_in(memory / 10.0, count, 0));
	tap_ok(alone <= 0.05, "%.1f %% of other series have the part", 100 * alone);
	alone = fmin(is_in(0, MOST / 2, 3), is_in(0.5, MOST, 5));
	tap_ok(alone >= 0.9, "%.1f %% of series that change with it", 100 * alone);
	for (size_t i = 2; i < 10; i++)
		values[i] = levels[i] = 4;
	tap_ok(tw_change_is_with(values, levels, 40), "a series that is the same");
	for (size_t i = 2; i < 10; i++)
		levels[i] = -4;
	tap_ok(!tw_change_is_with(values, levels, 40), "not one in the other direction");
	for (size_t i = 2; i < 20; i++)
		levels[i] = i >= 12 ? 4 : 0;
	tap_ok(!tw_change_is_with(values, levels, 40), "nor one at another time");
	memset(levels, 0, sizeof(levels));
	tap_ok(!tw_change_is_with(values, levels, 40) && !tw_change_is_with(values, levels, 0),
	       "nor one of a run that did not change");
}

/* A line: 1.4 times as fast at the end as at the begin. A step of that size is none. */
static void test_drift(void)
{
	double ios[MOST], sum_ns[MOST];
	struct tw_change change;
	double slow[MOST];
	int drifts = 0, steps = 0;

	for (int i = 0; i < RUNS; i++) {
		simulate(ios, sum_ns, MOST, &families[0], 0.05, NULL);
		for (size_t j = 0; j < MOST; j++) {
			ios[j] *= 1 + 0.4 * (double)j / MOST;
			slow[j] = j < MOST / 2 ? 1 : 1.3;
		}
		tw_change_find(&change, ios, sum_ns, MOST);
		drifts += change.is_drift;
		simulate(ios, sum_ns, MOST, &families[0], 0.05, slow);
		tw_change_find(&change, ios, sum_ns, MOST);
		steps += change.parts > 1 && !change.is_drift;
	}
	tap_ok(drifts >= RUNS * 95 / 100, "%d of %d lines are drifts", drifts, RUNS);
	tap_ok(steps >= RUNS * 95 / 100, "%d of %d steps are none", steps, RUNS);
}

/* Windows that are all alike, or nearly: rounding is no change, and 9 % are too little. */
static void test_small(void)
{
	double ios[MOST], sum_ns[MOST];
	struct tw_change change;

	for (size_t i = 0; i < MOST; i++) {
		ios[i] = 1000 + (double)(i % 7);
		sum_ns[i] = ios[i] * 1e5 / 3;
	}
	tw_change_find(&change, ios, sum_ns, MOST);
	tap_ok(change.is_tested && change.parts == 1, "equal windows are steady");
	for (size_t i = MOST / 2; i < MOST; i++)
		ios[i] *= 1.09;
	tw_change_find(&change, ios, sum_ns, MOST);
	tap_ok(change.parts == 1, "so are those that differ by 9 %%");
	for (size_t i = MOST / 2; i < MOST; i++)
		ios[i] *= 1.05;
	tw_change_find(&change, ios, sum_ns, MOST);
	tap_ok(change.parts == 2 && change.begin[1] == MOST / 2,
	   "and not those that differ by 14 %%");
	tw_change_find(&change, ios, sum_ns, TW_CHANGE_LEAST - 1);
	tap_ok(!change.is_tested, "too few windows are not tested");
	memset(ios, 0, sizeof(ios));
	tw_change_find(&change, ios, sum_ns, MOST);
	tap_ok(!change.is_tested, "nor is a run without I/Os");
}

/* Of windows with 10 I/Os, four are merged, and the times are those of the windows given. */
static void test_merged(void)
{
	double ios[MOST], sum_ns[MOST];
	struct tw_change change;

	for (size_t i = 0; i < MOST; i++) {
		ios[i] = 10 + (double)(i % 3);
		sum_ns[i] = ios[i] * (i >= 40 && i < 80 ? 3e6 : 1e6) * (1 + (double)(i % 5) / 20);
	}
	tw_change_find(&change, ios, sum_ns, MOST);
	tap_ok(change.parts == 3 && change.begin[1] >= 37 && change.begin[1] <= 40 &&
	       change.begin[2] >= 80 && change.begin[2] <= 83, "merged windows: from %zu to %zu",
	       change.begin[1], change.begin[2]);
	for (size_t i = 40; i < MOST; i++)
		sum_ns[i] = ios[i] * 3e6 * (1 + (double)(i % 5) / 20);
	tw_change_find(&change, ios, sum_ns, MOST - 1);
	tap_ok(change.parts == 2 && change.begin[2] == MOST - 1,
	       "the last ones that are left over, too");
}

/* Leave huge numbers on the stack. */
static __attribute__((noinline)) void fill_stack(double with)
{
	double stack[8192];

	for (size_t i = 0; i < 8192; i++)
		stack[i] = with;
	__asm__ volatile("" : : "r"(stack) : "memory");
}

static void test_stack(void)
{
	static const double with[] = { 0, 1e18, 1e300, NAN };
	double ios[MOST], sum_ns[MOST];
	struct tw_change change;
	int alike = 1;

	for (size_t i = 0; i < MOST; i++) {
		ios[i] = (i < 90 ? 1000 : 500) + 10 * exactly_normal();
		sum_ns[i] = ios[i] * 1e6;
	}
	for (int i = 0; i < 4; i++) {
		fill_stack(with[i]);
		tw_change_find(&change, ios, sum_ns, MOST);
		alike &= change.parts == 2 && !change.is_drift && change.begin[1] == 90;
	}
	tap_ok(alike, "what is on the stack does not matter");
}

/* A limit lets 50 I/Os through each 100 ms. In windows of 32 ms, of which three would be merged, one
 * of 25 bursts is in the next window. A long stall leaves as many windows empty. */
static void test_bursts(void)
{
	double ios[125] = { 0 }, sum_ns[125] = { 0 };
	struct tw_change change;

	for (size_t i = 0; i < 40; i++) {
		ios[i * 100 / 32] += 50;
		sum_ns[i * 100 / 32] += 50 * 8e6;
	}
	tw_change_find(&change, ios, sum_ns, 125);
	tap_ok(!change.is_tested, "windows that cut bursts are not compared");
	for (size_t i = 0; i < 125; i++) {
		ios[i] = i >= 30 && i < 105 ? 0 : (double)(95 + i % 7);
		sum_ns[i] = ios[i] * 1e6;
	}
	tw_change_find(&change, ios, sum_ns, 125);
	tap_ok(change.parts == 3, "a stall is a part of the run: %zu parts", change.parts);
}

int main(void)
{
	test_merged();
	test_bursts();
	test_is_in();
	test_stack();
	test_small();
	test_drift();
	test_steady();
	test_changed();
	return tap_done();
}
