/* SPDX-License-Identifier: MIT */
/*
 * Prints what the metrics and the facts of a report say of themselves, when Tickwise is built:
 *
 *	describe schema FILE TYPES
 *		a JSON Schema of a report or a line: what FILE has, metrics, facts if it is of a
 *		report, and the types of TYPES
 *	describe manual counts|scalars|times
 *		items of tickwise-report(5)
 *
 * The hand-written parts name the types: counts, counts_of_moves, count, histograms, and
 * those of facts.
 */
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "report/facts.h"
#include "report/metrics.h"

#define TEXT_BYTES	512

static const char *type_of(unsigned metric)
{
	return metric < TW_COUNTS ? "counts" : metric < TW_METRIC_TIMES ? "count" : "histograms";
}

/* ---- words ------------------------------------------------------------------ */

static const char *merge_text(enum tw_merge merge)
{
	return merge == TW_MAX ? " Of several jobs it is the largest." : "";
}

static const char *of_directions(unsigned directions)
{
	return directions == TW_ALL ? "" : directions == TW_SYNCS ? " Of syncs and writes." :
	       directions == TW_WRITES ? " Of writes alone." : " Without sync.";
}

static const char *in_unit(const char *path)
{
	const size_t length = strlen(path);

	return length > 3 && !strcmp(&path[length - 3], "_ns") ? " In nanoseconds." : "";
}

/* Describe a metric in whole sentences. */
static void describe(char text[TEXT_BYTES], unsigned metric)
{
	char label[TW_METRIC_TEXT];

	if (metric < TW_COUNTS) {
		const struct tw_count_metric *count = &tw_count_metrics[metric];

		snprintf(text, TEXT_BYTES, "%s: %s.%s%s%s%s%s%s%s",
			 tw_metric_label(label, count->label, 0), count->detail,
			 in_unit(count->path), count->of == TW_NONE ? "" : " Also counted in ",
			 count->of == TW_NONE ? "" : tw_metric_path(count->of),
			 count->of == TW_NONE ? "" : ".",
			 count->show == TW_APART || count->show == TW_IN_FIO_LAT ?
				" Not in ios." : "",
			 of_directions(count->directions),
			 merge_text(count->merge));
	} else if (metric < TW_METRIC_TIMES) {
		const struct tw_scalar_metric *scalar = &tw_scalar_metrics[metric - TW_COUNTS];

		snprintf(text, TEXT_BYTES, "%s.%s%s",
			 tw_metric_label(label, scalar->label, 0), in_unit(scalar->path),
			 merge_text(scalar->merge));
	} else {
		const struct tw_time_metric *time = &tw_time_metrics[metric - TW_METRIC_TIMES];

		snprintf(text, TEXT_BYTES, "%s.%s", time->label,
			 of_directions(time->directions));
	}
	text[0] = (char)toupper((unsigned char)text[0]);
}

/* ---- the schema ------------------------------------------------------------- */

static json_t *inner(json_t *object, const char *key)
{
	if (!json_object_get(object, key))
		json_object_set_new(object, key, json_object());
	return json_object_get(object, key);
}

/* Note that an object has a key always; a report but for the header of intervals. */
static void require(json_t *schema, const char *key)
{
	json_t *otherwise = json_object_get(schema, "else");
	json_t *in = otherwise ? otherwise : schema, *required;

	if (!json_object_get(in, "required"))
		json_object_set_new(in, "required", json_array());
	required = json_object_get(in, "required");
	for (size_t i = 0; i < json_array_size(required); i++)
		if (strcmp(json_string_value(json_array_get(required, i)), key) == 0)
			return;
	json_array_append_new(required, json_string(key));
}

static void add_to_schema(json_t *schema, unsigned metric)
{
	int is_required = tw_metric_is_required(metric);
	char path[TEXT_BYTES], text[TEXT_BYTES], reference[64], *key = path, *dot;

	snprintf(path, sizeof(path), "%s", tw_metric_path(metric));
	for (; (dot = strchr(key, '.')); key = dot + 1) {
		*dot = '\0';
		if (is_required)
			require(schema, key);
		schema = inner(inner(schema, "properties"), key);
		json_object_set_new(schema, "type", json_string("object"));
	}
	describe(text, metric);
	snprintf(reference, sizeof(reference), "#/$defs/%s%s", type_of(metric),
		 metric < TW_COUNTS && tw_count_metrics[metric].directions != TW_ALL ?
			"_of_moves" : "");
	json_object_set_new(inner(schema, "properties"), key,
			    json_pack("{ss, ss}", "$ref", reference, "description", text));
	if (is_required)
		require(schema, key);
}

