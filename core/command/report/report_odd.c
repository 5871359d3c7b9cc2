/* SPDX-License-Identifier: MIT */
/*
 * Several jobs, hosts, devices or files in a table for each direction, the worst first, and
 * which of them are slow.
 */
#include <string.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"
#include "latency/histogram.h"

#define MAX_ROWS	12	/* in text */
#define NAME_BYTES	22	/* in text; a depth takes some of them */
#define DEPTH_BYTES	6

/* Return what is told where it differs: the depth of a job, the model of a device. */
static const char *other_of(const struct tw_odd_one *one)
{
	const char *model = one->device ? tw_report_string(one->device->json, "model") : NULL;

	return one->report ? tw_format("%" PRIu64, one->report->jobs->iodepth) : model ? model : "";
}

/* Return the length of a host's name without the domain that all hosts share. */
static int host_length(const struct tw_odd *odd, const char *host)
{
	const size_t length = strlen(host);
	size_t shared = length;

	for (size_t i = 0; i < odd->count; i++) {
		const char *other = odd->list[i].host;
		size_t same = 0;

		while (same < shared && same < strlen(other) &&
		       other[strlen(other) - 1 - same] == host[length - 1 - same])
			same++;
		shared = same;
	}
	host += length - shared;
	return (int)(length - shared + strcspn(host, "."));
}

static void add_row(struct tw_table *table, const struct tw_odd *odd,
		    const struct tw_odd_one *one, int with_other)
{
	const struct tw_histogram *lat = &one->lat[odd->direction];
	const char *name = tw_odd_name(odd, one);
	const size_t most = with_other && one->report ? NAME_BYTES - DEPTH_BYTES : NAME_BYTES;

	tw_table_row(table);
	if (strlen(name) > most && (odd->has_hosts || odd->kind == TW_ODD_HOSTS))
		name = tw_format("%.*s%s%s", host_length(odd, one->host), one->host,
				 odd->has_hosts ? ":" : "", odd->has_hosts ? one->name : "");
	if (strlen(name) > most)	/* the ends differ */
		name = tw_format("...%s", name + strlen(name) + 3 - most);
	tw_cell_add_text(table, one->is_slow ? TW_CELL_STRONG : TW_CELL_TEXT, name);
	if (one->report) {
		const struct tw_counts *counts = &one->report->tally.counts[odd->direction];
		const int has_bytes = tw_has(&one->report->tally, TW_METRIC_bytes);

		tw_report_add_rate(table, one->run_ns, (double)counts->ios);
		tw_report_add_rate(table, has_bytes ? one->run_ns : 0,
				   (double)counts->bytes / (1 << 20));
	} else {
		const struct tw_histogram *in_device = &one->in_device[odd->direction];

		tw_cell_u64(table, tw_histogram_values(lat));
		tw_report_add_ns(table, in_device->count != 0, tw_histogram_mean_ns(in_device));
	}
	tw_report_add_lat(table, lat, (double)tw_histogram_values(lat));
	if (with_other)
		tw_cell_text(table, other_of(one));
}

static void add_table(struct tw_page *page, const struct tw_odd *odd, int is_all)
{
	const int is_of_reports = odd->list->report != NULL;
	const struct tw_column columns[] = {
		{ tw_format("%s: %s", tw_odd_kinds[odd->kind],
			    tw_direction_names[odd->direction]), .flags = TW_COLUMN_LEFT },
		{ is_of_reports ? "IOPS" : "I/Os", .width = 8 },
		{ is_of_reports ? "MiB/s" : "device", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "mean", .group = "lat", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "p50", .group = "lat", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "p99", .group = "lat", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "p99.9", .group = "lat", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "max", .group = "lat", .width = 7, .flags = TW_COLUMN_NARROW },
		{ is_of_reports ? "depth" : "model", .width = is_of_reports ? DEPTH_BYTES - 1 : 11,
		  .flags = is_of_reports ? 0 : TW_COLUMN_BELOW },
	};
	int with_other = 0;
	struct tw_table *table;

	for (size_t i = 0; i < odd->count; i++)
		with_other |= strcmp(other_of(&odd->list[i]), other_of(odd->list)) != 0;
	table = tw_page_table(page, columns, TW_LENGTH(columns) - !with_other);
	if (!is_all)
		tw_table_limit(table, MAX_ROWS, "--all");
	for (size_t i = 0; i < odd->count; i++)
		add_row(table, odd, &odd->list[i], with_other);
}

