/* SPDX-License-Identifier: MIT */
/*
 * The page of memlat where something is missing: interrupted curves, disturbed sizes, pages that
 * are not available, a level without a cache and a cache without a level, a cost that place
 * explains as well. Fails if a figure stands for what was not measured, or if text and HTML, or
 * CSV, differ in what is known. All else is in golden/memlat.t.
 */
#include "memory/command/memlat.h"
#include "output.h"

static struct tw_curve curves[2];

static struct tw_memlat memlat = {
	.rate = { .hz = 2e9 }, .cpu = 3,
	.min_bytes = 4096, .max_bytes = 6144, .took_ns = 1499999999,
	.curves = curves, .was_interrupted = 1,
	.skipped = { [TW_PAGES_RESERVED] = "the pool is <empty>" },
};

/* Compare the page as text, from its second paragraph to the remark of pages. */
static void is_page(const char *should, const char *what)
{
	struct tw_table *points;
	char text[2048];

	snprintf(text, sizeof(text),
		 "CPU 3, unknown processor, counter 2000.000 MHz, core clock not known here; 4K\n"
		 "  to 6K in 1 s\n"
		 "\n"
		 "%sNo reserved pages: the pool is <empty>.\n", should);
	text_is(tw_memlat_page(&memlat, &points), text, what);
}

static void sizes(void)
{
	static const struct {
		size_t bytes;
		const char *text;
	} of[] = {
		{ 64, "64B" }, { 1536, "1.5K" }, { 92774, "90.6K" }, { 154010, "150K" },
		{ 1048576, "1M" },
	};
	char text[TW_FORMAT_SIZE];

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		tap_ok(!strcmp(tw_memlat_size(text, of[i].bytes), of[i].text), "%s", of[i].text);
}

static void points(void)
{
	struct tw_table *table;
	struct tw_page *page;

	memlat.curve_count = 1;
	curves[0] = (struct tw_curve) {
		.shape.kind = TW_CYCLE_RANDOM, .pages = TW_PAGES_TRANSPARENT,
		.huge_share = 0.996, .node = TW_ANY_NODE, .count = 2,
		.points = { {
			.bytes = 4096, .footprint_bytes = 2048, .elements = 32, .loads = 64,
			.batches = 7, .disturbed = 2, .warm_passes = 2.5, .min_ns = 1.25,
			.median_ns = 1.5, .p90_ns = 1.75, .low_ns = 1.375, .high_ns = 1.625,
		}, { .bytes = 6144, .disturbed = 9 } },
	};
	is_page("No levels: they are looked for in the window or the random curve.\n"
		"\n"
		"Minimum and median of ns a load, by memory, order and pages:\n"
		"\n"
		"       random, transparent\n"
		"memory       min    median\n"
		"    4K      1.25      1.50\n"
		"    6K         - disturbed\n"
		"\n"
		"11 of 18 batches of loads were disturbed and left out.\n",
		"a curve without levels");
	page = tw_memlat_page(&memlat, &table);
	csv_is(table, "kind,pages,node,size_bytes,footprint_bytes,elements,loads_per_batch,batches,"
	       "disturbed,warm_passes,min_ns,median_ns,p90_ns,median_low_ns,median_high_ns,"
	       "min_cycles\n"
	       "random,transparent,-1,4096,2048,32,64,7,2,2.500,1.2500,1.5000,1.7500,1.3750,"
	       "1.6250,\n"
	       "random,transparent,-1,6144,0,0,0,0,9,0.000,,,,,,\n",
	       "points without figures are empty");
	tw_page_free(page);
	memlat.curve_count = 0;
}

/* The second level has no cache in sysfs. */
static void levels(void)
{
	memlat.levels_of = &curves[1];
	curves[1].shape.kind = TW_CYCLE_WINDOW;
	memlat.caches[0] = (struct tw_cache) { .level = 1, .bytes = 32768 };
	memlat.cache_count = 1;
	memlat.levels[0] = (struct tw_level) {
		.size_bytes = 32768, .next_bytes = 40960, .latency_ns = 1.5,
		.low_ns = 1.25, .high_ns = 1.75, .error_ns = 0.125, .cycles = 5,
	};
	memlat.levels[1] = (struct tw_level) {
		.latency_ns = 80, .low_ns = 79.5, .high_ns = 81, .error_ns = 2,
	};
	memlat.level_count = 2;
	is_page("Levels, in the window curve on small pages:\n"
		"\n"
		"level   ns/load    +-    over its sizes  cycles       ends in  sysfs\n"
		"L1         1.50  0.12       1.25 - 1.75    5.00     32K - 40K    32K  agrees\n"
		"memory    80.00  2.00     79.50 - 81.00       -             -      -\n"
		"\n"
		"ns/load: median of its sizes' medians; +-: of each of them, at most (95 %, of\n"
		"this run). cycles: of the core at its fastest, in the fastest visits.\n",
		"a level without a cache");
	/* The part of a cache that has no end ends somewhere: flat up to four times L2 it is not L2. */
	memlat.caches[1] = (struct tw_cache) { .level = 2, .bytes = 1 << 20 };
	memlat.cache_count = 2;
	for (unsigned times = 2; times <= 4; times += 2) {
		memlat.levels[1].flat_bytes = memlat.caches[1].bytes * times;
		tap_ok(!strcmp(tw_memlat_level_name(&memlat, 1), times == 2 ? "L2" : "memory") &&
		       !tw_memlat_cache(&memlat, 1) == (times == 4), "flat up to %u times L2", times);
	}
	memlat.cache_count = 1;
	memlat.level_count = 0;
}

/* Of two sizes one has a share. One of them lacks a place. */
static void costs(void)
{
	memlat.costs[0] = (struct tw_tlb_cost) {
		.bytes = 4 << 20, .places = 16, .places_without = 2, .random_ns = 40,
		.small = { 98, -3, 190 }, .huge = { 96, -2, 185.5 }, .translation = { 2, 0.5, 3 },
	};
	memlat.costs[1] = (struct tw_tlb_cost) {
		.bytes = 8 << 20, .places = 15, .places_without = 1, .random_ns = 40,
		.small = { 12, 11, 13 }, .huge = { 2, 1.5, 2.25 }, .translation = { 10, 9, 11 },
	};
	memlat.cost_count = 2;
	is_page("No levels: too few sizes.\n"
		"\n"
		"What misses of address translations cost a random load, in ns. On small and on\n"
		"huge pages: random order less window order. Translation: small less huge pages.\n"
		"Medians of 15 places or more, with 95 % intervals over places:\n"
		"\n"
		"memory          small pages           huge pages          translation  share\n"
		"    4M  +98.0 (-3.0 +190.0)  +96.0 (-2.0 +185.5)     +2.0 (+0.5 +3.0)  place\n"
		"    8M  +12.0 (+11.0 +13.0)     +2.0 (+1.5 +2.2)   +10.0 (+9.0 +11.0)   25 %\n"
		"\n"
		"share: of a random load on small pages. place: no share, since in two places or\n"
		"more small pages cost no more than huge ones. Which pages a process gets\n"
		"explains more there.\n", "a share only where places agree");
	memlat.cost_count = 0;
	memlat.no_costs = "there are too few huge pages";
	is_page("No levels: too few sizes.\n"
		"\n"
		"What misses of address translations cost is not known: there are too few huge\n"
		"  pages.\n", "no costs, and why");
}

int main(void)
{
	sizes();
	points();
	levels();
	costs();
	return tap_done();
}
