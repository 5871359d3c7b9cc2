/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile --against`: the two side by side, for people and as JSON.
 */
#include "command/output/format.h"
#include "command/output/json_text.h"
#include "command/profile/against.h"

static void print_head(const struct profile_against *against)
{
	struct tw_paragraph text = { 0 };

	tw_paragraph_printf(&text, "%s: %lu samples of %s; %lu of functions in "
			    "the profile, %lu of others", against->path,
			    against->samples, against->event,
			    against->in_functions, against->in_others);
	tw_paragraph_printf(&text, "and %lu of the kernel, which are left out.",
			    against->in_kernel);
	if (!against->has_chains)
		tw_paragraph_add(&text, "They have no call chains (perf record "
				 "-g): time in the C library and the kernel is "
				 "its callers' in the profile, and is missing "
				 "in the samples.");
	if (against->other_events)
		tw_paragraph_add(&text, "The file has other events, which are "
				 "not looked at.");
	tw_paragraph_end(&text);
	putchar('\n');
}

static void print_row(const struct against_row *row)
{
	printf("%8.3f %7.3f %9.3f %7.3f %+8.3f %c%c %9lu  %s\n",
	       100 * row->ours, 100 * row->ours_uncertainty,
	       100 * row->sampled.share, 100 * row->sampled.error,
	       100 * (row->sampled.share - row->ours),
	       row->beyond ? '!' : ' ', row->sampled.correlated ? '~' : ' ',
	       row->sampled.samples, row->name);
}

void tw_profile_print_against(const struct profile_against *against,
			      unsigned top)
{
	size_t beyond = 0, correlated = 0;

	print_head(against);
	printf("%8s %7s %9s %7s %8s %2s %9s  %s\n", "profile", "+-", "sampled",
	       "+-", "off", "", "samples", "function, of all selves in %");
	for (size_t i = 0; i < against->row_count; i++) {
		beyond += (size_t)against->rows[i].beyond;
		correlated += (size_t)against->rows[i].sampled.correlated;
		if (!top || i < top)
			print_row(&against->rows[i]);
	}
	if (top && against->row_count > top)
		printf("... %zu more (--top=0 shows all)\n",
		       against->row_count - top);
	printf("\n! %zu of %zu functions differ by more than the profile's +- "
	       "and 3 errors of sampling\n", beyond, against->row_count);
	printf("~ the samples of %zu come in runs: the error is from %d parts "
	       "of the run, not\n  from their number; it is too large where the "
	       "program does one thing after the\n  other\n", correlated,
	       TW_SHARE_BLOCKS);
}

static json_t *row_object(const struct against_row *row)
{
	return json_pack("{s:s, s:f, s:f, s:f, s:f, s:I, s:b, s:b}",
			 "name", row->name, "share", row->ours,
			 "uncertainty", row->ours_uncertainty,
			 "sampled_share", row->sampled.share,
			 "sampling_error", row->sampled.error,
			 "samples", (json_int_t)row->sampled.samples,
			 "correlated", row->sampled.correlated,
			 "beyond", row->beyond);
}

json_t *tw_profile_against_json(const struct profile_against *against)
{
	json_t *functions = json_array();

	for (size_t i = 0; i < against->row_count; i++)
		json_array_append_new(functions, row_object(&against->rows[i]));
	return json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:b, s:o}",
			 "file", tw_json_text(against->path), "event", against->event,
			 "samples", (json_int_t)against->samples,
			 "in_functions", (json_int_t)against->in_functions,
			 "in_others", (json_int_t)against->in_others,
			 "in_kernel", (json_int_t)against->in_kernel,
			 "call_chains", against->has_chains,
			 "functions", functions);
}
