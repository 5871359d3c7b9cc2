/* SPDX-License-Identifier: MIT */
/*
 * What else a device had in flight when it got an I/O (tw_causes), in words.
 */
#include <stdio.h>
#include <string.h>

#include "command/answers/answers.h"
#include "command/output/page.h"

const char *const tw_company_words[TW_REPORT_COMPANIES - 1] = {
	"reads", "writes", "flushes", "discards", "commands",
};

/* As a count of requests has them. */
static const char *const words[] = {
	"read[s]", "write[s]", "flush[es]", "discard[s]", "other command[s]",
};

/* Return the kind that the I/O was behind; TW_REPORT_COMPANIES - 1: it was alone; -1: that is
 * not known. */
static int kind_of(const json_t *slow)
{
	const json_t *company = json_object_get(slow, "company");
	const char *behind = tw_report_string(company, "behind");

	for (int i = 0; company && behind && tw_company_kinds[i]; i++)
		if (!strcmp(tw_company_kinds[i], behind))
			return i;
	return company && !behind ? TW_REPORT_COMPANIES - 1 : -1;
}

int tw_report_say_company(char *text, size_t size, const json_t *slow)
{
	const json_t *company = json_object_get(slow, "company");
	const int kind = kind_of(slow);
	uint64_t bytes;
	int used;

	if (kind < 0 || kind == TW_REPORT_COMPANIES - 1)
		return 0;
	bytes = tw_report_u64(company, "bytes");
	used = snprintf(text, size, "%s",
			TW_SAY_COUNT(tw_report_u64(company, "requests"), words[kind]));
	if (bytes)
		snprintf(text + used, size - (size_t)used, " (%llu KiB)",
			 (unsigned long long)(bytes + 1023) / 1024);
	return 1;
}

int tw_report_add_company(double sums_ns[TW_REPORT_COMPANIES], const json_t *slow)
{
	const json_t *stages = json_object_get(slow, "stages");
	const int kind = kind_of(slow);

	if (kind < 0 || !json_object_get(stages, "device"))
		return 0;
	sums_ns[kind] += (double)tw_report_u64(stages, "device");
	return 1;
}
