/* SPDX-License-Identifier: MIT */
/*
 * Bins are read ahead only where they are plain; anything else leaves all of
 * the text to the JSON library. Fails if a text is cut that the library might
 * read differently, if a number is read wrong, or if the text without bins is
 * not the rest of it.
 *
 * By hand, and then by force (every_byte.h).
 */
#include <jansson.h>
#include <string.h>

#include "every_byte.h"
#include "latency/bins_json.h"
#include "tap.h"
#include "written_json.h"

static void cuts(const char *written, const char *rest, uint64_t sum)
{
	char text[512], wanted[512], name[512];
	struct tw_bins_table table;
	uint64_t all = 0;
	int error = tw_bins_cut(text_of(written, text), strlen(written),
				&table);

	for (size_t i = 0; table.objects && i < table.first[table.objects]; i++)
		for (int j = 0; j < 2; j++)
			all += table.bins[i][j];
	if (!tap_ok(!error && table.text && all == sum &&
		    strlen(table.text) == table.length &&
		    strcmp(table.text, text_of(rest, wanted)) == 0, "%s",
		    name_of(written, name)))
		tap_note("%s, %" PRIu64, table.text ? table.text : "none", all);
	tw_bins_free(&table);
}

static void leaves(const char *written)
{
	char text[512], before[512];
	struct tw_bins_table table;
	int error = tw_bins_cut(text_of(written, text), strlen(written),
				&table);

	tap_ok(!error && !table.text && !table.bins && !table.objects &&
	       strcmp(text, text_of(written, before)) == 0, "left as it is: %s",
	       written);
	tw_bins_free(&table);
}

#define PLAIN								\
	"{\"a\": \"bins\", \"bins\": {\"7\": 1, \"12\" :30,\n\"100\":2},"	\
	"\"b\": {\"bins\" : { \"0\" : 1 } , \"c\": {\"bins\": {}}}}\n"

/* The bins at @at in the table, and what the library reads. */
static int same_bins(const struct tw_bins_table *table, json_int_t at,
		     const json_t *object)
{
	const uint64_t (*bin)[2] = (const uint64_t (*)[2])table->bins +
				   table->first[at];
	size_t count = table->first[at + 1] - table->first[at];
	int same = json_object_size(object) == count;

	for (size_t i = 0; i < count; i++) {
		char key[24];

		snprintf(key, sizeof(key), "%" PRIu64, bin[i][0]);
		same &= json_integer_value(json_object_get(object, key)) ==
			(json_int_t)bin[i][1];
	}
	return same;
}

/* @rest has numbers of the table where @whole has bins. */
static int same_but_bins(const struct tw_bins_table *table, json_t *whole,
			 json_t *rest)
{
	int same = json_object_size(whole) == json_object_size(rest);
	const char *key;
	json_t *left;

	json_object_foreach(rest, key, left) {
		json_t *value = json_object_get(whole, key);

		if (strcmp(key, "bins") == 0 && json_is_integer(left))
			same &= same_bins(table, json_integer_value(left),
					  value);
		else if (json_is_object(left) && json_is_object(value))
			same &= same_but_bins(table, value, left);
		else
			same &= json_equal(value, left);
	}
	return same;
}

/* Does the library read it as it was read here? */
static int agrees(const char *text, unsigned *cuts)
{
	json_t *whole = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	json_t *rest = NULL;
	struct tw_bins_table table;
	int same = !tw_bins_cut(text, strlen(text), &table);

	if (table.text) {
		rest = json_loadb(table.text, table.length,
				  JSON_REJECT_DUPLICATES, NULL);
		same &= !rest == !whole;
	}
	if (whole && rest) {
		same &= same_but_bins(&table, whole, rest);
		++*cuts;
	}
	json_decref(whole);
	json_decref(rest);
	tw_bins_free(&table);
	return same;
}

/* More objects and more bins than any first allocation holds. */
static void check_many(void)
{
	enum { OBJECTS = 300, BINS = 300 };
	char *text = malloc(OBJECTS * (BINS * 24 + 32)), *at = text;
	struct tw_bins_table table;
	int good = 1;

	at += sprintf(at, "[");
	for (unsigned i = 0; i < OBJECTS; i++) {
		at += sprintf(at, "{\"bins\":{");
		for (unsigned j = 0; j < BINS; j++)
			at += sprintf(at, "%s\"%u\":%u", j ? "," : "", j, i);
		at += sprintf(at, "}},");
	}
	strcpy(at, "{}]");
	if (!tap_ok(!tw_bins_cut(text, strlen(text), &table) &&
		    table.objects == OBJECTS, "%d objects", OBJECTS))
		return;
	for (unsigned i = 0; i < OBJECTS; i++)
		for (unsigned j = 0; j < BINS; j++) {
			const uint64_t *bin = table.bins[table.first[i] + j];

			good &= bin[0] == j && bin[1] == i;
		}
	tap_ok(good && table.first[OBJECTS] == OBJECTS * BINS,
	       "of %d bins, each where it belongs", BINS);
	tw_bins_free(&table);
	free(text);
}

