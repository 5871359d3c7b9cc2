/* SPDX-License-Identifier: MIT */
/*
 * The headline of a group: the job in one line, tiles with the figures of each
 * direction, and facts about device, file, machine and run. Facts that a report
 * does not have are left out; reports of older engines have few.
 */
#include "command/report/headline.h"

#include <string.h>
#include <time.h>

#include "command/memory.h"
#include "command/output/format.h"
#include "command/output/table.h"
#include "command/report/lat_cells.h"
#include "command/reports/attached.h"
#include "command/reports/facts.h"
#include "command/reports/merge.h"
#include "machine/hypervisor.h"
#include "report/want.h"

#define MAX_FACTS	4	/* in text, of each: devices, files, reports */

static const char *option(const struct tw_report_group *group, const char *name)
{
	const json_t *options = group->members[0]->facts.options;

	return json_string_value(json_object_get(options, name));
}

/* ---- the job ------------------------------------------------------------- */

static void add_block_size(struct tw_page *page, const struct tw_report_group *group)
{
	static const char *const names[] = { "bssplit", "bsrange", "bs" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = option(group, names[i]);

		if (!value)
			continue;
		tw_page_more(page, "%s %s, ", names[i], value);
		return;
	}
}

static void add_job(struct tw_page *page, const struct tw_report_group *group,
		    int is_only_one)
{
	const struct tw_report_job *job = &group->members[0]->job;
	const char *rw = option(group, "rw"), *direct = option(group, "direct");
	char run[TW_FORMAT_SIZE];

	if (rw)
		tw_page_more(page, "%s, ", rw);
	add_block_size(page, group);
	if (direct)
		tw_page_more(page, "%s, ", strcmp(direct, "0") ? "direct" : "buffered");
	tw_page_more(page, "iodepth %llu", (unsigned long long)job->iodepth);
	if (group->size > 1)
		tw_page_more(page, ", %zu jobs", group->size);
	if (!is_only_one)
		tw_page_more(page, ", group %llu", (unsigned long long)job->groupid);
	if (group->run_ns)
		tw_page_more(page, ", %s", tw_format_ns(run, (double)group->run_ns));
}

/* Add the first line. In HTML the heading above has the name. */
static void add_first_line(struct tw_page *page, const struct tw_report_group *group,
			   int is_only_one, enum tw_media medium)
{
	tw_page_paragraph(page, "%s%s", medium == TW_IN_TEXT ?
			  group->members[0]->job.name : "",
			  medium == TW_IN_TEXT ? ": " : "");
	tw_page_only(page, medium);
	if (tw_report_is_attached(group))
		tw_report_add_attached_head(page, group);
	else
		add_job(page, group, is_only_one);
}

/* ---- tiles --------------------------------------------------------------- */

/* Add a rate: per second of the longest job. This is the group's rate, not the
 * device's. */
static void add_rate(struct tw_table *tiles, const struct tw_report_group *group,
		     double value)
{
	if (group->run_ns && value <= 0)
		tw_cell_u64(tiles, 0);
	else if (group->run_ns)
		tw_cell_number(tiles, value * 1e9 / (double)group->run_ns);
	else
		tw_cell_none(tiles);
}

static void add_tiles(struct tw_page *page, const struct tw_report_group *group)
{
	static const struct tw_column columns[] = {
		{ "", .width = 5, .flags = TW_COLUMN_LEFT },
		{ "IOPS", .width = 8 }, { "MiB/s", .width = 7 },
		{ "mean lat", .width = 9 }, { "p50 lat", .width = 9 },
		{ "p99 lat", .width = 9 }, { "p99.9 lat", .width = 9 },
		{ "max lat", .width = 9 },
	};
	struct tw_column shown[sizeof(columns) / sizeof(*columns)];
	const struct tw_report_tally *tally = &group->tally;
	int has_bytes = !(tally->missing & (1U << TW_REPORT_BYTES));
	struct tw_table *tiles;

	memcpy(shown, columns, sizeof(columns));
	if (!has_bytes)
		memmove(shown + 2, columns + 3, sizeof(columns) - 3 * sizeof(*columns));
	tiles = tw_page_tiles(page, shown, sizeof(columns) / sizeof(*columns) -
			      !has_bytes);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		if (!tw_report_shows_direction(group, i))
			continue;
		tw_table_row(tiles);
		tw_cell_text(tiles, tw_report_directions[i]);
		add_rate(tiles, group, (double)tally->counts[TW_REPORT_IOS][i]);
		if (has_bytes && i != TW_REPORT_SYNC)
			add_rate(tiles, group, (double)tally->counts[TW_REPORT_BYTES][i] /
				 (1 << 20));
		else if (has_bytes)
			tw_cell_none(tiles);
		tw_report_add_lat(tiles, &tally->times[TW_REPORT_LAT][i]);
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

/* Add a size in the largest binary unit, with a decimal if it is small and not
 * whole. */
static void add_size(struct tw_page *page, const json_t *object)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB" };
	double size = (double)tw_report_u64(object, "size");
	size_t unit = 0;

	if (!json_object_get(object, "size"))
		return;
	while (size >= 1024 && unit + 1 < sizeof(units) / sizeof(*units)) {
		size /= 1024;
		unit++;
	}
	tw_page_more(page, ", %.*f %s", unit && size < 100 && size > (double)(int)size,
		     size, units[unit]);
}

