/* SPDX-License-Identifier: MIT */
/*
 * A report's intervals and slowest I/Os are read ahead only where they are plain;
 * anything else is left to the JSON library. Fails if a text is cut that the
 * library refuses, if a value is read wrong, or if what is left is not the rest.
 *
 * By hand, and then by force (every_byte.h).
 */
#include <jansson.h>
#include <string.h>

#include "command/report/cut.h"
#include "every_byte.h"
#include "latency/histogram_json.h"
#include "tap.h"
#include "written_json.h"

#define PLAIN								\
	"{\"a\": {\"over_time\": [1]}, \"b\": [\"]\", {}],\n"		\
	"\"over_time\": [{\"from_ns\": 0, \"over_ns\": 10, \"read\": "	\
	"{\"count\": 1, \"sum_ns\": \"5\", \"min_ns\": 5, \"max_ns\": 6, "	\
	"\"percentiles\": {\"99.000000\": 7}}},\n"			\
	"{\"over_ns\":20,\"from_ns\":10}], \"x\": 1.5e3,\n"		\
	"\"slowest\": [{\"offset\": 0, \"size\": 1, \"ddir\": \"read\", "	\
	"\"raw_ns\": \"12\", \"stages\": {\"queue\": 3, \"total\": 4}}, "	\
	"{\"size\": 2, \"stages\": {\"total\": \"8\"}, \"offset\": 0, "	\
	"\"ddir\": \"\"}], \"c\": true}\n"

static void release(struct tw_report_cut *cut)
{
	free(cut->text);
	free(cut->over_time.intervals);
	free(cut->slow.ios);
	free(cut->slow.text);
}

static void cuts(const char *written, const char *rest)
{
	char text[1024], wanted[1024], name[1024];
	struct tw_report_cut cut;

	tap_ok(!tw_report_cut_arrays(text_of(written, text), strlen(written),
				     &cut) &&
	       cut.text && strlen(cut.text) == cut.length &&
	       strcmp(cut.text, text_of(rest, wanted)) == 0, "%s",
	       name_of(written, name));
	release(&cut);
}

static void leaves(const char *written)
{
	char text[1024];
	struct tw_report_cut cut;

	tap_ok(!tw_report_cut_arrays(text_of(written, text), strlen(written),
				     &cut) &&
	       !cut.text && !cut.over_time.intervals && !cut.slow.ios,
	       "left as it is: %s", written);
	release(&cut);
}

static uint64_t u64(const json_t *json, const char *key)
{
	uint64_t value = 0;

	if (json_object_get(json, key) &&
	    tw_json_to_u64(json_object_get(json, key), &value))
		return UINT64_MAX;
	return value;
}

static int same_interval(const struct tw_report_interval *interval,
			 const json_t *json)
{
	int same = interval->from_ns == u64(json, "from_ns") &&
		   interval->over_ns == u64(json, "over_ns");

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		const json_t *from = json_object_get(json,
						     tw_report_directions[i]);
		const struct tw_report_interval_of *of = &interval->of[i];

		same &= of->count == u64(from, "count") &&
			of->sum_ns == u64(from, "sum_ns") &&
			of->min_ns == u64(from, "min_ns") &&
			of->max_ns == u64(from, "max_ns") &&
			of->p99_ns == u64(json_object_get(from, "percentiles"),
					  "99.000000");
	}
	return same;
}

static int same_slow(const struct tw_report_slow_io *slow, const json_t *json)
{
	json_t *own = json_loadb(slow->text, slow->length,
				 JSON_REJECT_DUPLICATES, NULL);
	int same = own && json_equal(own, json) &&
		   slow->total_ns == u64(json_object_get(json, "stages"),
					 "total");

	json_decref(own);
	return same;
}

static int same_arrays(const struct tw_report_cut *cut, const json_t *root)
{
	const json_t *over_time = json_object_get(root, "over_time");
	const json_t *slowest = json_object_get(root, "slowest");
	int same = (!cut->over_time.intervals ||
		    json_array_size(over_time) == cut->over_time.count) &&
		   (!cut->slow.ios ||
		    json_array_size(slowest) == cut->slow.count);

	for (size_t i = 0; i < cut->over_time.count; i++)
		same &= same_interval(&cut->over_time.intervals[i],
				      json_array_get(over_time, i));
	for (size_t i = 0; i < cut->slow.count; i++)
		same &= same_slow(&cut->slow.ios[i],
				  json_array_get(slowest, i));
	return same;
}

/* What a text without the arrays has, the whole one has; and empty arrays. */
static int same_rest(const struct tw_report_cut *cut, const json_t *root,
		     json_t *rest)
{
	if (cut->over_time.intervals)
		json_object_set(rest, "over_time",
				json_object_get(root, "over_time"));
	if (cut->slow.ios)
		json_object_set(rest, "slowest",
				json_object_get(root, "slowest"));
	return json_equal(root, rest);
}

