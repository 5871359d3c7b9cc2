/* SPDX-License-Identifier: MIT */
/*
 * The devices of the reports in a table for each direction, the slowest first,
 * and which of them are slow.
 */
#include "command/report/page.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "command/report/lat_cells.h"
#include "command/answers/devices.h"
#include "report/want.h"

/* In text. HTML and --json have all rows. */
#define MAX_ROWS	32

static int hosts_differ(const struct tw_report_ranking *ranking)
{
	for (size_t i = 1; i < ranking->count; i++)
		if (strcmp(ranking->list[i].device->host, ranking->list->device->host))
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
		if (strcmp(model_of(ranking->list[i].device),
			   model_of(ranking->list->device)))
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
		add_row(table, ranking->list[i].device, ranking->direction,
			hosts_differ(ranking), with_model, ranking->list[i].is_slow);
}

/* Return the lowest number of digits. The legend describes that of the
 * stages. */
static unsigned digits_of(const struct tw_report_ranking *ranking)
{
	unsigned digits = UINT_MAX;

	for (size_t i = 0; i < ranking->count; i++) {
		const struct tw_report_device *device = ranking->list[i].device;

		if (device->lat[ranking->direction].digits < digits)
			digits = device->lat[ranking->direction].digits;
	}
	return digits;
}

static void add_direction(struct tw_page *page, const struct tw_report_ranking *ranking)
{
	if (ranking->count < 2)
		return;
	if (ranking->percent > 0)
		tw_page_heading(page, 3, "%s: devices by p%g of lat",
				tw_direction_names[ranking->direction],
				ranking->percent);
	else
		tw_page_heading(page, 3, "%s: devices by the mean of lat",
				tw_direction_names[ranking->direction]);
	if (ranking->slow)
		tw_page_more(page, ", after the slow %s", ranking->slow > 1 ? "ones" : "one");
	tw_page_remark(page, "%s", ranking->text);
	add_table(page, ranking);
	tw_page_remark(page, "in device: the stage device; percentiles are at most %g %% "
		       "above", 100 / pow(10, digits_of(ranking)));
}

static void add_other_files(struct tw_page *page, uint64_t other_files)
{
	if (other_files)
		tw_page_remark(page, "not in here: I/Os on %llu file%s. Of a job the first 64 "
			       "devices are kept, and the device of a file may not be "
			       "known", (unsigned long long)other_files,
			       tw_format_plural(other_files));
}

/* Return the number of the report's I/Os that may be on any of its devices. */
static uint64_t unknown_ios(const struct tw_report *all)
{
	uint64_t all_ios = 0, known = all->tally.scalars.other_ios;

	for (unsigned i = 0; i < TW_DIRECTIONS; i++) {
		all_ios += all->tally.counts[i].ios;
		for (size_t j = 0; j < all->device_count; j++)
			known += all->devices[j].ios[i];
	}
	return all_ios > known ? all_ios - known : 0;
}

static void add_unknown(struct tw_page *page, const struct tw_report *all)
{
	const uint64_t ios = unknown_ios(all);

	if (ios)
		tw_page_remark(page, "the device of %llu I/O%s is not known: the intervals of "
			       "a job on several devices do not tell it",
			       (unsigned long long)ios, tw_format_plural(ios));
}

static void add_all(struct tw_page *page, const struct tw_report *all,
		    const struct tw_report_group *groups, size_t count)
{
	struct tw_report_ranking ranking;
	uint64_t other_files = 0;

	for (int i = 0; i < TW_DIRECTIONS; i++) {
		tw_report_rank_devices(&ranking, all, i, groups, count);
		add_direction(page, &ranking);
		tw_report_ranking_free(&ranking);
	}
	for (size_t i = 0; i < count; i++)
		other_files += groups[i].all.tally.scalars.other_files;
	add_other_files(page, other_files);
}

/* Add the devices of several groups, unless it is the table of one of them. */
static void add_sum(struct tw_page *page, const struct tw_report_group *groups,
		    size_t count)
{
	struct tw_report sum = { .devices = NULL };
	size_t most = 0;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		if (groups[i].all.device_count > most)
			most = groups[i].all.device_count;
		error = tw_must(tw_report_collect_devices(&sum, &groups[i].all));
	}
	if (error) {
		tw_page_remark(page, "the devices are not shown: their sums don't fit");
	} else if (sum.device_count > most) {
		tw_page_heading(page, 2, "Devices of all reports");
		add_all(page, &sum, groups, count);
	}
	tw_report_free(&sum);
}

void tw_report_add_devices(struct tw_page *page, const struct tw_report_group *groups,
			   size_t count)
{
	const struct tw_report *all = &groups->all;

	if (count > 1) {
		add_sum(page, groups, count);
	} else if (all->device_count > 1) {
		add_all(page, all, groups, 1);
		add_unknown(page, all);
	}
}
