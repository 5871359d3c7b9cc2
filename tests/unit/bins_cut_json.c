/* SPDX-License-Identifier: MIT */
/*
 * Bins are read ahead only where they are plain; anything else leaves all of
 * the text to the JSON library. Fails if a text is cut that the library might
 * read differently, if a number is read wrong, or if the text without bins is
 * not the rest of it.
 */
#include <string.h>

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
	check_zero_byte();
	return tap_done();
}
