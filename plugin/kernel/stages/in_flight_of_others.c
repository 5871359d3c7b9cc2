/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write whose requests a device had in flight as JSON: see in_flight_of_others.h.
 */
#include "in_flight_of_others.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "base/plain_text.h"
#include "kernel/cgroup.h"
#include "report/report.h"

json_t *tw_who_to_json(const struct tw_who *who)
{
	static const char *const kinds[TW_WHO_KINDS] = {
		[TW_WHO_PROCESS] = "process",
		[TW_WHO_KERNEL_THREAD] = "kernel",
		[TW_WHO_CGROUP] = "cgroup",
		[TW_WHO_HIDDEN] = "hidden",
	};
	char name[TW_CGROUP_PATH] = "";
	json_t *json;

	if (who->kind == TW_WHO_UNKNOWN || who->kind >= TW_WHO_KINDS)
		return NULL;
	json = json_pack("{ss}", "kind", kinds[who->kind]);
	if (who->kind == TW_WHO_CGROUP)
		tw_cgroup_path(name, who->cgroup);
	else
		tw_plain_text(memcpy(name, who->name, sizeof(who->name)));
	if (who->id)
		json_object_set_new(json, "id", json_integer((json_int_t) who->id));
	if (name[0])
		json_object_set_new(json, "name", json_string(name));
	return json;
}

json_t *tw_others_to_json(const struct tw_others *others)
{
	const enum tw_others_kind most = tw_others_kind(others);
	uint64_t more = 0;
	json_t *json, *who;

	if (!others->key || tw_others_are_unknown(others))
		return NULL;
	for (unsigned kind = 0; kind < TW_OTHERS_KINDS; kind++)
		more += kind == (unsigned) most ? 0 : others->requests[kind];
	json = json_pack("{sI, sI, sI, sb}", "own", (json_int_t) others->own,
			 "more", (json_int_t) more,
			 "requeues", (json_int_t) others->requeues, "cut", others->is_cut);
	if (most == TW_OTHERS_NONE)
		return json;
	who = tw_who_to_json(&others->who);
	if (who)
		json_object_update_new(who, json_pack("{sI, sI}",
			"requests", (json_int_t) others->who.requests,
			"bytes", (json_int_t) others->who.bytes));
	json_object_update_new(json, json_pack("{ss, sI, sI, so*}",
		"kind", tw_others_kinds[most],
		"requests", (json_int_t) others->requests[most],
		"bytes", (json_int_t) others->bytes[most],
		"who", who));
	return json;
}

/* ---- sums by name ---------------------------------------------------------------- */

/* Return whether both are the same, however large their requests were. */
static bool is_same(const struct tw_who *a, const struct tw_who *b)
{
	return a->kind == b->kind && a->cgroup == b->cgroup && a->id == b->id &&
	       !memcmp(a->name, b->name, sizeof(a->name));
}

static struct tw_others_sum *shortest(struct tw_others_sums *others_sums)
{
	struct tw_others_sum *least = others_sums->all, *at;

	for (at = others_sums->all; at < others_sums->all + others_sums->count; at++)
		if (at->ns < least->ns)
			least = at;
	return least;
}

void tw_others_sum_add(struct tw_others_sums *others_sums, unsigned direction,
		   const struct tw_others *others, uint64_t ns, uint64_t ios)
{
	const enum tw_others_kind kind = tw_others_kind(others);

	if (kind != TW_OTHERS_NONE && tw_others_has_one(others))
		tw_others_sum_add_who(others_sums, direction, kind, &others->who, ns, ios);
}

void tw_others_sum_add_who(struct tw_others_sums *others_sums, unsigned direction,
		       enum tw_others_kind kind, const struct tw_who *who, uint64_t ns,
		       uint64_t ios)
{
	struct tw_others_sum *at = others_sums->all, *end = at + others_sums->count;

	if (who->kind == TW_WHO_UNKNOWN || !ios)
		return;
	while (at < end && (at->direction != direction || at->kind != kind ||
			    !is_same(&at->who, who)))
		at++;
	if (at == end) {
		if (others_sums->count == TW_OTHERS_SUMS_MOST)
			at = shortest(others_sums);
		else
			others_sums->count++;
		*at = (struct tw_others_sum) { .direction = direction, .kind = kind, .who = *who };
	}
	at->ns += ns;
	at->ios += ios;
}

/* Return the longest sums. @are_commits: then their directions and kinds mean nothing. */
static json_t *sums_to_json(struct tw_others_sums *sums, bool are_commits)
{
	json_t *array = json_array();
	unsigned i;

	qsort(sums->all, sums->count, sizeof(sums->all[0]), tw_descending);
	for (i = 0; i < sums->count && i < TW_OTHERS_SUMS_SHOWN; i++) {
		const struct tw_others_sum *of = &sums->all[i];

		json_array_append_new(array, json_pack("{si, ss*, ss*, so, sI, sI}", "job", 0,
			"ddir", are_commits ? NULL : tw_direction_names[of->direction],
			"kind", are_commits ? NULL : tw_others_kinds[of->kind],
			"who", tw_who_to_json(&of->who), "ios", (json_int_t) of->ios,
			are_commits ? "journal_ns" : "device_ns", (json_int_t) of->ns));
	}
	return array;
}

json_t *tw_commits_to_json(struct tw_others_sums *commits)
{
	return sums_to_json(commits, true);
}

json_t *tw_others_sums_to_json(struct tw_others_sums *others_sums)
{
	return sums_to_json(others_sums, false);
}
