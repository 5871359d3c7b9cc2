/* SPDX-License-Identifier: MIT */
/*
 * What tickwise memlat found, for people: levels first, then translations,
 * then the curves at every doubling; all points are in --csv and --json.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/output/format.h"
#include "command/memlat/memlat.h"

static double core_ns(const struct tw_memlat *memlat)
{
	const struct tw_curve *curve = memlat->levels_of;

	for (unsigned i = 0; curve && i < curve->count; i++)
		if (curve->points[i].batches)
			return curve->points[i].cycle_ns;
	return 0;
}

static void print_head(const struct tw_memlat *memlat)
{
	struct tw_paragraph line = { .indent = 2 };
	double cycle = core_ns(memlat);
	char size[2][TW_FORMAT_SIZE];

	tw_paragraph_printf(&line, "CPU %u, %s, counter %.3f MHz,", memlat->cpu,
			    memlat->machine.processor[0] ?
			    memlat->machine.processor : "unknown processor",
			    memlat->rate.hz / 1e6);
	if (cycle > 0)
		tw_paragraph_printf(&line, "core %.2f GHz at the first size;",
				    1 / cycle);
	else
		tw_paragraph_printf(&line, "core clock not known here;");
	tw_paragraph_printf(&line, "%s to %s in %.0f s%s",
			    tw_memlat_size(size[0], memlat->min_bytes),
			    tw_memlat_size(size[1], memlat->max_bytes),
			    (double)memlat->took_ns / 1e9,
			    memlat->machine.hypervisor[0] ? ";" : "");
	if (memlat->machine.hypervisor[0])
		tw_paragraph_printf(&line, "a guest (%s): pages and caches "
				    "are the host's, too",
				    memlat->machine.hypervisor);
	tw_paragraph_end(&line);
}

static void print_cycles(double cycles)
{
	if (cycles > 0)
		printf(" %7.2f", cycles);
	else
		printf(" %7s", "-");
}

static void print_level(const struct tw_memlat *memlat, unsigned i)
{
	const struct tw_level *level = &memlat->levels[i];
	const struct tw_cache *cache = tw_memlat_level_cache(memlat, i);
	char end[TW_MEMLAT_END], said[TW_FORMAT_SIZE];

	printf("%-7s %8.2f %5.2f  %7.2f - %-7.2f", tw_memlat_level_name(memlat, i),
	       level->latency_ns, level->error_ns, level->low_ns,
	       level->high_ns);
	print_cycles(level->cycles);
	printf("  %13s %6s%s\n", tw_memlat_end(end, level),
	       cache ? tw_memlat_size(said, cache->bytes) : "-",
	       cache && level->size_bytes ?
	       tw_level_compare(level, cache) == TW_LEVEL_AGREES ?
	       "  agrees" : "  DIFFERS" : "");
}

static void print_disagreements(const struct tw_memlat *memlat)
{
	for (unsigned i = 0; i < memlat->cache_count; i++) {
		const struct tw_level *level = i < memlat->level_count ?
					       &memlat->levels[i] : NULL;
		struct tw_paragraph line = { .indent = 2 };
		enum tw_level_agreement agreement =
			tw_level_compare(level, &memlat->caches[i]);

		if (agreement == TW_LEVEL_AGREES)
			continue;
		tw_paragraph_printf(&line, "L%u: %s.", memlat->caches[i].level,
				    tw_level_agreement_text(agreement));
		tw_paragraph_end(&line);
	}
}

static void print_where_from(const struct tw_memlat *memlat)
{
	const struct tw_curve *curve = memlat->levels_of;
	struct tw_paragraph line = { .indent = 0 };
	char size[TW_FORMAT_SIZE];

	tw_paragraph_printf(&line, "Levels, in the %s curve on %s pages%s",
			    tw_cycle_names[curve->shape.kind],
			    tw_pages_names[curve->pages],
			    memlat->looks ? ";" : ":");
	if (memlat->looks)
		tw_paragraph_printf(&line, "up to %s in the fastest of %u "
				    "looks, random and each in other memory:",
				    tw_memlat_size(size,
						   memlat->looked_up_to_bytes),
				    memlat->looks);
	tw_paragraph_end(&line);
	putchar('\n');
}

static void print_levels(const struct tw_memlat *memlat)
{
	const struct tw_curve *curve = memlat->levels_of;

	if (!curve) {
		puts("No levels: they are looked for in the window or the "
		     "random curve.");
		return;
	}
	if (!memlat->level_count) {
		puts("No levels: too few sizes.");
		return;
	}
	print_where_from(memlat);
	printf("%-7s %8s %5s  %-17s %7s  %13s %6s\n", "level", "ns/load", "+-",
	       "  over its sizes", "cycles", "ends in", "sysfs");
	for (unsigned i = 0; i < memlat->level_count; i++)
		print_level(memlat, i);
	puts("\nns/load: median of its sizes' medians; +-: of each of them, at "
	     "most (95 %, of\nthis run). cycles: of the core at its fastest, in "
	     "the fastest looks.");
	print_disagreements(memlat);
}

static void print_nodes(const struct tw_memlat *memlat)
{
	if (!memlat->node_count)
		return;
	printf("\nMemory of each NUMA node, from CPU %u:\n\n", memlat->cpu);
	for (unsigned i = 0; i < memlat->node_count; i++)
		printf("node %-4u %8.2f ns/load  (95 %%: %.2f - %.2f)\n",
		       memlat->nodes[i].node, memlat->nodes[i].point.median_ns,
		       memlat->nodes[i].point.low_ns,
		       memlat->nodes[i].point.high_ns);
}

/* ---- translations -------------------------------------------------------------- */

