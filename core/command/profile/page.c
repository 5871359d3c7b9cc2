/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile`: the tables.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/profile/profile.h"

#define TIME_SIZE	24
#define ERROR_SIZE	(TIME_SIZE + 2)		/* +- before it */

/* Four significant digits and a unit. */
static const char *time_text(char *text, double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = fabs(ns);
	size_t unit = 0;
	int digits;

	while (unit < 3 && value >= 999.95) {
		value /= 1000;
		unit++;
	}
	digits = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;
	snprintf(text, TIME_SIZE, "%s%.*f%s", ns < 0 ? "-" : "", digits, value,
		 units[unit]);
	return text;
}

static const char *error_text(char *text, double ns)
{
	char value[TIME_SIZE];

	snprintf(text, ERROR_SIZE, "+-%s", time_text(value, ns));
	return text;
}

static void print_row(const struct profile_file *file,
		      const struct profile_function *function, double all_ns)
{
	double self_ns = profile_ns(file, function->self.ticks);
	double calls = (double)(function->calls - function->not_timed);
	char self[TIME_SIZE], error[ERROR_SIZE], raw[TIME_SIZE];
	char inclusive[TIME_SIZE], each[TIME_SIZE];
	int below = tw_profile_below_resolution(&function->self);

	printf("%5.1f %9s %10s %9s %9s %9s %11lu  %s%s%s%s\n",
	       all_ns > 0 ? 100 * self_ns / all_ns : 0,
	       time_text(self, self_ns),
	       error_text(error, profile_ns(file,
					    function->self.uncertainty_ticks)),
	       time_text(raw, profile_ns(file, function->self.raw_ticks)),
	       time_text(inclusive, profile_ns(file,
					       function->inclusive.ticks)),
	       time_text(each, calls > 0 ? self_ns / calls : 0),
	       function->calls, function->name,
	       below ? "  (below resolution)" : "",
	       function->not_timed ? "  (not all calls timed)" : "",
	       function->open ? "  (not returned)" : "");
	if (function->abandoned)
		printf("%66s%lu of its calls left by longjmp or an exception\n",
		       "", function->abandoned);
}

static void print_cost(const struct profile_file *file)
{
	char inside[TIME_SIZE], outside[TIME_SIZE], beyond[TIME_SIZE];
	char inside_error[ERROR_SIZE], outside_error[ERROR_SIZE];
	const struct profile_cost *cost = &file->cost;

	if (!cost->samples) {
		printf("fence %s; what the hooks take could not be measured, for "
		       "want of memory:\n  it is in all times, and in no error\n",
		       file->fence);
		return;
	}
	printf("fence %s; the hooks take %s (%s) inside of a call and %s (%s) "
	       "outside,\n  as %u blocks show: taken out; a call can have lost "
	       "up to %s more to them\n", file->fence,
	       time_text(inside, profile_ns(file, cost->inside)),
	       error_text(inside_error,
			  profile_ns(file, cost->inside_spread)),
	       time_text(outside, profile_ns(file, cost->outside)),
	       error_text(outside_error,
			  profile_ns(file, cost->outside_spread)),
	       cost->samples, time_text(beyond, profile_ns(file, cost->beyond)));
}

static void print_head(const struct profile_file *file)
{
	char wall[TIME_SIZE];

	printf("%s, process %d, %zu thread%s, %s from the first hook to the "
	       "end\n", file->program ? file->program : "?", file->pid,
	       file->thread_count, file->thread_count == 1 ? "" : "s",
	       time_text(wall, profile_ns(file, (double)(file->end_ticks -
							 file->begin_ticks))));
	print_cost(file);
	printf("ticks at %.3f Hz (+- %.3g ppb) of %s, %s\n\n", file->hz,
	       file->hz_uncertainty_ppb, file->against, file->source);
}

static void print_loss(const char *text, uint64_t count)
{
	if (count)
		printf("%lu %s\n", count, text);
}

static void print_losses(const struct profile_file *file)
{
	print_loss("calls not recorded: deeper than depth=", file->too_deep);
	print_loss("calls not recorded: memory= was used up; their time is "
		   "their callers'", file->no_memory);
	print_loss("entries and exits not recorded: a signal came while a hook "
		   "was at work", file->in_hook);
	print_loss("exits without an entry", file->unmatched);
	print_loss("calls ended before they began: counters of CPUs disagree",
		   file->backwards);
	print_loss("events not kept: events= was used up", file->events_lost);
	print_loss("threads not recorded, or not merged: no memory",
		   file->threads_lost);
}

void tw_profile_print_flat(const struct profile_file *file,
			   const struct profile_result *result, unsigned top)
{
	double all_ns = profile_ns(file, result->total.ticks);
	char self[TIME_SIZE], error[ERROR_SIZE];

	print_head(file);
	printf("%5s %9s %10s %9s %9s %9s %11s  %s\n", "self%", "self", "",
	       "raw self", "inclusive", "self/call", "calls", "function");
	for (size_t i = 0; i < result->function_count; i++) {
		if (top && i == top) {
			printf("... %zu more (--top=0 shows all)\n",
			       result->function_count - i);
			break;
		}
		print_row(file, &result->functions[i], all_ns);
	}
	printf("\nall selves: %s %s\n", time_text(self, all_ns),
	       error_text(error, profile_ns(file,
					    result->total.uncertainty_ticks)));
	print_losses(file);
}

/* One of a function's callers or callees, with what is between the two. */
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

/* Adds @node's numbers to the arc of @other; @arcs is long enough for all. */
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

static void print_arcs(const struct profile_file *file,
		       const struct profile_result *result, struct arc *arcs,
		       size_t count, const char *how)
{
	char time[TIME_SIZE];

	qsort(arcs, count, sizeof(*arcs), by_ticks);
	for (size_t i = 0; i < count; i++)
		printf("      %s %9s %11lu  %s\n", how,
		       time_text(time, profile_ns(file, arcs[i].ticks)),
		       arcs[i].calls, arcs[i].function == UINT32_MAX ?
		       "(nobody that is recorded)" :
		       result->functions[arcs[i].function].name);
}

static void print_around(const struct profile_file *file,
			 const struct profile_result *result, uint32_t function,
			 struct arc *arcs)
{
	const struct profile_function *it = &result->functions[function];
	char self[TIME_SIZE], inclusive[TIME_SIZE];
	size_t count = 0;

	for (size_t i = 1; i < file->node_count; i++)
		if (file->nodes[i].function == function)
			add_arc(arcs, &count, file->nodes[i].parent ?
				file->nodes[file->nodes[i].parent].function :
				UINT32_MAX, &file->nodes[i],
				&result->times[i]);
	print_arcs(file, result, arcs, count, "from");
	printf("%s  self %s, inclusive %s, %lu calls\n", it->name,
	       time_text(self, profile_ns(file, it->self.ticks)),
	       time_text(inclusive, profile_ns(file, it->inclusive.ticks)),
	       it->calls);
	count = 0;
	for (size_t i = 1; i < file->node_count; i++) {
		uint32_t parent = file->nodes[i].parent;

		if (parent && file->nodes[parent].function == function)
			add_arc(arcs, &count, file->nodes[i].function,
				&file->nodes[i], &result->times[i]);
	}
	print_arcs(file, result, arcs, count, "  to");
	putchar('\n');
}

void tw_profile_print_callers(const struct profile_file *file,
			      const struct profile_result *result, unsigned top)
{
	struct arc *arcs = calloc(result->function_count + 1, sizeof(*arcs));

	print_head(file);
	puts("      who calls it, with the inclusive time and calls from there"
	     "\nthe function\n      whom it calls\n");
	for (size_t i = 0; arcs && i < result->function_count; i++) {
		if (top && i == top)
			break;
		print_around(file, result, (uint32_t)i, arcs);
	}
	free(arcs);
	print_losses(file);
}
