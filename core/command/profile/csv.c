/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile --csv`: a line for each function (RFC 4180).
 */
#include "command/profile/profile.h"

static void print_quoted(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

static void print_time(const struct profile_file *file,
		       const struct profile_time *time)
{
	printf(",%.3f,%.3f,%.3f", profile_ns(file, time->raw_ticks),
	       profile_ns(file, time->ticks),
	       profile_ns(file, time->uncertainty_ticks));
}

void tw_profile_print_csv(const struct profile_file *file,
			  const struct profile_result *result)
{
	puts("function,object,calls,not_timed,abandoned,not_returned,"
	     "self_raw_ns,self_ns,self_uncertainty_ns,inclusive_raw_ns,"
	     "inclusive_ns,inclusive_uncertainty_ns,least_ns,most_ns,"
	     "below_resolution");
	for (size_t i = 0; i < result->function_count; i++) {
		const struct profile_function *it = &result->functions[i];

		print_quoted(it->name);
		putchar(',');
		print_quoted(it->object);
		printf(",%lu,%lu,%lu,%lu", it->calls, it->not_timed,
		       it->abandoned, it->open);
		print_time(file, &it->self);
		print_time(file, &it->inclusive);
		printf(",%.3f,%.3f,%d\n",
		       profile_ns(file, (double)it->least_ticks),
		       profile_ns(file, (double)it->most_ticks),
		       tw_profile_below_resolution(&it->self));
	}
}
