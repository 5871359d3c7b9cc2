/* SPDX-License-Identifier: MIT */
/*
 * Reads lists of CPUs as the kernel writes them, and writes them again. Fails if a
 * range loses an end, or if what is no list is taken for one (a half list would
 * name the wrong CPUs). Fails also if a difference of something unknown is known.
 */
#include <stdio.h>
#include <string.h>

#include "machine/cpus.h"
#include "tap.h"

static void writes(const struct tw_cpu_list *list, const char *should)
{
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	tw_cpu_list_print(list, out);
	fclose(out);
	if (!tap_ok(strcmp(text, should) == 0, "\"%s\"", should))
		tap_note("is \"%s\"", text);
}

static void reads(const char *text, unsigned count, const char *written)
{
	struct tw_cpu_list list;

	tap_ok(tw_cpu_list_parse(&list, text) == 0 && list.known, "read");
	tap_is_u64(tw_cpu_list_count(&list), count, "CPUs");
	writes(&list, written);
}

static void refuses(const char *text)
{
	struct tw_cpu_list list;

	tap_ok(tw_cpu_list_parse(&list, text) < 0 && !list.known &&
	       tw_cpu_list_count(&list) == 0, "refused: \"%.*s\"",
	       (int)strcspn(text, "\n"), text);
}

static void difference(const char *of, const char *without, const char *is)
{
	struct tw_cpu_list a, b, c;

	tw_cpu_list_parse(&a, of);
	tw_cpu_list_parse(&b, without);
	tw_cpu_list_without(&c, &a, &b);
	tap_ok(c.known, "%s without %s is known", of, without);
	writes(&c, is);
	b.known = 0;
	tw_cpu_list_without(&c, &a, &b);
	tap_ok(!c.known && tw_cpu_list_count(&c) == 0, "and not without what");
}

int main(void)
{
	reads("0-1\n", 2, "0-1");
	reads("0-3,8\n", 5, "0-3,8");
	reads("0,2,4-5,63-64,1024\n", 7, "0,2,4-5,63-64,1024");
	reads("8191\n", 1, "8191");
	reads("8190-9000\n", 2, "8190-8191");
	reads("5,0-1", 3, "0-1,5");
	reads("\n", 0, "");
	reads("", 0, "");
	refuses("0-");
	refuses("0,");
	refuses("0,\n");
	refuses(",0");
	refuses("3-1");
	refuses("-1");
	refuses("0-1 x");
	refuses("0-1\n2");
	refuses("all");
	difference("0-7", "2-3,7", "0-1,4-6");
	difference("0-3", "0-64", "");
	return tap_done();
}
