/* SPDX-License-Identifier: MIT */
/*
 * The slowest I/Os on a report's page: each with its operation, its time, and
 * its stages. Text has a few of them, with their longest stages, as there is no
 * room for more.
 */
#include <string.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"
#include "latency/histogram_json.h"

#define MAX_IN_TEXT	5
#define MAX_IN_HTML	100	/* the JSON has all */
#define MAX_STALLS	3	/* in text; without --all one whose reason is known */

void tw_report_add_when(struct tw_page *page, const struct tw_report *report,
			const struct tw_report_job *job, uint64_t monotonic_ns)
{
	const double s = tw_report_since_start(report, job, monotonic_ns);

	if (s >= 0)
		tw_page_more(page, "%.3f s", s);
	else
		tw_page_more(page, "%llu ns of CLOCK_MONOTONIC",
			     (unsigned long long)monotonic_ns);
}

/* ---- the longest stages ---------------------------------------------------- */

/* In percent of lat; shorter stages are not named. */
#define MIN_PERCENT	5
#define MAX_STAGES	34	/* columns of text */

/* Return the first of the longest stages; NULL: none has MIN_PERCENT of lat. */
static struct tw_report_slow_stage *longest(struct tw_report_slow_stage *list, int count,
					    uint64_t lat_ns)
{
	struct tw_report_slow_stage *most = list;

	for (int i = 1; i < count; i++)
		if (list[i].ns > most->ns)
			most = &list[i];
	return lat_ns && count && (double)most->ns * 100 >= MIN_PERCENT * (double)lat_ns ?
	       most : NULL;
}

/* Return the two longest stages with their parts of lat, or the longest alone if
 * a line has no room for both. */
static const char *longest_stages(const struct tw_report_slow *slow)
{
	struct tw_report_slow_stage list[TW_STAGES], *stage;
	int count = tw_report_slow_stages(slow->json, list);
	const char *text = "";

	for (int i = 0; i < 2 && (stage = longest(list, count, slow->lat_ns)); i++) {
		const char *more = tw_format("%s%s%s %.0f %%", text, i ? ", " : "", stage->name,
					     100 * (double)stage->ns / (double)slow->lat_ns);

		if (i && strlen(more) > MAX_STAGES)
			break;
		text = more;
		stage->ns = 0;
	}
	return text;
}

/* ---- tables ------------------------------------------------------------------ */

enum kind { LAT, RW, AT, NUMBER, OFFSET, SIZE, LONGEST, IN_FILE, CALL, WHY, MONOTONIC,
	    RAW, TICKS, DISK, STAGES };

/* The number is that of the ring in a report of `tickwise attach`, else of the job. */
static const struct column {
	struct tw_column is;
	enum kind kind;
} in_text[] = {
	{ { "lat", .width = 8 }, LAT }, { { "at, s", .width = 9 }, AT },
	{ { "job", .width = 3 }, NUMBER }, { { "rw", .flags = TW_COLUMN_LEFT }, RW },
	{ { .heading = "bytes" }, SIZE }, { { "at offset", .width = 10 }, OFFSET },
	{ { "longest stages", .flags = TW_COLUMN_LEFT }, LONGEST },
	{ { "last disk", .flags = TW_COLUMN_LEFT }, DISK },
	{ { "file", .width = 10, .flags = TW_COLUMN_BELOW }, IN_FILE },
	{ { "why", .width = 10, .flags = TW_COLUMN_BELOW }, WHY },
}, in_html[] = {
	{ { .heading = "lat" }, LAT }, { { "rw", .flags = TW_COLUMN_LEFT }, RW },
	{ { .heading = "at, s" }, AT }, { { .heading = "offset" }, OFFSET },
	{ { .heading = "size" }, SIZE }, { { .heading = NULL }, STAGES },
	{ { .heading = "submitting call" }, CALL },
	{ { "last disk", .flags = TW_COLUMN_LEFT }, DISK },
	{ { "file", .flags = TW_COLUMN_BELOW }, IN_FILE },
	{ { "why", .flags = TW_COLUMN_LEFT }, WHY }, { { .heading = "job" }, NUMBER },
	{ { .heading = "MONOTONIC, ns" }, MONOTONIC }, { { .heading = "RAW, ns" }, RAW },
	{ { .heading = "ticks" }, TICKS },
};

/* What a kind of column has: the key of a string or of a time. */
static const char *const keys[STAGES] = {
	[CALL] = "submitting_call_ns", [MONOTONIC] = "monotonic_ns",
	[RAW] = "raw_ns", [TICKS] = "ticks", [DISK] = "disk",
};

struct table {
	const struct tw_report_group *group;
	struct tw_column columns[TW_LENGTH(in_html) + TW_STAGES];
	int kinds[TW_LENGTH(in_html) + TW_STAGES];	/* enum kind; from STAGES on, a stage */
	size_t count;
};

static double since_start(const struct tw_report_group *group, const struct tw_report_slow *slow)
{
	return tw_report_since_start(&group->all, tw_report_job_of(group, slow),
				     tw_report_u64(slow->json, "monotonic_ns"));
}

