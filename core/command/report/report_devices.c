/* SPDX-License-Identifier: MIT */
/*
 * The devices of the reports in a table for each direction, the slowest first,
 * and which of them are slow.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"
#include "latency/histogram.h"

/* In text. HTML and --json have all rows. */
#define MAX_ROWS	32

static const char *model_of(const struct tw_report_device *device)
{
	const char *model = tw_report_string(device->json, "model");

	return model ? model : "";
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
		{ "p50", .group = "in device", .width = 9, .flags = narrow },
		{ "model", .width = 11, .flags = TW_COLUMN_BELOW },
	};
	unsigned digits = UINT_MAX;	/* the lowest; the legend has that of the stages */
	int with_host = 0, with_model = 0;
	struct tw_table *table;

	for (size_t i = 0; i < ranking->count; i++) {
		const struct tw_report_device *device = ranking->list[i].device;

		with_host |= strcmp(device->host, ranking->list->device->host) != 0;
		with_model |= strcmp(model_of(device), model_of(ranking->list->device)) != 0;
		if (device->lat[ranking->direction].digits < digits)
			digits = device->lat[ranking->direction].digits;
	}
	table = tw_page_table(page, columns, sizeof(columns) / sizeof(*columns) - !with_model);
	tw_table_limit(table, MAX_ROWS, "--json");
	for (size_t i = 0; i < ranking->count; i++) {
		const struct tw_report_device *device = ranking->list[i].device;
		const struct tw_histogram *lat = &device->lat[ranking->direction];
		const struct tw_histogram *in_device = &device->in_device[ranking->direction];
		char name[512];

		tw_table_row(table);
		snprintf(name, sizeof(name), "%s%s%s", with_host ? device->host : "",
			 with_host ? ":" : "", device->name);
		if (ranking->list[i].is_slow)
			tw_cell_strong(table, name);
		else
			tw_cell_text(table, name);
		tw_cell_u64(table, tw_histogram_values(lat));
		tw_report_add_lat(table, lat, (double)tw_histogram_values(lat));
		tw_report_add_percentile(table, in_device, (double)tw_histogram_values(in_device),
					 50);
		if (with_model)
			tw_cell_text(table, model_of(device));
	}
	tw_page_remark(page, "in device: the stage device; percentiles are at most %g %% "
		       "above", 100 / pow(10, digits));
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
}

static void add_all(struct tw_page *page, const struct tw_report *all,
		    const struct tw_report_group *groups, size_t count)
{
	struct tw_report_ranking ranking;
	uint64_t other_files = 0;

	for (int i = 0; i < TW_DIRECTIONS; i++) {
		tw_report_rank_devices(&ranking, all, i, groups, count);
		add_direction(page, &ranking);
		free(ranking.list);
	}
	for (size_t i = 0; i < count; i++)
		other_files += groups[i].all.tally.scalars.other_files;
	if (other_files)
		tw_page_remark(page, "not in here: I/Os on %s. Of a job the first 64 "
			       "devices are kept, and the device of a file may not be "
			       "known", TW_SAY_COUNT(other_files, "file[s]"));
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
	uint64_t all_ios = 0, known = all->tally.scalars.other_ios;

	if (count > 1)
		add_sum(page, groups, count);
	if (count > 1 || all->device_count < 2)
		return;
	add_all(page, all, groups, 1);
	for (unsigned i = 0; i < TW_DIRECTIONS; i++) {
		all_ios += all->tally.counts[i].ios;
		for (size_t j = 0; j < all->device_count; j++)
			known += all->devices[j].ios[i];
	}
	if (all_ios > known)
		tw_page_remark(page, "the device of %s is not known: the intervals of "
			       "a job on several devices do not tell it",
			       TW_SAY_COUNT(all_ios - known, "I/O[s]"));
}
