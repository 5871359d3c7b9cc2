/* SPDX-License-Identifier: MIT */
/*
 * Levels are found in curves made of known levels: their number, their latency, and
 * their end within one step of sizes. Fails if noise makes a level or hides one, or
 * if a neighbour that takes a part of a cache for a while moves its end. Fails also
 * if a cache that sysfs describes wrongly is taken for right, or if its end falls between two
 * sizes of a curve: these are both ends, a number of sizes for every doubling, and the caches'
 * sizes of sysfs, each once and in whole units.
 *
 * Also on other processors.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "memory/curve.h"
#include "tap.h"

struct made {
	size_t bytes;			/* 0: the last one */
	double ns;
};

/*
 * A random chase over twice a cache's size hits the cache half of the time: latency
 * between two levels is a weighted mean of both. @noise is a share, evenly spread.
 */
static double latency(const struct made *levels, size_t bytes)
{
	double missing = 1, ns = 0;

	for (;; levels++) {
		double held = levels->bytes && bytes > levels->bytes ?
			      (double)levels->bytes / (double)bytes : 1;

		if (!levels->bytes || held >= 1)
			return ns + missing * levels->ns;
		/* LRU-like: most of it is lost soon after the end. */
		held = held * held * held;
		ns += missing * held * levels->ns;
		missing *= 1 - held;
	}
}

static void make(struct tw_curve *curve, const struct made *levels,
		 size_t to_bytes, double noise, uint64_t *random)
{
	size_t sizes[TW_SWEEP_SIZES];
	int count = tw_sweep_sizes(sizes, 4096, to_bytes, 4, NULL, 0, 64);

	memset(curve, 0, sizeof(*curve));
	curve->count = (unsigned)count;
	for (int i = 0; i < count; i++) {
		double share = (double)(tap_random(random) % 2001) / 1000 - 1;
		double ns = latency(levels, sizes[i]) * (1 + noise * share);

		/* The fastest batch a twentieth faster, in each of them. */
		curve->points[i] = (struct tw_memory_point) {
			.bytes = sizes[i], .batches = 100, .cycle_ns = 0.3,
			.min_ns = ns / 1.05, .median_ns = ns,
			.low_ns = ns * 0.99, .high_ns = ns * 1.02,
		};
	}
}

static void check_found(const char *what, const struct made *levels,
			unsigned count, size_t to_bytes, double noise,
			uint64_t *random)
{
	struct tw_level found[TW_LEVELS];
	struct tw_curve curve;
	unsigned n;
	int ends = 1, values = 1;

	make(&curve, levels, to_bytes, noise, random);
	n = tw_levels_find(found, &curve, NULL);
	if (!tap_ok(n == count, "%s: %u levels", what, count)) {
		tap_note("found %u", n);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		double octaves;

		/* The flat part also has the slow growth after its end. */
		values &= fabs(found[i].latency_ns / levels[i].ns - 1) <
			  (i + 1 < n ? 0.05 + noise : 0.25);
		if (!levels[i].bytes) {
			ends &= !found[i].size_bytes;
			continue;
		}
		/*
		 * One step is a quarter of an octave. In this model half of the
		 * loads miss a third of an octave past the end.
		 */
		octaves = log2((double)found[i].size_bytes /
			       (double)levels[i].bytes);
		ends &= octaves > -0.26 && octaves < 0.34 + 0.26;
		if (!ends)
			tap_note("level %u: %zu for %zu", i,
				 found[i].size_bytes, levels[i].bytes);
	}
	tap_ok(values, "%s: their latencies", what);
	tap_ok(ends, "%s: their ends within a step", what);
}