static int is_doubling(size_t bytes)
{
	return (bytes & (bytes - 1)) == 0;
}

static const struct tw_tlb_cost *cost_at(const struct tw_tlb_cost *costs,
					 unsigned count, size_t bytes)
{
	for (unsigned i = 0; i < count; i++)
		if (costs[i].bytes == bytes)
			return &costs[i];
	return NULL;
}

static void print_cost(const struct tw_tlb_cost *cost)
{
	char text[48];

	if (!cost) {
		printf(" %24s", "-");
		return;
	}
	snprintf(text, sizeof(text), "%+.2f (%+.2f %+.2f)", cost->ns,
		 cost->low_ns, cost->high_ns);
	printf(" %24s", text);
}

static void print_share(const struct tw_tlb_cost *cost,
			const struct tw_curve *random)
{
	double ns = cost ? tw_curve_at(random, (double)cost->bytes) : 0;

	if (cost && ns > 0 && cost->low_ns > 0)
		printf(" %5.0f %%", cost->ns / ns * 100);
	else
		printf(" %7s", "-");
}

static void print_translations(const struct tw_memlat *memlat)
{
	const struct tw_curve *random;

	random = tw_memlat_find(memlat, TW_CYCLE_RANDOM, TW_PAGES_SMALL);
	if (!random || (!memlat->memory_cost_count &&
			!memlat->page_cost_count))
		return;
	puts("\nWhat misses of address translations cost, in ns a load with "
	     "95 % intervals: of\na random load in so much memory, and of "
	     "reaching one line on each of its pages:\n");
	printf("%8s %8s %24s %7s %24s\n", "memory", "pages", "random load",
	       "share", "one line a page");
	for (unsigned i = 0; i < random->count; i++) {
		size_t bytes = random->points[i].bytes;
		const struct tw_tlb_cost *cost;
		char size[TW_FORMAT_SIZE];

		if (!is_doubling(bytes))
			continue;
		cost = cost_at(memlat->memory_costs, memlat->memory_cost_count,
			       bytes);
		printf("%8s %8zu", tw_memlat_size(size, bytes),
		       bytes / random->shape.page_bytes);
		print_cost(cost);
		print_share(cost, random);
		print_cost(cost_at(memlat->page_costs,
				   memlat->page_cost_count, bytes));
		putchar('\n');
	}
}

/* ---- curves --------------------------------------------------------------------- */

static const struct tw_memory_point *point_at(const struct tw_curve *curve,
					      size_t bytes)
{
	for (unsigned i = 0; i < curve->count; i++)
		if (curve->points[i].bytes == bytes)
			return &curve->points[i];
	return NULL;
}

static void print_row(const struct tw_memlat *memlat, size_t bytes)
{
	char size[TW_FORMAT_SIZE];

	printf("%8s", tw_memlat_size(size, bytes));
	for (unsigned i = 0; i < memlat->curve_count; i++) {
		const struct tw_memory_point *point =
			point_at(&memlat->curves[i], bytes);

		if (!point)
			printf("  %16s", "-");
		else if (!point->batches)
			printf("  %16s", "disturbed");
		else
			printf("  %8.2f %7.2f", point->min_ns,
			       point->median_ns);
	}
	putchar('\n');
}

static void print_heads(const struct tw_memlat *memlat)
{
	printf("%8s", "memory");
	for (unsigned i = 0; i < memlat->curve_count; i++)
		printf("  %16s",
		       tw_cycle_names[memlat->curves[i].shape.kind]);
	printf("\n%8s", "");
	for (unsigned i = 0; i < memlat->curve_count; i++)
		printf("  %16s", tw_pages_names[memlat->curves[i].pages]);
	putchar('\n');
}

static void print_curves(const struct tw_memlat *memlat)
{
	const struct tw_curve *longest = &memlat->curves[0];
	unsigned disturbed = 0, batches = 0;
	int few = longest->count <= 24;

	puts("\nMinimum and median of ns a load, by memory, order and pages:\n");
	print_heads(memlat);
	for (unsigned i = 0; i < longest->count; i++)
		if (few || is_doubling(longest->points[i].bytes))
			print_row(memlat, longest->points[i].bytes);
	for (unsigned i = 0; i < memlat->curve_count; i++)
		for (unsigned j = 0; j < memlat->curves[i].count; j++) {
			disturbed += memlat->curves[i].points[j].disturbed;
			batches += memlat->curves[i].points[j].batches;
		}
	printf("\n%u of %u batches of loads were disturbed and left out.%s\n",
	       disturbed, disturbed + batches, few ? "" :
	       " All sizes: --csv, --json, --html.");
}

static void print_pages(const struct tw_memlat *memlat)
{
	for (unsigned i = 0; i < memlat->curve_count; i++)
		if (memlat->curves[i].pages == TW_PAGES_TRANSPARENT &&
		    memlat->curves[i].huge_share < 0.999) {
			printf("Only %.0f %% of the transparent pages' memory "
			       "is on huge pages.\n",
			       memlat->curves[i].huge_share * 100);
			break;
		}
	for (int i = 0; i < TW_PAGES_KINDS; i++)
		if (memlat->skipped[i])
			printf("No %s pages: %s.\n", tw_pages_names[i],
			       memlat->skipped[i]);
}

void tw_memlat_print_page(const struct tw_memlat *memlat)
{
	print_head(memlat);
	putchar('\n');
	print_levels(memlat);
	print_nodes(memlat);
	print_translations(memlat);
	if (memlat->curve_count)
		print_curves(memlat);
	print_pages(memlat);
}
