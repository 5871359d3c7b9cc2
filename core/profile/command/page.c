/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile`: makes the pages of its tables.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "profile/command/profile.h"

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

/* ---- around the tables --------------------------------------------------- */

static const char *time_text(char *text, const struct profile_file *file, double ticks)
{
	return tw_format_ns(text, profile_ns(file, ticks));
}

static void add_cost(struct tw_page *page, const struct profile_file *file)
{
	const struct profile_cost *cost = &file->cost;
	char text[5][TW_FORMAT_SIZE];

	if (!cost->samples) {
		tw_page_paragraph(page, "fence %s; the cost of the hooks could not "
				  "be measured, as there was no memory: all times "
				  "contain it, no error does", file->fence);
		return;
	}
	tw_page_paragraph(page, "fence %s; the hooks take %s (+- %s) inside of a "
			  "call and %s (+- %s) outside, measured in %u blocks and "
			  "taken out; a call can have lost up to %s more", file->fence,
			  time_text(text[0], file, cost->inside),
			  time_text(text[1], file, cost->inside_spread),
			  time_text(text[2], file, cost->outside),
			  time_text(text[3], file, cost->outside_spread),
			  cost->samples, time_text(text[4], file, cost->beyond));
}

static struct tw_page *begin_page(const struct profile_file *file)
{
	struct tw_page *page = tw_page_new("Time per function");
	double wall_ticks = (double)(file->end_ticks - file->begin_ticks);
	char wall[TW_FORMAT_SIZE];

	tw_page_paragraph(page, "%s, process %d, %zu thread%s, %s from the first hook "
			  "to the end", file->program ? file->program : "?", file->pid,
			  file->thread_count, tw_format_plural(file->thread_count),
			  time_text(wall, file, wall_ticks));
	add_cost(page, file);
	tw_page_paragraph(page, "ticks at %.3f Hz ", file->hz);
	/* The kernel's own rate has no error against its clock. */
	if (file->hz_uncertainty_ppb > 0)
		tw_page_more(page, "(+- %.3g ppb) ", file->hz_uncertainty_ppb);
	tw_page_more(page, "of %s, %s", file->against, file->source);
	tw_page_gap(page);
	return page;
}

static void add_losses(struct tw_page *page, const struct profile_file *file)
{
	const struct {
		uint64_t count;
		const char *noun, *what;
	} losses[] = {
		{ file->too_deep, "call", "not recorded: deeper than depth=" },
		{ file->no_memory, "call", "not recorded: memory= was used up; this "
		  "time is the callers'" },
		{ file->in_hook, "event", "not recorded: a signal came while a hook "
		  "was at work" },
		{ file->unmatched, "exit", "without an entry" },
		{ file->backwards, "call", "with an end before the beginning: "
		  "counters of CPUs disagree" },
		{ file->events_lost, "event", "not kept: events= was used up" },
		{ file->threads_lost, "thread", "not recorded, or not merged: no "
		  "memory" },
	};

	for (size_t i = 0; i < COUNT(losses); i++)
		if (losses[i].count)
			tw_page_paragraph(page, "%" PRIu64 " %s%s %s", losses[i].count,
					  losses[i].noun,
					  tw_format_plural(losses[i].count),
					  losses[i].what);
}

/* ---- a row for each function --------------------------------------------- */

static void add_time(struct tw_table *table, const struct profile_file *file,
		     double ticks)
{
	tw_cell_ns(table, profile_ns(file, ticks));
}

static void add_function(struct tw_table *table, const struct profile_file *file,
			 const struct profile_function *it, double all_ticks)
{
	double calls = (double)(it->calls - it->not_timed);

	tw_table_row(table);
	tw_cell_fixed(table, all_ticks > 0 ? 100 * it->self.ticks / all_ticks : 0, 1);
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

void tw_profile_print_flat(const struct profile_file *file,
			   const struct profile_result *result, unsigned top)
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
	struct tw_page *page = begin_page(file);
	struct tw_table *table = tw_page_table(page, columns, COUNT(columns));
	char self[TW_FORMAT_SIZE], error[TW_FORMAT_SIZE];
	size_t shown = result->function_count;

	if (top && top < shown)
		shown = top;
	for (size_t i = 0; i < shown; i++)
		add_function(table, file, &result->functions[i], result->total.ticks);
	if (shown < result->function_count)
		tw_table_span(table, "... %zu more (--top=0 shows all)",
			      result->function_count - shown);
	tw_page_gap(page);
	tw_page_paragraph(page, "all selves: %s +- %s",
			  time_text(self, file, result->total.ticks),
			  time_text(error, file, result->total.uncertainty_ticks));
	add_losses(page, file);
	tw_output_print(page);
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

	return (left->ticks < right->ticks) - (left->ticks > right->ticks);
}

/* Add @node's numbers to the arc of @other. @arcs has room for all. */
static void add_arc(struct arc *arcs, size_t *count, uint32_t other,
		    const struct profile_node *node,
		    const struct profile_node_time *time)
{
	size_t i = 0;

	while (i < *count && arcs[i].function != other)
		i++;
	if (i == *count)
		arcs[(*count)++] = (struct arc) { .function = other };
	arcs[i].calls += node->calls;
	arcs[i].ticks += time->inclusive.ticks;
}

static void add_arcs(struct tw_table *table, const struct profile_file *file,
		     const struct profile_result *result, struct arc *arcs,
		     size_t count, const char *how)
{
	qsort(arcs, count, sizeof(*arcs), by_ticks);
	for (size_t i = 0; i < count; i++) {
		tw_table_row(table);
		tw_cell_text(table, how);
		add_time(table, file, arcs[i].ticks);
		tw_cell_u64(table, arcs[i].calls);
		tw_cell_text(table, arcs[i].function == UINT32_MAX ?
			     "(no recorded function)" :
			     result->functions[arcs[i].function].name);
	}
}

static void add_around(struct tw_table *table, const struct profile_file *file,
		       const struct profile_result *result, uint32_t function,
		       struct arc *arcs)
{
	const struct profile_function *it = &result->functions[function];
	char self[TW_FORMAT_SIZE], inclusive[TW_FORMAT_SIZE];
	size_t count = 0;

	for (size_t i = 1; i < file->node_count; i++)
		if (file->nodes[i].function == function)
			add_arc(arcs, &count, file->nodes[i].parent ?
				file->nodes[file->nodes[i].parent].function :
				UINT32_MAX, &file->nodes[i],
				&result->times[i]);
	add_arcs(table, file, result, arcs, count, "from");
	tw_table_span(table, "%s  self %s, inclusive %s, %" PRIu64 " call%s", it->name,
		      time_text(self, file, it->self.ticks),
		      time_text(inclusive, file, it->inclusive.ticks), it->calls,
		      tw_format_plural(it->calls));
	count = 0;
	for (size_t i = 1; i < file->node_count; i++) {
		uint32_t parent = file->nodes[i].parent;

		if (parent && file->nodes[parent].function == function)
			add_arc(arcs, &count, file->nodes[i].function,
				&file->nodes[i], &result->times[i]);
	}
	add_arcs(table, file, result, arcs, count, "to");
	tw_table_span(table, " ");
}

void tw_profile_print_callers(const struct profile_file *file,
			      const struct profile_result *result, unsigned top)
{
	static const struct tw_column columns[] = {
		{ .heading = "", .width = 10 },
		{ .heading = "inclusive", .width = 9, .flags = TW_COLUMN_NARROW },
		{ .heading = "calls", .width = 11 },
		{ .heading = "function", .flags = TW_COLUMN_LEFT },
	};
	struct arc *arcs = tw_zalloc(result->function_count + 1, sizeof(*arcs));
	struct tw_page *page = begin_page(file);
	struct tw_table *table;

	tw_page_note(page, "Above each function its callers, with the inclusive time "
		     "and calls from there; below it the functions that it calls:");
	tw_page_gap(page);
	table = tw_page_table(page, columns, COUNT(columns));
	for (size_t i = 0; i < result->function_count && (!top || i < top); i++)
		add_around(table, file, result, (uint32_t)i, arcs);
	free(arcs);
	add_losses(page, file);
	tw_output_print(page);
}

/* ---- CSV ----------------------------------------------------------------- */

static void add_csv_row(struct tw_table *table, const struct profile_file *file,
			const struct profile_function *it)
{
	const double ticks[] = {
		it->self.raw_ticks, it->self.ticks, it->self.uncertainty_ticks,
		it->inclusive.raw_ticks, it->inclusive.ticks,
		it->inclusive.uncertainty_ticks, (double)it->min_ticks,
		(double)it->max_ticks,
	};

	tw_table_row(table);
	tw_cell_text(table, it->name);
	tw_cell_text(table, it->object);
	tw_cell_u64(table, it->calls);
	tw_cell_u64(table, it->not_timed);
	tw_cell_u64(table, it->abandoned);
	tw_cell_u64(table, it->open);
	for (size_t i = 0; i < COUNT(ticks); i++)
		tw_cell_fixed(table, profile_ns(file, ticks[i]), 3);
	tw_cell_u64(table, (uint64_t)tw_profile_below_resolution(&it->self));
}

void tw_profile_print_csv(const struct profile_file *file,
			  const struct profile_result *result)
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
	struct tw_table *table = tw_page_table(page, columns, COUNT(columns));

	for (size_t i = 0; i < result->function_count; i++)
		add_csv_row(table, file, &result->functions[i]);
	tw_output_csv(table, stdout);
	tw_page_free(page);
}