/* Does any of the I/Os have something for a column? */
static int any_has(const struct tw_report_group *group, int kind, size_t count)
{
	if (kind != AT && kind != CALL && kind != WHY && kind != DISK && kind < STAGES)
		return 1;
	for (size_t i = 0; i < count; i++) {
		const struct tw_report_slow *slow = &group->all.slowest[i];

		if (kind == AT ? since_start(group, slow) >= 0 :
		    kind == WHY ? tw_report_say_cause(slow->json) != NULL :
		    kind < STAGES ? json_object_get(slow->json, keys[kind]) != NULL :
		    json_object_get(json_object_get(slow->json, "stages"),
				    tw_time_metrics[kind - STAGES].name) != NULL)
			return 1;
	}
	return 0;
}

/* Add a column, unless none of the first I/Os has anything for it. */
static void add_column(struct table *table, struct tw_column is, int kind, size_t count)
{
	if (!any_has(table->group, kind, count) ||
	    (kind == IN_FILE && !table->group->all.attached))
		return;
	if (kind == NUMBER && table->group->all.attached)
		is.heading = "ring";
	table->columns[table->count] = is;
	table->kinds[table->count++] = kind;
}

static void add_cell(struct tw_table *table, const struct tw_report_group *group,
		     const struct tw_report_slow *slow, int kind, enum tw_media medium)
{
	const json_t *json = slow->json;
	const json_t *stages = json_object_get(json, "stages");
	const char *direction = tw_report_string(json, "ddir");
	const char *file = tw_report_string(json, "file");
	const char *why;
	uint64_t ns = 0;

	if (kind == LAT) {
		tw_cell_ns(table, (double)slow->lat_ns);
	} else if (kind == RW) {
		tw_cell_text(table, direction);
	} else if (kind == IN_FILE) {
		tw_cell_text(table, file ? file : "?");
	} else if (kind == AT && since_start(group, slow) >= 0) {
		tw_cell_fixed(table, since_start(group, slow), 6);
	} else if (kind == NUMBER && group->all.attached && !tw_report_u64(json, "ring")) {
		tw_cell_none(table);	/* a call */
	} else if (kind == NUMBER) {
		tw_cell_u64(table, group->all.attached ? tw_report_u64(json, "ring") :
			    tw_report_job_of(group, slow)->thread_number);
	} else if ((kind == OFFSET || kind == SIZE) &&
		   (strcmp(direction, tw_direction_names[TW_SYNC]) ||
		    tw_report_u64(json, "size"))) {
		/* A sync of a whole file has neither: its offset is that of the write
		 * before. */
		tw_cell_u64(table, tw_report_u64(json, kind == SIZE ? "size" : "offset"));
	} else if (kind == LONGEST) {
		tw_cell_text(table, longest_stages(slow));
	} else if (kind == WHY) {
		why = tw_report_say_cause(json);
		tw_cell_text(table, why ? why : medium == TW_IN_TEXT ? "" : "-");
	} else if (kind == CALL || kind >= STAGES) {
		const json_t *of = kind == CALL ? json_object_get(json, keys[CALL]) :
			json_object_get(stages, tw_time_metrics[kind - STAGES].name);
		const int is_known = !tw_json_to_u64(of, &ns);

		tw_report_add_ns(table, is_known, (double)ns);
	} else if (kind >= MONOTONIC && tw_report_string(json, keys[kind])) {
		tw_cell_text(table, tw_report_string(json, keys[kind]));
	} else {
		tw_cell_none(table);
	}
}

/* Add the first @shown I/Os. A column in text needs one of these, in HTML one of all. */
static void add_ios(struct tw_page *page, const struct tw_report_group *group, size_t shown,
		    enum tw_media medium)
{
	const struct column *columns = medium == TW_IN_TEXT ? in_text : in_html;
	const size_t count = medium == TW_IN_TEXT ? TW_LENGTH(in_text) : TW_LENGTH(in_html);
	const size_t of = medium == TW_IN_TEXT ? shown : group->all.slow_count;
	struct table table = { .group = group };
	struct tw_table *into;

	for (size_t i = 0; i < count; i++)
		if (columns[i].kind != STAGES)
			add_column(&table, columns[i].is, (int)columns[i].kind, of);
		else
			for (int j = 0; j < TW_STAGES; j++)
				add_column(&table, (struct tw_column) {
					.heading = tw_time_metrics[j].name }, STAGES + j, of);
	into = tw_page_table(page, table.columns, table.count);
	tw_page_only(page, medium);
	for (size_t i = 0; i < shown; i++) {
		tw_table_row(into);
		for (size_t j = 0; j < table.count; j++)
			add_cell(into, group, &group->all.slowest[i], table.kinds[j],
				 medium);
	}
}

/* ---- stalls -------------------------------------------------------------------- */