/* Add the I/Os that no device of the table has. */
static void add_other_ios(struct tw_page *page, const struct tw_report *report)
{
	uint64_t ios = 0;

	for (unsigned i = 0; i < TW_DIRECTIONS; i++) {
		ios += report->tally.counts[i].ios;
		for (size_t j = 0; j < report->device_count; j++)
			ios -= report->devices[j].ios[i];
	}
	if (ios)
		tw_page_remark(page, "the device of %s is not known", TW_SAY_COUNT(ios, "I/O[s]"));
}

enum when { ALWAYS, IF_SLOW, NEVER };	/* text has the table without --all */

/* Add a table for each direction, and a line on what is slow. */
static void add_kind(struct tw_page *page, struct tw_odd *odd, enum when when, unsigned with)
{
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		if (!tw_odd_rank(odd, i))
			continue;
		if (when == NEVER || (when == IF_SLOW && !odd->slow))
			tw_page_begin_only(page, tw_report_rest(with));
		tw_page_gap(page);
		add_table(page, odd, with & TW_REPORT_WITH_ALL);
		if (odd->slow)
			tw_page_begin_only(page, TW_IN_ALL);
		if (*odd->text)
			tw_page_paragraph(page, "%s", odd->text);
		if (odd->slow)
			tw_page_mark(page, TW_MARK_BAD);
		tw_page_begin_only(page, TW_IN_ALL);
	}
}

/* Of several groups, add those of many hosts by host. */
static void add_hosts(struct tw_page *page, const struct tw_report_group *groups, size_t count,
		      unsigned with)
{
	struct tw_odd hosts;

	for (size_t i = 0; i < count && count > 1; i++) {
		tw_odd_find(&hosts, TW_ODD_JOBS, &groups[i], 1);
		if (hosts.kind == TW_ODD_HOSTS) {
			tw_page_gap(page);
			tw_page_paragraph(page, "%s, by host:", groups[i].all.jobs->name);
			add_kind(page, &hosts, ALWAYS, with);
		}
		tw_odd_free(&hosts);
	}
}

void tw_report_add_odd(struct tw_page *page, struct tw_odd *odd,
		       const struct tw_report_group *groups, size_t count, unsigned with)
{
	struct tw_odd devices, files;
	int is_by_device;

	tw_odd_find(&devices, TW_ODD_DEVICES, groups, count);
	tw_odd_find(odd, TW_ODD_JOBS, groups, count);
	/* Jobs with a device each are named by it. */
	is_by_device = count > 1 && odd->kind == TW_ODD_JOBS && devices.all == odd->all;
	for (size_t i = 0; i < count; i++)
		is_by_device &= groups[i].all.device_count == 1;
	if (!is_by_device)
		add_kind(page, odd, count > 1 || odd->kind == TW_ODD_HOSTS ? ALWAYS : IF_SLOW,
			 with);
	if (odd->kind != TW_ODD_HOSTS || devices.all != odd->all)
		add_kind(page, &devices, count == 1 || is_by_device ? ALWAYS : NEVER, with);
	add_hosts(page, groups, count, with);
	/* The I/Os of one device that has them all are not counted apart. */
	if (count == 1 && groups->all.device_count && !groups->all.devices->has_all)
		add_other_ios(page, &groups->all);
	tw_odd_free(&devices);
	tw_odd_find(&files, TW_ODD_FILES, groups, 1);
	if (count == 1)
		add_kind(page, &files, IF_SLOW, with);
	tw_odd_free(&files);
	for (int i = 0; i < TW_DIRECTIONS && !tw_odd_rank(odd, i); i++)
		;
}