/* Does the library read it as it was read here? */
static int agrees(const char *text, unsigned *cuts)
{
	size_t length = strlen(text);
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	json_t *rest = NULL;
	struct tw_report_cut cut;
	int same = !tw_report_cut_arrays(text, length, &cut);

	if (cut.text) {
		rest = json_loadb(cut.text, cut.length, JSON_REJECT_DUPLICATES,
				  NULL);
		same &= !rest == !root;
	}
	if (root && rest) {
		same &= same_arrays(&cut, root) && same_rest(&cut, root, rest);
		++*cuts;
	}
	json_decref(root);
	json_decref(rest);
	release(&cut);
	return same;
}

/* More than any first allocation holds. */
static void check_many(void)
{
	enum { MANY = 1000 };
	char *text = malloc(MANY * 200), *at = text;
	unsigned cuts = 0;

	at += sprintf(at, "{\"over_time\": [");
	for (unsigned i = 0; i < MANY; i++)
		at += sprintf(at, "%s{\"from_ns\": %u, \"over_ns\": 7}",
			      i ? "," : "", 7 * i);
	at += sprintf(at, "], \"slowest\": [");
	for (unsigned i = 0; i < MANY; i++)
		at += sprintf(at, "%s{\"offset\": %u, \"size\": 1, \"ddir\": "
			      "\"read\", \"stages\": {\"total\": %u}}",
			      i ? "," : "", i, 9 * i);
	strcpy(at, "]}");
	tap_ok(agrees(text, &cuts) && cuts == 1, "%d of each", MANY);
	free(text);
}

#define SLOW	"'offset': 0, 'size': 1, 'ddir': 'read', 'stages': {'total': 1}"

int main(void)
{
	unsigned plain = 0;

	tap_ok(agrees(PLAIN, &plain) && plain == 1, "a plain one is read");
	cuts("{'over_time': [{'from_ns': 0, 'over_ns': 1}]}",
	     "{'over_time': []}");
	cuts(" {'x':-1,'slowest'\n:\t[ {" SLOW "} ,\r{" SLOW "} ] , 'y':[]} ",
	     " {'x':-1,'slowest'\n:\t[] , 'y':[]} ");
	cuts("{'slowest': [{" SLOW "}], 'y\\n': 0, 'z': '\\\"'}",
	     "{'slowest': [], 'y\\n': 0, 'z': '\\\"'}");
	/* Twice: the library finds that one of them is too many. */
	cuts("{'slowest': [{" SLOW "}], 'slowest': [{" SLOW "}]}",
	     "{'slowest': [], 'slowest': [{" SLOW "}]}");
	/* One of the two. */
	cuts("{'over_time': [{'from_ns': 0}], 'slowest': [{" SLOW "}]}",
	     "{'over_time': [{'from_ns': 0}], 'slowest': []}");

	leaves("");
	leaves("{}");
	leaves("[{'slowest': [{" SLOW "}]}]");
	leaves("{'x': {'slowest': [{" SLOW "}]}}");
	leaves("{'slowest': [], 'over_time': []}");
	leaves("{'slowest': {" SLOW "}}");
	leaves("{'slowest': [{" SLOW "},]}");
	leaves("{'slowest': [{" SLOW "} {" SLOW "}]}");
	leaves("{'slowest': [{" SLOW ", 'x': null}]}");
	leaves("{'slowest': [{" SLOW ", 'x': -1}]}");
	leaves("{'slowest': [{" SLOW ", 'x': 1.5}]}");
	leaves("{'slowest': [{" SLOW ", 'x': '\\n'}]}");
	leaves("{'slowest': [{" SLOW ", 'x': '\xc3\xa9'}]}");
	leaves("{'slowest': [{" SLOW ", 'size': 2}]}");
	leaves("{'slowest': [{" SLOW ", 'stages': {'total': 2}}]}");
	leaves("{'slowest': [{'size': 1, 'ddir': 'r', 'stages': {'total': 1}}]}");
	leaves("{'slowest': [{'offset': 0, 'ddir': 'r', 'stages': {'total': 1}}]}");
	leaves("{'slowest': [{'offset': 0, 'size': 1, 'stages': {'total': 1}}]}");
	leaves("{'slowest': [{'offset': 0, 'size': 1, 'ddir': 'r'}]}");
	leaves("{'slowest': [{'offset': 0, 'size': 1, 'ddir': 2, "
	       "'stages': {'total': 1}}]}");
	leaves("{'slowest': [{'offset': 0, 'size': 1, 'ddir': 'r', "
	       "'stages': {'total': 1, 'total': 1}}]}");
	leaves("{'slowest': [{'offset': 'x', 'size': 1, 'ddir': 'r', "
	       "'stages': {'total': 1}}]}");
	leaves("{'over_time': [{'from_ns': 0, 'over_ns': 01}]}");
	leaves("{'over_time': [{'from_ns': 0, 'over_ns': 1, 'over_ns': 1}]}");
	leaves("{'over_time': [{'from_ns': 0, 'over_ns': 1, 'x': 1}]}");
	leaves("{'over_time': [{'from_ns': 0, 'over_ns': 1, 'read': {}}]}");
	leaves("{'over_time': [{'from_ns': 0, 'over_ns': 1000000000000000000}]}");
	check_every_byte(PLAIN, agrees);
	check_many();
	return tap_done();
}