static void add_members(struct tw_page *page, const json_t *device)
{
	const json_t *members = json_object_get(device, "members");

	for (size_t i = 0; i < json_array_size(members); i++)
		tw_page_more(page, "%s %s", i ? " +" : ", of",
			     json_string_value(json_array_get(members, i)));
}

static const char *name_of(const json_t *device)
{
	const char *name = tw_report_string(device, "name");

	return name ? name : tw_report_string(device, "device");
}

static void add_device(struct tw_page *page, const json_t *device, const char *label)
{
	const char *model = tw_report_string(device, "model");
	const char *host = tw_report_string(device, "host");

	tw_page_fact(page, label, "%s%s%s", host ? host : "", host ? ":" : "",
		     name_of(device));
	if (model)
		tw_page_more(page, " (%s)", model);
	add_size(page, device);
	add_members(page, device);
	if (json_is_true(json_object_get(device, "rotational")))
		tw_page_more(page, ", rotational");
	add_text(page, device, "scheduler", "scheduler ");
	add_number(page, device, "nr_requests", "nr_requests ");
	add_number(page, device, "queue_depth", "queue depth ");
	add_text(page, device, "write_cache", "");
}

static int is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static const json_t *device_of(const json_t *devices, const json_t *file)
{
	const char *number = tw_report_string(file, "device");

	for (size_t i = 0; number && i < json_array_size(devices); i++) {
		const json_t *device = json_array_get(devices, i);

		if (is_same(tw_report_string(device, "device"), number) &&
		    is_same(tw_report_string(device, "host"),
			    tw_report_string(file, "host")))
			return device;
	}
	return NULL;
}