static void check_none(uint64_t *random)
{
	static const struct made flat[] = { { 0, 5 } };
	struct tw_level found[TW_LEVELS];
	struct tw_curve curve;

	make(&curve, flat, 1 << 20, 0.02, random);
	tap_ok(tw_levels_find(found, &curve, NULL) == 1 && !found[0].size_bytes,
	       "a flat curve is one level without an end");
	curve.count = 5;
	tap_ok(tw_levels_find(found, &curve, NULL) == 0, "five points are too few");
	for (curve.count = 0; curve.count < 30; curve.count++)
		curve.points[curve.count].batches = 0;
	tap_ok(tw_levels_find(found, &curve, NULL) == 0, "so are thirty that were all disturbed");
}

/*
 * Plateaus of 8 and 4 points and of the rest, with sizes a quarter of an octave
 * apart. Each point of the second one has a step within half an octave, and is as
 * flat as its other side.
 */
static void plateaus(struct tw_curve *curve, unsigned count)
{
	memset(curve, 0, sizeof(*curve));
	curve->count = count;
	for (unsigned i = 0; i < count; i++) {
		double ns = i < 8 ? 1 : i < 12 ? 10 : 100;

		curve->points[i] = (struct tw_memory_point) {
			.bytes = (size_t)lround(65536 * exp2(i / 4.0)),
			.batches = 9, .cycle_ns = 0.3, .min_ns = ns,
			.median_ns = ns, .low_ns = ns, .high_ns = ns,
		};
	}
}

static void check_short(void)
{
	struct tw_level found[TW_LEVELS];
	struct tw_curve curve;

	plateaus(&curve, 22);
	tap_ok(tw_levels_find(found, &curve, NULL) == 3 && found[0].points == 8 &&
	       found[1].points == 4 && found[2].points == 10 && found[1].latency_ns == 10 &&
	       found[1].low_ns == 10 && found[1].high_ns == 10,
	       "a level of four points between steps, with none of its neighbours");
	for (int i = 0; i < 2; i++) {
		unsigned last = i ? 11 : 7;

		tap_ok(found[i].size_bytes == curve.points[last].bytes &&
		       found[i].next_bytes == curve.points[last + 1].bytes,
		       "level %d ends at its last point", i);
	}
	curve.points[3].min_ns = curve.points[3].median_ns = 100;
	tap_ok(tw_levels_find(found, &curve, NULL) == 3 &&
	       found[0].size_bytes == curve.points[7].bytes,
	       "also past a single point that is as slow as memory");
	for (unsigned count = 6; count <= 15; count++) {
		unsigned levels = count < 11 ? 1 : count < 15 ? 2 : 3;

		plateaus(&curve, count);
		tap_ok(tw_levels_find(found, &curve, NULL) == levels,
		       "of %u points three at the end are a level", count);
	}
	/* 10, 10.1, 10.3 and 10.4 ns: the median of four is between the two in the middle. The
	 * widest interval is the last one's, downwards. */
	plateaus(&curve, 22);
	curve.points[9].median_ns = curve.points[9].high_ns = 10.1;
	curve.points[10].median_ns = curve.points[10].high_ns = 10.3;
	curve.points[11].median_ns = curve.points[11].high_ns = 10.4;
	curve.points[8].high_ns = 10.3;
	tap_ok(tw_levels_find(found, &curve, NULL) == 3 &&
	       fabs(found[1].latency_ns - 10.2) < 1e-12 &&
	       fabs(found[1].error_ns - 0.4) < 1e-12 && found[1].low_ns == 10 &&
	       found[1].high_ns == 10.4, "an even median, and the error to its wider side");
}

static const struct made usual[] = {
	{ 48 << 10, 1.5 }, { 2 << 20, 4.8 }, { 24 << 20, 40 }, { 0, 150 },
};

