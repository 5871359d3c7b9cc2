/* SPDX-License-Identifier: MIT */
/*
 * From the tree to functions: self and inclusive times with the hooks subtracted,
 * exactly, on random trees of known times. Fails if a call's hooks are charged to a
 * function that did not pay for them (the exit's tail to the caller, for example),
 * or if recursion is counted twice. Fails also if the parts do not add up, or if a
 * time's uncertainty is not that of all its constants.
 */
#include <math.h>
#include <string.h>

#include "profile/command/profiles.h"
#include "tap.h"

#define NODES		2000
#define FUNCTIONS	17
#define INSIDE		12.5
#define OUTSIDE		31.25

static struct profile_node nodes[NODES];
static double self_ticks[NODES];	/* the true value */

static struct profile_file file = {
	.hz = 1e9, .nodes = nodes, .node_count = NODES,
	.cost = { .inside = INSIDE, .outside = OUTSIDE, .inside_spread = .5,
		  .outside_spread = .25, .both_spread = .75, .untimed = 2,
		  .untimed_spread = 3, .beyond = 10 },
};

/* What the hooks would count: the truth plus their own time. */
static void make_tree(uint64_t *state)
{
	static double ticks[NODES];

	nodes[0] = (struct profile_node) { 0 };
	for (uint32_t i = 1; i < NODES; i++) {
		uint32_t up = (uint32_t)(tap_random(state) % 4), at = i - 1;

		while (up-- && at)
			at = nodes[at].parent;
		nodes[i] = (struct profile_node) {
			.parent = at,
			.address = 1000 + tap_random(state) % FUNCTIONS,
			.calls = 1 + tap_random(state) % 100,
		};
		/* Multiples of 4: with these constants all sums are whole. */
		self_ticks[i] = (double)(4 * (tap_random(state) % 10000));
		ticks[i] = 0;
	}
	for (uint32_t i = NODES; i-- > 1;) {
		double calls = (double)nodes[i].calls;

		ticks[i] += self_ticks[i] + calls * INSIDE;
		nodes[i].ticks = (uint64_t)(4 * ticks[i]);
		ticks[nodes[i].parent] += ticks[i] + calls * OUTSIDE;
	}
}

static int is_inside_itself(uint32_t node)
{
	for (uint32_t at = nodes[node].parent; at; at = nodes[at].parent)
		if (nodes[at].address == nodes[node].address)
			return 1;
	return 0;
}

static double below(uint32_t node)
{
	double sum = self_ticks[node];

	for (uint32_t i = node + 1; i < NODES; i++)
		for (uint32_t at = nodes[i].parent; at; at = nodes[at].parent)
			if (at == node)
				sum += self_ticks[i];
	return sum;
}

static void is_ticks(double is, double should, const char *what)
{
	tap_ok(fabs(is - should) < 1e-9, "%s: %.3f of %.3f", what, is, should);
}

/*
 * One function is called 8 times, two of them not timed. It calls another 100
 * times, 40 of them not timed, and that one calls a third 7 times.
 */
static void check_uncertainty(void)
{
	struct profile_node few[] = {
		{ .parent = 0 },
		{ .parent = 0, .address = 1, .calls = 8, .not_timed = 2 },
		{ .parent = 1, .address = 2, .calls = 100, .not_timed = 40 },
		{ .parent = 2, .address = 3, .calls = 7 },
	};
	struct profile_file three = file;
	struct profile_result result;

	three.nodes = few;
	three.node_count = 4;
	tw_profile_functions(&result, &three);
	for (size_t f = 0; f < result.function_count; f++) {
		const struct profile_function *it = &result.functions[f];
		const double self[] = {
			6 * .5 + 60 * .25 + 40 * 3 + (6 + 60) / 2. * 10,
			60 * .5 + 7 * .25 + (60 + 7) / 2. * 10,
			7 * .5 + 7 / 2. * 10,
		}, inclusive[] = {
			6 * .5 + 67 * .75 + 40 * 3 + (6 / 2. + 67) * 10,
			60 * .5 + 7 * .75 + (60 / 2. + 7) * 10,
			7 * .5 + 7 / 2. * 10,
		};

		is_ticks(it->self.uncertainty_ticks, self[it->address - 1],
			 "uncertainty of a self");
		is_ticks(it->inclusive.uncertainty_ticks,
			 inclusive[it->address - 1], "of an inclusive time");
	}
	/* All but the outside of the outermost. */
	is_ticks(result.total.uncertainty_ticks,
		 73 * .5 + 67 * .25 + 40 * 3 + (73 + 67) / 2. * 10,
		 "of all selves");
	tw_profile_functions_free(&result);
}

static void check_functions(const struct profile_result *result)
{
	double all = 0;
	int ordered = 1, right = 1;

	for (size_t f = 0; f < result->function_count; f++) {
		const struct profile_function *it = result->by_self[f];
		double self = 0, inclusive = 0;
		uint64_t calls = 0;

		for (uint32_t i = 1; i < NODES; i++) {
			if (nodes[i].address != it->address)
				continue;
			right &= nodes[i].function == it - result->functions;
			self += self_ticks[i];
			calls += nodes[i].calls;
			if (!is_inside_itself(i))
				inclusive += below(i);
		}
		all += self;
		tap_ok(fabs(it->self.ticks / 4 - self) < 1e-3 &&
		       fabs(it->inclusive.ticks / 4 - inclusive) < 1e-3 && it->calls == calls,
		       "function %zu: self %.3f of %.3f, inclusive %.3f of %.3f", f,
		       it->self.ticks / 4, self, it->inclusive.ticks / 4, inclusive);
		ordered &= !f || it->self.ticks <= result->by_self[f - 1]->self.ticks;
	}
	tap_ok(ordered && right && result->function_count <= FUNCTIONS,
	       "a row for each function, in order, and nodes point to their functions");
	/* The outside of the root's children belongs to no recorded function. */
	tap_ok(fabs(result->total.ticks / 4 - all) < 1e-3, "selves add up to %.3f: %.3f", all,
	       result->total.ticks / 4);
}

int main(void)
{
	uint64_t state = tap_seed();
	struct profile_result result;

	check_uncertainty();
	make_tree(&state);
	/* All ticks are four times as large, as they are whole in the file; so are the costs. */
	file.cost.inside *= 4;
	file.cost.outside *= 4;
	tw_profile_functions(&result, &file);
	check_functions(&result);
	tw_profile_functions_free(&result);
	return tap_done();
}
