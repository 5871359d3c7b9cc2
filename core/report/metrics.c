/* SPDX-License-Identifier: MIT */
/*
 * The metrics of a report as tables: see metrics.h.
 */
#include "report/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const tw_direction_names[TW_DIRECTIONS] = {
	"read", "write", "trim", "sync",
};

/* What a row leaves out is 0. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"	/* in this file */

const struct tw_count_metric tw_count_metrics[TW_COUNTS] = {
#define TW_COUNT_AS_METRIC(member, ...)	{ __VA_ARGS__ },
	TW_EACH_COUNT(TW_COUNT_AS_METRIC)
#undef TW_COUNT_AS_METRIC
};

const struct tw_scalar_metric tw_scalar_metrics[TW_SCALARS] = {
#define TW_SCALAR_AS_METRIC(member, ...)	{ __VA_ARGS__ },
	TW_EACH_SCALAR(TW_SCALAR_AS_METRIC)
#undef TW_SCALAR_AS_METRIC
};

const struct tw_time_metric tw_time_metrics[TW_TIMES] = {
#define TW_STAGE_AS_METRIC(constant, name, label) \
	{ #name, "stages." #name, TW_ALL, TW_LAT, label },
	TW_EACH_STAGE(TW_STAGE_AS_METRIC)
#undef TW_STAGE_AS_METRIC
#define TW_TIME_AS_METRIC(constant, ...)	{ __VA_ARGS__ },
	TW_EACH_TIME(TW_TIME_AS_METRIC)
#undef TW_TIME_AS_METRIC
};

const char *tw_metric_path(unsigned metric)
{
	if (metric < TW_COUNTS)
		return tw_count_metrics[metric].path;
	if (metric < TW_METRIC_TIMES)
		return tw_scalar_metrics[metric - TW_COUNTS].path;
	if (metric < TW_METRIC_BY_LAT)
		return tw_time_metrics[metric - TW_METRIC_TIMES].path;
	return metric == TW_METRIC_BY_LAT ? "stages_by_lat" :
	       metric == TW_METRIC_OVER_TIME ? "over_time" : "slowest";
}

int tw_metric_find(const char *path)
{
	for (unsigned metric = 0; metric < TW_METRICS; metric++)
		if (strcmp(tw_metric_path(metric), path) == 0)
			return (int)metric;
	return -1;
}

int tw_metric_is_required(unsigned metric)
{
	return metric == TW_METRIC_ios || metric == TW_METRIC_TIMES + TW_LAT;
}

const char *tw_metric_key(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

const char *tw_metric_label(char text[TW_METRIC_TEXT], const char *label, uint64_t count)
{
	int in_brackets = 0;
	size_t length = 0;

	for (; *label && length < TW_METRIC_TEXT - 1; label++)
		if (*label == '[' || *label == ']')
			in_brackets = *label == '[';
		else if (!in_brackets || count != 1)
			text[length++] = *label;
	text[length] = '\0';
	return text;
}

const char *tw_metric_count(char text[TW_METRIC_TEXT], const char *label, uint64_t count)
{
	char of_count[TW_METRIC_TEXT];

	snprintf(text, TW_METRIC_TEXT, "%" PRIu64 " %.130s", count,
		 tw_metric_label(of_count, label, count));
	return text;
}