static void add_file(struct tw_page *page, const json_t *file, const json_t *devices,
		     const char *label)
{
	const json_t *device = device_of(devices, file);
	const char *host = tw_report_string(file, "host");

	tw_page_fact(page, label, "%s%s%s", host ? host : "", host ? ":" : "",
		     tw_report_string(file, "path"));
	add_size(page, file);
	add_text(page, file, "filesystem", "");
	if (device && json_array_size(devices) > 1)
		tw_page_more(page, " on %s", name_of(device));
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

/* Return the largest number that a job left out. */
static uint64_t left_out(const struct tw_report_group *group, const char *key)
{
	uint64_t most = 0;

	for (size_t i = 0; i < group->size; i++) {
		uint64_t own = tw_report_u64(group->members[i]->root, key);

		if (own > most)
			most = own;
	}
	return most;
}

static void add_storage(struct tw_page *page, const struct tw_report_group *group)
{
	json_t *files = tw_report_files_of(group);
	json_t *devices = tw_report_devices_of(group);

	if (!files || !devices)
		tw_no_memory();
	for (size_t i = 0; i < json_array_size(devices) && i < MAX_FACTS; i++)
		add_device(page, json_array_get(devices, i), i ? "" : "device");
	add_rest(page, json_array_size(devices), 0, 0);
	for (size_t i = 0; i < json_array_size(files) && i < MAX_FACTS; i++)
		add_file(page, json_array_get(files, i), devices, i ? "" : "file");
	add_rest(page, json_array_size(files), left_out(group, "files_left_out"),
		 group->size > 1);
	json_decref(files);
	json_decref(devices);
}

/* ---- facts: of machine and run ------------------------------------------- */

static void add_machine(struct tw_page *page, const struct tw_report_group *group)
{
	const json_t *machine = group->members[0]->facts.machine;
	const char *hypervisor = tw_report_string(machine, "hypervisor");
	const struct tw_report_job *job = &group->members[0]->job;

	tw_page_fact(page, "machine", "%s", job->host);
	if (tw_report_other_hosts(group))
		tw_page_more(page, " and %zu more", tw_report_other_hosts(group));
	add_text(page, machine, "cpu", "");
	if (json_object_get(machine, "cpus"))
		tw_page_more(page, ", %llu CPU%s", (unsigned long long)
			     tw_report_u64(machine, "cpus"),
			     tw_format_plural(tw_report_u64(machine, "cpus")));
	if (hypervisor)
		tw_page_more(page, ", guest of %s", tw_hypervisor_name(hypervisor));
	add_text(page, machine, "kernel", "Linux ");
	add_text(page, machine, "governor", "governor ");
	add_text(page, machine, "clocksource", "clocksource ");
}

static void add_run(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->members[0]->job;
	const time_t start = (time_t)(job->start_ns / TW_NS_PER_SECOND);
	char date[64] = "";
	struct tm tm;

	if (gmtime_r(&start, &tm))
		strftime(date, sizeof(date), "%F %T UTC, ", &tm);
	tw_page_fact(page, "run", "%s%s, engine %s", date, job->fio_version,
		     job->engine);
}

static int options_differ(const struct tw_report_group *group)
{
	for (size_t i = 1; i < group->size; i++)
		if (!json_equal(group->members[i]->facts.options,
				group->members[0]->facts.options))
			return 1;
	return 0;
}

/* Add the options. HTML folds them, since they are long. */
static void add_options(struct tw_page *page, const struct tw_report_group *group,
			enum tw_media medium)
{
	const json_t *options = group->members[0]->facts.options;
	const char *of = options_differ(group) ? "of the first job" : "";
	const char *name, *between = *of ? ": " : "";
	uint64_t more = tw_report_u64(group->members[0]->root, "options_left_out");
	json_t *value;

	if (json_object_size(options) == 0)
		return;
	if (medium == TW_IN_HTML)
		tw_page_details(page, "%zu options %s", json_object_size(options),
				*of ? of : "of the job");
	tw_page_fact(page, "options", "%s", of);
	if (medium == TW_IN_TEXT)
		tw_page_only(page, TW_IN_TEXT);
	json_object_foreach((json_t *)options, name, value) {
		const char *text = json_string_value(value);

		tw_page_more(page, "%s%s%s%s", between, name, *text ? "=" : "", text);
		between = " ";
	}
	if (more)
		tw_page_more(page, ", and %llu more", (unsigned long long)more);
	if (medium == TW_IN_HTML)
		tw_page_end_details(page);
}

/* Add the names of up to @most reports. There can be a thousand. */
static void add_reports(struct tw_page *page, const struct tw_report_group *group,
			size_t most)
{
	tw_page_fact(page, group->size == 1 ? "report" : "reports", "%s", "");
	for (size_t i = 0; i < group->size && i < most; i++) {
		tw_page_more(page, "%s%s", i ? ", " : "", group->members[i]->path);
		if (group->members[i]->intervals)
			tw_page_more(page, " with %s", group->members[i]->intervals);
	}
	if (most < group->size)
		tw_page_more(page, ", and %zu more", group->size - most);
}

static void add_facts(struct tw_page *page, const struct tw_report_group *group)
{
	add_storage(page, group);
	add_machine(page, group);
	add_run(page, group);
	add_options(page, group, TW_IN_TEXT);
	add_reports(page, group, MAX_FACTS);
	tw_page_only(page, TW_IN_TEXT);
	add_options(page, group, TW_IN_HTML);
	tw_page_details(page, "%zu %s", group->size,
			group->size == 1 ? "report" : "reports");
	add_reports(page, group, group->size);
	tw_page_end_details(page);
}

void tw_report_add_headline(struct tw_page *page, const struct tw_report_group *group,
			    int is_only_one)
{
	add_first_line(page, group, is_only_one, TW_IN_TEXT);
	add_first_line(page, group, is_only_one, TW_IN_HTML);
	add_tiles(page, group);
	if (!tw_report_is_attached(group)) {
		add_facts(page, group);
		return;
	}
	add_storage(page, group);
	if (group->members[0]->facts.machine)
		add_machine(page, group);
}