/* A 0 byte ends no JSON text; behind it could be anything. */
/* From some on, their numbers would be longer than what they stand for. */
static void check_too_many(void)
{
	enum { OBJECTS = 100001 };
	static const char object[] = "{\"bins\":{\"1\":2}},";
	const size_t size = sizeof(object) - 1;
	char *text = malloc(OBJECTS * size + 2), *at = text;
	struct tw_bins_table table;

	*at++ = '[';
	for (unsigned i = 0; i < OBJECTS; i++, at += size)
		memcpy(at, object, size);
	at[-1] = ']';
	*at = '\0';
	tap_ok(!tw_bins_cut(text, strlen(text), &table) && !table.text,
	       "left as it is: %d objects", OBJECTS);
	tw_bins_free(&table);
	/* Without the last one: {"bins":0} to {"bins":99999} */
	at[-1 - (int)size] = ']';
	at[-(int)size] = '\0';
	tap_ok(!tw_bins_cut(text, strlen(text), &table) && table.text &&
	       strcmp(table.text + table.length - 16,
		      ",{\"bins\":99999}]") == 0, "read: one less");
	tw_bins_free(&table);
	free(text);
}

static void check_zero_byte(void)
{
	char text[] = "{\"bins\": {\"1\": 2}}\0{\"bins\": {\"1\": 2}}";
	struct tw_bins_table table;

	tap_ok(!tw_bins_cut(text, sizeof(text) - 1, &table) && !table.text,
	       "left as it is: a text with a 0 byte");
	tw_bins_free(&table);
}

int main(void)
{
	cuts("{'bins': {'1': 2}}", "{'bins': 0}", 3);
	cuts("{'bins':{'1':2,'3':4},'x':1}", "{'bins':0,'x':1}", 10);
	cuts(" {'bins'\n:\t{ '0' : 1 ,\r\n'1':0 } } ", " {'bins'\n:\t0 } ", 2);
	cuts("[{'bins': {'1': 1}}, {'bins': {}}, {'bins': {'1': 2}}]",
	     "[{'bins': 0}, {'bins': {}}, {'bins': 1}]", 5);
	cuts("{'bins': {'999999999999999999': 1}}", "{'bins': 0}",
	     1000000000000000000);
	cuts("{'x': 'bins\\': {'1':2}', 'bins': {'1':2}}",
	     "{'x': 'bins\\': {'1':2}', 'bins': 0}", 3);
	cuts("{'cabins': {'1':2}, 'bins': {'1':2}}",
	     "{'cabins': {'1':2}, 'bins': 0}", 3);
	cuts("{'bins2': {'1':2}, 'bins': {'1':2}}",
	     "{'bins2': {'1':2}, 'bins': 0}", 3);

	leaves("");
	leaves("{}");
	leaves("'bins'");
	leaves("{'bins'");
	leaves("{'bins':");
	leaves("{'bins': {");
	leaves("{'bins': {'");
	leaves("{'bins': {'1");
	leaves("{'bins': {'1'");
	leaves("{'bins': {'1':");
	leaves("{'bins': {'1':2");
	leaves("{'bins': {'1':2,");
	leaves("{'bins': {'1':2,}}");
	leaves("{'bins': {'1':2]}");
	leaves("{'bins': {'1':2}3}");
	leaves("{'bins': {'1':2} 'x': 3}");
	leaves("{'bins': {'1':2}");
	leaves("{'bins': {'1' 2}}");
	leaves("{'bins': {'1'}}");
	leaves("{'bins': {}}");
	leaves("{'bins': {1:2}}");
	leaves("{'bins': {'':2}}");
	leaves("{'bins': {' 1':2}}");
	leaves("{'bins': {'1 ':2}}");
	leaves("{'bins': {'-1':2}}");
	leaves("{'bins': {'+1':2}}");
	leaves("{'bins': {'01':2}}");
	leaves("{'bins': {'1.0':2}}");
	leaves("{'bins': {'1e0':2}}");
	leaves("{'bins': {'\\u0031':2}}");
	leaves("{'bins': {'1':-2}}");
	leaves("{'bins': {'1':02}}");
	leaves("{'bins': {'1':2.0}}");
	leaves("{'bins': {'1':'2'}}");
	leaves("{'bins': {'1':{'2':3}}}");
	leaves("{'bins': {'1000000000000000000':2}}");
	leaves("{'bins': {'1':1000000000000000000}}");
	leaves("{'bins': {'1':2, '1':2}}");
	leaves("{'bins': {'2':2, '1':2}}");
	leaves("{'bins': [[1,2,3]]}");
	leaves("{'bins': {'1':2}, 'y': {'bins': 0}}");
	leaves("{'bins': {'1':2}, 'y': {'bins': '0'}}");
	leaves("{'bins': {'1':2}, 'y': {'b\\u0069ns': 0}}");
	leaves("{'bins': {'1':2}, 'y': 'no end");
	leaves("{'bins': {'1':2}, 'y': 'no end\\");
	check_many();
	check_too_many();
	check_zero_byte();
	check_every_byte(PLAIN, agrees);
	return tap_done();
}