/* All figures of a level other than its latency and its end. */
static void check_figures(uint64_t *random)
{
	struct tw_level found[TW_LEVELS];
	struct tw_curve curve;

	make(&curve, usual, (size_t)1 << 30, 0, random);
	/* The core was slower at all sizes but the third. */
	curve.points[2].cycle_ns = 0.25;
	tw_levels_find(found, &curve, NULL);
	tap_ok(fabs(found[0].cycles / (1.5 / 0.3) - 1) < 1e-9 &&
	       found[0].cycle_ns == 0.25,
	       "cycles of the medians, and the fastest clock");
	tw_levels_find(found, &curve, &curve);
	tap_ok(fabs(found[0].cycles / (1.5 / 1.05 / 0.3) - 1) < 1e-9,
	       "of repeats, cycles of the fastest batches");
	tap_ok(fabs(found[0].error_ns / (found[0].high_ns * 0.02) - 1) < 1e-9,
	       "the widest interval");
	tap_ok(found[0].low_ns <= found[0].latency_ns &&
	       found[0].high_ns >= found[0].latency_ns,
	       "the range over its sizes");
}

/*
 * From half a megabyte to four, half of the cache is gone for most of the time that
 * each of these sizes is measured. In the curve with windows the fastest batches of
 * large memory are of a phase that the cache holds.
 */
static void check_neighbour(uint64_t *random)
{
	struct tw_level found[TW_LEVELS];
	struct tw_curve curve, repeats;

	make(&curve, usual, (size_t)1 << 30, 0.02, random);
	make(&repeats, usual, (size_t)8 << 20, 0.02, random);
	for (unsigned i = 0; i < repeats.count; i++) {
		struct tw_memory_point *point = &repeats.points[i];

		if (point->bytes > (size_t)512 << 10 &&
		    point->bytes < (size_t)4 << 20)
			curve.points[i].median_ns = point->median_ns = 38;
	}
	for (unsigned i = repeats.count; i < curve.count; i++)
		curve.points[i].min_ns = i % 3 ? 15 : 60;
	tap_ok(tw_levels_find(found, &curve, &repeats) == 4 &&
	       found[1].size_bytes >= (size_t)1763456 &&
	       found[1].size_bytes <= (size_t)3 << 20,
	       "a neighbour in the same cache: the fastest batches tell");
	tap_ok(found[2].size_bytes >= (size_t)20 << 20 &&
	       found[2].size_bytes <= (size_t)40 << 20,
	       "beyond, medians do");
}

/* Which figures of two measurements are kept. */
static void check_kept(void)
{
	static struct tw_curve best, look;

	best.count = look.count = 1;
	best.points[0] = (struct tw_memory_point) { .bytes = 4096,
		.batches = 9, .min_ns = 4, .median_ns = 6, .low_ns = 5,
		.high_ns = 7, .cycle_ns = 0.3 };
	look.points[0] = (struct tw_memory_point) { .bytes = 4096,
		.batches = 8, .min_ns = 3, .median_ns = 8, .low_ns = 7,
		.high_ns = 9, .cycle_ns = 0.25 };
	tw_curve_keep_fastest(&best, &look);
	tap_ok(best.points[0].min_ns == 3 && best.points[0].cycle_ns == 0.25,
	       "the least minimum and the fastest clock");
	tap_ok(best.points[0].median_ns == 6 && best.points[0].low_ns == 5 &&
	       best.points[0].high_ns == 7 && best.points[0].batches == 9,
	       "the lower median with its own interval");
	best.points[0].batches = 0;
	tw_curve_keep_fastest(&best, &look);
	tap_ok(best.points[0].batches == 8 && best.points[0].median_ns == 8 &&
	       best.points[0].min_ns == 3, "of one that was too disturbed, nothing");
	look.points[0].bytes = 8192;
	look.points[0].min_ns = 1;
	tw_curve_keep_fastest(&best, &look);
	tap_ok(best.points[0].min_ns == 3, "not that of another size");
}

