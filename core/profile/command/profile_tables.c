/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile`: prints its tables, and a line for each path of calls.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "profile/command/profiles.h"

/* ---- around the tables --------------------------------------------------- */

/* A time of @file in the text of a page. */
#define SAY_TICKS(file, ticks)	TW_SAY_NS(profile_ns(file, ticks))

static struct tw_page *begin_page(const struct profile_file *file)
{
	struct tw_page *page = tw_page_new("Time per function");
	double wall_ticks = (double)(file->end_ticks - file->begin_ticks);
	const struct tw_profile_cost *cost = &file->cost;

	tw_page_paragraph(page, "%s, process %d, %zu thread%s, %s from the first hook "
			  "to the end", file->program ? file->program : "?", file->pid,
			  file->thread_count, tw_format_plural(file->thread_count),
			  SAY_TICKS(file, wall_ticks));
	if (file->preemptions)
		tw_page_paragraph(page, "another task took the CPU %" PRIu64 " time%s, and threads "
				  "had one for %s in all: functions contain such waits, and "
				  "their error does not", file->preemptions,
				  tw_format_plural(file->preemptions),
				  TW_SAY_NS((double)file->cpu_ns));
	if (cost->samples)
		tw_page_paragraph(page, "fence %s; the hooks take %s (+- %s) inside of a "
				  "call and %s (+- %s) outside, measured in %u blocks and "
				  "taken out; a call can have lost up to %s more", file->fence,
				  SAY_TICKS(file, cost->inside),
				  SAY_TICKS(file, cost->inside_spread),
				  SAY_TICKS(file, cost->outside),
				  SAY_TICKS(file, cost->outside_spread),
				  cost->samples, SAY_TICKS(file, cost->beyond));
	else
		tw_page_paragraph(page, "fence %s; the cost of the hooks could not "
				  "be measured, as there was no memory: all times "
				  "contain it, no error does", file->fence);
	tw_page_paragraph(page, "ticks at %.3f Hz ", file->hz);
	/* The kernel's own rate has no error against its clock. */
	if (file->hz_uncertainty_ppb > 0)
		tw_page_more(page, "(+- %.3g ppb) ", file->hz_uncertainty_ppb);
	tw_page_more(page, "of %s, %s", file->against, file->source);
	tw_page_gap(page);
	return page;
}

const struct profile_loss tw_profile_losses[PROFILE_LOSSES] = {
	{ "too_deep", "call", "not recorded: deeper than depth=" },
	{ "no_memory", "call", "not recorded: memory= was used up; this time is the callers'" },
	{ "in_hook", "event", "not recorded: a signal came while a hook was at work" },
	{ "unmatched", "exit", "without an entry" },
	{ "backwards", "call", "with an end before the beginning: counters of CPUs disagree" },
	{ "events", "event", "not kept: events= was used up" },
	{ "threads", "thread", "not recorded, or not merged: no memory" },
};

static void add_losses(struct tw_page *page, const struct profile_file *file)
{
	for (size_t i = 0; i < PROFILE_LOSSES; i++)
		if (file->losses[i])
			tw_page_paragraph(page, "%" PRIu64 " %s%s %s", file->losses[i],
					  tw_profile_losses[i].noun,
					  tw_format_plural(file->losses[i]),
					  tw_profile_losses[i].what);
}

/* ---- a row for each function --------------------------------------------- */

static void add_time(struct tw_table *table, const struct profile_file *file,
		     double ticks)
{
	tw_cell_ns(table, profile_ns(file, ticks));
}

void tw_profile_print_flat(const struct profile_result *result)
{
	static const struct tw_column columns[] = {
		{ .heading = "self%", .width = 5 },
		{ .heading = "self", .width = 7, .flags = TW_COLUMN_NARROW },
		{ .heading = "+-", .width = 7, .flags = TW_COLUMN_NARROW },
		{ .heading = "raw self", .flags = TW_COLUMN_NARROW },
		{ .heading = "inclusive", .flags = TW_COLUMN_NARROW },
		{ .heading = "self/call", .flags = TW_COLUMN_NARROW },
		{ .heading = "calls", .width = 7 },
		{ .heading = "function", .flags = TW_COLUMN_LEFT },
		{ .heading = "", .width = 6, .flags = TW_COLUMN_BELOW },
		{ .heading = "", .width = 6, .flags = TW_COLUMN_BELOW },
	};
	const struct profile_file *file = result->file;
	struct tw_page *page = begin_page(file);
	struct tw_table *table = tw_page_table(page, columns, TW_LENGTH(columns));

	for (size_t i = 0; i < result->shown; i++) {
		const struct profile_function *it = result->by_self[i];
		double calls = (double)(it->calls - it->not_timed);

		tw_table_row(table);
		tw_cell_fixed(table, result->total.ticks > 0 ?
			      100 * it->self.ticks / result->total.ticks : 0, 1);
		add_time(table, file, it->self.ticks);
		add_time(table, file, it->self.uncertainty_ticks);
		add_time(table, file, it->self.raw_ticks);
		add_time(table, file, it->inclusive.ticks);
		add_time(table, file, calls > 0 ? it->self.ticks / calls : 0);
		tw_cell_u64(table, it->calls);
		tw_cell_text(table, it->name);
		tw_cell_printf(table, "%s%s%s", tw_profile_below_resolution(&it->self) ?
			       "(below resolution) " : "",
			       it->not_timed ? "(not all calls timed) " : "",
			       it->open ? "(not returned)" : "");
		if (it->abandoned)
			tw_cell_printf(table, "%" PRIu64 " of its calls left by longjmp or an "
				       "exception", it->abandoned);
	}
	if (result->shown < result->function_count)
		tw_table_span(table, "... %zu more (--top=0 shows all)",
			      result->function_count - result->shown);
	tw_page_gap(page);
	tw_page_paragraph(page, "all selves: %s +- %s",
			  SAY_TICKS(file, result->total.ticks),
			  SAY_TICKS(file, result->total.uncertainty_ticks));
	add_losses(page, file);
	tw_output_text(page, stdout);
	tw_page_free(page);
}

/* ---- who calls whom ------------------------------------------------------ */

/* A caller or a callee of a function, with the calls between the two. */
struct arc {
	uint32_t function;
	uint64_t calls;
	double ticks;
};

static int by_ticks(const void *a, const void *b)
{
	const struct arc *left = a, *right = b;

	return tw_compare_real(right->ticks, left->ticks);
}

static uint32_t caller_of(const struct profile_file *file, size_t node)
{
	uint32_t parent = file->nodes[node].parent;

	return parent ? file->nodes[parent].function : UINT32_MAX;
}

/* Is the call at @node inside another call of the same function by the same caller? Its time is
 * counted there already. */
static int is_nested(const struct profile_file *file, size_t node)
{
	size_t up = file->nodes[node].parent;

	for (; up; up = file->nodes[up].parent)
		if (file->nodes[up].function == file->nodes[node].function &&
		    caller_of(file, up) == caller_of(file, node))
			return 1;
	return 0;
}

/* Add the callers of a function, or its callees. @arcs has room for all. */
static void add_arcs(struct tw_table *table, const struct profile_result *result,
		     uint32_t function, int are_callers, struct arc *arcs)
{
	const struct profile_file *file = result->file;
	size_t count = 0, at;

	for (size_t i = 1; i < file->node_count; i++) {
		const struct profile_node *node = &file->nodes[i];
		uint32_t caller = caller_of(file, i);
		uint32_t other = are_callers ? caller : node->function;

		if ((are_callers ? node->function : caller) != function)
			continue;
		for (at = 0; at < count && arcs[at].function != other; at++)
			;
		if (at == count)
			arcs[count++] = (struct arc) { .function = other };
		arcs[at].calls += node->calls;
		if (!is_nested(file, i))
			arcs[at].ticks += result->times[i].inclusive.ticks;
	}
	qsort(arcs, count, sizeof(*arcs), by_ticks);
	for (at = 0; at < count; at++) {
		tw_table_row(table);
		tw_cell_text(table, are_callers ? "from" : "to");
		add_time(table, file, arcs[at].ticks);
		tw_cell_u64(table, arcs[at].calls);
		tw_cell_text(table, arcs[at].function == UINT32_MAX ? "(no recorded function)" :
			     result->functions[arcs[at].function].name);
	}
}

void tw_profile_print_callers(const struct profile_result *result)
{
	static const struct tw_column columns[] = {
		{ .heading = "", .width = 10 },
		{ .heading = "inclusive", .width = 9, .flags = TW_COLUMN_NARROW },
		{ .heading = "calls", .width = 11 },
		{ .heading = "function", .flags = TW_COLUMN_LEFT },
	};
	struct arc *arcs = tw_zalloc(result->function_count + 1, sizeof(*arcs));
	struct tw_page *page = begin_page(result->file);
	struct tw_table *table;

	tw_page_note(page, "Above each function its callers, with the inclusive time "
		     "and calls from there; below it the functions that it calls:");
	tw_page_gap(page);
	table = tw_page_table(page, columns, TW_LENGTH(columns));
	for (size_t i = 0; i < result->shown; i++) {
		const struct profile_function *it = result->by_self[i];
		uint32_t function = (uint32_t)(it - result->functions);

		add_arcs(table, result, function, 1, arcs);
		tw_table_span(table, "%s  self %s, inclusive %s, %" PRIu64 " call%s", it->name,
			      SAY_TICKS(result->file, it->self.ticks),
			      SAY_TICKS(result->file, it->inclusive.ticks), it->calls,
			      tw_format_plural(it->calls));
		add_arcs(table, result, function, 0, arcs);
		tw_table_span(table, " ");
	}
	free(arcs);
	add_losses(page, result->file);
	tw_output_text(page, stdout);
	tw_page_free(page);
}

/* ---- CSV ----------------------------------------------------------------- */

void tw_profile_print_csv(const struct profile_result *result)
{
	static const struct tw_column columns[] = {
		{ .heading = "function", .flags = TW_COLUMN_QUOTED },
		{ .heading = "object", .flags = TW_COLUMN_QUOTED },
		{ .heading = "calls" },
		{ .heading = "not_timed" },
		{ .heading = "abandoned" },
		{ .heading = "not_returned" },
		{ .heading = "self_raw_ns" },
		{ .heading = "self_ns" },
		{ .heading = "self_uncertainty_ns" },
		{ .heading = "inclusive_raw_ns" },
		{ .heading = "inclusive_ns" },
		{ .heading = "inclusive_uncertainty_ns" },
		{ .heading = "least_ns" },
		{ .heading = "most_ns" },
		{ .heading = "below_resolution" },
	};
	struct tw_page *page = tw_page_new("");
	struct tw_table *table = tw_page_table(page, columns, TW_LENGTH(columns));

	for (size_t i = 0; i < result->function_count; i++) {
		const struct profile_function *it = result->by_self[i];
		const uint64_t counts[] = { it->calls, it->not_timed, it->abandoned, it->open };
		const double ticks[] = {
			it->self.raw_ticks, it->self.ticks, it->self.uncertainty_ticks,
			it->inclusive.raw_ticks, it->inclusive.ticks,
			it->inclusive.uncertainty_ticks, (double)it->min_ticks,
			(double)it->max_ticks,
		};

		tw_table_row(table);
		tw_cell_text(table, it->name);
		tw_cell_text(table, it->object);
		for (size_t j = 0; j < TW_LENGTH(counts); j++)
			tw_cell_u64(table, counts[j]);
		for (size_t j = 0; j < TW_LENGTH(ticks); j++)
			tw_cell_fixed(table, profile_ns(result->file, ticks[j]), 3);
		tw_cell_u64(table, (uint64_t)tw_profile_below_resolution(&it->self));
	}
	tw_output_csv(table, stdout);
	tw_page_free(page);
}

/* ---- paths, as flame graph programs read them ----------------------------- */

/* Print the functions of a path, separated by semicolons, and the self time of the last one in
 * nanoseconds. A semicolon in a name becomes a colon. */
void tw_profile_print_folded(const struct profile_result *result)
{
	const struct profile_file *file = result->file;
	uint32_t *path = tw_zalloc(file->node_count, sizeof(*path));

	for (size_t i = 1; i < file->node_count; i++) {
		double ns = profile_ns(file, result->times[i].self.ticks);
		size_t length = 0;

		/* Negative times and zero are not drawn. */
		if (ns < 0.5)
			continue;
		for (uint32_t at = (uint32_t)i; at; at = file->nodes[at].parent)
			path[length++] = at;
		while (length--) {
			const struct profile_node *node = &file->nodes[path[length]];
			const char *name = result->functions[node->function].name;

			for (; *name; name++)
				putchar(*name == ';' ? ':' : *name);
			putchar(length ? ';' : ' ');
		}
		printf("%.0f\n", ns);
	}
	free(path);
}