/* Return: why is known. */
static int add_stall(struct tw_page *page, const struct tw_report_group *group,
		      const struct tw_report_stall *stall)
{
	const char *why = tw_report_say_stall(stall);

	tw_page_remark(page, "stall of %s at ", TW_SAY_NS(stall->ns));
	tw_report_add_when(page, &group->all, tw_report_job_of(group, stall->slowest),
			   stall->from_ns);
	tw_page_more(page, ": %zu I/Os", stall->ios);
	if (stall->job_count > 1)
		tw_page_more(page, " of %zu%s jobs", stall->job_count,
			     stall->more_jobs ? " or more" : "");
	tw_page_more(page, " in %s%s", stall->stage,
		     !strcmp(stall->stage, "kernel") && group->all.tally.scalars.every > 1 ?
		     " (not sampled)" : "");
	if (why)
		tw_page_more(page, "; %s", why);
	return why != NULL;
}

/* Say what following threads cost. All jobs of a run share the programs, so the job that saw
 * them for the longest time speaks for them. */
static void add_follow_cost(struct tw_page *page, const struct tw_report_group *group)
{
	const json_t *cost = NULL, *cpus, *most = NULL;
	double over_ns = 0, sum_ns = 0;

	for (size_t i = 0; i < group->all.job_count; i++) {
		const json_t *of = group->all.jobs[i].follow_cost;

		if (of && (double)tw_report_u64(of, "over_ns") > over_ns) {
			cost = of;
			over_ns = (double)tw_report_u64(of, "over_ns");
		}
	}
	cpus = json_object_get(cost, "cpus");
	for (size_t i = 0; i < json_array_size(cpus); i++) {
		const json_t *cpu = json_array_get(cpus, i);

		sum_ns += (double)tw_report_u64(cpu, "ns");
		if (!most || tw_report_u64(cpu, "ns") > tw_report_u64(most, "ns"))
			most = cpu;
	}
	if (most)
		tw_page_remark(page, "following threads took %.2f %% of CPU %llu, and %.2f %% of "
			       "a CPU on average, without entering the programs",
			       100 * (double)tw_report_u64(most, "ns") / over_ns,
			       (unsigned long long)tw_report_u64(most, "cpu"),
			       100 * sum_ns / over_ns / (double)json_array_size(cpus));
}

/* Return of which I/Os they are the slowest, if only the lat of chosen I/Os is known. */
static const char *of_chosen(const struct tw_tally *tally)
{
	uint64_t chosen = 0;
	int some = 0;

	for (int i = 0; i < TW_DIRECTIONS; i++) {
		chosen += tw_tally_chosen(tally, i);
		some |= tw_tally_is_of_chosen(tally, TW_LAT, i);
	}
	return some ? tw_format(", of %s", TW_SAY_COUNT(chosen, "chosen I/O[s]")) : "";
}

void tw_report_add_slowest(struct tw_page *page, const struct tw_report_group *group,
			   unsigned with)
{
	const size_t all = group->all.slow_count;
	const size_t in_text_shown = all < MAX_IN_TEXT ? all : MAX_IN_TEXT;
	const size_t in_html_shown = all < MAX_IN_HTML ? all : MAX_IN_HTML;
	const char *why_not = NULL, *of = of_chosen(&group->all.tally);
	/* The plots over time have the stalls. */
	const unsigned html = tw_report_windows(group) ? 0 : TW_IN_HTML;
	int shown = 0, is_known, is_in_text;

	if (all == 0)
		return;
	if (with & TW_REPORT_WITH_ALL) {
		tw_page_heading(page, 3, "slowest I/Os by their lat%s (%zu of %zu; all with "
				"--json, --html)", of, in_text_shown, all);
		tw_page_only(page, TW_IN_TEXT);
		add_ios(page, group, in_text_shown, TW_IN_TEXT);
	}
	if (with & TW_REPORT_WITH_HTML) {
		tw_page_heading(page, 3, "slowest I/Os by their lat%s", of);
		tw_page_only(page, TW_IN_HTML);
		tw_page_details(page, "%zu of %zu", in_html_shown, all);
		tw_page_note(page, "Offsets and sizes in bytes; CLOCK_MONOTONIC, "
			     "CLOCK_MONOTONIC_RAW and the counter's ticks where lat begins.");
		add_ios(page, group, in_html_shown, TW_IN_HTML);
		tw_page_end_details(page);
	}
	for (size_t i = 0; i < group->stall_count; i++) {
		if (group->stalls[i].ios < 2)
			continue;
		is_known = add_stall(page, group, &group->stalls[i]);
		is_in_text = shown < MAX_STALLS &&
			     (with & TW_REPORT_WITH_ALL || (!shown && is_known));
		tw_page_only(page, html | (is_in_text ? TW_IN_TEXT : 0));
		shown++;
	}
	/* The first job that was to be followed and was not. */
	for (size_t i = 0; i < group->all.job_count && !why_not; i++)
		why_not = group->all.jobs[i].not_followed;
	if (why_not)
		tw_page_remark(page, "causes: not known: %s", why_not);
	tw_page_begin_only(page, tw_report_rest(with));
	add_follow_cost(page, group);
	tw_page_begin_only(page, TW_IN_ALL);
}
