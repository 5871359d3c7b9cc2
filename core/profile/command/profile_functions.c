/* SPDX-License-Identifier: MIT */
/*
 * Computes the times of functions: see profiles.h. Pure.
 */
#include <stdlib.h>

#include "base/allocate.h"
#include "profile/command/profiles.h"

static uint64_t timed(const struct profile_node *node)
{
	return node->calls - node->not_timed;
}

/* Add up the times from the last node to the first: children come after their parents, so each
 * sum is complete when it is added. Subtract what the hooks took. */
static void add_up(const struct profile_file *file, struct profile_node_time *times)
{
	const struct tw_profile_cost *cost = &file->cost;

	for (size_t i = 0; i < file->node_count; i++)
		times[i].self.raw_ticks = times[i].inclusive.raw_ticks =
			(double)file->nodes[i].ticks;
	for (size_t i = file->node_count; i-- > 0;) {
		const struct profile_node *node = &file->nodes[i];
		struct profile_node_time *time = &times[i], *parent = &times[node->parent];
		double calls = (double)timed(node), made = (double)time->made;
		double below = (double)time->below, untimed = (double)time->made_untimed;
		double untimed_below = (double)time->below_untimed;

		time->self.ticks = time->self.raw_ticks - calls * cost->inside -
				   made * cost->outside - untimed * cost->untimed;
		time->self.uncertainty_ticks =
			calls * cost->inside_spread + made * cost->outside_spread +
			untimed * cost->untimed_spread + (calls + made) / 2 * cost->beyond;
		time->inclusive.ticks = time->inclusive.raw_ticks - calls * cost->inside -
					below * (cost->inside + cost->outside) -
					untimed_below * cost->untimed;
		time->inclusive.uncertainty_ticks =
			calls * cost->inside_spread + below * cost->both_spread +
			untimed_below * cost->untimed_spread +
			(calls / 2 + below) * cost->beyond;
		if (i) {
			parent->self.raw_ticks -= (double)node->ticks;
			parent->made += timed(node);
			parent->made_untimed += node->not_timed;
			parent->below += timed(node) + time->below;
			parent->below_untimed += node->not_timed + time->below_untimed;
		}
	}
}

static void add(struct profile_time *to, const struct profile_time *more)
{
	to->raw_ticks += more->raw_ticks;
	to->ticks += more->ticks;
	to->uncertainty_ticks += more->uncertainty_ticks;
}

static int by_self(const void *a, const void *b)
{
	const struct profile_function *left = *(struct profile_function *const *)a;
	const struct profile_function *right = *(struct profile_function *const *)b;

	return tw_compare_real(right->self.ticks, left->self.ticks) ?: tw_ascending(left, right);
}

struct profile_function *tw_profile_function_at(const struct profile_result *result,
						uint64_t address)
{
	const struct profile_function key = { .address = address };

	return bsearch(&key, result->functions, result->function_count, sizeof(key), tw_ascending);
}

/* Make one function for each address, and tell each node its function. */
static void collect(struct profile_result *result, struct profile_file *file)
{
	struct profile_function *functions = result->functions;
	size_t count = 0;

	for (size_t i = 1; i < file->node_count; i++)
		functions[i - 1].address = file->nodes[i].address;
	qsort(functions, file->node_count - 1, sizeof(*functions), tw_ascending);
	for (size_t i = 0; i + 1 < file->node_count; i++)
		if (!count || functions[count - 1].address != functions[i].address) {
			result->by_self[count] = &functions[count];
			functions[count++].address = functions[i].address;
		}
	result->function_count = count;
	for (size_t i = 1; i < file->node_count; i++)
		file->nodes[i].function = (uint32_t)(
			tw_profile_function_at(result, file->nodes[i].address) - functions);
}

static void count(struct profile_function *function, const struct profile_node *node,
		  const struct profile_node_time *time)
{
	function->calls += node->calls;
	function->not_timed += node->not_timed;
	function->abandoned += node->abandoned;
	function->open += node->open;
	add(&function->self, &time->self);
	if (timed(node) && (!function->max_ticks ||
			    node->min_ticks < function->min_ticks))
		function->min_ticks = node->min_ticks;
	if (node->max_ticks > function->max_ticks)
		function->max_ticks = node->max_ticks;
	/* A call inside another call of the same function is counted
	 * already. */
	if (function->active++ == 0)
		add(&function->inclusive, &time->inclusive);
}

void tw_profile_functions(struct profile_result *result, struct profile_file *file)
{
	*result = (struct profile_result) {
		.times = tw_zalloc(file->node_count, sizeof(*result->times)),
		.functions = tw_zalloc(file->node_count, sizeof(*result->functions)),
		.by_self = tw_zalloc(file->node_count, sizeof(*result->by_self)),
		.file = file,
	};
	add_up(file, result->times);
	collect(result, file);
	/* Depth first. The functions on the path to the current node are marked active. */
	for (size_t i = 1, here = 0; i < file->node_count; here = i++) {
		const struct profile_node *node = &file->nodes[i];

		for (; here != node->parent; here = file->nodes[here].parent)
			result->functions[file->nodes[here].function].active--;
		count(&result->functions[node->function], node, &result->times[i]);
		add(&result->total, &result->times[i].self);
	}
	qsort(result->by_self, result->function_count, sizeof(*result->by_self), by_self);
	for (size_t i = 0; i < file->histogram_count; i++) {
		struct profile_function *function =
			tw_profile_function_at(result, file->histograms[i].address);

		if (function)
			function->histogram = &file->histograms[i];
	}
}

void tw_profile_functions_free(struct profile_result *result)
{
	free(result->functions);
	free(result->by_self);
	free(result->times);
	*result = (struct profile_result) { 0 };
}

int tw_profile_below_resolution(const struct profile_time *time)
{
	return time->ticks < time->uncertainty_ticks;
}
