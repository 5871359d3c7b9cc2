/* SPDX-License-Identifier: MIT */
/*
 * The headline of a group: the job in one line, a table with the figures of each
 * direction, and facts about device, file, machine and run. Facts that a report
 * does not have are left out.
 */
#include <string.h>
#include <time.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"
#include "machine/processor.h"

#define MAX_FACTS	4	/* of each: devices, files, reports */

static const char *option(const struct tw_report_group *group, const char *name)
{
	return json_string_value(tw_job_option(&group->all.jobs[0], name));
}

/* ---- the job ------------------------------------------------------------- */

/* fio opens the files of a job with trims without O_DIRECT. */
const char *tw_report_caching(const struct tw_report_job *job)
{
	const char *direct = json_string_value(tw_job_option(job, "direct"));
	const char *rw = json_string_value(tw_job_option(job, "rw"));

	return !direct ? NULL : strcmp(direct, "0") && !(rw && strstr(rw, "trimwrite")) ?
	       "direct" : "buffered";
}

enum { RW, SIZE, DIRECT, DEPTH, TRAITS };

/* Return what a job is, in a word; NULL: not known. */
static const char *trait(const struct tw_report_group *group, int i)
{
	switch (i) {
	case RW:
		return option(group, "rw");
	case SIZE:
		return option(group, "bssplit") ?: option(group, "bsrange") ?: option(group, "bs");
	case DIRECT:
		return tw_report_caching(&group->all.jobs[0]);
	}
	return tw_format("iodepth %llu", (unsigned long long)group->all.jobs[0].iodepth);
}

void tw_report_add_shared(struct tw_page *page, const struct tw_report_group *groups,
			  size_t count)
{
	for (int i = groups->all.attached ? TRAITS : 0; i < TRAITS; i++) {
		const char *first = trait(groups, i);
		size_t same = first ? 1 : 0;

		for (; same && same < count; same++) {
			const char *other = trait(&groups[same], i);

			if (!other || strcmp(other, first))
				break;
		}
		if (same == count)
			tw_page_more(page, ", %s", first);
	}
}

/* @title: "" in HTML, which has the title above. */
static void add_job(struct tw_page *page, const struct tw_report_group *group,
		    int is_only_one, const char *title, enum tw_media medium)
{
	tw_page_paragraph(page, "%s", title);
	tw_page_only(page, medium);
	if (group->all.attached) {
		tw_report_add_attached_head(page, group);
		return;
	}
	for (int i = 0; i < TRAITS; i++) {
		const char *text = trait(group, i);

		if (text)
			tw_page_more(page, "%s%s", text, i == DEPTH ? "" : ", ");
	}
	if (group->all.job_count > 1)
		tw_page_more(page, ", %zu jobs", group->all.job_count);
	if (!is_only_one)
		tw_page_more(page, ", group %llu",
			     (unsigned long long)group->all.jobs[0].groupid);
	if (group->run_ns)
		tw_page_more(page, ", %s", TW_SAY_ROUND(group->run_ns));
}

const json_t *tw_report_machine(const struct tw_report *report, const char *host)
{
	json_t *machine;
	size_t i;

	json_array_foreach(report->machines, i, machine)
		if (!strcmp(tw_report_string(machine, "host"), host))
			return machine;
	return NULL;
}

/* ---- figures ------------------------------------------------------------- */

struct tw_table *tw_report_figures(struct tw_page *page, const char *rows, int has_bytes)
{
	const struct tw_column columns[] = {
		{ rows, .width = 5, .flags = TW_COLUMN_LEFT },
		{ "IOPS", .width = 8 }, { "MiB/s", .width = 7 },
		{ "mean lat", .width = 9, .flags = TW_COLUMN_NARROW },
		{ "p50", .width = 8, .flags = TW_COLUMN_NARROW },
		{ "p99", .width = 8, .flags = TW_COLUMN_NARROW },
		{ "p99.9", .width = 8, .flags = TW_COLUMN_NARROW },
		{ "max", .width = 8, .flags = TW_COLUMN_NARROW },
	};
	struct tw_column shown[TW_LENGTH(columns)];

	memcpy(shown, columns, sizeof(columns));
	if (!has_bytes)
		memmove(shown + 2, columns + 3, sizeof(columns) - 3 * sizeof(*columns));
	return tw_page_table(page, shown, TW_LENGTH(columns) - !has_bytes);
}