static void check_compared(void)
{
	static const struct tw_level ends = { .size_bytes = 1763456, .next_bytes = 2 << 20 };
	static const struct tw_level last = { .size_bytes = 0 };
	static const struct {
		const struct tw_level *level;
		size_t bytes;		/* of the cache; 0: there is none */
		const char *result;
	} cases[] = {
		{ &ends, 2 << 20, "agrees" }, { &ends, 1484000, "agrees" },
		{ &ends, 4 << 20, "smaller" }, { &ends, 1 << 20, "larger" },
		{ NULL, 2 << 20, "not_found" }, { &last, 2 << 20, "not_found" },
		{ &ends, 0, "not_said" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_cache cache = { .bytes = cases[i].bytes };
		enum tw_level_agreement is = tw_level_compare(cases[i].level,
							      cache.bytes ? &cache : NULL);

		tap_ok(!strcmp(tw_level_agreement_names[is], cases[i].result) &&
		       !*tw_level_agreement_texts[is] == (is == TW_LEVEL_AGREES),
		       "sysfs says %zu: %s", cases[i].bytes, cases[i].result);
	}
}

/* ---- the sizes of a curve ---- */

static const struct tw_cache caches[] = {
	{ .level = 1, .bytes = 48 << 10 }, { .level = 2, .bytes = 2 << 20 },
	{ .level = 3, .bytes = (size_t)260 << 20 },
};

static void check_usual_sizes(void)
{
	size_t sizes[TW_SWEEP_SIZES];
	int count = tw_sweep_sizes(sizes, 4096, (size_t)1 << 30, 4, caches, 3, 64);
	int good = 1, known = 0;

	/* 18 doublings by 4, the last one, and 48K and 260M between. 2M is one of the steps. */
	tap_ok(count == 18 * 4 + 1 + 2 && sizes[0] == 4096 &&
	       sizes[count - 1] == (size_t)1 << 30, "75 sizes, from the first to the last");
	for (int i = 0; i < count; i++) {
		/* A quarter of an octave, and a unit of rounding. */
		good &= sizes[i] % 64 == 0 && (!i || (sizes[i] > sizes[i - 1] &&
			(double)sizes[i] <= (double)sizes[i - 1] * 1.1893 + 64));
		for (int j = 0; j < 3; j++)
			known += sizes[i] == caches[j].bytes;
	}
	tap_ok(good, "rising, in whole units, no step wider than a quarter of an octave");
	tap_ok(known == 3, "every cache");
}

static void check_sizes(void)
{
	static const struct {
		size_t from, to;
		unsigned per_octave;
		size_t unit;
		int count;
		const char *what;
	} cases[] = {
		{ 8192, 8192, 4, 64, 1, "one size alone" },
		{ 4096, 4160, 16, 4096, 1, "doubles are left out" },
		{ 0, 4096, 4, 64, -EINVAL, "from nothing" },
		{ 8192, 4096, 4, 64, -EINVAL, "falling" },
		{ 4096, 8192, 0, 64, -EINVAL, "no step" },
		{ 4096, 8192, 17, 64, -EINVAL, "17 steps" },
		{ 4096, 8192, 16, 64, 17, "16 steps" },
		{ 4096, 8192, 4, 0, -EINVAL, "no unit" },
		{ 4096, (size_t)1 << 46, 16, 64, -EINVAL, "more sizes than there is room" },
	};
	size_t sizes[TW_SWEEP_SIZES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int count = tw_sweep_sizes(sizes, cases[i].from, cases[i].to, cases[i].per_octave,
					   caches, 3, cases[i].unit);

		tap_ok(count == cases[i].count && (count < 0 || sizes[0] == cases[i].from),
		       "%s: %d", cases[i].what, count);
	}
}

int main(void)
{
	static const struct made small[] = {
		{ 32 << 10, 1.6 }, { 256 << 10, 4 }, { 8 << 20, 14 },
		{ 0, 90 },
	};
	uint64_t random = tap_seed();

	check_found("three caches", usual, 4, (size_t)1 << 30, 0, &random);
	check_found("3 % of noise", usual, 4, (size_t)1 << 30, 0.03, &random);
	check_found("smaller ones", small, 4, (size_t)256 << 20, 0.03, &random);
	check_none(&random);
	check_short();
	check_figures(&random);
	check_neighbour(&random);
	check_kept();
	check_compared();
	check_usual_sizes();
	check_sizes();
	return tap_done();
}