/* What a schema says of a type. @or_differs: if it can be TW_DIFFERS. */
static const struct {
	const char *keyword, *value, *or_differs;
} fact_types[] = {
	[TW_TEXT] = { "type", "string", NULL },
	[TW_DIRECTION] = { "$ref", "#/$defs/direction", NULL },
	[TW_STATE] = { "$ref", "#/$defs/state", NULL },
	[TW_NUMBER] = { "$ref", "#/$defs/count", "#/$defs/count_or_differs" },
	[TW_DIGITS] = { "$ref", "#/$defs/digits", NULL },
	[TW_FLAG] = { "type", "boolean", "#/$defs/boolean_or_differs" },
	[TW_REAL] = { "type", "number", NULL },
	[TW_NAMES] = { "$ref", "#/$defs/names", "#/$defs/names_or_differs" },
	[TW_NUMBERS] = { "$ref", "#/$defs/numbers", NULL },
	[TW_OBJECT] = { "type", "object", NULL },
	[TW_LIST] = { "type", "array", NULL },
};

static void add_facts(json_t *schema, const struct tw_fact *facts)
{
	json_object_set_new(schema, "type", json_string("object"));
	for (; facts->key; facts++) {
		const unsigned type = facts->type & TW_TYPE;
		json_t *fact = inner(inner(schema, "properties"), facts->key);

		if (facts->type & TW_MUST)
			require(schema, facts->key);
		if (facts->of == tw_facts_of_error)
			json_object_set_new(fact, "$ref", json_string("#/$defs/error"));
		else if (facts->type & TW_MAY_DIFFER)
			json_object_set_new(fact, "$ref",
					    json_string(fact_types[type].or_differs));
		else if (!json_object_get(fact, "enum"))
			json_object_set_new(fact, fact_types[type].keyword,
					    json_string(fact_types[type].value));
		if (facts->of && facts->of != tw_facts_of_error)
			add_facts(type == TW_LIST ? inner(fact, "items") : fact, facts->of);
	}
}

static json_t *load(const char *path)
{
	json_error_t error;
	json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

	if (!json)
		fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
	return json;
}

static int print_schema(const char *path, const char *types_path)
{
	json_t *schema = load(path), *types = load(types_path);
	const int is_report = json_object_get(schema, "else") != NULL;
	int failed = !schema || !types;

	if (!failed) {
		json_object_update(inner(schema, "$defs"), types);
		for (unsigned metric = 0; metric < TW_METRIC_BY_LAT; metric++)
			add_to_schema(schema, metric);
		if (is_report) {
			add_facts(schema, tw_facts_of_report);
			add_facts(inner(inner(schema, "$defs"), "error"), tw_facts_of_error);
		}
		failed = json_dumpf(schema, stdout, JSON_INDENT(2)) || puts("") == EOF;
	}
	json_decref(types);
	json_decref(schema);
	return failed;
}

/* ---- the manual -------------------------------------------------------------- */

/* Print text in roff: a sentence a line. */
static void print_roff(const char *text)
{
	for (; *text; text++)
		if (*text == '-' || *text == '\\')
			printf("\\%s", *text == '-' ? "-" : "e");
		else if (text[0] == ' ' && text[-1] == '.')
			putchar('\n');
		else
			putchar(*text);
	putchar('\n');
}

/* Return 1 if a metric before this one, or a hand-written part, has an item for the first
 * @length bytes of its path. */
static int is_described(unsigned metric, size_t length)
{
	const char *path = tw_metric_path(metric);

	if (strncmp(path, "attached.", length) == 0)
		return 1;
	for (unsigned other = 0; other < metric; other++)
		if (strncmp(tw_metric_path(other), path, length) == 0)
			return 1;
	return 0;
}

/* Return what follows the type of a key: @length bytes of a metric's path. */
static const char *always(const char *path, size_t length)
{
	for (unsigned metric = 0; metric < TW_METRICS; metric++)
		if (tw_metric_is_required(metric) &&
		    strncmp(tw_metric_path(metric), path, length) == 0)
			return ", always";
	return "";
}

static void print_item(unsigned metric)
{
	const char *path = tw_metric_path(metric);
	char text[TEXT_BYTES];

	printf(".TP\n.BR ");
	for (const char *dot = path; (dot = strchr(dot, '.')); dot++)
		if (!is_described(metric, (size_t)(dot - path) + 1))
			printf("%.*s \" (object%s), \" ", (int)(dot - path), path,
			       always(path, (size_t)(dot - path) + 1));
	printf("%s \" (%s%s)\"\n", path, type_of(metric), always(path, strlen(path) + 1));
	describe(text, metric);
	print_roff(text);
}

static int print_items(const char *kind)
{
	const unsigned first[] = { 0, TW_COUNTS, TW_METRIC_TIMES, TW_METRIC_BY_LAT };
	static const char *const kinds[] = { "counts", "scalars", "times" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(kinds[i], kind) != 0)
			continue;
		for (unsigned metric = first[i]; metric < first[i + 1]; metric++)
			print_item(metric);
		return 0;
	}
	fprintf(stderr, "describe: no metrics are %s\n", kind);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "schema") == 0)
		return print_schema(argv[2], argv[3]);
	if (argc == 3 && strcmp(argv[1], "manual") == 0)
		return print_items(argv[2]);
	fprintf(stderr, "describe: schema FILE TYPES, or manual counts|scalars|times\n");
	return 1;
}