void tw_report_add_figures_row(struct tw_table *figures, const struct tw_report_group *group,
			       int direction, const char *name)
{
	const struct tw_tally *tally = &group->all.tally;
	const int has_bytes = tw_has(tally, TW_METRIC_bytes);

	tw_table_row(figures);
	tw_cell_text(figures, name);
	tw_report_add_rate(figures, group->run_ns, (double)tally->counts[direction].ios);
	if (has_bytes && direction != TW_SYNC)
		tw_report_add_rate(figures, group->run_ns,
				   (double)tally->counts[direction].bytes / (1 << 20));
	else if (has_bytes)
		tw_cell_none(figures);
	tw_report_add_lat(figures, &tally->times[TW_LAT][direction],
			  (double)tw_tally_time_ios(tally, TW_LAT, direction));
}

void tw_report_add_figures(struct tw_page *page, const struct tw_report_group *group)
{
	struct tw_table *figures = NULL;

	for (int i = 0; i < TW_DIRECTIONS; i++) {
		/* fio's sync at the end is none of the job's. */
		if (!tw_report_shows_direction(group, i) ||
		    (i == TW_SYNC && figures && !group->all.tally.counts[i].ios))
			continue;
		if (!figures)
			figures = tw_report_figures(page, "", tw_has(&group->all.tally,
								     TW_METRIC_bytes));
		tw_report_add_figures_row(figures, group, i, tw_direction_names[i]);
	}
}

/* ---- facts: of devices and files ----------------------------------------- */

/* Add ", " with @before and the value, if the object has this key. */
static void add_text(struct tw_page *page, const json_t *object, const char *key,
		     const char *before)
{
	const char *value = tw_report_string(object, key);

	if (value)
		tw_page_more(page, ", %s%s", before, value);
}

static void add_number(struct tw_page *page, const json_t *object, const char *key,
		       const char *before)
{
	if (json_object_get(object, key))
		tw_page_more(page, ", %s%llu", before,
			     (unsigned long long)tw_report_u64(object, key));
}

static void add_size(struct tw_page *page, const json_t *object, const char *key)
{
	if (json_object_get(object, key))
		tw_page_more(page, ", %s", TW_SAY_BYTES(tw_report_u64(object, key)));
}

/* Add a fact about a device or a file. If there are several hosts, it has its host. */
static void add_fact(struct tw_page *page, const struct tw_report_group *group,
		     const char *label, const char *host, const char *name)
{
	const int with_host = tw_report_other_hosts(group) != 0;

	tw_page_fact(page, label, "%s%s%s", with_host ? host : "", with_host ? ":" : "",
		     name);
}

static void add_device(struct tw_page *page, const struct tw_report_group *group, size_t i,
		       int with_all)
{
	const json_t *device = group->all.devices[i].json;
	const json_t *members = json_object_get(device, "members");
	const char *model = tw_report_string(device, "model");

	add_fact(page, group, i ? "" : "device", group->all.devices[i].host,
		 group->all.devices[i].name);
	if (model)
		tw_page_more(page, " (%s)", model);
	add_size(page, device, "size");
	for (size_t j = 0; j < json_array_size(members); j++)
		tw_page_more(page, "%s %s", j ? " +" : ", of",
			     json_string_value(json_array_get(members, j)));
	add_text(page, device, "scheduler", "");
	if (!with_all)
		return;
	if (json_is_true(json_object_get(device, "rotational")))
		tw_page_more(page, ", rotational");
	add_number(page, device, "nr_requests", "nr_requests ");
	add_number(page, device, "queue_depth", "queue depth ");
	add_text(page, device, "write_cache", "");
}

static void add_file(struct tw_page *page, const struct tw_report_group *group, size_t i)
{
	const json_t *file = json_array_get(group->all.files, i);
	const char *host = tw_report_string(file, "host");
	const char *number = tw_report_string(file, "device");

	add_fact(page, group, i ? "" : "file", host, tw_report_string(file, "path"));
	add_size(page, file, "size");
	add_text(page, file, "filesystem", "");
	for (size_t j = 0; number && group->all.device_count > 1 &&
			   j < group->all.device_count; j++) {
		const struct tw_report_device *device = &group->all.devices[j];

		if (!strcmp(device->number, number) && !strcmp(device->host, host))
			tw_page_more(page, " on %s", device->name);
	}
}

/* Add "and N more": elements of the list that are not shown, and @unlisted
 * ones. Other jobs may have listed some of these. */
static void add_rest(struct tw_page *page, size_t count, uint64_t unlisted, int is_least)
{
	uint64_t more = (count > MAX_FACTS ? count - MAX_FACTS : 0) + unlisted;

	if (more)
		tw_page_more(page, ", and %s%llu more", unlisted && is_least ?
			     "at least " : "", (unsigned long long)more);
}

/* ---- facts: of machine and run ------------------------------------------- */

