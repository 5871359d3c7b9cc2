/* SPDX-License-Identifier: MIT */
/*
 * The devices of the reports in a table for each direction, the slowest first,
 * and which of them are slow.
 */
#include "command/report/page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/memory.h"
#include "command/output/table.h"
#include "command/report/lat_cells.h"
#include "command/reports/devices.h"
#include "report/want.h"

/* In text. HTML and --json have all rows. */
#define MAX_ROWS	32

static int hosts_differ(const struct tw_report_ranking *ranking)
{
	for (size_t i = 1; i < ranking->count; i++)
		if (strcmp(ranking->list[i]->host, ranking->list[0]->host))
			return 1;
	return 0;
}

static const char *model_of(const struct tw_report_device *device)
{
	const char *model = tw_report_string(device->json, "model");

	return model ? model : "";
}

static int models_differ(const struct tw_report_ranking *ranking)
{
	for (size_t i = 1; i < ranking->count; i++)
		if (strcmp(model_of(ranking->list[i]), model_of(ranking->list[0])))
			return 1;
	return 0;
}

static void add_mean(struct tw_table *table, const struct tw_histogram *histogram)
{
	if (histogram->count)
		tw_cell_ns(table, tw_histogram_mean_ns(histogram));
	else
		tw_cell_none(table);
}

static void add_row(struct tw_table *table, const struct tw_report_device *device,
		    int direction, int with_host, int with_model, int is_slow)
{
	char name[512];

	const struct tw_histogram *lat = &device->lat[direction];

	tw_table_row(table);
	snprintf(name, sizeof(name), "%s%s%s", with_host ? device->host : "",
		 with_host ? ":" : "", device->name);
	if (is_slow)
		tw_cell_strong(table, name);
	else
		tw_cell_text(table, name);
	tw_cell_u64(table, lat->count);
	tw_report_add_lat(table, lat);
	add_mean(table, &device->in_device[direction]);
	if (with_model)
		tw_cell_text(table, model_of(device));
}

static void add_table(struct tw_page *page, const struct tw_report_ranking *ranking)
{
	const int narrow = TW_COLUMN_NARROW;
	const struct tw_column columns[] = {
		{ "device", .width = 10, .flags = TW_COLUMN_LEFT },
		{ "I/Os", .width = 9 },
		{ "mean", .group = "lat", .width = 7, .flags = narrow },
		{ "p50", .group = "lat", .width = 7, .flags = narrow },
		{ "p99", .group = "lat", .width = 7, .flags = narrow },
		{ "p99.9", .group = "lat", .width = 7, .flags = narrow },
		{ "max", .group = "lat", .width = 7, .flags = narrow },
		{ "mean", .group = "in device", .width = 9, .flags = narrow },
		{ "model", .width = 11, .flags = TW_COLUMN_BELOW },
	};
	int with_model = models_differ(ranking);
	struct tw_table *table = tw_page_table(page, columns,
		sizeof(columns) / sizeof(*columns) - !with_model);

	tw_table_limit(table, MAX_ROWS, "--json");
	for (size_t i = 0; i < ranking->count; i++)
		add_row(table, ranking->list[i], ranking->direction,
			hosts_differ(ranking), with_model, i < ranking->slow);
}

/* Return the lowest number of digits. The legend describes that of the
 * stages. */
static unsigned digits_of(const struct tw_report_ranking *ranking)
{
	unsigned digits = ranking->list[0]->lat[ranking->direction].digits;

	for (size_t i = 1; i < ranking->count; i++)
		if (ranking->list[i]->lat[ranking->direction].digits < digits)
			digits = ranking->list[i]->lat[ranking->direction].digits;
	return digits;
}

static void add_direction(struct tw_page *page, const struct tw_report_ranking *ranking)
{
	char text[TW_REPORT_SENTENCE];

	if (ranking->count < 2)
		return;
	if (ranking->percent > 0)
		tw_page_heading(page, 3, "%s: devices by p%g of lat",
				tw_report_directions[ranking->direction],
				ranking->percent);
	else
		tw_page_heading(page, 3, "%s: devices by the mean of lat",
				tw_report_directions[ranking->direction]);
	if (ranking->slow)
		tw_page_more(page, ", after the slow %s", ranking->slow > 1 ? "ones" : "one");
	tw_report_say_slow_devices(text, sizeof(text), ranking);
	tw_page_remark(page, "%s", text);
	add_table(page, ranking);
	tw_page_remark(page, "in device: the stage device; percentiles are at most %g %% "
		       "above", 100 / pow(10, digits_of(ranking)));
}

static void add_other_files(struct tw_page *page, const struct tw_report_devices *devices)
{
	if (devices->other_files)
		tw_page_remark(page, "not in here: I/Os on %llu files: of a job's devices "
			       "the first 64 are kept, and the device of a file may not "
			       "be known", (unsigned long long)devices->other_files);
}

static void add_other_jobs(struct tw_page *page, const struct tw_report_devices *devices)
{
	const char *what = devices->count > 1 ? "not in the devices" :
						"the devices are not shown";

	if (devices->other_jobs == 1)
		tw_page_remark(page, "%s: a job on several, as its intervals are not by "
			       "device", what);
	else if (devices->other_jobs)
		tw_page_remark(page, "%s: %zu jobs on several, as their intervals are not "
			       "by device", what, devices->other_jobs);
}

static int add_all(struct tw_page *page, const struct tw_report_devices *devices,
		   const struct tw_report_group *groups, size_t count)
{
	struct tw_report_ranking ranking;

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		if (tw_report_rank_devices(&ranking, devices, i, groups, count))
			return -1;
		add_direction(page, &ranking);
		tw_report_ranking_free(&ranking);
	}
	add_other_files(page, devices);
	return 0;
}

/* Return the largest number of devices in one of the groups. */
static size_t most_of_one(const struct tw_report_group *groups, size_t count)
{
	struct tw_report_devices devices;
	size_t most = 0;

	for (size_t i = 0; i < count; i++)
		if (!tw_report_merge_devices(&devices, &groups[i], 1)) {
			if (devices.count > most)
				most = devices.count;
			tw_report_devices_free(&devices);
		}
	return most;
}

void tw_report_add_devices(struct tw_page *page, const struct tw_report_group *groups,
			   size_t count)
{
	struct tw_report_devices devices;
	int error = tw_report_merge_devices(&devices, groups, count);

	if (error == -EOVERFLOW)
		tw_page_remark(page, "the devices are not shown: their sums don't fit");
	else if (error)
		tw_no_memory();
	if (error)
		return;
	/* For several groups, leave out a table that equals that of a group. */
	if (devices.count > 1 &&
	    (count == 1 || devices.count > most_of_one(groups, count))) {
		if (count > 1)
			tw_page_heading(page, 2, "Devices of all reports");
		if (add_all(page, &devices, groups, count))
			tw_no_memory();
	}
	if (count == 1)
		add_other_jobs(page, &devices);
	tw_report_devices_free(&devices);
}