static void add_machine(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->all.jobs[0];
	const json_t *machine = tw_report_machine(&group->all, job->host);
	const char *hypervisor = tw_report_string(machine, "hypervisor");

	tw_page_fact(page, "machine", "%s", job->host);
	if (tw_report_other_hosts(group))
		tw_page_more(page, " and %zu more", tw_report_other_hosts(group));
	add_text(page, machine, "cpu", "");
	if (json_object_get(machine, "cpus"))
		tw_page_more(page, ", %s",
			     TW_SAY_COUNT(tw_report_u64(machine, "cpus"), "CPU[s]"));
	if (hypervisor)
		tw_page_more(page, ", guest of %s", tw_hypervisor_name(hypervisor));
	add_text(page, machine, "kernel", "Linux ");
	add_text(page, machine, "governor", "governor ");
	add_text(page, machine, "clocksource", "clocksource ");
}

static void add_options(struct tw_page *page, const struct tw_report_group *group)
{
	json_t *options = tw_job_options(&group->all.jobs[0]), *other, *value;
	const char *name, *between, *of = "";
	uint64_t more = tw_report_u64(group->all.jobs[0].json, "options_left_out");

	if (json_object_size(options) == 0) {
		json_decref(options);
		return;
	}
	for (size_t i = 1; i < group->all.job_count && !*of; i++) {
		other = tw_job_options(&group->all.jobs[i]);
		if (!json_equal(other, options))
			of = "of the first job";
		json_decref(other);
	}
	between = *of ? ": " : "";
	tw_page_fact(page, "options", "%s", of);
	json_object_foreach(options, name, value) {
		const char *text = json_string_value(value);

		tw_page_more(page, "%s%s%s%s", between, name, *text ? "=" : "", text);
		between = " ";
	}
	if (more)
		tw_page_more(page, ", and %llu more", (unsigned long long)more);
	json_decref(options);
}

/* Is this the first job of its file? */
static int is_first_of_file(const struct tw_report_group *group, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (group->all.jobs[j].path == group->all.jobs[i].path)
			return 0;
	return 1;
}

/* Add the names of the first reports. There can be a thousand. */
static void add_reports(struct tw_page *page, const struct tw_report_group *group)
{
	struct tw_growing_text names = { .length = 0 };
	size_t files = 0;

	for (size_t i = 0; i < group->all.job_count; i++) {
		const struct tw_report_job *job = &group->all.jobs[i];

		if (is_first_of_file(group, i) && ++files <= MAX_FACTS)
			tw_append_format(&names, "%s%s", files > 1 ? ", " : "", job->path);
		if (job->intervals && files <= MAX_FACTS)
			tw_append_format(&names, " with %s", job->intervals);
	}
	tw_page_fact(page, files == 1 ? "report" : "reports", "%s",
		     names.length ? names.bytes : "");
	if (files > MAX_FACTS)
		tw_page_more(page, ", and %zu more", files - MAX_FACTS);
}

/* Add what ran, with which options, and where the reports are. */
static void add_run(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->all.jobs[0];
	const time_t start = (time_t)(job->start_ns / TW_NS_PER_SECOND);
	char date[64];
	struct tm tm;

	/* 64 bits of nanoseconds end in the year 2554. */
	strftime(date, sizeof(date), "%F %T UTC", gmtime_r(&start, &tm));
	tw_page_fact(page, "run", "%s, %s, engine %s", date, job->fio_version, job->engine);
	add_options(page, group);
	add_reports(page, group);
}

void tw_report_add_headline(struct tw_page *page, const struct tw_report_group *group,
			    int is_only_one, unsigned with)
{
	const unsigned rest = tw_report_rest(with);
	const size_t devices = group->all.device_count;
	const size_t files = json_array_size(group->all.files);

	add_job(page, group, is_only_one, tw_format("%s: ", tw_report_title(&group, 1)),
		TW_IN_TEXT);
	add_job(page, group, 1, "", TW_IN_HTML);
	tw_report_add_steady(page, group, "");
	tw_report_add_figures(page, group);
	if (with & TW_REPORT_WITH_HTML)
		tw_report_add_bars(page, group);
	for (size_t i = 0; i < devices && i < MAX_FACTS; i++)
		add_device(page, group, i, rest & TW_IN_TEXT);
	add_rest(page, devices, 0, 0);
	for (size_t i = 0; i < files && i < MAX_FACTS; i++)
		add_file(page, group, i);
	add_rest(page, files, group->all.tally.scalars.files_left_out,
		 group->all.job_count > 1);
	tw_page_begin_only(page, rest);
	if (!group->all.attached || tw_report_machine(&group->all, group->all.jobs[0].host))
		add_machine(page, group);
	if (!group->all.attached)
		add_run(page, group);
	tw_page_begin_only(page, TW_IN_ALL);
}
